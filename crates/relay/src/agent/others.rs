//! The models that the user configured for side tasks, such as names and summaries.

use std::sync::Arc;
use std::time::Duration;

use relay_agent::driver::{Asker, OtherModels, SideJob};
use relay_diagnostics::Cancel;
use relay_llm::{Client, ClientOptions, Error, ErrorKind};
use relay_net::Fetch;
use serde_json::{Value, json};

use super::reach::Reach;

/// How long a compaction service may take.
const REMOTE_TIME: Duration = Duration::from_secs(300);
/// Its name in messages.
const REMOTE: &str = "the compaction service";

/// The models of `modelRoles`: `title` and `smol` for names, `summary`, `smol` and `slow` for summaries; and the service
/// of `compaction.remoteEndpoint`.
pub struct Configured(pub Reach);

impl Configured {
    /// The model of a role, if it is set and usable.
    fn role(&self, role: &str) -> Option<Arc<dyn Asker>> {
        let selector = self.0.settings.text(&format!("modelRoles.{role}"))?;
        self.0.ask(&selector, true).ok().map(|(asker, _)| asker)
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

    fn remote_summary(&self, system: &str, prompt: &str, cancel: &Cancel) -> Option<Result<String, Error>> {
        let settings = &self.0.settings;
        let url = settings.text("compaction.remoteEndpoint").filter(|url| !url.trim().is_empty())?;
        if !settings.flag("compaction.remoteEnabled") {
            return None;
        }
        let client = Client::new(ClientOptions { offline: self.0.offline, ..ClientOptions::default() });
        let fetch = Fetch {
            name: REMOTE.to_owned(),
            url,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: Some(json!({ "systemPrompt": system, "prompt": prompt }).to_string().into_bytes()),
            timeout: REMOTE_TIME,
        };
        Some(client.fetch(&fetch, cancel).and_then(|fetched| {
            let failed = |why: String| Error::new(ErrorKind::Malformed, REMOTE, why);
            if !(200..300).contains(&fetched.status) {
                return Err(failed(format!("{REMOTE} answered with status {}", fetched.status)));
            }
            let document: Option<Value> = serde_json::from_slice(&fetched.body).ok();
            let summary = document.and_then(|document| Some(document.get("summary")?.as_str()?.to_owned()));
            summary.ok_or_else(|| failed(format!("{REMOTE} sent no summary")))
        }))
    }
}
