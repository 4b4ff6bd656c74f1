//! Model servers on this machine: looked for where the catalog says they would be, and asked what they serve.
//!
//! Servers there are not trusted: a response that is not a list of models is ignored, and a list has limits.

use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_net::Fetch;
use serde_json::Value;

use super::{Catalog, CatalogModel, CatalogProvider};
use crate::client::Client;
use crate::provider::Wire;

/// A port without a listener is reported at once; a running server gets the time it needs on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How many models are taken from one server's list.
const MODELS: usize = 200;

/// The longest name of a model.
const NAME_BYTES: usize = 200;

/// A model server that answered.
#[derive(Clone, Debug)]
pub struct LocalServer {
    /// The provider it is in the catalog.
    pub provider: String,
    /// Where it is.
    pub base_url: String,
    /// What it serves.
    pub models: Vec<CatalogModel>,
}

impl Catalog {
    /// Asks every local server of the catalog, all at the same time, which models it has. With an offline client, none
    /// is asked.
    #[must_use]
    pub fn local_servers(&self, client: &Client, cancel: &Cancel) -> Vec<LocalServer> {
        if client.is_offline() {
            return Vec::new();
        }
        let local = self.providers.iter().filter(|known| known.is_local);
        std::thread::scope(|scope| {
            let asked: Vec<_> = local.map(|known| scope.spawn(move || ask(known, client, cancel))).collect();
            asked.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
        })
    }
}

fn ask(known: &CatalogProvider, client: &Client, cancel: &Cancel) -> Option<LocalServer> {
    let base_url = known.provider.base_url.trim_end_matches('/');
    let path = if known.provider.wire == Wire::Ollama { "/api/tags" } else { "/models" };
    let fetch = Fetch {
        name: known.provider.name.clone(),
        url: format!("{base_url}{path}"),
        headers: Vec::new(),
        body: None,
        timeout: TIMEOUT,
    };
    let fetched = client.fetch(&fetch, cancel).ok().filter(|fetched| fetched.status == 200)?;
    let names = names(&serde_json::from_slice(&fetched.body).ok()?)?;
    let models = names.iter().map(|name| model(known, name)).collect();
    Some(LocalServer { provider: known.provider.name.clone(), base_url: base_url.to_owned(), models })
}

/// What the catalog knows of the model, or its name alone.
fn model(known: &CatalogProvider, name: &str) -> CatalogModel {
    let described = known.models.iter().find(|entry| entry.model.id == name);
    described.cloned().unwrap_or_else(|| known.unknown_model(name))
}

/// `{"models": [{"name": …}]}` or `{"data": [{"id": …}]}`; names that could not be typed are left out.
fn names(document: &Value) -> Option<Vec<String>> {
    let list = document.get("models").or_else(|| document.get("data"))?.as_array()?;
    let name = |entry: &Value| {
        let name = entry.get("name").or_else(|| entry.get("id"))?.as_str()?;
        let is_sound =
            !name.is_empty() && name.len() <= NAME_BYTES && name.chars().all(|c| c.is_ascii_graphic());
        is_sound.then(|| name.to_owned())
    };
    Some(list.iter().filter_map(name).take(MODELS).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{MODELS, names};

    #[test]
    fn both_kinds_of_lists_are_read_and_limited() {
        assert_eq!(names(&json!({ "models": [{ "name": "a:8b" }] })).unwrap(), ["a:8b"]);
        assert_eq!(names(&json!({ "object": "list", "data": [{ "id": "b" }] })).unwrap(), ["b"]);
        let hostile = json!({ "data": [{ "id": "\u{1b}[31m" }, { "id": "a b" }, { "id": "x".repeat(201) }, { "no": 1 }, 7] });
        assert!(names(&hostile).unwrap().is_empty());
        let long = json!({ "data": (0..1000).map(|n| json!({ "id": n.to_string() })).collect::<Vec<_>>() });
        assert_eq!(names(&long).unwrap().len(), MODELS);
        assert_eq!(names(&json!({ "error": "no" })), None);
        assert_eq!(names(&json!([1])), None);
    }
}
