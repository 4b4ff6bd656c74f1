//! Servers that are compatible in their own way, and models that lose their way.

use relay_llm::{
    Arguments, Block, Compat, Event, Message, Model, Notice, Provider, Request, Seal, ToolResult,
};
use serde_json::{Value, json};
use std::sync::Arc;
use testkit::model::{Answer, Reply};

use crate::support::{Lab, Told, for_every, prompt};

/// Chat Completions chunks with exactly these deltas.
fn chunks(deltas: &[Value], finish: &str) -> Answer {
    let mut body = String::new();
    for delta in deltas {
        let chunk = json!({ "id": "c", "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
        body.push_str(&format!("data: {chunk}\n\n"));
    }
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": finish }] });
    body.push_str(&format!("data: {last}\n\ndata: [DONE]\n\n"));
    Answer::raw(200, "text/event-stream", body)
}

fn ask(deltas: &[Value], finish: &str) -> Told {
    let told = Lab::new("openai-chat").ask(chunks(deltas, finish));
    assert_eq!(told.outcome(), "done", "{:?}", told.error);
    told
}

fn calls(told: &Told) -> Vec<(String, Value)> {
    let arguments =
        |arguments: &Arguments| arguments.object().cloned().map(Value::Object).unwrap_or_default();
    told.turn.message().tool_calls().map(|call| (call.name.clone(), arguments(&call.arguments))).collect()
}

fn call(fields: Value) -> Value {
    json!({ "tool_calls": [fields] })
}

fn lab_with(compat: Compat) -> Lab {
    let lab = Lab::new("openai-chat");
    let provider = Provider { compat, ..Provider::clone(&lab.model.provider) };
    Lab { model: Model { provider: Arc::new(provider), ..lab.model.clone() }, ..lab }
}

#[test]
fn calls_without_an_index() {
    let told = ask(
        &[
            call(json!({ "id": "a", "function": { "name": "read", "arguments": "{\"n\":1}" } })),
            call(json!({ "id": "b", "function": { "name": "read", "arguments": "{\"n\":2}" } })),
        ],
        "tool_calls",
    );
    assert_eq!(
        calls(&told),
        [("read".to_owned(), json!({ "n": 1 })), ("read".to_owned(), json!({ "n": 2 }))]
    );
}

#[test]
fn several_calls_under_one_index() {
    let told = ask(
        &[
            call(json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": "{\"n\":1}" } })),
            call(json!({ "index": 0, "id": "b", "function": { "name": "list", "arguments": "{\"n\":" } })),
            call(json!({ "index": 0, "function": { "arguments": "2}" } })),
        ],
        "tool_calls",
    );
    assert_eq!(
        calls(&told),
        [("read".to_owned(), json!({ "n": 1 })), ("list".to_owned(), json!({ "n": 2 }))]
    );
}

#[test]
fn an_id_on_every_piece_and_a_name_that_comes_late() {
    let told = ask(
        &[
            call(json!({ "index": 0, "id": "a", "function": { "arguments": "{\"n\"" } })),
            call(json!({ "index": 0, "id": "a", "function": { "name": "read", "arguments": ":1" } })),
            call(json!({ "index": 0, "id": "a", "function": { "arguments": "}" } })),
        ],
        "tool_calls",
    );
    assert_eq!(calls(&told), [("read".to_owned(), json!({ "n": 1 }))]);
}

#[test]
fn arguments_as_an_object_and_no_id_at_all() {
    let told =
        ask(&[call(json!({ "index": 0, "function": { "name": "read", "arguments": { "n": 1 } } }))], "stop");
    assert_eq!(calls(&told), [("read".to_owned(), json!({ "n": 1 }))]);
    let id = told.turn.message().tool_calls().next().unwrap().id.clone();
    assert!(id.starts_with("call_"), "{id}");
    assert_eq!(
        told.turn.stop,
        relay_llm::StopReason::ToolUse,
        "a call is waited for, whatever the server calls it"
    );
}

