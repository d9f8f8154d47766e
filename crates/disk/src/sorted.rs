//! Sorted sets of states, small ones in memory, others in files.
//!
//! A file is a row of states in blocks of equal length. The first state of each block is kept in memory, so that whoever
//! looks for some states in order reads only the blocks where they could be.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use engines::rounds::Words;

use crate::codec::Codec;

/// The number of states in a block.
const BLOCK: usize = 2048;

/// A sorted set of states.
pub(crate) enum Sorted<const W: usize> {
    Memory(Vec<Words<W>>),
    File(Stored<W>),
}

/// A set in a file.
pub(crate) struct Stored<const W: usize> {
    path: PathBuf,
    file: File,
    pub(crate) count: u64,
    /// The first state of each block.
    index: Vec<Words<W>>,
    codec: Codec,
}

impl<const W: usize> Sorted<W> {
    pub(crate) fn count(&self) -> u64 {
        match self {
            Sorted::Memory(states) => states.len() as u64,
            Sorted::File(stored) => stored.count,
        }
    }

    pub(crate) fn cursor(&self) -> Cursor<'_, W> {
        let block = match self {
            Sorted::Memory(_) => Vec::new(),
            Sorted::File(_) => Vec::with_capacity(BLOCK),
        };
        Cursor { set: self, block, number: usize::MAX, place: 0, bytes: Vec::new() }
    }
}

impl<const W: usize> Stored<W> {
    /// Opens a file that has this many states.
    pub(crate) fn open(path: &Path, count: u64, codec: &Codec) -> io::Result<Stored<W>> {
        let file = File::open(path)?;
        if file.metadata()?.len() != count * codec.size as u64 {
            return Err(io::Error::other(format!("{} is not complete", path.display())));
        }
        let mut bytes = vec![0; codec.size];
        let mut index = Vec::new();
        for first in (0..count).step_by(BLOCK) {
            file.read_exact_at(&mut bytes, first * codec.size as u64)?;
            index.push(codec.read(&bytes));
        }
        Ok(Stored { path: path.to_owned(), file, count, index, codec: codec.clone() })
    }

    /// The name of the file.
    pub(crate) fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads a block.
    fn read(&self, number: usize, bytes: &mut Vec<u8>, block: &mut Vec<Words<W>>) -> io::Result<()> {
        let first = number * BLOCK;
        let states = BLOCK.min(self.count as usize - first);
        bytes.resize(states * self.codec.size, 0);
        self.file.read_exact_at(bytes, (first * self.codec.size) as u64)?;
        block.clear();
        block.extend(bytes.chunks_exact(self.codec.size).map(|state| self.codec.read::<W>(state)));
        Ok(())
    }
}

/// A place in a set.
pub(crate) struct Cursor<'r, const W: usize> {
    set: &'r Sorted<W>,
    /// The block that was read, and its number.
    block: Vec<Words<W>>,
    number: usize,
    /// The place in the block, or in a set in memory.
    place: usize,
    bytes: Vec<u8>,
}

impl<const W: usize> Cursor<'_, W> {
    /// The position of a state in the set, if it is there. States must be asked for in increasing order.
    #[inline]
    pub(crate) fn find(&mut self, state: &Words<W>) -> io::Result<Option<u64>> {
        let (states, before) = match self.set {
            Sorted::Memory(states) => (states, 0),
            Sorted::File(stored) => {
                if self.block.last().is_none_or(|last| last < state) {
                    // The last block that does not begin after the state.
                    let known = if self.number == usize::MAX { 0 } else { self.number };
                    let after = stored.index[known..].partition_point(|first| first <= state);
                    let Some(number) = (known + after).checked_sub(1) else { return Ok(None) };
                    if number != self.number {
                        stored.read(number, &mut self.bytes, &mut self.block)?;
                        (self.number, self.place) = (number, 0);
                    }
                }
                (&self.block, self.number as u64 * BLOCK as u64)
            }
        };
        // The next one is often near: steps are doubled until one goes too far.
        let mut step = 1;
        while self.place + step < states.len() && states[self.place + step] <= *state {
            self.place += step;
            step *= 2;
        }
        let end = states.len().min(self.place + step + 1);
        self.place += states[self.place..end].partition_point(|known| known < state);
        Ok((states.get(self.place) == Some(state)).then_some(before + self.place as u64))
    }

    /// The next state in order, if there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> io::Result<Option<Words<W>>> {
        match self.set {
            Sorted::Memory(states) => {
                let next = states.get(self.place).copied();
                self.place += 1;
                Ok(next)
            }
            Sorted::File(stored) => {
                if self.place >= self.block.len() {
                    let number = if self.number == usize::MAX { 0 } else { self.number + 1 };
                    if number >= stored.index.len() {
                        return Ok(None);
                    }
                    stored.read(number, &mut self.bytes, &mut self.block)?;
                    (self.number, self.place) = (number, 0);
                }
                let next = self.block[self.place];
                self.place += 1;
                Ok(Some(next))
            }
        }
    }
}

