//! Relay's agent inside another program: create, subscribe, prompt, steer, add a tool, abort, dispose.
//!
//! `cargo run -p relay-agent --example embed` needs neither key nor network: [`Scripted`] answers in place of a model.
//! For a real one, use [`relay_agent::driver::Live`] with a model and its keys. The events are those that `relay rpc`
//! prints (docs/formats/rpc.md), as values.

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]
#![allow(clippy::disallowed_methods, reason = "an example prepares its own folder")]

use std::error::Error;
use std::sync::{Arc, Mutex};

use relay_agent::driver::{AgentBuilder, Asker};
use relay_agent::event::{Ended, Event, MessageEvent, ToolEvent};
use relay_agent::session::SessionLog;
use relay_agent::tool::{Access, Call, Concurrency, Output, Registry, Services, Spec, Tool, ToolError};
use relay_agent::turn::Prompt;
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_llm::{
    Arguments, Auth, Block, Compat, Event as ModelEvent, Kind, Model, Provider, Request, Role, StopReason,
    ToolCall, Turn, Wire,
};
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::{Map, Value, json};

/// A tool of this program's own: it adds numbers.
struct Sum(Spec);

impl Sum {
    fn new() -> Self {
        Self(Spec {
            name: "sum".into(),
            description: "Adds numbers.".into(),
            parameters: json!({
                "type": "object",
                "properties": { "numbers": { "type": "array", "items": { "type": "number" } } },
                "required": ["numbers"],
            }),
            concurrency: Concurrency::Shared,
            hidden: false,
        })
    }
}

impl Tool for Sum {
    fn spec(&self) -> &Spec {
        &self.0
    }

    /// Policy decides from this, never from the name. Adding numbers needs nothing.
    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    /// The arguments were checked against the schema already.
    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let numbers = call.arguments.get("numbers").and_then(Value::as_array).into_iter().flatten();
        let sum: f64 = numbers.filter_map(Value::as_f64).sum();
        Ok(Output::text(sum.to_string()))
    }
}

/// Answers in place of a model: it calls `sum` once, then says what came back.
struct Scripted(Model);

impl Scripted {
    fn new() -> Self {
        let provider = Provider {
            name: "example".to_owned(),
            wire: Wire::OpenaiChat,
            base_url: String::new(),
            auth: Auth::None,
            headers: std::collections::BTreeMap::new(),
            compat: Compat::default(),
        };
        Self(Model::new(Arc::new(provider), "scripted".to_owned()))
    }
}

impl Asker for Scripted {
    fn model(&self) -> Model {
        self.0.clone()
    }

    fn ask(&self, request: &Request, _: &Cancel, tell: &mut dyn FnMut(ModelEvent)) {
        let last = request.messages.last();
        let result = last.filter(|message| message.role == Role::User).and_then(|message| {
            message.content.iter().find_map(|block| match block {
                Block::ToolResult(result) => result.content.first().cloned(),
                _ => None,
            })
        });
        let mut turn = Turn::new(self.0.origin());
        match result {
            Some(Block::Text { text, .. }) => {
                let text = format!("The sum is {text}.");
                tell(ModelEvent::Begin { index: 0, kind: Kind::Text });
                tell(ModelEvent::Delta { index: 0, text: text.clone() });
                turn.content.push(Block::text(text));
                turn.stop = StopReason::Stop;
            }
            _ => {
                turn.content.push(Block::ToolCall(ToolCall {
                    id: "call-1".to_owned(),
                    name: "sum".to_owned(),
                    arguments: Arguments::parse(r#"{"numbers":[2,3,4]}"#),
                    seal: None,
                }));
                turn.stop = StopReason::ToolUse;
            }
        }
        tell(ModelEvent::Done { turn });
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let store = Store::at(&folder.path().join("user"));
    std::fs::create_dir(folder.path().join("project"))?;
    let workspace = Workspace::open(&folder.path().join("project"))?;
    let root = workspace.root().to_owned();
    let engine = Arc::new(Engine::open(workspace, store, Cancel::new())?);
    // A session that keeps nothing; `SessionLog::create` keeps one.
    let log = SessionLog::in_memory(&root);
    let services = Services::alone(engine, log.id(), std::env::temp_dir());
    let registry = Registry::new([Arc::new(Sum::new()) as Arc<dyn Tool>]);
    let mut builder = AgentBuilder::new(log, Arc::new(Scripted::new()), registry, services);
    builder.asking.system = "You add numbers.".to_owned();
    // Subscribe: every event, in order, on the agent's thread.
    let said = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&said);
    builder.observer = Box::new(move |event| match event {
        Event::Tool(ToolEvent::Start { name, arguments, .. }) => println!("calls {name} with {arguments}"),
        Event::Message(MessageEvent::Delta { text, .. }) => {
            if let Ok(mut heard) = heard.lock() {
                heard.push_str(text);
            }
        }
        _ => {}
    });
    let mut agent = builder.build()?;
    // Other threads reach it by its remote: `steer`, `follow_up`, `abort`.
    let remote = agent.remote();
    remote.follow_up(Prompt::text("And once more, please."));
    let ended = agent.prompt(Prompt::text("What is 2 + 3 + 4?"));
    assert_eq!(ended, Ended::Done);
    println!("{}", said.lock().map_err(|_| "poisoned")?);
    // Dropping the agent ends everything it started.
    drop(agent);
    Ok(())
}
