//! What a front end for programs needs from the user's files and settings.

use std::sync::Arc;

use relay_agent::compact::BranchSettings;
use relay_agent::driver::Asker;
use relay_agent::session::{SessionLog, message::Execution};
use relay_agent::turn::Prompt;
use relay_diagnostics::Cancel;
use relay_llm::Thinking;
use serde_json::Value;

/// Implemented by the binary. Errors are messages for the client.
pub trait Host: Send + Sync {
    /// The model that a selector means, `provider/model`, for a session; with or without retries.
    ///
    /// # Errors
    /// There is none, or it has no key.
    fn model(&self, selector: &str, retries: bool) -> Result<(Arc<dyn Asker>, Option<Thinking>), String>;

    /// The models that can be asked, as JSON.
    fn models(&self) -> Vec<Value>;

    /// The selectors of the models to switch between; empty means all usable ones.
    fn scope(&self) -> Vec<String>;

    /// A new session; `parent` is the file of the one it continues.
    ///
    /// # Errors
    /// It cannot be made.
    fn new_session(&self, parent: Option<&str>) -> Result<SessionLog, String>;

    /// A session by its file or id.
    ///
    /// # Errors
    /// It cannot be opened.
    fn open_session(&self, name: &str) -> Result<SessionLog, String>;

    /// Copies the branch of a session up to an entry into a new session.
    ///
    /// # Errors
    /// There is no such entry, or the copy cannot be written.
    fn branch(&self, session: &SessionLog, entry: Option<&str>) -> Result<SessionLog, String>;

    /// Writes a session as a page, and says where.
    ///
    /// # Errors
    /// It cannot be written.
    fn export_html(&self, session: &str, to: Option<&str>) -> Result<String, String>;

    /// Copies a whole session into a new one.
    ///
    /// # Errors
    /// It is in memory, or the copy cannot be written.
    fn fork(&self, session: &SessionLog) -> Result<SessionLog, String>;

    /// Copies a session into another folder's sessions.
    ///
    /// # Errors
    /// There is no such session or folder, or it cannot be written there.
    fn copy_session(&self, session: &str, folder: &str) -> Result<SessionLog, String>;

    /// Deletes a session for good.
    ///
    /// # Errors
    /// There is no such session, or it is in use.
    fn delete_session(&self, session: &str) -> Result<(), String>;

    /// The meaning of `/NAME arguments`: a template or a skill. `None` for any other text.
    fn expand(&self, message: &str) -> Option<Result<Prompt, String>>;

    /// How branches that are left are summarised.
    fn branch_settings(&self) -> BranchSettings;

    /// Runs a command that the user typed; passes on its output as it arrives.
    fn bash(&self, command: &str, cancel: &Cancel, show: &mut dyn FnMut(&[u8])) -> Execution;

    /// Something that only this program has: the ledger, settings, files. `None` for a command it does not know.
    fn other(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>>;
}
