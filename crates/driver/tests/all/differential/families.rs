//! Random models for the reductions, as source text: a family of two to four mostly independent and mostly
//! interchangeable processes, and a single process.

use super::random::Random;

/// The source of a random model.
pub(crate) fn source(random: &mut Random) -> String {
    let size = 2 + random.below(5) / 2;
    let mut lines = vec![format!("const N = {size};")];
    lines.push(format!("shared x: 0..2{};", random.pick(&["", "", " in {0, 1}"])));
    lines.push("shared y: bool;".to_owned());
    lines.push(format!("shared turn: 1..N{};", random.pick(&["", " = any", " = any"])));
    lines.push(format!("shared f: array[1..N] of bool{};", random.pick(&["", "", " = any"])));
    let steps = 2 + random.below(if size == 4 { 1 } else { 2 });
    lines.push("process P[i: 1..N] {".to_owned());
    let local = random.chance(if size == 2 { 50 } else { 20 });
    if local {
        lines.push(format!("    local n: 0..1{};", random.pick(&["", "", " = any", " = i % 2"])));
    }
    code(random, steps, &mut |random| of_a_member(random, local), &mut lines);
    if random.chance(50) {
        lines.push("process Q {".to_owned());
        code(random, 2, &mut alone, &mut lines);
    }
    let fairness = fairness(random, steps);
    lines.push(format!("fairness assumed: {fairness};"));
    let atoms = Atoms { steps, single: lines.iter().any(|line| line.starts_with("process Q")), size };
    let formula = formula(random, &atoms, 2);
    lines.push(format!("property linear: {formula} under assumed;"));
    if random.chance(40) {
        let predicate = if random.chance(20) { "!deadlock".to_owned() } else { atoms.of_state(random) };
        lines.push(format!("invariant always: {predicate};"));
    }
    lines.join("\n") + "\n"
}

/// The statements of a process, usually a loop.
fn code(
    random: &mut Random,
    steps: usize,
    statement: &mut dyn FnMut(&mut Random) -> String,
    lines: &mut Vec<String>,
) {
    let looping = random.chance(85);
    if looping {
        lines.push("    loop {".to_owned());
    }
    for step in 0..steps {
        let first = statement(random);
        if random.chance(15) {
            let second = statement(random);
            lines.push(format!("        either {{ l{step}: {first} }} or {{ b{step}: {second} }}"));
        } else {
            let first = if random.chance(5) { "stay;".to_owned() } else { first };
            lines.push(format!("        l{step}: {first}"));
        }
    }
    lines.push(if looping { "    } }" } else { "    }" }.to_owned());
}

fn of_a_member(random: &mut Random, local: bool) -> String {
    if local && random.chance(35) {
        let choices = ["n = 1 - n;", "await n == 1;", "n = n + 1;", "when n == 0 { n = 1; f[i] = true; }"];
        return (*random.pick(&choices)).to_owned();
    }
    let choices = [
        "skip;",
        "skip;",
        "skip;",
        "skip;",
        "f[i] = !f[i];",
        "f[i] = !f[i];",
        "f[i] = true;",
        "f[i] = false;",
        "await f[i];",
        "when f[i] { f[i] = false; }",
        "turn = i;",
        "await turn == i;",
        "when turn != i { f[i] = true; }",
        "await forall j in 1..N: j == i || !f[j];",
        "await !f[turn];",
        "f[turn] = true;",
        "when y { y = false; }",
        "y = true;",
        "x = (x + 1) % 3;",
        "await x != 1;",
    ];
    let odd = [
        "x = x + 1;",
        "await i != 1;",
        "x = i % 3;",
        "turn = (i % N) + 1;",
        "await i < turn;",
        "await turn > 1;",
        "f[i + x] = y;",
    ];
    let usual = random.chance(92);
    (*random.pick(if usual { &choices[..] } else { &odd[..] })).to_owned()
}

