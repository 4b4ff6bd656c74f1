//! Hosts for the agent's `ssh`: adding and removing them, in the user's file or in the project's.

use relay_engine::approval::{Approver, Decision, Proposal};
use relay_engine::config::ConfiguredCommand;
use relay_engine::{Exact, Status, Unobserved, land_exact};
use relay_tools::ssh_faults;
use relay_workspace::{RelPath, Sensitive};
use serde_json::{Map, Value, json};

use super::{Binary, needed, text};
use crate::agent::ssh;

/// Where hosts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// In the user's settings, for every project.
    User,
    /// In the project, for everyone who works on it.
    Project,
}

impl Scope {
    fn read(arguments: &Value) -> Result<Option<Self>, String> {
        match text(arguments, "scope") {
            None | Some("") => Ok(None),
            Some("user") => Ok(Some(Self::User)),
            Some("project") => Ok(Some(Self::Project)),
            Some(other) => Err(format!("unknown scope `{other}`; use user or project")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }

    /// The file, as people name it.
    fn file(self) -> &'static str {
        match self {
            Self::User => ssh::FILE,
            Self::Project => ssh::BEFORE,
        }
    }
}

impl Binary {
    pub(super) fn about_hosts(&self, command: &str, arguments: &Value) -> Option<Result<Value, String>> {
        match command {
            "add_ssh_host" => Some(self.add_host(arguments)),
            "remove_ssh_host" => Some(self.remove_host(arguments)),
            _ => None,
        }
    }

    fn add_host(&self, arguments: &Value) -> Result<Value, String> {
        let scope = Scope::read(arguments)?.unwrap_or(Scope::User);
        let name = needed(arguments, "name")?;
        let target = needed(arguments, "target")?;
        let (user, host) = target.rsplit_once('@').map_or((None, target), |(user, host)| (Some(user), host));
        let mut entry = Map::new();
        entry.insert("host".to_owned(), host.into());
        entry.extend(user.map(|user| ("username".to_owned(), user.into())));
        for field in ["key", "description"] {
            entry.extend(text(arguments, field).map(|value| (field.to_owned(), value.into())));
        }
        if let Some(port) = text(arguments, "port") {
            let port: u16 = port.parse().map_err(|_| format!("`{port}` is not a port; use 1 to 65535"))?;
            entry.insert("port".to_owned(), port.into());
        }
        let mut document = self.hosts_of(scope)?;
        let hosts = hosts_in(&mut document, scope)?;
        let is_new = hosts.insert(name.to_owned(), Value::Object(entry)).is_none();
        // The tool would pass over a host that it does not understand.
        let faults = ssh_faults(&json!({ "hosts": { name: hosts.get(name) } }).to_string());
        if let Some(fault) = faults.into_iter().next() {
            return Err(fault);
        }
        self.keep_hosts(scope, &document)?;
        Ok(json!({ "name": name, "scope": scope.name(), "file": scope.file(), "isNew": is_new }))
    }

    fn remove_host(&self, arguments: &Value) -> Result<Value, String> {
        let name = needed(arguments, "name")?;
        let scopes = match Scope::read(arguments)? {
            Some(scope) => vec![scope],
            None => vec![Scope::User, Scope::Project],
        };
        for scope in scopes {
            let mut document = self.hosts_of(scope)?;
            if hosts_in(&mut document, scope)?.remove(name).is_some() {
                self.keep_hosts(scope, &document)?;
                return Ok(json!({ "name": name, "scope": scope.name(), "file": scope.file() }));
            }
        }
        Err(format!("no host is called `{name}`; /ssh lists them"))
    }

    fn hosts_of(&self, scope: Scope) -> Result<Value, String> {
        let known = match scope {
            Scope::User => self.reach.store.settings_file(ssh::FILE).map_err(|error| error.to_string())?,
            Scope::Project => ssh::text(&self.engine, ssh::BEFORE),
        };
        let Some(known) = known else { return Ok(json!({ "hosts": {} })) };
        serde_json::from_str(&known).map_err(|error| format!("{} is not valid JSON: {error}", scope.file()))
    }

    /// Writes a file of hosts. In the project that is a change like any other, and what the user typed is trusted.
    fn keep_hosts(&self, scope: Scope, document: &Value) -> Result<(), String> {
        let new = format!("{document:#}\n");
        if scope == Scope::User {
            let kept = self.reach.store.replace_settings_file(ssh::FILE, &new);
            return kept.map_err(|error| error.to_string());
        }
        let path = RelPath::new(ssh::BEFORE).map_err(|error| error.to_string())?;
        let before = ssh::text(&self.engine, ssh::BEFORE);
        let exact = Exact {
            channel: "agent",
            reason: "change the project's SSH hosts",
            model: None,
            group: None,
            path: &path,
            before: before.as_deref().map(str::as_bytes),
            after: new.clone().into_bytes(),
        };
        let outcome = land_exact(&self.engine, exact, &mut Asked, &mut Unobserved);
        if !matches!(outcome.status, Status::Committed | Status::Unchanged) {
            let why = outcome.diagnostics.first().map(|found| found.message.clone()).unwrap_or_default();
            return Err(format!("{} was not changed: {why}", ssh::BEFORE));
        }
        let root = self.engine.workspace().root();
        ssh::agree(&self.reach.store, root, ssh::BEFORE, Some(new)).map_err(|error| error.to_string())
    }
}

fn hosts_in(document: &mut Value, scope: Scope) -> Result<&mut Map<String, Value>, String> {
    let wrong = || format!("{} has no \"hosts\" object; fix it first", scope.file());
    let fields = document.as_object_mut().ok_or_else(wrong)?;
    fields.entry("hosts").or_insert_with(|| json!({})).as_object_mut().ok_or_else(wrong)
}

/// The person asked for exactly this change; nothing else is decided here.
struct Asked;

impl Approver for Asked {
    fn can_approve(&self) -> bool {
        true
    }

    fn approved_by(&self) -> &str {
        "user"
    }

    fn approve(&mut self, _: &Proposal<'_>) -> Decision {
        Decision::Yes
    }

    fn trust(&mut self, _: &[ConfiguredCommand<'_>], _: bool) -> Decision {
        Decision::NobodyThere
    }

    fn allow_sensitive(&mut self, _: &[(RelPath, Sensitive)]) -> Decision {
        Decision::Yes
    }
}
