//! OpenAI Responses.

use std::io::Result;

use serde_json::{Value, json};

use super::super::outbox::Outbox;
use super::super::{Failure, Part, Reply, Request, Stop};

/// Numbers the events, as the API does.
struct Numbered<'a, 'b> {
    out: &'a mut Outbox<'b>,
    number: usize,
}

impl Numbered<'_, '_> {
    fn send(&mut self, kind: &str, fields: Value) -> Result<()> {
        self.out.typed(&self.event(kind, fields))?;
        self.number += 1;
        Ok(())
    }

    fn event(&self, kind: &str, fields: Value) -> Value {
        let mut event = json!({ "type": kind, "sequence_number": self.number });
        for (name, value) in fields.as_object().into_iter().flatten() {
            event[name] = value.clone();
        }
        event
    }
}

/// The tools whose calls are text and no JSON.
fn free_tools(request: &Request) -> Vec<&str> {
    let tools = request.body["tools"].as_array().map_or(&[][..], Vec::as_slice);
    tools.iter().filter(|tool| tool["type"] == "custom").filter_map(|tool| tool["name"].as_str()).collect()
}

pub(super) fn stream(request: &Request, reply: &Reply, out: &mut Outbox<'_>) -> Result<()> {
    let mut out = Numbered { out, number: 0 };
    let (model, free) = (&*request.model(), &*free_tools(request));
    let mut begun = response(model, reply, free, "in_progress");
    begun["output"] = json!([]);
    begun["usage"] = Value::Null;
    begun["incomplete_details"] = Value::Null;
    out.send("response.created", json!({ "response": begun }))?;
    out.send("response.in_progress", json!({ "response": begun }))?;
    for (index, part) in reply.parts.iter().enumerate() {
        item_events(&mut out, index, part, reply, free)?;
    }
    let response = response(model, reply, free, status(reply));
    let kind = if status(reply) == "completed" { "response.completed" } else { "response.incomplete" };
    let last = out.event(kind, json!({ "response": response }));
    out.out.last(Some(kind), &last.to_string())
}

fn item_events(
    out: &mut Numbered<'_, '_>,
    index: usize,
    part: &Part,
    reply: &Reply,
    free: &[&str],
) -> Result<()> {
    let whole = item(index, part, free);
    let id = whole["id"].clone();
    let mut begun = whole.clone();
    if begun["status"].is_string() {
        begun["status"] = json!("in_progress");
    }
    let place = |mut fields: Value| {
        fields["item_id"] = id.clone();
        fields["output_index"] = json!(index);
        fields
    };
    match part {
        Part::Text(text) => {
            begun["content"] = json!([]);
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
            let empty = json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] });
            out.send("response.content_part.added", place(json!({ "content_index": 0, "part": empty })))?;
            for piece in reply.pieces(text) {
                let delta = json!({ "content_index": 0, "delta": piece, "logprobs": [] });
                out.send("response.output_text.delta", place(delta))?;
            }
            let done = json!({ "content_index": 0, "text": text, "logprobs": [] });
            out.send("response.output_text.done", place(done))?;
            let part = json!({ "content_index": 0, "part": whole["content"][0] });
            out.send("response.content_part.done", place(part))?;
        }
        Part::Refusal(text) => {
            begun["content"] = json!([]);
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
            let empty = json!({ "type": "refusal", "refusal": "" });
            out.send("response.content_part.added", place(json!({ "content_index": 0, "part": empty })))?;
            for piece in reply.pieces(text) {
                out.send("response.refusal.delta", place(json!({ "content_index": 0, "delta": piece })))?;
            }
            out.send("response.refusal.done", place(json!({ "content_index": 0, "refusal": text })))?;
            let part = json!({ "content_index": 0, "part": whole["content"][0] });
            out.send("response.content_part.done", place(part))?;
        }
        Part::Thinking { text, .. } => {
            begun["summary"] = json!([]);
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
            let empty = json!({ "type": "summary_text", "text": "" });
            let added = json!({ "summary_index": 0, "part": empty });
            out.send("response.reasoning_summary_part.added", place(added))?;
            for piece in reply.pieces(text) {
                let delta = json!({ "summary_index": 0, "delta": piece });
                out.send("response.reasoning_summary_text.delta", place(delta))?;
            }
            let done = json!({ "summary_index": 0, "text": text });
            out.send("response.reasoning_summary_text.done", place(done))?;
            let part = json!({ "summary_index": 0, "part": whole["summary"][0] });
            out.send("response.reasoning_summary_part.done", place(part))?;
        }
        Part::Tool { name, .. } if free.contains(&&**name) => {
            begun["input"] = json!("");
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
            let input = whole["input"].as_str().unwrap_or_default();
            if !reply.whole_arguments {
                for piece in reply.pieces(input) {
                    out.send("response.custom_tool_call_input.delta", place(json!({ "delta": piece })))?;
                }
            }
            out.send("response.custom_tool_call_input.done", place(json!({ "input": input })))?;
        }
        Part::Tool { arguments, .. } => {
            begun["arguments"] = json!("");
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
            if !reply.whole_arguments {
                for piece in reply.pieces(arguments) {
                    out.send("response.function_call_arguments.delta", place(json!({ "delta": piece })))?;
                }
            }
            out.send("response.function_call_arguments.done", place(json!({ "arguments": arguments })))?;
        }
        Part::Redacted(_) | Part::Image { .. } | Part::Unknown(_) => {
            out.send("response.output_item.added", json!({ "output_index": index, "item": begun }))?;
        }
    }
    out.send("response.output_item.done", json!({ "output_index": index, "item": whole }))
}

