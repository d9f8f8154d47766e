//! Formulas from the literature, if a checkout of them is next to the repository.
//!
//! One formula per line, over letters as atoms, with `!`, `&`, `|`, `X`, `F`, `G`, `U`, `R`, `W`; prefix operators
//! bind tightest, then `U`, `R`, `W`, to the right, then `&`, then `|`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use model::Formula;

use super::words::atom;

/// The formulas of each set, or `None` if the checkout is missing.
pub(crate) fn sets() -> Option<BTreeMap<String, Vec<Formula>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/ltl");
    let mut sets = BTreeMap::new();
    for entry in fs::read_dir(folder).ok()? {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        sets.insert(name, text.lines().filter(|line| !line.trim().is_empty()).map(read).collect());
    }
    Some(sets)
}

/// The formula a text stands for.
pub(crate) fn read(text: &str) -> Formula {
    let mut reader = Reader { rest: text.chars().filter(|c| !c.is_whitespace()).rev().collect() };
    let formula = reader.or();
    assert!(reader.rest.is_empty(), "{text}");
    formula
}

struct Reader {
    /// The text that is not read yet, in reverse.
    rest: Vec<char>,
}

impl Reader {
    fn eat(&mut self, c: char) -> bool {
        self.rest.pop_if(|next| *next == c).is_some()
    }

    fn or(&mut self) -> Formula {
        let mut parts = vec![self.and()];
        while self.eat('|') {
            parts.push(self.and());
        }
        if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) }
    }

    fn and(&mut self) -> Formula {
        let mut parts = vec![self.binary()];
        while self.eat('&') {
            parts.push(self.binary());
        }
        if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) }
    }

    fn binary(&mut self) -> Formula {
        let left = Box::new(self.prefix());
        if self.eat('U') {
            Formula::Until(left, Box::new(self.binary()))
        } else if self.eat('R') {
            Formula::Release(left, Box::new(self.binary()))
        } else if self.eat('W') {
            Formula::WeakUntil(left, Box::new(self.binary()))
        } else {
            *left
        }
    }

    fn prefix(&mut self) -> Formula {
        match self.rest.pop() {
            Some('!') => Formula::Not(Box::new(self.prefix())),
            Some('X') => Formula::Next(Box::new(self.prefix())),
            Some('F') => Formula::Finally(Box::new(self.prefix())),
            Some('G') => Formula::Globally(Box::new(self.prefix())),
            Some('(') => {
                let formula = self.or();
                assert!(self.eat(')'), "a parenthesis is not closed");
                formula
            }
            Some(name @ 'a'..='z') => Formula::Atom(atom(u64::from(name) - u64::from('a'))),
            other => panic!("{other:?} begins no formula"),
        }
    }
}
