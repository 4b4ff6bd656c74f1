//! The user's settings and backends, put together from the user's own data and the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::{Arc, Mutex};

use relay_backends::ask::{Depth, Files};
use relay_backends::backend::{Backends, ModelBackend, Surroundings};
use relay_backends::settings::{FILE, KEYS, Settings, SettingsError};
use relay_diagnostics::{Code, Diagnostic};
use relay_llm::catalog::CatalogProvider;
use relay_llm::keys::Keyring;
use relay_llm::{Auth, ClientOptions, Compat, Key, Model, Provider, Wire};
use relay_store::Store;

use crate::failure::{BAD_USAGE, Failure};
use crate::models::{self, Models};
use crate::terminal;

/// The user's settings cannot be used.
pub const BAD_SETTING: Code = Code::new("bad-setting");

/// The local server that is a backend by its own name.
const OLLAMA: &str = "ollama";

/// The file's text; empty where there is none.
pub fn text(store: &Store) -> Result<String, Failure> {
    let text = store.settings_file(FILE).map_err(|error| Failure::environment(&error))?;
    Ok(text.unwrap_or_default())
}

/// Whether the user has a file of settings at all.
pub fn has_settings(store: &Store) -> bool {
    store.config_dir().join(FILE).exists()
}

/// The settings that hold. Keys that mean nothing are told once, and are no obstacle.
pub fn settings(store: &Store) -> Result<Settings, Failure> {
    let (settings, unknown) = Settings::new(&text(store)?, variables()).map_err(|error| refused(&error))?;
    for key in unknown {
        terminal::tell(&format!(
            "note: `{}` in {FILE} is not a known setting and is ignored\n",
            terminal::visible(&key)
        ));
    }
    Ok(settings)
}

/// All backends: the built-in ones and the user's own.
pub fn backends(store: &Store, settings: &Settings) -> Backends {
    let surroundings =
        Surroundings { variables: variables(), relay: std::env::current_exe().ok(), store: store.clone() };
    Backends::new(surroundings, settings.custom_backends())
}

/// All backends as [`backends`], and the models that the user's settings name.
pub fn backends_and_models(store: &Store, settings: &Settings) -> Result<Backends, Failure> {
    let mut backends = backends(store, settings);
    for name in settings.backend_names().map(str::to_owned).collect::<Vec<_>>() {
        let has_model = settings.text(&format!("backends.{name}.model")).is_some();
        if has_model
            && backends.get(&name).is_err()
            && let Some(backend) = model_backend(store, settings, &name, Wanted::default())?
        {
            backends.add(Box::new(backend));
        }
    }
    Ok(backends)
}

/// What the command line says about models.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Which of a backend's models.
    pub model: Option<&'a str>,
    /// How quickly and at what price it shall answer.
    pub service_tier: Option<&'a str>,
    /// Make no connections.
    pub offline: bool,
}

/// The backends that are needed for some names: those above, and the models among the names, asked directly.
pub fn backends_for(
    store: &Store,
    settings: &Settings,
    names: &[String],
    wanted: Wanted<'_>,
) -> Result<Backends, Failure> {
    let mut backends = backends(store, settings);
    if let Some(agent) = names.iter().find(|name| backends.get(name).is_ok()) {
        if wanted.offline {
            return Err(agent_connects(agent));
        }
        if wanted.service_tier.is_some() {
            return Err(no_tiers(agent, "another agent; set its tier in its own settings"));
        }
    }
    for name in names.iter().filter(|name| backends.get(name).is_err()).cloned().collect::<Vec<_>>() {
        if let Some(backend) = model_backend(store, settings, &name, wanted)? {
            backends.add(Box::new(backend));
        }
    }
    Ok(backends)
}

/// A service tier cannot be asked for there.
fn no_tiers(name: &str, what: &str) -> Failure {
    let message = format!("--service-tier: {name} is {what}");
    Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted("Leave out --service-tier."))
}

/// Other agents reach their own providers; with `--offline` they are not started.
fn agent_connects(name: &str) -> Failure {
    let message = format!("--offline: {name} is another agent, which connects to its provider");
    Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted("Leave out --offline to ask it."))
}

