//! `relay sessions show`: the conversation, or the whole tree.

use relay_agent::session::{
    Body, Context, Document, Entry, Labels, Leaf, Message, Seen, SessionLog, Tree, context,
};
use serde_json::{Value, json};

use super::{Here, entries, failure};
use crate::failure::Failure;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, NOTE, PLACE, STRONG, count, paint};
use crate::terminal::{self, pager, progress, visible};

/// How much of a tool's output is shown.
const OUTPUT_LINES: usize = 10;
/// The maximum indentation of the tree.
const DEEPEST: usize = 20;

pub fn run(here: &Here, id: &str, tree: bool, json: bool) -> Result<u8, Failure> {
    let path = here.find(id)?;
    let document = SessionLog::load(&here.store, &path).map_err(|error| failure(&error))?;
    if json {
        return Ok(terminal::print_document(&as_document(&document, &path)));
    }
    let mut text = headline(&document);
    match tree {
        true => draw(&mut text, &document),
        false => converse(&mut text, &context(&document.entries, Leaf::Last)),
    }
    if !document.damage.is_empty() {
        let lines = count(document.damage.len(), "line");
        terminal::tell(&format!(
            "warning: {lines} of the file could not be read and {} kept:\n",
            is_or_are(document.damage.len())
        ));
        for damage in document.damage.iter().take(5) {
            terminal::tell(&format!("  {}\n", visible(&damage.to_string())));
        }
    }
    Ok(pager::show(&text, "", false))
}

fn is_or_are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

fn headline(document: &Document) -> String {
    let header = &document.header;
    let mut text = String::new();
    let name = document.name().unwrap_or_else(|| "(no name)".to_owned());
    line(
        &mut text,
        format_args!("{}  {}", paint(PLACE, visible(header.id())), paint(STRONG, visible(&name))),
    );
    let about = format!("{}  {}  {}", header.cwd(), header.timestamp(), entries(document.entries.len()));
    line(&mut text, format_args!("{}\n", paint(FAINT, visible(&about))));
    text
}

fn converse(text: &mut String, context: &Context<'_>) {
    for seen in &context.messages {
        say(text, seen);
    }
    let state = &context.state;
    let models: Vec<String> = state.models.iter().map(|(role, model)| format!("{role} {model}")).collect();
    let facts =
        format!("model: {} · thinking: {} · mode: {}", models.join(", "), state.thinking_level, state.mode);
    line(text, format_args!("{}", paint(FAINT, visible(&facts))));
}

fn say(text: &mut String, seen: &Seen<'_>) {
    let head = format!("── {}", seen.message.role());
    line(text, format_args!("{}  {}", paint(STRONG, visible(&head)), paint(FAINT, visible(seen.entry.id()))));
    let said = seen.message.text();
    let said = match &*seen.message {
        Message::ToolResult(result) => {
            line(text, format_args!("{}", paint(NOTE, visible(&result.tool_name))));
            first_lines(&said)
        }
        _ => said,
    };
    if !said.trim().is_empty() {
        line(text, format_args!("{}", visible(said.trim_end())));
    }
    if let Message::Assistant(message) = &*seen.message {
        for call in message.tool_calls() {
            let arguments = Value::Object(call.arguments.clone()).to_string();
            let shown = format!("{} {}", call.name, progress::cut(&arguments, 100));
            line(text, format_args!("{}", paint(NOTE, visible(&shown))));
        }
        if let Some(error) = &message.error_message {
            line(text, format_args!("{}", visible(error)));
        }
    }
    text.push('\n');
}

fn first_lines(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let shown = lines.iter().take(OUTPUT_LINES).copied().collect::<Vec<_>>().join("\n");
    match lines.len().checked_sub(OUTPUT_LINES) {
        Some(more @ 1..) => format!("{shown}\n… {more} more lines"),
        _ => shown,
    }
}

/// Every entry, with a bullet on the current branch.
fn draw(text: &mut String, document: &Document) {
    let labels = Labels::of(&document.entries);
    let active = active(document);
    // The tree indents only where a conversation branches, because a chain may be as long as the log.
    let mut columns: Vec<usize> = Vec::new();
    for (depth, node) in Tree::of(&document.entries, &labels).in_order() {
        columns.truncate(depth + 1);
        let column = columns.last().copied().unwrap_or(0);
        if columns.len() <= depth {
            columns.push(column);
        }
        let is_branching = node.children.len() > 1;
        columns.push(column + usize::from(is_branching));
        let indent = "  ".repeat(column.min(DEEPEST));
        let bullet = if active.contains(&node.entry.id()) { "•" } else { " " };
        let label = node.label.map(|label| format!("[{label}] ")).unwrap_or_default();
        let about = progress::cut(&visible(&summary(node.entry)), 80);
        line(
            text,
            format_args!(
                "{}  {indent}{bullet} {}{about}",
                paint(FAINT, visible(node.entry.id())),
                paint(STRONG, visible(&label))
            ),
        );
    }
}

/// The entries from the root to the last entry of the log.
fn active(document: &Document) -> std::collections::HashSet<&str> {
    let by_id: std::collections::HashMap<&str, &Entry> =
        document.entries.iter().map(|entry| (entry.id(), entry)).collect();
    let mut active = std::collections::HashSet::new();
    let mut next = document.entries.last();
    while let Some(entry) = next.filter(|entry| active.insert(entry.id())) {
        next = entry.parent_id().and_then(|id| by_id.get(id)).copied();
    }
    active
}

fn summary(entry: &Entry) -> String {
    let words = match entry.body() {
        Body::Message(message) => {
            let calls = match &**message {
                Message::Assistant(message) => {
                    message.tool_calls().map(|call| call.name.as_str()).collect::<Vec<_>>().join(", ")
                }
                _ => String::new(),
            };
            format!("{}: {} {calls}", message.role(), message.text())
        }
        Body::CustomMessage(message) => format!("{}: {}", message.custom_type, message.content.text(" ")),
        Body::ModelChange(change) => format!("model {}", change.selector()),
        Body::Compaction(compaction) => format!("compaction: {}", compaction.summary),
        Body::BranchSummary(summary) => format!("branch summary: {}", summary.summary),
        Body::Custom(custom) => format!("custom {}", custom.custom_type),
        Body::Label(label) => {
            format!("label {} {}", label.target_id, label.label.as_deref().unwrap_or("(removed)"))
        }
        _ => {
            let object = entry.object().unwrap_or_default();
            object.get("type").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
    };
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn as_document(document: &Document, path: &std::path::Path) -> Value {
    let context = context(&document.entries, Leaf::Last);
    let entries: Vec<Value> =
        document.entries.iter().filter_map(|entry| entry.object().ok().map(Value::Object)).collect();
    json!({
        "header": document.header.object(),
        "name": document.name(),
        "path": path,
        "leaf": document.entries.last().map(Entry::id),
        "models": context.state.models,
        "thinking_level": context.state.thinking_level,
        "mode": context.state.mode,
        "entries": entries,
        "damage": document.damage.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
