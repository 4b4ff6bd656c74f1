//! The lines of a buffer, and walking through their characters.

/// A place in a buffer: a line and a column, both counted from 0. A column may be one past the last character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pos {
    pub line: usize,
    pub col: usize,
}

impl Pos {
    pub const fn new(line: usize, col: usize) -> Self {
        Self { line, col }
    }
}

/// The lines of a buffer; there is always one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(Vec<Vec<char>>);

/// What comes of a step through the characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To a character of the same line.
    Within,
    /// To the end of the line, past its last character.
    ToEnd,
    /// To another line.
    Line,
    /// There is nothing more.
    Stuck,
}

impl Text {
    pub fn new(text: &str) -> Self {
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        Self(if lines.is_empty() { vec![Vec::new()] } else { lines })
    }

    /// All lines, each with its newline.
    pub fn content(&self) -> String {
        if self.0.len() == 1 && self.width(0) == 0 {
            return String::new();
        }
        self.0.iter().flat_map(|line| line.iter().copied().chain(['\n'])).collect()
    }

    /// How many characters there are, with the ends of lines.
    pub fn size(&self) -> usize {
        self.0.iter().map(|line| line.len() + 1).sum()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn last(&self) -> usize {
        self.0.len() - 1
    }

    pub fn line(&self, line: usize) -> &[char] {
        self.0.get(line).map(Vec::as_slice).unwrap_or_default()
    }

    pub fn string(&self, line: usize) -> String {
        self.line(line).iter().collect()
    }

    pub fn width(&self, line: usize) -> usize {
        self.line(line).len()
    }

    pub fn at(&self, pos: Pos) -> Option<char> {
        self.line(pos.line).get(pos.col).copied()
    }

    /// The column on the screen at which a character ends, counted from 0; tabs reach to the next multiple of 8.
    pub fn screen_col(&self, pos: Pos) -> usize {
        let mut column = 0;
        for (at, c) in self.line(pos.line).iter().enumerate() {
            let next = if *c == '\t' { (column / 8 + 1) * 8 } else { column + 1 };
            if at == pos.col {
                return next - 1;
            }
            column = next;
        }
        column
    }

    /// The character of a line at a column of the screen; its last one if the line is shorter.
    pub fn col_at(&self, line: usize, screen: usize) -> usize {
        let found = (0..self.width(line)).find(|col| self.screen_col(Pos::new(line, *col)) >= screen);
        found.unwrap_or_else(|| self.width(line).saturating_sub(1))
    }

    /// The first character of a line that is not blank; its last one if all are.
    pub fn first_nonblank(&self, line: usize) -> usize {
        let found = self.line(line).iter().position(|c| !c.is_whitespace());
        found.unwrap_or_else(|| self.width(line).saturating_sub(1))
    }

    /// Whether only blanks are before a place in its line.
    pub fn is_in_indent(&self, pos: Pos) -> bool {
        self.line(pos.line).iter().take(pos.col).all(|c| c.is_whitespace())
    }

    pub fn is_blank(&self, line: usize) -> bool {
        self.line(line).iter().all(|c| c.is_whitespace())
    }

    pub fn set(&mut self, line: usize, text: Vec<char>) {
        if let Some(old) = self.0.get_mut(line) {
            *old = text;
        }
    }

    pub fn insert_lines(&mut self, at: usize, lines: impl IntoIterator<Item = Vec<char>>) {
        let at = at.min(self.0.len());
        self.0.splice(at..at, lines);
    }

    /// Takes out lines, both ends included; an empty one is left where they were all there is.
    pub fn remove_lines(&mut self, first: usize, last: usize) -> Vec<Vec<char>> {
        let last = last.min(self.last());
        if first > last {
            return Vec::new();
        }
        let removed = self.0.drain(first..=last).collect();
        if self.0.is_empty() {
            self.0.push(Vec::new());
        }
        removed
    }

    /// Puts lines in the place of others, both ends included.
    pub fn replace_lines(&mut self, first: usize, last: usize, lines: impl IntoIterator<Item = Vec<char>>) {
        let last = last.min(self.last());
        self.0.splice(first.min(last)..=last, lines);
        if self.0.is_empty() {
            self.0.push(Vec::new());
        }
    }

    /// Moves lines, both ends included, below this many lines.
    pub fn move_lines(&mut self, first: usize, last: usize, below: usize) {
        let last = last.min(self.last());
        let moved: Vec<Vec<char>> = self.0.drain(first.min(last)..=last).collect();
        let at = if below > last { below - moved.len() } else { below };
        self.0.splice(at..at, moved);
    }

    /// Inserts text at a place; where the text ends.
    pub fn insert(&mut self, at: Pos, text: &[Vec<char>]) -> Pos {
        let line = self.line(at.line).to_vec();
        let (head, tail) = line.split_at(at.col.min(line.len()));
        let mut lines: Vec<Vec<char>> = text.to_vec();
        let end_line = at.line + lines.len().saturating_sub(1);
        let end_col = lines.last().map_or(0, Vec::len) + if lines.len() == 1 { head.len() } else { 0 };
        if let Some(first) = lines.first_mut() {
            first.splice(0..0, head.iter().copied());
        }
        if let Some(last) = lines.last_mut() {
            last.extend_from_slice(tail);
        }
        if !lines.is_empty() {
            self.0.splice(at.line..=at.line.min(self.last()), lines);
        }
        Pos::new(end_line, end_col)
    }

    /// The text between two places, the second not included.
    pub fn slice(&self, from: Pos, to: Pos) -> Vec<Vec<char>> {
        let part = |line: usize| {
            let text = self.line(line);
            let start = if line == from.line { from.col.min(text.len()) } else { 0 };
            let end = if line == to.line { to.col.min(text.len()) } else { text.len() };
            text.get(start..end.max(start)).unwrap_or_default().to_vec()
        };
        (from.line..=to.line.min(self.last())).map(part).collect()
    }

    /// Takes out the text between two places, the second not included.
    pub fn remove(&mut self, from: Pos, to: Pos) -> Vec<Vec<char>> {
        let removed = self.slice(from, to);
        let mut joined = self.line(from.line).to_vec();
        joined.truncate(from.col);
        joined.extend(self.line(to.line).iter().skip(to.col));
        self.0.splice(from.line..=to.line.min(self.last()), [joined]);
        removed
    }

    /// One character on, also past the end of a line.
    pub fn step(&self, pos: &mut Pos) -> Step {
        let width = self.width(pos.line);
        if pos.col < width {
            pos.col += 1;
            return if pos.col < width { Step::Within } else { Step::ToEnd };
        }
        if pos.line < self.last() {
            *pos = Pos::new(pos.line + 1, 0);
            return Step::Line;
        }
        Step::Stuck
    }

    /// One character on, never past the end of a line that has some.
    pub fn step_over(&self, pos: &mut Pos) -> Step {
        match self.step(pos) {
            Step::ToEnd if pos.col > 0 => self.step(pos),
            step => step,
        }
    }

    /// One character back; from the beginning of a line past the end of the one above.
    pub fn step_back(&self, pos: &mut Pos) -> Step {
        if pos.col > 0 {
            pos.col -= 1;
            return Step::Within;
        }
        if pos.line > 0 {
            *pos = Pos::new(pos.line - 1, self.width(pos.line - 1));
            return Step::Line;
        }
        Step::Stuck
    }
}
