//! Conversations that providers accept: every tool call has its result, right after it, and no result comes from nowhere.
//!
//! A turn that was interrupted leaves calls that never ran. Every provider refuses such a conversation, so the missing
//! results are added: they say that the call had no result, which is the truth.

use std::borrow::Cow;

use crate::message::{Block, Message, Role, ToolResult};

/// The result of a call that was never run, for the model.
const NOT_RUN: &str = "This call was not run.";

/// The messages as a provider accepts them; the same if they are so already.
pub(super) fn sound(messages: &[Message]) -> Cow<'_, [Message]> {
    if is_sound(messages) {
        return Cow::Borrowed(messages);
    }
    let mut repaired: Vec<Message> = Vec::with_capacity(messages.len() + 1);
    let mut open = Vec::new();
    for message in messages {
        if message.role == Role::Assistant {
            repaired.extend(not_run(&mut open).map(|results| Message::user(vec![results])));
            open = calls(message);
            repaired.push(message.clone());
        } else {
            let content = results_first(&message.content, &mut open);
            if !content.is_empty() {
                repaired.push(Message { content, ..message.clone() });
            }
        }
    }
    let last: Vec<Block> = not_run(&mut open).collect();
    if !last.is_empty() {
        repaired.push(Message::user(last));
    }
    Cow::Owned(repaired)
}

/// Whether every call is answered before anything else is said, and nothing else is answered.
fn is_sound(messages: &[Message]) -> bool {
    let mut open = Vec::new();
    for message in messages {
        if message.role == Role::Assistant {
            if !open.is_empty() {
                return false;
            }
            open = calls(message);
            continue;
        }
        for block in &message.content {
            let fits = match block {
                Block::ToolResult(result) => answer(&mut open, result),
                _ => open.is_empty(),
            };
            if !fits {
                return false;
            }
        }
    }
    open.is_empty()
}

/// The results that belong to open calls, then, with results for those still open, everything else.
fn results_first(content: &[Block], open: &mut Vec<(String, String)>) -> Vec<Block> {
    let (mut results, mut rest) = (Vec::new(), Vec::new());
    for block in content {
        match block {
            Block::ToolResult(result) if answer(open, result) => results.push(block.clone()),
            Block::ToolResult(_) => {}
            block => rest.push(block.clone()),
        }
    }
    if !rest.is_empty() {
        results.extend(not_run(open));
    }
    results.extend(rest);
    results
}

/// The ids and names of a message's calls.
fn calls(message: &Message) -> Vec<(String, String)> {
    message.tool_calls().map(|call| (call.id.clone(), call.name.clone())).collect()
}

/// Takes the call off the list that this result belongs to.
fn answer(open: &mut Vec<(String, String)>, result: &ToolResult) -> bool {
    let found = open.iter().position(|(id, _)| *id == result.call_id);
    found.map(|at| open.remove(at)).is_some()
}

/// Results for the calls that have none.
fn not_run(open: &mut Vec<(String, String)>) -> impl Iterator<Item = Block> {
    std::mem::take(open).into_iter().map(|(call_id, name)| {
        Block::ToolResult(ToolResult { call_id, name, content: vec![Block::text(NOT_RUN)], is_error: true })
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::sound;
    use crate::message::{Arguments, Block, Message, Role, ToolCall, ToolResult};

    /// One letter a block: `a`, `b` … are calls, `A`, `B` … their results, `.` is text; `!A` is a result that says the
    /// call was not run. Messages are separated by blanks, those of the model in brackets.
    fn write(messages: &[Message]) -> String {
        let block = |block: &Block| match block {
            Block::ToolCall(call) => call.id.clone(),
            Block::ToolResult(result) if result.is_error => format!("!{}", result.call_id.to_uppercase()),
            Block::ToolResult(result) => result.call_id.to_uppercase(),
            _ => ".".to_owned(),
        };
        let message = |message: &Message| {
            let blocks: String = message.content.iter().map(block).collect();
            if message.role == Role::User { blocks } else { format!("[{blocks}]") }
        };
        messages.iter().map(message).collect::<Vec<_>>().join(" ")
    }

    fn read(text: &str) -> Vec<Message> {
        let block = |c: char| match c {
            '.' => Block::text("x"),
            c if c.is_ascii_lowercase() => Block::ToolCall(ToolCall {
                id: c.to_string(),
                name: "t".to_owned(),
                arguments: Arguments::parse(""),
                seal: None,
            }),
            c => Block::ToolResult(ToolResult {
                call_id: c.to_ascii_lowercase().to_string(),
                name: "t".to_owned(),
                content: Vec::new(),
                is_error: false,
            }),
        };
        let message = |word: &str| {
            let content = word.chars().filter(|c| !"[]".contains(*c)).map(block).collect();
            let role = if word.starts_with('[') { Role::Assistant } else { Role::User };
            Message { role, content, origin: None }
        };
        text.split(' ').map(message).collect()
    }

    fn check(before: &str, after: &str) {
        let messages = read(before);
        let repaired = sound(&messages);
        assert_eq!(write(&repaired), after);
        assert_eq!(matches!(repaired, Cow::Borrowed(_)), before == after, "{before}");
        assert!(matches!(sound(&repaired), Cow::Borrowed(_)), "what was repaired is sound");
    }

    #[test]
    fn sound_conversations_stay_as_they_are() {
        check(". [.] .", ". [.] .");
        check(". [.ab] AB. [.]", ". [.ab] AB. [.]");
        check(". [ab] B A .", ". [ab] B A .");
    }

    #[test]
    fn calls_that_never_ran_are_answered() {
        check(". [ab] .", ". [ab] !A!B.");
        check(". [ab] A", ". [ab] A !B");
        check(". [ab] A. [.]", ". [ab] A!B. [.]");
        check(". [a] [b] B", ". [a] !A [b] B");
    }

    #[test]
    fn results_come_first_and_from_somewhere() {
        check(". [a] .A", ". [a] A.");
        check(". A [.] B.", ". [.] .");
        check(". [a] A A .", ". [a] A .");
    }
}
