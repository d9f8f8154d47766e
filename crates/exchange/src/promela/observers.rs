//! Records facts about steps, so that SPIN's formulas can express events and the next position.
//!
//! Our formulas have `X`, and `taken`, which is about the step that leaves a position. SPIN's (as it is usually built)
//! have only state predicates and no `X`. Both look into the future, and we turn that into a look at the past. `X`
//! distributes over every operator of LTL, so it can be pushed down to the atoms. An atom below `n` of them is about
//! position `k + n`, or about the step that leaves it. If no atom of a formula looks further than `delay` steps ahead,
//! then everything it says about position `k` has happened after `k + delay` steps. So the formula is evaluated with
//! that delay: from `age >= delay` on, over bits in which each step records the value that an atom had before it. The
//! bits are shifted from step to step.
//!
//! Justice requirements also look at the past. `turn` moves to the next requirement when a step meets the current one,
//! so there are infinitely many rounds iff every requirement is met infinitely often. Any number of them is then one
//! conjunct of the formula. The price is one copy of the state space per requirement.
//!
//! An atom about the current state that is too long for a formula, or that formulas cannot express, is kept in a bit
//! that every step updates. The bit is a function of the state and adds no states.

use std::fmt::Write;

use model::Expr;

use super::expressions::Writer;
use super::steps::check;
use crate::export::Refusal;
use crate::export::range::defined;

/// A step predicate that is recorded.
#[derive(Clone)]
struct Observer {
    predicate: Expr,
    /// The text of the predicate. Predicates with the same text are recorded once.
    text: String,
    /// Whether its value in the current state is kept.
    present: bool,
    /// How many steps back its value is kept.
    depth: usize,
}

/// Everything that is recorded.
#[derive(Clone, Default)]
pub(super) struct Observers {
    observed: Vec<Observer>,
    counters: Vec<Vec<Expr>>,
    /// The greatest delay of a formula.
    pub(super) delay: usize,
}

impl Observers {
    /// The bit with the value that a step predicate had `ago` steps ago.
    pub(super) fn bit(&mut self, predicate: &Expr, text: &str, ago: usize) -> String {
        let known = self.observed.iter().position(|observer| observer.text == text);
        let number = known.unwrap_or_else(|| {
            let (predicate, text) = (predicate.clone(), text.to_owned());
            self.observed.push(Observer { predicate, text, present: false, depth: 0 });
            self.observed.len() - 1
        });
        let observer = &mut self.observed[number];
        observer.present |= ago == 0;
        observer.depth = observer.depth.max(ago);
        name(number, ago)
    }

    /// The condition that a round through all of these step predicates is complete.
    pub(super) fn round(&mut self, predicates: Vec<Expr>) -> String {
        let count = predicates.len();
        let known = self.counters.iter().position(|counter| *counter == predicates);
        let number = known.unwrap_or_else(|| {
            self.counters.push(predicates);
            self.counters.len() - 1
        });
        format!("(turn{number} == {count})")
    }

    /// Whether steps record anything. Then the steps of a deadlock must be explicit too.
    pub(super) fn watch_steps(&self) -> bool {
        self.delay > 0 || !self.counters.is_empty()
    }

    /// Whether there are bits about the current state, which every step updates.
    pub(super) fn watch_states(&self) -> bool {
        self.present().next().is_some()
    }

    /// The predicates whose value in the current state is kept.
    pub(super) fn present(&self) -> impl Iterator<Item = &Expr> {
        self.observed.iter().filter(|observer| observer.present).map(|observer| &observer.predicate)
    }

    /// Whether recording may cause a fault.
    pub(super) fn may_fault(&self, writer: &Writer) -> Result<bool, Refusal> {
        let observed = self.observed.iter().map(|observer| &observer.predicate);
        for predicate in observed.chain(self.counters.iter().flatten()) {
            if defined(writer.instance, predicate)? != Expr::Bool(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The declarations. `initial` gives the first value of a predicate, if there is one initial state.
    pub(super) fn declarations(
        &self,
        writer: &Writer,
        initial: &dyn Fn(&Expr) -> Option<bool>,
    ) -> Result<String, Refusal> {
        let mut text = String::new();
        for (number, Observer { predicate, present, depth, .. }) in self.observed.iter().enumerate() {
            let meaning = model::show::expression(&writer.instance.system, predicate);
            if *present {
                let value = match initial(predicate) {
                    Some(value) => format!(" = {value}"),
                    None => String::new(),
                };
                let _ = writeln!(text, "bool {}{value}; /* {meaning} */", name(number, 0));
            }
            for ago in 1..=*depth {
                let steps = if ago == 1 { "before the last step" } else { "further back" };
                let _ = writeln!(text, "bool {}; /* {steps}: {meaning} */", name(number, ago));
            }
        }
        for (number, predicates) in self.counters.iter().enumerate() {
            let kind = if predicates.len() < 256 { "byte" } else { "short" };
            let _ = writeln!(
                text,
                "{kind} turn{number}; /* which of {} requirements is next */",
                predicates.len()
            );
        }
        if self.delay > 0 {
            let _ = writeln!(text, "byte age; /* the number of steps so far, up to {} */", self.delay);
        }
        if self.watch_steps() {
            text += "hidden int last; /* the action of the present step, by its number below; 0 is idle */\n";
            text += "\ninline observe() {\n";
            for (number, Observer { predicate, depth, .. }) in self.observed.iter().enumerate() {
                for ago in (2..=*depth).rev() {
                    let _ = writeln!(text, "    {} = {};", name(number, ago), name(number, ago - 1));
                }
                if *depth > 0 {
                    Self::record(writer, predicate, &name(number, 1), &mut text)?;
                }
            }
            for (number, predicates) in self.counters.iter().enumerate() {
                for predicate in predicates {
                    if let Some(check) = check(writer, &defined(writer.instance, predicate)?)? {
                        let _ = writeln!(text, "    {}", check.trim_end());
                    }
                }
                text += "    if\n";
                for (turn, predicate) in predicates.iter().enumerate() {
                    let predicate = writer.operand(predicate)?;
                    let _ = writeln!(
                        text,
                        "    :: turn{number} == {turn} && {predicate} -> turn{number} = {}",
                        turn + 1
                    );
                }
                let _ = writeln!(text, "    :: turn{number} == {} -> turn{number} = 0", predicates.len());
                text += "    :: else -> skip\n    fi;\n";
            }
            if self.delay > 0 {
                let _ = writeln!(text, "    if :: age < {} -> age = age + 1 :: else -> skip fi;", self.delay);
            }
            text += "}\n";
        }
        if self.watch_states() {
            text += "\ninline reveal() {\n";
            for (number, observer) in self.observed.iter().enumerate().filter(|(_, o)| o.present) {
                Self::record(writer, &observer.predicate, &name(number, 0), &mut text)?;
            }
            text += "}\n";
        }
        Ok(text)
    }

    fn record(writer: &Writer, predicate: &Expr, bit: &str, text: &mut String) -> Result<(), Refusal> {
        if let Some(check) = check(writer, &defined(writer.instance, predicate)?)? {
            let _ = writeln!(text, "    {}", check.trim_end());
        }
        let _ = writeln!(text, "    {bit} = {};", writer.expression(predicate)?);
        Ok(())
    }
}

fn name(number: usize, ago: usize) -> String {
    if ago == 0 { format!("p{number}") } else { format!("p{number}_{ago}") }
}
