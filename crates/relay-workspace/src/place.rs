//! A path that can be read: below the root, or anywhere else the user allows.
//!
//! Whether a model may read outside is decided earlier, from the path as written. So a place is exactly what is written:
//! a path through a symbolic link is refused with the path it leads to, which can then be decided about. Opening goes
//! through directory handles, so a link that is planted later changes nothing.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use relay_diagnostics::display::visible_line;

use crate::STATE_FOLDER;
use crate::dir::Dir;
use crate::read::{Facts, ReadError};
use crate::rel_path::RelPath;
use crate::workspace::Workspace;

/// A readable path.
#[derive(Debug)]
pub struct Place {
    dir: Dir,
    /// From the handle; empty for the handle's folder itself.
    name: String,
    /// Its name in messages: relative to the root, or absolute outside.
    shown: String,
    absolute: PathBuf,
    inside: bool,
}

/// Why a path is not a place.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlaceError {
    /// The path leads into git's or Relay's own files.
    #[error("`{}` is in a folder that only git or Relay itself uses; run git to ask about it", visible_line(.0))]
    Private(String),
    /// `~` without a home folder.
    #[error("`{}` begins with `~`, but the home folder is unknown; write an absolute path", visible_line(.0))]
    NoHome(String),
    /// The path leads through a symbolic link.
    #[error("`{}` leads through a symbolic link to `{}`; read that path instead", visible_line(.path), visible_line(.target))]
    Link {
        /// The path.
        path: String,
        /// Where it leads.
        target: String,
    },
    /// It cannot be opened.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A name that is not one.
    #[error("`{}` is not a path: {reason}", visible_line(.path))]
    Malformed {
        /// The path.
        path: String,
        /// Why.
        reason: &'static str,
    },
}

impl Workspace {
    /// The place named by a path as people and models write it: from the root, absolute, from the home folder, or a
    /// `file://` address. `/` alone is the root of the workspace.
    ///
    /// # Errors
    /// The path is malformed, private, or leads through a link outside the workspace.
    pub fn place(&self, written: &str, home: Option<&Path>) -> Result<Place, PlaceError> {
        let path = written.strip_prefix("file://").unwrap_or(written);
        if path.contains('\0') {
            let reason = "it contains a null character";
            return Err(PlaceError::Malformed { path: path.to_owned(), reason });
        }
        if matches!(path.trim_end_matches('/'), "" | ".") {
            return self.inside("");
        }
        let whole = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                let home = home.ok_or_else(|| PlaceError::NoHome(path.to_owned()))?;
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.root().join(path),
        };
        let whole = normal(&whole);
        match whole.strip_prefix(self.root()) {
            Ok(below) => {
                let names: Option<Vec<&str>> = below.iter().map(|name| name.to_str()).collect();
                self.inside(&names.unwrap_or_default().join("/"))
            }
            Err(_) => outside(&whole),
        }
    }

    fn inside(&self, name: &str) -> Result<Place, PlaceError> {
        let is_private = |part: &str| [".git", STATE_FOLDER].iter().any(|own| part.eq_ignore_ascii_case(own));
        if name.split('/').any(is_private) {
            return Err(PlaceError::Private(name.to_owned()));
        }
        let shown = if name.is_empty() { "." } else { name };
        Ok(Place {
            dir: self.root_dir().try_clone()?,
            name: name.to_owned(),
            shown: shown.to_owned(),
            absolute: if name.is_empty() { self.root().to_owned() } else { self.root().join(name) },
            inside: true,
        })
    }
}

fn outside(path: &Path) -> Result<Place, PlaceError> {
    let shown = path.display().to_string();
    let failed = |source| PlaceError::Read(ReadError::Io { path: shown.clone(), source });
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        // A missing file has no target; opening it will report that.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    if target != path {
        return Err(PlaceError::Link { path: shown, target: target.display().to_string() });
    }
    let top = path.ancestors().last().unwrap_or(path);
    let names: Option<Vec<&str>> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_str()),
            _ => None,
        })
        .collect();
    let reason = "its name is not UTF-8";
    let names = names.ok_or_else(|| PlaceError::Malformed { path: shown.clone(), reason })?;
    let dir = Dir::open_root(top).map_err(failed)?;
    Ok(Place { dir, name: names.join("/"), shown, absolute: path.to_owned(), inside: false })
}

