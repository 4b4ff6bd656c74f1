//! Indentation: how the indentation of a reply maps to that of the file.
//!
//! One rule must explain every line that was matched; the same rule is then applied to the new lines. When no
//! single rule does, or a new line cannot follow it, there is no placement: in Python or YAML a wrong guess is
//! a changed program.

use std::borrow::Cow;

use crate::lines::is_blank;
use crate::matcher::key::indent;

/// How the indentation of the reply becomes that of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reindent {
    /// It already is.
    #[default]
    Keep,
    /// The reply left this off the front of every line.
    Add(Vec<u8>),
    /// The reply has this too much at the front of every line.
    Strip(Vec<u8>),
    /// The reply indents by one unit where the file indents by another.
    Units {
        /// One level in the reply.
        reply: Vec<u8>,
        /// One level in the file.
        file: Vec<u8>,
    },
    /// The reply writes a tab of the file as these spaces, which the file has as well: new lines stay as they are.
    Written(Vec<u8>),
}

/// One level of indentation, in the spellings that occur.
const UNITS: &[&[u8]] = &[b"\t", b"  ", b"    ", b"        ", b"   "];

impl Reindent {
    /// The one rule under which each reply line has the indentation of its file line; blank lines say nothing.
    pub(crate) fn infer<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Option<Self> {
        let pairs = Pairs::new(pairs);
        pairs.shift().or_else(|| pairs.units())
    }

    /// How one level is written, where that is not as in the file.
    pub(crate) fn levels(&self) -> Option<Self> {
        match self {
            Self::Units { .. } => Some(self.clone()),
            Self::Written(tab) => Some(Self::Units { reply: tab.clone(), file: b"\t".to_vec() }),
            Self::Keep | Self::Add(_) | Self::Strip(_) => None,
        }
    }

    /// The spaces that represent a tab of the file in the reply.
    pub(crate) fn tab(&self) -> Option<&[u8]> {
        match self {
            Self::Units { reply, file } if file == b"\t" && !reply.contains(&b'\t') => Some(reply),
            _ => None,
        }
    }

    /// The new line as the file would have it; `None` when the rule does not reach it.
    pub(crate) fn apply<'l>(&self, line: &'l [u8]) -> Option<Cow<'l, [u8]>> {
        // A line of nothing but white space may be as deep as the file has it already; only of what it is can be told.
        if *self == Self::Keep || is_blank(line) && !matches!(self, Self::Units { .. }) {
            return Some(Cow::Borrowed(line));
        }
        let before = indent(line);
        if is_blank(line) && before.len() != line.len() {
            return Some(Cow::Borrowed(line));
        }
        // A line that already is indented the way the file is was not touched by whatever changed the others.
        if let Self::Units { reply, file } = self
            && uses_other_kind(before, reply, file)
        {
            return Some(Cow::Borrowed(line));
        }
        // No one indents with tabs after spaces.
        if matches!(self, Self::Add(missing) if missing.ends_with(b" ")) && before.contains(&b'\t') {
            return None;
        }
        let Some(mut result) = self.indentation(before) else {
            return is_blank(line).then_some(Cow::Borrowed(line));
        };
        result.extend_from_slice(line.get(before.len()..)?);
        Some(Cow::Owned(result))
    }

    /// What this rule makes of an indentation.
    pub(crate) fn indentation(&self, reply: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Keep | Self::Written(_) => Some(reply.to_vec()),
            Self::Add(missing) => Some([missing.as_slice(), reply].concat()),
            Self::Strip(extra) => reply.strip_prefix(extra.as_slice()).map(<[u8]>::to_vec),
            Self::Units { reply: from, file: to } => {
                let mut rest = reply;
                let mut result = Vec::new();
                while let Some(tail) = rest.strip_prefix(from.as_slice()) {
                    result.extend_from_slice(to);
                    rest = tail;
                }
                // Less than one level is alignment and stays, as in the ` *` of a block comment.
                if rest.contains(&b'\t') {
                    return None;
                }
                result.extend_from_slice(rest);
                Some(result)
            }
        }
    }

    /// Whether a line that is so deep in the reply may be so deep in the file. Four spaces for a tab: `········a` of
    /// the reply may be two tabs deep in the file.
    fn explains(&self, reply: &[u8], file: &[u8]) -> bool {
        match self.tab() {
            // Behind tabs there may be as many spaces as a tab has in the reply, which would be read as one.
            Some(tab) => widened(file, tab) == reply,
            None => self.indentation(reply).is_some_and(|found| found == file),
        }
    }
}

