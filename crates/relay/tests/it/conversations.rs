//! Conversations with the agent in every wire format: several tools, steering, aborts, retries, fallbacks, overflow.

use serde_json::{Value, json};
use testkit::model::{Answer, Failure, Reply, Usage};

use crate::lab::{Lab, WIRES, calling};

#[test]
fn calls_of_one_answer_run_in_parallel_and_results_keep_their_order() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        for name in ["a", "b", "c"] {
            lab.env.write(&format!("{name}.txt"), &format!("quagga-{name}\n"));
        }
        lab.calls(&["c", "a", "b"].map(|name| ("read", json!({ "path": format!("{name}.txt") }))));
        lab.server.queue(Reply::text("Read."));
        let (code, document) = lab.json(&["read them"]);
        assert_eq!((code, &document["text"]), (0, &json!("Read.")), "{wire}: {document}");
        let body = lab.last_body().to_string();
        let at =
            |name: &str| body.rfind(&format!("quagga-{name}")).unwrap_or_else(|| panic!("{wire}: {body}"));
        assert!(at("c") < at("a") && at("a") < at("b"), "{wire}: {body}");
    }
}

#[test]
fn steering_skips_the_calls_that_have_not_started_in_every_wire_format() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        let mut client = lab.rpc(&["--policy", "full"]);
        lab.calls(&[
            ("bash", json!({ "command": "touch started; while [ ! -e go ]; do sleep 0.02; done" })),
            ("bash", json!({ "command": "touch second" })),
        ]);
        lab.server.queue(Reply::text("As you wish."));
        client.get("prompt", json!({ "message": "work" }));
        client.wait(|line| line["type"] == "tool_execution_start");
        testkit::wait_for("the first command", || lab.env.exists("started"));
        client.get("steer", json!({ "message": "stop that" }));
        lab.env.write("go", "");
        assert_eq!(client.ended(), "done", "{wire}");
        assert!(!lab.env.exists("second"), "{wire}: the second call did not start");
        let body = lab.last_body().to_string();
        assert!(body.contains("Skipped due to queued user message."), "{wire}: {body}");
        assert!(body.contains("stop that"), "{wire}: {body}");
        assert_eq!(client.talk.end(), Some(0));
    }
}

#[test]
fn an_abort_at_any_event_of_an_answer_leaves_a_usable_session() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        lab.env.write("a.txt", "one\n");
        let mut client = lab.rpc(&[]);
        for event in 0..8 {
            let reply =
                Reply::thinking("I think.", "seal").part(testkit::model::Part::Text("Some words.".into()));
            let reply = reply.tool("c", "read", r#"{"path":"a.txt"}"#);
            lab.server.queue(Answer::from(reply).stall_at(event));
            let before = lab.server.requests().len();
            client.get("prompt", json!({ "message": format!("go {event}") }));
            assert_eq!(lab.server.wait_for_requests(before + 1).len(), before + 1);
            client.get("abort", json!({}));
            let ended = client.ended();
            assert_eq!(ended, "aborted", "{wire}: event {event}");
        }
        lab.server.queue(Reply::text("Back."));
        assert_eq!(client.prompt("still there?"), "done", "{wire}");
        assert_eq!(client.get("get_last_assistant_text", json!({}))["text"], "Back.", "{wire}");
        assert_eq!(client.talk.end(), Some(0));
    }
}

#[test]
fn an_abort_stops_a_tool_and_its_children_at_once() {
    let lab = Lab::new();
    let mut client = lab.rpc(&["--policy", "full"]);
    lab.calls(&[("bash", json!({ "command": "touch started; sleep 1234.5 & wait" }))]);
    client.get("prompt", json!({ "message": "work" }));
    testkit::wait_for("the command", || lab.env.exists("started"));
    client.get("abort", json!({}));
    assert_eq!(client.ended(), "aborted");
    testkit::wait_for("the end of its children", || {
        let found = std::process::Command::new("pgrep").args(["-f", "^sleep 1234.5$"]).output().unwrap();
        found.stdout.is_empty()
    });
    lab.server.queue(Reply::text("Fine."));
    assert_eq!(client.prompt("go on"), "done");
    let body = lab.last_body().to_string();
    assert!(body.contains("call_0") || body.contains("cancelled") || body.contains("aborted"), "{body}");
}

