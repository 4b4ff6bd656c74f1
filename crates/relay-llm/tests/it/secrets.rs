//! Keys are sent and never shown; offline means no connection.

use relay_diagnostics::Cancel;
use relay_llm::{Client, ClientOptions, ErrorKind, Key};
use relay_net::Fetch;
use testkit::model::{Answer, Reply};

use crate::support::{KEY, Lab, check, for_every, options, prompt};

#[test]
fn the_key_is_sent_where_the_provider_wants_it() {
    for_every(|lab| {
        let told = lab.ask(Reply::text("x"));
        assert_eq!(told.outcome(), "done");
        let request = &lab.server.prompts()[0];
        let expected = if lab.name == "ollama" { None } else { Some(KEY) };
        assert_eq!(request.key(), expected);
        assert!(!request.path.contains(KEY) && !request.query.contains(KEY));
        assert_eq!(request.complaint, None);
    });
}

#[test]
fn a_key_that_is_quoted_back_is_not_shown() {
    for_every(|lab| {
        let body = format!(r#"{{"error":{{"message":"wrong key {KEY} in request"}}}}"#);
        let told = lab.ask(Answer::raw(401, "application/json", body));
        let shown = format!("{:?} {:?}", told.events, told.error.as_ref().map(ToString::to_string));
        assert!(shown.contains("wrong key [key]") && !shown.contains(KEY), "{shown}");
    });
}

#[test]
fn a_key_inside_an_event_is_not_shown() {
    let lab = Lab::new("openai-chat");
    let body = format!("data: {{\"error\":{{\"message\":\"wrong key {KEY}\",\"code\":401}}}}\n\n");
    let told = lab.ask(Answer::raw(200, "text/event-stream", body));
    assert_eq!(told.outcome(), "Auth");
    assert!(!format!("{:?}", told.events).contains(KEY));
}

#[test]
fn without_a_key_no_provider_is_asked() {
    for_every(|lab| {
        if lab.name == "ollama" {
            return;
        }
        let told = check(lab.client.stream(&lab.model, &Key::none(), &prompt(), &Cancel::new()));
        assert_eq!(told.outcome(), "Auth");
        assert!(lab.server.requests().is_empty());
    });
}

#[test]
fn offline_connects_to_nothing() {
    for_every(|lab| {
        let client = Client::new(ClientOptions { offline: true, ..options() });
        let told = check(client.stream(&lab.model, &Key::new(KEY), &prompt(), &Cancel::new()));
        assert_eq!(told.outcome(), "Offline");
        let fetch = Fetch {
            name: "models".to_owned(),
            url: lab.server.url(),
            headers: Vec::new(),
            body: None,
            timeout: testkit::PATIENCE,
        };
        assert_eq!(client.fetch(&fetch, &Cancel::new()).unwrap_err().kind, ErrorKind::Offline);
        assert!(lab.server.requests().is_empty());
    });
}

#[test]
fn fetch_returns_the_response() {
    let lab = Lab::new("ollama");
    let fetch = Fetch {
        name: "ollama".to_owned(),
        url: format!("{}/api/tags", lab.server.url()),
        headers: vec![("x-test".to_owned(), "1".to_owned())],
        body: None,
        timeout: testkit::PATIENCE,
    };
    let fetched = lab.client.fetch(&fetch, &Cancel::new()).unwrap();
    assert_eq!(fetched.status, 200);
    assert!(String::from_utf8(fetched.body).unwrap().contains("scripted-model"));
    assert_eq!(lab.server.requests()[0].header("x-test"), Some("1"));
}

#[test]
fn an_invalid_provider_address_is_reported() {
    for url in ["not a url", "ftp://example.com"] {
        let lab = Lab::new("anthropic");
        let model = crate::support::model("anthropic", url);
        let told = check(lab.client.stream(&model, &Key::new(KEY), &prompt(), &Cancel::new()));
        assert_eq!(told.outcome(), "Config", "{url}");
    }
}
