//! What a model sees of a session, and the state the agent is in: a pure function of the entries and the leaf.
//!
//! The path from the root to the leaf decides. If the conversation was compacted there, the latest summary comes first,
//! then the entries that it keeps, then everything after it; what lies before a [`Body::ResetBoundary`] is never seen.
//! Nothing else in the log matters, so moving the leaf is all it takes to change the conversation.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use relay_store::Blobs;
use serde_json::Value;

use super::body::{Body, Compaction, Kind, ModelChange};
use super::convert;
use super::entry::Entry;
use super::list::in_parallel;
use super::message::{
    AssistantMessage, BranchSummaryMessage, CompactionSummaryMessage, CustomMessage, Message,
    ToolResultMessage,
};
use super::pictures;
use super::stamp::milliseconds;
use super::tree;

/// The role of a model whose entry names none.
pub const DEFAULT_ROLE: &str = "default";

/// Which entry a context is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf<'a> {
    /// Before the first entry.
    Root,
    /// This one, or the last entry of the log if there is none of that id.
    Entry(&'a str),
    /// The last entry of the log.
    Last,
}

/// What a model sees, and the state the agent is in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context<'a> {
    /// The messages, with the entries they come from.
    pub messages: Vec<Seen<'a>>,
    /// The state.
    pub state: State,
}

/// A message and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// The message.
    pub message: Cow<'a, Message>,
}

/// The state an agent is in at an entry.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The model of each role, as `provider/model`. The role of the conversation itself is [`DEFAULT_ROLE`].
    pub models: BTreeMap<String, String>,
    /// The thinking level; `off` unless it was changed.
    pub thinking_level: String,
    /// Whether an entry set the thinking level. If not, the user's settings decide.
    pub is_thinking_set: bool,
    /// The service tier.
    pub service_tier: Option<Value>,
    /// The mode; `none` for the usual one.
    pub mode: String,
    /// What belongs to the mode.
    pub mode_data: Option<Value>,
    /// The stream rules that were shown, each once, in the order in which they came.
    pub injected_rules: Vec<String>,
    /// The tools of MCP servers that are in use; none if that was never decided.
    pub selected_tools: Option<Vec<String>>,
    /// The checkpoint that was set and not gone back to.
    pub checkpoint: Option<Checkpoint>,
}

/// A checkpoint of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// The entry with the checkpoint's result; going back means to move the leaf here.
    pub entry_id: String,
    /// What was to be found out.
    pub goal: String,
    /// When it was set.
    pub started_at: String,
}

impl Default for State {
    fn default() -> Self {
        Self {
            models: BTreeMap::new(),
            thinking_level: "off".to_owned(),
            is_thinking_set: false,
            service_tier: None,
            mode: "none".to_owned(),
            mode_data: None,
            injected_rules: Vec::new(),
            selected_tools: None,
            checkpoint: None,
        }
    }
}

impl Context<'_> {
    /// The messages for a model, with their pictures, and the pictures that are missing. A missing one is replaced by a
    /// note, because a provider refuses a reference.
    #[must_use]
    pub fn to_llm(&self, blobs: Option<&Blobs>) -> (Vec<relay_llm::Message>, Vec<String>) {
        let mut messages = convert::to_llm(self.messages.iter().map(|seen| &*seen.message));
        let missing = pictures::restore(&mut messages, blobs);
        (messages, missing)
    }
}

/// What a model sees of a log at a leaf, and the state there.
#[must_use]
pub fn context<'a>(entries: &'a [Entry], leaf: Leaf<'_>) -> Context<'a> {
    let by_id: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.id(), entry)).collect();
    let leaf = match leaf {
        Leaf::Root => None,
        Leaf::Entry(id) => by_id.get(id).copied().or(entries.last()),
        Leaf::Last => entries.last(),
    };
    leaf.map_or_else(Context::default, |leaf| {
        of_path(&tree::branch(leaf.id(), entries.len(), |id| by_id.get(id).copied()))
    })
}

/// As [`context`], of the entries from the root to the leaf.
#[must_use]
pub fn of_path<'a>(path: &[&'a Entry]) -> Context<'a> {
    decode(path);
    Context { messages: messages(path), state: state(path) }
}

/// From this many entries on it pays to decode them on several processors.
const MANY: usize = 1_000;

/// Decodes the entries of a long path at once, on all processors. Those of a session that was just opened are not decoded
/// yet; the result is the same without this.
fn decode(path: &[&Entry]) {
    let waiting: Vec<&Entry> = path.iter().filter(|entry| !entry.is_decoded()).copied().collect();
    if waiting.len() >= MANY {
        in_parallel(waiting, |entry| entry.body().kind());
    }
}

