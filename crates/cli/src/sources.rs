//! Reads source files. A file that cannot be read gets one clear message.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::screen::remark;

/// The greatest size of a model file.
const LIMIT: u64 = 16 << 20;

/// The model that is checked when no file is named.
const EXAMPLE: &str = include_str!("mux_sem.fair");

/// A file.
pub(crate) struct Source {
    /// Its path, as given.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

impl Source {
    /// The name of the system: the file's name without its extension.
    pub(crate) fn name(&self) -> String {
        let stem = Path::new(&self.path).file_stem();
        stem.map_or_else(|| self.path.clone(), |stem| stem.to_string_lossy().into_owned())
    }

    /// Whether it is a program in the format of T2.
    pub(crate) fn is_program(&self) -> bool {
        is_program(&self.path)
    }

    /// The embedded example. Says so on standard error.
    pub(crate) fn example() -> Source {
        remark("No file is named, so this is the embedded example: mutual exclusion by one semaphore.\n\n");
        Source { path: "mux_sem.fair".to_owned(), text: EXAMPLE.to_owned() }
    }

    /// The text of another file, with a path relative to this one.
    pub(crate) fn beside(&self, file: &str) -> Result<String, String> {
        let path = Path::new(&self.path).with_file_name("").join(file);
        Source::read(&path.to_string_lossy()).map(|source| source.text)
    }

    /// Reads a file.
    pub(crate) fn read(path: &str) -> Result<Source, String> {
        let fault = |error: io::Error| format!("cannot read {path}: {}", in_words(&error));
        let file = File::open(path).map_err(fault)?;
        if file.metadata().map_err(fault)?.is_dir() {
            return Err(format!("cannot read {path}: it is a directory"));
        }
        let mut bytes = Vec::new();
        file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(fault)?;
        if bytes.len() as u64 > LIMIT {
            return Err(format!("{path} is longer than {} MiB, the limit for a model", LIMIT >> 20));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source { path: path.to_owned(), text }),
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let line = error.as_bytes()[..offset].split(|byte| *byte == b'\n').count();
                Err(format!(
                    "{path} is not UTF-8 text: byte {offset}, on line {line}, belongs to no character"
                ))
            }
        }
    }
}

/// Whether a path is that of a program in the format of T2.
pub(crate) fn is_program(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "t2")
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}
