//! Refuses to write elisions, and to gut a file by one.
//!
//! `// ... rest of the code` in a whole file means that the author left something out; written as it is, the
//! rest would be gone. That is refused even where nothing else speaks against it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashSet;

use super::targets;
use crate::align::{Difference, differences};
use crate::content::Content;
use crate::edit::Target;
use crate::elision::{
    Elision, elision, has_no_dots, is_dotted_comment, is_prose_file, names_left_out, names_more,
    remarks_left_out,
};
use crate::lines::{Lines, count};
use crate::matcher::{Key, is_oddly_spaced};
use crate::{Hunk, HunkLine};

/// A file of fewer lines can be rewritten freely.
const SMALL: usize = 40;

/// A file of fewer lines may well be meant whole, however short it becomes.
const TINY: usize = 10;

/// In place of this many lines a remark that is alone says that they were left out.
const SEVERAL: usize = 3;

/// Why text seems incomplete that leaves brackets open.
const IN_THE_MIDDLE: &str = "it ends in the middle";

/// What is wrong with new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// This line represents code that was left out.
    Elision {
        /// The line as written.
        text: String,
        /// Its position in the content, counted from 0.
        at: usize,
    },
    /// This line has the spaces of a page where the file has plain ones.
    Spaces {
        /// The line as written.
        text: String,
    },
    /// This line has the escapes of a page, and nothing says whether they are meant.
    Escaped {
        /// The line as written.
        text: String,
    },
    /// Every line has its number before it, and those of the file have none.
    Numbered {
        /// The first line as written.
        text: String,
    },
    /// Most of the file would be gone, and the text seems incomplete.
    Gutted {
        /// How many lines the file has.
        before: usize,
        /// How many of them are still there.
        kept: usize,
        /// Why the text seems incomplete.
        why: &'static str,
    },
}

/// Checks whole content that is to replace a file. `# ... rest of the file` as a line of the new content.
pub(crate) fn check_write(
    path: &str,
    before: Option<&[u8]>,
    content: &str,
    allow_shrink: bool,
) -> Option<Loss> {
    let before = before.unwrap_or_default();
    let lines = Lines::new(before);
    // Few texts hold a line that has to be looked for in the file.
    let known = Known::new();
    let new_to_file = |text: &str| {
        let known = known.get_or_init(|| lines.texts().map(|text| Key::Trim.of(text)).collect());
        !known.contains(&Key::Trim.of(text.as_bytes()))
    };
    let foreign = |kind: Elision| {
        let mut found = content.lines().enumerate().filter(move |(_, text)| elision(text) == Some(kind));
        found.find(|(_, text)| new_to_file(text))
    };
    let left_out = |text: &str| {
        elision(text) == Some(Elision::Comment) && says_code(text)
            || if before.is_empty() { names_more(text) } else { names_left_out(text) }
    };
    let dots = foreign(Elision::Dots).filter(|_| before.is_empty() && has_no_dots(path));
    let mut written = content.lines().enumerate().filter(|(_, text)| left_out(text) && new_to_file(text));
    let compared = OnceCell::new();
    let both = || compared.get_or_init(|| Compared::both(&lines, content));
    let loses = |(at, _): &(usize, &str)| {
        let gone = both().iter().map(|compared| compared.lines_gone(*at)).max().unwrap_or_default();
        // Documents show code with things left out, but rarely in place of several lines.
        if is_prose_file(path) { gone > 1 } else { gone > 0 }
    };
    let comment_written = if is_prose_file(path) { written.find(loses) } else { written.next() };
    let replaces_several =
        |(at, _): &(usize, &str)| both().iter().any(|compared| compared.is_alone_for(*at, SEVERAL));
    let remark = || {
        let remarks = content.lines().enumerate().filter(|(_, text)| remarks_left_out(text));
        let mut foreign = remarks.filter(|(_, text)| !is_prose_file(path) && new_to_file(text));
        foreign.find(replaces_several)
    };
    let dots_written = || foreign(Elision::Dots).filter(loses);
    // Whatever such a comment says, in whatever language, it does it in place of lines.
    let trails_off = || {
        let dotted = content.lines().enumerate().filter(|(_, text)| is_dotted_comment(text));
        let mut foreign = dotted.filter(|(_, text)| !is_prose_file(path) && new_to_file(text));
        foreign.find(loses)
    };
    let found = comment_written.or(dots).or_else(dots_written).or_else(remark).or_else(trails_off);
    if let Some((at, text)) = found {
        return Some(Loss::Elision { text: text.trim().to_owned(), at });
    }
    if let Some(text) = oddly_spaced(path, before, content, new_to_file) {
        return Some(Loss::Spaces { text: text.trim_end().to_owned() });
    }
    if allow_shrink || lines.len() < TINY {
        return None;
    }
    let is_cut_off = ends_cut_off(before, content);
    if is_cut_off && lacks_end(both(), &lines) {
        return Some(Loss::Gutted { before: lines.len(), kept: kept(&lines, content), why: IN_THE_MIDDLE });
    }
    let is_marked = || foreign(Elision::Comment).or_else(|| foreign(Elision::Dots)).is_some();
    let why = match lines.len() {
        ..SMALL => return None,
        _ if is_marked() => "it has a line that marks code left out",
        _ if is_cut_off => IN_THE_MIDDLE,
        _ => return None,
    };
    gutted(&lines, content, why)
}

