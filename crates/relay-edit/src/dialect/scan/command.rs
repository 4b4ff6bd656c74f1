//! The words of shell commands, and what they say about a patch.
//!
//! Nothing is run, and no variable has a value: only what is written counts.

/// A command of a script.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Its words, without the quotes around them.
    pub words: Vec<String>,
    /// What joins it to the next one; empty for the last one of a line.
    pub joint: &'static str,
}

/// The options of `patch` that take the next word as their value.
const TAKES: &[&str] = &[
    "-d", "--directory", "-p", "--strip", "-i", "--input", "-F", "--fuzz", "-r", "-o", "-B", "-D", "-V", "-z",
];

/// What joins commands, the longer ones first.
const JOINTS: &[&str] = &["&&", "||", "&", "|", ";"];

impl Command {
    /// The commands of a line, which may be after a prompt, in brackets, or in the argument of a shell.
    pub fn all(line: &str) -> Vec<Self> {
        let mut commands = Vec::new();
        let mut rest = script(line);
        loop {
            let (command, joint, behind) = first(rest);
            commands.push(Self { words: words(command), joint });
            if joint.is_empty() {
                return commands;
            }
            rest = behind;
        }
    }

    /// Its name and its arguments.
    pub fn split(&self) -> (&str, &[String]) {
        self.words.split_first().map_or(("", &[]), |(name, arguments)| (name, arguments))
    }

    /// Whether it applies a patch.
    pub fn applies(&self) -> bool {
        match self.split() {
            ("git", arguments) => arguments.iter().any(|word| word == "apply" || word == "am"),
            (name, _) => matches!(name, "patch" | "apply_patch" | "applypatch"),
        }
    }

    /// The folder that its options name.
    pub fn folder(&self) -> Option<&str> {
        match self.split() {
            ("git", _) => self.option("-C", "--directory"),
            ("patch", _) => self.option("-d", "--directory"),
            _ => None,
        }
    }

    /// The file that it patches, whatever the patch says.
    pub fn file(&self) -> Option<&str> {
        let ("patch", arguments) = self.split() else { return None };
        let takes = |word: &str| TAKES.contains(&word);
        let before = std::iter::once("").chain(arguments.iter().map(String::as_str));
        let redirects = |word: &str| word.starts_with(['<', '>']);
        let named = before.zip(arguments).find(|(before, word)| {
            !takes(before) && !redirects(before) && !redirects(word) && !word.starts_with('-')
        });
        named.map(|(_, word)| word.as_str())
    }

    /// Why the patch does not mean what it says.
    pub fn doubt(&self) -> Option<&'static str> {
        let (_, arguments) = self.split();
        if !self.applies() {
            return None;
        }
        if arguments.iter().any(|word| word == "-R" || word == "--reverse") {
            return Some("it is applied in reverse");
        }
        let strip = self.option("-p", "--strip").and_then(|count| count.parse::<usize>().ok());
        strip.filter(|count| *count > 1).map(|_| "more than one folder is taken off its paths")
    }

    /// The value of an option, in the next word or in the same one.
    fn option(&self, short: &str, long: &str) -> Option<&str> {
        let (_, arguments) = self.split();
        let joined = arguments.iter().find_map(|word| {
            let long = word.strip_prefix(long).and_then(|rest| rest.strip_prefix('='));
            long.or_else(|| word.strip_prefix(short).filter(|rest| !rest.is_empty()))
        });
        let is_option = |word: &String| word == short || word == long;
        joined.or_else(|| arguments.iter().skip_while(|word| !is_option(word)).nth(1).map(String::as_str))
    }
}

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
fn first(script: &str) -> (&str, &'static str, &str) {
    let mut quote = None;
    for (at, byte) in script.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'&' | b'|' | b';') => {
                let (command, rest) = script.split_at(at);
                let joint =
                    JOINTS.iter().find(|joint| rest.starts_with(**joint)).copied().unwrap_or_default();
                return (command, joint, rest.strip_prefix(joint).unwrap_or_default());
            }
            _ => {}
        }
    }
    (script, "", "")
}

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

    fn last(line: &str) -> Command {
        Command::all(line).pop().expect("a command")
    }

    #[test]
    fn reads_words() {
        let words =
            |line: &str| Command::all(line).into_iter().map(|command| command.words).collect::<Vec<_>>();
        assert_eq!(words("$ cd 'my web'; git  apply"), [vec!["cd", "my web"], vec!["git", "apply"]]);
        assert_eq!(words("sh -c \"cd web && patch"), [vec!["cd", "web"], vec!["patch"]]);
        assert_eq!(words("echo 'a && b'"), [vec!["echo", "a && b"]]);
        assert_eq!(
            Command::all("a || b | c & d").iter().map(|command| command.joint).collect::<Vec<_>>(),
            ["||", "|", "&", ""]
        );
    }

    #[test]
    fn knows_the_folder_of_a_command() {
        for line in
            ["git -C web apply", "git apply --directory=web", "patch -d web -p1", "patch -p1 --directory web"]
        {
            assert_eq!(last(line).folder(), Some("web"), "{line}");
        }
        assert_eq!(last("tar -C web x").folder(), None);
    }

    #[test]
    fn knows_the_file_that_is_patched() {
        for line in ["patch a.txt", "patch -p1 a.txt", "patch -p 1 a.txt", "patch --forward a.txt < fix"] {
            assert_eq!(last(line).file(), Some("a.txt"), "{line}");
        }
        for line in [
            "patch -p1", "patch -p1 < fix.patch", "patch -i fix.patch", "patch --directory web",
            "git apply fix.patch", "patch",
        ] {
            assert_eq!(last(line).file(), None, "{line}");
        }
    }

    #[test]
    fn doubts_patches_that_mean_something_else() {
        for line in ["git apply -R", "patch --reverse -p1", "patch -p2", "git apply -p 3", "patch --strip=2"]
        {
            assert!(last(line).doubt().is_some(), "{line}");
        }
        for line in ["git apply", "patch -p1", "patch -p0", "grep -R a", "apply_patch"] {
            assert_eq!(last(line).doubt(), None, "{line}");
        }
    }
}
