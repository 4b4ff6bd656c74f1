//! `ask`: questions to the user, with options.

use relay_agent::tool::{
    Access, Call, Choice, Concurrency, Form, Output, Question, Signal, Spec, Tool, ToolError, UiAnswer,
};
use serde_json::{Map, Value, json};

/// What a front end answers to go to the question before or after.
const BACK: &str = "ask:back";
const FORWARD: &str = "ask:forward";

pub struct Ask(Spec);

impl Ask {
    pub fn new() -> Self {
        let option = json!({
            "type": "object",
            "properties": { "label": { "type": "string", "description": "What the user reads and you get back" } },
            "required": ["label"],
            "additionalProperties": false,
        });
        let question = json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "Names the question in the result, such as `auth_method`" },
                "question": { "type": "string", "description": "The question" },
                "options": { "type": "array", "items": option, "description": "The choices" },
                "multi": { "type": "boolean", "description": "Whether several may be chosen" },
                "recommended": { "type": "number", "description": "The index of the option you recommend" },
            },
            "required": ["id", "question", "options"],
            "additionalProperties": false,
        });
        Self(Spec {
            name: "ask".into(),
            description: include_str!("description.md").trim().into(),
            parameters: json!({
                "type": "object",
                "properties": { "questions": { "type": "array", "items": question, "minItems": 1 } },
                "required": ["questions"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        })
    }
}

impl Tool for Ask {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        vec![Access::Conversation]
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let list = call.arguments.get("questions").and_then(Value::as_array);
        let asked: Vec<Asked> = list.into_iter().flatten().map(Asked::read).collect();
        if asked.is_empty() {
            return Ok(Output::text("Error: questions must not be empty"));
        }
        let mut answers = vec![Reply::default(); asked.len()];
        let mut at = 0;
        while let (Some(question), Some(reply)) = (asked.get(at), answers.get_mut(at)) {
            let place = Place { index: at, count: asked.len() };
            match ask_one(call, question, reply, place) {
                Step::Next(given) => {
                    *reply = given;
                    at += 1;
                }
                Step::Forward(given) => {
                    *reply = given;
                    at += 1;
                }
                Step::Back(given) => {
                    *reply = given;
                    at = at.saturating_sub(1);
                }
                Step::Cancelled => return Ok(ended("Ask tool was cancelled by the user")),
                Step::NoOne => return Ok(ended("Ask tool requires interactive mode")),
                Step::Aborted => return Err(ToolError::Aborted("Ask input was cancelled".to_owned())),
            }
        }
        Ok(result(&asked, &answers))
    }
}

/// A question as the model asked it.
struct Asked {
    id: String,
    question: String,
    options: Vec<String>,
    multi: bool,
    recommended: Option<usize>,
}

impl Asked {
    fn read(value: &Value) -> Self {
        let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let options = value.get("options").and_then(Value::as_array);
        let options: Vec<String> = options
            .into_iter()
            .flatten()
            .filter_map(|option| option.get("label")?.as_str())
            .map(str::to_owned)
            .collect();
        let recommended =
            value.get("recommended").and_then(Value::as_f64).filter(|number| number.fract() == 0.0);
        let recommended = recommended.and_then(|number| (0..options.len()).find(|at| *at as f64 == number));
        Self {
            id: text("id"),
            question: text("question"),
            options,
            multi: value.get("multi").and_then(Value::as_bool).unwrap_or_default(),
            recommended,
        }
    }
}

/// What the user answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Reply {
    selected: Vec<String>,
    words: Option<String>,
}

/// Which of how many questions.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    count: usize,
}

/// What comes after a question.
enum Step {
    Next(Reply),
    /// To the next question, with what was marked in this one.
    Forward(Reply),
    /// To the question before.
    Back(Reply),
    Cancelled,
    NoOne,
    Aborted,
}

