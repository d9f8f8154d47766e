//! Reads Boolean labels as cubes.
//!
//! A label is read into the cubes of its disjunctive normal form and, at the same time, into those of its negation, in
//! case there is a `!` around it. Both may be exponentially long; beyond [`CUBES`] the label is refused.

use std::collections::HashMap;

use model::automaton::Cube;

use super::tokens::Token;
use automata::cubes;

/// Limit on the cubes of a label.
const CUBES: usize = 4_096;

/// Limit on the nesting of parentheses and negations.
const NESTING: usize = 200;

/// The cubes of a label, and those of its negation.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) cubes: Vec<Cube>,
    negation: Vec<Cube>,
}

/// A reader of labels.
pub(super) struct Labels<'a> {
    pub(super) tokens: &'a [(Token, usize)],
    pub(super) position: usize,
    /// The number of propositions.
    pub(super) propositions: usize,
    pub(super) aliases: HashMap<String, Label>,
}

impl Labels<'_> {
    /// A label. Stops at the first token that is not part of it.
    pub(super) fn label(&mut self) -> Result<Label, String> {
        self.disjunction(0)
    }

    fn disjunction(&mut self, depth: usize) -> Result<Label, String> {
        let mut label = self.conjunction(depth)?;
        while self.eat('|') {
            let other = self.conjunction(depth)?;
            label = Label {
                cubes: either(label.cubes, other.cubes)?,
                negation: both(&label.negation, &other.negation)?,
            };
        }
        Ok(label)
    }

    fn conjunction(&mut self, depth: usize) -> Result<Label, String> {
        let mut label = self.operand(depth)?;
        while self.eat('&') {
            let other = self.operand(depth)?;
            label = Label {
                cubes: both(&label.cubes, &other.cubes)?,
                negation: either(label.negation, other.negation)?,
            };
        }
        Ok(label)
    }

    fn operand(&mut self, depth: usize) -> Result<Label, String> {
        if depth > NESTING {
            return Err("a label is nested too deeply".to_owned());
        }
        let Some((token, _)) = self.tokens.get(self.position) else {
            return Err("a label is not complete".to_owned());
        };
        self.position += 1;
        match token {
            Token::Symbol('!') => {
                let Label { cubes, negation } = self.operand(depth + 1)?;
                Ok(Label { cubes: negation, negation: cubes })
            }
            Token::Symbol('(') => {
                let label = self.disjunction(depth + 1)?;
                if self.eat(')') { Ok(label) } else { Err("a parenthesis is not closed".to_owned()) }
            }
            Token::Word(word) if word == "t" => {
                Ok(Label { cubes: vec![Cube::default()], negation: Vec::new() })
            }
            Token::Word(word) if word == "f" => {
                Ok(Label { cubes: Vec::new(), negation: vec![Cube::default()] })
            }
            Token::Number(atom) if *atom < self.propositions => {
                let positive = Cube { positive: vec![*atom], negative: Vec::new() };
                let negative = Cube { positive: Vec::new(), negative: vec![*atom] };
                Ok(Label { cubes: vec![positive], negation: vec![negative] })
            }
            Token::Number(atom) => Err(format!("there is no proposition {atom}")),
            Token::Alias(name) => {
                self.aliases.get(name).cloned().ok_or_else(|| format!("there is no alias `@{name}`"))
            }
            _ => Err("a label has a proposition, `t`, `f`, an alias, `!` or `(` here".to_owned()),
        }
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = matches!(self.tokens.get(self.position), Some((Token::Symbol(c), _)) if *c == symbol);
        self.position += usize::from(found);
        found
    }
}

fn either(mut cubes: Vec<Cube>, more: Vec<Cube>) -> Result<Vec<Cube>, String> {
    for cube in more {
        add(&mut cubes, cube)?;
    }
    Ok(cubes)
}

fn both(a: &[Cube], b: &[Cube]) -> Result<Vec<Cube>, String> {
    let mut cubes = Vec::new();
    for cube in a.iter().flat_map(|a| b.iter().filter_map(|b| cubes::both(a, b))) {
        add(&mut cubes, cube)?;
    }
    Ok(cubes)
}

/// Adds a cube to a disjunction, unless one there admits all its letters.
fn add(cubes: &mut Vec<Cube>, cube: Cube) -> Result<(), String> {
    if !cubes.iter().any(|known| cubes::covers(known, &cube)) {
        cubes.retain(|known| !cubes::covers(&cube, known));
        cubes.push(cube);
    }
    if cubes.len() > CUBES { Err(format!("a label has more than {CUBES} cubes")) } else { Ok(()) }
}
