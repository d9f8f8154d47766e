//! Random conditions, fairness and formulas about a random model.

use super::{Family, Names, Random};

/// A state predicate. Inside process `Some(number)` its own names may occur.
pub(super) fn state(random: &mut Random, names: &Names, inside: Option<usize>, depth: usize) -> String {
    if depth > 0 && random.chance(45) {
        let (a, b) = (state(random, names, inside, depth - 1), state(random, names, inside, depth - 1));
        return match random.below(5) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("({a} -> {b})"),
            3 => format!("(({a}) <-> ({b}))"),
            _ => format!("(({a}) == ({b}))"),
        };
    }
    let values = values(names);
    if !values.is_empty() && random.chance(30) {
        return random.pick(&values).to_owned();
    }
    let places = places(random, names, inside);
    if !places.is_empty() && random.chance(35) {
        return places[random.below(places.len())].clone();
    }
    if !names.ints.is_empty() && random.chance(50) {
        return random.pick(&NUMBERS).to_owned();
    }
    let mut choices = names.defined.clone();
    for name in &names.bools {
        choices.extend([name.clone(), format!("!{name}")]);
    }
    choices
        .push(random.pick(&["(forall j in 1..2: j > 1 || x)", "(if x { false } else { true })"]).to_owned());
    choices.swap_remove(random.below(choices.len()))
}

/// Predicates about the shared number `k`.
const NUMBERS: [&str; 18] = [
    "k == 0",
    "k > 0",
    "k == 1",
    "k != 1",
    "k < 1",
    "k >= 1",
    "-k < 0",
    "k * k == k",
    "k / 2 == 0",
    "(k + 1) % 2 == 0",
    "2 - k <= 1",
    "k in {0, 2}",
    "k in 1..2",
    "min(k, 1) == 0",
    "max(k, 1) == 1",
    "sum(j in 0..1: j + k) == 1",
    "min(j in 1..2: j * k) > 0",
    "max(j in 1..2: j - k) == 2",
];

/// Predicates about values with parts and about channels.
fn values(names: &Names) -> Vec<&'static str> {
    let mut choices = Vec::new();
    if names.nodes {
        choices.extend(["(forall nd in Node: seen[nd])", "(exists nd in Node: !seen[nd])"]);
    }
    if names.array {
        choices.extend(["count(j in 1..2: f[j]) == 1", "(exists j in 1..2: f[j])"]);
    }
    if names.record {
        choices.extend(["(rec == V { a: true, n: 1 })", "rec.n == 0", "empty(m)"]);
    }
    if names.set {
        choices.extend(["1 in s", "s == {0}", "|s| == 1", "|s| > |{0}|", "s <= {1}"]);
        choices.extend(["(exists el in s: el == 0)", "empty(s)", "s & {1} == {}"]);
    }
    if names.sequence {
        choices.extend(["q == [1]", "len(q) > 0", "full(q)", "(!empty(q) && head(q) == 1)"]);
    }
    if names.buffered {
        choices.extend(["empty(c)", "full(c)", "len(c) == 1"]);
        choices.extend(["(!empty(c) && c[0] == 1)", "(exists z in c: z == 1)"]);
    }
    if names.sets_sent {
        choices.extend(["empty(box)", "len(box) == 1"]);
        if !names.both {
            choices.extend(["(exists el in box: 1 in el)", "(!empty(box) && box[0] == {1})"]);
        }
    }
    if names.pairs {
        choices.extend(["empty(d[1])", "full(d[2])", "len(d[1]) == len(d[2])"]);
    }
    choices
}

/// Predicates about the process itself, or about processes from outside.
fn places(random: &mut Random, names: &Names, inside: Option<usize>) -> Vec<String> {
    let mut choices = Vec::new();
    if let Some(number) = inside {
        let own = &names.families[number];
        if own.local_bool {
            choices.extend(["b", "!b"].map(str::to_owned));
        }
        if own.local_int {
            choices.push("n == 0".to_owned());
        }
        if let [first, _] = own.members {
            choices.push(format!("i == {first}"));
        }
        return choices;
    }
    for family in &names.families {
        let one = family.one(random);
        for location in &family.locations {
            choices.push(format!("{one}@{location}"));
            if family.is_indexed() {
                let (range, any) = (family.range(names), family.member("j"));
                choices.push(format!("(exists j in {range}: {any}@{location})"));
                choices.push(format!("count(j in {range}: {any}@{location}) <= 1"));
            }
        }
        if family.local_bool {
            choices.push(format!("{one}.b"));
        }
        if family.local_int {
            choices.push(format!("{one}.n == 1"));
        }
    }
    choices
}

/// An event: a process, or one of its actions.
fn event(random: &mut Random, names: &Names) -> String {
    if !names.network.is_empty() && random.chance(15) {
        return random.pick(&names.network).to_owned();
    }
    if random.chance(5) {
        return "any".to_owned();
    }
    let family = &names.families[random.below(names.families.len())];
    if let ([first, second], true) = (family.members, family.meets && random.chance(80)) {
        return format!("{}.s + {}.t", family.member(first), family.member(second));
    }
    let process = if random.chance(75) { family.one(random) } else { family.name.to_owned() };
    let mut choices = vec![process.clone()];
    choices.extend(family.steps.iter().map(|label| format!("{process}.{label}")));
    for (label, parameter) in &family.actions {
        choices.push(format!("{process}.{label}"));
        if *parameter {
            choices.extend([0, 1].map(|value| format!("{process}.{label}({value})")));
        }
    }
    choices.swap_remove(random.below(choices.len()))
}

