//! Motions: from one place to another, and what an operator makes of the way between.

use super::text::{Pos, Step, Text};

/// What an operator takes of the way to a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Up to the place.
    Exclusive,
    /// With the character at the place.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// Where a motion leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Motion {
    pub to: Pos,
    pub span: Span,
    /// Moves to the end of each line from now on, as `$` does.
    pub to_end: bool,
}

impl Motion {
    pub const fn new(to: Pos, span: Span) -> Self {
        Self { to, span, to_end: false }
    }
}

/// The kind of a character: blanks, signs, and what words are made of. Big words know only blanks.
pub fn class(text: &Text, pos: Pos, big: bool) -> u8 {
    match text.at(pos) {
        None | Some(' ' | '\t') => 0,
        _ if big => 1,
        Some(c) if c.is_alphanumeric() || c == '_' => 2,
        Some(c) if !c.is_ascii() => 3,
        Some(_) => 1,
    }
}

fn is_empty_line(text: &Text, pos: Pos) -> bool {
    pos.col == 0 && text.width(pos.line) == 0
}

/// `w`. `at_end` stops at the end of the line for an operator. At the end of the text it goes as far as it can.
pub fn word_forward(text: &Text, mut pos: Pos, count: usize, big: bool, at_end: bool) -> Pos {
    for left in (0..count).rev() {
        let class_here = class(text, pos, big);
        let is_last_line = pos.line == text.last();
        let stops = |step: Step| at_end && left == 0 && matches!(step, Step::Line | Step::ToEnd);
        let is_over =
            |step: Step| step == Step::Stuck || is_last_line && matches!(step, Step::Line | Step::ToEnd);
        let step = text.step(&mut pos);
        if is_over(step) || stops(step) {
            return pos;
        }
        while class_here != 0 && class(text, pos, big) == class_here {
            let step = text.step(&mut pos);
            if step == Step::Stuck || stops(step) {
                return pos;
            }
        }
        while class(text, pos, big) == 0 && !is_empty_line(text, pos) {
            if is_over(text.step(&mut pos)) {
                return pos;
            }
        }
    }
    pos
}

fn skip(text: &Text, pos: &mut Pos, of: u8, big: bool, step: fn(&Text, &mut Pos) -> Step) -> bool {
    while class(text, *pos, big) == of {
        if step(text, pos) == Step::Stuck {
            return false;
        }
    }
    true
}

/// `e`. `stop` counts the end of the word that the place is at, as `cw` does. At the end of the text it goes as far as it can.
pub fn word_end(text: &Text, mut pos: Pos, count: usize, big: bool, mut stop: bool) -> Pos {
    for _ in 0..count {
        let class_here = class(text, pos, big);
        if text.step(&mut pos) == Step::Stuck {
            return pos;
        }
        if class(text, pos, big) == class_here && class_here != 0 {
            if !skip(text, &mut pos, class_here, big, Text::step) {
                return pos;
            }
        } else if !stop || class_here == 0 {
            while class(text, pos, big) == 0 {
                if text.step(&mut pos) == Step::Stuck {
                    return pos;
                }
            }
            let class_there = class(text, pos, big);
            if !skip(text, &mut pos, class_there, big, Text::step) {
                return pos;
            }
        }
        text.step_back(&mut pos);
        stop = false;
    }
    pos
}

/// `b`.
pub fn word_back(text: &Text, mut pos: Pos, count: usize, big: bool) -> Option<Pos> {
    'words: for _ in 0..count {
        if text.step_back(&mut pos) == Step::Stuck {
            return None;
        }
        while class(text, pos, big) == 0 {
            if is_empty_line(text, pos) {
                continue 'words;
            }
            if text.step_back(&mut pos) == Step::Stuck {
                return Some(pos);
            }
        }
        let class_there = class(text, pos, big);
        if !skip(text, &mut pos, class_there, big, Text::step_back) {
            return Some(Pos::new(0, 0));
        }
        text.step(&mut pos);
    }
    Some(pos)
}

