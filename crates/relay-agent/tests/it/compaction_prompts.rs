//! What a summarising model reads, from the first byte to the last.

use relay_agent::compact::{Hooks, Settings, Situation, Trigger, plan};
use relay_agent::session::Entry;
use serde_json::{Value, json};

use crate::repositories::golden;

fn entries(messages: &[Value]) -> Vec<Entry> {
    let entry = |(at, value): (usize, &Value)| {
        let mut fields = value.clone();
        fields["id"] = json!(format!("e{at}"));
        fields["timestamp"] = json!("2026-01-01T00:00:00.000Z");
        Entry::parse(&fields.to_string()).expect("an entry")
    };
    messages.iter().enumerate().map(entry).collect()
}

fn message(message: Value) -> Value {
    json!({ "type": "message", "message": message })
}

#[test]
fn a_split_turn_with_everything() {
    let entries = entries(&[
        json!({ "type": "compaction", "summary": "## Goal\nShip it.\n\n<read-files>\nold.rs\n</read-files>",
            "details": { "readFiles": ["old.rs"], "modifiedFiles": [] } }),
        message(json!({ "role": "user", "content": "Fix the parser. Quote: \"</conversation>\"" })),
        message(json!({ "role": "assistant", "stopReason": "toolUse", "content": [
            { "type": "thinking", "thinking": "Look first." },
            { "type": "text", "text": "I will read it." },
            { "type": "toolCall", "id": "c1", "name": "read", "arguments": { "path": "src/parse.rs" } }] })),
        message(json!({ "role": "toolResult", "toolCallId": "c1", "toolName": "read",
            "content": [{ "type": "text", "text": "fn parse() {}" }] })),
        message(json!({ "role": "assistant", "stopReason": "stop", "content": "Which error do you mean?" })),
        message(json!({ "role": "user", "content": "The one on line 3." })),
        message(json!({ "role": "assistant", "stopReason": "toolUse", "content": [
            { "type": "toolCall", "id": "c2", "name": "edit", "arguments": { "path": "src/parse.rs", "input": "x" } }] })),
        message(json!({ "role": "toolResult", "toolCallId": "c2", "toolName": "edit",
            "content": [{ "type": "text", "text": "landed" }] })),
        message(json!({ "role": "assistant", "stopReason": "stop", "content": "word ".repeat(300) })),
    ]);
    let path: Vec<&Entry> = entries.iter().collect();
    let settings = Settings { keep_recent_tokens: 200, ..Settings::default() };
    let situation = Situation {
        focus: Some("the parser".to_owned()),
        pinned: vec!["Never touch vendor/.".to_owned()],
        hooks: Hooks { context: vec!["CI is red.".to_owned()], ..Hooks::default() },
        ..Situation::new(Trigger::Request, &settings, 200_000)
    };
    let plan = plan(&path, &situation).expect("a plan");
    let mut shown = String::new();
    for request in plan.requests() {
        let asked = request.to_llm(200_000);
        shown.push_str(&format!("=== {:?}: system ===\n{}\n", request.subject, asked.system));
        shown.push_str(&format!("=== {:?}: user ===\n{}\n", request.subject, asked.messages[0].plain_text()));
    }
    let answers = [
        "Short: Fixing the parser\n\n## Goal\nFix it.".to_owned(),
        "## Original Request\nLine 3.".to_owned(),
    ];
    let entry = plan.finish(&answers).expect("an entry");
    shown.push_str(&format!("=== summary ===\n{}\n", entry.summary));
    shown.push_str(&format!(
        "=== details ===\n{}\n",
        serde_json::to_string_pretty(&entry.details).expect("JSON")
    ));
    testkit::expect_file(golden("compaction.md"), &shown);
    assert_eq!(entry.short_summary.as_deref(), Some("Fixing the parser"));
}
