//! The signs of a theme, in three presets: Unicode, Nerd Font and ASCII.

use std::collections::BTreeMap;

/// A set of signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Signs that common fonts have.
    #[default]
    Unicode,
    /// Signs of a patched font.
    Nerd,
    /// For terminals that show nothing else.
    Ascii,
}

impl Preset {
    /// The preset of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "unicode" => Some(Self::Unicode),
            "nerd" => Some(Self::Nerd),
            "ascii" => Some(Self::Ascii),
            _ => None,
        }
    }

    /// Its name in theme files and settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unicode => "unicode",
            Self::Nerd => "nerd",
            Self::Ascii => "ascii",
        }
    }
}

/// A sign. The names in a theme file are those of [`Symbol::key`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Symbol {
    StatusSuccess,
    StatusError,
    StatusWarning,
    StatusInfo,
    StatusPending,
    StatusRunning,
    StatusAborted,
    IconRelay,
    IconModel,
    IconFolder,
    IconGit,
    IconContext,
    IconCost,
    IconQueue,
    IconAgents,
    IconJob,
    IconThinking,
    IconLock,
    IconImage,
    ArrowUp,
    ArrowDown,
    ArrowRight,
    ArrowReturn,
    Cursor,
    Prompt,
    Bar,
    Gutter,
    Ellipsis,
    Dot,
    MdBullet,
    MdQuote,
    BoxHorizontal,
    BoxVertical,
    BoxTopLeft,
    BoxTopRight,
    BoxBottomLeft,
    BoxBottomRight,
    BoxCross,
    BoxLeft,
    BoxRight,
    TreeBranch,
    TreeLast,
    TreeVertical,
    CheckboxOn,
    CheckboxOff,
    RadioOn,
    RadioOff,
    ScrollMore,
    MeterFull,
    MeterEmpty,
    DiffMinus,
}

/// Each sign: its name, and how the presets Unicode, Nerd Font and ASCII draw it.
const TABLE: [(Symbol, &str, [&str; 3]); 51] = [
    (Symbol::StatusSuccess, "status.success", ["✓", "\u{f00c}", "+"]),
    (Symbol::StatusError, "status.error", ["✗", "\u{f00d}", "x"]),
    (Symbol::StatusWarning, "status.warning", ["⚠", "\u{f071}", "!"]),
    (Symbol::StatusInfo, "status.info", ["ℹ", "\u{f05a}", "i"]),
    (Symbol::StatusPending, "status.pending", ["○", "\u{f10c}", "o"]),
    (Symbol::StatusRunning, "status.running", ["●", "\u{f111}", "*"]),
    (Symbol::StatusAborted, "status.aborted", ["⊘", "\u{f05e}", "-"]),
    (Symbol::IconRelay, "icon.relay", ["◆", "\u{f0e7}", "*"]),
    (Symbol::IconModel, "icon.model", ["◇", "\u{f2db}", ""]),
    (Symbol::IconFolder, "icon.folder", ["", "\u{f07b}", ""]),
    (Symbol::IconGit, "icon.git", ["⎇", "\u{e0a0}", "git"]),
    (Symbol::IconContext, "icon.context", ["◔", "\u{f200}", "ctx"]),
    (Symbol::IconCost, "icon.cost", ["", "\u{f155}", ""]),
    (Symbol::IconQueue, "icon.queue", ["↳", "\u{f149}", ">"]),
    (Symbol::IconAgents, "icon.agents", ["◎", "\u{f0c0}", "agents"]),
    (Symbol::IconJob, "icon.job", ["⚙", "\u{f013}", "&"]),
    (Symbol::IconThinking, "icon.thinking", ["✻", "\u{f0eb}", "~"]),
    (Symbol::IconLock, "icon.lock", ["⊡", "\u{f023}", "#"]),
    (Symbol::IconImage, "icon.image", ["▣", "\u{f03e}", "[img]"]),
    (Symbol::ArrowUp, "arrow.up", ["↑", "\u{f062}", "^"]),
    (Symbol::ArrowDown, "arrow.down", ["↓", "\u{f063}", "v"]),
    (Symbol::ArrowRight, "arrow.right", ["→", "\u{f061}", "->"]),
    (Symbol::ArrowReturn, "arrow.return", ["⏎", "\u{f149}", "<-"]),
    (Symbol::Cursor, "cursor", ["❯", "\u{f054}", ">"]),
    (Symbol::Prompt, "prompt", ["›", "\u{f054}", ">"]),
    (Symbol::Bar, "bar", ["▎", "▎", "|"]),
    (Symbol::Gutter, "gutter", ["│", "│", "|"]),
    (Symbol::Ellipsis, "ellipsis", ["…", "…", "..."]),
    (Symbol::Dot, "dot", ["·", "·", "-"]),
    (Symbol::MdBullet, "md.bullet", ["•", "•", "*"]),
    (Symbol::MdQuote, "md.quote", ["▎", "▎", "|"]),
    (Symbol::BoxHorizontal, "box.horizontal", ["─", "─", "-"]),
    (Symbol::BoxVertical, "box.vertical", ["│", "│", "|"]),
    (Symbol::BoxTopLeft, "box.topLeft", ["╭", "╭", "+"]),
    (Symbol::BoxTopRight, "box.topRight", ["╮", "╮", "+"]),
    (Symbol::BoxBottomLeft, "box.bottomLeft", ["╰", "╰", "+"]),
    (Symbol::BoxBottomRight, "box.bottomRight", ["╯", "╯", "+"]),
    (Symbol::BoxCross, "box.cross", ["┼", "┼", "+"]),
    (Symbol::BoxLeft, "box.left", ["├", "├", "+"]),
    (Symbol::BoxRight, "box.right", ["┤", "┤", "+"]),
    (Symbol::TreeBranch, "tree.branch", ["├─", "├─", "|-"]),
    (Symbol::TreeLast, "tree.last", ["╰─", "╰─", "`-"]),
    (Symbol::TreeVertical, "tree.vertical", ["│", "│", "|"]),
    (Symbol::CheckboxOn, "checkbox.on", ["☑", "\u{f14a}", "[x]"]),
    (Symbol::CheckboxOff, "checkbox.off", ["☐", "\u{f096}", "[ ]"]),
    (Symbol::RadioOn, "radio.on", ["◉", "\u{f192}", "(o)"]),
    (Symbol::RadioOff, "radio.off", ["○", "\u{f10c}", "( )"]),
    (Symbol::ScrollMore, "scroll.more", ["⋮", "⋮", ":"]),
    (Symbol::MeterFull, "meter.full", ["━", "━", "#"]),
    (Symbol::MeterEmpty, "meter.empty", ["─", "─", "-"]),
    (Symbol::DiffMinus, "diff.minus", ["−", "−", "-"]),
];

