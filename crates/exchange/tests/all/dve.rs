//! Models in DVE by the definition: random models are interpreted here, by the rules of `DiVinE`, and their reachable states
//! are counted; the translation has as many, by the reference semantics alone. Expressions are written with as few
//! parentheses as DVE's own grammar needs. `FAIRLY_MODELS` and `FAIRLY_SEED` choose how many models and which.

use std::collections::HashSet;
use std::fmt::Write as _;

use exchange::import::{Claim, Language, Refused, no_files, translate};

use crate::promela_states::explore;

/// Operators with two operands, and how tightly they bind in DVE: `and` and `or` equally, and so do operators on bits.
const OPERATORS: [(&str, usize); 19] = [
    ("imply", 0),
    ("and", 1),
    ("or", 1),
    ("&", 2),
    ("|", 2),
    ("^", 2),
    ("==", 3),
    ("!=", 3),
    ("<", 4),
    ("<=", 4),
    (">", 4),
    (">=", 4),
    ("<<", 5),
    (">>", 5),
    ("+", 6),
    ("-", 6),
    ("*", 7),
    ("/", 7),
    ("%", 7),
];

const PREFIX: [&str; 3] = ["not ", "- ", "~"];

#[derive(Clone, Debug)]
enum Expr {
    Number(i64),
    Variable(usize),
    /// An element of the array `a`.
    Element(Box<Expr>),
    /// Process `.0` is in state `.1`.
    At(usize, usize),
    Unary(usize, Box<Expr>),
    Binary(usize, Box<Expr>, Box<Expr>),
}

/// The variables: two of the whole file, and one of each process. The first is a `byte`, the others are `int`s.
const GLOBALS: usize = 2;
const ELEMENTS: usize = 3;
const PROCESSES: usize = 2;
const STATES: usize = 3;

#[derive(Clone, Debug)]
enum Message {
    None,
    /// On the handshake.
    Send(Expr),
    Receive(usize),
    /// On the channel that holds two messages of two values.
    Put(Expr, Expr),
    Get(usize, usize),
}

#[derive(Clone, Debug)]
struct Transition {
    from: usize,
    to: usize,
    guard: Expr,
    message: Message,
    /// Variables, or elements of the array, and what they get.
    effects: Vec<(usize, Option<Expr>, Expr)>,
}

#[derive(Debug)]
struct Model {
    processes: Vec<Vec<Transition>>,
    committed: Vec<Vec<usize>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    places: [usize; PROCESSES],
    values: [i64; GLOBALS + PROCESSES],
    array: [i64; ELEMENTS],
    queue: Vec<(i64, i64)>,
}

/// Why a step has no result: a fault.
struct Fault;

fn stored(variable: usize, value: i64) -> i64 {
    if variable == 0 { value.rem_euclid(256) } else { (value + 32_768).rem_euclid(65_536) - 32_768 }
}

impl Expr {
    fn value(&self, state: &State) -> Result<i64, Fault> {
        Ok(match self {
            Expr::Number(value) => *value,
            Expr::Variable(variable) => state.values[*variable],
            Expr::Element(position) => {
                let position = usize::try_from(position.value(state)?).map_err(|_| Fault)?;
                *state.array.get(position).ok_or(Fault)?
            }
            Expr::At(process, place) => i64::from(state.places[*process] == *place),
            Expr::Unary(operator, operand) => {
                let value = operand.value(state)?;
                match PREFIX[*operator] {
                    "not " => i64::from(value == 0),
                    "- " => -value,
                    _ => !value,
                }
            }
            Expr::Binary(operator, left, right) => {
                let left = left.value(state)?;
                let (operator, _) = OPERATORS[*operator];
                match (operator, left != 0) {
                    ("and", false) => return Ok(0),
                    ("or", true) | ("imply", false) => return Ok(1),
                    _ => {}
                }
                let right = right.value(state)?;
                match operator {
                    "and" | "or" | "imply" => i64::from(right != 0),
                    "&" => left & right,
                    "|" => left | right,
                    "^" => left ^ right,
                    "==" => i64::from(left == right),
                    "!=" => i64::from(left != right),
                    "<" => i64::from(left < right),
                    "<=" => i64::from(left <= right),
                    ">" => i64::from(left > right),
                    ">=" => i64::from(left >= right),
                    "<<" => left << right,
                    ">>" => left >> right,
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "/" => left.checked_div(right).ok_or(Fault)?,
                    _ => left.checked_rem(right).ok_or(Fault)?,
                }
            }
        })
    }

