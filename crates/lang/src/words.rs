//! The words of the language with their meanings: what an editor completes, colours and explains.
//!
//! The parser has its own lists, next to the rules that need them; a test compares. A grammar for an editor takes its
//! keywords from here, so that a new word is one more line.

/// What a word is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It begins a declaration or a member of a process.
    Declaration,
    /// It begins a statement or a part of one.
    Statement,
    /// It is a type or a part of one.
    Type,
    /// It is a value.
    Value,
    /// A quantifier or an operator of state expressions.
    Expression,
    /// A temporal operator.
    Temporal,
    /// It is applied with parentheses.
    Function,
    /// A word of fairness.
    Fairness,
    /// A part of a property.
    Claim,
}

/// A word of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: &'static str,
    /// What it is for.
    pub used: Use,
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
}

const fn word(text: &'static str, used: Use, meaning: &'static str) -> Word {
    Word { text, used, meaning }
}

/// All words that mean something somewhere.
#[rustfmt::skip] // a table: a row for each word
pub const WORDS: &[Word] = &[
    word("chan", Use::Declaration, "A channel: `chan c: [4] of 0..7;` holds up to four messages; with capacity 0 sender and receiver act together."),
    word("const", Use::Declaration, "A constant: a number, a truth value or a table. `--set` replaces its value."),
    word("define", Use::Declaration, "A named expression that replaces its name, perhaps with parameters."),
    word("enum", Use::Declaration, "A type and its members, which are constants of the whole file."),
    word("environment", Use::Declaration, "Marks a process or action that the model does not control: `weak all` and advice leave it out."),
    word("event", Use::Declaration, "A joint event: all processes that name it with `sync` take it together."),
    word("fairness", Use::Declaration, "An assumption about the scheduler. With a name it applies where a property says `under` it; without one, to every property without `under`."),
    word("include", Use::Declaration, "The declarations of another file: `include \"lock.fair\";`."),
    word("init", Use::Declaration, "Restricts the initial states to those in which the condition is true."),
    word("invariant", Use::Declaration, "A condition that is true in every reachable state."),
    word("macro", Use::Declaration, "A named block: a call stands for it, as a step or in one."),
    word("param", Use::Declaration, "A number left open: the model stands for all instances."),
    word("process", Use::Declaration, "A process, or with an index a family of them: it owns local variables, actions and code."),
    word("property", Use::Declaration, "A claim about every fair run (LTL), or about every initial state (CTL)."),
    word("record", Use::Declaration, "A type whose values have fields: `record Vote { term: 0..3, from: Node }`."),
    word("shared", Use::Declaration, "Variables that every process may read and write."),
    word("stuttering", Use::Declaration, "Adds a step that changes nothing and is always possible."),
    word("action", Use::Declaration, "A guarded command of a process, enabled wherever its guard is true."),
    word("local", Use::Declaration, "Variables of each process of the family; only their process writes them."),
    word("assert", Use::Statement, "Goes on if the condition is true, and is a fault if not."),
    word("atomic", Use::Statement, "Does the block as one step, once all of it can be done."),
    word("await", Use::Statement, "Goes on once the condition is true."),
    word("choose", Use::Statement, "Does the block with some value of the set, once there is one."),
    word("either", Use::Statement, "Takes the first statement of any branch that is enabled."),
    word("else", Use::Statement, "What is done if the condition is false."),
    word("for", Use::Statement, "Does the block with each value, in order, inside one step; before fairness, requires it for each value."),
    word("goto", Use::Statement, "Control goes on at the label; it takes no step."),
    word("halt", Use::Statement, "The process takes no more steps."),
    word("if", Use::Statement, "Tests the condition; as an expression, one of two values."),
    word("let", Use::Statement, "Names the value that an expression has here, for the rest of the block."),
    word("loop", Use::Statement, "The block for ever; it takes no step itself."),
    word("or", Use::Statement, "Another branch of `either`."),
    word("release", Use::Statement, "Frees a semaphore: `x = true;` or `x = x + 1;`."),
    word("request", Use::Statement, "Takes a semaphore: `when x { x = false; }` or `when x > 0 { x = x - 1; }`."),
    word("skip", Use::Statement, "Does nothing and goes on, in one step."),
    word("stay", Use::Statement, "Remains here or goes on: one action with two outcomes, so only strong global fairness forces it on."),
    word("sync", Use::Statement, "Takes a joint event together with all other processes that name it."),
    word("when", Use::Statement, "Once the condition is true, does the block as one step."),
    word("where", Use::Statement, "Only the values for which the condition is true."),
    word("while", Use::Statement, "Tests the condition and enters the block or goes on."),
    word("duplicating", Use::Type, "The channel may double a message, by its own step `c.duplicate`."),
    word("lossy", Use::Type, "The channel may lose a message, by its own step `c.lose`."),
    word("unordered", Use::Type, "The channel delivers any of its messages."),
    word("array", Use::Type, "An array: `array[1..N] of bool`."),
    word("bool", Use::Type, "`false` or `true`."),
    word("int", Use::Type, "All integers."),
    word("of", Use::Type, "Before the type of the elements of an array, set or sequence, or of the messages of a channel."),
    word("seq", Use::Type, "A bounded sequence: `seq[4] of bool` has up to four items, the first with index 0."),
    word("set", Use::Type, "A set: `set of Node`."),
    word("_", Use::Value, "Ignores a field of a message."),
    word("deadlock", Use::Value, "No action of any process is enabled."),
    word("false", Use::Value, "The truth value."),
    word("true", Use::Value, "The truth value."),
    word("exists", Use::Expression, "True if the rest is true for some value of the range."),
    word("forall", Use::Expression, "True if the rest is true for every value of the range."),
    word("in", Use::Expression, "Whether a value is in a set or range; the values of an index."),
    word("append", Use::Function, "A sequence with one more item at its end."),
    word("count", Use::Function, "How many values of the range make the condition true."),
    word("empty", Use::Function, "Whether a channel, a sequence or a set holds nothing."),
    word("enabled", Use::Function, "True in a state in which the action is enabled."),
    word("full", Use::Function, "Whether a channel or a sequence has no room."),
    word("head", Use::Function, "The first item of a sequence."),
    word("len", Use::Function, "How many messages a channel holds, or items a sequence."),
    word("max", Use::Function, "The greatest of some values."),
    word("min", Use::Function, "The least of some values."),
    word("sum", Use::Function, "The sum over the values of the range."),
    word("tail", Use::Function, "A sequence without its first item."),
    word("taken", Use::Function, "True at a position of a run whose step is the action."),
    word("A", Use::Temporal, "`A[p U q]`: on every fair run from here."),
    word("AF", Use::Temporal, "On every fair run from here, at some time (CTL)."),
    word("AG", Use::Temporal, "On every fair run from here, at all times (CTL)."),
    word("AX", Use::Temporal, "After every next step of a fair run (CTL)."),
    word("E", Use::Temporal, "`E[p U q]`: on some fair run from here."),
    word("EF", Use::Temporal, "On some fair run from here, at some time (CTL)."),
    word("EG", Use::Temporal, "On some fair run from here, at all times (CTL)."),
    word("EX", Use::Temporal, "After some next step of a fair run (CTL)."),
    word("F", Use::Temporal, "At some time from now on; also written `<>`."),
    word("FG", Use::Temporal, "At all times from some time on."),
    word("G", Use::Temporal, "At all times from now on; also written `[]`."),
    word("GF", Use::Temporal, "Infinitely often."),
    word("H", Use::Temporal, "Now and at all times before."),
    word("O", Use::Temporal, "Now or at some time before."),
    word("R", Use::Temporal, "`p R q`: `q` up to and including the time when `p`, or for ever."),
    word("S", Use::Temporal, "`p S q`: `q` now or at some time before, and `p` since then."),
    word("U", Use::Temporal, "`p U q`: `q` at some time, and `p` until then."),
    word("W", Use::Temporal, "`p W q`: `p` until `q`, or for ever."),
    word("X", Use::Temporal, "At the next position."),
    word("Y", Use::Temporal, "At the position before; false at the first one."),
    word("all", Use::Fairness, "`weak all`: of every action of the system, except those of the environment."),
    word("any", Use::Fairness, "Any action; after `=`, any value of the type."),
    word("compassion", Use::Fairness, "`compassion (p, q)`: if `p` infinitely often, then `q` infinitely often."),
    word("global", Use::Fairness, "Strong global fairness: every step that leaves a state visited infinitely often is taken infinitely often."),
    word("justice", Use::Fairness, "`justice (p)`: `p` infinitely often."),
    word("none", Use::Fairness, "No fairness is required: every run is fair."),
    word("processes", Use::Fairness, "`weak processes`: of every process, except those of the environment."),
    word("sf", Use::Fairness, "`sf(l)`: strong fairness of this action, for every property of the file."),
    word("strong", Use::Fairness, "If it is enabled infinitely often, it is taken infinitely often."),
    word("uf", Use::Fairness, "`uf(l)`: this action is taken infinitely often, for every property of the file."),
    word("unconditional", Use::Fairness, "It is taken infinitely often."),
    word("weak", Use::Fairness, "Infinitely often, it is taken or not enabled."),
    word("wf", Use::Fairness, "`wf(l)`: weak fairness of this action, for every property of the file."),
    word("automaton", Use::Claim, "An automaton in a file that describes what must not happen."),
    word("expect", Use::Claim, "What the answer should be; `fairly check` compares."),
    word("fails", Use::Claim, "Some fair run violates the property."),
    word("holds", Use::Claim, "No fair run violates the property."),
    word("never", Use::Claim, "`never automaton \"file\"`: the automaton accepts no fair run."),
    word("under", Use::Claim, "The fairness that the property assumes."),
    word("vacuously", Use::Claim, "Because there is nothing that could violate it."),
    word("with", Use::Claim, "What the propositions of the automaton stand for."),
];

