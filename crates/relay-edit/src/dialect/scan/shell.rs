//! The shell command around an edit: `cd web && apply_patch <<'EOF'`.
//!
//! Nothing is run. The command only says where the edit ends, and from which folder its paths are meant.

use crate::{Diagnostic, codes};

/// A longer line is no command: this one is looked at for every block below it.
const LONGEST: usize = 1_024;

/// What a command says about the text below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shell {
    /// The line that ends the text.
    end: String,
    /// The folder the command changes into first.
    pub(super) folder: Option<String>,
}

impl Shell {
    /// Reads a line that is a command with a here-document.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (command, end) = Some(text).filter(|text| text.len() <= LONGEST)?.split_once("<<")?;
        let end = end.trim_start_matches('-').trim();
        let end = end.trim_matches(['\'', '"']);
        let is_word = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_word.then(|| Self { end: end.to_owned(), folder: folder(command) })
    }

    /// Only the shell knows which folder `$WEB` or `~` is.
    pub(super) fn unknown_folder(&self, line: usize) -> Option<Diagnostic> {
        let folder = self.folder.as_ref().filter(|folder| folder.contains(['$', '`', '~', '*', '?']))?;
        let finding =
            Diagnostic::error(codes::MISSING_PATH, format!("nobody can say which folder `{folder}` is"));
        Some(finding.hinted("write paths from the root of the workspace, without `cd`").at(line))
    }

    /// Whether a line ends the text.
    pub(super) fn ends(&self, text: &str) -> bool {
        text.trim() == self.end
    }
}

fn folder(command: &str) -> Option<String> {
    let rest = command.trim_start().trim_start_matches("$ ").strip_prefix("cd ")?;
    let (folder, _) = rest.split_once("&&").or_else(|| rest.split_once(';'))?;
    let folder = folder.trim().trim_matches(['\'', '"']).trim_start_matches("./").trim_end_matches('/');
    (!folder.is_empty() && folder != ".").then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_here_documents() {
        let end = |text: &str| Shell::read(text).map(|shell| shell.end);
        assert_eq!(end("git apply <<'EOF'").as_deref(), Some("EOF"));
        assert_eq!(end("<<-\"PATCH\"").as_deref(), Some("PATCH"));
        assert_eq!(end("apply_patch << EOF").as_deref(), Some("EOF"));
        assert_eq!(end("a << b << c"), None);
        assert_eq!(end("<<<<<<< SEARCH"), None);
    }

    #[test]
    fn reads_the_folder_a_command_changes_into() {
        let folder = |text: &str| Shell::read(text).and_then(|shell| shell.folder);
        assert_eq!(folder("cd web && apply_patch <<EOF").as_deref(), Some("web"));
        assert_eq!(folder("$ cd './my web/'; git apply <<EOF").as_deref(), Some("my web"));
        assert_eq!(folder("cd . && apply_patch <<EOF"), None);
        assert_eq!(folder("apply_patch <<EOF"), None);
        let unknown = |text: &str| Shell::read(text).and_then(|shell| shell.unknown_folder(1)).is_some();
        assert!(unknown("cd $WEB && apply_patch <<EOF") && !unknown("cd web && apply_patch <<EOF"));
    }
}
