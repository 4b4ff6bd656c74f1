//! `--resume` with a session of another project: copied into this one if the person agrees.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender};

use relay_agent::session::{SessionError, SessionLog};
use relay_tui::Input;
use serde_json::{Value, json};

use super::surroundings::short;
use crate::cli::InteractiveArgs;
use crate::failure::Failure;
use crate::open;

/// The name of the question.
const FORK: &str = "fork";

/// If the session belongs to another project, asks, and returns the copy instead. `false` if the person wants to
/// leave.
pub fn ask(
    root: Option<&Path>,
    args: &mut InteractiveArgs,
    inputs: &Sender<Input>,
    answers: &Receiver<Value>,
) -> Result<bool, Failure> {
    let Some(named) = args.resume.clone().filter(|named| !named.is_empty()) else { return Ok(true) };
    let (store, workspace) = (open::store()?, open::workspace(root)?);
    // Any other problem is reported when it is opened.
    let Err(SessionError::OtherProject { id, cwd, path }) =
        SessionLog::find(&store, &named, workspace.root())
    else {
        return Ok(true);
    };
    let message =
        format!("Session \"{id}\" is in another project ({}). Continue here with a copy?", short(&cwd));
    let question = json!({
        "type": "extension_ui_request", "id": FORK, "method": "select", "title": "Another project",
        "message": message, "options": ["Yes, copy it into this project", "No, leave"], "optionIds": ["yes", "no"],
    });
    // If the interface was closed, there is no one to ask.
    drop(inputs.send(Input::Frame(question)));
    let answer = answers.iter().find(|answer| answer.get("id").is_some_and(|id| id == FORK));
    let answer = answer.as_ref().and_then(|answer| answer.get("value")).and_then(Value::as_str);
    if answer != Some("yes") {
        return Ok(false);
    }
    let copy = SessionLog::fork_from(&store, &path, workspace.root());
    let copy = copy.map_err(|error| Failure::environment(&error))?;
    args.resume = Some(copy.id().to_owned());
    Ok(true)
}
