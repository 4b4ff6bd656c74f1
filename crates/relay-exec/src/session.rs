//! A bash that stays: folder, variables and functions are kept from command to command.
//!
//! Three pipes connect it. Commands go in through its input, what they print comes out of its output, and through its
//! errors the shell itself says how a command ended. A command gets none of the first and the last: its input is empty,
//! and both are closed before it starts. So nothing that a command prints can be taken for its end, whatever it prints.
//!
//! A command runs inside the shell, so it can take the shell over; that is what a shell is. Nothing here relies on the
//! shell's good will: time limits, the cancel flag and the end of its process are seen to from outside. When the shell
//! says that a command has ended, whatever that left running is ended too, and the shell is *stopped* until the next
//! command: nothing happens between two commands, not even by a trap.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal};

use crate::descendants::descendants;
use crate::keeper::Alive;
use crate::kept::{Child, Start};
use crate::run::End;
use crate::tree::GRACE;

/// The shell's own program: it says that it is ready, then takes three texts at a time (what comes before a command, the
/// command, what comes after) and says how the command ended and where it left the shell. It is one line, so that error
/// messages number a command's lines from one.
const LOOP: &str = r#"exec 8<&0 9>&2 2>&1 </dev/null; shopt -s expand_aliases; enable -n exec suspend; builtin printf 'R\0' >&9; while IFS= builtin read -r -d '' -u 8 __relay_before && IFS= builtin read -r -d '' -u 8 __relay_command && IFS= builtin read -r -d '' -u 8 __relay_after; do builtin eval "$__relay_before" 8<&- 9>&-; builtin eval "$__relay_command" 8<&- 9>&-; __relay_status=$?; builtin eval "$__relay_after" 8<&- 9>&-; builtin printf 'E%s\0%s\0' "$__relay_status" "$PWD" >&9; done"#;

/// How a shell begins.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boot<'a> {
    /// Aliases and functions to define first, as far as they can be; see [`crate::snapshot`].
    pub snapshot: Option<&'a str>,
    /// Whether it reads the profile, as a login shell does.
    pub login: bool,
}

/// How long a shell may take to be ready. On a busy machine it waits for its turn several times.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long the user's own definitions may take.
const SNAPSHOT_LIMIT: Duration = Duration::from_secs(5);
/// How long a cancel may go unnoticed.
const TICK: Duration = Duration::from_millis(10);
/// How long what a command left running may take to end by itself.
const STRAGGLERS: Duration = Duration::from_millis(200);
/// How much is read at once.
const PIECE_BYTES: usize = 1 << 16;
/// More than the shell ever says about a command; beyond that something else is talking.
const SAID_LIMIT_BYTES: usize = 1 << 16;

/// A command for a [`Session`].
pub struct Turn<'a> {
    /// Runs before it, outside its exit code: variables and folder for this command alone.
    pub before: &'a str,
    /// The command.
    pub command: &'a str,
    /// Runs after it, to put back what `before` changed.
    pub after: &'a str,
    /// How long it may take; `None` is as long as it likes.
    pub timeout: Option<Duration>,
    /// Ends it.
    pub cancel: &'a Cancel,
    /// Gets all output as it comes.
    pub on_output: &'a mut dyn FnMut(&[u8]),
}

/// What came of a command.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// Whether the shell goes on; it does not after `exit`, a time limit or a cancel.
    pub is_kept: bool,
    /// What it left running, and what was therefore ended.
    pub ended: Vec<String>,
    /// How long it took.
    pub duration: Duration,
}

/// A bash that stays.
pub struct Session {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    said: ChildStderr,
    exit: Option<OwnedFd>,
    /// The processes that make up the shell itself, with its guard and its sandbox.
    own: Vec<i32>,
    folder: PathBuf,
    /// What the shell has said so far about the command at hand.
    heard: Vec<u8>,
    buffer: Vec<u8>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("child", &self.child)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Starts a shell and waits until it is ready. `start` names the program; its arguments are set here.
    ///
    /// # Errors
    /// It cannot be started, or is not ready in time; the message has its last words.
    pub fn start(start: &Start<'_>, boot: Boot<'_>, cancel: &Cancel) -> io::Result<Self> {
        let profile = if boot.login { "--login" } else { "--noprofile" };
        let args = [profile, "--norc", "-c", LOOP, "bash"];
        let mut child = Child::start(&Start { args: &args, ..start.clone() })?;
        let lost = || io::Error::other("a pipe is missing");
        let input = child.take_stdin().ok_or_else(lost)?;
        let output = child.take_stdout().ok_or_else(lost)?;
        let said = child.take_stderr().ok_or_else(lost)?;
        for pipe in [input.as_fd(), output.as_fd(), said.as_fd()] {
            rustix::io::ioctl_fionbio(pipe, true)?;
        }
        let exit = child.exit_handle();
        let mut session = Self {
            child,
            input,
            output,
            said,
            exit,
            own: Vec::new(),
            folder: start.cwd.to_owned(),
            heard: Vec::new(),
            buffer: vec![0; PIECE_BYTES],
        };
        session.wait_until_ready(cancel)?;
        session.own = descendants(session.child.pid());
        session.pause();
        if let Some(snapshot) = boot.snapshot {
            let limit = Some(SNAPSHOT_LIMIT);
            let turn = Turn {
                before: "",
                command: snapshot,
                after: "",
                timeout: limit,
                cancel,
                on_output: &mut |_| {},
            };
            if !session.run(turn).is_kept {
                // What the user defines for themselves cannot be used here; a shell without it can.
                return Self::start(start, Boot { snapshot: None, ..boot }, cancel);
            }
            session.folder = start.cwd.to_owned();
        }
        Ok(session)
    }

