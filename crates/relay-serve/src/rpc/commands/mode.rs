//! Commands about policy, plan mode and goals.

use relay_agent::goal;
use relay_agent::policy::{Class, Level};
use relay_agent::turn::Prompt;
use serde_json::{Value, json};

use super::{Answer, Session, flag, needed, text};
use crate::rpc::with_agent;

impl Session {
    pub(super) fn about_modes(&self, kind: &str, command: &Value) -> Option<Answer> {
        Some(match kind {
            "get_policy" => self.policy(),
            "set_policy" => self.set_policy(command),
            "set_plan_mode" => self.set_plan_mode(command),
            "goal" => self.goal(command),
            _ => return None,
        })
    }

    fn policy(&self) -> Answer {
        let policy = with_agent(&self.remote, |agent| agent.with_policy(|policy| policy.clone()))?;
        let granted: Vec<&str> = policy.granted.iter().map(|class| class.name()).collect();
        Ok(Some(json!({
            "level": policy.level.name(), "levels": Level::ALL.map(Level::name), "granted": granted,
            "grantable": Class::GRANTABLE.map(Class::name), "rules": policy.rules.all(),
        })))
    }

    /// Sets the level, and grants or revokes classes for the session.
    fn set_policy(&self, command: &Value) -> Answer {
        let level: Option<Level> = text(command, "level").map(str::parse).transpose()?;
        let classes = |name: &str| -> Result<Vec<Class>, String> {
            let names = command.get(name).and_then(Value::as_array).into_iter().flatten();
            names
                .filter_map(Value::as_str)
                .map(|name| {
                    let found = Class::GRANTABLE.into_iter().find(|class| class.name() == name);
                    found.ok_or_else(|| format!("unknown class `{name}`"))
                })
                .collect()
        };
        let (grant, revoke) = (classes("grant")?, classes("revoke")?);
        let previous = with_agent(&self.remote, move |agent| {
            agent.with_policy(|policy| {
                let previous = policy.level;
                policy.level = level.unwrap_or(policy.level);
                policy.granted.extend(grant);
                policy.granted.retain(|class| !revoke.contains(class));
                previous
            })
        })?;
        let mut answer = self.policy()?;
        if let Some(fields) = answer.as_mut().and_then(Value::as_object_mut) {
            fields.insert("previousLevel".to_owned(), previous.name().into());
        }
        Ok(answer)
    }

    fn set_plan_mode(&self, command: &Value) -> Answer {
        self.is_idle()?;
        let enabled = flag(command, "enabled").unwrap_or(true);
        with_agent(&self.remote, move |agent| agent.set_plan_mode(enabled))?;
        Ok(None)
    }

    /// `/goal set|show|pause|resume|drop`. Setting or resuming one starts work on it, unless `start` is false.
    fn goal(&self, command: &Value) -> Answer {
        let operation = text(command, "op").unwrap_or("show").to_owned();
        let known = with_agent(&self.remote, |agent| agent.facts().goal.clone())?;
        let next = match (operation.as_str(), goal::status(known.as_ref()), &known) {
            ("show", ..) => return Ok(Some(json!({ "goal": known }))),
            ("set", "active" | "paused", _) => {
                return Err("this session already has a goal; drop it first".to_owned());
            }
            ("set", ..) => match needed(command, "objective")?.trim() {
                "" => return Err("a goal needs an objective".to_owned()),
                objective => goal::new(objective),
            },
            ("pause", "active", Some(known)) => goal::with_status(known, "paused"),
            ("resume", "paused", Some(known)) => goal::with_status(known, "active"),
            ("drop", "active" | "paused", Some(known)) => goal::with_status(known, "dropped"),
            ("pause" | "resume" | "drop", ..) => return Err(format!("there is no goal to {operation}")),
            _ => return Err(format!("unknown op `{operation}`; use set, show, pause, resume or drop")),
        };
        let shown = next.clone();
        with_agent(&self.remote, move |agent| agent.change_goal(Some(next)))?;
        let starts = matches!(operation.as_str(), "set" | "resume") && flag(command, "start").unwrap_or(true);
        if starts && !with_agent(&self.remote, |agent| agent.is_busy())? {
            self.remote.prompt(Prompt::hidden("goal-start", "Work on the goal of this session."));
        }
        Ok(Some(json!({ "goal": shown })))
    }
}
