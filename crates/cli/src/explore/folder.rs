//! The folder that the page may see: its models, and nothing outside it.
//!
//! A path of the page is relative, and what it leads to (through links, too) must lie in the folder. Only models are
//! written, and only if they are still as the page last saw them, so two tabs cannot overwrite each other unnoticed.

use std::fs;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use fairly::session::Language;

use crate::sources::{self, Source};

/// A folder, and the model that is shown first.
pub(super) struct Folder {
    /// Canonical.
    root: PathBuf,
    first: Option<String>,
}

/// Why a file was not written.
pub(super) enum NotWritten {
    /// It is not as the page last saw it.
    Changed,
    /// For another reason, in a sentence.
    Failed(String),
}

impl Folder {
    /// The folder at a path, or the folder of the file there.
    pub(super) fn open(path: &Path) -> Result<Folder, String> {
        let shown = path.to_string_lossy();
        let canonical = path.canonicalize().map_err(|error| format!("cannot open {shown}: {error}"))?;
        if canonical.is_dir() {
            return Ok(Folder { root: canonical, first: None });
        }
        let first = canonical.file_name().map(|name| name.to_string_lossy().into_owned());
        let root = canonical.parent().ok_or_else(|| format!("{shown} is in no folder"))?.to_owned();
        Ok(Folder { root, first })
    }

    /// The name of the folder.
    pub(super) fn name(&self) -> String {
        self.root.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The model to show first: the one that was named, or the only one.
    pub(super) fn first(&self) -> Option<String> {
        self.first.clone().or_else(|| self.models().into_iter().next())
    }

    /// The models in the folder and below, as paths relative to it, and the file that was named, whatever it is.
    pub(super) fn models(&self) -> Vec<String> {
        let files = match &self.first {
            // The file is what was asked for; what lies far below its folder is not.
            Some(first) => {
                let is_model = |path: &Path| path.ends_with(first) || sources::is_model(path);
                sources::in_folder(&self.root, &is_model)
            }
            None => sources::files(&self.root).unwrap_or_default(),
        };
        let relative = |path: PathBuf| {
            path.strip_prefix(&self.root).ok().map(|path| path.to_string_lossy().into_owned())
        };
        files.into_iter().filter_map(relative).collect()
    }

    /// The text of a file and its stamp. The error is a sentence.
    pub(super) fn read(&self, path: &str) -> Result<(String, String), String> {
        let place = self.place(path)?;
        let stamp = stamp(&place);
        Ok((Source::read(&place)?.text, stamp))
    }

    /// The text of a file that the model at this path names.
    pub(super) fn beside(&self, model: &str, file: &str) -> Result<String, String> {
        Ok(Source::read(&self.place(&named(model, file))?)?.text)
    }

    /// The stamp of a file that the model at this path names.
    pub(super) fn stamp_beside(&self, model: &str, file: &str) -> String {
        self.stamp(&named(model, file))
    }

    /// The stamp of a file: something that changes when it does; empty if it is not there.
    pub(super) fn stamp(&self, path: &str) -> String {
        self.place(path).map_or_else(|_| String::new(), |place| stamp(&place))
    }

    /// Writes a model that was last seen with this stamp. Returns its new one.
    pub(super) fn write(&self, path: &str, text: &str, seen: &str) -> Result<String, NotWritten> {
        let failed = NotWritten::Failed;
        let place = self.place(path).map_err(failed)?;
        let ending = place.extension().and_then(|ending| ending.to_str());
        if ending.and_then(Language::of_ending).is_none() {
            let known: Vec<String> = Language::all().map(|(ending, _)| format!(".{ending}")).collect();
            return Err(failed(format!("{path} is no model: its name ends in none of {}", known.join(", "))));
        }
        if stamp(&place) != seen {
            return Err(NotWritten::Changed);
        }
        let cannot = |error: std::io::Error| failed(format!("cannot write {path}: {error}"));
        // A reader must not see half a file: it is written beside it and then moved.
        let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let draft = place.with_file_name(format!(".{name}.{}.draft", std::process::id()));
        let written = fs::File::create(&draft).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            if let Ok(known) = fs::metadata(&place) {
                fs::set_permissions(&draft, known.permissions())?;
            }
            fs::rename(&draft, &place)
        });
        if let Err(error) = written {
            let _ = fs::remove_file(&draft);
            return Err(cannot(error));
        }
        Ok(stamp(&place))
    }

    /// What a path of the page stands for, if it is inside the folder. The file itself need not be there.
    fn place(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("{path} is outside the folder");
        let relative = Path::new(path);
        if path.is_empty() || !relative.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(outside());
        }
        let whole = self.root.join(relative);
        let (folder, name) = (whole.parent().ok_or_else(outside)?, whole.file_name().ok_or_else(outside)?);
        let folder = folder.canonicalize().map_err(|_| format!("there is no folder for {path}"))?;
        let place = folder.join(name);
        let target = place.canonicalize().unwrap_or_else(|_| place.clone());
        // A link that leads nowhere could be made to lead anywhere by writing to it.
        let is_loose_link = target == place && place.is_symlink();
        if target.starts_with(&self.root) && !is_loose_link { Ok(target) } else { Err(outside()) }
    }
}

