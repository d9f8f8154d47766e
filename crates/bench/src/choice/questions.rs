//! The questions of `fairly-bench choice`: every row of the tables once, whatever engines it names, and every
//! example.
//!
//! A question is an argument list for `fairly check` without an engine. An example is asked as it is, and with 2 to 6
//! processes if it has a constant or a parameter `N`. All its properties are asked together, as a user would, or each
//! separately.

use std::ops::RangeInclusive;

use lang::syntax::{ExprKind, ItemKind};

use crate::files;
use crate::measure;
use crate::rows::{self, Question as RowQuestion};

/// The values of `N` that examples are asked with.
const SIZES: RangeInclusive<i64> = 2..=6;

/// The name of the set of examples.
pub(crate) const EXAMPLES: &str = "examples";

/// One question.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// Its name.
    pub(crate) name: String,
    /// The arguments of `fairly check`: the model, values of constants, and a property and a fairness if they are
    /// chosen.
    pub(crate) selection: Vec<String>,
    /// The properties and families that it is about, if there are several.
    properties: Vec<String>,
}

impl Question {
    /// A question for each property and each family of properties.
    pub(crate) fn each(&self) -> Vec<Question> {
        let one = |property: &String| {
            let mut selection = self.selection.clone();
            selection.extend(["--property".to_owned(), property.clone()]);
            Question { name: format!("{}: {property}", self.name), selection, properties: Vec::new() }
        };
        if self.properties.is_empty() {
            return vec![self.clone()];
        }
        self.properties.iter().map(one).collect()
    }
}

/// All questions, by set.
pub(crate) fn all() -> Result<Vec<(String, Vec<Question>)>, String> {
    let mut sets = Vec::new();
    for set in rows::sets()? {
        let mut questions: Vec<Question> = Vec::new();
        for row in set.rows {
            let RowQuestion::Check(check) = &row.question else { continue };
            let selection = measure::selection(check);
            if questions.iter().all(|known| known.selection != selection) {
                questions.push(Question { name: row.subject, selection, properties: Vec::new() });
            }
        }
        sets.push((set.name.to_owned(), questions));
    }
    let mut examples = Vec::new();
    for path in files::below(EXAMPLES, ".fair")? {
        examples.extend(example(&path, &files::text(&path)?));
    }
    sets.push((EXAMPLES.to_owned(), examples));
    Ok(sets)
}

/// An example as it is, and with other values of `N`.
fn example(path: &str, text: &str) -> Vec<Question> {
    let name = path.trim_start_matches("examples/").trim_end_matches(".fair");
    let (file, _) = lang::parse(text);
    let mut sizes: Vec<i64> = Vec::new();
    let mut properties = Vec::new();
    for item in &file.items {
        match &item.kind {
            ItemKind::Const { name, value } if name.text == "N" => {
                sizes = SIZES.filter(|size| value.kind != ExprKind::Int(*size)).collect();
            }
            ItemKind::Param { name, .. } if name.text == "N" => sizes = SIZES.collect(),
            ItemKind::Invariant { name, .. }
            | ItemKind::Property { name, .. }
            | ItemKind::Never { name, .. } => properties.push(name.text.clone()),
            _ => {}
        }
    }
    let plain = Question {
        name: name.to_owned(),
        selection: vec![files::path(path)],
        properties: properties.clone(),
    };
    let mut questions = vec![plain];
    for size in sizes {
        // Some models make sense only for some values.
        let set = [("N".to_owned(), size.to_string())];
        if lang::load(name, text, &set).model.is_some() {
            let selection = vec![files::path(path), "--set".to_owned(), format!("N={size}")];
            let name = format!("{name} N={size}");
            questions.push(Question { name, selection, properties: properties.clone() });
        }
    }
    questions
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn questions_have_names_of_their_own() {
        for (set, questions) in all().expect("the sets and the examples") {
            let names: BTreeSet<&str> = questions.iter().map(|question| question.name.as_str()).collect();
            assert_eq!(names.len(), questions.len(), "{set}");
            assert!(!questions.is_empty(), "{set}");
        }
    }

    #[test]
    fn an_example_is_asked_as_it_is_and_with_other_sizes() {
        let text = "const N = 3; shared x: 0..N = 0; process P[i: 1..N] { loop { a: x = 0; } }
            invariant small: x <= N; property again[i: 1..N]: GF (x == 0);";
        let questions = example("examples/pat/x.fair", text);
        let names: Vec<&str> = questions.iter().map(|question| question.name.as_str()).collect();
        assert_eq!(names, ["pat/x", "pat/x N=2", "pat/x N=4", "pat/x N=5", "pat/x N=6"]);
        let each: Vec<String> = questions[1].each().into_iter().map(|question| question.name).collect();
        assert_eq!(each, ["pat/x N=2: small", "pat/x N=2: again"]);
        let fixed = example("examples/y.fair", &text.replace("const N", "const M").replace('N', "M"));
        assert_eq!(fixed.len(), 1);
        let bounded = example("examples/z.fair", &text.replace("x <= N", "x <= 12 / (N - 4)"));
        assert!(bounded.len() <= questions.len());
    }
}
