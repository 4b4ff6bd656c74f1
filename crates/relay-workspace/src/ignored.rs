//! Ignored files in a survey: for a command that is about to destroy them.
//!
//! A survey leaves out what ignore rules cover, because builds write there all the time. A command that removes such files
//! on purpose (`git clean -x`, `rm -r target`) is another matter: they may be the only copy of the user's notes or keys.
//! So the files at the places that it names are added to the survey before it, up to a limit.

use std::sync::Arc;

use crate::read::Kind;
use crate::rel_path::RelPath;
use crate::survey::{Survey, Surveyed};
use crate::workspace::Workspace;

/// The most ignored files that are saved before a command destroys them.
pub const IGNORED_LIMIT_FILES: usize = 20_000;
/// The most bytes of ignored files that are saved.
pub const IGNORED_LIMIT_BYTES: u64 = 256 << 20;

/// Where to look for ignored files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ignored {
    /// Nowhere.
    #[default]
    Not,
    /// At these paths, and below.
    At(Vec<RelPath>),
    /// Everywhere in the workspace.
    All,
}

/// How much could be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Included {
    /// Files that were added.
    pub files: usize,
    /// Their size.
    pub bytes: u64,
    /// Whether there are more than the limits allow.
    pub is_partial: bool,
}

impl Survey {
    /// Adds ignored files to a survey. The order of entries stays that of their paths.
    pub fn include(&mut self, workspace: &Workspace, ignored: &Ignored) -> Included {
        let mut found = Found::default();
        match ignored {
            Ignored::Not => return Included::default(),
            Ignored::All => found.folder(self, workspace, None),
            Ignored::At(places) => {
                for place in places {
                    found.place(self, workspace, place);
                }
            }
        }
        let Found { mut entries, included } = found;
        let all = Arc::make_mut(&mut self.entries);
        all.append(&mut entries);
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all.dedup_by(|a, b| a.path == b.path);
        included
    }
}

#[derive(Default)]
struct Found {
    entries: Vec<Surveyed>,
    included: Included,
}

impl Found {
    /// Adds what is at a path. Entries already in the survey are not added again, but folders among them are
    /// searched.
    fn place(&mut self, survey: &Survey, workspace: &Workspace, path: &RelPath) {
        let Ok(Some(facts)) = workspace.facts(path) else { return };
        if survey.get(path.as_str()).is_none() {
            let is_file = facts.kind != Kind::Directory;
            let size = if is_file { facts.size } else { 0 };
            let is_too_much = self.included.files >= IGNORED_LIMIT_FILES
                || self.included.bytes.saturating_add(size) > IGNORED_LIMIT_BYTES;
            if is_too_much {
                self.included.is_partial = true;
                return;
            }
            self.included.files += usize::from(is_file);
            self.included.bytes += size;
            self.entries.push(Surveyed { path: path.clone(), facts });
        }
        if facts.kind == Kind::Directory {
            self.folder(survey, workspace, Some(path));
        }
    }

    fn folder(&mut self, survey: &Survey, workspace: &Workspace, folder: Option<&RelPath>) {
        let opened = match folder {
            None => workspace.root_dir().try_clone().map(Some),
            Some(folder) => workspace.open_dir(folder),
        };
        let Ok(Some(dir)) = opened else { return };
        let Ok(names) = dir.list() else { return };
        for (name, _) in names.iter() {
            if self.included.is_partial {
                return;
            }
            // Folders of git and of Relay have names that no transaction may use, so they are not looked into.
            if let Some(path) = RelPath::listed(folder, name) {
                self.place(survey, workspace, &path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ignored: &Ignored, expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let put = |path: &str| {
            let place = folder.path().join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, path).unwrap();
        };
        for path in ["src/a.rs", "target/x/o", "target/log", ".env", ".git/HEAD", ".relaycode/x"] {
            put(path);
        }
        std::fs::write(folder.path().join(".gitignore"), "target/\n.env\n").unwrap();
        let workspace = Workspace::open(folder.path()).unwrap();
        let mut survey = workspace.survey(None);
        let included = survey.include(&workspace, ignored);
        let files: Vec<&str> = survey
            .entries
            .iter()
            .filter(|entry| entry.facts.kind == Kind::File)
            .map(|entry| entry.path.as_str())
            .collect();
        assert_eq!(files, expected);
        assert_eq!(included.files, expected.len() - 2);
    }

    #[test]
    fn ignored_files_are_added_on_request() {
        check(&Ignored::Not, &[".gitignore", "src/a.rs"]);
        check(&Ignored::All, &[".env", ".gitignore", "src/a.rs", "target/log", "target/x/o"]);
        let at = |path: &str| Ignored::At(vec![RelPath::new(path).unwrap()]);
        check(&at("target/x"), &[".gitignore", "src/a.rs", "target/x/o"]);
        check(&at("src"), &[".gitignore", "src/a.rs"]);
        check(&at("missing"), &[".gitignore", "src/a.rs"]);
    }
}
