//! Google's Gemini.
//!
//! Tool calls come whole, so each is emitted with one delta. Signatures may be on any part and go back on the same one.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Decode, Flow, Framing, Written, broke_off, fresh_id, is_own, or_default, parse, put};
use crate::assemble::Assembler;
use crate::classify;
use crate::error::{Error, ErrorKind};
use crate::event::{Kind, StopReason};
use crate::message::{Block, Image, Message, Role, Seal, ToolResult};
use crate::model::{Model, ThinkingStyle};
use crate::provider::Wire;
use crate::request::{Request, Thinking, ToolChoice};

/// Replaces the signature of a call that another model made; without any, the call is refused.
const FOREIGN_SIGNATURE: &str = "skip_thought_signature_validator";

/// Writes a request.
pub(super) fn write(model: &Model, request: &Request) -> Written {
    let base = model.provider.base_url.trim_end_matches('/');
    let version = if base.ends_with("/v1beta") || base.ends_with("/v1") { "" } else { "/v1beta" };
    let id = model.id.strip_prefix("models/").unwrap_or(&model.id);
    Written {
        path: format!("{version}/models/{id}:streamGenerateContent?alt=sse"),
        headers: vec![("accept", "text/event-stream".to_owned())],
        body: body(model, request),
        framing: Framing::Sse,
        decoder: || Box::new(Decoder::default()),
    }
}

fn body(model: &Model, request: &Request) -> Value {
    let mut body = json!({ "contents": contents(model, request) });
    if !request.system.is_empty() {
        put(&mut body, "systemInstruction", json!({ "parts": [{ "text": request.system }] }));
    }
    if !request.tools.is_empty() && model.capabilities.tools {
        let declaration = |tool: &crate::request::Tool| {
            json!({
                "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters,
            })
        };
        let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
        put(&mut body, "tools", json!([{ "functionDeclarations": declarations }]));
        let calling = match &request.tool_choice {
            ToolChoice::Auto => None,
            ToolChoice::None => Some(json!({ "mode": "NONE" })),
            ToolChoice::Required => Some(json!({ "mode": "ANY" })),
            ToolChoice::Named(name) => Some(json!({ "mode": "ANY", "allowedFunctionNames": [name] })),
        };
        if let Some(calling) = calling {
            put(&mut body, "toolConfig", json!({ "functionCallingConfig": calling }));
        }
    }
    put(&mut body, "generationConfig", config(model, request));
    if let Some(tier) = &request.service_tier {
        put(&mut body, "serviceTier", json!(tier));
    }
    body
}

fn config(model: &Model, request: &Request) -> Value {
    let max = request.max_output.unwrap_or(model.limits.output).min(model.limits.output);
    let mut config = json!({ "maxOutputTokens": max });
    if let Some(temperature) = request.temperature {
        put(&mut config, "temperature", json!(temperature));
    }
    if !request.stop_sequences.is_empty() {
        put(&mut config, "stopSequences", json!(request.stop_sequences));
    }
    if let Some(output) = &request.output
        && model.capabilities.structured
    {
        put(&mut config, "responseMimeType", json!("application/json"));
        put(&mut config, "responseJsonSchema", output.schema.clone());
    }
    if let Some(level) = request.thinking {
        let is_on = level != Thinking::Off;
        let thinking = match model.capabilities.thinking {
            ThinkingStyle::None => None,
            ThinkingStyle::Budget => {
                Some(json!({ "includeThoughts": is_on, "thinkingBudget": level.budget_tokens() }))
            }
            ThinkingStyle::Effort | ThinkingStyle::Adaptive => {
                let name = match level {
                    Thinking::Off | Thinking::Minimal => "MINIMAL",
                    Thinking::Low => "LOW",
                    Thinking::Medium => "MEDIUM",
                    Thinking::High | Thinking::Max => "HIGH",
                };
                Some(json!({ "includeThoughts": is_on, "thinkingLevel": name }))
            }
        };
        if let Some(thinking) = thinking {
            put(&mut config, "thinkingConfig", thinking);
        }
    }
    config
}

