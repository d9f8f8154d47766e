//! Breadth-first search with the states in sorted sets.
//!
//! Looking up one state in a file is far too slow. So the targets of a whole level are gathered, sorted, and compared with
//! all known states in one pass; duplicates are detected late [Kor08]. Known states are in a few sets, of which younger
//! ones are merged when they are about as large as an older one, so that a state is written a logarithmic number of times,
//! and not once per level. A small table drops most targets that were gathered a moment ago.
//!
//! The memory is divided: a quarter for targets, a sixteenth for the table, and sets of less than a thirty-second stay in
//! memory. Time grows with the states times the levels in the worst case, but blocks of files where no target could be
//! are not read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use engines::explicit::compiled::Compiled;
use engines::rounds::decide::judge;
use engines::rounds::explore::Desk;
use engines::rounds::{Decided, Halt, Part, Source, Words};
use model::task::Progress;
use model::{Session, StopReason};

use crate::alone::Alone;
use crate::checkpoint::{Checkpoint, PACE};
use crate::codec::Codec;
use crate::sorted::{Cursor, Sorted, Stored, Writer};
use crate::steps;

/// How the names of sets begin.
pub(crate) const PREFIX: &str = "states-";
/// How many states are expanded between two checks of the limits.
pub(crate) const INTERVAL: u64 = if cfg!(test) { 1 << 5 } else { 1 << 12 };
/// The memory that is used for sorting at least, whatever the limit, and at most.
pub(crate) const LEAST: u64 = 8 << 20;
pub(crate) const MOST: u64 = 4 << 30;

/// Why a search ends early.
#[derive(Debug)]
pub(crate) enum End {
    /// A limit was reached after so many states.
    Stopped(StopReason, u64),
    /// A file could not be read or written.
    Failed(io::Error),
    /// There are more states, or more requirements, than can be numbered.
    TooLarge,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> End {
        End::Failed(error)
    }
}

/// A search.
pub(crate) struct Search<'s, const W: usize> {
    source: Compiled<W>,
    folder: &'s Path,
    task: &'s str,
    session: &'s Session<'s>,
    codec: Codec,
    room: Room,
    /// The states that are expanded, in sets of decreasing size.
    known: Vec<Sorted<W>>,
    /// The states that are not.
    frontier: Sorted<W>,
    level: u64,
    states: u64,
    steps: u64,
    /// The triggers that occur in states that were expanded before a checkpoint.
    occurs: Vec<bool>,
    /// The number of the next set.
    next: u64,
    /// Files that are of no more use once there is another checkpoint.
    obsolete: Vec<PathBuf>,
    last: Instant,
    /// States that were gathered a moment ago, each at the place that its words name.
    recent: Vec<Words<W>>,
}

/// What may be kept in memory, in states.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    targets: usize,
    small: usize,
    recent: usize,
}

impl Room {
    /// The room in so much memory.
    pub(crate) fn new<const W: usize>(memory: u64) -> Room {
        let states = memory as usize / size_of::<Words<W>>();
        let recent = ((states / 16).next_power_of_two() / 2).max(1);
        Room { targets: (states / 4).max(1), small: states / 32, recent }
    }
}

