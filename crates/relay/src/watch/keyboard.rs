//! Single keys from the terminal, while Relay owns it. Leaving restores the terminal.
//!
//! Ctrl-C and Ctrl-Z stay signals. A burst of bytes, such as a pasted text or an arrow key, is not a key press: only a
//! byte that arrives alone counts, so that nothing pasted into the wrong window answers a question.

use std::sync::mpsc::Sender;
#[cfg(unix)]
use std::{fs::File, sync::Arc, time::Instant};

use super::message::Message;

/// The terminal, set to deliver single keys.
#[cfg(unix)]
pub struct Keyboard {
    terminal: Arc<File>,
    before: rustix::termios::Termios,
}

#[cfg(unix)]
impl Keyboard {
    /// Takes the terminal; `None` if there is none, or another job of the shell owns it.
    pub fn open() -> Option<Self> {
        let terminal = File::open("/dev/tty").ok()?;
        let owner = rustix::termios::tcgetpgrp(&terminal).ok()?;
        if owner != rustix::process::getpgrp() {
            return None;
        }
        let before = rustix::termios::tcgetattr(&terminal).ok()?;
        let keyboard = Self { terminal: Arc::new(terminal), before };
        keyboard.take().then_some(keyboard)
    }

    /// Turns off line editing and echo; reads return at once.
    pub fn take(&self) -> bool {
        use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcsetattr};
        let mut modes = self.before.clone();
        modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        modes.special_codes[SpecialCodeIndex::VMIN] = 0;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&*self.terminal, OptionalActions::Now, &modes).is_ok()
    }

    /// Discards unread input.
    pub fn forget(&self) {
        // If this fails, there is no terminal to type ahead into.
        rustix::termios::tcflush(&*self.terminal, rustix::termios::QueueSelector::IFlush).unwrap_or_default();
    }

    /// Sends every key from now on. If the terminal goes away, asks to quit.
    pub fn listen(&self, messages: Sender<Message>) {
        let terminal = Arc::clone(&self.terminal);
        std::thread::spawn(move || {
            while let Some((bytes, at)) = read(&terminal) {
                if let [byte] = bytes.as_slice()
                    && messages.send(Message::Key(char::from(*byte), at)).is_err()
                {
                    return;
                }
            }
            messages.send(Message::Stop).unwrap_or_default();
        });
    }
}

#[cfg(unix)]
impl Drop for Keyboard {
    fn drop(&mut self) {
        use rustix::termios::{OptionalActions, tcsetattr};
        // A terminal that is gone needs no restoring.
        tcsetattr(&*self.terminal, OptionalActions::Now, &self.before).unwrap_or_default();
    }
}

/// The input, and the time it was noticed, before reading it, so that it is not mistaken for something typed after a
/// discard. `None` when the terminal is gone.
#[cfg(unix)]
fn read(terminal: &File) -> Option<(Vec<u8>, Instant)> {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::io::Errno;
    loop {
        let mut waiting = [PollFd::new(terminal, PollFlags::IN)];
        match poll(&mut waiting, None) {
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return None,
        }
        let at = Instant::now();
        let is_gone = waiting
            .iter()
            .any(|polled| polled.revents().intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL));
        let mut bytes = [0; 64];
        match rustix::io::read(terminal, &mut bytes) {
            Ok(0) if is_gone => return None,
            Ok(0) | Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(count) => return Some((bytes.iter().copied().take(count).collect(), at)),
            Err(_) => return None,
        }
    }
}

/// Keys as lines: on systems without single keys, each needs Enter.
#[cfg(not(unix))]
pub struct Keyboard;

#[cfg(not(unix))]
impl Keyboard {
    /// The console, if standard input is one.
    pub fn open() -> Option<Self> {
        use std::io::IsTerminal as _;
        std::io::stdin().is_terminal().then_some(Self)
    }

    /// Leaves the console as it is.
    pub fn take(&self) -> bool {
        true
    }

    /// Windows consoles offer no way to do this here.
    pub fn forget(&self) {}

    /// Sends the first letter of every line.
    pub fn listen(&self, messages: Sender<Message>) {
        std::thread::spawn(move || {
            for line in std::io::stdin().lines().map_while(Result::ok) {
                if let Some(key) = line.trim().chars().next()
                    && messages.send(Message::Key(key, std::time::Instant::now())).is_err()
                {
                    return;
                }
            }
        });
    }
}
