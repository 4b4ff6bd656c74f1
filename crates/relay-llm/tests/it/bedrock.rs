//! Bedrock, against a server that answers with Amazon's event stream.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

use relay_diagnostics::Cancel;
use relay_llm::{Auth, Client, Compat, Key, Model, Provider, Wire};

use crate::support::{Told, check, options, prompt};

/// A message of the event stream. The checksums are those of Amazon's format: CRC-32 over everything before each.
fn message(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).unwrap());
        block.extend_from_slice(name.as_bytes());
        block.push(7);
        block.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        block.extend_from_slice(value.as_bytes());
    }
    let mut message = Vec::new();
    message.extend_from_slice(&u32::try_from(16 + block.len() + payload.len()).unwrap().to_be_bytes());
    message.extend_from_slice(&u32::try_from(block.len()).unwrap().to_be_bytes());
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    message.extend_from_slice(&block);
    message.extend_from_slice(payload.as_bytes());
    message.extend_from_slice(&crc32(&message).to_be_bytes());
    message
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = !0_u32;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            text.push(if digit <= three.len() { char::from(DIGITS[index as usize]) } else { '=' });
        }
    }
    text
}

fn chunk(event: &str) -> Vec<u8> {
    let payload = format!(r#"{{"bytes":"{}"}}"#, base64(event.as_bytes()));
    message(
        &[(":event-type", "chunk"), (":content-type", "application/json"), (":message-type", "event")],
        &payload,
    )
}

/// Answers one request with these bytes, cut into pieces; returns the events, and the request.
fn ask(body: Vec<u8>, cut: usize, key: &str) -> (Told, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(socket.try_clone().unwrap());
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            reader.read_line(&mut request).unwrap();
        }
        let length = request.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut sent = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut sent).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\nconnection: close\r\n\r\n";
        (&socket).write_all(head.as_bytes()).unwrap();
        for piece in body.chunks(cut) {
            (&socket).write_all(piece).unwrap();
        }
        request + &String::from_utf8(sent).unwrap()
    });
    let provider = Provider {
        name: "bedrock".to_owned(),
        wire: Wire::Bedrock,
        base_url: url,
        auth: Auth::Sigv4 { region: "eu-central-1".to_owned() },
        headers: std::collections::BTreeMap::new(),
        compat: Compat::default(),
    };
    let model = Model::new(Arc::new(provider), "anthropic.claude-v1:0");
    let options = relay_llm::ClientOptions {
        retry: relay_llm::RetrySettings { enabled: false, ..relay_llm::RetrySettings::default() },
        ..options()
    };
    let told = check(Client::new(options).stream(&model, &Key::new(key), &prompt(), &Cancel::new()));
    (told, server.join().unwrap())
}

fn hello() -> Vec<u8> {
    [
        r#"{"type":"message_start","message":{"id":"msg_1","model":"claude","usage":{"input_tokens":5,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße."}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}"#,
        r#"{"type":"message_stop"}"#,
    ]
    .iter()
    .flat_map(|event| chunk(event))
    .collect()
}

#[test]
fn an_answer_over_the_event_stream() {
    for cut in [1, 7, 100_000] {
        let (told, request) = ask(hello(), cut, "AKID:secret-key:token");
        assert_eq!((told.outcome().as_str(), told.text().as_str()), ("done", "Grüße."), "{:?}", told.error);
        assert!(
            request.starts_with("POST /model/anthropic.claude-v1%3A0/invoke-with-response-stream"),
            "{request}"
        );
        assert!(
            request.contains("Credential=AKID/") && request.contains("/eu-central-1/bedrock/aws4_request")
        );
        assert!(request.contains("x-amz-security-token: token"), "{request}");
        assert!(request.contains(r#""anthropic_version":"bedrock-2023-05-31""#), "{request}");
        assert!(!request.contains("secret-key") && !request.contains(r#""stream""#), "{request}");
    }
}

#[test]
fn an_api_key_of_bedrock_goes_as_a_bearer_token() {
    let (told, request) = ask(hello(), 100_000, "bedrock-api-key");
    assert_eq!(told.outcome(), "done");
    assert!(request.contains("authorization: Bearer bedrock-api-key"), "{request}");
}

#[test]
fn failures_inside_the_stream_are_typed() {
    for (exception, expected) in [
        ("throttlingException", "RateLimit"),
        ("serviceUnavailableException", "Overloaded"),
        ("internalServerException", "Server"),
    ] {
        let body = message(
            &[(":exception-type", exception), (":message-type", "exception")],
            r#"{"message":"It did not work."}"#,
        );
        let (told, _) = ask(body, 100_000, "AKID:secret");
        assert_eq!(told.outcome(), expected);
        assert_eq!(told.error.unwrap().message, "It did not work.");
    }
    let prompt_too_long = message(
        &[(":exception-type", "validationException"), (":message-type", "exception")],
        r#"{"message":"prompt is too long: 300000 tokens > 200000 maximum"}"#,
    );
    assert_eq!(ask(prompt_too_long, 100_000, "AKID:secret").0.outcome(), "ContextOverflow");
}

#[test]
fn damaged_bytes_are_refused() {
    let mut body = hello();
    body[40] ^= 1;
    assert_eq!(ask(body, 100_000, "AKID:secret").0.outcome(), "Malformed");
}
