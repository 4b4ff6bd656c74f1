//! Branch summaries: what happened on a branch that the user left.

use super::files::FileLists;
use super::request::{Request, Subject, parted};
use super::settings::BranchSettings;
use super::{transcript, view};
use crate::session::Entry;
use crate::session::body::{BranchSummary, ROOT};
use crate::tokens;

const PREAMBLE: &str = include_str!("prompts/branch_preamble.md");

/// A planned summary of a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchPlan {
    /// The request to the summarising model.
    pub request: Request,
    /// The files that were read and changed there.
    pub files: FileLists,
}

/// Plans the summary of the abandoned entries, oldest first. The newest that fit the window are shown; the files of all
/// of them are listed. `None` if nothing was said there.
#[must_use]
pub fn plan(
    left: &[&Entry],
    settings: &BranchSettings,
    window: u64,
    focus: Option<&str>,
) -> Option<BranchPlan> {
    let mut files = FileLists::default();
    left.iter().for_each(|entry| files.add(entry));
    for entry in left {
        if let crate::session::Body::Compaction(compaction) = entry.body() {
            files.join(FileLists::from_details(compaction.details.as_ref()));
        }
    }
    let mut room = window.saturating_sub(settings.reserve_tokens.min(window / 2));
    let mut parts = Vec::new();
    for entry in left.iter().rev() {
        let Some(part) = shown(entry) else { continue };
        let size = tokens::of_text(&part);
        if size > room && !parts.is_empty() {
            break;
        }
        room = room.saturating_sub(size);
        parts.push(part);
    }
    parts.reverse();
    (!parts.is_empty()).then(|| BranchPlan {
        request: Request {
            subject: Subject::Branch,
            conversation: parts,
            previous: None,
            context: Vec::new(),
            focus: focus.map(str::to_owned),
            instructions: None,
            max_output: (settings.reserve_tokens / 4).clamp(512, 4_096),
        },
        files,
    })
}

/// An entry's text, including what the model said about results but not the results.
fn shown(entry: &Entry) -> Option<String> {
    if let crate::session::Body::Compaction(compaction) = entry.body() {
        let message = crate::session::message::CompactionSummaryMessage {
            summary: compaction.summary.clone(),
            ..Default::default()
        };
        return transcript::part(&crate::session::Message::CompactionSummary(message));
    }
    match &*view::message(entry)? {
        crate::session::Message::ToolResult(_) => None,
        message => transcript::part(message),
    }
}

impl BranchPlan {
    /// The entry, made from the model's answer. `target` is the entry the conversation goes back to.
    #[must_use]
    pub fn finish(&self, answer: &str, target: Option<&str>) -> BranchSummary {
        let (_, summary) = parted(answer);
        BranchSummary {
            from_id: target.unwrap_or(ROOT).to_owned(),
            summary: format!("{}\n\n{summary}{}", PREAMBLE.trim_end(), self.files.shown()),
            details: Some(self.files.details()),
            from_extension: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Branch;
    use super::*;

    #[test]
    fn a_branch_is_summarised_newest_first_with_all_its_files() {
        let mut branch = Branch::default();
        branch.user("first");
        branch.tool("read", "old.rs", "x");
        branch.user(&format!("long {}", Branch::words(30_000)));
        branch.tool("edit", "new.rs", "x");
        branch.answer("done");
        let settings = BranchSettings::default();
        let all = plan(&branch.path(), &settings, 200_000, None).unwrap();
        assert!(all.request.conversation[0].contains("first"));
        assert!(!all.request.prompt(200_000).contains("[Tool result"));
        let some = plan(&branch.path(), &settings, 36_000, Some("tests")).unwrap();
        assert!(
            !some.request.prompt(36_000).contains("first") && some.request.prompt(36_000).contains("done")
        );
        assert_eq!(
            (&some.files.read[..], &some.files.modified[..]),
            (&["old.rs".to_owned()][..], &["new.rs".to_owned()][..])
        );
        let entry = some.finish("## Goal\nx", None);
        assert_eq!(entry.from_id, "root");
        assert!(
            entry.summary.starts_with("The user tried something")
                && entry.summary.ends_with("</modified-files>")
        );
        assert_eq!(FileLists::from_details(entry.details.as_ref()), some.files);
    }

    #[test]
    fn a_branch_without_messages_needs_no_summary() {
        let mut branch = Branch::default();
        branch.push(serde_json::json!({ "type": "label", "targetId": "x" }));
        assert!(plan(&branch.path(), &BranchSettings::default(), 100_000, None).is_none());
    }
}
