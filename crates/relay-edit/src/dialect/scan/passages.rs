//! Keeps the account of a reply's blocks while it is read: where each begins and ends, and the prose above it.

use super::super::Kept;
use super::super::toolcall::Calls;
use crate::passage::{Body, Passage, Snippet};

/// How many lines of prose above a block are kept with it.
pub(super) const LEAD: usize = 24;

/// The blocks so far, and the one that is open.
#[derive(Debug, Default)]
pub(super) struct Passages {
    closed: Vec<Passage>,
    open: Option<(usize, String)>,
    /// A call in the open block that cannot be read, or changes nothing.
    call: Option<Body>,
}

impl Passages {
    /// A block begins in this line, below the prose from `from` on.
    pub fn open(&mut self, line: usize, prose: &Kept, from: usize) {
        if self.open.as_ref().is_some_and(|(first, _)| *first == line) {
            return;
        }
        let from = from.max(prose.len().saturating_sub(LEAD));
        self.open = Some((line, prose.text(from..prose.len()).to_owned()));
        self.call = None;
    }

    /// Notes the calls of the open block that are not edits.
    pub fn note_calls(&mut self, calls: &Calls) {
        let unknown = calls.unknown.first().map(|name| Body::UnknownCall(name.clone()));
        let harmless = || calls.harmless.first().map(|name| Body::HarmlessCall(name.clone()));
        let commands = || {
            let text = calls.commands.iter().map(|command| format!("{command}\n")).collect();
            let snippet = Snippet { language: "bash".to_owned(), text, ..Snippet::default() };
            (!calls.commands.is_empty() && calls.edits.is_empty()).then_some(Body::Code(snippet))
        };
        let data = || {
            let text = calls.data.clone()?;
            Some(Body::Code(Snippet { language: "json".to_owned(), text, ..Snippet::default() }))
        };
        let found =
            unknown.or_else(commands).or_else(data).or_else(|| harmless().filter(|_| calls.edits.is_empty()));
        if !matches!(self.call, Some(Body::UnknownCall(_))) {
            self.call = found.or_else(|| self.call.take());
        }
    }

    /// The open block ends in this line.
    pub fn close(&mut self, last: usize, body: Body) {
        let Some((first, lead)) = self.open.take() else { return };
        let body = match (self.call.take(), body) {
            (Some(call), Body::Read) => call,
            (_, body) => body,
        };
        self.closed.push(Passage { first, last: last.max(first), lead, body });
    }

    /// All blocks, in the order of the reply.
    pub fn into_list(self) -> Vec<Passage> {
        self.closed
    }
}
