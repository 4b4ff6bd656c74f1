//! Runs a call: checks its arguments, lets policy decide, may ask a person, then runs the tool.

use std::sync::{Arc, Mutex, PoisonError};

use relay_diagnostics::Cancel;
use relay_llm::{Arguments, ToolCall};
use serde_json::json;

use super::{ask, guard};
use crate::policy::{Decision, Level, Permit, Policy};
use crate::secrets::Masker;
use crate::session::Block;
use crate::tool::{
    Asking, Bounds, Call, Facts, Output, Services, Tool, ToolError, complain, validate, with_defaults,
};

/// Everything a call needs on its own thread.
pub struct Job {
    pub call: ToolCall,
    pub tool: Option<Arc<dyn Tool>>,
    /// The names of all tools, for a model that invents one.
    pub known: Vec<String>,
    pub services: Services,
    pub facts: Facts,
    pub policy: Arc<Mutex<Policy>>,
    pub masker: Arc<Mutex<Masker>>,
    pub cancel: Cancel,
}

impl Job {
    /// Runs the call to its end. Whatever goes wrong becomes a result the model can read.
    pub fn run(self, update: &(dyn Fn(Output) + Sync)) -> Output {
        let output = self.attempt(update).unwrap_or_else(ToolError::into_output);
        bounded(output)
    }

    fn attempt(&self, update: &(dyn Fn(Output) + Sync)) -> Result<Output, ToolError> {
        let Some(tool) = &self.tool else {
            let known = self.known.join(", ");
            return Err(ToolError::Failed(format!(
                "There is no tool `{}`. You have: {known}.",
                self.call.name
            )));
        };
        let arguments = match &self.call.arguments {
            Arguments::Object(arguments) => arguments,
            Arguments::Malformed { reason, .. } => {
                let message = format!(
                    "The arguments of `{}` are not complete JSON ({reason}), so it did not run. Send the whole call again.",
                    self.call.name
                );
                return Err(ToolError::Failed(message));
            }
        };
        // The log keeps what the model wrote; only the tool gets to see a secret.
        let restored =
            self.masker.lock().unwrap_or_else(PoisonError::into_inner).restore_arguments(arguments);
        let arguments = &restored.map_err(|error| ToolError::Failed(error.to_string()))?;
        let asking = Asking { model: &self.facts.model, services: &self.services };
        let schema = tool.schema_for(asking, arguments);
        let arguments = &with_defaults(schema, arguments);
        validate(schema, arguments)
            .map_err(|faults| ToolError::Failed(complain(&self.call.name, &faults, schema)))?;
        let permit = self.authorise(&**tool, arguments)?;
        ToolError::check(&self.cancel)?;
        tool.run(&Call {
            id: &self.call.id,
            arguments,
            cancel: &self.cancel,
            services: &self.services,
            permit,
            facts: &self.facts,
            update,
        })
    }

    fn authorise(
        &self,
        tool: &dyn Tool,
        arguments: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<Permit, ToolError> {
        let needs = tool.access(arguments);
        if let Some(why) = guard::refusal(&self.facts.mode, &needs, self.services.engine.workspace().root()) {
            return Err(ToolError::Denied(format!("Denied: {why}.")));
        }
        let mut policy = self.policy.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if self.facts.mode == super::PLAN_MODE {
            policy.level = Level::ReadOnly;
        }
        match policy.decide(&needs) {
            Decision::Allow => Ok(policy.permit(&[])),
            Decision::Deny(why) => Err(ToolError::Denied(format!("Denied: {why}."))),
            Decision::Ask(reasons) => {
                let preview = tool.preview(arguments, &self.services);
                let asked = ask::Asked { call: &self.call, reasons: &reasons, preview };
                ask::approve(&asked, &self.services, &self.policy, &self.cancel)?;
                Ok(policy.permit(&reasons))
            }
        }
    }
}

/// The output, with texts cut that are too long for a model.
fn bounded(mut output: Output) -> Output {
    for block in &mut output.content {
        if let Block::Text { text, .. } = block
            && let Some(cut) = Bounds::default().cut(text)
        {
            *text = cut;
        }
    }
    if output.content.is_empty() {
        output.content.push(Block::text("(no output)"));
    }
    if !output.transactions.is_empty() {
        let transactions = json!(output.transactions);
        match &mut output.details {
            Some(serde_json::Value::Object(details)) => {
                details.insert("transactions".to_owned(), transactions);
            }
            Some(_) => {}
            None => output.details = Some(json!({ "transactions": transactions })),
        }
    }
    output
}
