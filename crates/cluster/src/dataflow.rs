//! The carrier between processes, on timely dataflow. Only this file knows it.
//!
//! A phase is a dataflow with one operator in a loop. The loop adds one to the time of everything that passes, so times are
//! rounds. Each parcel is sent to the worker it is addressed to. The operator holds a capability for the round it works on:
//! as long as one worker does, no other is told that the round is over. So progress tracking is the barrier of a round and
//! detects the end of a phase.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use engines::rounds::outbox::Parcel;
use engines::rounds::{Carrier, Gauge, Halt, Outbox, Phase};
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::communication::{Config, Hooks};
use timely::container::{CapacityContainerBuilder, DrainContainer, PushInto, SizableContainer};
use timely::dataflow::ProbeHandle;
use timely::dataflow::channels::ContainerBytes;
use timely::dataflow::channels::pact::ExchangeCore;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{ConnectLoop, Feedback, Probe};
use timely::worker::Worker;

/// How many items are worked on before parcels are looked for.
const QUANTUM: usize = 4096;
/// How many parcels travel together.
const TOGETHER: usize = 4;
/// How long a worker sleeps that has nothing to do, unless something comes.
const PAUSE: Duration = Duration::from_millis(50);

/// Does some work as one of several workers that are connected by these streams. The work must run all its phases to the
/// end: timely waits for those that were begun.
pub(crate) fn work<T: Send + 'static>(
    streams: Vec<Option<TcpStream>>,
    me: usize,
    gauge: Arc<Gauge>,
    work: impl Fn(&mut Timely<'_>) -> T + Send + Sync + 'static,
) -> Result<T, String> {
    let workers = streams.len();
    let (builders, guard): (_, Box<dyn std::any::Any + Send>) = if workers == 1 {
        Config::Thread.try_build()?
    } else {
        let hooks = Hooks::default();
        let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (builders, guard) = initialize_networking_from_sockets(own, streams, me, 1, hooks)
            .map_err(|error| error.to_string())?;
        (builders.into_iter().map(AllocatorBuilder::Tcp).collect(), Box::new(guard))
    };
    let config = timely::WorkerConfig::default();
    let guards = timely::execute::execute_from(builders, guard, config, move |worker| {
        work(&mut Timely { worker, me, workers, gauge: Arc::clone(&gauge) })
    })?;
    let mut results = guards.join();
    results.pop().unwrap_or_else(|| Err("there is no worker".to_owned()))
}

/// A worker of timely.
pub(crate) struct Timely<'w> {
    worker: &'w mut Worker,
    me: usize,
    workers: usize,
    gauge: Arc<Gauge>,
}

/// A phase, and why it has ended early.
struct Running<P> {
    phase: P,
    halt: Option<Halt>,
}

