//! The protocol of `relay rpc`, field by field: what clients of pi read from responses, events and questions.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use testkit::model::{Answer, Failure, Reply};

use crate::lab::{Client, Lab};

/// The events of this kind so far.
fn events<'a>(client: &'a Client, kind: &str) -> Vec<&'a Value> {
    client.seen.iter().filter(|line| line["type"] == kind).collect()
}

/// A line that may have arrived already, while waiting for another.
fn came(client: &mut Client, fits: impl Fn(&Value) -> bool) -> Value {
    match client.seen.iter().position(&fits) {
        Some(at) => client.seen.remove(at),
        None => client.wait(fits),
    }
}

#[test]
fn a_compaction_is_answered_with_its_summary() {
    let lab = Lab::new();
    lab.config("[compaction]\nkeepRecentTokens = 1\n");
    let mut client = lab.rpc(&[]);
    let nothing = client.ask("compact", json!({}));
    assert_eq!(nothing["success"], false, "there is nothing yet: {nothing}");
    for text in ["First.", "Second."] {
        lab.server.queue(Reply::text(text));
        assert_eq!(client.prompt("a long story"), "done");
    }
    lab.server.queue(Reply::text("## Goal\nA story."));
    let data = client.get("compact", json!({ "customInstructions": "the hero" }));
    assert!(data["summary"].as_str().unwrap().contains("A story."), "{data}");
    assert!(data["tokensBefore"].as_u64().is_some_and(|tokens| tokens > 0), "{data}");
    let kept = data["firstKeptEntryId"].as_str().unwrap();
    assert_eq!(client.get("get_entry", json!({ "entryId": kept }))["entry"]["id"], kept);
    assert!(lab.last_body().to_string().contains("the hero"));
    let end = events(&client, "auto_compaction_end").into_iter().next_back().unwrap();
    assert_eq!((&end["result"], &end["reason"]), (&data, &json!("manual")), "{end}");
    assert_eq!(client.get("get_state", json!({}))["isCompacting"], false);
}

#[test]
fn a_running_compaction_is_visible_and_can_be_aborted() {
    let lab = Lab::new();
    lab.config("[compaction]\nkeepRecentTokens = 1\n");
    let mut client = lab.rpc(&[]);
    for text in ["First.", "Second."] {
        lab.server.queue(Reply::text(text));
        assert_eq!(client.prompt("a long story"), "done");
    }
    lab.server.queue(Answer::from(Reply::text("a".repeat(400))).stall_at(3));
    client.send(&json!({ "type": "compact", "id": "c" }));
    client.wait(|line| line["type"] == "auto_compaction_start");
    let state = client.get("get_state", json!({}));
    assert_eq!((&state["isCompacting"], &state["isStreaming"]), (&json!(true), &json!(false)), "{state}");
    assert_eq!(client.ask("compact", json!({}))["success"], false, "one at a time");
    client.get("abort", json!({}));
    let response = came(&mut client, |line| line["type"] == "response" && line["id"] == "c");
    assert_eq!(response["success"], false, "{response}");
    let before = client.get("get_messages", json!({}))["messages"].as_array().unwrap().len();
    assert_eq!(before, 4, "the conversation is as it was");
}

#[test]
fn every_message_begins_and_ends_and_the_run_ends_with_all_of_them() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\n");
    let mut client = lab.rpc(&[]);
    lab.calls(&[("read", json!({ "path": "a.txt" }))]);
    lab.server.queue(Reply::text("It says one."));
    client.get("prompt", json!({ "message": "read it" }));
    let end = client.wait(|line| line["type"] == "agent_end");
    let roles = |messages: &[Value]| -> Vec<String> {
        messages.iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect()
    };
    let expected = ["user", "assistant", "toolResult", "assistant"];
    assert_eq!(roles(end["messages"].as_array().unwrap()), expected, "{end}");
    for kind in ["message_start", "message_end"] {
        let seen: Vec<Value> =
            events(&client, kind).into_iter().map(|event| event["message"].clone()).collect();
        assert_eq!(roles(&seen), expected, "{kind}");
    }
    let start = events(&client, "tool_execution_start").pop().unwrap();
    assert_eq!(
        (&start["toolCallId"], &start["toolName"], &start["args"]["path"]),
        (&json!("call_0"), &json!("read"), &json!("a.txt"))
    );
    let stats = client.get("get_session_stats", json!({}));
    assert!(stats["contextUsage"]["contextWindow"].as_u64().is_some_and(|window| window > 0), "{stats}");
    lab.server.queue(Reply::text("Again."));
    client.get("prompt", json!({ "message": "again" }));
    let end = client.wait(|line| line["type"] == "agent_end");
    assert_eq!(roles(end["messages"].as_array().unwrap()), ["user", "assistant"], "only those of this run");
}

