//! Why a hunk has no place, and what to send instead.

use std::borrow::Cow;
use std::ops::Range;

use super::Explain;
use crate::matcher::diagnose::{Nearest, line_range, visible};
use crate::matcher::{Failure, Repeats};
use crate::plan::targets::{Doubt, TargetFailure};
use crate::{Code, Diagnostic, Hunk, HunkLine, codes};

/// How many of the places at which a hunk is are listed.
const PLACES_SHOWN: usize = 5;

/// What is told about a hunk.
struct Told {
    code: Code,
    message: String,
    hint: Cow<'static, str>,
    /// The first line of the file it is about, counted from 0, and how many there are.
    lines: Option<(usize, usize)>,
}

impl Told {
    fn new(code: Code, message: String, hint: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message, hint: hint.into(), lines: None }
    }

    fn about(self, start: usize, len: usize) -> Self {
        Self { lines: Some((start, len)), ..self }
    }
}

impl Explain<'_> {
    pub(super) fn hunk_failure(&self, number: usize, failure: &Failure) -> Diagnostic {
        let hunk = self.hunk(number);
        let Told { code, message, hint, lines } = self.told(&self.name(number), hunk, failure);
        let finding = self.finding(code, message, hunk).hinted(hint);
        match lines {
            Some((start, len)) => finding.about_lines(start + 1, start + len),
            None => finding,
        }
    }

    fn told(&self, what: &str, hunk: Option<&Hunk>, failure: &Failure) -> Told {
        let path = &self.edit.path;
        match failure {
            Failure::NotFound(near) => self.not_found(what, hunk, near.as_ref()),
            Failure::Ambiguous(places) => ambiguous(path, &format!("the old lines of {what}"), places),
            Failure::AnchorRepeated { places, len } => {
                let places: Vec<Range<usize>> = places.iter().map(|start| *start..start + len).collect();
                ambiguous(path, &format!("the lines that both sides of {what} begin with"), &places)
            }
            Failure::Repeated(repeats) => repeated(path, what, hunk, *repeats),
            Failure::HintContradicts { .. }
            | Failure::Applied { .. }
            | Failure::Rivalled { .. }
            | Failure::OutOfScope(_)
            | Failure::NoIdentity(_)
            | Failure::Disorder(_) => {
                let len = hunk.map_or(1, |hunk| hunk.old_lines().count());
                contested(path, what, len, failure)
            }
            Failure::Escaped(_)
            | Failure::LookAlikes(_)
            | Failure::Enclosed(_)
            | Failure::NoAnchor
            | Failure::Indentation(_)
            | Failure::Verbatim(_)
            | Failure::TooMuchWork => unfit(path, what, failure),
        }
    }

    fn not_found(&self, what: &str, hunk: Option<&Hunk>, near: Option<&Nearest>) -> Told {
        let hint: Cow<'static, str> = match (self.elsewhere(hunk), near) {
            (Some(other), _) => format!("these lines are in `{other}`; is that the file you mean?").into(),
            (None, Some(near)) => {
                format!("{}. Copy the old lines exactly as the file has them", near.words()).into()
            }
            (None, None) => {
                "nothing in the file is similar; read the file again and copy the old lines from it".into()
            }
        };
        let first = hunk.and_then(|hunk| hunk.old_lines().find(|line| !line.trim().is_empty()));
        let message = format!(
            "the old lines of {what} were not found in `{}`; they begin with `{}`",
            self.edit.path,
            visible(first.unwrap_or_default().as_bytes())
        );
        let told = Told::new(codes::NOT_FOUND, message, hint);
        match near {
            Some(near) => told.about(near.start, near.len),
            None => told,
        }
    }

    pub(super) fn target_failure(&self, number: usize, failure: &TargetFailure) -> Diagnostic {
        let path = &self.edit.path;
        let (code, message, hint) = match failure {
            TargetFailure::NoSuchLine { line, len } => (
                codes::BAD_ANCHOR,
                format!("Line {line} does not exist (file has {len} lines)"),
                "read the file again and use the line numbers it has now".to_owned(),
            ),
            TargetFailure::Stale { line, shown } => (
                codes::STALE_ANCHOR,
                format!("line {line} of `{path}` has changed since its anchor was made"),
                format!("these are the lines there now; use their anchors:\n{shown}"),
            ),
            TargetFailure::Beside { line, text, shown } => (
                codes::BAD_ANCHOR,
                format!(
                    "`{}` is beside the anchor of line {line} of `{path}`, and is not that line",
                    visible(text.as_bytes())
                ),
                format!(
                    "write new lines below the operation, and the anchor alone or with its own line:\n{shown}"
                ),
            ),
            TargetFailure::Doubtful(doubt) => self.doubtful(number, *doubt),
            TargetFailure::Gone { line } => (
                codes::STALE_ANCHOR,
                format!(
                    "line {line} of `{path}`, next to which new lines go, has changed or gone since it was read"
                ),
                "read the file again and use the anchors it has now".to_owned(),
            ),
        };
        self.finding(code, message, self.hunk(number)).hinted(hint)
    }

    /// The new lines of an operation seem to be something else.
    fn doubtful(&self, number: usize, doubt: Doubt) -> (Code, String, String) {
        let what = self.name(number);
        match doubt {
            Doubt::Operation(below) => {
                let line = self.hunk(number).map_or(self.edit.line, |hunk| hunk.line) + below + 1;
                (
                    codes::BAD_ANCHOR,
                    format!("line {line}: unrecognized op. Use «ANCHOR..., »ANCHOR..., ≔A..B..."),
                    "write `»` to insert after, `«` before, `≔` to replace or delete".to_owned(),
                )
            }
            Doubt::Diff => (
                codes::AMBIGUOUS,
                format!("the new lines of {what} have the signs of a diff, and would be written with them"),
                "write new lines as the file should have them; name removed lines by their numbers"
                    .to_owned(),
            ),
            Doubt::Numbered => (
                codes::AMBIGUOUS,
                format!("the new lines of {what} have numbers before them, and would be written with them"),
                "write new lines as the file should have them, without numbers".to_owned(),
            ),
        }
    }
}

