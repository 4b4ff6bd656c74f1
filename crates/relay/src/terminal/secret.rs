//! Asking for something that must not be shown while it is typed.

use crate::failure::Failure;

/// What the person did.
pub enum Secret {
    /// What was typed.
    Line(String),
    /// Ctrl-C, Ctrl-D, or a signal.
    Interrupted,
}

/// Asks on the terminal with the echo off. Restores the terminal afterwards, even after Ctrl-C.
#[cfg(unix)]
pub fn read_secret(question: &str) -> Result<Secret, Failure> {
    use super::ask::{Next, next_byte};

    let cancel = crate::signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    let silence = Silence::begin().map_err(|error| Failure::environment(&error))?;
    super::tell(question);
    let mut line = Vec::new();
    let outcome = loop {
        if cancel.is_cancelled() {
            break Secret::Interrupted;
        }
        match next_byte(&mut std::io::stdin()) {
            Ok(Next::Byte(b'\n' | b'\r')) => break Secret::Line(String::from_utf8_lossy(&line).into_owned()),
            Ok(Next::Byte(byte)) => line.push(byte),
            Ok(Next::Nothing) => {}
            Ok(Next::End) | Err(_) => break Secret::Interrupted,
        }
    };
    drop(silence);
    super::tell("\n");
    Ok(outcome)
}

/// The echo is off for as long as this lives.
#[cfg(unix)]
struct Silence(rustix::termios::Termios);

#[cfg(unix)]
impl Silence {
    fn begin() -> Result<Self, std::io::Error> {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let before = tcgetattr(std::io::stdin())?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL);
        tcsetattr(std::io::stdin(), OptionalActions::Flush, &silent)?;
        Ok(Self(before))
    }
}

#[cfg(unix)]
impl Drop for Silence {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs no restoring.
        tcsetattr(std::io::stdin(), OptionalActions::Now, &self.0).unwrap_or_default();
    }
}

/// If the echo cannot be turned off, Relay does not ask: a key on the screen may end up in a recording.
#[cfg(not(unix))]
pub fn read_secret(_question: &str) -> Result<Secret, Failure> {
    use relay_diagnostics::Diagnostic;
    let message = "this system cannot hide a key while you type it";
    let hint = "Pipe it in: Get-Content key.txt | relay auth login anthropic";
    Err(Failure::usage(Diagnostic::error(crate::failure::BAD_USAGE, message).hinted(hint)))
}
