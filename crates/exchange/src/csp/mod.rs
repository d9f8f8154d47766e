//! Models in CSP#, the language of PAT [SLDP09]: processes with events, programs attached to events, shared variables.
//!
//! The process of the first assertion is the system. Its parallel parts become processes of ours, each with a variable
//! `at` for its place in the graph of control (`unfold`), and one action for each event it has, whatever the place: so fairness of an action is
//! fairness of an event, as in PAT. An event that several processes of a `||` share is a joint event. A part that comes before the
//! parallel ones, as `Init(); (P() ||| Q())`, is a process too, and the others wait for its end.
//!
//! `case` and `ifa` test together with the first step of what follows, `if` in a step of its own (`tau`). Nothing is assumed
//! about the scheduler except what annotations say: `wf`, `sf`, `f`, and `wl`, `sl`, which ask for an event as soon as its
//! own process is ready for it.

mod data;
mod expressions;
mod moves;
mod parser;
mod syntax;
mod unfold;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use lang::diagnostic::Diagnostic;
use lang::syntax::{
    Binary as Operator, Comments, Event, Expr as Tree, ExprKind, Fair, FairKind, FairWord, File, Initial,
    Item, ItemKind, Label as Name, Member, MemberKind, Members, Network, Party, Process as Family, Span,
    Statement, StatementKind as Do, Type, Unary as Prefix, Variables,
};

use self::data::{Data, Taken};
use self::moves::Move;
use self::syntax::{Annotation, Binary as Binary0, Claim as Claimed, Expr, Kind, Term};
use self::unfold::{Bound, Graph, Known, Label, Message, Transition, Values0, graph};
use crate::import::{Claim, Refused, Translated};
use crate::text::Parsed;
use crate::text::refused;
use crate::tree::{binary, block, declaration, expr, int, name, named, range, statement, unary};

/// The greatest number of different messages of a channel.
const MESSAGES: usize = 256;
/// The greatest number of processes.
const PROCESSES: usize = 2_000;

/// How events are called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As in the file: `rule1.0.1`, `c!2`.
    Original,
    /// As names of our language: `rule1_0_1`, `c_send`.
    Plain,
}

