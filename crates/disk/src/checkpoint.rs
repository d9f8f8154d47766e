//! Checkpoints: how far a search is, in a small text file that is replaced as a whole.
//!
//! The file names the sets of the states that are known, and the set of those that are not expanded. It is written after
//! the sets are on the disk, under another name, and then renamed. So at any moment there is a checkpoint with all its
//! sets, or none. What a checkpoint does not name was written later and is removed.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// The form of the file. Another one is not read.
const FORM: &str = concat!("fairly ", env!("CARGO_PKG_VERSION"), ", form 1");
/// The least time between two checkpoints.
pub(crate) const PACE: Duration = Duration::from_secs(1);
const NAME: &str = "checkpoint";
const DRAFT: &str = "checkpoint.new";

/// How far a search is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Checkpoint {
    /// The task.
    pub(crate) task: String,
    /// The number of levels that are expanded.
    pub(crate) level: u64,
    pub(crate) states: u64,
    pub(crate) steps: u64,
    /// The number of the next set.
    pub(crate) next: u64,
    /// Per trigger of the property, whether it occurs.
    pub(crate) occurs: Vec<bool>,
    /// The sets of states that are expanded: names, and how many states.
    pub(crate) sets: Vec<(String, u64)>,
    /// The set of states that are not.
    pub(crate) frontier: (String, u64),
}

impl Checkpoint {
    /// Writes it into a folder.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        let occurs: String = self.occurs.iter().map(|occurs| if *occurs { '1' } else { '0' }).collect();
        let mut text = format!(
            "{FORM}\ntask {}\nlevel {}\nstates {}\nsteps {}\nnext {}\noccurs {occurs}\n",
            self.task, self.level, self.states, self.steps, self.next
        );
        // Writing to a string does not fail.
        for (name, count) in &self.sets {
            let _ = writeln!(text, "set {name} {count}");
        }
        let (name, count) = &self.frontier;
        let _ = writeln!(text, "frontier {name} {count}\nend");
        let mut file = File::create(folder.join(DRAFT))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(folder.join(DRAFT), folder.join(NAME))?;
        // The names of files are in the folder, which is written like a file.
        File::open(folder)?.sync_all()
    }

    /// Reads the one in a folder, if there is one of this task.
    pub(crate) fn read(folder: &Path, task: &str) -> Option<Checkpoint> {
        let text = fs::read_to_string(folder.join(NAME)).ok()?;
        Checkpoint::parse(&text).filter(|checkpoint| checkpoint.task == task)
    }

    fn parse(text: &str) -> Option<Checkpoint> {
        let mut lines = text.lines();
        if lines.next() != Some(FORM) || text.lines().next_back() != Some("end") {
            return None;
        }
        let mut checkpoint = Checkpoint::default();
        for line in lines {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            let set = || {
                let (name, count) = rest.split_once(' ')?;
                Some((name.to_owned(), count.parse().ok()?))
            };
            match word {
                "task" => rest.clone_into(&mut checkpoint.task),
                "level" => checkpoint.level = rest.parse().ok()?,
                "states" => checkpoint.states = rest.parse().ok()?,
                "steps" => checkpoint.steps = rest.parse().ok()?,
                "next" => checkpoint.next = rest.parse().ok()?,
                "occurs" => checkpoint.occurs = rest.chars().map(|occurs| occurs == '1').collect(),
                "set" => checkpoint.sets.push(set()?),
                "frontier" => checkpoint.frontier = set()?,
                "end" => {}
                _ => return None,
            }
        }
        Some(checkpoint)
    }

    /// Removes what the checkpoint does not name.
    pub(crate) fn tidy(&self, folder: &Path) -> io::Result<()> {
        let named: BTreeSet<&str> =
            self.sets.iter().chain([&self.frontier]).map(|(name, _)| name.as_str()).collect();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(super::search::PREFIX) && !named.contains(name.as_str()) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_is_read_as_it_was_written_and_half_of_one_is_not() {
        let folder = std::env::temp_dir().join(format!("fairly-checkpoint-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let checkpoint = Checkpoint {
            task: "abc".to_owned(),
            level: 3,
            states: 12,
            steps: 40,
            next: 9,
            occurs: vec![true, false],
            sets: vec![("states-1".to_owned(), 5), ("states-7".to_owned(), 4)],
            frontier: ("states-8".to_owned(), 3),
        };
        assert_eq!(Checkpoint::read(&folder, "abc"), None);
        checkpoint.write(&folder).expect("written");
        assert_eq!(Checkpoint::read(&folder, "abc"), Some(checkpoint.clone()));
        assert_eq!(Checkpoint::read(&folder, "other"), None);
        let text = fs::read_to_string(folder.join(NAME)).expect("read");
        for end in 0..text.len() - 1 {
            assert_eq!(Checkpoint::parse(&text[..end]), None, "{}", &text[..end]);
        }
        for name in ["states-1", "states-2", "states-8"] {
            fs::write(folder.join(name), "x").expect("written");
        }
        checkpoint.tidy(&folder).expect("tidied");
        let left = |name: &str| folder.join(name).exists();
        assert!(left("states-1") && !left("states-2") && left("states-8") && left(NAME));
        fs::remove_dir_all(&folder).expect("removed");
    }
}
