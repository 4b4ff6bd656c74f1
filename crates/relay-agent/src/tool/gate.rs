//! What commands need of the network where it is open to some domains only.

use std::path::PathBuf;

use super::Services;

/// A proxy that connects to the domains the user allows, and asks about others.
pub trait Gate: Send + Sync {
    /// The local socket at which it takes requests; it listens from the first time on.
    ///
    /// # Errors
    /// Why it cannot listen.
    fn socket(&self, services: &Services) -> Result<PathBuf, String>;
}
