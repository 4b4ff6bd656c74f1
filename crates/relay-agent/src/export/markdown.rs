//! The current branch of a session as Markdown.
//!
//! Prompts and answers are Markdown already and stay as they are. What tools were given and what they returned goes into
//! fences that are longer than any fence inside.

use std::collections::HashMap;

use relay_diagnostics::display::{visible, visible_line};

use super::tally::{dollars, short_count};
use super::toolcall::{Change, change, path, script, subject};
use super::tree::Tree;
use super::{Transcript, ansi};
use crate::session::content::{Block, ToolCall};
use crate::session::message::{AssistantMessage, ToolResultMessage};
use crate::session::{Body, Content, Entry, Message};

pub(super) fn document(transcript: &Transcript<'_>) -> String {
    let tree = Tree::new(transcript.entries, transcript.leaf);
    let branch: Vec<&Entry> = tree.active().filter_map(|at| transcript.entries.get(at)).collect();
    let results = branch.iter().filter_map(|entry| match entry.message() {
        Some(Message::ToolResult(result)) => Some((result.tool_call_id.as_str(), result)),
        _ => None,
    });
    let mut writer = Writer { out: String::new(), results: results.collect() };
    writer.head(transcript);
    for entry in branch {
        writer.entry(entry);
    }
    writer.out
}

struct Writer<'a> {
    out: String,
    results: HashMap<&'a str, &'a ToolResultMessage>,
}

