//! Changes to a file besides its bytes: permissions, and whether it is a link.

use std::fmt;

use relay_txn::{FileChange, Image, is_link};
use serde::{Serialize, Serializer};
use serde_json::json;

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// A file's type and permission bits before and after a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModeChange {
    /// Before; `None` for a new file.
    pub before: Option<u32>,
    /// After.
    pub after: u32,
}

impl ModeChange {
    /// A change's effect on the file's mode, if worth mentioning: a new file is mentioned only if it can be run or is
    /// a link.
    #[must_use]
    pub fn of<C>(change: &FileChange<C>, origin: Option<&Image>) -> Option<Self> {
        let after = change.after.as_ref()?.mode?;
        let before = origin.map(|image| image.mode);
        let differs = match before {
            Some(before) => is_link(before) != is_link(after) || bits(before) != bits(after),
            None => is_link(after) || after & 0o111 != 0,
        };
        differs.then_some(Self { before: before.map(typed), after: typed(after) })
    }
}

/// Modes as git writes them.
impl Serialize for ModeChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let octal = |mode: u32| format!("{mode:o}");
        json!({ "before": self.before.map(octal), "after": octal(self.after) }).serialize(serializer)
    }
}

impl fmt::Display for ModeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.before {
            None if is_link(self.after) => write!(f, "link"),
            None => write!(f, "mode {:o}", bits(self.after)),
            Some(before) if is_link(before) => write!(f, "link → file"),
            Some(_) if is_link(self.after) => write!(f, "file → link"),
            Some(before) => write!(f, "mode {:o} → {:o}", bits(before), bits(self.after)),
        }
    }
}

/// A mode with its type: bare permissions are a file's.
const fn typed(mode: u32) -> u32 {
    if mode & 0o170_000 == 0 { mode | 0o100_000 } else { mode }
}

/// The permissions of a link say nothing.
const fn bits(mode: u32) -> u32 {
    if is_link(mode) { 0 } else { mode & PERMISSIONS }
}

#[cfg(test)]
mod tests {
    use relay_txn::Target;
    use relay_workspace::Workspace;

    use super::*;

    fn said(before: Option<u32>, after: Option<u32>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let image = before.map(|mode| Image::new([], mode));
        let path = Workspace::open(folder.path()).unwrap().path("a").unwrap();
        let change = FileChange::new(path, image.clone(), Some(Target { mode: after, ..Target::new([]) }));
        ModeChange::of(&change, image.as_ref()).map(|mode| mode.to_string()).unwrap_or_default()
    }

    #[test]
    fn only_differences_are_mentioned() {
        assert_eq!(said(Some(0o100_644), Some(0o100_644)), "");
        assert_eq!(said(Some(0o100_644), None), "");
        assert_eq!(said(None, Some(0o100_644)), "");
        assert_eq!(said(Some(0o120_777), Some(0o120_755)), "");
        assert_eq!(said(Some(0o100_644), Some(0o100_755)), "mode 644 → 755");
        assert_eq!(said(None, Some(0o100_755)), "mode 755");
        assert_eq!(said(None, Some(0o120_777)), "link");
        assert_eq!(said(Some(0o100_644), Some(0o120_777)), "file → link");
        assert_eq!(said(Some(0o120_777), Some(0o100_644)), "link → file");
    }
}
