//! Which re-indentation the old lines of a hunk and the lines of the file show, and what it makes of new lines.
//!
//! Nothing but white space may come or go at the front of a line, and only by a rule that the lines themselves prove.

use std::borrow::Cow;

use super::file::File;
use super::key::key;
use super::reading::Read;
use crate::HunkLine;
use crate::matcher::{Reindent, Tier};

/// A line of a hunk and the line of the file that it claims, by their indentation.
pub(super) type Depths<'a> = (Cow<'a, [u8]>, &'a [u8]);

/// The indentation of a line of a reply and of the line of the file that it claims; blank lines say nothing.
pub(super) fn depths<'a>(written: &'a str, found: &'a [u8]) -> Option<Depths<'a>> {
    let says = |text: &[u8]| !key(Tier::Indentation, text).is_empty();
    (says(written.as_bytes()) && says(found)).then(|| (reply_indent(written), indent(found)))
}

/// How well one rule explains the indentation of all lines, from well to badly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Explained {
    /// All lines are as deep as in the file, or by the same more or less.
    Shifted,
    /// One level is written in another way.
    Levels,
    /// Some lines lost their indentation.
    Partly,
    /// No rule does.
    Not,
}

/// How well the indentation of lines is explained.
pub(super) fn explained(pairs: &[Depths<'_>]) -> Explained {
    const UNITS: [&[u8]; 5] = [b"\t", b"  ", b"   ", b"    ", b"        "];
    let units = || UNITS.iter().flat_map(|reply| UNITS.iter().map(move |file| (reply, file)));
    let levels = |(reply, file): (&&[u8], &&[u8])| {
        let rule = Reindent::Units { reply: reply.to_vec(), file: file.to_vec() };
        reply != file && explains(&rule, pairs)
    };
    if shift(pairs).is_some() {
        Explained::Shifted
    } else if units().any(levels) {
        Explained::Levels
    } else if pairs.iter().any(|(written, found)| written.as_ref() == *found) {
        Explained::Partly
    } else {
        Explained::Not
    }
}

/// Whether old lines prove a rule. `pairs` are those of the hunk, `others` those of the other hunks of the edit.
pub(super) fn is_proven(
    rule: &Reindent,
    hunk: &Read<'_>,
    pairs: &[Depths<'_>],
    others: impl Fn(&Reindent) -> bool,
    file: &File<'_>,
) -> bool {
    if !is_white_space(rule) {
        return false;
    }
    let shift = shift(pairs);
    let keeps = shift == Some(Reindent::Keep);
    match rule {
        Reindent::Keep => {
            keeps
                || shift.as_ref().is_none_or(|shift| is_sign(shift, hunk))
                    && pairs.iter().any(|pair| is_kept(pair))
        }
        Reindent::Add(_) | Reindent::Strip(_) => shift.as_ref() == Some(rule),
        Reindent::Written(_) => explains(rule, pairs),
        Reindent::Units { .. } if !keeps => explains(rule, pairs),
        Reindent::Units { reply, file: unit } => {
            let same =
                |line: &str| indented(rule, line.as_bytes()).is_some_and(|moved| *moved == *line.as_bytes());
            hunk.added_lines().all(same) || others(rule) || is_manner(hunk, file, reply, unit)
        }
    }
}

/// Whether a rule puts nothing but white space before lines, and takes nothing else from them.
fn is_white_space(rule: &Reindent) -> bool {
    let is_white = |part: &[u8]| !part.is_empty() && part.iter().all(|byte| matches!(byte, b' ' | b'\t'));
    match rule {
        Reindent::Keep => true,
        Reindent::Add(part) | Reindent::Strip(part) | Reindent::Written(part) => is_white(part),
        Reindent::Units { reply, file } => is_white(reply) && is_white(file) && reply != file,
    }
}

/// The rule by which all lines are as deep as in the file, or by the same more or less.
fn shift(pairs: &[Depths<'_>]) -> Option<Reindent> {
    let all = |rule: Reindent| explains(&rule, pairs).then_some(rule);
    let (written, found) =
        pairs.first().map_or((&[][..], &[][..]), |(written, found)| (written.as_ref(), *found));
    match (found.strip_suffix(written), written.strip_suffix(found)) {
        (Some([]), _) => all(Reindent::Keep),
        (Some(missing), _) => all(Reindent::Add(missing.to_vec())),
        (None, Some(extra)) => all(Reindent::Strip(extra.to_vec())),
        (None, None) => None,
    }
}

/// Whether a rule explains the depth of every line.
pub(super) fn explains(rule: &Reindent, pairs: &[Depths<'_>]) -> bool {
    pairs.iter().all(|(written, found)| {
        let widened = |tab: &[u8]| found.split(|byte| *byte == b'\t').collect::<Vec<_>>().join(tab);
        match rule {
            Reindent::Keep => written.as_ref() == *found,
            Reindent::Add(missing) => found.strip_prefix(missing.as_slice()) == Some(written.as_ref()),
            Reindent::Strip(extra) => written.strip_prefix(extra.as_slice()) == Some(*found),
            Reindent::Written(tab) => written.as_ref() == *found || widened(tab) == written.as_ref(),
            Reindent::Units { reply, file } => {
                leveled(written, reply, file).as_deref() == Some(*found)
                    || file == b"\t" && widened(reply) == written.as_ref()
            }
        }
    })
}

/// Whether a line has the indentation of the file, or lacks the space that is the sign of context in a diff.
fn is_kept((written, found): &Depths<'_>) -> bool {
    written.as_ref() == *found || found.strip_prefix(b" ") == Some(written.as_ref())
}

/// Whether one space is missing throughout, which is the sign of context in a diff and no indentation.
fn is_sign(shift: &Reindent, hunk: &Read<'_>) -> bool {
    let removes = |line: &HunkLine| matches!(line, HunkLine::Removed(text) if !text.trim().is_empty());
    *shift == Reindent::Add(b" ".to_vec()) && !hunk.lines.iter().any(removes)
}

/// Whether new lines are written in levels that the file writes otherwise, as far as these two show it: old lines that say
/// nothing prove nothing.
fn is_manner(hunk: &Read<'_>, file: &File<'_>, reply: &[u8], unit: &[u8]) -> bool {
    let written = |text: &&[u8]| !key(Tier::Indentation, text).is_empty();
    let added = || hunk.added_lines().map(str::as_bytes).filter(written).map(indent);
    let is_level = |depth: &[u8], level: &[u8]| depth.chunks(level.len()).all(|part| part == level);
    let in_levels = added().filter(|depth| !depth.is_empty()).any(|depth| is_level(depth, reply));
    let depths = || file.texts().filter(written).map(indent).filter(|depth| !depth.is_empty());
    let least = depths().filter(|depth| depth.len() > 1).map(<[u8]>::len).min();
    in_levels
        && match unit {
            [b'\t'] => depths().any(|depth| depth.starts_with(b"\t")),
            _ => least == Some(unit.len()) || depths().any(|depth| depth == unit) && unit.len() <= 4,
        }
}

/// A new line as it must be written by a rule; `None` when the rule does not reach it.
pub(super) fn indented<'l>(rule: &Reindent, line: &'l [u8]) -> Option<Cow<'l, [u8]>> {
    if *rule == Reindent::Keep {
        return Some(Cow::Borrowed(line));
    }
    let before = indent(line);
    let is_blank = key(Tier::Indentation, line).is_empty();
    let rest = line.get(before.len()..)?;
    let kind = |text: &[u8]| text.contains(&b'\t');
    match rule {
        Reindent::Keep | Reindent::Written(_) => Some(Cow::Borrowed(line)),
        Reindent::Add(_) | Reindent::Strip(_) if is_blank => Some(Cow::Borrowed(line)),
        // Tabs after spaces are not indentation.
        Reindent::Add(missing) if missing.ends_with(b" ") && kind(before) => None,
        Reindent::Add(missing) => Some(Cow::Owned([missing, line].concat())),
        Reindent::Strip(extra) => line.strip_prefix(extra.as_slice()).map(Cow::Borrowed),
        // What is indented as the file is was not touched by whatever changed the others.
        Reindent::Units { reply, file }
            if is_blank && !rest.is_empty()
                || !kind(reply) && kind(file) && kind(before)
                || kind(reply) && !kind(file) && !kind(before) =>
        {
            Some(Cow::Borrowed(line))
        }
        Reindent::Units { reply, file } => match leveled(before, reply, file) {
            Some(depth) => Some(Cow::Owned([depth.as_slice(), rest].concat())),
            None => is_blank.then_some(Cow::Borrowed(line)),
        },
    }
}

/// An indentation with each level written as in the file; what is less than one is alignment, and never a tab.
fn leveled(depth: &[u8], reply: &[u8], file: &[u8]) -> Option<Vec<u8>> {
    let (mut rest, mut leveled) = (depth, Vec::new());
    while let Some(less) = rest.strip_prefix(reply).filter(|_| !reply.is_empty()) {
        leveled.extend_from_slice(file);
        rest = less;
    }
    (!rest.contains(&b'\t')).then(|| [leveled.as_slice(), rest].concat())
}

/// The white space a line begins with.
pub(super) fn indent(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(line.len());
    line.get(..end).unwrap_or_default()
}

/// The indentation of a line of a reply: pages put other spaces there.
fn reply_indent(line: &str) -> Cow<'_, [u8]> {
    let plain = indent(line.as_bytes());
    let odd = line.get(plain.len()..).unwrap_or_default();
    if odd.as_bytes().first().is_none_or(u8::is_ascii) {
        return Cow::Borrowed(plain);
    }
    let odd = odd.chars().take_while(|sign| sign.is_whitespace());
    let odd = odd.map(|sign| if sign == '\t' { b'\t' } else { b' ' });
    Cow::Owned(plain.iter().copied().chain(odd).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hunk;

    const DEPTHS: [&str; 10] = ["", " ", "  ", "   ", "    ", "      ", "        ", "\t", "\t\t", "\t  "];

    fn rules() -> Vec<Reindent> {
        let parts = DEPTHS.iter().skip(1).map(|depth| depth.as_bytes().to_vec());
        let shifts = parts.clone().flat_map(|part| {
            [Reindent::Add(part.clone()), Reindent::Strip(part.clone()), Reindent::Written(part)]
        });
        let pairs = parts.clone().flat_map(|reply| parts.clone().map(move |file| (reply.clone(), file)));
        let units = pairs.map(|(reply, file)| Reindent::Units { reply, file });
        shifts.chain(units).chain([Reindent::Keep]).collect()
    }

    #[test]
    fn a_rule_writes_what_the_matcher_says_it_writes() {
        for rule in rules() {
            for depth in DEPTHS {
                for text in ["x", "", "\u{b}"] {
                    let line = format!("{depth}{text}").into_bytes();
                    assert_eq!(indented(&rule, &line), rule.apply(&line), "{rule:?} {line:?}");
                }
            }
        }
    }

    /// Which rules the old lines of a hunk prove, in a file of nothing else.
    #[track_caller]
    fn check(diff: &str, found: &[&str], expected: &[Reindent]) {
        let hunk = Hunk::of_diff(diff);
        let read = Read::unchecked(&hunk, &[]);
        let pairs: Vec<_> =
            read.old_lines().zip(found).filter_map(|(line, found)| depths(line, found.as_bytes())).collect();
        let bytes = found.join("\n").into_bytes();
        let file = File::new(&bytes, Vec::new());
        let proven = rules().into_iter().filter(|rule| is_proven(rule, &read, &pairs, |_| false, &file));
        assert_eq!(proven.collect::<Vec<_>>(), expected, "{diff:?} {found:?}");
    }

    #[test]
    fn old_lines_prove_one_rule() {
        let add = |part: &str| Reindent::Add(part.as_bytes().to_vec());
        let strip = |part: &str| Reindent::Strip(part.as_bytes().to_vec());
        check("-a\n-  b\n+  c", &["    a", "      b"], &[add("    ")]);
        check("-    a\n-      b\n+    c", &["a", "  b"], &[strip("    ")]);
        check("-a\n+c", &["   a"], &[add("   ")]);
        // Lines that say different things prove nothing.
        check("-a\n-b\n+c", &["    a", "  b"], &[]);
    }

    #[test]
    fn one_missing_space_may_be_a_sign() {
        let add = || Reindent::Add(b" ".to_vec());
        check(" a\n+c", &[" a"], &[add(), Reindent::Keep]);
        check("-a\n+c", &[" a"], &[add()]);
    }

    #[test]
    fn lines_are_explained_well_or_badly() {
        let check = |pairs: &[(&str, &str)], expected: Explained| {
            let pairs: Vec<_> =
                pairs.iter().filter_map(|(one, other)| depths(one, other.as_bytes())).collect();
            assert_eq!(explained(&pairs), expected, "{pairs:?}");
        };
        check(&[("a", "a"), ("  b", "  b")], Explained::Shifted);
        check(&[("a", "  a"), ("  b", "    b")], Explained::Shifted);
        check(&[("  a", "\ta"), ("    b", "\t\tb")], Explained::Levels);
        check(&[("a", "    a"), ("  b", "  b")], Explained::Partly);
        check(&[("a", "    a"), ("   b", " b")], Explained::Not);
        check(&[("\u{a0}a", " a"), ("", "x")], Explained::Shifted);
    }
}
