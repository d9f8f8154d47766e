//! Draws a run as a space–time diagram: time goes down, each process has a lane, and the loop is drawn as a loop.
//!
//! The diagram is a table with a row per step, so that it can be read aloud, broken across pages and wrapped. The
//! lanes of a row are one small picture that is as high as the row. A filled dot is a step of a process, with the
//! location it goes to; two dots joined by a line are a rendezvous. On the loop, the lane of a process that never
//! acts is dashed, and a ring means that the process could have acted here. On the right are the step in words and
//! the variables.
//!
//! Variables that never change are listed once, above. The size grows with steps times lanes; a lane costs some forty
//! bytes in a row in which nothing happens to it. The middle of a very long run is left out.

use std::fmt::Write;
use std::ops::Range;

use driver::Trace;
use driver::explain::{Failure, Fate};
use driver::report::{Binding, Kind, Step};

use crate::markup::escaped;
use crate::trace::{HTML, Piece, omission, pieces};

/// The greatest number of variables that are shown in columns.
const COLUMNS: usize = 16;

/// The lanes of a diagram.
struct Lanes<'a> {
    names: Vec<&'a str>,
    /// The position of each lane, and the end of the last one.
    places: Vec<usize>,
    /// Per lane, the class for the fate of its process on the loop; empty if it acts.
    fates: Vec<&'static str>,
    /// Per lane, the numbers of the steps of the loop before which its process could act.
    could_act: Vec<Vec<usize>>,
}

/// The anchor of the line of the model that a step executes, if it is known.
pub(super) type LineOf<'a> = dyn Fn(&Step) -> Option<String> + 'a;

/// A run as a diagram.
pub(super) fn diagram(trace: &Trace, failure: &Failure, kind: &Kind, line: &LineOf<'_>) -> String {
    let lanes = Lanes::new(trace, failure);
    let changing = changing(trace);
    let columns: Vec<&str> = changing.iter().map(String::as_str).take(COLUMNS).collect();
    let mut values: Vec<Binding> = trace.initial.clone();
    let mut text = format!(
        "<p>{}</p>\n{}<div class=\"scroll\"><table class=\"run\">\n<thead><tr><td></td>",
        escaped(&failure.beginning),
        legend(trace, failure, kind)
    );
    // Writing to a string does not fail, here and below.
    let _ = write!(
        text,
        "<th scope=\"col\">Step</th><th scope=\"col\" class=\"lanes\" style=\"width:{0}px;min-width:{0}px\">",
        lanes.total()
    );
    text += &lanes.heading();
    text += "</th><th scope=\"col\">What happens</th>";
    for name in &columns {
        let _ = write!(text, "<th scope=\"col\" class=\"var\">{}</th>", escaped(name));
    }
    text += "</tr></thead>\n<tbody>\n";
    text += &row(&lanes, None, None, trace, failure, &columns, &values);
    for piece in pieces(trace, HTML) {
        for change in trace.steps[piece.steps()].iter().flat_map(|step| &step.changes) {
            if let Some(binding) = values.iter_mut().find(|binding| binding.spot == change.spot) {
                binding.value.clone_from(&change.value);
            }
        }
        text += &match piece {
            Piece::Step(number) => {
                let step = Some((number, &trace.steps[number]));
                row(&lanes, step, line(&trace.steps[number]), trace, failure, &columns, &values)
            }
            Piece::Gap(steps) => gap(&steps, trace, columns.len()),
        };
    }
    text += "</tbody>\n</table></div>\n";
    if changing.len() > columns.len() {
        let more = &changing[columns.len()..];
        let _ = writeln!(
            text,
            "<p><small>Without a column: {}; what happens to them stands in the steps.</small></p>",
            escaped(&more.join(", "))
        );
    }
    text
}

/// The variables that change, without locations.
fn changing(trace: &Trace) -> Vec<String> {
    let changes = |binding: &&Binding| {
        let mut changed = trace.steps.iter().flat_map(Step::shown);
        binding.located().is_none() && changed.any(|change| change.spot == binding.spot)
    };
    trace.initial.iter().filter(changes).map(Binding::name).collect()
}

