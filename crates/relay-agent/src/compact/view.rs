//! What a model sees of a branch, entry by entry: the input of compaction.
//!
//! A [`View`] holds the entries after the last compaction and those it kept, in order, each with its size, and knows
//! where the branch may be cut: never so that a tool call and its result end up on different sides.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::session::body::Compaction;
use crate::session::{Body, Entry, Kind, Message};
use crate::tokens;

/// An entry that the model sees.
#[derive(Clone, Debug)]
pub(crate) struct Seen<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// About how many tokens it takes.
    pub tokens: u64,
    /// Whether it comes after the last compaction, so that its usage figures still apply.
    pub is_new: bool,
}

impl<'a> Seen<'a> {
    /// What it says, as a message.
    pub(crate) fn message(&self) -> Option<Cow<'a, Message>> {
        message(self.entry)
    }
}

/// What an entry says to a model, as a message.
pub(crate) fn message(entry: &Entry) -> Option<Cow<'_, Message>> {
    match entry.body() {
        Body::Message(message) => Some(Cow::Borrowed(message)),
        Body::CustomMessage(custom) => Some(Cow::Owned(Message::Custom((**custom).clone()))),
        Body::BranchSummary(branch) => {
            Some(Cow::Owned(Message::BranchSummary(crate::session::message::BranchSummaryMessage {
                summary: branch.summary.clone(),
                from_id: branch.from_id.clone(),
                timestamp: None,
            })))
        }
        _ => None,
    }
}

/// What a model sees of a branch.
#[derive(Clone, Debug, Default)]
pub(crate) struct View<'a> {
    /// The last compaction, whose summary the model sees first.
    pub previous: Option<&'a Compaction>,
    /// The entries, in order.
    pub seen: Vec<Seen<'a>>,
    /// Where the branch may be cut: `can_cut[i]` says whether entry `i` may be the first that is kept.
    pub can_cut: Vec<bool>,
}

