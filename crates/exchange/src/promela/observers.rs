//! What the model records about itself so that SPIN's formulas can speak of events and of the next position.
//!
//! Our formulas have `X`, and `taken`, which is judged on the step that leaves a position; SPIN's (as it is
//! usually built) have only state predicates and no `X`. Both are a look into the future, and we turn it into
//! a look at the past. `X` distributes over every operator of LTL, so it can be pushed down to the atoms; an
//! atom below `n` of them speaks of position `k + n`, or of the step that leaves it. If no atom of a formula
//! looks further than `delay` steps ahead, then after `k + delay` steps everything it says about position `k`
//! has happened. So the formula is judged with that delay: from the moment `age >= delay`, on bits in which
//! each step records the value that an atom had before it, and which are shifted from step to step.
//!
//! A justice requirement is a look at the past as well: `turn` goes to the next requirement when a step meets
//! the present one, and infinitely many rounds are made iff every requirement is met infinitely often. So any
//! number of them is one conjunct of the formula, at the price of as many copies of the state space.
//!
//! An atom of the present state that is too long for a formula, or needs what formulas do not understand, is
//! kept in a bit that every step renews; it is a function of the state and adds no states.

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
    /// How the predicate is written; two that are written alike are one.
    text: String,
    /// Whether its value in the present state is kept.
    present: bool,
    /// How many steps back its value is kept.
    depth: usize,
}

/// Everything that is recorded.
#[derive(Clone, Default)]
pub(super) struct Observers {
    observed: Vec<Observer>,
    counters: Vec<Vec<Expr>>,
    /// The greatest delay of any formula.
    pub(super) delay: usize,
}

impl Observers {
    /// The bit that holds the value a step predicate had so many steps ago.
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

    /// Whether steps record anything, so that the steps of a deadlock must be there too.
    pub(super) fn watch_steps(&self) -> bool {
        self.delay > 0 || !self.counters.is_empty()
    }

    /// Whether states have bits that every step renews.
    pub(super) fn watch_states(&self) -> bool {
        self.present().next().is_some()
    }

    /// The predicates whose present value is kept.
    pub(super) fn present(&self) -> impl Iterator<Item = &Expr> {
        self.observed.iter().filter(|observer| observer.present).map(|observer| &observer.predicate)
    }

    /// Whether recording may meet a fault.
    pub(super) fn may_fault(&self, writer: &Writer) -> Result<bool, Refusal> {
        let observed = self.observed.iter().map(|observer| &observer.predicate);
        for predicate in observed.chain(self.counters.iter().flatten()) {
            if defined(writer.instance, predicate)? != Expr::Bool(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The declarations; `initial` gives the present value of a predicate at first, if there is one state.
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