/// Explains the signs that occur.
fn legend(trace: &Trace, failure: &Failure, kind: &Kind) -> String {
    let mut text = String::new();
    if let Some(cycle) = trace.cycle {
        let steps = trace.steps.len() - cycle;
        let steps = if steps == 1 {
            format!("Step {} repeats", trace.steps.len())
        } else {
            format!("Steps {} to {} repeat", cycle + 1, trace.steps.len())
        };
        let _ = write!(text, "{steps} for ever. ");
    }
    match kind {
        Kind::Path => text += "After the last step the invariant is false. ",
        Kind::Fault(sentence) => {
            let _ = write!(text, "Then a fault, {}. ", escaped(sentence));
        }
        Kind::Prefix => text += "After the last step the property is false, whatever follows. ",
        Kind::Beginning => text += "After the last step the run can go on like this for ever. ",
        Kind::State if !trace.steps.is_empty() => {
            text +=
                "After the last step a part of the formula decides that it is false in the initial state. ";
        }
        Kind::Lasso | Kind::State => {}
    }
    // On a narrow screen there is no room for the lanes, and their signs need no explanation.
    text += "<span class=\"signs\">● takes the step";
    if failure.processes.iter().any(|process| matches!(process.fate, Fate::Starves { .. })) {
        text += ", ○ could act here and is not chosen";
    }
    text += ".</span><span class=\"narrow\">A wider screen shows a lane for each process.</span>";
    format!("<p class=\"legend\">{text}</p>\n")
}

fn row(
    lanes: &Lanes<'_>,
    step: Option<(usize, &Step)>,
    line: Option<String>,
    trace: &Trace,
    failure: &Failure,
    columns: &[&str],
    values: &[Binding],
) -> String {
    let cycle = trace.cycle.unwrap_or(usize::MAX);
    let last = trace.steps.len();
    let number = step.map(|(number, _)| number);
    let on_loop = number.is_some_and(|number| number >= cycle);
    let class = if on_loop { " class=\"loop\"" } else { "" };
    let rail = match number {
        Some(number) if on_loop => rail(number == cycle, number + 1 == last),
        _ => String::new(),
    };
    let (name, sentence) = match step {
        Some((number, _)) => ((number + 1).to_string(), failure.steps.get(number).map_or("", String::as_str)),
        None => ("0".to_owned(), "The initial state."),
    };
    let name = match line {
        Some(anchor) => format!("<a href=\"#{anchor}\" title=\"the line of the model\">{name}</a>"),
        None => name,
    };
    let mut text = format!(
        "<tr{class}><td class=\"rail\">{rail}</td><td class=\"number\">{name}</td><td class=\"lanes\">"
    );
    text += &lanes.picture(step, number == trace.cycle, on_loop, values);
    let _ = write!(text, "</td><td class=\"words\">{}</td>", escaped(sentence));
    for column in columns {
        let changed = step.is_none_or(|(_, step)| step.shown().any(|change| change.name() == *column));
        let value = values.iter().find(|binding| binding.name() == *column);
        let value = value.map_or_else(String::new, |binding| binding.value.to_string());
        let class = if changed { "var new" } else { "var" };
        let _ =
            write!(text, "<td class=\"{class}\" data-name=\"{}\">{}</td>", escaped(column), escaped(&value));
    }
    text + "</tr>\n"
}

/// A row in place of steps that are left out.
fn gap(steps: &Range<usize>, trace: &Trace, columns: usize) -> String {
    let on_loop = trace.cycle.is_some_and(|cycle| cycle <= steps.start);
    let (class, rail) = if on_loop { (" class=\"loop\"", rail(false, false)) } else { ("", String::new()) };
    format!(
        "<tr{class}><td class=\"rail\">{rail}</td><td class=\"number\">⋮</td><td class=\"lanes\"></td>\
         <td class=\"words\" colspan=\"{}\">{}</td></tr>\n",
        columns + 1,
        escaped(&omission(steps))
    )
}

/// The piece of the loop next to a row.
fn rail(first: bool, last: bool) -> String {
    let line = |from: &str, to: &str| {
        format!("<line class=\"rail\" x1=\"10\" x2=\"10\" y1=\"{from}\" y2=\"{to}\"/>")
    };
    // Bends are drawn around the middle of the row.
    let bend = |path: &str| format!("<path class=\"rail\" d=\"{path}\"/>");
    let tip = "<path class=\"tip\" d=\"M21-12L28-8L21-4z\"/>";
    let (line, bend) = match (first, last) {
        (true, true) => (String::new(), bend("M26-8H18A8 8 0 0 0 18 8H26") + tip),
        (true, false) => (line("50%", "100%"), bend("M26-8H18Q10-8 10 0") + tip),
        (false, true) => (line("0", "50%"), bend("M10 0Q10 8 18 8H26")),
        (false, false) => (line("0", "100%"), String::new()),
    };
    format!("<svg aria-hidden=\"true\">{line}<svg y=\"50%\">{bend}</svg></svg>")
}

