//! What tests of tools need: a workspace in a temporary folder, and services over it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use relay_agent::policy::Permit;
use relay_agent::tool::{
    Asking, Call, Facts, Output, Question, Services, Tool, ToolError, Ui, UiAnswer, validate, with_defaults,
};
use relay_diagnostics::Cancel;
use relay_engine::Engine;
use relay_store::Store;
use relay_workspace::Workspace;
use serde_json::Value;

/// A workspace, and everything a call needs.
pub struct Lab {
    pub folder: tempfile::TempDir,
    pub services: Services,
    pub facts: Facts,
    pub cancel: Cancel,
    pub permit: Permit,
    pub updates: Mutex<Vec<Output>>,
}

impl Lab {
    pub fn new() -> Self {
        Self::with(&[], Arc::new(relay_agent::tool::Unattended))
    }

    /// A lab with these settings and this person.
    pub fn with(settings: &[(&str, Value)], ui: Arc<dyn Ui>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (root, home) = (folder.path().join("project"), folder.path().join("home"));
        std::fs::create_dir(&root).unwrap();
        let workspace = Workspace::open(&root).unwrap();
        let engine = Engine::open(workspace, Store::at(&home), Cancel::new()).unwrap().without_checks();
        let settings: BTreeMap<String, Value> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let services = Services {
            ui,
            settings: Arc::new(move |key| settings.get(key).cloned()),
            ..Services::alone(Arc::new(engine), "test", std::env::temp_dir())
        };
        Self {
            folder,
            services,
            facts: Facts::default(),
            cancel: Cancel::new(),
            permit: Permit::default(),
            updates: Mutex::default(),
        }
    }

    /// The workspace's root.
    pub fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    pub fn write(&self, path: &str, text: &str) {
        let place = self.root().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    /// Calls a tool as the agent does: arguments that do not fit its schema are refused.
    pub fn call(&self, tool: &dyn Tool, arguments: Value) -> Result<Output, ToolError> {
        let asking = Asking { model: &self.facts.model, services: &self.services };
        let schema = tool.schema_for(asking, arguments.as_object().unwrap());
        let arguments = with_defaults(schema, arguments.as_object().unwrap());
        validate(schema, &arguments).map_err(|faults| ToolError::Failed(faults.join("\n")))?;
        tool.run(&Call {
            id: "call_1",
            arguments: &arguments,
            cancel: &self.cancel,
            services: &self.services,
            permit: self.permit,
            facts: &self.facts,
            update: &|output| self.updates.lock().unwrap().push(output),
        })
    }

    /// The text of a call that must not be refused.
    #[track_caller]
    pub fn text(&self, tool: &dyn Tool, arguments: Value) -> String {
        self.call(tool, arguments).unwrap().plain_text()
    }

    /// Why a call is refused.
    #[track_caller]
    pub fn error(&self, tool: &dyn Tool, arguments: Value) -> String {
        self.call(tool, arguments).unwrap_err().to_string()
    }
}

/// A person who gives prepared answers and remembers the questions.
pub struct Scripted {
    pub answers: Mutex<Vec<UiAnswer>>,
    pub questions: Mutex<Vec<Question>>,
}

impl Scripted {
    pub fn new(answers: Vec<UiAnswer>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers), questions: Mutex::default() })
    }
}

impl Ui for Scripted {
    fn ask(&self, question: &Question, _: &Cancel) -> UiAnswer {
        self.questions.lock().unwrap().push(question.clone());
        let mut answers = self.answers.lock().unwrap();
        if answers.is_empty() { UiAnswer::Cancelled } else { answers.remove(0) }
    }

    fn is_attended(&self) -> bool {
        true
    }
}
