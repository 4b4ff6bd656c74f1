//! Code below a file's name that shows something of the file and is not the file.

use crate::{Diagnostic, codes};

/// Code that stands below a file's name and is not the file.
#[derive(Debug)]
pub(super) enum Shown {
    /// Some lines of it.
    Lines(String),
    /// What is done with it in a shell.
    Command(String),
}

impl Shown {
    /// The file.
    pub(super) fn path(&self) -> &str {
        let (Self::Lines(path) | Self::Command(path)) = self;
        path
    }

    /// Says that it was not written.
    pub(super) fn finding(&self) -> Diagnostic {
        let message = match self {
            Self::Lines(_) => "this code cites lines of a file, so it was read as a quotation",
            Self::Command(_) => "this is for a shell, so it was not read as the file named above it",
        };
        Diagnostic::warning(codes::IGNORED_BLOCK, message)
            .hinted("to change lines of a file, send an edit of them; to write one, name its language")
            .on(self.path())
    }
}

/// The languages of commands and of what they print.
const SHELLS: &[&str] =
    &["bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "powershell", "cmd", "output"];

/// Endings of files that hold no commands, whatever their fence says.
const CODE: &[&str] = &[
    "c", "cc", "cpp", "cs", "css", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt", "lua", "mjs",
    "php", "py", "rb", "rs", "scala", "scss", "sql", "swift", "ts", "tsx", "vue",
];

/// Whether a fence of this language shows what is done with a file, and not what is in it.
pub(super) fn is_command(language: &str, path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_shell(language) && is_in(CODE, ending)
}

/// Whether code of this language is for a shell.
pub(super) fn is_shell(language: &str) -> bool {
    is_in(SHELLS, language)
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_scripts() {
        assert!(is_command("bash", "src/a.py") && is_command("Console", "a.TS"));
        for (language, path) in
            [("python", "src/a.py"), ("bash", "a.sh"), ("sh", ".env"), ("bash", "Dockerfile")]
        {
            assert!(!is_command(language, path), "{language} {path}");
        }
    }
}