/// An indentation of the file with these spaces for each tab.
pub(crate) fn widened(indentation: &[u8], tab: &[u8]) -> Vec<u8> {
    indentation.split(|byte| *byte == b'\t').collect::<Vec<_>>().join(tab)
}

/// The indentation of lines in the reply, and of the lines of the file they represent.
pub(crate) struct Pairs<'a>(Vec<(Cow<'a, [u8]>, &'a [u8])>);

impl<'a> Pairs<'a> {
    /// The indentation of pairs of lines; blank lines say nothing.
    pub fn new(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> Self {
        let written = pairs.filter(|(reply, file)| !is_blank(reply) && !is_blank(file));
        Self(written.map(|(reply, file)| (plain_indent(reply), indent(file))).collect())
    }

    fn explained_by(&self, rule: &Reindent) -> bool {
        self.0.iter().all(|(reply, file)| rule.explains(reply, file))
    }

    /// Whether some line is this many levels deep and nothing else: alignment alone says nothing about levels, unless those
    /// are tabs on one side only. Four spaces for a tab are seen in a line that four or eight spaces deep, not in one
    /// that is six.
    fn shows(&self, rule: &Reindent) -> bool {
        let Reindent::Units { reply: unit, file } = rule else { return true };
        let told_apart = unit.first() != file.first();
        told_apart && self.0.iter().any(|(reply, _)| reply.starts_with(unit))
            || self
                .0
                .iter()
                .any(|(reply, _)| !reply.is_empty() && reply.chunks(unit.len()).all(|level| level == unit))
    }

    /// Whether some line is deeper than whole levels by what is a level of the file: then the reply writes its levels as the
    /// file does, and lines of other depths only look alike. Four spaces for two, where a line of the reply is six
    /// deep.
    fn mixes(&self, rule: &Reindent) -> bool {
        let Reindent::Units { reply: unit, file } = rule else { return false };
        let of_spaces = [unit, file].into_iter().flatten().all(|byte| *byte == b' ');
        of_spaces && self.0.iter().any(|(reply, _)| reply.len() % unit.len().max(1) >= file.len())
    }

    /// The rule that all lines are as deep as in the file, or by the same more or less.
    pub fn shift(&self) -> Option<Reindent> {
        if self.explained_by(&Reindent::Keep) {
            return Some(Reindent::Keep);
        }
        let (reply, file) = self.0.first()?;
        let shift = match (file.strip_suffix(reply.as_ref()), reply.strip_suffix(*file)) {
            (Some(missing), _) => Reindent::Add(missing.to_vec()),
            (_, Some(extra)) => Reindent::Strip(extra.to_vec()),
            _ => return None,
        };
        self.explained_by(&shift).then_some(shift)
    }

    /// The rule that one level is written otherwise.
    pub fn units(&self) -> Option<Reindent> {
        let units = UNITS.iter().flat_map(|reply| UNITS.iter().map(|file| (*reply, *file)));
        let mut rules = units
            .filter(|(reply, file)| reply != file)
            .map(|(reply, file)| Reindent::Units { reply: reply.to_vec(), file: file.to_vec() })
            .filter(|rule| self.explained_by(rule) && !self.mixes(rule));
        let rule = rules.next()?;
        // Two levels written as four spaces or as one unit of four: only one reading may fit.
        (rules.next().is_none() && self.shows(&rule)).then_some(rule)
    }
}

/// The indentation of a line of a reply, with a plain space for each wide or unbreakable one that a page put there.
fn plain_indent(line: &[u8]) -> Cow<'_, [u8]> {
    let plain = indent(line);
    let is_space = |character: &char| character.is_whitespace() && !matches!(character, '\r' | '\n');
    let rest = line.get(plain.len()..).unwrap_or_default();
    if rest.first().is_none_or(u8::is_ascii) {
        return Cow::Borrowed(plain);
    }
    let text = String::from_utf8_lossy(rest);
    let more =
        text.chars().take_while(is_space).map(|character| if character == '\t' { b'\t' } else { b' ' });
    Cow::Owned(plain.iter().copied().chain(more).collect())
}

