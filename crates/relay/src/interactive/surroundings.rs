//! Where the agent works: the folder in short form, and git's branch.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::thread;

use relay_diagnostics::Cancel;
use relay_exec::git::Repository;
use relay_tui::Input;
use serde_json::{Value, json};

/// How much of git's answers is read: a name, and a list of files.
const NAME_BYTES: usize = 4096;
const STATUS_BYTES: usize = 1 << 20;

/// The folder as a frame for the interface, without asking git.
pub fn folder(root: Option<&Path>) -> Value {
    json!({ "type": "surroundings", "cwd": short(&place(root)), "host": host() })
}

/// The name of this machine, without its domain.
fn host() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.split('.').next().unwrap_or_default().to_owned()
}

/// Sends the folder and git's state, in the background because git takes a moment.
pub fn look(root: Option<PathBuf>, inputs: Sender<Input>) {
    thread::spawn(move || {
        let folder = place(root.as_deref());
        let (branch, [staged, changed, untracked]) = branch(&folder);
        let frame = json!({
            "type": "surroundings", "cwd": short(&folder), "host": host(), "branch": branch, "staged": staged,
            "changed": changed, "untracked": untracked,
        });
        // The interface may be closed meanwhile.
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

/// The branch, and how many files are staged, changed otherwise, and unknown to git.
fn branch(folder: &Path) -> (Option<String>, [usize; 3]) {
    let cancel = Cancel::new();
    let Ok(repository) = Repository::open(folder, &cancel) else { return (None, [0; 3]) };
    let ask = |question: &[&str], limit: usize| {
        repository.ask(question, limit, &cancel).ok().map(|answer| answer.text())
    };
    let name = ask(&["symbolic-ref", "--short", "-q", "HEAD"], NAME_BYTES)
        .or_else(|| ask(&["rev-parse", "--short", "HEAD"], NAME_BYTES));
    let files = ask(&["status", "--porcelain", "--untracked-files=normal"], STATUS_BYTES);
    (
        name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()),
        count(files.as_deref().unwrap_or_default()),
    )
}

/// Counts the lines of `git status --porcelain`: `M  a` is staged, ` M a` is not, `?? a` is unknown.
fn count(status: &str) -> [usize; 3] {
    let mut counts = [0; 3];
    for line in status.lines() {
        let mut marks = line.chars();
        let (staged, changed) = (marks.next().unwrap_or(' '), marks.next().unwrap_or(' '));
        let is = [
            !matches!(staged, ' ' | '?' | '!'),
            !matches!(changed, ' ' | '?' | '!'),
            (staged, changed) == ('?', '?'),
        ];
        for (count, is) in counts.iter_mut().zip(is) {
            *count += usize::from(is);
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_by_what_git_would_do_with_them() {
        assert_eq!(count("M  a\n M b\nMM c\n?? d\n?? e/\nR  f -> g\n!! h\n"), [3, 2, 2]);
        assert_eq!(count(""), [0; 3]);
    }
}
