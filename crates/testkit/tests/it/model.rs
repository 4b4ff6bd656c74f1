//! The scripted model server does what a script says, fault by fault. That its formats are the vendors' own is proved by
//! their libraries in `sdk`.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::model::{
    Answer, Api, Delivery, Failure, Flavour, ModelServer, Part, Reply, Script, Stop, Usage,
};

/// A path of every API and a body it accepts, for streaming.
const APIS: [(&str, &str); 5] = [
    ("/v1/messages", r#"{"model":"m","max_tokens":9,"messages":[],"stream":true}"#),
    ("/v1/responses", r#"{"model":"m","input":"hi","stream":true}"#),
    ("/v1/chat/completions", r#"{"model":"m","messages":[],"stream":true}"#),
    ("/v1beta/models/m:streamGenerateContent?alt=sse", r#"{"contents":[]}"#),
    ("/api/chat", r#"{"model":"m","messages":[]}"#),
];

const KEYS: &str =
    "x-api-key: k\r\nanthropic-version: 2023-06-01\r\nauthorization: Bearer k\r\nx-goog-api-key: k\r\n";

/// What came back: status, headers, and the body with its chunks still apart.
struct Response {
    status: u16,
    head: String,
    chunks: Vec<Vec<u8>>,
    /// Whether the body ended as HTTP says.
    is_whole: bool,
}

impl Response {
    fn text(&self) -> String {
        String::from_utf8(self.chunks.concat()).unwrap()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The data of every event, or every line.
    fn events(&self) -> Vec<Value> {
        let text = self.text();
        let lines = text.lines().filter_map(|line| match line.strip_prefix("data: ") {
            Some(data) => Some(data),
            None => line.starts_with('{').then_some(line),
        });
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

fn connect(server: &ModelServer) -> TcpStream {
    let socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(testkit::PATIENCE)).unwrap();
    socket
}

fn send(mut socket: &TcpStream, path: &str, headers: &str, body: &str) {
    let length = body.len();
    let request =
        format!("POST {path} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n{body}");
    socket.write_all(request.as_bytes()).unwrap();
}

fn post(server: &ModelServer, path: &str, body: &str) -> Response {
    with_headers(server, path, &format!("{KEYS}connection: close\r\n"), body)
}

fn with_headers(server: &ModelServer, path: &str, headers: &str, body: &str) -> Response {
    let mut socket = connect(server);
    send(&socket, path, headers, body);
    let mut bytes = Vec::new();
    // A dropped connection may arrive as a reset; what came before it counts.
    drop(socket.read_to_end(&mut bytes));
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let Some(end) = end else {
        return Response { status: 0, head: String::new(), chunks: Vec::new(), is_whole: false };
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let mut rest = &bytes[end + 4..];
    if !head.contains("transfer-encoding: chunked") {
        return Response { status, head, chunks: vec![rest.to_vec()], is_whole: true };
    }
    let mut chunks = Vec::new();
    while let Some(at) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..at]).unwrap(), 16).unwrap();
        if size == 0 {
            return Response { status, head, chunks, is_whole: true };
        }
        chunks.push(rest[at + 2..at + 2 + size].to_vec());
        rest = &rest[at + 2 + size + 2..];
    }
    Response { status, head, chunks, is_whole: false }
}

fn delivered(path: &str, body: &str, delivery: Delivery) -> Response {
    let server = ModelServer::start();
    server.queue(Answer::from(Reply::text("Grüße aus 日本 🎉")).delivery(delivery));
    post(&server, path, body)
}

#[test]
fn every_api_streams_text_and_says_why_it_ended() {
    let server = ModelServer::start();
    server.respond(|_| Reply::text("Grüße aus 日本 🎉").stop(Stop::Length).into());
    for (path, body) in APIS {
        let response = post(&server, path, body);
        assert!(response.status == 200 && response.is_whole, "{path}");
        let text: String = response
            .events()
            .iter()
            .filter_map(|event| {
                let places =
                    ["/delta/text", "/choices/0/delta/content", "/candidates/0/content/parts/0/text"];
                let delta = event["delta"].as_str().filter(|_| event["type"] == "response.output_text.delta");
                let found = places.iter().find_map(|place| event.pointer(place)?.as_str());
                delta.or(found).or_else(|| event.pointer("/message/content")?.as_str()).map(str::to_owned)
            })
            .collect();
        assert_eq!(text, "Grüße aus 日本 🎉", "{path}");
        let ends = ["max_tokens", "max_output_tokens", "\"length\"", "MAX_TOKENS"];
        assert!(ends.iter().any(|end| response.text().contains(end)), "{path}: {}", response.text());
    }
}

#[test]
fn without_streaming_it_is_one_document() {
    let server = ModelServer::start();
    server.respond(|_| Reply::text("x").tool("call_1", "read", r#"{"path":"a"}"#).into());
    let ask = |path: &str, body: &str| post(&server, path, body).json();
    let found = ask("/v1/messages", r#"{"model":"m","max_tokens":9,"messages":[]}"#);
    assert_eq!(found["content"][1]["input"], json!({ "path": "a" }));
    assert_eq!(found["stop_reason"], "tool_use");
    let found = ask("/v1/responses", r#"{"model":"m","input":"hi"}"#);
    assert_eq!(found["output"][1]["arguments"], r#"{"path":"a"}"#);
    let found = ask("/v1/chat/completions", r#"{"model":"m","messages":[]}"#);
    assert_eq!(found["choices"][0]["message"]["tool_calls"][0]["id"], "call_1");
    let found = ask("/v1beta/models/m:generateContent", r#"{"contents":[]}"#);
    assert_eq!(found["candidates"][0]["content"]["parts"][1]["functionCall"]["args"]["path"], "a");
    let found = ask("/api/chat", r#"{"model":"m","messages":[],"stream":false}"#);
    assert_eq!(found["message"]["tool_calls"][0]["function"]["arguments"]["path"], "a");
}

#[test]
fn reasoning_is_carried_as_each_flavour_does() {
    let server = ModelServer::start();
    for (flavour, field) in [
        (Flavour::OpenRouter, "reasoning_details"),
        (Flavour::ReasoningContent, "reasoning_content"),
        (Flavour::Reasoning, "\"reasoning\""),
    ] {
        server.queue(Answer::from(Reply::thinking("hm", "sig")).flavour(flavour));
        assert!(post(&server, APIS[2].0, APIS[2].1).text().contains(field), "{field}");
    }
    server.queue(Reply::thinking("hm", "sig"));
    assert!(!post(&server, APIS[2].0, APIS[2].1).text().contains("hm"));
}

#[test]
fn bytes_are_cut_and_joined_as_requested() {
    for (path, body) in APIS {
        let cut = delivered(path, body, Delivery { cut_bytes: Some(1), ..Delivery::default() });
        assert!(cut.chunks.iter().all(|chunk| chunk.len() == 1), "{path}");
        let burst = delivered(path, body, Delivery { burst_bytes: Some(1 << 20), ..Delivery::default() });
        assert_eq!(burst.chunks.len(), 1, "{path}");
        assert_eq!(burst.text(), cut.text(), "{path}");
    }
}

#[test]
fn what_clients_must_skip_is_there() {
    let delivery = Delivery {
        crlf: true,
        comments: true,
        keep_alives: true,
        unknown_events: true,
        ..Delivery::default()
    };
    for (path, body) in &APIS[..4] {
        let text = delivered(path, body, delivery.clone()).text();
        assert!(text.contains("\r\n: a comment") && !text.replace("\r\n", "").contains('\n'), "{path}");
        assert!(text.contains("event: news.from.the.future\r\n"), "{path}");
        let keep_alive = if *path == "/v1/messages" { "event: ping\r\n" } else { "\r\n: keep-alive\r\n" };
        assert!(text.contains(keep_alive), "{path}");
    }
}

#[test]
fn connections_break_where_requested() {
    for (path, body) in APIS {
        let before = delivered(path, body, Delivery { drop_before_headers: true, ..Delivery::default() });
        assert_eq!(before.status, 0, "{path}");
        let healthy = delivered(path, body, Delivery::default());
        let during = delivered(path, body, Delivery { drop_at: Some(2), ..Delivery::default() });
        assert!(!during.is_whole && during.chunks[..] == healthy.chunks[..2], "{path}");
        let at_end = delivered(path, body, Delivery { drop_at_end: true, ..Delivery::default() });
        assert!(!at_end.is_whole && at_end.chunks == healthy.chunks, "{path}");
        let unended = delivered(path, body, Delivery { without_terminator: true, ..Delivery::default() });
        let last = healthy.chunks.len() - 1;
        assert!(unended.is_whole && unended.chunks[..] == healthy.chunks[..last], "{path}");
        let malformed = delivered(path, body, Delivery { malformed_at: Some(1), ..Delivery::default() });
        assert!(malformed.is_whole && malformed.events().len() < healthy.events().len(), "{path}");
    }
}

#[test]
fn a_failure_inside_the_stream_is_the_last_event() {
    for (path, body) in APIS {
        for failure in [Failure::Overloaded, Failure::Internal] {
            let delivery = Delivery { fail_at: Some((2, failure)), ..Delivery::default() };
            let response = delivered(path, body, delivery);
            let events = response.events();
            assert!(response.is_whole && events.len() == 3, "{path}: {}", response.text());
            let last = &events[2];
            let is_failure =
                last.get("error").is_some() || last["type"] == "error" || last["type"] == "response.failed";
            assert!(is_failure, "{path}: {last}");
        }
    }
}

#[test]
fn a_stalled_stream_waits_for_the_client_to_leave_and_notices_when() {
    for (path, body) in APIS {
        let server = ModelServer::start();
        server.queue(Answer::from(Reply::text("a long answer")).stall_at(1));
        let mut socket = connect(&server);
        send(&socket, path, KEYS, body);
        let mut first = [0; 512];
        assert!(socket.read(&mut first).unwrap() > 0);
        assert_eq!(server.requests()[0].closed_at(), None, "{path}");
        let left = Instant::now();
        socket.shutdown(Shutdown::Both).unwrap();
        drop(socket);
        assert!(server.wait_for_close(0) >= left, "{path}");
    }
}

#[test]
fn an_answer_received_whole_was_not_cancelled() {
    let server = ModelServer::start();
    assert!(post(&server, APIS[0].0, APIS[0].1).is_whole);
    assert_eq!(server.requests()[0].closed_at(), None);
}

#[test]
fn failures_have_the_providers_status_and_words() {
    let server = ModelServer::start();
    for (failure, statuses) in [
        (Failure::RateLimited, [429, 429, 429, 429, 429]),
        (Failure::Quota, [402, 429, 429, 429, 429]),
        (Failure::Overloaded, [529, 503, 503, 503, 503]),
        (Failure::Internal, [500; 5]),
        (Failure::Authentication, [401, 401, 401, 400, 401]),
        (Failure::ContextOverflow, [400; 5]),
    ] {
        for ((path, body), status) in APIS.iter().zip(statuses) {
            server.queue(Answer::failure(failure).header("retry-after-ms", "1500"));
            let response = post(&server, path, body);
            assert_eq!(response.status, status, "{path} {failure:?}");
            assert!(response.json().get("error").is_some(), "{path} {failure:?}");
            assert!(response.head.contains("retry-after-ms: 1500"), "{path}");
        }
    }
    server.queue(Answer::status(502, Failure::Internal));
    assert_eq!(post(&server, APIS[1].0, APIS[1].1).status, 502);
    server.queue(Answer::html(200));
    let page = post(&server, APIS[1].0, APIS[1].1);
    assert!(page.text().starts_with("<!DOCTYPE html>") && page.head.contains("text/html"));
    server.queue(Answer::rate_limited(3));
    assert!(post(&server, APIS[1].0, APIS[1].1).head.contains("retry-after: 3"));
}

#[test]
fn keys_are_wanted_where_the_provider_wants_them() {
    let server = ModelServer::start();
    let headers = [
        "x-api-key: k\r\nanthropic-version: 1\r\n",
        "authorization: Bearer k\r\n",
        "authorization: Bearer k\r\n",
        "x-goog-api-key: k\r\n",
        "",
    ];
    for ((path, body), right) in APIS.iter().zip(headers) {
        let close = "connection: close\r\n";
        assert_eq!(with_headers(&server, path, &format!("{right}{close}"), body).status, 200, "{path}");
        let missing = with_headers(&server, path, &format!("anthropic-version: 1\r\n{close}"), body).status;
        assert_eq!(
            missing,
            if *path == "/api/chat" {
                200
            } else if path.contains("v1beta") {
                400
            } else {
                401
            },
            "{path}"
        );
    }
    server.require_key("another");
    assert_eq!(post(&server, APIS[0].0, APIS[0].1).status, 401);
    server.needs_no_key();
    assert_eq!(with_headers(&server, APIS[2].0, "connection: close\r\n", APIS[2].1).status, 200);
}

#[test]
fn requests_a_provider_would_refuse_are_refused() {
    let server = ModelServer::start();
    for (path, body, complaint) in [
        ("/v1/messages", r#"{"model":"m","messages":[]}"#, "max_tokens"),
        ("/v1/responses", r#"{"model":"m"}"#, "input"),
        ("/v1/chat/completions", r#"{"messages":[]}"#, "model"),
        ("/v1beta/models/m:generateContent", "{}", "contents"),
        ("/api/chat", "no JSON", "JSON"),
    ] {
        let response = post(&server, path, body);
        assert_eq!(response.status, 400, "{path}");
        assert!(response.text().contains(complaint), "{path}: {}", response.text());
    }
    let headers = "x-api-key: k\r\nconnection: close\r\n";
    assert_eq!(with_headers(&server, APIS[0].0, headers, APIS[0].1).status, 400);
    assert!(server.requests().iter().all(|request| request.complaint.is_some()));
}

#[test]
fn requests_are_kept_as_they_came() {
    let server = ModelServer::start();
    drop(post(
        &server,
        "/v1beta/models/some-model:streamGenerateContent?alt=sse&key=1",
        r#"{"contents":[1]}"#,
    ));
    let request = server.prompts().remove(0);
    assert_eq!((request.method.as_str(), request.query.as_str()), ("POST", "alt=sse&key=1"));
    assert_eq!((request.api, request.model().as_str()), (Some(Api::Gemini), "some-model"));
    assert_eq!((request.header("host"), request.key()), (Some("x"), Some("k")));
    assert_eq!(request.body, json!({ "contents": [1] }));
}

#[test]
fn a_connection_is_used_again_and_chunked_requests_are_read() {
    let server = ModelServer::start();
    let mut socket = connect(&server);
    let read = |socket: &mut TcpStream| {
        let mut bytes = Vec::new();
        let mut some = [0; 4096];
        while !bytes.ends_with(b"0\r\n\r\n") {
            let count = socket.read(&mut some).unwrap();
            bytes.extend_from_slice(&some[..count]);
        }
        parse(&bytes)
    };
    send(&socket, APIS[0].0, KEYS, APIS[0].1);
    assert_eq!(read(&mut socket).status, 200);
    let (head, tail) = APIS[0].1.split_at(10);
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\n{KEYS}transfer-encoding: chunked\r\n\r\n{:x}\r\n{head}\r\n{:x}\r\n{tail}\r\n0\r\n\r\n",
        head.len(),
        tail.len()
    );
    socket.write_all(request.as_bytes()).unwrap();
    assert_eq!(read(&mut socket).status, 200);
    assert_eq!(server.requests()[1].body["max_tokens"], 9);
}

#[test]
fn headers_may_be_slow_and_answers_large() {
    let server = ModelServer::start();
    let delay = Duration::from_millis(50);
    server.queue(
        Answer::from(Reply::text("x")).delivery(Delivery { header_delay: delay, ..Delivery::default() }),
    );
    let begun = Instant::now();
    drop(post(&server, APIS[1].0, APIS[1].1));
    assert!(begun.elapsed() >= delay);
    let large = "y".repeat(3 << 20);
    server.queue(Reply::text(large.clone()).delta(64 << 10));
    let response = post(&server, APIS[4].0, APIS[4].1);
    let text: String = response
        .events()
        .iter()
        .map(|line| line["message"]["content"].as_str().unwrap().to_owned())
        .collect();
    assert!(response.is_whole && text == large);
}

#[test]
fn every_part_and_count_has_its_place() {
    let server = ModelServer::start();
    let usage = Usage { input: 1, output: 20, cache_read: 300, cache_write: 4000, reasoning: 5 };
    let reply = Reply::thinking("hm", "c2ln")
        .part(Part::Redacted("c2Vj".to_owned()))
        .part(Part::Unknown(json!({ "type": "tea", "hot": true })))
        .part(Part::Image { media_type: "image/png".to_owned(), data: "cG5n".to_owned() })
        .part(Part::Refusal("no".to_owned()))
        .usage(usage);
    server.respond(move |_| reply.clone().into());
    for (path, body, places) in [
        (
            APIS[0].0,
            r#"{"model":"m","max_tokens":9,"messages":[]}"#,
            &["signature\":\"c2ln", "redacted_thinking", "\"tea\"", "refusal", "300", "4000"][..],
        ),
        (
            APIS[1].0,
            r#"{"model":"m","input":""}"#,
            &[
                "encrypted_content\":\"c2ln",
                "c2Vj",
                "\"tea\"",
                "cG5n",
                "\"refusal\":\"no\"",
                "\"input_tokens\":4301",
                "\"reasoning_tokens\":5",
            ],
        ),
        (
            "/api/v1/chat/completions",
            r#"{"model":"m","messages":[]}"#,
            &[
                "c2ln",
                "reasoning.encrypted",
                "image/png;base64,cG5n",
                "\"refusal\":\"no\"",
                "\"prompt_tokens\":4301",
            ],
        ),
        (
            "/v1beta/models/m:generateContent",
            r#"{"contents":[]}"#,
            &[
                "thoughtSignature\":\"c2ln",
                "\"tea\"",
                "inlineData",
                "SAFETY",
                "\"thoughtsTokenCount\":5",
                "\"candidatesTokenCount\":15",
            ],
        ),
    ] {
        let text = post(&server, path, body).text();
        for place in places {
            assert!(text.contains(place), "{path}: {place} is not in {text}");
        }
    }
}

#[test]
fn invalid_arguments_reach_the_client_as_each_provider_lets_them() {
    let server = ModelServer::start();
    server.respond(|_| Reply::default().tool("call_1", "read", r#"{"path": "#).whole_arguments().into());
    for ((path, body), expected) in APIS.iter().zip([
        r#""partial_json":"{\"path\": ""#,
        r#""arguments":"{\"path\": ""#,
        r#""arguments":"{\"path\": ""#,
        "MALFORMED_FUNCTION_CALL",
        "error parsing tool call",
    ]) {
        let text = post(&server, path, body).text();
        assert!(text.contains(expected), "{path}: {text}");
    }
    assert!(!post(&server, APIS[1].0, APIS[1].1).text().contains("arguments.delta"), "only with done");
}

#[test]
fn a_script_is_followed() {
    let server = ModelServer::start();
    let script = r#"{
        "answers": [{ "text": "first" }],
        "rules": [{ "when": "tea", "times": 1, "answer": { "text": "second" } },
                  { "when": "tea", "answer": { "failure": "overloaded", "status": 500 } }],
        "default": { "text": "otherwise" }
    }"#;
    Script::parse(script).unwrap().direct(&server);
    let ask = |input: &str| {
        let response = post(&server, "/v1/responses", &format!(r#"{{"model":"m","input":"{input}"}}"#));
        (
            response.status,
            response.json()["output"][0]["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
        )
    };
    assert_eq!(ask("tea"), (200, "first".to_owned()));
    assert_eq!(ask("tea"), (200, "second".to_owned()));
    assert_eq!(ask("tea").0, 500);
    assert_eq!(ask("coffee"), (200, "otherwise".to_owned()));
}

#[test]
fn questions_on_the_side_do_not_use_up_a_script() {
    let server = ModelServer::start();
    Script::parse(r#"{ "answers": [{ "text": "first" }] }"#).unwrap().direct(&server);
    let side = r#"{"model":"m","input":"","text":{"format":{"schema":{"type":"object"}}}}"#;
    assert_eq!(post(&server, "/v1/responses", side).json()["output"][0]["content"][0]["text"], "{}");
    let main = post(&server, "/v1/responses", r#"{"model":"m","input":"hi"}"#).json();
    assert_eq!(main["output"][0]["content"][0]["text"], "first");
}

#[test]
fn other_questions_of_clients_are_answered() {
    let server = ModelServer::start();
    server.models(&["one", "two"]);
    let get = |path: &str, headers: &str| {
        let mut socket = connect(&server);
        write!(socket, "GET {path} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n").unwrap();
        let mut bytes = Vec::new();
        socket.read_to_end(&mut bytes).unwrap();
        parse(&bytes)
    };
    assert_eq!(get("/v1/models", "").json()["data"][1]["id"], "two");
    assert_eq!(get("/v1/models", "anthropic-version: 1\r\n").json()["data"][1]["type"], "model");
    assert_eq!(get("/v1beta/models", "").json()["models"][0]["name"], "models/one");
    assert_eq!(get("/api/tags", "").json()["models"][0]["name"], "one");
    assert_eq!(get("/", "").text(), "Ollama is running");
    assert_eq!(get("/nothing", "").status, 404);
    assert!(post(&server, "/v1/messages/count_tokens", "{}").json()["input_tokens"].is_number());
    assert!(server.prompts().is_empty());
}

#[test]
fn without_a_script_a_wanted_schema_is_followed() {
    let server = ModelServer::start();
    let schema = r#"{"type":"object","properties":{"score":{"type":"integer"}}}"#;
    for (path, body, place) in [
        (
            "/v1/messages",
            format!(
                r#"{{"model":"m","max_tokens":9,"messages":[],"output_config":{{"format":{{"type":"json_schema","schema":{schema}}}}}}}"#
            ),
            "/content/0/text",
        ),
        (
            "/v1/responses",
            format!(
                r#"{{"model":"m","input":"","text":{{"format":{{"type":"json_schema","schema":{schema}}}}}}}"#
            ),
            "/output/0/content/0/text",
        ),
        (
            "/v1/chat/completions",
            format!(
                r#"{{"model":"m","messages":[],"response_format":{{"json_schema":{{"schema":{schema}}}}}}}"#
            ),
            "/choices/0/message/content",
        ),
        (
            "/v1beta/models/m:generateContent",
            format!(r#"{{"contents":[],"generationConfig":{{"responseJsonSchema":{schema}}}}}"#),
            "/candidates/0/content/parts/0/text",
        ),
        (
            "/api/chat",
            format!(r#"{{"model":"m","messages":[],"stream":false,"format":{schema}}}"#),
            "/message/content",
        ),
    ] {
        let document = post(&server, path, &body).json();
        assert_eq!(document.pointer(place).and_then(Value::as_str), Some(r#"{"score":1}"#), "{document}");
    }
}
