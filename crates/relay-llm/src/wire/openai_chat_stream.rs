//! Reads the stream of a Chat Completions server.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::think_tags::{Piece, ThinkTags};
use super::{Decode, Flow, broke_off, fresh_id, parse, put};
use crate::assemble::Assembler;
use crate::classify;
use crate::error::{Error, ErrorKind};
use crate::event::{Kind, StopReason};
use crate::message::{Block, Image, Seal};

/// Reads the answer.
#[derive(Default)]
pub(super) struct Decoder {
    /// The block of words or thoughts that is being received.
    prose: Option<(Prose, usize)>,
    calls: Vec<Call>,
    details: Vec<Value>,
    tags: Option<ThinkTags>,
    refusal: Option<String>,
    is_finished: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Prose {
    Text,
    Thinking,
}

/// A tool call that is being received.
struct Call {
    /// The server's index.
    at: Option<u64>,
    id: String,
    /// Its block, once the tool's name is known.
    block: Option<usize>,
    /// Arguments that came before the name.
    early: String,
}

#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    usage: Option<Counts>,
    x_groq: Option<Groq>,
    #[serde(borrow)]
    service_tier: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Groq {
    usage: Option<Counts>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: Option<Delta<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    reasoning_content: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reasoning_text: Option<Cow<'a, str>>,
    reasoning_details: Option<Vec<Value>>,
    #[serde(borrow)]
    refusal: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<CallDelta<'a>>>,
    images: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct CallDelta<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Option<FunctionDelta<'a>>,
}

#[derive(Deserialize)]
struct FunctionDelta<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Counts {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
    /// DeepSeek's name for what was read from the cache.
    prompt_cache_hit_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
    cache_write_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Decode for Decoder {
    fn frame(&mut self, data: &[u8], answer: &mut Assembler) -> Result<Flow, Error> {
        if data.trim_ascii() == b"[DONE]" {
            self.is_finished = true;
            return self.finish(answer).map(|()| Flow::Finished);
        }
        let chunk: Chunk<'_> = parse(data, answer)?;
        if let Some(error) = chunk.error.filter(|error| error.get() != "null") {
            let error: Value = parse(error.get().as_bytes(), answer)?;
            return Err(classify::body(&error).into_error(&answer.turn().origin.provider));
        }
        answer.start(chunk.id.as_deref(), chunk.model.as_deref().filter(|model| !model.is_empty()));
        if let Some(tier) = chunk.service_tier {
            answer.turn_mut().service_tier = Some(tier.into_owned());
        }
        // Relay never requests more than one choice.
        if let Some(choice) = chunk.choices.into_iter().flatten().next() {
            if let Some(delta) = choice.delta {
                self.delta(&delta, answer)?;
            }
            if let Some(reason) = choice.finish_reason {
                self.stop(&reason, answer);
            }
        }
        if let Some(counts) = chunk.usage.or_else(|| chunk.x_groq.and_then(|groq| groq.usage)) {
            count(&counts, answer);
        }
        Ok(Flow::More)
    }

    fn finish(&mut self, answer: &mut Assembler) -> Result<(), Error> {
        if let Some(piece) = self.tags.as_mut().and_then(ThinkTags::finish) {
            self.piece(&piece, answer)?;
        }
        self.close_prose(answer);
        if let Some(refusal) = self.refusal.take() {
            return Err(answer.error(ErrorKind::Refusal, refusal));
        }
        if self.is_finished { Ok(()) } else { Err(broke_off(answer)) }
    }
}

impl Decoder {
    /// A decoder for servers that leave the model's `<think>` in the text.
    pub(super) fn with_think_tags() -> Self {
        Self { tags: Some(ThinkTags::default()), ..Self::default() }
    }

