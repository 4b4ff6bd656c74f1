//! Anchors that an author copied into new lines: `12ab|    y = 3` for `    y = 3`, as `relay read --anchors` shows a file.
//!
//! They are taken off where it is certain that they are copied: an anchor is the one of that line of the file, or every new
//! line has one and they count up, or are those of the lines they are before. In doubt the edit is refused, because they
//! would be written into the file. Files that have such lines themselves are left alone.

use std::borrow::Cow;

use crate::anchors::{LineHash, split_anchor};
use crate::lines::Lines;
use crate::{Hunk, HunkLine};

/// The new lines as they are meant, and how many anchors were taken off them.
type Plain<'n, T> = (Cow<'n, T>, usize);

/// The hunks without copied anchors; the first line that may have one, where nobody can say. `versions` are what the file
/// holds and what the author saw of it.
pub(crate) fn plain_hunks<'h>(
    hunks: &'h [Hunk],
    versions: &[Cow<'_, [u8]>],
) -> Result<Plain<'h, [Hunk]>, String> {
    let added = || hunks.iter().filter(|hunk| !is_quoted_so(hunk)).flat_map(Hunk::added_lines);
    if !is_copied(added, versions)? {
        return Ok((Cow::Borrowed(hunks), 0));
    }
    let mut taken = 0;
    let mut plain = |line: &HunkLine| match (line, split_anchor(line.text())) {
        (HunkLine::Added(_), Some((.., text))) => {
            taken += 1;
            HunkLine::Added(text.to_owned())
        }
        _ => line.clone(),
    };
    let mut result = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let lines = match is_quoted_so(hunk) {
            true => hunk.lines.clone(),
            false => hunk.lines.iter().map(&mut plain).collect(),
        };
        result.push(Hunk { lines, ..hunk.clone() });
    }
    Ok((Cow::Owned(result), taken))
}

/// Whole content without copied anchors, as [`plain_hunks`].
pub(crate) fn plain_content<'c>(
    content: &'c str,
    versions: &[Cow<'_, [u8]>],
) -> Result<Plain<'c, str>, String> {
    if !is_copied(|| content.lines(), versions)? {
        return Ok((Cow::Borrowed(content), 0));
    }
    let (mut plain, mut taken) = (String::with_capacity(content.len()), 0);
    for line in content.split_inclusive('\n') {
        let text = split_anchor(line).map(|(.., text)| text);
        taken += usize::from(text.is_some());
        plain.push_str(text.unwrap_or(line));
    }
    Ok((Cow::Owned(plain), taken))
}

/// Whether any new line of some hunks looks as if it had an anchor. `+12ab|let a = 1;`.
pub(crate) fn may_be_in(hunks: &[Hunk]) -> bool {
    hunks.iter().flat_map(Hunk::added_lines).any(|line| split_anchor(line).is_some())
}

/// Whether the old lines of a hunk have anchors too: then they are in the file, or the hunk is read without all of them.
/// `-12ab|let a = 1;`, `+12ab|let a = 2;`.
fn is_quoted_so(hunk: &Hunk) -> bool {
    hunk.old_lines().any(|line| split_anchor(line).is_some())
}

