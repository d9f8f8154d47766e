//! Random steps with sets and sequences, which are also messages of every kind of channel, against the definition.
//!
//! Engines, judge and oracle all get what the front end makes of such values, and none of them would notice if it made
//! something else. So there is an interpreter here that knows sets as sets, sequences as sequences and channels as lists
//! of messages. It is compared with the reference semantics on the lowered model, in random states.

use std::collections::BTreeMap;

use model::initial::initial_states;
use model::show::{self, Value};
use model::{ActionId, Instance, State, semantics};

use crate::steps::{Faulty, Random};

/// Members 0 to 4, one bit each.
type Members = u8;

/// A number that is no fault.
#[derive(Clone)]
enum Number {
    Literal(i64),
    X,
    Size(Box<Set>),
}

#[derive(Clone)]
enum Set {
    /// `s`, of 0..2, or `w`, of 0..3.
    Variable(&'static str),
    Listed(Vec<Number>),
    Joined(char, Box<Set>, Box<Set>),
    Chosen(Box<Condition>, Box<Set>, Box<Set>),
    /// A message that `let` has named.
    Message,
}

#[derive(Clone)]
enum Seq {
    /// `q`, with room for two, or `p`, with room for three; items are of 0..2.
    Variable(&'static str),
    Listed(Vec<Number>),
    Append(Box<Seq>, Number),
    Tail(Box<Seq>),
    Chosen(Box<Condition>, Box<Seq>, Box<Seq>),
}

#[derive(Clone)]
enum Condition {
    In(Number, Set),
    Subset(Set, Set),
    SameSet(Set, Set),
    Empty(Seq),
    SameSeq(Seq, Seq),
    /// `exists m in u: e in m`
    Sent(&'static str, Number),
    Not(Box<Condition>),
}

#[derive(Clone)]
enum Code {
    AssignSet(&'static str, Set),
    AssignSeq(&'static str, Seq),
    AssignX(Number),
    /// `x = head(e);` and `x = e[k];`
    Item(Seq, Option<Number>),
    /// `s += {e};` or `s -= {e};`
    Update(&'static str, char, Number),
    /// `s = o[k];`
    Peek(usize),
    Await(Condition),
    Choose(Set),
    If(Condition, Vec<Code>, Vec<Code>),
    /// To `o` or `u`, whose messages are sets.
    SendSet(&'static str, Set),
    /// To `c` or `v`, whose messages are a set and a sequence.
    SendBoth(&'static str, Set, Seq),
    ReceiveSet(&'static str),
    ReceiveBoth(&'static str),
    /// `let m = u?; s = e;`, where `e` may mention `m`.
    LetSet(&'static str, Set),
    /// A rendezvous passes a set and a sequence to `s` and `q`.
    Pass(Set, Seq),
}

const DECLARED: &str = "shared s: set of 0..2 = any; shared w: set of 0..3 = any; shared x: 0..3 = any;
    shared q: seq[2] of 0..2; shared p: seq[3] of 0..2;
    chan o: [2] lossy of set of 0..2; chan u: [2] unordered lossy duplicating of set of 0..2;
    chan c: [2] duplicating of set of 0..2, seq[2] of 0..2; chan v: [2] unordered of set of 0..2, seq[2] of 0..2;
    chan r: [0] of set of 0..2, seq[2] of 0..2;\n";

fn number(random: &mut Random, depth: usize) -> Number {
    match random.below(if depth == 0 { 4 } else { 5 }) {
        0..=2 => Number::Literal([0, 1, 2, 0, 1, 2, 3][random.below(7)]),
        3 => Number::X,
        _ => Number::Size(Box::new(set(random, 0, false))),
    }
}

fn set(random: &mut Random, depth: usize, message: bool) -> Set {
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 if message => Set::Message,
        0 | 1 => Set::Variable("s"),
        2 => Set::Variable("w"),
        3 | 4 => Set::Listed((0..=random.below(2)).map(|_| number(random, depth)).collect()),
        5..=7 => {
            let sign = ['+', '-', '&'][random.below(3)];
            let (a, b) = (set(random, depth - 1, message), set(random, depth - 1, message));
            Set::Joined(sign, Box::new(a), Box::new(b))
        }
        _ => {
            let (a, b) = (set(random, depth - 1, message), set(random, depth - 1, message));
            Set::Chosen(Box::new(condition(random)), Box::new(a), Box::new(b))
        }
    }
}

fn seq(random: &mut Random, depth: usize) -> Seq {
    match random.below(if depth == 0 { 4 } else { 10 }) {
        0 | 1 => Seq::Variable("q"),
        2 => Seq::Variable("p"),
        3 => Seq::Listed((0..random.below(3)).map(|_| number(random, 0)).collect()),
        4..=6 => Seq::Append(Box::new(seq(random, depth - 1)), number(random, 0)),
        7 | 8 => Seq::Tail(Box::new(seq(random, depth - 1))),
        _ => {
            let (a, b) = (seq(random, depth - 1), seq(random, depth - 1));
            Seq::Chosen(Box::new(condition(random)), Box::new(a), Box::new(b))
        }
    }
}

fn condition(random: &mut Random) -> Condition {
    match random.below(8) {
        0 | 1 => Condition::In(number(random, 0), set(random, 0, false)),
        2 => Condition::Subset(set(random, 0, false), set(random, 0, false)),
        3 => Condition::SameSet(set(random, 0, false), set(random, 0, false)),
        4 => Condition::Empty(seq(random, 0)),
        5 => Condition::SameSeq(seq(random, 0), seq(random, 0)),
        6 => Condition::Sent(["o", "u"][random.below(2)], number(random, 0)),
        _ => Condition::Not(Box::new(condition(random))),
    }
}

fn block(random: &mut Random, depth: usize) -> Vec<Code> {
    (0..=random.below(4)).map(|_| code(random, depth)).collect()
}

fn code(random: &mut Random, depth: usize) -> Code {
    let of_sets = ["o", "u"][random.below(2)];
    let of_both = ["c", "v"][random.below(2)];
    match random.below(if depth == 0 { 22 } else { 25 }) {
        0 | 1 => Code::AssignSet(["s", "w"][random.below(2)], set(random, 2, false)),
        2 | 3 => Code::AssignSeq(["q", "p"][random.below(2)], seq(random, 2)),
        4 => Code::AssignX(number(random, 1)),
        5 => Code::Item(seq(random, 1), None),
        6 => Code::Item(Seq::Variable(["q", "p"][random.below(2)]), Some(number(random, 0))),
        7 => Code::Update(["s", "w"][random.below(2)], ['+', '-'][random.below(2)], number(random, 0)),
        8 => Code::Peek(random.below(2)),
        9 => Code::Await(condition(random)),
        10 => Code::Choose(set(random, 1, false)),
        11..=13 => Code::SendSet(of_sets, set(random, 2, false)),
        14..=16 => Code::SendBoth(of_both, set(random, 1, false), seq(random, 1)),
        17 | 18 => Code::ReceiveSet(of_sets),
        19 => Code::ReceiveBoth(of_both),
        20 | 21 => Code::LetSet(of_sets, set(random, 2, true)),
        _ => Code::If(condition(random), block(random, depth - 1), block(random, depth - 1)),
    }
}

/// The text of a part.
trait Show {
    fn show(&self) -> String;
}

impl Show for Number {
    fn show(&self) -> String {
        match self {
            Number::Literal(value) => value.to_string(),
            Number::X => "x".to_owned(),
            Number::Size(set) => format!("|{}|", set.show()),
        }
    }
}

fn listed(numbers: &[Number]) -> String {
    numbers.iter().map(Show::show).collect::<Vec<_>>().join(", ")
}

impl Show for Set {
    fn show(&self) -> String {
        match self {
            Set::Variable(name) => (*name).to_owned(),
            Set::Listed(members) => format!("{{{}}}", listed(members)),
            Set::Joined(sign, a, b) => format!("({} {sign} {})", a.show(), b.show()),
            Set::Chosen(condition, a, b) => {
                format!("(if {} {{ {} }} else {{ {} }})", condition.show(), a.show(), b.show())
            }
            Set::Message => "m".to_owned(),
        }
    }
}

impl Show for Seq {
    fn show(&self) -> String {
        match self {
            Seq::Variable(name) => (*name).to_owned(),
            Seq::Listed(items) => format!("[{}]", listed(items)),
            Seq::Append(own, item) => format!("append({}, {})", own.show(), item.show()),
            Seq::Tail(own) => format!("tail({})", own.show()),
            Seq::Chosen(condition, a, b) => {
                format!("(if {} {{ {} }} else {{ {} }})", condition.show(), a.show(), b.show())
            }
        }
    }
}

impl Show for Condition {
    fn show(&self) -> String {
        match self {
            Condition::In(number, set) => format!("({} in {})", number.show(), set.show()),
            Condition::Subset(a, b) => format!("({} <= {})", a.show(), b.show()),
            Condition::SameSet(a, b) => format!("({} == {})", a.show(), b.show()),
            Condition::Empty(seq) => format!("empty({})", seq.show()),
            Condition::SameSeq(a, b) => format!("({} == {})", a.show(), b.show()),
            Condition::Sent(channel, number) => format!("(exists n in {channel}: {} in n)", number.show()),
            Condition::Not(inner) => format!("!{}", inner.show()),
        }
    }
}

impl Show for [Code] {
    fn show(&self) -> String {
        self.iter().map(Show::show).collect::<Vec<_>>().join(" ")
    }
}

impl Show for Code {
    fn show(&self) -> String {
        match self {
            Code::AssignSet(name, value) => format!("{name} = {};", value.show()),
            Code::AssignSeq(name, value) => format!("{name} = {};", value.show()),
            Code::AssignX(value) => format!("x = {};", value.show()),
            Code::Item(seq, None) => format!("x = head({});", seq.show()),
            Code::Item(seq, Some(index)) => format!("x = {}[{}];", seq.show(), index.show()),
            Code::Update(name, sign, member) => format!("{name} {sign}= {{{}}};", member.show()),
            Code::Peek(index) => format!("s = o[{index}];"),
            Code::Await(condition) => format!("await {};", condition.show()),
            Code::Choose(set) => format!("choose el in {} {{ x = el; }}", set.show()),
            Code::If(condition, yes, no) => {
                format!("if {} {{ {} }} else {{ {} }}", condition.show(), yes.show(), no.show())
            }
            Code::SendSet(channel, value) => format!("{channel}!{};", value.show()),
            Code::SendBoth(channel, set, seq) => format!("{channel}!{}, {};", set.show(), seq.show()),
            Code::ReceiveSet(channel) => format!("{channel}?s;"),
            Code::ReceiveBoth(channel) => format!("{channel}?s, q;"),
            Code::LetSet(channel, value) => format!("atomic {{ let m = {channel}?; s = {}; }}", value.show()),
            Code::Pass(set, seq) => format!("r!{}, {};", set.show(), seq.show()),
        }
    }
}

/// A message: a set, and perhaps a sequence.
type Message = (Members, Option<Vec<i64>>);

#[derive(Clone)]
struct World {
    sets: BTreeMap<&'static str, Members>,
    seqs: BTreeMap<&'static str, Vec<i64>>,
    x: i64,
    channels: BTreeMap<&'static str, Vec<Message>>,
    message: Members,
}

/// How many messages a channel holds.
const ROOM: usize = 2;

impl World {
    fn number(&self, number: &Number) -> Result<i64, Faulty> {
        Ok(match number {
            Number::Literal(value) => *value,
            Number::X => self.x,
            Number::Size(set) => i64::from(self.set(set)?.count_ones()),
        })
    }

    fn set(&self, set: &Set) -> Result<Members, Faulty> {
        Ok(match set {
            Set::Variable(name) => self.sets[name],
            Set::Listed(members) => {
                let mut all = 0;
                for member in members {
                    all |= 1 << self.number(member)?;
                }
                all
            }
            Set::Joined(sign, a, b) => {
                let (a, b) = (self.set(a)?, self.set(b)?);
                match sign {
                    '+' => a | b,
                    '-' => a & !b,
                    _ => a & b,
                }
            }
            Set::Chosen(condition, a, b) => self.set(if self.condition(condition)? { a } else { b })?,
            Set::Message => self.message,
        })
    }

    fn seq(&self, seq: &Seq) -> Result<Vec<i64>, Faulty> {
        Ok(match seq {
            Seq::Variable(name) => self.seqs[name].clone(),
            Seq::Listed(items) => items.iter().map(|item| self.number(item)).collect::<Result<_, _>>()?,
            Seq::Append(own, item) => {
                let mut own = self.seq(own)?;
                own.push(self.number(item)?);
                own
            }
            Seq::Tail(own) => self.seq(own)?.split_first().ok_or(Faulty)?.1.to_vec(),
            Seq::Chosen(condition, a, b) => self.seq(if self.condition(condition)? { a } else { b })?,
        })
    }

    fn condition(&self, condition: &Condition) -> Result<bool, Faulty> {
        Ok(match condition {
            Condition::In(number, set) => self.set(set)? >> self.number(number)? & 1 == 1,
            Condition::Subset(a, b) => self.set(a)? & !self.set(b)? == 0,
            Condition::SameSet(a, b) => self.set(a)? == self.set(b)?,
            Condition::Empty(seq) => self.seq(seq)?.is_empty(),
            Condition::SameSeq(a, b) => self.seq(a)? == self.seq(b)?,
            Condition::Sent(channel, number) => {
                let number = self.number(number)?;
                self.channels[channel].iter().any(|(set, _)| set >> number & 1 == 1)
            }
            Condition::Not(inner) => !self.condition(inner)?,
        })
    }

    fn store_set(&mut self, name: &'static str, value: Members) -> Result<(), Faulty> {
        if name == "w" && value >= 16 {
            return Err(Faulty);
        }
        self.sets.insert(name, if name == "w" { value } else { fitting(value)? });
        Ok(())
    }

    fn store_seq(&mut self, name: &'static str, value: Vec<i64>) -> Result<(), Faulty> {
        let room = if name == "q" { 2 } else { 3 };
        self.seqs.insert(name, fitting_seq(value, room)?);
        Ok(())
    }

    /// The worlds after a block.
    fn run(self, block: &[Code]) -> Result<Vec<World>, Faulty> {
        let mut worlds = vec![self];
        for code in block {
            let mut next = Vec::new();
            for world in worlds {
                next.extend(world.step(code)?);
            }
            worlds = next;
        }
        Ok(worlds)
    }

    fn step(mut self, code: &Code) -> Result<Vec<World>, Faulty> {
        match code {
            Code::AssignSet(name, value) => self.store_set(name, self.set(value)?)?,
            Code::AssignSeq(name, value) => self.store_seq(name, self.seq(value)?)?,
            Code::AssignX(value) => {
                self.x = self.number(value)?;
                if self.x > 3 {
                    return Err(Faulty);
                }
            }
            Code::Item(seq, index) => {
                let index = index.as_ref().map_or(Ok(0), |index| self.number(index))?;
                self.x = *self.seq(seq)?.get(index as usize).ok_or(Faulty)?;
                if self.x > 3 {
                    return Err(Faulty);
                }
            }
            Code::Update(name, sign, member) => {
                let member = 1 << self.number(member)?;
                let own = self.sets[name];
                self.store_set(name, if *sign == '+' { own | member } else { own & !member })?;
            }
            Code::Peek(index) => {
                let message = self.channels["o"].get(*index).ok_or(Faulty)?.0;
                self.store_set("s", message)?;
            }
            Code::Await(condition) => {
                return Ok(if self.condition(condition)? { vec![self] } else { vec![] });
            }
            Code::Choose(set) => {
                let set = self.set(set)?;
                if set >= 16 {
                    // `x` takes no more than 3.
                    return Err(Faulty);
                }
                let members = (0..4).filter(|member| set >> member & 1 == 1);
                return Ok(members.map(|x| World { x, ..self.clone() }).collect());
            }
            Code::If(condition, yes, no) => {
                let branch = if self.condition(condition)? { yes } else { no };
                return self.run(branch);
            }
            Code::SendSet(channel, set) => return self.send(channel, set, None),
            Code::SendBoth(channel, set, seq) => return self.send(channel, set, Some(seq)),
            Code::ReceiveSet(channel) | Code::ReceiveBoth(channel) => {
                let mut worlds = Vec::new();
                for ((set, seq), mut world) in self.taken(channel) {
                    world.store_set("s", set)?;
                    if let Some(seq) = seq {
                        world.store_seq("q", seq)?;
                    }
                    worlds.push(world);
                }
                return Ok(worlds);
            }
            Code::LetSet(channel, value) => {
                let mut worlds = Vec::new();
                for ((message, _), mut world) in self.taken(channel) {
                    world.message = message;
                    world.store_set("s", world.set(value)?)?;
                    worlds.push(world);
                }
                return Ok(worlds);
            }
            Code::Pass(set, seq) => {
                let (set, seq) = (fitting(self.set(set)?)?, fitting_seq(self.seq(seq)?, 2)?);
                self.store_set("s", set)?;
                self.store_seq("q", seq)?;
            }
        }
        Ok(vec![self])
    }

    fn send(mut self, channel: &'static str, set: &Set, seq: Option<&Seq>) -> Result<Vec<World>, Faulty> {
        if self.channels[channel].len() == ROOM {
            return Ok(Vec::new());
        }
        let set = fitting(self.set(set)?)?;
        let seq = seq.map(|seq| fitting_seq(self.seq(seq)?, 2)).transpose()?;
        self.channels.get_mut(channel).expect("declared").push((set, seq));
        Ok(vec![self])
    }

    /// The messages that can be received, each with the world without it.
    fn taken(&self, channel: &'static str) -> Vec<(Message, World)> {
        let messages = &self.channels[channel];
        let reach = if is_unordered(channel) { messages.len() } else { messages.len().min(1) };
        let take = |at: usize| {
            let mut rest = self.clone();
            let message = rest.channels.get_mut(channel).expect("declared").remove(at);
            (message, rest)
        };
        (0..reach).map(take).collect()
    }

    /// The worlds after a step of a channel that loses or doubles a message.
    fn network(&self, channel: &'static str, loses: bool) -> Vec<World> {
        let messages = &self.channels[channel];
        if !loses && messages.len() == ROOM {
            return Vec::new();
        }
        let change = |at: usize| {
            let mut world = self.clone();
            let own = world.channels.get_mut(channel).expect("declared");
            if loses {
                own.remove(at);
            } else {
                own.insert(at, own[at].clone());
            }
            world
        };
        (0..messages.len()).map(change).collect()
    }

    /// As a text. Bags with the same messages are equal.
    fn text(&self) -> String {
        let mut parts = vec![format!("x = {}", self.x)];
        for (name, members) in &self.sets {
            parts.push(format!("{name} = {}", set_text(*members)));
        }
        for (name, items) in &self.seqs {
            parts.push(format!("{name} = {items:?}"));
        }
        for (name, messages) in &self.channels {
            let message = |(set, seq): &Message| match seq {
                Some(seq) => format!("{},{seq:?}", set_text(*set)),
                None => set_text(*set),
            };
            let mut messages: Vec<String> = messages.iter().map(message).collect();
            if is_unordered(name) {
                messages.sort();
            }
            parts.push(format!("{name} = {messages:?}"));
        }
        parts.join(" ")
    }
}

fn is_unordered(channel: &str) -> bool {
    channel == "u" || channel == "v"
}

fn fitting(set: Members) -> Result<Members, Faulty> {
    if set < 8 { Ok(set) } else { Err(Faulty) }
}

fn fitting_seq(items: Vec<i64>, room: usize) -> Result<Vec<i64>, Faulty> {
    if items.len() <= room && items.iter().all(|item| *item <= 2) { Ok(items) } else { Err(Faulty) }
}

fn set_text(members: Members) -> String {
    let members: Vec<String> =
        (0..4).filter(|member| members >> member & 1 == 1).map(|member| member.to_string()).collect();
    format!("{{{}}}", members.join(", "))
}

/// The world of a state of the model.
fn world(instance: &Instance, state: &State) -> World {
    let bindings = show::state(instance, state);
    let value = |name: &str| &bindings.iter().find(|one| one.name() == name).expect("declared").value;
    let seq = |value: &Value| match value {
        Value::List(items) => items.iter().map(int).collect(),
        other => panic!("{other} is no sequence"),
    };
    let queue = |name: &'static str| match value(name) {
        Value::Queue(messages) => {
            let message = |fields: &Vec<Value>| (members(&fields[0]), fields.get(1).map(seq));
            (name, messages.iter().map(message).collect())
        }
        other => panic!("{other} is no queue"),
    };
    World {
        sets: ["s", "w"].into_iter().map(|name| (name, members(value(name)))).collect(),
        seqs: ["q", "p"].into_iter().map(|name| (name, seq(value(name)))).collect(),
        x: int(value("x")),
        channels: ["o", "u", "c", "v"].into_iter().map(queue).collect(),
        message: 0,
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other} is no number"),
    }
}

fn members(value: &Value) -> Members {
    match value {
        Value::Set(members) => members.iter().map(|member| 1 << int(member)).sum(),
        other => panic!("{other} is no set"),
    }
}

/// Numbers of comparisons.
#[derive(Default)]
struct Seen {
    taken: u64,
    disabled: u64,
    faults: u64,
    refused: u64,
    networks: u64,
}

fn texts(worlds: &[World]) -> Vec<String> {
    let mut texts: Vec<String> = worlds.iter().map(World::text).collect();
    texts.sort();
    texts.dedup();
    texts
}

/// Compares the steps of the action with this name in random initial states with what a block means. Then compares what the
/// channels do.
fn compare(random: &mut Random, text: &str, name: &str, block: &[Code], seen: &mut Seen) {
    let Some(model) = lang::load("test", text, &[]).model else {
        // Something is wrong in every run.
        seen.refused += 1;
        return;
    };
    let instance = model.subject.instance().expect("no parameters");
    let states: Vec<State> = initial_states(instance).map(|state| state.expect("no fault")).collect();
    let steps = |state: &State, name: &str| {
        let action = instance.actions.iter().position(|action| action.name == name);
        // An action whose guard is never true does not exist.
        action
            .map_or(Ok(Vec::new()), |action| semantics::successors(instance, state, ActionId(action as u32)))
    };
    for _ in 0..12 {
        let state = &states[random.below(states.len())];
        let expected = world(instance, state).run(block).map(|worlds| texts(&worlds));
        let found = steps(state, name);
        let shown = found
            .as_ref()
            .map(|found| texts(&found.iter().map(|state| world(instance, state)).collect::<Vec<_>>()));
        match (&expected, &shown) {
            (Err(Faulty), Err(_)) => seen.faults += 1,
            (Ok(expected), Ok(found)) => {
                assert_eq!(expected, found, "in {}: {text}", world(instance, state).text());
                *(if found.is_empty() { &mut seen.disabled } else { &mut seen.taken }) += 1;
            }
            _ => {
                let expected = expected.as_ref().map_err(|Faulty| "a fault");
                panic!("in {}: {expected:?} but {shown:?}: {text}", world(instance, state).text())
            }
        }
        for state in found.iter().flatten() {
            for (name, channel, loses) in [
                ("o.lose", "o", true),
                ("u.lose", "u", true),
                ("u.duplicate", "u", false),
                ("c.duplicate", "c", false),
            ] {
                let own = world(instance, state);
                let found = steps(state, name).expect("no fault");
                seen.networks += u64::from(!found.is_empty());
                let found: Vec<World> = found.iter().map(|state| world(instance, state)).collect();
                assert_eq!(texts(&own.network(channel, loses)), texts(&found), "{name} in {}", own.text());
            }
        }
    }
}

fn count() -> u64 {
    crate::setting("FAIRLY_STEPS", 300)
}

#[test]
fn messages_that_are_sets_and_sequences_are_what_was_sent() {
    let mut seen = Seen::default();
    for seed in 0..count() {
        let random = &mut Random(seed);
        // Channels are empty at first, so something is sent before something is received.
        let mut code = Vec::new();
        for channel in ["o", "u", "c", "v"] {
            let sends = random.below(3) > 0;
            let (set, seq) = (set(random, 0, false), Seq::Variable("q"));
            let both = channel == "c" || channel == "v";
            let send = if both { Code::SendBoth(channel, set, seq) } else { Code::SendSet(channel, set) };
            code.extend(sends.then_some(send));
        }
        code.extend(block(random, 1));
        let text = format!("{DECLARED}process P {{ action a {{ {} }} }}", code.show());
        compare(random, &text, "P.a", &code, &mut seen);
    }
    let Seen { taken, disabled, faults, refused, networks } = seen;
    println!(
        "{taken} taken, {disabled} disabled, {faults} faults, {refused} refused, {networks} steps of channels"
    );
    assert!(taken > count() && disabled > count() && faults > count() && refused < count() / 2);
    assert!(networks > count());
}

#[test]
fn a_rendezvous_passes_sets_and_sequences() {
    let mut seen = Seen::default();
    for seed in 0..count() {
        let random = &mut Random(seed);
        let parts: Vec<Vec<Code>> =
            (0..4).map(|_| (0..random.below(3)).map(|_| code(random, 0)).collect()).collect();
        let (set, seq) = (set(random, 2, false), seq(random, 2));
        let pass = Code::Pass(set, seq);
        let text = format!(
            "{DECLARED}process P {{ action a {{ {} {} {} }} }} process Q {{ action b {{ {} r?s, q; {} }} }}",
            parts[0].show(),
            pass.show(),
            parts[2].show(),
            parts[1].show(),
            parts[3].show()
        );
        let together = [&parts[0][..], &parts[1][..], &[pass], &parts[2][..], &parts[3][..]].concat();
        compare(random, &text, "P.a+Q.b", &together, &mut seen);
    }
    let Seen { taken, disabled, faults, refused, .. } = seen;
    println!("{taken} taken, {disabled} disabled, {faults} faults, {refused} refused");
    assert!(taken > count() && disabled > count() && faults > count() && refused < count() / 2);
}
