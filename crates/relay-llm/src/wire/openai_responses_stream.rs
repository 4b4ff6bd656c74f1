//! OpenAI's Responses: what comes back.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::openai_responses::{FREE_ARGUMENT, FREE_CALL};
use super::{Decode, Flow, broke_off, or_default, parse};
use crate::assemble::Assembler;
use crate::classify;
use crate::error::{Error, ErrorKind};
use crate::event::{Kind, StopReason};
use crate::message::{Block, Seal};
use crate::provider::Wire;

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// The provider's index of an item, and the block it became.
    items: BTreeMap<u64, usize>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    output_index: Option<u64>,
    summary_index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow)]
    input: Option<Cow<'a, str>>,
    #[serde(borrow)]
    item: Option<&'a RawValue>,
    #[serde(borrow)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, deserialize_with = "or_default")]
    id: String,
    #[serde(default, deserialize_with = "or_default")]
    call_id: String,
    #[serde(default, deserialize_with = "or_default")]
    name: String,
    arguments: Option<String>,
    /// The text of a call that is no JSON.
    input: Option<String>,
    #[serde(default, deserialize_with = "or_default")]
    status: String,
    encrypted_content: Option<String>,
    phase: Option<String>,
    content: Option<Vec<Part>>,
    summary: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Response {
    id: Option<String>,
    model: Option<String>,
    error: Option<Value>,
    incomplete_details: Option<Incomplete>,
    usage: Option<Counts>,
    service_tier: Option<String>,
}

#[derive(Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Deserialize)]
struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

/// Events that only repeat what others say.
const REPEATED: [&str; 10] = [
    "response.in_progress",
    "response.queued",
    "response.content_part.added",
    "response.content_part.done",
    "response.output_text.done",
    "response.output_text.annotation.added",
    "response.refusal.done",
    "response.reasoning_summary_part.done",
    "response.reasoning_summary_text.done",
    "response.reasoning_text.done",
];

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        // Compatible servers end their streams like those of Chat Completions.
        if data.trim_ascii() == b"[DONE]" {
            return self.finish(answer).map(|()| Flow::Finished);
        }
        let frame: Frame<'_> = parse(data, answer)?;
        let block = frame.output_index.and_then(|at| self.items.get(&at).copied());
        let delta = frame.delta.as_deref().unwrap_or_default();
        match &*frame.kind {
            "response.output_text.delta"
            | "response.function_call_arguments.delta"
            | "response.reasoning_summary_text.delta"
            | "response.reasoning_text.delta" => {
                if let Some(block) = block {
                    answer.delta(block, delta)?;
                }
            }
            "response.refusal.delta" => {
                if let Some(block) = block {
                    answer.delta(block, delta)?;
                }
                self.refusal.get_or_insert_default().push_str(delta);
            }
            "response.reasoning_summary_part.added" => {
                if let Some(block) = block
                    && frame.summary_index.is_some_and(|index| index > 0)
                    && answer.len(block) > 0
                {
                    answer.delta(block, "\n\n")?;
                }
            }
            "response.function_call_arguments.done" => {
                if let Some(block) = block {
                    answer.complete(block, frame.arguments.as_deref().unwrap_or_default())?;
                }
            }
            "response.custom_tool_call_input.delta" | "response.custom_tool_call_input.done" => {
                free_text(&frame, block, answer)?;
            }
            "response.output_item.added" => {
                if let (Some(at), Some(item)) = (frame.output_index, frame.item) {
                    let item: Item = parse(item.get().as_bytes(), answer)?;
                    self.begin(at, &item, answer)?;
                }
            }
            "response.output_item.done" => {
                if let (Some(at), Some(raw)) = (frame.output_index, frame.item) {
                    self.end(at, raw, answer)?;
                }
            }
            "response.created" => {
                let response = response(frame.response, answer)?;
                answer.start(response.id.as_deref(), response.model.as_deref());
            }
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                let response = response(frame.response, answer)?;
                return self.close(&frame.kind, response, answer).map(|()| Flow::Finished);
            }
            "error" => {
                let error: Value = parse(data, answer)?;
                return Err(failed(&error, answer));
            }
            kind if REPEATED.contains(&kind) => {}
            other => answer.unknown_event(other),
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        Err(broke_off(answer))
    }
}

impl Decoder {
    fn begin(&mut self, at: u64, item: &Item, answer: &mut Assembler) -> Result<(), Error> {
        let kind = match item.kind.as_str() {
            "message" => Kind::Text,
            "reasoning" => Kind::Thinking,
            "function_call" | FREE_CALL => {
                Kind::ToolCall { id: format!("{}|{}", item.call_id, item.id), name: item.name.clone() }
            }
            _ => Kind::Other,
        };
        let block = answer.begin(kind);
        self.items.insert(at, block);
        match item.kind.as_str() {
            FREE_CALL => answer.delta(block, &format!("{{\"{FREE_ARGUMENT}\":\"")),
            _ => Ok(()),
        }
    }