fn contents(model: &Model, request: &Request) -> Vec<Value> {
    let mut contents = Vec::new();
    for message in &request.messages {
        let role = if message.role == Role::User { "user" } else { "model" };
        let parts: Vec<Value> =
            message.content.iter().filter_map(|block| part(block, message, model)).collect();
        if !parts.is_empty() {
            contents.push(json!({ "role": role, "parts": parts }));
        }
        // Results must be in a message of their own, so the images in them follow as if the user had sent them.
        let images: Vec<Value> = message.content.iter().flat_map(result_images).map(write_image).collect();
        if !images.is_empty() && model.capabilities.images {
            contents.push(json!({ "role": "user", "parts": images }));
        }
    }
    contents
}

fn result_images(block: &Block) -> Vec<&Image> {
    match block {
        Block::ToolResult(result) => result.images().collect(),
        _ => Vec::new(),
    }
}

fn part(block: &Block, message: &Message, model: &Model) -> Option<Value> {
    let is_own = is_own(message, model);
    let signature = |seal: &Option<Seal>| match seal {
        Some(Seal::Signature { signature }) if is_own => Some(signature.clone()),
        _ => None,
    };
    let signed = |mut part: Value, signature: Option<String>| {
        if let Some(signature) = signature {
            put(&mut part, "thoughtSignature", json!(signature));
        }
        part
    };
    Some(match block {
        Block::Text { text, seal } => {
            let signature = signature(seal);
            if text.is_empty() && signature.is_none() {
                return None;
            }
            signed(json!({ "text": text }), signature)
        }
        Block::Thinking { text, seal } => {
            let signature = signature(seal)?;
            signed(json!({ "text": text, "thought": true }), Some(signature))
        }
        Block::ToolCall(call) => {
            let part = json!({ "functionCall": { "name": call.name, "args": call.arguments.history() } });
            let foreign = !is_own && model.capabilities.thinking != ThinkingStyle::None;
            let signature = signature(&call.seal).or_else(|| foreign.then(|| FOREIGN_SIGNATURE.to_owned()));
            signed(part, signature)
        }
        Block::ToolResult(result) => tool_result(result),
        Block::Image(image) if model.capabilities.images => write_image(image),
        Block::Unknown { wire: Wire::Google, value } if is_own => value.clone(),
        Block::Image(_) | Block::Unknown { .. } => return None,
    })
}

fn tool_result(result: &ToolResult) -> Value {
    let key = if result.is_error { "error" } else { "output" };
    json!({ "functionResponse": { "name": result.name, "response": { key: result.text() } } })
}

fn write_image(image: &Image) -> Value {
    json!({ "inlineData": { "mimeType": image.media_type, "data": image.data } })
}

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// The block of words or thoughts that is being received, and whether it is thoughts.
    prose: Option<(bool, usize)>,
    has_stop: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default, deserialize_with = "or_default")]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<Feedback>,
    usage_metadata: Option<Counts>,
    model_version: Option<String>,
    response_id: Option<String>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default, deserialize_with = "or_default")]
    parts: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    block_reason: Option<String>,
    block_reason_message: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counts {
    prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
}

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        let chunk: Chunk = parse(data, answer)?;
        if let Some(error) = chunk.error {
            return Err(classify::body(&error).into_error(&answer.turn().origin.provider));
        }
        answer.start(chunk.response_id.as_deref(), chunk.model_version.as_deref());
        if let Some(counts) = &chunk.usage_metadata {
            count(counts, answer);
        }
        if let Some(feedback) = chunk.prompt_feedback
            && let Some(reason) = feedback.block_reason
        {
            let message =
                feedback.block_reason_message.unwrap_or_else(|| format!("the prompt was blocked: {reason}"));
            return Err(answer.error(ErrorKind::Refusal, message));
        }
        if let Some(candidate) = chunk.candidates.into_iter().next() {
            for part in candidate.content.into_iter().flat_map(|content| content.parts) {
                self.part(part, answer)?;
            }
            if let Some(reason) = candidate.finish_reason {
                self.stop(&reason, candidate.finish_message, answer)?;
            }
        }
        Ok(Flow::More)
    }

    /// The format has no last event: a closed connection after a reason to stop is the end.
    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        self.close(answer);
        if self.has_stop { Ok(()) } else { Err(broke_off(answer)) }
    }
}