#[test]
fn updates_of_a_call_include_its_arguments() {
    let lab = Lab::new();
    let mut client = lab.rpc(&["--policy", "full"]);
    lab.calls(&[("bash", json!({ "command": "echo one; sleep 1; echo two" }))]);
    lab.server.queue(Reply::text("Done."));
    assert_eq!(client.prompt("run it"), "done");
    let updates = events(&client, "tool_execution_update");
    let last = updates.into_iter().rfind(|update| update["args"].is_object()).unwrap();
    assert_eq!(last["args"]["command"], "echo one; sleep 1; echo two", "{last}");
    assert!(last["partialResult"]["content"][0]["text"].as_str().unwrap().contains("one"), "{last}");
}

#[test]
fn a_prompt_that_fails_later_is_answered_again_with_its_id() {
    let lab = Lab::new();
    lab.server.respond(|_| Answer::status(400, Failure::BadRequest));
    let mut client = lab.rpc(&[]);
    let first = client.ask("prompt", json!({ "message": "hi" }));
    assert_eq!(first["success"], true, "acknowledged at once");
    let id = first["id"].clone();
    let failure = came(&mut client, |line| line["type"] == "response" && line["id"] == id);
    assert_eq!((&failure["command"], &failure["success"]), (&json!("prompt"), &json!(false)), "{failure}");
    assert!(failure["error"].as_str().is_some_and(|why| !why.is_empty()), "{failure}");
}

/// Answers the next question.
fn answer(client: &mut Client, fields: Value) -> Value {
    let question = client.wait(|line| line["type"] == "extension_ui_request");
    let mut line = json!({ "type": "extension_ui_response", "id": question["id"] });
    line.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap());
    client.send(&line);
    question
}

#[test]
fn approvals_are_given_once_for_the_session_always_or_not_at_all() {
    let lab = Lab::new();
    let outside = lab.env.home_path("notes.txt");
    std::fs::write(&outside, "a note\n").unwrap();
    let read = json!({ "path": outside });
    let mut client = lab.rpc(&[]);
    let round = |client: &mut Client, fields: Option<Value>| -> (Option<Value>, String) {
        lab.calls(&[("read", read.clone())]);
        lab.server.queue(Reply::text("Done."));
        client.get("prompt", json!({ "message": "read it" }));
        let question = fields.map(|fields| answer(client, fields));
        assert_eq!(client.ended(), "done");
        let body = lab.last_body();
        let told = body["messages"].as_array().unwrap().iter().rfind(|message| message["role"] == "tool");
        (question, told.unwrap()["content"].to_string())
    };
    let (question, told) = round(&mut client, Some(json!({ "value": "Not now, ask Ada" })));
    let question = question.unwrap();
    assert_eq!((&question["method"], &question["title"]), (&json!("select"), &json!("Approval")));
    assert_eq!(question["optionIds"], json!(["once", "session", "always", "no"]), "{question}");
    assert_eq!(question["details"]["toolCallId"], "call_0", "{question}");
    assert!(told.contains("Not now, ask Ada"), "{told}");
    assert!(round(&mut client, Some(json!({ "cancelled": true }))).1.contains("declined"));
    assert!(round(&mut client, Some(json!({ "value": "once" }))).1.contains("a note"));
    assert!(round(&mut client, Some(json!({ "value": "Allow for this session" }))).1.contains("a note"));
    assert!(round(&mut client, None).1.contains("a note"), "not asked again");
}

