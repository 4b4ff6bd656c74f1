//! Every provider as the tests know it, and a check that a stream keeps the contract.

use std::sync::Arc;

use relay_diagnostics::Cancel;
use relay_llm::{
    Arguments, Auth, Block, Capabilities, Client, ClientOptions, Compat, Error, Event, Key, Kind, Message,
    Model, Notice, Provider, Reasoning, Request, RetrySettings, StopReason, Thinking, ThinkingStyle, Turn,
    Wire,
};
use testkit::model::{Answer, ModelServer};

/// The key of every test.
pub const KEY: &str = "sk-test-0123456789";

/// The providers the suite runs for.
pub const PROVIDERS: [&str; 7] =
    ["anthropic", "openai", "openai-chat", "openrouter", "deepseek", "google", "ollama"];

/// A scripted server, a client, and one provider's model.
pub struct Lab {
    pub name: &'static str,
    pub server: ModelServer,
    pub client: Client,
    pub model: Model,
}

/// The events of a stream.
pub struct Told {
    pub events: Vec<Event>,
    pub turn: Turn,
    pub error: Option<Error>,
}

impl Told {
    pub fn notices(&self) -> Vec<&Notice> {
        self.events.iter().filter_map(notice).collect()
    }

    /// The error's name, or `done`.
    pub fn outcome(&self) -> String {
        self.error.as_ref().map_or("done".to_owned(), |error| format!("{:?}", error.kind))
    }

    pub fn text(&self) -> String {
        self.turn.message().plain_text()
    }
}

fn notice(event: &Event) -> Option<&Notice> {
    match event {
        Event::Notice(notice) => Some(notice),
        _ => None,
    }
}

/// Runs a test for every provider. A failure names it.
pub fn for_every(test: impl Fn(&Lab)) {
    for name in PROVIDERS {
        eprintln!("provider {name}");
        test(&Lab::new(name));
    }
}

/// Retries at once, and waits as long as a test may.
pub fn options() -> ClientOptions {
    ClientOptions {
        retry: RetrySettings { request_base_delay_ms: 1, ..RetrySettings::default() },
        idle_timeout: testkit::PATIENCE,
        ..ClientOptions::default()
    }
}

impl Lab {
    pub fn new(name: &'static str) -> Self {
        Self::with(name, options())
    }

    pub fn with(name: &'static str, options: ClientOptions) -> Self {
        let server = ModelServer::start();
        let model = model(name, &server.url());
        Self { name, server, client: Client::new(options), model }
    }

    /// Queues an answer and asks for it.
    pub fn ask(&self, answer: impl Into<Answer>) -> Told {
        self.server.queue(answer);
        self.request(&prompt())
    }

    pub fn request(&self, request: &Request) -> Told {
        check(self.client.stream(&self.model, &Key::new(KEY), request, &Cancel::new()))
    }
}

pub fn prompt() -> Request {
    Request { messages: vec![Message::text("Hi")], thinking: Some(Thinking::Low), ..Request::default() }
}

pub fn model(name: &str, url: &str) -> Model {
    let (wire, base, auth, thinking) = match name {
        "anthropic" => {
            (Wire::AnthropicMessages, "", Auth::Header("x-api-key".to_owned()), ThinkingStyle::Budget)
        }
        "openai" => (Wire::OpenaiResponses, "/v1", Auth::Bearer, ThinkingStyle::Effort),
        "openai-chat" => (Wire::OpenaiChat, "/v1", Auth::Bearer, ThinkingStyle::Effort),
        "openrouter" => (Wire::OpenaiChat, "/api/v1", Auth::Bearer, ThinkingStyle::Effort),
        "deepseek" => (Wire::OpenaiChat, "", Auth::Bearer, ThinkingStyle::Effort),
        "google" => (Wire::Google, "", Auth::Header("x-goog-api-key".to_owned()), ThinkingStyle::Budget),
        "ollama" => (Wire::Ollama, "", Auth::None, ThinkingStyle::Budget),
        other => panic!("no provider {other}"),
    };
    let mut compat = Compat::default();
    match name {
        "openrouter" => compat.reasoning = Reasoning::Openrouter,
        "deepseek" => {
            compat.reasoning = Reasoning::Toggle;
            compat.replay_reasoning = true;
        }
        _ => {}
    }
    let provider = Provider {
        name: name.to_owned(),
        wire,
        base_url: format!("{url}{base}"),
        auth,
        headers: std::collections::BTreeMap::new(),
        compat,
    };
    let mut model = Model::new(Arc::new(provider), "scripted-model");
    model.capabilities = Capabilities { thinking, ..Capabilities::default() };
    model
}

