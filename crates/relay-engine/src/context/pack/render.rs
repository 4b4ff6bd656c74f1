//! The text of a pack, in a form that survives any content: every fence is longer than any run of backticks inside it.

use relay_edit::control::receipt_id;
use relay_edit::{Dialect, anchors, system_prompt};

use super::{LeftOut, Shown};
use crate::context::tokens;

/// What the first line begins with. It marks a text that was written for a model, not by one.
const MARK: &str = "<!-- relay pack ";

/// How many files that were left out are named at most.
pub(super) const LEFT_OUT_SHOWN: usize = 200;

/// What comes before the files.
const FILES_HEADING: &str = "\n# The files you can change\n";

/// What comes before the names of what is left out.
const LEFT_OUT_HEADING: &str = "\n# Files that are not shown here\n\n";

const ONLY_SHOWN: &str = "Change only files that are shown below, and create new ones where they are needed. If you need to change another file, ask to see it first.";
const MASKED: &str = "Words like `RELAY_MASKED_PASSWORD_1A2B3C4D` are placeholders for secrets. Leave them exactly as they are, in the file they are in: the real values are put back.";
const BY_ANCHOR: &str = "Every line of a file is shown with its anchor and a bar before it.";
const BY_NUMBER: &str =
    "Every line of a file is shown with its number and a bar before it; neither is part of the line.";

/// Everything around the files.
pub(super) struct Frame<'a> {
    pub project_id: Option<&'a str>,
    pub dialect: Dialect,
    pub tree: String,
    pub diff: Option<String>,
    pub task: Option<String>,
}

impl Frame<'_> {
    /// About how many tokens it takes.
    pub(super) fn tokens(&self) -> usize {
        let without_files = self.render("r-0000000000", &[], (&[], 0), true);
        tokens::estimate(&without_files) + tokens::estimate(FILES_HEADING)
    }

    /// The whole pack, which names the first few of what is left out.
    pub(super) fn render(
        &self,
        receipt: &str,
        files: &[Shown],
        (left_out, named): (&[LeftOut], usize),
        is_masked: bool,
    ) -> String {
        let mut text = format!("{MARK}{receipt}: everything below is for the model -->\n\n");
        text.push_str(&system_prompt(self.dialect, self.project_id));
        text.push_str("\n# About this message\n");
        text.extend(self.rules(receipt, is_masked).iter().map(|rule| format!("- {rule}\n")));
        if !self.tree.is_empty() {
            text.push_str("\n# The files of the project\n\n");
            fenced(&mut text, "text", &self.tree);
        }
        if !files.is_empty() {
            text.push_str(FILES_HEADING);
        }
        for shown in files {
            text.push_str(&file(&shown.path, &shown.text, self.dialect));
        }
        text.push_str(&left_out_list(left_out, named));
        if let Some(diff) = &self.diff {
            text.push_str(
                "\n# What changed since the last commit\n\nThe files above hold these changes already.\n\n",
            );
            fenced(&mut text, "diff", diff);
        }
        if let Some(task) = &self.task {
            text.push_str(&format!("\n# The task\n\n{}\n", task.trim_end()));
        }
        text
    }

    /// What the model has to know about this message.
    fn rules(&self, receipt: &str, is_masked: bool) -> Vec<String> {
        let receipt_rule = if self.dialect == Dialect::Fenced {
            format!(
                "Add the line `receipt: {receipt}` to the control block of every reply in this conversation."
            )
        } else {
            format!("Begin every reply in this conversation with this line, by itself: `Receipt: {receipt}`")
        };
        let lines = match self.dialect {
            Dialect::Hashline => Some(BY_ANCHOR),
            Dialect::Commands => Some(BY_NUMBER),
            _ => None,
        };
        let more = [Some(ONLY_SHOWN), is_masked.then_some(MASKED), lines];
        let receipt_rule = format!("{receipt_rule} It shows Relay which version of the files you saw.");
        std::iter::once(receipt_rule).chain(more.into_iter().flatten().map(str::to_owned)).collect()
    }
}

/// The list of what is left out: its heading, the first few, and how many more there are.
fn left_out_list(left_out: &[LeftOut], named: usize) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let more = left_out.len().saturating_sub(named);
    let mut text = LEFT_OUT_HEADING.to_owned();
    text.extend(left_out.iter().take(named).map(left_out_line));
    if more > 0 {
        text.push_str(&format!("- and {more} more\n"));
    }
    text
}

/// What is said in any case if something is left out.
pub(super) fn left_out_notice(more: usize) -> String {
    format!("{LEFT_OUT_HEADING}- and {more} more\n")
}

/// One of those left out, with the reason.
pub(super) fn left_out_line(left: &LeftOut) -> String {
    format!("- `{}` {}\n", left.path, left.reason)
}

/// One file, as it is in the pack.
pub(super) fn file(path: &str, content: &str, dialect: Dialect) -> String {
    let mut text = format!("\n## The file `{path}`\n\n");
    if content.is_empty() {
        return text + "It is empty.\n";
    }
    let numbered: String;
    let shown = match dialect {
        Dialect::Hashline => {
            numbered = anchors::anchored(content.as_bytes(), 1, usize::MAX);
            &numbered
        }
        Dialect::Commands => {
            numbered = content
                .split_inclusive('\n')
                .zip(1..)
                .map(|(line, number)| format!("{number}|{line}"))
                .collect();
            &numbered
        }
        _ => content,
    };
    fenced(&mut text, language(path), shown);
    if !content.ends_with('\n') {
        text.push_str("\nIts last line has no newline at the end.\n");
    }
    text
}

fn fenced(text: &mut String, language: &str, content: &str) {
    let fence = fence(content);
    let ending = if content.ends_with('\n') { "" } else { "\n" };
    text.extend([&fence, language, "\n", content, ending, &fence, "\n"]);
}

/// A fence longer than any run of backticks in the content.
fn fence(content: &str) -> String {
    let longest = content.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// What a fence calls the language of a file: its extension, if that is a plain word.
fn language(path: &str) -> &str {
    let extension =
        path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, extension)| extension);
    if extension.len() <= 12 && extension.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        extension
    } else {
        ""
    }
}

/// Whether a text is, or holds, a pack: it was written for a model, not by one.
#[must_use]
pub fn is_pack(text: &str) -> bool {
    let holds = |line: &str| {
        line.strip_prefix(MARK).is_some_and(|rest| receipt_id(rest).is_some_and(|id| rest.starts_with(&id)))
    };
    // Nearly every other text does not even hold the mark.
    memchr::memmem::find(text.as_bytes(), MARK.as_bytes()).is_some() && text.lines().any(holds)
}
