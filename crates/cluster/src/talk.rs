//! What a supervisor and a worker say to each other: frames of a few numbers and bytes.
//!
//! A worker says who it is, and the supervisor sends it a job or says why not. The worker prepares the job and says so, or
//! why it cannot. When all are prepared, the supervisor tells each where the others are. From then on the worker tells how
//! far it is, several times a second, and in the end what it has found. If either side is gone, the connection ends, and
//! the other side ends too.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use engines::rounds::{Decided, Halt, PHASES};
use model::StopReason;

/// The version of this program, and the form of the messages, which changes when they do. Workers of another one are not
/// used. Only [`Frame::Hello`] has the same form for ever.
pub const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), ", form 2");

/// Why the supervisor does not go on if that is nobody's fault.
pub(crate) const OVER: &str = "the task is over";

/// The length of a frame that is believed.
const LONGEST: u64 = 1 << 30;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Frame {
    /// A worker: the secret, its version, its name, and the port where other workers reach it.
    Hello { secret: String, version: String, host: String, port: u64 },
    /// To a worker: what the task is made of, its fingerprint, and the bytes that may be allocated, if that is limited.
    Job { payload: Vec<u8>, task: String, memory: u64 },
    /// A worker has understood its job.
    Ready,
    /// Why a worker or the supervisor does not go on.
    Refused(String),
    /// To a worker: its number, and where all workers are reached.
    Go { me: u64, addresses: Vec<String> },
    /// How far a worker is.
    Gauge(Figures),
    /// What a worker has found.
    Found(Result<Decided, Halt>),
    /// How many states a worker had at the end of each level: said before it ends for want of memory.
    Levels(Vec<u64>),
}

/// How far a worker is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The number of the phase: see [`engines::rounds::PHASES`].
    pub phase: u64,
    /// The number of rounds in this phase.
    pub round: u64,
    /// The number of states it has.
    pub states: u64,
    /// The number of steps that leave them.
    pub steps: u64,
    /// The bytes it has allocated.
    pub bytes: u64,
    /// The bytes it has posted.
    pub sent: u64,
}

impl Figures {
    /// What the worker is doing, in a word.
    pub fn phase_name(&self) -> &'static str {
        PHASES.get(self.phase as usize).copied().unwrap_or("working")
    }
}

const HALTS: [Halt; 7] = [
    Halt::Exception,
    Halt::TooLarge,
    Halt::Elsewhere,
    Halt::Limit(StopReason::Cancelled),
    Halt::Limit(StopReason::Time),
    Halt::Limit(StopReason::Memory),
    Halt::Limit(StopReason::Work),
];

/// Writes the parts of a frame.
#[derive(Default)]
struct Parts(Vec<u8>);

impl Parts {
    fn number(mut self, number: u64) -> Parts {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn bytes(self, bytes: &[u8]) -> Parts {
        let mut parts = self.number(bytes.len() as u64);
        parts.0.extend(bytes);
        parts
    }

    fn text(self, text: &str) -> Parts {
        self.bytes(text.as_bytes())
    }
}

/// Reads the parts of a frame.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }
}

impl Frame {
    fn encode(&self) -> Vec<u8> {
        let parts = Parts::default();
        let parts = match self {
            Frame::Hello { secret, version, host, port } => {
                parts.number(0).text(secret).text(version).text(host).number(*port)
            }
            Frame::Job { payload, task, memory } => parts.number(1).bytes(payload).text(task).number(*memory),
            Frame::Ready => parts.number(2),
            Frame::Refused(why) => parts.number(3).text(why),
            Frame::Go { me, addresses } => {
                let parts = parts.number(4).number(*me).number(addresses.len() as u64);
                addresses.iter().fold(parts, |parts, address| parts.text(address))
            }
            Frame::Gauge(Figures { phase, round, states, steps, bytes, sent }) => {
                [phase, round, states, steps, bytes, sent]
                    .iter()
                    .fold(parts.number(5), |parts, number| parts.number(**number))
            }
            Frame::Found(Ok(Decided { fails, states, steps, occurs })) => {
                let occurs: Vec<u8> = occurs.iter().map(|occurs| u8::from(*occurs)).collect();
                parts.number(6).number(u64::from(*fails)).number(*states).number(*steps).bytes(&occurs)
            }
            Frame::Found(Err(halt)) => {
                let number = HALTS.iter().position(|known| known == halt).unwrap_or(2);
                parts.number(7).number(number as u64)
            }
            Frame::Levels(levels) => {
                let parts = parts.number(8).number(levels.len() as u64);
                levels.iter().fold(parts, |parts, level| parts.number(*level))
            }
        };
        parts.0
    }