/// Writes a set. It stays in memory as long as it is small.
pub(crate) struct Writer<'w, const W: usize> {
    path: PathBuf,
    codec: &'w Codec,
    /// How many states may stay in memory.
    small: usize,
    states: Vec<Words<W>>,
    file: Option<File>,
    bytes: Vec<u8>,
    count: u64,
    index: Vec<Words<W>>,
}

/// How many bytes are written at a time.
const BUFFER: usize = 1 << 18;

impl<'w, const W: usize> Writer<'w, W> {
    pub(crate) fn new(path: PathBuf, codec: &'w Codec, small: usize) -> Writer<'w, W> {
        let (states, bytes, index) = (Vec::new(), Vec::new(), Vec::new());
        Writer { path, codec, small, states, file: None, bytes, count: 0, index }
    }

    /// Adds a state that is greater than all before.
    #[inline]
    pub(crate) fn add(&mut self, state: &Words<W>) -> io::Result<()> {
        if self.file.is_none() {
            if self.states.len() < self.small {
                self.states.push(*state);
                self.count += 1;
                return Ok(());
            }
            self.file =
                Some(File::options().read(true).write(true).create(true).truncate(true).open(&self.path)?);
            self.count = 0;
            for state in std::mem::take(&mut self.states) {
                self.put(&state)?;
            }
        }
        self.put(state)
    }

    #[inline]
    fn put(&mut self, state: &Words<W>) -> io::Result<()> {
        if self.count.is_multiple_of(BLOCK as u64) {
            self.index.push(*state);
        }
        self.count += 1;
        self.codec.write(state, &mut self.bytes);
        if self.bytes.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(&self.bytes)?;
        }
        self.bytes.clear();
        Ok(())
    }

    pub(crate) fn finish(mut self) -> io::Result<Sorted<W>> {
        self.flush()?;
        let Writer { path, codec, states, file, count, index, .. } = self;
        Ok(match file {
            None => Sorted::Memory(states),
            Some(file) => Sorted::File(Stored { path, file, count, index, codec: codec.clone() }),
        })
    }
}

impl<const W: usize> Sorted<W> {
    /// The same set in a file that is certainly on the disk.
    pub(crate) fn stored(self, path: PathBuf, codec: &Codec) -> io::Result<Sorted<W>> {
        let set = match self {
            Sorted::Memory(states) => {
                let mut writer = Writer::new(path, codec, 0);
                if states.is_empty() {
                    writer.file = Some(
                        File::options()
                            .read(true)
                            .write(true)
                            .create(true)
                            .truncate(true)
                            .open(&writer.path)?,
                    );
                }
                for state in &states {
                    writer.add(state)?;
                }
                writer.finish()?
            }
            Sorted::File(stored) => Sorted::File(stored),
        };
        if let Sorted::File(stored) = &set {
            stored.file.sync_data()?;
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use model::packing::{Field, Packing};

    use super::*;

    fn codec() -> Codec {
        Codec::new(&Packing {
            fields: vec![Field { word: 0, shift: 0, bits: 20, lo: 0, hi: (1 << 20) - 1 }],
            words: 1,
        })
    }

    /// A set of every third number below a bound.
    fn set(name: &str, bound: u64, small: usize) -> (PathBuf, Sorted<1>) {
        let path = std::env::temp_dir().join(format!("fairly-set-{}-{name}", std::process::id()));
        let codec = codec();
        let mut writer = Writer::new(path.clone(), &codec, small);
        for number in (0..bound).step_by(3) {
            writer.add(&[number]).expect("written");
        }
        (path, writer.finish().expect("written"))
    }

    #[test]
    fn a_run_has_what_was_added_in_memory_and_in_a_file() {
        for (name, bound, small) in
            [("a", 20_000, usize::MAX), ("b", 20_000, 0), ("c", 3 * 2048 * 3, 10), ("d", 1, 0)]
        {
            let (path, set) = set(name, bound, small);
            assert_eq!(matches!(set, Sorted::File(_)), small < 100 && bound > 0, "{name}");
            // All of them, in order.
            let mut cursor = set.cursor();
            for number in (0..bound).step_by(3) {
                assert_eq!(cursor.next().expect("read"), Some([number]), "{name}");
            }
            assert_eq!(cursor.next().expect("read"), None, "{name}");
            // Some of them, near each other and far apart.
            for stride in [1, 2, 7, 100, 5_000] {
                let mut cursor = set.cursor();
                for number in (0..bound + 10_000).step_by(stride) {
                    let expected = (number % 3 == 0 && number < bound).then_some(number / 3);
                    assert_eq!(cursor.find(&[number]).expect("read"), expected, "{name} {number}");
                }
            }
            let _ = std::fs::remove_file(path);
        }
    }

    #[test]
    fn a_file_that_is_too_short_is_not_opened() {
        let (path, set) = set("short", 30_000, 0);
        let count = set.count();
        assert!(Stored::<1>::open(&path, count, &codec()).is_ok());
        assert!(Stored::<1>::open(&path, count + 1, &codec()).is_err());
        let _ = std::fs::remove_file(path);
    }
}
