//! Commands that a reply asks to be typed: which of them write a file as it is, and which change files in a way that only
//! a shell knows.
//!
//! Nothing is run. A here-document that goes into a file is an edit; `sed -i`, `mv` or `rm` are not edits, and a reply that
//! needs them does not land without them.

mod heredoc;
mod simple;

use crate::Edit;

/// What the commands of a block do to files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// The files that here-documents write.
    pub edits: Vec<Edit>,
    /// The commands that change files otherwise.
    pub changes: Vec<Changing>,
}

/// A command that changes files in a way that only a shell knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changing {
    /// The command as written.
    pub command: String,
    /// The files it names; a command that names none may change any.
    pub operands: Vec<String>,
    /// Which of its files it changes.
    pub effect: Effect,
}

/// Which files a command changes, of those it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// All of them: `mv a.ts b.ts`.
    Any,
    /// Those that exist: `rm a.ts` does nothing where there is no such file.
    Existing,
    /// Those that do not: `touch a.ts` leaves a file as it is.
    Missing,
}

/// The languages of commands for a shell, and of what terminals show.
const SHELLS: &[&str] = &[
    "bash", "sh", "shell", "zsh", "fish", "console", "terminal", "shell-session", "sh-session",
    "shellsession", "shellscript", "powershell", "ps1", "cmd", "bat", "batch", "command", "cli",
];

/// Whether code of this language is for a shell. ` ```bash `.
pub(crate) fn is_shell(language: &str) -> bool {
    SHELLS.iter().any(|known| known.eq_ignore_ascii_case(language))
}

/// Whether a file holds commands for a shell. `deploy.sh`.
pub(crate) fn is_file(path: &str) -> bool {
    path.rsplit_once('.')
        .is_some_and(|(_, ending)| ["sh", "bash", "zsh", "fish", "ps1", "bat"].contains(&ending))
}

/// Reads the commands of a block that begins in this line of the reply.
pub(crate) fn read(text: &str, line: usize) -> Script {
    let mut script = Script::default();
    let mut folder = String::new();
    let mut lines = text.lines();
    while let Some(text) = lines.next() {
        let mut command = unprompted(text).to_owned();
        while let Some(start) = command.strip_suffix('\\').map(str::len)
            && let Some(next) = lines.next()
        {
            command.truncate(start);
            command.push_str(next.trim_start());
        }
        if command.trim_start().starts_with('#') {
            continue;
        }
        match heredoc::begin(&command) {
            Some(document) => {
                let body: Vec<&str> = lines.by_ref().take_while(|line| !document.ends(line)).collect();
                document.settle(&body, &folder, line, &mut script);
            }
            None => simple::note(&command, &mut folder, &mut script),
        }
    }
    script
}

/// A line without the prompt that documents show before a command.
fn unprompted(text: &str) -> &str {
    let text = text.trim_start();
    ["$ ", "% "].iter().find_map(|prompt| text.strip_prefix(prompt)).unwrap_or(text)
}

#[cfg(test)]
mod tests;
