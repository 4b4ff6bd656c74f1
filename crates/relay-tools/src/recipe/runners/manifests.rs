//! Reading manifests: text of files in the workspace, folders that a glob means.

use relay_workspace::{Dir, Kind, Workspace};

/// How large a manifest may be.
const BYTES: u64 = 1 << 20;
/// How many folders a project's globs may mean.
const FOLDERS: usize = 1_000;
/// How deep `**` goes.
const DEPTH: usize = 6;

pub struct Manifests<'a> {
    workspace: &'a Workspace,
}

impl<'a> Manifests<'a> {
    pub fn new(workspace: &'a Workspace) -> Self {
        Self { workspace }
    }

    /// A file's text; none if it is missing, too long or not text.
    pub fn read(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let snapshot = self.folder(folder)?.read(name, BYTES).ok()??;
        String::from_utf8(snapshot.bytes).ok()
    }

    pub fn exists(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.folder(folder).is_some_and(|folder| matches!(folder.facts(name), Ok(Some(_))))
    }

    /// Names in a folder, sorted, with what they are.
    pub fn entries(&self, path: &str) -> Vec<(String, Kind)> {
        let mut entries = self.folder(path).and_then(|folder| folder.entries().ok()).unwrap_or_default();
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries
    }

    fn folder(&self, path: &str) -> Option<Dir> {
        let mut dir = self.workspace.root_dir().try_clone().ok()?;
        for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
            // Nothing outside the workspace belongs to the project.
            dir = if part == ".." { return None } else { dir.open_dir(part).ok()?? };
        }
        Some(dir)
    }

    /// The folders that a glob means, relative to the root, sorted.
    pub fn folders(&self, glob: &str) -> Vec<String> {
        let parts: Vec<&str> =
            glob.trim_start_matches("./").split('/').filter(|part| !part.is_empty()).collect();
        let mut found = Vec::new();
        self.expand("", &parts, DEPTH, &mut found);
        found.sort();
        found.dedup();
        found
    }

    fn expand(&self, at: &str, parts: &[&str], depth: usize, found: &mut Vec<String>) {
        if found.len() >= FOLDERS {
            return;
        }
        let Some((part, rest)) = parts.split_first() else {
            found.push(at.to_owned());
            return;
        };
        if *part == "**" {
            self.expand(at, rest, depth, found);
            if depth > 0 {
                for name in self.subfolders(at) {
                    self.expand(&join(at, &name), parts, depth - 1, found);
                }
            }
        } else if part.contains(['*', '?']) {
            for name in self.subfolders(at).iter().filter(|name| fits(name, part)) {
                self.expand(&join(at, name), rest, depth, found);
            }
        } else if self.folder(&join(at, part)).is_some() {
            self.expand(&join(at, part), rest, depth, found);
        }
    }

    fn subfolders(&self, at: &str) -> Vec<String> {
        let is_wanted = |name: &str| !name.starts_with('.') && name != "node_modules" && name != "target";
        let entries = self.entries(at).into_iter();
        entries
            .filter(|(name, kind)| *kind == Kind::Directory && is_wanted(name))
            .map(|(name, _)| name)
            .collect()
    }
}

/// Two parts of a path.
pub fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a name fits a pattern with `*` and `?`.
fn fits(name: &str, pattern: &str) -> bool {
    let (mut name, mut pattern) = (name.chars(), pattern.chars());
    match (pattern.next(), name.clone().next()) {
        (None, None) => true,
        (Some('*'), _) => {
            fits(name.as_str(), pattern.as_str())
                || (name.next().is_some() && fits(name.as_str(), &format!("*{}", pattern.as_str())))
        }
        (Some('?'), Some(_)) => {
            name.next();
            fits(name.as_str(), pattern.as_str())
        }
        (Some(wanted), Some(found)) if wanted == found => {
            name.next();
            fits(name.as_str(), pattern.as_str())
        }
        _ => false,
    }
}
