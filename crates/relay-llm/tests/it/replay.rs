//! What goes back to a provider: its own blocks unchanged, no other provider's secrets, and requests it accepts.

use relay_llm::{
    Block, Cache, Image, Message, OutputSchema, Request, Thinking, Tool, ToolChoice, ToolResult,
};
use serde_json::{Value, json};
use testkit::model::{Part, Reply, Stop};

use crate::support::{Lab, for_every, prompt};

fn tool() -> Tool {
    Tool {
        name: "read".to_owned(),
        description: "Reads a file.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
        grammar: None,
    }
}

fn result(call_id: &str) -> Message {
    let image = Image { media_type: "image/png".to_owned(), data: "aWNvbg==".to_owned() };
    Message::user(vec![Block::ToolResult(ToolResult {
        call_id: call_id.to_owned(),
        name: "read".to_owned(),
        content: vec![Block::text("contents of a"), Block::Image(image)],
        is_error: false,
    })])
}

/// A conversation in which the model thought, spoke and called a tool; returns the second request's body.
fn second_body(first: &Lab, second: &Lab) -> Value {
    let reply = Reply::thinking("Reading first.", "sig-1").part(Part::Text("Let me look.".to_owned())).tool(
        "call_1",
        "read",
        r#"{"path":"a"}"#,
    );
    first.server.queue(reply);
    let request = Request { tools: vec![tool()], ..prompt() };
    let told = first.request(&request);
    assert_eq!(told.outcome(), "done");
    let message = told.turn.message();
    let call_id = message.tool_calls().next().unwrap().id.clone();
    let messages = vec![Message::text("Hi"), message, result(&call_id)];
    let told = second.request(&Request { messages, ..request });
    assert_eq!(told.outcome(), "done", "{:?}", told.error);
    let request = second.server.prompts().pop().unwrap();
    assert_eq!(request.complaint, None);
    request.body
}

