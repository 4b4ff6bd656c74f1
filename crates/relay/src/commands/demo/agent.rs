//! The demo's last act: the agent fixes a failing test. The model is a recording, so no key and no network are needed;
//! everything else is real: the loop, the tools, the transactions.

use std::sync::{Arc, Mutex, PoisonError};

use relay_agent::driver::{AgentBuilder, Replay};
use relay_agent::event::{Ended, Event, ToolEvent, TurnEvent};
use relay_agent::policy::{Level, Places, Policy};
use relay_agent::session::SessionLog;
use relay_agent::tool::{Registry, Unattended};
use relay_agent::turn::Prompt;
use relay_engine::{UndoOptions, Unobserved, Which, group, undo};
use serde_json::Value;

use super::{Demo, broken, say};
use crate::failure::Failure;
use crate::terminal::style::{BAD, FAINT, PLACE, paint};
use crate::terminal::{report, visible};
use crate::{agent, user};

/// What the model said.
const RECORDING: &str = include_str!("agent.jsonl");
/// The prompt.
const PROMPT: &str = "sh check.sh fails. Find out why and fix it.";
/// The tools it needs.
const TOOLS: [&str; 3] = ["read", "write", "bash"];

/// Counts the words it is given, one too many.
const COUNT: &str = "#!/bin/sh\n# Prints how many words it is given.\ncount=1\nfor word in \"$@\"; do\n    count=$((count + 1))\ndone\necho \"$count\"\n";

const CHECK: &str = "#!/bin/sh\n# Fails when count.sh cannot count.\nfor expected in 0 1 3; do\n    got=$(sh count.sh $(seq \"$expected\"))\n    if [ \"$got\" != \"$expected\" ]; then\n        echo \"check.sh: expected $expected, got $got\" >&2\n        exit 1\n    fi\ndone\necho \"count.sh can count\"\n";

impl Demo {
    pub(super) fn agent_fixes(&self) -> Result<(), Failure> {
        self.step(
            6,
            "The agent fixes a failing test",
            "relay run, with a recorded model: no key, no network, real tools and transactions",
        );
        self.project.add("count.sh", COUNT)?;
        self.project.add("check.sh", CHECK)?;
        say(&format!("  {} {PROMPT}\n", paint(PLACE, "prompt")));
        let engine = Arc::new(self.project.engine(&self.cancel)?.without_checks());
        let replay = Replay::parse(RECORDING).map_err(|error| broken(&error.to_string()))?;
        let log = SessionLog::in_memory(self.project.root());
        let session = log.id().to_owned();
        let store = self.project.store()?;
        let settings = user::settings(&store)?;
        let services = agent::services(&store, &engine, &log, &settings, Arc::new(Unattended));
        let registry = Registry::new(relay_tools::built_in(&services, None).0);
        let mut builder = AgentBuilder::new(log, Arc::new(replay), registry, services);
        builder.selection =
            relay_agent::tool::Selection::Named(TOOLS.iter().map(|name| (*name).to_owned()).collect());
        let places = Places::new([self.project.root().to_owned()]);
        builder.policy = Policy { level: Level::Full, places, ..Policy::default() };
        let answer = Arc::new(Mutex::new(String::new()));
        let seen = Arc::clone(&answer);
        builder.observer = Box::new(move |event| show(event, &seen));
        let mut agent = builder.build().map_err(|error| broken(&error.to_string()))?;
        let ended = agent.prompt(Prompt::text(PROMPT));
        drop(agent);
        let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        say(&format!("  {} {}\n", paint(PLACE, "answer"), visible(answer.trim())));
        if ended != Ended::Done || !self.project.reads("count.sh")?.contains("count=0") {
            return Err(broken("the agent did not fix the test"));
        }
        let options =
            UndoOptions { which: Which::Group(group::of_session(&session)), ..UndoOptions::default() };
        say(&format!("  {}\n", paint(FAINT, "relay undo --turn undoes everything since the prompt:")));
        let outcome = undo(&engine, &options, &mut self.no_one(), &mut Unobserved);
        say(&report::outcome(&outcome));
        if self.project.reads("count.sh")? == COUNT { Ok(()) } else { Err(broken("the undo is not exact")) }
    }
}

/// Shows what the agent does, a line for each call.
fn show(event: &Event, answer: &Mutex<String>) {
    match event {
        Event::Tool(ToolEvent::Start { name, arguments, .. }) => {
            let what = ["command", "path"].iter().find_map(|key| arguments.get(*key).and_then(Value::as_str));
            say(&format!(
                "  {} {}\n",
                paint(PLACE, format_args!("{name:<6}")),
                visible(what.unwrap_or_default())
            ));
        }
        Event::Tool(ToolEvent::End { output, .. }) => {
            let text = output.plain_text();
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            let style = if output.is_error { BAD } else { FAINT };
            say(&format!("         {}\n", paint(style, visible(first))));
        }
        Event::Turn(TurnEvent::End { message, .. }) => {
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = message.content.text("\n");
        }
        _ => {}
    }
}
