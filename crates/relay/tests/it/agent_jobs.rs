//! `relay jobs` and the jobs of an agent: other processes list, wait for and cancel them.

use serde_json::{Value, json};
use testkit::model::Reply;
use testkit::{Running, wait_for};

use crate::lab::Lab;

/// An agent that runs a command in the background, and waits for it.
fn started(line: &str) -> (Lab, Running, String) {
    let lab = Lab::new();
    lab.config("[async]\nenabled = true\n");
    let call = json!({ "command": line, "async": true });
    lab.server.queue(Reply::text("").tool("c", "bash", &call.to_string()));
    for _ in 0..3 {
        lab.server.queue(Reply::text("Done."));
    }
    let relay = lab.env.relay(&["run", "--model", "lab/m", "go"]).spawn();
    let mut id = String::new();
    wait_for("the job to be listed", || {
        id = job(&lab, "").map(|job| job["id"].as_str().unwrap().to_owned()).unwrap_or_default();
        !id.is_empty()
    });
    (lab, relay, id)
}

/// The job of this id, or the first one.
fn job(lab: &Lab, id: &str) -> Option<Value> {
    let listed: Value =
        serde_json::from_str(&lab.env.relay(&["jobs", "list", "--json"]).run().stdout).unwrap();
    listed.as_array().unwrap().iter().find(|job| id.is_empty() || job["id"] == id).cloned()
}

#[test]
fn a_job_of_an_agent_is_listed_and_waited_for() {
    let line = "until [ -e go-on ]; do sleep 0.05; done; echo over";
    let (lab, relay, id) = started(line);
    let running = job(&lab, &id).unwrap();
    assert_eq!((running["state"].as_str(), running["prompt"].as_str()), (Some("running"), Some(line)));
    assert_eq!(
        (running["agent"]["type"].as_str(), running["agent"]["job"].as_str()),
        (Some("bash"), Some("bg_1"))
    );
    let listed = lab.env.relay(&["jobs", "list"]).run().stdout;
    assert!(listed.contains("running") && listed.contains("bash") && listed.contains("until"), "{listed}");
    lab.env.write("go-on", "");
    let waited = lab.env.relay(&["jobs", "wait", &id, "--timeout", "120"]).run();
    assert_eq!((waited.code, waited.stdout.lines().next()), (0, Some("over")), "{}", waited.stderr);
    let run = relay.wait();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(job(&lab, &id).unwrap()["state"], "done");
    lab.env.relay(&["jobs", "prune"]).success();
    assert_eq!(job(&lab, &id), None);
}

#[test]
fn a_job_of_an_agent_is_cancelled_from_another_process() {
    let (lab, relay, id) = started("sleep 4711");
    let said = lab.env.relay(&["jobs", "cancel", &id]).success().stdout;
    assert_eq!(said, format!("job {id} was cancelled\n"));
    let run = relay.wait();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(job(&lab, &id).unwrap()["state"], "cancelled");
}

#[test]
fn a_job_of_an_agent_that_was_killed_is_lost() {
    let (lab, relay, id) = started("sleep 4712");
    relay.signal("KILL");
    drop(relay.wait());
    assert_eq!(job(&lab, &id).unwrap()["state"], "lost");
    let shown = lab.env.relay(&["jobs", "show", &id]).run();
    assert!(shown.code == 1 && shown.stderr.contains("was killed"), "{}", shown.stderr);
}

#[test]
fn a_job_belongs_to_the_session_that_started_it() {
    let lab = Lab::new();
    lab.config("[async]\nenabled = true\n");
    let mut client = lab.rpc(&[]);
    let mut sessions = Vec::new();
    for command in ["sleep 4713", "sleep 4714"] {
        let session = client.get("get_state", json!({}))["sessionId"].as_str().unwrap().to_owned();
        lab.server.queue(Reply::text("").tool(
            "c",
            "bash",
            &json!({ "command": command, "async": true }).to_string(),
        ));
        lab.server.queue(Reply::text("It runs."));
        assert_eq!(client.prompt("go"), "done");
        let listed: Value =
            serde_json::from_str(&lab.env.relay(&["jobs", "list", "--json"]).run().stdout).unwrap();
        let listed = listed.as_array().unwrap().iter().find(|job| job["prompt"] == command).cloned().unwrap();
        assert_eq!(listed["agent"]["session"], session.as_str(), "{listed}");
        sessions.push(session);
        client.get("new_session", json!({}));
    }
    assert_ne!(sessions[0], sessions[1]);
}
