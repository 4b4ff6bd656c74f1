//! Sessions that pi, oh-my-pi, Claude Code and Codex wrote against the scripted model, read by Relay.

use relay_agent::import::{ImportError, Imported, Program, read};
use relay_agent::session::content::Block;
use relay_agent::session::{Body, Content, Document, Entry, Message, TitleSource};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/fixtures/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).unwrap()
}

fn blocks(content: &Content) -> String {
    let short = |text: &str| text.lines().next().unwrap_or_default().chars().take(40).collect::<String>();
    match content {
        Content::Text(text) => short(text),
        Content::Blocks(blocks) => {
            let texts = blocks.iter().map(|block| match block {
                Block::Text { text, .. } => short(text),
                Block::Thinking { thinking, thinking_signature } => {
                    let seal = if thinking_signature.is_some() { " sealed" } else { "" };
                    format!("({}{seal})", short(thinking))
                }
                Block::ToolCall(call) => format!("{}→{}", call.name, call.id),
                other => format!("{other:?}"),
            });
            texts.collect::<Vec<_>>().join(" | ")
        }
    }
}

fn line(entry: &Entry) -> String {
    let text = match entry.body() {
        Body::Message(message) => match message.as_ref() {
            Message::User(message) => format!("user: {}", blocks(&message.content)),
            Message::Assistant(message) => {
                let usage = message.usage;
                format!(
                    "{}: {} [{} {}+{}]",
                    message.model,
                    blocks(&message.content),
                    message.stop_reason,
                    usage.input,
                    usage.output
                )
            }
            Message::ToolResult(message) => {
                let mark = if message.is_error { "!" } else { "" };
                format!("{mark}{}←{}: {}", message.tool_name, message.tool_call_id, blocks(&message.content))
            }
            other => other.role().to_owned(),
        },
        Body::CustomMessage(message) => format!("{}: {}", message.custom_type, blocks(&message.content)),
        Body::ModelChange(change) => format!("model {}", change.selector()),
        Body::Compaction(compaction) => format!("compacted: {}", compaction.summary),
        other => other.kind().name().to_owned(),
    };
    format!(
        "{} < {}  {text}",
        entry.id().trim_start_matches('0'),
        entry.parent_id().unwrap_or("-").trim_start_matches('0')
    )
}

/// Each entry in a line, with its parent.
fn outline(imported: &Imported) -> Vec<String> {
    imported.document.entries.iter().map(line).collect()
}

#[test]
fn claude_code() {
    let imported = read(fixture("claude")).unwrap();
    assert_eq!(imported.program, Program::Claude);
    let header = &imported.document.header;
    assert_eq!(header.cwd(), "/home/me/greeter");
    assert_eq!((header.title(), header.title_source()), (Some("text"), Some(TitleSource::Auto)));
    assert_eq!(header.id().len(), 36);
    // Two calls at once: both results follow the answer, and what comes next follows the second.
    assert_eq!(
        outline(&imported),
        [
            "1 < -  user: Fix the greeting in hello.py, please.",
            "2 < 1  claude-opus-4-8: (The user wants the greeting fixed. I sho sealed) | I'll look at the file first. | Read→toolu_1 [toolUse 120+40]",
            "3 < 2  Read←toolu_1: 1\tdef greet(name):",
            "4 < 3  claude-opus-4-8: Edit→toolu_2 | Bash→toolu_3 [toolUse 11+7]",
            "5 < 4  Edit←toolu_2: The file /home/me/greeter/hello.py has b",
            "6 < 5  Bash←toolu_3: Hello, world!",
            "7 < 6  claude-opus-4-8: Bash→toolu_4 [toolUse 11+7]",
            "8 < 7  !Bash←toolu_4: Exit code 2",
            "9 < 8  claude-opus-4-8: The greeting is fixed: [stop 11+7]",
            "a < 6  claude-code: Continue from where you left off.",
            "b < a  user: Thank you",
            "c < b  claude-opus-4-8: You are welcome. [stop 11+7]",
        ]
    );
    let left_out: Vec<String> = imported.left_out.iter().map(ToString::to_string).collect();
    assert!(left_out.contains(&"4 × lines of type queue-operation".to_owned()), "{left_out:?}");
    assert!(left_out.contains(&"1 × placeholders in a model's place".to_owned()), "{left_out:?}");
}

