//! What models do to an edit between meaning it and writing it down.

use super::change::{Intent, Kind, Piece, reworded};
use super::write::{BARE, signed, whole};
use super::{directives, marks};
use crate::fuzz::damage::Random;

/// What must come of an edit once it was damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// What its author meant, or nothing.
    Meant,
    /// Nothing: what it speaks of is not there.
    Nothing,
}

/// One kind of damage: its name, and what it does; `None` where it does not apply.
pub type Damage = (&'static str, fn(&mut Intent, &str, &mut Random) -> Option<Wanted>);

pub const DAMAGES: &[Damage] = &[
    ("clean", |_, _, _| Some(Wanted::Meant)),
    ("trailing white space", trailing),
    ("the file has trailing white space", file_trailing),
    ("tabs for spaces, context only", |intent, _, random| exchange(intent, false, random)),
    ("tabs for spaces, everywhere", |intent, _, random| exchange(intent, true, random)),
    ("curly quotes", curly),
    ("plain quotes", plain),
    ("less indentation", |intent, _, random| shift(intent, false, random)),
    ("more indentation", |intent, _, random| shift(intent, true, random)),
    ("the first line without its indentation", first_line),
    ("no blank lines", no_blanks),
    ("more blank lines", more_blanks),
    ("blank lines around it", blank_margins),
    ("a slip of the pen", slip),
    ("another name in the context", other_name),
    ("a context line left out", left_out),
    ("context lines exchanged", exchanged),
    ("an elision", elided),
    ("no sign before context", unsigned),
    ("the block stands twice", |intent, _, random| twice(intent, false, random)),
    ("almost the same block stands elsewhere", |intent, _, random| twice(intent, true, random)),
    (STALE, stale),
    ("it is done already", done),
    ("lines came in above", drift),
    ("a context line marked as new", marks::context_as_new),
    ("one line too many", marks::one_line_too_many),
    ("the same hunk twice", marks::twice),
    ("escaped for a page", marks::escaped),
    ("only the old lines moved", marks::old_lines_moved),
    ("a line that goes is forgotten", marks::forgotten),
    (DIRECTIVES, directives::among_lines),
    (CUT_OFF, cut_off),
    (LEFT_OUT, left_out_of_whole),
];

/// Somebody changed the lines that shall go.
pub const STALE: &str = "the old lines have changed";
/// Lines of the file or new ones mean something in some dialect.
pub const DIRECTIVES: &str = "directives among the lines";
/// The reply ends too early.
pub const CUT_OFF: &str = "cut off";
/// A whole file that is not whole.
pub const LEFT_OUT: &str = "a whole file with lines left out";

/// Whether a kind of damage can be done to a form that quotes no old lines: everything in it is meant as it stands.
pub fn suits_literal(damage: &str) -> bool {
    matches!(
        damage,
        "clean"
            | "the block stands twice"
            | "almost the same block stands elsewhere"
            | STALE
            | "it is done already"
            | "lines came in above"
            | DIRECTIVES
            | CUT_OFF
            | LEFT_OUT
    )
}

fn each_line(intent: &mut Intent, mut change: impl FnMut(&Kind, &mut String)) -> Option<Wanted> {
    let before = format!("{:?}", intent.pieces);
    for (kind, line) in intent.pieces.iter_mut().flat_map(|piece| &mut piece.lines) {
        change(kind, line);
    }
    (before != format!("{:?}", intent.pieces)).then_some(Wanted::Meant)
}

fn trailing(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    each_line(intent, |kind, line| {
        if *kind != Kind::Added && random.below(2) == 0 {
            line.push_str(random.pick::<&str>(&[" ", "  ", "\t"]));
        }
    })
}

/// The lines of the file end in white space the author never sees.
fn file_trailing(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let holds = |piece: &Piece, kind: Kind, text: &String| piece.lines.contains(&(kind, text.clone()));
    // What is really new has no white space that nobody saw; what moves has.
    let is_of_file = |line: &&String| {
        let new = |piece: &Piece| holds(piece, Kind::Added, line) && !holds(piece, Kind::Removed, line);
        !intent.pieces.iter().any(new)
    };
    let written = intent.before.iter().filter(|line| !line.is_empty()).filter(is_of_file);
    let touched: Vec<String> = written.filter(|_| random.below(4) == 0).cloned().collect();
    for side in [&mut intent.before, &mut intent.after] {
        for line in side.iter_mut().filter(|line| touched.contains(line)) {
            line.push_str("  ");
        }
    }
    // A new blank line is not one of the file's, so only those above the changes can be touched.
    let above = intent.pieces[0].start - 1;
    for at in (0..above).filter(|_| random.below(4) == 0).collect::<Vec<_>>() {
        if intent.before[at].is_empty() {
            intent.before[at].push_str("    ");
            intent.after[at].push_str("    ");
        }
    }
    intent.read_again();
    Some(Wanted::Meant)
}

pub fn indent(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start_matches([' ', '\t']).len())
}

