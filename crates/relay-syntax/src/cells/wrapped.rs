//! Text broken into lines that fit.

use super::pieces::{Piece, pieces};
use super::style::Active;

/// A text as lines of at most `room` cells, broken between words where there are some. Blanks at a break are dropped, those at the
/// beginning of a line stay. Room for less than two cells is taken as two: no wide character fits into one.
///
/// ```
/// use relay_syntax::cells::wrap;
/// let lines = wrap("\x1b[1mone two\x1b[0m three", 8, 3);
/// assert_eq!(lines, ["\x1b[1mone two\x1b[0m", "three"]);
/// ```
#[must_use]
pub fn wrap(text: &str, room: usize, tab: usize) -> Vec<String> {
    let room = room.max(2);
    let mut wrap = Wrap::new(room);
    for line in text.split('\n') {
        for piece in pieces(line.strip_suffix('\r').unwrap_or(line), tab) {
            wrap.take(piece);
        }
        wrap.end_word();
        wrap.end_line();
    }
    wrap.lines
}

struct Wrap<'a> {
    lines: Vec<String>,
    line: String,
    used: usize,
    /// Blanks since the last word: they come into the line only with the next one.
    gap: Vec<Piece<'a>>,
    /// The word that is being read; it moves to the next line as a whole.
    word: Vec<Piece<'a>>,
    /// What holds at the end of the line, without gap and word.
    active: Active,
    room: usize,
    /// Whether nothing of the text's own line was put down yet.
    is_fresh: bool,
}

fn cells(pieces: &[Piece<'_>]) -> usize {
    pieces.iter().map(Piece::cells).sum()
}

impl<'a> Wrap<'a> {
    fn new(room: usize) -> Self {
        Self {
            lines: Vec::new(),
            line: String::new(),
            used: 0,
            gap: Vec::new(),
            word: Vec::new(),
            active: Active::default(),
            room,
            is_fresh: true,
        }
    }

    fn take(&mut self, piece: Piece<'a>) {
        match piece {
            Piece::Shown(" " | "\t", _) => {
                self.end_word();
                self.gap.push(piece);
            }
            // A sequence belongs to what follows it.
            Piece::Escape(_) if self.word.is_empty() => self.gap.push(piece),
            _ => self.word.push(piece),
        }
    }

    /// Puts the word down, on the next line if it does not fit, in parts if it fits on none.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let gap = std::mem::take(&mut self.gap);
        if self.used + cells(&gap) + cells(&word) > self.room && (self.used > 0 || !self.is_fresh) {
            self.put_escapes(&gap);
            self.break_line();
        } else {
            self.put(&gap);
        }
        self.put(&word);
    }

    fn put(&mut self, pieces: &[Piece<'a>]) {
        for piece in pieces {
            if self.used + piece.cells() > self.room {
                self.break_line();
            }
            self.active.see(piece);
            self.used += piece.cells();
            self.line.push_str(piece.text());
        }
        self.is_fresh &= cells(pieces) == 0;
    }

    fn put_escapes(&mut self, pieces: &[Piece<'a>]) {
        for piece in pieces.iter().filter(|piece| matches!(piece, Piece::Escape(_))) {
            self.active.see(piece);
            self.line.push_str(piece.text());
        }
    }

    fn break_line(&mut self) {
        let end = self.active.end();
        self.line.push_str(&end);
        let next = self.active.begin();
        self.lines.push(std::mem::replace(&mut self.line, next));
        self.used = 0;
        self.is_fresh = false;
    }

    /// The end of a line of the text itself. Blanks there go, sequences stay.
    fn end_line(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        self.put_escapes(&gap);
        self.break_line();
        self.is_fresh = true;
    }
}
