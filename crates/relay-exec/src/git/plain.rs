//! Git as a model's commands call it: it works on the repository as usual, and starts nothing that the repository names.
//!
//! Relay's own questions never show git the repository's config. A command such as `git commit` or `git pull` needs it, for
//! the author's name and the remotes, so here git reads it, and every setting of the repository that would start a program
//! is overridden by the user's own value or by one that does nothing. A shell calls this through a function named `git`, in
//! whichever folder and with whichever options: each call looks at the repository it is about.
//!
//! A command in the sandbox can only do what the sandbox lets it do, with or without this. Its purpose is that nothing of a
//! repository runs merely because someone inspected it with git.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::program;

/// The hidden command by which a shell's `git` calls Relay.
pub const COMMAND: &str = "__git";

/// Options before git's own command that take the next argument as their value.
const WITH_VALUE: [&str; 7] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"];
/// Those that say which repository is meant.
const PLACES: [&str; 5] = ["-C", "--git-dir", "--work-tree", "--namespace", "--bare"];

/// A diff of two files as git shows it, for a repository's own diff program.
const DIFF: &str = r#"f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; true; }; f"#;

/// Settings that start a program: the section, the last part of the name, and a value that starts none. A star is any.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("alias", "*", ""),
    ("browser", "cmd", "false"),
    ("browser", "path", "false"),
    ("core", "alternaterefscommand", "true"),
    ("core", "askpass", "false"),
    ("core", "editor", ":"),
    ("core", "fsmonitor", "false"),
    ("core", "pager", "cat"),
    ("core", "sshcommand", "ssh"),
    ("credential", "helper", ""),
    ("diff", "command", DIFF),
    ("diff", "external", DIFF),
    ("diff", "textconv", "cat"),
    ("difftool", "cmd", "false"),
    ("difftool", "path", "false"),
    ("filter", "clean", ""),
    ("filter", "process", ""),
    ("filter", "required", "false"),
    ("filter", "smudge", ""),
    ("gc", "recentobjectshook", "true"),
    ("gpg", "defaultkeycommand", "false"),
    ("gpg", "program", "false"),
    ("guitool", "cmd", "false"),
    ("help", "browser", "false"),
    ("hook", "command", "true"),
    ("imap", "tunnel", "false"),
    ("instaweb", "*", "false"),
    ("interactive", "difffilter", "cat"),
    ("man", "cmd", "false"),
    ("man", "path", "false"),
    ("merge", "driver", "false"),
    ("mergetool", "cmd", "false"),
    ("mergetool", "path", "false"),
    ("pager", "*", "cat"),
    ("protocol", "allow", "never"),
    ("receive", "procreceiverefs", ""),
    ("remote", "proxy", ""),
    ("remote", "vcs", "none"),
    ("sendemail", "*", "false"),
    ("sequence", "editor", ":"),
    ("submodule", "update", "checkout"),
    ("svn", "authorsprog", "false"),
    ("tar", "command", "cat"),
    ("trailer", "cmd", "true"),
    ("trailer", "command", "true"),
    ("uploadpack", "packobjectshook", ""),
    ("web", "browser", "false"),
];

/// Settings of which the first value counts, so that no later one can override them: a call that talks to a remote is refused.
const FIRST_COUNTS: [&str; 2] = ["uploadpack", "receivepack"];
/// The commands that talk to remotes.
const REMOTE: [&str; 7] = ["archive", "clone", "fetch", "ls-remote", "pull", "push", "submodule"];

/// The function by which a bash calls git through Relay, as a variable of its environment.
#[must_use]
pub fn function(relay: &Path) -> Option<(String, String)> {
    let relay = relay.to_str()?.replace('\'', r"'\''");
    Some(("BASH_FUNC_git%%".to_owned(), format!("() {{ '{relay}' {COMMAND} \"$@\"; }}")))
}