#[test]
fn a_temporary_failure_is_retried_and_reported() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        lab.server.queue(Answer::failure(Failure::Overloaded));
        lab.server.queue(Answer::failure(Failure::Internal));
        lab.server.queue(Reply::text("Here."));
        let run = lab.run(&["--stream-json", "hello"]);
        assert_eq!(run.code, 0, "{wire}: {}", run.stderr);
        let events: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let starts: Vec<&Value> = events.iter().filter(|event| event["type"] == "auto_retry_start").collect();
        assert_eq!(starts.len(), 2, "{wire}: {starts:?}");
        assert_eq!((&starts[1]["attempt"], &starts[1]["maxAttempts"]), (&json!(2), &json!(3)), "{wire}");
        let end = events.iter().find(|event| event["type"] == "auto_retry_end").unwrap();
        assert_eq!((&end["success"], &end["attempt"]), (&json!(true), &json!(2)), "{wire}: {end}");
        assert_eq!(lab.server.requests().len(), 3);
    }
}

#[test]
fn retries_end_and_the_run_says_why() {
    let lab = Lab::new();
    lab.server.respond(|_| Answer::failure(Failure::Overloaded));
    let run = lab.run(&["hello"]);
    assert_eq!(run.code, 1, "{}", run.stdout);
    assert!(run.stderr.contains("Retrying (1/3) in"), "{}", run.stderr);
    assert!(run.stderr.contains("Retry failed after 3 attempts"), "{}", run.stderr);
    assert_eq!(lab.server.requests().len(), 4);
}

#[test]
fn another_model_answers_when_the_first_cannot() {
    let lab = Lab::new();
    lab.config(
        "[retry]\nbaseDelayMs = 1\nrequestMaxRetries = 0\nstreamMaxRetries = 0\n[retry.fallbackChains]\ndefault = [\"lab/second\"]\n",
    );
    lab.server.respond(|request| match request.model().as_str() {
        "second" => Answer::from(Reply::text("From the second.")),
        _ => Answer::failure(Failure::Quota),
    });
    let run = lab.run(&["--stream-json", "hello"]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("From the second."), "{}", run.stdout);
    let fell = run.stdout.lines().find(|line| line.contains("retry_fallback_applied")).unwrap();
    assert!(fell.contains("lab/second"), "{fell}");
    assert!(run.stdout.contains("retry_fallback_succeeded"), "{}", run.stdout);
    let log = lab.env.relay(&["sessions", "list", "--json"]).success();
    let list: Value = serde_json::from_str(&log.stdout).unwrap();
    let file = std::fs::read_to_string(list[0]["path"].as_str().unwrap()).unwrap();
    assert!(file.contains("\"role\":\"temporary\""), "{file}");
}

#[test]
fn an_abort_while_a_retry_waits_cancels_the_retry() {
    let lab = Lab::new();
    lab.config("[retry]\nbaseDelayMs = 60000\nrequestMaxRetries = 0\nstreamMaxRetries = 0\n");
    lab.server.respond(|_| Answer::failure(Failure::Overloaded));
    let mut client = lab.rpc(&[]);
    client.get("prompt", json!({ "message": "hello" }));
    client.wait(|line| line["type"] == "auto_retry_start");
    client.get("abort_retry", json!({}));
    let end = client.wait(|line| line["type"] == "auto_retry_end");
    assert_eq!((&end["success"], &end["finalError"]), (&json!(false), &json!("Retry cancelled")), "{end}");
    assert_eq!(client.ended(), "aborted");
}

#[test]
fn a_conversation_that_does_not_fit_is_compacted_and_continues() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        lab.config("[compaction]\nkeepRecentTokens = 1\n[retry]\nbaseDelayMs = 1\nrequestMaxRetries = 0\nstreamMaxRetries = 0\n");
        for n in 0..3 {
            lab.server.queue(Reply::text(format!("Answer {n}.")));
            let more: &[&str] = if n == 0 { &[] } else { &["--continue"] };
            assert_eq!(lab.json(&[more, &[&format!("question {n}")]].concat()).0, 0, "{wire}");
        }
        lab.server.queue(Answer::failure(Failure::ContextOverflow));
        lab.server.queue(Reply::text("## Goal\nThe summary."));
        lab.server.queue(Reply::text("After all."));
        let (code, document) = lab.json(&["--continue", "the last question"]);
        assert_eq!((code, &document["text"]), (0, &json!("After all.")), "{wire}: {document}");
        let body = lab.last_body().to_string();
        assert!(body.contains("The summary.") && body.contains("the last question"), "{wire}: {body}");
        assert!(!body.contains("Answer 0."), "{wire}: {body}");
    }
}

