//! The shell command around an edit: `cd web && apply_patch <<'EOF'`.
//!
//! Nothing is run. The command only says where the edit ends, and what its paths mean.

use super::super::path_line;
use super::command::Command;
use super::folder::Folder;
use crate::dialect::Dialect;
use crate::{Diagnostic, Edit, codes};

/// A longer line is not a command: the line is checked for every block below it.
const LONGEST: usize = 1_024;

/// What a command says about the text below it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shell {
    end: End,
    folder: Folder,
    /// The file that is patched, whatever the patch says.
    file: Option<String>,
    doubt: Option<&'static str>,
    /// The text is only kept, for a later command.
    keeps: bool,
}

/// Which line ends the text.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// This word.
    Word(String),
    /// The quote that was opened before the text.
    Quote(char),
    /// None: the text is in the script as it is.
    Never,
}

impl Shell {
    /// Reads a line that is a command with a here-document or an open quote, and the lines of the script above it, in
    /// order. In a `script` any line is a command; elsewhere a line that changes the folder is.
    pub(super) fn read<'l>(text: &str, above: impl Iterator<Item = &'l str>, script: bool) -> Option<Self> {
        let bare = || (script || changes_folder(text)).then(|| (Command::all(text), End::Never));
        let (commands, end) = here_document(text).or_else(|| quoted(text)).or_else(bare)?;
        let (mut base, mut own) = (Folder::Root, Folder::after(&commands));
        for line in above {
            match here_document(line) {
                // It is unknown whether a second command starts where the first one ended.
                Some((earlier, _)) => own = own.beside(&Folder::after(&earlier)),
                None => base = Folder::after(&Command::all(line)).below(base),
            }
        }
        let user = commands.iter().find(|command| command.applies());
        Some(Self {
            end,
            folder: own.below(base),
            file: user.and_then(Command::file).map(str::to_owned),
            doubt: user.and_then(Command::doubt),
            keeps: user.is_none(),
        })
    }

    /// Why the meaning of the text below is unknown.
    pub(super) fn finding(&self, line: usize) -> Option<Diagnostic> {
        let finding = match (&self.folder, self.doubt) {
            (Folder::Unknown(written), _) => unknown_folder(written),
            (_, Some(doubt)) => doubted(doubt),
            _ => return None,
        };
        Some(finding.at(line))
    }

    /// Gives an edit the path that is meant.
    pub(super) fn settle(&self, edit: &mut Edit) {
        if let Some(file) = self.file.as_ref().filter(|_| edit.dialect == Dialect::Unified) {
            edit.path.clone_from(file);
        }
        let folder = match &self.folder {
            Folder::Named(folder) => Some(folder.as_str()),
            Folder::Root | Folder::Unknown(_) => None,
        };
        path_line::settle(edit, folder);
    }

    /// Whether a line ends the text.
    pub(super) fn ends(&self, text: &str) -> bool {
        match &self.end {
            End::Word(word) => text.trim().trim_end_matches(['"', '\'', ')']) == word,
            End::Quote(quote) => {
                let rest = text.trim().strip_prefix(*quote);
                let rest = rest.map(|rest| rest.trim_start_matches('@').trim_start());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['|', '>', '&', ';', ')']))
            }
            End::Never => false,
        }
    }

    /// The script after the text, if it is still needed.
    pub(super) fn script(self) -> Option<Script> {
        self.keeps.then_some(Script { kept: self.folder.clone(), folder: self.folder })
    }
}

/// A script in which a patch was written into a file and is not yet applied.
#[derive(Debug)]
pub(super) struct Script {
    /// The folder that its paths were taken to start from.
    kept: Folder,
    /// Where the script is now.
    folder: Folder,
}

/// What a line of a script did with a patch that was kept.
pub(super) enum Use {
    /// Nothing.
    None,
    /// It was applied as it was read.
    AsRead,
    /// It was applied in a way that means something else.
    Otherwise(Diagnostic),
}

impl Script {
    /// Follows a line of the script.
    pub(super) fn follow(&mut self, line: &str) -> Use {
        for command in Command::all(line.get(..LONGEST).unwrap_or(line)) {
            let folder = Folder::of(&command).below(self.folder.clone());
            if command.applies() {
                let doubt =
                    command.doubt().or_else(|| command.file().map(|_| "its command names another file"));
                return match (&folder, doubt) {
                    (_, Some(doubt)) => Use::Otherwise(doubted(doubt)),
                    (Folder::Unknown(written), _) => Use::Otherwise(unknown_folder(written)),
                    _ if folder != self.kept => Use::Otherwise(doubted("it is applied in another folder")),
                    _ => Use::AsRead,
                };
            }
            self.folder = folder;
        }
        Use::None
    }
}

/// Only the shell knows which folder `$WEB` or `~` is.
fn unknown_folder(written: &str) -> Diagnostic {
    let message = format!("it is unclear which folder paths are relative to after `{written}`");
    Diagnostic::error(codes::MISSING_PATH, message)
        .hinted("write paths from the root of the workspace, without `cd`")
}

fn doubted(doubt: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_DIFF, format!("this patch does not mean what it says: {doubt}"))
        .hinted("send the patch as it is to be applied, with paths from the root of the workspace")
}

/// Whether a line is nothing but a command that goes into a folder.
fn changes_folder(text: &str) -> bool {
    let command = Some(text).filter(|text| text.len() <= LONGEST).map(Command::all);
    let [command] = command.as_deref().unwrap_or_default() else { return false };
    matches!(command.split(), ("cd" | "pushd", [_]))
}

