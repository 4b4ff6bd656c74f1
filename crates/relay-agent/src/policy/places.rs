//! Where a path is: inside the workspace, outside, or somewhere that may hold secrets.
//!
//! Decided from the path as written, for the question alone. What is really opened is contained by directory handles in
//! `relay-workspace`, whatever was decided here.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use relay_syntax::shell::{Files, Present};

/// Where a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the workspace, in a folder the user added, or a name inside the session (`artifact://…`).
    Inside,
    /// Anywhere else.
    Outside,
    /// Where keys, passwords and programs that start by themselves are kept.
    Sensitive,
}

/// Names of files and folders that hold secrets, wherever they are.
const SENSITIVE_NAMES: [&str; 14] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials.toml",
    "id_rsa",
    "id_ed25519",
    ".vault-token",
];

/// Looks at what is at a path of the workspace.
pub type Look = Arc<dyn Fn(&str) -> Present + Send + Sync>;

/// The folders that belong to the workspace.
#[derive(Clone, Default)]
pub struct Places {
    folders: Vec<PathBuf>,
    look: Option<Look>,
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Places").field(&self.folders).finish()
    }
}

/// What exists on disk. If that cannot be checked, any named path may exist.
impl Files for Places {
    fn present(&self, path: &str) -> Present {
        self.look.as_ref().map_or(Present::Unknown, |look| look(path))
    }

    fn is_inside(&self, path: &str) -> bool {
        self.of(path) == Place::Inside
    }
}

impl Places {
    /// The workspace's root first, then folders the user added.
    #[must_use]
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        Self { folders: folders.into_iter().collect(), look: None }
    }

    /// The same folders, with someone who looks at the disk.
    #[must_use]
    pub fn seen_by(mut self, look: Look) -> Self {
        self.look = Some(look);
        self
    }

    /// The workspace's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.folders.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// Where a path is, as a call names it.
    #[must_use]
    pub fn of(&self, path: &str) -> Place {
        if let Some((scheme, _)) = path.split_once("://") {
            // Names inside the session and the host's own are not files.
            let is_plain =
                !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
            if is_plain && scheme != "file" {
                return Place::Inside;
            }
        }
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.starts_with('~') {
            return if is_sensitive(Path::new(path)) { Place::Sensitive } else { Place::Outside };
        }
        let whole = normal(&self.root().join(path));
        if is_sensitive(&whole) {
            return Place::Sensitive;
        }
        if self.folders.iter().any(|folder| whole.starts_with(normal(folder))) {
            Place::Inside
        } else {
            Place::Outside
        }
    }
}

/// Whether a part of the path is a name that holds secrets.
fn is_sensitive(path: &Path) -> bool {
    path.components().any(|part| match part {
        Component::Normal(name) => {
            let name = name.to_string_lossy();
            let is_env = name == ".env" || name.starts_with(".env.") && !name.ends_with(".example");
            is_env || SENSITIVE_NAMES.contains(&&*name)
        }
        _ => false,
    })
}

/// The path without `.` and `..`, as written.
fn normal(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}
