//! `monitor` over a real shell.

use std::time::Duration;

use relay_agent::jobs::Status;
use relay_diagnostics::Cancel;

use super::*;
use crate::testing::Lab;

fn monitor() -> Monitor {
    Monitor::new(&Arc::new(Bash::new()))
}

fn lab() -> Lab {
    Lab::with(&[("bash.autoBackground.enabled", json!(true))], Arc::new(relay_agent::tool::Unattended))
}

/// Starts a monitor and waits for its end; how it ended, and how many messages wait.
#[track_caller]
fn check(command: &str, persistent: bool, status: Status) -> Lab {
    let lab = lab();
    let arguments =
        json!({ "command": command, "kind": "log", "description": "a log", "persistent": persistent });
    let text = lab.text(&monitor(), arguments);
    assert_eq!(text, format!("Monitor started · task bg_1 · persistent: {persistent}"));
    assert!(lab.services.jobs.wait_any(&["bg_1".to_owned()], Duration::from_secs(60), &Cancel::new()));
    let job = lab.services.jobs.get("bg_1").unwrap();
    assert_eq!((job.status, job.label.as_str()), (status, "[monitor:log] a log"));
    lab
}

#[test]
fn the_schema_has_five_fields() {
    let schema = monitor().spec.parameters;
    let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["command", "kind", "description", "timeout", "persistent"]);
    assert_eq!(schema["required"], json!(["command", "kind", "description"]));
    let lab = lab();
    for wrong in [
        json!({ "command": "x", "kind": "tail", "description": "d" }),
        json!({ "command": "x", "kind": "log" }),
        json!({ "command": "x", "kind": "log", "description": "d", "timeout": 0 }),
        json!({ "command": "x", "kind": "log", "description": "d", "more": 1 }),
    ] {
        assert!(lab.call(&monitor(), wrong.clone()).is_err(), "{wrong}");
    }
    let off = Lab::new();
    assert_eq!(
        off.error(&monitor(), json!({ "command": "x", "kind": "log", "description": "d" })),
        "Async execution is disabled; the monitor tool is unavailable in this session."
    );
}

#[test]
fn it_ends_after_its_first_line_unless_it_is_persistent() {
    let lab = check(r"printf 'one\ntwo\nthree\n'; sleep 300", false, Status::Cancelled);
    assert_eq!(lab.services.jobs.read_output("bg_1", 0).unwrap().text.lines().next(), Some("one"));
    let lab = check(r"printf 'one\ntwo\nthree'", true, Status::Completed);
    assert_eq!(lab.services.jobs.read_output("bg_1", 0).unwrap().text, "one\ntwo\nthree");
    check("exit 3", false, Status::Failed);
    check("echo one; exit 3", true, Status::Failed);
}

#[test]
fn it_has_a_time_limit_only_if_it_names_one() {
    let limit = |timeout: Value| {
        let lab = lab();
        let mut arguments =
            json!({ "command": "sleep 300", "kind": "log", "description": "a log", "persistent": true });
        if !timeout.is_null() {
            arguments["timeout"] = timeout;
        }
        let call = Call {
            id: "call_1",
            arguments: arguments.as_object().unwrap(),
            cancel: &lab.cancel,
            services: &lab.services,
            permit: lab.permit,
            facts: &lab.facts,
            update: &|_| {},
        };
        monitor().bash.limit_of(&call)
    };
    assert_eq!(limit(Value::Null), None);
    assert_eq!(limit(json!(900)), Some(Duration::from_secs(900)));
    assert_eq!(limit(json!(90_000)), Some(Duration::from_secs(3_600)));
}

#[test]
fn it_needs_what_its_command_needs() {
    let arguments = json!({ "command": "rm -rf src", "kind": "log", "description": "d" });
    let needs = monitor().access(arguments.as_object().unwrap());
    assert_eq!(needs, [Access::Runs { command: "rm -rf src".to_owned(), cwd: None }]);
}

#[test]
fn a_notification_names_the_task_and_the_line() {
    let heard = Heard { kind: "poll".to_owned(), description: "CI".to_owned(), persistent: true };
    let prompt = heard.notification("bg_7", "failed <b>");
    assert_eq!(
        prompt.text,
        "<task-notification>\nMonitor task bg_7 (poll: CI) emitted:\nfailed <b>\n</task-notification>"
    );
    let Body::CustomMessage(message) = &prompt.bodies[0] else { panic!("a message of Relay's own") };
    assert_eq!(message.custom_type, "task-notification");
    assert_eq!(message.details, Some(json!({ "taskId": "bg_7", "kind": "poll", "description": "CI" })));
    assert!(!message.display);
}
