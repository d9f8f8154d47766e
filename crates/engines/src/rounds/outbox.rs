//! The messages that a worker has posted and that are not on their way yet.
//!
//! Messages are numbers of 64 bits in a row. Those of one kind for one worker are gathered into parcels, because a parcel
//! costs as much as many messages. What is in a message is up to the phase.

/// How many numbers make a parcel.
const PARCEL: usize = 1 << 12;
/// The number of kinds of messages.
pub const KINDS: usize = 2;

/// Messages of one kind for one worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parcel {
    /// Who gets it.
    pub to: usize,
    /// Who has posted it.
    pub from: usize,
    /// The kind of its messages.
    pub kind: usize,
    /// The messages, one after the other.
    pub messages: Vec<u64>,
}

/// What a worker has posted.
#[derive(Debug)]
pub struct Outbox {
    me: usize,
    /// Per kind and worker, the messages that are no parcel yet.
    open: Vec<Vec<u64>>,
    /// The parcels that are full.
    full: Vec<Parcel>,
}

impl Outbox {
    /// The empty outbox of a worker.
    pub fn new(me: usize, workers: usize) -> Outbox {
        Outbox { me, open: vec![Vec::new(); workers * KINDS], full: Vec::new() }
    }

    /// Posts a message.
    #[inline]
    pub fn post(&mut self, to: usize, kind: usize, message: &[u64]) {
        debug_assert!(to != self.me, "what is one's own is not posted");
        let open = &mut self.open[to * KINDS + kind];
        open.extend_from_slice(message);
        if open.len() >= PARCEL {
            let messages = std::mem::replace(open, Vec::with_capacity(PARCEL + 16));
            self.full.push(Parcel { to, from: self.me, kind, messages });
        }
    }

    /// The parcels that are full.
    pub fn full(&mut self) -> std::vec::Drain<'_, Parcel> {
        self.full.drain(..)
    }

    /// Makes parcels of everything, also if they are not full.
    pub fn close(&mut self) {
        for (place, open) in self.open.iter_mut().enumerate() {
            if !open.is_empty() {
                let messages = std::mem::take(open);
                let (to, kind) = (place / KINDS, place % KINDS);
                self.full.push(Parcel { to, from: self.me, kind, messages });
            }
        }
    }
}
