//! Finds files: the repository with its rows and models, the program to measure, and a folder for each run.
//!
//! The repository is the one this program was built in, so rows and models may be changed without building it again.
//! The program to measure is the `fairly` next to this program, where `cargo build` puts both, unless another is
//! named. Cargo does not build it together with this one, so it may be out of date; then a message says so.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::screen::remark;

/// The repository.
pub(crate) fn repository() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.ancestors().nth(2).unwrap_or(folder).to_path_buf()
}

/// The full path of a file, given its path in the repository.
pub(crate) fn path(path: &str) -> String {
    repository().join(path).to_string_lossy().into_owned()
}

/// The text of a file, given its path in the repository.
pub(crate) fn text(path: &str) -> Result<String, String> {
    fs::read_to_string(repository().join(path)).map_err(|error| format!("cannot read {path}: {error}"))
}

/// All files below a folder of the repository with this ending, as paths in the repository, in order. Those in the
/// folder itself come before those in folders below it.
pub(crate) fn below(folder: &str, ending: &str) -> Result<Vec<String>, String> {
    let fault = |error: io::Error| format!("cannot read the folder {folder}: {error}");
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(repository().join(folder)).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            folders.push(path);
        } else if path.ends_with(ending) {
            files.push(path);
        }
    }
    files.sort();
    folders.sort();
    for folder in folders {
        files.extend(below(&folder, ending)?);
    }
    Ok(files)
}

/// The program to measure: the named one, or the one next to this program.
pub(crate) fn fairly(named: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(path) = named {
        // Runs have their own folders, so a relative path would lead elsewhere.
        return fs::canonicalize(path).map_err(|error| format!("cannot run {}: {error}", path.display()));
    }
    let own = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let path = own.with_file_name(format!("fairly{}", std::env::consts::EXE_SUFFIX));
    let Ok(built) = fs::metadata(&path).and_then(|known| known.modified()) else {
        return Err(format!(
            "there is no {} to measure; build it with `cargo build --release`, or name one with --fairly",
            path.display()
        ));
    };
    if let Some(newer) = newer(&repository().join("crates"), built) {
        let (path, newer) = (path.display(), newer.display());
        remark(&format!("{path} is older than {newer}; `cargo build --release` builds it again.\n\n"));
    }
    Ok(path)
}

/// A source file of the product that was changed after a time.
fn newer(folder: &Path, time: SystemTime) -> Option<PathBuf> {
    for entry in fs::read_dir(folder).ok()?.flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("tests") && !path.ends_with("crates/bench") {
            if let Some(found) = newer(&path, time) {
                return Some(found);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && entry.metadata().and_then(|known| known.modified()).is_ok_and(|changed| changed > time)
        {
            return Some(path);
        }
    }
    None
}

/// A folder for the files of all runs. It is removed with its contents.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// A new empty folder.
    pub(crate) fn new() -> Result<Folder, String> {
        let path = std::env::temp_dir().join(format!("fairly-bench-{}", std::process::id()));
        fs::create_dir(&path).map_err(|error| format!("cannot make a folder for the runs: {error}"))?;
        Ok(Folder(path))
    }

    /// Runs a job in a new folder inside it, which is removed afterwards.
    pub(crate) fn with<T>(&self, job: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
        let folder = self.0.join("run");
        fs::create_dir(&folder)?;
        let result = job(&folder);
        fs::remove_dir_all(&folder)?;
        result
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Files that cannot be removed stay in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The memory of the machine in bytes, or of the container if that is less; unlimited if unknown.
pub(crate) fn machine_memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    let container =
        fs::read_to_string("/sys/fs/cgroup/memory.max").ok().and_then(|text| text.trim().parse().ok());
    machine.unwrap_or(u64::MAX).min(container.unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_with_those_in_the_folder_first() {
        let examples = below("examples", ".fair").expect("the examples");
        let place = |path: &str| examples.iter().position(|known| known == path).expect(path);
        assert!(place("examples/bakery.fair") < place("examples/token_ring.fair"));
        assert!(place("examples/token_ring.fair") < place("examples/counter/bakery.fair"));
        assert!(examples.iter().all(|path| text(path).is_ok()));
        assert!(below("examples", ".hoa").expect("the automata").len() < examples.len());
    }

    #[test]
    fn a_program_that_is_not_there_is_not_measured() {
        assert!(fairly(Some(Path::new("no/such/program"))).is_err());
    }
}