/// A word of the language.
pub fn meaning(text: &str) -> Option<&'static Word> {
    WORDS.iter().find(|word| word.text == text)
}

/// Whether a word can never be a name.
pub fn is_reserved(text: &str) -> bool {
    crate::lexer::RESERVED.binary_search(&text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::{FUNCTIONS, INFIXES, PREFIXES, RESERVED};
    use crate::parser::words;

    #[test]
    fn every_word_of_the_parser_has_one_meaning() {
        let known: Vec<&str> = WORDS.iter().map(|word| word.text).collect();
        for list in [RESERVED, PREFIXES, INFIXES, FUNCTIONS].into_iter().chain(words()) {
            for word in list {
                let rows = known.iter().filter(|known| known == &word).count();
                assert_eq!(rows, 1, "`{word}`");
            }
        }
    }

    #[test]
    fn every_word_occurs_in_the_source_of_the_parser() {
        let source = [
            include_str!("lexer.rs"),
            include_str!("parser/items.rs"),
            include_str!("parser/statements.rs"),
            include_str!("parser/expressions.rs"),
            include_str!("parser/operands.rs"),
            include_str!("parser/fairness.rs"),
            include_str!("parser/recovery.rs"),
            include_str!("check/sequences.rs"),
        ]
        .concat();
        for Word { text, meaning, .. } in WORDS {
            assert!(source.contains(&format!("\"{text}\"")), "`{text}` is not a word of the language");
            assert!(meaning.ends_with('.'), "`{text}`: {meaning}");
        }
    }
}