/// A model as a backend: `provider/model` or as much of it as names one, a server of the user's own, or `ollama` with a model named beside it.
fn model_backend(
    store: &Store,
    settings: &Settings,
    name: &str,
    wanted: Wanted<'_>,
) -> Result<Option<ModelBackend>, Failure> {
    let models = Models::open(store)?;
    let own = |field: &str| settings.text(&format!("backends.{name}.{field}"));
    let named = wanted.model.map(str::to_owned).or_else(|| own("model"));
    let options =
        ClientOptions { offline: wanted.offline, retry: settings.retry(), ..ClientOptions::default() };
    if let Some(url) = own("url") {
        let id = named.ok_or_else(|| no_model(name))?;
        let variable = own("key_variable");
        let key = |variable: &String| {
            let key = std::env::var(variable).ok()?;
            Some(Keyring::of_one(name, variable, Key::new(key)))
        };
        let keys = variable.as_ref().and_then(key).unwrap_or_default();
        let needs_key = variable.is_some();
        let provider = Provider {
            name: name.to_owned(),
            wire: Wire::OpenaiChat,
            base_url: url,
            auth: if needs_key { Auth::Bearer } else { Auth::None },
            headers: BTreeMap::new(),
            compat: Compat::default(),
        };
        let model = in_tier(Model::new(Arc::new(provider), &id), wanted)?;
        return Ok(Some(ModelBackend {
            name: name.to_owned(),
            options,
            model,
            fallback: Vec::new(),
            thinking: None,
            keys,
            needs_key,
            revert: settings.revert(),
            chain: Mutex::default(),
        }));
    }
    let selector = if name == OLLAMA {
        let by_variable = || std::env::var("OLLAMA_MODEL").ok().filter(|name| !name.is_empty());
        format!("{OLLAMA}/{}", named.or_else(by_variable).ok_or_else(|| no_model(name))?)
    } else if let Some((provider, _)) = name.split_once('/') {
        wanted.model.map_or_else(|| name.to_owned(), |model| format!("{provider}/{model}"))
    } else if models.means_one(name)? {
        name.to_owned()
    } else {
        return Ok(None);
    };
    let selected = models.select(&selector)?;
    let provider = &selected.model.provider.name;
    let needs_key = models.catalog.provider(provider).is_some_and(CatalogProvider::needs_key);
    if needs_key && models.keyring.sources(provider).is_empty() {
        return Err(models::no_key(provider));
    }
    let fallback = fallback(&models, settings, &selected.model)?;
    Ok(Some(ModelBackend {
        name: name.to_owned(),
        options,
        model: in_tier(selected.model, wanted)?,
        fallback,
        thinking: selected.thinking,
        keys: models.keyring,
        needs_key,
        revert: settings.revert(),
        chain: Mutex::default(),
    }))
}

/// The model in the tier that was asked for, else in its own.
fn in_tier(model: Model, wanted: Wanted<'_>) -> Result<Model, Failure> {
    match wanted.service_tier {
        None => Ok(model),
        Some(_) if !model.provider.wire.has_service_tiers() => {
            Err(no_tiers(&model.provider.name, "a provider without service tiers"))
        }
        Some(tier) => Ok(Model { service_tier: Some(tier.to_owned()), ..model }),
    }
}

/// The models the user wants asked when this one cannot answer. One without a key is passed over: it could not either.
fn fallback(models: &Models, settings: &Settings, first: &Model) -> Result<Vec<Model>, Failure> {
    let mut chain = Vec::new();
    for selector in settings.fallback() {
        let model = models.select(&selector)?.model;
        let known = models.catalog.provider(&model.provider.name);
        let is_usable = known.is_none_or(|known| !known.needs_key() || models.has_key(known));
        if is_usable && model.selector() != first.selector() {
            chain.push(model);
        }
    }
    Ok(chain)
}

fn no_model(name: &str) -> Failure {
    let message = format!("{name} has several models, and none was named");
    let hint =
        format!("Name one with --model, or set a default: relay config set backends.{name}.model MODEL");
    Failure::usage(Diagnostic::error(BAD_SETTING, message).hinted(hint))
}

/// Reads files that were named on the command line.
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path, limit_bytes: usize) -> io::Result<(Vec<u8>, u64)> {
        let file = File::open(path)?;
        let facts = file.metadata()?;
        if !facts.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        file.take(limit_bytes as u64).read_to_end(&mut bytes)?;
        Ok((bytes, facts.len()))
    }
}

/// How deep inside questions this process is.
pub fn depth() -> Depth {
    Depth::new(|name| std::env::var(name).ok())
}

/// A fault of the settings, with a way out.
pub fn refused(error: &SettingsError) -> Failure {
    let diagnostic = Diagnostic::error(BAD_SETTING, error.to_string());
    Failure::usage(match error {
        SettingsError::UnknownKey { .. } => {
            let keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
            diagnostic.hinted(format!("There are: {}.", keys.join(", ")))
        }
        _ => diagnostic.hinted("`relay config edit` opens the file; `relay config path` says where it is."),
    })
}

fn variables() -> BTreeMap<String, OsString> {
    std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect()
}