    /// Whether it reads the array at a place that may be outside.
    fn may_fault(&self) -> bool {
        match self {
            Expr::Number(_) | Expr::Variable(_) | Expr::At(..) => false,
            Expr::Element(position) => !matches!(**position, Expr::Number(_)),
            Expr::Unary(_, operand) => operand.may_fault(),
            Expr::Binary(_, left, right) => left.may_fault() || right.may_fault(),
        }
    }

    /// As text, in a place whose operator binds so tightly.
    fn write(&self, around: usize, process: usize, text: &mut String) {
        match self {
            Expr::Number(value) => text.push_str(&value.to_string()),
            Expr::Variable(variable) => text.push_str(&called(*variable, process)),
            Expr::Element(position) => {
                text.push_str("a[");
                position.write(0, process, text);
                text.push(']');
            }
            Expr::At(other, place) => {
                let _ = write!(text, "P{other}.s{place}");
            }
            Expr::Unary(operator, operand) => {
                text.push_str(PREFIX[*operator]);
                operand.write(8, process, text);
            }
            Expr::Binary(operator, left, right) => {
                let (symbol, binds) = OPERATORS[*operator];
                text.push_str(if binds < around { "(" } else { "" });
                left.write(binds, process, text);
                let _ = write!(text, " {symbol} ");
                right.write(binds + 1, process, text);
                text.push_str(if binds < around { ")" } else { "" });
            }
        }
    }
}

fn called(variable: usize, process: usize) -> String {
    match variable {
        0 | 1 => format!("g{variable}"),
        own if own == GLOBALS + process => "l".to_owned(),
        other => format!("P{}->l", other - GLOBALS),
    }
}

impl Model {
    fn text(&self) -> String {
        let mut text = String::from(
            "byte g0 = 254; // wraps around\nint g1 = -2, a[3] = {1, -1};\nchannel h; channel {byte, int} q[2];\n",
        );
        for (number, transitions) in self.processes.iter().enumerate() {
            let _ = writeln!(text, "process P{number} {{\nint l = 1;\nstate s0, s1, s2; init s0;");
            for place in &self.committed[number] {
                let _ = writeln!(text, "commit s{place};");
            }
            let mut parts = Vec::new();
            for transition in transitions {
                let mut part = format!("s{} -> s{} {{ guard ", transition.from, transition.to);
                transition.guard.write(0, number, &mut part);
                part.push(';');
                let mut value = |before: &str, expr: &Expr, after: &str| {
                    part.push_str(before);
                    expr.write(0, number, &mut part);
                    part.push_str(after);
                };
                match &transition.message {
                    Message::None => {}
                    Message::Send(own) => value(" sync h!", own, ";"),
                    Message::Receive(variable) => value(" sync h?", &Expr::Variable(*variable), ";"),
                    Message::Put(first, second) => {
                        value(" sync q!{", first, ", ");
                        value("", second, "};");
                    }
                    Message::Get(first, second) => {
                        value(" sync q?{", &Expr::Variable(*first), ", ");
                        value("", &Expr::Variable(*second), "};");
                    }
                }
                for (at, (variable, position, own)) in transition.effects.iter().enumerate() {
                    value(
                        if at == 0 { " effect " } else { ", " },
                        &target(*variable, position.as_ref()),
                        " = ",
                    );
                    value("", own, "");
                }
                part.push_str(if transition.effects.is_empty() { " }" } else { "; }" });
                parts.push(part);
            }
            let _ = writeln!(text, "trans {};\n}}", parts.join(",\n "));
        }
        text + "system async;\n"
    }