impl Symbol {
    /// The name in theme files.
    #[must_use]
    pub fn key(self) -> &'static str {
        TABLE.get(self as usize).map_or("", |(_, key, _)| key)
    }

    /// The sign of this name.
    #[must_use]
    pub fn from_key(key: &str) -> Option<Self> {
        TABLE.iter().find(|(_, known, _)| *known == key).map(|(symbol, ..)| *symbol)
    }

    /// Every sign.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|(symbol, ..)| *symbol)
    }
}

/// A preset with what a theme overrides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// The set that everything else comes from.
    pub preset: Preset,
    /// What the theme draws in another way. Not used by the ASCII preset: it is for terminals that show nothing else.
    pub overrides: BTreeMap<Symbol, String>,
}

impl Symbols {
    /// How a sign is drawn.
    #[must_use]
    pub fn get(&self, symbol: Symbol) -> &str {
        if self.preset != Preset::Ascii
            && let Some(own) = self.overrides.get(&symbol)
        {
            return own;
        }
        Self::drawn(self.preset, symbol)
    }

    /// How a preset draws a sign.
    #[must_use]
    pub fn drawn(preset: Preset, symbol: Symbol) -> &'static str {
        let drawn = TABLE.get(symbol as usize).and_then(|(.., drawn)| drawn.get(preset as usize));
        drawn.copied().unwrap_or("")
    }

    /// The pictures of a spinner, one after the other.
    #[must_use]
    pub fn spinner(&self) -> &'static [&'static str] {
        match self.preset {
            Preset::Ascii => &["|", "/", "-", "\\"],
            _ => &["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_signs() {
        for (at, (symbol, key, _)) in TABLE.iter().enumerate() {
            assert_eq!(*symbol as usize, at);
            assert_eq!(Symbol::from_key(key), Some(*symbol));
        }
    }

    #[test]
    fn ascii_is_ascii() {
        let symbols = Symbols { preset: Preset::Ascii, ..Symbols::default() };
        assert!(Symbol::all().all(|symbol| symbols.get(symbol).is_ascii()));
        assert!(symbols.spinner().iter().all(|picture| picture.is_ascii()));
    }
}
