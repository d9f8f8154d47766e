//! Random small models as source text: a few variables, one or two process families, every kind of declaration, statement,
//! fairness and property of the language. `crates/lang/tests/all/random_models.rs` counts how often each occurs.
//!
//! The models are small enough for the oracle (a few hundred states) and odd enough to reach corners: several
//! initial states, deadlocks, self-loops, nondeterministic updates, events that never happen, faults.

#[path = "formulas.rs"]
mod formulas;

use super::random::Random;
use formulas::{fairness, linear, state};

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
    /// Whether there are two channels `d[1]` and `d[2]` of messages with two fields.
    pairs: bool,
    /// Whether there is an enum `Node` with members `ann` and `bob`, and an array `seen` over it.
    nodes: bool,
    /// Whether there is an array `f`.
    array: bool,
    /// Whether there are a record `rec` (with a channel `m` of such records), a set `s` and a sequence `q`.
    record: bool,
    set: bool,
    sequence: bool,
    /// Whether there are a channel `box` of sets, or of sets and sequences if `both`, and a rendezvous `hand` of sets.
    sets_sent: bool,
    both: bool,
    sets_passed: bool,
    /// If there is a joint event `e`, whether some process takes it.
    joint: Option<bool>,
    /// The steps of the buffered channel.
    network: Vec<&'static str>,
    /// Predicates of definitions and tables.
    defined: Vec<String>,
    /// The number 2, or a constant with this value.
    two: &'static str,
}

struct Family {
    name: &'static str,
    /// The values of its index: two, or none if it is a single process.
    members: &'static [&'static str],
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
    /// Whether its members meet each other in actions `s` and `t`.
    meets: bool,
}

const NUMBERS: [&str; 2] = ["1", "2"];
const NODES: [&str; 2] = ["ann", "bob"];

impl Family {
    fn is_indexed(&self) -> bool {
        !self.members.is_empty()
    }

    fn is_numbered(&self) -> bool {
        self.members == NUMBERS
    }

    /// The values of its index as a range.
    fn range(&self, names: &Names) -> String {
        if self.is_numbered() { format!("1..{}", names.two) } else { "Node".to_owned() }
    }

    /// The member with this index.
    fn member(&self, index: &str) -> String {
        let Family { name, before, after, .. } = self;
        format!("{name}{before}[{index}]{after}")
    }

    /// Some member.
    fn one(&self, random: &mut Random) -> String {
        if self.is_indexed() { self.member(random.pick(self.members)) } else { self.name.to_owned() }
    }
}

/// The source of a random model.
pub(crate) fn source(random: &mut Random) -> String {
    let mut names = Names { two: "2", ..Names::default() };
    let mut lines = Vec::new();
    declare(random, &mut names, &mut lines);
    define(random, &mut names, &mut lines);
    let count = 1 + random.below(2);
    for number in 0..count {
        let indexed = random.chance(if number == 0 { 60 } else { 20 });
        let family = Family {
            name: ["P", "Q"][number],
            members: match indexed {
                false => &[],
                true if names.nodes && random.chance(60) => &NODES,
                true => &NUMBERS,
            },
            before: random.pick(&["", "", "", "", "[5]"]),
            after: random.pick(&["", "", "", "", "[-1]"]),
            local_bool: random.chance(25),
            local_int: random.chance(20),
            locations: Vec::new(),
            steps: Vec::new(),
            actions: Vec::new(),
            meets: false,
        };
        names.families.push(family);
        process(random, &mut names, number, &mut lines);
    }
    if random.chance(10) {
        let condition = state(random, &names, None, 1);
        lines.push(format!("init {condition} || true;"));
    }
    claims(random, &names, &mut lines);
    lines.join("\n") + "\n"
}

fn claims(random: &mut Random, names: &Names, lines: &mut Vec<String>) {
    let annotated = lines.iter().any(|line| ["wf(", "sf(", "uf("].iter().any(|word| line.contains(word)));
    let assumed = if annotated && random.chance(50) { "none".to_owned() } else { fairness(random, names) };
    // One without a name is assumed wherever nothing else is.
    let (name, under) = if random.chance(80) { (" assumed:", " under assumed") } else { ("", "") };
    lines.push(format!("fairness{name} {assumed};"));
    let members = match random.below(100) {
        0..10 => format!("[who: 1..{}]", names.two),
        10..22 => "[who: 1..2] where who != 1".to_owned(),
        _ => String::new(),
    };
    let formula = linear(random, names, !members.is_empty());
    lines.push(format!("property linear{members}: {formula}{under};"));
    if random.chance(30) {
        let predicate = state(random, names, None, 2);
        let (members, or) = if random.chance(35) { ("[who: 1..2]", "who == 1 || ") } else { ("", "") };
        lines.push(format!("invariant always{members}: {or}{predicate};"));
    }
    if random.chance(45) {
        let formula = formulas::branching(random, names);
        lines.push(format!("property branching: {formula}{under};"));
    }
}