/// Checks what hunks make of a file where their new lines represent all of it, or for lines that were not quoted. Whoever quotes
/// some lines of a file and writes fewer means that. `[EDIT_FILE lines="1-90"]` above eight lines that end in `fn
/// main() {`.
pub(crate) fn check_patched(before: &[u8], hunks: &[Hunk], after: &Content) -> Option<Loss> {
    let lines = count(before, b'\n');
    let removed = |hunk: &Hunk| {
        let is_whole = hunk.old_lines().count() >= lines;
        let quoted = hunk.lines.iter().filter(|line| !line.is_new()).count();
        targets::lines_named(hunk) + if is_whole { quoted } else { 0 }
    };
    let removed: usize = hunks.iter().map(removed).sum();
    if removed * 10 <= SMALL * 6 || removed * 10 <= lines * 6 {
        return None;
    }
    let after = after.clone().into_bytes(before);
    let (lines, after) = (Lines::new(before), String::from_utf8_lossy(&after));
    if lines.len() < SMALL || !ends_cut_off(before, &after) {
        return None;
    }
    gutted(&lines, &after, IN_THE_MIDDLE)
}

/// Whether more than 60 % of a file's lines are gone from the new content, which seems incomplete. Eight lines for a
/// file of ninety, which end in `fn main() {`.
fn gutted(lines: &Lines<'_>, content: &str, why: &'static str) -> Option<Loss> {
    let kept = kept(lines, content);
    (kept * 10 < lines.len() * 4).then(|| Loss::Gutted { before: lines.len(), kept, why })
}

/// How many lines of a file the new content still has.
fn kept(lines: &Lines<'_>, content: &str) -> usize {
    let new: HashSet<_> = content.lines().map(|text| Key::Trim.of(text.as_bytes())).collect();
    lines.texts().filter(|text| new.contains(&Key::Trim.of(text))).count()
}

/// Whether the last lines of a file are gone, and nothing is in their place. New content that ends with `    if x {`,
/// and the last thirty lines of the file are nowhere.
fn lacks_end([all, _]: &[Compared; 2], lines: &Lines<'_>) -> bool {
    all.differences.last().is_some_and(|last| last.before.end == lines.len() && last.after.is_empty())
}

/// A line with the spaces of a page, in a file that has none such: code is indented by others, and elsewhere it shows in a
/// line that the file has with plain ones. `\u{a0}\u{a0}return x`.
fn oddly_spaced<'c>(
    path: &str,
    before: &[u8],
    content: &'c str,
    new_to_file: impl Fn(&str) -> bool,
) -> Option<&'c str> {
    let is_odd = |text: &&str| is_oddly_spaced(text.as_bytes());
    content.lines().find(is_odd)?;
    if Lines::new(before).texts().any(is_oddly_spaced) {
        return None;
    }
    let proven = |text: &&str| !new_to_file(&text.replace('\u{a0}', " "));
    let begins = |text: &&str| text.trim_start_matches([' ', '\t']).starts_with('\u{a0}');
    content.lines().filter(is_odd).find(|text| proven(text) || begins(text) && !is_prose_file(path))
}

/// Where new content differs from the file, by some of their lines.
#[derive(Debug)]
struct Compared {
    differences: Vec<Difference>,
    /// The positions in the content of the lines that were compared.
    positions: Vec<usize>,
}

impl Compared {
    /// Compares the lines that a rule lets pass.
    fn new(lines: &Lines<'_>, content: &str, passes: impl Fn(&str) -> bool) -> Self {
        let old = lines.texts().filter(|line| passes(&String::from_utf8_lossy(line))).collect::<Vec<_>>();
        let new = content.lines().enumerate().filter(|(_, text)| passes(text));
        let (positions, new): (Vec<usize>, Vec<&[u8]>) = new.map(|(at, text)| (at, text.as_bytes())).unzip();
        Self { differences: differences(&old, &new), positions }
    }

    /// By all lines, and by those that tell something: a blank line or a bracket that both have may be anywhere in what
    /// was left out.
    fn both(lines: &Lines<'_>, content: &str) -> [Self; 2] {
        let telling = |text: &str| elision(text).is_some() || text.chars().any(char::is_alphanumeric);
        [Self::new(lines, content, |_| true), Self::new(lines, content, telling)]
    }

    /// How many lines of the file would be gone where this line of the new content is.
    fn lines_gone(&self, at: usize) -> usize {
        self.around(at).map_or(0, |part| part.before.len())
    }

    /// Whether this line of the new content is the only one in place of at least this many of the file. `// the
    /// handlers` in place of three functions.
    fn is_alone_for(&self, at: usize, lines: usize) -> bool {
        self.around(at).is_some_and(|part| part.after.len() == 1 && part.before.len() >= lines)
    }

