//! `local://NAME`: notes of the session, such as its plan. They are kept beside its log and change no file of the
//! workspace.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use relay_diagnostics::Cancel;
use relay_store::Artifacts;

use super::{Resource, Scheme};
use crate::tool::ToolError;

/// What goes before the names of notes among the artifacts of a session.
const PREFIX: &str = "local.";
/// The longest note.
const LIMIT_BYTES: u64 = 1 << 20;
/// The longest name.
const NAME_CHARS: usize = 100;

/// The notes of a session.
pub struct Local {
    /// Where they are kept; none for a session that keeps nothing.
    artifacts: Option<Artifacts>,
    /// Those of a session that keeps nothing.
    unkept: Mutex<BTreeMap<String, String>>,
}

impl Local {
    /// The notes beside these artifacts.
    #[must_use]
    pub fn new(artifacts: Option<Artifacts>) -> Self {
        Self { artifacts, unkept: Mutex::default() }
    }

    fn find(&self, name: &str) -> Result<Option<String>, ToolError> {
        let Some(artifacts) = &self.artifacts else {
            return Ok(self.unkept.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned());
        };
        let bytes = artifacts.read_named(&format!("{PREFIX}{name}"), LIMIT_BYTES);
        let bytes = bytes.map_err(|error| ToolError::Failed(error.to_string()))?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }
}

impl Scheme for Local {
    fn name(&self) -> &str {
        "local"
    }

    fn read(&self, rest: &str, _: &Cancel) -> Result<Resource, ToolError> {
        let name = checked(rest)?;
        let text = self.find(name)?.ok_or_else(|| {
            let there = self.list().join(", ");
            let there = if there.is_empty() { "none yet".to_owned() } else { there };
            ToolError::Failed(format!("There is no note local://{name}. There are: {there}."))
        })?;
        Ok(Resource { text, is_writable: true, ..Resource::default() })
    }

    fn write(&self, rest: &str, text: &str, _: &Cancel) -> Result<(), ToolError> {
        let name = checked(rest)?;
        if text.len() as u64 > LIMIT_BYTES {
            return Err(ToolError::Failed(format!("A note has at most {LIMIT_BYTES} bytes.")));
        }
        let Some(artifacts) = &self.artifacts else {
            let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
            unkept.insert(name.to_owned(), text.to_owned());
            return Ok(());
        };
        let saved = artifacts.save_named(&format!("{PREFIX}{name}"), text.as_bytes());
        saved.map(|_| ()).map_err(|error| ToolError::Failed(error.to_string()))
    }

    fn list(&self) -> Vec<String> {
        let Some(artifacts) = &self.artifacts else {
            return self.unkept.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        };
        let names = artifacts.names().unwrap_or_default();
        names.iter().filter_map(|name| name.strip_prefix(PREFIX)).map(str::to_owned).collect()
    }
}

/// A name that is one, and not a way to somewhere else.
fn checked(rest: &str) -> Result<&str, ToolError> {
    let name = rest.trim_matches('/');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_name =
        !name.is_empty() && name.len() <= NAME_CHARS && !name.starts_with('.') && name.chars().all(is_plain);
    if is_name {
        return Ok(name);
    }
    Err(ToolError::Failed(format!(
        "`{rest}` is not a name for a note. Use letters, digits, `.`, `_` and `-`, such as local://PLAN.md."
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_written_read_and_listed() {
        let notes = Local::new(None);
        let cancel = Cancel::new();
        assert!(notes.read("PLAN.md", &cancel).unwrap_err().to_string().ends_with("There are: none yet."));
        notes.write("PLAN.md", "# One\n", &cancel).unwrap();
        notes.write("/PLAN.md", "# Two\n", &cancel).unwrap();
        let read = notes.read("PLAN.md", &cancel).unwrap();
        assert_eq!((read.text.as_str(), read.is_writable), ("# Two\n", true));
        assert_eq!(notes.list(), ["PLAN.md"]);
    }

    #[test]
    fn no_name_leads_elsewhere() {
        for name in ["", "../x", "a/b", ".hidden", "x\0", "ä", &"x".repeat(101)] {
            assert!(checked(name).is_err(), "{name}");
        }
    }
}
