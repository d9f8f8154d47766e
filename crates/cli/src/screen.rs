//! Standard output and standard error, with colours only where they are wanted.
//!
//! A stream that is not a terminal, or a user who has set `NO_COLOR`, gets plain text. If the reader goes away
//! (`fairly check | head`), that is not an error: the rest is not written, and the caller can stop.

use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};

use crate::style::paint;

/// Standard output.
pub(crate) struct Screen {
    out: AutoStream<io::Stdout>,
    open: bool,
}

impl Screen {
    pub(crate) fn new() -> Screen {
        Screen { out: anstream::stdout(), open: true }
    }

    /// Writes a text; false if the reader has gone away.
    pub(crate) fn show(&mut self, text: &str) -> bool {
        if self.open
            && let Err(error) = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush())
        {
            self.open = false;
            if error.kind() != io::ErrorKind::BrokenPipe {
                complain(&format!("cannot write the output: {error}"));
            }
        }
        self.open
    }
}

/// Whether standard error shows colours.
pub(crate) fn colourful_errors() -> bool {
    AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Writes an error message to standard error.
pub(crate) fn complain(message: &str) {
    const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
    remark(&format!("{}: {message}\n", paint(ERROR, "error")));
}

/// Writes a text to standard error.
pub(crate) fn remark(text: &str) {
    // If standard error cannot be written, there is nowhere to report it.
    let _ = anstream::stderr().write_all(text.as_bytes());
}
