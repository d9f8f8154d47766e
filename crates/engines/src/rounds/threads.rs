//! The simplest carrier: workers that are threads of one process, each with a part of its own. Tests use it, and it defines
//! what a carrier must do.
//!
//! In every round a worker works until it has nothing to do, sends what it has posted, and then a mark that says whether it
//! has sent anything or has more to do. When it has the marks of all others, it goes on with the next round. If no mark
//! says so, nobody has anything to do. A worker that ends early tells the others.

use std::sync::mpsc::{Receiver, Sender, channel};

use super::outbox::{Outbox, Parcel};
use super::{Carrier, Halt, Phase};

/// How many items are worked on at a time.
const QUANTUM: usize = 1024;

enum Letter {
    Parcel(Parcel),
    /// The end of a round of this worker, and whether it was the last for all it knows.
    Mark {
        from: usize,
        is_idle: bool,
    },
    /// A worker has ended early.
    Over,
}

/// A worker that is a thread.
pub struct Thread {
    me: usize,
    senders: Vec<Sender<Letter>>,
    receiver: Receiver<Letter>,
    /// What was received too early: of the next round.
    early: Vec<Letter>,
}

/// Lets so many threads do the same, each as a worker of its own, and returns what they return.
pub fn together<T: Send>(workers: usize, work: impl Fn(&mut Thread) -> T + Sync) -> Vec<T> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel()).unzip();
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = receivers
            .into_iter()
            .enumerate()
            .map(|(me, receiver)| {
                let mut thread = Thread { me, senders: senders.clone(), receiver, early: Vec::new() };
                scope.spawn(move || work(&mut thread))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

impl Thread {
    fn send(&self, to: usize, letter: Letter) -> Result<(), Halt> {
        self.senders[to].send(letter).map_err(|_| Halt::Elsewhere)
    }

    fn post(&self, out: &mut Outbox, is_idle: &mut bool) -> Result<(), Halt> {
        for parcel in out.full() {
            *is_idle = false;
            self.send(parcel.to, Letter::Parcel(parcel))?;
        }
        Ok(())
    }
}

impl Carrier for Thread {
    fn me(&self) -> usize {
        self.me
    }

    fn workers(&self) -> usize {
        self.senders.len()
    }

    fn run<P: Phase>(&mut self, phase: P) -> Result<P, Halt> {
        let ended = self.rounds(phase);
        if ended.is_err() {
            for to in (0..self.senders.len()).filter(|to| *to != self.me) {
                // Whoever is gone need not know.
                let _ = self.send(to, Letter::Over);
            }
        }
        ended
    }
}

impl Thread {
    fn rounds<P: Phase>(&mut self, mut phase: P) -> Result<P, Halt> {
        let (me, workers) = (self.me, self.senders.len());
        let mut out = Outbox::new(me, workers);
        loop {
            let mut is_idle = true;
            while phase.work(QUANTUM, &mut out)? {
                self.post(&mut out, &mut is_idle)?;
            }
            out.close();
            self.post(&mut out, &mut is_idle)?;
            is_idle &= !phase.goes_on();
            for to in (0..workers).filter(|to| *to != me) {
                self.send(to, Letter::Mark { from: me, is_idle })?;
            }
            let mut marked = vec![false; workers];
            marked[me] = true;
            let mut letters = std::mem::take(&mut self.early).into_iter();
            while marked.contains(&false) {
                let letter = match letters.next() {
                    Some(letter) => letter,
                    None => self.receiver.recv().map_err(|_| Halt::Elsewhere)?,
                };
                match letter {
                    Letter::Over => return Err(Halt::Elsewhere),
                    // Whoever has sent its mark is in the next round.
                    Letter::Parcel(Parcel { from, .. }) | Letter::Mark { from, .. } if marked[from] => {
                        self.early.push(letter);
                    }
                    Letter::Parcel(Parcel { from, kind, messages, .. }) => {
                        phase.receive(from, kind, &messages, &mut out)?;
                    }
                    Letter::Mark { from, is_idle: idle } => {
                        marked[from] = true;
                        is_idle &= idle;
                    }
                }
            }
            self.early.extend(letters);
            if is_idle {
                return Ok(phase);
            }
        }
    }
}
