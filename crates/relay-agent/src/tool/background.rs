//! Work that goes on after its call has returned: what tools need of the job manager, and nothing more.

use relay_diagnostics::Cancel;

/// What such work does.
pub type BackgroundWork = Box<dyn FnOnce(&BackgroundRun<'_>) -> Result<String, String> + Send>;

/// Something that goes on in the background.
pub struct BackgroundTask {
    /// What kind of work it is, as jobs are listed: `bash`, `task`.
    pub kind: &'static str,
    /// What it is, in one line.
    pub label: String,
    /// Does the work on a thread of the job manager. The result is what the model reads when it has ended; an error makes
    /// the job a failed one.
    pub run: BackgroundWork,
}

impl std::fmt::Debug for BackgroundTask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackgroundTask").field("label", &self.label).finish_non_exhaustive()
    }
}

/// What work in the background gets while it runs.
pub struct BackgroundRun<'a> {
    /// The job's id.
    pub id: &'a str,
    /// Is set when it shall end.
    pub cancel: &'a Cancel,
    /// Takes every piece of output, in order, neither cut nor shortened.
    pub output: &'a (dyn Fn(&str) + Sync),
}

/// Runs work in the background. The job manager implements it.
pub trait Background: Send + Sync {
    /// Starts the work and says its id.
    ///
    /// # Errors
    /// Why it cannot be started, for the model: there are too many jobs, or the session is ending.
    fn start(&self, task: BackgroundTask) -> Result<String, String>;
}