    /// Where the shell is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of the process that leads it.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.child.pid()
    }

    /// Runs a command to its end, whatever that is.
    pub fn run(&mut self, turn: Turn<'_>) -> Ran {
        let started = Instant::now();
        let Turn { before, command, after, timeout, cancel, on_output } = turn;
        let ran = |end, is_kept, ended| Ran { end, is_kept, ended, duration: started.elapsed() };
        if [before, command, after].iter().any(|text| text.contains('\0')) {
            let error = io::Error::new(io::ErrorKind::InvalidInput, "a command cannot contain NUL");
            return ran(End::NotStarted(error), true, Vec::new());
        }
        let message = [before, "\0", command, "\0", after, "\0"].concat().into_bytes();
        let deadline = timeout.and_then(|timeout| started.checked_add(timeout));
        self.heard.clear();
        self.resume();
        let mut unwritten = message.as_slice();
        let end = loop {
            if cancel.is_cancelled() {
                break Some(End::Cancelled);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Some(End::TimedOut);
            }
            match self.step(&mut unwritten, TICK, on_output) {
                Step::Waiting => {}
                Step::Ended(code) => {
                    while self.read_output(on_output) {}
                    let ended = self.end_leftovers(on_output);
                    self.pause();
                    return ran(End::Exited(code), true, ended);
                }
                Step::Gone => break None,
            }
        };
        ran(self.end(end, on_output), false, Vec::new())
    }

    /// Ends the shell with everything it started.
    fn end(&mut self, end: Option<End>, on_output: &mut dyn FnMut(&[u8])) -> End {
        let Self { child, output, buffer, .. } = self;
        let mut meanwhile = || while read_some(output, buffer, on_output) {};
        let status = child.try_wait();
        if end.is_none() {
            // It ended by itself; what it left running has had its time.
            meanwhile();
        }
        child.stop_within(if end.is_some() { GRACE } else { STRAGGLERS }, &mut meanwhile);
        meanwhile();
        let status = status.or_else(|| child.try_wait());
        end.unwrap_or_else(|| match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => End::Exited(code),
            Some((None, signal)) => End::Signalled(signal.unwrap_or_default()),
            None => End::NotStarted(io::Error::other("the shell ended without a status")),
        })
    }

    /// Moves bytes until something has moved or the time is up.
    fn step(&mut self, unwritten: &mut &[u8], wait: Duration, on_output: &mut dyn FnMut(&[u8])) -> Step {
        let ready = self.poll(!unwritten.is_empty(), wait);
        if ready.input && !unwritten.is_empty() {
            match self.input.write(unwritten) {
                Ok(count) => *unwritten = unwritten.get(count..).unwrap_or_default(),
                Err(error) if is_later(&error) => {}
                // The shell has gone; its exit says how.
                Err(_) => *unwritten = &[],
            }
        }
        if ready.output {
            self.read_output(on_output);
        }
        if ready.said
            && let Some(code) = self.listen()
        {
            return Step::Ended(code);
        }
        // What it said before it went is looked at first.
        if ready.exit && !ready.said { Step::Gone } else { Step::Waiting }
    }

    fn poll(&self, has_input: bool, wait: Duration) -> Ready {
        let mut polled =
            vec![PollFd::new(&self.output, PollFlags::IN), PollFd::new(&self.said, PollFlags::IN)];
        if let Some(exit) = &self.exit {
            polled.push(PollFd::new(exit, PollFlags::IN));
        }
        if has_input {
            polled.push(PollFd::new(&self.input, PollFlags::OUT));
        }
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        let count = rustix::event::poll(&mut polled, Some(&timeout)).unwrap_or(0);
        let is = |at: usize| count > 0 && polled.get(at).is_some_and(|fd| !fd.revents().is_empty());
        let has_data =
            |at: usize| count > 0 && polled.get(at).is_some_and(|fd| fd.revents().contains(PollFlags::IN));
        let exit_at = if self.exit.is_some() { 2 } else { usize::MAX };
        let input_at = polled.len() - usize::from(has_input);
        Ready {
            output: has_data(0),
            said: has_data(1),
            // A closed pipe of the shell's own words means its end as well.
            exit: is(exit_at) || (is(1) && !has_data(1)),
            input: has_input && is(input_at),
        }
    }

    /// Reads what there is of the output; whether there was any.
    fn read_output(&mut self, on_output: &mut dyn FnMut(&[u8])) -> bool {
        read_some(&mut self.output, &mut self.buffer, on_output)
    }

    /// Reads what the shell says: the exit code, once it has said all.
    fn listen(&mut self) -> Option<i32> {
        let mut piece = [0; 4096];
        let count = self.said.read(&mut piece).unwrap_or(0);
        self.heard.extend_from_slice(piece.get(..count).unwrap_or_default());
        if self.heard.len() > SAID_LIMIT_BYTES {
            self.heard.clear();
        }
        let mut parts = self.heard.split(|byte| *byte == 0);
        let (code, folder, _rest) = (parts.next()?, parts.next()?, parts.next()?);
        let code = str::from_utf8(code.strip_prefix(b"E")?).ok()?.parse().ok()?;
        use std::os::unix::ffi::OsStrExt as _;
        self.folder = PathBuf::from(std::ffi::OsStr::from_bytes(folder));
        Some(code)
    }

    fn wait_until_ready(&mut self, cancel: &Cancel) -> io::Result<()> {
        let until = Instant::now() + START_LIMIT;
        let mut piece = [0; 4096];
        loop {
            let ready = self.poll(false, TICK);
            if ready.said {
                let count = self.said.read(&mut piece).unwrap_or(0);
                self.heard.extend_from_slice(piece.get(..count).unwrap_or_default());
                if self.heard.ends_with(b"R\0") {
                    return Ok(());
                }
            } else if ready.exit {
                return Err(self.not_ready("it ended at once"));
            }
            if Instant::now() >= until {
                return Err(self.not_ready("it was not ready in time"));
            }
            if cancel.is_cancelled() {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "it was cancelled"));
            }
        }
    }

    fn not_ready(&mut self, why: &str) -> io::Error {
        self.child.heard(&self.heard);
        let words = self.child.last_words();
        let said = if words.is_empty() { String::new() } else { format!(": {words}") };
        io::Error::other(format!("the shell cannot be used, {why}{said}"))
    }

    /// Ends what a command left running, and says what that was.
    fn end_leftovers(&mut self, on_output: &mut dyn FnMut(&[u8])) -> Vec<String> {
        let until = Instant::now() + STRAGGLERS;
        let mut left = self.leftovers();
        while !left.is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
            self.read_output(on_output);
            left = self.leftovers();
        }
        let names: Vec<String> = left.iter().map(|pid| crate::tree::name(*pid)).collect();
        let until = Instant::now() + GRACE;
        let mut signal = Signal::TERM;
        while !left.is_empty() && Instant::now() < until + GRACE {
            for pid in left.iter().rev().filter_map(|pid| Pid::from_raw(*pid)) {
                rustix::process::kill_process(pid, signal).ok();
            }
            std::thread::sleep(Duration::from_millis(2));
            self.read_output(on_output);
            // Whoever starts others faster than they end gets no grace.
            signal = if Instant::now() >= until || left.len() > 50 { Signal::KILL } else { Signal::TERM };
            left = self.leftovers();
        }
        while self.read_output(on_output) {}
        names
    }

    /// Everything below the guard that is not the shell itself.
    fn leftovers(&self) -> Vec<i32> {
        let mut below = descendants(self.child.pid());
        below.retain(|pid| !self.own.contains(pid) && crate::tree::is_living(*pid));
        below
    }

    /// Nothing of the shell runs until it is resumed; its guard goes on watching.
    fn pause(&self) {
        self.signal(Signal::STOP);
    }

    fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        // Without a guard the shell is the child itself.
        let alone = [self.child.pid()];
        let all = if self.own.is_empty() { &alone[..] } else { &self.own };
        for pid in all.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            rustix::process::kill_process(pid, signal).ok();
        }
    }
}

impl Alive for Session {
    fn is_alive(&mut self) -> bool {
        self.child.is_alive()
    }

    fn last_words(&self) -> String {
        self.child.last_words()
    }
}

/// What became of a moment.
enum Step {
    Waiting,
    /// The command ended with this code.
    Ended(i32),
    /// The shell itself ended.
    Gone,
}

/// What can be moved without waiting.
struct Ready {
    output: bool,
    said: bool,
    exit: bool,
    input: bool,
}

fn read_some(output: &mut ChildStdout, buffer: &mut [u8], on_output: &mut dyn FnMut(&[u8])) -> bool {
    match output.read(buffer) {
        Ok(count) if count > 0 => {
            on_output(buffer.get(..count).unwrap_or_default());
            true
        }
        _ => false,
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