/// Becomes git, with these arguments and without the repository's programs. Returns only if that fails.
#[cfg(unix)]
#[must_use]
pub fn become_git(arguments: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    let Some(git) = program() else {
        return io::Error::new(io::ErrorKind::NotFound, "git is not installed");
    };
    let mut command = Command::new(&git);
    command.args(arguments);
    let already: usize = variable("GIT_CONFIG_COUNT").and_then(|count| count.parse().ok()).unwrap_or(0);
    let listed = listed(&git, arguments);
    if let Some(setting) = refused(&listed, arguments) {
        let why = format!(
            "the repository's config names a program for its remote (`{setting}`); remove that setting, or run git yourself"
        );
        return io::Error::new(io::ErrorKind::PermissionDenied, why);
    }
    let overrides = overrides(&listed);
    for (at, (key, value)) in overrides.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{}", already + at), key);
        command.env(format!("GIT_CONFIG_VALUE_{}", already + at), value);
    }
    command.env("GIT_CONFIG_COUNT", (already + overrides.len()).to_string());
    // Wins over `core.gitProxy`, of which there may be many.
    if variable("GIT_PROXY_COMMAND").is_none() {
        command.env("GIT_PROXY_COMMAND", "");
    }
    command.exec()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// What git knows of its settings for a call: where each comes from, its name and its value. Listing them starts nothing.