    fn decode(bytes: &[u8]) -> Option<Frame> {
        let mut reader = Reader(bytes);
        let frame = match reader.number()? {
            0 => Frame::Hello {
                secret: reader.text()?,
                version: reader.text()?,
                host: reader.text()?,
                port: reader.number()?,
            },
            1 => Frame::Job {
                payload: reader.bytes()?.to_vec(),
                task: reader.text()?,
                memory: reader.number()?,
            },
            2 => Frame::Ready,
            3 => Frame::Refused(reader.text()?),
            4 => {
                let (me, count) = (reader.number()?, reader.number()?);
                Frame::Go { me, addresses: (0..count).map(|_| reader.text()).collect::<Option<_>>()? }
            }
            5 => {
                let mut next = || reader.number();
                let (phase, round, states) = (next()?, next()?, next()?);
                let (steps, bytes, sent) = (next()?, next()?, next()?);
                Frame::Gauge(Figures { phase, round, states, steps, bytes, sent })
            }
            6 => {
                let (fails, states, steps) = (reader.number()? != 0, reader.number()?, reader.number()?);
                let occurs = reader.bytes()?.iter().map(|occurs| *occurs != 0).collect();
                Frame::Found(Ok(Decided { fails, states, steps, occurs }))
            }
            7 => Frame::Found(Err(*HALTS.get(reader.number()? as usize)?)),
            8 => {
                let count = reader.number()?;
                Frame::Levels((0..count).map(|_| reader.number()).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        reader.0.is_empty().then_some(frame)
    }
}

/// Sends a frame.
pub(crate) fn send(mut stream: &TcpStream, frame: &Frame) -> io::Result<()> {
    let frame = frame.encode();
    let mut bytes = (frame.len() as u64).to_le_bytes().to_vec();
    bytes.extend(frame);
    stream.write_all(&bytes)
}

/// Receives a frame.
pub(crate) fn receive(mut stream: &TcpStream) -> io::Result<Frame> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    let strange = || {
        io::Error::new(io::ErrorKind::InvalidData, "this is not a worker of Fairly, or of another version")
    };
    if length > LONGEST {
        return Err(strange());
    }
    let mut bytes = Vec::new();
    stream.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != length {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    Frame::decode(&bytes).ok_or_else(strange)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_they_were_written_and_parts_of_them_are_not() {
        let decided = Decided { fails: false, states: 7, steps: 9, occurs: vec![true, false] };
        let figures = Figures { phase: 1, round: 2, states: 3, steps: 4, bytes: 5, sent: 6 };
        let mut frames = vec![
            Frame::Hello { secret: "s".into(), version: VERSION.into(), host: "h".into(), port: 80 },
            Frame::Job { payload: vec![1, 2, 3], task: "t".into(), memory: u64::MAX },
            Frame::Ready,
            Frame::Refused("no".into()),
            Frame::Go { me: 1, addresses: vec!["a:1".into(), "b:2".into()] },
            Frame::Gauge(figures),
            Frame::Found(Ok(decided)),
            Frame::Levels(vec![1, 5, 9]),
        ];
        frames.extend(HALTS.map(|halt| Frame::Found(Err(halt))));
        for frame in frames {
            let bytes = frame.encode();
            assert_eq!(Frame::decode(&bytes), Some(frame.clone()));
            for end in 0..bytes.len() {
                assert_eq!(Frame::decode(&bytes[..end]), None, "{frame:?} {end}");
            }
            let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
            assert_eq!(Frame::decode(&longer), None, "{frame:?}");
        }
    }
}
