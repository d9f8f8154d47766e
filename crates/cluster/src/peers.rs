//! The connections among workers: each worker connects to those with smaller numbers, and shows the secret.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long a worker waits for the others.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it looks whether one has come.
const PAUSE: Duration = Duration::from_millis(2);
/// The longest secret.
const LONGEST: usize = 1 << 10;

/// Connects with all others. At one's own number there is no connection.
pub(crate) fn connect(
    listener: &TcpListener,
    me: usize,
    addresses: &[String],
    secret: &str,
) -> io::Result<Vec<Option<TcpStream>>> {
    let end = Instant::now() + PATIENCE;
    let mut streams: Vec<Option<TcpStream>> = addresses.iter().map(|_| None).collect();
    for (number, address) in addresses.iter().enumerate().take(me) {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.write_all(&(me as u64).to_le_bytes())?;
        stream.write_all(&(secret.len() as u64).to_le_bytes())?;
        stream.write_all(secret.as_bytes())?;
        streams[number] = Some(stream);
    }
    listener.set_nonblocking(true)?;
    while streams.iter().skip(me + 1).any(Option::is_none) {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream.set_nodelay(true)?;
                // Whoever does not know the secret is not answered.
                if let Ok(number) = introduced(&stream, secret)
                    && me < number
                    && number < streams.len()
                    && streams[number].is_none()
                {
                    stream.set_read_timeout(None)?;
                    streams[number] = Some(stream);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() > end {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the other workers cannot be reached",
                    ));
                }
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(streams)
}

/// The number of a worker that knows the secret.
fn introduced(mut stream: &TcpStream, secret: &str) -> io::Result<usize> {
    let mut number = [0; 8];
    stream.read_exact(&mut number)?;
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::Error::from(io::ErrorKind::InvalidData));
    }
    let mut shown = vec![0; length];
    stream.read_exact(&mut shown)?;
    if !is_same(&shown, secret.as_bytes()) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    Ok(u64::from_le_bytes(number) as usize)
}

/// Whether two secrets are the same, in a time that says nothing about where they differ.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}
