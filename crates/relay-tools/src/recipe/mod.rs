//! `recipe`: a task of the project's own task runner, run as `bash` runs commands.

mod runner;
mod runners;

use std::sync::Arc;

use relay_agent::tool::{Access, Call, Concurrency, Output, Services, Spec, Tool, ToolError};
use relay_exec::find_program;
use serde_json::{Map, Value, json};

use runner::{Resolved, Runner};

pub struct Recipe {
    spec: Spec,
    runners: Vec<Runner>,
    bash: Arc<dyn Tool>,
}

impl Recipe {
    /// The tool, if the project has tasks and the user wants it.
    pub fn find(services: &Services, bash: &Arc<dyn Tool>) -> Option<Self> {
        if !services.is_on("recipe.enabled", true) {
            return None;
        }
        let runners =
            runners::detect(services.engine.workspace(), &|program| find_program(program).is_some());
        (!runners.is_empty()).then(|| Self::new(runners, Arc::clone(bash)))
    }

    fn new(runners: Vec<Runner>, bash: Arc<dyn Tool>) -> Self {
        let description = format!("{}{}", include_str!("description.md").trim(), runner::prompt(&runners));
        let spec = Spec {
            name: "recipe".into(),
            description: description.into(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "op": { "type": "string", "description": "The task and its arguments, such as `test` or `build --release`" },
                },
                "required": ["op"],
                "additionalProperties": false,
            }),
            concurrency: Concurrency::Exclusive,
            hidden: false,
        };
        Self { spec, runners, bash }
    }

    /// What `bash` is called with.
    fn arguments(&self, op: &str) -> Result<Map<String, Value>, String> {
        let Resolved { mut command, mut cwd } = runner::resolve(op, &self.runners)?;
        let takes_folder = self.bash.spec().parameters.pointer("/properties/cwd").is_some();
        if let Some(folder) = cwd.take_if(|_| !takes_folder) {
            command = format!("cd {} && {command}", runner::quoted(&folder));
        }
        let mut arguments = Map::new();
        arguments.insert("command".to_owned(), command.into());
        arguments.extend(cwd.map(|cwd| ("cwd".to_owned(), Value::from(cwd))));
        Ok(arguments)
    }
}

impl Tool for Recipe {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn access(&self, arguments: &Map<String, Value>) -> Vec<Access> {
        let op = arguments.get("op").and_then(Value::as_str).unwrap_or_default();
        match self.arguments(op) {
            Ok(arguments) => self.bash.access(&arguments),
            // It will not run.
            Err(_) => vec![Access::Conversation],
        }
    }

    fn run(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let arguments = self.arguments(call.text("op").unwrap_or_default()).map_err(ToolError::Failed)?;
        self.bash.run(&Call { arguments: &arguments, ..*call })
    }
}
