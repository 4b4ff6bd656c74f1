//! What is mounted inside the workspace: another file system, or another place of the same one.
//!
//! No file can be renamed across a mount, whatever the device numbers say, so files on the other side cannot be part
//! of a transaction. The system's mount list shows the mounts; without it, a failing rename does.

use crate::workspace::Workspace;

/// The folders and files of the workspace that something is mounted on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mounts {
    places: Vec<String>,
}

impl Mounts {
    /// Whether a path is, or lies below, something that is mounted inside the workspace.
    #[must_use]
    pub fn cover(&self, path: &str) -> bool {
        self.places.iter().any(|place| {
            path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl Workspace {
    /// What is mounted inside the workspace now.
    #[must_use]
    pub fn mounts(&self) -> Mounts {
        let Some(root) = self.root().to_str() else { return Mounts::default() };
        let list = if cfg!(target_os = "linux") {
            std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
        } else {
            String::new()
        };
        Mounts { places: places_below(root, &list) }
    }
}

/// The places in a list of mounts that lie below a folder, relative to it.
fn places_below(root: &str, list: &str) -> Vec<String> {
    let prefix = if root.ends_with('/') { root.to_owned() } else { format!("{root}/") };
    let places = list.lines().filter_map(|line| line.split(' ').nth(4)).map(unescaped);
    places.filter_map(|place| place.strip_prefix(&prefix).map(str::to_owned)).collect()
}

/// Blanks and backslashes are written in octal there.
fn unescaped(place: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .iter()
        .fold(place.to_owned(), |text, (code, character)| text.replace(code, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mounts_below_the_root_count() {
        let list = "1 2 0:1 / / rw - ext4 x rw\n3 1 0:2 / /w rw - ext4 x rw\n4 1 0:2 / /w/in\\040side rw - tmpfs x rw\n\
                    5 1 0:2 / /world rw - tmpfs x rw\n6 1 0:2 / /w/a/b rw - tmpfs x rw\n";
        let mounts = Mounts { places: places_below("/w", list) };
        assert_eq!(mounts.places, ["in side", "a/b"]);
        assert!(mounts.cover("a/b") && mounts.cover("a/b/c") && mounts.cover("in side/x"));
        assert!(!mounts.cover("a") && !mounts.cover("a/bc") && !mounts.cover("orld"));
    }
}
