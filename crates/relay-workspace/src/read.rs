//! The result of opening a name, and why it may not be read.
//!
//! "Does not exist" is not an error: every function here returns `None` for it, even if a parent folder is missing.
//! Anything else in the way is an error that names the path.

use std::time::SystemTime;

use relay_diagnostics::display::visible_line;

/// A file as it was read: all of its bytes, and what the system said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The whole content.
    pub bytes: Vec<u8>,
    /// The full `st_mode`: type and permission bits.
    pub mode: u32,
    /// How many names it has (hard links).
    pub links: u64,
}

/// What a directory entry is. Links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Directory,
    /// A symbolic link.
    Symlink,
    /// A FIFO, a socket or a device.
    Special,
}

/// What the file system says about a directory entry, without opening it and without following it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// The full `st_mode`.
    pub mode: u32,
    /// Its size in bytes.
    pub size: u64,
    /// How many names it has (hard links).
    pub links: u64,
    /// The user it belongs to.
    pub owner: u32,
    /// The group it belongs to.
    pub group: u32,
    /// The device it is on; with `inode`, its identity.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// When its content was last changed: seconds and nanoseconds.
    pub modified: (i64, u32),
    /// When anything about it was last changed; programs cannot set this back.
    pub changed: (i64, u32),
}

impl Facts {
    /// Whether it changed so shortly before this moment that a further change might not show: clocks of file systems tick
    /// every few milliseconds, and those without fractions every two seconds.
    #[must_use]
    pub fn is_fresh_at(&self, moment: SystemTime) -> bool {
        let moment = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let (seconds, nanoseconds) = self.changed;
        let margin_ms: u128 = if nanoseconds == 0 { 2_000 } else { 100 };
        let changed_ms = u128::try_from(seconds).unwrap_or(0) * 1_000 + u128::from(nanoseconds) / 1_000_000;
        changed_ms + margin_ms >= moment.as_millis()
    }

    /// Whether both describe one and the same file.
    #[must_use]
    pub fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// Why something in the workspace cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The path is, or leads through, a symbolic link.
    #[error("{}", symlink_message(.path, .link))]
    Symlink {
        /// The path that was asked for.
        path: String,
        /// The component that is a link, from the root.
        link: String,
    },
    /// The path is a folder where a file is needed.
    #[error("`{}` is a folder", visible_line(.path))]
    Directory {
        /// The path that was asked for.
        path: String,
    },
    /// A parent of the path is not a folder, or a folder was needed and something else is there.
    #[error("`{}` cannot be reached: `{}` is not a folder", visible_line(.path), visible_line(.parent))]
    NotADirectory {
        /// The path that was asked for.
        path: String,
        /// The component that should be a folder, from the root.
        parent: String,
    },
    /// A FIFO, a socket or a device.
    #[error("`{}` is not a regular file", visible_line(.path))]
    NotRegular {
        /// The path that was asked for.
        path: String,
    },
    /// The file exceeds the limit.
    #[error("`{}` is larger than {limit_bytes} bytes", visible_line(.path))]
    TooLarge {
        /// The path that was asked for.
        path: String,
        /// The limit.
        limit_bytes: u64,
    },
    /// A name that leads elsewhere was given to a directory handle.
    #[error("`{}` is not a name inside a folder", visible_line(.path))]
    BadName {
        /// The path that was asked for.
        path: String,
    },
    /// The system refused.
    #[error("`{}` cannot be opened: {source}", visible_line(.path))]
    Io {
        /// The path that was asked for.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl ReadError {
    /// A stable name of what is wrong, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Symlink { .. } => "file-symlink",
            Self::Directory { .. } => "file-is-folder",
            Self::NotADirectory { .. } => "file-parent-not-folder",
            Self::NotRegular { .. } => "file-not-regular",
            Self::TooLarge { .. } => "file-too-large",
            Self::BadName { .. } => "file-bad-name",
            Self::Io { .. } => "file-unreadable",
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Symlink { .. } => Some(
                "Relay does not write through links: name the file the link points to, if it is in the project.",
            ),
            Self::Directory { .. } => Some("Name a file; folders are made when a file in them is."),
            Self::NotADirectory { .. } => Some("Choose another path, or delete or rename that file first."),
            Self::NotRegular { .. } => Some("Only regular files can be changed."),
            Self::TooLarge { .. } => Some("Change files of this size with another tool."),
            Self::BadName { .. } => None,
            Self::Io { .. } => Some("Check that you may read it (permissions, mounts)."),
        }
    }

    /// The path that was asked for.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::Symlink { path, .. }
            | Self::Directory { path }
            | Self::NotADirectory { path, .. }
            | Self::NotRegular { path }
            | Self::TooLarge { path, .. }
            | Self::BadName { path }
            | Self::Io { path, .. } => path,
        }
    }
}

fn symlink_message(path: &str, link: &str) -> String {
    if path == link {
        format!("`{}` is a symbolic link", visible_line(path))
    } else {
        format!("`{}` leads through the symbolic link `{}`", visible_line(path), visible_line(link))
    }
}
