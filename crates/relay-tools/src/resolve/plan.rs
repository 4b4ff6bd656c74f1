//! The end of plan mode: the plan is shown to the person, who decides whether and how it is carried out.

use relay_agent::driver::PLAN_FILE;
use relay_agent::tool::{Call, Choice, Form, Output, PlanChoice, Question, Signal, ToolError, UiAnswer};
use serde_json::{Value, json};

/// The longest title.
const TITLE_CHARS: usize = 60;
/// The title of a plan that gives no other.
const FALLBACK: &str = "plan";

/// Asks the person about the plan that was written.
pub fn approve(call: &Call<'_>) -> Result<Output, ToolError> {
    let resources = &call.services.resources;
    let plan = match resources.read(PLAN_FILE, call.cancel) {
        Ok(plan) if !plan.text.trim().is_empty() => plan.text,
        _ => {
            let message =
                format!("There is no plan yet. Write it to {PLAN_FILE} first, then call resolve again.");
            return Err(ToolError::Failed(message));
        }
    };
    let wanted = call.arguments.get("extra").and_then(|extra| extra.get("title")?.as_str());
    let title = title(wanted, &plan);
    let path = format!("local://{title}.md");
    resources.write(&path, &plan, call.cancel)?;
    let details = json!({ "plan": true, "title": title, "path": path, "text": plan });
    let kept = Signal::Keep { kind: "plan".to_owned(), data: json!({ "title": title, "path": path }) };
    let (ids, words) = match call.services.ui.ask(&question(&details), call.cancel) {
        UiAnswer::Chosen { ids, words } => (ids, words),
        UiAnswer::Text(words) => (Vec::new(), Some(words)),
        UiAnswer::Confirmed(true) => (vec!["keep".to_owned()], None),
        UiAnswer::Confirmed(false) | UiAnswer::Cancelled => (Vec::new(), None),
        UiAnswer::TimedOut | UiAnswer::Unattended => {
            let text = format!(
                "The plan is kept as {path}. No one is there to approve it, so nothing is carried out. End here with a \
                 short summary of the plan."
            );
            return Ok(Output::text(text).with_details(details).signalling(kept));
        }
    };
    let choice = match ids.first().map(String::as_str) {
        Some("fresh") => PlanChoice::Fresh,
        Some("compact") => PlanChoice::Compact,
        Some("keep") => PlanChoice::Keep,
        _ => return Ok(Output::text(declined(words.as_deref())).with_details(details).signalling(kept)),
    };
    let approved = Signal::PlanApproved { choice, title, path: path.clone(), plan };
    let text = format!("Plan approved. It is kept as {path}.");
    Ok(Output::text(text).with_details(details).signalling(kept).signalling(approved))
}

fn declined(words: Option<&str>) -> String {
    match words.map(str::trim).filter(|words| !words.is_empty()) {
        Some(words) => format!("The user did not approve the plan and says: {words}\nPlan mode stays on."),
        None => "The user did not approve the plan. Plan mode stays on; ask what to change.".to_owned(),
    }
}

fn question(details: &Value) -> Question {
    let choice = |id: &str, label: &str, description: &str| Choice {
        id: id.to_owned(),
        label: label.to_owned(),
        description: Some(description.to_owned()),
    };
    let text = details.get("text").and_then(Value::as_str).unwrap_or_default();
    Question {
        title: "Plan".to_owned(),
        message: format!("{}\n\nCarry out this plan?", text.trim_end()),
        form: Form::Select {
            options: vec![
                choice("fresh", "Approve and execute", "in a fresh context that knows only the plan"),
                choice("compact", "Approve and compact context", "after the conversation is made shorter"),
                choice("keep", "Approve", "and keep the whole context"),
                choice("no", "Stay in plan mode", "say what to change"),
            ],
            several: false,
            other: true,
        },
        timeout_ms: None,
        details: Some(details.clone()),
    }
}

/// A plan's title as a name: what the model wants, else the plan's first heading, else `plan`.
fn title(wanted: Option<&str>, plan: &str) -> String {
    let heading =
        plan.lines().find_map(|line| line.strip_prefix('#')).map(|line| line.trim_start_matches('#'));
    let names = [wanted.map(|title| title.trim_end_matches(".md")), heading];
    names.into_iter().flatten().find_map(normal).unwrap_or_else(|| FALLBACK.to_owned())
}

/// Letters, digits, `_` and `-`; blanks become `-`, everything else goes.
fn normal(title: &str) -> Option<String> {
    let words = title.split_whitespace().collect::<Vec<_>>().join("-");
    let kept: String = words
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
        .take(TITLE_CHARS)
        .collect();
    let kept = kept.trim_matches('-');
    kept.contains(|c: char| c.is_ascii_alphanumeric()).then(|| kept.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_names_with_fallbacks() {
        let check =
            |wanted: Option<&str>, plan: &str, expected: &str| assert_eq!(title(wanted, plan), expected);
        check(Some("migrate mcp  loader"), "", "migrate-mcp-loader");
        check(Some("fix_it.md"), "# Other", "fix_it");
        check(Some("../../etc/passwd"), "", "etcpasswd");
        check(Some("…"), "text\n## The new Parser!\n", "The-new-Parser");
        check(None, "no heading", "plan");
        check(Some("---"), "# ---", "plan");
        check(Some(&"x".repeat(100)), "", &"x".repeat(60));
    }
}
