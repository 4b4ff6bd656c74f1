//! Each entry of a session as an article of the page.

use super::Page;
use super::code::{code_box, output};
use super::prose::prose;
use super::tool::{card, lone_result, one_picture};
use super::writer::Html;
use crate::export::{ansi, tally};
use crate::session::message::{AssistantMessage, Execution, FileMentionMessage};
use crate::session::{Block, Body, Content, Entry, Message};

/// An entry's article, without its frame.
pub(super) struct Article {
    /// The style: who speaks.
    pub class: &'static str,
    /// Who speaks, in the margin; empty for events.
    pub speaker: String,
    /// What is said.
    pub html: Html,
}

impl Article {
    fn new(class: &'static str, speaker: &str, html: Html) -> Option<Self> {
        Some(Self { class, speaker: speaker.to_owned(), html })
    }

    /// Something that happened, in a line.
    fn event(before: &'static str, what: &str) -> Option<Self> {
        let mut html = Html::default();
        html.raw("<p>").raw(before).element(" <code>", what, "</code></p>");
        Self::new("event", "", html)
    }
}

/// The article of an entry; none if a reader does not see it.
pub(super) fn article(page: &Page<'_>, entry: &Entry) -> Option<Article> {
    match entry.body() {
        Body::Message(message) => said(page, message),
        Body::CustomMessage(message) => {
            let class = if message.display { "note" } else { "note quiet" };
            Article::new(class, &message.custom_type, content(page, &message.content))
        }
        Body::ModelChange(change) => Article::event("Model", &change.selector()),
        Body::ThinkingLevelChange(change) => {
            Article::event("Thinking", change.thinking_level.as_deref().unwrap_or("off"))
        }
        Body::ServiceTierChange(change) => {
            let tier = change.service_tier.as_ref();
            Article::event("Service tier", &tier.map_or("default".to_owned(), plain_value))
        }
        Body::ModeChange(change) => Article::event("Mode", &change.mode),
        Body::TtsrInjection(rules) => Article::event("Rules shown", &rules.injected_rules.join(", ")),
        Body::McpToolSelection(tools) => {
            Article::event("Tools selected", &tools.selected_tool_names.join(", "))
        }
        Body::ResetBoundary => {
            let mut html = Html::default();
            html.raw("<p>Context cleared</p>");
            Article::new("event", "", html)
        }
        Body::Compaction(compaction) => {
            let tokens = tally::short_count(compaction.tokens_before);
            summary(
                "Conversation summarised",
                &compaction.summary,
                (compaction.tokens_before > 0).then_some(tokens),
            )
        }
        Body::BranchSummary(branch) => summary("Summary of another branch", &branch.summary, None),
        Body::SessionInit(init) => {
            let mut html = Html::default();
            html.append(prose(&init.task));
            html.append(folded("System prompt", &plain_value(&init.system_prompt)));
            html.append(folded("Tools", &init.tools.join("\n")));
            Article::new("note", "Task", html)
        }
        Body::Unreadable(reason) => {
            let mut html = Html::default();
            html.element("<p class=\"hint\">An entry that cannot be read: ", reason, "</p>");
            Article::new("event", "", html)
        }
        Body::Custom(_) | Body::Label(_) | Body::SessionInfo(_) | Body::Other(_) => None,
    }
}

fn said(page: &Page<'_>, message: &Message) -> Option<Article> {
    match message {
        Message::User(user) => Article::new("user", "You", content(page, &user.content)),
        Message::Developer(user) => Article::new("note", "Instructions", content(page, &user.content)),
        Message::Assistant(answer) => Some(answered(page, answer)),
        // Results are shown with their calls.
        Message::ToolResult(result) if page.has_call(&result.tool_call_id) => None,
        Message::ToolResult(result) => Article::new("bot", &result.tool_name, lone_result(page, result)),
        Message::BashExecution(run) => Article::new("user", "You ran", executed(run, "bash")),
        Message::PythonExecution(run) => Article::new("user", "You ran", executed(run, "python")),
        Message::Custom(custom) => Article::new("note", &custom.custom_type, content(page, &custom.content)),
        Message::BranchSummary(branch) => summary("Summary of another branch", &branch.summary, None),
        Message::CompactionSummary(compaction) => {
            summary("Conversation summarised", &compaction.summary, None)
        }
        Message::FileMention(mention) => Article::new("user", "You attached", mentioned(page, mention)),
        Message::Unknown(fields) => {
            let text = serde_json::to_string_pretty(fields).unwrap_or_default();
            Article::new("note quiet", message.role(), code_box("json", &text))
        }
    }
}