#[test]
fn a_rule_interrupts_however_the_stream_is_cut() {
    for (wire, path) in WIRES {
        for bytes in [1, 2, 3, 7, 64] {
            let lab = Lab::speaking(wire, path);
            lab.env.write(
                ".relay/rules/no-unwrap.md",
                "---\ndescription: No unwrap\ncondition: \"\\\\.unwrap\\\\(\\\\)\"\nscope: text\n---\nNever write unwrap.\n",
            );
            let wrong =
                Reply::text("Call x.unwrap() here, and then much more text follows.").delta(1 + bytes % 5);
            lab.server.queue(Answer::from(wrong).cut(bytes));
            lab.server.queue(Reply::text("Use expect."));
            let (code, document) = lab.json(&["how?"]);
            assert_eq!((code, &document["text"]), (0, &json!("Use expect.")), "{wire} {bytes}: {document}");
            let body = lab.last_body().to_string();
            assert!(body.contains("rule_violation") && !body.contains("much more"), "{wire} {bytes}: {body}");
        }
    }
}

#[test]
fn most_of_a_prompt_is_a_prefix_of_the_next_one() {
    for (wire, path) in WIRES {
        let lab = Lab::speaking(wire, path);
        lab.env.write("a.txt", &"a line of text\n".repeat(40));
        for _ in 0..5 {
            lab.calls(&[("read", json!({ "path": "a.txt" }))]);
        }
        lab.server.queue(Reply::text("Done."));
        assert_eq!(lab.json(&["look"]).0, 0, "{wire}");
        let prompts: Vec<Vec<String>> =
            lab.server.requests().iter().map(|request| parts(&request.body)).collect();
        for pair in prompts.windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            let same: usize = before
                .iter()
                .zip(after)
                .take_while(|(one, other)| one == other)
                .map(|(one, _)| one.len())
                .sum();
            let all: usize = before.iter().map(String::len).sum();
            assert!(same * 100 >= all * 95, "{wire}: {same} of {all} bytes");
        }
    }
}

/// What a provider reads, in its order: instructions, tools, messages. Cache markers are left out.
fn parts(body: &Value) -> Vec<String> {
    fn without_marks(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let kept = fields.iter().filter(|(key, _)| *key != "cache_control");
                Value::Object(kept.map(|(key, value)| (key.clone(), without_marks(value))).collect())
            }
            Value::Array(items) => Value::Array(items.iter().map(without_marks).collect()),
            other => other.clone(),
        }
    }
    let mut parts = Vec::new();
    for key in ["tools", "system", "instructions", "systemInstruction", "messages", "input", "contents"] {
        match &body[key] {
            Value::Array(items) => parts.extend(items.iter().map(|item| without_marks(item).to_string())),
            Value::Null => {}
            other => parts.push(without_marks(other).to_string()),
        }
    }
    parts
}

#[test]
fn fifty_turns_use_little_more_memory_than_five() {
    let peak = |turns: usize| {
        let lab = Lab::new();
        lab.env.write("a.txt", &"a line of text\n".repeat(40));
        for turn in 0..turns {
            // A model that makes one call over and over is stopped.
            let path = if turn % 2 == 0 { "a.txt" } else { "a.txt:1" };
            lab.calls(&[("read", json!({ "path": path }))]);
        }
        lab.server.queue(Answer::from(Reply::text("Done.")).stall_at(1));
        let running = lab.env.relay(&["run", "--model", "lab/m", "--no-session", "look"]).spawn();
        assert_eq!(lab.server.wait_for_requests(turns + 1).len(), turns + 1);
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
        running.signal("INT");
        assert_eq!(running.wait().code, 130);
        let kib = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        kib.unwrap().trim().parse::<u64>().unwrap()
    };
    let (few, many) = (peak(5), peak(50));
    // A turn adds about 1 KB to the transcript, so anything near a megabyte would be a leak.
    assert!(many < few + 16 * 1024, "{few} KiB after 5 turns, {many} KiB after 50");
}

#[test]
fn a_recording_replays_bit_for_bit() {
    let lab = Lab::new();
    lab.env.write("a.txt", "one\ntwo\n");
    let before = lab.env.tree();
    lab.calls(&[("read", json!({ "path": "a.txt" })), ("read", json!({ "path": "missing.txt" }))]);
    lab.calls(&[("write", json!({ "path": "b.txt", "content": "new\n" }))]);
    lab.server.queue(Reply::thinking("Let me see.", "seal").part(testkit::model::Part::Text("Done.".into())));
    let first = lab.run(&["--record", "../talk.jsonl", "--stream-json", "do it"]);
    assert_eq!(first.code, 0, "{}", first.stderr);
    let after = lab.env.tree();
    lab.env.relay(&["undo", "--turn", "--yes"]).success();
    assert_eq!(lab.env.tree(), before);
    let asked = lab.server.requests().len();
    let again = lab
        .env
        .relay(&["run", "--model", "replay:../talk.jsonl", "--offline", "--stream-json", "do it"])
        .run();
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(lab.server.requests().len(), asked, "no one was asked");
    assert_eq!(lab.env.tree(), after);
    assert_eq!(stable(&again.stdout), stable(&first.stdout));
    assert!(!again.stderr.contains("recording"), "{}", again.stderr);
}

