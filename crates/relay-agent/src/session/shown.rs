//! Which entries of a tree a front end shows, and which of them a search finds.

use super::body::{Body, Kind};
use super::entry::Entry;
use super::message::{AssistantMessage, Message};

/// How much of a tree is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeFilter {
    /// The conversation: everything but labels, states, and changes of model and thinking level.
    #[default]
    Default,
    /// The same without results of tools.
    NoTools,
    /// Only what the user said.
    UserOnly,
    /// Only entries that have names.
    LabeledOnly,
    /// Everything.
    All,
}

impl TreeFilter {
    /// All of them, in the order in which a front end goes through them.
    pub const EACH: [Self; 5] = [Self::Default, Self::NoTools, Self::UserOnly, Self::LabeledOnly, Self::All];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::NoTools => "no-tools",
            Self::UserOnly => "user-only",
            Self::LabeledOnly => "labeled-only",
            Self::All => "all",
        }
    }

    /// Whether an entry with this name is shown. Answers that only call tools are left out, unless they broke off or are
    /// the leaf.
    #[must_use]
    pub fn shows(self, entry: &Entry, label: Option<&str>, is_leaf: bool) -> bool {
        if self == Self::All {
            return true;
        }
        let only_calls = matches!(entry.message(), Some(Message::Assistant(message)) if calls_only(message));
        if only_calls && !is_leaf {
            return false;
        }
        let is_bookkeeping = matches!(
            entry.kind(),
            Kind::Label | Kind::Custom | Kind::ModelChange | Kind::ThinkingLevelChange
        );
        match self {
            Self::Default | Self::All => !is_bookkeeping,
            Self::NoTools => !is_bookkeeping && !matches!(entry.message(), Some(Message::ToolResult(_))),
            Self::UserOnly => matches!(entry.message(), Some(Message::User(_))),
            Self::LabeledOnly => label.is_some(),
        }
    }
}

fn calls_only(message: &AssistantMessage) -> bool {
    let is_sound = matches!(message.stop_reason.as_str(), "stop" | "toolUse" | "");
    is_sound && message.tool_calls().next().is_some() && message.content.text("").trim().is_empty()
}

/// Whether an entry has all words of a query, in any case, in its name, role, words, summaries or the arguments of its tool
/// calls.
#[must_use]
pub fn tree_search(entry: &Entry, label: Option<&str>, query: &str) -> bool {
    let mut text = format!("{} {} ", label.unwrap_or_default(), role(entry));
    text.push_str(&searchable(entry));
    let text = text.to_lowercase();
    query.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
}

/// `user`, `assistant` and so on, or the entry's type.
pub(crate) fn role(entry: &Entry) -> &str {
    entry.message().map_or(entry.kind().name(), Message::role)
}

/// What an entry says, as far as it can be searched: words, summaries, names, and what tools were called with.
#[must_use]
pub fn searchable(entry: &Entry) -> String {
    match entry.body() {
        Body::Message(message) => {
            let calls = match &**message {
                Message::Assistant(message) => called(message),
                _ => String::new(),
            };
            message.text() + &calls
        }
        Body::CustomMessage(message) => format!("{} {}", message.custom_type, message.content.text("\n")),
        Body::Custom(custom) => custom.custom_type.clone(),
        Body::ModelChange(change) => change.selector(),
        Body::BranchSummary(summary) => summary.summary.clone(),
        Body::Compaction(compaction) => compaction.summary.clone(),
        Body::Label(label) => label.label.clone().unwrap_or_default(),
        Body::SessionInfo(info) => info.name.clone().unwrap_or_default(),
        Body::SessionInit(init) => init.task.clone(),
        _ => String::new(),
    }
}

fn called(message: &AssistantMessage) -> String {
    let calls = message.tool_calls().map(|call| {
        let texts = call.arguments.values().filter_map(serde_json::Value::as_str);
        format!("\n{} {}", call.name, texts.collect::<Vec<_>>().join(" "))
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(fields: &str) -> Entry {
        Entry::parse(&format!("{{\"id\":\"a\",{fields}}}")).unwrap()
    }

    fn message(json: &str) -> Entry {
        entry(&format!("\"type\":\"message\",\"message\":{json}"))
    }

    const CALL: &str = r#"{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"cargo test"}}"#;

    /// Which filters show an entry, by the first letters of their names.
    fn check(entry: &Entry, label: Option<&str>, is_leaf: bool, shown: &str) {
        let filters = TreeFilter::EACH.iter().filter(|filter| filter.shows(entry, label, is_leaf));
        let letters: String = filters.filter_map(|filter| filter.name().chars().next()).collect();
        assert_eq!(letters, shown, "{entry:?}");
    }

    #[test]
    fn each_filter_shows_its_entries() {
        check(&message(r#"{"role":"user","content":"x"}"#), None, false, "dnua");
        check(&message(r#"{"role":"user","content":"x"}"#), Some("l"), false, "dnula");
        check(&message(r#"{"role":"toolResult","content":"x"}"#), None, false, "da");
        check(&message(r#"{"role":"assistant","content":"x"}"#), None, false, "dna");
        for kind in ["label", "custom", "model_change", "thinking_level_change"] {
            check(&entry(&format!("\"type\":\"{kind}\"")), None, false, "a");
        }
        check(&entry("\"type\":\"mode_change\""), None, false, "dna");
        let call = |stop: &str| {
            message(&format!("{{\"role\":\"assistant\",\"stopReason\":\"{stop}\",\"content\":[{CALL}]}}"))
        };
        check(&call("toolUse"), None, false, "a");
        check(&call("toolUse"), None, true, "dna");
        check(&call("aborted"), None, false, "dna");
    }

    #[test]
    fn a_search_wants_all_words() {
        let call = message(&format!("{{\"role\":\"assistant\",\"content\":[{CALL}]}}"));
        for (query, is_found) in [
            ("TEST cargo", true),
            ("assistant bash", true),
            ("cargo build", false),
            ("", true),
            ("mark", false),
        ] {
            assert_eq!(tree_search(&call, None, query), is_found, "{query}");
        }
        assert!(tree_search(&call, Some("Mark"), "mark cargo"));
    }
}
