//! What git itself would run: the repository's settings, hooks and attributes, as they are at one moment.
//!
//! After a command plants a hook, or a setting such as `core.fsmonitor`, the next `git status` runs that program. Git's
//! own folder is not part of a transaction, so such a change is not undone with it; but Relay can report it. That takes
//! reading a handful of small files and starts no program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dir::Dir;
use crate::discover::git_top_of;
use crate::read::{Facts, Kind, ReadError};
use crate::workspace::Workspace;

/// Larger files are compared by what the disk says about them.
const FILE_LIMIT_BYTES: u64 = 256 << 10;
/// The most folders of submodules that are looked at.
const MAX_FOLDERS: usize = 500;
/// Files in a folder of git that name programs.
const FILES: [&str; 3] = ["config", "config.worktree", "info/attributes"];
const HOOKS: &str = "hooks";
/// Examples that git never runs.
const SAMPLE: &str = ".sample";

/// The files that make git run something. Two values are equal if git would run the same programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitPrograms {
    files: BTreeMap<String, (u32, Vec<u8>)>,
}

/// One of these files, different than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitProgramChange {
    /// Its name, as a person would write it: `.git/hooks/pre-commit`.
    pub path: String,
    /// `new`, `changed` or `gone`.
    pub what: &'static str,
    /// The lines that were added, where it is text; hooks are programs and are not quoted.
    pub added: Vec<String>,
}

impl Workspace {
    /// What git would run here, and in the folders below that have a `.git` of their own; nothing if there is no
    /// repository.
    #[must_use]
    pub fn git_programs(&self, nested: &[String]) -> GitPrograms {
        let mut found = GitPrograms::default();
        if let Some(top) = git_top_of(self.root()) {
            for place in folders_of_git(&top.join(".git")) {
                let Ok(dir) = Dir::open_root(&place) else { continue };
                found.look(&dir, ".git");
                found.look_at_modules(&dir);
            }
        }
        // Those that only say where their repository is are submodules, which were looked at just now.
        for folder in nested.iter().filter(|folder| !folder.is_empty()).take(MAX_FOLDERS) {
            let place = format!("{folder}/.git");
            if let Ok(Some(dir)) = self.root_dir().open_dir(&place) {
                found.look(&dir, &place);
            }
        }
        found
    }
}

/// Where a repository keeps its own things: one folder, or with a linked work tree that one's and the shared one.
fn folders_of_git(mark: &Path) -> Vec<PathBuf> {
    let named = |file: &Path, prefix: &str| {
        let folder = file.parent()?;
        let text =
            Dir::open_root(folder).ok()?.read(file.file_name()?.to_str()?, FILE_LIMIT_BYTES).ok()??;
        let text = String::from_utf8(text.bytes).ok()?;
        Some(folder.join(text.strip_prefix(prefix)?.trim_end()))
    };
    let own = named(mark, "gitdir: ").unwrap_or_else(|| mark.to_path_buf());
    let shared = named(&own.join("commondir"), "");
    std::iter::once(own).chain(shared).collect()
}

impl GitPrograms {
    /// What is different later, by name.
    #[must_use]
    pub fn changes(&self, later: &Self) -> Vec<GitProgramChange> {
        let mut changes = Vec::new();
        for (path, now) in &later.files {
            let before = self.files.get(path);
            if before != Some(now) {
                let what = if before.is_some() { "changed" } else { "new" };
                let added = added_lines(path, before.map_or(&[], |(_, bytes)| bytes), &now.1);
                changes.push(GitProgramChange { path: path.clone(), what, added });
            }
        }
        let gone = self.files.keys().filter(|path| !later.files.contains_key(*path));
        changes.extend(gone.map(|path| GitProgramChange {
            path: path.clone(),
            what: "gone",
            added: Vec::new(),
        }));
        changes
    }

    /// Records the files of one git folder.
    fn look(&mut self, dir: &Dir, shown: &str) {
        for name in FILES {
            self.note(dir, name, shown);
        }
        match dir.open_dir(HOOKS) {
            Ok(Some(hooks)) => {
                for (name, kind) in hooks.entries().unwrap_or_default() {
                    if kind != Kind::Directory && !name.ends_with(SAMPLE) {
                        self.note(&hooks, &name, &format!("{shown}/{HOOKS}"));
                    }
                }
            }
            Ok(None) => {}
            // Most likely a link, so its target counts.
            Err(_) => self.note(dir, HOOKS, shown),
        }
    }