/// Whether new lines have copied anchors; the first that looks like it, where nobody can say. `12ab|let a = 2;`, where
/// line 12 of the file has that hash; a lone `12ab|x` of no file may be text.
fn is_copied<'n, I: Iterator<Item = &'n str>>(
    new: impl Fn() -> I,
    versions: &[Cow<'_, [u8]>],
) -> Result<bool, String> {
    let Some(first) = new().find(|line| split_anchor(line).is_some()) else { return Ok(false) };
    let files: Vec<Lines<'_>> = versions.iter().map(|version| Lines::new(version)).collect();
    let has_anchor = |text: &[u8]| std::str::from_utf8(text).is_ok_and(|text| split_anchor(text).is_some());
    if files.iter().any(|file| file.texts().any(has_anchor)) {
        return Ok(false);
    }
    let anchored = || new().filter_map(split_anchor);
    let is_of_file = |(number, hash, _): (usize, LineHash, &str)| {
        let at = |file: &&Lines<'_>| number.checked_sub(1).filter(|at| *at < file.len());
        files.iter().any(|file| at(&file).is_some_and(|at| hash.is_of(number, file.text(at))))
    };
    if anchored().any(is_of_file) {
        return Ok(true);
    }
    let is_own = |(number, hash, text): (usize, LineHash, &str)| hash.is_of(number, text.as_bytes());
    let count_up = || anchored().map(|(number, ..)| number).is_sorted_by(|one, next| one < next);
    let is_everywhere = new().filter(|line| !line.trim().is_empty()).all(|line| split_anchor(line).is_some());
    let is_certain = anchored().any(is_own) || anchored().nth(1).is_some() && count_up();
    match (is_everywhere, is_everywhere && is_certain) {
        (_, true) => Ok(true),
        // A new file may hold anything.
        (false, _) if files.iter().all(|file| file.len() == 0) => Ok(false),
        _ => Err(first.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anchors::anchored;

    const FILE: &str = "x = 1\ny = 2\nz = 3\n";

    #[track_caller]
    fn check(file: &str, content: &str, expected: Result<&str, &str>) {
        let found = plain_content(content, &[file.as_bytes().into()]);
        let found = found.as_ref().map(|(plain, _)| plain.as_ref()).map_err(String::as_str);
        assert_eq!(found, expected, "{content}");
        // The same as new lines of a hunk.
        let added = content.lines().map(|line| HunkLine::Added(line.to_owned())).collect();
        let hunks = [Hunk::new(added, 1)];
        let found = plain_hunks(&hunks, &[file.as_bytes().into()]);
        let found = found
            .map(|(plain, _)| plain[0].added_lines().map(|line| format!("{line}\n")).collect::<String>());
        assert_eq!(found.as_deref().map_err(String::as_str), expected, "{content}");
    }

    #[test]
    fn anchors_of_the_file_go_also_where_some_lines_have_none() {
        let shown = anchored(FILE.as_bytes(), 2, 2);
        check(FILE, &shown, Ok("y = 2\n"));
        check(FILE, &shown.replace("y = 2", "y = 3"), Ok("y = 3\n"));
        check(FILE, &format!("{shown}new\n"), Ok("y = 2\nnew\n"));
    }

    #[test]
    fn anchors_on_every_line_go_where_they_count_up() {
        check(FILE, "12ab|    y = 3\n\n13cd|    z = 4\n", Ok("    y = 3\n\n    z = 4\n"));
        check("", "1ab|x\n2cd|y\n", Ok("x\ny\n"));
        check("", &anchored(b"x = 1\n", 1, 1), Ok("x = 1\n"));
    }

    #[test]
    fn in_doubt_they_are_refused() {
        for content in ["12ab|    y = 3\n", "12ab|a\n12ab|b\n", "12ab|a\nb\n"] {
            check(FILE, content, Err(content.lines().next().unwrap_or_default()));
        }
        check("", "12ab|a\n", Err("12ab|a"));
    }

    #[test]
    fn text_that_is_like_them_stays() {
        for (file, content) in [
            ("10km|a\n", "12ab|b\n"),
            (FILE, "12|b\n0xab|c\nab|c\n"),
            ("", "A line begins with its anchor:\n12ab|b\n"),
        ] {
            check(file, content, Ok(content));
        }
    }

    #[test]
    fn a_hunk_that_quotes_anchors_is_read_as_a_whole() {
        let hunks = [Hunk::from_sides(&["12ab|y = 2"], &["12ab|y = 3"], 1)];
        let (plain, taken) = plain_hunks(&hunks, &[FILE.as_bytes().into()]).expect("no doubt");
        assert_eq!((plain.as_ref(), taken), (hunks.as_slice(), 0));
    }
}