impl Place {
    /// Its name in messages and selectors.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Its absolute path, for programs that must be given one.
    #[must_use]
    pub fn absolute(&self) -> &Path {
        &self.absolute
    }

    /// Its path in the workspace, if it is one that can be changed.
    #[must_use]
    pub fn in_workspace(&self, workspace: &Workspace) -> Option<RelPath> {
        if self.inside { workspace.path(&self.name).ok() } else { None }
    }

    /// Whether it is in the workspace.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        self.inside
    }

    /// What is there, links not being followed; `None` when nothing is.
    ///
    /// # Errors
    /// As [`Dir::facts`].
    pub fn facts(&self) -> Result<Option<Facts>, ReadError> {
        if self.name.is_empty() { Ok(self.dir.facts_of_listed(".")) } else { self.dir.facts(&self.name) }
    }

    /// What is at a name beside it, such as a database's log.
    ///
    /// # Errors
    /// As [`Dir::facts`].
    pub fn facts_beside(&self, ending: &str) -> Result<Option<Facts>, ReadError> {
        self.dir.facts(&format!("{}{ending}", self.name))
    }

    /// Opens it as a regular file; `None` when nothing is there.
    ///
    /// # Errors
    /// As [`Dir::open_file`].
    pub fn open_file(&self) -> Result<Option<(File, Facts)>, ReadError> {
        if self.name.is_empty() {
            return Err(ReadError::Directory { path: self.shown.clone() });
        }
        self.dir.open_file(&self.name)
    }

    /// Opens it as a folder; `None` when nothing is there.
    ///
    /// # Errors
    /// As [`Dir::open_dir`].
    pub fn open_dir(&self) -> Result<Option<Dir>, ReadError> {
        if self.name.is_empty() { self.dir.try_clone().map(Some) } else { self.dir.open_dir(&self.name) }
    }

    /// Where the link at this place points, if it is one.
    #[must_use]
    pub fn link(&self) -> Option<String> {
        let target = self.dir.read_link(&self.name).ok()??;
        Some(String::from_utf8_lossy(&target).into_owned())
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn lab() -> (tempfile::TempDir, Workspace, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(top.join("ws/src")).unwrap();
        std::fs::write(top.join("ws/src/a.rs"), "x").unwrap();
        std::fs::write(top.join("out.txt"), "y").unwrap();
        let workspace = Workspace::open(&top.join("ws")).unwrap();
        (folder, workspace, top)
    }

    #[test]
    fn paths_are_read_in_every_form() {
        let (_folder, workspace, top) = lab();
        let place = |path: &str| workspace.place(path, Some(&top)).unwrap();
        let inside = top.join("ws/src/a.rs").display().to_string();
        for path in ["src/a.rs", "./src//a.rs", "src/../src/a.rs", "../ws/src/a.rs", &inside, "~/ws/src/a.rs"]
        {
            let place = place(path);
            assert_eq!((place.shown(), place.is_inside()), ("src/a.rs", true), "{path}");
            assert!(place.open_file().unwrap().is_some());
        }
        for path in ["/", ".", "", "file:///", "src/.."] {
            let root = place(path);
            assert_eq!(root.shown(), ".", "{path}");
            assert!(root.open_dir().unwrap().is_some() && root.facts().unwrap().is_some());
        }
        for path in ["../out.txt", "~/out.txt", &format!("file://{}", top.join("out.txt").display())] {
            let place = place(path);
            assert!(!place.is_inside() && place.open_file().unwrap().is_some(), "{path}");
        }
        assert!(place("../none").facts().unwrap().is_none());
        assert!(matches!(workspace.place("~/x", None), Err(PlaceError::NoHome(_))));
        assert!(matches!(workspace.place("a/.GIT/config", None), Err(PlaceError::Private(_))));
        assert!(workspace.place("a\0b", None).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_outside_is_named_and_not_followed() {
        let (_folder, workspace, top) = lab();
        std::os::unix::fs::symlink(top.join("out.txt"), top.join("link")).unwrap();
        std::os::unix::fs::symlink("../out.txt", top.join("ws/inner")).unwrap();
        let error = workspace.place("../link", None).unwrap_err().to_string();
        assert!(error.contains("symbolic link") && error.contains("out.txt"), "{error}");
        let inner = workspace.place("inner", None).unwrap();
        assert!(inner.open_file().is_err());
        assert_eq!(inner.link().as_deref(), Some("../out.txt"));
    }
}
