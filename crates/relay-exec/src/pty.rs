//! A command with a terminal of its own, for programs that behave differently without one.
//!
//! Writing, resizing and killing work from the moment a run begins, from any thread: they leave word for the loop that
//! owns the terminal, which looks every few milliseconds.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::pty::OpenptFlags;
use rustix::termios::Winsize;

use crate::kept::{Child, Start};
use crate::run::End;
use crate::session::Ran;
use crate::tree::GRACE;

/// How often word from other threads is looked at.
const HEARTBEAT: Duration = Duration::from_millis(16);
/// How long the terminal is read after its program has ended.
const DRAIN: Duration = Duration::from_millis(300);
/// How much is read at once.
const PIECE_BYTES: usize = 1 << 16;
/// The most that waits to be typed.
const TYPED_LIMIT_BYTES: usize = 1 << 20;

/// The size of a terminal, within what programs can handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PtySize {
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

impl Default for PtySize {
    fn default() -> Self {
        Self { columns: 120, rows: 40 }
    }
}

impl PtySize {
    fn clamped(self) -> Winsize {
        Winsize {
            ws_col: self.columns.clamp(20, 400),
            ws_row: self.rows.clamp(5, 200),
            ws_xpixel: 0,
            ws_ypixel: 0,
        }
    }
}

/// Why a terminal could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PtyError {
    /// One run at a time.
    #[error("PTY session already running")]
    AlreadyRunning,
    /// There is no run to write to, resize or end.
    #[error("PTY session is not running")]
    NotRunning,
    /// The run is just ending.
    #[error("PTY session is no longer available")]
    NoLongerAvailable,
    /// The system has no terminal for it.
    #[error("a terminal cannot be opened: {0}")]
    NoTerminal(#[source] io::Error),
    /// The command cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(#[source] io::Error),
}

/// Word for the loop that owns a terminal.
#[derive(Debug, Default)]
struct Word {
    typed: Vec<u8>,
    size: Option<PtySize>,
    kill: bool,
    is_over: bool,
}

/// A terminal, and the command that has it.
#[derive(Clone, Debug, Default)]
pub struct Pty {
    current: Arc<Mutex<Option<Arc<Mutex<Word>>>>>,
}

impl Pty {
    /// One that runs nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the terminal for a run, so that writing, resizing and killing are valid from now on.
    ///
    /// # Errors
    /// It has a run already.
    pub fn reserve(&self) -> Result<PtyRun, PtyError> {
        let mut current = locked(&self.current);
        if current.is_some() {
            return Err(PtyError::AlreadyRunning);
        }
        let word = Arc::new(Mutex::new(Word::default()));
        *current = Some(Arc::clone(&word));
        Ok(PtyRun { word, current: Arc::clone(&self.current) })
    }

    /// Types bytes into the terminal.
    ///
    /// # Errors
    /// Nothing runs.
    pub fn write(&self, bytes: &[u8]) -> Result<(), PtyError> {
        self.leave_word(|word| {
            let room = TYPED_LIMIT_BYTES.saturating_sub(word.typed.len());
            word.typed.extend_from_slice(bytes.get(..bytes.len().min(room)).unwrap_or_default());
        })
    }

    /// Gives the terminal another size.
    ///
    /// # Errors
    /// Nothing runs.
    pub fn resize(&self, size: PtySize) -> Result<(), PtyError> {
        self.leave_word(|word| word.size = Some(size))
    }

    /// Ends the command with everything it started.
    ///
    /// # Errors
    /// Nothing runs.
    pub fn kill(&self) -> Result<(), PtyError> {
        self.leave_word(|word| word.kill = true)
    }

    fn leave_word(&self, change: impl FnOnce(&mut Word)) -> Result<(), PtyError> {
        let current = locked(&self.current);
        let mut word = locked(current.as_ref().ok_or(PtyError::NotRunning)?);
        if word.is_over {
            return Err(PtyError::NoLongerAvailable);
        }
        change(&mut word);
        Ok(())
    }
}

/// The right to run one command in a terminal.
#[derive(Debug)]
pub struct PtyRun {
    word: Arc<Mutex<Word>>,
    current: Arc<Mutex<Option<Arc<Mutex<Word>>>>>,
}

impl Drop for PtyRun {
    fn drop(&mut self) {
        *locked(&self.current) = None;
    }
}