fn ask_one(call: &Call<'_>, asked: &Asked, so_far: &Reply, place: Place) -> Step {
    let label = |(at, label): (usize, &String)| {
        let is_marked = !asked.multi && asked.recommended == Some(at);
        let shown = if is_marked { format!("{label} (Recommended)") } else { label.clone() };
        Choice { id: at.to_string(), label: shown, description: None }
    };
    let seconds = call.services.number("ask.timeout", 0.0);
    // A plan is worth waiting for.
    let is_timed = seconds > 0.0 && call.facts.mode != "plan";
    let notify = (call.services.text("ask.notify", "on") != "off").then_some("Waiting for input");
    let question = Question {
        title: if place.count > 1 {
            format!("Question {} of {}", place.index + 1, place.count)
        } else {
            "Question".to_owned()
        },
        message: asked.question.clone(),
        form: Form::Select {
            options: asked.options.iter().enumerate().map(label).collect(),
            several: asked.multi,
            other: true,
        },
        timeout_ms: is_timed.then_some(milliseconds(seconds)),
        details: Some(json!({ "ask": {
            "id": asked.id, "index": place.index, "count": place.count, "recommended": asked.recommended,
            "selected": so_far.selected, "customInput": so_far.words, "notify": notify,
            "back": (place.index > 0).then_some(BACK), "forward": (place.index + 1 < place.count).then_some(FORWARD),
        } })),
    };
    match call.services.ui.ask(&question, call.cancel) {
        _ if call.cancel.is_cancelled() => Step::Aborted,
        UiAnswer::Chosen { ids, words } => {
            let chosen = ids.iter().filter_map(|id| asked.options.get(id.parse::<usize>().ok()?).cloned());
            let given = Reply { selected: chosen.collect(), words: words.filter(|words| !words.is_empty()) };
            let leads = |to: &str| ids.last().is_some_and(|last| last == to);
            // Whoever leaves a question unanswered keeps what was answered before.
            let kept = |given: Reply| Reply {
                selected: if asked.multi { given.selected } else { so_far.selected.clone() },
                words: given.words.or_else(|| so_far.words.clone()),
            };
            match (leads(BACK), leads(FORWARD)) {
                (true, _) => Step::Back(kept(given)),
                (_, true) => Step::Forward(kept(given)),
                _ => Step::Next(given),
            }
        }
        UiAnswer::Text(words) => Step::Next(Reply { selected: Vec::new(), words: Some(words) }),
        // What was answered before, on the way to another question, stays.
        UiAnswer::TimedOut if *so_far != Reply::default() => Step::Next(so_far.clone()),
        UiAnswer::TimedOut => {
            let pick = asked.options.get(asked.recommended.unwrap_or(0)).cloned();
            Step::Next(Reply { selected: pick.into_iter().collect(), words: None })
        }
        UiAnswer::Confirmed(_) | UiAnswer::Cancelled => Step::Cancelled,
        UiAnswer::Unattended => Step::NoOne,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a float saturates")]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

/// The end of the run: the user does not want to answer, so the model must not go on by guessing.
fn ended(why: &str) -> Output {
    Output { is_error: true, ..Output::text(why).with_details(json!({ "error": "aborted" })) }
        .signalling(Signal::Stop)
}

fn result(asked: &[Asked], answers: &[Reply]) -> Output {
    let details = |asked: &Asked, reply: &Reply| {
        let mut details = json!({
            "question": asked.question, "options": asked.options, "multi": asked.multi, "selectedOptions": reply.selected,
        });
        if let (Some(words), Some(fields)) = (&reply.words, details.as_object_mut()) {
            fields.insert("customInput".to_owned(), words.as_str().into());
        }
        details
    };
    if let ([asked], [reply]) = (asked, answers) {
        let mut lines = Vec::new();
        if !reply.selected.is_empty() || reply.words.is_none() {
            lines.push(format!("User selected: {}", chosen(&reply.selected)));
        }
        if let Some(words) = &reply.words {
            lines.push(format!("User provided custom input: {words}"));
        }
        return Output::text(lines.join("\n")).with_details(details(asked, reply));
    }
    let mut lines = vec!["User answers:".to_owned()];
    let mut results = Vec::new();
    for (asked, reply) in asked.iter().zip(answers) {
        let answer = match (&reply.words, reply.selected.is_empty()) {
            (Some(words), true) => format!("\"{words}\""),
            (Some(words), false) => format!("{} (and \"{words}\")", chosen(&reply.selected)),
            (None, _) => chosen(&reply.selected),
        };
        lines.push(format!("{}: {answer}", asked.id));
        let mut result = json!({ "id": asked.id });
        if let (Some(fields), Value::Object(more)) = (result.as_object_mut(), details(asked, reply)) {
            fields.extend(more);
        }
        results.push(result);
    }
    Output::text(lines.join("\n")).with_details(json!({ "results": results }))
}

fn chosen(options: &[String]) -> String {
    if options.is_empty() { "(no selection)".to_owned() } else { options.join(", ") }
}

#[cfg(test)]
mod tests;
