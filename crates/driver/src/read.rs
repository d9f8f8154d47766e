//! Reads values and states from names and texts, as [`show`] writes them: `x = 3`, `P[1]@try`, `c = [1 2]`.
//!
//! The text may come from anywhere. That a number lies in its range is not checked here: the judge does that for a
//! state, and says which cell is wrong. The slots of a channel behind its last message hold their initial values.

use std::collections::BTreeMap;
use std::ops::Range;

use model::instance::{Instance, Start};
use model::system::{Channel, Scalar};
use model::{State, VariableId, show};

/// The names of an instance, for reading.
pub(crate) struct Names<'a> {
    instance: &'a Instance,
    targets: BTreeMap<String, Target>,
}

/// What a name stands for.
enum Target {
    Cell(usize),
    /// A channel: the cell of its length, and the slots of each field.
    Channel(usize, Vec<Range<usize>>),
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
        let mut targets = BTreeMap::new();
        for (number, cell) in instance.cells.iter().enumerate() {
            let channel = channel_of(instance, number);
            match channel {
                None => {
                    targets.insert(show::cell(instance, number, cell.domain.lo).name(), Target::Cell(number));
                }
                Some(channel) if channel.length == cell.variable => {
                    let slots = channel.fields.iter().map(|field| slots(instance, *field, &cell.position));
                    let target = Target::Channel(number, slots.collect());
                    let name =
                        cell.position.iter().fold(channel.name.clone(), |name, k| format!("{name}[{k}]"));
                    targets.insert(name, target);
                }
                Some(_) => {}
            }
        }
        Names { instance, targets }
    }

    /// All names, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = &str> {
        self.targets.keys().map(String::as_str)
    }

    /// The cells that a name stands for; none if nothing has it.
    pub(crate) fn cells(&self, name: &str) -> Vec<usize> {
        match self.targets.get(name) {
            None => Vec::new(),
            Some(Target::Cell(cell)) => vec![*cell],
            Some(Target::Channel(length, slots)) => {
                std::iter::once(*length).chain(slots.iter().cloned().flatten()).collect()
            }
        }
    }

    /// The values of the cells that a name stands for, if it has this value.
    pub(crate) fn read(&self, name: &str, text: &str) -> Result<Vec<(usize, i64)>, Misread> {
        let wrong = || Misread::NoValue { name: name.to_owned(), text: text.to_owned() };
        match self.targets.get(name) {
            None => Err(Misread::Unknown(name.to_owned())),
            Some(Target::Cell(cell)) => {
                let value = self.scalar(*cell, text).ok_or_else(wrong)?;
                Ok(vec![(*cell, value)])
            }
            Some(Target::Channel(length, slots)) => self.queue(*length, slots, text).ok_or_else(wrong),
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
        for (name, target) in &self.targets {
            let (Target::Cell(cell) | Target::Channel(cell, _)) = target;
            if values[*cell].is_none() {
                return Err(Misread::Missing(name.clone()));
            }
        }
        Ok(State(values.into_iter().map(Option::unwrap_or_default).collect()))
    }

    fn scalar(&self, cell: usize, text: &str) -> Option<i64> {
        let system = &self.instance.system;
        match &system.variable(self.instance.cells[cell].variable).kind.scalar {
            Scalar::Bool => text.parse::<bool>().ok().map(i64::from),
            Scalar::Enum(id) => {
                let place = system.enumeration(*id).members.iter().position(|member| member == text);
                place.map(|place| place as i64)
            }
            Scalar::Range(_) | Scalar::Int => text.parse().ok(),
        }
    }

    fn queue(&self, length: usize, fields: &[Range<usize>], text: &str) -> Option<Vec<(usize, i64)>> {
        let inside = text.strip_prefix('[')?.strip_suffix(']')?;
        let messages: Vec<Vec<&str>> =
            inside.split_whitespace().map(|message| message.split(',').collect()).collect();
        let mut values = vec![(length, messages.len() as i64)];
        for (number, field) in fields.iter().enumerate() {
            if messages.len() > field.len() {
                return None;
            }
            for (place, slot) in field.clone().enumerate() {
                let value = match messages.get(place) {
                    Some(message) if message.len() == fields.len() => self.scalar(slot, message[number])?,
                    Some(_) => return None,
                    None => match &self.instance.starts[slot] {
                        Start::Among(values) => values.first().copied().unwrap_or_default(),
                        Start::Any => self.instance.cells[slot].domain.lo,
                    },
                };
                values.push((slot, value));
            }
        }
        Some(values)
    }
}

/// The channel that a cell belongs to, if there is one.
fn channel_of(instance: &Instance, cell: usize) -> Option<&Channel> {
    let variable = instance.cells[cell].variable;
    let mut channels = instance.system.channels.iter();
    channels.find(|channel| channel.length == variable || channel.fields.contains(&variable))
}

/// The cells of a channel's field: those whose position continues that of the channel. They are adjacent.
fn slots(instance: &Instance, field: VariableId, channel: &[i64]) -> Range<usize> {
    let inside: Vec<usize> = instance
        .cells_of(field, None)
        .filter(|cell| instance.cells[*cell].position.starts_with(channel))
        .collect();
    inside.first().map_or(0..0, |first| *first..first + inside.len())
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
        process P[i: 1..2] {
            local y: 0..1;
            loop { put: q!i, red; flip: y = 1 - y; }
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
        ] {
            let wrong = Misread::NoValue { name: name.to_owned(), text: text.to_owned() };
            assert_eq!(names.read(name, text), Err(wrong));
        }
        assert_eq!(names.read("a", "1"), Err(Misread::Unknown("a".to_owned())));
        let one = names.state([("b", "true")].into_iter());
        assert!(matches!(one, Err(Misread::Missing(_))), "{one:?}");
    }
}