/// Whether a line is indented by spaces that no program takes for such, has unbreakable ones beside plain ones, as pages write a
/// gap, or has several of them and no other. `\u{a0}\u{a0}return x`.
pub(crate) fn is_oddly_spaced(line: &[u8]) -> bool {
    const GAPS: [&[u8]; 2] = ["\u{a0} ".as_bytes(), " \u{a0}".as_bytes()];
    let only = || {
        let text = line.trim_ascii();
        !text.contains(&b' ') && memchr::memmem::find_iter(text, "\u{a0}").nth(1).is_some()
    };
    !line.is_ascii()
        && (only()
            || matches!(plain_indent(line), Cow::Owned(plain) if plain.len() > indent(line).len())
            || GAPS.iter().any(|gap| memchr::memmem::find(line, gap).is_some()))
}

/// Whether an indentation is already in the file's kind (tabs against spaces). A line with a tab in a reply of spaces,
/// for a file of tabs.
fn uses_other_kind(indentation: &[u8], reply: &[u8], file: &[u8]) -> bool {
    let tabs = |text: &[u8]| text.contains(&b'\t');
    match (tabs(reply), tabs(file)) {
        (false, true) => tabs(indentation),
        (true, false) => !tabs(indentation) && !indentation.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn infer(pairs: &[(&str, &str)]) -> Option<Reindent> {
        Reindent::infer(pairs.iter().map(|(reply, file)| (reply.as_bytes(), file.as_bytes())))
    }

    fn check(pairs: &[(&str, &str)], new: &str, expected: Option<&str>) {
        let rule = infer(pairs).expect("a rule");
        assert_eq!(
            rule.apply(new.as_bytes())
                .map(|line| String::from_utf8(line.into_owned()).expect("text"))
                .as_deref(),
            expected
        );
    }

    #[test]
    fn one_shift_for_all_lines() {
        check(&[("a", "    a"), ("  b", "      b")], "  c", Some("      c"));
        check(&[("    a", "a"), ("      b", "  b")], "      c", Some("  c"));
        assert_eq!(infer(&[("a", "    a"), ("b", "  b")]), None);
    }

    #[test]
    fn spaces_of_a_page_are_spaces() {
        check(&[("\u{a0}\u{a0}a", "  a")], "  b", Some("  b"));
        check(&[("  \u{a0}\u{a0}a", "        a")], "b", Some("    b"));
        assert!(is_oddly_spaced("\u{a0}a".as_bytes()) && is_oddly_spaced("a\u{a0} b".as_bytes()));
        assert!(!is_oddly_spaced("  \u{e4}".as_bytes()) && !is_oddly_spaced("10\u{a0}km".as_bytes()));
    }

    #[test]
    fn tabs_never_follow_spaces_that_were_put_before_them() {
        check(&[("a", "    a")], "\tb", None);
        check(&[("a", "\ta")], " * b", Some("\t * b"));
    }

    #[test]
    fn half_a_level_that_is_one_of_the_file_is_no_alignment() {
        assert_eq!(
            infer(&[("            }", "        }"), ("        }", "    }"), ("    a", "    a")]),
            None
        );
        check(&[("        a", "    a"), ("         * b", "     * b")], "        c", Some("    c"));
    }

    #[test]
    fn underflow_is_refused() {
        check(&[("        a", "    a")], "  c", None);
        check(&[("        a", "    a")], "", Some(""));
    }

    #[test]
    fn tabs_and_spaces_are_exchanged() {
        check(&[("    a", "\ta"), ("        b", "\t\tb")], "            c", Some("\t\t\tc"));
        check(&[("  a", "\ta"), ("   * b", "\t * b")], "    c", Some("\t\tc"));
        check(&[("\ta", "    a")], "\t\tc", Some("        c"));
        check(&[("\ta", "    a")], " \tc", None);
        check(&[("    a", "\ta")], "\t\tc", Some("\t\tc"));
    }

    #[test]
    fn a_rule_that_leaves_two_readings_is_none() {
        assert_eq!(
            infer(&[("        a", "\ta")]),
            Some(Reindent::Units { reply: b"        ".to_vec(), file: b"\t".to_vec() })
        );
        assert_eq!(infer(&[("  a", "\ta"), ("    b", "\tb")]), None);
        check(&[("     * a", "\t * a")], "     * b", Some("\t * b"));
        // Three spaces for four, and one that is alignment on both sides: nothing shows it.
        assert_eq!(infer(&[("a", "a"), ("    b", "     b")]), None);
    }
}