impl<'a> Lanes<'a> {
    fn new(trace: &'a Trace, failure: &'a Failure) -> Lanes<'a> {
        let located = trace.initial.iter().filter_map(Binding::located);
        let acting = trace.steps.iter().flat_map(|step| step.processes.iter().map(String::as_str));
        let mut names: Vec<&str> = failure.processes.iter().map(|process| process.name.as_str()).collect();
        for name in located.chain(acting) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut places = vec![14];
        for name in &names {
            let beside =
                trace.steps.iter().map(|step| beside(step, name)).map(|text| text.chars().count() + 1);
            let first = trace.initial.iter().filter(|binding| binding.located() == Some(name));
            let texts = beside.chain(first.map(|binding| binding.value.to_string().chars().count() + 1));
            let longest = texts.chain([name.chars().count()]).max().unwrap_or(0);
            places.push(places[places.len() - 1] + (longest * 8 + 18).clamp(48, 200));
        }
        let of = |name: &&str| failure.processes.iter().find(|process| process.name == **name);
        let fates = names.iter().map(|name| match of(name).map(|process| &process.fate) {
            Some(Fate::Starves { .. }) => "starves",
            Some(Fate::Blocked(_)) => "blocked",
            Some(Fate::Ended) => "ended",
            Some(Fate::Rests(_) | Fate::Outside { .. }) => "rests",
            Some(Fate::Acts(_)) | None => "",
        });
        let could_act =
            names.iter().map(|name| of(name).map_or_else(Vec::new, |process| process.could_act.clone()));
        Lanes { fates: fates.collect(), could_act: could_act.collect(), places, names }
    }

    fn total(&self) -> usize {
        self.places[self.names.len()]
    }

    /// The position of a lane.
    fn x(&self, lane: usize) -> usize {
        self.places[lane]
    }

    fn heading(&self) -> String {
        let mut text = format!(
            "<svg class=\"names\" width=\"{}\" height=\"20\" role=\"img\" aria-label=\"lanes of {}\">",
            self.total(),
            escaped(&self.names.join(", "))
        );
        for (lane, name) in self.names.iter().enumerate() {
            let _ = write!(text, "<text x=\"{}\" y=\"14\">{}</text>", self.x(lane) - 6, escaped(name));
        }
        text + "</svg>"
    }

    /// The lanes of a row.
    fn picture(
        &self,
        step: Option<(usize, &Step)>,
        enters: bool,
        on_loop: bool,
        values: &[Binding],
    ) -> String {
        let mut text = "<svg aria-hidden=\"true\">".to_owned();
        let acts = |lane: usize| {
            step.is_some_and(|(_, step)| step.processes.iter().any(|name| name == self.names[lane]))
        };
        let begin = if step.is_none() { "50%" } else { "0" };
        for lane in 0..self.names.len() {
            let x = self.x(lane);
            let fate = if on_loop { self.fates[lane] } else { "" };
            let class = if fate.is_empty() { String::new() } else { format!(" class=\"{fate}\"") };
            let _ = write!(text, "<line{class} x1=\"{x}\" x2=\"{x}\" y1=\"{begin}\" y2=\"100%\"/>");
        }
        let acting: Vec<usize> = (0..self.names.len()).filter(|lane| acts(*lane)).collect();
        if let [first, .., last] = acting[..] {
            let _ = write!(
                text,
                "<line class=\"joint\" x1=\"{}\" x2=\"{}\" y1=\"50%\" y2=\"50%\"/>",
                self.x(first),
                self.x(last)
            );
        }
        for lane in 0..self.names.len() {
            let x = self.x(lane);
            let waits = on_loop && !self.fates[lane].is_empty();
            if acts(lane) {
                let _ = write!(text, "<circle class=\"dot\" cx=\"{x}\" cy=\"50%\" r=\"5\"/>");
            } else if waits && step.is_some_and(|(number, _)| self.could_act[lane].contains(&(number + 1))) {
                let _ = write!(text, "<circle class=\"ring\" cx=\"{x}\" cy=\"50%\" r=\"5\"/>");
            }
            let (name, location) = (self.names[lane], self.location(lane, values));
            // At the beginning the location, then the label of the step; for a process that waits on the loop, where
            // it waits.
            let label = match step {
                None => location,
                Some(_) if waits && enters => location,
                Some((_, step)) => beside(step, name),
            };
            if !label.is_empty() {
                let class = if waits { format!(" class=\"{}\"", self.fates[lane]) } else { String::new() };
                let _ = write!(
                    text,
                    "<text{class} x=\"{}\" y=\"50%\" dy=\".35em\">{}</text>",
                    x + 11,
                    escaped(&label)
                );
            }
        }
        text + "</svg>"
    }

    /// The location of the process of a lane; empty if it has none.
    fn location(&self, lane: usize, values: &[Binding]) -> String {
        let own = values.iter().find(|binding| binding.located() == Some(self.names[lane]));
        own.map_or_else(String::new, |binding| binding.value.to_string())
    }
}

/// The text next to the lane of a process at a step: its new location or, if that does not change, the label of its
/// action. Empty if the step does not concern it.
fn beside(step: &Step, name: &str) -> String {
    if let Some(change) = step.changes.iter().find(|change| change.located() == Some(name)) {
        return change.value.to_string();
    }
    let own = step.processes.iter().any(|process| process == name);
    step.label.clone().filter(|_| own).unwrap_or_default()
}
