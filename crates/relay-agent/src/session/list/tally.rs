//! What a list says about a session, summed up line by line, so that a session that grew is read on from where it was.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::content::Content;

/// How much of the first prompt is remembered.
const PROMPT_CHARS: usize = 200;

/// The sums of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Tally {
    /// How many messages there are, on all branches.
    #[serde(skip)]
    pub messages: u64,
    /// What all answers cost.
    #[serde(skip)]
    pub cost: f64,
    /// The model that answered or was chosen last, as `provider/model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The beginning of the user's first message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The name that an entry gave it (pi); empty if an entry took it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The short summary of the latest compaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub short_summary: Option<String>,
}

/// The few fields of a line that count.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(default, borrow)]
    message: Option<&'a RawValue>,
    #[serde(default, borrow)]
    name: Option<&'a RawValue>,
    #[serde(default, borrow)]
    short_summary: Option<&'a RawValue>,
    #[serde(default, borrow)]
    model: Option<&'a RawValue>,
    #[serde(default, borrow)]
    provider: Option<&'a RawValue>,
    #[serde(default, borrow)]
    model_id: Option<&'a RawValue>,
    #[serde(default, borrow)]
    role: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Said<'a> {
    #[serde(default, borrow)]
    role: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    content: Option<&'a RawValue>,
    #[serde(default, borrow)]
    provider: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Used {
    cost: super::super::message::Cost,
}

impl Tally {
    /// Counts the whole lines of a part of a file and says how many bytes they have. What is not a line of a session
    /// counts nothing.
    pub(crate) fn count(&mut self, bytes: &[u8]) -> u64 {
        let mut counted = 0;
        for end in memchr::memchr_iter(b'\n', bytes) {
            if let Some(line) = bytes.get(counted..end).and_then(|line| std::str::from_utf8(line).ok()) {
                self.add(line);
            }
            counted = end + 1;
        }
        counted as u64
    }

    fn add(&mut self, line: &str) {
        let Ok(line) = serde_json::from_str::<Line<'_>>(line) else { return };
        match &*line.kind {
            "message" => {
                self.messages += 1;
                if let Some(Ok(said)) = line.message.map(|said| serde_json::from_str(said.get())) {
                    self.hear(&said);
                }
            }
            "model_change" if line.role.and_then(text).is_none_or(|role| role == "default") => {
                let pair = line.provider.and_then(text).zip(line.model_id.and_then(text));
                let pair = pair.map(|(provider, model)| format!("{provider}/{model}"));
                self.model = line.model.and_then(text).or(pair).or(self.model.take());
            }
            "compaction" => self.short_summary = line.short_summary.and_then(text),
            "session_info" => self.name = Some(line.name.and_then(text).unwrap_or_default()),
            _ => {}
        }
    }

    fn hear(&mut self, said: &Said<'_>) {
        match said.role.as_deref() {
            Some("user") if self.prompt.is_none() => {
                let content = said.content.and_then(|raw| serde_json::from_str::<Content>(raw.get()).ok());
                let words = content.map(|content| content.text(" ")).unwrap_or_default();
                let words = words.split_whitespace().take(PROMPT_CHARS).collect::<Vec<_>>().join(" ");
                self.prompt = (!words.is_empty()).then(|| words.chars().take(PROMPT_CHARS).collect());
            }
            Some("assistant") => {
                let used = said.usage.and_then(|raw| serde_json::from_str::<Used>(raw.get()).ok());
                self.cost += used.unwrap_or_default().cost.total;
                if let Some(model) = said.model.as_deref().filter(|model| !model.is_empty()) {
                    self.model =
                        Some(match said.provider.as_deref().filter(|provider| !provider.is_empty()) {
                            Some(provider) => format!("{provider}/{model}"),
                            None => model.to_owned(),
                        });
                }
            }
            _ => {}
        }
    }
}

/// The text that a value is, if it is one.
fn text(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_count() {
        let lines = concat!(
            "{\"type\":\"session\",\"id\":\"s\"}\n",
            "{\"type\":\"message\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"fix\\nit\"}]}}\n",
            "not json\n",
            "{\"type\":\"message\",\"message\":{\"role\":\"assistant\",\"provider\":\"p\",\"model\":\"m\",\"usage\":{\"cost\":{\"total\":0.25}}}}\n",
            "{\"type\":\"model_change\",\"model\":\"q/n\",\"role\":\"smol\"}\n",
            "{\"type\":\"session_info\",\"name\":\"a name\"}\n",
            "{\"type\":\"compaction\",\"summary\":\"s\",\"shortSummary\":\"short\"}\n",
        );
        let mut tally = Tally::default();
        let torn = format!("{lines}{{\"type\":\"message\"}}");
        assert_eq!(tally.count(torn.as_bytes()), lines.len() as u64);
        assert_eq!((tally.messages, tally.cost), (2, 0.25));
        assert_eq!(tally.prompt.as_deref(), Some("fix it"));
        assert_eq!(tally.model.as_deref(), Some("p/m"));
        assert_eq!((tally.name.as_deref(), tally.short_summary.as_deref()), (Some("a name"), Some("short")));
        tally.count(b"{\"type\":\"model_change\",\"provider\":\"x\",\"modelId\":\"y\"}\n");
        assert_eq!(tally.model.as_deref(), Some("x/y"));
    }
}