/// A place was found, and something speaks against it. `len` is how many lines the hunk covers.
fn contested(path: &str, what: &str, len: usize, failure: &Failure) -> Told {
    match failure {
        Failure::HintContradicts { found, hinted } => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the old lines of {what} match line {} of `{path}` exactly, and line {} almost, which is where \
                 its header points",
                found + 1,
                hinted + 1
            ),
            "correct the line number in the header, or copy the old lines exactly",
        ),
        Failure::Applied { found, done } => Told::new(
            codes::AMBIGUOUS,
            format!(
                "{what} may be applied already: its new lines are in line {} of `{path}`, and its old \
                 ones in line {}, between the same lines",
                done + 1,
                found + 1
            ),
            "if the other place is meant as well, add unchanged lines above or below that are only \
             there, or its line number",
        )
        .about(*found, len),
        Failure::Rivalled { found, other } => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the old lines of {what} match line {} of `{path}` with other white space, and \
                 line {} except for a typo",
                found + 1,
                other + 1
            ),
            "copy the old lines exactly as the file has them",
        )
        .about(*other, len),
        Failure::OutOfScope(start) => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the old lines of {what} match only line {} of `{path}`, which is not in the block \
                 its `@@` line names",
                start + 1
            ),
            "correct the `@@` line, or leave it out and add unchanged lines above and below",
        ),
        Failure::NoIdentity(start) => Told::new(
            codes::NO_ANCHOR,
            format!(
                "the old lines of {what} are only brackets and blank lines; they match line {} of \
                 `{path}`, and nothing shows that this place is meant",
                start + 1
            ),
            "include an unchanged line above or below that has words in it",
        ),
        Failure::Disorder(start) => Told::new(
            codes::NOT_FOUND,
            format!(
                "the old lines of {what} almost match line {} of `{path}`, which is out of order with \
                 the other hunks",
                start + 1
            ),
            "copy the old lines exactly as the file has them",
        ),
        _ => unfit(path, what, failure),
    }
}

