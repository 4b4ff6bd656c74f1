//! One tool call as a model makes it: the scripted model calls, the real binary answers.

use serde_json::{Value, json};
use testkit::TestEnv;
use testkit::model::{ModelServer, Reply};

/// A project and a model that calls what the test wants.
pub struct Lab {
    pub env: TestEnv,
    pub server: ModelServer,
    /// Further options of `relay run`.
    pub options: Vec<String>,
}

/// A lab in an empty project.
pub fn lab() -> Lab {
    let crate::lab::Lab { env, server } = crate::lab::Lab::plain("openai-chat", "/v1");
    Lab { env, server, options: Vec::new() }
}

impl Lab {
    /// The same with settings.
    pub fn set(self, toml: &str) -> Self {
        std::fs::write(self.env.home_path(".config/relay/config.toml"), toml).unwrap();
        self
    }

    /// The same with an option of `relay run`.
    pub fn option(mut self, option: &[&str]) -> Self {
        self.options.extend(option.iter().map(|part| (*part).to_owned()));
        self
    }

    /// What the model reads of a call.
    pub fn call(&self, tool: &str, arguments: Value) -> String {
        self.content(tool, arguments).to_string_lossy()
    }

    /// The whole content of the result.
    pub fn content(&self, tool: &str, arguments: Value) -> Content {
        self.server.queue(Reply::text("").tool("call_0", tool, &arguments.to_string()));
        self.server.queue(Reply::text("Done."));
        let options: Vec<&str> = self.options.iter().map(String::as_str).collect();
        let run = self.env.relay(&[&["run", "--model", "lab/m"], &options[..], &["go"]].concat()).run();
        let request = self.server.requests().pop().unwrap_or_else(|| panic!("{}{}", run.stdout, run.stderr));
        let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
        let at = messages.iter().rposition(|message| message["role"] == "tool");
        let at = at.unwrap_or_else(|| panic!("no result: {}\n{}", request.body, run.stderr));
        Content { result: messages[at]["content"].clone(), after: messages[at + 1..].to_vec() }
    }

    /// Reads a path.
    pub fn read(&self, path: &str) -> String {
        self.call("read", json!({ "path": path }))
    }
}

/// What came of a call, as the model gets it.
pub struct Content {
    pub result: Value,
    pub after: Vec<Value>,
}

impl Content {
    /// Its text.
    pub fn to_string_lossy(&self) -> String {
        match &self.result {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
            }
            other => other.to_string(),
        }
    }

    /// Everything as JSON, pictures included.
    pub fn json(&self) -> String {
        format!("{}{}", self.result, json!(self.after))
    }
}