impl PtyRun {
    /// Runs a command to its end, whatever that is.
    ///
    /// # Errors
    /// There is no terminal, or the command cannot be started.
    pub fn run(
        self,
        start: &Start<'_>,
        size: PtySize,
        limits: (Option<Duration>, &Cancel),
        on_output: &mut dyn FnMut(&[u8]),
    ) -> Result<Ran, PtyError> {
        let started = Instant::now();
        let (timeout, cancel) = limits;
        let (terminal, mut child) = open(start, size)?;
        let mut terminal = Terminal { master: File::from(terminal), buffer: vec![0; PIECE_BYTES] };
        let deadline = timeout.and_then(|timeout| started.checked_add(timeout));
        let end = loop {
            let is_killed = self.deliver(&mut terminal);
            if is_killed || cancel.is_cancelled() {
                break Some(End::Cancelled);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break Some(End::TimedOut);
            }
            if child.try_wait().is_some() {
                break None;
            }
            terminal.read(HEARTBEAT, on_output);
        };
        locked(&self.word).is_over = true;
        let status = child.try_wait();
        let grace = if end.is_some() { GRACE } else { Duration::ZERO };
        child.stop_within(grace, &mut || {
            terminal.read(Duration::ZERO, on_output);
        });
        let until = Instant::now() + DRAIN;
        while terminal.read(HEARTBEAT, on_output) && Instant::now() < until {}
        let status = status.or_else(|| child.try_wait());
        let end = end.unwrap_or_else(|| match status.map(|status| (status.code(), status.signal())) {
            Some((Some(code), _)) => End::Exited(code),
            Some((None, signal)) => End::Signalled(signal.unwrap_or_default()),
            None => End::NotStarted(io::Error::other("it ended without a status")),
        });
        Ok(Ran { end, is_kept: false, ended: Vec::new(), duration: started.elapsed() })
    }

    /// Does what others left word for; whether the command shall end.
    fn deliver(&self, terminal: &mut Terminal) -> bool {
        let mut word = locked(&self.word);
        if let Some(size) = word.size.take() {
            // A terminal that keeps its size is still one.
            rustix::termios::tcsetwinsize(&terminal.master, size.clamped()).ok();
        }
        if !word.typed.is_empty() {
            match terminal.master.write(&word.typed) {
                Ok(count) => {
                    word.typed.drain(..count);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => word.typed.clear(),
            }
        }
        word.kill
    }
}

/// A terminal with its command at the other end. Only the command holds that end, so the terminal closes with it.
fn open(start: &Start<'_>, size: PtySize) -> Result<(OwnedFd, Child), PtyError> {
    let none = |error: rustix::io::Errno| PtyError::NoTerminal(error.into());
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = rustix::pty::openpt(flags).map_err(none)?;
    rustix::pty::grantpt(&master).map_err(none)?;
    rustix::pty::unlockpt(&master).map_err(none)?;
    let slave = other_end(&master)?;
    rustix::termios::tcsetwinsize(&master, size.clamped()).map_err(none)?;
    rustix::io::ioctl_fionbio(&master, true).map_err(none)?;
    let mut start = start.clone();
    start.rules.terminal = true;
    let mut command = start.command().map_err(PtyError::NotStarted)?;
    let copy = || slave.try_clone().map_err(PtyError::NoTerminal);
    command.stdin(copy()?).stdout(copy()?).stderr(copy()?);
    let child = Child::spawn(command).map_err(PtyError::NotStarted)?;
    Ok((master, child))
}

#[cfg(target_os = "linux")]
fn other_end(master: &OwnedFd) -> Result<OwnedFd, PtyError> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    rustix::pty::ioctl_tiocgptpeer(master, flags).map_err(|error| PtyError::NoTerminal(error.into()))
}

#[cfg(not(target_os = "linux"))]
fn other_end(master: &OwnedFd) -> Result<OwnedFd, PtyError> {
    let none = |error: rustix::io::Errno| PtyError::NoTerminal(error.into());
    let name = rustix::pty::ptsname(master, Vec::new()).map_err(none)?;
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
    rustix::fs::open(name.as_c_str(), flags, rustix::fs::Mode::empty()).map_err(none)
}

struct Terminal {
    master: File,
    buffer: Vec<u8>,
}

impl Terminal {
    /// Waits for output and reads it; whether there may be more.
    fn read(&mut self, wait: Duration, on_output: &mut dyn FnMut(&[u8])) -> bool {
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        let fd = self.master.as_fd();
        let mut polled = [PollFd::from_borrowed_fd(fd, PollFlags::IN)];
        if rustix::event::poll(&mut polled, Some(&timeout)).unwrap_or(0) == 0 {
            return false;
        }
        match self.master.read(&mut self.buffer) {
            Ok(count) if count > 0 => {
                on_output(self.buffer.get(..count).unwrap_or_default());
                true
            }
            // The other end is closed; asking again at once would be a busy wait.
            _ => {
                std::thread::sleep(wait.min(Duration::from_millis(2)));
                false
            }
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
