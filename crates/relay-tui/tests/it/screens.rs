//! Scripted sessions at four sizes, and the flows that matter.

use std::path::Path;

use relay_tui::Output;
use serde_json::json;

use crate::scenes::SCENES;
use crate::stage::Stage;

const SIZES: [(u16, u16); 4] = [(40, 15), (80, 24), (120, 40), (200, 60)];

#[track_caller]
fn snapshot(name: &str, stage: &Stage) {
    let (width, height) = stage.size;
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/snapshots/{name}-{width}x{height}.txt"));
    testkit::expect_file(path, &stage.screen());
}

#[test]
fn the_first_screen() {
    for (width, height) in SIZES {
        snapshot("first", &Stage::ready(width, height));
    }
}

/// Every other screen at the two sizes where things get tight, and once with signs that every terminal has.
#[test]
fn every_screen_fits_and_names_its_way_out() {
    for (name, bring_up) in SCENES {
        for (width, height) in [(40, 15), (80, 24)] {
            let mut stage = Stage::ready(width, height);
            bring_up(&mut stage);
            snapshot(name, &stage);
            let screen = stage.screen();
            let is_out = ["esc", "quit", "escape"].iter().any(|word| screen.contains(word));
            assert!(
                is_out || matches!(*name, "complete" | "vi" | "shell" | "part" | "todos"),
                "{name} has no way out:\n{screen}"
            );
        }
        let mut stage = Stage::ready(80, 24);
        stage.app.options.preset = Some(relay_tui::theme::Preset::Ascii);
        stage.answer("set_setting", json!({ "key": "symbolPreset", "value": "ascii" }));
        bring_up(&mut stage);
        let odd: Vec<char> = stage.screen().chars().filter(|character| !character.is_ascii()).collect();
        assert!(odd.is_empty(), "{name} in ASCII has {odd:?}:\n{}", stage.screen());
    }
}

#[test]
fn a_session_from_prompt_to_answer() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        stage.play();
        snapshot("session", &stage);
        let all = stage.everything();
        // Whatever was finished is above, once, in the terminal's own scrollback.
        for text in ["Fix the failing parser test", "What was wrong", "cargo test parser", "12 passed"] {
            let joined = all.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(joined.matches(text).count(), 1, "{text} at {width}x{height}:\n{all}");
        }
    }
}

#[test]
fn while_the_agent_works() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        stage.frame(json!({ "type": "agent_start" }));
        stage.frame(json!({ "type": "message_end", "message": { "role": "user", "content": "go" } }));
        stage.frame(json!({ "type": "session_data", "kind": "todos", "data": [{ "name": "Parser", "tasks": [
            { "content": "Read the parser", "status": "completed" },
            { "content": "Fix the loop", "status": "in_progress" },
            { "content": "Run the tests", "status": "pending" } ] }] }));
        stage.frame(json!({ "type": "queue_update", "steering": ["use the other lexer"], "followUp": ["then write a changelog entry"] }));
        stage.frame(json!({ "type": "tool_execution_start", "toolCallId": "b", "toolName": "bash", "args": { "command": "cargo test" } }));
        let lines: String = (1..=30).map(|number| format!("line {number}\n")).collect();
        stage.frame(json!({ "type": "tool_execution_update", "toolCallId": "b", "toolName": "bash",
            "partialResult": { "content": [{ "type": "text", "text": lines }] } }));
        stage.type_text("and look at");
        stage.pass(12_000);
        snapshot("working", &stage);
    }
}

