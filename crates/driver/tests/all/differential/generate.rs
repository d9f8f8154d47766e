//! Random small models as source text: a few variables, one or two process families, every kind of statement,
//! fairness and property of the language.
//!
//! The models are small enough for the oracle (a few hundred states) and odd enough to reach corners: several
//! initial states, deadlocks, self-loops, nondeterministic updates, events that never happen, faults.

use super::random::Random;

/// What the expressions of a model can mention.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // one for each thing that may be there
struct Names {
    /// Shared truth values.
    bools: Vec<String>,
    /// Shared integers and the greatest value of each (the least is 0).
    ints: Vec<(String, i64)>,
    /// Process families.
    families: Vec<Family>,
    /// Whether there is a buffered channel `c` and a rendezvous `r`.
    buffered: bool,
    rendezvous: bool,
    /// Whether there are a record `rec` (with a channel `m` of such records), a set `s` and a sequence `q`.
    record: bool,
    set: bool,
    sequence: bool,
    /// If there is a joint event `e`, whether some process takes it.
    joint: Option<bool>,
    /// The steps of the buffered channel.
    network: Vec<&'static str>,
}

struct Family {
    name: &'static str,
    /// Whether it has members 1 and 2 instead of being a single process.
    indexed: bool,
    /// A further index with one value, before or after the index of the member.
    before: &'static str,
    after: &'static str,
    /// A local truth value `b`, a local integer `n` in 0..1.
    local_bool: bool,
    local_int: bool,
    /// Labels of statements, which are also locations.
    locations: Vec<String>,
    /// Those of them that certainly take a step of that name.
    steps: Vec<String>,
    /// Labels of guarded actions, and whether they have a parameter.
    actions: Vec<(String, bool)>,
}

/// The source of a random model.
pub(crate) fn source(random: &mut Random) -> String {
    let mut names = Names::default();
    let mut lines = Vec::new();
    declare(random, &mut names, &mut lines);
    let count = 1 + random.below(2);
    for number in 0..count {
        let family = Family {
            name: ["P", "Q"][number],
            indexed: random.chance(if number == 0 { 60 } else { 20 }),
            before: random.pick(&["", "", "", "", "[5]"]),
            after: random.pick(&["", "", "", "", "[-1]"]),
            local_bool: random.chance(25),
            local_int: random.chance(20),
            locations: Vec::new(),
            steps: Vec::new(),
            actions: Vec::new(),
        };
        names.families.push(family);
        process(random, &mut names, number, &mut lines);
    }
    if random.chance(10) {
        let condition = state(random, &names, None, 1);
        lines.push(format!("init {condition} || true;"));
    }
    let annotated = lines.iter().any(|line| ["wf(", "sf(", "uf("].iter().any(|word| line.contains(word)));
    let under = if annotated && random.chance(50) { "none".to_owned() } else { fairness(random, &names) };
    lines.push(format!("fairness assumed: {under};"));
    let formula = ltl(random, &names, 3);
    lines.push(format!("property linear: {formula} under assumed;"));
    if random.chance(30) {
        let predicate = state(random, &names, None, 2);
        lines.push(format!("invariant always: {predicate};"));
    }
    if random.chance(30) {
        let formula = ctl(random, &names, 3);
        lines.push(format!("property branching: {formula} under assumed;"));
    }
    lines.join("\n") + "\n"
}

