//! `monitor` over a shell that prints what the test wants.

use std::time::Duration;

use relay_agent::jobs::Status;
use relay_diagnostics::Cancel;

use super::*;
use crate::testing::Lab;

/// A `bash` that runs "commands" of pieces to print, separated by `|`; the last one is its exit code.
struct Pieces(Spec);

impl Tool for Pieces {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let command = arguments["command"].as_str().unwrap().to_owned();
        vec![Access::Runs { command, cwd: None }]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        assert!(call.flag("async") && call.services.is_on("async.enabled", false));
        let command = call.text("command").unwrap().to_owned();
        let run = Box::new(move |run: &BackgroundRun<'_>| {
            let mut parts: Vec<&str> = command.split('|').collect();
            let code = parts.pop().unwrap();
            for part in parts {
                (run.output)(part);
            }
            while code == "wait" && !run.cancel.is_cancelled() {
                std::thread::sleep(Duration::from_millis(2));
            }
            if code == "0" { Ok("done".to_owned()) } else { Err(format!("exit {code}")) }
        });
        let task = BackgroundTask { kind: "bash", label: "x".to_owned(), run };
        call.services.background.as_ref().unwrap().start(task).map_err(ToolError::Failed)?;
        Ok(Output::text("started"))
    }
}

fn monitor() -> Monitor {
    let bash: Arc<dyn Tool> = Arc::new(Pieces(Monitor::new(&unused()).spec));
    Monitor::new(&bash)
}

fn unused() -> Arc<dyn Tool> {
    Arc::new(crate::calc::Calc::new())
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
    assert!(lab.services.jobs.wait_any(&["bg_1".to_owned()], Duration::from_secs(20), &Cancel::new()));
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
    let lab = check("one\ntwo\n|three\n|wait", false, Status::Cancelled);
    assert_eq!(lab.services.jobs.read_output("bg_1", 0).unwrap().text.lines().next(), Some("one"));
    check("one\ntwo\n|three|0", true, Status::Completed);
    check("|3", false, Status::Failed);
    check("one\n|3", true, Status::Failed);
}

#[test]
fn it_needs_what_its_command_needs() {
    let arguments = json!({ "command": "rm -rf src|0", "kind": "log", "description": "d" });
    let needs = monitor().access(arguments.as_object().unwrap());
    assert_eq!(needs, [Access::Runs { command: "rm -rf src|0".to_owned(), cwd: None }]);
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