    /// The difference that a line of the new content is part of.
    fn around(&self, at: usize) -> Option<&Difference> {
        let at = self.positions.partition_point(|position| *position < at);
        let next = self.differences.partition_point(|part| part.after.end <= at);
        self.differences.get(next).filter(|part| part.after.contains(&at))
    }
}

/// What is in a text, line by line but for the white space around it; gathered when it is first asked for.
type Known<'k> = OnceCell<HashSet<Cow<'k, [u8]>>>;

/// Checks the new lines of hunks; `before` is asked for the file where one of them is doubtful. With what is lost comes the line
/// of the reply in which its hunk begins. `+    # ... existing code ...`.
pub(crate) fn check_hunks<'b>(
    path: &str,
    before: impl Fn() -> &'b [u8],
    hunks: &[Hunk],
) -> Option<(Loss, usize)> {
    let known = Known::new();
    hunks.iter().find_map(|hunk| Some((check_hunk(path, &before, &known, hunk)?, hunk.line)))
}

/// Checks the new lines of a hunk; `before` is asked for the file where one of them is doubtful, and `known` keeps what it
/// says for the other hunks. `+    # ... existing code ...`.
fn check_hunk<'b>(path: &str, before: impl Fn() -> &'b [u8], known: &Known<'b>, hunk: &Hunk) -> Option<Loss> {
    let mut previous: Option<&str> = None;
    let removed = |line: &HunkLine| matches!(line, HunkLine::Removed(_));
    let opposite = hunk.lines.iter().any(removed) || matches!(hunk.target, Target::Lines { .. });
    let old: Known<'_> = OnceCell::new();
    for (at, line) in hunk.lines.iter().enumerate() {
        if let HunkLine::Added(text) = line
            && let Some(kind) = elision(text)
                .or_else(|| (names_left_out(text) || remarks_left_out(text)).then_some(Elision::Comment))
        {
            let known = || {
                let key = Key::Trim.of(text.as_bytes());
                let in_hunk = || {
                    old.get_or_init(|| hunk.old_lines().map(|line| Key::Trim.of(line.as_bytes())).collect())
                };
                let in_file = || {
                    known
                        .get_or_init(|| Lines::new(before()).texts().map(|line| Key::Trim.of(line)).collect())
                };
                in_hunk().contains(&key) || in_file().contains(&key)
            };
            // In Python a lone `...` is the body of a stub.
            let is_body = previous.is_some_and(|line| line.trim_end().ends_with([':', '"', '\'']));
            let is_new = || !hunk.lines.iter().any(HunkLine::is_old) && before().is_empty();
            let suspicious = match kind {
                Elision::Dots => opposite && !is_body || has_no_dots(path) && is_new(),
                // Documents show code with things left out, but rarely in place of several lines.
                Elision::Comment if is_prose_file(path) => {
                    let named = targets::lines_named(hunk);
                    let gone = named + hunk.lines.iter().filter(|line| removed(line)).count();
                    gone > 1 && (elision(text).is_some() && says_code(text) || names_left_out(text))
                }
                Elision::Comment => {
                    elision(text).is_some() && says_code(text)
                        || opposite && names_left_out(text)
                        || opposite && remarks_left_out(text) && is_alone_for(hunk, at, SEVERAL)
                        || names_more(text) && is_new()
                }
            };
            if suspicious && !known() {
                return Some(Loss::Elision { text: text.trim().to_owned(), at });
            }
        }
        if line.is_new() {
            previous = Some(line.text());
        }
    }
    None
}

/// Whether a line is the only new one of a change, in place of at least this many old ones. `+// the handlers` between
/// `-fn a()`, `-fn b()` and `-fn c()`.
fn is_alone_for(hunk: &Hunk, at: usize, lines: usize) -> bool {
    let changes = |line: &&HunkLine| !matches!(line, HunkLine::Context(_));
    let (above, below) = hunk.lines.split_at_checked(at).unwrap_or_default();
    let change = || above.iter().rev().take_while(changes).chain(below.iter().take_while(changes));
    let written = |line: &&HunkLine| !line.text().trim().is_empty();
    let new = change().filter(|line| !line.is_old()).filter(written).count();
    new == 1 && change().filter(|line| line.is_old()).filter(written).count() >= lines
}

/// Whether a comment says that code was left out, rather than just trailing off. `# ... rest of the code` does, `# and
/// so on ...` does not.
fn says_code(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "existing", "rest", "unchanged", "remain", "same", "previous", "omitted", "as before", "keep",
        "other", "truncated",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// Whether text stops where code would not: more opening than closing brackets, or inside a line, unlike the file. `fn
/// main() {` as the last line.
fn ends_cut_off(before: &[u8], content: &str) -> bool {
    let depth = |text: &[u8]| {
        text.iter().fold(0_i64, |depth, byte| match byte {
            b'{' | b'(' | b'[' => depth + 1,
            b'}' | b')' | b']' => depth - 1,
            _ => depth,
        })
    };
    depth(before) == 0 && depth(content.as_bytes()) > 0
}