/// The path of a file that the model at this path names.
fn named(model: &str, file: &str) -> String {
    Path::new(model).with_file_name(file).to_string_lossy().into_owned()
}

fn stamp(path: &Path) -> String {
    let Ok(known) = fs::metadata(path) else { return String::new() };
    let time = known.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{}-{}", time.unwrap_or_default().as_nanos(), known.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_read_or_written() {
        let base = std::env::temp_dir().join(format!("fairly-explore-{}", std::process::id()));
        let inside = base.join("inside");
        fs::create_dir_all(inside.join("deep")).expect("a folder");
        fs::write(base.join("secret.fair"), "secret").expect("a file");
        fs::write(inside.join("own.fair"), "own").expect("a file");
        fs::write(inside.join("deep/other.fair"), "other").expect("a file");
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(base.join("secret.fair"), inside.join("link.fair")).expect("a link");
            symlink(base.join("new.fair"), inside.join("loose.fair")).expect("a link");
            symlink(&base, inside.join("up")).expect("a link");
        }
        let folder = Folder::open(&inside).expect("the folder");
        assert_eq!(folder.read("own.fair").expect("a text").0, "own");
        assert_eq!(folder.read("deep/other.fair").expect("a text").0, "other");
        let absolute = base.join("secret.fair").to_string_lossy().into_owned();
        for path in [
            "../secret.fair",
            "deep/../../secret.fair",
            "./own.fair/../../secret.fair",
            "link.fair",
            "loose.fair",
            "up/secret.fair",
            "",
            "/etc/passwd",
            absolute.as_str(),
        ] {
            assert!(folder.read(path).is_err(), "{path} is read");
            assert!(folder.write(path, "x", "").is_err(), "{path} is written");
            assert!(folder.beside("own.fair", path).is_err(), "{path} is read as an automaton");
        }
        assert!(folder.write("own.txt", "x", "").is_err(), "only models are written");
        assert_eq!(fs::read_to_string(base.join("secret.fair")).expect("a text"), "secret");
        assert!(!base.join("new.fair").exists());
        let seen = folder.stamp("own.fair");
        let new = folder.write("own.fair", "longer", &seen).ok().expect("it is as it was seen");
        assert!(matches!(folder.write("own.fair", "again", &seen), Err(NotWritten::Changed)));
        assert_eq!(folder.stamp("own.fair"), new);
        assert_eq!(folder.stamp_beside("deep/other.fair", "other.fair"), folder.stamp("deep/other.fair"));
        assert_eq!(folder.stamp_beside("own.fair", "deep/other.fair"), folder.stamp("deep/other.fair"));
        assert_eq!(folder.stamp_beside("own.fair", "../secret.fair"), "");
        fs::remove_file(inside.join("own.fair")).expect("it is there");
        assert_eq!(folder.stamp("own.fair"), "");
        assert!(folder.write("own.fair", "back", "").is_ok(), "a file that vanished is written again");
        fs::remove_dir_all(&base).expect("it is there");
    }
}
