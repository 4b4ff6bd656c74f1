//! A provider: a model API and how to speak to it. Plain data, so that a configuration file can describe one.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A model API.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provider {
    /// What people call it in selectors.
    pub name: String,
    /// The format it speaks.
    pub wire: Wire,
    /// Where it is, without the path of a single call: `https://api.anthropic.com`. A query is kept, and `{model}` is
    /// replaced, so that Azure's `https://NAME.openai.azure.com/openai/deployments/{model}?api-version=…` is one too.
    pub base_url: String,
    /// How the key is sent.
    #[serde(default)]
    pub auth: Auth,
    /// Further headers. They may be secrets too, so they are never shown.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Where it differs from the format's inventor.
    #[serde(default)]
    pub compat: Compat,
}

impl Wire {
    /// Whether a request can name a service tier.
    #[must_use]
    pub fn has_service_tiers(self) -> bool {
        !matches!(self, Self::Ollama | Self::Bedrock)
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider")
            .field("name", &self.name)
            .field("wire", &self.wire)
            .field("base_url", &self.base_url)
            .field("auth", &self.auth)
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .field("compat", &self.compat)
            .finish()
    }
}

/// A wire format. Each is one file in `wire/`, the only place that knows its JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Anthropic's Messages.
    AnthropicMessages,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// OpenAI's Chat Completions, and every server that is compatible with it.
    OpenaiChat,
    /// Google's Gemini.
    Google,
    /// Ollama's own.
    Ollama,
    /// Anthropic's models on Amazon Bedrock.
    Bedrock,
}

/// How a key is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// Not at all.
    None,
    /// `authorization: Bearer …`.
    #[default]
    Bearer,
    /// In a header of this name.
    Header(String),
    /// As the signature of the request. The key is `access-key:secret-key[:session-token]`.
    Sigv4 {
        /// The region the model runs in.
        region: String,
    },
}

/// Where a server differs from the format's inventor. The defaults are the inventor's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Compat {
    /// How thinking is requested.
    pub reasoning: Reasoning,
    /// Whether the server wants its reasoning back, in the field it came in.
    pub replay_reasoning: bool,
    /// Whether the longest answer is set by the older `max_tokens`.
    pub legacy_max_tokens: bool,
    /// Whether the server refuses `stream_options`; usage is then only known if it is sent anyway.
    pub no_stream_options: bool,
    /// Whether a tool's result names the tool.
    pub named_tool_results: bool,
    /// Whether the server refuses a user message right after a tool's result.
    pub assistant_after_tool_result: bool,
    /// Whether ids of tool calls must be nine letters or digits.
    pub short_tool_ids: bool,
    /// Whether messages carry Anthropic's cache markers.
    pub cache_control: bool,
    /// Whether the server takes plain text only as message content, not a list of parts.
    pub plain_content: bool,
    /// Whether the server knows no `strict` in tools and schemas.
    pub no_strict: bool,
    /// Whether the server refuses `prompt_cache_key`.
    pub no_cache_key: bool,
    /// Whether the server leaves the model's `<think>…</think>` in the text.
    pub think_tags: bool,
    /// Whether the instructions go in a message of the role `developer`.
    pub developer_role: bool,
}

/// How a Chat Completions server is asked to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reasoning {
    /// `reasoning_effort`.
    #[default]
    Effort,
    /// `reasoning: { effort | max_tokens }`.
    Openrouter,
    /// `thinking: { type: enabled | disabled }`.
    Toggle,
    /// `chat_template_kwargs: { enable_thinking }`, as vLLM and llama.cpp take it.
    Template,
    /// Not at all.
    None,
}

#[cfg(test)]
mod tests {
    use super::{Auth, Compat, Provider, Reasoning, Wire};

    #[test]
    fn a_provider_is_plain_data() {
        let provider: Provider = serde_json::from_str(
            r#"{
                "name": "mine", "wire": "openai-chat", "base_url": "http://localhost:8000/v1",
                "auth": { "header": "api-key" }, "headers": { "x-team": "secret-team" },
                "compat": { "reasoning": "template", "legacy_max_tokens": true }
            }"#,
        )
        .unwrap();
        assert_eq!(provider.auth, Auth::Header("api-key".to_owned()));
        assert_eq!(provider.wire, Wire::OpenaiChat);
        let expected =
            Compat { reasoning: Reasoning::Template, legacy_max_tokens: true, ..Compat::default() };
        assert_eq!(provider.compat, expected);
        let shown = format!("{provider:?}");
        assert!(shown.contains("x-team") && !shown.contains("secret-team"), "{shown}");
    }
}