fn declare(random: &mut Random, names: &mut Names, lines: &mut Vec<String>) {
    if random.chance(10) {
        lines.push("stuttering;".to_owned());
    }
    if random.chance(20) {
        lines.push("const two = 2;".to_owned());
        names.two = "two";
    }
    lines.push("macro flip(place, when_so) { if when_so { place = !place; } }".to_owned());
    lines.push("macro learn(place, all) { place = 1 in all && |all| < 2; }".to_owned());
    let initial = random.pick(&["", " = true", " = any", " in {false, true}"]);
    if random.chance(15) {
        lines.push(format!("shared x, y: bool{initial};"));
        names.bools.extend(["x".to_owned(), "y".to_owned()]);
    } else {
        lines.push(format!("shared x: bool{initial};"));
        names.bools.push("x".to_owned());
        if random.chance(30) {
            lines.push(format!("shared y: bool{};", random.pick(&["", " = true", " = any"])));
            names.bools.push("y".to_owned());
        }
    }
    if random.chance(65) {
        let greatest = 1 + random.below(2) as i64;
        let initial = random.pick(&["", " = 1", " = any", " in {0, 1}", " in 0..1"]);
        lines.push(format!("shared k: 0..{greatest}{initial};"));
        names.ints.push(("k".to_owned(), greatest));
    }
    if random.chance(22) {
        lines.push("enum Node { ann, bob }".to_owned());
        lines.push("shared seen: array[Node] of bool = [nd: nd == bob];".to_owned());
        names.bools.push("seen[ann]".to_owned());
        names.bools.push("seen[if x { ann } else { bob }]".to_owned());
        names.nodes = true;
        if random.chance(40) {
            lines.push("const first = [true, false];".to_owned());
            names.defined.push("first[if x { ann } else { bob }]".to_owned());
            names.defined.push("(exists nd in Node: first[nd] && seen[nd])".to_owned());
        }
    }
    if random.chance(18) {
        let initial = random.pick(&["", " = [true, false]", " = [j: j == 2]"]);
        lines.push(format!("shared f: array[1..{}] of bool{initial};", names.two));
        names.bools.push("f[1]".to_owned());
        names.bools.push("f[2]".to_owned());
        if !names.ints.is_empty() {
            names.bools.push("f[(k % 2) + 1]".to_owned());
        }
        names.array = true;
    }
    if random.chance(20) {
        lines.push("record V { a: bool, n: 0..1 }".to_owned());
        lines.push(format!("shared rec: V{};", random.pick(&["", " = V { n: 1, a: true }", " = any"])));
        lines.push("chan m: [1] of V;".to_owned());
        names.bools.push("rec.a".to_owned());
        names.record = true;
    }
    if random.chance(20) {
        lines.push(format!("shared s: set of 0..1{};", random.pick(&["", " = {1}", " = any"])));
        names.set = true;
    }
    if random.chance(18) {
        lines.push(format!("shared q: seq[{}] of 0..1;", 1 + random.below(2)));
        names.sequence = true;
    }
    channels(random, names, lines);
    if random.chance(22) {
        lines.push("event e;".to_owned());
        names.joint = Some(false);
    }
}

fn channels(random: &mut Random, names: &mut Names, lines: &mut Vec<String>) {
    if random.chance(25) {
        let unordered = if random.chance(40) { " unordered" } else { "" };
        let lossy = if random.chance(40) { " lossy" } else { "" };
        let duplicating = if random.chance(40) { " duplicating" } else { "" };
        names.network.extend((!lossy.is_empty()).then_some("c.lose"));
        names.network.extend((!duplicating.is_empty()).then_some("c.duplicate"));
        lines.push(format!("chan c: [{}]{unordered}{lossy}{duplicating} of 0..1;", 1 + random.below(2)));
        names.buffered = true;
    }
    if random.chance(22) {
        lines.push("chan d[1..2]: [1] of bool, 0..1;".to_owned());
        names.pairs = true;
    }
    if random.chance(28) {
        lines.push("chan r: [0] of 0..1;".to_owned());
        names.rendezvous = true;
    }
    if random.chance(24) {
        names.both = random.chance(35);
        let room = if names.both { 1 } else { 1 + random.below(2) };
        let unordered = if random.chance(60) { " unordered" } else { "" };
        let lossy = if random.chance(20) { " lossy" } else { "" };
        let duplicating = if random.chance(20) { " duplicating" } else { "" };
        names.network.extend((!lossy.is_empty()).then_some("box.lose"));
        names.network.extend((!duplicating.is_empty()).then_some("box.duplicate"));
        let sequence = if names.both { ", seq[1] of bool" } else { "" };
        lines.push(format!("chan box: [{room}]{unordered}{lossy}{duplicating} of set of 0..1{sequence};"));
        names.sets_sent = true;
    }
    if random.chance(12) {
        lines.push("chan hand: [0] of set of 0..1;".to_owned());
        names.sets_passed = true;
    }
}

