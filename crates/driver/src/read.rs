//! Reads values and states from names and texts, as [`show`] writes them: `x = 3`, `P[1]@try`, `v = Vote { term: 1 }`,
//! `s = {1, 2}`, `q = [1, 2]`, `c = [1 2]`.
//!
//! The text may come from anywhere. That a number lies in its range is not checked here: the judge does that for a
//! state, and says which cell is wrong. What lies behind the end of a channel or a sequence has its initial value. The
//! fields of a record may come in any order, and its name may be left out.

use std::collections::BTreeMap;

use model::instance::{Instance, Start};
use model::shape::{Layout, spots};
use model::show::Binding;
use model::system::Scalar;
use model::{State, show};

/// The names of an instance, for reading.
pub(crate) struct Names<'a> {
    instance: &'a Instance,
    targets: BTreeMap<String, Layout>,
}

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Misread {
    /// Nothing has this name.
    Unknown(String),
    /// The text is no value of what has this name.
    NoValue {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
    /// A state has no value for this name.
    Missing(String),
}

impl std::fmt::Display for Misread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Misread::Unknown(name) => write!(f, "there is no `{name}` in the model"),
            Misread::NoValue { name, text } => write!(f, "`{text}` is no value of `{name}`"),
            Misread::Missing(name) => write!(f, "`{name}` has no value"),
        }
    }
}

impl std::error::Error for Misread {}

impl<'a> Names<'a> {
    /// The names of an instance.
    pub(crate) fn new(instance: &'a Instance) -> Names<'a> {
        let named = |(spot, layout)| (Binding { spot, value: show::Value::Int(0) }.name(), layout);
        Names { instance, targets: spots(instance).into_iter().map(named).collect() }
    }

    /// All names, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.targets.keys().map(String::as_str)
    }

    /// The cells that a name stands for; none if nothing has it.
    pub(crate) fn cells(&self, name: &str) -> Vec<usize> {
        self.targets.get(name).map_or_else(Vec::new, Layout::cells)
    }

    /// The values of the cells that a name stands for, if it has this value.
    pub(crate) fn read(&self, name: &str, text: &str) -> Result<Vec<(usize, i64)>, Misread> {
        let Some(layout) = self.targets.get(name) else { return Err(Misread::Unknown(name.to_owned())) };
        let mut reader = Reader { instance: self.instance, rest: text, values: Vec::new() };
        match reader.value(layout).filter(|()| reader.rest.trim().is_empty()) {
            Some(()) => Ok(reader.values),
            None => Err(Misread::NoValue { name: name.to_owned(), text: text.to_owned() }),
        }
    }

    /// The state in which every name has the value of this text.
    pub(crate) fn state<'t>(
        &self,
        texts: impl Iterator<Item = (&'t str, &'t str)>,
    ) -> Result<State, Misread> {
        let mut values = vec![None; self.instance.cells.len()];
        for (name, text) in texts {
            for (cell, value) in self.read(name, text)? {
                values[cell] = Some(value);
            }
        }
        for (name, layout) in &self.targets {
            if layout.cells().into_iter().any(|cell| values[cell].is_none()) {
                return Err(Misread::Missing(name.clone()));
            }
        }
        Ok(State(values.into_iter().map(Option::unwrap_or_default).collect()))
    }
}

/// Reads a text from its beginning.
struct Reader<'r> {
    instance: &'r Instance,
    rest: &'r str,
    values: Vec<(usize, i64)>,
}

impl<'r> Reader<'r> {
    /// Takes this sign, if it comes next.
    fn eat(&mut self, sign: char) -> bool {
        let rest = self.rest.trim_start().strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes the letters, digits and signs of a name or a number.
    fn word(&mut self) -> &'r str {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || "_-".contains(c))).unwrap_or(rest.len());
        self.rest = &rest[end..];
        &rest[..end]
    }

    /// Reads a value that lies in these cells.
    fn value(&mut self, layout: &Layout) -> Option<()> {
        match layout {
            Layout::Cell(cell) => {
                let variable = self.instance.cells[*cell].variable;
                let word = self.word();
                let value = self.scalar(&self.instance.system.variable(variable).kind.scalar, word)?;
                self.values.push((*cell, value));
                Some(())
            }
            Layout::List(parts) => {
                self.eat('[').then_some(())?;
                for (number, part) in parts.iter().enumerate() {
                    (number == 0 || self.eat(',')).then_some(())?;
                    self.value(part)?;
                }
                self.eat(']').then_some(())
            }
            Layout::Record(_, fields) => {
                if !self.eat('{') {
                    self.word();
                    self.eat('{').then_some(())?;
                }
                let mut missing: Vec<&(String, Layout)> = fields.iter().collect();
                while !missing.is_empty() {
                    (missing.len() == fields.len() || self.eat(',')).then_some(())?;
                    let name = self.word();
                    let at = missing.iter().position(|(field, _)| field == name)?;
                    self.eat(':').then_some(())?;
                    self.value(&missing.remove(at).1)?;
                }
                self.eat('}').then_some(())
            }
            Layout::Set(scalar, members) => {
                let close = if self.eat('[') { ']' } else { self.eat('{').then_some('}')? };
                let mut truths: BTreeMap<i64, bool> =
                    members.iter().map(|(member, _)| (*member, false)).collect();
                let mut first = true;
                while !self.eat(close) {
                    (std::mem::take(&mut first) || self.eat(',')).then_some(())?;
                    let word = self.word();
                    *truths.get_mut(&self.scalar(scalar, word)?)? = true;
                }
                let truth = |(member, cell): &(i64, usize)| (*cell, i64::from(truths[member]));
                self.values.extend(members.iter().map(truth));
                Some(())
            }
            Layout::Sequence(length, items) => {
                self.eat('[').then_some(())?;
                let mut read = 0;
                while !self.eat(']') {
                    (read == 0 || self.eat(',')).then_some(())?;
                    self.value(items.get(read)?)?;
                    read += 1;
                }
                self.values.push((*length, read as i64));
                items[read..].iter().for_each(|item| self.initial(item));
                Some(())
            }
            Layout::Queue(length, messages) => {
                self.eat('[').then_some(())?;
                let mut read = 0;
                while !self.eat(']') {
                    // Other programs separate messages by commas, and put the fields of one in brackets.
                    if read > 0 {
                        self.eat(',');
                    }
                    self.message(messages.get(read)?)?;
                    read += 1;
                }
                self.values.push((*length, read as i64));
                messages[read..].iter().flatten().for_each(|field| self.initial(field));
                Some(())
            }
        }
    }

