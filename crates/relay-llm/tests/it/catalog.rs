//! Every provider of the built-in table can be asked as the table describes it, and says so of itself.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::TcpListener;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_llm::catalog::{Catalog, CatalogProvider};
use relay_llm::keys::Keyring;
use relay_llm::{Client, ClientOptions, Key, Wire};
use testkit::model::{Answer, ModelServer, Reply};

use crate::support::{options, prompt};

/// The table with every provider moved to the scripted server, keeping the path of its address.
fn moved(server: &ModelServer) -> Catalog {
    let built_in = Catalog::new(None, |_| None).unwrap();
    let mut text = String::new();
    for known in built_in.providers() {
        let address = known.provider.base_url.split_once("://").unwrap().1;
        let path = address.split_once('/').map(|(_, path)| format!("/{path}")).unwrap_or_default();
        text.push_str(&format!(
            "[providers.{}]\nbase_url = \"{}{path}\"\n",
            known.provider.name,
            server.url()
        ));
    }
    Catalog::new(Some(&text), |_| None).unwrap()
}

fn ask(known: &CatalogProvider, id: &str, server: &ModelServer) -> String {
    let selected = moved(server).select(&format!("{}/{id}", known.provider.name), |_| true).unwrap();
    let key = if known.needs_key() { Key::new("sk-test-0123456789") } else { Key::none() };
    // The stream outlives the client it came from.
    let stream = Client::new(options()).stream(&selected.model, &key, &prompt(), &Cancel::new());
    let answer = stream.finish();
    answer.unwrap_or_else(|error| panic!("{}/{id}: {error}", known.provider.name)).message().plain_text()
}

#[test]
fn every_provider_answers_as_the_table_describes_it() {
    let (paid, local) = (ModelServer::start(), ModelServer::start());
    paid.require_key("sk-test-0123456789");
    local.needs_no_key();
    for server in [&paid, &local] {
        server.respond(|_| Answer::from(Reply::text("Grüße 🎉").tool("call_1", "read", "{}")));
    }
    let catalog = Catalog::new(None, |_| None).unwrap();
    for known in catalog.providers() {
        let server = if known.needs_key() { &paid } else { &local };
        let mut ids: Vec<&str> = known.models.iter().map(|entry| entry.model.id.as_str()).collect();
        ids.push("some-model");
        for id in ids {
            assert_eq!(ask(known, id, server), "Grüße 🎉", "{}/{id}", known.provider.name);
        }
    }
    for request in paid.requests().iter().chain(&local.requests()) {
        assert_eq!(request.complaint, None, "{} {}", request.path, request.body);
        assert!(!request.query.contains("sk-test"), "{}", request.query);
    }
    assert!(local.requests().iter().all(|request| request.key().is_none()), "no key goes to a local server");
}

#[test]
fn local_servers_are_found_where_the_table_says() {
    let server = ModelServer::start();
    server.models(&["qwen3:8b", "gpt-oss"]);
    let catalog = moved(&server);
    let found = catalog.local_servers(&Client::new(ClientOptions::default()), &Cancel::new());
    let names: Vec<&str> = found.iter().map(|server| server.provider.as_str()).collect();
    assert_eq!(names, ["llamacpp", "lmstudio", "ollama", "vllm"]);
    for local in &found {
        let ids: Vec<&str> = local.models.iter().map(|entry| entry.model.id.as_str()).collect();
        assert_eq!(ids, ["qwen3:8b", "gpt-oss"], "{}", local.provider);
    }
    let asked = server.requests().len();
    let offline = Client::new(ClientOptions { offline: true, ..ClientOptions::default() });
    assert!(catalog.local_servers(&offline, &Cancel::new()).is_empty());
    assert_eq!(server.requests().len(), asked);
}

/// As it does while it loads a model, or where the machine is busy.
#[test]
fn a_local_server_that_takes_its_time_is_found_too() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        std::thread::sleep(Duration::from_millis(1_500));
        let body = r#"{"models":[{"name":"qwen3:8b"}]}"#;
        write!(socket, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    });
    let mut text = format!("[providers.ollama]\nbase_url = \"http://{address}\"\n");
    for lonely in ["lmstudio", "llamacpp", "vllm"] {
        text.push_str(&format!("[providers.{lonely}]\nbase_url = \"http://127.0.0.1:9\"\n"));
    }
    let catalog = Catalog::new(Some(&text), |_| None).unwrap();
    let found = catalog.local_servers(&Client::new(ClientOptions::default()), &Cancel::new());
    server.join().unwrap();
    assert_eq!(found.iter().map(|server| server.provider.as_str()).collect::<Vec<_>>(), ["ollama"]);
}

#[test]
fn a_key_goes_to_its_provider_and_no_other() {
    let catalog = Catalog::new(None, |_| None).unwrap();
    let stored = BTreeMap::from([("anthropic".to_owned(), vec![("default".to_owned(), Key::new("sk-a"))])]);
    let keyring = Keyring::new(&catalog, |_| None, &stored);
    for known in catalog.providers() {
        let has_key = keyring.choose(&known.provider.name, None).is_some();
        assert_eq!(has_key, known.provider.wire == Wire::AnthropicMessages, "{}", known.provider.name);
    }
}