fn declare(random: &mut Random, names: &mut Names, lines: &mut Vec<String>) {
    if random.chance(8) {
        lines.push("stuttering;".to_owned());
    }
    lines.push("macro flip(place, when_so) { if when_so { place = !place; } }".to_owned());
    for name in ["x", "y"] {
        if names.bools.is_empty() || random.chance(40) {
            let initial = random.pick(&["", " = true", " = any", " in {false, true}"]);
            lines.push(format!("shared {name}: bool{initial};"));
            names.bools.push(name.to_owned());
        }
    }
    if random.chance(60) {
        let greatest = 1 + random.below(2) as i64;
        let initial = random.pick(&["", " = 1", " = any", " in {0, 1}"]);
        lines.push(format!("shared k: 0..{greatest}{initial};"));
        names.ints.push(("k".to_owned(), greatest));
    }
    if random.chance(12) {
        lines.push("enum N { one, two }".to_owned());
        lines.push("shared e: array[N] of bool = [n: n == two];".to_owned());
        names.bools.push("e[one]".to_owned());
        names.bools.push("e[if x { one } else { two }]".to_owned());
    }
    if random.chance(12) {
        lines.push("shared f: array[1..2] of bool;".to_owned());
        names.bools.push("f[1]".to_owned());
        names.bools.push("f[2]".to_owned());
        if !names.ints.is_empty() {
            names.bools.push("f[(k % 2) + 1]".to_owned());
        }
    }
    if random.chance(15) {
        lines.push("record V { a: bool, n: 0..1 }".to_owned());
        lines.push(format!("shared rec: V{};", random.pick(&["", " = V { n: 1, a: true }", " = any"])));
        lines.push("chan m: [1] of V;".to_owned());
        names.bools.push("rec.a".to_owned());
        names.record = true;
    }
    if random.chance(15) {
        lines.push(format!("shared s: set of 0..1{};", random.pick(&["", " = {1}", " = any"])));
        names.set = true;
    }
    if random.chance(15) {
        lines.push(format!("shared q: seq[{}] of 0..1;", 1 + random.below(2)));
        names.sequence = true;
    }
    if random.chance(20) {
        let unordered = if random.chance(40) { " unordered" } else { "" };
        let lossy = if random.chance(30) { " lossy" } else { "" };
        let duplicating = if random.chance(25) { " duplicating" } else { "" };
        names.network.extend((!lossy.is_empty()).then_some("c.lose"));
        names.network.extend((!duplicating.is_empty()).then_some("c.duplicate"));
        lines.push(format!("chan c: [{}]{unordered}{lossy}{duplicating} of 0..1;", 1 + random.below(2)));
        names.buffered = true;
    }
    if random.chance(15) {
        lines.push("event e;".to_owned());
        names.joint = Some(false);
    }
    if random.chance(15) {
        lines.push("chan r: [0] of 0..1;".to_owned());
        names.rendezvous = true;
    }
}

fn process(random: &mut Random, names: &mut Names, number: usize, lines: &mut Vec<String>) {
    let Family { name, indexed, local_bool, local_int, .. } = names.families[number];
    let environment = if random.chance(15) { "environment " } else { "" };
    let (before, after) = (names.families[number].before, names.families[number].after);
    let outer = if before.is_empty() { "" } else { "h: 5..5, " };
    let inner = if after.is_empty() { "" } else { ", g: -1..-1" };
    let indices = if indexed { format!("[{outer}i: 1..2{inner}]") } else { String::new() };
    lines.push(format!("{environment}process {name}{indices} {{"));
    if local_bool {
        let initial = random.pick(&["", " = any"]);
        lines.push(format!("    local b: bool{initial};"));
    }
    if local_int {
        let initial = if indexed && random.chance(40) { " = i - 1" } else { "" };
        lines.push(format!("    local n: 0..1{initial};"));
    }
    if indexed && names.rendezvous && random.chance(70) {
        meeting(random, names, number, lines);
    }
    let sequential = random.chance(60);
    if !sequential || random.chance(25) {
        for action in 0..=random.below(3) {
            guarded(random, names, number, action, lines);
        }
    }
    if sequential {
        let count = 1 + random.below(4);
        // Labels first, so that every statement may jump to every other.
        names.families[number].locations = (0..count).map(|k| format!("l{k}")).collect();
        let looping = random.chance(75);
        if looping {
            lines.push("    loop {".to_owned());
        }
        for k in 0..count {
            let text = statement(random, names, number, looping || k + 1 < count);
            if text.contains("sync e;") {
                names.joint = Some(true);
            }
            let label = match random.below(18) {
                0 => format!("wf(l{k})"),
                1 => format!("sf(l{k})"),
                2 => format!("uf(l{k})"),
                _ => format!("l{k}"),
            };
            // The branches of `either` have their own names, and a rendezvous may have no partner.
            let takes_no_step = text.starts_with("either") || text.starts_with('r');
            if !takes_no_step || text.starts_with("request") || text.starts_with("release") {
                names.families[number].steps.push(format!("l{k}"));
            }
            let label = if takes_no_step { format!("l{k}") } else { label };
            lines.push(format!("        {label}: {text}"));
        }
        if looping {
            lines.push("    }".to_owned());
        }
    }
    lines.push("}".to_owned());
}

