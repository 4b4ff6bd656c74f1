//! What a model sees: golden contexts, state, pictures and checkpoints.

use base64::Engine as _;
use relay_agent::session::body::{ModelChange, ThinkingLevelChange};
use relay_agent::session::content::{Block, Content};
use relay_agent::session::message::{AssistantMessage, CustomMessage, ToolResultMessage, UserMessage};
use relay_agent::session::{Leaf, Message, SessionLog, Summary, context};
use serde_json::json;

use super::reference::said;
use super::support::{Home, answer, texts};

/// A session with every type of entry, as other programs write them.
const LINES: [&str; 16] = [
    r#"{"type":"session_init","id":"i","parentId":null,"timestamp":"2026-02-16T10:20:30.000Z","systemPrompt":"be good","task":"t","tools":["read"]}"#,
    r#"{"type":"message","id":"u1","parentId":"i","timestamp":"2026-02-16T10:20:31.000Z","message":{"role":"user","content":"one","timestamp":1}}"#,
    r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-16T10:20:32.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0.0,"output":0.0,"cacheRead":0.0,"cacheWrite":0.0,"total":0.0}},"stopReason":"stop","timestamp":2}}"#,
    r#"{"type":"thinking_level_change","id":"t","parentId":"a1","timestamp":"2026-02-16T10:20:33.000Z","thinkingLevel":"high"}"#,
    r#"{"type":"service_tier_change","id":"s","parentId":"t","timestamp":"2026-02-16T10:20:34.000Z","serviceTier":"flex"}"#,
    r#"{"type":"ttsr_injection","id":"r1","parentId":"s","timestamp":"2026-02-16T10:20:35.000Z","injectedRules":["a","b"]}"#,
    r#"{"type":"ttsr_injection","id":"r2","parentId":"r1","timestamp":"2026-02-16T10:20:35.000Z","injectedRules":["b","c"]}"#,
    r#"{"type":"mcp_tool_selection","id":"p","parentId":"r2","timestamp":"2026-02-16T10:20:36.000Z","selectedToolNames":["server.tool"]}"#,
    r#"{"type":"mode_change","id":"m","parentId":"p","timestamp":"2026-02-16T10:20:37.000Z","mode":"plan","data":{"planFile":"plan.md"}}"#,
    r#"{"type":"custom","id":"c","parentId":"m","timestamp":"2026-02-16T10:20:38.000Z","customType":"x","data":{"state":1}}"#,
    r#"{"type":"custom_message","id":"cm","parentId":"c","timestamp":"2026-02-16T10:20:39.000Z","customType":"x","content":"injected","display":true}"#,
    r#"{"type":"message","id":"u2","parentId":"cm","timestamp":"2026-02-16T10:20:40.000Z","message":{"role":"user","content":"two"}}"#,
    r#"{"type":"compaction","id":"k","parentId":"u2","timestamp":"2026-02-16T10:20:41.000Z","summary":"so far","shortSummary":"short","firstKeptEntryId":"cm","tokensBefore":42}"#,
    r#"{"type":"branch_summary","id":"b","parentId":"k","timestamp":"2026-02-16T10:20:42.000Z","fromId":"k","summary":"left"}"#,
    r#"{"type":"model_change","id":"mc","parentId":"b","timestamp":"2026-02-16T10:20:43.000Z","model":"openai/gpt-4o","role":"smol"}"#,
    r#"{"type":"future","id":"f","parentId":"mc","timestamp":"2026-02-16T10:20:44.000Z","anything":[1]}"#,
];

#[test]
fn the_golden_context() {
    let home = Home::new();
    let path = home.session_file("s", &LINES);
    let log = SessionLog::open(&home.store, &path).unwrap();
    assert_eq!(
        said(&log.context()),
        json!({
            "messages": [
                { "role": "compactionSummary", "summary": "so far", "shortSummary": "short", "tokensBefore": 42, "timestamp": 1_771_237_241_000_i64 },
                { "role": "custom", "customType": "x", "content": "injected", "display": true, "timestamp": 1_771_237_239_000_i64 },
                { "role": "user", "content": "two" },
                { "role": "branchSummary", "summary": "left", "fromId": "k", "timestamp": 1_771_237_242_000_i64 },
            ],
            "state": {
                "models": { "default": "anthropic/claude-sonnet-4-5", "smol": "openai/gpt-4o" },
                "thinking": "high",
                "tier": "flex",
                "mode": "plan",
                "rules": ["a", "b", "c"],
                "tools": ["server.tool"],
            },
        })
    );
    assert_eq!(log.context().state.mode_data, Some(json!({ "planFile": "plan.md" })));
    let (messages, missing) = log.context().to_llm(None);
    assert_eq!((messages.len(), missing.len()), (4, 0));
    let before = context(log.entries(), Leaf::Entry("u2"));
    assert_eq!(before.messages.len(), 4, "before the compaction everything is seen");
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().skip(1).collect::<Vec<_>>(), LINES);
}