    fn delta(&mut self, delta: &Delta<'_>, answer: &mut Assembler) -> Result<(), Error> {
        let named = [
            ("reasoning_content", &delta.reasoning_content),
            ("reasoning", &delta.reasoning),
            ("reasoning_text", &delta.reasoning_text),
        ];
        let mut has_thought = false;
        for (name, text) in named {
            if let Some(text) = text.as_ref().filter(|text| !text.is_empty() && !has_thought) {
                has_thought = true;
                let index = self.prose(Prose::Thinking, answer);
                if let Some(seal @ None) = answer.seal_mut(index) {
                    *seal = Some(Seal::Field { name: name.to_owned() });
                }
                answer.delta(index, text)?;
            }
        }
        for detail in delta.reasoning_details.iter().flatten() {
            self.detail(detail, has_thought, answer)?;
        }
        if let Some(content) = delta.content {
            self.content(content, answer)?;
        }
        if let Some(text) = delta.refusal.as_ref().filter(|text| !text.is_empty()) {
            let index = self.prose(Prose::Text, answer);
            answer.delta(index, text)?;
            self.refusal.get_or_insert_default().push_str(text);
        }
        for call in delta.tool_calls.iter().flatten() {
            self.call(call, answer)?;
        }
        for image in delta.images.iter().flatten() {
            let url = image.pointer("/image_url/url").and_then(Value::as_str);
            if let Some(image) = url.and_then(Image::from_data_url) {
                self.close_prose(answer);
                answer.whole(Block::Image(image));
            }
        }
        Ok(())
    }

    /// Words come as a string, or from Mistral as parts.
    fn content(&mut self, content: &RawValue, answer: &mut Assembler) -> Result<(), Error> {
        let raw = content.get();
        if raw.starts_with('"') {
            let text: Text<'_> = parse(raw.as_bytes(), answer)?;
            return self.words(&text.0, answer);
        }
        if !raw.starts_with('[') {
            return Ok(());
        }
        let parts: Vec<Value> = parse(raw.as_bytes(), answer)?;
        for part in &parts {
            if let Some(text) = part.get("text").and_then(Value::as_str) {
                self.words(text, answer)?;
            }
            for thought in part.get("thinking").and_then(Value::as_array).into_iter().flatten() {
                let text = thought.get("text").and_then(Value::as_str).unwrap_or_default();
                let index = self.prose(Prose::Thinking, answer);
                answer.delta(index, text)?;
            }
        }
        Ok(())
    }

    fn words(&mut self, text: &str, answer: &mut Assembler) -> Result<(), Error> {
        let Some(tags) = &mut self.tags else {
            return self.piece(&Piece::Text(text.to_owned()), answer);
        };
        for piece in tags.push(text) {
            self.piece(&piece, answer)?;
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Piece, answer: &mut Assembler) -> Result<(), Error> {
        let (prose, text) = match piece {
            Piece::Text(text) => (Prose::Text, text),
            Piece::Thinking(text) => (Prose::Thinking, text),
        };
        if text.is_empty() {
            return Ok(());
        }
        let index = self.prose(prose, answer);
        answer.delta(index, text)
    }

    /// The block for words or thoughts; the other kind ends when one begins.
    fn prose(&mut self, prose: Prose, answer: &mut Assembler) -> usize {
        if let Some((open, index)) = self.prose
            && open == prose
        {
            return index;
        }
        self.close_prose(answer);
        let kind = if prose == Prose::Text { Kind::Text } else { Kind::Thinking };
        let index = answer.begin(kind);
        self.prose = Some((prose, index));
        index
    }

    fn close_prose(&mut self, answer: &mut Assembler) {
        if let Some((prose, index)) = self.prose.take() {
            if prose == Prose::Thinking && !self.details.is_empty() {
                answer.seal(index, Seal::Details { details: std::mem::take(&mut self.details) });
            }
            answer.end(index);
        }
    }

    /// A piece of OpenRouter's `reasoning_details`. Pieces of one entry are joined, so that whole entries go back.
    fn detail(&mut self, detail: &Value, is_shown: bool, answer: &mut Assembler) -> Result<(), Error> {
        let text = detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str);
        let index = self.prose(Prose::Thinking, answer);
        if let (Some(text), false) = (text, is_shown) {
            answer.delta(index, text)?;
        }
        let same = |key: &str, last: &Value| last.get(key) == detail.get(key);
        match self.details.last_mut() {
            Some(last) if same("type", last) && same("index", last) => join_detail(last, detail),
            _ => self.details.push(detail.clone()),
        }
        Ok(())
    }