/// Events without the parts that differ between runs: times, ids of entries, names of transactions, and the order in
/// which parallel calls end. Their results are in the order of the calls anyway.
fn stable(lines: &str) -> Vec<Value> {
    fn cleaned(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for key in ["timestamp", "entryId", "duration", "ttft", "transactions", "cost"] {
                    fields.remove(key);
                }
                fields.values_mut().for_each(cleaned);
            }
            Value::Array(items) => items.iter_mut().for_each(cleaned),
            _ => {}
        }
    }
    let mut events: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter_mut().for_each(cleaned);
    let ends = |event: &Value| event["type"] == "tool_execution_end";
    let of_calls = |event: &Value| ends(event) || event["message"]["role"] == "toolResult";
    for together in events.chunk_by_mut(|one, next| of_calls(one) && of_calls(next)) {
        // The sort is stable, so results keep their order.
        together.sort_by_key(|event| (!ends(event), event["toolCallId"].as_str().map(str::to_owned)));
    }
    events
}

#[test]
fn a_run_that_costs_too_much_stops_before_the_next_request() {
    let lab = Lab::new();
    lab.models(
        "openai-chat",
        "/v1",
        "[[providers.lab.models]]\nid = \"m\"\nprice = { input = 2.0, output = 2.0 }\n",
    );
    lab.env.write("a.txt", "one\n");
    let before = lab.env.tree();
    let usage = Usage { input: 1_000_000, output: 10, cache_read: 0, cache_write: 0, reasoning: 0 };
    lab.server.queue(calling(&[("read", json!({ "path": "a.txt" }))]).usage(usage));
    lab.server.queue(Reply::text("Never."));
    let (code, document) = lab.json(&["--max-cost", "1", "go"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    assert_eq!(lab.server.requests().len(), 1, "{document}");
    assert!(document["cost"].as_f64().is_some_and(|cost| cost >= 2.0), "{document}");
    assert_eq!(lab.env.tree(), before);
    lab.server.queue(Reply::text("Later."));
    assert_eq!(lab.json(&["--continue", "go on"]).0, 0, "the session is sound");
}

#[test]
fn a_run_out_of_time_ends_its_command_and_lands_all_or_nothing() {
    let lab = Lab::new();
    lab.calls(&[("bash", json!({ "command": "echo half > half.txt; sleep 600" }))]);
    let (code, document) = lab.json(&["--policy", "full", "--max-time", "2s", "go"]);
    assert_eq!((code, &document["status"]), (4, &json!("limit")), "{document}");
    // The command's changes up to then are on the ledger, and can be undone as a whole.
    if lab.env.exists("half.txt") {
        lab.env.relay(&["undo", "--turn", "--yes"]).success();
    }
    assert!(!lab.env.exists("half.txt"));
    lab.server.queue(Reply::text("Later."));
    assert_eq!(lab.json(&["--continue", "go on"]).0, 0, "the session is sound");
}

#[test]
fn a_run_whose_model_fails_midway_keeps_what_landed_and_can_continue() {
    let lab = Lab::new();
    lab.calls(&[("write", json!({ "path": "a.txt", "content": "one\n" }))]);
    lab.server.queue(Answer::status(400, Failure::BadRequest));
    let (code, document) = lab.json(&["go"]);
    assert_eq!((code, &document["status"]), (1, &json!("failed")), "{document}");
    assert_eq!(document["transactions"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(lab.env.read("a.txt"), "one\n");
    lab.server.queue(Reply::text("Done."));
    let run = lab.env.relay(&["resume", "--model", "lab/m", "--json"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    lab.env.relay(&["undo", "--session", "--yes"]).success();
    assert!(!lab.env.exists("a.txt"));
}

#[test]
fn the_answer_must_match_the_schema() {
    let lab = Lab::new();
    lab.env
        .write("schema.json", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);
    lab.server.queue(Reply::text("It is seven."));
    lab.server.queue(Reply::text(r#"{"n": "seven"}"#));
    lab.server.queue(Reply::text("```json\n{\"n\": 7}\n```"));
    let (code, document) = lab.json(&["--schema", "schema.json", "which?"]);
    assert_eq!((code, &document["structured"]["n"]), (0, &json!(7)), "{document}");
    let body = lab.last_body().to_string();
    assert!(body.contains("does not follow the JSON schema") && body.contains("n: "), "{body}");
    lab.server.respond(|_| Answer::from(Reply::text("no")));
    let (code, document) = lab.json(&["--schema", "schema.json", "which?"]);
    assert_eq!((code, &document["status"]), (1, &json!("failed")), "{document}");
    assert!(document["error"].as_str().unwrap().contains("does not follow the schema"), "{document}");
}
