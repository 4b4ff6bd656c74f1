//! True edits of a file: what an author means, before it is written down.

use std::ops::Range;

use crate::fuzz::damage::Random;

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Context,
    Removed,
    Added,
}

/// Part of an edit as it will be written: lines, and where they begin.
#[derive(Clone, Debug)]
pub struct Piece {
    pub lines: Vec<(Kind, String)>,
    /// The first line in the file before, counted from 1.
    pub start: usize,
    /// The first line in the file after, counted from 1.
    pub new_start: usize,
    /// How many old and new lines a header says it has, where that is not what is written.
    pub announced: Option<(usize, usize)>,
}

impl Piece {
    pub fn side(&self, without: Kind) -> Vec<&str> {
        self.lines.iter().filter(|(kind, _)| *kind != without).map(|(_, text)| text.as_str()).collect()
    }

    pub fn old(&self) -> Vec<&str> {
        self.side(Kind::Added)
    }

    pub fn replacement(&self) -> Vec<&str> {
        self.side(Kind::Removed)
    }

    /// The lines that go, by their positions in the file, and those that come instead.
    pub fn exchange(&self) -> (Range<usize>, Vec<&str>) {
        let of = |wanted: Kind| self.lines.iter().filter(move |(kind, _)| *kind == wanted);
        let above = self.lines.iter().take_while(|(kind, _)| *kind == Kind::Context).count();
        let start = self.start - 1 + above;
        (start..start + of(Kind::Removed).count(), of(Kind::Added).map(|(_, text)| text.as_str()).collect())
    }
}

/// Lines that go, and the lines that come instead.
#[derive(Clone, Debug)]
struct Change {
    start: usize,
    removed: usize,
    added: Vec<String>,
}

/// A file before and after, and the pieces that lead from one to the other.
#[derive(Clone, Debug)]
pub struct Intent {
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub pieces: Vec<Piece>,
    /// The file as the author read it, which is not always as it is now.
    pub seen: Vec<String>,
    /// What the author wants to make of what was read.
    pub meant: Vec<String>,
}

impl Intent {
    /// Whether new lines begin or end as the lines next to those that go.
    pub fn repeats_neighbours(&self) -> bool {
        self.pieces.iter().any(|piece| {
            let (gone, added) = piece.exchange();
            let line = |at: Option<usize>| at.and_then(|at| self.seen.get(at)).map(String::as_str);
            let (above, below) = (line(gone.start.checked_sub(1)), line(Some(gone.end)));
            above.is_some() && added.first().copied() == above
                || below.is_some() && added.last().copied() == below
        })
    }

    /// One or two changes of a file, with this many lines around each.
    pub fn of(before: Vec<String>, random: &mut Random, context: usize) -> Option<Self> {
        let mut changes = vec![change(&before, random)?];
        if random.below(3) == 0
            && let Some(second) = change(&before, random)
        {
            let first = &changes[0];
            let gap = 2 * context + 2;
            if first.start + first.removed + gap <= second.start {
                changes.push(second);
            } else if second.start + second.removed + gap <= first.start {
                changes.insert(0, second);
            }
        }
        Self::made_of(before, &changes, context)
    }

    /// One change of a file: these lines come in place of those that go.
    pub fn exchanging(
        before: Vec<String>,
        gone: Range<usize>,
        added: Vec<String>,
        context: usize,
    ) -> Option<Self> {
        let change = Change { start: gone.start, removed: gone.len(), added };
        Self::made_of(before, &[change], context)
    }

    fn made_of(before: Vec<String>, changes: &[Change], context: usize) -> Option<Self> {
        let mut after = Vec::new();
        let (mut at, mut pieces) = (0, Vec::new());
        for change in changes {
            after.extend_from_slice(&before[at..change.start]);
            let above = change.start.saturating_sub(context);
            let end = change.start + change.removed;
            let mut lines = Vec::new();
            lines.extend(before[above..change.start].iter().map(|line| (Kind::Context, line.clone())));
            lines.extend(before[change.start..end].iter().map(|line| (Kind::Removed, line.clone())));
            lines.extend(change.added.iter().map(|line| (Kind::Added, line.clone())));
            let below = (end + context).min(before.len());
            lines.extend(before[end..below].iter().map(|line| (Kind::Context, line.clone())));
            let new_start = after.len() + 1 - (change.start - above);
            pieces.push(Piece { lines, start: above + 1, new_start, announced: None });
            after.extend(change.added.iter().cloned());
            at = end;
        }
        after.extend_from_slice(&before[at..]);
        let (seen, meant) = (before.clone(), after.clone());
        (after != before).then_some(Self { before, after, pieces, seen, meant })
    }

    /// Puts one more line into a piece, and into the file before and after as its kind says.
    pub fn insert(&mut self, piece: usize, at: usize, kind: Kind, line: String) {
        let (old, new) = (usize::from(kind != Kind::Added), usize::from(kind != Kind::Removed));
        let (first, later) = self.pieces[piece..].split_first_mut().expect("a piece");
        let above = |without: Kind| first.lines[..at].iter().filter(|(kind, _)| *kind != without).count();
        let (before, after) =
            (first.start - 1 + above(Kind::Added), first.new_start - 1 + above(Kind::Removed));
        self.before.splice(before..before, std::iter::repeat_n(line.clone(), old));
        self.after.splice(after..after, std::iter::repeat_n(line.clone(), new));
        first.lines.insert(at, (kind, line));
        for piece in later {
            piece.start += old;
            piece.new_start += new;
        }
    }

