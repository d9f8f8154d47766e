//! Places in a text as the page counts them: in units of UTF-16.

use fairly::session::Span;

/// The lines of a text: the byte at which each begins, and its place in UTF-16.
pub(super) struct Offsets<'a> {
    text: &'a str,
    lines: Vec<(usize, usize)>,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(text: &'a str) -> Offsets<'a> {
        let mut lines = vec![(0, 0)];
        let mut units = 0;
        for (byte, character) in text.char_indices() {
            units += character.len_utf16();
            if character == '\n' {
                lines.push((byte + 1, units));
            }
        }
        Offsets { text, lines }
    }

    /// The place of a byte; of the end, if it is after it.
    pub(super) fn of(&self, byte: usize) -> usize {
        let line = self.lines.partition_point(|(begin, _)| *begin <= byte).saturating_sub(1);
        let (begin, units) = self.lines[line];
        let inside = self.text[begin..].char_indices().take_while(|(at, _)| begin + at < byte);
        units + inside.map(|(_, character)| character.len_utf16()).sum::<usize>()
    }

    /// A span as `[from, to]`.
    pub(super) fn span(&self, span: Span) -> [usize; 2] {
        [self.of(span.start), self.of(span.end)]
    }
}

/// The byte at a place; the end, if it is after it.
pub(super) fn byte(text: &str, place: usize) -> usize {
    let mut units = 0;
    let found = text.char_indices().find(|(_, character)| {
        let here = units >= place;
        units += character.len_utf16();
        here
    });
    found.map_or(text.len(), |(byte, _)| byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_utf_16() {
        let text = "aé\n😀b\n";
        let offsets = Offsets::new(text);
        for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
            assert_eq!(offsets.of(byte), text[..byte].encode_utf16().count(), "byte {byte}");
            assert_eq!(super::byte(text, offsets.of(byte)), byte);
        }
        assert_eq!(offsets.of(99), text.encode_utf16().count());
    }
}
