//! What a streamed answer costs from the socket to its reader: `cargo bench -p relay-llm` prints a table.
//!
//! The server is this program again, in a process of its own, with the answer ready in memory; so the user + system time
//! of this process is the client's alone. Resident memory is that of a third process which asks one question and ends.

#![allow(missing_docs, reason = "a program, not a library")]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark starts what it measures, and one that cannot run should say so loudly"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use relay_diagnostics::Cancel;
use relay_llm::{
    Auth, Client, ClientOptions, Compat, Event, Key, Message, Model, PartialJson, Provider, Request, Wire,
};

const BURST: usize = 16 << 10;
const DELTAS: usize = 20_000;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("serve") => serve(&std::env::args().nth(2).unwrap()),
        Some("once") => once(&std::env::args().nth(2).unwrap()),
        _ => {
            println!("{:<52} {:>14} {:>12}", "", "user + system", "wall");
            for format in ["anthropic", "responses", "chat", "google", "ollama"] {
                deltas(format);
            }
            for kilobytes in [256, 512, 1024, 2048] {
                arguments(kilobytes);
            }
            memory();
            cancelling();
        }
    }
}

/// 20,000 deltas in bursts of 16 KB.
fn deltas(format: &'static str) {
    let (server, url) = start(&format!("{format}:text:{DELTAS}"));
    let model = model(format, &url);
    let client = Client::new(ClientOptions::default());
    ask(&client, &model);
    let runs = 20;
    let (begun, before) = (Instant::now(), own_ticks());
    for _ in 0..runs {
        assert_eq!(ask(&client, &model), DELTAS * 5);
    }
    let cpu = (own_ticks() - before) as f64 * 10_000.0 / (runs * DELTAS) as f64;
    let wall = begun.elapsed().as_secs_f64() * 1e6 / (runs * DELTAS) as f64;
    println!("{:<52} {cpu:>11.2} µs {wall:>9.2} µs", format!("{format}: one of {DELTAS} deltas"));
    stop(server);
}

/// A tool's argument in pieces of 20 bytes, parsed while it comes.
fn arguments(kilobytes: usize) {
    let pieces = kilobytes * 1024 / 20;
    let (server, url) = start(&format!("anthropic:tool:{pieces}"));
    let model = model("anthropic", &url);
    let client = Client::new(ClientOptions::default());
    let runs = 8;
    let (begun, before) = (Instant::now(), own_ticks());
    for _ in 0..runs {
        let mut json = PartialJson::default();
        for event in client.stream(&model, &Key::new("k"), &request(), &Cancel::new()) {
            if let Event::Delta { text, .. } = &event {
                json.push(text);
            }
            assert!(!matches!(event, Event::Error { .. }), "{event:?}");
        }
        assert_eq!(json.value()["text"].as_str().unwrap().len(), pieces * 20);
    }
    let cpu = (own_ticks() - before) as f64 * 10.0 / runs as f64;
    let wall = begun.elapsed().as_secs_f64() * 1e3 / runs as f64;
    println!(
        "{:<52} {cpu:>11.1} ms {wall:>9.1} ms",
        format!("a tool argument of {kilobytes} KB in 20-byte pieces")
    );
    stop(server);
}

/// What a process holds that asks one question.
fn memory() {
    let (server, url) = start("anthropic:text:400");
    let output = Command::new(std::env::current_exe().unwrap()).args(["once", &url]).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    println!("{:<52} {:>14}", "resident memory of a one-shot answer", shown.trim());
    stop(server);
}

/// How soon the socket is closed after a reader cancels.
fn cancelling() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let waits: Vec<f64> = (0..20)
        .map(|_| {
            let client = Client::new(ClientOptions::default());
            let cancel = Cancel::new();
            let stream = client.stream(&model("anthropic", &url), &Key::new("k"), &request(), &cancel);
            let (mut socket, _) = listener.accept().unwrap();
            read_request(&socket);
            let begun = Instant::now();
            cancel.cancel();
            while socket.read(&mut [0; 1024]).unwrap_or(0) > 0 {}
            let waited = begun.elapsed().as_secs_f64() * 1e3;
            drop(stream);
            waited
        })
        .collect();
    let longest = waits.iter().copied().fold(0.0, f64::max);
    println!("{:<52} {:>14} {longest:>9.1} ms", "longest time from cancelling to a closed socket", "");
}

fn once(url: &str) {
    let client = Client::new(ClientOptions::default());
    assert!(ask(&client, &model("anthropic", url)) > 0);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    println!("{}", peak.trim());
}

/// Asks and returns how many bytes of text came.
fn ask(client: &Client, model: &Model) -> usize {
    let mut bytes = 0;
    for event in client.stream(model, &Key::new("k"), &request(), &Cancel::new()) {
        match event {
            Event::Delta { text, .. } => bytes += text.len(),
            Event::Error { error, .. } => panic!("{error}"),
            _ => {}
        }
    }
    bytes
}

fn request() -> Request {
    Request { messages: vec![Message::text("Hi")], ..Request::default() }
}