/// Two actions in which members of a family meet each other, each perhaps with a fairness word.
fn meeting(random: &mut Random, names: &mut Names, number: usize, lines: &mut Vec<String>) {
    let mut labelled = |random: &mut Random, label: &str, effect: &str| {
        let word = random.pick(&["", "", "", "wf", "sf", "uf"]);
        let label = if word.is_empty() { label.to_owned() } else { format!("{word}({label})") };
        let guard = if random.chance(40) {
            format!(" when {}", state(random, names, Some(number), 1))
        } else {
            String::new()
        };
        lines.push(format!("    action {label}{guard} {{ {effect} }}"));
    };
    let sent = random.pick(&["r!0;", "r!1;", "r!i - 1;"]);
    let received = if names.ints.is_empty() { "r?_;" } else { random.pick(&["r?_;", "r?k;"]) };
    labelled(random, "s", sent);
    labelled(random, "t", received);
    for label in ["s", "t"] {
        names.families[number].actions.push((label.to_owned(), false));
    }
}

fn guarded(random: &mut Random, names: &mut Names, number: usize, action: usize, lines: &mut Vec<String>) {
    let parameter = random.chance(15);
    let label = format!("a{action}");
    let guard = if random.chance(85) {
        let depth = 1 + random.below(2);
        let guard = state(random, names, Some(number), depth);
        if parameter && random.chance(60) {
            format!(" when v == 0 || {guard}")
        } else {
            format!(" when {guard}")
        }
    } else {
        String::new()
    };
    let body = if parameter && !names.ints.is_empty() && random.chance(50) {
        "k = v;".to_owned()
    } else if random.chance(25) {
        path(random, names, number, 2)
    } else {
        effect(random, names, number, 2)
    };
    let parameters = if parameter { "(v: 0..1)" } else { "" };
    let annotated = match random.below(20) {
        0 => format!("wf({label})"),
        1 => format!("sf({label})"),
        2 => format!("uf({label})"),
        _ => label.clone(),
    };
    let environment = if random.chance(10) { "environment " } else { "" };
    lines.push(format!("    {environment}action {annotated}{parameters}{guard} {{ {body} }}"));
    names.families[number].actions.push((label, parameter));
}

fn statement(random: &mut Random, names: &Names, number: usize, goes_on: bool) -> String {
    let locations = &names.families[number].locations;
    let jump = |random: &mut Random| locations[random.below(locations.len())].clone();
    let shared = names.bools[random.below(names.bools.len())].clone();
    match random.below(18) {
        0 | 1 => "skip;".to_owned(),
        2 => "stay;".to_owned(),
        3 => format!("await {};", state(random, names, Some(number), 1)),
        4 => format!("request {shared};"),
        5 => format!("release {shared};"),
        6 => format!(
            "when {} {{ {} }}",
            state(random, names, Some(number), 1),
            effect(random, names, number, 1)
        ),
        7 => {
            format!("atomic {{ {} {} }}", effect(random, names, number, 1), effect(random, names, number, 1))
        }
        8 => {
            let condition = state(random, names, Some(number), 1);
            let (yes, no) = (jump(random), effect(random, names, number, 0));
            format!("if {condition} {{ goto {yes}; }} else {{ {no} }}")
        }
        9 => format!(
            "either {{ {} }} or {{ when {} {{ {} }} }}",
            effect(random, names, number, 1),
            state(random, names, Some(number), 1),
            effect(random, names, number, 1)
        ),
        10 => {
            format!(
                "while {} {{ {} }}",
                state(random, names, Some(number), 1),
                effect(random, names, number, 0)
            )
        }
        11 if names.record => {
            random.pick(&["m!rec;", "m!V { a: false, n: 1 };", "m?rec;", "m?_;"]).to_owned()
        }
        12 if names.set => random
            .pick(&["choose el in s { s -= {el}; }", "choose el in s where el == 1 { x = !x; }"])
            .to_owned(),
        17 if names.joint.is_some() => {
            if random.chance(50) {
                return "sync e;".to_owned();
            }
            let then =
                if random.chance(30) { state(random, names, Some(number), 1) } else { "true".to_owned() };
            format!("atomic {{ sync e; {} await {then}; }}", effect(random, names, number, 1))
        }
        11 if names.buffered => random.pick(&["c!0;", "c!1;", "c?_;"]).to_owned(),
        12 if names.rendezvous => random.pick(&["r!0;", "r!1;", "r?_;"]).to_owned(),
        15 | 16 => format!("atomic {{ {} }}", path(random, names, number, 2)),
        13 if goes_on => {
            format!("when {} {{ goto {}; }}", state(random, names, Some(number), 1), jump(random))
        }
        _ => effect(random, names, number, 1),
    }
}