impl<'s, const W: usize> Search<'s, W> {
    /// A search from the initial states, or from where an earlier one has come to.
    pub(crate) fn new(
        source: Compiled<W>,
        folder: &'s Path,
        task: &'s str,
        resume: bool,
        room: Room,
        session: &'s Session<'s>,
    ) -> Result<Search<'s, W>, End> {
        let codec = Codec::new(source.packing());
        let mut search = Search {
            source,
            folder,
            task,
            session,
            codec,
            room,
            known: Vec::new(),
            frontier: Sorted::Memory(Vec::new()),
            level: 0,
            states: 0,
            steps: 0,
            occurs: Vec::new(),
            next: 0,
            obsolete: Vec::new(),
            last: Instant::now(),
            // Zeroes are no state: the state that consists of them is always gathered.
            recent: vec![[0; W]; room.recent],
        };
        let checkpoint = if resume { Checkpoint::read(folder, task) } else { None };
        match checkpoint {
            Some(checkpoint) => search.go_on_from(checkpoint)?,
            None => Checkpoint::default().tidy(folder)?,
        }
        Ok(search)
    }

    fn go_on_from(&mut self, checkpoint: Checkpoint) -> io::Result<()> {
        checkpoint.tidy(self.folder)?;
        let open = |(name, count): &(String, u64)| {
            Stored::open(&self.folder.join(name), *count, &self.codec).map(Sorted::File)
        };
        self.known = checkpoint.sets.iter().map(open).collect::<io::Result<_>>()?;
        self.frontier = open(&checkpoint.frontier)?;
        let Checkpoint { level, states, steps, next, occurs, .. } = checkpoint;
        (self.level, self.states, self.steps) = (level, states, steps);
        (self.next, self.occurs) = (next, occurs);
        Ok(())
    }

    /// Decides the task.
    pub(crate) fn decide(mut self) -> Result<Decided, End> {
        if !self.explore()? {
            return Ok(self.decided(true));
        }
        if self.source.is_about_states() {
            return Ok(self.decided(false));
        }
        self.decide_runs()
    }

    /// Finds all states. Returns whether there is no exception among them.
    fn explore(&mut self) -> Result<bool, End> {
        if self.states == 0 {
            let mut targets = Targets::new(self.room);
            let mut error = None;
            let found = self.source.initial(&mut |state| {
                let added = targets.add(&state, &mut self.recent, self.folder, &self.codec, &mut self.next);
                added.map_err(|failed| {
                    error = Some(failed);
                    Halt::Elsewhere
                })
            });
            if let Some(error) = error {
                return Err(End::Failed(error));
            }
            if found.is_err() {
                return Ok(false);
            }
            self.frontier = self.new_states(targets)?;
        }
        while self.frontier.count() > 0 {
            let targets = match self.expand() {
                Ok(Some(targets)) => targets,
                Ok(None) => return Ok(false),
                Err(End::Stopped(stop, states)) => {
                    self.write_down()?;
                    return Err(End::Stopped(stop, states));
                }
                Err(end) => return Err(end),
            };
            let next = self.new_states(targets)?;
            let expanded = std::mem::replace(&mut self.frontier, next);
            self.level += 1;
            self.add(expanded)?;
            if self.last.elapsed() >= PACE {
                self.write_down()?;
            }
        }
        Ok(true)
    }

    fn decided(&self, fails: bool) -> Decided {
        Decided { fails, states: self.states, steps: self.steps, occurs: self.occurring() }
    }

    /// Per trigger, whether it occurs in states that were expanded.
    fn occurring(&self) -> Vec<bool> {
        // In runs it is looked for when all states are found.
        let mut occurs = self.source.occurs(&mut Part::default()).unwrap_or_default();
        occurs.iter_mut().zip(&self.occurs).for_each(|(now, before)| *now |= before);
        occurs
    }

    /// Decides a property of runs, once all states are found: their steps are written into a file, and what is kept per
    /// state is in memory.
    fn decide_runs(mut self) -> Result<Decided, End> {
        let states = self.all()?;
        // Forgotten states leave room for steps, each of which takes two words more than a state.
        self.recent = Vec::new();
        let room = self.room.targets * W / (W + 2);
        let path = self.name();
        let initial = self.initial(&states)?;
        let steps = match steps::write(&mut self.source, &states, &path, room, self.session)? {
            Ok(steps) => steps,
            Err(halt) => return self.halted(halt, None),
        };
        let error = Arc::clone(&steps.error);
        let part = Part::streamed(states.count() as u32, steps.count, initial, Box::new(steps));
        let desk = Desk { memory: self.session.memory, gauge: Arc::default() };
        let mut alone = Alone { session: self.session, desk: &desk, states: self.states };
        match judge(&mut alone, &self.source, part, &desk) {
            Ok(decided) => Ok(decided),
            Err(halt) => {
                let error = error.lock().ok().and_then(|mut error| error.take());
                self.halted(halt, error)
            }
        }
    }

    /// How the search ends if a worker ends early.
    fn halted(&self, halt: Halt, error: Option<io::Error>) -> Result<Decided, End> {
        match halt {
            Halt::Exception => Ok(self.decided(true)),
            Halt::Limit(stop) => Err(End::Stopped(stop, self.states)),
            Halt::TooLarge => Err(End::TooLarge),
            Halt::Elsewhere | Halt::Unread => {
                Err(End::Failed(error.unwrap_or_else(|| io::Error::other("steps cannot be read"))))
            }
        }
    }

    /// The set of all states. It is written down, so that a later search begins here.
    fn all(&mut self) -> Result<Sorted<W>, End> {
        if self.states >= u64::from(u32::MAX) {
            return Err(End::TooLarge);
        }
        if self.known.len() > 1 {
            let sets = std::mem::take(&mut self.known);
            let both = self.merged(&sets)?;
            self.forget(sets);
            self.known.push(both);
        }
        self.write_down()?;
        Ok(self.known.pop().unwrap_or_else(|| Sorted::Memory(Vec::new())))
    }

    /// The numbers of the initial states.
    fn initial(&self, states: &Sorted<W>) -> Result<Vec<u32>, End> {
        let mut initial = Vec::new();
        let _ = self.source.initial(&mut |state| {
            initial.push(state);
            Ok(())
        });
        initial.sort_unstable();
        initial.dedup();
        let mut cursor = states.cursor();
        let mut numbers = Vec::new();
        for state in initial {
            let number = cursor.find(&state)?;
            numbers.push(number.ok_or_else(|| io::Error::other("a set of states has lost some"))? as u32);
        }
        Ok(numbers)
    }

    /// The targets of the steps that leave the frontier; `None` if there is an exception.
    fn expand(&mut self) -> Result<Option<Targets<W>>, End> {
        let mut found = Targets::new(self.room);
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        let (mut count, mut steps) = (0u64, 0);
        let mut cursor = self.frontier.cursor();
        while let Some(state) = cursor.next()? {
            labels.clear();
            targets.clear();
            if self.source.expand(&state, &mut labels, &mut targets).is_err() {
                return Ok(None);
            }
            steps += targets.len() as u64;
            for target in &targets {
                found.add(target, &mut self.recent, self.folder, &self.codec, &mut self.next)?;
            }
            count += 1;
            if count.is_multiple_of(INTERVAL) {
                (self.session.progress)(&Progress {
                    phase: "exploring on disk",
                    count: self.states,
                    unit: "states",
                });
                if let Some(stop) = (self.session.stop)() {
                    return Err(End::Stopped(stop, self.states));
                }
            }
        }
        self.steps += steps;
        Ok(Some(found))
    }

    /// Those of some targets that are not known, as a set.
    fn new_states(&mut self, targets: Targets<W>) -> Result<Sorted<W>, End> {
        let name = self.name();
        let sets = targets.finish();
        let new = {
            let mut writer = Writer::new(name, &self.codec, self.room.small);
            let mut known: Vec<Cursor<'_, W>> = self.known.iter().map(Sorted::cursor).collect();
            known.push(self.frontier.cursor());
            let mut merged = Merged::new(&sets)?;
            let mut count = 0u64;
            'targets: while let Some(target) = merged.next()? {
                count += 1;
                if count.is_multiple_of(INTERVAL)
                    && let Some(stop) = (self.session.stop)()
                {
                    drop(known);
                    return Err(End::Stopped(stop, self.states));
                }
                for set in &mut known {
                    if set.find(&target)?.is_some() {
                        continue 'targets;
                    }
                }
                writer.add(&target)?;
            }
            writer.finish()?
        };
        for set in sets {
            remove(set);
        }
        self.states += new.count();
        Ok(new)
    }

    /// Adds a set to the known ones. While the last two are of about the same size, they are merged.
    fn add(&mut self, set: Sorted<W>) -> Result<(), End> {
        self.known.push(set);
        while let [.., older, younger] = &self.known[..]
            && older.count() <= younger.count().saturating_mul(2)
        {
            let pair = self.known.split_off(self.known.len() - 2);
            let both = self.merged(&pair)?;
            self.forget(pair);
            self.known.push(both);
        }
        Ok(())
    }

    /// The states of several sets in one.
    fn merged(&mut self, sets: &[Sorted<W>]) -> io::Result<Sorted<W>> {
        let name = self.name();
        let mut writer = Writer::new(name, &self.codec, self.room.small);
        let mut merged = Merged::new(sets)?;
        while let Some(state) = merged.next()? {
            writer.add(&state)?;
        }
        writer.finish()
    }

    /// Notes that some sets are of no more use.
    fn forget(&mut self, sets: Vec<Sorted<W>>) {
        for set in sets {
            if let Sorted::File(stored) = set {
                self.obsolete.push(stored.path().to_owned());
            }
        }
    }

    fn name(&mut self) -> PathBuf {
        self.next += 1;
        self.folder.join(format!("{PREFIX}{}", self.next - 1))
    }

    /// Writes down how far the search is.
    fn write_down(&mut self) -> io::Result<()> {
        let store = |set: Sorted<W>, next: &mut u64| {
            *next += 1;
            set.stored(self.folder.join(format!("{PREFIX}{}", *next - 1)), &self.codec)
        };
        let known = std::mem::take(&mut self.known);
        for set in known {
            let stored = store(set, &mut self.next)?;
            self.known.push(stored);
        }
        let frontier = std::mem::replace(&mut self.frontier, Sorted::Memory(Vec::new()));
        self.frontier = store(frontier, &mut self.next)?;
        let named = |set: &Sorted<W>| match set {
            Sorted::File(stored) => (stored.name(), stored.count),
            Sorted::Memory(_) => unreachable!("every set was stored"),
        };
        let checkpoint = Checkpoint {
            task: self.task.to_owned(),
            level: self.level,
            states: self.states,
            steps: self.steps,
            next: self.next,
            occurs: self.occurring(),
            sets: self.known.iter().map(named).collect(),
            frontier: named(&self.frontier),
        };
        checkpoint.write(self.folder)?;
        for path in self.obsolete.drain(..) {
            std::fs::remove_file(path)?;
        }
        self.last = Instant::now();
        Ok(())
    }
}