#[test]
fn words_and_thoughts_as_parts() {
    let told = ask(
        &[
            json!({ "content": [{ "type": "thinking", "thinking": [{ "type": "text", "text": "Hm." }] }] }),
            json!({ "content": [{ "type": "text", "text": "Yes." }] }),
            json!({ "content": " No." }),
        ],
        "stop",
    );
    assert_eq!(told.text(), "Yes. No.");
    assert!(
        matches!(&told.turn.content[0], Block::Thinking { text, .. } if text == "Hm."),
        "{:?}",
        told.turn
    );
}

#[test]
fn think_tags_are_removed_for_servers_that_leave_them_in() {
    let deltas = [json!({ "content": "<thi" }), json!({ "content": "nk>Hm.</think>\n\nYes." })];
    let lab = lab_with(Compat { think_tags: true, ..Compat::default() });
    let told = lab.ask(chunks(&deltas, "stop"));
    assert_eq!(told.text(), "Yes.");
    assert!(matches!(&told.turn.content[0], Block::Thinking { text, .. } if text == "Hm."));
    assert_eq!(ask(&deltas, "stop").text(), "<think>Hm.</think>\n\nYes.", "elsewhere they are text");
}

#[test]
fn pieces_of_reasoning_details_are_joined() {
    let detail = |fields: Value| json!({ "reasoning_details": [fields] });
    let told = ask(
        &[
            detail(json!({ "type": "reasoning.summary", "summary": "First ", "index": 0, "format": "x" })),
            detail(json!({ "type": "reasoning.summary", "summary": "second.", "index": 0, "format": "x" })),
            detail(json!({ "type": "reasoning.encrypted", "data": "abc", "index": 1 })),
            json!({ "content": "Yes." }),
        ],
        "stop",
    );
    let Block::Thinking { text, seal: Some(Seal::Details { details }) } = &told.turn.content[0] else {
        panic!("{:?}", told.turn);
    };
    assert_eq!(text, "First second.");
    let whole = json!({ "type": "reasoning.summary", "summary": "First second.", "index": 0, "format": "x" });
    assert_eq!(details, &[whole, json!({ "type": "reasoning.encrypted", "data": "abc", "index": 1 })]);
}

#[test]
fn fields_that_a_server_refuses_are_not_sent() {
    let compat = Compat {
        legacy_max_tokens: true,
        no_stream_options: true,
        no_cache_key: true,
        named_tool_results: true,
        assistant_after_tool_result: true,
        short_tool_ids: true,
        developer_role: true,
        ..Compat::default()
    };
    let lab = lab_with(compat);
    let told = lab.ask(Reply::default().tool("call_with_a_long_id", "read", "{}"));
    let message = told.turn.message();
    let call_id = message.tool_calls().next().unwrap().id.clone();
    let result = Block::ToolResult(ToolResult {
        call_id,
        name: "read".to_owned(),
        content: vec![Block::text("x")],
        is_error: false,
    });
    let request = Request {
        system: "Be brief.".to_owned(),
        max_output: Some(100),
        cache_key: Some("k".to_owned()),
        messages: vec![Message::text("Hi"), message, Message::user(vec![result, Block::text("And?")])],
        ..prompt()
    };
    assert_eq!(lab.request(&request).outcome(), "done");
    let body = lab.server.prompts()[1].body.clone();
    assert_eq!((&body["max_tokens"], &body["max_completion_tokens"]), (&json!(100), &Value::Null));
    assert_eq!((&body["stream_options"], &body["prompt_cache_key"]), (&Value::Null, &Value::Null));
    let roles: Vec<&str> =
        body["messages"].as_array().unwrap().iter().filter_map(|m| m["role"].as_str()).collect();
    assert_eq!(roles, ["developer", "user", "assistant", "tool", "assistant", "user"]);
    let id = body["messages"][2]["tool_calls"][0]["id"].as_str().unwrap();
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(body["messages"][3]["tool_call_id"], id);
    assert_eq!(body["messages"][3]["name"], "read");
}