/// Translates a file, and claims about it.
pub(crate) fn translate(text: &str, claims: &[Claim], spelling: Spelling) -> Result<Translated, Refused> {
    let file = parser::file(text)?;
    let known = unfold::known(&file)?;
    let mut names = Names::default();
    names.0.extend(["any", "all"].map(str::to_owned));
    let data = Data::new(&file, &known, &mut |wish| names.claim(wish))?;
    let Some(first) = file.assertions.first() else {
        let message = "there is no assertion";
        let error = Diagnostic::error(Span::default(), message, "nothing says which process is the system");
        return Err(Box::new(error.help("add `#assert P() deadlockfree;`")).into());
    };
    let mut values = Vec::new();
    for argument in &first.arguments {
        values.push(known.constant(argument, &Values0::new())?);
    }
    let mut system = System {
        known: &known,
        data: &data,
        file: &file,
        parts: Vec::new(),
        names,
        place: String::new(),
        channels: BTreeMap::new(),
        handshakes: BTreeSet::new(),
        urgent: None,
        spelling,
    };
    let call = system.call(first, &values)?;
    let used = system.names.0.clone();
    let tree = loop {
        // What is received depends on what is sent, so everything is unfolded until no new message is found.
        system.parts.clear();
        system.names.0.clone_from(&used);
        let tree = system.tree(&call, 0)?;
        if !system.collect_messages()? {
            break tree;
        }
    };
    system.place = system.names.claim("at");
    let mut items = data.declarations(&file)?;
    items.extend(system.channels()?);
    let moves = system.moves(&tree);
    if system.has_atomic() {
        let called = system.names.claim("urgent");
        items.push(system.urgency(&moves, &called)?);
        system.urgent = Some(called);
    }
    let (processes, taken, fairness) = system.processes(&moves)?;
    items.extend(processes);
    if !fairness.is_empty() {
        let span = fairness[0].span;
        let fair = Fair { kind: FairKind::And(fairness), span };
        items.push(declaration(ItemKind::Fairness { name: None, fair }, span));
    }
    let mut warnings = Vec::new();
    for (number, assertion) in file.assertions.iter().enumerate() {
        let own: Parsed<Vec<i64>> =
            assertion.arguments.iter().map(|argument| known.constant(argument, &Values0::new())).collect();
        if assertion.process.text != first.process.text || own? != values {
            let message = "this assertion is left out: it is about another process than the first one";
            warnings.push(Diagnostic::warning(assertion.span, message, "not checked"));
            continue;
        }
        if let Claimed::LeftOut(word) = &assertion.claim {
            let message = format!("this assertion is left out: `{word}` is not supported");
            warnings.push(Diagnostic::warning(assertion.span, message, "not checked"));
            continue;
        }
        let claimed =
            system.claim(&format!("assert_{}", number + 1), &assertion.claim, &taken, assertion.span)?;
        items.push(claimed);
    }
    for (position, claim) in claims.iter().enumerate() {
        let claimed = || -> Parsed<Item> {
            let (word, text) = match claim {
                Claim::Safety(text) => ("safety", text),
                Claim::Ctl(_) => return refused(Span::default(), "PAT has no CTL", "use --ltl"),
                Claim::Ltl(text) => ("ltl", text),
            };
            let called = if claims.len() == 1 { word.to_owned() } else { format!("{word}_{}", position + 1) };
            let formula = parser::formula(text)?;
            let formula = match claim {
                Claim::Safety(_) => {
                    let span = formula.span;
                    let never = Expr { kind: Kind::Not(Box::new(formula)), span };
                    Expr { kind: Kind::Globally(Box::new(never)), span }
                }
                _ => formula,
            };
            system.claim(&called, &Claimed::Formula(formula), &taken, Span::default())
        };
        items.push(claimed().map_err(|error| Refused::Claim(position, error))?);
    }
    Ok(Translated {
        file: File { items, trailing: Vec::new() },
        automata: Vec::new(),
        warnings,
        implied: Vec::new(),
    })
}

/// Names that are in use.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    fn claim(&mut self, wish: &str) -> String {
        let mut name = wish.to_owned();
        while lang::is_reserved(&name) || !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

/// How sequential parts are put together.
enum Tree0 {
    Part(usize),
    Interleave(Vec<Tree0>),
    Parallel(Vec<Tree0>),
    /// A part, then the rest.
    Before(usize, Box<Tree0>),
}

/// A sequential part.
struct Part<'a> {
    called: String,
    graph: Graph<'a>,
    /// The events that it takes together with others.
    alphabet: BTreeSet<Event0>,
    /// The part that must have ended before it begins.
    after: Option<usize>,
    span: Span,
}

struct System<'a> {
    known: &'a Known<'a>,
    data: &'a Data<'a>,
    file: &'a syntax::File,
    parts: Vec<Part<'a>>,
    names: Names,
    /// The name of the variable for places in the graph.
    place: String,
    /// Per channel with room, its name.
    channels: BTreeMap<String, String>,
    /// The channels without room: one process sends while another one receives.
    handshakes: BTreeSet<String>,
    /// The definition that a step inside an `atomic` is possible, if the file has one.
    urgent: Option<String>,
    spelling: Spelling,
}

/// The name and the arguments of an event.
type Event0 = (String, Vec<i64>);