fn exchange(intent: &mut Intent, everywhere: bool, random: &mut Random) -> Option<Wanted> {
    let tabs = intent.before.iter().any(|line| line.starts_with('\t'));
    let unit = unit(&intent.before);
    let width = *random.pick(&[2, 4, 8]);
    each_line(intent, |kind, line| {
        if *kind == Kind::Added && !everywhere {
            return;
        }
        let (depth, text) = indent(line);
        *line = if tabs {
            format!("{}{text}", depth.replace('\t', &" ".repeat(width)))
        } else {
            format!("{}{}{text}", "\t".repeat(depth.len() / unit), " ".repeat(depth.len() % unit))
        };
    })
}

pub fn unit(lines: &[String]) -> usize {
    let depths = || lines.iter().map(|line| indent(line).0.len()).filter(|depth| *depth > 1);
    // A few lines are aligned with something.
    if depths().filter(|depth| depth % 4 == 0).count() * 10 > depths().count() * 9 { 4 } else { 2 }
}

fn curly(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    each_line(intent, |kind, line| {
        if *kind != Kind::Added {
            *line = line.replace(" \"", " \u{201c}").replace('"', "\u{201d}").replace('\'', "\u{2019}");
        }
    })
}

fn plain(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    each_line(intent, |kind, line| {
        if *kind != Kind::Added {
            *line = line
                .replace(['\u{201c}', '\u{201d}'], "\"")
                .replace('\u{2019}', "'")
                .replace('\u{2013}', "-");
        }
    })
}

fn shift(intent: &mut Intent, deeper: bool, random: &mut Random) -> Option<Wanted> {
    let depths = |piece: &Piece| {
        let written = piece.lines.iter().filter(|(_, line)| !line.trim().is_empty());
        written.map(|(_, line)| indent(line).0.len()).min().unwrap_or(0)
    };
    let common = intent.pieces.iter().map(depths).min()?;
    let by = if deeper { 1 + random.below(8) } else { common };
    let tab = intent.before.iter().any(|line| line.starts_with('\t'));
    let wanted = each_line(intent, |_, line| {
        if deeper && !line.trim().is_empty() {
            line.insert_str(0, &if tab { "\t".to_owned() } else { " ".repeat(by) });
        } else if line.len() >= by && !line.trim().is_empty() {
            line.drain(..by);
        }
    });
    // At another depth the same lines may be other ones.
    let elsewhere = |piece: &Piece| !intent.stands(piece, |line, old| line == old).is_empty();
    wanted.filter(|_| !intent.pieces.iter().any(elsewhere))
}

fn first_line(intent: &mut Intent, form: &str, _: &mut Random) -> Option<Wanted> {
    if signed(form) {
        return None;
    }
    for piece in &mut intent.pieces {
        // With one line alone, nobody can say that the others kept theirs.
        if piece.old().iter().filter(|line| !line.trim().is_empty()).count() < 2 {
            return None;
        }
        let (kind, line) = piece.lines.first_mut()?;
        if *kind == Kind::Added || indent(line).0.is_empty() {
            return None;
        }
        *line = line.trim_start().to_owned();
        // The new text begins where the old one does.
        if *kind == Kind::Removed {
            let (_, added) = piece.lines.iter_mut().find(|(kind, _)| *kind != Kind::Removed)?;
            *added = added.trim_start().to_owned();
        }
    }
    Some(Wanted::Meant)
}

