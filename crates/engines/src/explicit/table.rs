//! Compiled predicates and values: an expression that depends on few bits is a table.
//!
//! A state is a few machine words. The bits an expression reads are gathered by a mask (the instruction `pext`) into
//! a small number. That number is the index into a table of values, which was filled once.
//! A predicate over more bits is split at `&&`, `||`, `->`, `!` and `if` into a branching program whose tests are
//! tables; neighbouring operands share a table while it stays small. A sum is a sum of tables. Everything else is
//! [code](super::code).
//!
//! A program with few tests, all of them tables, has a *flat* form as well: all tests are made, and their results together
//! are the index of one bit. Nothing there depends on a jump that the processor could predict wrongly.
//!
//! A table entry where the reference semantics reports a fault is marked. The caller then uses the reference
//! semantics to find out which fault it is. Cost of a test: one or two gathers, a load that stays in the cache, a
//! jump.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Instance, State, ground, semantics};

use super::code::{Code, Coder};
#[cfg(target_arch = "x86_64")]
use crate::machine::Special;
use crate::machine::{Instructions, Usual};
use model::packing::Packing;

/// The greatest number of bits that index a table.
const WIDEST: u32 = 12;
/// The greatest number of bits of a table for several neighbouring operands.
const JOINED: u32 = 10;

/// The truth of a predicate in a state. The reference semantics determines which fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    False,
    True,
    Fault,
}

/// Selects bits of up to two words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    first: u32,
    second: u32,
    first_mask: u64,
    /// Zero if one word is enough.
    second_mask: u64,
    /// The number of bits selected from the first word.
    width: u32,
}

impl Key {
    /// Selects bits of at most two words, each given with its number.
    pub(super) fn new(masks: &[(usize, u64)]) -> Key {
        let part = |n: usize| masks.get(n).map_or((0, 0), |(word, mask)| (*word as u32, *mask));
        let ((first, first_mask), (second, second_mask)) = (part(0), part(1));
        Key { first, second, first_mask, second_mask, width: first_mask.count_ones() }
    }

    /// The selected bits of a state, as a number.
    #[inline]
    pub(super) fn of(&self, by: impl Instructions, words: &[u64]) -> usize {
        let mut index = by.gather(words[self.first as usize], self.first_mask);
        if self.second_mask != 0 {
            index |= by.gather(words[self.second as usize], self.second_mask) << self.width;
        }
        index as usize
    }

    /// The same number, if only bits of the first word are selected.
    #[inline]
    fn in_one_word(&self, by: impl Instructions, words: &[u64]) -> usize {
        by.gather(words[self.first as usize], self.first_mask) as usize
    }

    /// The same number. The bits of the second word are always gathered.
    #[inline]
    fn in_two_words(&self, by: impl Instructions, words: &[u64]) -> usize {
        let second = by.gather(words[self.second as usize], self.second_mask) as usize;
        self.in_one_word(by, words) | second << self.width
    }
}

/// The greatest number of tests of a flat predicate.
pub(super) const FLAT: usize = 4;

/// A test of a flat predicate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup {
    key: Key,
    table: u32,
}

impl Lookup {
    /// Whether it reads only one word.
    pub(super) fn reads_one_word(&self) -> bool {
        self.key.second_mask == 0
    }
}

/// The flat form of a predicate: its tests, and the truth for every combination of their results. Result `k` is bit `k` of
/// the index.
pub(super) struct Flat {
    pub(super) lookups: Vec<Lookup>,
    pub(super) truths: u16,
}

/// The next node of a branching program: a test, or an end.
type Next = u32;
const NO: Next = u32::MAX - 2;
const YES: Next = u32::MAX - 1;
const FAULT: Next = u32::MAX;

/// A node of a branching program.
#[derive(Clone, Debug)]
enum Test {
    /// A byte of `tables` per index: a [`Truth`].
    Table { key: Key, table: u32, next: [Next; 3] },
    /// A sum of tables compared with a number.
    Sum { parts: Vec<Value>, operator: Operator, number: i64, next: [Next; 3] },
    /// Computed.
    Code { code: Code, next: [Next; 3] },
    /// Interpreted.
    Tree { expr: Expr, next: [Next; 3] },
}

/// A compiled integer.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Looked up in `numbers`.
    Table { key: Key, table: u32 },
    /// Computed.
    Code(Code),
    /// Interpreted.
    Tree(Expr),
}

/// A table entry that stands for a fault.
const FAULTY: i64 = i64::MIN;