/// `}` and `{`: to the empty line after or before the paragraph.
pub fn paragraph(text: &Text, pos: Pos, count: usize, forward: bool) -> Option<Motion> {
    let mut line = pos.line;
    for left in (0..count).rev() {
        let (mut has_text, mut first) = (false, true);
        loop {
            has_text |= text.width(line) > 0;
            if !first && has_text && text.width(line) == 0 {
                break;
            }
            first = false;
            let next =
                if forward { Some(line + 1).filter(|line| *line < text.len()) } else { line.checked_sub(1) };
            match next {
                Some(next) => line = next,
                None if left > 0 => return None,
                None => break,
            }
        }
    }
    let width = text.width(line);
    if forward && line == text.last() && width > 0 {
        return Some(Motion::new(Pos::new(line, width - 1), Span::Inclusive));
    }
    Some(Motion::new(Pos::new(line, 0), Span::Exclusive))
}

/// A search for a character in the line, as `f`, `F`, `t` and `T` make it.
#[derive(Clone, Copy, Debug)]
pub struct Find {
    pub wanted: char,
    pub forward: bool,
    /// Stops before the character.
    pub till: bool,
}

/// Where a character is found; `again` passes over one that a search up to it stopped at.
pub fn find(text: &Text, pos: Pos, find: Find, count: usize, again: bool) -> Option<Motion> {
    let line = text.line(pos.line);
    let mut col = pos.col;
    let step = |col: usize| {
        if find.forward { Some(col + 1).filter(|col| *col < line.len()) } else { col.checked_sub(1) }
    };
    if again && find.till && step(col).and_then(|col| line.get(col)) == Some(&find.wanted) && count == 1 {
        col = step(col)?;
    }
    for _ in 0..count {
        col = step(col)?;
        while line.get(col) != Some(&find.wanted) {
            col = step(col)?;
        }
    }
    let to = match (find.till, find.forward) {
        (false, _) => col,
        (true, true) => col - 1,
        (true, false) => col + 1,
    };
    let span = if find.forward { Span::Inclusive } else { Span::Exclusive };
    Some(Motion::new(Pos::new(pos.line, to), span))
}

const PAIRS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('{', '}')];

/// `%`: the bracket that belongs to the first one at or after the place.
pub fn matching(text: &Text, pos: Pos) -> Option<Pos> {
    let line = text.line(pos.line);
    let is_bracket = |c: &char| PAIRS.iter().any(|(open, close)| c == open || c == close);
    let col = (pos.col..line.len()).find(|col| line.get(*col).is_some_and(is_bracket))?;
    let here = *line.get(col)?;
    let at = Pos::new(pos.line, col);
    let (open, close) = *PAIRS.iter().find(|(open, close)| here == *open || here == *close)?;
    if here == open { closing(text, at, open, close) } else { opening(text, at, open, close) }
}

/// The bracket that closes the one at a place, or the one around it.
pub fn closing(text: &Text, mut at: Pos, open: char, close: char) -> Option<Pos> {
    let mut depth = 0usize;
    loop {
        match text.step(&mut at) {
            Step::Stuck => return None,
            _ if text.at(at) == Some(open) => depth += 1,
            _ if text.at(at) == Some(close) && depth == 0 => return Some(at),
            _ if text.at(at) == Some(close) => depth -= 1,
            _ => {}
        }
    }
}

/// The bracket that opens what the one at a place closes, or what is around it.
pub fn opening(text: &Text, mut at: Pos, open: char, close: char) -> Option<Pos> {
    let mut depth = 0usize;
    loop {
        match text.step_back(&mut at) {
            Step::Stuck => return None,
            _ if text.at(at) == Some(close) => depth += 1,
            _ if text.at(at) == Some(open) && depth == 0 => return Some(at),
            _ if text.at(at) == Some(open) => depth -= 1,
            _ => {}
        }
    }
}
