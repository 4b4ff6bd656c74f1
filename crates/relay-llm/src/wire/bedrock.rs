//! Anthropic's models on Amazon Bedrock: the same JSON, another envelope.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Decode, Flow, Framing, Written, anthropic, parse, put};
use crate::assemble::Assembler;
use crate::classify::Refused;
use crate::error::{Error, ErrorKind};
use crate::model::Model;
use crate::request::Request;
use crate::sigv4;

/// The version of Anthropic's format on Bedrock.
const VERSION: &str = "bedrock-2023-05-31";

/// Writes a request. The model's name is in the path, not in the body.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    let mut body = anthropic::body(model, request);
    if let Value::Object(fields) = &mut body {
        fields.shift_remove("model");
        fields.shift_remove("stream");
    }
    put(&mut body, "anthropic_version", json!(VERSION));
    Written {
        path: format!("/model/{}/invoke-with-response-stream", sigv4::escape(&model.id)),
        headers: vec![("accept", "application/vnd.amazon.eventstream".to_owned())],
        body,
        framing: Framing::EventStream,
        decoder: || Box::new(Decoder::default()),
    }
}

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder(anthropic::Decoder);

/// A message of the stream, or a failure in its place.
#[derive(Deserialize)]
struct Envelope {
    bytes: Option<String>,
    exception: Option<String>,
    message: Option<String>,
}

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        let envelope: Envelope = parse(data, answer)?;
        if let Some(exception) = envelope.exception {
            let message = envelope.message.unwrap_or_else(|| exception.clone());
            return Err(failed(&exception, message, answer));
        }
        let bytes = STANDARD.decode(envelope.bytes.unwrap_or_default()).map_err(|error| {
            answer.error(ErrorKind::Malformed, format!("an event of the answer is not in base64: {error}"))
        })?;
        self.0.frame(&bytes, answer)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        self.0.finish(answer)
    }
}

fn failed(exception: &str, message: String, answer: &Assembler) -> Error {
    let kind = match exception {
        "throttlingException" => ErrorKind::RateLimit,
        "serviceUnavailableException" => ErrorKind::Overloaded,
        "modelTimeoutException" => ErrorKind::Timeout,
        "accessDeniedException" => ErrorKind::Auth,
        "validationException" => {
            let refused = Refused { status: Some(400), message, ..Refused::default() };
            return refused.into_error(&answer.turn().origin.provider);
        }
        _ => ErrorKind::Server,
    };
    answer.error(kind, message)
}