    /// The finished item has everything: what did not come before comes now.
    fn end(&mut self, at: u64, raw: &RawValue, answer: &mut Assembler) -> Result<(), Error> {
        let item: Item = parse(raw.get().as_bytes(), answer)?;
        if !self.items.contains_key(&at) {
            self.begin(at, &item, answer)?;
        }
        let Some(block) = self.items.remove(&at) else { return Ok(()) };
        match item.kind.as_str() {
            "message" => {
                let parts = item.content.unwrap_or_default();
                let refusal: String = parts.iter().filter_map(|part| part.refusal.as_deref()).collect();
                if !refusal.is_empty() {
                    self.refusal = Some(refusal);
                }
                let text = |part: Part| part.text.or(part.refusal);
                answer.complete(block, &parts.into_iter().filter_map(text).collect::<String>())?;
                answer.seal(block, Seal::Item { id: item.id, encrypted: None, phase: item.phase });
                answer.end(block);
            }
            "reasoning" => {
                let parts =
                    item.summary.filter(|parts| !parts.is_empty()).or(item.content).unwrap_or_default();
                if answer.len(block) == 0 {
                    let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
                    answer.delta(block, &texts.join("\n\n"))?;
                }
                answer
                    .seal(block, Seal::Item { id: item.id, encrypted: item.encrypted_content, phase: None });
                answer.end(block);
            }
            "function_call" => {
                answer.complete(block, item.arguments.as_deref().unwrap_or_default())?;
                answer.end(block);
            }
            FREE_CALL => {
                // A text that was cut off looks whole; without its end the arguments are refused.
                if item.status != "incomplete" {
                    match item.input.as_deref() {
                        Some(input) => answer.complete(block, &as_arguments(input))?,
                        None => answer.delta(block, "\"}")?,
                    }
                }
                answer.end_free(block);
            }
            _ => {
                let value = parse(raw.get().as_bytes(), answer)?;
                answer.end_whole(block, Block::Unknown { wire: Wire::OpenaiResponses, value });
            }
        }
        Ok(())
    }

    fn close(&mut self, kind: &str, response: Response, answer: &mut Assembler) -> Result<(), Error> {
        answer.start(response.id.as_deref(), response.model.as_deref());
        if let Some(counts) = &response.usage {
            count(counts, answer);
        }
        let reason = response.incomplete_details.and_then(|details| details.reason);
        let turn = answer.turn_mut();
        turn.service_tier = response.service_tier;
        turn.stop = if kind == "response.incomplete" { StopReason::Length } else { StopReason::Stop };
        turn.stop_detail = reason.clone().or_else(|| kind.strip_prefix("response.").map(str::to_owned));
        if let Some(error) = response.error.filter(|error| !error.is_null()) {
            return Err(failed(&error, answer));
        }
        if matches!(kind, "response.failed" | "response.cancelled") {
            return Err(answer.error(ErrorKind::Server, "the provider gave up on the answer"));
        }
        if reason.as_deref() == Some("content_filter") {
            return Err(answer.error(ErrorKind::Refusal, "the provider's filter stopped the answer"));
        }
        match self.refusal.take() {
            Some(refusal) => Err(answer.error(ErrorKind::Refusal, refusal)),
            None => Ok(()),
        }
    }
}

/// More of a call that is text, or all of it, which becomes JSON like the arguments of every other.
fn free_text(frame: &Frame<'_>, block: Option<usize>, answer: &mut Assembler) -> Result<(), Error> {
    match (block, frame.delta.as_deref(), frame.input.as_deref()) {
        (Some(block), Some(delta), _) => answer.delta(block, within_quotes(&quoted(delta))),
        (Some(block), None, Some(input)) => answer.complete(block, &as_arguments(input)),
        _ => Ok(()),
    }
}

/// A text that is the only argument of a call, as JSON.
fn as_arguments(text: &str) -> String {
    format!("{{\"{FREE_ARGUMENT}\":{}}}", quoted(text))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn within_quotes(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or_default()
}

fn response(raw: Option<&RawValue>, answer: &Assembler) -> Result<Response, Error> {
    parse(raw.map_or("{}", RawValue::get).as_bytes(), answer)
}

fn failed(error: &Value, answer: &Assembler) -> Error {
    classify::body(error).into_error(&answer.turn().origin.provider)
}

fn count(counts: &Counts, answer: &mut Assembler) {
    let details = counts.input_tokens_details.as_ref();
    let read = details.and_then(|details| details.cached_tokens).unwrap_or(0);
    let write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    let usage = &mut answer.turn_mut().usage;
    usage.input = counts.input_tokens.unwrap_or(0).saturating_sub(read).saturating_sub(write);
    usage.cache_read = read;
    usage.cache_write = write;
    usage.output = counts.output_tokens.unwrap_or(0);
    let details = counts.output_tokens_details.as_ref();
    usage.reasoning = details.and_then(|details| details.reasoning_tokens).unwrap_or(0);
}
