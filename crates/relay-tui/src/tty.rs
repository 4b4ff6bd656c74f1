//! The terminal itself: raw mode, its size, and a thread that reads keys. Whatever happens, it is given back as it was.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

use crate::input::{Decoder, Input};

/// How long an escape is waited for that may begin a sequence.
const SETTLE: Duration = Duration::from_millis(30);

/// No wrapping at the edge, pasted text marked, focus and changes of the colour scheme reported, the Kitty protocol if it is known.
const ENTER: &str = "\x1b[?7l\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u";
/// What the terminal is asked once: its keys, whether it reports its focus, its background, whether it shows images, and last
/// what every terminal answers.
const ASK: &str = "\x1b[?u\x1b[?1004$p\x1b]11;?\x1b\\\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c";
/// Everything back, in any state.
const LEAVE: &str = "\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?7h\x1b[m\x1b[?25h";
/// For terminals without the Kitty protocol.
pub const OTHER_KEYS: &str = "\x1b[>4;1m";

/// How the terminal was before it was taken; `None` while it is not taken.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Gives the terminal back, from wherever: also from a panic.
pub fn restore() {
    let before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(before) = before {
        let mut out = io::stdout();
        // A terminal that is gone needs nothing back.
        drop(out.write_all(LEAVE.as_bytes()).and_then(|()| out.flush()));
        tcsetattr(io::stdin(), OptionalActions::Flush, &before).unwrap_or_default();
    }
}

/// The terminal, taken.
#[derive(Debug)]
pub struct Tty {
    wake: PipeWriter,
    paused: Receiver<()>,
    inputs: Sender<Input>,
}

impl Tty {
    /// Takes the terminal, and sends everything that is typed.
    ///
    /// # Errors
    /// Standard input is not a terminal.
    pub fn open(inputs: Sender<Input>, is_asked: bool) -> io::Result<Self> {
        take()?;
        let (wake, paused) = read_keys(inputs.clone())?;
        let tty = Self { wake, paused, inputs };
        tty.write(if is_asked { ASK.as_bytes() } else { b"" })?;
        Ok(tty)
    }

    /// Columns and rows.
    #[must_use]
    pub fn size() -> (u16, u16) {
        match tcgetwinsize(io::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => (size.ws_col, size.ws_row),
            _ => (80, 24),
        }
    }

    /// Pixels across and down a cell, as far as the terminal says.
    #[must_use]
    pub fn cell() -> (u32, u32) {
        let usual = (10, 20);
        let Ok(size) = tcgetwinsize(io::stdout()) else { return usual };
        let across = u32::from(size.ws_xpixel).checked_div(u32::from(size.ws_col));
        let down = u32::from(size.ws_ypixel).checked_div(u32::from(size.ws_row));
        match (across, down) {
            (Some(across @ 4..100), Some(down @ 4..200)) => (across, down),
            _ => usual,
        }
    }

    /// Writes to the terminal.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Gives the terminal to `other`, such as an editor, and takes it again.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn lend<T>(&mut self, other: impl FnOnce() -> T) -> io::Result<T> {
        self.give()?;
        let done = other();
        self.take_again()?;
        Ok(done)
    }

    /// Gives the terminal back to the shell for a while: no keys are read until [`Self::take_again`].
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn give(&mut self) -> io::Result<()> {
        self.wake.write_all(b"p")?;
        // A reader that has ended reads nothing either.
        self.paused.recv().unwrap_or_default();
        restore();
        Ok(())
    }

    /// Takes the terminal again.
    ///
    /// # Errors
    /// The terminal is gone.
    pub fn take_again(&mut self) -> io::Result<()> {
        take()?;
        let (wake, paused) = read_keys(self.inputs.clone())?;
        (self.wake, self.paused) = (wake, paused);
        Ok(())
    }

    /// Whether the shell has put this program into the foreground.
    #[must_use]
    pub fn is_foreground() -> bool {
        rustix::termios::tcgetpgrp(io::stdin()).is_ok_and(|group| group == rustix::process::getpgrp())
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // A reader that has ended needs no word.
        drop(self.wake.write_all(b"p"));
        self.paused.recv_timeout(Duration::from_millis(100)).unwrap_or_default();
        restore();
    }
}

fn take() -> io::Result<()> {
    let before = tcgetattr(io::stdin())?;
    let mut raw = before.clone();
    raw.make_raw();
    tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
    let mut out = io::stdout();
    out.write_all(ENTER.as_bytes())?;
    out.flush()
}

/// Reads on a thread of its own until it is woken.
fn read_keys(inputs: Sender<Input>) -> io::Result<(PipeWriter, Receiver<()>)> {
    let (woken, wake) = io::pipe()?;
    let (ended, paused) = channel();
    thread::Builder::new().name("keys".to_owned()).spawn(move || {
        let mut decoder = Decoder::default();
        while let Some(bytes) = next(&woken, decoder.is_waiting()) {
            let decoded = if bytes.is_empty() { decoder.settle() } else { decoder.push(&bytes) };
            for input in decoded {
                if inputs.send(input).is_err() {
                    return;
                }
            }
        }
        // Whoever waited for this may be gone.
        ended.send(()).unwrap_or_default();
    })?;
    Ok((wake, paused))
}

/// What was typed; nothing if a sequence was waited for in vain; `None` at the end.
fn next(woken: &PipeReader, is_waiting: bool) -> Option<Vec<u8>> {
    let stdin = io::stdin();
    loop {
        let mut files =
            [PollFd::new(&stdin, PollFlags::IN), PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN)];
        let limit = Timespec { tv_sec: 0, tv_nsec: i64::try_from(SETTLE.as_nanos()).unwrap_or(30_000_000) };
        let ready = match poll(&mut files, is_waiting.then_some(&limit)) {
            Ok(ready) => ready,
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return None,
        };
        if ready == 0 {
            return Some(Vec::new());
        }
        let [keys, wake] = files;
        if !wake.revents().is_empty() {
            return None;
        }
        if keys.revents().intersects(PollFlags::IN) {
            let mut bytes = vec![0; 65536];
            return match rustix::io::read(&stdin, &mut bytes) {
                Ok(0) => None,
                Ok(count) => {
                    bytes.truncate(count);
                    Some(bytes)
                }
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => continue,
                Err(_) => None,
            };
        }
        return None;
    }
}
