//! Whether a hunk that was read otherwise than it is written was read in one of the ways that are allowed.
//!
//! Each way is checked by what it may change and nothing else: the text that remains is the author's.

use std::ops::Range;

use super::file::File;
use super::key::plain;
use crate::anchors::split_anchor;
use crate::matcher::{How, Reading};
use crate::{EndOfFile, Hunk, HunkLine};

/// A hunk as it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read<'h> {
    /// As the reply has it.
    pub written: &'h Hunk,
    pub lines: &'h [HunkLine],
    pub hint: Option<usize>,
    pub end: EndOfFile,
}

impl<'h> Read<'h> {
    /// A hunk by the last step of how it was read; nothing is checked yet.
    pub fn unchecked(written: &'h Hunk, readings: &'h [Reading]) -> Self {
        let lines = readings.last().map_or(written.lines.as_slice(), |reading| &reading.lines);
        Self { written, lines, hint: written.line_hint, end: written.end }
    }

    pub fn old_lines(&self) -> impl Iterator<Item = &'h str> + Clone + use<'h> {
        self.lines.iter().filter(|line| line.is_old()).map(HunkLine::text)
    }

    pub fn new_lines(&self) -> impl Iterator<Item = &'h str> + Clone + use<'h> {
        self.lines.iter().filter(|line| line.is_new()).map(HunkLine::text)
    }

    pub fn added_lines(&self) -> impl Iterator<Item = &'h str> + Clone + use<'h> {
        self.lines.iter().filter(|line| !line.is_old()).map(HunkLine::text)
    }

    pub fn removed_lines(&self) -> impl Iterator<Item = &'h str> + Clone + use<'h> {
        self.lines.iter().filter(|line| !line.is_new()).map(HunkLine::text)
    }
}

/// A hunk as it was read, where every step is one that is allowed; `first` is the first line of the file it is placed at.
pub(super) fn read<'h>(
    written: &'h Hunk,
    readings: &'h [Reading],
    file: &File<'_>,
    first: usize,
) -> Option<Read<'h>> {
    let start = Read { written, lines: &written.lines, hint: written.line_hint, end: written.end };
    readings.iter().try_fold(start, |before, reading| step(&before, reading, file, first))
}

fn step<'h>(before: &Read<'h>, reading: &'h Reading, file: &File<'_>, first: usize) -> Option<Read<'h>> {
    let after = Read { lines: &reading.lines, ..*before };
    // Only lines that are named may be what they were before they are quoted.
    if after.lines == before.lines && !matches!(reading.how, How::Quoted { .. }) {
        return None;
    }
    let [old, new] = [before.old_lines().collect::<Vec<_>>(), before.new_lines().collect()];
    let [read_old, read_new] = [after.old_lines().collect::<Vec<_>>(), after.new_lines().collect()];
    let each = |rule: fn(&str) -> Option<String>| {
        let same = |(line, read): (&HunkLine, &HunkLine)| {
            line.is_old() == read.is_old()
                && line.is_new() == read.is_new()
                && rule(line.text()).as_deref() == Some(read.text())
        };
        before.lines.len() == after.lines.len() && before.lines.iter().zip(after.lines).all(same)
    };
    let fits = match reading.how {
        How::WithoutAnchors => has_no_anchors(before.lines, after.lines),
        How::WithoutMark => {
            file.body > 0 && each(|line| Some(line.trim_start_matches('\u{feff}').to_owned()))
        }
        How::WithoutEscapes => each(unescaped),
        How::WithoutEntities => each(|line| Some(without_entities(line))),
        How::Plain => before.lines.len() == after.lines.len() && is_plainer(before.lines, after.lines),
        How::Rewritten => old == read_old && new == read_new,
        How::WithContext => {
            new == read_new
                && before.removed_lines().eq(after.removed_lines())
                && keeps_context(before.lines, after.lines)
        }
        How::WithoutProse => has_no_prose(before, after.lines),
        How::WithoutLastBlank => {
            let (last, rest) = before.lines.split_last()?;
            return (rest == after.lines && last.is_old() && last.text().trim().is_empty())
                .then_some(Read { end: EndOfFile::Reached, ..after });
        }
        How::WithoutMargins => {
            let above = inner(&old, &read_old)?;
            inner(&new, &read_new).filter(|_| read_old.len() < old.len())?;
            return Some(Read { hint: before.hint.map(|hint| hint + above), ..after });
        }
        How::WithoutRule => {
            let (rule, rest) = old.split_first()?;
            rule.len() >= 5
                && rule.bytes().all(|byte| byte == b'-')
                && rest == read_old
                && (new == read_new || new.strip_prefix(&[*rule]) == Some(read_new.as_slice()))
        }
        How::WithoutNumbers => {
            let first = *numbers(&old, &read_old)?.first()?;
            let counts = numbers(&old, &read_old)?.iter().zip(first..).all(|(number, next)| *number == next);
            return (counts && (new == read_new || numbers(&new, &read_new).is_some()))
                .then_some(Read { hint: before.hint.or(Some(first)), ..after });
        }
        How::WithinLine => {
            let is_line = |(line, at): (&&str, usize)| file.text(at) == Some(line.as_bytes());
            let whole = read_old.iter().zip(first..).all(is_line);
            return (whole && is_within([&old, &new], [&read_old, &read_new], file))
                .then_some(Read { hint: Some(first + 1), ..after });
        }
        How::Quoted { above, below } => {
            is_quoted(&new, &read_new, file, first..first + read_old.len(), [above, below])
        }
    };
    fits.then_some(after)
}

