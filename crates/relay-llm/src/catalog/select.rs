//! Selectors: `provider/model:thinking`, or as much of it as names one model and no other.
//!
//! A selector is never resolved by guessing: if two models match, the error lists them. A full name that is not in the
//! table is accepted, because providers add models faster than tables do.

use super::{Catalog, CatalogModel, CatalogProvider};
use crate::model::Model;
use crate::request::Thinking;

/// How many models an error lists.
const SHOWN: usize = 8;

/// How alike a name must be to be suggested.
const ALIKE: f64 = 0.7;

/// What a selector means.
#[derive(Clone, Debug)]
pub struct Selected {
    /// The model.
    pub model: Model,
    /// How hard it should think, if the selector says so.
    pub thinking: Option<Thinking>,
    /// Whether the table has it. If not, its limits are the stated defaults, and its prices are not known.
    pub is_known: bool,
}

/// Why a selector means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// Nothing was typed.
    #[error("no model is named")]
    Empty,
    /// There is no such model.
    #[error("unknown model `{selector}`{}", did_you_mean(.suggestions))]
    Unknown {
        /// What was typed.
        selector: String,
        /// What is like it.
        suggestions: Vec<String>,
    },
    /// There is no such provider.
    #[error("unknown provider `{provider}`{}", did_you_mean(.suggestions))]
    UnknownProvider {
        /// What was typed before the slash.
        provider: String,
        /// What is like it.
        suggestions: Vec<String>,
    },
    /// There are several.
    #[error("`{selector}` may mean {}", candidates.join(", "))]
    Ambiguous {
        /// What was typed.
        selector: String,
        /// What it may mean.
        candidates: Vec<String>,
    },
}

impl SelectError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Ambiguous { .. } => "Type one of them in full: provider/model.",
            _ => "`relay models --all` lists the known ones; provider/model is used as written.",
        }
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

impl Catalog {
    /// The model a selector means. `is_usable` says of a provider whether it can be asked now; it decides between
    /// providers that have the same model.
    ///
    /// # Errors
    /// The selector means no model, or more than one.
    pub fn select(
        &self,
        selector: &str,
        is_usable: impl Fn(&CatalogProvider) -> bool,
    ) -> Result<Selected, SelectError> {
        let selector = selector.trim();
        let (name, thinking) = split_thinking(selector);
        if name.is_empty() || name.ends_with('/') {
            return Err(SelectError::Empty);
        }
        let (model, is_known) = match name.split_once('/') {
            Some((provider, id)) if self.provider(provider).is_some() => {
                self.of_provider(selector, provider, id)?
            }
            _ => (self.of_any(selector, name, &is_usable)?, true),
        };
        Ok(Selected { model, thinking, is_known })
    }

    /// The models with all of these words in their selectors or names; without words, all models.
    #[must_use]
    pub fn search(&self, query: &str) -> Vec<&CatalogModel> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let has_all = |entry: &&CatalogModel| {
            let text = format!("{} {}", entry.model.selector(), entry.name).to_lowercase();
            words.iter().all(|word| text.contains(word) || runs(&tokens(&text), &tokens(word)).0)
        };
        self.entries().filter(has_all).collect()
    }

    fn entries(&self) -> impl Iterator<Item = &CatalogModel> {
        self.providers.iter().flat_map(|known| &known.models)
    }

    fn of_provider(&self, selector: &str, provider: &str, id: &str) -> Result<(Model, bool), SelectError> {
        let Some(known) = self.provider(provider) else { return Err(SelectError::Empty) };
        if let Some(entry) = known.models.iter().find(|entry| entry.model.id == id) {
            return Ok((entry.model.clone(), true));
        }
        // `gpt-7` beside `gpt-6` is a full name that the table does not have yet; `opus` is a nickname.
        let first = tokens(id).into_iter().next();
        let is_full_name =
            known.models.iter().any(|entry| tokens(&entry.model.id).into_iter().next() == first);
        let verbatim = || (known.unknown_model(id).model, false);
        if is_full_name {
            return Ok(verbatim());
        }
        match fitting(known.models.iter(), id).as_slice() {
            [] => Ok(verbatim()),
            [entry] => Ok((entry.model.clone(), true)),
            several => Err(ambiguous(selector, several)),
        }
    }

    fn of_any(
        &self,
        selector: &str,
        name: &str,
        is_usable: &impl Fn(&CatalogProvider) -> bool,
    ) -> Result<Model, SelectError> {
        let mut found: Vec<&CatalogModel> = self.entries().filter(|entry| entry.model.id == name).collect();
        if found.is_empty() {
            found = fitting(self.entries(), name);
        }
        if found.len() > 1 {
            let usable =
                |entry: &&&CatalogModel| self.provider(&entry.model.provider.name).is_some_and(is_usable);
            let usable: Vec<&CatalogModel> = found.iter().filter(usable).copied().collect();
            if usable.len() == 1 {
                found = usable;
            }
        }
        match found.as_slice() {
            [entry] => Ok(entry.model.clone()),
            [] => Err(self.unknown(selector, name)),
            several => Err(ambiguous(selector, several)),
        }
    }

    fn unknown(&self, selector: &str, name: &str) -> SelectError {
        if let Some((provider, id)) = name.split_once('/') {
            let alike = alike(provider, self.names().map(|known| (known, format!("{known}/{id}"))));
            return SelectError::UnknownProvider { provider: provider.to_owned(), suggestions: alike };
        }
        let names = self.entries().map(|entry| (entry.model.id.as_str(), entry.model.selector()));
        SelectError::Unknown { selector: selector.to_owned(), suggestions: alike(name, names) }
    }
}

