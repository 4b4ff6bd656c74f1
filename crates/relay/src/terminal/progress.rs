//! Live progress: one line with the running command, its duration and its latest output.
//!
//! Only in a terminal; piped output has the same information in the report at the end.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use relay_engine::Observer;
use relay_txn::CheckRecord;

use super::style::{FAINT, NOTE, PLACE, paint};
use super::widgets::spinner;
use super::{is_watched, tell, tell_as_is, visible, width};

pub const TICK: Duration = Duration::from_millis(100);
pub const CLEAR_LINE: &str = "\r\x1b[K";

/// Shows a command's progress while it runs.
#[derive(Default)]
pub struct Progress {
    running: Option<Running>,
}

struct Running {
    lines: Sender<String>,
    painter: JoinHandle<()>,
    printed: Lines,
}

impl Observer for Progress {
    fn waiting(&mut self, for_what: &str) {
        tell(&format!("{} {}\n", paint(NOTE, "waiting:"), visible(for_what)));
    }

    fn command_started(&mut self, key: &str, command: &str) {
        self.stop();
        if !is_watched() {
            return;
        }
        let (lines, receiver) = channel();
        let title = format!("{key} {}", visible(command));
        let painter = std::thread::spawn(move || paint_until_closed(&title, &receiver));
        self.running = Some(Running { lines, painter, printed: Lines::default() });
    }

    fn command_output(&mut self, bytes: &[u8]) {
        let Some(running) = &mut self.running else { return };
        for line in running.printed.take(bytes) {
            if running.lines.send(line).is_err() {
                return;
            }
        }
    }

    fn command_finished(&mut self, _check: &CheckRecord) {
        self.stop();
    }
}

/// Reassembles lines from the pieces in which output arrives.
#[derive(Default)]
pub struct Lines {
    partial: Vec<u8>,
}

impl Lines {
    /// The lines that this piece completes, without blank ones.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<String> {
        self.partial.extend_from_slice(bytes);
        let mut lines = Vec::new();
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            lines.push(String::from_utf8_lossy(&line).trim().to_owned());
        }
        lines.retain(|line| !line.is_empty());
        // A command that never ends its line must not use up Relay's memory.
        if self.partial.len() > 4096 {
            self.partial.clear();
        }
        lines
    }
}

impl Progress {
    fn stop(&mut self) {
        if let Some(Running { lines, painter, .. }) = self.running.take() {
            drop(lines);
            // If the painter panicked, there is nothing to clean up, and the report follows anyway.
            drop(painter.join());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop();
    }
}

fn paint_until_closed(title: &str, lines: &Receiver<String>) {
    let started = Instant::now();
    let mut last = String::new();
    loop {
        match lines.recv_timeout(TICK) {
            Ok(line) => {
                last = line;
                while let Ok(line) = lines.try_recv() {
                    last = line;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let elapsed = started.elapsed();
        let head = format!("{} {title}  {:.1} s", spinner(elapsed), elapsed.as_secs_f64());
        let room = width().saturating_sub(2);
        let head = cut(&head, room);
        let tail = cut(&visible(&last), room.saturating_sub(head.chars().count() + 2));
        tell_as_is(&format!("{CLEAR_LINE}{}  {}", paint(PLACE, head), paint(FAINT, tail)));
    }
    tell_as_is(CLEAR_LINE);
}

/// At most `columns` wide.
pub fn cut(text: &str, columns: usize) -> String {
    use unicode_width::UnicodeWidthChar;
    let mut width = 0;
    text.chars()
        .take_while(|c| {
            width += c.width().unwrap_or(0);
            width <= columns
        })
        .collect()
}
