//! The domains that commands may connect to, if the user limits them to a list.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use relay_agent::policy::{Rule, Rules, Say};
use relay_agent::tool::{Choice, Form, Gate, Question, Services, UiAnswer};
use relay_diagnostics::Cancel;
use relay_net::gate::{self, Verdict};
use relay_settings::Settings;
use relay_store::{Scratch, Store};

/// The proxy for commands, with the answers given so far.
pub struct Domains {
    store: Store,
    /// The domains from the user's settings.
    list: Vec<String>,
    rules: Rules,
    /// The answers given in this session.
    answered: Arc<Mutex<BTreeMap<String, bool>>>,
    /// The folder of the socket, once it listens.
    folder: Mutex<Option<Scratch>>,
}

impl Domains {
    /// A proxy that does not listen yet.
    pub fn new(store: Store, list: Vec<String>, rules: Rules) -> Self {
        Self { store, list, rules, answered: Arc::default(), folder: Mutex::new(None) }
    }
}

/// The proxy for commands, if the user limits domains and the system can force commands through it.
pub fn gate(store: &Store, settings: &Settings) -> Option<Arc<dyn Gate>> {
    if settings.text("sandbox.network").as_deref() != Some("allowlist") || !can_gate() {
        return None;
    }
    // Rules that cannot be read were reported when the policy was made.
    let rules =
        settings.rules("policy.rules").ok().and_then(|rules| Rules::new(rules).ok()).unwrap_or_default();
    Some(Arc::new(Domains::new(store.clone(), settings.list("sandbox.domains"), rules)))
}

/// A command can only be kept from bypassing the proxy in a network namespace of its own.
pub fn can_gate() -> bool {
    cfg!(target_os = "linux") && relay_exec::sandbox::can_mount()
}

impl Gate for Domains {
    fn socket(&self, services: &Services) -> Result<PathBuf, String> {
        let mut folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = folder.as_ref() {
            return Ok(folder.path().join(SOCKET));
        }
        let made = self.store.scratch().map_err(|error| error.to_string())?;
        let socket = made.path().join(SOCKET);
        let (list, rules, answered) = (self.list.clone(), self.rules.clone(), Arc::clone(&self.answered));
        let services = services.clone();
        let decide = move |host: &str| {
            if gate::names(&list, host) {
                return Verdict::AllowLocal;
            }
            match rules.like(&Rule::connecting(host)) {
                Some(Say::Allow) => return Verdict::AllowLocal,
                Some(Say::Deny) => return Verdict::Refuse,
                Some(Say::Ask) | None => {}
            }
            // One question at a time; other callers that wait for the same answer get it.
            let mut answered = answered.lock().unwrap_or_else(PoisonError::into_inner);
            let is_allowed = *answered.entry(host.to_owned()).or_insert_with(|| ask(&services, host));
            if is_allowed { Verdict::Allow } else { Verdict::Refuse }
        };
        gate::listen(&socket, Arc::new(decide))
            .map_err(|error| format!("the proxy cannot listen: {error}"))?;
        *folder = Some(made);
        Ok(socket)
    }
}

/// The name of the socket.
const SOCKET: &str = "gate";

/// Asks the person about a domain.
fn ask(services: &Services, host: &str) -> bool {
    if !services.ui.is_attended() {
        return false;
    }
    let choice = |id: &str, label: String| Choice { id: id.to_owned(), label, description: None };
    let question = Question {
        title: "Network".to_owned(),
        message: format!("A command wants to connect to {host}."),
        form: Form::Select {
            options: vec![
                choice("session", format!("Allow {host} in this session")),
                choice("always", format!("Always allow {host}")),
                choice("no", "Refuse".to_owned()),
            ],
            several: false,
            other: false,
        },
        timeout_ms: None,
        details: None,
    };
    match services.ui.ask(&question, &Cancel::new()) {
        UiAnswer::Chosen { ids, .. } => match ids.first().map(String::as_str) {
            Some("always") => {
                (services.keep_rule)(&Rule::connecting(host));
                true
            }
            Some("session") => true,
            _ => false,
        },
        _ => false,
    }
}