/// Definitions and tables.
fn define(random: &mut Random, names: &mut Names, lines: &mut Vec<String>) {
    if random.chance(15) {
        let body = state(random, names, None, 1);
        lines.push(format!("define calm = {body};"));
        names.defined.push("calm".to_owned());
    }
    if random.chance(15) {
        let body = state(random, names, None, 1);
        lines.push(format!("define either_of(v) = v || {body};"));
        names.defined.extend(["either_of(x)", "!either_of(false)"].map(str::to_owned));
    }
    if random.chance(15) {
        lines.push("const turn = [2, 1];".to_owned());
        names.defined.push(format!("turn[{}] == 2", if names.ints.is_empty() { "1" } else { "k % 2 + 1" }));
    }
}

fn process(random: &mut Random, names: &mut Names, number: usize, lines: &mut Vec<String>) {
    let Family { name, local_bool, local_int, before, after, .. } = names.families[number];
    let environment = if random.chance(15) { "environment " } else { "" };
    let outer = if before.is_empty() { "" } else { "h: 5..5, " };
    let inner = if after.is_empty() { "" } else { ", g: -1..-1" };
    let (indexed, numbered) = (names.families[number].is_indexed(), names.families[number].is_numbered());
    let indices = if indexed {
        format!("[{outer}i: {}{inner}]", names.families[number].range(names))
    } else {
        String::new()
    };
    lines.push(format!("{environment}process {name}{indices} {{"));
    if local_bool {
        let initial = random.pick(&["", " = any"]);
        lines.push(format!("    local b: bool{initial};"));
    }
    if local_int {
        let initial = if numbered && random.chance(40) { " = i - 1" } else { "" };
        lines.push(format!("    local n: 0..1{initial};"));
    }
    if indexed && names.rendezvous && random.chance(80) {
        meeting(random, names, number, lines);
    }
    let sequential = random.chance(60);
    if !sequential || random.chance(25) {
        for action in 0..=random.below(3) {
            guarded(random, names, number, action, lines);
        }
    }
    if sequential {
        statements(random, names, number, lines);
    }
    lines.push("}".to_owned());
}

fn statements(random: &mut Random, names: &mut Names, number: usize, lines: &mut Vec<String>) {
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
        // The branches of `either` have their own names, a process that halts takes no step, and a rendezvous may have
        // no partner.
        let takes_no_step =
            ["either", "halt", "r!", "r?", "hand!", "hand?"].iter().any(|begin| text.starts_with(begin));
        if !takes_no_step {
            names.families[number].steps.push(format!("l{k}"));
        }
        let label = if takes_no_step { format!("l{k}") } else { label };
        lines.push(format!("        {label}: {text}"));
    }
    if looping {
        lines.push("    }".to_owned());
    }
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
    let sent = if names.families[number].is_numbered() { sent } else { "r!1;" };
    let received = if names.ints.is_empty() { "r?_;" } else { random.pick(&["r?_;", "r?k;"]) };
    labelled(random, "s", sent);
    labelled(random, "t", received);
    for label in ["s", "t"] {
        names.families[number].actions.push((label.to_owned(), false));
    }
    names.families[number].meets = true;
}

fn guarded(random: &mut Random, names: &mut Names, number: usize, action: usize, lines: &mut Vec<String>) {
    let parameter = random.chance(20);
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
    let environment = if random.chance(12) { "environment " } else { "" };
    lines.push(format!("    {environment}action {annotated}{parameters}{guard} {{ {body} }}"));
    names.families[number].actions.push((label, parameter));
}

