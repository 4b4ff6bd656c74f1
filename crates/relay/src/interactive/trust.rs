//! The question in a new folder: may the agent work here? It is asked once, before anything of the project is used.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};

use relay_engine::{Engine, TrustAnswer, trust};
use relay_tui::Input;
use serde_json::{Value, json};

use super::surroundings::short;
use crate::agent::{folder, ssh};
use crate::cli::{AgentArgs, TrustFlag};
use crate::commands::apply::trust_answer;
use crate::failure::Failure;
use crate::open;

/// The name of the question.
const FOLDER: &str = "folder";
/// Files with instructions for the model.
const INSTRUCTIONS: [&str; 5] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".relay", ".agents"];
/// How many commands are listed.
const LISTED: usize = 8;

/// What the person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The agent may work here.
    Work,
    /// The person did not agree: leave.
    Leave,
}

/// Asks if this folder is new. Commands and hosts that the person does not trust stay unused, and "only look" narrows the
/// policy.
pub fn ask(
    root: Option<&Path>,
    args: &mut AgentArgs,
    inputs: &Sender<Input>,
    answers: &Receiver<Value>,
) -> Result<Answer, Failure> {
    let engine = open::engine(root)?;
    let place = engine.workspace().root();
    let failed = |error: relay_store::StoreError| Failure::environment(&error);
    let is_answered = trust_answer(TrustFlag { trust: false }) == TrustAnswer::ThisRun;
    if is_answered || folder::is_trusted(&engine).map_err(failed)? {
        return Ok(Answer::Work);
    }
    let extras = extras(&engine);
    // If the interface was closed, there is no one to ask.
    drop(inputs.send(Input::Frame(question(&engine, &extras))));
    let chosen = answers.iter().find(|answer| answer.get("id").is_some_and(|id| id == FOLDER));
    let chosen = chosen.as_ref().and_then(|answer| answer.get("value")).and_then(Value::as_str);
    match chosen {
        Some("yes") => folder::trust(&engine, true).map_err(failed)?,
        Some("all") => {
            folder::trust(&engine, true).map_err(failed)?;
            trust::remember(engine.store(), engine.workspace(), engine.config()).map_err(failed)?;
            for (name, text, _) in ssh::project_files(engine.store(), &engine) {
                ssh::agree(engine.store(), place, name, Some(text)).map_err(failed)?;
            }
        }
        Some("look") => args.policy = Some("read-only".to_owned()),
        _ => return Ok(Answer::Leave),
    }
    Ok(Answer::Work)
}

/// What the project contains that runs only if the user agrees.
fn extras(engine: &Engine) -> Vec<String> {
    let is_trusted = trust::is_trusted(engine.store(), engine.workspace(), engine.config());
    let mut extras = Vec::new();
    if !is_trusted.unwrap_or_default() {
        let commands = engine.config().commands();
        extras.extend(commands.iter().map(|command| format!("{}: {}", command.key, command.command)));
    }
    for (name, _, is_trusted) in ssh::project_files(engine.store(), engine) {
        if !is_trusted {
            extras.push(format!("{name}: SSH hosts"));
        }
    }
    extras
}

fn question(engine: &Engine, extras: &[String]) -> Value {
    let place = engine.workspace().root();
    let home = std::env::home_dir().and_then(|home| std::fs::canonicalize(home).ok());
    let mut message = format!("{} is new to Relay.", short(place));
    if home.is_some_and(|home| home == place) {
        message.push_str(
            " It is your home folder, so the agent could reach everything you own. Choose a project folder instead.",
        );
    }
    let found: Vec<&str> =
        INSTRUCTIONS.iter().copied().filter(|name| place.join(name).symlink_metadata().is_ok()).collect();
    message.push_str(
        "\n\nThe agent reads its files and sends parts of them to the model you use. Changes land on the ledger and can be undone; \
         commands run in a sandbox, and you are asked when one needs more.",
    );
    if !found.is_empty() {
        let text = format!("\nIt has instructions that the model will follow: {}.", found.join(", "));
        message.push_str(&text);
    }
    let (mut labels, mut ids) = (vec!["Yes, work in this folder"], vec!["yes"]);
    if !extras.is_empty() {
        message.push_str("\nThe project also brings these, which stay unused until you trust them:");
        for extra in extras.iter().take(LISTED) {
            message.push_str(&format!("\n  {extra}"));
        }
        if extras.len() > LISTED {
            message.push_str(&format!("\n  and {} more", extras.len() - LISTED));
        }
        labels.push("Yes, and trust exactly what is listed above");
        ids.push("all");
    }
    labels.extend(["Only look: change nothing this time", "No, leave"]);
    ids.extend(["look", "no"]);
    json!({
        "type": "extension_ui_request", "id": FOLDER, "method": "select", "title": "Do you trust this folder?",
        "message": message, "options": labels, "optionIds": ids,
    })
}