fn no_blanks(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    let mut left = false;
    for piece in &mut intent.pieces {
        let before = piece.lines.len();
        // Next to a change a blank line says on which side of it the change is.
        let goes = |at: usize| piece.lines[at].1.trim().is_empty() && apart(piece, at);
        let gone: Vec<usize> = (0..before).filter(|at| goes(*at)).collect();
        gone.iter().rev().for_each(|at| drop(piece.lines.remove(*at)));
        left |= piece.lines.len() < before;
        // Without any old line left, it says nothing about where it goes.
        if piece.old().is_empty() {
            return None;
        }
    }
    left.then_some(Wanted::Meant)
}

fn more_blanks(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    for piece in &mut intent.pieces {
        let at = 1 + random.below(piece.lines.len());
        let between = piece.lines.get(at - 1)?.0 == Kind::Context && piece.lines.get(at)?.0 == Kind::Context;
        if !between {
            return None;
        }
        piece.lines.insert(at, (Kind::Context, String::new()));
    }
    Some(Wanted::Meant)
}

fn blank_margins(intent: &mut Intent, form: &str, random: &mut Random) -> Option<Wanted> {
    if signed(form) {
        return None;
    }
    for piece in &mut intent.pieces {
        if random.below(2) == 0 {
            piece.lines.insert(0, (Kind::Context, String::new()));
        } else {
            piece.lines.push((Kind::Context, String::new()));
        }
    }
    Some(Wanted::Meant)
}

fn some_context<'i>(intent: &'i mut Intent, random: &mut Random) -> Option<&'i mut String> {
    let lines = intent.pieces.iter_mut().flat_map(|piece| &mut piece.lines);
    let mut context: Vec<&mut String> = lines
        .filter(|(kind, line)| *kind == Kind::Context && line.trim().len() > 4)
        .map(|(_, line)| line)
        .collect();
    if context.is_empty() {
        return None;
    }
    let at = random.below(context.len());
    Some(context.swap_remove(at))
}

fn slip(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let line = some_context(intent, random)?;
    let letters: Vec<usize> = line
        .char_indices()
        .zip(line.chars().skip(1))
        .filter(|((_, one), other)| one.is_ascii_alphabetic() && other.is_ascii_alphabetic() && one != other)
        .map(|((at, _), _)| at)
        .collect();
    if letters.is_empty() {
        return None;
    }
    let at = *random.pick(&letters);
    let pair: String = line[at..at + 2].chars().rev().collect();
    line.replace_range(at..at + 2, &pair);
    Some(Wanted::Meant)
}

fn other_name(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let line = some_context(intent, random)?;
    *line = reworded(line, random);
    Some(Wanted::Meant)
}

fn left_out(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let piece = &mut intent.pieces[0];
    let at = random.below(piece.lines.len());
    // Next to a change it would say something else, and not just less.
    apart(piece, at).then(|| drop(piece.lines.remove(at)))?;
    Some(Wanted::Meant)
}

fn exchanged(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let piece = &mut intent.pieces[0];
    let at = random.below(piece.lines.len().checked_sub(1).filter(|pairs| *pairs > 0)?);
    (apart(piece, at) && apart(piece, at + 1)).then(|| piece.lines.swap(at, at + 1))?;
    Some(Wanted::Meant)
}

/// Whether a line is context and stands between lines of context, or at an end.
fn apart(piece: &Piece, at: usize) -> bool {
    let around = at.saturating_sub(1)..(at + 2).min(piece.lines.len());
    piece.lines[around].iter().all(|(kind, _)| *kind == Kind::Context)
}

/// With two changes, a cut between them leaves the first one whole, and nobody can tell.
fn cut_off(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    (intent.pieces.len() == 1).then_some(Wanted::Meant)
}

/// Lines far from every change become one that stands for them.
fn left_out_of_whole(intent: &mut Intent, form: &str, random: &mut Random) -> Option<Wanted> {
    if !whole(form) {
        return None;
    }
    let at = random.below(intent.meant.len());
    let end = at + 3 + random.below(20);
    if end > intent.meant.len() {
        return None;
    }
    let text = *random.pick(&["// ... existing code ...", "# ... rest of the file unchanged ...", "..."]);
    intent.meant.splice(at..end, [format!("{}{text}", indent(&intent.meant[at]).0)]);
    Some(Wanted::Meant)
}

