//! `relay rpc`, driven by the Python client from the documentation, and by lines written here.

use std::path::Path;

use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};

fn lab() -> (testkit::TestEnv, ModelServer) {
    let crate::lab::Lab { env, server } = crate::lab::Lab::new();
    (env, server)
}

/// The responses to these input lines, by type.
fn talk(env: &testkit::TestEnv, lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let run = env.relay(&["rpc", "--model", "lab/m"]).stdin(&input).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn response<'a>(lines: &'a [Value], command: &str) -> &'a Value {
    let is_it = |line: &&Value| line["type"] == "response" && line["command"] == command;
    lines.iter().find(is_it).unwrap_or_else(|| panic!("no response to {command}: {lines:#?}"))
}

#[test]
fn the_documented_client_works() {
    let (env, server) = lab();
    server.queue(Reply::text("").tool("c1", "oracle", r#"{"question":"all"}"#));
    server.queue(Reply::text("It is 42."));
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/rpc.py");
    let programs = Path::new(env!("CARGO_BIN_EXE_relay")).parent().unwrap();
    let line = format!(
        "PATH='{}':$PATH python3 '{}' 'What is it?' --model lab/m",
        programs.display(),
        example.display()
    );
    let run = env.shell(&line);
    assert_eq!((run.code, run.stdout.trim()), (0, "It is 42."), "{}", run.stderr);
    let last = server.requests().pop().unwrap().body.to_string();
    assert!(last.contains("42"), "{last}");
}

#[test]
fn every_command_is_answered_with_its_id() {
    let (env, _server) = lab();
    let commands = [
        json!({ "id": 1, "type": "hello" }),
        json!({ "id": 2, "type": "get_state" }),
        json!({ "id": 3, "type": "get_messages" }),
        json!({ "id": 4, "type": "get_session_stats" }),
        json!({ "id": 5, "type": "get_last_assistant_text" }),
        json!({ "id": 6, "type": "get_branch_messages" }),
        json!({ "id": 7, "type": "get_available_models" }),
        json!({ "id": 8, "type": "set_thinking_level", "level": "low" }),
        json!({ "id": 9, "type": "cycle_thinking_level" }),
        json!({ "id": 10, "type": "set_steering_mode", "mode": "all" }),
        json!({ "id": 11, "type": "set_follow_up_mode", "mode": "all" }),
        json!({ "id": 12, "type": "set_interrupt_mode", "mode": "wait" }),
        json!({ "id": 13, "type": "set_auto_compaction", "enabled": false }),
        json!({ "id": 14, "type": "set_auto_retry", "enabled": false }),
        json!({ "id": 15, "type": "set_session_name", "name": "mine" }),
        json!({ "id": 16, "type": "set_model", "provider": "lab", "modelId": "other" }),
        json!({ "id": 17, "type": "set_todos", "phases": [] }),
        json!({ "id": 18, "type": "set_host_uri_schemes", "schemes": ["x"] }),
        json!({ "id": 19, "type": "get_tree" }),
        json!({ "id": 20, "type": "get_tools" }),
        json!({ "id": 21, "type": "get_system_prompt" }),
        json!({ "id": 22, "type": "ledger_list" }),
        json!({ "id": 23, "type": "get_settings" }),
        json!({ "id": 24, "type": "new_session" }),
        json!({ "id": 25, "type": "abort" }),
        json!({ "id": 26, "type": "abort_retry" }),
        json!({ "id": 27, "type": "abort_bash" }),
        json!({ "id": 28, "type": "get_queue" }),
        json!({ "id": 29, "type": "take_queue" }),
        json!({ "id": 30, "type": "get_commands" }),
        json!({ "id": 31, "type": "get_prompt_history" }),
        json!({ "id": 32, "type": "add_prompt_history", "text": "typed" }),
        json!({ "id": 33, "type": "get_transcript" }),
        json!({ "id": 34, "type": "get_context_usage" }),
        json!({ "id": 35, "type": "abort_branch_summary" }),
        json!({ "id": 36, "type": "get_fork_messages" }),
        json!({ "id": 37, "type": "get_todos" }),
        json!({ "id": 38, "type": "dump" }),
        json!({ "id": 39, "type": "list_sessions", "all": true }),
        json!({ "id": 40, "type": "search_sessions", "query": "x" }),
        json!({ "id": 41, "type": "get_thinking_levels" }),
        json!({ "id": 42, "type": "set_tools", "tools": ["read"] }),
        json!({ "id": 43, "type": "get_policy" }),
        json!({ "id": 44, "type": "set_policy", "level": "ask", "grant": ["web"] }),
        json!({ "id": 45, "type": "set_plan_mode", "enabled": true }),
        json!({ "id": 46, "type": "goal", "op": "show" }),
        json!({ "id": 47, "type": "get_setting", "key": "theme.dark" }),
        json!({ "id": 48, "type": "set_setting", "key": "theme.dark", "value": "mine" }),
        json!({ "id": 49, "type": "find_files", "query": "conf" }),
        json!({ "id": 50, "type": "complete_path", "prefix": "rel" }),
        json!({ "id": 51, "type": "list_user_files", "folder": "themes" }),
        json!({ "id": 52, "type": "read_user_file", "name": "keybindings.json" }),
    ];
    let lines = talk(&env, &commands);
    assert_eq!(lines[0]["type"], "ready");
    for command in &commands {
        let answer = response(&lines, command["type"].as_str().unwrap());
        assert_eq!((&answer["id"], &answer["success"]), (&command["id"], &json!(true)), "{answer}");
    }
    let state = &response(&lines, "get_state")["data"];
    assert_eq!((&state["isStreaming"], &state["model"]["id"]), (&json!(false), &json!("m")), "{state}");
    assert_eq!(response(&lines, "cycle_thinking_level")["data"]["level"], "medium");
    assert_eq!(response(&lines, "set_model")["data"]["id"], "other");
    let policy = &response(&lines, "set_policy")["data"];
    assert_eq!((&policy["level"], &policy["granted"]), (&json!("ask"), &json!(["web"])));
    assert_eq!(policy["previousLevel"], "auto");
    let setting = &response(&lines, "set_setting")["data"];
    assert_eq!(
        (&setting["value"], &setting["source"], &setting["type"]),
        (&json!("mine"), &json!("file"), &json!("text"))
    );
    let completed = &response(&lines, "complete_path")["data"]["files"];
    assert_eq!(completed[0]["path"], "relaycode.config.json", "{completed}");
    assert_eq!(response(&lines, "find_files")["data"]["files"][0]["path"], "relaycode.config.json");
}

#[test]
fn errors_are_answered_and_the_conversation_continues() {
    let (env, _server) = lab();
    let input = "{\n[1]\n{\"type\":\"teleport\",\"id\":7}\n{\"type\":\"prompt\",\"id\":8}\n{\"type\":\"host_tool_result\",\"id\":\"none\"}\n{\"type\":\"hello\",\"id\":9}\n";
    let run = env.relay(&["rpc", "--model", "lab/m"]).stdin(input).run();
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(lines.iter().filter(|line| line["command"] == "parse").count(), 2, "{lines:?}");
    assert_eq!(response(&lines, "teleport")["error"], "Unknown command: teleport");
    assert_eq!(response(&lines, "prompt")["success"], false);
    assert_eq!(response(&lines, "hello")["success"], true);
}

/// pi's own client, from its npm package; `./test --long` installs it and names the folder.
#[test]
fn the_client_of_pi_itself_drives_it() {
    let client = "node_modules/@mariozechner/pi-coding-agent/dist/modes/rpc/rpc-client.js";
    let programs = std::env::var_os("RELAY_SESSION_PROGRAMS");
    let Some(client) = programs.map(|place| Path::new(&place).join(client)).filter(|path| path.exists())
    else {
        println!("NOT TESTED: pi is not installed; ./test --long does that");
        return;
    };
    let lab = crate::lab::Lab::new();
    lab.env.write("a.txt", "one\n");
    lab.config("[compaction]\nkeepRecentTokens = 1\n");
    lab.server.respond(|request| {
        let body = request.body.to_string();
        match (body.contains("wait for ever"), body.contains("\"role\":\"tool\"")) {
            _ if body.contains("<conversation>") => Reply::text("## Goal\nRead a file.").into(),
            (true, _) => testkit::model::Answer::from(Reply::text("a".repeat(400))).stall_at(3),
            (false, true) => Reply::text("It says one.").into(),
            (false, false) => Reply::text("").tool("c1", "read", r#"{"path":"a.txt"}"#).into(),
        }
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/pi.mjs");
    let run = lab.env.shell(&format!(
        "node '{}' '{}' '{}'",
        script.display(),
        client.display(),
        lab.env.root().display()
    ));
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let seen: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&seen["model"], &seen["text"]), (&json!("m"), &json!("It says one.")), "{seen}");
    assert_eq!(seen["roles"], json!(["user", "assistant", "toolResult", "assistant"]), "{seen}");
    assert_eq!(seen["bash"]["output"], "from bash\n", "{seen}");
    assert!(seen["compacted"]["summary"].as_str().unwrap().contains("Read a file."), "{seen}");
    assert_eq!((&seen["thinking"], &seen["cycled"]["level"]), (&json!("low"), &json!("medium")), "{seen}");
    assert_eq!((&seen["set"], &seen["name"]), (&json!("other"), &json!("driven by pi")), "{seen}");
    assert_eq!((&seen["forked"]["text"], &seen["empty"]), (&json!("read a.txt"), &json!(0)), "{seen}");
    for kind in ["agent_start", "tool_execution_end", "turn_end", "agent_end"] {
        assert!(seen["events"].as_array().unwrap().contains(&json!(kind)), "{kind}: {seen}");
    }
    assert!(lab.env.exists("page.html"), "{seen}");
}
