//! Reads an automaton.
//!
//! We read Büchi and generalised Büchi acceptance, on edges or on states (the marks of a state are those of all edges
//! that leave it), and the acceptance condition `t`. Every other condition is refused by name. Labels may be on edges
//! or on states. Without labels, a state has an edge for each letter, in the order of the numbers whose bits are the
//! propositions. An edge whose label is not a cube becomes several edges. Alternation is refused.
//!
//! As the format requires, unknown headers are refused if they begin with a capital letter and ignored otherwise. A
//! message begins with the line it is about. Texts that are too large are refused early.

use std::collections::HashMap;

use model::automaton::{Automaton, Cube, Edge};

use super::labels::Labels;
use super::tokens::{Token, tokens};

/// Advice for an automaton of another kind.
const TOOL: &str = "a tool such as Spot's `autfilt` may";

/// Limit on the number of states.
const STATES: usize = 1 << 20;

/// Limit on the number of edges. An edge counts once per cube of its label.
const EDGES: usize = 1 << 20;

/// Limit on the number of propositions.
const PROPOSITIONS: usize = 1 << 12;

/// Limit on the number of acceptance sets.
const SETS: usize = 1 << 10;

/// Limit on the number of propositions of an automaton without labels.
const IMPLICIT: usize = 16;

/// Reads an automaton over its propositions. The error is a message.
pub fn read(text: &str) -> Result<Automaton<String>, String> {
    let tokens = tokens(text)?;
    let labels = Labels { tokens: &tokens, position: 0, propositions: 0, aliases: HashMap::new() };
    let mut reader =
        Reader { labels, propositions: None, states: None, initial: Vec::new(), sets: Vec::new(), edges: 0 };
    reader.automaton().map_err(|message| format!("line {}: {message}", reader.line()))
}

struct Reader<'a> {
    /// The reader of labels, which owns the tokens.
    labels: Labels<'a>,
    propositions: Option<Vec<String>>,
    states: Option<usize>,
    initial: Vec<usize>,
    /// Per acceptance set, its mark, if the acceptance condition mentions it.
    sets: Vec<Option<usize>>,
    /// The number of edges read so far.
    edges: usize,
}

