//! Starts a program that outlives Relay, such as the one that holds the clipboard.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::children;
use crate::find::find_program;

/// How long the program may take to read its input; on a busy machine it takes a while to start.
const HANDOVER_LIMIT: Duration = Duration::from_secs(15);

/// Why a program could not be detached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DetachError {
    /// It could not be started.
    #[error("`{}` cannot be started: {source}", .program.display())]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It did not read its input.
    #[error("`{}` did not take its input: {source}", .program.display())]
    NotHandedOver {
        /// The program.
        program: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// Starts a program in the background, gives it its input, and leaves it alone. It has no terminal (a session of its own
/// where the system has a way to make one, else a process group of its own), no output, and keeps no folder busy. Relay
/// reaps it if it ends first.
///
/// # Errors
/// It cannot be started, or does not read its input within a few seconds.
pub fn spawn_detached(program: impl AsRef<Path>, args: &[&str], stdin: &[u8]) -> Result<(), DetachError> {
    let program = program.as_ref();
    let not_started = |source| DetachError::NotStarted { program: program.to_path_buf(), source };
    let place = program
        .to_str()
        .map_or_else(|| Some(program.to_path_buf()), find_program)
        .ok_or_else(|| not_started(io::ErrorKind::NotFound.into()))?;
    let mut command = detached(&place);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    if let Some(root) = place.ancestors().last() {
        command.current_dir(root);
    }
    let (mut child, known) = children::spawn(&mut command, false).map_err(not_started)?;
    let handed_over = hand_over(&mut child, stdin);
    if handed_over.is_err() {
        // It hangs and is no longer wanted; if it has ended meanwhile, all the better.
        drop(child.kill());
    }
    std::thread::spawn(move || {
        let _known = known;
        child.wait()
    });
    handed_over.map_err(|source| DetachError::NotHandedOver { program: program.to_path_buf(), source })
}

#[cfg(unix)]
fn detached(place: &Path) -> Command {
    use std::os::unix::process::CommandExt as _;
    // Starting a new session needs a call between fork and exec, which safe code cannot make; the `setsid` program can.
    // Without it, a new process group still keeps Ctrl-C away.
    if let Some(setsid) = find_program("setsid") {
        let mut command = Command::new(setsid);
        command.arg(place);
        command
    } else {
        let mut command = Command::new(place);
        command.process_group(0);
        command
    }
}

#[cfg(not(unix))]
fn detached(place: &Path) -> Command {
    Command::new(place)
}

/// Writes the whole input. A pipe holds little, so this waits for the reader, from a thread, so that it can give up.
fn hand_over(child: &mut Child, stdin: &[u8]) -> io::Result<()> {
    let Some(mut pipe) = child.stdin.take() else { return Ok(()) };
    let bytes = stdin.to_vec();
    let (done, waiting) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let written = pipe.write_all(&bytes);
        drop(pipe);
        // The receiver is gone once the time is up.
        done.send(written).ok();
    });
    waiting.recv_timeout(HANDOVER_LIMIT).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}
