//! What git sees of the world: an environment without leftovers, and switches that turn off every program it could
//! start by itself.
//!
//! The switches matter for the *user's* config; the repository's is never read. A user may well have a pager, a signing
//! program or global hooks, and none of them is wanted when Relay asks a question.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// Variables that say where the user's own config is. They are kept if they do not depend on the folder git runs in.
const LOCATIONS: [&str; 4] = ["HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
/// The one other variable of git that is kept: a switch, used where the system's config is not wanted.
const NO_SYSTEM: &str = "GIT_CONFIG_NOSYSTEM";

/// Settings that hold whatever any config says. What comes last wins, and the command line comes last.
const SWITCHES: [&str; 22] = [
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.editor=:",
    "core.askPass=",
    "core.sshCommand=false",
    "core.alternateRefsCommand=",
    "core.quotePath=off",
    "credential.helper=",
    "diff.external=",
    "interactive.diffFilter=",
    "gpg.program=false",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "protocol.allow=never",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "init.templateDir=",
    "uploadpack.packObjectsHook=",
];

/// Variables that switch off what has no setting, or that win over one.
const VARIABLES: [(&str, &str); 10] = [
    // Wins over `protocol.*.allow`; no protocol has this name.
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SSH_COMMAND", "false"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_EVENT", "0"),
    ("GIT_TRACE2_PERF", "0"),
];

/// Variables with which git, called by someone else, runs no file monitor of a repository, and hooks only if told so. The
/// rest is seen to by [`super::plain`], which can ask git what a repository names.
pub(super) fn without_repository_programs(with_hooks: bool) -> Vec<(String, String)> {
    let settings = [("core.fsmonitor", "false"), ("core.hooksPath", "/dev/null")];
    let settings = settings.iter().filter(|(key, _)| !with_hooks || *key != "core.hooksPath");
    let mut variables = Vec::new();
    for (at, (key, value)) in settings.enumerate() {
        variables.push((format!("GIT_CONFIG_KEY_{at}"), (*key).to_owned()));
        variables.push((format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()));
    }
    variables.push(("GIT_CONFIG_COUNT".to_owned(), (variables.len() / 2).to_string()));
    variables
}

/// Git, about to run in this folder.
pub(super) fn command(git: &Path, folder: &Path) -> Command {
    let mut command = Command::new(git);
    command.current_dir(folder);
    for (name, value) in std::env::vars_os() {
        if !is_kept(&name, &value) {
            command.env_remove(&name);
        }
    }
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", absolute(&path));
    }
    command.envs(VARIABLES);
    command.arg("--no-pager");
    for switch in SWITCHES {
        command.args(["-c", switch]);
    }
    command
}

fn is_kept(name: &OsStr, value: &OsStr) -> bool {
    if LOCATIONS.iter().any(|location| name == *location) {
        return Path::new(value).is_absolute();
    }
    name == NO_SYSTEM || !(name.as_encoded_bytes().starts_with(b"GIT_") || name == "SSH_ASKPASS")
}

/// PATH without the entries that mean another folder in each repository.
fn absolute(path: &OsStr) -> OsString {
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    // Joining fails only for a folder with a separator in its name, which splitting cannot give.
    std::env::join_paths(folders).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_belongs_to_another_git_is_handed_on() {
        for (name, value, expected) in [
            ("GIT_DIR", "/x", false),
            ("GIT_SSH_COMMAND", "x", false),
            ("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='x'", false),
            ("GIT_CONFIG_COUNT", "1", false),
            ("GIT_CONFIG_GLOBAL", "/home/a/.gitconfig", true),
            ("GIT_CONFIG_GLOBAL", "gitconfig", false),
            ("GIT_CONFIG_NOSYSTEM", "1", true),
            ("XDG_CONFIG_HOME", "config", false),
            ("HOME", "/home/a", true),
            ("HOME", ".", false),
            ("SSH_ASKPASS", "/x", false),
            ("LANG", "C", true),
        ] {
            assert_eq!(is_kept(OsStr::new(name), OsStr::new(value)), expected, "{name}={value}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn programs_are_not_looked_for_in_the_repository() {
        assert_eq!(absolute(OsStr::new(".:/usr/bin::bin:/bin")), "/usr/bin:/bin");
    }
}