impl Reader<'_> {
    fn automaton(&mut self) -> Result<Automaton<String>, String> {
        self.header()?;
        let states = self.body()?;
        if let Some((token, _)) = self.labels.tokens.get(self.labels.position) {
            return Err(format!("a text holds one automaton, and after its end there is {}", shown(token)));
        }
        if let Some(state) = self.initial.iter().find(|state| **state >= states.len()) {
            return Err(format!("the initial state {state} does not exist"));
        }
        self.initial.sort_unstable();
        self.initial.dedup();
        Ok(Automaton {
            atoms: self.propositions.take().unwrap_or_default(),
            initial: std::mem::take(&mut self.initial),
            states,
            marks: self.sets.iter().flatten().count(),
        })
    }

    fn header(&mut self) -> Result<(), String> {
        let begins = matches!(self.next(), Some(Token::Header(name)) if name == "HOA")
            && matches!(self.next(), Some(Token::Word(version)) if version == "v1");
        if !begins {
            return Err("the text does not begin with `HOA: v1`".to_owned());
        }
        let (mut condition, mut kind) = (None, None);
        loop {
            let header = match self.next() {
                Some(Token::Header(name)) => name,
                Some(Token::Mark(mark)) if mark == "BODY" => break,
                Some(other) => {
                    return Err(format!("expected a header or `--BODY--`, found {}", shown(&other)));
                }
                None => return Err("the text ends before `--BODY--`".to_owned()),
            };
            let twice = match header.as_str() {
                "States" => self.states.is_some(),
                "AP" => self.propositions.is_some(),
                "Acceptance" => condition.is_some(),
                _ => false,
            };
            if twice {
                return Err(format!("there are two headers `{header}:`"));
            }
            match header.as_str() {
                "States" => self.states = Some(self.number("the number of states", STATES)?),
                "Start" => {
                    let state = self.number("a state", STATES)?;
                    if self.peek() == Some(&Token::Symbol('&')) {
                        return Err(format!(
                            "alternation (several initial states at once) is not supported; {TOOL} remove it"
                        ));
                    }
                    self.initial.push(state);
                }
                "AP" => {
                    let count = self.number("the number of propositions", PROPOSITIONS)?;
                    let mut names = Vec::new();
                    while let Some(Token::Text(name)) = self.peek() {
                        names.push(name.clone());
                        self.labels.position += 1;
                    }
                    if names.len() != count {
                        return Err(format!(
                            "{count} propositions are announced and {} are named",
                            names.len()
                        ));
                    }
                    self.labels.propositions = count;
                    self.propositions = Some(names);
                }
                "Alias" => {
                    let Some(Token::Alias(name)) = self.next() else {
                        return Err("expected the name of an alias".to_owned());
                    };
                    let label = self.labels.label()?;
                    self.labels.aliases.insert(name, label);
                }
                "Acceptance" => condition = Some(self.condition()?),
                "acc-name" => {
                    if let Some(Token::Word(name)) = self.peek() {
                        kind = Some(name.clone());
                    }
                    self.skip_to_header();
                }
                other if other.starts_with(|c: char| c.is_ascii_uppercase()) => {
                    return Err(format!("the header `{other}:` is not supported"));
                }
                _ => self.skip_to_header(),
            }
        }
        match condition {
            Some(Some(sets)) => self.sets = sets,
            Some(None) => {
                let name = kind.as_deref().unwrap_or("this");
                return Err(format!(
                    "{name} acceptance is not supported, only Büchi and generalised Büchi are; {TOOL} turn it into one of these"
                ));
            }
            None => return Err("there is no `Acceptance:` header".to_owned()),
        }
        Ok(())
    }

    /// An acceptance condition: the mark of each set if it is a conjunction of `Inf`, else `None`.
    fn condition(&mut self) -> Result<Option<Vec<Option<usize>>>, String> {
        let count = self.number("the number of acceptance sets", SETS)?;
        let mut infinite = vec![false; count];
        let mut supported = true;
        while let Some(token) = self.peek().cloned() {
            match token {
                Token::Word(word) if word == "Inf" || word == "Fin" => {
                    self.labels.position += 1;
                    let open = self.eat('(');
                    supported &= word == "Inf" && !self.eat('!');
                    // `Fin(!0)` and the like are refused above, and read here.
                    self.eat('!');
                    let set = self.number("an acceptance set", count.saturating_sub(1))?;
                    if !open || !self.eat(')') || set >= count {
                        return Err("expected `Inf(…)` with the number of an acceptance set".to_owned());
                    }
                    infinite[set] = true;
                }
                Token::Word(word) if word == "t" => self.labels.position += 1,
                Token::Word(word) if word == "f" => {
                    supported = false;
                    self.labels.position += 1;
                }
                Token::Symbol('|') => {
                    supported = false;
                    self.labels.position += 1;
                }
                Token::Symbol('&' | '(' | ')') => self.labels.position += 1,
                _ => break,
            }
        }
        let mut marks = 0;
        let numbered = infinite.into_iter().map(|infinite| {
            infinite.then(|| {
                marks += 1;
                marks - 1
            })
        });
        let numbered = numbered.collect();
        Ok(supported.then_some(numbered))
    }

    fn body(&mut self) -> Result<Vec<Vec<Edge>>, String> {
        let mut states: Vec<Option<Vec<Edge>>> = vec![None; self.states.unwrap_or(0)];
        loop {
            match self.next() {
                Some(Token::Header(name)) if name == "State" => {}
                Some(Token::Mark(mark)) if mark == "END" => break,
                Some(Token::Mark(mark)) if mark == "ABORT" => {
                    return Err("the automaton was aborted".to_owned());
                }
                Some(other) => {
                    return Err(format!("expected `State:` or `--END--`, found {}", shown(&other)));
                }
                None => return Err("the text ends before `--END--`".to_owned()),
            }
            let label = self.bracketed()?;
            let state = self.number("a state", STATES)?;
            if let Some(Token::Text(_)) = self.peek() {
                self.labels.position += 1;
            }
            let marks = self.marks()?;
            let edges = self.edges(label.as_deref(), &marks)?;
            if self.states.is_some_and(|count| state >= count) {
                return Err(format!("state {state} does not exist"));
            }
            if states.len() <= state {
                states.resize(state + 1, None);
            }
            if states[state].replace(edges).is_some() {
                return Err(format!("state {state} is described twice"));
            }
        }
        let count = states.len();
        let states: Vec<Vec<Edge>> = states.into_iter().map(Option::unwrap_or_default).collect();
        match states.iter().flatten().find(|edge| edge.target >= count) {
            Some(edge) => Err(format!("state {} does not exist", edge.target)),
            None => Ok(states),
        }
    }

    /// The edges of a state. `of_state` and `marks` are the label and the marks of the state, which apply to all of
    /// them.
    fn edges(&mut self, of_state: Option<&[Cube]>, marks: &[usize]) -> Result<Vec<Edge>, String> {
        let mut edges = Vec::new();
        let mut implicit = 0;
        while matches!(self.peek(), Some(Token::Symbol('[') | Token::Number(_))) {
            let own = self.bracketed()?;
            let target = self.number("a state", STATES)?;
            if self.peek() == Some(&Token::Symbol('&')) {
                return Err(format!(
                    "alternation (an edge to several states) is not supported; {TOOL} remove it"
                ));
            }
            let mut all = self.marks()?;
            all.extend(marks);
            all.sort_unstable();
            all.dedup();
            let cubes = match (own, of_state) {
                (Some(_), Some(_)) => return Err("both a state and one of its edges have a label".to_owned()),
                (Some(cubes), None) => cubes,
                (None, Some(cubes)) => cubes.to_vec(),
                (None, None) => {
                    implicit += 1;
                    vec![self.letter(implicit - 1)?]
                }
            };
            self.edges += cubes.len();
            if self.edges > EDGES {
                return Err(format!("the automaton has more than {EDGES} edges"));
            }
            edges.extend(cubes.into_iter().map(|cube| Edge { cube, marks: all.clone(), target }));
        }
        if implicit > 0 && (implicit != 1 << self.labels.propositions || implicit < edges.len()) {
            return Err("a state has an edge for each letter, or labels on all edges".to_owned());
        }
        Ok(edges)
    }

    /// The cube of the letter with this number.
    fn letter(&self, number: usize) -> Result<Cube, String> {
        let propositions = self.labels.propositions;
        if propositions > IMPLICIT {
            return Err(format!("an automaton without labels has at most {IMPLICIT} propositions"));
        }
        let (positive, negative) = (0..propositions).partition(|atom| number >> atom & 1 == 1);
        Ok(Cube { positive, negative })
    }

    /// A label in brackets, if there is one.
    fn bracketed(&mut self) -> Result<Option<Vec<Cube>>, String> {
        if !self.eat('[') {
            return Ok(None);
        }
        let label = self.labels.label()?;
        if self.eat(']') { Ok(Some(label.cubes)) } else { Err("a label ends with `]`".to_owned()) }
    }

    /// The marks in braces, if there are any. Sets that the acceptance condition does not mention are left out.
    fn marks(&mut self) -> Result<Vec<usize>, String> {
        let mut marks = Vec::new();
        if self.eat('{') {
            while !self.eat('}') {
                let set = self.number("an acceptance set", STATES)?;
                let Some(mark) = self.sets.get(set) else {
                    return Err(format!("there is no acceptance set {set}"));
                };
                marks.extend(mark);
            }
        }
        Ok(marks)
    }

    fn number(&mut self, what: &str, greatest: usize) -> Result<usize, String> {
        match self.next() {
            Some(Token::Number(number)) if number <= greatest => Ok(number),
            Some(Token::Number(number)) => Err(format!("{number} is too large for {what}")),
            Some(other) => Err(format!("expected {what}, found {}", shown(&other))),
            None => Err(format!("expected {what}, and the text ends")),
        }
    }

    fn skip_to_header(&mut self) {
        while !matches!(self.peek(), None | Some(Token::Header(_) | Token::Mark(_))) {
            self.labels.position += 1;
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.labels.tokens.get(self.labels.position).map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek().cloned();
        self.labels.position += usize::from(token.is_some());
        token
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(&Token::Symbol(symbol));
        self.labels.position += usize::from(found);
        found
    }

    /// The line of the token read last.
    fn line(&self) -> usize {
        let last =
            self.labels.tokens.get(self.labels.position.saturating_sub(1)).or(self.labels.tokens.last());
        last.map_or(1, |(_, line)| *line)
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Header(name) => format!("`{name}:`"),
        Token::Word(word) => format!("`{word}`"),
        Token::Text(text) => format!("\"{text}\""),
        Token::Number(number) => format!("`{number}`"),
        Token::Alias(name) => format!("`@{name}`"),
        Token::Symbol(symbol) => format!("`{symbol}`"),
        Token::Mark(mark) => format!("`--{mark}--`"),
    }
}