    /// The states after one step.
    fn steps(&self, state: &State) -> Result<Vec<State>, Fault> {
        let is_committed = |process: usize| self.committed[process].contains(&state.places[process]);
        let only_committed = (0..PROCESSES).any(is_committed);
        let mut open: Vec<(usize, &Transition)> = Vec::new();
        for process in (0..PROCESSES).filter(|process| !only_committed || is_committed(*process)) {
            for transition in self.processes[process].iter().filter(|own| own.from == state.places[process]) {
                if transition.guard.value(state)? != 0 {
                    open.push((process, transition));
                }
            }
        }
        let mut found = Vec::new();
        for (process, transition) in &open {
            let mut next = state.clone();
            match &transition.message {
                Message::None => {}
                Message::Receive(_) => continue,
                Message::Put(first, second) => {
                    if state.queue.len() == 2 {
                        continue;
                    }
                    let message = (first.value(state)?.rem_euclid(256), stored(1, second.value(state)?));
                    next.queue.push(message);
                }
                Message::Get(first, second) => {
                    if state.queue.is_empty() {
                        continue;
                    }
                    let (one, two) = next.queue.remove(0);
                    next.values[*first] = stored(*first, one);
                    next.values[*second] = stored(*second, two);
                }
                Message::Send(value) => {
                    for (partner, other) in open.iter().filter(|(partner, _)| partner != process) {
                        let Message::Receive(variable) = other.message else { continue };
                        let mut next = state.clone();
                        next.values[variable] = stored(variable, value.value(state)?);
                        apply(&mut next, *partner, other)?;
                        apply(&mut next, *process, transition)?;
                        found.push(next);
                    }
                    continue;
                }
            }
            apply(&mut next, *process, transition)?;
            found.push(next);
        }
        Ok(found)
    }

    /// The number of reachable states, and whether there is a fault; nothing if there are too many.
    fn explore(&self, limit: usize) -> Option<(u64, bool)> {
        let first =
            State { places: [0; PROCESSES], values: [254, -2, 1, 1], array: [1, -1, 0], queue: Vec::new() };
        let mut seen = HashSet::from([first.clone()]);
        let mut open = vec![first];
        let mut fault = false;
        while let Some(state) = open.pop() {
            match self.steps(&state) {
                Ok(next) => open.extend(next.into_iter().filter(|next| seen.insert(next.clone()))),
                Err(Fault) => fault = true,
            }
            if seen.len() > limit {
                return None;
            }
        }
        Some((seen.len() as u64, fault))
    }
}

fn target(variable: usize, position: Option<&Expr>) -> Expr {
    match position {
        Some(position) => Expr::Element(Box::new(position.clone())),
        None => Expr::Variable(variable),
    }
}

fn apply(state: &mut State, process: usize, transition: &Transition) -> Result<(), Fault> {
    for (variable, position, value) in &transition.effects {
        let value = value.value(state)?;
        match position {
            None => state.values[*variable] = stored(*variable, value),
            Some(position) => {
                let position = usize::try_from(position.value(state)?).map_err(|_| Fault)?;
                *state.array.get_mut(position).ok_or(Fault)? = stored(1, value);
            }
        }
    }
    state.places[process] = transition.to;
    Ok(())
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound as u64) as usize
    }

    /// A position in the array, and rarely one that may be outside.
    fn position(&mut self, process: usize) -> Expr {
        if self.below(30) == 0 {
            return Expr::Variable(self.variable(process));
        }
        Expr::Number(self.below(ELEMENTS) as i64)
    }

    fn variable(&mut self, process: usize) -> usize {
        [0, 1, GLOBALS + process][self.below(3)]
    }

    fn expr(&mut self, process: usize, depth: usize, states: bool) -> Expr {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(6) {
                0 | 1 => Expr::Number(self.below(4) as i64),
                2 if states => Expr::At(self.below(PROCESSES), self.below(STATES)),
                3 => Expr::Element(Box::new(self.position(process))),
                _ => Expr::Variable(self.variable(process)),
            };
        }
        if self.below(5) == 0 {
            return Expr::Unary(self.below(PREFIX.len()), Box::new(self.expr(process, depth - 1, states)));
        }
        let operator = self.below(OPERATORS.len());
        let left = Box::new(self.expr(process, depth - 1, states));
        let right = match OPERATORS[operator].0 {
            // A shift by many bits has no meaning, and products grow.
            "<<" | ">>" | "*" => Expr::Number(self.below(4) as i64),
            "/" | "%" => Expr::Number(1 + self.below(3) as i64),
            _ => self.expr(process, depth - 1, states),
        };
        Expr::Binary(operator, left, Box::new(right))
    }

    fn model(&mut self) -> Model {
        let mut processes = Vec::new();
        for process in 0..PROCESSES {
            let mut transitions = Vec::new();
            for _ in 0..3 + self.below(3) {
                let message = match self.below(8) {
                    0 => Message::Send(self.expr(process, 1, true)),
                    1 | 2 => Message::Receive(self.variable(process)),
                    3 => Message::Put(self.expr(process, 1, true), self.expr(process, 1, true)),
                    4 => Message::Get(self.variable(process), GLOBALS + process),
                    _ => Message::None,
                };
                let effects = (0..self.below(3)).map(|_| {
                    let position = (self.below(4) == 0).then(|| Expr::Number(self.below(ELEMENTS) as i64));
                    // What is written stays small, so that there are few states.
                    let value = self.expr(process, 2, false);
                    let small = Expr::Binary(18, Box::new(value), Box::new(Expr::Number(3)));
                    let one = Box::new(Expr::Number(1));
                    let value = if self.below(6) == 0 {
                        Expr::Binary(14, Box::new(Expr::Variable(0)), one)
                    } else {
                        small
                    };
                    (self.variable(process), position, value)
                });
                let effects = effects.collect();
                let (from, to) = (self.below(STATES), self.below(STATES));
                // A guard beside a message may not be evaluated where the message cannot be passed, so it has no fault.
                let guard = self.expr(process, 2, true);
                let is_safe = matches!(message, Message::None) || !guard.may_fault();
                let guard = if is_safe { guard } else { Expr::Number(1) };
                transitions.push(Transition { from, to, guard, message, effects });
            }
            processes.push(transitions);
        }
        let committed = (0..PROCESSES).map(|_| if self.below(3) == 0 { vec![2] } else { Vec::new() });
        Model { processes, committed: committed.collect() }
    }
}

