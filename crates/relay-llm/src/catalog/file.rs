//! The format of `models.toml`, and the user's file over the built-in one.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::{Table, Value};

use crate::model::{Prices, ThinkingStyle};
use crate::provider::{Auth, Compat, Wire};

/// The table that comes with Relay.
const BUILT_IN: &str = include_str!("models.toml");

/// The format that is understood.
const VERSION: u64 = 1;

/// Why a `models.toml` cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// It is not TOML, or says what this version does not know.
    #[error("models.toml cannot be read: {message}")]
    Syntax {
        /// What is wrong, and where.
        message: String,
    },
    /// It was written for a newer version.
    #[error("models.toml has format {found}; this version of Relay knows format {VERSION}")]
    Newer {
        /// Its format.
        found: u64,
    },
    /// A provider that cannot be asked like this.
    #[error("models.toml: the provider `{provider}` has no `{field}`")]
    Incomplete {
        /// The provider.
        provider: String,
        /// What is missing.
        field: &'static str,
    },
    /// A tier for a provider that has none.
    #[error("models.toml: the provider `{provider}` has no service tiers, so `{tier}` cannot be set")]
    NoTiers {
        /// The provider.
        provider: String,
        /// What it was to have.
        tier: String,
    },
    /// A name that could not be typed in a selector.
    #[error("models.toml: `{name}` cannot be the name of a provider; use letters, digits, `-` and `_`")]
    BadName {
        /// The name.
        name: String,
    },
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct CatalogFile {
    version: Option<u64>,
    providers: BTreeMap<String, ProviderFile>,
}

/// A provider as it is described.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ProviderFile {
    pub(super) wire: Option<Wire>,
    pub(super) base_url: Option<String>,
    pub(super) base_url_env: Option<String>,
    pub(super) key_env: Option<Vec<String>>,
    pub(super) auth: Option<Auth>,
    pub(super) local: Option<bool>,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) compat: Option<Compat>,
    pub(super) service_tier: Option<String>,
    pub(super) models: Vec<ModelFile>,
}

/// A model as it is described.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelFile {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) context: Option<u64>,
    pub(super) output: Option<u64>,
    pub(super) price: Option<Prices>,
    pub(super) thinking: Option<ThinkingStyle>,
    pub(super) images: Option<bool>,
    pub(super) tools: Option<bool>,
    pub(super) structured: Option<bool>,
    pub(super) grammars: Option<bool>,
    pub(super) service_tier: Option<String>,
}

/// The built-in providers with the user's over them.
pub(super) fn read(user_file: Option<&str>) -> Result<BTreeMap<String, ProviderFile>, CatalogError> {
    let Some(text) = user_file else { return Ok(parse(BUILT_IN)?.providers) };
    // Alone first: a message about the merged table could not name a line.
    for name in parse(text)?.providers.keys() {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(is_plain) {
            return Err(CatalogError::BadName { name: name.clone() });
        }
    }
    let mut merged = table(BUILT_IN)?;
    merge(&mut merged, table(text)?);
    let file: CatalogFile = merged.try_into().map_err(syntax)?;
    Ok(file.providers)
}

fn parse(text: &str) -> Result<CatalogFile, CatalogError> {
    let file: CatalogFile = match toml::from_str(text) {
        Ok(file) => file,
        // What a newer format holds besides need not be understood to say so.
        Err(error) => {
            let version = table(text)?.get("version").and_then(Value::as_integer);
            let newer = version.and_then(|found| u64::try_from(found).ok()).filter(|found| *found > VERSION);
            return Err(newer.map_or_else(|| syntax(error), |found| CatalogError::Newer { found }));
        }
    };
    match file.version {
        Some(found) if found > VERSION => Err(CatalogError::Newer { found }),
        _ => Ok(file),
    }
}

fn table(text: &str) -> Result<Table, CatalogError> {
    toml::from_str(text).map_err(syntax)
}

fn syntax(error: toml::de::Error) -> CatalogError {
    CatalogError::Syntax { message: error.to_string().trim_end().to_owned() }
}

/// Puts one table over another, field by field. Lists of models are merged by their ids; other lists are replaced.
fn merge(below: &mut Table, above: Table) {
    for (name, value) in above {
        match (below.get_mut(&name), value) {
            (Some(Value::Table(below)), Value::Table(above)) => merge(below, above),
            (Some(Value::Array(below)), Value::Array(above)) if name == "models" => {
                merge_models(below, above);
            }
            (_, value) => drop(below.insert(name, value)),
        }
    }
}

fn merge_models(below: &mut Vec<Value>, above: Vec<Value>) {
    for model in above {
        let known = below.iter_mut().find(|known| known.get("id") == model.get("id"));
        match (known, model) {
            (Some(Value::Table(known)), Value::Table(model)) => merge(known, model),
            (_, model) => below.push(model),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CatalogError, read};

    fn error(text: &str) -> CatalogError {
        read(Some(text)).unwrap_err()
    }

    #[test]
    fn errors_are_reported_with_their_line() {
        for (text, line, what) in [
            ("[providers.x\n", "line 1", ""),
            ("[providers.x]\nwire = \"telepathy\"\n", "line 2", "telepathy"),
            ("[providers.x]\nurl = \"y\"\n", "line 2", "url"),
            ("[[providers.x.models]]\nid = \"a\"\ncontext = \"large\"\n", "line 3", "context"),
        ] {
            let CatalogError::Syntax { message } = error(text) else { panic!("{text}") };
            assert!(message.contains(line) && message.contains(what), "{message}");
        }
    }

    #[test]
    fn a_newer_format_is_reported_as_such() {
        assert_eq!(error("version = 2\n"), CatalogError::Newer { found: 2 });
        assert_eq!(error("version = 2\n[planets]\n"), CatalogError::Newer { found: 2 });
    }

    #[test]
    fn names_that_could_not_be_typed_are_refused() {
        for name in ["\"a/b\"", "\"a b\"", "\"\"", "\"ä\""] {
            let error = error(&format!("[providers.{name}]\nwire = \"ollama\"\n"));
            assert!(matches!(error, CatalogError::BadName { .. }), "{error}");
        }
    }
}
