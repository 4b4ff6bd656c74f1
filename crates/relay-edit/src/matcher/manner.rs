//! How a file as a whole indents its lines, for hunks whose old lines show nothing of it.
//!
//! Below an unindented `class A:` a reply may bring tabs into a file of spaces. When the file has one manner and
//! the new lines all have the other, they are written in the file's.

use super::indent::Reindent;
use super::index::FileIndex;
use super::key::indent;
use crate::lines::is_blank;

/// So many indented lines are needed to speak of a manner.
const ENOUGH: usize = 5;

/// The rule that brings new lines into the manner of the file; `None` when there is no clear one.
pub(crate) fn adapt<'a>(index: &FileIndex<'_>, added: impl Iterator<Item = &'a str>) -> Option<Reindent> {
    let written = added
        .map(str::as_bytes)
        .filter(|line| !is_blank(line))
        .map(indent)
        .filter(|indent| !indent.is_empty());
    let indents: Vec<&[u8]> = written.collect();
    let only = |lines: &[&[u8]], byte: u8| {
        !lines.is_empty() && lines.iter().all(|line| line.iter().all(|found| *found == byte))
    };
    let (tabs, spaces) = (only(&indents, b'\t'), only(&indents, b' '));
    if !tabs && !spaces {
        return None;
    }
    let lines =
        index.lines.texts().filter(|line| !is_blank(line)).map(indent).filter(|indent| !indent.is_empty());
    let lines: Vec<&[u8]> = lines.collect();
    if lines.len() < ENOUGH {
        return None;
    }
    if tabs && only(&lines, b' ') {
        let unit = lines.iter().map(|line| line.len()).fold(0, gcd);
        return matches!(unit, 2..=4 | 8)
            .then(|| Reindent::Units { reply: b"\t".to_vec(), file: vec![b' '; unit] });
    }
    if spaces && only(&lines, b'\t') {
        let unit = indents.iter().map(|indent| indent.len()).min()?;
        let fits = matches!(unit, 2..=4 | 8) && indents.iter().all(|indent| indent.len() % unit == 0);
        return fits.then(|| Reindent::Units { reply: vec![b' '; unit], file: b"\t".to_vec() });
    }
    None
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
