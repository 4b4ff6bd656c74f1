//! What of the user's own shell a shell of Relay takes over: aliases and functions, and none of the rest.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use relay_diagnostics::Cancel;

use crate::find::find_program;
use crate::supervise::{self, Job};

/// How long the user's own start-up files may take.
const LIMIT: Duration = Duration::from_secs(5);
/// More than anyone defines; what is longer is left out.
const LIMIT_BYTES: usize = 512 << 10;
/// Where the listing begins, after whatever start-up files print.
const MARK: &str = "RELAY-SNAPSHOT-BEGINS";

/// Lists what is defined. What has the name of a program is left out: a command means the program, and an alias such as
/// `rm -i` would wait for an answer that never comes.
const LISTING: &str = "for n in $(compgen -a); do type -P \"$n\" >/dev/null && unalias \"$n\"; done 2>/dev/null; \
    for n in $(compgen -A function); do type -P \"$n\" >/dev/null && unset -f \"$n\"; done 2>/dev/null; \
    echo RELAY-SNAPSHOT-BEGINS; alias -p; declare -f";

/// Variables that belong to the shell that Relay was started from, and mean something else in another.
const OF_THE_SHELL: [&str; 22] = [
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PROMPT_COMMAND",
    "PROMPT_DIRTRIM",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "BASH_ENV",
    "ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "BASH_XTRACEFD",
    "POSIXLY_CORRECT",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "HISTFILE",
    "TMOUT",
    "_",
];

/// The variables of this process that a shell must not get: those of another shell, and functions in disguise.
#[must_use]
pub fn shell_variables() -> Vec<String> {
    let functions = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("BASH_FUNC_"));
    OF_THE_SHELL.iter().map(|name| (*name).to_owned()).chain(functions).collect()
}

/// The user's aliases and functions, as commands that define them; `None` where there are none, or they cannot be listed.
#[must_use]
pub fn snapshot(program: &str, cancel: &Cancel) -> Option<String> {
    let home = std::env::var_os("HOME")?;
    if !Path::new(&home).join(".bashrc").is_file() {
        return None;
    }
    let mut command = Command::new(find_program(program)?);
    command.args(["-i", "-c", LISTING]).current_dir(&home);
    let finished = supervise::run(Job {
        command,
        is_merged: false,
        has_own_session: false,
        stdin: None,
        timeout: LIMIT,
        output_limit_bytes: LIMIT_BYTES,
        cancel,
        on_output: &mut |_| {},
    });
    if !finished.end.success() || finished.stdout.omitted_bytes > 0 {
        return None;
    }
    let text = finished.stdout.text();
    let (_, listed) = text.split_once(MARK)?;
    let listed = listed.trim();
    (!listed.is_empty() && !listed.contains('\0')).then(|| listed.to_owned())
}
