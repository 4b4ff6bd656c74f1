//! A program with its arguments, no shell in between.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use relay_diagnostics::Cancel;

use crate::find::find_program;
use crate::run::{End, Tail};
use crate::supervise::{self, Finished, Job};

/// A program to run, as Relay calls agents. It is looked for in PATH, never in the folder it runs in.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name, or its path.
    pub program: &'a str,
    /// Its arguments.
    pub args: &'a [&'a str],
    /// Where it runs.
    pub cwd: &'a Path,
    /// How long it may take; then it and all it started are killed.
    pub timeout: Duration,
    /// How much is kept of its output, and again of its errors: the last part of each.
    pub output_limit_bytes: usize,
    /// Variables besides those Relay itself has.
    pub env: &'a [(&'a str, &'a str)],
    /// What it gets as input; `None` is an empty input.
    pub stdin: Option<&'a [u8]>,
}

/// What came of a program.
#[derive(Debug)]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// The last part of its output.
    pub stdout: Tail,
    /// The last part of its errors.
    pub stderr: Tail,
    /// How long it took.
    pub duration: Duration,
    /// What it left running, and what was therefore ended after it.
    pub ended: Vec<String>,
}

impl Output {
    /// Whether it exited with 0.
    #[must_use]
    pub fn success(&self) -> bool {
        self.end.success()
    }
}

impl Program<'_> {
    /// Runs it to its end, whatever that is.
    pub fn run(&self, cancel: &Cancel) -> Output {
        self.stream(cancel, &mut |_| {})
    }

    /// Runs it to its end, whatever that is. `on_output` gets all output as it comes; errors are only collected.
    pub fn stream(&self, cancel: &Cancel, on_output: &mut dyn FnMut(&[u8])) -> Output {
        let Some(place) = find_program(self.program) else {
            return Output {
                end: End::NotStarted(io::Error::new(
                    io::ErrorKind::NotFound,
                    format!("no program `{}`", self.program),
                )),
                stdout: Tail::default(),
                stderr: Tail::default(),
                duration: Duration::ZERO,
                ended: Vec::new(),
            };
        };
        let mut command = Command::new(place);
        command.args(self.args);
        self.start(command, false, cancel, on_output)
    }

    /// Runs a command for this program. One that begins a session of its own must not lead a process group before.
    pub(crate) fn start(
        &self,
        mut command: Command,
        has_own_session: bool,
        cancel: &Cancel,
        on_output: &mut dyn FnMut(&[u8]),
    ) -> Output {
        command.current_dir(self.cwd).envs(self.env.iter().copied());
        let Finished { end, stdout, stderr, duration, ended } = supervise::run(Job {
            command,
            is_merged: false,
            has_own_session,
            stdin: self.stdin,
            timeout: self.timeout,
            output_limit_bytes: self.output_limit_bytes,
            cancel,
            on_output,
        });
        Output { end, stdout, stderr, duration, ended }
    }
}