pub(super) fn document(request: &Request, reply: &Reply) -> Value {
    response(&request.model(), reply, &free_tools(request), status(reply))
}

/// What the API refuses in the tools of a request and in the calls of its history.
pub(super) fn complaint(body: &Value) -> Option<String> {
    let list = |name: &str| body[name].as_array().map_or(&[][..], Vec::as_slice);
    if let Some(complaint) = list("tools").iter().find_map(of_free_tool) {
        return Some(complaint);
    }
    let input = list("input");
    let kinds = [
        ("custom_tool_call_output", "function_call", "custom tool call output"),
        ("function_call_output", "custom_tool_call", "function call output"),
    ];
    for item in input {
        for (output, other, name) in kinds {
            let is_call = |call: &&Value| call["call_id"] == item["call_id"];
            if item["type"] == output
                && input.iter().filter(|call| call["type"] == other).find(is_call).is_some()
            {
                return Some(format!("No tool call found for {name} with call_id {}.", item["call_id"]));
            }
        }
    }
    None
}

/// A tool of free text has a format, and a grammar in the part of Lark that the sampler understands.
fn of_free_tool(tool: &Value) -> Option<String> {
    if tool["type"] != "custom" {
        return None;
    }
    let format = &tool["format"];
    let grammar = format["definition"].as_str().unwrap_or_default();
    let looks_around = ["(?=", "(?!", "(?<"].iter().any(|look| grammar.contains(look));
    let problem = if tool["name"].as_str().is_none_or(str::is_empty) {
        "name: Field required"
    } else if tool.get("parameters").is_some() {
        "Unknown parameter: 'parameters'."
    } else if format["type"] != "grammar" {
        return (format["type"] != "text").then(|| "Invalid value for 'format.type'.".to_owned());
    } else if !["lark", "regex"].contains(&format["syntax"].as_str().unwrap_or_default()) {
        "Invalid value for 'format.syntax'."
    } else if format["syntax"] == "lark" && !grammar.lines().any(|line| line.starts_with("start:")) {
        "Invalid grammar: there is no rule `start`."
    } else if looks_around {
        "Invalid grammar: look-around is not supported."
    } else {
        return None;
    };
    Some(problem.to_owned())
}

fn status(reply: &Reply) -> &'static str {
    match reply.stop {
        Stop::Natural | Stop::Pause => "completed",
        Stop::Length | Stop::Refusal | Stop::Unknown => "incomplete",
    }
}

