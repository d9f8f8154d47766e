//! How many random models use each construct of the language.

/// What of the language a model uses: words of the language, and how they can be recognised.
pub(crate) const CONSTRUCTS: &[(&str, &[&str])] = &[
    ("for", &["for m"]),
    ("whole arrays", &["f = ["]),
    ("arrays by expression", &["f = [j:", "= [n:"]),
    ("let", &["let m"]),
    ("let of a message", &["= c?;", "= m?;", "= r?;"]),
    ("macro", &["; flip(", "{ flip("]),
    ("assert", &["assert "]),
    ("compound assignment", &["+= ", "-= ", "%= "]),
    ("waiting in a step", &["; await ", "; request "]),
    ("records", &["record "]),
    ("sets", &["set of"]),
    ("members of a set in the state", &["in s:", "in s {", "in s where"]),
    ("sequences", &["seq["]),
    ("enums as indices", &["array[N]"]),
    ("families over an enum", &["i: M"]),
    ("tables", &["= tab[", "tab[if"]),
    ("several indices", &["h: 5..5", "g: -1..-1"]),
    ("environment", &["environment "]),
    ("unordered", &["unordered"]),
    ("lossy", &["lossy"]),
    ("duplicating", &["duplicating"]),
    ("peeking", &["c[0]", "in c:", "m[0]", "in m:"]),
    ("rendezvous", &["r!", "r?"]),
    ("rendezvous inside a step", &["; r!", "; r?", "{ r!", "{ r?"]),
    ("joint events", &["sync e"]),
    ("stuttering", &["stuttering;"]),
    ("~>", &["~>"]),
    ("past", &["Y (", "O (", "H (", ") S ("]),
    ("families of properties", &["property family"]),
    ("include", &["include "]),
];

/// Counts the constructs that a model uses.
pub(crate) fn count(source: &str, counts: &mut [u64]) {
    for ((_, marks), count) in CONSTRUCTS.iter().zip(counts) {
        *count += u64::from(marks.iter().any(|mark| source.contains(mark)));
    }
}
