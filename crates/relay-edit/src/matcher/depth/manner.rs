//! How a file as a whole indents its lines, for hunks whose old lines show nothing of it.
//!
//! Below an unindented `class A:` a reply may bring tabs into a file of spaces. When the file has one manner and
//! the new lines all have the other, they are written in the file's; where nobody can say how, they are refused.

use std::collections::BTreeMap;

use crate::lines::{Lines, is_blank};
use crate::matcher::indent::Reindent;
use crate::matcher::index::FileIndex;
use crate::matcher::key::indent;

/// This many indented lines are needed to speak of a manner.
const ENOUGH: usize = 5;
/// This many are enough where all begin with a tab: a few lines are not indented like that by chance. Spaces may continue a line.
const SOME: usize = 2;

/// How new lines are to the manner of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// There is nothing to change, as far as can be told.
    Fits,
    /// This rule brings them into the manner of the file.
    Rule(Reindent),
    /// They are in another manner, and nothing says how to bring them into the file's.
    Foreign,
}

/// Whether a line is one of those between which a Makefile means what is indented by spaces, and no recipe. `ifdef
/// DEBUG`.
pub(crate) fn is_directive(line: &str) -> bool {
    const DIRECTIVES: &[&str] = &["ifdef", "ifndef", "ifeq", "ifneq", "define"];
    let (word, rest) = line.trim_start().split_once([' ', '(']).unwrap_or_default();
    DIRECTIVES.contains(&word) && !rest.is_empty()
}

/// Compares the indentation of new lines with that of the file.
pub(crate) fn adapt<'a>(index: &FileIndex<'_>, added: impl Iterator<Item = &'a str> + Clone) -> Manner {
    let written = added.map(str::as_bytes).filter(|line| !is_blank(line)).map(indent);
    let indents = written.filter(|indent| !indent.is_empty());
    let spaces = indents.clone().flatten().all(|byte| *byte == b' ');
    // Without any indentation there is nothing to change either.
    if spaces && (!index.has_tabs() || indents.clone().next().is_none()) {
        return Manner::Fits;
    }
    let tabs = indents.clone().flatten().any(|byte| *byte == b'\t');
    let habit = index.habit();
    if habit.indented < SOME {
        return Manner::Fits;
    }
    let rule = if tabs && habit.only_spaces {
        // Tabs beside spaces may be meant, or a slip.
        let all_tabs = indents.clone().all(|indent| indent.starts_with(b"\t"));
        let unit = habit.unit.filter(|_| all_tabs && habit.indented >= ENOUGH);
        unit.map(|unit| Reindent::Units { reply: b"\t".to_vec(), file: vec![b' '; unit] })
    } else if spaces && habit.begins_with_tabs {
        let lengths = indents.map(<[u8]>::len);
        let unit = lengths.clone().min().unwrap_or_default();
        let fits = matches!(unit, 2..=4 | 8) && lengths.clone().all(|length| length % unit == 0);
        fits.then(|| Reindent::Units { reply: vec![b' '; unit], file: b"\t".to_vec() })
    } else {
        return Manner::Fits;
    };
    match rule {
        Some(rule) => Manner::Rule(rule),
        None if habit.indented < ENOUGH => Manner::Fits,
        None => Manner::Foreign,
    }
}

/// How the lines of a file are indented.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habit {
    /// How many lines are indented.
    indented: usize,
    only_spaces: bool,
    begins_with_tabs: bool,
    /// How many spaces make one level, where that is clear.
    unit: Option<usize>,
}

impl Habit {
    /// How many characters of indentation are at least one level.
    pub fn level(&self) -> usize {
        if self.only_spaces { self.unit.unwrap_or(3) } else { 1 }
    }

    /// How many spaces make one level, in a file that is indented by nothing else. 4 in `def f():`, `    return 1`, if
    /// it goes on like this for some lines.
    pub fn spaces(&self) -> Option<usize> {
        self.unit.filter(|_| self.only_spaces && self.indented >= ENOUGH)
    }

    /// Looks at every line of a file.
    pub fn of(lines: &Lines<'_>) -> Self {
        let is_indented = |line: &&[u8]| matches!(line.first(), Some(b' ' | b'\t')) && !is_blank(line);
        let mut habit = Self { indented: 0, only_spaces: true, begins_with_tabs: true, unit: None };
        let mut depths: BTreeMap<usize, usize> = BTreeMap::new();
        for indent in lines.texts().filter(is_indented).map(indent) {
            habit.indented += 1;
            habit.only_spaces &= indent.iter().all(|byte| *byte == b' ');
            habit.begins_with_tabs &= indent.starts_with(b"\t");
            *depths.entry(indent.len()).or_default() += 1;
        }
        habit.unit = unit_of(&depths, habit.indented);
        habit
    }
}

/// How many spaces make one level: the depth of some line, of which nearly all others are multiples. The few that are
/// not are aligned with something. 4 where lines are 4, 8 and 12 deep, and one of twenty is 6.
fn unit_of(depths: &BTreeMap<usize, usize>, indented: usize) -> Option<usize> {
    [8, 4, 3, 2].into_iter().find(|unit| {
        let multiples = depths.iter().filter(|(depth, _)| *depth % unit == 0);
        let fitting: usize = multiples.map(|(_, count)| *count).sum();
        depths.contains_key(unit) && fitting * 10 >= indented * 9
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, added: &str, expected: Option<&str>) {
        let rule = match adapt(&FileIndex::new(file.as_bytes()), std::iter::once(added)) {
            Manner::Fits => Reindent::Keep,
            Manner::Rule(rule) => rule,
            Manner::Foreign => return assert_eq!(expected, None),
        };
        let found =
            rule.apply(added.as_bytes()).map(|line| String::from_utf8(line.into_owned()).expect("text"));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn new_lines_take_on_the_manner_of_the_file() {
        let spaced = "a\n    b\n    c\n        d\n    e\n    f\n";
        check(spaced, "\tg", Some("    g"));
        check(spaced, "    g", Some("    g"));
        check("a\n\tb\n\tc\n\t    d\n\te\n\tf\n", "    g", Some("\tg"));
        check("a\n\tb\n", "    g", Some("    g"));
        check("a\n\tb\nc\n\td\n", "    g", Some("\tg"));
        check("a\n\tb\nc\n\td\n", "     g", Some("     g"));
        // A Makefile whose lists go on in the next line, and its first recipe.
        check("a = \\\n    b \\\n    c\n", "\tg", Some("\tg"));
    }

    #[test]
    fn alignment_does_not_hide_the_manner() {
        let aligned = format!("{}       x\n", "    a\n        b\n".repeat(10));
        check(&aligned, "\tg", Some("    g"));
    }

    #[test]
    fn what_has_no_place_in_the_manner_is_foreign() {
        check("a\n b\n  c\n   d\n     e\n       f\n", "\tg", None);
        check("a\n\tb\n\tc\n\td\n\te\n\tf\n", "     g", None);
    }

    #[test]
    fn tabs_beside_spaces_are_left_to_their_author() {
        let spaced = FileIndex::new(b"a\n    b\n    c\n        d\n    e\n    f\n");
        assert_eq!(adapt(&spaced, ["\tg", "    h"].into_iter()), Manner::Foreign);
        assert!(matches!(adapt(&spaced, ["\tg", "", "\t    h"].into_iter()), Manner::Rule(_)));
    }
}
