//! The table against truth tables of a few bits, listed one by one.

use super::*;

/// The number of bits; a state is a number below `1 << BITS`.
const BITS: u32 = 5;
const STATES: usize = 1 << BITS;

/// Random numbers, the same ones every time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn set(&mut self) -> Vec<bool> {
        let likely = 1 + self.below(3);
        (0..STATES).map(|_| self.below(4) < likely).collect()
    }
}

fn is(state: usize, bit: u32) -> bool {
    state >> bit & 1 == 1
}

fn literal(table: &Table<'_>, variable: Bdd, value: bool) -> Bdd {
    if value { variable } else { table.not(&variable).expect("there is room") }
}

/// The diagram of a list of states.
fn diagram(table: &Table<'_>, states: &[bool]) -> Result<Bdd, StopReason> {
    let mut sets = Vec::new();
    for state in (0..STATES).filter(|state| states[*state]) {
        let literals = (0..BITS).map(|bit| Ok(literal(table, table.current(bit)?, is(state, bit))));
        sets.push(table.all(literals.collect::<Result<_, StopReason>>()?)?);
    }
    table.any(sets)
}

/// The states of a diagram.
fn list(table: &Table<'_>, set: &Bdd) -> Vec<bool> {
    (0..STATES)
        .map(|state| table.contains(set, &(0..BITS).map(|bit| is(state, bit)).collect::<Vec<_>>()))
        .collect()
}

/// A relation that reads everything and writes the bits of `mask`, as pairs of a state and the bits written.
fn relation(table: &Table<'_>, pairs: &[(usize, usize)], mask: usize) -> Result<Relation, StopReason> {
    let mut steps = Vec::new();
    for (source, target) in pairs {
        let mut literals = Vec::new();
        for bit in 0..BITS {
            literals.push(literal(table, table.current(bit)?, is(*source, bit)));
            if is(mask, bit) {
                literals.push(literal(table, table.next(bit)?, is(*target, bit)));
            }
        }
        steps.push(table.all(literals)?);
    }
    Ok(Relation::new(table.any(steps)?, (0..BITS).filter(|bit| is(mask, *bit)).collect()))
}

/// Random steps that change the bits of `mask` only.
fn pairs(random: &mut Random, mask: usize) -> Vec<(usize, usize)> {
    (0..=random.below(40))
        .map(|_| {
            let source = random.below(STATES);
            (source, source & !mask | random.below(STATES) & mask)
        })
        .collect()
}

#[test]
fn images_and_preimages_are_those_of_the_listed_steps_also_after_bits_have_moved() {
    let session = Session::unlimited();
    let mut random = Random(7);
    for round in 0..400 {
        let table = Table::new(BITS as usize, Limits::default(), &session);
        let (states, mask) = (random.set(), random.below(STATES));
        let pairs = pairs(&mut random, mask);
        let set = diagram(&table, &states).expect("there is room");
        let relation = relation(&table, &pairs, mask).expect("there is room");
        let (mut image, mut preimage) = (vec![false; STATES], vec![false; STATES]);
        for (source, target) in &pairs {
            image[*target] |= states[*source];
            preimage[*source] |= states[*target];
        }
        for moved in [false, true] {
            if moved {
                table.reorder().expect("there is room");
            }
            let found = list(&table, &table.image(&set, &relation).expect("there is room"));
            assert_eq!(found, image, "image, round {round}, moved: {moved}");
            let found = list(&table, &table.preimage(&set, &relation).expect("there is room"));
            assert_eq!(found, preimage, "preimage, round {round}, moved: {moved}");
            assert_eq!(list(&table, &set), states, "the set, round {round}, moved: {moved}");
        }
    }
}

#[allow(clippy::many_single_char_names)]
#[test]
fn connectives_counting_and_picking_agree_with_the_lists() {
    let session = Session::unlimited();
    let mut random = Random(11);
    for _ in 0..200 {
        let table = Table::new(BITS as usize, Limits::default(), &session);
        let lists = [random.set(), random.set(), random.set()];
        let sets = [0, 1, 2].map(|number| diagram(&table, &lists[number]).expect("there is room"));
        let ([a, b, c], [x, y, z]) = (&lists, &sets);
        let each = |f: &dyn Fn(usize) -> bool| (0..STATES).map(f).collect::<Vec<bool>>();
        let same = |found: Result<Bdd, StopReason>, f: &dyn Fn(usize) -> bool| {
            assert_eq!(list(&table, &found.expect("there is room")), each(f));
        };
        same(table.and(x, y), &|s| a[s] && b[s]);
        same(table.or(x, y), &|s| a[s] || b[s]);
        same(table.minus(x, y), &|s| a[s] && !b[s]);
        same(table.equal(x, y), &|s| a[s] == b[s]);
        same(table.choose(x, y, z), &|s| if a[s] { b[s] } else { c[s] });
        same(table.forget(x, &[1, 3]), &|s| {
            [0b00000, 0b00010, 0b01000, 0b01010].iter().any(|bits| a[s & !0b01010 | bits])
        });
        assert_eq!(table.count(x), Some(a.iter().filter(|s| **s).count() as u64));
        assert_eq!(table.is_subset(x, y), Ok((0..STATES).all(|s| !a[s] || b[s])));
        match table.pick(x) {
            Some(state) => assert!(table.contains(x, &state)),
            None => assert!(!a.contains(&true)),
        }
    }
}

