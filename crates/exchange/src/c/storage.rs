//! What variables begin with: global ones and those that last, local ones where they are declared, pointers, and copies of
//! structures.

use std::collections::BTreeSet;

use lang::diagnostic::Diagnostic;
use lang::syntax::Span;

use super::effects::ordered;
use super::lexer::refused;
use super::lower::{Lower, filled};
use super::parser::constant;
use super::syntax::{Declaration, Expr, Kind, Node, Unit};
use super::values::{assign, number, variable};
use crate::program::syntax::{Command, Node as Term, Tree};

type Lowered<T = ()> = Result<T, Box<Diagnostic>>;

/// The names of variables that an expression assigns to, or whose address it takes.
pub(super) fn assigned(unit: &Unit) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut visit = |expr: &Expr| {
        expr.visit(&mut |part| {
            if let Node::Assign(name, ..)
            | Node::Step { name, .. }
            | Node::AssignElement(name, ..)
            | Node::Address(name) = &part.node
            {
                let end = name.find(['.', '[']).unwrap_or(name.len());
                names.insert(name[..end].to_owned());
            }
        });
    };
    for global in &unit.globals {
        global.value.iter().for_each(&mut visit);
        global.values.iter().flatten().for_each(|(_, value)| visit(value));
    }
    for function in unit.functions.values() {
        function.body.iter().for_each(|statement| statement.visit(&mut visit));
    }
    names
}