impl<'a> System<'a> {
    fn call(&self, assertion: &'a syntax::Assertion, values: &[i64]) -> Parsed<Bound<'a>> {
        let Some(definition) = self.known.definitions.get(assertion.process.text.as_str()) else {
            let message = format!("there is no process `{}`", assertion.process.text);
            return refused(assertion.process.span, message, "unknown");
        };
        if definition.parameters.len() != values.len() {
            return refused(
                assertion.process.span,
                "the number of arguments is wrong",
                "not as many as parameters",
            );
        }
        let names = definition.parameters.iter().map(|parameter| parameter.text.clone());
        let values = names.zip(values.iter().copied()).collect();
        Ok(Bound { process: &definition.body, values, atomic: false })
    }

    /// Whether a process is a parallel one, perhaps behind calls or a beginning.
    fn is_parallel(&self, own: &Bound<'a>, depth: usize) -> Parsed<bool> {
        if depth > 50 {
            return Ok(false);
        }
        Ok(match &own.process.kind {
            Term::Interleave(_) | Term::Parallel(_) => true,
            Term::Indexed(operator, ..) => {
                matches!(operator, syntax::Operator::Interleave | syntax::Operator::Parallel)
            }
            Term::Call(..) => self.is_parallel(&self.known.called(own)?, depth + 1)?,
            Term::Atomic(inner) => self.is_parallel(&own.with(inner), depth + 1)?,
            Term::Sequence(parts) => {
                let last = own.with(&parts[parts.len() - 1]);
                self.is_parallel(&last, depth + 1)?
            }
            _ => false,
        })
    }

    fn tree(&mut self, own: &Bound<'a>, depth: usize) -> Parsed<Tree0> {
        let bound = |process: &'a syntax::Process| own.with(process);
        if depth > 50 {
            return refused(own.process.span, "parallel processes nest too deep", "recursive");
        }
        match &own.process.kind {
            Term::Interleave(parts) => {
                let parts: Parsed<Vec<Tree0>> =
                    parts.iter().map(|part| self.tree(&bound(part), depth + 1)).collect();
                Ok(Tree0::Interleave(parts?))
            }
            Term::Parallel(parts) => {
                let parts: Parsed<Vec<Tree0>> =
                    parts.iter().map(|part| self.tree(&bound(part), depth + 1)).collect();
                Ok(Tree0::Parallel(parts?))
            }
            Term::Indexed(
                operator @ (syntax::Operator::Interleave | syntax::Operator::Parallel),
                indices,
                body,
            ) => {
                let all = self.known.indexed(indices, &own.values)?;
                let parts =
                    all.into_iter().map(|values| self.tree(&Bound { values, ..own.with(body) }, depth + 1));
                let parts = parts.collect::<Parsed<_>>()?;
                Ok(match operator {
                    syntax::Operator::Interleave => Tree0::Interleave(parts),
                    _ => Tree0::Parallel(parts),
                })
            }
            Term::Atomic(inner) if self.is_parallel(own, 0)? => {
                self.tree(&Bound { atomic: true, ..own.with(inner) }, depth + 1)
            }
            Term::Call(..) if self.is_parallel(own, 0)? => {
                let called = self.known.called(own)?;
                self.tree(&called, depth + 1)
            }
            Term::Sequence(parts) if self.is_parallel(own, 0)? => {
                let (last, before) = parts.split_last().unwrap_or((own.process, &[]));
                let stack: Vec<Bound<'a>> = before.iter().map(bound).collect();
                let first = self.part(stack, "Begin", own)?;
                let rest = self.tree(&bound(last), depth + 1)?;
                self.begins_after(&rest, first);
                Ok(Tree0::Before(first, Box::new(rest)))
            }
            kind => {
                let wish = match kind {
                    Term::Call(name, arguments) => {
                        let mut wish = name.text.clone();
                        for argument in arguments {
                            wish += &format!("_{}", self.known.constant(argument, &own.values)?)
                                .replace('-', "m");
                        }
                        wish
                    }
                    _ => "System".to_owned(),
                };
                Ok(Tree0::Part(self.part(vec![own.clone()], &wish, own)?))
            }
        }
    }

    fn begins_after(&mut self, tree: &Tree0, first: usize) {
        match tree {
            Tree0::Part(part) | Tree0::Before(part, _) => {
                let after = &mut self.parts[*part].after;
                *after = after.or(Some(first));
            }
            Tree0::Interleave(parts) | Tree0::Parallel(parts) => {
                for part in parts {
                    self.begins_after(part, first);
                }
            }
        }
    }

    fn part(&mut self, stack: Vec<Bound<'a>>, wish: &str, own: &Bound<'a>) -> Parsed<usize> {
        if self.parts.len() >= PROCESSES {
            return refused(own.process.span, "there are too many processes", "too many");
        }
        let graph = graph(self.known, stack)?;
        let declared = match &own.process.kind {
            Term::Call(name, _) => self.file.alphabets.iter().find(|(other, _)| other.text == name.text),
            _ => None,
        };
        let alphabet = if let Some((_, events)) = declared {
            let values = self.known.called(own)?.values;
            let mut found = BTreeSet::new();
            for event in events {
                if let Label::Event(name, arguments) = self.known.listed(event, &values)? {
                    found.insert((name, arguments));
                }
            }
            found
        } else {
            // An event with a program belongs to its process alone.
            let shared = graph.transitions.iter().filter(|transition| transition.program.is_empty());
            shared.filter_map(|transition| event_of(&transition.label)).collect()
        };
        let called = self.names.claim(wish);
        self.parts.push(Part { called, graph, alphabet, after: None, span: own.process.span });
        Ok(self.parts.len() - 1)
    }

    /// Notes the messages that are sent; whether there are new ones.
    fn collect_messages(&self) -> Parsed<bool> {
        let mut new = false;
        let mut messages = self.known.messages.borrow_mut();
        for transition in self.parts.iter().flat_map(|part| &part.graph.transitions) {
            let Some(Message::Sends(channel, sent)) = &transition.message else { continue };
            let mut all: Vec<Vec<i64>> = vec![Vec::new()];
            for value in *sent {
                let range = self.data.interval_at(value, &transition.values);
                let Some((lo, hi)) = range.filter(|(lo, hi)| hi - lo < MESSAGES as i64) else {
                    return refused(
                        value.span,
                        "too many different values are sent here",
                        "give its variables ranges",
                    );
                };
                let longer = |message: &Vec<i64>| {
                    (lo..=hi).map(|value| [&message[..], &[value]].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(longer).collect();
                if all.len() > MESSAGES {
                    return refused(value.span, "too many different messages are sent here", "at most 256");
                }
            }
            let known = messages.entry(channel.clone()).or_default();
            for message in all {
                new |= known.insert(message);
            }
            if known.len() > MESSAGES {
                return refused(
                    transition.span,
                    "too many different messages are sent on this channel",
                    "at most 256",
                );
            }
        }
        Ok(new)
    }

    /// The declarations of channels.
    fn channels(&mut self) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        for (own, capacity) in &self.file.channels {
            let capacity_value = self.known.constant(capacity, &Values0::new())?;
            let messages = self.known.messages.borrow().get(&own.text).cloned().unwrap_or_default();
            let Some(length) = messages.iter().map(Vec::len).next() else { continue };
            if messages.iter().any(|message| message.len() != length) {
                return refused(
                    own.span,
                    "messages of this channel have different numbers of values",
                    "not supported",
                );
            }
            let field = |at: usize| {
                let values = || messages.iter().map(|message| message[at]);
                Type::Range(range(values().min().unwrap_or(0), values().max().unwrap_or(0), own.span))
            };
            if capacity_value < 1 {
                self.handshakes.insert(own.text.clone());
                continue;
            }
            let called = self.names.claim(&own.text);
            let kind = ItemKind::Chan {
                name: name(called.clone(), own.span),
                range: None,
                capacity: int(capacity_value, own.span),
                network: Network::default(),
                fields: (0..length).map(field).collect(),
            };
            items.push(declaration(kind, own.span));
            self.channels.insert(own.text.clone(), called);
        }
        Ok(items)
    }

    /// The processes, where each event is taken, and fairness that no annotation of ours expresses.
    fn processes(&mut self, moves: &[Move]) -> Parsed<(Vec<Item>, Taken, Vec<Fair>)> {
        let mut items = Vec::new();
        let mut taken = Taken::new();
        let mut fairness = Vec::new();
        // Per part: its actions.
        let mut actions: Vec<Vec<Member>> = self.parts.iter().map(|_| Vec::new()).collect();
        let mut labels: Vec<HashSet<String>> = self.parts.iter().map(|_| HashSet::new()).collect();
        for own in moves {
            let event = own.event();
            let joint = match &event {
                Some(event) if own.members.len() > 1 => {
                    Some(self.names.claim(&spelt(event, Spelling::Plain)))
                }
                _ => None,
            };
            if let Some(joint) = &joint {
                let span = self.parts[own.members[0].0].span;
                items.push(declaration(ItemKind::Event(vec![name(joint.clone(), span)]), span));
            }
            for (position, (part, label)) in own.members.iter().enumerate() {
                let wish = match &event {
                    Some(event) => spelt(event, self.spelling),
                    None => self.unshared(label),
                };
                let called = unique(&mut labels[*part], &wish);
                let (action, live) = self.action(own, position, &called, joint.as_deref())?;
                let span = action.span;
                actions[*part].push(action);
                // One of those who take it together is enough to speak of it.
                if let (0, Some(event)) = (position, &event) {
                    let place = (self.parts[*part].called.clone(), called, span);
                    taken.entry(event.clone()).or_default().push(place);
                }
                fairness.extend(live);
            }
        }
        for (part, actions) in self.parts.iter().zip(actions) {
            let span = part.span;
            let variables = Variables {
                names: vec![name(self.place.clone(), span)],
                kind: Type::Range(range(0, part.graph.nodes as i64 - 1, span)),
                initial: Some(Initial::Value(int(0, span))),
            };
            let mut members =
                vec![Member { kind: MemberKind::Local(variables), span, comments: Comments::default() }];
            members.extend(actions);
            let family = Family {
                environment: false,
                name: name(part.called.clone(), span),
                indices: Vec::new(),
                members,
                body: Vec::new(),
                trailing: Vec::new(),
            };
            items.push(declaration(ItemKind::Process(family), span));
        }
        Ok((items, taken, fairness))
    }

    /// The name of what a part does alone and that is no event.
    fn unshared(&self, label: &Label) -> String {
        let is_original = self.spelling == Spelling::Original;
        match label {
            Label::Silent | Label::Event(..) => "tau".to_owned(),
            Label::Sends(channel) if is_original => format!("{channel}!"),
            Label::Sends(channel) => format!("{channel}_send"),
            Label::Receives(channel, message) if is_original => {
                let values: Vec<String> = message.iter().map(i64::to_string).collect();
                format!("{channel}?{}", values.join("."))
            }
            Label::Receives(channel, message) => {
                spelt(&(format!("{channel}_receive"), message.clone()), Spelling::Plain)
            }
        }
    }

    /// What a transition does to a channel with room.
    fn message(&self, transition: &Transition) -> Parsed<Vec<Statement>> {
        let span = transition.span;
        let Some(message) = &transition.message else { return Ok(Vec::new()) };
        let (Message::Sends(channel, _) | Message::Receives(channel, _)) = message;
        if self.handshakes.contains(channel) {
            return Ok(Vec::new());
        }
        let Some(called) = self.channels.get(channel) else {
            return refused(span, format!("there is no channel `{channel}`"), "not declared");
        };
        let channel = named(called.clone(), span);
        match message {
            Message::Sends(_, sent) => {
                let values: Parsed<Vec<Tree>> =
                    sent.iter().map(|value| self.data.number(value, &transition.values)).collect();
                Ok(vec![statement(Do::Send { channel, values: values? }, span)])
            }
            Message::Receives(_, received) => {
                let names: Vec<String> =
                    (0..received.len()).map(|at| format!("{}_got{at}", self.place)).collect();
                let bound = names.iter().map(|own| Some(name(own.clone(), span))).collect();
                let mut steps =
                    vec![statement(Do::Let { names: bound, value: channel, receives: true }, span)];
                for (own, value) in names.into_iter().zip(received) {
                    let same = binary(Operator::Eq, named(own, span), int(*value, span));
                    steps.push(statement(Do::Await(same), span));
                }
                Ok(steps)
            }
        }
    }

    /// The action of a member of a move: all its transitions for it. Those who take a joint event look at the state before it, and
    /// then do their parts, so what each waits for comes before the event.
    fn action(
        &self,
        together: &Move,
        position: usize,
        called: &str,
        joint: Option<&str>,
    ) -> Parsed<(Member, Vec<Fair>)> {
        let (own, ref label) = together.members[position];
        let transitions = self.parts[own].graph.transitions.iter();
        let transitions: Vec<&Transition> =
            transitions.filter(|transition| transition.label == *label).collect();
        let part = &self.parts[own];
        let span = transitions.first().map_or(part.span, |transition| transition.span);
        let mut branches = Vec::new();
        let (mut conditions, mut ready) = (Vec::new(), Vec::new());
        for transition in &transitions {
            let condition = self.condition(own, transition)?;
            ready.push(condition.clone());
            let mut all = vec![condition];
            if !transition.atomic {
                all.extend(self.waits(own, together, span)?);
            }
            if let (Some(Message::Sends(_, sent)), Some(message)) = (&transition.message, &together.message) {
                all.extend(self.sends_exactly(sent, transition, Some(message))?);
            }
            conditions.push(joined(Operator::And, all, transition.span));
            let mut steps = self.message(transition)?;
            steps.extend(self.data.program(transition.program, &transition.values)?);
            if transition.from != transition.to {
                let (target, value) = (named(self.place.clone(), span), int(transition.to as i64, span));
                steps.push(statement(
                    Do::Assign { targets: vec![target], values: vec![value] },
                    transition.span,
                ));
            }
            branches.push(steps);
        }
        let mut body: Vec<Statement> = Vec::new();
        let wait = |tree: Tree| statement(Do::Await(tree), span);
        let sync = joint.map(|joint| statement(Do::Sync(name(joint, span)), span));
        if let (true, Some(sync)) = (branches.len() > 1, &sync) {
            for (at, condition) in conditions.iter_mut().enumerate() {
                let called = format!("{}_ready{at}", self.place);
                let names = vec![Some(name(called.clone(), span))];
                let value = std::mem::replace(condition, named(called, span));
                body.push(statement(Do::Let { names, value, receives: false }, span));
            }
            body.push(wait(joined(Operator::Or, conditions.clone(), span)));
            body.push(sync.clone());
        }
        let only = branches.len() == 1;
        let mut blocks = conditions.into_iter().zip(branches).map(|(condition, steps)| {
            let sync = sync.clone().filter(|_| only);
            [wait(condition)].into_iter().chain(sync).chain(steps).collect::<Vec<_>>()
        });
        if only {
            body.extend(blocks.next().into_iter().flatten());
        } else {
            body.push(statement(Do::Either(blocks.map(|steps| block(steps, span)).collect()), span));
        }
        let asked: Vec<Annotation> =
            transitions.iter().filter_map(|transition| transition.annotation).collect();
        let annotation = asked.iter().find_map(|annotation| match annotation {
            Annotation::Weak => Some(FairWord::Weak),
            Annotation::Strong => Some(FairWord::Strong),
            Annotation::Unconditional => Some(FairWord::Unconditional),
            Annotation::WeakLive | Annotation::StrongLive => None,
        });
        let mut live = Vec::new();
        let taken = Self::taken(&part.called, called, span);
        let ready = joined(Operator::Or, ready, span);
        // Elsewhere the place of a process is read with its name.
        let ready = qualified(&ready, &self.place, &part.called);
        for annotation in asked {
            let kind = match annotation {
                Annotation::WeakLive => {
                    let idle = unary(Prefix::Not, ready.clone());
                    FairKind::Justice(binary(Operator::Or, taken.clone(), idle))
                }
                Annotation::StrongLive => FairKind::Compassion(ready.clone(), taken.clone()),
                _ => continue,
            };
            live.push(Fair { kind, span });
        }
        let label = Name { name: name(called, span), annotation };
        let kind = MemberKind::Action {
            environment: false,
            label,
            parameters: Vec::new(),
            guard: None,
            body: block(body, span),
        };
        Ok((Member { kind, span, comments: Comments::default() }, live))
    }

    fn taken(process: &str, label: &str, span: Span) -> Tree {
        let party =
            Party { process: name(process, span), indices: Vec::new(), label: Some(name(label, span)) };
        expr(ExprKind::Taken(Event { parties: vec![party], arguments: None, span }), span)
    }

    /// When a transition can be taken.
    fn condition(&self, own: usize, transition: &Transition) -> Parsed<Tree> {
        let part = &self.parts[own];
        let span = transition.span;
        let mut parts =
            vec![binary(Operator::Eq, named(self.place.clone(), span), int(transition.from as i64, span))];
        if let (Some(first), 0) = (part.after, transition.from) {
            let Some(end) = self.parts[first].graph.end else {
                return refused(span, "what comes before this never ends", "so it never begins");
            };
            let process = Box::new(named(self.parts[first].called.clone(), span));
            let at = expr(ExprKind::Field(process, name(self.place.clone(), span)), span);
            parts.push(binary(Operator::Eq, at, int(end as i64, span)));
        }
        for guard in &transition.guards {
            let tree = self.data.truth(guard.expression, &guard.values)?;
            parts.push(if guard.negated { unary(Prefix::Not, tree) } else { tree });
        }
        Ok(joined(Operator::And, parts, span))
    }

    fn claim(&self, called: &str, claim: &Claimed, taken: &Taken, span: Span) -> Parsed<Item> {
        let (name, family) = (name(called, span), Members::default());
        match claim {
            Claimed::DeadlockFree => {
                // A process that has ended is not stuck.
                let ended = self.parts.iter().map(|part| match part.graph.end {
                    Some(end) => {
                        let process = Box::new(named(part.called.clone(), span));
                        let at =
                            expr(ExprKind::Field(process, crate::tree::name(self.place.clone(), span)), span);
                        binary(Operator::Eq, at, int(end as i64, span))
                    }
                    None => expr(ExprKind::Bool(false), span),
                });
                let ended = joined(Operator::And, ended.collect(), span);
                let body = binary(Operator::Implies, expr(ExprKind::Deadlock, span), ended);
                Ok(declaration(ItemKind::Invariant { name, family, body, expect: None }, span))
            }
            Claimed::Nonterminating => {
                let body = unary(Prefix::Not, expr(ExprKind::Deadlock, span));
                Ok(declaration(ItemKind::Invariant { name, family, body, expect: None }, span))
            }
            Claimed::LeftOut(word) => refused(span, format!("`{word}` is not supported"), "not checked"),
            Claimed::Reaches(goal) => {
                let body = unary(Prefix::SomeFinally, self.formula(goal, taken)?);
                Ok(declaration(ItemKind::Property { name, family, body, under: None, expect: None }, span))
            }
            Claimed::Formula(formula) => {
                let body = self.formula(formula, taken)?;
                Ok(declaration(ItemKind::Property { name, family, body, under: None, expect: None }, span))
            }
        }
    }

    /// A formula over conditions and events.
    fn formula(&self, formula: &Expr, taken: &Taken) -> Parsed<Tree> {
        let span = formula.span;
        let of = |part: &Expr| self.formula(part, taken);
        let both = |operator: Operator, a: &Expr, b: &Expr| Ok(binary(operator, of(a)?, of(b)?));
        match &formula.kind {
            Kind::Globally(a) => Ok(unary(Prefix::Globally, of(a)?)),
            Kind::Finally(a) => Ok(unary(Prefix::Finally, of(a)?)),
            Kind::Next(a) => Ok(unary(Prefix::Next, of(a)?)),
            Kind::Not(a) => Ok(unary(Prefix::Not, of(a)?)),
            Kind::Binary(operator, a, b) => match operator {
                Binary0::Or => both(Operator::Or, a, b),
                Binary0::And => both(Operator::And, a, b),
                Binary0::Implies => both(Operator::Implies, a, b),
                Binary0::Iff => both(Operator::Iff, a, b),
                Binary0::Xor => Ok(unary(Prefix::Not, both(Operator::Iff, a, b)?)),
                Binary0::Until => both(Operator::Until, a, b),
                Binary0::Release => both(Operator::Release, a, b),
                Binary0::WeakUntil => both(Operator::WeakUntil, a, b),
                _ => self.data.truth(formula, &Values0::new()),
            },
            Kind::Name(own, arguments) => {
                let is_data = self.data.variables.contains_key(own.as_str())
                    || self.known.constants.contains_key(own.as_str())
                    || self.known.defines.contains_key(own.as_str());
                if is_data && arguments.is_empty() {
                    // A definition may itself be a formula over events.
                    if let Some(meaning) = self.known.defines.get(own.as_str())
                        && !self.data.defines.contains_key(own.as_str())
                        && self.data.known.evaluate(meaning, &Values0::new(), 0).is_none()
                    {
                        return of(meaning);
                    }
                    return self.data.truth(formula, &Values0::new());
                }
                let values: Parsed<Vec<i64>> =
                    arguments.iter().map(|argument| self.known.constant(argument, &Values0::new())).collect();
                let Some(places) = taken.get(&(own.clone(), values?)) else {
                    return refused(
                        span,
                        format!("there is no event, variable or definition `{own}`"),
                        "unknown",
                    );
                };
                let parts = places.iter().map(|(process, label, _)| Self::taken(process, label, span));
                Ok(joined(Operator::Or, parts.collect(), span))
            }
            _ => self.data.truth(formula, &Values0::new()),
        }
    }
}

fn event_of(label: &Label) -> Option<Event0> {
    if let Label::Event(name, arguments) = label { Some((name.clone(), arguments.clone())) } else { None }
}

/// The name of an action for an event: `rule1.0.1`, or `rule1_0_1`.
fn spelt((name, arguments): &Event0, spelling: Spelling) -> String {
    let parts = arguments.iter().map(|argument| match spelling {
        Spelling::Original => format!(".{argument}"),
        Spelling::Plain => format!("_{argument}").replace('-', "m"),
    });
    std::iter::once(name.clone()).chain(parts).collect()
}

fn unique(used: &mut HashSet<String>, wish: &str) -> String {
    let mut label = wish.to_owned();
    while lang::is_reserved(&label) || !used.insert(label.clone()) {
        label.push('_');
    }
    label
}

/// A conjunction or disjunction.
fn joined(operator: Operator, parts: Vec<Tree>, span: Span) -> Tree {
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| expr(ExprKind::Bool(operator == Operator::And), span));
    parts.fold(first, |all, part| binary(operator, all, part))
}

/// An expression of a process as others read it.
fn qualified(tree: &Tree, place: &str, process: &str) -> Tree {
    let go = |part: &Tree| Box::new(qualified(part, place, process));
    let kind = match &tree.kind {
        ExprKind::Name(own) if own == place => {
            let process = Box::new(named(process, tree.span));
            ExprKind::Field(process, name(place, tree.span))
        }
        ExprKind::Unary(operator, a) => ExprKind::Unary(*operator, go(a)),
        ExprKind::Binary(operator, a, b) => ExprKind::Binary(*operator, go(a), go(b)),
        other => other.clone(),
    };
    Tree { kind, span: tree.span }
}
