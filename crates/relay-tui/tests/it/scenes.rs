//! Every screen of the interface, brought into a state worth looking at. Tests keep them as text, the example draws them.

use serde_json::{Value, json};

use crate::stage::Stage;

/// A screen: its name, and what brings it up.
pub type Scene = (&'static str, fn(&mut Stage));

/// All of them.
pub const SCENES: &[Scene] = &[
    ("trust", trust),
    ("setup", setup),
    ("approve-edit", approve_edit),
    ("more-access", more_access),
    ("ask", ask),
    ("tree", tree),
    ("tree-leave", tree_leave),
    ("sessions", sessions),
    ("models", models),
    ("settings", settings),
    ("setting", setting),
    ("themes", themes),
    ("ledger", ledger),
    ("branches", branches),
    ("jobs", jobs),
    ("context", context),
    ("tools", tools),
    ("help", help),
    ("hotkeys", hotkeys),
    ("debug", debug),
    ("log", log),
    ("providers", providers),
    ("secret", secret),
    ("complete", complete),
    ("history", history),
    ("drop", drop_session),
    ("conversation", conversation),
    ("vi", vi),
    ("shell", shell),
    ("part", part),
    ("todos", todos),
    ("work", work),
    ("memory", memory),
    ("console", console),
    ("hosts", hosts),
    ("dashboard", dashboard),
];

fn run(stage: &mut Stage, line: &str) {
    stage.type_text(line);
    stage.key("escape");
    stage.key("enter");
}

fn question(stage: &mut Stage, more: Value) {
    let mut frame = json!({ "type": "extension_ui_request", "id": "u", "method": "select" });
    frame.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    stage.frame(frame);
}

fn trust(stage: &mut Stage) {
    question(
        stage,
        json!({ "title": "Do you trust this folder?", "message": "~/project is new to Relay.\n\nThe agent reads its files and sends parts of them to the model you use. Changes land on the ledger and can be undone; commands run in a sandbox, and you are asked when one needs more.\nIt has instructions that the model will follow: AGENTS.md.\nThe project also brings these, which stay unused until you trust them:\n  linter: cargo clippy",
            "options": ["Yes, work in this folder", "Yes, and trust exactly what is listed above", "Only look: nothing is changed this time", "No, leave"], "optionIds": ["yes", "all", "look", "no"] }),
    );
}

fn setup(stage: &mut Stage) {
    stage.frame(json!({ "type": "setup", "models": [{ "model": "ollama/qwen3-coder:30b", "url": "http://localhost:11434" }],
        "providers": [{ "name": "anthropic", "variable": "ANTHROPIC_API_KEY" }, { "name": "openai", "variable": "OPENAI_API_KEY" }],
        "agents": ["codex", "claude"] }));
}

fn approve_edit(stage: &mut Stage) {
    stage.frame(json!({ "type": "agent_start" }));
    question(
        stage,
        json!({ "title": "Approval", "message": "sensitive file: .env holds secrets", "options": ["Allow once", "Allow for this session", "Always allow, by this rule", "No"],
            "optionIds": ["once", "session", "always", "no"], "allowOther": true,
            "details": { "approval": true, "tool": "edit", "arguments": { "path": ".env" }, "reasons": [{ "what": "sensitive file", "why": ".env holds secrets" }],
                "diff": "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n-PORT=8080\n+PORT=9090\n HOST=localhost\n" } }),
    );
}

fn more_access(stage: &mut Stage) {
    stage.frame(json!({ "type": "agent_start" }));
    question(
        stage,
        json!({ "title": "Sandbox", "message": "`npm install` failed, possibly because of the sandbox. Run it again with more access?",
            "options": ["Run it again with network access", "Run it again without the sandbox", "Leave it"], "optionIds": ["network", "open", "no"] }),
    );
}

fn ask(stage: &mut Stage) {
    stage.frame(json!({ "type": "agent_start" }));
    question(
        stage,
        json!({ "title": "Question 2 of 3", "message": "Which databases shall it support?", "options": ["SQLite", "Postgres", "MySQL"], "optionIds": ["0", "1", "2"],
            "multiple": true, "allowOther": true, "timeout": 30_000,
            "details": { "ask": { "index": 1, "count": 3, "selected": ["Postgres"], "back": "ask:back", "forward": "ask:forward", "notify": "Waiting for input" } } }),
    );
    stage.pass(1_000);
}

fn entries() -> Value {
    let entry = |id: &str, parent: Option<&str>, role: &str, text: &str, on_path: bool| json!({ "id": id, "shownParentId": parent, "role": role, "text": text, "isOnPath": on_path, "label": (id == "c").then_some("milestone") });
    json!({ "leafId": "f", "entries": [
        entry("a", None, "user", "Add a cache to the resolver", true),
        entry("b", Some("a"), "assistant", "I would put it in front of the lookup, keyed by name and type.", true),
        entry("c", Some("b"), "user", "Try an LRU cache", false),
        entry("d", Some("c"), "assistant", "Done; 1,024 entries by default.", false),
        entry("e", Some("b"), "user", "Try a cache with a time to live", true),
        entry("f", Some("e"), "assistant", "Done; entries live for 30 seconds.", true) ] })
}

fn tree(stage: &mut Stage) {
    run(stage, "/tree");
    stage.answer("get_tree", entries());
}

fn tree_leave(stage: &mut Stage) {
    stage.app.options.offers_summary = true;
    tree(stage);
    stage.key("up");
    stage.key("up");
    stage.key("enter");
}

fn sessions(stage: &mut Stage) {
    run(stage, "/resume");
    stage.answer("list_sessions", json!({ "sessions": [
        { "id": "1", "path": "/s/1", "name": "Cache for the resolver", "messages": 14, "project": "/home/a/project", "modified": "2026-11-18T10:00:00Z", "isHere": true },
        { "id": "2", "path": "/s/2", "first_message": "why does the parser accept a trailing comma here", "messages": 2, "project": "/home/a/project", "modified": "2026-11-17T09:12:00Z", "isHere": true } ] }));
    stage.answer("preview_session", json!({ "cwd": "/home/a/project", "messages": [{ "role": "user", "text": "Add a cache" }, { "role": "assistant", "text": "Done." }] }));
}

fn models(stage: &mut Stage) {
    run(stage, "/model");
    stage.answer(
        "get_available_models",
        json!({ "models": [
        { "selector": "lab/sonnet", "contextWindow": 200_000, "cost": { "input": 3.0, "output": 15.0 } },
        { "selector": "lab/haiku", "contextWindow": 200_000, "cost": { "input": 0.8, "output": 4.0 } },
        { "selector": "ollama/qwen3-coder:30b", "contextWindow": 32_768 } ] }),
    );
}

fn all_settings() -> Value {
    let setting = |key: &str, tab: &str, value: &str, choices: &[&str], meaning: &str| json!({ "key": key, "tab": tab, "value": value, "default": "unicode", "source": "default", "choices": choices, "expected": "text", "meaning": meaning });
    json!({ "settings": [
        setting("display.shimmer", "Appearance", "classic", &["classic", "kitt", "disabled"], "the animation while a model works"),
        setting("statusLine.preset", "Appearance", "default", &["default", "minimal", "compact", "full"], "which segments the status line has"),
        setting("hideThinkingBlock", "Appearance", "false", &["true", "false"], "hide what a model thinks"),
        setting("retry.maxRetries", "Model", "3", &[], "how often a whole answer is asked for again") ] })
}

fn settings(stage: &mut Stage) {
    run(stage, "/settings");
    stage.answer("get_settings", all_settings());
}

fn setting(stage: &mut Stage) {
    settings(stage);
    stage.key("down");
    stage.key("enter");
    stage.key("down");
}

fn themes(stage: &mut Stage) {
    run(stage, "/theme");
    stage.answer("list_user_files", json!({ "files": ["mine.json"] }));
}

fn ledger(stage: &mut Stage) {
    run(stage, "/log");
    stage.answer("ledger_list", json!({ "transactions": [
        { "uuid": "u2", "sequence": 2, "summary": "edit src/resolver.rs", "status": "committed", "files": ["src/resolver.rs"], "added": 24, "removed": 3, "createdAt": "2026-11-18T10:02:00Z", "turn": "t1" },
        { "uuid": "u1", "sequence": 1, "summary": "cargo fmt", "status": "undone", "files": ["src/a.rs", "src/b.rs"], "added": 2, "removed": 2, "createdAt": "2026-11-18T10:00:00Z", "turn": "t1" } ] }));
}

fn branches(stage: &mut Stage) {
    stage.app.options.double_escape = "branch".to_owned();
    run(stage, "/branch");
    stage.answer("get_branch_messages", json!({ "messages": [{ "entryId": "a", "text": "Add a cache" }, { "entryId": "b", "text": "Measure it" }] }));
}

fn jobs(stage: &mut Stage) {
    run(stage, "/jobs");
    stage.answer(
        "get_jobs",
        json!({ "jobs": [
        { "id": "bg_1", "label": "npm run dev", "status": "running", "durationMs": 61_000 },
        { "id": "bg_2", "label": "cargo build --release", "status": "completed", "durationMs": 93_000 } ] }),
    );
}

fn context(stage: &mut Stage) {
    run(stage, "/context");
    stage.answer("get_context_usage", json!({ "tokens": 61_000, "contextWindow": 200_000, "parts": { "system": 6_200, "tools": 11_400, "messages": 43_400 } }));
}

fn tools(stage: &mut Stage) {
    run(stage, "/tools");
    stage.answer(
        "get_tools",
        json!({ "tools": [
        { "name": "read", "description": "Reads a file, a folder or an archive.", "active": true },
        { "name": "calc", "description": "Calculates.", "active": false } ] }),
    );
}

fn help(stage: &mut Stage) {
    run(stage, "/help");
}

fn hotkeys(stage: &mut Stage) {
    stage.key("f1");
}

fn debug(stage: &mut Stage) {
    run(stage, "/debug");
}

fn log(stage: &mut Stage) {
    run(stage, "/debug logs");
    let lines: Vec<String> = (1..60)
        .map(|number| format!("2026-11-18T10:00:{number:02}Z 4242 info tool read succeeded"))
        .collect();
    stage.answer("debug_log", json!({ "own": true, "pid": 4242, "lines": lines }));
}

fn providers(stage: &mut Stage) {
    run(stage, "/provider");
    stage.answer("get_providers", json!({ "for": "login", "providers": [
        { "name": "anthropic", "keys": ["ANTHROPIC_API_KEY"], "variables": ["ANTHROPIC_API_KEY"], "isStored": false },
        { "name": "openai", "keys": [], "variables": ["OPENAI_API_KEY"], "isStored": false } ] }));
}

fn secret(stage: &mut Stage) {
    run(stage, "/login openai");
    stage.type_text("sk-123");
}

fn complete(stage: &mut Stage) {
    stage.type_text("/re");
}

fn history(stage: &mut Stage) {
    stage.answer(
        "get_prompt_history",
        json!({ "prompts": [{ "text": "Measure it" }, { "text": "Add a cache to the resolver" }] }),
    );
    stage.key("ctrl+r");
}

fn drop_session(stage: &mut Stage) {
    run(stage, "/drop");
}

fn conversation(stage: &mut Stage) {
    stage.play();
    stage.key("ctrl+o");
}

fn vi(stage: &mut Stage) {
    stage.frame(json!({ "type": "response", "command": "get_settings", "success": true, "data": { "settings": [{ "key": "tui.vimKeys", "value": "true" }] } }));
    stage.type_text("one two");
    stage.key("escape");
}

fn part(stage: &mut Stage) {
    stage.type_text("/todo ");
}

fn todos(stage: &mut Stage) {
    run(stage, "/todo");
    let phases = json!([{ "name": "Parser", "tasks": [
        { "content": "Read the parser", "status": "completed" },
        { "content": "Fix the loop", "status": "in_progress", "notes": ["it expects a comma after the last item"] },
        { "content": "Run the tests", "status": "pending" } ] }]);
    stage.answer(
        "edit_todos",
        json!({ "purpose": "list", "phases": phases, "markdown": "", "errors": [], "changed": false }),
    );
}

fn work(stage: &mut Stage) {
    stage.play();
    run(stage, "/debug work");
}

fn memory(stage: &mut Stage) {
    run(stage, "/debug memory");
    stage.answer(
        "debug_memory",
        json!({ "residentKb": 21_600, "peakKb": 24_000, "threads": 9, "frames": 12, "frameBytes": 4_000 }),
    );
}

fn console(stage: &mut Stage) {
    stage.frame(json!({ "type": "agent_start" }));
    stage.frame(json!({ "type": "pty_start", "ptyId": "pty-1", "command": "npm init" }));
    stage.pass(5);
    stage.frame(json!({ "type": "pty_output", "ptyId": "pty-1", "data": "This utility will walk you through creating a package.json file.\r\n\r\npackage name: (project) " }));
}

fn hosts(stage: &mut Stage) {
    run(stage, "/ssh");
    stage.answer(
        "get_ssh_hosts",
        json!({ "hosts": [
        { "name": "box", "about": "me@box.example  ssh.json", "isTrusted": true },
        { "name": "build", "about": "ci@build.example  .relay/ssh.json", "isTrusted": false } ] }),
    );
}

fn dashboard(stage: &mut Stage) {
    jobs(stage);
    stage.key("down");
    stage.answer(
        "read_job",
        json!({ "jobId": "bg_1", "text": "ready on http://localhost:3000\nGET / 200 in 12 ms\n" }),
    );
}

fn shell(stage: &mut Stage) {
    stage.type_text("!make test");
}