/// The part before the last colon, and the level after it. Names of models have colons too (`llama3:8b`), so only a
/// level's name counts.
fn split_thinking(selector: &str) -> (&str, Option<Thinking>) {
    match selector.rsplit_once(':') {
        Some((name, level)) => match Thinking::from_name(level) {
            Some(level) => (name, Some(level)),
            None => (selector, None),
        },
        None => (selector, None),
    }
}

/// The models whose ids have the typed words in a row. If the words end some of the ids, only those count: `opus-5` is
/// `claude-opus-5` and not `claude-opus-5-5`.
fn fitting<'a>(entries: impl Iterator<Item = &'a CatalogModel>, typed: &str) -> Vec<&'a CatalogModel> {
    let typed = tokens(typed);
    let entries: Vec<_> = entries.map(|entry| (entry, runs(&tokens(&entry.model.id), &typed))).collect();
    let ends_some = entries.iter().any(|(_, (_, at_end))| *at_end);
    let fits = |(_, (fits, at_end)): &&(&CatalogModel, (bool, bool))| *fits && (!ends_some || *at_end);
    entries.iter().filter(fits).map(|(entry, _)| *entry).collect()
}

/// Whether the text contains the words in a row, and whether it ends with them.
fn runs(text: &[String], words: &[String]) -> (bool, bool) {
    if words.is_empty() {
        return (false, false);
    }
    (text.windows(words.len()).any(|window| window == words), text.ends_with(words))
}

/// Letters and digits apart, in lower case: `gpt-6.1-Sol` is `gpt 6 1 sol`, and so is `gpt6.1sol`.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars().flat_map(char::to_lowercase) {
        let kind = (c.is_alphanumeric()).then(|| c.is_ascii_digit());
        match (kind, tokens.last_mut()) {
            (Some(_), Some(token)) if last == Some(kind) => token.push(c),
            (Some(_), _) => tokens.push(c.to_string()),
            (None, _) => {}
        }
        last = Some(kind);
    }
    tokens
}

fn ambiguous(selector: &str, several: &[&CatalogModel]) -> SelectError {
    let mut candidates: Vec<String> =
        several.iter().take(SHOWN).map(|entry| entry.model.selector()).collect();
    if several.len() > SHOWN {
        candidates.push(format!("{} more", several.len() - SHOWN));
    }
    SelectError::Ambiguous { selector: selector.to_owned(), candidates }
}

/// The three most similar ones, best first: compared by name, returned as whole selectors.
fn alike<'a>(typed: &str, names: impl Iterator<Item = (&'a str, String)>) -> Vec<String> {
    let mut scored: Vec<(f64, String)> = names
        .map(|(name, told)| (strsim::jaro_winkler(&typed.to_lowercase(), name), told))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    scored.into_iter().take(3).map(|(_, told)| told).collect()
}

#[cfg(test)]
mod tests {
    use super::{Catalog, SelectError};
    use crate::request::Thinking;

