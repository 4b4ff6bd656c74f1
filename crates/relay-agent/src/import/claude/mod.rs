//! Sessions of Claude Code: `~/.claude/projects/<folder>/<uuid>.jsonl`.
//!
//! Its log is a tree too: every line names the line it follows. Two things differ from a session. An answer with several
//! blocks is several lines, which are put together again. And each result of parallel calls follows its own call, so that
//! the conversation goes on after only one of them; here the results follow each other and what comes next follows the
//! last, because a model must be shown every result.
//!
//! Left out and counted: what subagents said, notices, attachments, bookkeeping.

mod answer;
mod tree;

use serde_json::{Map, Value};

use self::answer::Answer;
use self::tree::Tree;
use super::builder::Builder;
use super::lines::{Line, is_true, lines, text};
use super::parts::{content, is_empty};
use super::{ImportError, Imported, Program};
use crate::session::body::Compaction;
use crate::session::message::{CustomMessage, Message, ToolResultMessage, UserMessage};
use crate::session::{Body, Content, TitleSource};

/// The model's name in lines that Claude Code writes in a model's place.
const SYNTHETIC: &str = "<synthetic>";

pub(super) fn read(bytes: &[u8]) -> Result<Imported, ImportError> {
    let mut builder = Builder::new();
    let mut objects = Vec::new();
    for line in lines(bytes) {
        match line {
            Line::Object(object) => objects.push(object),
            Line::Unreadable => builder.omissions.add("lines that cannot be read"),
        }
    }
    // The file of a subagent is nothing but a side chain; then that is the conversation.
    let is_message =
        |object: &&Map<String, Value>| matches!(text(object, "type"), Some("user" | "assistant"));
    let is_subagent = objects.iter().filter(is_message).all(|object| is_true(object, "isSidechain"));
    let mut importer = Importer { builder, tree: Tree::default(), is_subagent };
    let answers = Answer::collect(&objects);
    for (index, object) in objects.iter().enumerate() {
        importer.note_facts(object);
        importer.line(object, answers.get(&index));
    }
    importer.builder.finish(Program::Claude)
}

struct Importer {
    builder: Builder,
    tree: Tree,
    is_subagent: bool,
}

impl Importer {
    fn note_facts(&mut self, object: &Map<String, Value>) {
        let facts = &mut self.builder.facts;
        for (fact, key) in
            [(&mut facts.id, "sessionId"), (&mut facts.cwd, "cwd"), (&mut facts.timestamp, "timestamp")]
        {
            if fact.is_none() {
                *fact = text(object, key).map(str::to_owned);
            }
        }
        let title = match text(object, "type") {
            Some("custom-title") => text(object, "customTitle").map(|title| (title, TitleSource::User)),
            Some("ai-title") => text(object, "aiTitle").map(|title| (title, TitleSource::Auto)),
            Some("summary") => text(object, "summary").map(|title| (title, TitleSource::Auto)),
            _ => None,
        };
        let is_named = matches!(facts.title, Some((_, TitleSource::User)));
        if let Some((title, source)) = title.filter(|(_, source)| !is_named || *source == TitleSource::User) {
            facts.title = Some((title.to_owned(), source));
        }
    }

    fn line(&mut self, object: &Map<String, Value>, answer: Option<&Answer>) {
        if is_true(object, "isSidechain") && !self.is_subagent {
            self.builder.omissions.add("lines of subagents");
            return self.tree.pass(object);
        }
        match text(object, "type") {
            Some("user") => self.user(object),
            Some("assistant") => match answer {
                Some(answer) => self.answer(object, answer),
                // A further block of an answer that is there already.
                None => self.tree.join(object),
            },
            Some("ai-title" | "custom-title" | "summary") => {}
            Some(kind @ ("system" | "attachment" | "progress")) => {
                self.builder.omissions.add(&format!("lines of type {kind}"));
                self.tree.pass(object);
            }
            kind => self.builder.omissions.add(&format!("lines of type {}", kind.unwrap_or("unknown"))),
        }
    }