/// Statements for use inside one step, which may wait anywhere.
fn path(random: &mut Random, names: &Names, number: usize, depth: usize) -> String {
    let mut parts = Vec::new();
    for _ in 0..2 + random.below(2) {
        let condition = |random: &mut Random| state(random, names, Some(number), 1);
        let shared = names.bools[random.below(names.bools.len())].clone();
        let fresh = format!("m{depth}_{}", parts.len());
        parts.push(match random.below(if depth > 0 { 16 } else { 6 }) {
            10 | 11 if !names.ints.is_empty() => format!(
                "let {fresh} = k; {} {shared} = {fresh} == 1; await {fresh} == 0 || {};",
                effect(random, names, number, 1),
                condition(random)
            ),
            10 | 11 => format!("let {fresh} = {}; {shared} = !{fresh};", condition(random)),
            12 | 13 if names.record => {
                let then = random.pick(&["", " m!V { a: true, n: 0 };", " await rec.a;"]);
                format!("let {fresh} = m?; rec = {fresh}; {shared} = {fresh}.a;{then}")
            }
            14 if names.sequence => format!(
                "let {fresh} = q; q = if {shared} {{ [] }} else {{ {fresh} }}; await {fresh} != [0] || {};",
                condition(random)
            ),
            12 if names.buffered => {
                let then = random.pick(&["", " c!0;", " await empty(c);"]);
                format!("let {fresh} = c?; {shared} = {fresh} == 1;{then}")
            }
            12 | 13 => format!("flip({shared}, {});", condition(random)),
            14 if names.bools.iter().any(|name| name == "f[1]") => random
                .pick(&["f = [j: !f[3 - j]];", "f = [x, f[1]];", "for j in 1..2 { request f[j]; }"])
                .to_owned(),
            14 | 15 => format!(
                "for {fresh} in 0..1 {{ if {fresh} == 0 {{ {} }} else {{ {} }} }}",
                path(random, names, number, 0),
                effect(random, names, number, 0)
            ),
            0..=2 => effect(random, names, number, 1),
            3 => format!("await {};", condition(random)),
            4 if names.buffered => random.pick(&["c!0;", "c!1;", "c?_;"]).to_owned(),
            4 if !names.ints.is_empty() => "k += 1; k %= 2;".to_owned(),
            4 if random.chance(20) => format!("assert {} \"so\";", condition(random)),
            4 | 5 => format!("request {};", names.bools[random.below(names.bools.len())]),
            6 => format!(
                "if {} {{ {} }} else {{ {} }}",
                condition(random),
                path(random, names, number, 0),
                effect(random, names, number, 0)
            ),
            7 | 8 => format!(
                "either {{ {} }} or {{ {} }}",
                path(random, names, number, depth - 1),
                path(random, names, number, 0)
            ),
            _ => format!(
                "choose u in 0..1 where u == 0 || {} {{ {} await u == 1 || {}; }}",
                condition(random),
                effect(random, names, number, 0),
                condition(random)
            ),
        });
    }
    parts.join(" ")
}

