//! The steps between sorted states, in a file.
//!
//! The number of a state is its position in the sorted set of all. States are expanded in this order. The targets of as
//! many steps as fit in memory are sorted, their numbers are found in one pass through the states, and the steps are
//! written. So the file is in the order of the states that the steps leave, and every block of it can be read alone.
//!
//! A block has the steps of some states in a row: two numbers that say how many states and steps, per state its valuation
//! and how many steps leave it, and per step its target and its label. All numbers have four bytes, labels two.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use engines::explicit::compiled::Compiled;
use engines::rounds::{Blocks, Halt, Source, Window, Words};
use model::Session;
use model::task::Progress;

use crate::search::{End, INTERVAL};
use crate::sorted::Sorted;

/// How many steps a block has, more or less.
const BLOCK: usize = if cfg!(test) { 1 << 4 } else { 1 << 15 };

/// Steps in a file.
#[derive(Debug)]
pub(crate) struct Steps {
    file: File,
    /// Per block, its first state and where it begins; at the end, where the file ends.
    index: Vec<(u32, u64)>,
    pub(crate) count: u64,
    bytes: Vec<u8>,
    /// Why a block could not be read.
    pub(crate) error: Arc<Mutex<Option<io::Error>>>,
}

/// Writes the steps that leave all states into a file. At most `room` steps are in memory.
pub(crate) fn write<const W: usize>(
    source: &mut Compiled<W>,
    states: &Sorted<W>,
    path: &Path,
    room: usize,
    session: &Session<'_>,
) -> Result<Result<Steps, Halt>, End> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    let mut writer =
        Writer { steps: Steps::new(file), window: Window::default(), targets: Vec::new(), at: 0 };
    let (mut labels, mut targets) = (Vec::new(), Vec::new());
    let mut cursor = states.cursor();
    let mut count = 0u64;
    while let Some(state) = cursor.next()? {
        labels.clear();
        targets.clear();
        match source.expand(&state, &mut labels, &mut targets) {
            Ok(valuation) => writer.add(valuation, &labels, &targets),
            Err(halt) => return Ok(Err(halt)),
        }
        count += 1;
        if writer.targets.len() >= room {
            writer.resolve(states)?;
        }
        if count.is_multiple_of(INTERVAL) {
            (session.progress)(&Progress { phase: "writing steps", count, unit: "states" });
            if let Some(stop) = (session.stop)() {
                return Err(End::Stopped(stop, states.count()));
            }
        }
    }
    writer.resolve(states)?;
    let Writer { mut steps, at, .. } = writer;
    steps.index.push((count as u32, at));
    Ok(Ok(steps))
}

struct Writer<const W: usize> {
    steps: Steps,
    /// The steps in memory, without where they lead.
    window: Window,
    /// Where they lead, each with its position.
    targets: Vec<(Words<W>, u32)>,
    /// The length of the file.
    at: u64,
}

impl<const W: usize> Writer<W> {
    #[inline]
    fn add(&mut self, valuation: u32, labels: &[u16], targets: &[Words<W>]) {
        for target in targets {
            self.targets.push((*target, self.targets.len() as u32));
        }
        self.window.labels.extend_from_slice(labels);
        self.window.valuations.push(valuation);
        self.window.ends.push(self.targets.len() as u64);
    }

    /// Finds out where the steps in memory lead, and writes them.
    fn resolve(&mut self, states: &Sorted<W>) -> io::Result<()> {
        let Writer { steps, window, targets, at } = self;
        targets.sort_unstable();
        window.targets.resize(targets.len(), 0);
        let mut cursor = states.cursor();
        for (target, position) in targets.drain(..) {
            let number = cursor.find(&target)?;
            let number = number.ok_or_else(|| io::Error::other("a set of states has lost some"))?;
            window.targets[position as usize] = number as u32;
        }
        let mut from = 0;
        while from < window.ends.len() {
            let first = if from == 0 { 0 } else { window.ends[from - 1] };
            let more = window.ends[from + 1..].partition_point(|end| end - first <= BLOCK as u64);
            let to = from + 1 + more;
            steps.index.push((window.first + from as u32, *at));
            *at += steps.append(window, from..to)?;
            from = to;
        }
        let first = window.first + window.ends.len() as u32;
        steps.count += window.targets.len() as u64;
        window.valuations.clear();
        window.ends.clear();
        window.targets.clear();
        window.labels.clear();
        window.first = first;
        Ok(())
    }
}

impl Steps {
    fn new(file: File) -> Steps {
        Steps { file, index: Vec::new(), count: 0, bytes: Vec::new(), error: Arc::default() }
    }

    /// Writes a block: the steps of some states in a window. Returns its length.
    fn append(&mut self, window: &Window, states: std::ops::Range<usize>) -> io::Result<u64> {
        let first = if states.start == 0 { 0 } else { window.ends[states.start - 1] };
        let steps = first as usize..window.ends[states.end - 1] as usize;
        let bytes = &mut self.bytes;
        bytes.clear();
        let mut put = |number: u32| bytes.extend_from_slice(&number.to_le_bytes());
        put(states.len() as u32);
        put(steps.len() as u32);
        window.valuations[states.clone()].iter().for_each(|valuation| put(*valuation));
        let mut before = first;
        for end in &window.ends[states] {
            put((end - before) as u32);
            before = *end;
        }
        window.targets[steps.clone()].iter().for_each(|target| put(*target));
        for label in &window.labels[steps] {
            bytes.extend_from_slice(&label.to_le_bytes());
        }
        self.file.write_all(bytes)?;
        Ok(bytes.len() as u64)
    }

    fn read_block(&mut self, state: u32, window: &mut Window) -> io::Result<()> {
        let number = self.index.partition_point(|(first, _)| *first <= state);
        let [(first, begin), (_, end)] = self.index[number - 1..=number] else {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        };
        self.bytes.resize((end - begin) as usize, 0);
        self.file.read_exact_at(&mut self.bytes, begin)?;
        let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("a number has four bytes"));
        let (head, rest) = self.bytes.split_at(8);
        let (states, steps) = (number(&head[..4]) as usize, number(&head[4..]) as usize);
        let (valuations, rest) = rest.split_at(4 * states);
        let (degrees, rest) = rest.split_at(4 * states);
        let (targets, labels) = rest.split_at(4 * steps);
        let Window {
            first: window_first,
            valuations: to_valuations,
            ends,
            targets: to_targets,
            labels: to_labels,
        } = window;
        *window_first = first;
        to_valuations.clear();
        to_valuations.extend(valuations.chunks_exact(4).map(number));
        ends.clear();
        ends.extend(degrees.chunks_exact(4).scan(0, |end, degree| {
            *end += u64::from(number(degree));
            Some(*end)
        }));
        to_targets.clear();
        to_targets.extend(targets.chunks_exact(4).map(number));
        to_labels.clear();
        to_labels.extend(labels.chunks_exact(2).map(|label| u16::from_le_bytes([label[0], label[1]])));
        Ok(())
    }
}

impl Blocks for Steps {
    fn read(&mut self, state: u32, window: &mut Window) -> Result<(), Halt> {
        self.read_block(state, window).map_err(|error| {
            *self.error.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
            Halt::Unread
        })
    }
}
