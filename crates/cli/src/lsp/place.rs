//! Places in a text: bytes here, lines and units of UTF-16 in the protocol.

use fairly::session::Span;
use serde_json::{Value, json};

/// The lines of a text.
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn new(text: &str) -> Lines {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines(std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect())
    }

    /// The line of a byte, and the units before it on that line.
    pub(super) fn place(&self, text: &str, byte: usize) -> (usize, usize) {
        let byte = (0..=byte.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let line = self.0.partition_point(|start| *start <= byte).saturating_sub(1);
        (line, units(&text[self.0[line]..byte]))
    }

    /// A position, as the protocol writes it.
    pub(super) fn position(&self, text: &str, byte: usize) -> Value {
        let (line, character) = self.place(text, byte);
        json!({ "line": line, "character": character })
    }

    /// A range, as the protocol writes it.
    pub(super) fn range(&self, text: &str, span: Span) -> Value {
        json!({ "start": self.position(text, span.start), "end": self.position(text, span.end) })
    }

    /// The byte at a position. Beyond the end of a line it is the end of the line; beyond the last line that of the text.
    pub(super) fn byte(&self, text: &str, position: &Value) -> Option<usize> {
        let number = |name: &str| position.get(name).and_then(Value::as_u64).map(|number| number as usize);
        let (line, character) = (number("line")?, number("character")?);
        let Some(start) = self.0.get(line).copied() else { return Some(text.len()) };
        let end = self.0.get(line + 1).map_or(text.len(), |next| next - 1);
        let mut seen = 0;
        for (at, letter) in text[start..end].char_indices() {
            if seen >= character || letter == '\r' && start + at + 1 == end {
                return Some(start + at);
            }
            seen += letter.len_utf16();
        }
        Some(end)
    }

    /// The span of a range.
    pub(super) fn span(&self, text: &str, range: &Value) -> Option<Span> {
        let at = |name: &str| range.get(name).and_then(|position| self.byte(text, position));
        let (start, end) = (at("start")?, at("end")?);
        Some(Span { start, end: end.max(start) })
    }
}

/// The units of UTF-16 in a text.
pub(super) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_again() {
        let text = "a€𝄞b\r\n\n// ä𝄞 x\ny";
        let lines = Lines::new(text);
        for (byte, letter) in text.char_indices().chain([(text.len(), ' ')]) {
            let position = lines.position(text, byte);
            // A line ends before its line end, however that is written.
            let expected = if letter == '\n' && text[..byte].ends_with('\r') { byte - 1 } else { byte };
            assert_eq!(lines.byte(text, &position), Some(expected), "{byte}");
        }
        assert_eq!(lines.place(text, text.find('b').expect("a letter")), (0, 4));
        assert_eq!(lines.place(text, text.find('x').expect("a letter")), (2, 7));
    }

    #[test]
    fn a_place_outside_the_text_is_its_end() {
        let text = "ab\ncd";
        let lines = Lines::new(text);
        let byte =
            |line: u64, character: u64| lines.byte(text, &json!({ "line": line, "character": character }));
        assert_eq!(byte(0, 99), Some(2));
        assert_eq!(byte(9, 0), Some(5));
        assert_eq!(lines.byte(text, &json!({ "line": -1 })), None);
        assert_eq!(lines.place(text, 99), (1, 2));
    }
}