    /// The author reads the file as it is now.
    pub fn read_again(&mut self) {
        self.seen.clone_from(&self.before);
        self.meant.clone_from(&self.after);
    }

    /// Whether every piece has an old line that can be told from others.
    pub fn has_identity(&self) -> bool {
        let telling = |line: &&str| line.chars().any(char::is_alphanumeric);
        self.pieces.iter().all(|piece| piece.old().iter().any(telling))
    }

    /// Whether the old lines of a piece, as they are written, stand somewhere in the file as it is now.
    pub fn stands(&self, piece: &Piece, same: impl Fn(&str, &str) -> bool) -> Vec<usize> {
        let old = piece.old();
        let fits = |window: &[String]| window.iter().zip(&old).all(|(line, old)| same(line, old));
        let windows = self.before.windows(old.len().max(1)).enumerate();
        windows.filter(|(_, window)| fits(window)).map(|(at, _)| at).collect()
    }

    /// Whether lines that go come back elsewhere in the same piece.
    pub fn moves_lines(&self) -> bool {
        let comes_back = |piece: &Piece| {
            let added: Vec<&str> = piece.exchange().1;
            let removed = piece.lines.iter().filter(|(kind, _)| *kind == Kind::Removed);
            removed.into_iter().any(|(_, line)| added.contains(&line.as_str()))
        };
        self.pieces.iter().any(comes_back)
    }

    /// Whether the old lines of a piece stand again where a line number that is off by this much says.
    pub fn misleads(&self, shift: usize) -> bool {
        let misled = |piece: &Piece| {
            [piece.start, piece.new_start].iter().any(|start| {
                let (old, at) = (piece.old(), start + shift - 1);
                let there = self.before.get(at..at + old.len()).unwrap_or_default();
                let same =
                    there.len() == old.len() && there.iter().zip(&old).all(|(a, b)| a.trim() == b.trim());
                same && at + 1 != piece.start
            })
        };
        self.pieces.iter().any(misled)
    }
}

/// A change as a programmer would make one.
fn change(lines: &[String], random: &mut Random) -> Option<Change> {
    let start = random.below(lines.len());
    let model = lines[start..].iter().find(|line| !line.trim().is_empty())?.clone();
    let longest = (lines.len() - start).min(4);
    let removed = random.below(longest + 1);
    let gone = &lines[start..start + removed];
    let added: Vec<String> = match random.below(6) {
        // Some of the lines read otherwise.
        0 | 1 if removed > 0 => gone.iter().map(|line| reworded(line, random)).collect(),
        // They go.
        2 if removed > 0 => Vec::new(),
        // They go deeper, below a new line.
        3 if removed > 0 => {
            let tabs = lines.iter().any(|line| line.starts_with('\t'));
            let unit = if tabs { "\t".to_owned() } else { " ".repeat(super::damage::unit(lines)) };
            let deeper =
                |line: &String| if line.trim().is_empty() { line.clone() } else { format!("{unit}{line}") };
            std::iter::once(like(&model, random)).chain(gone.iter().map(deeper)).collect()
        }
        // New ones come with them.
        4 if removed > 1 => {
            let mut kept: Vec<String> = gone.to_vec();
            kept.swap(0, removed - 1);
            kept.insert(random.below(kept.len() + 1), like(&model, random));
            kept
        }
        _ => {
            let mut added: Vec<String> = (0..1 + random.below(3)).map(|_| like(&model, random)).collect();
            if random.below(4) == 0 {
                added.push(String::new());
            }
            return Some(Change { start, removed: 0, added });
        }
    };
    Some(Change { start, removed, added })
}

/// A new line that stands as deep as another.
fn like(model: &str, random: &mut Random) -> String {
    let indent: String = model.chars().take_while(|c| c.is_whitespace()).collect();
    let number = random.below(1000);
    let text = match random.below(5) {
        0 => format!("check_{number}(value, {number})"),
        1 => format!("let step{number} = \"value {number}\";"),
        2 => format!("item_{number}: done"),
        3 => format!("return compute{number}(total);"),
        _ => format!("<p>{number} more</p>"),
    };
    format!("{indent}{text}")
}

/// The line with a word of its own changed.
pub fn reworded(line: &str, random: &mut Random) -> String {
    if line.trim().is_empty() {
        return line.to_owned();
    }
    let end = line.trim_end();
    match random.below(3) {
        0 => format!("{end} // {}", random.below(100)),
        1 => match end.char_indices().find(|(_, c)| c.is_ascii_lowercase()) {
            Some((at, _)) => format!("{}x{}_{}", &end[..at], random.below(90), &end[at..]),
            None => format!("{end} x"),
        },
        _ => match end.rfind(|c: char| c.is_ascii_alphanumeric()) {
            Some(at) => format!("{}{}{}", &end[..=at], random.below(90) + 10, &end[at + 1..]),
            // Twice a fence would be a longer fence.
            None => format!("{end} {end}"),
        },
    }
}