#[test]
fn random_models_have_the_states_that_the_rules_of_divine_give() {
    let (count, seed) = (crate::setting("FAIRLY_MODELS", 150), crate::setting("FAIRLY_SEED", 1));
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut compared, mut refused, mut faults, mut most) = (0, 0, 0, 0);
    for at in 0..count {
        let model = random.model();
        let text = model.text();
        let Some((states, fault)) = model.explore(400) else { continue };
        match explore(Language::Dve, &text, 2_000) {
            // The order of effects that depend on each other; see the test below.
            Err(message) if message.contains("handshake") => refused += 1,
            Err(message) => panic!("seed {seed}, model {at}: {message}\n{text}"),
            Ok(found) if fault || found.fault.is_some() => {
                faults += 1;
                assert_eq!(
                    found.fault.is_some(),
                    fault,
                    "seed {seed}, model {at}: {:?}\n{text}",
                    found.fault
                );
            }
            Ok(found) => {
                compared += 1;
                most = most.max(states);
                assert_eq!(found.states, states, "seed {seed}, model {at}\n{text}");
            }
        }
    }
    println!("{compared} compared, up to {most} states, {refused} refused, {faults} with a fault");
    assert!(compared > count / 4 && most > 50 && (faults > 0 || count < 1_000));
}

fn counted(text: &str) -> u64 {
    let found = explore(Language::Dve, text, 1_000).unwrap_or_else(|message| panic!("{message}\n{text}"));
    assert!(found.fault.is_none(), "{:?}", found.fault);
    found.states
}

fn refusal(text: &str) -> String {
    match explore(Language::Dve, text, 1_000) {
        Err(message) => message,
        Ok(_) => panic!("not refused: {text}"),
    }
}

