//! What is wrong with the text of a model, with lines and columns.

use driver::{Diagnostic, Severity};

/// Why a text is no model: at least one mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes(pub Vec<Mistake>);

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line and the column of the text at fault, from 1; `None` if the fault is not in the text.
    pub place: Option<(usize, usize)>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Mistakes {
    pub(crate) fn new(text: &str, diagnostics: &[Diagnostic]) -> Mistakes {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        Mistakes(
            errors
                .map(|error| Mistake {
                    place: error.span.map(|span| place(text, span.start)),
                    message: error.message.clone(),
                    help: error.help.clone(),
                })
                .collect(),
        )
    }

    pub(crate) fn unreadable(message: String) -> Mistakes {
        Mistakes(vec![Mistake { place: None, message, help: None }])
    }
}

/// The line and the column of a byte.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line..].chars().count() + 1)
}

impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, Mistake { place, message, help }) in self.0.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            if let Some((line, column)) = place {
                write!(f, "line {line}, column {column}: ")?;
            }
            f.write_str(message)?;
            if let Some(help) = help {
                write!(f, " ({help})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Mistakes {}
