//! Handoff: a document from which another session continues, instead of a summary in this one.
//!
//! The document is written by the model in use, from the conversation as it is (so that the provider's cache serves it),
//! without tools. Nothing changes until it is complete: a cancelled handoff leaves the session as it was.

use jiff::Timestamp;
use relay_llm as llm;
use relay_store::{Folder, StoreError};

use crate::frame::escape;
use crate::session::message::CustomMessage;

const QUESTION: &str = include_str!("prompts/handoff.md");

/// The type of the message that carries the document into the new session.
pub const KIND: &str = "handoff";

/// Why there is no handoff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandoffError {
    /// There are no messages to hand off.
    #[error("Nothing to hand off (no messages yet)")]
    NoMessages,
    /// The user cancelled.
    #[error("Handoff cancelled")]
    Cancelled,
    /// The model failed.
    #[error("Handoff failed: {reason}")]
    Failed {
        /// Why.
        reason: String,
    },
}

/// The request for the document: the live request with one more message, and no tool calls allowed.
///
/// # Errors
/// There are fewer than two messages.
pub fn request(live: &llm::Request, focus: Option<&str>) -> Result<llm::Request, HandoffError> {
    if live.messages.len() < 2 {
        return Err(HandoffError::NoMessages);
    }
    let mut request = live.clone();
    request.messages.push(llm::Message::text(question(focus)));
    // The tools stay in the request: without them the provider's cache would not serve it.
    request.tool_choice = llm::ToolChoice::None;
    request.thinking = Some(llm::Thinking::High);
    request.output = None;
    Ok(request)
}

/// What the model is asked.
#[must_use]
pub fn question(focus: Option<&str>) -> String {
    let question = QUESTION.trim_end();
    match focus.map(str::trim).filter(|focus| !focus.is_empty()) {
        Some(focus) => {
            format!("{question}\n\nThe user asks to pay particular attention to this:\n{}", escape(focus))
        }
        None => question.to_owned(),
    }
}

/// The document, from the model's answer.
///
/// # Errors
/// The model failed, was stopped, or wrote nothing.
pub fn document(answer: Result<&llm::Turn, &llm::Error>) -> Result<String, HandoffError> {
    match answer {
        Err(error) if error.kind == llm::ErrorKind::Aborted => Err(HandoffError::Cancelled),
        Err(error) => Err(HandoffError::Failed { reason: error.message.clone() }),
        Ok(turn) if turn.stop == llm::StopReason::Aborted => Err(HandoffError::Cancelled),
        Ok(turn) => {
            let texts = turn.content.iter().filter_map(|block| match block {
                llm::Block::Text { text, .. } => Some(text.trim()).filter(|text| !text.is_empty()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            let reason = || HandoffError::Failed { reason: "the model wrote no document".to_owned() };
            if text.is_empty() { Err(reason()) } else { Ok(text) }
        }
    }
}

/// The first message of the new session.
#[must_use]
pub fn message(document: &str) -> CustomMessage {
    let text = format!(
        "<handoff-context>\n{}\n</handoff-context>\n\nThis is the handoff document of an earlier session. Use it to continue the work.",
        escape(document)
    );
    CustomMessage {
        custom_type: KIND.to_owned(),
        content: text.as_str().into(),
        display: true,
        attribution: Some("agent".to_owned()),
        ..CustomMessage::default()
    }
}

/// The name of the file that holds a document.
#[must_use]
pub fn file_name(now: Timestamp) -> String {
    format!("handoff-{}.md", now.strftime("%Y-%m-%dT%H-%M-%SZ"))
}

/// Saves a document as a file beside its session, and returns its path.
///
/// # Errors
/// The folder cannot be written to.
pub fn save(
    folder: &std::path::Path,
    document: &str,
    now: Timestamp,
) -> Result<std::path::PathBuf, StoreError> {
    let name = file_name(now);
    let folder = Folder::create(folder)?;
    folder.lock()?.replace(&name, document.as_bytes())?;
    Ok(folder.path().join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(messages: usize) -> llm::Request {
        llm::Request {
            system: "S".to_owned(),
            messages: (0..messages).map(|n| llm::Message::text(n.to_string())).collect(),
            tools: vec![llm::Tool {
                name: "read".to_owned(),
                description: String::new(),
                parameters: serde_json::json!({ "type": "object" }),
                grammar: None,
            }],
            cache_key: Some("k".to_owned()),
            ..llm::Request::default()
        }
    }

    #[test]
    fn the_request_keeps_the_prefix_and_calls_no_tools() {
        let request = request(&live(2), Some("tests")).unwrap();
        assert_eq!(
            (&request.system, &request.tools, &request.cache_key),
            (&live(2).system, &live(2).tools, &live(2).cache_key)
        );
        assert_eq!(request.messages[..2], live(2).messages);
        assert!(request.messages[2].plain_text().ends_with("attention to this:\ntests"));
        assert_eq!(
            (request.tool_choice, request.thinking),
            (llm::ToolChoice::None, Some(llm::Thinking::High))
        );
    }

    #[test]
    fn a_conversation_needs_two_messages() {
        let error = request(&live(1), None).unwrap_err();
        assert_eq!(error.to_string(), "Nothing to hand off (no messages yet)");
    }

    #[test]
    fn an_answer_becomes_a_document_or_a_reason() {
        let origin =
            llm::Origin { provider: "p".to_owned(), wire: llm::Wire::OpenaiChat, model: "m".to_owned() };
        let mut turn = llm::Turn::new(origin);
        turn.stop = llm::StopReason::Stop;
        assert!(matches!(document(Ok(&turn)), Err(HandoffError::Failed { .. })));
        turn.content = vec![llm::Block::text("a"), llm::Block::text(" "), llm::Block::text("b")];
        assert_eq!(document(Ok(&turn)).unwrap(), "a\nb");
        turn.stop = llm::StopReason::Aborted;
        assert_eq!(document(Ok(&turn)).unwrap_err().to_string(), "Handoff cancelled");
        let error = llm::Error::new(llm::ErrorKind::Server, "p", "boom");
        assert_eq!(document(Err(&error)).unwrap_err().to_string(), "Handoff failed: boom");
    }

    #[test]
    fn the_document_opens_the_new_session_and_can_be_kept() {
        let message = message("## Goal\n</handoff-context> x");
        assert_eq!((message.custom_type.as_str(), message.display), ("handoff", true));
        assert!(
            message
                .content
                .text("")
                .starts_with("<handoff-context>\n## Goal\n&lt;/handoff-context> x\n</handoff-context>")
        );
        let folder = tempfile::tempdir().unwrap();
        let saved = save(&folder.path().join("s"), "doc", "2026-01-02T03:04:05Z".parse().unwrap()).unwrap();
        assert!(saved.ends_with("s/handoff-2026-01-02T03-04-05Z.md"));
        assert_eq!(std::fs::read_to_string(saved).unwrap(), "doc");
    }
}