#[test]
fn an_approval_shows_what_and_why_and_can_be_refused() {
    for (width, height) in SIZES {
        let mut stage = Stage::ready(width, height);
        stage.frame(json!({ "type": "agent_start" }));
        stage.frame(json!({ "type": "extension_ui_request", "id": "ui-1", "method": "select", "title": "bash wants to run a command",
            "message": "rm -rf build", "options": ["Allow once", "Allow for this session", "Deny"], "optionIds": ["once", "session", "deny"],
            "details": { "approval": true, "reasons": [{ "class": "destructive", "what": "rm -rf build", "why": "it deletes files that are not on the ledger" }] } }));
        snapshot("approval", &stage);
        stage.key("escape");
        let answer = stage.sent("extension_ui_response");
        assert_eq!((&answer[0]["id"], &answer[0]["cancelled"]), (&json!("ui-1"), &json!(true)));
    }
}

#[test]
fn a_question_with_several_answers_and_own_words() {
    let mut stage = Stage::ready(80, 24);
    stage.frame(json!({ "type": "extension_ui_request", "id": "ui-2", "method": "select", "title": "Which?", "message": "Which databases?",
        "options": ["SQLite", "Postgres"], "optionIds": ["SQLite", "Postgres"], "multiple": true, "allowOther": true }));
    assert!(stage.screen().contains("Other (type your own)"), "{}", stage.screen());
    stage.key("space");
    stage.key("down");
    stage.key("down");
    stage.key("enter");
    stage.type_text("DuckDB");
    stage.key("enter");
    assert_eq!(stage.sent("extension_ui_response")[0]["value"], json!(["SQLite", "DuckDB"]));
}

#[test]
fn a_prompt_is_sent_and_steers_while_the_agent_works() {
    let mut stage = Stage::ready(80, 24);
    stage.type_text("first");
    stage.key("enter");
    assert_eq!(stage.sent("prompt")[0]["message"], "first");
    stage.frame(json!({ "type": "agent_start" }));
    stage.type_text("second");
    stage.key("enter");
    stage.type_text("third");
    stage.key("ctrl+enter");
    let prompts = stage.sent("prompt");
    assert_eq!(
        (&prompts[1]["streamingBehavior"], &prompts[2]["streamingBehavior"]),
        (&json!("steer"), &json!("followUp"))
    );
    stage.frame(json!({ "type": "queue_update", "steering": ["second"], "followUp": ["third"] }));
    stage.key("alt+up");
    assert_eq!(stage.sent("take_queue").len(), 1);
    stage.answer("take_queue", json!({ "steering": ["second"], "followUp": ["third"] }));
    assert_eq!(stage.app.editor.text(), "second\n\nthird");
    stage.key("escape");
    assert_eq!(stage.sent("abort").len(), 1);
}

#[test]
fn the_policy_holds_again_after_a_question_that_was_asked_too_early() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/ask what is it");
    stage.key("escape");
    stage.key("enter");
    stage.frame(json!({ "type": "ready", "protocol": 1 }));
    stage.answer("set_policy", json!({ "level": "read-only", "previousLevel": "auto" }));
    stage.frame(json!({ "type": "agent_start" }));
    stage.frame(json!({ "type": "agent_end", "status": "done" }));
    let levels: Vec<&str> =
        stage.sent("set_policy").iter().filter_map(|command| command["level"].as_str()).collect();
    assert_eq!(levels, ["read-only", "auto"]);
}

#[test]
fn ctrl_c_twice_quits_and_once_clears() {
    let mut stage = Stage::ready(80, 24);
    stage.type_text("draft");
    stage.key("ctrl+c");
    assert_eq!(stage.app.editor.text(), "");
    assert!(stage.screen().contains("again to quit"), "{}", stage.screen());
    stage.now_ms += 2000;
    stage.key("ctrl+c");
    assert!(!stage.outputs.contains(&Output::Quit(0)));
    stage.now_ms += 300;
    stage.key("ctrl+c");
    assert!(stage.outputs.contains(&Output::Quit(0)));
}

