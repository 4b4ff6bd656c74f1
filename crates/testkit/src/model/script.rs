//! A script from a JSON file, for the server as a program of its own.
//!
//! ```json
//! {
//!   "models": ["scripted-model"], "key": "sk-test",
//!   "answers": [{ "text": "first" }, { "failure": "rate_limited", "headers": { "retry-after": "1" } }],
//!   "rules": [{ "when": "make a file", "times": 1,
//!               "answer": { "parts": [{ "tool": "write", "id": "call_1", "arguments": { "path": "a.txt" } }] } }],
//!   "default": { "text": "Hello.", "delivery": { "pause_ms": 20 } }
//! }
//! ```
//!
//! Answers are given once each and in order; then the first rule whose text is in the request; then the default. A request
//! that wants a JSON schema followed gets a sample of it, unless a rule is meant for it: agents ask such questions on the
//! side, to choose a model or to name a session, and those must not use up the script.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;

use serde::Deserialize;
use serde_json::Value;

use super::{Answer, Delivery, Failure, Flavour, ModelServer, Part, Reply, Request, Stop, Usage};

/// What a script file says.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    models: Vec<String>,
    /// The only key that is let in; without it, any.
    key: Option<String>,
    answers: Vec<AnswerFile>,
    rules: Vec<Rule>,
    default: Option<AnswerFile>,
}

/// An answer for requests with a certain text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    when: String,
    /// How often it applies; without it, always.
    times: Option<usize>,
    answer: AnswerFile,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct AnswerFile {
    text: Option<String>,
    parts: Vec<PartFile>,
    stop: Stop,
    usage: Usage,
    delta: Option<usize>,
    whole_arguments: bool,
    failure: Option<Failure>,
    status: Option<u16>,
    html: bool,
    headers: BTreeMap<String, String>,
    delivery: Delivery,
    flavour: Option<Flavour>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum PartFile {
    Text { text: String },
    Thinking { thinking: String, signature: Option<String> },
    Redacted { redacted: String },
    Tool { tool: String, id: String, arguments: Value },
    Image { image: String, media_type: String },
    Unknown { unknown: Value },
    Refusal { refusal: String },
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Makes a server follow it.
    pub fn direct(self, server: &ModelServer) {
        if !self.models.is_empty() {
            server.models(&self.models.iter().map(String::as_str).collect::<Vec<_>>());
        }
        if let Some(key) = &self.key {
            server.require_key(key);
        }
        let waiting = Mutex::new((VecDeque::from(self.answers), self.rules));
        let default = self.default;
        server.respond(move |request: &Request| {
            let body = request.body.to_string();
            let applies = |rule: &&mut Rule| rule.times != Some(0) && body.contains(&rule.when);
            let (answers, rules) = &mut *waiting.lock().unwrap();
            let rule = rules.iter_mut().find(applies);
            if rule.is_none() && request.wants_schema() {
                return ModelServer::hello(request);
            }
            if let Some(answer) = answers.pop_front() {
                return answer.answer();
            }
            match (rule, &default) {
                (Some(rule), _) => {
                    rule.times = rule.times.map(|times| times - 1);
                    rule.answer.clone().answer()
                }
                (None, Some(default)) => default.clone().answer(),
                (None, None) => ModelServer::hello(request),
            }
        });
    }
}

impl AnswerFile {
    fn answer(self) -> Answer {
        let mut reply = Reply::default().stop(self.stop).usage(self.usage);
        if let Some(characters) = self.delta {
            reply = reply.delta(characters);
        }
        if self.whole_arguments {
            reply = reply.whole_arguments();
        }
        for part in self.parts {
            reply = reply.part(part.part());
        }
        if let Some(text) = self.text {
            reply = reply.part(Part::Text(text));
        }
        let mut answer = match (self.failure, self.status) {
            (Some(failure), None) => Answer::failure(failure),
            (Some(failure), Some(status)) => Answer::status(status, failure),
            (None, status) if self.html => Answer::html(status.unwrap_or(200)),
            (None, _) => reply.into(),
        };
        for (name, value) in self.headers {
            answer = answer.header(&name, &value);
        }
        if let Some(flavour) = self.flavour {
            answer = answer.flavour(flavour);
        }
        answer.delivery(self.delivery)
    }
}

impl PartFile {
    fn part(self) -> Part {
        match self {
            Self::Text { text } => Part::Text(text),
            Self::Thinking { thinking, signature } => Part::Thinking { text: thinking, signature },
            Self::Redacted { redacted } => Part::Redacted(redacted),
            // Arguments that are not an object can be given as the text the model wrote.
            Self::Tool { tool, id, arguments: Value::String(arguments) } => {
                Part::Tool { id, name: tool, arguments }
            }
            Self::Tool { tool, id, arguments } => {
                Part::Tool { id, name: tool, arguments: arguments.to_string() }
            }
            Self::Image { image, media_type } => Part::Image { media_type, data: image },
            Self::Unknown { unknown } => Part::Unknown(unknown),
            Self::Refusal { refusal } => Part::Refusal(refusal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AnswerFile, Script};
    use crate::model::Part;
    use crate::model::answer::Content;

    #[test]
    fn the_example_in_the_documentation_is_understood() {
        let documentation = include_str!("script.rs");
        let example: String = documentation
            .lines()
            .skip_while(|line| *line != "//! ```json")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!"))
            .collect();
        let script = Script::parse(&example).unwrap();
        assert_eq!((script.answers.len(), script.rules.len()), (2, 1));
        let answer = script.rules[0].answer.clone().answer();
        let Content::Reply(reply) = answer.content else { panic!("a reply") };
        let Part::Tool { arguments, .. } = &reply.parts[0] else { panic!("a tool call") };
        assert_eq!(arguments, r#"{"path":"a.txt"}"#);
    }

    #[test]
    fn misspelt_keys_are_errors() {
        assert!(Script::parse(r#"{ "answer": [] }"#).is_err());
        assert!(Script::parse(r#"{ "default": { "delivery": { "cut": 1 } } }"#).is_err());
        assert!(serde_json::from_str::<AnswerFile>(r#"{ "failure": "tired" }"#).is_err());
    }
}