impl Writer<'_> {
    fn head(&mut self, transcript: &Transcript<'_>) {
        let (header, tally) = (transcript.header, transcript.tally());
        self.paragraph(&format!("# {}", visible_line(&transcript.name())));
        let mut facts = vec![format!("- Session: `{}`", code_line(header.id()))];
        for (name, value) in [("Project", header.cwd()), ("Began", header.timestamp())] {
            if !value.is_empty() {
                facts.push(format!("- {name}: `{}`", code_line(value)));
            }
        }
        for model in &tally.models {
            let tokens = [("in", model.input + model.cache_read + model.cache_write), ("out", model.output)];
            let tokens =
                tokens.map(|(name, count)| format!("{} tokens {name}", short_count(count))).join(", ");
            facts.push(format!("- Model: `{}` ({tokens}, {})", code_line(&model.model), dollars(model.cost)));
        }
        self.paragraph(&facts.join("\n"));
    }

    fn entry(&mut self, entry: &Entry) {
        match entry.body() {
            Body::Message(message) => self.message(message),
            Body::CustomMessage(message) if message.display => {
                self.paragraph(&format!("## {}", visible_line(&message.custom_type)));
                self.content(&message.content);
            }
            Body::Compaction(compaction) => {
                self.quoted("Summary of the conversation so far", &compaction.summary);
            }
            Body::BranchSummary(summary) => self.quoted("Summary of another branch", &summary.summary),
            Body::ModelChange(change) => {
                self.paragraph(&format!("*Model: `{}`*", code_line(&change.selector())));
            }
            Body::ResetBoundary => self.paragraph("*Context cleared*"),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::User(said) => {
                self.paragraph("## You");
                self.content(&said.content);
            }
            Message::Assistant(answer) => self.answer(answer),
            // It is shown with its call, unless there is none on this branch.
            Message::ToolResult(result) if self.results.remove(result.tool_call_id.as_str()).is_some() => {
                self.paragraph(&format!("### `{}`", code_line(&result.tool_name)));
                self.result(result);
            }
            Message::BashExecution(run) | Message::PythonExecution(run) => {
                self.paragraph("## You ran");
                let (text, language) =
                    if run.code.is_empty() { (&run.command, "bash") } else { (&run.code, "python") };
                self.fence(text, language);
                self.fence(&ansi::plain(&run.output), "");
            }
            Message::FileMention(mention) => {
                let files = mention.files.iter().map(|file| format!("- `{}`", code_line(&file.path)));
                self.paragraph(&files.collect::<Vec<_>>().join("\n"));
            }
            Message::BranchSummary(summary) => self.quoted("Summary of another branch", &summary.summary),
            Message::CompactionSummary(summary) => {
                self.quoted("Summary of the conversation so far", &summary.summary);
            }
            _ => {}
        }
    }

    fn answer(&mut self, answer: &AssistantMessage) {
        let model = if answer.model.is_empty() { "Assistant".into() } else { visible_line(&answer.model) };
        self.paragraph(&format!("## {model}"));
        match &answer.content {
            Content::Text(text) => self.paragraph(&visible(text)),
            Content::Blocks(blocks) => blocks.iter().for_each(|block| self.block(block)),
        }
        if let Some(error) = &answer.error_message {
            self.quoted("Failed", error);
        }
    }

    fn content(&mut self, content: &Content) {
        match content {
            Content::Text(text) => self.paragraph(&visible(text)),
            Content::Blocks(blocks) => blocks.iter().for_each(|block| self.block(block)),
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text { text, .. } => self.paragraph(&visible(text)),
            Block::Thinking { thinking, .. } if !thinking.trim().is_empty() => {
                self.quoted("Thinking", thinking);
            }
            Block::Image { mime_type, .. } => {
                self.paragraph(&format!("*Picture ({})*", visible_line(mime_type)));
            }
            Block::ToolCall(call) => self.call(call),
            _ => {}
        }
    }

    fn call(&mut self, call: &ToolCall) {
        let about = match (path(call), subject(call)) {
            (Some(path), _) => format!(" `{}`", code_line(path)),
            (None, Some(subject)) if script(call).is_none() => format!(" `{}`", code_line(&subject)),
            _ => String::new(),
        };
        self.paragraph(&format!("### `{}`{about}", code_line(&call.name)));
        match (script(call), change(call, None)) {
            (_, Some(Change::Parts(parts))) => {
                parts.iter().for_each(|(before, after)| self.fence(&difference(before, after), "diff"));
            }
            (_, Some(Change::Patch(patch))) => self.fence(patch, "diff"),
            (_, Some(Change::Whole(text))) => self.fence(text, ""),
            (Some((text, language)), None) => self.fence(text, language),
            (None, None) if call.arguments.is_empty() => {}
            (None, None) => {
                self.fence(&serde_json::to_string_pretty(&call.arguments).unwrap_or_default(), "json");
            }
        }
        if let Some(result) = self.results.remove(call.id.as_str()) {
            self.result(result);
        }
    }

    fn result(&mut self, result: &ToolResultMessage) {
        if result.is_error {
            self.paragraph("**Failed**");
        }
        let text = result.content.text("\n");
        if !text.trim().is_empty() {
            self.fence(&ansi::plain(&text), "");
        }
    }

    fn quoted(&mut self, title: &str, text: &str) {
        let lines = visible(text).lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n");
        self.paragraph(&format!("> *{title}*\n>\n{lines}"));
    }

    fn fence(&mut self, text: &str, language: &str) {
        let longest = text.lines().map(|line| {
            let line = line.trim_start();
            line.len() - line.trim_start_matches('`').len()
        });
        let fence = "`".repeat((longest.max().unwrap_or(0) + 1).max(3));
        self.paragraph(&format!("{fence}{language}\n{}\n{fence}", visible(text).trim_end()));
    }

    fn paragraph(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.out.push_str(text.trim_end());
            self.out.push_str("\n\n");
        }
    }
}

/// Lines before and after as a diff without headers.
fn difference(before: &str, after: &str) -> String {
    let [before, after] = [before, after].map(|text| format!("{}\n", text.trim_end_matches('\n')));
    let relay_edit::FileDiff::Text(hunks) = relay_edit::diff(before.as_bytes(), after.as_bytes()) else {
        return "(not text)".to_owned();
    };
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines).map(|line| {
        let sign = match line.kind {
            relay_edit::DiffKind::Context => ' ',
            relay_edit::DiffKind::Added => '+',
            relay_edit::DiffKind::Removed => '-',
        };
        format!("{sign}{}", line.text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text for between two backticks.
fn code_line(text: &str) -> String {
    visible_line(text).replace('`', "'")
}
