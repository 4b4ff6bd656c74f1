//! The person at the terminal, who answers the agent's questions.

use std::sync::Mutex;

use relay_agent::tool::{Form, Question, Ui, UiAnswer};
use relay_diagnostics::Cancel;

use crate::terminal::ask::Person;

/// Asks at the terminal, one question at a time.
pub struct Terminal {
    person: Mutex<Person>,
    is_there: bool,
}

impl Terminal {
    /// The person, if there is one and they allow questions.
    pub fn new(cancel: Cancel, never_ask: bool, stdin_taken: bool) -> Self {
        let person = Person::new(cancel, false, stdin_taken);
        let is_there = !never_ask && person.is_there();
        Self { person: Mutex::new(person), is_there }
    }
}

impl Ui for Terminal {
    fn is_attended(&self) -> bool {
        self.is_there
    }

    fn ask(&self, question: &Question, _: &Cancel) -> UiAnswer {
        if !self.is_there {
            return UiAnswer::Unattended;
        }
        let Ok(mut person) = self.person.lock() else { return UiAnswer::Cancelled };
        let answer = match &question.form {
            Form::Select { options, other, .. } => {
                let labels: Vec<&str> = options.iter().map(|option| option.label.as_str()).collect();
                return match person.select(&question.message, &labels, *other) {
                    Some(Ok(at)) => UiAnswer::Chosen {
                        ids: options.get(at).map(|option| option.id.clone()).into_iter().collect(),
                        words: None,
                    },
                    Some(Err(words)) => UiAnswer::Chosen { ids: Vec::new(), words: Some(words) },
                    None => UiAnswer::Cancelled,
                };
            }
            Form::Confirm => {
                return UiAnswer::Confirmed(person.ask(&question.message) == relay_engine::Decision::Yes);
            }
            Form::Line { .. } | Form::Text { .. } => person.line(&question.message),
        };
        answer.map_or(UiAnswer::Cancelled, UiAnswer::Text)
    }
}
