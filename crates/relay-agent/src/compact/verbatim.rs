//! The text that survives a compaction word for word: the latest request, and pinned instructions.
//!
//! A summary is a model's wording. What the user asked for last, and what they pinned, is too important for that, so
//! it follows the summary unchanged. The entry's `details` keep it too: the next compaction takes it from there, not from
//! a text that a model wrote.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::view::{View, request};
use crate::session::body::Compaction;
use crate::session::{Body, Entry};

/// The type of a `custom_message` that holds a pinned instruction.
pub const PINNED: &str = "pinned";

/// What survives word for word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verbatim {
    /// The user's latest request, if it is not among the messages that are kept.
    pub latest_request: Option<String>,
    /// Instructions that were pinned.
    pub pinned: Vec<String>,
}

impl Verbatim {
    /// What must survive a cut before entry `cut` of the view. Labels come from the whole branch.
    pub(crate) fn collect(path: &[&Entry], view: &View<'_>, cut: usize, pinned: &[String]) -> Self {
        let latest =
            view.seen.iter().enumerate().rev().find_map(|(at, seen)| Some((at, request(seen.entry)?)));
        let latest_request = match latest {
            Some((at, _)) if at >= cut => None,
            Some((_, text)) => Some(text),
            None => view.previous.and_then(|previous| text(previous, "latestRequest")),
        };
        let labels = labels(path);
        let is_pinned = |entry: &Entry| match entry.body() {
            Body::CustomMessage(custom) => custom.custom_type == PINNED,
            _ => labels.get(entry.id()).is_some_and(|label| label.eq_ignore_ascii_case(PINNED)),
        };
        let mut all: Vec<String> = view.previous.map(earlier_pins).unwrap_or_default();
        let summarised = view.seen.iter().take(cut).map(|seen| seen.entry).filter(|entry| is_pinned(entry));
        all.extend(summarised.filter_map(super::view::message).map(|message| message.text()));
        all.extend(pinned.iter().cloned());
        let mut unique: Vec<String> = Vec::new();
        for text in all.into_iter().filter(|text| !text.trim().is_empty()) {
            if !unique.contains(&text) {
                unique.push(text);
            }
        }
        Self { latest_request, pinned: unique }
    }

    /// What follows the summary; empty if there is nothing.
    #[must_use]
    pub fn shown(&self) -> String {
        let block = |tag: &str, text: &str| format!("\n\n<{tag}>\n{text}\n</{tag}>");
        let mut shown = String::new();
        for pinned in &self.pinned {
            shown.push_str(&block("pinned-instructions", pinned));
        }
        if let Some(request) = &self.latest_request {
            shown.push_str(&block("latest-request", request));
        }
        shown
    }

    /// Stores it for the next compaction.
    pub(crate) fn add_to(&self, details: &mut Value) {
        if let Some(request) = &self.latest_request {
            details["latestRequest"] = json!(request);
        }
        if !self.pinned.is_empty() {
            details["pinned"] = json!(self.pinned);
        }
    }
}

fn text(compaction: &Compaction, name: &str) -> Option<String> {
    compaction.details.as_ref()?.get(name)?.as_str().map(str::to_owned)
}

fn earlier_pins(compaction: &Compaction) -> Vec<String> {
    let list =
        compaction.details.as_ref().and_then(|details| details.get("pinned")).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The labels in effect at the end of a branch.
fn labels<'a>(path: &[&'a Entry]) -> HashMap<&'a str, &'a str> {
    let mut labels = HashMap::new();
    for entry in path {
        if let Body::Label(label) = entry.body() {
            match label.label.as_deref() {
                Some(text) if !text.is_empty() => drop(labels.insert(label.target_id.as_str(), text)),
                _ => drop(labels.remove(label.target_id.as_str())),
            }
        }
    }
    labels
}
