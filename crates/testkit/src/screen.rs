//! A program in a real pseudo-terminal: what it shows can be waited for, and keys can be typed.

use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::patience::{PATIENCE, wait_for};

/// How long nothing may come after a program's end before what it showed counts as complete: what it left running may
/// hold the terminal open.
const SILENCE: Duration = Duration::from_secs(1);

/// A running program and its terminal.
pub struct Screen {
    child: Child,
    keyboard: File,
    output: Receiver<Vec<u8>>,
    raw: Vec<u8>,
    seen: usize,
}

impl Screen {
    pub(crate) fn start(mut command: Command) -> Self {
        // A program that inherited this side would keep the terminal alive after the test has closed it.
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let terminal = File::options().read(true).write(true).open(name).unwrap();
        command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap()).stderr(terminal);
        let child = command.spawn().unwrap();
        // The command holds the last handles of the terminal's other side here; without them the reader sees the end.
        drop(command);
        let master = File::from(master);
        let mut reader = master.try_clone().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keyboard: master, output, raw: Vec::new(), seen: 0 }
    }

    /// Waits until this text appears after what was expected before.
    pub fn expect(&mut self, text: &str) {
        let start = Instant::now();
        loop {
            let shown = self.text();
            if let Some(at) = shown.get(self.seen..).and_then(|rest| rest.find(text)) {
                self.seen += at + text.len();
                return;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.raw.extend(bytes),
                Err(RecvTimeoutError::Timeout) => panic!("{text:?} did not appear in:\n{}", self.text()),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("it ended without showing {text:?}:\n{}", self.text())
                }
            }
        }
    }

    /// Types this.
    pub fn send(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// Types this until the program has ended, and returns its exit code: a program may take keys that reach it together
    /// for pasted, and two that were typed apart do so where it is slow to read.
    pub fn send_until_end(&mut self, keys: &str) -> i32 {
        wait_for("it ends", || {
            // It may end in between.
            drop(self.keyboard.write_all(keys.as_bytes()));
            std::thread::sleep(Duration::from_millis(100));
            self.child.try_wait().unwrap().is_some()
        });
        self.wait()
    }

    /// Takes the terminal away, as closing its window does. It is gone once the program writes something more.
    pub fn hang_up(self) {
        let Self { mut child, keyboard, output, .. } = self;
        drop((keyboard, output));
        std::thread::spawn(move || child.wait());
    }

    /// Waits for the end and returns the exit code.
    pub fn wait(&mut self) -> i32 {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                drop(self.child.kill());
                panic!("it does not end:\n{}", self.text());
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        while let Ok(bytes) = self.output.recv_timeout(SILENCE) {
            self.raw.extend(bytes);
        }
        status.code().unwrap_or(-1)
    }

    /// Everything so far, with the sequences that drive the terminal.
    #[must_use]
    pub fn raw(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Everything so far, without them.
    #[must_use]
    pub fn text(&self) -> String {
        let raw = self.raw();
        let mut text = String::new();
        let mut characters = raw.chars();
        while let Some(character) = characters.next() {
            if character != '\u{1b}' {
                text.push(character);
            } else if characters.next() == Some('[') {
                characters.by_ref().find(char::is_ascii_alphabetic);
            }
        }
        text
    }
}