/// Statements without waiting, for use inside one step.
fn effect(random: &mut Random, names: &Names, number: usize, depth: usize) -> String {
    let own = &names.families[number];
    if depth > 0 {
        match random.below(10) {
            0 => {
                let condition = state(random, names, Some(number), 1);
                let (a, b) =
                    (effect(random, names, number, depth - 1), effect(random, names, number, depth - 1));
                return format!("if {condition} {{ {a} }} else {{ {b} }}");
            }
            1 if !names.ints.is_empty() => {
                return if random.chance(50) {
                    "choose w in 0..1 { k = w; }".to_owned()
                } else {
                    "choose w in 0..1 where w != k { k = w; }".to_owned()
                };
            }
            2 => {
                let target = names.bools[random.below(names.bools.len())].clone();
                return format!("choose w in 0..1 {{ {target} = w == 1; }}");
            }
            _ => {}
        }
    }
    let mut choices = Vec::new();
    for name in &names.bools {
        choices.push(format!("{name} = true;"));
        choices.push(format!("{name} = false;"));
        choices.push(format!("{name} = !{name};"));
    }
    for (name, greatest) in &names.ints {
        choices.push(format!("{name} = ({name} + 1) % {};", greatest + 1));
        choices.push(format!("{name} = {};", random.below(*greatest as usize + 1)));
        if random.chance(15) {
            choices.push(format!("{name} = {name} + 1;"));
        }
    }
    choices.extend(whole_values(names));
    if names.sequence && random.chance(10) {
        choices.push("q = append(q, 0);".to_owned());
    }
    if names.bools.len() > 1 {
        choices.push(format!("{0}, {1} = {1}, !{0};", names.bools[0], names.bools[1]));
    }
    if own.local_bool {
        choices.extend(["b = !b;", "b = true;"].map(str::to_owned));
    }
    if own.local_int {
        choices.extend(["n = 1 - n;", "n = 0;"].map(str::to_owned));
    }
    choices.swap_remove(random.below(choices.len()))
}

/// Statements about records, sets and sequences.
fn whole_values(names: &Names) -> Vec<String> {
    let mut choices: Vec<&str> = Vec::new();
    if names.record {
        choices.extend([
            "rec = V { a: !rec.a, n: 1 - rec.n };",
            "rec.n = 1 - rec.n;",
            "rec = if rec.n == 0 { V { a: x, n: 1 } } else { rec };",
        ]);
    }
    if names.set {
        choices.extend([
            "s += {0};",
            "s -= {1};",
            "s = {0, 1} - s;",
            "s = s & {1};",
            "if !(1 in s) { s = s + {1}; } else { s = {}; }",
        ]);
    }
    if names.sequence {
        choices.extend([
            "if full(q) { q = []; } else { q = append(q, 1); }",
            "if !empty(q) { q = tail(q); }",
            "if len(q) == 1 { q[0] = 1 - head(q); } else { q = [0]; }",
        ]);
    }
    if names.set && names.sequence {
        choices.push("s = if empty(q) { s } else { {head(q)} };");
    }
    choices.into_iter().map(str::to_owned).collect()
}

/// A state predicate. Inside process `Some(number)` its own names may occur.
fn state(random: &mut Random, names: &Names, inside: Option<usize>, depth: usize) -> String {
    if depth > 0 && random.chance(45) {
        let (a, b) = (state(random, names, inside, depth - 1), state(random, names, inside, depth - 1));
        return match random.below(4) {
            0 => format!("({a} && {b})"),
            1 => format!("({a} || {b})"),
            2 => format!("({a} -> {b})"),
            _ => format!("(({a}) == ({b}))"),
        };
    }
    let mut choices = Vec::new();
    for name in &names.bools {
        choices.extend([name.clone(), format!("!{name}")]);
    }
    for (name, _) in &names.ints {
        choices.extend([format!("{name} == 0"), format!("{name} > 0"), format!("{name} == 1")]);
    }
    if names.record {
        choices.extend(["rec == V { a: true, n: 1 }", "rec.n == 0", "empty(m)"].map(str::to_owned));
    }
    if names.set {
        let sets = ["1 in s", "s == {0}", "|s| == 1", "s <= {1}", "(exists el in s: el == 0)", "empty(s)"];
        choices.extend(sets.map(str::to_owned));
    }
    if names.sequence {
        choices
            .extend(["q == [1]", "len(q) > 0", "full(q)", "(!empty(q) && head(q) == 1)"].map(str::to_owned));
    }
    if names.buffered {
        choices.extend(["empty(c)", "full(c)", "len(c) == 1"].map(str::to_owned));
        choices.extend(["(!empty(c) && c[0] == 1)", "(exists z in c: z == 1)"].map(str::to_owned));
    }
    if let Some(number) = inside {
        let own = &names.families[number];
        if own.local_bool {
            choices.extend(["b", "!b"].map(str::to_owned));
        }
        if own.local_int {
            choices.push("n == 0".to_owned());
        }
        if own.indexed {
            choices.push("i == 1".to_owned());
        }
    } else {
        choices.extend(outside(names, random));
    }
    choices.swap_remove(random.below(choices.len()))
}