fn response(model: &str, reply: &Reply, free: &[&str], status: &str) -> Value {
    let reason = match reply.stop {
        Stop::Length => Some("max_output_tokens"),
        Stop::Refusal => Some("content_filter"),
        Stop::Unknown => Some("reason_of_the_future"),
        Stop::Natural | Stop::Pause => None,
    };
    let usage = &reply.usage;
    let input = usage.input + usage.cache_read + usage.cache_write;
    json!({
        "id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b",
        "object": "response",
        "created_at": 1_741_476_542,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": reason.map(|reason| json!({ "reason": reason })),
        "instructions": null,
        "max_output_tokens": null,
        "model": model,
        "output": reply.parts.iter().enumerate().map(|(index, part)| item(index, part, free)).collect::<Vec<_>>(),
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": { "effort": null, "summary": null },
        "service_tier": "default",
        "store": false,
        "temperature": 1.0,
        "text": { "format": { "type": "text" } },
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": {
            "input_tokens": input,
            "input_tokens_details": { "cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write },
            "output_tokens": usage.output,
            "output_tokens_details": { "reasoning_tokens": usage.reasoning },
            "total_tokens": input + usage.output,
        },
        "user": null,
        "metadata": {},
    })
}

fn item(index: usize, part: &Part, free: &[&str]) -> Value {
    let message = |content: Value| {
        json!({
            "id": format!("msg_{index:04}"),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [content],
        })
    };
    let reasoning = |summary: Value, encrypted: Option<&String>| {
        let mut item = json!({ "id": format!("rs_{index:04}"), "type": "reasoning", "summary": summary });
        if let Some(encrypted) = encrypted {
            item["encrypted_content"] = json!(encrypted);
        }
        item
    };
    match part {
        Part::Text(text) => {
            message(json!({ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }))
        }
        Part::Refusal(text) => message(json!({ "type": "refusal", "refusal": text })),
        Part::Thinking { text, signature } => {
            reasoning(json!([{ "type": "summary_text", "text": text }]), signature.as_ref())
        }
        Part::Redacted(data) => reasoning(json!([]), Some(data)),
        Part::Tool { id, name, arguments } if free.contains(&&**name) => json!({
            "id": format!("ctc_{index:04}"),
            "type": "custom_tool_call",
            "status": "completed",
            "call_id": id,
            "name": name,
            "input": super::arguments_value(arguments)["input"].as_str().unwrap_or(arguments),
        }),
        Part::Tool { id, name, arguments } => json!({
            "id": format!("fc_{index:04}"),
            "type": "function_call",
            "status": "completed",
            "call_id": id,
            "name": name,
            "arguments": arguments,
        }),
        Part::Image { data, .. } => json!({
            "id": format!("ig_{index:04}"),
            "type": "image_generation_call",
            "status": "completed",
            "result": data,
        }),
        Part::Unknown(item) => item.clone(),
    }
}

pub(super) fn failure(failure: Failure, detail: Option<&str>) -> (u16, Value) {
    let (status, mut body) = super::chat::failure(failure, detail);
    if failure == Failure::ContextOverflow {
        let message =
            "Your input exceeds the context window of this model. Please adjust your input and try again.";
        body["error"]["message"] = json!(message);
        body["error"]["param"] = json!("input");
    }
    (status, body)
}

/// Inside a stream the API has two ways to fail: an `error` event, and a response that ends as failed.
pub(super) fn failure_event(kind: Failure) -> Value {
    let error = failure(kind, None).1["error"].clone();
    if kind == Failure::Internal {
        let mut response = response("scripted-model", &Reply::default(), &[], "failed");
        response["error"] = json!({ "code": "server_error", "message": error["message"] });
        response["usage"] = Value::Null;
        return json!({ "type": "response.failed", "sequence_number": 99, "response": response });
    }
    json!({
        "type": "error",
        "code": error["code"],
        "message": error["message"],
        "param": error["param"],
        "sequence_number": 99,
    })
}