impl Decoder {
    fn part(&mut self, part: Value, answer: &mut Assembler) -> Result<(), Error> {
        let signature = part.get("thoughtSignature").and_then(Value::as_str);
        let seal = signature.map(|signature| Seal::Signature { signature: signature.to_owned() });
        if let Some(text) = part.get("text").and_then(Value::as_str) {
            let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
            // A signature may come alone, with an empty text, for what came before it.
            let index = match self.prose {
                Some((_, index)) if text.is_empty() && seal.is_some() => index,
                _ if text.is_empty() && seal.is_none() => return Ok(()),
                _ => self.prose(is_thought, answer),
            };
            answer.delta(index, text)?;
            if let Some(seal) = seal {
                answer.seal(index, seal);
            }
        } else if let Some(call) = part.get("functionCall") {
            self.close(answer);
            let text = |key: &str| call.get(key).and_then(Value::as_str).map(str::to_owned);
            let id = text("id").unwrap_or_else(fresh_id);
            let index = answer.begin(Kind::ToolCall { id, name: text("name").unwrap_or_default() });
            let args = call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string);
            answer.delta(index, &args)?;
            if let Some(seal) = seal {
                answer.seal(index, seal);
            }
            answer.end(index);
        } else if let Some(image) = read_image(&part) {
            self.close(answer);
            answer.whole(Block::Image(image));
        } else {
            self.close(answer);
            answer.whole(Block::Unknown { wire: Wire::Google, value: part });
        }
        Ok(())
    }

    /// The block for words or thoughts; the other kind ends when one begins.
    fn prose(&mut self, is_thought: bool, answer: &mut Assembler) -> usize {
        if let Some((open, index)) = self.prose
            && open == is_thought
        {
            return index;
        }
        self.close(answer);
        let index = answer.begin(if is_thought { Kind::Thinking } else { Kind::Text });
        self.prose = Some((is_thought, index));
        index
    }

    fn close(&mut self, answer: &mut Assembler) {
        if let Some((_, index)) = self.prose.take() {
            answer.end(index);
        }
    }

    fn stop(&mut self, reason: &str, told: Option<String>, answer: &mut Assembler) -> Result<(), Error> {
        self.has_stop = true;
        let turn = answer.turn_mut();
        turn.stop_detail = Some(reason.to_owned());
        turn.stop = if reason == "MAX_TOKENS" { StopReason::Length } else { StopReason::Stop };
        let kind = match reason {
            "STOP" | "MAX_TOKENS" | "FINISH_REASON_UNSPECIFIED" => return Ok(()),
            "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" | "TOO_MANY_TOOL_CALLS" => {
                ErrorKind::Malformed
            }
            "OTHER" | "IMAGE_OTHER" | "NO_IMAGE" | "CONTINUATION" => ErrorKind::Server,
            _ => ErrorKind::Refusal,
        };
        let message = told.unwrap_or_else(|| format!("the provider stopped the answer: {reason}"));
        Err(answer.error(kind, message))
    }
}

fn read_image(part: &Value) -> Option<Image> {
    let data = part.get("inlineData")?;
    let media_type = data.get("mimeType")?.as_str().filter(|kind| kind.starts_with("image/"))?.to_owned();
    Some(Image { media_type, data: data.get("data")?.as_str()?.to_owned() })
}

fn count(counts: &Counts, answer: &mut Assembler) {
    let number = |count: Option<u64>| count.unwrap_or(0);
    let (cached, thoughts) = (number(counts.cached_content_token_count), number(counts.thoughts_token_count));
    let prompt = number(counts.prompt_token_count).saturating_add(number(counts.tool_use_prompt_token_count));
    let usage = &mut answer.turn_mut().usage;
    usage.input = prompt.saturating_sub(cached);
    usage.cache_read = cached;
    usage.output = number(counts.candidates_token_count).saturating_add(thoughts);
    usage.reasoning = thoughts;
}