#[test]
fn codex() {
    let imported = read(fixture("codex")).unwrap();
    assert_eq!((imported.program, imported.document.header.cwd()), (Program::Codex, "/home/me/greeter"));
    assert_eq!(
        outline(&imported),
        [
            "1 < -  model scripted/scripted-model",
            "2 < 1  user: Fix the greeting in hello.py, please.",
            "3 < 2  scripted-model: (I should read the file first. sealed) | I'll look at the file first. | exec_command→call_1 [toolUse 120+40]",
            "4 < 3  exec_command←call_1: Chunk ID: 24a531",
            "5 < 4  scripted-model: exec_command→call_2 [toolUse 11+7]",
            "6 < 5  exec_command←call_2: Wall time: 0.0000 seconds",
            "7 < 6  scripted-model: update_plan→call_3 | exec_command→call_4 [toolUse 11+7]",
            "8 < 7  update_plan←call_3: unsupported call: update_plan",
            "9 < 8  !exec_command←call_4: Chunk ID: d146e3",
            "a < 9  scripted-model: The greeting is fixed. It prints **Hello [stop 11+7]",
            "b < a  user: Thank you",
            "c < b  scripted-model: You are welcome. [stop 11+7]",
        ]
    );
    let left_out: Vec<&str> = imported.left_out.iter().map(|kind| kind.what.as_str()).collect();
    assert!(left_out.contains(&"instructions of Codex") && left_out.contains(&"notes of Codex to the model"));
}

#[test]
fn pi_and_oh_my_pi_are_copied_line_by_line() {
    for name in ["pi", "oh-my-pi"] {
        let bytes = fixture(name);
        let imported = read(bytes.clone()).unwrap();
        assert_eq!((imported.program, imported.left_out.len()), (Program::Pi, 0));
        assert_eq!(imported.document.header.cwd(), "/home/me/greeter");
        assert_eq!(String::from_utf8(imported.document.to_bytes()), String::from_utf8(bytes), "{name}");
        let texts = outline(&imported).join("\n");
        assert!(texts.contains("!bash←toolu_4") && texts.contains("You are welcome."), "{texts}");
    }
}

#[test]
fn imported_sessions_reopen_unchanged() {
    for name in ["claude", "codex", "pi", "oh-my-pi"] {
        let bytes = read(fixture(name)).unwrap().document.to_bytes();
        let again = Document::parse(bytes.clone()).unwrap();
        assert!(again.damage.is_empty() && !again.is_migrated, "{name}: {:?}", again.damage);
        assert_eq!(again.to_bytes(), bytes);
        assert!(again.entries.iter().all(|entry| !matches!(entry.body(), Body::Unreadable(_))), "{name}");
    }
}

#[test]
fn a_compaction_of_claude_code_is_imported_with_the_entries_before_it() {
    let lines = [
        r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"one"}}"#,
        r#"{"type":"system","subtype":"compact_boundary","uuid":"u2","parentUuid":null,"logicalParentUuid":"u1","sessionId":"s"}"#,
        r#"{"type":"user","uuid":"u3","parentUuid":"u2","isCompactSummary":true,"sessionId":"s","message":{"role":"user","content":"summary"}}"#,
        r#"{"type":"user","uuid":"u4","parentUuid":"u3","sessionId":"s","message":{"role":"user","content":"two"}}"#,
        r#"{"type":"assistant","uuid":"x1","parentUuid":"u4","isSidechain":true,"sessionId":"s","message":{"role":"assistant","content":[]}}"#,
    ];
    let imported = read(lines.join("\n").into_bytes()).unwrap();
    assert_eq!(outline(&imported), ["1 < -  user: one", "2 < 1  compacted: summary", "3 < 2  user: two"]);
    assert!(imported.left_out.iter().any(|kind| kind.what == "lines of subagents"));
}