/// The new lines do not fit the file, or nothing shows where they belong.
fn unfit(path: &str, what: &str, failure: &Failure) -> Told {
    match failure {
        Failure::Escaped(line) => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the new line `{}` of {what} has the escapes of {}, and no other line of `{path}` does",
                visible(line.as_bytes()),
                if line.contains("\\\"") { "a string" } else { "HTML" }
            ),
            "write the characters themselves; if the escapes are meant, send the change with --match exact",
        ),
        Failure::LookAlikes(exchanged) => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the new line `{}` of {what} has characters that look like those of `{path}`, which has none of \
                 them, and plain ones as well",
                visible(exchanged.line.as_bytes())
            ),
            "write quotes, dashes and arrows as the file does",
        ),
        Failure::Enclosed(end) => Told::new(
            codes::AMBIGUOUS,
            format!(
                "the new lines of {what} are blocks as deep as the bracket in line {} of `{path}`, and would \
                 end up inside the block it closes",
                end + 1
            ),
            "quote that bracket as an unchanged line where the new ones belong after it; otherwise indent \
             them as the block they belong to",
        )
        .about(*end, 1),
        Failure::NoAnchor => Told::new(
            codes::NO_ANCHOR,
            format!(
                "{what} has no old lines, and `{path}` is not empty: nothing shows where its new lines belong"
            ),
            "include the unchanged line above or below the new lines; to replace the whole file, send \
             its whole content",
        ),
        Failure::Indentation(line) => Told::new(
            codes::INDENTATION,
            format!(
                "{what} is indented differently from `{path}`, and the new line `{}` cannot be adjusted",
                visible(line.as_bytes())
            ),
            "indent the lines as the file does",
        ),
        Failure::Verbatim(line) => Told::new(
            codes::INDENTATION,
            format!(
                "{what} is indented differently from `{path}`, and its new line `{}` is in a text over \
                 several lines, whose indentation matters",
                visible(line.as_bytes())
            ),
            "copy the lines with the file's indentation",
        ),
        _ => Told::new(
            codes::TOO_LARGE,
            format!(
                "{what} matches too many places in `{path}`, or the reply takes too long to \
                 search for; the limits are 2,000 places, and 100 million comparisons for a reply"
            ),
            "include a line that is in the file only once, or send fewer edits at once",
        ),
    }
}

fn ambiguous(path: &str, lines: &str, places: &[Range<usize>]) -> Told {
    let range = |place: &Range<usize>| line_range(place.start, place.len());
    let shown: Vec<String> = places.iter().take(PLACES_SHOWN).map(range).collect();
    let more = match places.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more places"),
    };
    let (count, shown) = (places.len(), shown.join(", "));
    let message = format!("{lines} match {count} places in `{path}`: {shown}{more}");
    let hint = "add unchanged lines above or below until the old lines match only one place";
    let first = places.first().cloned().unwrap_or_default();
    Told::new(codes::AMBIGUOUS, message, hint).about(first.start, first.len())
}

fn repeated(path: &str, what: &str, hunk: Option<&Hunk>, repeats: Repeats) -> Told {
    let Repeats { start, end, above, below } = repeats;
    let (side, first, count) = if below > 0 {
        ("below", end, below)
    } else {
        ("above", start.saturating_sub(above), above.min(start))
    };
    let is_new = |line: &&HunkLine| !line.is_old() && !line.text().trim().is_empty();
    let mut new = hunk.map(|hunk| &hunk.lines).into_iter().flatten().filter(is_new);
    let copied = if below > 0 { new.next_back() } else { new.next() };
    let message = format!(
        "{what} adds `{}`, which is already right {side} its place, in {} of `{path}`; it may be meant \
         as an unchanged line",
        visible(copied.map_or("", HunkLine::text).as_bytes()),
        line_range(first, count)
    );
    let hint = "mark unchanged lines as such; if the line should be there twice, add an unchanged line \
                below and above the new ones";
    Told::new(codes::AMBIGUOUS, message, hint).about(first, count)
}