#[test]
fn a_provider_gets_its_own_thinking_and_calls_back() {
    for_every(|lab| {
        let body = second_body(lab, lab);
        let find =
            |pointer: &str| body.pointer(pointer).cloned().unwrap_or_else(|| panic!("{pointer} in {body:#}"));
        match lab.name {
            "anthropic" => {
                let thinking =
                    json!({ "type": "thinking", "thinking": "Reading first.", "signature": "sig-1" });
                assert_eq!(find("/messages/1/content/0"), thinking);
                assert_eq!(find("/messages/1/content/2/id"), "call_1");
                assert_eq!(find("/messages/2/content/0/tool_use_id"), "call_1");
                assert_eq!(find("/messages/2/content/0/content/1/source/data"), "aWNvbg==");
            }
            "openai" => {
                assert_eq!(find("/input/1/type"), "reasoning");
                assert_eq!(find("/input/1/encrypted_content"), "sig-1");
                assert_eq!(find("/input/2/content/0/text"), "Let me look.");
                assert_eq!(find("/input/3/call_id"), "call_1");
                assert_eq!(find("/input/4/call_id"), "call_1");
                assert_eq!(find("/input/4/output/1/image_url"), "data:image/png;base64,aWNvbg==");
                assert_eq!(
                    (find("/store"), find("/include/0")),
                    (json!(false), json!("reasoning.encrypted_content"))
                );
            }
            "openrouter" => {
                assert_eq!(find("/messages/1/reasoning_details/0/signature"), "sig-1");
                assert_eq!(find("/messages/1/reasoning_details/0/text"), "Reading first.");
                assert_eq!(find("/messages/2/tool_call_id"), "call_1");
                assert_eq!(find("/messages/3/content/0/image_url/url"), "data:image/png;base64,aWNvbg==");
            }
            "deepseek" => {
                assert_eq!(find("/messages/1/reasoning_content"), "Reading first.");
                assert_eq!(find("/messages/1/tool_calls/0/function/arguments"), r#"{"path":"a"}"#);
            }
            "openai-chat" => {
                assert_eq!(
                    find("/messages/2"),
                    json!({ "role": "tool", "tool_call_id": "call_1", "content": "contents of a" })
                );
            }
            "google" => {
                assert!(body.to_string().contains("\"thoughtSignature\":\"sig-1\""), "{body:#}");
                assert!(body.to_string().contains("\"functionResponse\":{\"name\":\"read\""), "{body:#}");
                assert_eq!(find("/contents/3/parts/0/inlineData/data"), "aWNvbg==");
            }
            "ollama" => {
                assert_eq!(find("/messages/1/tool_calls/0/function/arguments/path"), "a");
                assert_eq!(find("/messages/2/tool_name"), "read");
                assert_eq!(find("/messages/2/images/0"), "aWNvbg==");
            }
            other => panic!("{other}"),
        }
    });
}

#[test]
fn another_provider_gets_the_words_and_calls_but_no_seals() {
    for from in ["anthropic", "openai", "openrouter", "google"] {
        for_every(|lab| {
            if lab.name == from {
                return;
            }
            let body = second_body(&Lab::new(from), lab).to_string();
            assert!(body.contains("Let me look.") && body.contains("contents of a"), "{body}");
            assert!(!body.contains("sig-1"), "{from}'s seal went to {}: {body}", lab.name);
        });
    }
}

#[test]
fn unknown_blocks_go_back_verbatim_to_their_maker_alone() {
    for (name, block, pointer) in [
        ("anthropic", json!({ "type": "hologram", "shape": { "faces": [1, 2] } }), "/messages/1/content/1"),
        (
            "openai",
            json!({ "type": "hologram_call", "id": "h_1", "status": "completed", "shape": [1] }),
            "/input/2",
        ),
        ("google", json!({ "hologram": { "shape": [1] } }), "/contents/1/parts/1"),
    ] {
        let lab = Lab::new(name);
        let told = lab.ask(Reply::text("See:").part(Part::Unknown(block.clone())));
        let messages = vec![Message::text("Hi"), told.turn.message(), Message::text("And?")];
        let request = Request { messages, ..prompt() };
        assert_eq!(lab.request(&request).outcome(), "done");
        let body = &lab.server.prompts()[1].body;
        assert_eq!(body.pointer(pointer), Some(&block), "{name}: {body:#}");
        for_every(|other| {
            if other.name != name {
                assert_eq!(other.request(&request).outcome(), "done");
                assert!(!other.server.prompts()[0].body.to_string().contains("hologram"), "{}", other.name);
            }
        });
    }
}

#[test]
fn redacted_thinking_goes_back_to_its_maker_alone() {
    for name in ["anthropic", "openrouter"] {
        let reply = Reply::default().part(Part::Redacted("c2VjcmV0".to_owned()));
        let lab = Lab::new(name);
        let told = lab.ask(reply.part(Part::Text("Yes.".to_owned())));
        let messages = vec![Message::text("Hi"), told.turn.message(), Message::text("And?")];
        let request = Request { messages, ..prompt() };
        assert_eq!(lab.request(&request).outcome(), "done");
        assert!(lab.server.prompts()[1].body.to_string().contains("c2VjcmV0"), "{name}");
        for_every(|other| {
            if other.name != name {
                assert_eq!(other.request(&request).outcome(), "done");
                assert!(!other.server.prompts()[0].body.to_string().contains("c2VjcmV0"), "{}", other.name);
            }
        });
    }
}

#[test]
fn pictures_are_sent_to_whoever_looks_at_them() {
    for_every(|lab| {
        let image = Image { media_type: "image/png".to_owned(), data: "aWNvbg==".to_owned() };
        let messages = vec![Message::user(vec![Block::text("What is this?"), Block::Image(image)])];
        let request = Request { messages, ..prompt() };
        assert_eq!(lab.request(&request).outcome(), "done");
        let sent = &lab.server.prompts()[0];
        assert!(sent.complaint.is_none() && sent.body.to_string().contains("aWNvbg=="), "{:#}", sent.body);
        let mut blind = lab.model.clone();
        blind.capabilities.images = false;
        let stream = lab.client.stream(
            &blind,
            &relay_llm::Key::new(crate::support::KEY),
            &request,
            &relay_diagnostics::Cancel::new(),
        );
        assert_eq!(crate::support::check(stream).outcome(), "done");
        assert!(!lab.server.prompts()[1].body.to_string().contains("aWNvbg=="), "{}", lab.name);
    });
}

#[test]
fn a_conversation_that_was_interrupted_is_accepted() {
    for_every(|lab| {
        let told = lab.ask(Reply::text("Reading.").tool("call_1", "read", "{}"));
        let messages = vec![Message::text("Hi"), told.turn.message(), Message::text("Never mind.")];
        assert_eq!(lab.request(&Request { messages, ..prompt() }).outcome(), "done");
        let body = lab.server.prompts()[1].body.to_string();
        assert!(body.contains("This call was not run.") && body.contains("Never mind."), "{body}");
    });
}

#[test]
fn no_thinking_is_requested_among_another_models_calls() {
    let lab = Lab::new("anthropic");
    assert_eq!(second_body(&Lab::new("openai"), &lab)["thinking"], json!({ "type": "disabled" }));
    assert_eq!(second_body(&lab, &lab)["thinking"]["type"], "enabled");
}

#[test]
fn reasoning_that_led_to_nothing_is_not_sent_back() {
    let lab = Lab::new("openai");
    let told = lab.ask(Reply::thinking("Hm.", "sig-1"));
    let messages = vec![Message::text("Hi"), told.turn.message(), Message::text("Go on.")];
    assert_eq!(lab.request(&Request { messages, ..prompt() }).outcome(), "done");
    assert!(!lab.server.prompts()[1].body.to_string().contains("sig-1"));
}

#[test]
fn a_full_request_is_written_in_every_format() {
    for_every(|lab| {
        let request = Request {
            system: "Be brief.".to_owned(),
            tools: vec![tool()],
            tool_choice: ToolChoice::Auto,
            thinking: Some(Thinking::High),
            cache: Cache::Long,
            cache_key: Some("conversation-7".to_owned()),
            max_output: Some(4_000),
            output: Some(OutputSchema { name: "answer".to_owned(), schema: json!({ "type": "object" }) }),
            service_tier: Some("priority".to_owned()),
            stop_sequences: vec!["END".to_owned()],
            ..prompt()
        };
        assert_eq!(lab.request(&request).outcome(), "done");
        let body = lab.server.prompts()[0].body.clone();
        let find =
            |pointer: &str| body.pointer(pointer).cloned().unwrap_or_else(|| panic!("{pointer} in {body:#}"));
        match lab.name {
            "anthropic" => {
                let marker = json!({ "type": "ephemeral", "ttl": "1h" });
                assert_eq!(find("/system/0/cache_control"), marker);
                assert_eq!(find("/tools/0/cache_control"), marker);
                assert_eq!(find("/messages/0/content/0/cache_control"), marker);
                assert_eq!(find("/max_tokens"), 4_000);
                assert_eq!(find("/thinking"), json!({ "type": "enabled", "budget_tokens": 2_976 }));
                assert_eq!(find("/output_config/format/type"), "json_schema");
                assert_eq!(
                    (find("/service_tier"), find("/stop_sequences/0")),
                    (json!("priority"), json!("END"))
                );
            }
            "openai" => {
                assert_eq!(find("/instructions"), "Be brief.");
                assert_eq!(find("/reasoning/effort"), "high");
                assert_eq!(find("/text/format/name"), "answer");
                assert_eq!(find("/prompt_cache_key"), "conversation-7");
                assert_eq!(find("/prompt_cache_retention"), "24h");
                assert_eq!(find("/max_output_tokens"), 4_000);
                assert_eq!(find("/service_tier"), "priority");
                assert_eq!(find("/tools/0/name"), "read");
            }
            "openai-chat" | "openrouter" | "deepseek" => {
                assert_eq!(find("/messages/0"), json!({ "role": "system", "content": "Be brief." }));
                assert_eq!(find("/response_format/json_schema/name"), "answer");
                assert_eq!(find("/max_completion_tokens"), 4_000);
                assert_eq!(find("/service_tier"), "priority");
                assert_eq!(find("/stream_options/include_usage"), true);
                assert_eq!(find("/tools/0/function/name"), "read");
                let (pointer, expected) = match lab.name {
                    "openai-chat" => ("/reasoning_effort", json!("high")),
                    "openrouter" => ("/reasoning", json!({ "effort": "high" })),
                    _ => ("/thinking", json!({ "type": "enabled" })),
                };
                assert_eq!(find(pointer), expected);
            }
            "google" => {
                assert_eq!(find("/systemInstruction/parts/0/text"), "Be brief.");
                assert_eq!(find("/tools/0/functionDeclarations/0/name"), "read");
                assert_eq!(find("/generationConfig/maxOutputTokens"), 4_000);
                assert_eq!(find("/serviceTier"), "priority");
                assert_eq!(find("/generationConfig/responseMimeType"), "application/json");
                let thinking = json!({ "includeThoughts": true, "thinkingBudget": 24_576 });
                assert_eq!(find("/generationConfig/thinkingConfig"), thinking);
            }
            "ollama" => {
                assert_eq!(find("/format"), json!({ "type": "object" }));
                assert_eq!(find("/options"), json!({ "num_predict": 4_000, "stop": ["END"] }));
                assert_eq!(find("/think"), true);
            }
            other => panic!("{other}"),
        }
    });
}

#[test]
fn a_tool_can_be_demanded_or_forbidden() {
    for_every(|lab| {
        for choice in [ToolChoice::None, ToolChoice::Required, ToolChoice::Named("read".to_owned())] {
            let request =
                Request { tools: vec![tool()], tool_choice: choice.clone(), thinking: None, ..prompt() };
            assert_eq!(lab.request(&request).outcome(), "done");
            let body = lab.server.prompts().pop().unwrap().body.to_string();
            let expected = match (lab.name, &choice) {
                ("ollama", _) => continue,
                ("google", ToolChoice::None) => "\"mode\":\"NONE\"",
                ("google", ToolChoice::Required) => "\"mode\":\"ANY\"",
                ("google", _) => "\"allowedFunctionNames\":[\"read\"]",
                ("anthropic", ToolChoice::None) => "{\"type\":\"none\"}",
                ("anthropic", ToolChoice::Required) => "{\"type\":\"any\"}",
                ("anthropic", _) => "{\"type\":\"tool\",\"name\":\"read\"}",
                (_, ToolChoice::None) => "\"tool_choice\":\"none\"",
                (_, ToolChoice::Required) => "\"tool_choice\":\"required\"",
                ("openai", _) => "{\"type\":\"function\",\"name\":\"read\"}",
                _ => "{\"type\":\"function\",\"function\":{\"name\":\"read\"}}",
            };
            assert!(body.contains(expected), "{} {choice:?}: {body}", lab.name);
        }
    });
}

const GRAMMAR: &str = "start: LINE+\nLINE: /[^\\n]+\\n/\n";

/// A tool with a grammar, and a model that can be held to one.
fn held() -> (Lab, Request) {
    let mut lab = Lab::new("openai");
    lab.model.capabilities.grammars = true;
    let input = json!({ "type": "object", "properties": { "input": { "type": "string" } } });
    let edit =
        Tool { name: "edit".to_owned(), parameters: input, grammar: Some(GRAMMAR.to_owned()), ..tool() };
    let request = Request { tools: vec![tool(), edit], ..prompt() };
    (lab, request)
}

/// Text with everything that JSON escapes.
const FREE: &str = "§a \"b\"\n»EOF\n\tx\\n\u{1}é🦀\n";

#[test]
fn a_tool_with_a_grammar_is_called_with_text_and_answered_in_kind() {
    let (lab, request) = held();
    let written = json!({ "input": FREE }).to_string();
    for whole in [false, true] {
        let reply =
            Reply::text("").tool("call_1", "edit", &written).tool("call_2", "read", r#"{"path":"a"}"#);
        lab.server.queue(if whole { reply.whole_arguments() } else { reply });
        let told = lab.request(&request);
        assert_eq!(told.outcome(), "done", "{:?}", told.error);
        let message = told.turn.message();
        let calls: Vec<_> = message.tool_calls().cloned().collect();
        assert_eq!(calls[0].arguments.object().unwrap()["input"], FREE);
        let second = Request {
            messages: vec![Message::text("Hi"), message, result(&calls[0].id), result(&calls[1].id)],
            tool_choice: ToolChoice::Named("edit".to_owned()),
            ..request.clone()
        };
        lab.server.queue(Reply::text("Done."));
        assert_eq!(lab.request(&second).outcome(), "done");
        let asked = lab.server.prompts().pop().unwrap();
        assert_eq!(asked.complaint, None);
        let tools = &asked.body["tools"];
        assert_eq!((&tools[0]["type"], &tools[1]["type"]), (&json!("function"), &json!("custom")));
        let format = json!({ "type": "grammar", "syntax": "lark", "definition": GRAMMAR });
        assert_eq!((&tools[1]["format"], tools[1].get("parameters")), (&format, None));
        assert_eq!(asked.body["tool_choice"], json!({ "type": "custom", "name": "edit" }));
        let kinds: Vec<&str> =
            asked.body["input"].as_array().unwrap().iter().filter_map(|item| item["type"].as_str()).collect();
        let expected =
            ["custom_tool_call", "function_call", "custom_tool_call_output", "function_call_output"];
        assert_eq!(kinds, expected);
        assert_eq!(asked.body["input"][1]["input"], FREE);
    }
}

#[test]
fn models_without_grammars_get_the_schema_and_the_calls_of_others_as_json() {
    let (lab, request) = held();
    lab.server.queue(Reply::text("").tool("call_1", "edit", &json!({ "input": FREE }).to_string()));
    let message = lab.request(&request).turn.message();
    let call_id = message.tool_calls().next().unwrap().id.clone();
    let messages = vec![Message::text("Hi"), message, result(&call_id)];
    for_every(|other| {
        let told = other.request(&Request { messages: messages.clone(), ..request.clone() });
        assert_eq!(told.outcome(), "done", "{:?}", told.error);
        let asked = other.server.prompts().pop().unwrap();
        assert_eq!(asked.complaint, None);
        let body = asked.body.to_string();
        assert!(!body.contains("custom") && !body.contains("start: LINE"), "{body}");
    });
}

/// A text looks whole wherever it was cut, so a call that was cut is not one.
#[test]
fn text_that_was_cut_off_is_no_call() {
    let (lab, request) = held();
    let reply = Reply::text("").tool("call_1", "edit", &json!({ "input": FREE }).to_string());
    lab.server.queue(reply.stop(Stop::Length));
    let told = lab.request(&request);
    let call = told.turn.message().tool_calls().next().cloned().unwrap();
    assert!(call.arguments.object().is_none(), "{call:?}");
}