fn answered(page: &Page<'_>, answer: &AssistantMessage) -> Article {
    let mut html = content(page, &answer.content);
    match (answer.stop_reason.as_str(), &answer.error_message) {
        (_, Some(error)) => {
            html.append(output(error, true));
        }
        ("aborted", None) => {
            html.raw("<p class=\"hint\">Cancelled</p>");
        }
        ("length", None) => {
            html.raw("<p class=\"hint\">Cut off: the answer reached its length limit</p>");
        }
        ("error", None) => {
            html.raw("<p class=\"hint\">Failed</p>");
        }
        _ => {}
    }
    let usage = &answer.usage;
    if usage.context_tokens() > 0 {
        let read = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
        html.raw("<p class=\"used\">").text(&tally::short_count(read)).raw(" in · ");
        html.text(&tally::short_count(usage.output)).raw(" out");
        if usage.cost.total > 0.0 {
            html.raw(" · ").text(&tally::dollars(usage.cost.total));
        }
        html.raw("</p>");
    }
    let speaker = if answer.model.is_empty() { "Assistant" } else { &answer.model };
    Article { class: "bot", speaker: speaker.to_owned(), html }
}

fn content(page: &Page<'_>, content: &Content) -> Html {
    let mut html = Html::default();
    match content {
        Content::Text(text) => {
            html.append(prose(text));
        }
        Content::Blocks(blocks) => {
            for block in blocks {
                html.append(part(page, block));
            }
        }
    }
    html
}

fn part(page: &Page<'_>, block: &Block) -> Html {
    let mut html = Html::default();
    match block {
        Block::Text { text, .. } => return prose(text),
        Block::Thinking { thinking, .. } if !thinking.trim().is_empty() => {
            html.raw("<details class=\"think\"><summary>Thinking <span>");
            html.number(thinking.split_whitespace().count()).raw(" words</span></summary>");
            html.append(prose(thinking)).raw("</details>");
        }
        Block::Thinking { .. } | Block::RedactedThinking { .. } => {
            html.raw("<p class=\"hint\">Thinking, which the provider keeps to itself</p>");
        }
        Block::Image { .. } => return one_picture(page, block),
        Block::ToolCall(call) => return card(page, call),
        Block::Unknown(fields) => {
            let text = serde_json::to_string_pretty(fields).unwrap_or_default();
            html.append(folded("A block that Relay does not know", &text));
        }
    }
    html
}

fn executed(run: &Execution, language: &str) -> Html {
    let mut html = code_box(language, if run.code.is_empty() { &run.command } else { &run.code });
    let has_failed = run.exit_code.is_some_and(|code| code != 0);
    if !run.output.trim().is_empty() {
        html.append(output(&ansi::plain(&run.output), has_failed));
    }
    if run.cancelled {
        html.raw("<p class=\"hint\">Cancelled</p>");
    } else if let Some(code) = run.exit_code.filter(|_| has_failed) {
        html.element("<p class=\"hint\">Ended with code ", &code.to_string(), "</p>");
    }
    html
}

fn mentioned(page: &Page<'_>, mention: &FileMentionMessage) -> Html {
    let mut html = Html::default();
    for file in &mention.files {
        html.append(folded(&page.short_path(&file.path), &file.content));
        if let Some(block) = &file.image {
            html.append(one_picture(page, block));
        }
    }
    html
}

fn summary(title: &str, text: &str, tokens: Option<String>) -> Option<Article> {
    let mut html = Html::default();
    html.raw("<details class=\"think\"><summary>").text(title);
    if let Some(tokens) = tokens {
        html.element(" <span>", &tokens, " tokens</span>");
    }
    html.raw("</summary>").append(prose(text)).raw("</details>");
    Article::new("note", "Summary", html)
}

/// Text that is shown when it is asked for.
pub(super) fn folded(title: &str, text: &str) -> Html {
    let mut html = Html::default();
    if !text.trim().is_empty() {
        html.element(
            "<details class=\"tool\"><summary><span class=\"dot\"></span><b>",
            title,
            "</b></summary>",
        );
        html.raw("<div class=\"in\">").append(output(text, false)).raw("</div></details>");
    }
    html
}

fn plain_value(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        serde_json::Value::Array(items) => items.iter().map(plain_value).collect::<Vec<_>>().join("\n\n"),
        other => other.to_string(),
    }
}