/// What is assumed.
pub(super) fn fairness(random: &mut Random, names: &Names) -> String {
    let alternatives = if random.chance(15) { 2 } else { 1 };
    let mut texts = Vec::new();
    for _ in 0..alternatives {
        let count = random.below(4);
        let mut parts: Vec<String> = (0..count).map(|_| requirement(random, names)).collect();
        if random.chance(12) {
            parts.push("global".to_owned());
        }
        if parts.is_empty() {
            parts.push("none".to_owned());
        }
        texts.push(parts.join(" & "));
    }
    texts.join(" | ")
}

fn requirement(random: &mut Random, names: &Names) -> String {
    let word = random.pick(&["weak", "weak", "strong", "strong", "unconditional"]);
    match random.below(11) {
        0 => format!("{word} all"),
        1 => format!("{word} processes"),
        2 => format!("justice ({})", step(random, names)),
        3 | 4 => format!("compassion ({}, {})", step(random, names), step(random, names)),
        5 | 6 => match names.families.iter().find(|family| family.is_indexed()) {
            Some(family) => for_each(random, names, family, word),
            None => format!("{word} {}", event(random, names)),
        },
        _ => format!("{word} {}", event(random, names)),
    }
}

/// A requirement for each process of a family.
fn for_each(random: &mut Random, names: &Names, family: &Family, word: &str) -> String {
    let (range, one) = (family.range(names), family.member("j"));
    match family.locations.first() {
        Some(location) if random.chance(50) => {
            format!("for j in {range}: compassion ({one}@{location}, !{one}@{location})")
        }
        _ => format!("for j in {range}: {word} {one}"),
    }
}

/// A step predicate.
fn step(random: &mut Random, names: &Names) -> String {
    if names.joint == Some(true) && random.chance(15) {
        return random.pick(&["taken(e)", "enabled(e)", "!taken(e)"]).to_owned();
    }
    match random.below(25) {
        0..4 => format!("taken({})", event(random, names)),
        4..8 => format!("enabled({})", event(random, names)),
        8..12 => format!("({} && !taken({}))", state(random, names, None, 0), event(random, names)),
        12 => "deadlock".to_owned(),
        _ => state(random, names, None, 1),
    }
}

/// A formula about runs, of a member `who` of a family or not.
pub(super) fn linear(random: &mut Random, names: &Names, member: bool) -> String {
    let formula = ltl(random, names, 3);
    if member { format!("(who == 2 || {}) -> ({formula})", state(random, names, None, 0)) } else { formula }
}

fn ltl(random: &mut Random, names: &Names, depth: usize) -> String {
    if random.chance(35) && depth == 3 {
        let (p, q) = (step(random, names), step(random, names));
        return match random.below(5) {
            0 => format!("G F {p}"),
            1 => format!("F G {p}"),
            2 => format!("G ({p} -> F {q})"),
            3 => format!("({p}) ~> ({q})"),
            _ => format!("F G {p} -> G F {q}"),
        };
    }
    if depth == 0 || random.chance(15) {
        return step(random, names);
    }
    if random.chance(22) {
        return past(random, names, depth.min(2));
    }
    let a = ltl(random, names, depth - 1);
    match random.below(12) {
        0 => format!("G ({a})"),
        1 => format!("F ({a})"),
        2 => format!("X ({a})"),
        3 => format!("!({a})"),
        n => {
            let b = ltl(random, names, depth - 1);
            let sign = ["U", "W", "R", "&&", "||", "->", "U", "~>"][n - 4];
            format!("(({a}) {sign} ({b}))")
        }
    }
}

/// A formula about the past.
fn past(random: &mut Random, names: &Names, depth: usize) -> String {
    if depth == 0 {
        return step(random, names);
    }
    let a = past(random, names, depth - 1);
    match random.below(7) {
        0 => format!("Y ({a})"),
        1 => format!("O ({a})"),
        2 => format!("H ({a})"),
        3 => format!("!({a})"),
        n => {
            let b = past(random, names, depth - 1);
            format!("(({a}) {} ({b}))", ["S", "S", "&&"][n - 4])
        }
    }
}

/// A formula about the tree of all runs.
pub(super) fn branching(random: &mut Random, names: &Names) -> String {
    ctl(random, names, 3)
}

fn ctl(random: &mut Random, names: &Names, depth: usize) -> String {
    if depth == 0 || depth < 3 && random.chance(15) {
        return state(random, names, None, 1);
    }
    let a = ctl(random, names, depth - 1);
    match random.below(13) {
        n @ 0..6 => format!("{} ({a})", ["AG", "AF", "AX", "EG", "EF", "EX"][n]),
        6 => format!("!({a})"),
        n => {
            let b = ctl(random, names, depth - 1);
            match n {
                7 => format!("A[{a} U {b}]"),
                8 => format!("E[{a} U {b}]"),
                9 => format!("A[{a} W {b}]"),
                10 => format!("E[{a} W {b}]"),
                11 => format!("(({a}) && ({b}))"),
                _ => format!("(({a}) -> ({b}))"),
            }
        }
    }
}
