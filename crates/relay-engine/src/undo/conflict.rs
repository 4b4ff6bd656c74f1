//! What prevents an undo, as a person reads it: the lines, what they were, and the ways out.

use relay_diagnostics::Diagnostic;
use relay_edit::{Conflict, DiffKind, FileDiff, diff};

use super::select::Selection;
use crate::codes;
use crate::engine::Engine;
use crate::ledger::blame::blame;
use crate::ledger::history::{EntryStatus, History};

/// How many lines of one conflict are shown on each side.
const LINES_SHOWN: usize = 6;

/// How many later transactions a hint names.
const LATER_NAMED: usize = 4;

/// A file as it is and as it would have to become.
pub(super) struct Since<'a> {
    pub path: &'a str,
    pub now: &'a [u8],
    pub before: &'a [u8],
}

/// Everything that prevents an undo so far. What is noted here becomes nothing: that is what the methods return.
pub(super) struct Conflicts<'a> {
    engine: &'a Engine,
    history: &'a History,
    selection: &'a Selection<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> Conflicts<'a> {
    pub fn new(engine: &'a Engine, history: &'a History, selection: &'a Selection<'a>) -> Self {
        Self { engine, history, selection, found: Vec::new() }
    }

    /// The whole list, if there is anything on it.
    pub fn settle(&self) -> Result<(), Vec<Diagnostic>> {
        if self.found.is_empty() { Ok(()) } else { Err(self.found.clone()) }
    }

    /// The file is there, or not there, or not what it was, as a whole.
    pub fn whole<T>(&mut self, path: &str, what: &str) -> Option<T> {
        let finding = Diagnostic::error(codes::CHANGED_SINCE, format!("{path} {what}"));
        self.found.push(finding.on(path).hinted(self.ways_out(path, &[])));
        None
    }

    /// The file was made by the transaction, so the undo removes it, and with it what others wrote into it since.
    pub fn created<T>(&mut self, path: &str, left: &[u8], now: &[u8]) -> Option<T> {
        let mut message = format!("{path} was created there and has changed since; it would be removed");
        let mut lines = None;
        if let FileDiff::Text(hunks) = diff(left, now) {
            let changed =
                hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == DiffKind::Added);
            let shown: Vec<(usize, String)> =
                changed.filter_map(|line| Some((line.new?, line.text.clone()))).collect();
            lines = shown.first().map(|(first, _)| *first).zip(shown.last().map(|(last, _)| *last));
            message.push_str(&quoted("these lines are newer:", shown.into_iter()));
        }
        let finding =
            Diagnostic::error(codes::UNDO_CONFLICT, message).on(path).hinted(self.ways_out(path, &[]));
        self.found.push(match lines {
            Some((first, last)) => finding.about_lines(first, last),
            None => finding,
        });
        None
    }

    /// Lines that the transaction wrote and a later edit changed.
    pub fn lines<T>(&mut self, since: &Since<'_>, conflicts: &[Conflict]) -> Option<T> {
        let (now, before) = (texts(since.now), texts(since.before));
        let writers = self.writers(since.path, now.len());
        for conflict in conflicts {
            let place = match conflict.ours.len() {
                0 => format!(
                    "{} has lines removed since, before line {},",
                    since.path,
                    conflict.ours.start + 1
                ),
                1 => format!("line {} of {} has changed since", conflict.ours.start + 1, since.path),
                _ => format!(
                    "lines {}–{} of {} have changed since",
                    conflict.ours.start + 1,
                    conflict.ours.end,
                    since.path
                ),
            };
            let numbered = |lines: &[String], range: &std::ops::Range<usize>| {
                let taken = lines.get(range.clone()).unwrap_or_default().to_vec();
                (range.start + 1..).zip(taken).collect::<Vec<_>>()
            };
            let message = format!(
                "{place} where the undo would write{}{}",
                quoted("now:", numbered(&now, &conflict.ours).into_iter()),
                quoted("before the transaction:", numbered(&before, &conflict.theirs).into_iter())
            );
            let finding = Diagnostic::error(codes::UNDO_CONFLICT, message).on(since.path);
            let (first, last) = (conflict.ours.start + 1, conflict.ours.end.max(conflict.ours.start + 1));
            let touched = writers.get(conflict.ours.clone()).unwrap_or_default();
            self.found.push(finding.about_lines(first, last).hinted(self.ways_out(since.path, touched)));
        }
        None
    }

    /// The numbers of the transactions that wrote each line of the file, as far as they are known.
    fn writers(&self, path: &str, lines: usize) -> Vec<Option<u64>> {
        let path = self.engine.workspace().path(path).ok();
        let blamed = path.and_then(|path| blame(self.engine, self.history, &path, None).ok());
        let writers = blamed.into_iter().flat_map(|blamed| blamed.lines);
        let writers: Vec<Option<u64>> =
            writers.map(|line| line.entry.map(|entry| entry.record.sequence)).collect();
        // Several transactions undone at once have lines that are not on the disk.
        if writers.len() == lines { writers } else { Vec::new() }
    }

    /// Names the transactions that touched the file later, and the flag that restores it anyway. Where the lines in
    /// question are known to be of some of them, only those are named.
    fn ways_out(&self, path: &str, writers: &[Option<u64>]) -> String {
        let oldest = self.selection.steps.last().map_or(0, |step| step.entry.record.sequence);
        let later: Vec<u64> = self
            .history
            .entries
            .iter()
            .filter(|entry| entry.record.sequence > oldest && entry.status != EntryStatus::Undone)
            .filter(|entry| !self.selection.contains(entry.record.uuid))
            .filter(|entry| entry.record.paths().any(|other| other == path) && !entry.undone.contains(path))
            .map(|entry| entry.record.sequence)
            .collect();
        let wrote = |number: &&u64| writers.contains(&Some(**number));
        let is_known = later.iter().any(|number| wrote(&number));
        let named = later.iter().filter(|number| !is_known || wrote(number)).take(LATER_NAMED);
        let named: Vec<String> = named.map(|number| format!("#{number}")).collect();
        let first = match named.as_slice() {
            [] => "It was changed outside Relay: restore those lines".to_owned(),
            some => format!("Undo {} first", some.join(", ")),
        };
        format!("{first}, or restore the file whole with --force-file {path} (which can be undone too).")
    }
}

fn texts(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(str::to_owned).collect()
}

/// Lines below a title, with their numbers; only the first few of many.
fn quoted(title: &str, lines: impl ExactSizeIterator<Item = (usize, String)>) -> String {
    let mut text = format!("\n{title}");
    let all = lines.len();
    if all == 0 {
        text.push_str(" nothing");
    }
    for (number, line) in lines.take(LINES_SHOWN) {
        text.push_str(&format!("\n  {number:>4} │ {line}"));
    }
    if all > LINES_SHOWN {
        text.push_str(&format!("\n       │ … {} more", all - LINES_SHOWN));
    }
    text
}
