//! Compiled predicates and values: an expression that depends on few bits is a table.
//!
//! A state is a few machine words. The bits an expression reads are gathered by a mask (the instruction `pext`) into
//! a small number. That number is the index into a table of values, which was filled once by the reference semantics.
//! A predicate over more bits is split at `&&`, `||`, `->`, `!` and `if` into a branching program whose tests are
//! tables; neighbouring operands share a table while it stays small. A sum is a sum of tables. Everything else is
//! interpreted.
//!
//! A table entry where the reference semantics reports a fault is marked. The caller then uses the reference
//! semantics to find out which fault it is. Cost of a test: one or two gathers, a load that stays in the cache, a
//! jump.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::expr::Operator;
use model::instance::Environment;
use model::{Expr, Instance, State, ground, semantics};

use crate::machine::gather;
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
    #[inline]
    fn of(&self, words: &[u64]) -> usize {
        let mut index = gather(words[self.first as usize], self.first_mask);
        if self.second_mask != 0 {
            index |= gather(words[self.second as usize], self.second_mask) << self.width;
        }
        index as usize
    }
}

/// The next node of a branching program: a test, or an end.
type Next = u32;
const NO: Next = u32::MAX - 2;
const YES: Next = u32::MAX - 1;
const FAULT: Next = u32::MAX;

/// A node of a branching program.
#[derive(Clone, Debug)]
enum Test {
    /// Two bits of `tables` per index: a [`Truth`].
    Table { key: Key, table: u32, next: [Next; 3] },
    /// A sum of tables compared with a number.
    Sum { parts: Vec<Value>, operator: Operator, number: i64, next: [Next; 3] },
    /// Interpreted.
    Tree { expr: Expr, next: [Next; 3] },
}

/// A compiled integer.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// Looked up in `numbers`.
    Table { key: Key, table: u32 },
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
    tables: Vec<u64>,
    numbers: Vec<i64>,
    /// The position of each table of truths, so that equal ones are stored once.
    known: BTreeMap<Vec<u64>, u32>,
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
        }
    }

    /// Compiles a ground predicate without event atoms.
    pub(super) fn predicate(&mut self, expr: &Expr) -> Predicate {
        Predicate(self.branch(expr, YES, NO))
    }

    /// Compiles a ground integer (or truth value).
    pub(super) fn value(&mut self, expr: &Expr) -> Value {
        match self.tabulate(expr) {
            None => Value::Tree(expr.clone()),
            Some((key, entries)) => {
                let table = self.numbers.len() as u32;
                self.numbers.extend(entries.into_iter().map(|entry| entry.unwrap_or(FAULTY)));
                Value::Table { key, table }
            }
        }
    }

    /// The truth of a predicate in a packed state.
    #[inline]
    pub(super) fn test(&self, predicate: Predicate, words: &[u64]) -> Truth {
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
                    let index = key.of(words);
                    let entry = self.tables[*table as usize + (index >> 5)] >> ((index & 31) * 2) & 3;
                    next[entry as usize]
                }
                other => self.slow(other, words),
            };
        }
    }

    #[cold]
    #[inline(never)]
    fn slow(&self, test: &Test, words: &[u64]) -> Next {
        match test {
            Test::Table { .. } => unreachable!("tables are handled where they are met"),
            Test::Sum { parts, operator, number, next } => {
                let mut sum = 0i64;
                for part in parts {
                    match self.number(part, words).and_then(|value| sum.checked_add(value)) {
                        Some(total) => sum = total,
                        None => return next[2],
                    }
                }
                next[usize::from(semantics::binary(*operator, sum, *number) == Ok(1))]
            }
            Test::Tree { expr, next } => {
                let state = self.packing.unpack(words);
                match semantics::state_predicate(&self.instance, expr, &state) {
                    Ok(truth) => next[usize::from(truth)],
                    Err(_) => next[2],
                }
            }
        }
    }

    /// A value in a packed state; `None` for a fault.
    #[inline]
    pub(super) fn number(&self, value: &Value, words: &[u64]) -> Option<i64> {
        match value {
            Value::Table { key, table } => {
                let entry = self.numbers[*table as usize + key.of(words)];
                (entry != FAULTY).then_some(entry)
            }
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
        if let Some((key, entries)) = self.tabulate(expr) {
            return self.table(key, &entries, yes, no);
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
                self.push(Test::Tree { expr: expr.clone(), next: [no, yes, FAULT] })
            }
            other => self.push(Test::Tree { expr: other.clone(), next: [no, yes, FAULT] }),
        }
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

    fn table(&mut self, key: Key, entries: &[Option<i64>], yes: Next, no: Next) -> Next {
        let mut bits = vec![0u64; entries.len().div_ceil(32)];
        for (index, entry) in entries.iter().enumerate() {
            let truth = match entry {
                Some(0) => 0,
                Some(_) => 1,
                None => 2,
            };
            bits[index >> 5] |= truth << ((index & 31) * 2);
        }
        let tables = &mut self.tables;
        let table = *self.known.entry(bits).or_insert_with_key(|bits| {
            tables.extend(bits);
            (tables.len() - bits.len()) as u32
        });
        self.push(Test::Table { key, table, next: [no, yes, FAULT] })
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
        let part = |n: usize| masks.get(n).map_or((0, 0), |(word, mask)| (*word as u32, *mask));
        let ((first, first_mask), (second, second_mask)) = (part(0), part(1));
        let key = Key { first, second, first_mask, second_mask, width: first_mask.count_ones() };
        let cells: Vec<usize> = ground::reads(&self.instance, expr).into_iter().collect();
        let mut state = State(self.instance.cells.iter().map(|cell| cell.domain.lo).collect());
        let mut entries = vec![Some(0); 1 << (first_mask.count_ones() + second_mask.count_ones())];
        let mut words = vec![0u64; self.packing.words];
        // Every assignment to the cells that are read, like an odometer. Keys that no state has keep a filler.
        loop {
            for &cell in &cells {
                let field = self.packing.fields[cell];
                words[field.word] = words[field.word] & !field.mask() | field.encode(state.0[cell]);
            }
            let value = semantics::evaluate(&self.instance, expr, &state, &mut Environment::default());
            entries[key.of(&words)] = value.ok();
            let Some(&cell) = cells.iter().find(|&&cell| state.0[cell] < self.instance.cells[cell].domain.hi)
            else {
                return Some((key, entries));
            };
            for &earlier in cells.iter().take_while(|&&earlier| earlier != cell) {
                state.0[earlier] = self.instance.cells[earlier].domain.lo;
            }
            state.0[cell] += 1;
        }
    }
}

fn is_comparison(operator: Operator) -> bool {
    use Operator::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(operator, Eq | Ne | Lt | Le | Gt | Ge)
}
