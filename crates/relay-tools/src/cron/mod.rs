//! `CronCreate`, `CronList`, `CronDelete`: prompts that come back later in the session.
//!
//! Schedules live as long as the session does; they are kept in memory, each owner's apart from the others'.

mod expression;
mod moment;
mod schedules;

use relay_agent::tool::{Access, Call, Output, Services, Spec, Tool, ToolError};
use serde_json::{Map, Value, json};

use crate::spec::{conversational, only_conversation};
use expression::Expression;
pub use schedules::Schedules;

/// How much of a prompt a list shows.
const PREVIEW_CHARS: usize = 80;
/// Switches schedules off, whatever the settings say.
const OFF: &str = "CLAUDE_CODE_DISABLE_CRON";

/// Whether schedules are switched off by the environment.
pub fn is_switched_off() -> bool {
    relay_exec::variable(OFF).is_some_and(|value| value == "1")
}

fn check(services: &Services) -> Result<(), ToolError> {
    if is_switched_off() {
        return Err(ToolError::failed("Cron is disabled by CLAUDE_CODE_DISABLE_CRON=1."));
    }
    if !crate::job::is_enabled(services) {
        return Err(ToolError::failed("Async execution is disabled; cron is unavailable in this session."));
    }
    Ok(())
}

pub struct CronCreate(Spec, Schedules);

impl CronCreate {
    pub fn new(schedules: &Schedules) -> Self {
        let properties = json!({
            "cron_expression": {
                "type": "string",
                "description": "Five fields in local time: minute hour day-of-month month day-of-week",
            },
            "prompt": { "type": "string", "description": "What you are told when it fires" },
            "recurring": {
                "type": "boolean", "default": true,
                "description": "true fires at every match for up to 7 days, false fires once",
            },
        });
        let required = ["cron_expression", "prompt", "recurring"];
        let spec = conversational("CronCreate", include_str!("create.md"), properties, &required);
        Self(spec, schedules.clone())
    }
}

impl Tool for CronCreate {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        check(call.services)?;
        let expression =
            Expression::parse(call.text("cron_expression").unwrap_or_default()).map_err(ToolError::Failed)?;
        let recurring = call.arguments.get("recurring").and_then(Value::as_bool).unwrap_or(true);
        let prompt = call.text("prompt").unwrap_or_default();
        let task =
            self.1.add(&call.services.jobs, expression, prompt, recurring).map_err(ToolError::Failed)?;
        let text = format!("Scheduled {} ({})", task.id, task.expression.in_words());
        Ok(Output::text(text).with_details(json!({
            "id": task.id, "cron_expression": task.expression.text(), "recurring": recurring,
            "nextFireAt": task.fires.as_millisecond(),
        })))
    }
}

pub struct CronList(Spec, Schedules);

impl CronList {
    pub fn new(schedules: &Schedules) -> Self {
        Self(conversational("CronList", include_str!("list.md"), json!({}), &[]), schedules.clone())
    }
}

impl Tool for CronList {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        check(call.services)?;
        let tasks = self.1.list(call.services.jobs.owner());
        let lines: Vec<String> = tasks
            .iter()
            .map(|task| format!("{} ({}): {}", task.id, task.expression.in_words(), preview(&task.prompt)))
            .collect();
        let jobs: Vec<Value> = tasks
            .iter()
            .map(|task| {
                json!({
                    "id": task.id, "cron": task.expression.text(), "recurring": task.recurring,
                    "prompt": task.prompt, "humanSchedule": task.expression.in_words(),
                })
            })
            .collect();
        let text = if lines.is_empty() { "No scheduled jobs".to_owned() } else { lines.join("\n") };
        Ok(Output::text(text).with_details(json!({ "jobs": jobs })))
    }
}

pub struct CronDelete(Spec, Schedules);

impl CronDelete {
    pub fn new(schedules: &Schedules) -> Self {
        let properties = json!({
            "id": { "type": "string", "minLength": 1, "description": "The id that CronCreate returned" },
        });
        Self(conversational("CronDelete", include_str!("delete.md"), properties, &["id"]), schedules.clone())
    }
}

impl Tool for CronDelete {
    fn spec(&self) -> &Spec {
        &self.0
    }

    fn access(&self, _: &Map<String, Value>) -> Vec<Access> {
        only_conversation()
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        check(call.services)?;
        let id = call.text("id").unwrap_or_default();
        let deleted = self.1.remove(call.services.jobs.owner(), id);
        let text = match deleted {
            true => format!("Cancelled {id}"),
            false => format!("Failed to remove scheduled task '{id}'"),
        };
        Ok(Output::text(text).with_details(json!({ "id": id, "deleted": deleted })))
    }
}

/// The beginning of a prompt, on one line.
fn preview(prompt: &str) -> String {
    let line = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= PREVIEW_CHARS {
        return line;
    }
    let head: String = line.chars().take(PREVIEW_CHARS - 3).collect();
    format!("{head}...")
}
