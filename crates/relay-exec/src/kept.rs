//! A long-lived program: started under rules, guarded, and ended with everything it started.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use crate::children::{self, Known};
use crate::find::find_program;
use crate::keeper::Alive;
use crate::run::TailBuffer;
use crate::sandbox::{self, Rules};
use crate::supervise::mark;
use crate::tree::{GRACE, Tree};

/// How much of what it writes to its errors is remembered.
const LAST_WORDS_BYTES: usize = 4 << 10;
/// How often to check whether everything has ended.
const TICK: Duration = Duration::from_millis(10);

/// A program to start.
#[derive(Clone, Debug)]
pub struct Start<'a> {
    /// The `relay` that guards and confines it. Without one it has the rights of this process, and nothing guards it.
    pub relay: Option<&'a Path>,
    /// What it may do.
    pub rules: Rules,
    /// Its name, looked for in PATH, or its path.
    pub program: &'a str,
    /// Its arguments.
    pub args: &'a [&'a str],
    /// Where it runs.
    pub cwd: &'a Path,
    /// Variables it gets besides those of this process.
    pub env: &'a [(String, String)],
    /// Variables of this process that it does not get.
    pub without: &'a [String],
}

impl Start<'_> {
    /// The command, with its rules.
    pub(crate) fn command(&self) -> io::Result<Command> {
        let place = find_program(self.program).ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("no program `{}`", self.program))
        })?;
        let mut command = match self.relay {
            Some(relay) => {
                let args: Vec<OsString> = self.args.iter().map(OsString::from).collect();
                sandbox::confining(relay, self.rules.clone(), &place.into(), &args)
            }
            None => {
                let mut command = Command::new(place);
                command.args(self.args).process_group(0);
                command
            }
        };
        for name in self.without {
            command.env_remove(name);
        }
        command.current_dir(self.cwd).envs(self.env.iter().map(|(name, value)| (name, value)));
        Ok(command)
    }
}

/// A long-lived program. Dropping it ends it, with everything it started.
pub struct Child {
    /// `None` once it was waited for.
    child: Option<std::process::Child>,
    _known: Known,
    tree: Tree,
    leader: Pid,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    last_words: Arc<Mutex<TailBuffer>>,
    status: Option<ExitStatus>,
}

impl std::fmt::Debug for Child {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Child").field("pid", &self.leader).finish_non_exhaustive()
    }
}

impl Child {
    /// Starts a program with pipes for input, output and errors.
    ///
    /// # Errors
    /// There is no such program, or the system would not start it.
    pub fn start(start: &Start<'_>) -> io::Result<Self> {
        let mut command = start.command()?;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::spawn(command)
    }

    /// Starts a command as it is.
    pub(crate) fn spawn(mut command: Command) -> io::Result<Self> {
        let mark = mark(&mut command);
        // A guard keeps orphans to itself, so none of those that are handed to this process is from here.
        let (mut child, known) = children::spawn(&mut command, false)?;
        let leader = Pid::from_child(&child);
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take(),
            stderr: child.stderr.take(),
            child: Some(child),
            _known: known,
            tree: Tree::new(leader, mark),
            leader,
            last_words: Arc::new(Mutex::new(TailBuffer::new(LAST_WORDS_BYTES))),
            status: None,
        })
    }

    /// Its number.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.leader.as_raw_nonzero().get()
    }

    /// Its input, once.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.stdin.take()
    }

    /// Its output, once.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.stdout.take()
    }

    /// Its errors, once, for whoever reads them as something else than words.
    pub(crate) fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.stderr.take()
    }

    /// Remembers the end of what it writes to its errors, from a thread that ends with it.
    pub fn listen_to_errors(&mut self) {
        let Some(mut stderr) = self.stderr.take() else { return };
        let words = Arc::clone(&self.last_words);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count) = stderr.read(&mut piece) {
                if count == 0 {
                    break;
                }
                let mut words = words.lock().unwrap_or_else(PoisonError::into_inner);
                words.push(piece.get(..count).unwrap_or_default());
            }
        });
    }

    /// Adds to what it said last.
    pub(crate) fn heard(&self, words: &[u8]) {
        self.last_words.lock().unwrap_or_else(PoisonError::into_inner).push(words);
    }

    /// A handle that is ready once it has ended.
    pub(crate) fn exit_handle(&self) -> Option<OwnedFd> {
        crate::supervise::exit_of(self.leader)
    }

    /// How it ended, if it has.
    pub fn try_wait(&mut self) -> Option<ExitStatus> {
        if self.status.is_none()
            && let Some(child) = &mut self.child
            && let Ok(Some(status)) = child.try_wait()
        {
            self.status = Some(status);
        }
        self.status
    }

    /// Ends it and everything it started: first politely, and after two seconds by force.
    pub fn stop(&mut self) {
        self.stop_within(GRACE, &mut || {});
    }

    /// The same; `meanwhile` is called repeatedly, to read their remaining output.
    pub(crate) fn stop_within(&mut self, grace: Duration, meanwhile: &mut dyn FnMut()) {
        self.stdin = None;
        self.tree.signal_all(Signal::TERM);
        let until = Instant::now() + grace;
        while Instant::now() < until && self.tree.is_alive() {
            meanwhile();
            std::thread::sleep(TICK);
            self.try_wait();
        }
        self.tree.kill_all(|| {
            meanwhile();
            std::thread::sleep(Duration::from_millis(2));
        });
        self.reap();
    }

    fn reap(&mut self) {
        let until = Instant::now() + GRACE;
        while self.try_wait().is_none() && Instant::now() < until {
            std::thread::sleep(TICK);
        }
        self.child = None;
    }
}

impl Alive for Child {
    fn is_alive(&mut self) -> bool {
        self.child.is_some() && self.try_wait().is_none()
    }

    fn last_words(&self) -> String {
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        words.text().trim().to_owned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.stdin = None;
            self.tree.kill_all(|| std::thread::sleep(Duration::from_millis(2)));
            self.reap();
        }
    }
}