impl Carrier for Timely<'_> {
    fn me(&self) -> usize {
        self.me
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn run<P: Phase>(&mut self, phase: P) -> Result<P, Halt> {
        let running = Rc::new(RefCell::new(Some(Running { phase, halt: None })));
        let inner = Rc::clone(&running);
        let probe = ProbeHandle::new();
        let mut out = Outbox::new(self.me, self.workers);
        let gauge = Arc::clone(&self.gauge);
        self.worker.dataflow::<u64, _, _>(|scope| {
            let (handle, cycle) = scope.feedback::<Parcels>(1);
            let exchange =
                ExchangeCore::<CapacityContainerBuilder<Parcels>, _>::new_core(|parcel: &Parcel| {
                    parcel.to as u64
                });
            cycle
                .unary_frontier::<CapacityContainerBuilder<Parcels>, _, _, _>(
                    exchange,
                    "rounds",
                    |capability, info| {
                        let activator = scope.activator_for(info.address);
                        let mut capabilities = BTreeMap::from([(0u64, capability)]);
                        move |(input, frontier), output| {
                            let mut running = inner.borrow_mut();
                            let Some(Running { phase, halt }) = running.as_mut() else { return };
                            if halt.is_some() {
                                // Capabilities are kept, so that the others do not take this for an end.
                                return;
                            }
                            let mut received = Ok(());
                            input.for_each_time(|time, data| {
                                capabilities.entry(*time.time()).or_insert_with(|| time.retain(0));
                                for parcels in data {
                                    for Parcel { from, kind, messages, .. } in parcels.0.drain(..) {
                                        if received.is_ok() {
                                            received = phase.receive(from, kind, &messages, &mut out);
                                        }
                                    }
                                }
                            });
                            if let Err(reason) = received {
                                *halt = Some(reason);
                                return;
                            }
                            let Some((&round, capability)) = capabilities.first_key_value() else { return };
                            let mut is_over = false;
                            if !frontier.less_equal(&round) {
                                match phase.work(QUANTUM, &mut out) {
                                    Ok(more) => is_over = !more,
                                    Err(reason) => {
                                        *halt = Some(reason);
                                        return;
                                    }
                                }
                                activator.activate();
                            }
                            if is_over {
                                out.close();
                            }
                            let mut session = output.session(capability);
                            for parcel in out.full() {
                                gauge.sent.fetch_add(parcel.messages.len() as u64 * 8, Relaxed);
                                session.give(parcel);
                            }
                            drop(session);
                            if is_over {
                                let next = phase.goes_on().then(|| capability.delayed(&(round + 1)));
                                capabilities.remove(&round);
                                if let Some(next) = next {
                                    capabilities.entry(round + 1).or_insert(next);
                                }
                            }
                        }
                    },
                )
                .probe_with(&probe)
                .connect_loop(handle);
        });
        let is_halted = || running.borrow().as_ref().is_some_and(|running| running.halt.is_some());
        self.worker.step_or_park_while(Some(PAUSE), || !probe.done() && !is_halted());
        let taken = running.borrow_mut().take();
        match taken {
            Some(Running { phase, halt: None }) => Ok(phase),
            Some(Running { halt: Some(halt), .. }) => Err(halt),
            None => Err(Halt::Elsewhere),
        }
    }
}

/// Parcels that travel together.
#[derive(Clone, Default)]
struct Parcels(Vec<Parcel>);

impl Accountable for Parcels {
    fn record_count(&self) -> i64 {
        self.0.len() as i64
    }
}

impl DrainContainer for Parcels {
    type Item<'a> = Parcel;
    type DrainIter<'a> = std::vec::Drain<'a, Parcel>;

    fn drain(&mut self) -> Self::DrainIter<'_> {
        self.0.drain(..)
    }
}

impl SizableContainer for Parcels {
    fn at_capacity(&self) -> bool {
        self.0.len() >= TOGETHER
    }

    fn ensure_capacity(&mut self, _: &mut Option<Self>) {
        self.0.reserve(TOGETHER.saturating_sub(self.0.len()));
    }
}

impl PushInto<Parcel> for Parcels {
    fn push_into(&mut self, parcel: Parcel) {
        self.0.push(parcel);
    }
}

/// As bytes: the number of parcels, and of each to whom, from whom, the kind, the length and the messages.
impl ContainerBytes for Parcels {
    fn from_bytes(bytes: Bytes) -> Self {
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("a number has eight bytes"));
        let (count, mut rest) = bytes.split_at(8);
        let mut parcels = Vec::with_capacity(number(count) as usize);
        for _ in 0..number(count) {
            let (head, messages) = rest.split_at(32);
            let mut head = head.chunks_exact(8).map(|part| number(part) as usize);
            let mut next = || head.next().expect("a parcel begins with four numbers");
            let (to, from, kind, length) = (next(), next(), next(), next());
            let (messages, after) = messages.split_at(length * 8);
            parcels.push(Parcel { to, from, kind, messages: messages.chunks_exact(8).map(number).collect() });
            rest = after;
        }
        Parcels(parcels)
    }

    fn length_in_bytes(&self) -> usize {
        8 + self.0.iter().map(|parcel| 32 + parcel.messages.len() * 8).sum::<usize>()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut bytes = Vec::with_capacity(self.length_in_bytes());
        bytes.extend((self.0.len() as u64).to_le_bytes());
        for Parcel { to, from, kind, messages } in &self.0 {
            for number in [*to, *from, *kind, messages.len()] {
                bytes.extend((number as u64).to_le_bytes());
            }
            for number in messages {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
        }
        writer.write_all(&bytes).expect("the buffer is as long as was said");
    }
}
