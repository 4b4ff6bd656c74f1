//! Hooks that watch a model's output while it streams.

use std::collections::BTreeMap;

use relay_llm::Kind;

use crate::rules::stream::{Monitor, Source as Watched};
use crate::turn::{Hit, Source};

/// Finds stream rules that an answer breaks, while it is being written.
pub trait StreamRules: Send {
    /// A model is asked.
    fn turn_began(&mut self);

    /// More of a block: the rules this breaks.
    fn delta(&mut self, index: usize, kind: &Kind, text: &str) -> Vec<Hit>;

    /// A block is complete: the rules that only its end breaks.
    fn block_ended(&mut self, index: usize) -> Vec<Hit>;

    /// These rules were put in front of the model.
    fn injected(&mut self, rules: &[String]);

    /// The session changed, or the place in it; only these rules were shown there.
    fn restart(&mut self, injected: &[String]);

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

    fn block_ended(&mut self, _: usize) -> Vec<Hit> {
        Vec::new()
    }

    fn injected(&mut self, _: &[String]) {}

    fn restart(&mut self, _: &[String]) {}

    fn turn_ended(&mut self) {}
}

/// The rules of a session.
pub struct Watching {
    monitor: Monitor,
    blocks: BTreeMap<usize, Watched>,
}

impl Watching {
    /// Watches with this monitor.
    #[must_use]
    pub fn new(monitor: Monitor) -> Self {
        Self { monitor, blocks: BTreeMap::new() }
    }
}

impl StreamRules for Watching {
    fn turn_began(&mut self) {
        self.blocks.clear();
        self.monitor.turn_started();
    }

    fn delta(&mut self, index: usize, kind: &Kind, text: &str) -> Vec<Hit> {
        let source = match kind {
            Kind::Text => Watched::Text,
            Kind::Thinking => Watched::Thinking,
            Kind::ToolCall { id, name } => Watched::Tool { call_id: id.clone(), name: name.clone() },
            Kind::Other => return Vec::new(),
        };
        let hits = self.monitor.push(&source, text);
        self.blocks.insert(index, source);
        hits.into_iter().map(found).collect()
    }

    fn block_ended(&mut self, index: usize) -> Vec<Hit> {
        let Some(source) = self.blocks.remove(&index) else { return Vec::new() };
        self.monitor.finish(&source).into_iter().map(found).collect()
    }

    fn injected(&mut self, rules: &[String]) {
        self.monitor.mark_shown(rules.iter().map(String::as_str));
    }

    fn restart(&mut self, injected: &[String]) {
        self.blocks.clear();
        self.monitor.forget();
        self.monitor.restore(injected.iter().map(String::as_str));
    }

    fn turn_ended(&mut self) {
        self.monitor.turn_ended();
    }
}

fn found(hit: crate::rules::stream::Hit) -> Hit {
    let source = match hit.source {
        Watched::Tool { call_id, .. } => Source::Call(call_id),
        Watched::Text | Watched::Thinking => Source::Prose,
    };
    Hit {
        rule: hit.rule.name.clone(),
        path: hit.rule.path.clone(),
        content: hit.rule.content.clone(),
        source,
        interrupts: hit.interrupts,
    }
}
