//! Pruning: old tool results are replaced by a note before anything is summarised.
//!
//! Most of a long conversation is what tools returned, and little of it matters later. Results of `read` stay, because
//! edits depend on them, and so do skills. The log keeps the note with the time in `prunedAt`.

use serde_json::json;

use super::view::{Seen, View};
use crate::session::{Entry, Message};

/// The newest results with this many tokens are left alone.
pub const PROTECTED_TOKENS: u64 = 40_000;
/// Saving less than this is not worth losing the provider's cache.
pub const WORTH_TOKENS: u64 = 20_000;
/// Results of these tools are left alone.
pub const PROTECTED_TOOLS: [&str; 2] = ["read", "skill"];
/// Smaller results than this are left alone even when the conversation does not fit: the note would be as long.
const SMALL_TOKENS: u64 = 200;

/// A result to replace by a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pruning {
    /// The entry of the result.
    pub entry_id: String,
    /// How many tokens it had.
    pub tokens: u64,
}

impl Pruning {
    /// What the model reads instead.
    #[must_use]
    pub fn note(&self) -> String {
        format!("[Output truncated - {} tokens]", self.tokens)
    }

    /// The entry with the note in place of its content. Everything else stays as it was.
    ///
    /// # Errors
    /// The entry's line is nested too deeply to be read as a whole.
    pub fn apply(&self, entry: &Entry, now_ms: i64) -> Result<Entry, serde_json::Error> {
        entry.patched(|fields| {
            if let Some(message) = fields.get_mut("message").and_then(serde_json::Value::as_object_mut) {
                message.insert("content".to_owned(), json!([{ "type": "text", "text": self.note() }]));
                message.insert("prunedAt".to_owned(), now_ms.into());
            }
        })
    }

    /// How many tokens are saved.
    #[must_use]
    pub fn saved(&self) -> u64 {
        self.tokens.saturating_sub(12)
    }
}

/// How many tokens a note replaces, if the text is one.
pub(crate) fn noted(text: &str) -> Option<u64> {
    text.strip_prefix("[Output truncated - ")?.strip_suffix(" tokens]")?.parse().ok()
}

/// The results to prune by the usual rules; none if that is not worth it.
pub(crate) fn usual(view: &View<'_>) -> Vec<Pruning> {
    let mut newer = 0;
    let mut prunings = Vec::new();
    for seen in view.seen.iter().rev() {
        let Some((tool, pruning)) = candidate(seen) else { continue };
        if newer >= PROTECTED_TOKENS && !PROTECTED_TOOLS.contains(&tool) && pruning.tokens > SMALL_TOKENS {
            prunings.push(pruning.clone());
        }
        newer += pruning.tokens;
    }
    prunings.reverse();
    let saved: u64 = prunings.iter().map(Pruning::saved).sum();
    if saved >= WORTH_TOKENS { prunings } else { Vec::new() }
}

/// The largest results of what is kept, until it has at most `room` tokens: where the conversation does not fit at
/// all, a result that is larger than the window is of no use to anyone.
pub(crate) fn forced(kept: &[Seen<'_>], room: u64) -> Vec<Pruning> {
    let mut tokens: u64 = kept.iter().map(|seen| seen.tokens).sum();
    let mut candidates: Vec<Pruning> =
        kept.iter().filter_map(candidate).map(|(_, pruning)| pruning).collect();
    candidates.sort_by_key(|pruning| std::cmp::Reverse(pruning.tokens));
    let mut prunings = Vec::new();
    for pruning in candidates {
        if tokens <= room || pruning.tokens <= SMALL_TOKENS {
            break;
        }
        tokens = tokens.saturating_sub(pruning.saved());
        prunings.push(pruning);
    }
    prunings
}

/// A result that was not pruned yet, and its tool.
fn candidate<'a>(seen: &Seen<'a>) -> Option<(&'a str, Pruning)> {
    match seen.entry.message()? {
        Message::ToolResult(result) if result.pruned_at.is_none() => {
            let pruning = Pruning { entry_id: seen.entry.id().to_owned(), tokens: seen.tokens };
            Some((result.tool_name.as_str(), pruning))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Branch;
    use super::*;

    fn pruned(branch: &Branch) -> Vec<String> {
        usual(&View::new(&branch.path())).into_iter().map(|pruning| pruning.entry_id).collect()
    }

    #[test]
    fn the_newest_results_and_those_of_read_and_skill_stay() {
        let mut branch = Branch::default();
        branch.user("go");
        let old: Vec<String> = ["bash", "read", "skill", "search"]
            .iter()
            .map(|tool| branch.tool(tool, "x", &Branch::words(15_000)))
            .collect();
        let newer = branch.tool("bash", "x", &Branch::words(30_000));
        assert!(
            pruned(&branch).is_empty(),
            "the search is among the newest 40,000 tokens, and the rest is too little"
        );
        branch.tool("bash", "x", &Branch::words(41_000));
        assert_eq!(pruned(&branch), [old[0].clone(), old[3].clone(), newer]);
    }

    #[test]
    fn too_little_is_not_worth_it() {
        let mut branch = Branch::default();
        branch.tool("bash", "x", &Branch::words(19_000));
        branch.tool("bash", "x", &Branch::words(41_000));
        assert!(pruned(&branch).is_empty());
        branch.tool("read", "x", "short");
        assert!(pruned(&branch).is_empty());
    }

    #[test]
    fn a_pruned_result_keeps_its_place_and_is_not_pruned_again() {
        let mut branch = Branch::default();
        let id = branch.tool("bash", "x", &Branch::words(30_000));
        branch.tool("bash", "x", &Branch::words(41_000));
        let prunings = usual(&View::new(&branch.path()));
        assert_eq!(prunings.len(), 1);
        branch.replace(&id, |entry| prunings[0].apply(entry, 7).unwrap());
        let entry = branch.entry(&id);
        let Some(Message::ToolResult(result)) = entry.message() else { panic!("{entry:?}") };
        assert_eq!((result.pruned_at, result.tool_name.as_str()), (Some(7), "bash"));
        assert_eq!(noted(&result.content.text("")), Some(prunings[0].tokens));
        assert!(pruned(&branch).is_empty());
    }
}
