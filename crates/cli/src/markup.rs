//! Escapes text for XML and HTML.

/// A text for XML and HTML, also between double quotes: special characters become entities, and characters that XML
/// cannot contain are left out.
pub(crate) fn escaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => result += "&amp;",
            '<' => result += "&lt;",
            '>' => result += "&gt;",
            '"' => result += "&quot;",
            '\n' | '\t' => result.push(character),
            other if other.is_control() || matches!(other, '\u{fffe}' | '\u{ffff}') => {}
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_is_escaped_and_what_cannot_be_said_is_left_out() {
        assert_eq!(
            escaped("a < b && \"c\" > d\n\u{1b}[1m\u{ffff}"),
            "a &lt; b &amp;&amp; &quot;c&quot; &gt; d\n[1m"
        );
    }
}
