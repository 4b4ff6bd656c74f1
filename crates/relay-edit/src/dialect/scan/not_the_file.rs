//! Code below a file's name that shows something of the file and is not the file.

use crate::script::is_shell;

/// Code below a file's name that is not the file.
#[derive(Debug)]
pub(super) enum NotTheFile {
    /// Some lines of it, by the word of its fence.
    Citation(String),
    /// Some lines of it, as the prose above says.
    Lines(String),
    /// What is done with it in a shell.
    Command(String),
}

impl NotTheFile {
    /// The file.
    pub(super) fn path(&self) -> &str {
        let (Self::Citation(path) | Self::Lines(path) | Self::Command(path)) = self;
        path
    }
}

/// Endings of files that hold no commands, whatever their fence says.
const CODE: &[&str] = &[
    "c", "cc", "cpp", "cs", "css", "csv", "go", "h", "hpp", "html", "java", "js", "json", "jsx", "kt",
    "lock", "lua", "md", "mjs", "php", "py", "rb", "rs", "scala", "scss", "sql", "svelte", "swift", "toml",
    "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

/// Whether a fence of this language shows what is done with a file, and not what is in it.
pub(super) fn is_command(language: &str, path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_shell(language) && is_in(CODE, ending)
}

fn is_in(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_differ_from_scripts() {
        assert!(is_command("bash", "src/a.py") && is_command("Console", "a.TS"));
        for (language, path) in
            [("python", "src/a.py"), ("bash", "a.sh"), ("sh", ".env"), ("bash", "Dockerfile")]
        {
            assert!(!is_command(language, path), "{language} {path}");
        }
    }
}
