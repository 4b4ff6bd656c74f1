//! Previews of calls whose arguments the model is still writing.
//!
//! A tool is asked again only when the arguments have grown by an eighth, so that previews of a long call cost little
//! more than parsing it once. What is shown depends on lengths alone, never on the clock.

use std::collections::BTreeMap;

use relay_llm::Kind;

use super::Agent;
use crate::event::{Event, ToolEvent};
use crate::tool::Asking;
use crate::turn::{Happened, Hit, Source};

/// Arguments that have grown by less than this are not previewed again.
const STEP_BYTES: usize = 32;
/// Longer arguments are not previewed.
const LIMIT_BYTES: usize = 1 << 20;

/// The arguments of calls so far, by the id of the call.
#[derive(Debug, Default)]
pub(super) struct Previews(BTreeMap<String, Partial>);

#[derive(Debug, Default)]
struct Partial {
    text: String,
    /// Their length at the last preview.
    looked_at: usize,
}

impl Previews {
    /// Adds new text; returns the arguments so far when another preview is due.
    fn add(&mut self, id: &str, text: &str) -> Option<&str> {
        let partial = self.0.entry(id.to_owned()).or_default();
        if partial.text.len() > LIMIT_BYTES {
            return None;
        }
        partial.text.push_str(text);
        let grown = partial.text.len() - partial.looked_at;
        if grown < STEP_BYTES.max(partial.looked_at / 8) {
            return None;
        }
        partial.looked_at = partial.text.len();
        Some(&partial.text)
    }
}

impl Agent {
    /// The preview of an unfinished call, if it has changed. A call that can no longer work interrupts the answer, as a
    /// stream rule does.
    pub(super) fn preview(&mut self, happened: &mut Happened) -> Option<Event> {
        let Happened::Delta { kind: Kind::ToolCall { id, name }, text, hits, .. } = happened else {
            if matches!(happened, Happened::Answered(_) | Happened::Failed { .. } | Happened::Retrying { .. })
            {
                self.under_way.previews = Previews::default();
            }
            return None;
        };
        let is_offered =
            |name: &str| self.tools.offered.iter().any(|tool| tool.spec().name.eq_ignore_ascii_case(name));
        let tool = self.tools.registry.get(name).filter(|_| is_offered(name))?.clone();
        let arguments = self.under_way.previews.add(id, text)?;
        let model = self.asking.asker.model().selector();
        let asking = Asking { model: &model, services: &self.services };
        hits.extend(tool.objection(arguments, asking).map(|content| Hit {
            rule: format!("{name} cannot work"),
            path: String::new(),
            content,
            source: Source::Call(id.clone()),
            interrupts: true,
        }));
        let output = tool.preview_partial(arguments, asking)?;
        // The arguments are still being written; the call itself has them.
        let arguments = serde_json::Value::Null;
        Some(Event::Tool(ToolEvent::Update { id: id.clone(), name: name.clone(), arguments, output }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_arguments_are_previewed_less_and_less_often() {
        let mut previews = Previews::default();
        let looks = (0..100_000).filter(|_| previews.add("a", "xyz").is_some()).count();
        assert!((50..200).contains(&looks), "{looks}");
        assert!(previews.add("b", "x").is_none(), "calls are apart");
    }
}