    /// Reads the fields of a message, perhaps in brackets.
    fn message(&mut self, fields: &[Layout]) -> Option<()> {
        let (rest, known) = (self.rest, self.values.len());
        if fields.len() > 1 && self.eat('[') && self.fields(fields).is_some() && self.eat(']') {
            return Some(());
        }
        self.rest = rest;
        self.values.truncate(known);
        self.fields(fields)
    }

    fn fields(&mut self, fields: &[Layout]) -> Option<()> {
        for (number, field) in fields.iter().enumerate() {
            (number == 0 || self.eat(',')).then_some(())?;
            self.value(field)?;
        }
        Some(())
    }

    /// Gives cells their initial values.
    fn initial(&mut self, layout: &Layout) {
        for cell in layout.cells() {
            let value = match &self.instance.starts[cell] {
                Start::Among(values) => values.first().copied().unwrap_or_default(),
                Start::Any => self.instance.cells[cell].domain.lo,
            };
            self.values.push((cell, value));
        }
    }

    fn scalar(&self, scalar: &Scalar, text: &str) -> Option<i64> {
        match scalar {
            Scalar::Bool => text.parse::<bool>().ok().map(i64::from),
            Scalar::Enum(id) => {
                let members = &self.instance.system.enumeration(*id).members;
                members.iter().position(|member| member == text).map(|place| place as i64)
            }
            Scalar::Range(_) | Scalar::Int => text.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use model::initial::initial_states;
    use model::semantics;

    use super::*;

    const TEXT: &str = "
        enum Colour { red, green }
        shared a: array[1..2] of 0..3 = any; shared c: Colour = green; shared b: bool;
        chan q: [2] of 0..2, Colour;
        record Vote { term: 0..1, by: set of Colour }
        shared votes: array[Colour] of Vote; shared log: seq[2] of Vote;
        chan mail[1..2]: [1] of Vote;
        process P[i: 1..2] {
            local y: 0..1;
            loop {
                put: q!i, red;
                flip: y = 1 - y;
                vote: either { votes[red].by += {green}; }
                      or { mail[i]!Vote { term: y, by: {red} }; }
                      or { when len(log) < 2 { log = append(log, votes[red]); } }
            }
        }
        process R { loop { get: q?_, _; } }";

    #[test]
    fn what_is_shown_is_read_back() {
        let loaded = lang::load("test", TEXT, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let instance = model.subject.instance().expect("an instance");
        let names = Names::new(instance);
        let mut states: Vec<State> =
            initial_states(instance).map(|state| state.expect("no fault")).take(3).collect();
        let mut next = 0;
        while next < states.len() && next < 300 {
            let state = states[next].clone();
            let shown = show::state(instance, &state);
            let texts: Vec<(String, String)> =
                shown.iter().map(|one| (one.name(), one.value.to_string())).collect();
            let read = names.state(texts.iter().map(|(name, text)| (name.as_str(), text.as_str())));
            assert_eq!(read, Ok(state.clone()), "{texts:?}");
            for step in semantics::steps(instance, &state).expect("no fault") {
                if !states.contains(&step.target) {
                    states.push(step.target);
                }
            }
            next += 1;
        }
        assert!(next > 100, "{next} states were read");
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let loaded = lang::load("test", TEXT, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let names = Names::new(model.subject.instance().expect("an instance"));
        for (name, text) in [
            ("b", "1"),
            ("c", "blue"),
            ("a[1]", "one"),
            ("q", "1,red"),
            ("q", "[1]"),
            ("q", "[1,red 1,red 1,red]"),
            ("votes[red]", "Vote { term: 1 }"),
            ("votes[red]", "Vote { term: 1, by: {blue} }"),
            ("votes[red]", "Vote { term: 1, by: {} } x"),
            ("log", "[{ term: 1, by: {} }, { term: 1, by: {} }, { term: 1, by: {} }]"),
        ] {
            let wrong = Misread::NoValue { name: name.to_owned(), text: text.to_owned() };
            assert_eq!(names.read(name, text), Err(wrong));
        }
        assert_eq!(names.read("a", "1"), Err(Misread::Unknown("a".to_owned())));
        let one = names.state([("b", "true")].into_iter());
        assert!(matches!(one, Err(Misread::Missing(_))), "{one:?}");
    }
}
