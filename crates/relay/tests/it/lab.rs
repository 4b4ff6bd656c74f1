//! A project with a scripted model, for tests of the agent.

use serde_json::{Value, json};
use testkit::model::{ModelServer, Reply};
use testkit::{Talk, TestEnv};

use crate::{PLAIN, project};

/// Every wire format, as `models.toml` names it, and the path its addresses begin with.
pub const WIRES: [(&str, &str); 5] = [
    ("anthropic-messages", ""),
    ("openai-responses", "/v1"),
    ("openai-chat", "/v1"),
    ("google", "/v1beta"),
    ("ollama", ""),
];

/// A project and a scripted model.
pub struct Lab {
    pub env: TestEnv,
    pub server: ModelServer,
}

impl Lab {
    /// A model that speaks this wire format, with the default settings.
    pub fn plain(wire: &str, path: &str) -> Self {
        let (env, server) = (project(PLAIN), ModelServer::start());
        let lab = Self { env, server };
        lab.models(wire, path, "");
        lab.server.needs_no_key();
        lab
    }

    /// A model that speaks this wire format, with retries turned off.
    pub fn speaking(wire: &str, path: &str) -> Self {
        let lab = Self::plain(wire, path);
        lab.config("[retry]\nbaseDelayMs = 1\nrequestMaxRetries = 0\nstreamMaxRetries = 0\n");
        lab
    }

    pub fn new() -> Self {
        Self::speaking("openai-chat", "/v1")
    }

    /// The user's `models.toml`: the provider, with further lines.
    pub fn models(&self, wire: &str, path: &str, more: &str) {
        let text = format!(
            "[providers.lab]\nwire = \"{wire}\"\nbase_url = \"{}{path}\"\nauth = \"none\"\n{more}",
            self.server.url()
        );
        self.own("models.toml", &text);
    }

    /// The user's `config.toml`.
    pub fn config(&self, text: &str) {
        self.own("config.toml", text);
    }

    /// A file of the user's config folder.
    pub fn own(&self, name: &str, text: &str) {
        let path = self.env.home_path(".config/relay").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> testkit::Run {
        self.env.relay(&[&["run", "--model", "lab/m"], arguments].concat()).run()
    }

    /// The document at the end, and the exit code.
    pub fn json(&self, arguments: &[&str]) -> (i32, Value) {
        let run = self.run(&[arguments, &["--json"]].concat());
        let document = serde_json::from_str(&run.stdout);
        (run.code, document.unwrap_or_else(|_| panic!("{}{}", run.stdout, run.stderr)))
    }

    /// An answer that calls these tools; ids are `call_0`, `call_1`, ….
    pub fn calls(&self, calls: &[(&str, Value)]) {
        self.server.queue(calling(calls));
    }

    /// Makes the model issue one call in a new session; returns the result that the model reads.
    pub fn one_call(&self, tool: &str, arguments: &Value) -> String {
        self.calls(&[(tool, arguments.clone())]);
        self.server.queue(Reply::text("Done."));
        self.json(&["go"]);
        let request = self.last_body();
        let messages = request["messages"].as_array().expect("messages").clone();
        let told = messages.into_iter().rfind(|message| message["role"] == "tool");
        let told = told.unwrap_or_else(|| panic!("no result in {request}"));
        match &told["content"] {
            Value::String(text) => text.clone(),
            parts => parts[0]["text"].as_str().expect("a text").to_owned(),
        }
    }

    /// The body of the last request.
    pub fn last_body(&self) -> Value {
        self.server.requests().pop().unwrap().body
    }

    /// `relay rpc`, ready.
    pub fn rpc(&self, arguments: &[&str]) -> Client {
        let all = [&["rpc", "--model", "lab/m"], arguments].concat();
        let client = Client { talk: self.env.relay(&all).talk(), id: 0, seen: Vec::new() };
        let ready: Value = serde_json::from_str(&client.talk.line()).unwrap();
        assert_eq!(ready["type"], "ready");
        client
    }
}

/// An answer that calls these tools.
pub fn calling(calls: &[(&str, Value)]) -> Reply {
    let mut reply = Reply::text("");
    for (at, (name, arguments)) in calls.iter().enumerate() {
        reply = reply.tool(&format!("call_{at}"), name, &arguments.to_string());
    }
    reply
}

/// A client of `relay rpc`.
pub struct Client {
    pub talk: Talk,
    id: u64,
    /// Lines that arrived but were not waited for.
    pub seen: Vec<Value>,
}

impl Client {
    /// Sends a line as it is.
    pub fn send(&mut self, line: &Value) {
        self.talk.say(&line.to_string());
    }

    /// Sends a command and returns its response.
    pub fn ask(&mut self, kind: &str, fields: Value) -> Value {
        self.id += 1;
        let id = self.id;
        let mut command = json!({ "type": kind, "id": id });
        command.as_object_mut().unwrap().extend(fields.as_object().cloned().unwrap());
        self.send(&command);
        self.wait(|line| line["type"] == "response" && line["id"] == id)
    }

    /// Sends a command that must succeed and returns its data.
    #[track_caller]
    pub fn get(&mut self, kind: &str, fields: Value) -> Value {
        let response = self.ask(kind, fields);
        assert_eq!(response["success"], true, "{kind}: {response}");
        response["data"].clone()
    }

    /// Waits for a matching line; keeps the others.
    pub fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line: Value = serde_json::from_str(&self.talk.line()).unwrap();
            if fits(&line) {
                return line;
            }
            self.seen.push(line);
        }
    }

    /// Waits for the end of a run; returns how it ended.
    pub fn ended(&mut self) -> String {
        let end = self.wait(|line| line["type"] == "agent_end");
        end["status"].as_str().unwrap().to_owned()
    }

    /// Prompts and waits for the end.
    pub fn prompt(&mut self, message: &str) -> String {
        self.get("prompt", json!({ "message": message }));
        self.ended()
    }

    /// The kinds of the events that arrived.
    pub fn kinds(&self) -> Vec<String> {
        self.seen.iter().filter_map(|line| line["type"].as_str()).map(str::to_owned).collect()
    }
}