/// Removes the file of a set that nobody needs.
fn remove<const W: usize>(set: Sorted<W>) {
    if let Sorted::File(stored) = set {
        // If it stays, the next checkpoint that is read removes it.
        let _ = std::fs::remove_file(stored.path());
    }
}

/// The targets of steps, in sorted sets.
struct Targets<const W: usize> {
    most: usize,
    gathered: Vec<Words<W>>,
    sets: Vec<Sorted<W>>,
}

impl<const W: usize> Targets<W> {
    fn new(room: Room) -> Targets<W> {
        Targets { most: room.targets, gathered: Vec::with_capacity(room.targets), sets: Vec::new() }
    }

    /// Gathers a target, unless that was done a moment ago, in this level or in an earlier one.
    #[inline]
    fn add(
        &mut self,
        target: &Words<W>,
        recent: &mut [Words<W>],
        folder: &Path,
        codec: &Codec,
        next: &mut u64,
    ) -> io::Result<()> {
        let mixed = target
            .iter()
            .fold(0u64, |h, word| (h.rotate_left(29) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let place = (mixed >> 32) as usize & (recent.len() - 1);
        if recent[place] == *target && *target != [0; W] {
            return Ok(());
        }
        recent[place] = *target;
        self.gathered.push(*target);
        if self.gathered.len() < self.most {
            return Ok(());
        }
        self.sort();
        let mut writer = Writer::new(folder.join(format!("{PREFIX}{next}")), codec, 0);
        *next += 1;
        for state in self.gathered.drain(..) {
            writer.add(&state)?;
        }
        self.sets.push(writer.finish()?);
        Ok(())
    }

    fn sort(&mut self) {
        self.gathered.sort_unstable();
        self.gathered.dedup();
    }

    fn finish(mut self) -> Vec<Sorted<W>> {
        self.sort();
        self.sets.push(Sorted::Memory(self.gathered));
        self.sets
    }
}

/// The states of several sets, in order and without duplicates.
struct Merged<'r, const W: usize> {
    cursors: Vec<Cursor<'r, W>>,
    heap: BinaryHeap<Reverse<(Words<W>, usize)>>,
    last: Option<Words<W>>,
}

impl<'r, const W: usize> Merged<'r, W> {
    fn new(sets: &'r [Sorted<W>]) -> io::Result<Merged<'r, W>> {
        let mut merged = Merged {
            cursors: sets.iter().map(Sorted::cursor).collect(),
            heap: BinaryHeap::new(),
            last: None,
        };
        for (number, cursor) in merged.cursors.iter_mut().enumerate() {
            if let Some(state) = cursor.next()? {
                merged.heap.push(Reverse((state, number)));
            }
        }
        Ok(merged)
    }

    #[inline]
    fn next(&mut self) -> io::Result<Option<Words<W>>> {
        loop {
            let Some(mut top) = self.heap.peek_mut() else { return Ok(None) };
            let Reverse((state, number)) = *top;
            match self.cursors[number].next()? {
                Some(next) => top.0.0 = next,
                None => {
                    std::collections::binary_heap::PeekMut::pop(top);
                }
            }
            if self.last != Some(state) {
                self.last = Some(state);
                return Ok(Some(state));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};

    use engines::explicit::compiled::{Visitor, compile};
    use engines::{Engine, Explicit};
    use model::{Answer, Task};

    use super::*;

    /// Rings of counters with a claim that holds, one that fails, and triggers that occur and do not.
    const MODEL: &str = "
        const N = 3;
        shared turn: 0..N-1;
        shared x: array[0..N-1] of 0..7;
        process P[i: 0..N-1] {
            loop {
                up:   when x[i] < 7 { x[i] = x[i] + 1; }
                pass: either { turn = i; } or { when turn == i { x[i] = 0; } } or { skip; }
            }
        }
        invariant small: x[0] <= 7;
        invariant triggered: x[1] == 5 -> x[2] <= 7;
        invariant vacuous: x[1] == 8 -> x[2] == 0;
        invariant wrong: x[0] + x[1] + x[2] < 21;
    ";

    /// The same rings, with properties about runs that hold and fail in turn.
    const RUNS: &str = "
        fairness scheduled: weak processes;
        fairness strongly: strong processes;
        fairness passing: compassion (x[0] == 7, turn == 0);
        property moves: G F P[0]@pass under scheduled;
        property moves_unfair: G F P[0]@pass;
        property rises: G (x[1] == 7 -> F x[1] != 7) under global;
        property rises_strongly: G (x[1] == 7 -> F x[1] != 7) under strongly;
        property turns: (G F x[0] == 7) -> (G F turn == 0) under passing;
        property turns_unfair: (G F x[0] == 7) -> (G F turn == 0) under scheduled;
        property passes: (x[1] == 5) -> F P[2]@pass under strongly;
    ";

    fn tasks() -> Vec<Task> {
        tasks_of(MODEL)
    }

    fn tasks_of(text: &str) -> Vec<Task> {
        let loaded = lang::load("rings", text, &[]);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        model.checks.iter().map(|check| check.task.clone()).collect()
    }

    struct Work<'w> {
        folder: &'w Path,
        room: Room,
        resume: bool,
        session: &'w Session<'w>,
    }

    impl Visitor for Work<'_> {
        type Output = Result<Decided, End>;
        fn visit<const W: usize>(self, compiled: Compiled<W>) -> Self::Output {
            let Work { folder, room, resume, session } = self;
            let mut search = Search::new(compiled, folder, "task", resume, room, session)?;
            // Checkpoints are due at once.
            search.last = Instant::now().checked_sub(PACE).unwrap_or_else(Instant::now);
            search.decide()
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("fairly-search-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// The states and steps of the whole system, and whether the property holds.
    fn expected(task: &Task) -> (bool, Option<u64>, Option<u64>) {
        let session = Session::unlimited();
        let engine = Explicit { reductions: false, probes: false, ..Explicit::default() };
        let answer = engine.check(task, &session).expect("taken");
        (matches!(answer, Answer::Holds(_)), session.counted("states"), session.counted("transitions"))
    }

    #[test]
    fn the_counts_are_those_of_a_search_in_memory_however_little_fits() {
        let folder = folder("counts");
        let rooms = [(7, 2, 4), (64, 16, 1), (5_000, 100, 64), (1 << 20, 1 << 20, 1 << 10)];
        for (number, task) in tasks().iter().enumerate() {
            let (holds, states, steps) = expected(task);
            for (targets, small, recent) in rooms {
                let room = Room { targets, small, recent };
                let session = Session::unlimited();
                let work = Work { folder: &folder, room, resume: false, session: &session };
                let decided = compile(task, &session, work).expect("compiled").expect("decided");
                assert_eq!(decided.fails, !holds, "{number} {targets}");
                assert_eq!(decided.fails, number == 3);
                if holds {
                    assert_eq!(
                        (Some(decided.states), Some(decided.steps)),
                        (states, steps),
                        "{number} {targets}"
                    );
                    assert_eq!(
                        decided.occurs,
                        [vec![], vec![true], vec![false]][number],
                        "{number} {targets}"
                    );
                }
            }
        }
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn runs_are_decided_as_in_memory_however_little_fits() {
        let folder = folder("runs");
        let system =
            MODEL.split("invariant").next().expect("a system").replace("0..7", "0..3").replace("< 7", "< 3");
        let tasks = tasks_of(&(system + &RUNS.replace("== 7", "== 3").replace("!= 7", "!= 3")));
        let mut verdicts = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let (holds, states, steps) = expected(task);
            verdicts.push(holds);
            for (targets, small, recent) in [(7, 2, 4), (500, 16, 1), (1 << 16, 1 << 16, 1 << 10)] {
                let room = Room { targets, small, recent };
                let session = Session::unlimited();
                let work = Work { folder: &folder, room, resume: false, session: &session };
                let decided = compile(task, &session, work).expect("compiled").expect("decided");
                assert_eq!(decided.fails, !holds, "{number} {targets}");
                let found = (Some(decided.states), Some(decided.steps));
                assert!(!holds || found == (states, steps), "{number} {targets}: {found:?}");
            }
        }
        let hold = verdicts.iter().filter(|holds| **holds).count();
        assert!(verdicts.len() == 7 && (2..=5).contains(&hold), "{verdicts:?}");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn what_is_kept_per_state_counts_as_memory() {
        let folder = folder("memory");
        let system = MODEL.split("invariant").next().expect("a system");
        let task = &tasks_of(&(system.to_owned() + RUNS))[0];
        let session = Session::new(&|| None, &|_| {}, 1 << 12, 1);
        let room = Room { targets: 500, small: 16, recent: 16 };
        let work = Work { folder: &folder, room, resume: false, session: &session };
        let end = compile(task, &Session::unlimited(), work).expect("compiled");
        assert!(matches!(end, Err(End::Stopped(StopReason::Memory, states)) if states > 1_000), "{end:?}");
        fs::remove_dir_all(folder).expect("removed");
    }

    #[test]
    fn a_search_that_is_stopped_again_and_again_comes_to_the_same_end() {
        let system = MODEL.split("invariant").next().expect("a system");
        let runs = tasks_of(&(system.to_owned() + RUNS));
        stopped_again_and_again("state", &tasks()[1]);
        let holds = runs.iter().find(|task| expected(task).0).expect("one holds");
        stopped_again_and_again("run", holds);
    }

    fn stopped_again_and_again(name: &str, task: &Task) {
        let (_, states, steps) = expected(task);
        let room = Room { targets: 50, small: 8, recent: 16 };
        for patience in [3, 30] {
            let folder = folder(&format!("stopped-{name}-{patience}"));
            let mut stops = 0;
            let decided = loop {
                let asked = AtomicU64::new(0);
                // Each attempt gets a little further, or none might ever finish a level.
                let most = patience + stops * 10;
                let stop = || (asked.fetch_add(1, Ordering::Relaxed) >= most).then_some(StopReason::Time);
                let session = Session::new(&stop, &|_| {}, u64::MAX, 1);
                let unlimited = Session::unlimited();
                let work = Work { folder: &folder, room, resume: true, session: &session };
                match compile(task, &unlimited, work).expect("compiled") {
                    Ok(decided) => break decided,
                    Err(End::Stopped(StopReason::Time, _)) => stops += 1,
                    Err(end) => panic!("{end:?}"),
                }
                // What a killed search leaves behind does no harm.
                fs::write(folder.join("states-999999"), "half of a set").expect("written");
            };
            assert!(stops > 2, "{stops} stops");
            assert_eq!((Some(decided.states), Some(decided.steps)), (states, steps), "{stops} stops");
            assert!(!decided.fails);
            assert!(decided.occurs.iter().all(|occurs| *occurs));
            fs::remove_dir_all(folder).expect("removed");
        }
    }

    #[test]
    fn a_disk_that_takes_nothing_ends_the_search() {
        let folder = folder("full");
        // Sorted sets cannot be written where there is no folder.
        fs::remove_dir_all(&folder).expect("removed");
        let session = Session::unlimited();
        let room = Room { targets: 7, small: 2, recent: 4 };
        let work = Work { folder: &folder, room, resume: false, session: &session };
        assert!(matches!(compile(&tasks()[0], &session, work).expect("compiled"), Err(End::Failed(_))));
    }
}
