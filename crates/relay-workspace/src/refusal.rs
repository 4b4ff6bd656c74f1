//! Why a path may not be touched: one variant per rule, each with a way out.
//!
//! The text shown never repeats the path unescaped, since a refused path is often refused for what it does on a screen.

use relay_diagnostics::display::visible_line;

use crate::{NAME_LIMIT_BYTES, PATH_LIMIT_BYTES};

/// A path that Relay does not touch, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathRefusal {
    /// The path is empty.
    #[error("the path is empty")]
    Empty,
    /// A folder was named, by a trailing slash or as the root itself.
    #[error("`{}` names a folder, not a file", visible_line(.path))]
    Folder {
        /// The path as it was given.
        path: String,
    },
    /// It begins at the root of the file system.
    #[error("`{}` is an absolute path", visible_line(.path))]
    Absolute {
        /// The path as it was given.
        path: String,
    },
    /// It begins in a home folder.
    #[error("`{}` begins in a home folder", visible_line(.path))]
    Home {
        /// The path as it was given.
        path: String,
    },
    /// It begins with a drive letter or names a network share.
    #[error("`{}` names a drive or a network share", visible_line(.path))]
    Drive {
        /// The path as it was given.
        path: String,
    },
    /// It is an address, not a path.
    #[error("`{}` is a URL", visible_line(.path))]
    Url {
        /// The path as it was given.
        path: String,
    },
    /// It holds a backslash, which is a separator on some systems and a character on others.
    #[error("`{}` contains a backslash", visible_line(.path))]
    Backslash {
        /// The path as it was given.
        path: String,
    },
    /// It holds a `..` that leads out of the project, or one that is written in disguise.
    #[error("`{}` contains `..`", visible_line(.path))]
    ParentFolder {
        /// The path as it was given.
        path: String,
    },
    /// It goes up from a symbolic link, so that its names say one thing and the disk another.
    #[error("`{}` goes up with `..` from the symbolic link `{}`", visible_line(.path), visible_line(.link))]
    ParentOfLink {
        /// The path as it was given.
        path: String,
        /// The link.
        link: String,
    },
    /// It leads into git's own folder, in one of the spellings some file system takes for `.git`.
    #[error("`{}` leads into git's own folder", visible_line(.path))]
    Git {
        /// The path as it was given.
        path: String,
    },
    /// It leads into Relay's own folder.
    #[error("`{}` leads into Relay's own folder", visible_line(.path))]
    RelayState {
        /// The path as it was given.
        path: String,
    },
    /// It is Relay's configuration, which decides what may run.
    #[error("`{}` is Relay's configuration", visible_line(.path))]
    RelayConfig {
        /// The path as it was given.
        path: String,
    },
    /// A component is the name of a device on Windows.
    #[error("`{}` contains `{}`, the name of a device on Windows", visible_line(.path), visible_line(.name))]
    Device {
        /// The path as it was given.
        path: String,
        /// The component.
        name: String,
    },
    /// It holds a control character.
    #[error("`{}` contains the control character U+{:04X}", visible_line(.path), u32::from(*.character))]
    Control {
        /// The path as it was given.
        path: String,
        /// The character.
        character: char,
    },
    /// It holds a character that cannot be seen, looks like another, or reorders the text around it.
    #[error("`{}` contains the disguising character U+{:04X}", visible_line(.path), u32::from(*.character))]
    Disguised {
        /// The path as it was given.
        path: String,
        /// The character.
        character: char,
    },
    /// A component ends in a dot or a space, which some file systems drop.
    #[error("`{}` has the part `{}` ending in a dot or a space", visible_line(.path), visible_line(.name))]
    TrailingDotOrSpace {
        /// The path as it was given.
        path: String,
        /// The component.
        name: String,
    },
    /// A component is longer than file systems can store.
    #[error("`{}…` is a name of {bytes} bytes; {NAME_LIMIT_BYTES} are possible", visible_line(.start))]
    NameTooLong {
        /// The beginning of the component.
        start: String,
        /// Its length.
        bytes: usize,
    },
    /// The path is longer than the system accepts.
    #[error("`{}…` is a path of {bytes} bytes; {PATH_LIMIT_BYTES} are possible", visible_line(.start))]
    TooLong {
        /// The beginning of the path.
        start: String,
        /// Its length.
        bytes: usize,
    },
}

impl PathRefusal {
    /// A stable name of the rule, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "path-empty",
            Self::Folder { .. } => "path-folder",
            Self::Absolute { .. } => "path-absolute",
            Self::Home { .. } => "path-home",
            Self::Drive { .. } => "path-drive",
            Self::Url { .. } => "path-url",
            Self::Backslash { .. } => "path-backslash",
            Self::ParentFolder { .. } => "path-parent-folder",
            Self::ParentOfLink { .. } => "path-parent-of-link",
            Self::Git { .. } => "path-git",
            Self::RelayState { .. } => "path-relay-state",
            Self::RelayConfig { .. } => "path-relay-config",
            Self::Device { .. } => "path-device",
            Self::Control { .. } => "path-control-character",
            Self::Disguised { .. } => "path-disguised",
            Self::TrailingDotOrSpace { .. } => "path-trailing-dot-or-space",
            Self::NameTooLong { .. } => "path-name-too-long",
            Self::TooLong { .. } => "path-too-long",
        }
    }

    /// What to do instead.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Empty => "Write the file's path relative to the project's root.",
            Self::Folder { .. } => "Name each file; folders are made when a file in them is.",
            Self::Absolute { .. } | Self::Home { .. } | Self::Drive { .. } | Self::Url { .. } => {
                "Only files inside the project can be changed: write the path relative to its root."
            }
            Self::ParentFolder { .. } => {
                "Only files inside the project can be changed: write the path from its root, without `..`."
            }
            Self::ParentOfLink { .. } => "Write the path from the project's root, without `..`.",
            Self::Backslash { .. } => "Write `/` between folders, on Windows too.",
            Self::Git { .. } => "Use git itself to change what git keeps.",
            Self::RelayState { .. } | Self::RelayConfig { .. } => {
                "A reply cannot change Relay's own settings or history; edit them yourself if you mean to."
            }
            Self::Device { .. } | Self::TrailingDotOrSpace { .. } => {
                "Choose a name that means the same file on every system."
            }
            Self::Control { .. } | Self::Disguised { .. } => {
                "Write the path again with plain characters; it may have been copied with invisible ones."
            }
            Self::NameTooLong { .. } | Self::TooLong { .. } => "Choose a shorter name.",
        })
    }
}