    const TABLE: &str = r#"
        [providers.office]
        wire = "openai-chat"
        base_url = "http://10.0.0.5/v1"
        auth = "none"
        [[providers.office.models]]
        id = "gpt-6-astra"
    "#;

    fn catalog() -> Catalog {
        Catalog::new(Some(TABLE), |_| None).unwrap()
    }

    #[track_caller]
    fn check(typed: &str, expected: &str, is_known: bool) {
        let selected = catalog().select(typed, |known| known.provider.name == "openai").unwrap();
        assert_eq!((selected.model.selector().as_str(), selected.is_known), (expected, is_known));
    }

    fn refused(typed: &str) -> SelectError {
        catalog().select(typed, |_| true).unwrap_err()
    }

    #[test]
    fn full_names_mean_themselves() {
        check("anthropic/claude-opus-5", "anthropic/claude-opus-5", true);
        check("claude-opus-5", "anthropic/claude-opus-5", true);
        check("groq/openai/gpt-oss-120b", "groq/openai/gpt-oss-120b", true);
        check("openai/gpt-5", "openai/gpt-5", false);
        check("anthropic/claude-opus-9", "anthropic/claude-opus-9", false);
        check("openrouter/meta-llama/llama-5", "openrouter/meta-llama/llama-5", false);
        check("ollama/qwen3:8b", "ollama/qwen3:8b", false);
    }

    #[test]
    fn parts_of_names_mean_the_one_they_fit() {
        check("opus-5-5", "anthropic/claude-opus-5-5", true);
        check("opus-5", "anthropic/claude-opus-5", true);
        check("Opus 5.5", "anthropic/claude-opus-5-5", true);
        check("anthropic/fable", "anthropic/claude-fable-5-1", true);
        check("gpt6.1sol", "openai/gpt-6.1-sol", true);
        check("luna", "openai/gpt-6-luna", true);
    }

    #[test]
    fn the_same_model_of_two_providers_is_the_usable_ones() {
        check("gpt-6-astra", "openai/gpt-6-astra", true);
        let SelectError::Ambiguous { candidates, .. } = refused("gpt-6-astra") else { panic!() };
        assert_eq!(candidates, ["office/gpt-6-astra", "openai/gpt-6-astra"]);
    }

    #[test]
    fn several_are_listed_and_none_is_guessed() {
        let error = refused("opus");
        assert!(error.to_string().contains("anthropic/claude-opus-5-5, anthropic/claude-opus-5"), "{error}");
        assert!(matches!(refused("anthropic/sonnet"), SelectError::Ambiguous { .. }));
    }

    #[test]
    fn misspelt_names_get_a_suggestion() {
        let error = refused("anthropc/claude-opus-5");
        assert!(error.to_string().contains("did you mean anthropic/claude-opus-5"), "{error}");
        let error = refused("claude-opsu-5");
        assert!(error.to_string().contains("anthropic/claude-opus-5"), "{error}");
        assert!(refused("zzzzzz").to_string().ends_with("`zzzzzz`"));
        assert_eq!(refused("  "), SelectError::Empty);
        assert_eq!(refused("anthropic/"), SelectError::Empty);
        assert_eq!(refused(":high"), SelectError::Empty);
    }

    #[test]
    fn thinking_is_what_follows_the_last_colon_if_it_is_a_level() {
        let thinking = |typed: &str| catalog().select(typed, |_| true).unwrap().thinking;
        assert_eq!(thinking("anthropic/claude-opus-5:high"), Some(Thinking::High));
        assert_eq!(thinking("ollama/qwen3:8b:off"), Some(Thinking::Off));
        assert_eq!(thinking("ollama/qwen3:8b"), None);
        assert_eq!(thinking("opus-5-5:max"), Some(Thinking::Max));
    }

    #[test]
    fn searching_finds_by_every_word() {
        let catalog = catalog();
        let found = |query: &str| {
            catalog.search(query).iter().map(|entry| entry.model.selector()).collect::<Vec<_>>()
        };
        assert_eq!(found("anthropic haiku"), ["anthropic/claude-haiku-5-5", "anthropic/claude-haiku-4-5"]);
        assert_eq!(found("GPT-6.1 Terra"), ["openai/gpt-6.1-terra"]);
        assert!(found("").len() > 10 && found("nonsense").is_empty());
    }
}