fn statement(random: &mut Random, names: &Names, number: usize, goes_on: bool) -> String {
    let locations = &names.families[number].locations;
    let jump = |random: &mut Random| locations[random.below(locations.len())].clone();
    let shared = names.bools[random.below(names.bools.len())].clone();
    if names.joint.is_some() && random.chance(20) {
        if random.chance(50) {
            return "sync e;".to_owned();
        }
        let then = if random.chance(30) { state(random, names, Some(number), 1) } else { "true".to_owned() };
        return format!("atomic {{ sync e; {} await {then}; }}", effect(random, names, number, 1));
    }
    if names.pairs && random.chance(15) {
        return format!("atomic {{ let got, _ = d[{}]?; {shared} = got; }}", random.pick(&NUMBERS));
    }
    let messages = messages(random, names);
    if !messages.is_empty() && random.chance(30) {
        return messages[random.below(messages.len())].clone();
    }
    match random.below(22) {
        0 => "skip;".to_owned(),
        1 => "halt;".to_owned(),
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
            let no = if random.chance(60) { format!(" else {{ {no} }}") } else { String::new() };
            format!("if {condition} {{ goto {yes}; }}{no}")
        }
        9 => format!(
            "either {{ {} }} or {{ when {} {{ {} }} }}",
            effect(random, names, number, 1),
            state(random, names, Some(number), 1),
            effect(random, names, number, 1)
        ),
        10 | 11 => {
            format!(
                "while {} {{ {} }}",
                state(random, names, Some(number), 1),
                effect(random, names, number, 0)
            )
        }
        12 if names.record => {
            random.pick(&["m!rec;", "m!V { a: false, n: 1 };", "m?rec;", "m?_;"]).to_owned()
        }
        12 if names.buffered => random.pick(&["c!0;", "c!1;", "c?_;"]).to_owned(),
        13 if names.set => random
            .pick(&["choose el in s { s -= {el}; }", "choose el in s where el == 1 { x = !x; }"])
            .to_owned(),
        13 if names.rendezvous => random.pick(&["r!0;", "r!1;", "r?_;"]).to_owned(),
        14 if goes_on => {
            format!("when {} {{ goto {}; }}", state(random, names, Some(number), 1), jump(random))
        }
        15 | 16 if names.pairs => {
            let numbered = names.families[number].is_numbered();
            let index = if numbered && random.chance(50) { "i" } else { random.pick(&NUMBERS) };
            let message = random.pick(&["!x, 0", "!true, 1", "?x, _", "?_, _"]);
            format!("d[{index}]{message};")
        }
        17..=19 => format!("atomic {{ {} }}", path(random, names, number, 2)),
        20 => format!("flip({shared}, {});", state(random, names, Some(number), 1)),
        _ => effect(random, names, number, 1),
    }
}

/// Statements that send and receive sets and sequences.
fn messages(random: &mut Random, names: &Names) -> Vec<String> {
    let sets: &[&str] = if names.set {
        &["s", "s + {1}", "{0} - s", "{1}"]
    } else {
        &["{}", "{1}", "{0, 1}", "{if x { 0 } else { 1 }}"]
    };
    // Sometimes one that does not fit.
    let wide = if names.ints.is_empty() { "{1, if x { 1 } else { 2 }}" } else { "{k + 1}" };
    let set = if random.chance(8) { wide } else { random.pick(sets) };
    let sequence = if random.chance(8) {
        "if x { [x, x] } else { [] }"
    } else {
        random.pick(&["[]", "[x]", "tail([true, x])"])
    };
    let taker = if names.set { random.pick(&["s", "_"]) } else { "_" };
    let mut choices = Vec::new();
    if names.sets_sent {
        let (also, ignored) = if names.both { (format!(", {sequence}"), ", _") } else { (String::new(), "") };
        choices.extend([format!("box!{set}{also};"), format!("box?{taker}{ignored};")]);
    }
    if names.sets_passed {
        choices.extend([format!("hand!{set};"), format!("hand?{taker};")]);
    }
    choices
}

