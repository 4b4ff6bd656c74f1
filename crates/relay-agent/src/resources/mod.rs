//! Addresses that are not files: `local://PLAN.md`, `rule://no-unwrap`, `skill://review`, and those a host brings.
//!
//! Tools that read or write by path hand an address with a scheme of [`Resources`] to it; everything else is a file of
//! the workspace. What an address leads to is text of the session, the user or the host, so policy treats it as part of
//! the conversation: reading it reveals nothing new, and writing it changes no file of the workspace.
//!
//! ```
//! use relay_agent::resources::{Local, Resources};
//! use relay_diagnostics::Cancel;
//!
//! let resources = Resources::default();
//! resources.add(std::sync::Arc::new(Local::new(None)));
//! assert!(resources.knows("local://PLAN.md") && !resources.knows("src/main.rs"));
//! resources.write("local://PLAN.md", "# Plan\n", &Cancel::new()).unwrap();
//! assert_eq!(resources.read("local://PLAN.md", &Cancel::new()).unwrap().text, "# Plan\n");
//! ```

mod agents;
mod artifacts;
mod extract;
mod github;
mod local;
mod memory;
mod rules;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use relay_diagnostics::Cancel;
use relay_store::Artifacts;

pub use agents::AgentTexts;
pub use artifacts::ArtifactTexts;
pub use github::NoGithub;
pub use local::Local;
pub use memory::NoMemory;
pub use rules::RuleTexts;

use crate::tool::ToolError;

/// What an address leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resource {
    /// The text.
    pub text: String,
    /// What it is, such as `text/markdown`; empty for plain text.
    pub media_type: String,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// Whether it can be written back.
    pub is_writable: bool,
    /// Whether it is a part that was asked for by name, which cannot be paged.
    pub is_part: bool,
}

impl Resource {
    /// A text that cannot be written back.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// One kind of address.
pub trait Scheme: Send + Sync {
    /// Its name, without `://`, in lower case.
    fn name(&self) -> &str;

    /// What is at an address; `rest` is what follows `://`.
    ///
    /// # Errors
    /// Nothing is there. The model reads the message, so it says what there is.
    fn read(&self, rest: &str, cancel: &Cancel) -> Result<Resource, ToolError>;

    /// Replaces what is at an address.
    ///
    /// # Errors
    /// It cannot be written.
    fn write(&self, rest: &str, text: &str, cancel: &Cancel) -> Result<(), ToolError> {
        let _unused = (rest, text, cancel);
        Err(ToolError::Failed(format!("{}:// can only be read.", self.name())))
    }

    /// All addresses, without the scheme, for lists and completion.
    fn list(&self) -> Vec<String> {
        Vec::new()
    }
}

/// All kinds of addresses of a session. Clones share them.
#[derive(Clone, Default)]
pub struct Resources {
    schemes: Arc<RwLock<BTreeMap<String, Arc<dyn Scheme>>>>,
}

impl Resources {
    /// Adds a kind, in place of one with its name.
    pub fn add(&self, scheme: Arc<dyn Scheme>) {
        let name = scheme.name().to_ascii_lowercase();
        self.schemes.write().unwrap_or_else(PoisonError::into_inner).insert(name, scheme);
    }

    /// Adds the kinds whose texts are kept beside a session, in place of those of another session.
    pub fn add_session(&self, artifacts: Option<&Artifacts>) {
        self.add(Arc::new(Local::new(artifacts.cloned())));
        self.add(Arc::new(ArtifactTexts::new(artifacts.cloned())));
        self.add(Arc::new(AgentTexts::new(artifacts.cloned())));
        if !self.knows("memory://root") {
            self.add(Arc::new(NoMemory));
        }
        for absent in [NoGithub::Issues, NoGithub::PullRequests] {
            if !self.knows(&format!("{}://", absent.name())) {
                self.add(Arc::new(absent));
            }
        }
    }

    /// Removes a kind.
    pub fn remove(&self, name: &str) {
        self.schemes.write().unwrap_or_else(PoisonError::into_inner).remove(&name.to_ascii_lowercase());
    }

    /// The names of all kinds.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.schemes.read().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Whether a path is an address of one of the kinds.
    #[must_use]
    pub fn knows(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    /// What is at an address.
    ///
    /// # Errors
    /// It is not an address of any kind, or nothing is there.
    pub fn read(&self, address: &str, cancel: &Cancel) -> Result<Resource, ToolError> {
        let (scheme, rest) = self.find(address).ok_or_else(|| self.unknown(address))?;
        scheme.read(rest, cancel)
    }

    /// Replaces what is at an address.
    ///
    /// # Errors
    /// It is not an address of any kind, or it cannot be written.
    pub fn write(&self, address: &str, text: &str, cancel: &Cancel) -> Result<(), ToolError> {
        let (scheme, rest) = self.find(address).ok_or_else(|| self.unknown(address))?;
        scheme.write(rest, text, cancel)
    }

    /// Every address there is, as far as the kinds can list them.
    #[must_use]
    pub fn list(&self) -> Vec<String> {
        let schemes: Vec<Arc<dyn Scheme>> =
            self.schemes.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        let addresses = schemes.iter().flat_map(|scheme| {
            scheme.list().into_iter().map(move |rest| format!("{}://{rest}", scheme.name()))
        });
        addresses.collect()
    }

    fn find<'a>(&self, address: &'a str) -> Option<(Arc<dyn Scheme>, &'a str)> {
        let (name, rest) = address.split_once("://")?;
        let schemes = self.schemes.read().unwrap_or_else(PoisonError::into_inner);
        Some((Arc::clone(schemes.get(&name.to_ascii_lowercase())?), rest))
    }

    fn unknown(&self, address: &str) -> ToolError {
        let names: Vec<String> = self.names().iter().map(|name| format!("{name}://")).collect();
        ToolError::Failed(format!(
            "{address} is not an address Relay knows. There are: {}.",
            names.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_no_kind_lists_those_there_are() {
        let resources = Resources::default();
        resources.add(Arc::new(Local::new(None)));
        let error = resources.read("gopher://x", &Cancel::new()).unwrap_err();
        assert_eq!(error.to_string(), "gopher://x is not an address Relay knows. There are: local://.");
        resources.remove("LOCAL");
        assert!(!resources.knows("local://x"));
    }
}
