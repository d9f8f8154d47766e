//! Writes down what solvers are asked: one `.smt2` file for each solver that is started, in the order of its questions.
//!
//! A file has everything the solver was told, with levels, models and Horn clauses, so that `z3 file.smt2` asks all of it
//! again. The engine's solvers and the judge's are numbered in the order in which they are started. Writing goes on
//! while they work; the first thing that cannot be written is remembered and ends it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use smt::Solvers;

/// A folder for questions.
pub(crate) struct Dump {
    folder: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    files: BTreeMap<u64, File>,
    problem: Option<String>,
}

impl Dump {
    /// Makes the folder; a sentence if that cannot be done.
    pub(crate) fn into(folder: &Path) -> Result<Arc<Dump>, String> {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
        Ok(Arc::new(Dump { folder: folder.to_owned(), state: Mutex::default() }))
    }

    /// The installed solvers, with everything they are told written down.
    pub(crate) fn solvers(self: &Arc<Dump>) -> Solvers {
        let dump = Arc::clone(self);
        Solvers { sink: Some(Arc::new(move |number, text| dump.add(number, text))), ..smt::installed() }
    }

    /// What could not be written, if anything.
    pub(crate) fn problem(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).problem.clone()
    }

    fn add(&self, number: u64, text: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.problem.is_some() {
            return;
        }
        let path = self.folder.join(format!("solver-{number}.smt2"));
        let file = match state.files.entry(number) {
            std::collections::btree_map::Entry::Occupied(open) => Ok(open.into_mut()),
            std::collections::btree_map::Entry::Vacant(new) => {
                File::create(&path).map(|file| new.insert(file))
            }
        };
        if let Err(error) = file.and_then(|file| file.write_all(text.as_bytes())) {
            state.problem = Some(format!("cannot write {}: {error}", path.display()));
        }
    }
}
