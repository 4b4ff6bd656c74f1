//! What surrounds the agent: providers and their keys, other agents, hosts, and the instructions that the model is given.

use std::sync::atomic::Ordering;

use relay_llm::keys::stored_as;
use relay_tools::{with_ssh_host, without_ssh_host};
use serde_json::{Map, Value, json};

use super::{Binary, needed, text};
use crate::agent::ssh;
use crate::commands::{installed_agents, sound_key};
use crate::user;

impl Binary {
    pub(super) fn about_surroundings(
        &self,
        command: &str,
        arguments: &Value,
    ) -> Option<Result<Value, String>> {
        Some(match command {
            "get_providers" => self.providers(arguments),
            "store_key" => self.store_key(arguments),
            "forget_keys" => self.forget_keys(arguments),
            "get_agents" => Ok(json!({ "agents": installed_agents(&self.reach.store) })),
            "get_ssh_hosts" => self.hosts(),
            "add_ssh_host" => self.add_host(arguments),
            "remove_ssh_host" => self.remove_host(arguments),
            "get_instructions" => Ok(json!({ "files": self.instructions })),
            "toggle_fast" => self.toggle_fast(),
            _ => return None,
        })
    }

    /// The providers that take a key, and where each one's key comes from. The keys themselves are never returned.
    fn providers(&self, arguments: &Value) -> Result<Value, String> {
        let models = user::models(&self.reach.store).map_err(|failure| failure.message())?;
        let stored = self.reach.store.credentials().map_err(|error| error.to_string())?;
        let keyed = models.catalog.providers().iter().filter(|known| known.needs_key());
        let providers: Vec<Value> = keyed
            .map(|known| {
                let name = &known.provider.name;
                let keys: Vec<String> =
                    models.keyring.sources(name).iter().map(ToString::to_string).collect();
                let is_stored = stored.get(stored_as(name)).is_some_and(|keys| !keys.is_empty());
                json!({ "name": name, "keys": keys, "variables": known.key_variables, "isStored": is_stored })
            })
            .collect();
        Ok(json!({ "for": text(arguments, "for"), "providers": providers }))
    }

    fn store_key(&self, arguments: &Value) -> Result<Value, String> {
        let provider = needed(arguments, "provider")?;
        let models = user::models(&self.reach.store).map_err(|failure| failure.message())?;
        let known = models.catalog.provider(provider);
        if !known.is_some_and(relay_llm::catalog::CatalogProvider::needs_key) {
            return Err(format!("`{provider}` is not a provider that takes a key; /provider lists them"));
        }
        let key = sound_key(needed(arguments, "key")?).map_err(|failure| failure.message())?;
        let stored = self.reach.store.store_credential(stored_as(provider), "default", &key);
        stored.map_err(|error| error.to_string())?;
        Ok(json!({ "provider": provider }))
    }

    fn forget_keys(&self, arguments: &Value) -> Result<Value, String> {
        let provider = needed(arguments, "provider")?;
        match self
            .reach
            .store
            .forget_credentials(stored_as(provider), None)
            .map_err(|error| error.to_string())?
        {
            0 => Err(format!("{provider} has no stored key")),
            removed => Ok(json!({ "removed": removed })),
        }
    }

    /// The user's hosts, and the project's hosts with whether the user trusts them.
    fn hosts(&self) -> Result<Value, String> {
        let own = self.reach.store.settings_file("ssh.json").map_err(|error| error.to_string())?;
        let own = own.map(|text| ("ssh.json", text, true));
        let project = ssh::project_files(&self.reach.store, &self.engine);
        let mut hosts = Vec::new();
        for (file, text, is_trusted) in own.into_iter().chain(project) {
            let document: Value = serde_json::from_str(&text).unwrap_or_default();
            for (name, host) in document.get("hosts").and_then(Value::as_object).into_iter().flatten() {
                let part = |name: &str| host.get(name).and_then(Value::as_str).unwrap_or_default();
                let user = if part("username").is_empty() { part("user") } else { part("username") };
                let at = if user.is_empty() {
                    part("host").to_owned()
                } else {
                    format!("{user}@{}", part("host"))
                };
                hosts
                    .push(json!({ "name": name, "about": format!("{at}  {file}"), "isTrusted": is_trusted }));
            }
        }
        Ok(json!({ "hosts": hosts }))
    }

    /// Adds a host, or replaces one of its name: the command's fields are those of `ssh.json`.
    fn add_host(&self, arguments: &Value) -> Result<Value, String> {
        let name = needed(arguments, "name")?;
        let fields = ["host", "username", "port", "key", "description", "compat", "mount"];
        let given =
            fields.iter().filter_map(|field| Some(((*field).to_owned(), arguments.get(*field)?.clone())));
        let entry: Map<String, Value> = given.filter(|(_, value)| !value.is_null()).collect();
        self.change_hosts(text(arguments, "scope"), name, |before| with_ssh_host(before, name, &entry))
    }

    /// Removes a host from the file of its scope, or from the first file that has it.
    fn remove_host(&self, arguments: &Value) -> Result<Value, String> {
        let name = needed(arguments, "name")?;
        let remove = |scope: &str| self.change_hosts(Some(scope), name, |text| without_ssh_host(text, name));
        match text(arguments, "scope") {
            Some(scope) => remove(scope),
            None => remove("user").or_else(|why| remove("project").map_err(|_| why)),
        }
    }

    fn change_hosts(
        &self,
        scope: Option<&str>,
        name: &str,
        change: impl FnOnce(Option<&str>) -> Result<String, String>,
    ) -> Result<Value, String> {
        let scope = ssh::Scope::named(scope)?;
        let file = ssh::change(&self.reach.store, &self.engine, scope, change)?;
        // The tool lists its hosts to the model when a session begins.
        Ok(json!({ "name": name, "file": file, "from": "the next session" }))
    }

    /// Faster answers at a higher price, on or off, where the provider has service tiers.
    fn toggle_fast(&self) -> Result<Value, String> {
        let is_on = !self.fast.fetch_xor(true, Ordering::Relaxed);
        Ok(json!({ "fast": is_on }))
    }
}
