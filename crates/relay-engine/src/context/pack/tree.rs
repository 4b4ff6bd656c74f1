//! The project's tree as a model reads it: ignored, binary and generated files left out, large folders folded.

use std::collections::BTreeMap;

use relay_workspace::Workspace;

use super::{Tree, generated};

/// How many lines a folded tree has at most.
const FOLDED_LINES: usize = 300;

/// The tree as text; empty when none is wanted.
pub(super) fn of(workspace: &Workspace, tree: Tree) -> String {
    if tree == Tree::None {
        return String::new();
    }
    let walk = workspace.walk();
    let is_complete = walk.is_complete();
    let mut root = Folder::default();
    for path in walk {
        let path = path.as_str();
        if !generated::by_name(path) && !generated::is_binary_name(path) {
            root.insert(path);
        }
    }
    let limit = if tree == Tree::Full { usize::MAX } else { FOLDED_LINES };
    let mut text = root.render(limit);
    if !is_complete {
        text.push_str("(and more that could not be listed)\n");
    }
    text
}

#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    files: Vec<String>,
}

impl Folder {
    fn insert(&mut self, path: &str) {
        match path.split_once('/') {
            Some((folder, rest)) => self.folders.entry(folder.to_owned()).or_default().insert(rest),
            None => self.files.push(path.to_owned()),
        }
    }

    fn count(&self) -> usize {
        self.files.len() + self.folders.values().map(Folder::count).sum::<usize>()
    }

    /// All levels, or as many as fit the limit.
    fn render(&self, limit_lines: usize) -> String {
        let deepest = self.depth();
        let fitting =
            (1..=deepest).rev().map(|depth| self.lines(depth, 0)).find(|lines| lines.len() <= limit_lines);
        let mut lines = fitting.unwrap_or_else(|| self.lines(1, 0));
        let surplus = lines.len().saturating_sub(limit_lines);
        if surplus > 0 {
            lines.truncate(limit_lines);
            lines.push(format!("(and {surplus} more)"));
        }
        lines.into_iter().map(|line| line + "\n").collect()
    }

    fn depth(&self) -> usize {
        1 + self.folders.values().map(Folder::depth).max().unwrap_or_default()
    }

    fn lines(&self, depth: usize, indent: usize) -> Vec<String> {
        let margin = "  ".repeat(indent);
        let mut lines = Vec::new();
        for (name, folder) in &self.folders {
            if depth > 1 {
                lines.push(format!("{margin}{name}/"));
                lines.extend(folder.lines(depth - 1, indent + 1));
            } else {
                lines.push(format!("{margin}{name}/ ({} files)", folder.count()));
            }
        }
        lines.extend(self.files.iter().map(|name| format!("{margin}{name}")));
        lines
    }
}
