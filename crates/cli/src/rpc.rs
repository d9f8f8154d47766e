//! Messages of JSON-RPC over standard input and output, for the language server and for agents.
//!
//! The two protocols differ only in how a message is set apart from the next: by a header with its length, or by the end
//! of its line. What is no message is reported to the caller, who answers and goes on; the end of the input is the end.
//! A message has a limited length, so that nobody can fill the memory with one.

use std::io::{self, BufRead, Read, Write};

use serde_json::{Value, json};

/// How messages are set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `Content-Length: 12`, an empty line, twelve bytes.
    Header,
    /// One message per line.
    Lines,
}

/// The greatest length of a message: a model of 16 MB with every character escaped, and more.
const LONGEST: u64 = 128 << 20;

/// The greatest length of a line of a header.
const LONGEST_LINE: u64 = 4096;

/// No JSON.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// No request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// A method that is not known.
pub(crate) const UNKNOWN_METHOD: i64 = -32601;
/// Arguments that make no sense.
pub(crate) const INVALID_PARAMS: i64 = -32602;

/// What was read.
#[derive(Debug, PartialEq)]
pub(crate) enum Received {
    Message(Value),
    /// Something else, in a sentence.
    Garbage(String),
    End,
}

/// Reads the next message. An input that ends in the middle of one has ended.
pub(crate) fn read(input: &mut dyn BufRead, framing: Framing) -> Received {
    let body = match framing {
        Framing::Lines => {
            let mut line = Vec::new();
            loop {
                line.clear();
                match input.take(LONGEST).read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return Received::End,
                    Ok(_) if line.iter().all(u8::is_ascii_whitespace) => {}
                    Ok(_) => break,
                }
            }
            line
        }
        Framing::Header => match header(input) {
            Ok(Some(length)) if length > LONGEST => {
                let skipped = io::copy(&mut input.take(length), &mut io::sink());
                return match skipped {
                    Ok(all) if all == length => Received::Garbage(format!(
                        "a message of {length} bytes is too long; the limit is {LONGEST}"
                    )),
                    _ => Received::End,
                };
            }
            Ok(Some(length)) => {
                let mut body = vec![0; length as usize];
                match input.read_exact(&mut body) {
                    Ok(()) => body,
                    Err(_) => return Received::End,
                }
            }
            Ok(None) => return Received::Garbage("a message begins with `Content-Length: `".to_owned()),
            Err(_) => return Received::End,
        },
    };
    match serde_json::from_slice(&body) {
        Ok(message) => Received::Message(message),
        Err(error) => Received::Garbage(format!("this is no JSON: {error}")),
    }
}

/// The length that a header gives; `None` if it gives none.
fn header(input: &mut dyn BufRead) -> io::Result<Option<u64>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        let read = input.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
        if (read as u64) < LONGEST_LINE && !line.ends_with(b"\n") {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            return Ok(length);
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok();
            }
            Some(_) => {}
            // Not a header: the next message may be one.
            None => return Ok(None),
        }
    }
}

/// Writes a message.
pub(crate) fn write(output: &mut dyn Write, framing: Framing, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    match framing {
        Framing::Header => write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?,
        Framing::Lines => writeln!(output, "{body}")?,
    }
    output.flush()
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Result<Value, Refused>) -> Value {
    match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(Refused { code, message, data }) => {
            let mut error = json!({ "code": code, "message": message });
            if let Some(data) = data {
                error["data"] = data;
            }
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

/// Why a request is not answered.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Refused {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Refused {
        Refused { code, message: message.into(), data: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8], framing: Framing) -> Vec<Received> {
        let mut input = bytes;
        let mut found = Vec::new();
        loop {
            match read(&mut input, framing) {
                Received::End => return found,
                received => found.push(received),
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for framing in [Framing::Header, Framing::Lines] {
            let (first, second) = (json!({"id": 1, "text": "ä\n∀"}), json!([true, null]));
            let mut bytes = Vec::new();
            write(&mut bytes, framing, &first).expect("a message");
            write(&mut bytes, framing, &second).expect("a message");
            assert_eq!(all(&bytes, framing), [Received::Message(first), Received::Message(second)]);
            // Half a message is none.
            for cut in 0..bytes.len() {
                assert!(all(&bytes[..cut], framing).len() < 2 || framing == Framing::Lines);
            }
        }
    }

    #[test]
    fn garbage_is_skipped() {
        let bytes = b"hello\r\nContent-Length: 3\r\n\r\n{x}Content-Type: a\r\ncontent-length: 2\r\n\r\n{}\n\n\xff\xfe\n";
        let found = all(bytes, Framing::Header);
        assert!(matches!(found[0], Received::Garbage(_)), "{found:?}");
        assert!(matches!(found[1], Received::Garbage(_)), "{found:?}");
        assert_eq!(found[2], Received::Message(json!({})));
        assert!(found[3..].iter().all(|rest| matches!(rest, Received::Garbage(_))), "{found:?}");
        let lines = all(b"{}\nnonsense\n\n \n[1]\n", Framing::Lines);
        assert!(matches!(lines[..], [Received::Message(_), Received::Garbage(_), Received::Message(_)]));
    }

    #[test]
    fn a_message_that_is_too_long_is_not_kept() {
        let header = format!("Content-Length: {}\r\n\r\n", LONGEST + 1);
        assert_eq!(all(header.as_bytes(), Framing::Header), []);
    }
}