impl<'a> View<'a> {
    /// Of a branch, from its root to its leaf.
    pub(crate) fn new(path: &[&'a Entry]) -> Self {
        let reset = path.iter().rposition(|entry| entry.kind() == Kind::ResetBoundary).map_or(0, |at| at + 1);
        let path = path.get(reset..).unwrap_or_default();
        let at = path.iter().rposition(|entry| matches!(entry.body(), Body::Compaction(_)));
        let previous = at.and_then(|at| path.get(at)).and_then(|entry| match entry.body() {
            Body::Compaction(compaction) => Some(&**compaction),
            _ => None,
        });
        let first_kept = previous.and_then(|compaction| compaction.first_kept_entry_id.as_deref());
        let first = match (at, first_kept) {
            (None, _) => 0,
            // A compaction that names an entry of another branch, or none, kept nothing before itself.
            (Some(at), id) => {
                id.and_then(|id| path.iter().take(at).position(|entry| entry.id() == id)).unwrap_or(at)
            }
        };
        let seen: Vec<Seen<'a>> = path
            .iter()
            .enumerate()
            .skip(first)
            .filter(|(_, entry)| message(entry).is_some())
            .map(|(index, entry)| Seen {
                entry,
                tokens: tokens::of_entry(entry),
                is_new: at.is_none_or(|at| index > at),
            })
            .collect();
        let can_cut = cuts(&seen);
        Self { previous, seen, can_cut }
    }

    /// How many tokens the model reads, without system prompt and tools unless the provider counted them.
    pub(crate) fn tokens(&self) -> u64 {
        let summary = self.previous.map_or(0, |compaction| tokens::of_text(&compaction.summary));
        let Some((at, measured)) = self.measured() else {
            return summary + self.seen.iter().map(|seen| seen.tokens).sum::<u64>();
        };
        measured + self.seen.iter().skip(at + 1).map(|seen| seen.tokens).sum::<u64>()
    }

    /// The last count of a provider that still describes the conversation, and the entry it comes with. Results that
    /// were pruned since were part of what it counted.
    fn measured(&self) -> Option<(usize, u64)> {
        let (at, counted, when) = self.seen.iter().enumerate().rev().find_map(|(at, seen)| {
            match seen.is_new.then(|| seen.entry.message()).flatten()? {
                Message::Assistant(said) if !said.is_broken_off() && said.usage.context_tokens() > 0 => {
                    Some((at, said.usage.context_tokens(), said.timestamp.unwrap_or(i64::MAX)))
                }
                _ => None,
            }
        })?;
        let pruned_since = self.seen.iter().take(at).filter_map(|seen| match seen.entry.message()? {
            Message::ToolResult(result) if result.pruned_at.is_some_and(|pruned| pruned >= when) => {
                super::prune::noted(&result.content.text(""))
            }
            _ => None,
        });
        Some((at, counted.saturating_sub(pruned_since.sum())))
    }

    /// How much larger the conversation is than its estimate, by what the provider counted: system prompt and tools are
    /// left out of this, so only long conversations say anything.
    pub(crate) fn scale(&self) -> f64 {
        let summary = self.previous.map_or(0, |compaction| tokens::of_text(&compaction.summary));
        let Some((at, measured)) = self.measured() else { return 1.0 };
        let estimated = summary + self.seen.iter().take(at + 1).map(|seen| seen.tokens).sum::<u64>();
        if estimated < 10_000 { 1.0 } else { (measured as f64 / estimated as f64).clamp(0.5, 2.0) }
    }
}

/// Whether an entry may be the first one kept: it is not a result, and every earlier call has one.
fn cuts(seen: &[Seen<'_>]) -> Vec<bool> {
    let mut open: HashMap<&str, usize> = HashMap::new();
    let mut blocked_until = vec![0_usize; seen.len()];
    for (at, entry) in seen.iter().enumerate() {
        match entry.entry.message() {
            Some(Message::Assistant(said)) if !said.is_broken_off() => {
                for call in said.tool_calls() {
                    open.insert(&call.id, at);
                }
            }
            Some(Message::ToolResult(result)) => {
                if let Some(from) = open.remove(result.tool_call_id.as_str())
                    && let Some(until) = blocked_until.get_mut(from)
                {
                    *until = (*until).max(at);
                }
            }
            _ => {}
        }
    }
    // The newest answer's calls are still being worked on; older ones without a result never get one.
    let newest = seen.iter().rposition(|entry| matches!(entry.entry.message(), Some(Message::Assistant(_))));
    if let Some(newest) = newest.filter(|newest| open.values().any(|at| at == newest))
        && let Some(until) = blocked_until.get_mut(newest)
    {
        *until = seen.len();
    }
    let mut reach = None;
    seen.iter()
        .zip(blocked_until)
        .enumerate()
        .map(|(at, (entry, until))| {
            let is_result = matches!(entry.entry.message(), Some(Message::ToolResult(_)));
            let can_cut = !is_result && reach.is_none_or(|reach| at > reach);
            reach = reach.max((until > 0).then_some(until));
            can_cut
        })
        .collect()
}

/// Whether an entry begins a turn: the user, or something that speaks in their place, said something.
pub(crate) fn begins_turn(entry: &Entry) -> bool {
    match entry.body() {
        Body::Message(message) => !matches!(
            **message,
            Message::Assistant(_) | Message::ToolResult(_) | Message::Unknown(_) | Message::Custom(_)
        ),
        Body::CustomMessage(custom) => custom.attribution.as_deref() == Some("user"),
        Body::BranchSummary(_) => true,
        _ => false,
    }
}

/// What the user asked for, if the entry is such a request: their own words, not those of the program.
pub(crate) fn request(entry: &Entry) -> Option<String> {
    let text = match entry.body() {
        Body::Message(message) => match &**message {
            Message::User(said)
                if said.synthetic != Some(true) && said.attribution.as_deref() != Some("agent") =>
            {
                with_pictures(&said.content)
            }
            _ => return None,
        },
        Body::CustomMessage(custom) if custom.attribution.as_deref() == Some("user") => {
            with_pictures(&custom.content)
        }
        _ => return None,
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The words, and a mark for each picture: it cannot survive in a summary, but its mention can.
fn with_pictures(content: &crate::session::Content) -> String {
    let pictures =
        content.blocks().iter().filter(|block| matches!(block, crate::session::Block::Image { .. })).count();
    let mut text = content.text("\n");
    for _ in 0..pictures {
        text.push_str(if text.is_empty() { "[picture]" } else { "\n[picture]" });
    }
    text
}