/// Compiled predicates and values of one instance.
pub(super) struct Programs {
    instance: Arc<Instance>,
    packing: Arc<Packing>,
    tests: Vec<Test>,
    tables: Vec<u8>,
    numbers: Vec<i64>,
    /// The position of each table of truths, so that equal ones are stored once.
    known: BTreeMap<Vec<u8>, u32>,
    /// Expressions that were met before, with their tables if they have any. The actions of a process are compiled for
    /// every local state, and most of what they say is the same in many.
    truth_tables: HashMap<Expr, Option<(Key, u32)>>,
    values: HashMap<Expr, Value>,
}

/// A compiled predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Predicate(Next);

impl Programs {
    /// Without programs yet.
    pub(super) fn new(instance: &Arc<Instance>, packing: &Arc<Packing>) -> Programs {
        Programs {
            instance: Arc::clone(instance),
            packing: Arc::clone(packing),
            tests: Vec::new(),
            tables: Vec::new(),
            numbers: Vec::new(),
            known: BTreeMap::new(),
            truth_tables: HashMap::new(),
            values: HashMap::new(),
        }
    }

    /// Compiles a ground predicate without event atoms.
    pub(super) fn predicate(&mut self, expr: &Expr) -> Predicate {
        Predicate(self.branch(expr, YES, NO))
    }