/// Predicates about processes from outside.
fn outside(names: &Names, random: &mut Random) -> Vec<String> {
    let mut choices = Vec::new();
    for family in &names.families {
        let one = one_of(family, random);
        for location in &family.locations {
            choices.push(format!("{one}@{location}"));
            if family.indexed {
                let Family { name, before, after, .. } = family;
                choices.push(format!("(exists j in 1..2: {name}{before}[j]{after}@{location})"));
                choices.push(format!("count(j in 1..2: {name}{before}[j]{after}@{location}) <= 1"));
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

fn one_of(family: &Family, random: &mut Random) -> String {
    let Family { name, indexed, before, after, .. } = family;
    if *indexed { format!("{name}{before}[{}]{after}", 1 + random.below(2)) } else { (*name).to_owned() }
}

/// An event: a process, or one of its actions.
fn event(random: &mut Random, names: &Names) -> String {
    if !names.network.is_empty() && random.chance(15) {
        return random.pick(&names.network).to_owned();
    }
    let family = &names.families[random.below(names.families.len())];
    let process = if random.chance(75) { one_of(family, random) } else { family.name.to_owned() };
    let mut choices = vec![process.clone()];
    choices.extend(family.steps.iter().map(|label| format!("{process}.{label}")));
    for (label, parameter) in &family.actions {
        choices.push(format!("{process}.{label}"));
        if *parameter {
            choices.push(format!("{process}.{label}({})", random.below(2)));
        }
    }
    choices.swap_remove(random.below(choices.len()))
}

fn fairness(random: &mut Random, names: &Names) -> String {
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
    match random.below(10) {
        0 => format!("{word} all"),
        1 => format!("{word} processes"),
        2 => format!("justice ({})", step(random, names)),
        3 | 4 => format!("compassion ({}, {})", step(random, names), step(random, names)),
        _ => format!("{word} {}", event(random, names)),
    }
}

/// A step predicate.
fn step(random: &mut Random, names: &Names) -> String {
    if names.joint == Some(true) && random.chance(15) {
        return random.pick(&["taken(e)", "enabled(e)", "!taken(e)"]).to_owned();
    }
    match random.below(6) {
        0 => format!("taken({})", event(random, names)),
        1 => format!("enabled({})", event(random, names)),
        2 => format!("({} && !taken({}))", state(random, names, None, 0), event(random, names)),
        _ => state(random, names, None, 1),
    }
}

fn ltl(random: &mut Random, names: &Names, depth: usize) -> String {
    if random.chance(30) && depth == 3 {
        let (p, q) = (step(random, names), step(random, names));
        return match random.below(4) {
            0 => format!("G F {p}"),
            1 => format!("F G {p}"),
            2 => format!("G ({p} -> F {q})"),
            _ => format!("F G {p} -> G F {q}"),
        };
    }
    if depth == 0 || random.chance(15) {
        return step(random, names);
    }
    if random.chance(20) {
        return past(random, names, depth.min(2));
    }
    let a = ltl(random, names, depth - 1);
    match random.below(11) {
        0 => format!("G ({a})"),
        1 => format!("F ({a})"),
        2 => format!("X ({a})"),
        3 => format!("!({a})"),
        n => {
            let b = ltl(random, names, depth - 1);
            let sign = ["U", "W", "R", "&&", "||", "->", "U"][n - 4];
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

fn ctl(random: &mut Random, names: &Names, depth: usize) -> String {
    if depth == 0 || random.chance(15) {
        return state(random, names, None, 1);
    }
    let a = ctl(random, names, depth - 1);
    match random.below(12) {
        n @ 0..6 => format!("{} ({a})", ["AG", "AF", "AX", "EG", "EF", "EX"][n]),
        6 => format!("!({a})"),
        n => {
            let b = ctl(random, names, depth - 1);
            match n {
                7 => format!("A[{a} U {b}]"),
                8 => format!("E[{a} U {b}]"),
                9 => format!("A[{a} W {b}]"),
                10 => format!("(({a}) && ({b}))"),
                _ => format!("(({a}) -> ({b}))"),
            }
        }
    }
}