#[test]
fn shell_modes_have_their_prompts_and_commands() {
    let mut stage = Stage::ready(80, 24);
    stage.type_text("!ls");
    assert!(stage.screen().contains("shell > "), "{}", stage.screen());
    stage.key("enter");
    assert_eq!(
        (&stage.sent("bash")[0]["command"], &stage.sent("bash")[0]["excludeFromContext"]),
        (&json!("ls"), &json!(false))
    );
    stage.frame(json!({ "type": "bash_output", "chunk": "a.rs\n" }));
    assert!(stage.screen().contains("a.rs"), "{}", stage.screen());
    stage.answer("bash", json!({ "output": "a.rs\nb.rs\n", "exitCode": 3 }));
    assert!(stage.screen().contains("exit 3"), "{}", stage.screen());
    stage.type_text("!!make");
    assert!(stage.screen().contains("shell no-context > "), "{}", stage.screen());
    stage.key("escape");
    assert_eq!(stage.app.editor.text(), "");
}

#[test]
fn the_whole_conversation_is_shown_on_the_whole_screen_and_left_again() {
    let mut stage = Stage::ready(80, 24);
    stage.play();
    let before = stage.screen();
    stage.key("ctrl+o");
    assert!(stage.terminal.screen().alternate_screen());
    assert!(stage.screen().contains("esc close"), "{}", stage.screen());
    stage.key("g");
    assert!(stage.screen().contains("Fix the failing parser test"), "{}", stage.screen());
    assert!(stage.screen().contains("src/lexer.rs"), "{}", stage.screen());
    stage.key("escape");
    assert!(!stage.terminal.screen().alternate_screen());
    assert_eq!(stage.screen(), before);
}

#[test]
fn after_a_resize_the_screen_is_whole() {
    let mut stage = Stage::ready(120, 40);
    stage.play();
    for (width, height) in [(40, 15), (100, 30), (60, 50), (120, 40)] {
        stage.resize(width, height);
        let screen = stage.screen();
        assert!(screen.contains("Type your message..."), "{width}x{height}:\n{screen}");
        assert_eq!(screen.matches("╭").count(), 1, "{width}x{height}:\n{screen}");
        stage.type_text("x");
        stage.key("backspace");
        assert_eq!(stage.screen(), screen, "{width}x{height}");
    }
}

#[test]
fn completion_of_commands_and_files() {
    let mut stage = Stage::ready(80, 24);
    stage.type_text("/ho");
    assert!(stage.screen().contains("/hotkeys"), "{}", stage.screen());
    stage.key("enter");
    assert!(stage.screen().contains("ctrl+o"), "{}", stage.screen());
    stage.key("escape");
    stage.type_text("see @par");
    let asked = stage.sent("find_files").last().unwrap()["id"].clone();
    stage.frame(json!({ "type": "response", "command": "find_files", "success": true, "id": asked, "data": { "files": [{ "path": "src/parser.rs" }] } }));
    stage.key("tab");
    assert_eq!(stage.app.editor.text(), "see @src/parser.rs ");
}

#[test]
fn the_caret_is_where_the_text_goes_on() {
    let mut stage = Stage::ready(80, 24);
    stage.type_text("ab世");
    let (row, column) = stage.terminal.screen().cursor_position();
    let line: String = stage.screen().lines().nth(usize::from(row)).unwrap().to_owned();
    assert!(line.contains("ab世"), "{line}");
    assert_eq!(column, 2 + 2 + 4);
    assert!(!stage.terminal.screen().hide_cursor());
}

#[test]
fn text_of_others_cannot_drive_the_terminal() {
    let mut stage = Stage::ready(80, 24);
    stage.frame(json!({ "type": "agent_start" }));
    stage.stream("before \u{1b}[2J\u{1b}]0;owned\u{7} after");
    stage.tool(
        "bash",
        json!({ "command": "printf '\u{1b}c'" }),
        json!({ "content": [{ "type": "text", "text": "\u{1b}[31mred\u{202e}" }] }),
        false,
    );
    stage.frame(json!({ "type": "agent_end", "status": "done" }));
    let all = stage.everything();
    assert!(all.contains("\\x1b[2J") && all.contains("\\x1b[31mred<U+202E>"), "{all}");
}