impl Lower<'_> {
    /// The parts of a variable as variables of their own, each with its first value.
    fn parts(&self, name: &str, declared: &Declaration) -> Vec<Declaration> {
        let mut parts = Vec::new();
        for leaf in self.unit.usable(declared.kind, &declared.sizes) {
            for path in filled(&leaf.path, &leaf.sizes) {
                let listed = declared.values.as_ref().map(|values| {
                    // If some values are given, the others are 0.
                    let zero = Expr { node: Node::Number(0), span: declared.span };
                    values.iter().find(|(part, _)| *part == path).map_or(zero, |(_, value)| value.clone())
                });
                parts.push(Declaration {
                    name: format!("{name}{path}"),
                    kind: leaf.kind,
                    value: listed.or_else(|| declared.value.clone()),
                    values: None,
                    sizes: Vec::new(),
                    ..declared.clone()
                });
            }
        }
        parts
    }

    /// The value of an expression of constants, among them global variables that never change.
    fn known(&self, value: &Expr) -> Lowered<i64> {
        let mut constants = self.unit.constants.clone();
        value.visit(&mut |part| {
            let Node::Name(name) = &part.node else { return };
            let Some(variable) = self.meaning(name) else { return };
            match self.fixed.get(variable) {
                Some(value) => drop(constants.insert(name.clone(), *value)),
                None => drop(constants.remove(name)),
            }
        });
        constant(value, &constants)
    }

    pub(super) fn global(&mut self, global: &Declaration) -> Lowered {
        // Several declarations of one variable are allowed; one of them may have a value.
        let name = match self.scopes[0].get(&global.name) {
            Some(name) => name.clone(),
            None => self.declare(global),
        };
        if global.is_pointer {
            return self.pointer(global);
        }
        for part in self.parts(&name, global) {
            let value = part.value.as_ref().map(|value| self.known(value)).transpose()?;
            self.begin(&part.name, value, global.elsewhere, global.span);
        }
        if global.sizes.is_empty() && !self.assigned.contains(&global.name) {
            let begins = self.first.iter().find_map(|command| match command {
                Command::Assign { variable, value: Tree { node: Term::Number(value), .. }, .. }
                    if *variable == name =>
                {
                    Some(*value)
                }
                _ => None,
            });
            self.fixed.extend(begins.map(|value| (name, value)));
        }
        Ok(())
    }

    /// The first value of a pointer, which it keeps: what it points to has one more name. Other pointers cannot be used.
    fn pointer(&mut self, declared: &Declaration) -> Lowered {
        let Some(value) = &declared.value else { return Ok(()) };
        let aliases = match &value.node {
            Node::Address(_) | Node::Name(_) => self.pointed(&declared.name, value),
            Node::Call(name, arguments) if is_allocation(name) => {
                let is_one = match &arguments[..] {
                    [Expr { node: Node::Size(of), .. }] => *of == format!("*{}", declared.name),
                    [size] => {
                        let size = constant(size, &self.unit.constants).ok();
                        let known = size.and_then(|size| usize::try_from(size).ok());
                        known.is_some() && known == declared.bytes
                    }
                    _ => false,
                };
                if !is_one || declared.lasting || self.frames.is_empty() {
                    return Err(refused(value.span, "memory for anything but one integer"));
                }
                // A new integer, each time that it is declared.
                let (name, value) = (format!("*{}", declared.name), None);
                return self.declaration(&Declaration { name, value, is_pointer: false, ..declared.clone() });
            }
            Node::Text | Node::Number(0) => Vec::new(),
            _ => return Err(refused(value.span, "such a pointer")),
        };
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(aliases);
        }
        Ok(())
    }

    /// `a = b` of structures; says whether it was one.
    pub(super) fn copied(&mut self, expr: &Expr) -> Lowered<bool> {
        let Node::Assign(target, None, value) = &expr.node else { return Ok(false) };
        let is_structure = |name: &String| self.meaning(name).and_then(|found| self.structures.get(found));
        let Some(number) = is_structure(target).copied() else { return Ok(false) };
        let from = match &value.node {
            Node::Name(from) if is_structure(from) == Some(&number) => from,
            _ => return Err(refused(value.span, "such a value of a structure")),
        };
        let (to, from) = (self.meaning(target).cloned(), self.meaning(from).cloned());
        if let (Some(to), Some(from)) = (to, from) {
            self.copy(&to, &from, number, expr.span)?;
        }
        Ok(true)
    }

    /// Copies a structure in one step.
    pub(super) fn copy(&mut self, to: &str, from: &str, number: usize, span: Span) -> Lowered {
        let leaves = self.unit.usable(Kind::Structure(number), &[]);
        let paths = leaves.iter().flat_map(|leaf| filled(&leaf.path, &leaf.sizes));
        let copied =
            paths.map(|path| assign(&format!("{to}{path}"), variable(&format!("{from}{path}"), span)));
        self.step([copied.collect()], span)
    }

    /// The first value of a variable that lasts: 0 unless it is given.
    fn begin(&mut self, name: &str, value: Option<i64>, elsewhere: bool, span: Span) {
        let known = self
            .first
            .iter()
            .position(|command| matches!(command, Command::Assign { variable, .. } if variable == name));
        let value = match value {
            Some(value) => match self.kinds.get(name) {
                Some(Kind::Truth) => i64::from(value != 0),
                Some(Kind::Natural(bits)) => value.rem_euclid(1 << bits),
                _ => value,
            },
            None if known.is_some() => return,
            None if elsewhere => {
                // Its first value is not known, but it has one of its type.
                self.first.extend(self.any(name, span));
                return;
            }
            None => 0,
        };
        if let Some(known) = known {
            self.first.remove(known);
        }
        self.first.push(assign(name, number(value, span)));
    }

    pub(super) fn declaration(&mut self, declared: &Declaration) -> Lowered {
        let name = self.declare(declared);
        if declared.is_pointer {
            return self.pointer(declared);
        }
        if let (Kind::Structure(number), Some(value)) = (declared.kind, &declared.value) {
            let assigned = Node::Assign(declared.name.clone(), None, Box::new(value.clone()));
            let copied = self.copied(&Expr { node: assigned, span: value.span })?;
            debug_assert!(copied, "structure {number} was just declared");
            return Ok(());
        }
        let parts = self.parts(&name, declared);
        // What has no value gets one in one step.
        let mut chosen = Vec::new();
        for part in &parts {
            if declared.lasting || declared.elsewhere {
                let value = part.value.as_ref().map(|value| self.known(value)).transpose()?;
                self.begin(&part.name, value, declared.elsewhere, declared.span);
            } else if let Some(value) = &part.value {
                ordered(self.unit, value)?;
                let value = self.hoisted(value)?;
                let span = declared.span.to(value.span);
                let assigned = Expr { node: Node::Assign(part.name.clone(), None, Box::new(value)), span };
                let values = self.evaluator().value(&assigned)?;
                self.step(values.into_iter().map(|(path, _)| path), span)?;
            } else if !self.begins() || part.kind != Kind::Integer {
                // At the beginning of `main` an integer has any value anyway.
                chosen.extend(self.any(&part.name, declared.span));
            }
        }
        if chosen.is_empty() { Ok(()) } else { self.step([chosen], declared.span) }
    }

    /// Whether nothing was done yet.
    fn begins(&self) -> bool {
        self.frames.len() == 1 && !self.frames[0].repeats && self.exits.is_empty()
    }
}

/// Whether a function gives memory for something new.
fn is_allocation(name: &str) -> bool {
    matches!(name, "alloca" | "__builtin_alloca" | "malloc")
}