/// Reads a stream to its end and checks what every stream must keep to.
pub fn check(stream: impl Iterator<Item = Event>) -> Told {
    let events: Vec<Event> = stream.collect();
    let (last, before) = events.split_last().expect("a stream has an end");
    let mut open: Vec<(usize, Kind, String)> = Vec::new();
    let mut ended: Vec<(usize, Block)> = Vec::new();
    let mut is_started = false;
    for event in before {
        match event {
            Event::Start { .. } => {
                assert!(!is_started, "one start");
                is_started = true;
            }
            Event::Begin { index, kind } => {
                assert!(is_started, "start comes first");
                assert_eq!(*index, open.len() + ended.len(), "indices count up");
                open.push((*index, kind.clone(), String::new()));
            }
            Event::Delta { index, text } => {
                assert!(!text.is_empty(), "a delta has something new");
                let block =
                    open.iter_mut().find(|(open, _, _)| open == index).expect("a delta's block is open");
                block.2.push_str(text);
            }
            Event::End { index, block } => {
                let at = open.iter().position(|(open, _, _)| open == index).expect("an ended block was open");
                let (_, kind, joined) = open.remove(at);
                check_block(&kind, &joined, block);
                ended.push((*index, block.clone()));
            }
            Event::Notice(_) => {}
            Event::Done { .. } | Event::Error { .. } => panic!("nothing follows the end"),
        }
    }
    let (turn, error) = match last {
        Event::Done { turn } => {
            assert!(open.is_empty(), "everything was ended: {open:?}");
            (turn.clone(), None)
        }
        Event::Error { error, turn } => (turn.clone(), Some(error.clone())),
        other => panic!("the last event is {other:?}"),
    };
    assert_eq!(turn.error, error);
    for (index, block) in &ended {
        let last = turn.content.get(*index).map(without_seal);
        // Only the end of an answer shows that it was cut, and that a call without arguments may have lost them.
        let is_doubted = turn.stop == StopReason::Length && matches!(block, Block::ToolCall(_));
        assert!(is_doubted || last == Some(without_seal(block)), "{last:?}");
    }
    Told { events, turn, error }
}

/// The pieces add up to the block.
fn check_block(kind: &Kind, joined: &str, block: &Block) {
    match (kind, block) {
        (Kind::Text, Block::Text { text, .. }) | (Kind::Thinking, Block::Thinking { text, .. }) => {
            assert_eq!(joined, text);
        }
        (Kind::ToolCall { id, name }, Block::ToolCall(call)) => {
            assert_eq!((id, name), (&call.id, &call.name));
            match &call.arguments {
                Arguments::Object(_) => assert_eq!(Arguments::parse(joined), call.arguments),
                Arguments::Malformed { text, .. } => assert_eq!(joined, text),
            }
        }
        (Kind::Other, Block::Image(_) | Block::Unknown { .. }) => assert_eq!(joined, ""),
        (kind, block) => panic!("{kind:?} became {block:?}"),
    }
}

/// A signature may come after its block's end; it is in the turn.
fn without_seal(block: &Block) -> Block {
    let mut block = block.clone();
    if let Block::Text { seal, .. } | Block::Thinking { seal, .. } = &mut block {
        *seal = None;
    }
    block
}
