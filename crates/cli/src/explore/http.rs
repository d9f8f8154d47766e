//! As much of HTTP as one page needs: a request is read with limits on its size and time, a response is written whole or in
//! pieces, and each connection carries one of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// The longest head of a request.
const HEAD: u64 = 16 << 10;

/// The longest body: a model of 16 MiB as JSON.
const BODY: u64 = 40 << 20;

/// How much more a client may send after it was refused, before its connection is cut.
const REST: u64 = 256 << 20;

/// How long a client may take to send a piece of a request or to take a piece of a response.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    query: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    /// What of the body came with the head.
    begun: Vec<u8>,
}

/// Why a request is not answered.
pub(super) enum Refused {
    /// It was not understood: the code and the reason.
    Wrong(&'static str),
    /// The connection broke.
    Gone,
}

impl Request {
    /// Reads the head of a request from a connection.
    pub(super) fn read(stream: &TcpStream) -> Result<Request, Refused> {
        let gone = |_: io::Error| Refused::Gone;
        stream.set_read_timeout(Some(PATIENCE)).map_err(gone)?;
        stream.set_write_timeout(Some(PATIENCE)).map_err(gone)?;
        let mut reader = BufReader::new(stream.take(HEAD));
        let mut line = String::new();
        read_line(&mut reader, &mut line)?;
        let mut words = line.split_whitespace();
        let (Some(method), Some(target)) = (words.next(), words.next()) else {
            return Err(Refused::Wrong("400 Bad Request"));
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query = query.split('&').filter_map(|pair| pair.split_once('='));
        let query = query.map(|(name, value)| (name.to_owned(), decoded(value))).collect();
        let (method, path) = (method.to_owned(), path.to_owned());
        let mut headers = Vec::new();
        loop {
            read_line(&mut reader, &mut line)?;
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            let (name, value) = text.split_once(':').ok_or(Refused::Wrong("400 Bad Request"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        // What the head's reader has taken in belongs to the body.
        Ok(Request { method, path, query, headers, begun: reader.buffer().to_vec() })
    }

    /// Reads the body.
    pub(super) fn body(&mut self, mut stream: &TcpStream) -> Result<String, Refused> {
        let length: u64 = match self.header("content-length") {
            None => 0,
            Some(text) => text.parse().map_err(|_| Refused::Wrong("400 Bad Request"))?,
        };
        if length > BODY {
            return Err(Refused::Wrong("413 Content Too Large"));
        }
        let mut bytes = std::mem::take(&mut self.begun);
        bytes.truncate(length as usize);
        let missing = length - bytes.len() as u64;
        (&mut stream).take(missing).read_to_end(&mut bytes).map_err(|_| Refused::Gone)?;
        if bytes.len() as u64 != length {
            return Err(Refused::Gone);
        }
        String::from_utf8(bytes).map_err(|_| Refused::Wrong("400 Bad Request"))
    }

    /// A header, by its name in small letters.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A parameter of the address.
    pub(super) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

fn read_line(reader: &mut impl BufRead, line: &mut String) -> Result<(), Refused> {
    line.clear();
    match reader.read_line(line) {
        Ok(_) if line.ends_with('\n') => Ok(()),
        Ok(0) => Err(Refused::Gone),
        Ok(_) => Err(Refused::Wrong("431 Request Header Fields Too Large")),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Err(Refused::Wrong("400 Bad Request")),
        Err(_) => Err(Refused::Gone),
    }
}

/// `%2F` as `/`. What is no UTF-8 then is replaced.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = (*first == b'%').then(|| after.get(..2)).flatten();
        let code = code.and_then(|code| u8::from_str_radix(std::str::from_utf8(code).ok()?, 16).ok());
        bytes.push(code.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The headers that every response has: nothing is stored, framed, guessed or told to others.
const ALWAYS: &str = "Connection: close\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
                      X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n";

/// Writes a whole response.
pub(super) fn respond(
    mut stream: &TcpStream,
    status: &str,
    kind: &str,
    more: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{ALWAYS}Content-Type: {kind}; charset=utf-8\r\nContent-Length: {length}\r\n{more}\r\n"
    )?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Refuses a request. A client that is still sending would lose the answer if the connection were closed now, so what it
/// sends is taken in and thrown away.
pub(super) fn refuse(mut stream: &TcpStream, status: &str, text: &str) -> io::Result<()> {
    respond(stream, status, "text/plain", "", text)?;
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut (&mut stream).take(REST), &mut io::sink()).map(|_| ())
}

/// Begins a response that is written in pieces, until the connection is closed.
pub(super) fn begin(mut stream: &TcpStream, kind: &str) -> io::Result<()> {
    write!(stream, "HTTP/1.1 200 OK\r\n{ALWAYS}Content-Type: {kind}; charset=utf-8\r\n\r\n")?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(decoded("a%2Fb+c%C3%A9"), "a/b cé");
        assert_eq!(decoded("100%"), "100%");
        assert_eq!(decoded("%zz%4"), "%zz%4");
    }
}
