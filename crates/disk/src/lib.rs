//! Searches states that are in files, because they do not fit in memory.
//!
//! A [`Disk`] is a crew ([`engines::rounds::Crew`]). [`search`] goes breadth first, with the states in [`sorted`] files;
//! [`checkpoint`] writes down how far it is, so that a later search can go on from there. For a property of runs, the
//! [`steps`] between the states are written into another file, and the phases of [`engines::rounds`] read them again and
//! again, as one worker that is [`alone`] and keeps a few bytes per state in memory. This crate reads and writes files, in
//! the folder it is given and nowhere else.
//!
//! Files are removed when a search ends, unless they are asked for, and by [`remove_unfinished`] if the program cannot wait
//! for that. They stay if the program is killed.

mod alone;
mod checkpoint;
mod codec;
mod search;
mod sorted;
mod steps;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use engines::explicit::compiled::{self, Compiled, Uncompiled, Visitor};
use engines::rounds::{Crew, Decided, NotDecided, fingerprint};
use model::{Session, Task};

use crate::search::{End, LEAST, MOST, Room, Search};

/// Searches with files in a folder.
#[derive(Clone, Debug)]
pub struct Disk {
    /// The folder. It is made if it is not there.
    pub folder: PathBuf,
    /// Whether to go on from what an earlier search left in the folder, and to leave everything there if this one is
    /// stopped.
    pub resume: bool,
    /// The bytes that are used for sorting. If it is `None`, the limit of memory decides.
    pub sorting: Option<u64>,
}

impl Crew for Disk {
    fn decide(&self, task: &Task, session: &Session<'_>) -> Result<Decided, NotDecided> {
        let name = fingerprint(task);
        let place = Place::new(&self.folder, &name, self.resume).map_err(NotDecided::Lost)?;
        let end = compiled::compile(task, session, Work { place: &place, disk: self, name, session });
        let end = match end {
            Ok(end) => end,
            Err(Uncompiled::Refused(_)) => return Err(NotDecided::Refused("it cannot be listed".to_owned())),
            Err(Uncompiled::Stopped(stop)) => return Err(NotDecided::Stopped(stop, 0)),
        };
        match end {
            Ok(decided) => {
                place.remove();
                Ok(decided)
            }
            Err(End::Stopped(stop, states)) => {
                if !self.resume {
                    place.remove();
                }
                Err(NotDecided::Stopped(stop, states))
            }
            Err(End::TooLarge) => {
                place.remove();
                Err(NotDecided::Refused("there is more than can be numbered".to_owned()))
            }
            Err(End::Failed(error)) => {
                place.remove();
                let folder = self.folder.display();
                Err(NotDecided::Lost(format!("{folder}: {error}; its files there are removed")))
            }
        }
    }
}

/// The files of searches that are not to be left behind and still go on.
static TEMPORARY: Mutex<Vec<Files>> = Mutex::new(Vec::new());

/// Removes the files of all searches that still go on, unless they were asked to leave them. This is for a program that
/// ends without waiting for its searches.
pub fn remove_unfinished() {
    let unfinished = std::mem::take(&mut *TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner));
    for files in unfinished {
        // The search may make another file meanwhile, once: then it finds that its folder is gone.
        files.remove();
        files.remove();
    }
}

/// The files of one task.
#[derive(Clone, PartialEq)]
struct Files {
    path: PathBuf,
    /// The folder the user named, if it was made for this search.
    made: Option<PathBuf>,
}

impl Files {
    /// Removes everything. What cannot be removed stays.
    fn remove(&self) {
        let _ = fs::remove_dir_all(&self.path);
        if let Some(made) = &self.made {
            // It is not removed if something else is in it.
            let _ = fs::remove_dir(made);
        }
    }
}

/// The folder of one task, while a search works in it.
struct Place {
    files: Files,
    /// Locked as long as the search goes on.
    _lock: File,
}

impl Place {
    fn new(folder: &Path, name: &str, resume: bool) -> Result<Place, String> {
        let path = folder.join(format!("fairly-{name}"));
        let fault = |error: std::io::Error| format!("cannot use {}: {error}", folder.display());
        let made = (!folder.exists()).then(|| folder.to_owned());
        fs::create_dir_all(&path).map_err(fault)?;
        let lock = File::create(path.join("lock")).map_err(fault)?;
        if lock.try_lock().is_err() {
            return Err(format!("another search of the same task works in {}", path.display()));
        }
        let files = Files { path, made };
        if !resume {
            TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).push(files.clone());
        }
        Ok(Place { files, _lock: lock })
    }

    fn remove(&self) {
        self.files.remove();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner).retain(|files| *files != self.files);
    }
}

struct Work<'w> {
    place: &'w Place,
    disk: &'w Disk,
    name: String,
    session: &'w Session<'w>,
}

impl Visitor for Work<'_> {
    type Output = Result<Decided, End>;

    fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output {
        let Work { place, disk: Disk { resume, sorting, .. }, name, session } = self;
        let sorting = sorting.unwrap_or_else(|| session.memory.clamp(LEAST, MOST));
        Search::new(compiled, &place.files.path, &name, *resume, Room::new::<W>(sorting), session)?.decide()
    }
}
