//! Shows the errors of a file: the line with the place underlined, what was expected, and what to do.
//!
//! A file that is one enormous line, or has ten thousand errors, must not produce a message of the same size. Only
//! the lines between the places of a diagnostic go to the renderer, a line that is too long is cut to a window around
//! the place, and after some diagnostics only the number of the others is shown.

use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use driver::{Diagnostic, Severity};

use crate::screen;
use crate::sources::Source;

/// How many diagnostics of a file are shown.
const SHOWN: usize = 20;

/// How many bytes of source the renderer may get at once.
const EXCERPT: usize = 50_000;

/// The number of bytes before and after a place that are kept of an overlong line.
const WINDOW: usize = 500;

/// Shows the diagnostics of a file on standard error.
pub(crate) fn show(source: &Source, diagnostics: &[Diagnostic]) {
    let renderer = if screen::colourful_errors() { Renderer::styled() } else { Renderer::plain() };
    screen::remark(&render(source, diagnostics, &renderer));
}

fn render(source: &Source, diagnostics: &[Diagnostic], renderer: &Renderer) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter().take(SHOWN) {
        text.push_str(&match &diagnostic.included {
            None => renderer.render(&[group(source, diagnostic)]),
            Some(part) => {
                let included = source.included(&part.file, &part.text);
                renderer.render(&[group(&included, &part.diagnostic)])
            }
        });
        text.push_str("\n\n");
    }
    if let Some(more @ 1..) = diagnostics.len().checked_sub(SHOWN) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}: {more} more of these are not shown\n", source.path);
    }
    text
}

/// A place with its text, and whether it is the primary one.
struct Place<'a> {
    range: Range<usize>,
    label: &'a str,
    kind: AnnotationKind,
}

fn group<'a>(source: &'a Source, diagnostic: &'a Diagnostic) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let primary = diagnostic.span.map(|span| (span, diagnostic.label.as_str(), AnnotationKind::Primary));
    let related =
        diagnostic.related.iter().map(|(span, text)| (*span, text.as_str(), AnnotationKind::Context));
    let places: Vec<Place<'a>> = primary
        .into_iter()
        .chain(related)
        .map(|(span, label, kind)| Place { range: inside(&source.text, span.start, span.end), label, kind })
        .collect();
    let mut group = match places.iter().map(|place| place.range.start).min() {
        None => title.element(Origin::path(source.path.as_str())),
        Some(first) => {
            let last = places.iter().map(|place| place.range.end).max().unwrap_or(first);
            let lines = lines(&source.text, first..last);
            if lines.len() <= EXCERPT {
                title.element(snippet(source, lines, places).path(source.path.as_str()))
            } else {
                cut(source, places).into_iter().fold(Group::with_title(title), |group, (snippet, place)| {
                    group.element(snippet).element(Level::NOTE.message(place))
                })
            }
        }
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    group
}

/// One snippet per place, each cut to a window of its line, with its position, which the renderer can no longer
/// compute.
fn cut<'a>(source: &'a Source, places: Vec<Place<'a>>) -> Vec<(Snippet<'a, Annotation<'a>>, String)> {
    let text = source.text.as_str();
    let mut parts = Vec::new();
    for mut place in places {
        let line = lines(text, place.range.start..place.range.start);
        let column = 1 + text[line.start..place.range.start].chars().count();
        let position = format!("this is at {}:{}:{column}", source.path, number(text, line.start));
        let start = text.floor_char_boundary(place.range.start.saturating_sub(WINDOW)).max(line.start);
        let end = text.ceil_char_boundary(place.range.start + WINDOW).min(line.end);
        place.range.end = place.range.end.min(end);
        parts.push((snippet(source, start..end, vec![place]), position));
    }
    parts
}

/// A part of the source with its places. Invariant: they lie inside the part.
fn snippet<'a>(
    source: &'a Source,
    part: Range<usize>,
    places: Vec<Place<'a>>,
) -> Snippet<'a, Annotation<'a>> {
    let annotations = places.into_iter().map(|Place { range, label, kind }| {
        let label = (!label.is_empty()).then_some(label);
        kind.span(range.start - part.start..range.end - part.start).label(label)
    });
    Snippet::source(&source.text[part.clone()])
        .line_start(number(&source.text, part.start))
        .annotations(annotations)
}

/// A range of bytes extended to whole characters, inside the text.
fn inside(text: &str, start: usize, end: usize) -> Range<usize> {
    let start = text.floor_char_boundary(start);
    start..text.ceil_char_boundary(end).max(start)
}

/// The lines a range touches.
fn lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |newline| range.end + newline);
    start..end
}

/// The number of the line a byte is on.
fn number(text: &str, offset: usize) -> usize {
    1 + text[..offset].matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lang::syntax::Span;

    fn rendered(text: &str, diagnostics: &[Diagnostic]) -> String {
        let source = Source::text("a.fair", text);
        render(&source, diagnostics, &Renderer::plain())
    }

    #[test]
    fn the_text_at_fault_is_underlined_with_its_line_and_advice() {
        let text = "shared x: bool;\nshared x: int;\n";
        let diagnostic =
            Diagnostic::error(Span { start: 23, end: 24 }, "`x` is declared twice", "again here")
                .related(Span { start: 7, end: 8 }, "first here")
                .help("rename one of them");
        let shown = rendered(text, &[diagnostic]);
        let expected = "\
error: `x` is declared twice
 --> a.fair:2:8
  |
1 | shared x: bool;
  |        - first here
2 | shared x: int;
  |        ^ again here
  |
  = help: rename one of them

";
        assert_eq!(shown, expected);
    }

    #[test]
    fn a_message_about_an_enormous_line_is_short_and_has_the_right_column() {
        let text = "(".repeat(1_000_000);
        let shown =
            rendered(&text, &[Diagnostic::error(Span { start: 700_000, end: 700_001 }, "deep", "here")]);
        assert!(shown.len() < 1000, "{}", shown.len());
        assert!(shown.contains("a.fair:1:700001"), "{shown}");
        assert!(shown.contains("^ here"), "{shown}");
    }

    #[test]
    fn many_errors_are_counted_and_not_shown() {
        let diagnostic = Diagnostic::error(Span { start: 0, end: 1 }, "wrong", "here");
        let shown = rendered("x", &vec![diagnostic; 1000]);
        assert_eq!(shown.matches("error: wrong").count(), SHOWN);
        assert!(shown.contains("a.fair: 980 more"), "{shown}");
    }

    #[test]
    fn spans_beyond_the_text_or_inside_a_character_do_no_harm() {
        for span in [Span { start: 1, end: 2 }, Span { start: 5, end: 90 }, Span { start: 90, end: 3 }] {
            assert!(rendered("ü\n€", &[Diagnostic::error(span, "odd", "here")]).contains("odd"));
        }
    }

    #[test]
    fn what_is_not_in_the_file_is_said_without_a_place() {
        let shown = rendered("x", &[Diagnostic::outside("there is no constant `Q`")]);
        assert!(shown.starts_with("error: there is no constant `Q`"), "{shown}");
    }
}
