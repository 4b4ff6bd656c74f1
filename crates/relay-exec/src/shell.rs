//! A line for the shell.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use relay_diagnostics::Cancel;

use crate::run::Run;
use crate::supervise::{self, Job};

/// A command as people write it: `sh -c` runs it, `cmd /C` on Windows. It gets no input; its output and errors go into
/// one pipe, so they keep their order as far as the programs themselves do not buffer.
///
/// ```
/// use std::{path::Path, time::Duration};
/// use relay_diagnostics::Cancel;
/// use relay_exec::Shell;
///
/// let shell = Shell {
///     command: "echo out; echo err >&2",
///     cwd: Path::new("."),
///     timeout: Duration::from_secs(10),
///     output_limit_bytes: 1 << 20,
///     env: &[],
/// };
/// let run = shell.run(&Cancel::new(), &mut |_live| {});
/// assert!(run.success());
/// assert_eq!(run.output.text(), "out\nerr\n");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Shell<'a> {
    /// The line.
    pub command: &'a str,
    /// Where it runs.
    pub cwd: &'a Path,
    /// How long it may take; then it and all it started are killed.
    pub timeout: Duration,
    /// How much of its output is kept: the last part.
    pub output_limit_bytes: usize,
    /// Variables besides those Relay itself has.
    pub env: &'a [(&'a str, &'a str)],
}

impl Shell<'_> {
    /// Runs it to its end, whatever that is. `on_output` gets all output as it comes.
    pub fn run(&self, cancel: &Cancel, on_output: &mut dyn FnMut(&[u8])) -> Run {
        let mut command = shell();
        command.arg(self.command).current_dir(self.cwd).envs(self.env.iter().copied());
        let finished = supervise::run(Job {
            command,
            is_merged: true,
            has_own_session: false,
            stdin: None,
            timeout: self.timeout,
            output_limit_bytes: self.output_limit_bytes,
            cancel,
            on_output,
        });
        Run { end: finished.end, output: finished.stdout, duration: finished.duration, ended: finished.ended }
    }
}

#[cfg(unix)]
fn shell() -> Command {
    // The system's shell, not whatever `sh` comes first in PATH; that is the fallback on systems without /bin.
    let sh = Path::new("/bin/sh");
    let mut command = Command::new(if sh.exists() { sh } else { Path::new("sh") });
    command.arg("-c");
    command
}

#[cfg(not(unix))]
fn shell() -> Command {
    let mut command = Command::new("cmd");
    command.arg("/C");
    command
}