    fn call(&mut self, delta: &CallDelta<'_>, answer: &mut Assembler) -> Result<(), Error> {
        let id = delta.id.as_deref().unwrap_or_default();
        let name = delta.function.as_ref().and_then(|function| function.name.as_deref()).unwrap_or_default();
        // The same index with another id is another call. Without an index, an id or a name begins a call.
        let known = self.calls.iter().rposition(|call| match (call.at, delta.index) {
            (Some(at), Some(index)) => at == index && (id.is_empty() || call.id == id),
            _ if !id.is_empty() => call.id == id,
            _ => name.is_empty() || call.block.is_none(),
        });
        let at = known.unwrap_or_else(|| {
            let id = if id.is_empty() { fresh_id() } else { id.to_owned() };
            self.calls.push(Call { at: delta.index, id, block: None, early: String::new() });
            self.calls.len() - 1
        });
        self.close_prose(answer);
        let Some(call) = self.calls.get_mut(at) else { return Ok(()) };
        let arguments = delta.function.as_ref().and_then(|function| function.arguments);
        let arguments: Cow<'_, str> = match arguments.map(RawValue::get) {
            None | Some("null") => Cow::Borrowed(""),
            Some(raw) if raw.starts_with('"') => parse::<Text<'_>>(raw.as_bytes(), answer)?.0,
            Some(raw) => Cow::Borrowed(raw),
        };
        if call.block.is_none() && !name.is_empty() {
            let block = answer.begin(Kind::ToolCall { id: call.id.clone(), name: name.to_owned() });
            call.block = Some(block);
            answer.delta(block, &std::mem::take(&mut call.early))?;
        }
        match call.block {
            Some(block) => answer.delta(block, &arguments),
            None => {
                call.early.push_str(&arguments);
                Ok(())
            }
        }
    }

    fn stop(&mut self, reason: &str, answer: &mut Assembler) {
        self.is_finished = true;
        let turn = answer.turn_mut();
        turn.stop = match reason {
            "length" => StopReason::Length,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            _ => StopReason::Stop,
        };
        turn.stop_detail = Some(reason.to_owned());
        if reason == "content_filter" {
            self.refusal.get_or_insert_with(|| "the provider's filter stopped the answer".to_owned());
        }
    }
}

/// A string that is borrowed when nothing in it is escaped.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Adds a piece to an entry: texts grow, everything else is set.
fn join_detail(last: &mut Value, piece: &Value) {
    for (key, value) in piece.as_object().into_iter().flatten() {
        let before = last.get(key).and_then(Value::as_str);
        let joined = match (key.as_str(), before, value.as_str()) {
            ("text" | "summary" | "data", Some(before), Some(more)) => json!(format!("{before}{more}")),
            (_, Some(_), _) if value.is_null() => continue,
            _ => value.clone(),
        };
        put(last, key, joined);
    }
}

fn count(counts: &Counts, answer: &mut Assembler) {
    let prompt = counts.prompt_tokens.unwrap_or(0);
    let details = counts.prompt_tokens_details.as_ref();
    let read =
        details.and_then(|details| details.cached_tokens).or(counts.prompt_cache_hit_tokens).unwrap_or(0);
    let write = details.and_then(|details| details.cache_write_tokens).unwrap_or(0);
    let usage = &mut answer.turn_mut().usage;
    usage.input = prompt.saturating_sub(read).saturating_sub(write);
    usage.cache_read = read;
    usage.cache_write = write;
    usage.output = counts.completion_tokens.unwrap_or(0);
    let details = counts.completion_tokens_details.as_ref();
    usage.reasoning = details.and_then(|details| details.reasoning_tokens).unwrap_or(0);
}