#[test]
fn the_model_asks_the_person_through_the_client() {
    let lab = Lab::new();
    let mut client = lab.rpc(&[]);
    let options = json!([{ "label": "Red" }, { "label": "Blue" }]);
    let questions = json!([{ "id": "colour", "question": "Which colour?", "options": options }]);
    lab.calls(&[("ask", json!({ "questions": questions }))]);
    lab.server.queue(Reply::text("Blue it is."));
    client.get("prompt", json!({ "message": "paint it" }));
    let question = answer(&mut client, json!({ "value": "Blue" }));
    assert_eq!(question["method"], "select", "{question}");
    assert!(question["options"].to_string().contains("Blue"), "{question}");
    assert_eq!(client.ended(), "done");
    let body = lab.last_body().to_string();
    assert!(body.contains("Blue"), "{body}");
    // An aborted question is withdrawn from the client.
    lab.calls(&[("ask", json!({ "questions": questions }))]);
    client.get("prompt", json!({ "message": "again" }));
    let asked = client.wait(|line| line["type"] == "extension_ui_request");
    client.get("abort", json!({}));
    let taken = came(&mut client, |line| line["method"] == "cancel");
    assert_eq!(taken["targetId"], asked["id"]);
    let end = came(&mut client, |line| line["type"] == "agent_end" && line["status"] == "aborted");
    assert_eq!(end["messages"][0]["role"], "user", "{end}");
}

/// Has the model ask a question with two answers.
fn asks_for_a_colour(lab: &Lab) {
    let questions =
        json!([{ "id": "c", "question": "Which?", "options": [{ "label": "Red" }, { "label": "Blue" }] }]);
    lab.calls(&[("ask", json!({ "questions": questions }))]);
}

#[test]
fn a_question_that_times_out_is_withdrawn() {
    let lab = Lab::new();
    lab.config("[ask]\ntimeout = 1\n");
    let mut client = lab.rpc(&[]);
    asks_for_a_colour(&lab);
    lab.server.queue(Reply::text("I choose myself."));
    client.get("prompt", json!({ "message": "paint it" }));
    let asked =
        came(&mut client, |line| line["type"] == "extension_ui_request" && line["method"] == "select");
    assert_eq!(asked["timeout"], 1000, "{asked}");
    let taken = came(&mut client, |line| line["method"] == "cancel");
    assert_eq!(taken["targetId"], asked["id"]);
    let end = came(&mut client, |line| line["type"] == "agent_end");
    assert_eq!(end["status"], "done", "{end}");
}

#[test]
fn a_question_waits_for_whoever_has_begun_to_answer_it() {
    let lab = Lab::new();
    lab.config("[ask]\ntimeout = 1\n");
    let mut client = lab.rpc(&[]);
    asks_for_a_colour(&lab);
    lab.server.queue(Reply::text("Green it is."));
    client.get("prompt", json!({ "message": "paint it" }));
    let asked = answer(&mut client, json!({ "attended": true }));
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    client.send(&json!({ "type": "extension_ui_response", "id": asked["id"], "value": "Green" }));
    assert_eq!(client.ended(), "done");
    assert!(lab.last_body().to_string().contains("User provided custom input: Green"), "{}", lab.last_body());
}

