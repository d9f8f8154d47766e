//! `fairly check --watch`: checks again whenever a file has changed, until it is interrupted.
//!
//! A few times a second the files are looked at: which there are, when each was written, how long it is. They are looked at
//! before each check, so that what changes during a check is checked next. Automata (`.hoa`) beside a model may be part
//! of it, and are watched too; so are the files that a model includes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::exit::Exit;
use crate::limits;
use crate::screen::{complain, remark};
use crate::sources::{self, Source};

/// How often files are looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// A file as it was seen.
type Seen = (PathBuf, Option<(SystemTime, u64)>);

/// Checks these files, and again when one has changed. Returns what the last check did.
pub(crate) fn again_and_again(files: &[PathBuf], check: &mut dyn FnMut() -> Exit) -> Exit {
    if files.is_empty() || files.iter().any(|file| file == Path::new("-")) {
        complain("--watch needs files or folders to watch");
        return Exit::BadInput;
    }
    loop {
        let included = included(files);
        let watched: Vec<PathBuf> = files.iter().cloned().chain(included).collect();
        let seen = look(&watched);
        let exit = check();
        remark("\nwatching for changes; Ctrl-C ends\n");
        while look(&watched) == seen {
            if limits::stopped() {
                return exit;
            }
            std::thread::sleep(PAUSE);
        }
        if limits::stopped() {
            return exit;
        }
        remark("\n");
    }
}

/// The files that these include.
fn included(paths: &[PathBuf]) -> Vec<PathBuf> {
    let models = paths.iter().flat_map(|path| sources::files(path).unwrap_or_default());
    let mut found = Vec::new();
    for path in models {
        let Ok(source) = Source::read(&path) else { continue };
        let names = driver::included(&source.name(), &source.text, &|file| source.beside(file));
        found.extend(names.iter().map(|name| path.with_file_name(name)));
    }
    found
}

/// The files as they are now.
fn look(paths: &[PathBuf]) -> Vec<Seen> {
    let found = paths.iter().flat_map(|path| sources::files(path).unwrap_or_else(|_| vec![path.clone()]));
    let mut files: Vec<PathBuf> =
        found.flat_map(|file| automata_beside(&file).into_iter().chain([file])).collect();
    files.sort();
    files.dedup();
    let seen = |path: PathBuf| {
        let known = fs::metadata(&path).ok();
        let stamp = known.and_then(|known| Some((known.modified().ok()?, known.len())));
        (path, stamp)
    };
    files.into_iter().map(seen).collect()
}

fn automata_beside(file: &Path) -> Vec<PathBuf> {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    sources::in_folder(folder, &|path| path.extension().is_some_and(|ending| ending == "hoa"))
}
