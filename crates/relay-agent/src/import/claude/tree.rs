//! Where each line of a log went in the session's tree.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::import::lines::text;

/// A call that has no result yet.
#[derive(Debug)]
struct Call {
    round: usize,
    name: String,
}

/// An answer and its results: what comes next follows the last of them.
#[derive(Debug)]
struct Round {
    last: String,
}

/// From uuids of lines to ids of entries.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The entry that a line became, or the one it follows if it became none.
    places: HashMap<String, Option<String>>,
    /// The round an entry belongs to.
    rounds_of: HashMap<String, usize>,
    rounds: Vec<Round>,
    calls: HashMap<String, Call>,
    last: Option<String>,
}

impl Tree {
    /// The entry that a line follows.
    pub(super) fn parent(&self, object: &Map<String, Value>) -> Option<String> {
        // After a compaction the chain begins anew and names the line before it beside.
        let Some(uuid) = text(object, "parentUuid").or_else(|| text(object, "logicalParentUuid")) else {
            // The first line of a log has no parent. A later one without a parent begins the conversation anew.
            return None;
        };
        let place = match self.places.get(uuid) {
            Some(place) => place.clone(),
            // The parent was damaged or left in another file; the order of the lines is the best that is known.
            None => self.last.clone(),
        };
        let round = place.as_deref().and_then(|entry| self.rounds_of.get(entry));
        round.and_then(|round| self.rounds.get(*round)).map(|round| round.last.clone()).or(place)
    }

    /// A line that became no entry: what follows it follows its parent.
    pub(super) fn pass(&mut self, object: &Map<String, Value>) {
        let already = text(object, "uuid").is_none_or(|uuid| self.places.contains_key(uuid));
        if let Some(uuid) = text(object, "uuid").filter(|_| !already) {
            let parent = self.parent(object);
            self.places.insert(uuid.to_owned(), parent);
        }
    }

    /// A further line of an answer that is an entry already.
    pub(super) fn join(&mut self, object: &Map<String, Value>) {
        self.pass(object);
    }

    /// A line became an entry.
    pub(super) fn place(&mut self, object: &Map<String, Value>, id: &str) {
        if let Some(uuid) = text(object, "uuid") {
            self.places.insert(uuid.to_owned(), Some(id.to_owned()));
        }
        self.last = Some(id.to_owned());
    }

    /// A line became an answer with these calls.
    pub(super) fn answered(&mut self, object: &Map<String, Value>, id: &str, calls: Vec<(String, String)>) {
        self.place(object, id);
        let round = self.rounds.len();
        self.rounds.push(Round { last: id.to_owned() });
        self.rounds_of.insert(id.to_owned(), round);
        self.calls.extend(calls.into_iter().map(|(call_id, name)| (call_id, Call { round, name })));
    }

    /// The entry that a call's result follows, and the tool's name; none if there is no such call, or if it has a result
    /// already.
    pub(super) fn take_call(&mut self, call_id: &str) -> Option<(String, String)> {
        let call = self.calls.get_mut(call_id)?;
        let last = self.rounds.get(call.round)?.last.clone();
        (!call.name.is_empty()).then(|| (last, std::mem::take(&mut call.name)))
    }

    /// A result became an entry.
    pub(super) fn resulted(&mut self, object: &Map<String, Value>, id: &str, call_id: &str) {
        self.place(object, id);
        if let Some(round) = self.calls.get(call_id).map(|call| call.round) {
            self.rounds_of.insert(id.to_owned(), round);
            if let Some(round) = self.rounds.get_mut(round) {
                id.clone_into(&mut round.last);
            }
        }
    }
}
