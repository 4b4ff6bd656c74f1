//! Where the agent works: the folder in short form, and git's branch.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread;

use relay_diagnostics::Cancel;
use relay_exec::git::Repository;
use relay_tui::Input;
use serde_json::{Value, json};

/// How much of git's answer is read.
const ANSWER_BYTES: usize = 4096;

/// The folder as a frame for the interface, without asking git.
pub fn folder(root: Option<&Path>) -> Value {
    json!({ "type": "surroundings", "cwd": short(&place(root)) })
}

/// Sends the folder and git's state, in the background because git takes a moment.
pub fn look(root: Option<PathBuf>, inputs: Sender<Input>) {
    thread::spawn(move || {
        let folder = place(root.as_deref());
        let (branch, is_dirty) = branch(&folder);
        let frame =
            json!({ "type": "surroundings", "cwd": short(&folder), "branch": branch, "dirty": is_dirty });
        // The interface may have been closed meanwhile.
        drop(inputs.send(Input::Frame(frame)));
    });
}

fn place(root: Option<&Path>) -> PathBuf {
    root.map_or_else(|| std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")), Path::to_owned)
}

/// The folder, with the home folder as `~`.
pub fn short(folder: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.parent().is_some());
    match home.and_then(|home| folder.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Some(rest) => format!("~/{}", rest.display()),
        None => folder.display().to_string(),
    }
}

/// The branch, and whether there are uncommitted changes.
fn branch(folder: &Path) -> (Option<String>, bool) {
    let cancel = Cancel::new();
    let Ok(repository) = Repository::open(folder, &cancel) else { return (None, false) };
    let ask =
        |question: &[&str]| repository.ask(question, ANSWER_BYTES, &cancel).ok().map(|answer| answer.text());
    let name =
        ask(&["symbolic-ref", "--short", "-q", "HEAD"]).or_else(|| ask(&["rev-parse", "--short", "HEAD"]));
    let is_dirty =
        ask(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.trim().is_empty());
    (name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()), is_dirty)
}
