//! The agent's small tools in `relay run`: todo_write, calc, ask, job and the schedules.

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{ModelServer, Reply};

use crate::{PLAIN, project};

struct Lab {
    env: TestEnv,
    server: ModelServer,
}

fn lab(config: &str) -> Lab {
    let (env, server) = (project(PLAIN), ModelServer::start());
    let place = env.home_path(".config/relay");
    std::fs::create_dir_all(&place).unwrap();
    let models = format!(
        "[providers.lab]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nauth = \"none\"\n",
        server.url()
    );
    std::fs::write(place.join("models.toml"), models).unwrap();
    std::fs::write(place.join("config.toml"), config).unwrap();
    server.needs_no_key();
    Lab { env, server }
}

impl Lab {
    fn call(&self, name: &str, arguments: &Value) {
        self.server.queue(Reply::text("").tool("call_1", name, &arguments.to_string()));
    }

    fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let all = [&["run", "--model", "lab/m", "--json"], arguments].concat();
        let run = self.env.relay(&all).run();
        let document = serde_json::from_str(&run.stdout);
        (run.code, document.unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr)))
    }

    /// Everything the model was sent last.
    fn last(&self) -> String {
        self.server.requests().pop().unwrap().body.to_string()
    }

    fn tools(&self) -> Vec<String> {
        let body = self.server.requests().remove(0).body;
        let tools = body["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn tools_that_are_off_or_need_a_person_are_not_offered() {
    let lab = lab("");
    lab.server.queue(Reply::text("Done."));
    lab.run(&["hello"]);
    let tools = lab.tools();
    for absent in ["ask", "calc", "job", "monitor", "CronCreate", "ssh"] {
        assert!(!tools.iter().any(|name| name == absent), "{absent} in {tools:?}");
    }
    assert!(tools.iter().any(|name| name == "todo_write"), "{tools:?}");
}

#[test]
fn settings_offer_more_of_them_in_their_order() {
    let lab = lab("[calc]\nenabled = true\n[async]\nenabled = true\n");
    lab.env.write("Makefile", "all:\n\ttrue\n");
    lab.server.queue(Reply::text("Done."));
    lab.run(&["hello"]);
    let tools = lab.tools();
    let wanted = ["calc", "job", "monitor", "CronCreate", "CronList", "CronDelete", "recipe", "todo_write"];
    let found: Vec<&str> = tools.iter().map(String::as_str).filter(|name| wanted.contains(name)).collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_model_that_stops_with_open_tasks_is_reminded_and_the_list_survives() {
    let lab = lab("");
    lab.call(
        "todo_write",
        &json!({ "ops": [{ "op": "init", "list": [{ "phase": "P", "items": ["a", "b"] }] }] }),
    );
    lab.server.queue(Reply::text("I stop."));
    lab.call("todo_write", &json!({ "ops": [{ "op": "done" }] }));
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.run(&["plan"]);
    assert_eq!((code, &document["text"]), (0, &json!("Done.")), "{document}");
    assert!(lab.last().contains("You stopped with 2 todo item(s) open"), "{}", lab.last());
    assert!(lab.last().contains("Remaining items: none."), "{}", lab.last());
    let session = document["sessionId"].as_str().unwrap();
    lab.call("todo_write", &json!({ "ops": [{ "op": "note", "task": "a", "text": "still here" }] }));
    lab.server.queue(Reply::text("Done."));
    lab.run(&["--session", session, "again"]);
    assert!(lab.last().contains("(+1 note)"), "{}", lab.last());
}

#[test]
fn calculations_and_their_errors() {
    let lab = lab("[calc]\nenabled = true\n");
    let one = |expression: &str| json!({ "calculations": [{ "expression": expression, "prefix": "= ", "suffix": " m" }] });
    lab.call("calc", &one("2 ** 10 / 3"));
    lab.call("calc", &one("1 / 0"));
    lab.server.queue(Reply::text("Done."));
    lab.run(&["calculate"]);
    assert!(lab.last().contains("= 341.3333333333333 m"), "{}", lab.last());
    assert!(lab.last().contains("Expression result is not a finite number"), "{}", lab.last());
}

#[test]
fn schedules_are_made_listed_and_deleted() {
    let lab = lab("[async]\nenabled = true\n");
    lab.call("CronCreate", &json!({ "cron_expression": "0 9 * * 1-5", "prompt": "look at CI" }));
    lab.call("CronList", &json!({}));
    lab.call("CronDelete", &json!({ "id": "nope" }));
    lab.call("CronCreate", &json!({ "cron_expression": "0 9 * * MON", "prompt": "x", "recurring": false }));
    lab.call("job", &json!({}));
    lab.server.queue(Reply::text("Done."));
    let (code, document) = lab.run(&["schedule"]);
    assert_eq!(code, 0, "{document}");
    let last = lab.last();
    assert!(last.contains("(at 09:00 on day-of-week 1-5): look at CI"), "{last}");
    assert!(last.contains("Failed to remove scheduled task 'nope'"), "{last}");
    assert!(
        last.contains("Invalid cron expression: value 'MON' out of range for day-of-week (0-7)."),
        "{last}"
    );
    assert!(last.contains("No running background jobs to wait for."), "{last}");
}
