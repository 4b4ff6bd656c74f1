//! The first start without a model: looks for models and agents on this machine, and applies the person's choice.

use std::sync::mpsc::{Receiver, Sender};

use relay_diagnostics::Cancel;
use relay_llm::keys::stored_as;
use relay_tui::Input;
use serde_json::{Value, json};

use crate::cli::AgentArgs;
use crate::commands::{installed_agents, sound_key};
use crate::failure::Failure;
use crate::{open, user};

/// How many models of local servers to offer.
const MODELS: usize = 12;
/// The providers offered by name; `relay auth login` accepts all others.
const PROVIDERS: [&str; 4] = ["anthropic", "openai", "google", "openrouter"];

/// Offers what was found, and waits for a choice. Returns `false` if the interface was closed.
pub fn choose(args: &mut AgentArgs, offline: bool, inputs: &Sender<Input>, chosen: &Receiver<Value>) -> bool {
    match look(offline) {
        Ok(frame) => drop(inputs.send(Input::Frame(frame))),
        Err(failure) => drop(inputs.send(Input::Notice(true, failure.message()))),
    }
    while let Ok(choice) = chosen.recv() {
        let text = |name: &str| choice.get(name).and_then(Value::as_str);
        match (text("model"), text("provider"), text("key")) {
            (Some(model), ..) => {
                if let Err(failure) = keep_model(model) {
                    drop(inputs.send(Input::Notice(true, failure.message())));
                }
                args.ask.model = Some(model.to_owned());
                return true;
            }
            (_, Some(provider), Some(key)) => match store(provider, key) {
                Ok(()) => return true,
                Err(failure) => drop(inputs.send(Input::Notice(true, failure.message()))),
            },
            _ => {}
        }
    }
    false
}

/// What was found: models of local servers, providers that take a key, agents.
fn look(offline: bool) -> Result<Value, Failure> {
    let store = open::store()?;
    let models = user::models(&store)?;
    let servers = models.local_servers(offline, &Cancel::new());
    let served = servers.iter().flat_map(|server| {
        let entry = |model: &relay_llm::catalog::CatalogModel| json!({ "model": model.model.selector(), "url": server.base_url });
        server.models.iter().map(entry).collect::<Vec<_>>()
    });
    let providers = PROVIDERS.iter().filter_map(|name| {
        let known = models.catalog.provider(name)?;
        Some(json!({ "name": name, "variable": known.key_variables.first()? }))
    });
    Ok(json!({
        "type": "setup",
        "models": served.take(MODELS).collect::<Vec<_>>(),
        "providers": providers.collect::<Vec<_>>(),
        "agents": installed_agents(&store),
    }))
}

/// New sessions begin with this model.
fn keep_model(model: &str) -> Result<(), Failure> {
    let store = open::store()?;
    let text = relay_settings::text(&store).map_err(|error| Failure::environment(&error))?;
    let text = relay_settings::set(&text, "modelRoles.default", Some(model));
    let text = text.map_err(|error| Failure::environment(&error))?;
    store.replace_settings_file(relay_settings::FILE, &text).map_err(|error| Failure::environment(&error))
}

fn store(provider: &str, key: &str) -> Result<(), Failure> {
    let key = sound_key(key)?;
    open::store()?.store_credential(stored_as(provider), "default", &key)?;
    Ok(())
}
