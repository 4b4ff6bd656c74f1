//! The folder a shell command runs in: `cd web && …`, `git -C web apply`.
//!
//! Nothing is run, so only what the words say counts: a folder that depends on anything else is unknown.

use super::command::Command;

/// Where paths start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    /// At the root of the workspace.
    Root,
    /// In a folder, seen from the root.
    Named(String),
    /// In a folder only the shell knows after this command.
    Unknown(String),
}

/// How scripts write the root, which a fresh one starts in anyway.
const ROOT: &[&str] = &["$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"];

impl Folder {
    /// The folder after some commands, or while the last of them runs.
    pub(super) fn after(commands: &[Command]) -> Self {
        commands.iter().fold(Self::Root, |folder, command| Self::of(command).below(folder))
    }

    /// The folder a single command changes into, or works in.
    pub(super) fn of(command: &Command) -> Self {
        let unknown = || Self::Unknown(command.words.join(" "));
        let named = match command.split() {
            ("cd", arguments) if ROOT.contains(&arguments.join(" ").as_str()) => ".",
            ("cd" | "pushd" | "chdir" | "Set-Location", [folder]) => folder.as_str(),
            ("cd" | "pushd" | "popd" | "chdir" | "Set-Location", _) => return unknown(),
            _ => match command.folder() {
                Some(folder) => folder,
                None => return Self::Root,
            },
        };
        // What follows runs elsewhere, or only if there is no such folder.
        let depends = matches!(command.joint, "|" | "||" | "&") && !command.applies();
        if depends || named.is_empty() || named.contains(['$', '`', '~', '*', '?', '%']) || named == "-" {
            return unknown();
        }
        match named.trim_start_matches("./").trim_end_matches('/') {
            "" | "." if !named.starts_with('/') => Self::Root,
            folder => Self::Named(folder.to_owned()),
        }
    }

    /// This folder, seen from another one.
    pub(super) fn below(self, outer: Self) -> Self {
        match (outer, self) {
            (outer, Self::Root) => outer,
            (Self::Root, inner) => inner,
            (_, Self::Named(inner)) if inner.starts_with('/') => Self::Named(inner),
            (Self::Named(outer), Self::Named(inner)) => Self::Named(format!("{outer}/{inner}")),
            (outer @ Self::Unknown(_), _) => outer,
            (_, inner @ Self::Unknown(_)) => inner,
        }
    }

    /// This folder, where an earlier command of the same script went into another one.
    pub(super) fn beside(self, earlier: &Self) -> Self {
        match (&self, earlier) {
            (_, Self::Root) => self,
            (own, earlier) if own == earlier => self,
            (_, Self::Named(folder)) => Self::Unknown(format!("cd {folder}")),
            (_, Self::Unknown(written)) => Self::Unknown(written.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(line: &str) -> Folder {
        Folder::after(&Command::all(line))
    }

    fn check(line: &str, folder: &str) {
        assert_eq!(after(line), Folder::Named(folder.to_owned()), "{line}");
    }

    #[test]
    fn reads_the_folder_a_command_changes_into() {
        check("cd web && apply_patch", "web");
        check("$ cd './my web/'; git apply", "my web");
        check("cd \"my web\" && apply_patch", "my web");
        check("pushd web && apply_patch", "web");
        check("(cd web && apply_patch", "web");
        check("echo a; cd web && cd src && apply_patch", "web/src");
        check("bash -lc \"cd web && apply_patch", "web");
        check("cmd.exe /c 'cd web && apply_patch", "web");
        check("cd a && cd /b && apply_patch", "/b");
        check("cd 'a; b' && apply_patch", "a; b");
        check("cd web && git -C src apply", "web/src");
    }

    #[test]
    fn most_commands_keep_the_folder() {
        for line in [
            "apply_patch",
            "",
            "cd . && apply_patch",
            "cd ./; apply_patch",
            "echo cd web && apply_patch",
            "cd \"$(git rev-parse --show-toplevel)\" && git apply",
            "cd $(git rev-parse --show-toplevel) && git apply",
        ] {
            assert_eq!(after(line), Folder::Root, "{line}");
        }
    }

    #[test]
    fn a_folder_that_depends_on_something_is_unknown() {
        for line in [
            "cd $WEB && apply_patch",
            "cd ~/web && apply_patch",
            "cd - && apply_patch",
            "cd && apply_patch",
            "cd web src && apply_patch",
            "cd web || apply_patch",
            "cd web | apply_patch",
            "cd web & apply_patch",
            "popd && apply_patch",
        ] {
            assert!(matches!(after(line), Folder::Unknown(_)), "{line}");
        }
    }
}