fn model(format: &str, url: &str) -> Model {
    let wire = match format {
        "anthropic" => Wire::AnthropicMessages,
        "responses" => Wire::OpenaiResponses,
        "chat" => Wire::OpenaiChat,
        "google" => Wire::Google,
        _ => Wire::Ollama,
    };
    let provider = Provider {
        name: format.to_owned(),
        wire,
        base_url: url.to_owned(),
        auth: Auth::Bearer,
        headers: std::collections::BTreeMap::new(),
        compat: Compat::default(),
    };
    Model::new(Arc::new(provider), "m")
}

/// The events of an answer in one format, as it goes over the wire.
fn answer(script: &str) -> Vec<u8> {
    let parts: Vec<&str> = script.split(':').collect();
    let (format, kind, count) = (parts[0], parts[1], parts[2].parse::<usize>().unwrap());
    let mut body = String::new();
    let mut event = |data: &str| {
        if format == "ollama" {
            body.push_str(&format!("{data}\n"));
        } else {
            body.push_str(&format!("event: x\ndata: {data}\n\n"));
        }
    };
    match (format, kind) {
        ("anthropic", _) => {
            event(
                r#"{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":5,"output_tokens":1}}}"#,
            );
            if kind == "tool" {
                event(
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"edit","input":{}}}"#,
                );
                let piece = |json: &str| {
                    format!(
                        r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":"{json}"}}}}"#
                    )
                };
                event(&piece(r#"{\"text\":\""#));
                for _ in 0..count {
                    event(&piece("abcdefghij klmnopqrs"));
                }
                event(&piece(r#"\"}"#));
            } else {
                event(
                    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
                );
                for number in 0..count {
                    event(&format!(
                        r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{number:05}"}}}}"#
                    ));
                }
            }
            event(r#"{"type":"content_block_stop","index":0}"#);
            event(
                r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
            );
            event(r#"{"type":"message_stop"}"#);
        }
        ("responses", _) => {
            event(r#"{"type":"response.created","response":{"id":"r","model":"m"}}"#);
            event(
                r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1","content":[]}}"#,
            );
            for number in 0..count {
                event(&format!(
                    r#"{{"type":"response.output_text.delta","sequence_number":{number},"item_id":"msg_1","output_index":0,"content_index":0,"delta":"{number:05}","logprobs":[]}}"#
                ));
            }
            event(r#"{"type":"response.completed","response":{"id":"r","model":"m","status":"completed"}}"#);
        }
        ("chat", _) => {
            for number in 0..count {
                event(&format!(
                    r#"{{"id":"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT","object":"chat.completion.chunk","created":1741569952,"model":"m","service_tier":"default","system_fingerprint":"fp_50cad350e4","choices":[{{"index":0,"delta":{{"content":"{number:05}"}},"logprobs":null,"finish_reason":null}}]}}"#
                ));
            }
            event(r#"{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#);
            event("[DONE]");
        }
        ("google", _) => {
            for number in 0..count {
                event(&format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{number:05}"}}],"role":"model"}},"index":0}}],"usageMetadata":{{"promptTokenCount":8,"candidatesTokenCount":6,"totalTokenCount":14}},"modelVersion":"m","responseId":"r"}}"#
                ));
            }
            event(
                r#"{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP"}]}"#,
            );
        }
        _ => {
            for number in 0..count {
                event(&format!(
                    r#"{{"model":"m","created_at":"2025-10-26T17:15:24.097767Z","message":{{"role":"assistant","content":"{number:05}"}},"done":false}}"#
                ));
            }
            event(
                r#"{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#,
            );
        }
    }
    body.into_bytes()
}

/// Serves one answer forever. The address goes to standard output.
fn serve(script: &str) {
    let body = Arc::new(answer(script));
    let is_lines = script.starts_with("ollama");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("http://{}", listener.local_addr().unwrap());
    for socket in listener.incoming() {
        let (socket, body) = (socket.unwrap(), Arc::clone(&body));
        std::thread::spawn(move || {
            socket.set_nodelay(true).unwrap();
            while read_request(&socket) {
                let media_type = if is_lines { "application/x-ndjson" } else { "text/event-stream" };
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ntransfer-encoding: chunked\r\n\r\n"
                );
                let mut socket = &socket;
                socket.write_all(head.as_bytes()).unwrap();
                for burst in body.chunks(BURST) {
                    let mut chunk = format!("{:x}\r\n", burst.len()).into_bytes();
                    chunk.extend_from_slice(burst);
                    chunk.extend_from_slice(b"\r\n");
                    if socket.write_all(&chunk).is_err() {
                        return;
                    }
                }
                socket.write_all(b"0\r\n\r\n").unwrap();
            }
        });
    }
}

/// Reads a request to its end; false when the client is gone.
fn read_request(socket: &TcpStream) -> bool {
    let mut reader = BufReader::new(socket);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return false;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).is_ok()
}

fn start(script: &str) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["serve", script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line.trim().to_owned())
}

fn stop(mut server: Child) {
    server.kill().unwrap();
    server.wait().unwrap();
}

/// User and system time of this process in hundredths of a second.
fn own_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}