/// The command before a text in quotes: `apply_patch "`, `echo '`, or nothing but `@'`.
fn quoted(text: &str) -> Option<(Vec<Command>, End)> {
    let text = Some(text.trim_end()).filter(|text| text.len() <= LONGEST)?;
    let quote = text.chars().next_back().filter(|quote| matches!(quote, '\'' | '"'))?;
    let before = text.strip_suffix(quote)?;
    let commands = Command::all(before.trim_end_matches('@'));
    let is_open = before.matches(quote).count() % 2 == 0;
    let takes_text = commands
        .last()
        .is_some_and(|last| last.applies() || matches!(last.split().0, "" | "echo" | "printf"));
    (is_open && takes_text).then_some((commands, End::Quote(quote)))
}

/// The commands around a text, and the word that ends it.
fn here_document(text: &str) -> Option<(Vec<Command>, End)> {
    let (before, behind) = Some(text).filter(|text| text.len() <= LONGEST)?.split_once("<<")?;
    let behind = behind.trim_start_matches('-').trim_start().trim_start_matches(['\'', '"']);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let (end, rest) = behind.split_at(behind.bytes().take_while(|byte| is_part(byte)).count());
    let rest = rest.trim_start_matches(['\'', '"']).trim();
    if end.is_empty() || !(rest.is_empty() || rest.starts_with(['|', '>', '&'])) {
        return None;
    }
    Some((Command::all(&format!("{before}{rest}")), End::Word(end.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Shell> {
        let (above, command) = text.rsplit_once('\n').unwrap_or(("", text));
        Shell::read(command, above.lines(), false)
    }

    fn folder(text: &str) -> Option<String> {
        match read(text)?.folder {
            Folder::Named(folder) => Some(folder),
            Folder::Root | Folder::Unknown(_) => None,
        }
    }

    #[test]
    fn reads_here_documents() {
        let end = |text: &str| match read(text)?.end {
            End::Word(word) => Some(word),
            End::Quote(_) | End::Never => None,
        };
        assert_eq!(end("git apply <<'EOF'").as_deref(), Some("EOF"));
        assert_eq!(end("<<-\"PATCH\"").as_deref(), Some("PATCH"));
        assert_eq!(end("apply_patch << EOF").as_deref(), Some("EOF"));
        assert_eq!(end("cat <<'EOF' > fix.patch").as_deref(), Some("EOF"));
        assert_eq!(end("cat <<EOF | git apply").as_deref(), Some("EOF"));
        assert_eq!(end("a << b << c"), None);
        assert_eq!(end("a << b;"), None);
        assert_eq!(end("<<<<<<< SEARCH"), None);
    }

    #[test]
    fn reads_texts_in_quotes() {
        let ends = |text: &str, line: &str| read(text).is_some_and(|shell| shell.ends(line));
        assert!(
            ends("apply_patch \"", "\"") && ends("@'", "'@ | git apply") && ends("echo '", "' | patch -p1")
        );
        assert!(!ends("apply_patch \"", "\"a\": 1,") && !ends("apply_patch \"", "'"));
        for text in ["He said \"", "echo 'a'", "x = '"] {
            assert_eq!(read(text), None, "{text}");
        }
        let bare = |text: &str| Shell::read(text, std::iter::empty(), true).map(|shell| shell.folder);
        assert_eq!(bare("cd web"), Some(Folder::Named("web".to_owned())));
    }

    #[test]
    fn a_script_changes_folders_above_the_command() {
        assert_eq!(folder("cd web\napply_patch <<EOF").as_deref(), Some("web"));
        assert_eq!(folder("cd web\ncd src\ncd lib && apply_patch <<EOF").as_deref(), Some("web/src/lib"));
        assert_eq!(folder("cd web && git apply <<EOF\ncd web && apply_patch <<EOF").as_deref(), Some("web"));
        assert_eq!(folder("cat <<EOF | patch -d web -p1").as_deref(), Some("web"));
        assert_eq!(folder("echo hello\napply_patch <<EOF"), None);
    }

    #[test]
    fn unknown_folders_are_named() {
        let finding = |text: &str| read(text).and_then(|shell| shell.finding(1)).is_some();
        assert!(finding("cd $WEB && apply_patch <<EOF"));
        assert!(finding("cd web && git apply <<EOF\napply_patch <<EOF"));
        assert!(finding("cd web && git apply <<EOF\ncd api && apply_patch <<EOF"));
        assert!(finding("git apply -R <<EOF"));
        assert!(finding("cat <<EOF | patch -p2"));
        assert!(!finding("cd web && apply_patch <<EOF"));
        assert!(!finding("patch -p1 <<EOF"));
    }

    #[test]
    fn a_patch_that_was_kept_is_followed() {
        let used = |text: &str| {
            let (command, later) = text.split_once('\n').expect("two lines");
            let mut script = read(command).and_then(Shell::script)?;
            later.lines().find_map(|line| match script.follow(line) {
                Use::None => None,
                Use::AsRead => Some(true),
                Use::Otherwise(_) => Some(false),
            })
        };
        assert_eq!(used("cat > fix <<EOF\ngit apply fix\ncd web"), Some(true));
        assert_eq!(used("cat <<EOF > fix\ncd web\ncd .\npatch -p1 < fix"), Some(false));
        assert_eq!(used("cat > fix <<EOF\ngit -C web apply fix"), Some(false));
        assert_eq!(used("cat > fix <<EOF\ngit apply -R fix"), Some(false));
        assert_eq!(used("cd web && cat > fix <<EOF\ngit apply fix"), Some(true));
        assert_eq!(used("cat > fix <<EOF\ncd web && ls"), None);
        assert_eq!(used("git apply <<EOF\ncd web && patch -p1 < other"), None);
    }
}
