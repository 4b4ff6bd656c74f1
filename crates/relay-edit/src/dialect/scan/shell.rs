//! The shell command around an edit: `cd web && apply_patch <<'EOF'`.
//!
//! Nothing is run. The command only says where the edit ends, and from which folder its paths are meant.

use super::folder::Folder;
use crate::{Diagnostic, codes};

/// A longer line is no command: this one is looked at for every block below it.
const LONGEST: usize = 1_024;

/// What a command says about the text below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shell {
    /// The line that ends the text.
    end: String,
    folder: Folder,
}

impl Shell {
    /// Reads a line that is a command with a here-document, and the lines of the script above it, in order.
    pub(super) fn read<'l>(text: &str, above: impl Iterator<Item = &'l str>) -> Option<Self> {
        let (command, end) = here_document(text)?;
        let (mut base, mut own) = (Folder::Root, Folder::after(command));
        for line in above {
            match here_document(line) {
                // Whether a second command starts where the first one ended or afresh, nobody knows.
                Some((earlier, _)) => own = own.beside(&Folder::after(earlier)),
                None => base = Folder::after(line).below(base),
            }
        }
        Some(Self { end: end.to_owned(), folder: own.below(base) })
    }

    /// The folder the command runs in, where that is not the root.
    pub(super) fn folder(&self) -> Option<&str> {
        match &self.folder {
            Folder::Named(folder) => Some(folder),
            Folder::Root | Folder::Unknown(_) => None,
        }
    }

    /// Only the shell knows which folder `$WEB` or `~` is.
    pub(super) fn unknown_folder(&self, line: usize) -> Option<Diagnostic> {
        let Folder::Unknown(written) = &self.folder else { return None };
        let message = format!("nobody can say from which folder paths are meant after `{written}`");
        let finding = Diagnostic::error(codes::MISSING_PATH, message);
        Some(finding.hinted("write paths from the root of the workspace, without `cd`").at(line))
    }

    /// Whether a line ends the text.
    pub(super) fn ends(&self, text: &str) -> bool {
        text.trim() == self.end
    }
}

/// A command, and the word that ends the text it is given.
fn here_document(text: &str) -> Option<(&str, &str)> {
    let (command, end) = Some(text).filter(|text| text.len() <= LONGEST)?.split_once("<<")?;
    let end = end.trim_start_matches('-').trim().trim_matches(['\'', '"']);
    let is_word = !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then_some((command, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Shell> {
        let (above, command) = text.rsplit_once('\n').unwrap_or(("", text));
        Shell::read(command, above.lines())
    }

    #[test]
    fn reads_here_documents() {
        let end = |text: &str| read(text).map(|shell| shell.end);
        assert_eq!(end("git apply <<'EOF'").as_deref(), Some("EOF"));
        assert_eq!(end("<<-\"PATCH\"").as_deref(), Some("PATCH"));
        assert_eq!(end("apply_patch << EOF").as_deref(), Some("EOF"));
        assert_eq!(end("a << b << c"), None);
        assert_eq!(end("<<<<<<< SEARCH"), None);
    }

    #[test]
    fn a_script_changes_folders_above_the_command() {
        let folder = |text: &str| read(text)?.folder().map(str::to_owned);
        assert_eq!(folder("cd web\napply_patch <<EOF").as_deref(), Some("web"));
        assert_eq!(folder("cd web\ncd src\ncd lib && apply_patch <<EOF").as_deref(), Some("web/src/lib"));
        assert_eq!(folder("cd web && git apply <<EOF\ncd web && apply_patch <<EOF").as_deref(), Some("web"));
        assert_eq!(folder("echo hello\napply_patch <<EOF"), None);
    }

    #[test]
    fn a_folder_that_cannot_be_known_is_named() {
        let unknown = |text: &str| read(text).and_then(|shell| shell.unknown_folder(1)).is_some();
        assert!(unknown("cd $WEB && apply_patch <<EOF"));
        assert!(unknown("cd web && git apply <<EOF\napply_patch <<EOF"));
        assert!(unknown("cd web && git apply <<EOF\ncd api && apply_patch <<EOF"));
        assert!(!unknown("cd web && apply_patch <<EOF"));
    }
}
