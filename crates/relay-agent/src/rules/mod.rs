//! Rules: short instructions with a condition for when they count.
//!
//! They come from Relay's own folders and from those of Cursor, Windsurf and Cline, and each is used in one way (its
//! [`Use`]): its whole text is in the system prompt, it is listed there by its description, or it watches what the model
//! writes ([`stream`]). A rule of a repository is data: it is shown to the model, in a frame, and can do nothing else.

mod discover;
mod glob;
mod parse;
mod scope;
pub mod stream;

use serde::{Deserialize, Serialize};

pub use discover::{discover, find};
pub use glob::Globs;
pub use scope::{Scope, ToolScope};

use crate::frame;
use crate::sources::Owner;

/// Whose rules a file holds. Where two rules have one name, the one of higher priority counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// `.clinerules`.
    Cline,
    /// `.windsurf/rules`, `.windsurfrules`.
    Windsurf,
    /// `.cursor/rules`, `.cursorrules`.
    Cursor,
    /// `.relay/rules`, in the repository or in the user's folder.
    Relay,
}

impl Origin {
    /// How much it counts.
    #[must_use]
    pub fn priority(self) -> u8 {
        match self {
            Self::Relay => 100,
            Self::Cursor | Self::Windsurf => 50,
            Self::Cline => 40,
        }
    }
}

/// When a stream rule interrupts the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterruptMode {
    /// Never: the model reads the rule afterwards.
    Never,
    /// When it matches in text or thoughts.
    ProseOnly,
    /// When it matches in the arguments of a tool.
    ToolOnly,
    /// Whenever it matches.
    #[default]
    Always,
}

impl InterruptMode {
    /// The mode with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "never" => Self::Never,
            "prose-only" => Self::ProseOnly,
            "tool-only" => Self::ToolOnly,
            "always" => Self::Always,
            _ => return None,
        })
    }
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: the name of its file.
    pub name: String,
    /// Where it is.
    pub path: String,
    /// Whose format it has.
    pub origin: Origin,
    /// Who wrote it.
    pub owner: Owner,
    /// What it is about.
    pub description: Option<String>,
    /// The files it is about, as patterns.
    pub globs: Vec<String>,
    /// Whether it always counts.
    pub always: bool,
    /// Regular expressions; a rule that has any watches what the model writes.
    pub conditions: Vec<String>,
    /// Where it watches.
    pub scopes: Vec<Scope>,
    /// When it interrupts; nothing leaves that to the settings.
    pub interrupt: Option<InterruptMode>,
    /// What it says.
    pub content: String,
}

/// How a rule is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    /// It watches what the model writes.
    Stream,
    /// Its whole text is in the system prompt.
    Always,
    /// It is listed in the system prompt; the model reads it when it needs it.
    Listed,
    /// It is used only when named.
    OnRequest,
}

impl Rule {
    /// How it is used.
    #[must_use]
    pub fn usage(&self) -> Use {
        match self {
            _ if !self.conditions.is_empty() => Use::Stream,
            _ if self.always => Use::Always,
            _ if self.description.is_some() || !self.globs.is_empty() => Use::Listed,
            _ => Use::OnRequest,
        }
    }

    /// The rule as the model reads it: in a frame, with its name and where it comes from.
    #[must_use]
    pub fn framed(&self) -> String {
        let globs = self.globs.join(", ");
        let mut attributes = vec![("name", self.name.as_str()), ("path", self.path.as_str())];
        if !globs.is_empty() {
            attributes.push(("applies-to", &globs));
        }
        frame::framed("rule", &attributes, &self.content)
    }

    /// Whether it is about a file and says so by patterns, without always counting: such a rule belongs to what the
    /// model reads when it reads or changes that file.
    #[must_use]
    pub fn is_attached_to(&self, path: &str) -> bool {
        !self.always
            && self.conditions.is_empty()
            && !self.globs.is_empty()
            && Globs::new(&self.globs).matches(path)
    }
}

/// The longest description that is listed.
const DESCRIPTION_LIMIT_CHARS: usize = 400;

/// The line of a rule in the list of the system prompt.
pub(crate) fn listed(rule: &Rule) -> String {
    let description: String = rule
        .description
        .as_deref()
        .unwrap_or("no description")
        .chars()
        .take(DESCRIPTION_LIMIT_CHARS)
        .collect();
    let line = match rule.globs.is_empty() {
        true => format!("{}: {description}", rule.name),
        false => format!("{}: {description} (applies to {})", rule.name, rule.globs.join(", ")),
    };
    let line: String = frame::escape(&line).replace('\n', " ");
    format!("- {line}")
}