/// The receiver goes first: what it computes is from before the effects of the sender, and the sender sees it.
#[test]
fn in_a_handshake_the_effects_of_the_receiver_come_first() {
    let handshake = |sender: &str, receiver: &str, claim: &str| {
        let text = format!(
            "byte x = 1, y, z; channel c; process S {{ byte l; state a, b; init a; assert b: {claim}; trans a -> b {{ {sender} }}; }}
             process R {{ byte m; state a, b; init a; trans a -> b {{ {receiver} }}; }} system async;"
        );
        explore(Language::Dve, &text, 100)
            .map(|found| (found.states, found.wrong.is_empty(), found.fault.is_none()))
    };
    let right = Ok((2, true, true));
    assert_eq!(handshake("sync c!5; effect x = 7;", "sync c?m; effect y = x;", "y == 1"), right);
    assert_eq!(handshake("sync c!5; effect y = x;", "sync c?m; effect x = 3;", "y == 3"), right);
    assert_eq!(handshake("sync c!5; effect y = x;", "sync c?x; effect z = x;", "y == 5 and z == 5"), right);
    for (sender, receiver) in [
        ("sync c!5; effect x = 7;", "sync c?m; effect x = 2;"),
        ("sync c!x; effect y = x;", "sync c?m; effect x = 2;"),
        ("sync c!x; effect x = 2;", "sync c?m; effect y = x + m;"),
        ("sync c!x; effect x = R.a;", "sync c?m;"),
    ] {
        assert!(handshake(sender, receiver, "true").is_err_and(|message| message.contains("handshake")));
    }
    let own =
        refusal("byte x; process P { state a, b; init a; trans a -> b { effect x = P.b; }; } system async;");
    assert!(own.contains("state of its own process"), "{own}");
}

#[test]
fn what_the_grammar_of_divine_allows_is_read() {
    // Assertions with a colon, transitions without commas, `accept` before `init`, both kinds of comments.
    let text = "const byte N = 2; byte x; process P { state a, /* c */ b; commit b; accept a; init a; // d
        assert a: x < N + 1, b: x > 0; trans a -> b { guard x < N; effect x = x + 1; } -> a { guard x == N; effect x = 0; } b -> a {} }
        system async;";
    assert_eq!(counted(text), 5);
    // Messages with several values, of channels with types and without, and assertions about variables of the process.
    let text = "byte x; int y; byte a[3] = {0, 1, 2}; channel {byte, int} c[0]; channel {byte} d[0]; channel e, f;
        process S { int k = 300; state p, q, r, s, t; init p; assert t: y == 44 and a[1] == 7 and k == 301;
          trans p -> q { sync c!{k, -k}; effect k = k + 1; }, q -> r { sync d!k + 256; }, r -> s { sync e!{7}; }, s -> t { sync f!; }; }
        process R { int m; byte n; state u, v, w, z, zz; init u; assert v: x == 44 and m == -300, w: y == 45, u: R->n == 0;
          trans u -> v { sync c?{x, m}; }, v -> w { sync d?y; }, w -> z { sync e?a[n + 1]; effect y = 44; }, z -> zz { sync f?; }; }
        system async;";
    let found = explore(Language::Dve, text, 100).expect("a model");
    assert!(found.wrong.is_empty() && found.fault.is_none() && found.states == 5, "{:?}", found.wrong);
    let sets = "byte x; process P { state a; init a; trans a -> a { effect x = 1 - x; }; }
        process B { state p, q; init p; accept genbuchi (p), (q, p); trans p -> q { guard P.a; }, q -> p {}; }
        system async property B;";
    let translated = translate(Language::Dve, sets, &[], &no_files).expect("a model");
    assert_eq!(translated.automata[0].1.marks, 2);
    for (text, reason) in [
        ("process P { state a; init a; trans a => { a:1 }; } system async;", "probabilities"),
        (
            "process P { state a; init a; accept rabin (a; a); trans a -> a {}; } system async property P;",
            "sets of them",
        ),
        (
            "byte x; process P { state a; init a; trans a -> a { effect x = 1; }; } process Q { byte l; state a; init a; trans a -> a { effect l = x; }; } system sync;",
            "same step",
        ),
    ] {
        let said = refusal(text);
        assert!(said.contains(reason), "{said}");
    }
    // In a formula `&&` binds more tightly than `||`; `and` and `or` are those of DVE.
    let model = "byte x; process P { state a; init a; trans a -> a {}; } system async;";
    let printed =
        |formula: &str| match translate(Language::Dve, model, &[Claim::Ltl(formula.to_owned())], &no_files) {
            Ok(translated) => lang::print(&translated.file),
            Err(Refused::File(own) | Refused::Claim(_, own)) => panic!("{own:?}"),
        };
    assert_eq!(printed("x == 1 || x == 2 && x == 3"), printed("x == 1 || (x == 2 && x == 3)"));
    assert_eq!(printed("x == 1 or x == 2 and x == 3"), printed("(x == 1 or x == 2) and x == 3"));
}