    fn answer(&mut self, object: &Map<String, Value>, answer: &Answer) {
        if answer.model == SYNTHETIC && !is_true(object, "isApiErrorMessage") {
            self.builder.omissions.add("placeholders in a model's place");
            return self.tree.pass(object);
        }
        let time = text(object, "timestamp");
        let milliseconds = self.builder.milliseconds(time);
        let mut message = answer.message(&mut self.builder.omissions);
        message.timestamp = milliseconds;
        if is_true(object, "isApiErrorMessage") {
            "error".clone_into(&mut message.stop_reason);
            message.error_message = Some(message.content.text("\n"));
            message.content = Content::default();
        }
        let calls: Vec<(String, String)> =
            message.tool_calls().map(|call| (call.id.clone(), call.name.clone())).collect();
        let parent = self.tree.parent(object);
        let body = Message::Assistant(Box::new(message)).into();
        if let Some(id) = self.builder.push(parent.as_deref(), time, body) {
            self.tree.answered(object, &id, calls);
        }
    }

    fn user(&mut self, object: &Map<String, Value>) {
        let Some(said) = object.get("message").and_then(Value::as_object) else {
            self.builder.omissions.add("messages without content");
            return self.tree.pass(object);
        };
        let value = said.get("content").unwrap_or(&Value::Null);
        let (results, rest): (Vec<&Value>, Vec<&Value>) = match value {
            Value::Array(blocks) => {
                blocks.iter().partition(|block| block.get("type").is_some_and(|kind| kind == "tool_result"))
            }
            _ => (Vec::new(), vec![]),
        };
        for result in &results {
            self.result(object, result);
        }
        let rest = match value {
            Value::Array(_) => Value::Array(rest.into_iter().cloned().collect()),
            other => other.clone(),
        };
        let content = content(&rest, &mut self.builder.omissions);
        if is_empty(&content) {
            return self.tree.pass(object);
        }
        let (parent, time) = (self.tree.parent(object), text(object, "timestamp"));
        let timestamp = self.builder.milliseconds(time);
        let body = self.spoken(object, content, timestamp);
        if let Some(id) = self.builder.push(parent.as_deref(), time, body) {
            self.tree.place(object, &id);
        }
    }

    /// What a line with the role of the user is: a summary, something of the program, or the user's words.
    fn spoken(&self, object: &Map<String, Value>, content: Content, timestamp: Option<i64>) -> Body {
        if is_true(object, "isCompactSummary") {
            let summary = content.text("\n");
            return Body::Compaction(Box::new(Compaction { summary, ..Compaction::default() }));
        }
        if is_true(object, "isMeta") {
            let attribution = Some("agent".to_owned());
            let custom_type = "claude-code".to_owned();
            let message = CustomMessage { custom_type, content, attribution, ..CustomMessage::default() };
            return Body::CustomMessage(Box::new(message));
        }
        Message::User(UserMessage { content, timestamp, ..UserMessage::default() }).into()
    }

    fn result(&mut self, object: &Map<String, Value>, block: &Value) {
        let call_id = block.get("tool_use_id").and_then(Value::as_str).unwrap_or_default();
        let Some((parent, tool_name)) = self.tree.take_call(call_id) else {
            return self.builder.omissions.add("results without a call");
        };
        let time = text(object, "timestamp");
        let message = ToolResultMessage {
            tool_call_id: call_id.to_owned(),
            tool_name,
            content: match content(block.get("content").unwrap_or(&Value::Null), &mut self.builder.omissions)
            {
                Content::Text(text) => Content::Blocks(vec![crate::session::Block::text(text)]),
                blocks => blocks,
            },
            is_error: block.get("is_error").and_then(Value::as_bool).unwrap_or_default(),
            timestamp: self.builder.milliseconds(time),
            ..ToolResultMessage::default()
        };
        let body = Message::ToolResult(message).into();
        if let Some(id) = self.builder.push(Some(&parent), time, body) {
            self.tree.resulted(object, &id, call_id);
        }
    }
}
