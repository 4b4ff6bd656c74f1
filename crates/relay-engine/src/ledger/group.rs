//! Groups: transactions that belong together on the ledger. The groups of agents have parts, written after colons.
//!
//! Everything an agent does carries `agent:SESSION:PROMPT:CALL`, so its first three parts name everything one prompt
//! caused, and its first two a whole session.

use super::history::History;

/// The first part of the groups of agent sessions.
pub const AGENT: &str = "agent";

/// The group of a tool call. Calls' ids come from providers, so they are cut to what a name may hold.
#[must_use]
pub fn of_call(session: &str, prompt: &str, call: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '|' | '.');
    let call: String = call.chars().filter(is_plain).take(128).collect();
    format!("{AGENT}:{session}:{prompt}:{call}")
}

/// The group of a whole session.
#[must_use]
pub fn of_session(session: &str) -> String {
    format!("{AGENT}:{session}")
}

/// Whether a record's group is this one, or a part of it. Only the groups of agents have parts: in those of others a
/// colon is a character like any other.
#[must_use]
pub fn contains(group: &str, of: Option<&str>) -> bool {
    let Some(rest) = of.and_then(|of| of.strip_prefix(group)) else { return false };
    let has_parts = group == AGENT || group.starts_with("agent:");
    rest.is_empty() || has_parts && rest.starts_with(':')
}

/// The newest prompt of an agent that changed something: the group of everything it caused.
#[must_use]
pub fn newest_prompt(history: &History) -> Option<String> {
    newest(history, 3)
}

/// The newest session of an agent that changed something.
#[must_use]
pub fn newest_session(history: &History) -> Option<String> {
    newest(history, 2)
}

fn newest(history: &History, parts: usize) -> Option<String> {
    let mut groups = history.entries.iter().filter_map(|entry| entry.record.header.group.as_deref());
    let group = groups.find(|group| contains(AGENT, Some(group)))?;
    Some(group.split(':').take(parts).collect::<Vec<_>>().join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_contains_its_parts() {
        let call = of_call("s1", "p2", "call:|3\u{1b}");
        assert_eq!(call, "agent:s1:p2:call|3");
        assert!(contains("agent:s1:p2", Some(&call)) && contains("agent:s1", Some(&call)));
        assert!(!contains("agent:s", Some(&call)) && !contains("agent:s1:p2", None));
        assert!(contains("mail:a1:2", Some("mail:a1:2")) && !contains("mail:a1", Some("mail:a1:2")));
    }
}
