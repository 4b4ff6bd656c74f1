//! What looks at everything a model says or is sent.

use relay_llm::{Kind, Message};

use crate::turn::{Happened, Hit};

/// Finds stream rules that an answer breaks, while it is being written.
pub trait StreamRules: Send {
    /// A model is asked.
    fn turn_began(&mut self);

    /// More of a block: the rules this breaks.
    fn delta(&mut self, index: usize, kind: &Kind, text: &str) -> Vec<Hit>;

    /// These rules were put in front of the model.
    fn injected(&mut self, rules: &[String]);

    /// A turn is over.
    fn turn_ended(&mut self);
}

/// No rules at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRules;

impl StreamRules for NoRules {
    fn turn_began(&mut self) {}

    fn delta(&mut self, _: usize, _: &Kind, _: &str) -> Vec<Hit> {
        Vec::new()
    }

    fn injected(&mut self, _: &[String]) {}

    fn turn_ended(&mut self) {}
}

/// Keeps secrets from leaving the machine.
pub trait Masking: Send + Sync {
    /// The messages as they may be sent.
    fn mask(&self, messages: Vec<Message>) -> Vec<Message>;

    /// What the model said, with the secrets in tool arguments put back.
    fn restore(&self, happened: Happened) -> Happened;
}
