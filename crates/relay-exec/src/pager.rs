//! A program that shows a long text: it has the user's terminal and gets the text on its standard input.
//!
//! Which program that is must come from the user's own environment, never from a repository; the caller sees to that. The
//! pager handles Ctrl-C itself, so Relay waits for it to end and does not stop it.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::{Command, Stdio};

use crate::children;
use crate::find::find_program;

/// The options `less` gets when the user has not set `LESS`: quit if it fits on one screen, show colours, leave the
/// text on the screen.
const LESS: &str = "FRX";

/// Shows a text in a pager and waits until the user closes it. Closing it early is not an error.
///
/// # Errors
/// The pager is not installed, or cannot be started.
pub fn page(command: &str, text: &str) -> io::Result<()> {
    let mut words = command.split_whitespace();
    let name = words.next().unwrap_or_default();
    let place = find_program(name).ok_or_else(|| {
        io::Error::new(io::ErrorKind::NotFound, format!("the pager `{name}` is not installed"))
    })?;
    let args: Vec<OsString> = words.map(OsString::from).collect();
    let mut program = Command::new(place);
    program.args(args).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        program.env("LESS", LESS);
    }
    let (mut child, _known) = children::spawn(&mut program, false)?;
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(text.as_bytes()));
    child.wait()?;
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}