/// Statements for use inside one step, which may wait anywhere.
fn path(random: &mut Random, names: &Names, number: usize, depth: usize) -> String {
    let mut parts = Vec::new();
    for _ in 0..2 + random.below(2) {
        let condition = |random: &mut Random| state(random, names, Some(number), 1);
        let shared = names.bools[random.below(names.bools.len())].clone();
        let fresh = format!("m{depth}_{}", parts.len());
        if names.pairs && random.chance(12) {
            parts.push(format!("let {fresh}, _ = d[{}]?; {shared} = {fresh};", random.pick(&NUMBERS)));
            continue;
        }
        if names.sets_sent && random.chance(20) {
            let (rest, send) = if names.both { (", _", "!{fresh}, [x]") } else { ("", "!{fresh} - {0}") };
            let then = random.pick(&["", send, " await 0 in {fresh};", " learn({shared}, {fresh});"]);
            let then = if then == send { format!(" box{then};") } else { then.to_owned() };
            let then = then.replace("{fresh}", &fresh).replace("{shared}", &shared);
            parts.push(format!("let {fresh}{rest} = box?; {shared} = 1 in {fresh};{then}"));
            continue;
        }
        if names.set && random.chance(10) {
            parts.push(format!("learn({shared}, {});", random.pick(&["s", "s + {0}", "{1} - s"])));
            continue;
        }
        if names.array && random.chance(10) {
            parts.push(format!("let {fresh} = f; f[1] = {shared}; f = [{fresh}[2], !{fresh}[1]];"));
            continue;
        }
        parts.push(match random.below(if depth > 0 { 20 } else { 7 }) {
            0..=2 => effect(random, names, number, 1),
            3 => format!("await {};", condition(random)),
            4 if names.buffered => random.pick(&["c!0;", "c!1;", "c?_;"]).to_owned(),
            4 if !names.ints.is_empty() => "k += 1; k %= 2;".to_owned(),
            4 | 5 => format!("request {shared};"),
            6 => {
                let text = random.pick(&["", " \"so\""]);
                format!("assert {} || {}{text};", condition(random), condition(random))
            }
            7 => format!(
                "if {} {{ {} }} else {{ {} }}",
                condition(random),
                path(random, names, number, 0),
                effect(random, names, number, 0)
            ),
            8 | 9 => format!(
                "either {{ {} }} or {{ {} }}",
                path(random, names, number, depth - 1),
                path(random, names, number, 0)
            ),
            10 if !names.ints.is_empty() => format!(
                "let {fresh} = k; {} {shared} = {fresh} == 1; await {fresh} == 0 || {};",
                effect(random, names, number, 1),
                condition(random)
            ),
            10 => format!("let {fresh} = {}; {shared} = !{fresh};", condition(random)),
            13 | 14 if names.record => {
                let then = random.pick(&["", " m!V { a: true, n: 0 };", " await rec.a;"]);
                format!("let {fresh} = m?; rec = {fresh}; {shared} = {fresh}.a;{then}")
            }
            13 | 14 if names.buffered => {
                let then = random.pick(&["", " c!0;", " await empty(c);"]);
                format!("let {fresh} = c?; {shared} = {fresh} == 1;{then}")
            }
            11 | 12 => format!("flip({shared}, {});", condition(random)),
            13 if names.sequence => format!(
                "let {fresh} = q; q = if {shared} {{ [] }} else {{ {fresh} }}; await {fresh} != [0] || {};",
                condition(random)
            ),
            15 | 16 if names.array => random
                .pick(&["f = [j: !f[3 - j]];", "f = [x, f[1]];", "for j in 1..2 { request f[j]; }"])
                .to_owned(),
            15 if names.nodes => random
                .pick(&["for nd in Node { seen[nd] = !seen[nd]; }", "seen = [nd: nd == ann || x];"])
                .to_owned(),
            15..=17 => format!(
                "for {fresh} in 0..1 {{ if {fresh} == 0 {{ {} }} else {{ {} }} }}",
                path(random, names, number, 0),
                effect(random, names, number, 0)
            ),
            _ => format!(
                "choose u in {} where u == 0 || {} {{ {} await u == 1 || {}; }}",
                random.pick(&["0..1", "{0, 1}"]),
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
                let b = if random.chance(60) { format!(" else {{ {b} }}") } else { String::new() };
                return format!("if {condition} {{ {a} }}{b}");
            }
            1 if !names.ints.is_empty() => {
                return random
                    .pick(&["choose w in 0..1 { k = w; }", "choose w in {0, 1} where w != k { k = w; }"])
                    .to_owned();
            }
            2 => {
                let target = names.bools[random.below(names.bools.len())].clone();
                return format!("choose w in 0..1 {{ {target} = w == 1; }}");
            }
            _ => {}
        }
    }
    let values = whole_values(names);
    if !values.is_empty() && random.chance(25) {
        return random.pick(&values).to_owned();
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
        choices.push(format!("{name} = {greatest} - {name};"));
        if random.chance(15) {
            choices.push(format!("{name} = {name} + 1;"));
        }
    }
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
fn whole_values(names: &Names) -> Vec<&'static str> {
    let mut choices = Vec::new();
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
            "s = s & {0};",
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
    choices
}