fn messages<'a>(path: &[&'a Entry]) -> Vec<Seen<'a>> {
    let after = |kind: Kind| path.iter().rposition(|entry| entry.kind() == kind);
    let begin = after(Kind::ResetBoundary).map_or(0, |boundary| boundary + 1);
    let path = path.get(begin..).unwrap_or_default();
    let summary = path.iter().enumerate().rev().find_map(|(at, entry)| match entry.body() {
        Body::Compaction(compaction) if entry.kind() == Kind::Compaction => Some((at, *entry, &**compaction)),
        _ => None,
    });
    let Some((at, entry, compaction)) = summary else { return seen(path).collect() };
    let (before, rest) = path.split_at_checked(at).unwrap_or((path, &[]));
    let is_first_kept = |entry: &&Entry| compaction.first_kept_entry_id.as_deref() == Some(entry.id());
    let first_kept = before.iter().position(is_first_kept).unwrap_or(before.len());
    let kept = before.get(first_kept..).unwrap_or_default();
    let first = Seen { entry, message: Cow::Owned(summarised(entry, compaction)) };
    std::iter::once(first).chain(seen(kept)).chain(seen(rest)).collect()
}

fn seen<'a>(path: &[&'a Entry]) -> impl Iterator<Item = Seen<'a>> {
    path.iter().filter_map(|entry| Some(Seen { entry, message: message_of(entry)? }))
}

/// The message an entry is to a model; none for everything that is only bookkeeping.
fn message_of(entry: &Entry) -> Option<Cow<'_, Message>> {
    // The type is known without decoding the entry.
    match entry.kind() {
        Kind::Message | Kind::CustomMessage | Kind::BranchSummary => {}
        _ => return None,
    }
    let timestamp = || milliseconds(entry.timestamp());
    match entry.body() {
        Body::Message(message) => Some(Cow::Borrowed(message)),
        Body::CustomMessage(message) => {
            let message = CustomMessage { timestamp: timestamp(), ..CustomMessage::clone(message) };
            Some(Cow::Owned(Message::Custom(message)))
        }
        Body::BranchSummary(summary) if !summary.summary.is_empty() => {
            Some(Cow::Owned(Message::BranchSummary(BranchSummaryMessage {
                summary: summary.summary.clone(),
                from_id: summary.from_id.clone(),
                timestamp: timestamp(),
            })))
        }
        _ => None,
    }
}

fn summarised(entry: &Entry, compaction: &Compaction) -> Message {
    Message::CompactionSummary(CompactionSummaryMessage {
        summary: compaction.summary.clone(),
        short_summary: compaction.short_summary.clone(),
        tokens_before: compaction.tokens_before,
        timestamp: milliseconds(entry.timestamp()),
    })
}

fn state(path: &[&Entry]) -> State {
    let mut state = State::default();
    let mut answered: Option<&AssistantMessage> = None;
    for entry in path {
        match entry.body() {
            Body::ModelChange(change) => choose_model(&mut state, change),
            Body::ThinkingLevelChange(change) => {
                state.thinking_level = change.thinking_level.clone().unwrap_or_else(|| "off".to_owned());
                state.is_thinking_set = true;
            }
            Body::ServiceTierChange(change) => state.service_tier.clone_from(&change.service_tier),
            Body::ModeChange(change) => {
                state.mode.clone_from(&change.mode);
                state.mode_data.clone_from(&change.data);
            }
            Body::McpToolSelection(chosen) => state.selected_tools = Some(chosen.selected_tool_names.clone()),
            Body::TtsrInjection(injection) => {
                for rule in &injection.injected_rules {
                    if !state.injected_rules.contains(rule) {
                        state.injected_rules.push(rule.clone());
                    }
                }
            }
            Body::Message(message) => match &**message {
                Message::Assistant(message) => answered = Some(message),
                Message::ToolResult(result) => set_checkpoint(&mut state, entry, result),
                _ => {}
            },
            _ => {}
        }
        if ends_checkpoint(entry, state.checkpoint.as_ref()) {
            state.checkpoint = None;
        }
    }
    let fallback = answered.filter(|message| !message.model.is_empty());
    if let Some(message) = fallback.filter(|_| !state.models.contains_key(DEFAULT_ROLE)) {
        let model = format!("{}/{}", message.provider, message.model);
        state.models.insert(DEFAULT_ROLE.to_owned(), model);
    }
    state
}

fn choose_model(state: &mut State, change: &ModelChange) {
    let role = change.role.as_deref().unwrap_or(DEFAULT_ROLE);
    state.models.insert(role.to_owned(), change.selector());
}

/// A checkpoint is the result of the tool of that name; the seed of this format forgets it with the process.
fn set_checkpoint(state: &mut State, entry: &Entry, result: &ToolResultMessage) {
    if result.tool_name != "checkpoint" || result.is_error {
        return;
    }
    let detail = |key: &str| {
        result
            .details
            .as_ref()
            .and_then(|details| details.get(key))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    state.checkpoint = Some(Checkpoint {
        entry_id: entry.id().to_owned(),
        goal: detail("goal").unwrap_or_default(),
        started_at: detail("startedAt").unwrap_or_else(|| entry.timestamp().to_owned()),
    });
}

/// A checkpoint is over when the conversation went back to it, or when the user stopped the turn.
fn ends_checkpoint(entry: &Entry, checkpoint: Option<&Checkpoint>) -> bool {
    let Some(checkpoint) = checkpoint else { return false };
    match entry.body() {
        Body::BranchSummary(summary) => summary.from_id == checkpoint.entry_id,
        Body::CustomMessage(message) => message.custom_type == "rewind-report",
        Body::Message(message) => {
            matches!(&**message, Message::Assistant(message) if message.stop_reason == "aborted")
        }
        _ => false,
    }
}