#[test]
fn a_client_shows_and_drives_the_terminal_of_a_program() {
    let lab = Lab::new();
    let mut client = lab.rpc(&["--policy", "full"]);
    let command = "printf 'size? '; read x; stty size; printf 'how? '; read x; sleep 300";
    lab.calls(&[("bash", json!({ "command": command, "pty": true }))]);
    lab.server.queue(Reply::text("Done."));
    client.get("prompt", json!({ "message": "run it" }));
    let started = client.wait(|line| line["type"] == "pty_start");
    assert_eq!(started["command"], command);
    let id = &started["ptyId"];
    let wrote = |client: &mut Client, text: &str| {
        client.wait(|line| {
            line["type"] == "pty_output" && line["data"].as_str().is_some_and(|data| data.contains(text))
        });
    };
    wrote(&mut client, "size? ");
    client.get("pty_resize", json!({ "ptyId": id, "columns": 77, "rows": 11 }));
    client.get("pty_write", json!({ "ptyId": id, "data": "x\r" }));
    wrote(&mut client, "11 77");
    client.get("pty_kill", json!({ "ptyId": id }));
    client.wait(|line| line["type"] == "pty_end");
    assert_eq!(client.ended(), "done");
    let late = client.ask("pty_write", json!({ "ptyId": id, "data": "x" }));
    assert_eq!(late["error"], "PTY session is not running");
}

#[test]
fn a_person_edits_the_todo_list_and_the_model_is_told_in_time() {
    let lab = Lab::new();
    let mut client = lab.rpc(&[]);
    let edited = client.get("edit_todos", json!({ "markdown": "# Work\n- [ ] a\n- [ ] b\n- [ ] a\n" }));
    assert_eq!(edited["errors"], json!(["Line 4: Task \"a\" already exists"]));
    let edited = client.get(
        "edit_todos",
        json!({ "ops": [{ "op": "done", "task": "1" }, { "op": "start", "task": "zzz" }] }),
    );
    assert_eq!(edited["markdown"], "# Work\n- [x] a\n- [/] b\n");
    assert!(edited["errors"][0].as_str().unwrap().contains("no task is called `zzz`"), "{edited}");
    let kept = client.get("get_todos", json!({}));
    assert!(kept.to_string().contains("in_progress"), "{kept}");
    // While it works, the model is told between two tools.
    lab.config("[todo]\nreminders = false\n");
    lab.calls(&[("bash", json!({ "command": "sleep 1" }))]);
    lab.server.queue(Reply::text("I see."));
    lab.server.queue(Reply::text("I see."));
    client.get("prompt", json!({ "message": "go" }));
    client.wait(|line| line["type"] == "tool_execution_start");
    client.get("edit_todos", json!({ "ops": [{ "op": "rm", "task": "b" }] }));
    assert_eq!(client.ended(), "done");
    let body = lab.last_body().to_string();
    assert!(body.matches("The user edited the todo list").count() >= 3, "{body}");
}

#[test]
fn a_tool_of_the_client_proposes_and_the_model_decides() {
    let lab = Lab::new();
    for (action, told) in [
        ("apply", "Applied: rename x to y. Reason: fine"),
        ("discard", "Discarded: rename x to y. Reason: fine"),
    ] {
        let mut client = lab.rpc(&[]);
        let tool = json!({ "name": "rename", "description": "Renames", "parameters": { "type": "object" } });
        client.get("set_host_tools", json!({ "tools": [tool] }));
        lab.calls(&[("rename", json!({}))]);
        lab.calls(&[("resolve", json!({ "action": action, "reason": "fine" }))]);
        lab.calls(&[("resolve", json!({ "action": action, "reason": "again" }))]);
        lab.server.queue(Reply::text("Done."));
        client.get("prompt", json!({ "message": "rename it" }));
        let call = client.wait(|line| line["type"] == "host_tool_call");
        client.send(&json!({
            "type": "host_tool_result", "id": call["id"], "result": { "content": "3 places" },
            "pending": { "label": "rename x to y", "data": { "places": 3 } },
        }));
        let settled = came(&mut client, |line| line["type"] == "action_resolved");
        assert_eq!(
            (&settled["action"], &settled["toolName"], &settled["data"]["places"]),
            (&json!(action), &json!("rename"), &json!(3)),
            "{settled}"
        );
        assert_eq!(client.ended(), "done");
        let bodies: Vec<Value> = lab.server.requests().into_iter().map(|request| request.body).collect();
        let [.., forced, after, last] = bodies.as_slice() else { panic!("{bodies:#?}") };
        assert_eq!(forced["tool_choice"]["function"]["name"], "resolve", "a forced call: {forced}");
        assert!(after.to_string().contains(told), "{after}");
        assert_ne!(after["tool_choice"]["function"]["name"], "resolve", "forced once");
        assert!(
            last.to_string().contains("No pending action to resolve. Nothing to apply or discard."),
            "{last}"
        );
    }
}

