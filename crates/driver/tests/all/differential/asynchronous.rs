//! Random small asynchronous models as source text: two to four processes with local state.
//!
//! Each process is a loop of labelled statements with a few locals. Processes interact through shared variables, and
//! sometimes read each other's locations, meet in a rendezvous `r` or a joint event `e`, or send over a channel `c`. There are deadlocks, several initial states, nondeterminism and every kind
//! of fairness except strong global fairness, and disjunctions of them.

use super::random::Random;

/// One family of processes.
struct Family {
    name: &'static str,
    /// The number of processes; `None` for a single process without an index.
    members: Option<usize>,
    labels: usize,
    local: bool,
    /// Whether it sends over `r`; it receives otherwise, or sometimes both.
    sends: bool,
}

/// How processes interact beside shared variables and locations.
#[derive(Clone, Copy, Default)]
struct Links {
    rendezvous: bool,
    channel: bool,
    event: bool,
}

impl Family {
    fn one(&self, random: &mut Random) -> String {
        match self.members {
            Some(members) => format!("{}[{}]", self.name, 1 + random.below(members)),
            None => self.name.to_owned(),
        }
    }
}

/// The source of a random model.
pub(crate) fn source(random: &mut Random) -> String {
    let mut lines = vec![
        format!("shared x: bool{};", random.pick(&["", " = true", " = true", " = any"])),
        "shared k: 0..2;".to_owned(),
    ];
    let first = Family {
        name: "P",
        members: Some(2 + random.below(2)),
        labels: 2 + random.below(3),
        local: random.chance(30),
        sends: true,
    };
    let links = Links { rendezvous: random.chance(50), channel: random.chance(15), event: random.chance(8) };
    if links.rendezvous {
        lines.push("chan r: [0] of 0..1;".to_owned());
    }
    if links.channel {
        let kind = random.pick(&["", "", "lossy ", "duplicating ", "unordered "]);
        lines.push(format!("chan c: [{}] {kind}of 0..1;", 1 + random.below(2)));
    }
    if links.event {
        lines.push("event e;".to_owned());
    }
    let mut families = vec![first];
    if random.chance(if links.rendezvous { 85 } else { 35 }) {
        let members = random.chance(30).then_some(2);
        let (labels, local) = (1 + random.below(3), random.chance(30));
        families.push(Family { name: "Q", members, labels, local, sends: random.chance(10) });
    }
    for number in 0..families.len() {
        process(random, &families, number, links, &mut lines);
    }
    if random.chance(8) {
        lines.push(format!("init {} || k == 0;", state(random, &families)));
    }
    lines.push(format!("fairness assumed: {};", fairness(random, &families)));
    for number in 0..2 {
        lines.push(format!("property live{number}: {} under assumed;", formula(random, &families)));
    }
    if random.chance(40) {
        lines.push(format!("invariant safe: {};", state(random, &families)));
    }
    lines.join("\n") + "\n"
}

fn process(random: &mut Random, families: &[Family], number: usize, links: Links, lines: &mut Vec<String>) {
    let Family { name, members, labels, local, .. } = &families[number];
    let index = members.map_or(String::new(), |members| format!("[i: 1..{members}]"));
    lines.push(format!("process {name}{index} {{"));
    if *local {
        let initial = random.pick(&["", "", " = any"]);
        lines.push(format!("    local n: 0..1{initial};"));
    }
    let looping = random.chance(85);
    lines.push(if looping { "    loop {".to_owned() } else { String::new() });
    for label in 0..*labels {
        let link = (links.rendezvous && random.chance(60))
            || (links.channel && random.chance(35))
            || (links.event && random.chance(35));
        let statement =
            if link { linked(random, families, number, links) } else { statement(random, families, number) };
        lines.push(format!("        l{label}: {statement}"));
    }
    lines.push(if looping { "    }".to_owned() } else { String::new() });
    if random.chance(10) {
        lines.insert(
            lines.len() - labels - 2,
            format!("    action a when {} {{ {} }}", guard(random, families, number), effect(random, *local)),
        );
    }
    lines.push("}".to_owned());
}

fn statement(random: &mut Random, families: &[Family], number: usize) -> String {
    let Family { labels, local, .. } = families[number];
    match random.below(14) {
        0 => "skip;".to_owned(),
        1 | 2 => "stay;".to_owned(),
        3 | 4 => "request x;".to_owned(),
        5 | 6 => "release x;".to_owned(),
        7 => format!("await {};", guard(random, families, number)),
        8 => format!("when {} {{ {} }}", guard(random, families, number), effect(random, local)),
        9 => format!(
            "when {} {{ {} goto l{}; }}",
            guard(random, families, number),
            effect(random, local),
            random.below(labels)
        ),
        10 => format!("if {} {{ goto l{}; }}", guard(random, families, number), random.below(labels)),
        11 => format!("either {{ {} }} or {{ {} }}", effect(random, local), effect(random, local)),
        _ => effect(random, local),
    }
}