#[test]
fn state_belongs_to_the_branch() {
    let mut log = SessionLog::in_memory(std::path::Path::new("/p"));
    let root = log.append(Message::user("one")).unwrap();
    log.append(ThinkingLevelChange { thinking_level: Some("high".to_owned()) }).unwrap();
    log.append(ModelChange { model: "p/m".to_owned(), ..ModelChange::default() }).unwrap();
    log.append(answer("a")).unwrap();
    let state = log.context().state;
    assert_eq!((state.thinking_level.as_str(), state.models["default"].as_str()), ("high", "p/m"));
    log.branch(&root).unwrap();
    let state = log.context().state;
    assert_eq!((state.thinking_level.as_str(), state.is_thinking_set, state.models.len()), ("off", false, 0));
}

#[test]
fn pictures_come_back_from_the_blob_store_or_leave_a_note() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    let data = base64::engine::general_purpose::STANDARD.encode([9_u8; 3_000]);
    let image = Block::Image { data: data.clone(), mime_type: "image/png".to_owned() };
    let content = Content::Blocks(vec![Block::text("look"), image]);
    log.append(Message::User(UserMessage { content: content.clone(), ..UserMessage::default() })).unwrap();
    log.append(answer("seen")).unwrap();
    log.append(Message::ToolResult(ToolResultMessage { content, ..ToolResultMessage::default() })).unwrap();
    let path = log.path().unwrap().to_path_buf();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(&data) && text.matches("blob:sha256:").count() == 2);
    let blobs = std::fs::read_dir(home.store.data_dir().join("blobs")).unwrap();
    assert_eq!(blobs.filter(|file| file.as_ref().unwrap().file_name().len() == 64).count(), 1, "stored once");
    drop(log);
    let log = SessionLog::open(&home.store, &path).unwrap();
    let (messages, missing) = log.context().to_llm(log.blobs().as_ref());
    assert!(missing.is_empty() && format!("{messages:?}").matches(&data).count() == 2);
    std::fs::remove_dir_all(home.store.data_dir().join("blobs")).unwrap();
    let (messages, missing) = log.context().to_llm(log.blobs().as_ref());
    assert_eq!(missing.len(), 2);
    assert!(format!("{messages:?}").contains("no longer stored"));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "the reference stays");
}

fn checkpoint(goal: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        tool_name: "checkpoint".to_owned(),
        details: Some(json!({ "goal": goal, "startedAt": "2026-02-16T10:20:30.000Z" })),
        ..ToolResultMessage::default()
    })
}

#[test]
fn an_active_checkpoint_survives_a_restart() {
    let home = Home::new();
    let mut log = SessionLog::create(&home.store, &home.project());
    log.append_all(vec![Message::user("find out").into(), answer("ok").into()]).unwrap();
    assert!(log.context().state.checkpoint.is_none());
    let set = log.append(checkpoint("why")).unwrap();
    log.append(answer("looking")).unwrap();
    let path = log.path().unwrap().to_path_buf();
    drop(log);
    let mut log = SessionLog::open(&home.store, &path).unwrap();
    let active = log.context().state.checkpoint.unwrap();
    assert_eq!((active.entry_id.as_str(), active.goal.as_str()), (set.as_str(), "why"));
    assert_eq!(active.started_at, "2026-02-16T10:20:30.000Z");
    let summary = Summary { text: "because".to_owned(), ..Summary::default() };
    log.branch_with_summary(Some(&active.entry_id), summary).unwrap();
    assert!(log.context().state.checkpoint.is_none(), "gone back to");
    assert_eq!(texts(&log), ["find out", "ok", "", "because"]);
}

#[test]
fn a_checkpoint_ends_with_a_report_or_a_stopped_turn() {
    let mut log = SessionLog::in_memory(std::path::Path::new("/p"));
    let set = log.append(checkpoint("why")).unwrap();
    let report = CustomMessage { custom_type: "rewind-report".to_owned(), ..CustomMessage::default() };
    log.append(report).unwrap();
    assert!(log.context().state.checkpoint.is_none());
    log.branch(&set).unwrap();
    assert!(log.context().state.checkpoint.is_some());
    let stopped = AssistantMessage { stop_reason: "aborted".to_owned(), ..AssistantMessage::default() };
    log.append(Message::Assistant(Box::new(stopped))).unwrap();
    assert!(log.context().state.checkpoint.is_none());
    let Message::ToolResult(mut failed) = checkpoint("x") else { unreachable!() };
    failed.is_error = true;
    log.append(Message::ToolResult(failed)).unwrap();
    assert!(log.context().state.checkpoint.is_none());
}