    /// Compiles a ground integer (or truth value).
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        if let Some(value) = self.values.get(expr) {
            return value.clone();
        }
        let value = match self.tabulate(expr) {
            None => self.code(expr).map_or_else(|| Value::Tree(expr.clone()), Value::Code),
            Some((key, entries)) => {
                let table = self.numbers.len() as u32;
                self.numbers.extend(entries.into_iter().map(|entry| entry.unwrap_or(FAULTY)));
                Value::Table { key, table }
            }
        };
        self.values.insert(expr.clone(), value.clone());
        value
    }

    /// The truth of a predicate in a packed state.
    #[inline]
    pub(super) fn test(&self, predicate: Predicate, words: &[u64]) -> Truth {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.test_by(special, predicate, words);
        }
        self.test_by(Usual, predicate, words)
    }

    /// [`Programs::test`], by these instructions.
    #[inline]
    pub(super) fn test_by(&self, by: impl Instructions, predicate: Predicate, words: &[u64]) -> Truth {
        let mut next = predicate.0;
        loop {
            if next >= NO {
                return match next {
                    NO => Truth::False,
                    YES => Truth::True,
                    _ => Truth::Fault,
                };
            }
            next = match &self.tests[next as usize] {
                Test::Table { key, table, next } => {
                    let entry = self.tables[*table as usize + key.of(by, words)];
                    next[entry as usize]
                }
                Test::Sum { parts, operator, number, next } => {
                    next[self.compare_sum(by, parts, *operator, *number, words) as usize]
                }
                Test::Code { code, next } => next[truth(code.value(words)) as usize],
                Test::Tree { expr, next } => next[self.interpret(expr, words) as usize],
            };
        }
    }

    /// The flat form of a predicate, if there is one.
    pub(super) fn flat(&self, predicate: Predicate) -> Option<Flat> {
        let mut tests: Vec<Next> = Vec::new();
        let mut pending = vec![predicate.0];
        while let Some(test) = pending.pop() {
            if test >= NO || tests.contains(&test) {
                continue;
            }
            let Test::Table { next, .. } = &self.tests[test as usize] else { return None };
            tests.push(test);
            pending.extend(next);
        }
        if tests.len() > FLAT {
            return None;
        }
        let mut truths = 0;
        for results in 0..1u16 << FLAT {
            let mut at = predicate.0;
            while let Some(k) = tests.iter().position(|test| *test == at) {
                let Test::Table { next, .. } = &self.tests[at as usize] else { return None };
                at = next[usize::from(results >> k & 1)];
            }
            truths |= u16::from(at == YES) << results;
        }
        let lookup = |test: &Next| match self.tests[*test as usize] {
            Test::Table { key, table, .. } => Some(Lookup { key, table }),
            _ => None,
        };
        Some(Flat { lookups: tests.iter().filter_map(lookup).collect(), truths })
    }

    /// A test that is always false.
    pub(super) fn never(&mut self) -> Lookup {
        Lookup { key: Key::new(&[]), table: self.truths(vec![0]) }
    }

    /// The result of a test: a [`Truth`] as a number. `one_word` if it reads only one word.
    #[inline]
    pub(super) fn look_up(
        &self,
        by: impl Instructions,
        lookup: &Lookup,
        one_word: bool,
        words: &[u64],
    ) -> u8 {
        let Lookup { key, table } = lookup;
        let index = if one_word { key.in_one_word(by, words) } else { key.in_two_words(by, words) };
        self.tables[*table as usize + index]
    }

    #[inline]
    fn compare_sum(
        &self,
        by: impl Instructions,
        parts: &[Value],
        operator: Operator,
        number: i64,
        words: &[u64],
    ) -> Truth {
        let mut sum = 0i64;
        for part in parts {
            match self.number_by(by, part, words).and_then(|value| sum.checked_add(value)) {
                Some(total) => sum = total,
                None => return Truth::Fault,
            }
        }
        let is_true = match operator {
            Operator::Eq => sum == number,
            Operator::Ne => sum != number,
            Operator::Lt => sum < number,
            Operator::Le => sum <= number,
            Operator::Gt => sum > number,
            Operator::Ge => sum >= number,
            other => semantics::binary(other, sum, number) == Ok(1),
        };
        if is_true { Truth::True } else { Truth::False }
    }

    #[cold]
    #[inline(never)]
    fn interpret(&self, expr: &Expr, words: &[u64]) -> Truth {
        match semantics::state_predicate(&self.instance, expr, &self.packing.unpack(words)) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(_) => Truth::Fault,
        }
    }

    /// A value in a packed state; `None` for a fault.
    #[inline]
    pub(super) fn number(&self, value: &Value, words: &[u64]) -> Option<i64> {
        #[cfg(target_arch = "x86_64")]
        if let Some(special) = Special::detect() {
            return self.number_by(special, value, words);
        }
        self.number_by(Usual, value, words)
    }

    /// [`Programs::number`], by these instructions.
    #[inline]
    fn number_by(&self, by: impl Instructions, value: &Value, words: &[u64]) -> Option<i64> {
        match value {
            Value::Table { key, table } => {
                let entry = self.numbers[*table as usize + key.of(by, words)];
                (entry != FAULTY).then_some(entry)
            }
            Value::Code(code) => code.value(words),
            Value::Tree(expr) => {
                let state = self.packing.unpack(words);
                semantics::evaluate(&self.instance, expr, &state, &mut Environment::default()).ok()
            }
        }
    }

    /// The program that continues with `yes` or `no`, depending on a predicate.
    fn branch(&mut self, expr: &Expr, yes: Next, no: Next) -> Next {
        match expr {
            Expr::Bool(true) => return yes,
            Expr::Bool(false) => return no,
            Expr::Not(a) => return self.branch(a, no, yes),
            _ => {}
        }
        if let Some((key, table)) = self.truth_table(expr) {
            return self.push(Test::Table { key, table, next: [no, yes, FAULT] });
        }
        match expr {
            Expr::And(parts) => {
                let groups = self.groups(parts, Expr::And);
                groups.iter().rev().fold(yes, |next, group| self.branch(group, next, no))
            }
            Expr::Or(parts) => {
                let groups = self.groups(parts, Expr::Or);
                groups.iter().rev().fold(no, |next, group| self.branch(group, yes, next))
            }
            Expr::Binary(Operator::Implies, a, b) => {
                let b = self.branch(b, yes, no);
                self.branch(a, b, yes)
            }
            Expr::If(condition, a, b) => {
                let a = self.branch(a, yes, no);
                let b = self.branch(b, yes, no);
                self.branch(condition, a, b)
            }
            Expr::Binary(operator, a, b) if is_comparison(*operator) => {
                if let (Expr::Sum(parts), Expr::Int(number)) = (&**a, &**b) {
                    let parts = self.groups(parts, Expr::Sum);
                    let parts = parts.iter().map(|part| self.value(part)).collect();
                    return self.push(Test::Sum {
                        parts,
                        operator: *operator,
                        number: *number,
                        next: [no, yes, FAULT],
                    });
                }
                self.compute(expr, [no, yes, FAULT])
            }
            other => self.compute(other, [no, yes, FAULT]),
        }
    }

    /// A test without a table.
    fn compute(&mut self, expr: &Expr, next: [Next; 3]) -> Next {
        let test = match self.code(expr) {
            Some(code) => Test::Code { code, next },
            None => Test::Tree { expr: expr.clone(), next },
        };
        self.push(test)
    }

    fn code(&self, expr: &Expr) -> Option<Code> {
        Coder { instance: &self.instance, packing: &self.packing }.code(expr)
    }

    /// Joins neighbouring operands while their tables stay small.
    fn groups(&self, parts: &[Expr], join: fn(Vec<Expr>) -> Expr) -> Vec<Expr> {
        let mut groups: Vec<Vec<Expr>> = Vec::new();
        for part in parts {
            if let Some(last) = groups.last_mut() {
                let mut joined = last.clone();
                joined.push(part.clone());
                if self.width(&join(joined.clone())).is_some_and(|width| width <= JOINED) {
                    *last = joined;
                    continue;
                }
            }
            groups.push(vec![part.clone()]);
        }
        groups
            .into_iter()
            .map(|mut group| if group.len() == 1 { group.remove(0) } else { join(group) })
            .collect()
    }

    fn push(&mut self, test: Test) -> Next {
        self.tests.push(test);
        self.tests.len() as Next - 1
    }

    /// The table of a predicate that reads few bits.
    fn truth_table(&mut self, expr: &Expr) -> Option<(Key, u32)> {
        if let Some(known) = self.truth_tables.get(expr) {
            return *known;
        }
        let found = self.tabulate(expr).map(|(key, entries)| {
            (key, self.truths(entries.iter().map(|entry| truth(*entry) as u8).collect()))
        });
        self.truth_tables.insert(expr.clone(), found);
        found
    }

    /// The position of a table of truths.
    fn truths(&mut self, truths: Vec<u8>) -> u32 {
        let tables = &mut self.tables;
        *self.known.entry(truths).or_insert_with_key(|truths| {
            tables.extend(truths);
            (tables.len() - truths.len()) as u32
        })
    }

    /// How many bits an expression reads, if they lie in at most two words.
    fn width(&self, expr: &Expr) -> Option<u32> {
        let masks = self.masks(expr)?;
        Some(masks.iter().map(|(_, mask)| mask.count_ones()).sum())
    }

    fn masks(&self, expr: &Expr) -> Option<Vec<(usize, u64)>> {
        if expr.any(&mut |e| matches!(e, Expr::Enabled(_) | Expr::Taken(_))) {
            return None;
        }
        let mut masks: BTreeMap<usize, u64> = BTreeMap::new();
        for cell in ground::reads(&self.instance, expr) {
            let field = self.packing.fields[cell];
            if field.bits > 0 {
                *masks.entry(field.word).or_default() |= field.mask();
            }
        }
        (masks.len() <= 2).then(|| masks.into_iter().collect())
    }

    /// The table of an expression that reads few bits: its value (or a fault) per key.
    fn tabulate(&self, expr: &Expr) -> Option<(Key, Vec<Option<i64>>)> {
        if self.width(expr)? > WIDEST {
            return None;
        }
        let masks = self.masks(expr)?;
        let key = Key::new(&masks);
        let cells: Vec<usize> = ground::reads(&self.instance, expr).into_iter().collect();
        let fields = &self.packing.fields;
        let mut state = State(fields.iter().map(|field| field.lo).collect());
        let mut entries = vec![Some(0); 1 << masks.iter().map(|(_, mask)| mask.count_ones()).sum::<u32>()];
        let mut words = vec![0u64; self.packing.words];
        let code = self.code(expr);
        // Every assignment to the cells that are read, like an odometer. Keys that no state has keep a filler.
        loop {
            for &cell in &cells {
                let field = fields[cell];
                words[field.word] = words[field.word] & !field.mask() | field.encode(state.0[cell]);
            }
            entries[key.of(Usual, &words)] = match &code {
                Some(code) => code.value(&words),
                None => semantics::evaluate(&self.instance, expr, &state, &mut Environment::default()).ok(),
            };
            let Some(&cell) = cells.iter().find(|&&cell| state.0[cell] < fields[cell].hi) else {
                return Some((key, entries));
            };
            for &earlier in cells.iter().take_while(|&&earlier| earlier != cell) {
                state.0[earlier] = fields[earlier].lo;
            }
            state.0[cell] += 1;
        }
    }
}

/// The truth of a value; without one there is a fault.
fn truth(value: Option<i64>) -> Truth {
    match value {
        Some(0) => Truth::False,
        Some(_) => Truth::True,
        None => Truth::Fault,
    }
}

fn is_comparison(operator: Operator) -> bool {
    use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(operator, Eq | Ne | Lt | Le | Gt | Ge)
}