/// Whether new lines lost nothing but anchors that were copied with them: `12ab|y = 3`.
fn has_no_anchors(lines: &[HunkLine], read: &[HunkLine]) -> bool {
    let is_same = |(line, read): (&HunkLine, &HunkLine)| match (line, split_anchor(line.text())) {
        (HunkLine::Added(_), Some((.., text))) => line == read || *read == HunkLine::Added(text.to_owned()),
        _ => line == read,
    };
    lines.len() == read.len() && lines.iter().zip(read).all(is_same)
}

/// Whether all context is still there, in its order.
fn keeps_context(lines: &[HunkLine], read: &[HunkLine]) -> bool {
    let is_kept = |line: &&HunkLine| line.is_old() && line.is_new();
    let mut more = read.iter().filter(is_kept);
    lines.iter().filter(is_kept).all(|line| more.any(|other| other == line))
}

/// Whether the lines without a sign at the end, which begin with a blank one, are gone.
fn has_no_prose(before: &Read<'_>, read: &[HunkLine]) -> bool {
    let at = before.lines.len().checked_sub(before.written.unsigned);
    at.and_then(|at| before.lines.split_at_checked(at)).is_some_and(|(hunk, prose)| {
        hunk == read
            && prose.iter().all(|line| line.is_old() && line.is_new())
            && prose.first().is_some_and(|line| line.text().trim().is_empty())
    })
}

/// How many lines are missing at the beginning of some, where those and the ones missing at the end are blank.
fn inner(lines: &[&str], inner: &[&str]) -> Option<usize> {
    let is_blank = |line: &&str| line.trim().is_empty();
    let more = lines.len().checked_sub(inner.len())?;
    (0..=more).find(|above| {
        let (head, rest) = lines.split_at(*above);
        let (core, tail) = rest.split_at(inner.len());
        core == inner && head.iter().chain(tail).all(is_blank)
    })
}

/// The numbers that lines have before what was read of them.
fn numbers(lines: &[&str], read: &[&str]) -> Option<Vec<usize>> {
    let number = |(line, read): (&&str, &&str)| {
        if let Some((number, _, text)) = split_anchor(line) {
            return (text == *read).then_some(number);
        }
        let margin = line.strip_suffix(read)?;
        let number = margin.trim_matches([' ', '|', ':', '\t', '→']);
        (margin.trim_start().starts_with(number) && margin.len() > number.len())
            .then(|| number.parse().ok())?
    };
    lines.iter().zip(read).map(number).collect::<Option<Vec<usize>>>().filter(|_| lines.len() == read.len())
}

/// A line without the backslashes before quotes and signs, and with tabs in its indentation for `\t`.
fn unescaped(line: &str) -> Option<String> {
    let mut plain = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        plain.push(match sign {
            '\\' => match signs.next()? {
                next @ ('"' | '\'' | '`' | '$') => next,
                't' if plain.trim_matches([' ', '\t']).is_empty() => '\t',
                _ => return None,
            },
            sign => sign,
        });
    }
    Some(plain)
}

/// A line without the escapes of HTML.
fn without_entities(line: &str) -> String {
    const ENTITIES: [(&str, char); 6] =
        [("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&#39;", '\''), ("&#x27;", '\''), ("&amp;", '&')];
    let (mut plain, mut rest) = (String::with_capacity(line.len()), line);
    while let Some(sign) = rest.chars().next() {
        let entity = ENTITIES.iter().find_map(|(entity, sign)| Some((rest.strip_prefix(entity)?, *sign)));
        let (after, sign) = entity.unwrap_or((rest.get(sign.len_utf8()..).unwrap_or_default(), sign));
        plain.push(sign);
        rest = after;
    }
    plain
}

