//! Names that another language accepts, as similar to the user's as possible.

use std::collections::BTreeSet;

/// The names that are taken.
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    /// All names are free, except for these.
    pub(crate) fn new(reserved: &str) -> Names {
        Names(reserved.split_whitespace().map(str::to_owned).collect())
    }

    /// A free name, as similar to `wish` as possible.
    pub(crate) fn claim(&mut self, wish: &str) -> String {
        let mut name = identifier(wish);
        if name.is_empty() || name.starts_with(|c: char| c == '_' || c.is_ascii_digit()) {
            name = format!("m_{name}");
        }
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// Letters, digits and underscores only: `P[1].try` becomes `P_1_try`.
pub fn identifier(wish: &str) -> String {
    let mut name = String::new();
    for c in wish.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => name.push(c),
            '-' => name += "minus",
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    name.trim_end_matches('_').to_owned()
}