#[test]
fn projections_show_what_the_steps_do_to_a_bit() {
    let session = Session::unlimited();
    let mut random = Random(13);
    for _ in 0..100 {
        let table = Table::new(BITS as usize, Limits::default(), &session);
        let states = random.set();
        let pairs = pairs(&mut random, STATES - 1);
        let set = diagram(&table, &states).expect("there is room");
        let relation = relation(&table, &pairs, STATES - 1).expect("there is room");
        let changes = table.project(&relation, &set, &[2]).expect("there is room");
        for (before, after) in [(false, false), (false, true), (true, false), (true, true)] {
            let change = table.and(
                &literal(&table, table.current(2).expect("there is room"), before),
                &literal(&table, table.next(2).expect("there is room"), after),
            );
            let found = table.and(&changes, &change.expect("there is room")).expect("there is room");
            let expected = |(s, t): &(usize, usize)| states[*s] && is(*s, 2) == before && is(*t, 2) == after;
            assert_eq!(!table.is_never(&found), pairs.iter().any(expected));
        }
    }
}

/// Whether at least one of each pair of bits `k` and `k + half` is true: exponential in this order, linear in another.
fn pairs_apart(table: &Table<'_>, half: u32) -> Result<Bdd, StopReason> {
    let mut set = table.always();
    for bit in 0..half {
        set = table.and(&set, &table.or(&table.current(bit)?, &table.current(bit + half)?)?)?;
    }
    Ok(set)
}

#[test]
fn moving_bits_rescues_a_bad_order() {
    let session = Session::unlimited();
    let table = Table::new(20, Limits { sift_from: 500, ..Limits::default() }, &session);
    let set = pairs_apart(&table, 10).expect("there is room");
    table.reorder().expect("there is room");
    assert!(table.size(&set) < 100, "{} nodes", table.size(&set));
    assert_eq!(table.count(&set), Some(3u64.pow(10)));
}

#[test]
fn a_table_full_of_living_nodes_is_a_limit_and_a_table_full_of_dead_ones_is_not() {
    let session = Session::unlimited();
    let table = Table::new(24, Limits { nodes: 3_000, sift_from: usize::MAX, ..Limits::default() }, &session);
    assert_eq!(pairs_apart(&table, 12).err(), Some(StopReason::Memory));
    // What is dead by now makes room for what is small.
    for _ in 0..2_000 {
        let set = pairs_apart(&table, 6).expect("there is room");
        assert_eq!(table.count(&set), Some(3u64.pow(6) << 12));
    }
}

#[test]
fn a_run_that_is_stopped_is_noticed() {
    let stop = || Some(StopReason::Cancelled);
    let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
    let table = Table::new(30, Limits::default(), &session);
    let mut result = Ok(());
    for _ in 0..1_000 {
        result = pairs_apart(&table, 4).map(|_| ());
        if result.is_err() {
            break;
        }
    }
    assert_eq!(result, Err(StopReason::Cancelled));
}

/// The intersection of two small sets may be as large as their product. It is given up while it is made.
#[test]
fn one_large_operation_is_interrupted() {
    const HALF: u32 = 20;
    let is_late = std::sync::atomic::AtomicBool::new(false);
    let stop = || is_late.load(std::sync::atomic::Ordering::Relaxed).then_some(StopReason::Time);
    for (budget, expected) in [(u64::MAX, StopReason::Time), (10_000_000, StopReason::Work)] {
        is_late.store(false, std::sync::atomic::Ordering::Relaxed);
        let session = Session::new(&stop, &|_| {}, 4 << 30, 1).with_budget(budget);
        let limits = Limits { sift_from: usize::MAX, ..Limits::default() };
        let table = Table::new(2 * HALF as usize, limits, &session);
        let equal = |odd: u32| -> Result<Bdd, StopReason> {
            let pairs = (0..HALF / 2).map(|k| 2 * k + odd);
            let equal = pairs.map(|bit| table.equal(&table.current(bit)?, &table.current(HALF + bit)?));
            table.all(equal.collect::<Result<_, _>>()?)
        };
        let (even, odd) = (equal(0).expect("there is time"), equal(1).expect("there is time"));
        is_late.store(expected == StopReason::Time, std::sync::atomic::Ordering::Relaxed);
        let before = table.nodes();
        assert!(table.and(&even, &odd).err() == Some(expected));
        assert!(table.nodes() - before < 1 << 19, "{} nodes", table.nodes());
    }
}
