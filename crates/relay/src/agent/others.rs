//! The models that the user configured for what happens beside the conversation.

use std::sync::Arc;

use relay_agent::driver::{Asker, OtherModels, SideJob};
use relay_llm::Budget;
use relay_settings::Settings;
use relay_store::Store;

use super::open::{Asking, live};
use crate::user;

/// The models of `modelRoles`: `title` and `smol` for names, `summary`, `smol` and `slow` for summaries.
pub struct Configured {
    store: Store,
    settings: Settings,
    budget: Arc<Budget>,
    offline: bool,
}

impl Configured {
    pub fn new(store: &Store, settings: &Settings, budget: &Arc<Budget>, offline: bool) -> Self {
        Self { store: store.clone(), settings: settings.clone(), budget: Arc::clone(budget), offline }
    }

    /// The model of a role, if it is set and can be asked.
    fn role(&self, role: &str) -> Option<Arc<dyn Asker>> {
        let selector = self.settings.text(&format!("modelRoles.{role}"))?;
        let known = user::models(&self.store).ok()?;
        let selected = known.select(&selector).ok()?;
        live(&self.settings, known, &selected, &self.budget, Asking { offline: self.offline, retries: true })
            .ok()
    }
}

impl OtherModels for Configured {
    fn for_job(&self, job: SideJob) -> Vec<Arc<dyn Asker>> {
        let roles: &[&str] = match job {
            SideJob::Title => &["title", "smol"],
            SideJob::Summary => &["summary", "smol", "slow"],
        };
        roles.iter().filter_map(|role| self.role(role)).collect()
    }
}
