//! Text objects: `iw`, `ap`, `i"`, `a{`.

use super::motion::{class, closing, opening};
use super::text::{Pos, Text};

/// A stretch of text: its first character, the one past its last, and whether it means whole lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    pub from: Pos,
    pub to: Pos,
    pub lines: bool,
}

/// The object that a key names around a place; `inner` for `i`, else `a`.
pub fn object(text: &Text, at: Pos, key: char, inner: bool, count: usize) -> Option<Object> {
    match key {
        'w' => word(text, at, false, inner, count),
        'W' => word(text, at, true, inner, count),
        'p' => paragraph(text, at, inner, count),
        '"' | '\'' | '`' => quoted(text, at, key, inner),
        '(' | ')' | 'b' => block(text, at, ('(', ')'), inner, count),
        '{' | '}' | 'B' => block(text, at, ('{', '}'), inner, count),
        '[' | ']' => block(text, at, ('[', ']'), inner, count),
        '<' | '>' => block(text, at, ('<', '>'), inner, count),
        _ => None,
    }
}

/// Words of one line; a run of blanks counts as one inside `iw`.
fn word(text: &Text, at: Pos, big: bool, inner: bool, count: usize) -> Option<Object> {
    let of = |col: usize| class(text, Pos::new(at.line, col), big);
    let width = text.width(at.line);
    if width == 0 {
        let to = if inner { at } else { Pos::new((at.line + 1).min(text.last()), 0) };
        return Some(Object { from: at, to, lines: false });
    }
    let run_end = |mut col: usize| {
        let kind = of(col);
        while col < width && of(col) == kind {
            col += 1;
        }
        col
    };
    let mut from = at.col;
    while from > 0 && of(from - 1) == of(at.col) {
        from -= 1;
    }
    let mut to = run_end(at.col);
    let begins_blank = of(at.col) == 0;
    if inner {
        for _ in 1..count {
            to = if to < width { run_end(to) } else { return None };
        }
    } else {
        let mut took_blanks = begins_blank;
        for word in 0..count {
            if word > 0 || begins_blank {
                to = if to < width { run_end(to) } else { return None };
            }
            if !begins_blank {
                took_blanks = to < width && of(to) == 0;
                if took_blanks {
                    to = run_end(to);
                }
            }
        }
        if !took_blanks {
            // Without blanks after it those before it belong to it, but never all of an indentation.
            let mut start = from;
            while start > 0 && of(start - 1) == 0 {
                start -= 1;
            }
            if start > 0 {
                from = start;
            }
        }
    }
    Some(Object { from: Pos::new(at.line, from), to: Pos::new(at.line, to), lines: false })
}

/// Lines with text, or lines without any.
fn paragraph(text: &Text, at: Pos, inner: bool, count: usize) -> Option<Object> {
    let run_end = |mut line: usize| {
        let kind = text.is_blank(line);
        while line < text.last() && text.is_blank(line + 1) == kind {
            line += 1;
        }
        line
    };
    let kind = text.is_blank(at.line);
    let mut first = at.line;
    while first > 0 && text.is_blank(first - 1) == kind {
        first -= 1;
    }
    let mut last = run_end(at.line);
    let go_on = |last: usize| (last < text.last()).then(|| run_end(last + 1));
    let (mut missing, steps) = (false, if inner { count - 1 } else { 2 * count - 1 });
    for step in 0..steps {
        match go_on(last) {
            Some(end) => last = end,
            None if inner || step + 1 < steps => return None,
            None => missing = true,
        }
    }
    if missing {
        // At the end of the text the blank lines above belong to it.
        if kind {
            return None;
        }
        while first > 0 && text.is_blank(first - 1) {
            first -= 1;
        }
    }
    Some(Object { from: Pos::new(first, 0), to: Pos::new(last, text.width(last)), lines: true })
}

/// A text between quotes of one line.
fn quoted(text: &Text, at: Pos, quote: char, inner: bool) -> Option<Object> {
    let line = text.line(at.line);
    let next = |from: usize| {
        let mut col = from;
        while let Some(c) = line.get(col) {
            match c {
                '\\' => col += 1,
                c if *c == quote => return Some(col),
                _ => {}
            }
            col += 1;
        }
        None
    };
    let mut open = next(0)?;
    let mut close = next(open + 1)?;
    while close < at.col {
        open = next(close + 1)?;
        close = next(open + 1)?;
    }
    if inner {
        return Some(Object {
            from: Pos::new(at.line, open + 1),
            to: Pos::new(at.line, close),
            lines: false,
        });
    }
    let is_blank = |col: usize| matches!(line.get(col), Some(' ' | '\t'));
    let (mut from, mut to) = (open, close + 1);
    if is_blank(to) {
        while is_blank(to) {
            to += 1;
        }
    } else {
        while from > 0 && is_blank(from - 1) {
            from -= 1;
        }
    }
    Some(Object { from: Pos::new(at.line, from), to: Pos::new(at.line, to), lines: false })
}

/// A text between brackets, over as many lines as it takes.
fn block(text: &Text, at: Pos, (open, close): (char, char), inner: bool, count: usize) -> Option<Object> {
    let mut from = match text.at(at) {
        Some(c) if c == open => at,
        // Outside of brackets those that follow in the line are meant.
        _ => opening(text, at, open, close).or_else(|| {
            let col = text.line(at.line).iter().skip(at.col).position(|c| *c == open)?;
            Some(Pos::new(at.line, at.col + col))
        })?,
    };
    for _ in 1..count {
        from = opening(text, from, open, close)?;
    }
    let end = closing(text, from, open, close)?;
    if !inner {
        return Some(Object { from, to: Pos::new(end.line, end.col + 1), lines: false });
    }
    let mut start = from;
    text.step_over(&mut start);
    let is_on_next_line = start.line > from.line;
    let mut to = end;
    // A bracket that closes on a line of its own leaves that line as it is.
    if text.is_in_indent(end) && end.line > start.line || end.col == 0 && end.line > 0 {
        to = Pos::new(end.line, 0);
    } else if text.is_in_indent(end) && is_on_next_line && end.line == start.line {
        to = start;
    }
    Some(Object { from: start, to: to.max(start), lines: false })
}
