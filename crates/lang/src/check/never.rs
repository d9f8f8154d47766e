//! Properties that are automata in files: loads the automaton and lowers the meanings of its propositions.
//!
//! A callback loads the automaton, so the file format is not known here. Each proposition of the automaton has one
//! meaning, a condition like an atom of LTL. A meaning without a proposition is an error. A file is loaded once, and
//! the automaton is shared by all properties that name it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::{Automaton, Expr, Never};

use super::names::{Context, Scope};
use super::{Checker, ERRORS};
use crate::diagnostic::{Diagnostic, nearest};
use crate::lexer::is_name;
use crate::syntax::{Name, Proposition};

/// Limit on the propositions that a message lists.
const LISTED: usize = 8;

impl<'a> Checker<'a> {
    /// The automaton of a file with its meanings; `None` if there is an error, which is reported.
    pub(super) fn never(
        &mut self,
        scope: &mut Scope<'a>,
        file: &'a Name,
        propositions: &'a [Proposition],
    ) -> Option<Never> {
        scope.context = Context::of_steps("a proposition");
        let mut meanings: BTreeMap<&'a str, (&'a Name, Expr)> = BTreeMap::new();
        for Proposition { name, meaning } in propositions {
            let meaning = self.condition(scope, meaning).expr;
            if let Some((first, _)) = meanings.get(name.text.as_str()) {
                let message = format!("the proposition `{}` has two meanings", name.text);
                let diagnostic = Diagnostic::error(name.span, message, "again here");
                self.report(diagnostic.related(first.span, "first here"));
            } else {
                meanings.insert(&name.text, (name, meaning));
            }
        }
        let automaton = self.automaton(file)?;
        let known: BTreeSet<&str> = automaton.atoms.iter().map(String::as_str).collect();
        let unknown =
            propositions.iter().filter(|proposition| !known.contains(proposition.name.text.as_str()));
        for Proposition { name, .. } in unknown.take(ERRORS) {
            let message = format!("the automaton has no proposition `{}`", name.text);
            let help = match nearest(&name.text, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has {}", listed(&automaton.atoms)),
            };
            self.report(Diagnostic::error(name.span, message, "it is not in the file").help(help));
        }
        let missing: Vec<String> =
            automaton.atoms.iter().filter(|name| !meanings.contains_key(name.as_str())).cloned().collect();
        if let Some(first) = missing.first() {
            let message = format!("the automaton speaks of {}, which has no meaning here", listed(&missing));
            let name = if is_name(first) { first.clone() } else { format!("\"{first}\"") };
            let diagnostic = Diagnostic::error(file.span, message, "every proposition needs a meaning");
            self.report(diagnostic.help(format!("say what it stands for after `with`: `{name} = …`")));
            return None;
        }
        let atoms = automaton.atoms.iter().filter_map(|name| Some(meanings.get(name.as_str())?.1.clone()));
        let atoms = atoms.collect();
        Some(Never { file: file.text.clone(), automaton, atoms })
    }

    /// The automaton of a file.
    fn automaton(&mut self, file: &'a Name) -> Option<Arc<Automaton<String>>> {
        let automata = self.automata;
        let read = self.read.entry(&file.text).or_insert_with(|| {
            if file.text.contains(|c: char| c.is_control()) {
                return Err("this is not the name of a file".to_owned());
            }
            automata(&file.text).map(Arc::new)
        });
        match read {
            Ok(automaton) => Some(Arc::clone(automaton)),
            Err(message) => {
                let message = message.clone();
                self.error(file.span, message, "expected an automaton in the Hanoi format");
                None
            }
        }
    }
}

/// Some names in a message.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > LISTED => format!("{} and {} more", shown.join(", "), count - LISTED),
        _ => shown.join(", "),
    }
}