/// Whether lines differ by nothing but plain spellings of characters.
fn is_plainer(lines: &[HunkLine], read: &[HunkLine]) -> bool {
    lines.iter().zip(read).all(|(line, read)| {
        let mut rest = read.text();
        let spelled = line.text().chars().all(|sign| {
            let spelled = plain(sign).and_then(|plain| rest.strip_prefix(plain));
            rest.strip_prefix(sign).or(spelled).map(|after| rest = after).is_some()
        });
        spelled && rest.is_empty() && line.is_old() == read.is_old() && line.is_new() == read.is_new()
    })
}

/// Whether whole lines are those of the file that old text is a part of, once and not amid a word, and whole new lines have
/// new text in its place.
fn is_within([old, new]: [&[&str]; 2], [lines, new_lines]: [&[&str]; 2], file: &File<'_>) -> bool {
    let ending = file.ending_at(file.body);
    let join = |lines: &[&str]| lines.iter().map(|line| line.as_bytes()).collect::<Vec<_>>().join(ending);
    let [part, new_part, whole, new_whole] = [old, new, lines, new_lines].map(join);
    let mut places = memchr::memmem::find_iter(file.bytes, &part);
    let (Some(at), once) = (places.next(), places.next().is_none()) else { return false };
    let is_word = |at: Option<usize>| {
        let byte = at.and_then(|at| file.bytes.get(at));
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
    };
    let parts_word = |at: usize| is_word(at.checked_sub(1)) && is_word(Some(at));
    let exchanged = memchr::memmem::find(&whole, &part).is_some_and(|start| {
        let (head, rest) = whole.split_at(start);
        let tail = rest.get(part.len()..).unwrap_or_default();
        [head, &new_part, tail].concat() == new_whole
    });
    once && !part.is_empty() && !parts_word(at) && !parts_word(at + part.len()) && exchanged
}

/// Whether new lines are those of the reply, but for some that repeat the lines above and below their place.
fn is_quoted(
    new: &[&str],
    read: &[&str],
    file: &File<'_>,
    place: Range<usize>,
    [above, below]: [usize; 2],
) -> bool {
    let tail_at = new.len().saturating_sub(below);
    let [head, kept, tail] =
        [new.get(..above), new.get(above..tail_at), new.get(tail_at..)].map(Option::unwrap_or_default);
    let are_there = |lines: &[&str], from: usize| {
        lines.iter().zip(from..).all(|(line, at)| file.claimed(at) == Some(line.as_bytes()))
    };
    kept == read
        && above + below + read.len() == new.len()
        && place.start.checked_sub(above).is_some_and(|from| are_there(head, from))
        && are_there(tail, place.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_and_others_are_not() {
        assert_eq!(unescaped(r#"say(\"a\")"#).as_deref(), Some("say(\"a\")"));
        assert_eq!(unescaped(r" \t\`x\`").as_deref(), Some(" \t`x`"));
        assert_eq!(unescaped(r"a\tb"), None);
        assert_eq!(unescaped(r"a\"), None);
        assert_eq!(without_entities("&lt;a&gt; &amp;lt; &#39;&#x27;&quot; & b"), "<a> &lt; ''\" & b");
    }

    #[test]
    fn numbers_are_those_before_what_was_read() {
        assert_eq!(numbers(&[" 7 | a", " 8 |"], &["a", ""]), Some(vec![7, 8]));
        assert_eq!(numbers(&["7: a", "9→b", "12ab|c"], &["a", "b", "c"]), Some(vec![7, 9, 12]));
        assert_eq!(numbers(&["7a"], &["a"]), None);
        assert_eq!(numbers(&["x7 | a"], &["a"]), None);
        assert_eq!(numbers(&["7 | a"], &["b"]), None);
        assert_eq!(numbers(&["7 | a"], &["a", "b"]), None);
    }

    #[test]
    fn only_blank_lines_are_margins() {
        assert_eq!(inner(&["", "a", " "], &["a"]), Some(1));
        assert_eq!(inner(&["a"], &["a"]), Some(0));
        assert_eq!(inner(&["b", "a"], &["a"]), None);
        assert_eq!(inner(&["a"], &["a", ""]), None);
        assert_eq!(inner(&["", ""], &[]), Some(0));
    }
}