#[test]
fn azure_has_the_model_in_its_path_and_a_version_behind_it() {
    let lab = Lab::new("openai-chat");
    let provider = Provider {
        base_url: format!("{}/openai/deployments/{{model}}?api-version=2024-10-21", lab.server.url()),
        auth: relay_llm::Auth::Header("api-key".to_owned()),
        ..Provider::clone(&lab.model.provider)
    };
    let lab = Lab { model: Model { provider: Arc::new(provider), ..lab.model.clone() }, ..lab };
    lab.ask(Reply::text("x"));
    let request = &lab.server.requests()[0];
    assert_eq!(request.path, "/openai/deployments/scripted-model/chat/completions");
    assert_eq!(request.query, "api-version=2024-10-21");
    assert_eq!(request.header("api-key"), Some(crate::support::KEY));
}

#[test]
fn cache_markers_through_a_compatible_server() {
    let lab = lab_with(Compat { cache_control: true, ..Compat::default() });
    let request = Request { system: "Be brief.".to_owned(), ..prompt() };
    assert_eq!(lab.request(&request).outcome(), "done");
    let body = &lab.server.prompts()[0].body;
    for message in 0..2 {
        assert_eq!(body["messages"][message]["content"][0]["cache_control"]["type"], "ephemeral");
    }
}

fn leaks(told: &Told) -> Vec<(usize, usize)> {
    let leak = |event: &Event| match event {
        Event::Notice(Notice::HarmonyLeak { index, offset }) => Some((*index, *offset)),
        _ => None,
    };
    told.events.iter().filter_map(leak).collect()
}

/// Good code followed by a leak.
const LEAK: &str = "fine();】【analysis to=functions.edit code 大发时时彩 user to=functions.edit code";

#[test]
fn leaked_routing_ends_the_answer() {
    for_every(|lab| {
        let told = lab.ask(Reply::text(format!("{LEAK}{}", " and on".repeat(500))).delta(3));
        assert_eq!((told.outcome().as_str(), leaks(&told)), ("Leak", vec![(0, "fine();".len())]));
        assert!(told.text().len() < 300, "what follows is not waited for: {}", told.text().len());
        assert_eq!(lab.server.prompts().len(), 1, "a stream that has told something is not asked for again");
    });
}

#[test]
fn no_tool_runs_on_arguments_that_routing_leaked_into() {
    for_every(|lab| {
        let arguments = json!({ "input": LEAK }).to_string();
        let told = lab.ask(Reply::text("Editing.").tool("call_1", "edit", &arguments).delta(3));
        assert_eq!((told.outcome().as_str(), leaks(&told).len()), ("Leak", 1));
        let message = told.turn.message();
        let arguments = message.tool_calls().map(|call| &call.arguments).collect::<Vec<_>>();
        assert!(arguments.iter().all(|arguments| arguments.object().is_none()), "{arguments:?}");
    });
}

#[test]
fn routing_that_leaked_into_thoughts_is_only_reported() {
    for name in ["anthropic", "openai", "openrouter", "deepseek", "google", "ollama"] {
        let answer = testkit::model::Part::Text("Yes.".to_owned());
        let told = Lab::new(name).ask(Reply::thinking(LEAK, "sig").part(answer));
        assert_eq!((told.outcome().as_str(), leaks(&told).len()), ("done", 1), "{name}");
        assert_eq!(told.text(), "Yes.");
    }
}

#[test]
fn quoted_routing_is_not_reported() {
    let page = include_str!("../../../relay-edit/tests/it/leaks/errata.md");
    for_every(|lab| {
        let arguments = json!({ "text": page }).to_string();
        let told = lab.ask(Reply::text(page).tool("call_1", "write", &arguments).delta(7));
        assert_eq!((told.outcome().as_str(), leaks(&told)), ("done", vec![]));
    });
}