fn listed(git: &Path, arguments: &[OsString]) -> String {
    let mut command = Command::new(git);
    command.arg("--no-pager").args(places(arguments));
    command.args(["config", "--list", "-z", "--show-scope", "--includes"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The setting for which a call is refused.
fn refused<'a>(listed: &'a str, arguments: &[OsString]) -> Option<&'a str> {
    let (_, command) = split(arguments);
    if !REMOTE.iter().any(|name| command == Some(OsStr::new(name))) {
        return None;
    }
    let entries = entries(listed);
    let is_it = |key: &str| {
        let name = key.strip_prefix("remote.").and_then(|rest| rest.rsplit_once('.')).map(|(_, name)| name);
        name.is_some_and(|name| FIRST_COUNTS.contains(&name))
    };
    entries.into_iter().find(|(scope, key, _)| is_repositorys(scope) && is_it(key)).map(|(_, key, _)| key)
}

/// The options before git's own command that choose the repository.
fn places(arguments: &[OsString]) -> Vec<&OsStr> {
    split(arguments).0
}

/// The options that say which repository is meant, and git's own command.
fn split(arguments: &[OsString]) -> (Vec<&OsStr>, Option<&OsStr>) {
    let mut found = Vec::new();
    let mut rest = arguments.iter().map(OsString::as_os_str);
    while let Some(option) = rest.next() {
        let text = option.to_string_lossy();
        if !text.starts_with('-') {
            return (found, Some(option));
        }
        let name = text.split_once('=').map_or(&*text, |(name, _)| name);
        let value = if WITH_VALUE.contains(&&*text) { rest.next() } else { None };
        if PLACES.contains(&name) {
            found.push(option);
            found.extend(value);
        }
    }
    (found, None)
}

/// What git listed: where a setting comes from, its name and its value.
fn entries(listed: &str) -> Vec<(&str, &str, &str)> {
    let mut parts = listed.split('\0');
    let mut entries = Vec::new();
    while let (Some(scope), Some(entry)) = (parts.next(), parts.next()) {
        let (key, value) = entry.split_once('\n').unwrap_or((entry, "true"));
        entries.push((scope, key, value));
    }
    entries
}

fn is_repositorys(scope: &str) -> bool {
    matches!(scope, "local" | "worktree")
}

/// What has to be set so that the repository's own settings start nothing.
fn overrides(listed: &str) -> Vec<(String, String)> {
    let entries = entries(listed);
    let is_users = |scope: &str| matches!(scope, "system" | "global");
    let mut found: Vec<(String, String)> = Vec::new();
    for (_, key, value) in entries.iter().filter(|(scope, ..)| is_repositorys(scope)) {
        let Some(harmless) = harmless(key, value) else { continue };
        if found.iter().any(|(known, _)| known == key) {
            continue;
        }
        let users = entries.iter().rfind(|(scope, name, _)| is_users(scope) && name == key);
        // The user's global settings apply in this repository too.
        let value = users.map_or(harmless, |(_, _, value)| value);
        // An empty value ends a list of helpers.
        if key.starts_with("credential.") && !value.is_empty() {
            found.push(((*key).to_owned(), String::new()));
        }
        found.push(((*key).to_owned(), value.to_owned()));
    }
    found
}

/// The value with which a setting starts nothing; none for one that never does.
fn harmless(key: &str, value: &str) -> Option<&'static str> {
    let (section, rest) = key.split_once('.')?;
    let name = rest.rsplit_once('.').map_or(rest, |(_, name)| name);
    // Of a submodule's ways to be updated only a command is one.
    if section == "submodule" && !value.trim_start().starts_with('!') {
        return None;
    }
    if section == "core" && name == "fsmonitor" && matches!(value, "true" | "false") {
        return None;
    }
    let is_it = |(its_section, its_name, _): &&(&str, &str, &str)| {
        *its_section == section && (*its_name == "*" || *its_name == name)
    };
    PROGRAMS.iter().find(is_it).map(|(_, _, harmless)| *harmless)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(listed: &str, expected: &[(&str, &str)]) {
        let listed: String = listed.split(' ').map(|entry| entry.replace('|', "\0").replace('=', "\n")).fold(
            String::new(),
            |mut all, entry| {
                all.push_str(&entry);
                all.push('\0');
                all
            },
        );
        let found = overrides(&listed);
        let found: Vec<(&str, &str)> =
            found.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        assert_eq!(found, expected, "{listed:?}");
    }

    #[test]
    fn only_the_repositorys_own_programs_are_overridden() {
        check("local|user.name=a local|remote.origin.url=x global|alias.st=status", &[]);
        check("local|alias.st=!evil", &[("alias.st", "")]);
        check(
            "local|filter.a.b.clean=evil worktree|filter.a.b.required=true",
            &[("filter.a.b.clean", ""), ("filter.a.b.required", "false")],
        );
        check("local|submodule.x.update=rebase local|core.fsmonitor=true", &[]);
        check("local|submodule.x.update=!evil", &[("submodule.x.update", "checkout")]);
    }

    #[test]
    fn the_users_global_settings_count() {
        check(
            "global|filter.lfs.clean=git-lfs local|filter.lfs.clean=evil",
            &[("filter.lfs.clean", "git-lfs")],
        );
        check(
            "global|credential.helper=store local|credential.helper=!evil",
            &[("credential.helper", ""), ("credential.helper", "store")],
        );
    }

    #[test]
    fn the_repository_is_the_one_the_call_names() {
        let call = |line: &str| -> String {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            places(&arguments).iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(call("-C sub -c user.name=a --git-dir=x commit -C HEAD"), "-C sub --git-dir=x");
        assert_eq!(call("--no-pager --work-tree w log"), "--work-tree w");
        assert_eq!(call("status -C x"), "");
    }

    #[test]
    fn a_program_for_a_remote_refuses_commands_that_talk_to_remotes() {
        let listed = "local\0remote.origin.uploadpack\nevil\0";
        let call = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            refused(listed, &arguments)
        };
        assert_eq!(call("-C x fetch origin"), Some("remote.origin.uploadpack"));
        assert_eq!(call("status"), None);
        assert_eq!(refused("global\0remote.origin.uploadpack\nown\0", &["fetch".into()]), None);
    }

    #[test]
    fn the_function_quotes_its_program() {
        let (_, text) = function(Path::new("/a b/it's")).unwrap();
        assert_eq!(text, r#"() { '/a b/it'\''s' __git "$@"; }"#);
    }
}
