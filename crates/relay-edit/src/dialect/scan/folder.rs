//! The folder a shell command runs in: `cd web && …`, `git -C web apply`.
//!
//! Nothing is run, so only what the words say counts: a folder that depends on anything else is unknown.

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

impl Folder {
    /// The folder after a command line, or while its last command runs.
    pub(super) fn after(line: &str) -> Self {
        let mut folder = Self::Root;
        let mut rest = script(line);
        loop {
            let (command, joint, behind) = first_command(rest);
            folder = match Self::of(&words(command)) {
                // What follows runs elsewhere, or only if there is no such folder.
                Self::Named(_) if matches!(joint, "|" | "||" | "&") => {
                    Self::Unknown(format!("{} {joint}", command.trim()))
                }
                entered => entered.below(folder),
            };
            if joint.is_empty() {
                return folder;
            }
            rest = behind;
        }
    }

    /// The folder a single command changes into, or works in.
    fn of(words: &[String]) -> Self {
        let Some((name, arguments)) = words.split_first() else { return Self::Root };
        let named = match (name.as_str(), arguments) {
            ("cd" | "pushd" | "chdir" | "Set-Location", [folder]) => folder.as_str(),
            ("cd" | "pushd" | "popd" | "chdir" | "Set-Location", _) => {
                return Self::Unknown(words.join(" "));
            }
            ("git", _) => told(arguments, "-C").unwrap_or("."),
            ("patch", _) => told(arguments, "-d").unwrap_or("."),
            _ => ".",
        };
        if named.is_empty() || named.contains(['$', '`', '~', '*', '?', '%']) || named == "-" {
            return Self::Unknown(words.join(" "));
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

/// The folder that the options of a command name.
fn told<'w>(arguments: &'w [String], short: &str) -> Option<&'w str> {
    let joined = arguments.iter().find_map(|word| word.strip_prefix("--directory="));
    let is_option = |word: &String| word == short || word == "--directory";
    joined.or_else(|| arguments.iter().skip_while(|word| !is_option(word)).nth(1).map(String::as_str))
}

/// The script in a line: behind a prompt, in brackets, or the argument of a shell.
fn script(line: &str) -> &str {
    let line = line.trim_start().trim_start_matches("$ ").trim_start_matches(['(', '{', ' ']);
    let flag = [" -lc ", " -c ", " /c ", " -Command "].iter().find_map(|flag| line.split_once(flag));
    match flag {
        Some((shell, script)) if !shell.contains(['&', ';', '|', '<']) => {
            script.trim_start().trim_start_matches(['\'', '"'])
        }
        _ => line,
    }
}

/// The first command of a script, what joins it to the next one, and what follows.
fn first_command(script: &str) -> (&str, &str, &str) {
    let mut quote = None;
    for (at, byte) in script.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'&' | b'|' | b';') => {
                let rest = script.get(at..).unwrap_or_default();
                let joint = ["&&", "||", "&", "|", ";"].into_iter().find(|joint| rest.starts_with(joint));
                let joint = joint.unwrap_or_default();
                let behind = rest.strip_prefix(joint).unwrap_or_default();
                return (script.get(..at).unwrap_or_default(), joint, behind);
            }
            _ => {}
        }
    }
    (script, "", "")
}

/// The words of a command, without the quotes around them.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, _) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, folder: &str) {
        assert_eq!(Folder::after(line), Folder::Named(folder.to_owned()), "{line}");
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
    }

    #[test]
    fn reads_the_folder_a_command_is_told_to_work_in() {
        check("git -C web apply", "web");
        check("git apply --directory=web", "web");
        check("git apply --directory web", "web");
        check("patch -d web -p1", "web");
        check("patch -p1 --directory=web", "web");
    }

    #[test]
    fn most_commands_stay_where_they_are() {
        for line in
            ["apply_patch", "", "cd . && apply_patch", "cd ./; apply_patch", "echo cd web && apply_patch"]
        {
            assert_eq!(Folder::after(line), Folder::Root, "{line}");
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
            assert!(matches!(Folder::after(line), Folder::Unknown(_)), "{line}");
        }
    }
}