/// A compaction service: takes one request per connection.
struct Service {
    url: String,
    answer: Arc<Mutex<String>>,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Service {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = Self { url, answer: Arc::default(), bodies: Arc::default() };
        let (answer, bodies) = (Arc::clone(&service.answer), Arc::clone(&service.bodies));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut reader = BufReader::new(stream.unwrap());
                let (mut line, mut length) = (String::new(), 0);
                while reader.read_line(&mut line).unwrap() > 2 {
                    if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                        length = value.trim().parse().unwrap();
                    }
                    line.clear();
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                bodies.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
                reader.get_mut().write_all(answer.lock().unwrap().as_bytes()).unwrap();
            }
        });
        service
    }

    fn answers(&self, status: &str, body: &str) {
        let length = body.len();
        *self.answer.lock().unwrap() =
            format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    }

    fn asked(&self) -> Value {
        self.bodies.lock().unwrap().pop().unwrap()
    }
}

#[test]
fn another_model_or_a_custom_service_summarises() {
    let lab = Lab::new();
    let service = Service::start();
    let compact = |roles: &str, more: &str| -> Value {
        lab.config(&format!("{roles}\n[compaction]\nkeepRecentTokens = 1\n{more}\n"));
        lab.server.respond(|request| match request.model().as_str() {
            "tiny" => Reply::text("## Goal\nBy the small one.").into(),
            _ if request.body.to_string().contains("<conversation>") => {
                Answer::status(400, Failure::BadRequest)
            }
            _ => Reply::text("Once upon a time.").into(),
        });
        let mut client = lab.rpc(&[]);
        for _ in 0..2 {
            assert_eq!(client.prompt("a long story"), "done");
        }
        client.ask("compact", json!({}))
    };
    let failed = compact("", "");
    assert_eq!(failed["success"], false, "its own model cannot: {failed}");
    let small = "modelRoles.smol = \"lab/tiny\"";
    let done = compact(small, "");
    assert!(done["data"]["summary"].as_str().unwrap().contains("By the small one."), "{done}");
    let remote = format!("remoteEndpoint = \"{}/summary\"", service.url);
    service.answers("200 OK", r#"{"summary":"By the service."}"#);
    let done = compact(small, &remote);
    assert!(done["data"]["summary"].as_str().unwrap().contains("By the service."), "{done}");
    let asked = service.asked();
    assert!(asked["prompt"].as_str().unwrap().contains("a long story"), "{asked}");
    assert!(asked["systemPrompt"].is_string(), "{asked}");
    service.answers("500 Internal Server Error", "{}");
    let done = compact(small, &remote);
    assert!(done["data"]["summary"].as_str().unwrap().contains("By the small one."), "falls back: {done}");
}

#[test]
fn an_idle_session_is_compacted_automatically() {
    let lab = Lab::new();
    lab.config("[compaction]\nkeepRecentTokens = 1\nidleEnabled = true\nidleThresholdTokens = 1\nidleTimeoutSeconds = 1\n");
    lab.server.respond(|request| match request.body.to_string().contains("<conversation>") {
        true => Reply::text("## Goal\nA story.").into(),
        false => Reply::text("Once upon a time.").into(),
    });
    let mut client = lab.rpc(&[]);
    for _ in 0..2 {
        assert_eq!(client.prompt("a long story"), "done");
    }
    let end = came(&mut client, |line| line["type"] == "auto_compaction_end");
    assert_eq!((&end["reason"], &end["aborted"]), (&json!("idle"), &json!(false)), "{end}");
    let asked = lab.server.requests().len();
    assert_eq!(client.get("get_state", json!({}))["isStreaming"], false, "nothing goes on");
    assert_eq!(lab.server.requests().len(), asked);
}
