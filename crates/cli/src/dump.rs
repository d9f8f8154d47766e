//! Writes solver queries to files: one `.smt2` file for each solver that is started, in the order of its queries.
//!
//! A file contains everything the solver was sent, with levels, models and Horn clauses, so that `z3 file.smt2`
//! repeats all queries. The solvers of the engine and of the judge are numbered in the order in which they are
//! started. Writing continues while they work; the first write error is remembered and ends it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use smt::Solvers;

/// A folder for queries.
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
    /// Creates the folder; returns a message if that fails.
    pub(crate) fn into(folder: &Path) -> Result<Arc<Dump>, String> {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
        Ok(Arc::new(Dump { folder: folder.to_owned(), state: Mutex::default() }))
    }

    /// These solvers, with everything they are sent written to files.
    pub(crate) fn of(self: &Arc<Dump>, solvers: Solvers) -> Solvers {
        let dump = Arc::clone(self);
        Solvers { sink: Some(Arc::new(move |number, text| dump.add(number, text))), ..solvers }
    }

    /// The first write error, if there was one.
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