fn alone(random: &mut Random) -> String {
    let choices = [
        "skip;",
        "y = !y;",
        "y = true;",
        "await y;",
        "x = 0;",
        "when x == 1 { x = 2; }",
        "await forall j in 1..N: !f[j];",
        "x = turn % 3;",
        "choose v in 1..N { turn = v; }",
        "choose v in 1..N where f[v] { f[v] = false; }",
        "turn = 1;",
    ];
    (*random.pick(&choices)).to_owned()
}

fn fairness(random: &mut Random, steps: usize) -> String {
    let step = random.below(steps);
    let one = |random: &mut Random| match random.below(9) {
        0 => format!("weak P.l{step}"),
        1 => format!("strong P.l{step}"),
        2 => format!("strong P[1].l{step}"),
        3 => "weak P[2]".to_owned(),
        4 => "weak P".to_owned(),
        5 => "weak all".to_owned(),
        6 => "global".to_owned(),
        7 => "justice (y)".to_owned(),
        _ => "compassion (exists j in 1..N: f[j], x == 0)".to_owned(),
    };
    match random.below(10) {
        0..=4 => "none".to_owned(),
        5..=7 => one(random),
        8 => format!("{} & {}", one(random), one(random)),
        _ => format!("{} | {}", one(random), one(random)),
    }
}

/// What properties can mention.
struct Atoms {
    steps: usize,
    single: bool,
    size: usize,
}

impl Atoms {
    fn of_state(&self, random: &mut Random) -> String {
        let step = random.below(self.steps);
        match random.below(16) {
            0 => "y".to_owned(),
            1 => "x == 1".to_owned(),
            2 => format!("P[1]@l{step}"),
            3 => format!("P[{}]@l{step}", self.size),
            4 => "f[1]".to_owned(),
            5 => format!("exists j in 1..N: P[j]@l{step}"),
            6 => format!("count(j in 1..N: P[j]@l{step}) <= 1"),
            7 => "forall j in 1..N: f[j]".to_owned(),
            8 => "f[turn]".to_owned(),
            9 => "turn == 2".to_owned(),
            10 => format!("enabled(P[1].l{step})"),
            11..=14 => format!("P[2]@l{step}"),
            _ => format!("P[turn]@l{step}"),
        }
    }

    fn atom(&self, random: &mut Random) -> String {
        let step = random.below(self.steps);
        match random.below(12) {
            0 => format!("taken(P.l{step})"),
            1 => format!("taken(P[1].l{step})"),
            2 => "taken(P[2])".to_owned(),
            3 if self.single => "taken(Q)".to_owned(),
            4 => format!("(taken(P[1]) && {})", self.of_state(random)),
            5 => format!("(taken(P.l{step}) -> {})", self.of_state(random)),
            _ => format!("({})", self.of_state(random)),
        }
    }
}

fn formula(random: &mut Random, atoms: &Atoms, depth: usize) -> String {
    if depth == 0 {
        return atoms.atom(random);
    }
    let part = |random: &mut Random| {
        let rest = random.below(depth);
        formula(random, atoms, rest)
    };
    match random.below(16) {
        0 | 1 => format!("G F {}", part(random)),
        2 | 3 => format!("F G {}", part(random)),
        4 => format!("G ({} -> F {})", part(random), part(random)),
        // Whether something can happen at all, or for ever.
        5 => format!("G !{}", part(random)),
        6 => format!("!F ({} && F {})", part(random), part(random)),
        7 => format!("!({} && G {})", part(random), part(random)),
        14 => format!("!F ({} && G {})", part(random), part(random)),
        15 => format!("F {}", part(random)),
        8 => format!("({} U {})", part(random), part(random)),
        9 => format!("({} W {})", part(random), part(random)),
        10 => format!("({} R {})", part(random), part(random)),
        11 => format!("!({})", part(random)),
        12 => format!("({} || {})", part(random), part(random)),
        _ => format!("X {}", part(random)),
    }
}
