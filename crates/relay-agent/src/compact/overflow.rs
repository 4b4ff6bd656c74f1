//! What to do when the provider refuses a conversation as too long: a larger model, one compaction, or an end.

use relay_llm::Model;

/// What to do about an overflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Ask this model instead, with the conversation as it is.
    Promote {
        /// Its selector, `provider/model`.
        model: String,
    },
    /// Compact the conversation, remove the failed answer, and ask again.
    Compact,
    /// Nothing more can be done.
    GiveUp {
        /// What the user reads.
        message: String,
    },
}

/// Remembers the attempts since the last answer, so that nothing is retried forever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    has_promoted: bool,
    has_compacted: bool,
}

impl Recovery {
    /// The provider refused the conversation. `promotion` is the larger model there is, if any and if it is wanted;
    /// `can_compact` says whether compaction is switched on.
    pub fn overflowed(&mut self, error: &str, promotion: Option<&str>, can_compact: bool) -> Remedy {
        if let Some(model) = promotion.filter(|_| !self.has_promoted && !self.has_compacted) {
            self.has_promoted = true;
            return Remedy::Promote { model: model.to_owned() };
        }
        if can_compact && !self.has_compacted {
            self.has_compacted = true;
            return Remedy::Compact;
        }
        let reason = if can_compact {
            format!(
                "the conversation does not fit after compaction either ({error}); use a model with a larger window, or start over with less"
            )
        } else {
            format!("{error}; compact the conversation or use a model with a larger window")
        };
        Remedy::GiveUp { message: format!("Context overflow recovery failed: {reason}") }
    }

    /// A model answered: the next overflow is a new one.
    pub fn succeeded(&mut self) {
        *self = Self::default();
    }

    /// Whether an overflow reported in the log still needs handling: it came from the current model, and the
    /// conversation has not been compacted since.
    #[must_use]
    pub fn is_current(
        failed_model: &str,
        model: &str,
        failed_at_ms: i64,
        compacted_at_ms: Option<i64>,
    ) -> bool {
        failed_model == model && compacted_at_ms.is_none_or(|compacted| failed_at_ms > compacted)
    }
}

/// The facts for choosing a larger model.
#[derive(Clone, Copy, Debug)]
pub struct Promotion<'a> {
    /// The model in use.
    pub current: &'a Model,
    /// The model that its settings name for this, if any.
    pub target: Option<&'a str>,
    /// All models.
    pub models: &'a [Model],
    /// Whether there is a key for a model.
    pub has_key: fn(&Model) -> bool,
}

/// The model to ask instead: the configured one, else the smallest larger one of the same provider and wire format.
/// Only one with a key counts.
#[must_use]
pub fn promotion<'a>(choice: &Promotion<'a>) -> Option<&'a Model> {
    let window = choice.current.limits.context;
    let mut larger =
        choice.models.iter().filter(|model| model.limits.context > window && (choice.has_key)(model));
    if let Some(target) = choice.target {
        let named = |model: &&Model| model.selector() == target || model.id == target;
        return larger.find(named);
    }
    larger
        .filter(|model| model.provider == choice.current.provider)
        .min_by(|a, b| (a.limits.context, &a.id).cmp(&(b.limits.context, &b.id)))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_larger_model_comes_first_then_one_compaction_then_the_end() {
        let mut recovery = Recovery::default();
        let larger = Some("p/large");
        assert_eq!(
            recovery.overflowed("too long", larger, true),
            Remedy::Promote { model: "p/large".to_owned() }
        );
        assert_eq!(recovery.overflowed("too long", larger, true), Remedy::Compact);
        let Remedy::GiveUp { message } = recovery.overflowed("too long", larger, true) else {
            panic!("tried again")
        };
        assert!(message.starts_with("Context overflow recovery failed: "), "{message}");
        recovery.succeeded();
        assert_eq!(recovery.overflowed("too long", None, true), Remedy::Compact);
        assert!(matches!(Recovery::default().overflowed("x", None, false), Remedy::GiveUp { .. }));
    }

    #[test]
    fn an_overflow_of_another_model_or_before_a_compaction_is_past() {
        assert!(
            Recovery::is_current("p/a", "p/a", 10, None) && Recovery::is_current("p/a", "p/a", 10, Some(9))
        );
        assert!(
            !Recovery::is_current("p/a", "p/b", 10, None)
                && !Recovery::is_current("p/a", "p/a", 10, Some(10))
        );
    }

    #[test]
    fn the_smallest_larger_model_of_the_same_provider_is_chosen() {
        let provider = |name: &str| {
            let described =
                serde_json::json!({ "name": name, "wire": "openai-chat", "base_url": "http://localhost" });
            Arc::new(serde_json::from_value::<relay_llm::Provider>(described).unwrap())
        };
        let (own, other) = (provider("own"), provider("other"));
        let model = |provider: &Arc<relay_llm::Provider>, id: &str, context: u64| {
            let mut model = Model::new(Arc::clone(provider), id);
            model.limits.context = context;
            model
        };
        let models = [
            model(&own, "small", 100),
            model(&own, "huge", 1_000),
            model(&own, "large", 500),
            model(&other, "larger", 200),
        ];
        let choose = |target, has_key| {
            let choice = Promotion { current: &models[0], target, models: &models, has_key };
            promotion(&choice).map(|model| model.id.clone())
        };
        assert_eq!(choose(None, |_| true).as_deref(), Some("large"));
        assert_eq!(choose(None, |model| model.id != "large").as_deref(), Some("huge"));
        assert_eq!(choose(Some("other/larger"), |_| true).as_deref(), Some("larger"));
        assert_eq!(choose(Some("small"), |_| true), None, "it is not larger");
        assert_eq!(choose(None, |_| false), None);
    }
}