/// A statement that sends, receives or meets others.
fn linked(random: &mut Random, families: &[Family], number: usize, links: Links) -> String {
    let Family { local, sends, .. } = families[number];
    let sent = random.pick(if local { &["n", "1 - n", "n", "k % 2"] } else { &["0", "1", "k % 2", "1"] });
    let received = random.pick(if local { &["n", "n", "k", "_"] } else { &["k", "_", "_", "k"] });
    if links.event && (random.chance(50) || !links.rendezvous && !links.channel) {
        return random.pick(&["sync e;", "sync e;", "atomic { sync e; x = !x; }"]).to_owned();
    }
    if links.channel && (random.chance(50) || !links.rendezvous) {
        return if random.chance(50) { format!("c!{sent};") } else { format!("c?{received};") };
    }
    let effect = effect(random, local);
    match random.below(12) {
        0 => format!("either {{ r!{sent}; }} or {{ r?{received}; }}"),
        1 => format!("either {{ r!{sent}; }} or {{ {effect} }}"),
        2 => format!("atomic {{ {effect} r!{sent}; }}"),
        3 => format!("atomic {{ r?{received}; {effect} }}"),
        4 => format!("when {} {{ r!{sent}; }}", guard(random, families, number)),
        5 => format!("r?{received};"),
        _ if sends => format!("r!{sent};"),
        _ => format!("r?{received};"),
    }
}

fn effect(random: &mut Random, local: bool) -> String {
    let mut choices = vec![
        "x = !x;",
        "x = true;",
        "x = false;",
        "k = (k + 1) % 3;",
        "k = 0;",
        "k = 2 - k;",
        "choose w in 0..1 { k = w; }",
    ];
    if random.chance(4) {
        choices.push("k = k + 1;");
    }
    if local {
        choices.extend([
            "n = 1 - n;",
            "n = 0;",
            "n = k % 2;",
            "k = n;",
            "if n == 0 { x = true; } else { n = 0; }",
        ]);
    }
    choices[random.below(choices.len())].to_owned()
}

fn guard(random: &mut Random, families: &[Family], number: usize) -> String {
    let mut choices =
        vec!["x".to_owned(), "!x".to_owned(), "k == 0".to_owned(), "k > 0".to_owned(), "k != 1".to_owned()];
    if families[number].local {
        choices.extend(["n == 0".to_owned(), "n == k".to_owned()]);
    }
    if random.chance(12) {
        let other = &families[random.below(families.len())];
        let label = random.below(other.labels);
        choices.push(match other.members {
            Some(members) => format!("(forall j in 1..{members}: !{}[j]@l{label})", other.name),
            None => format!("!{}@l{label}", other.name),
        });
    }
    choices[random.below(choices.len())].clone()
}

fn state(random: &mut Random, families: &[Family]) -> String {
    let mut choices = vec!["x".to_owned(), "!x".to_owned(), "k == 0".to_owned(), "k == 2".to_owned()];
    for family in families {
        let one = family.one(random);
        for label in 0..family.labels {
            choices.push(format!("{one}@l{label}"));
        }
        if family.local {
            choices.push(format!("{one}.n == 1"));
        }
        if let Some(members) = family.members {
            let label = random.below(family.labels);
            choices.push(format!("count(j in 1..{members}: {}[j]@l{label}) <= 1", family.name));
        }
    }
    if random.chance(25) {
        let (a, b) = (random.below(choices.len()), random.below(choices.len()));
        let sign = random.pick(&["&&", "||", "->"]);
        return format!("({} {sign} {})", choices[a], choices[b]);
    }
    choices[random.below(choices.len())].clone()
}

fn event(random: &mut Random, families: &[Family]) -> String {
    let family = &families[random.below(families.len())];
    let process = if random.chance(80) { family.one(random) } else { family.name.to_owned() };
    if random.chance(50) { process } else { format!("{process}.l{}", random.below(family.labels)) }
}

fn step(random: &mut Random, families: &[Family]) -> String {
    match random.below(8) {
        0 => format!("taken({})", event(random, families)),
        1 => format!("enabled({})", event(random, families)),
        2 => format!("({} && !taken({}))", state(random, families), event(random, families)),
        _ => state(random, families),
    }
}

fn fairness(random: &mut Random, families: &[Family]) -> String {
    let alternatives = if random.chance(15) { 2 } else { 1 };
    let mut texts = Vec::new();
    for _ in 0..alternatives {
        let mut parts = Vec::new();
        if random.chance(65) {
            parts.push("weak processes".to_owned());
        }
        for _ in 0..random.below(3) {
            parts.push(match random.below(9) {
                0 => "strong processes".to_owned(),
                1 => format!("justice ({})", step(random, families)),
                2 | 3 => format!("compassion ({}, {})", step(random, families), step(random, families)),
                4 => {
                    let members = families[0].members.unwrap_or(1);
                    let (a, b) = (random.below(families[0].labels), random.below(families[0].labels));
                    format!("for i in 1..{members}: compassion (P[i]@l{a}, P[i]@l{b})")
                }
                5 => format!("unconditional {}", event(random, families)),
                6 => format!("weak {}", event(random, families)),
                _ => format!("strong {}", event(random, families)),
            });
        }
        if parts.is_empty() {
            parts.push("none".to_owned());
        }
        texts.push(parts.join(" & "));
    }
    texts.join(" | ")
}

fn formula(random: &mut Random, families: &[Family]) -> String {
    let mut atom = || step(random, families);
    let (p, q, r) = (atom(), atom(), atom());
    match random.below(12) {
        0 | 1 => format!("G F {p}"),
        2 => format!("F G {p}"),
        3..=6 => format!("G ({p} -> F {q})"),
        7 => format!("F {p}"),
        8 => format!("G ({p} -> ({q} U {r}))"),
        9 => format!("G F {p} -> G F {q}"),
        10 => format!("G ({p} -> X ({q} || {r}))"),
        _ => format!("F ({p} && X F {q})"),
    }
}
