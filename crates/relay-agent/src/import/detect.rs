//! Which program wrote a file, from its first lines.

use serde_json::{Map, Value};

use super::Program;
use super::lines::{Line, lines, text};

/// How many lines are looked at.
const LOOK_LINES: usize = 50;

/// The types of line that only Codex writes.
const CODEX: [&str; 6] =
    ["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"];

/// The program; none if no line is typical of one.
pub(super) fn program(bytes: &[u8]) -> Option<Program> {
    lines(bytes).take(LOOK_LINES).enumerate().find_map(|(index, line)| match line {
        Line::Object(object) => of_line(&object, index == 0),
        Line::Unreadable => None,
    })
}

fn of_line(object: &Map<String, Value>, is_first: bool) -> Option<Program> {
    match text(object, "type") {
        Some("session" | "title") if is_first => Some(Program::Pi),
        Some("session") if text(object, "id").is_some() => Some(Program::Pi),
        Some(kind) if CODEX.contains(&kind) && object.contains_key("payload") => Some(Program::Codex),
        Some(_) if text(object, "sessionId").is_some() || object.contains_key("parentUuid") => {
            Some(Program::Claude)
        }
        // Claude Code begins a resumed file with the names of conversations it came from.
        Some("summary") if text(object, "leafUuid").is_some() => Some(Program::Claude),
        // Until the middle of 2025 Codex wrote a line without a type first.
        None if is_first && text(object, "id").is_some() && text(object, "timestamp").is_some() => {
            Some(Program::Codex)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_is_known_by_its_lines() {
        for (line, expected) in [
            (r#"{"type":"session","id":"a"}"#, Some(Program::Pi)),
            (r#"{"type":"title","v":1}"#, Some(Program::Pi)),
            ("{\"type\":\"queue-operation\",\"sessionId\":\"a\"}", Some(Program::Claude)),
            ("{\"type\":\"summary\",\"leafUuid\":\"a\",\"summary\":\"b\"}", Some(Program::Claude)),
            ("garbage\n{\"type\":\"user\",\"parentUuid\":null}", Some(Program::Claude)),
            (r#"{"type":"session_meta","payload":{}}"#, Some(Program::Codex)),
            (r#"{"id":"a","timestamp":"T","instructions":null}"#, Some(Program::Codex)),
            (r#"{"type":"session_meta"}"#, None),
            (r#"{"type":"message"}"#, None),
            ("[]\n7\n\"x\"\n", None),
            ("", None),
        ] {
            assert_eq!(program(line.as_bytes()), expected, "{line}");
        }
    }
}
