//! Draws frames: finished lines once into the terminal's own scrollback, the live region below them again and again.
//!
//! Every frame is one synchronized update that touches only rows that changed. The cursor is always left at a row of the live
//! region that is known, so that the next frame finds its way by relative moves; nothing is ever cleared that Relay did not draw.
//! After a resize the terminal has moved lines in a way that differs from terminal to terminal, so what is visible is drawn again.

mod paint;

use std::io::Write as _;

pub use paint::{Abilities, Depth};

use crate::text::Line;

/// Lines as text for a terminal, for commands that print something and end.
#[must_use]
pub fn print(lines: &[Line], width: usize, abilities: Abilities) -> String {
    let mut out = Vec::new();
    for line in lines {
        paint::line(&mut out, line, width, abilities);
        out.push(b'\n');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// What turns the colour of text on; empty for the terminal's own colour.
#[must_use]
pub fn foreground(color: crate::text::Color, depth: Depth) -> String {
    paint::foreground(color, depth)
}

/// What the screen should show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Lines that are finished: they are written once and belong to the terminal from then on.
    pub done: Vec<Line>,
    /// The lines below them that may still change.
    pub live: Vec<Line>,
    /// Row in `live` and column of the caret.
    pub cursor: Option<(usize, usize)>,
    /// `live` fills the whole screen; the scrollback stays as it is until this is over.
    pub is_full: bool,
}

/// Remembers what is on the screen, and writes what brings it to the next frame.
#[derive(Debug)]
pub struct Renderer {
    abilities: Abilities,
    width: usize,
    height: usize,
    shown: Vec<Line>,
    /// The row of `shown` where the terminal's cursor is.
    row: usize,
    cursor: Option<(usize, usize)>,
    is_full: bool,
    /// What was shown below the scrollback before the whole screen was taken.
    below: Option<(Vec<Line>, usize)>,
    /// The terminal was resized while the whole screen was taken: what is below must be drawn again.
    is_stale: bool,
}

impl Renderer {
    /// A renderer for a terminal of this size, with the cursor at the beginning of an empty line.
    #[must_use]
    pub fn new(abilities: Abilities, width: u16, height: u16) -> Self {
        Self {
            abilities,
            width: usize::from(width),
            height: usize::from(height),
            shown: Vec::new(),
            row: 0,
            cursor: None,
            is_full: false,
            below: None,
            is_stale: false,
        }
    }

    /// Whether the next frame below the scrollback needs [`Self::resize`], because nothing is known about the screen.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// How many rows are shown below what is finished.
    #[must_use]
    pub fn live_rows(&self) -> usize {
        if self.is_full { 0 } else { self.shown.len() }
    }

    /// Writes links from now on, or does not.
    pub fn set_links(&mut self, links: bool) {
        self.abilities.links = links;
    }

    /// What the terminal can do.
    #[must_use]
    pub fn abilities(&self) -> Abilities {
        self.abilities
    }

    /// The bytes for the next frame. None if nothing is to be done.
    pub fn draw(&mut self, mut frame: Frame) -> Vec<u8> {
        // A live region that is higher than the screen could not be reached again: its end counts.
        if frame.live.len() > self.height.max(1) {
            let above = frame.live.len() - self.height.max(1);
            frame.live.drain(..above);
            frame.cursor = frame.cursor.and_then(|(row, column)| Some((row.checked_sub(above)?, column)));
        }
        let mut out = Vec::new();
        self.switch(&mut out, frame.is_full);
        if frame.is_full || frame.done.is_empty() {
            self.rows(&mut out, &frame.live);
        } else {
            self.finish(&mut out, &frame.done, &frame.live);
        }
        let cursor = frame.cursor;
        if out.is_empty() && cursor == self.cursor {
            return out;
        }
        self.shown = frame.live;
        self.place(&mut out, cursor);
        let mut update = b"\x1b[?2026h\x1b[?25l".to_vec();
        update.append(&mut out);
        if cursor.is_some() {
            update.extend_from_slice(b"\x1b[?25h");
        }
        update.extend_from_slice(b"\x1b[?2026l");
        update
    }

    /// The terminal has another size: `above` are the finished lines that fit above the live region, newest last, and `all` says
    /// whether these are all there are.
    pub fn resize(&mut self, width: u16, height: u16, above: &[Line], all: bool, frame: Frame) -> Vec<u8> {
        let (width, height) = (usize::from(width).max(1), usize::from(height).max(1));
        let mut out = Vec::new();
        self.switch(&mut out, frame.is_full);
        self.is_stale = frame.is_full;
        if !self.is_full {
            if all && above.len() + frame.live.len() < height {
                // Everything Relay drew is still on the screen, below what the shell left: back to its beginning. A row that has
                // become too long takes several now.
                let rows = |lines: &[Line]| -> usize {
                    lines.iter().map(|line| line.width().div_ceil(width).max(1)).sum()
                };
                let before = self.shown.get(..self.row).unwrap_or_default();
                let up = (rows(before) + above.len()).min(height.saturating_sub(1));
                up_by(&mut out, up);
                out.extend_from_slice(b"\r\x1b[J");
            } else {
                out.extend_from_slice(b"\x1b[H");
            }
        }
        (self.width, self.height) = (width, height);
        self.shown.clear();
        self.row = 0;
        self.cursor = None;
        if self.is_full {
            self.below = None;
            out.extend_from_slice(b"\x1b[H\x1b[2J");
            out.extend(self.draw(frame));
            return out;
        }
        let room = height.saturating_sub(frame.live.len().min(height));
        let visible = above.get(above.len().saturating_sub(room)..).unwrap_or_default();
        for line in visible {
            self.line(&mut out, line);
            out.extend_from_slice(b"\r\n");
        }
        out.extend(self.draw(frame));
        out
    }

    /// Leaves the live region: the cursor goes to the line below what stays, and everything else is cleared.
    pub fn leave(&mut self, keep: usize) -> Vec<u8> {
        let mut out = Vec::new();
        self.switch(&mut out, false);
        let keep = keep.min(self.shown.len());
        self.go(&mut out, keep.min(self.shown.len().saturating_sub(1)));
        if keep > 0 && keep == self.shown.len() {
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\x1b[J\x1b[?25h");
        self.shown.clear();
        self.row = 0;
        self.cursor = None;
        out
    }

    /// To the whole screen, or back.
    fn switch(&mut self, out: &mut Vec<u8>, is_full: bool) {
        if self.is_full == is_full {
            return;
        }
        self.is_full = is_full;
        self.cursor = None;
        if is_full {
            self.below = Some((std::mem::take(&mut self.shown), self.row));
            self.row = 0;
            out.extend_from_slice(b"\x1b[?1049h\x1b[H\x1b[2J");
        } else {
            out.extend_from_slice(b"\x1b[?1049l");
            // After a resize meanwhile nothing is known about what is below; it is drawn as if it were new.
            (self.shown, self.row) = self.below.take().unwrap_or_default();
        }
    }

    /// Brings the rows of the live region to those of the frame.
    fn rows(&mut self, out: &mut Vec<u8>, live: &[Line]) {
        for (at, line) in live.iter().enumerate() {
            if self.shown.get(at) != Some(line) {
                self.go(out, at);
                self.line(out, line);
            }
        }
        if live.len() < self.shown.len() {
            self.go(out, live.len());
            out.extend_from_slice(b"\x1b[J");
        }
    }

    /// Writes finished lines where the live region was, and the live region below them.
    fn finish(&mut self, out: &mut Vec<u8>, done: &[Line], live: &[Line]) {
        self.go(out, 0);
        let before = self.shown.len();
        for line in done {
            self.line(out, line);
            out.extend_from_slice(b"\r\n");
        }
        for (at, line) in live.iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(b"\r\n");
            }
            self.line(out, line);
        }
        // Rows of the old live region that are below the new one are there for certain, so the move down is one.
        match (live.is_empty(), before > done.len() + live.len()) {
            (true, true) => out.extend_from_slice(b"\r\x1b[J"),
            (false, true) => out.extend_from_slice(b"\x1b[1B\r\x1b[J\x1b[1A"),
            _ => {}
        }
        self.row = live.len().saturating_sub(1);
        self.shown = live.to_vec();
    }

    /// The cursor to the beginning of a row of the live region. Rows below what is shown are made.
    fn go(&mut self, out: &mut Vec<u8>, row: usize) {
        let last = self.shown.len().saturating_sub(1);
        let near = row.min(last.max(self.row));
        if near < self.row {
            up_by(out, self.row - near);
        } else if near > self.row {
            down_by(out, near - self.row);
        }
        out.push(b'\r');
        for _ in near..row {
            out.extend_from_slice(b"\r\n");
        }
        self.row = row;
        // A row that was made belongs to what is shown.
        while self.shown.len() <= row {
            self.shown.push(Line::new());
        }
    }

    fn place(&mut self, out: &mut Vec<u8>, cursor: Option<(usize, usize)>) {
        if let Some((row, column)) = cursor {
            self.go(out, row.min(self.shown.len().saturating_sub(1)));
            if column > 0 {
                // Writing into memory does not fail.
                drop(write!(out, "\x1b[{}C", column.min(self.width.saturating_sub(1))));
            }
        }
        self.cursor = cursor;
    }

    fn line(&self, out: &mut Vec<u8>, line: &Line) {
        if line.width() <= self.width {
            paint::line(out, line, self.width, self.abilities);
        } else {
            paint::line(out, &line.clone().truncated(self.width, "…"), self.width, self.abilities);
        }
    }
}

fn up_by(out: &mut Vec<u8>, rows: usize) {
    if rows > 0 {
        drop(write!(out, "\x1b[{rows}A"));
    }
}

fn down_by(out: &mut Vec<u8>, rows: usize) {
    if rows > 0 {
        drop(write!(out, "\x1b[{rows}B"));
    }
}
