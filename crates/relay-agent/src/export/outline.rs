//! An entry in a few words, for lists.

use relay_diagnostics::display::visible_line;

use super::toolcall::subject;
use crate::session::{Body, Entry, Message};

/// The first line with words in it, cut to this many characters.
pub(super) fn first_line(text: &str, limit: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let line = line.trim_start_matches(['#', '>', '-', ' ']).replace("**", "").replace('`', "");
    cut(&line, limit)
}

/// A text of at most this many characters.
pub(super) fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default().trim_end()),
        None => text.to_owned(),
    }
}

/// What kind of line an entry is in a list; also the name of its style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Prompt,
    Answer,
    Tool,
    Note,
}

/// An entry in a few words; none if it is of no interest in a list.
pub(super) fn of(entry: &Entry) -> Option<(Tone, String)> {
    let line =
        |text: &str| first_line(&visible_line(text.lines().find(|line| !line.trim().is_empty())?), 90).into();
    match entry.body() {
        Body::Message(message) => match message.as_ref() {
            Message::User(_) | Message::FileMention(_) => Some((Tone::Prompt, line(&message.text())?)),
            Message::Assistant(answer) => {
                let text: Option<String> = line(&message.text());
                match text.filter(|text| !text.is_empty()) {
                    Some(text) => Some((Tone::Answer, text)),
                    None => {
                        let calls: Vec<String> = answer
                            .tool_calls()
                            .take(3)
                            .map(|call| {
                                let subject = subject(call).unwrap_or_default();
                                format!("{} {}", visible_line(&call.name), cut(&visible_line(&subject), 40))
                            })
                            .collect();
                        (!calls.is_empty()).then(|| (Tone::Tool, calls.join(", ")))
                    }
                }
            }
            Message::BashExecution(run) => Some((Tone::Tool, format!("$ {}", line(&run.command)?))),
            Message::PythonExecution(run) => Some((Tone::Tool, format!(">>> {}", line(&run.code)?))),
            _ => None,
        },
        Body::CustomMessage(message) if message.display => {
            Some((Tone::Note, line(&message.content.text("\n"))?))
        }
        Body::Compaction(_) => Some((Tone::Note, "Conversation summarised".to_owned())),
        Body::BranchSummary(_) => Some((Tone::Note, "Summary of another branch".to_owned())),
        Body::ResetBoundary => Some((Tone::Note, "Context cleared".to_owned())),
        _ => None,
    }
}
