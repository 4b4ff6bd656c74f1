//! Reads a result from top to bottom: all of it must be what the file and the placements say.

use std::ops::Range;

use super::VerifyError;
use super::claims::{Claims, NewLine};
use super::file::File;
use super::rest::Rest;
use crate::EndOfFile;

/// Reads the result from top to bottom: what lies between the places that placements speak of must be the same bytes.
pub(super) fn read_result(
    file: &File<'_>,
    claims: &Claims<'_>,
    mut rest: Rest<'_>,
) -> Result<(), VerifyError> {
    let mut read = 0;
    let lacks_ending = file.ends_without_ending(0..file.bytes.len());
    let wrong = |rest: Rest<'_>| VerifyError::WrongResult(rest.read);
    let mut inserted = claims.inserted.iter().peekable();
    let mut removed = claims.lines.iter().filter(|(_, removed)| *removed).map(|(at, _)| *at).peekable();
    loop {
        let next = [inserted.peek().map(|(place, _)| *place), removed.peek().copied()];
        let Some(at) = next.into_iter().flatten().min() else { break };
        let offset = file.offset(at).ok_or_else(|| wrong(rest))?;
        rest = read_old(file, read..offset, rest)?;
        let mut unended = file.ends_without_ending(read..offset);
        read = offset;
        let ending = file.ending_at(offset);
        while let Some((_, line)) = inserted.next_if(|(place, _)| *place == at) {
            // Behind a last line that has no ending a new one would continue it.
            if std::mem::take(&mut unended) {
                rest = rest.strip_prefix(ending).ok_or_else(|| wrong(rest))?;
            }
            rest = read_new_line(rest, line, ending, lacks_ending).ok_or_else(|| wrong(rest))?;
        }
        if removed.next_if_eq(&at).is_some() {
            read = file.span(at).ok_or_else(|| wrong(rest))?.end;
        }
    }
    rest = read_old(file, read..file.bytes.len(), rest)?;
    if rest.is_empty() { Ok(()) } else { Err(wrong(rest)) }
}

/// Takes bytes of the file off the front. The error names the first wrong line.
fn read_old<'a>(file: &File<'_>, range: Range<usize>, rest: Rest<'a>) -> Result<Rest<'a>, VerifyError> {
    let bytes = file.bytes.get(range).ok_or(VerifyError::WrongResult(rest.read))?;
    rest.strip_prefix(bytes).ok_or_else(|| {
        let same = rest.bytes().zip(bytes).take_while(|(found, wanted)| found == wanted).count();
        let line = bytes.iter().take(same).rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        VerifyError::WrongResult(rest.read + line)
    })
}

/// Takes one new line off the front, and an ending. At the end of the file that is there or not as the hunk says, or else as
/// it was; `unended` says that it was not.
fn read_new_line<'a>(rest: Rest<'a>, line: &NewLine<'_>, ending: &[u8], unended: bool) -> Option<Rest<'a>> {
    let rest = rest.strip_prefix(&line.bytes)?;
    let ended = match line.end {
        EndOfFile::WithNewline => true,
        EndOfFile::WithoutNewline => false,
        EndOfFile::Unsaid | EndOfFile::Reached => !unended,
    };
    // At the end of the file the ending may be missing, but then not by chance; a blank line is nothing without it.
    let may_lack = !ended && !line.bytes.is_empty();
    if rest.is_empty() {
        return may_lack.then_some(rest);
    }
    rest.strip_prefix(ending).filter(|rest| !(rest.is_empty() && may_lack))
}