    fn note(&mut self, dir: &Dir, name: &str, shown: &str) {
        let content = match dir.read(name, FILE_LIMIT_BYTES) {
            Ok(None) => return,
            Ok(Some(file)) => (file.mode, file.bytes),
            Err(ReadError::Symlink { .. }) => (0, dir.read_link(name).ok().flatten().unwrap_or_default()),
            Err(_) => {
                let facts = dir.facts(name).ok().flatten();
                (
                    0,
                    facts
                        .map(|Facts { inode, size, changed, .. }| format!("{inode} {size} {changed:?}"))
                        .unwrap_or_default()
                        .into(),
                )
            }
        };
        self.files.insert(format!("{shown}/{name}"), content);
    }

    /// Submodules have folders of git inside this one's `modules`, below as many further folders as their names have.
    fn look_at_modules(&mut self, dir: &Dir) {
        let mut waiting = vec!["modules".to_owned()];
        let mut looked = 0;
        while let Some(folder) = waiting.pop() {
            let Ok(Some(opened)) = dir.open_dir(&folder) else { continue };
            let is_git = matches!(opened.facts("HEAD"), Ok(Some(facts)) if facts.kind == Kind::File);
            if is_git {
                self.look(&opened, &format!(".git/{folder}"));
                waiting.push(format!("{folder}/modules"));
            } else {
                let below = opened.entries().unwrap_or_default();
                let below = below.into_iter().filter(|(_, kind)| *kind == Kind::Directory);
                waiting.extend(below.map(|(name, _)| format!("{folder}/{name}")));
            }
            looked += 1;
            if looked >= MAX_FOLDERS {
                return;
            }
        }
    }
}

/// The lines of settings and attributes that were not there before.
fn added_lines(path: &str, before: &[u8], now: &[u8]) -> Vec<String> {
    if path.contains("/hooks") {
        return Vec::new();
    }
    let (before, now) = (String::from_utf8_lossy(before), String::from_utf8_lossy(now));
    let known: std::collections::HashSet<&str> = before.lines().map(str::trim).collect();
    let lines = now.lines().map(str::trim).filter(|line| !line.is_empty() && !known.contains(line));
    lines.map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests prepare their own folders")]
mod tests {
    use super::*;

    fn check(folder: &Path, change: impl FnOnce(), expected: &[(&str, &str, &[&str])]) {
        let workspace = Workspace::open(folder).unwrap();
        let nested = [String::new(), "nested".to_owned()];
        let before = workspace.git_programs(&nested);
        change();
        let changes = before.changes(&workspace.git_programs(&nested));
        let found: Vec<_> = changes.iter().map(|change| (change.path.as_str(), change.what)).collect();
        assert_eq!(found, expected.iter().map(|(path, what, _)| (*path, *what)).collect::<Vec<_>>());
        for (change, (path, _, added)) in changes.iter().zip(expected) {
            assert_eq!(change.added, *added, "{path}");
        }
    }

    #[test]
    fn changes_to_what_git_runs_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
            std::fs::write(at(path), text).unwrap();
        };
        write(".git/config", "[core]\n\tbare = false\n");
        write(".git/hooks/pre-push.sample", "x");
        write(".git/hooks/old", "x");
        write(".git/modules/a/b/HEAD", "ref: x\n");
        write(".git/modules/a/b/config", "");
        check(folder.path(), || write(".git/config", "[core]\n\tbare = false\n"), &[]);
        check(
            folder.path(),
            || {
                write(".git/config", "[core]\n\tbare = false\n\tfsmonitor = ./x\n");
                write(".git/hooks/pre-commit", "#!/bin/sh\n");
                write(".git/hooks/other.sample", "x");
                write(".git/info/attributes", "* filter=x\n");
                write(".git/modules/a/b/hooks/post-checkout", "x");
                write("nested/.git/hooks/post-merge", "x");
                std::fs::remove_file(at(".git/hooks/old")).unwrap();
            },
            &[
                (".git/config", "changed", &["fsmonitor = ./x"]),
                (".git/hooks/pre-commit", "new", &[]),
                (".git/info/attributes", "new", &["* filter=x"]),
                (".git/modules/a/b/hooks/post-checkout", "new", &[]),
                ("nested/.git/hooks/post-merge", "new", &[]),
                (".git/hooks/old", "gone", &[]),
            ],
        );
        // A linked work tree shares the settings and hooks of its repository.
        write(".git/worktrees/w/commondir", "../..\n");
        write("w/.git", &format!("gitdir: {}\n", at(".git/worktrees/w").display()));
        check(
            &at("w"),
            || write(".git/hooks/pre-commit", "other\n"),
            &[(".git/hooks/pre-commit", "changed", &[])],
        );
    }
}