#[test]
fn a_rollout_of_early_codex_is_read() {
    let lines = [
        r#"{"id":"5973b6c0-94b8-487b-a530-2aeb6098ae0e","timestamp":"2025-05-07T17:24:21.123Z","instructions":null}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"false\"]}","call_id":"c"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"oops\",\"metadata\":{\"exit_code\":1}}"}"#,
        r#"{"type":"custom_tool_call","call_id":"d","name":"apply_patch","input":"*** Begin Patch"}"#,
    ];
    let imported = read(lines.join("\n").into_bytes()).unwrap();
    let outline = outline(&imported);
    assert_eq!(outline.last().map(String::as_str), Some("3 < 2  !shell←c: oops"), "{outline:?}");
}

#[test]
fn what_is_not_a_session_is_refused() {
    for text in ["", "hello", "{}", "[1]", "{\"type\":\"user\"}"] {
        assert_eq!(read(text.as_bytes().to_vec()).unwrap_err(), ImportError::Unknown, "{text}");
    }
    let empty = r#"{"type":"session_meta","payload":{"id":"a"}}"#;
    assert_eq!(read(empty.into()).unwrap_err(), ImportError::Empty(Program::Codex));
    assert!(matches!(
        read(r#"{"type":"session","version":9,"id":"a"}"#.into()),
        Err(ImportError::Session(_))
    ));
}

#[test]
fn damaged_files_are_read_as_far_as_they_go() {
    for name in ["claude", "codex", "pi", "oh-my-pi"] {
        let bytes = fixture(name);
        // Cut off anywhere: what is whole is read.
        for end in (0..bytes.len()).step_by(331) {
            let cut = bytes[..end].to_vec();
            if let Ok(imported) = read(cut) {
                assert!(Document::parse(imported.document.to_bytes()).is_ok(), "{name} cut at {end}");
            }
        }
        // Bytes flipped anywhere.
        for place in (0..bytes.len()).step_by(211) {
            let mut flipped = bytes.clone();
            flipped[place] ^= 1 << (place % 8);
            if let Ok(imported) = read(flipped) {
                assert!(Document::parse(imported.document.to_bytes()).is_ok(), "{name} flipped at {place}");
            }
        }
    }
}

#[test]
fn strange_lines_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let odd = [
        format!(r#"{{"type":"user","uuid":"a","parentUuid":"a","sessionId":"../../etc","message":{{"role":"user","content":{deep}}}}}"#),
        r#"{"type":"user","uuid":"a","parentUuid":"b","sessionId":"../../etc","message":{"content":"x"}}"#.to_owned(),
        r#"{"type":"user","uuid":"b","parentUuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"none","content":7},5,null]}}"#.to_owned(),
        r#"{"type":"assistant","uuid":"c","parentUuid":"c","message":{"id":"m","model":7,"content":[{"type":"tool_use","id":"t","name":"n","input":[1]}],"usage":{"input_tokens":-5,"output_tokens":1e300}}}"#.to_owned(),
        r#"{"type":"user","uuid":"d","parentUuid":"c","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"1"},{"type":"tool_result","tool_use_id":"t","content":"2"}]}}"#.to_owned(),
        "\u{0}\u{1b}[31m".to_owned(),
        "{\"type\":\"user\",\"message\":\"x\"}".to_owned(),
    ];
    let imported = read(odd.join("\n").into_bytes()).unwrap();
    assert!(
        imported.document.header.id().bytes().all(|byte| byte.is_ascii_alphanumeric()),
        "an id is a file's name"
    );
    let outline = outline(&imported);
    assert_eq!(outline[0], "1 < -  user: x");
    let results = outline.iter().filter(|line| line.contains('←')).count();
    assert_eq!(results, 1, "one result for one call: {outline:?}");
    assert!(Document::parse(imported.document.to_bytes()).unwrap().damage.is_empty());
}
