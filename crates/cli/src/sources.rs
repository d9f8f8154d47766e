//! Reads source files. A file that cannot be read gets one clear message.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use driver::import::{Claim, Language};
use driver::t2::{self, Question};
use driver::{Model, ProgramLanguage};

use crate::screen::remark;

/// The greatest size of a model file.
const LIMIT: u64 = 16 << 20;

/// The model that is checked when no file is named.
const EXAMPLE: &str = include_str!("mux_sem.fair");

/// What standard input is called.
const INPUT: &str = "standard input";

/// The language that `--from` names, for all files of a command.
static FROM: OnceLock<Language> = OnceLock::new();

/// Reads all files as models in this language.
pub(crate) fn read_as(language: Language) {
    // A command is run once, and a second language would come from nowhere.
    let _ = FROM.set(language);
}

/// A file.
pub(crate) struct Source {
    /// Its path, as it is shown.
    pub(crate) path: String,
    /// The folder it is in; that of the command if it is no file.
    folder: PathBuf,
    /// Its text.
    pub(crate) text: String,
    /// What the user asks about it, if it is a model in another language.
    pub(crate) claims: Vec<Claim>,
    /// If it is a program: further models of it, to try after that with joined blocks.
    pub(crate) others: Vec<Arc<Model>>,
    /// The files beside it that were read, and those that were given with it: names and texts.
    beside: Mutex<Vec<(String, String)>>,
    /// Whether only files that were given with it can be read.
    is_given: bool,
}

impl Source {
    /// A text that is not in a file.
    pub(crate) fn text(path: &str, text: &str) -> Source {
        let (path, text, folder) = (path.to_owned(), text.to_owned(), PathBuf::new());
        let (claims, others, beside) = (Vec::new(), Vec::new(), Mutex::default());
        Source { path, folder, text, claims, others, beside, is_given: false }
    }

    /// A text with the files beside it, from another machine.
    pub(crate) fn given(path: &str, text: &str, beside: Vec<(String, String)>) -> Source {
        Source { beside: Mutex::new(beside), is_given: true, ..Source::text(path, text) }
    }

    /// The files beside it that were read so far: names and texts.
    pub(crate) fn read_beside(&self) -> Vec<(String, String)> {
        self.beside.lock().map_or_else(|_| Vec::new(), |beside| beside.clone())
    }

    /// The name of the system: the file's name without its extension.
    pub(crate) fn name(&self) -> String {
        let stem = Path::new(&self.path).file_stem();
        stem.map_or_else(|| self.path.clone(), |stem| stem.to_string_lossy().into_owned())
    }

    /// Whether it is a program over integers.
    pub(crate) fn is_program(&self) -> bool {
        is_program(Path::new(&self.path))
    }

    /// The language that it is a program over integers in.
    pub(crate) fn program(&self) -> Option<ProgramLanguage> {
        let language = |(ending, language): &(&str, ProgramLanguage)| {
            has_ending(Path::new(&self.path), &[ending]).then_some(*language)
        };
        ProgramLanguage::ALL.iter().find_map(language)
    }

    /// The other language that it is a model in.
    pub(crate) fn language(&self) -> Option<Language> {
        language(Path::new(&self.path))
    }

    /// The same with what the user asks about it.
    pub(crate) fn asking(self, question: Option<&Question>) -> Source {
        let claim = question.and_then(|question| match &question.claim {
            t2::Claim::Termination => None,
            t2::Claim::Safety(condition) => condition.clone().map(Claim::Safety),
            t2::Claim::Ctl(formula) => Some(Claim::Ctl(formula.clone())),
            t2::Claim::Ltl(formula) => Some(Claim::Ltl(formula.clone())),
        });
        Source { claims: claim.into_iter().collect(), ..self }
    }

    /// The embedded example. Says so on standard error.
    pub(crate) fn example() -> Source {
        remark("No file is named, so this is the embedded example: mutual exclusion by one semaphore.\n\n");
        Source::text("mux_sem.fair", EXAMPLE)
    }