/// Three lines of context or more become one that stands for them.
fn elided(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let piece = &mut intent.pieces[0];
    let runs: Vec<usize> = (1..piece.lines.len().saturating_sub(4))
        .filter(|at| piece.lines[*at..at + 3].iter().all(|(kind, _)| *kind == Kind::Context))
        .collect();
    if runs.is_empty() {
        return None;
    }
    let at = *random.pick(&runs);
    let indent = indent(&piece.lines[at].1).0.to_owned();
    let text = *random.pick(&["...", "// ... existing code ...", "# ... rest unchanged ..."]);
    piece.lines.splice(at..at + 3, [(Kind::Context, format!("{indent}{text}"))]);
    Some(Wanted::Meant)
}

fn unsigned(intent: &mut Intent, form: &str, random: &mut Random) -> Option<Wanted> {
    if !signed(form) {
        return None;
    }
    let all = random.below(2) == 0;
    each_line(intent, |kind, line| {
        // A fence without its sign would end the block it stands in.
        let plain = !line.is_empty() && !line.starts_with(['+', '-', '@', '\\']) && !line.starts_with("```");
        if *kind == Kind::Context && plain && (all || random.below(3) == 0) {
            line.insert(0, BARE);
        }
    })
}

/// The lines around the first change stand a second time, at the end of the file.
fn twice(intent: &mut Intent, almost: bool, random: &mut Random) -> Option<Wanted> {
    let piece = intent.pieces.first()?;
    let start = piece.start - 1;
    let end = start + piece.old().len();
    let from = start.saturating_sub(random.below(3));
    let mut copy = intent.before[from..(end + random.below(3)).min(intent.before.len())].to_vec();
    if almost {
        let at = random.below(copy.len());
        copy[at] = match random.below(3) {
            0 => reworded(&copy[at], random),
            1 => format!("  {}", copy[at]),
            _ => copy[at].replace(['a', 'e'], "o"),
        };
    }
    if random.below(2) == 0 {
        intent.before.extend(copy.iter().cloned());
        intent.after.extend(copy);
    } else {
        let moved = copy.len();
        for side in [&mut intent.before, &mut intent.after] {
            side.splice(0..0, copy.iter().cloned());
        }
        for piece in &mut intent.pieces {
            piece.start += moved;
            piece.new_start += moved;
        }
    }
    intent.read_again();
    Some(Wanted::Meant)
}

/// Somebody changed a line that shall go.
fn stale(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let piece = intent.pieces.first()?;
    let mut at = piece.start - 1;
    let mut removed = Vec::new();
    for (kind, line) in &piece.lines {
        if *kind == Kind::Removed && !line.trim().is_empty() {
            removed.push(at);
        }
        at += usize::from(*kind != Kind::Added);
    }
    let at = *removed.get(random.below(removed.len().max(1)))?;
    let changed = reworded(&intent.before[at], random);
    // Somebody made the very change that is asked for.
    if piece.replacement().contains(&changed.as_str()) {
        return None;
    }
    // Another line like it would be just as good.
    if intent.before.iter().filter(|line| line.trim() == intent.before[at].trim()).count() > 1 {
        return None;
    }
    intent.before[at] = changed;
    intent.after.clone_from(&intent.before);
    Some(Wanted::Nothing)
}

fn done(intent: &mut Intent, _: &str, _: &mut Random) -> Option<Wanted> {
    intent.before.clone_from(&intent.after);
    // Nothing is left of a deletion, so the same lines elsewhere are as good as the ones that went.
    let only_deletes = |piece: &&Piece| piece.exchange().1.is_empty();
    let same = |line: &str, old: &str| line.trim() == old.trim();
    let mut deletions = intent.pieces.iter().filter(only_deletes);
    (!deletions.any(|piece| !intent.stands(piece, same).is_empty())).then_some(Wanted::Nothing)
}

fn drift(intent: &mut Intent, _: &str, random: &mut Random) -> Option<Wanted> {
    let more: Vec<String> = (0..1 + random.below(9)).map(|at| format!("# came in later, {at}")).collect();
    for side in [&mut intent.before, &mut intent.after] {
        side.splice(0..0, more.iter().cloned());
    }
    Some(Wanted::Meant)
}