    /// The text of another file, with a path relative to this one.
    pub(crate) fn beside(&self, file: &str) -> Result<String, String> {
        if self.path == INPUT {
            return Err(format!("cannot read {file}: a model from standard input has no files beside it"));
        }
        let known = self.read_beside().into_iter().find(|(name, _)| name == file);
        if self.is_given {
            return known
                .map(|(_, text)| text)
                .ok_or_else(|| format!("cannot read {file}: it was not sent along"));
        }
        let text = Source::read(&self.folder.join(file)).map(|source| source.text)?;
        if let (None, Ok(mut beside)) = (known, self.beside.lock()) {
            beside.push((file.to_owned(), text.clone()));
        }
        Ok(text)
    }

    /// A file that this one includes.
    pub(crate) fn included(&self, file: &str, text: &str) -> Source {
        Source::text(&self.folder.join(file).to_string_lossy(), text)
    }

    /// Reads a file, or standard input if it is called `-`.
    pub(crate) fn read(file: &Path) -> Result<Source, String> {
        let is_input = file == Path::new("-");
        let path = if is_input { INPUT.to_owned() } else { file.to_string_lossy().into_owned() };
        let fault = |error: io::Error| format!("cannot read {path}: {}", in_words(&error));
        let mut bytes = Vec::new();
        if is_input {
            io::stdin().take(LIMIT + 1).read_to_end(&mut bytes).map_err(fault)?;
        } else {
            let file = File::open(file).map_err(fault)?;
            if file.metadata().map_err(fault)?.is_dir() {
                return Err(format!("cannot read {path}: it is a directory"));
            }
            file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(fault)?;
        }
        if bytes.len() as u64 > LIMIT {
            return Err(format!("{path} is longer than {} MiB, the limit for a model", LIMIT >> 20));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Source { folder: file.with_file_name(""), ..Source::text(&path, &text) }),
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

/// The files that a path stands for: itself, or the models in a folder and in those inside it, in order.
pub(crate) fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        let fault =
            |error: io::Error| format!("cannot read {}: {}", folder.to_string_lossy(), in_words(&error));
        for entry in fs::read_dir(&folder).map_err(fault)? {
            let entry = entry.map_err(fault)?;
            let path = entry.path();
            // A link to a folder may lead back up.
            if entry.file_type().map_err(fault)?.is_dir() {
                folders.push(path);
            } else if is_model(&path) {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(format!("there is no model (.fair, {}) in {}", endings(), path.to_string_lossy()));
    }
    found.sort();
    Ok(found)
}

/// The files of a folder, not of those inside it, that are wanted; none if it cannot be read.
pub(crate) fn in_folder(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries.filter(|path| wanted(path)).collect();
    found.sort();
    found
}

/// Whether a path is that of a model in our language or another.
pub(crate) fn is_model(path: &Path) -> bool {
    has_ending(path, &["fair"]) || is_foreign(path)
}

/// Whether a path is that of a program over integers.
pub(crate) fn is_program(path: &Path) -> bool {
    ProgramLanguage::ALL.iter().any(|(ending, _)| has_ending(path, &[ending]))
}

/// Whether a path is that of a program that does not say what it should do.
pub(crate) fn is_silent(path: &Path) -> bool {
    has_ending(path, &["t2"])
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one))
}

/// The other language that a path is of a model in: that of `--from`, or by its ending.
pub(crate) fn language(path: &Path) -> Option<Language> {
    let named = path.extension().and_then(|ending| Language::of_ending(ending.to_str()?));
    FROM.get().copied().or(named)
}

/// Whether a path is that of a model in another language.
pub(crate) fn is_foreign(path: &Path) -> bool {
    language(path).is_some()
}

/// The endings of models in other languages, as they are listed in a sentence.
pub(crate) fn endings() -> String {
    Language::ALL.map(|language| format!(".{}", language.endings()[0])).join(", ")
}

fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}
