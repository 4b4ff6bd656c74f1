//! Which key a request is sent with: from the environment, or one of those the user has stored, which take turns.
//!
//! Keys are handed in by the caller; none is read from a file here, and none ever from a repository. What can be shown of
//! a key is where it came from.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::catalog::{Catalog, CatalogProvider};
use crate::key::Key;

/// Where a key came from; this much may be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A variable of the environment.
    Environment(String),
    /// Stored by the user, under this label.
    Stored(String),
    /// The command line, for this run.
    CommandLine,
}

impl fmt::Display for KeySource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment(variable) => write!(f, "{variable}"),
            Self::Stored(label) => write!(f, "stored as `{label}`"),
            Self::CommandLine => f.write_str("the command line"),
        }
    }
}

/// A key, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenKey {
    /// The key.
    pub key: Key,
    /// Where it came from.
    pub source: KeySource,
}

/// The user's keys for every provider.
#[derive(Debug, Default)]
pub struct Keyring {
    providers: BTreeMap<String, Mutex<Turns>>,
}

/// The keys of one provider.
#[derive(Debug)]
struct Turns {
    keys: Vec<ChosenKey>,
    /// When each may be used again, if it was refused for a while.
    rests_until: Vec<Option<Instant>>,
    next: usize,
}

impl Keyring {
    /// The keys for the catalog's providers. `variable` looks up the environment; `stored` are labels and keys by
    /// provider. A key in the environment is the only one used, because it was set for this run.
    pub fn new(
        catalog: &Catalog,
        variable: impl Fn(&str) -> Option<String>,
        stored: &BTreeMap<String, Vec<(String, Key)>>,
    ) -> Self {
        let with_keys = catalog.providers().iter().filter(|known| known.needs_key());
        let keys_of = |known: &CatalogProvider| {
            let name = known.provider.name.clone();
            let keys = from_environment(known, &variable).map_or_else(
                || {
                    stored
                        .get(stored_as(&name))
                        .map(Vec::as_slice)
                        .unwrap_or_default()
                        .iter()
                        .map(chosen)
                        .collect()
                },
                |key| vec![key],
            );
            let rests_until = vec![None; keys.len()];
            // Most processes ask once, so the first key is chosen at random.
            let chance = getrandom::u32().ok().and_then(|number| usize::try_from(number).ok());
            let next = chance.and_then(|chance| chance.checked_rem(keys.len())).unwrap_or_default();
            (name, Mutex::new(Turns { keys, rests_until, next }))
        };
        Self { providers: with_keys.map(keys_of).collect() }
    }

    /// The one key of a provider that is in no catalog, from a variable of the environment.
    #[must_use]
    pub fn of_one(provider: &str, variable: &str, key: Key) -> Self {
        let source = KeySource::Environment(variable.to_owned());
        let turns = Turns { keys: vec![ChosenKey { key, source }], rests_until: vec![None], next: 0 };
        Self { providers: BTreeMap::from([(provider.to_owned(), Mutex::new(turns))]) }
    }

    /// Uses this key, and no other, for a provider.
    pub fn use_only(&mut self, provider: &str, key: Key) {
        let keys = vec![ChosenKey { key, source: KeySource::CommandLine }];
        let turns = Turns { keys, rests_until: vec![None], next: 0 };
        self.providers.insert(provider.to_owned(), Mutex::new(turns));
    }

    /// Where the provider's keys came from.
    #[must_use]
    pub fn sources(&self, provider: &str) -> Vec<KeySource> {
        self.with(provider, |turns| turns.keys.iter().map(|chosen| chosen.source.clone()).collect())
            .unwrap_or_default()
    }

    /// The key for a request. Requests of one session get the same, so that the provider finds its cache again; others
    /// take turns. A key that rests is passed over while there is another.
    #[must_use]
    pub fn choose(&self, provider: &str, session: Option<&str>) -> Option<ChosenKey> {
        self.with(provider, |turns| turns.choose(session, Instant::now())).flatten()
    }

    /// Lets a key rest that was refused for too many requests.
    pub fn rest(&self, provider: &str, source: &KeySource, until: Instant) {
        self.with(provider, |turns| {
            for (chosen, rest) in turns.keys.iter().zip(&mut turns.rests_until) {
                if chosen.source == *source {
                    *rest = Some(until);
                }
            }
        });
    }

    fn with<T>(&self, provider: &str, action: impl FnOnce(&mut Turns) -> T) -> Option<T> {
        let turns = self.providers.get(provider)?;
        Some(action(&mut turns.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Turns {
    fn choose(&mut self, session: Option<&str>, now: Instant) -> Option<ChosenKey> {
        let count = self.keys.len();
        let start = match session {
            Some(session) => usize::try_from(digest(session) % u64::try_from(count.max(1)).ok()?).ok()?,
            None => {
                let turn = self.next;
                self.next = (turn + 1).checked_rem(count).unwrap_or(0);
                turn
            }
        };
        let in_turn = || (0..count).map(|step| (start + step) % count);
        let is_fresh =
            |index: &usize| self.rests_until.get(*index).copied().flatten().is_none_or(|until| until <= now);
        let index = in_turn().find(is_fresh).or_else(|| in_turn().next())?;
        self.keys.get(index).cloned()
    }
}

/// Both of OpenAI's APIs are one account.
#[must_use]
pub fn stored_as(provider: &str) -> &str {
    if provider == "openai-chat" { "openai" } else { provider }
}

fn from_environment(
    known: &CatalogProvider,
    variable: &impl Fn(&str) -> Option<String>,
) -> Option<ChosenKey> {
    known.key_variables.iter().find_map(|name| {
        let key = Key::new(variable(name)?);
        (!key.is_none()).then(|| ChosenKey { key, source: KeySource::Environment(name.clone()) })
    })
}

fn chosen((label, key): &(String, Key)) -> ChosenKey {
    ChosenKey { key: key.clone(), source: KeySource::Stored(label.clone()) }
}

/// FNV-1a: the same in every process, so that a resumed session stays with its key.
fn digest(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |digest, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::time::{Duration, Instant};

    use super::{KeySource, Keyring};
    use crate::catalog::Catalog;
    use crate::key::Key;

    fn keyring(variables: &[(&str, &str)], stored: &[(&str, &str)]) -> Keyring {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let mut by_provider: BTreeMap<String, Vec<(String, Key)>> = BTreeMap::new();
        for (provider, label) in stored {
            by_provider
                .entry((*provider).to_owned())
                .or_default()
                .push(((*label).to_owned(), Key::new(*label)));
        }
        Keyring::new(&Catalog::new(None, |_| None).unwrap(), variable, &by_provider)
    }

    fn label(keyring: &Keyring, session: Option<&str>) -> String {
        keyring.choose("anthropic", session).unwrap().source.to_string()
    }

    #[test]
    fn the_environment_comes_first_and_blanks_do_not_count() {
        let keyring =
            keyring(&[("ANTHROPIC_API_KEY", "sk-env"), ("OPENAI_API_KEY", " ")], &[("anthropic", "a")]);
        assert_eq!(keyring.sources("anthropic"), [KeySource::Environment("ANTHROPIC_API_KEY".to_owned())]);
        assert!(keyring.choose("openai", None).is_none() && keyring.choose("ollama", None).is_none());
        let second = self::keyring(&[("GOOGLE_API_KEY", "g")], &[]);
        assert_eq!(second.sources("google"), [KeySource::Environment("GOOGLE_API_KEY".to_owned())]);
    }

    #[test]
    fn a_key_of_the_command_line_is_the_only_one() {
        let mut keyring = keyring(&[("ANTHROPIC_API_KEY", "sk-env")], &[("anthropic", "a")]);
        keyring.use_only("anthropic", Key::new("sk-line"));
        assert_eq!(keyring.sources("anthropic"), [KeySource::CommandLine]);
        assert_eq!(keyring.choose("anthropic", None).unwrap().key, Key::new("sk-line"));
    }

    #[test]
    fn stored_keys_take_turns() {
        let keyring = keyring(&[], &[("anthropic", "a"), ("anthropic", "b"), ("anthropic", "c")]);
        let turns: Vec<String> = (0..6).map(|_| label(&keyring, None)).collect();
        assert_eq!(turns[..3], turns[3..]);
        assert_eq!(turns.iter().collect::<BTreeSet<_>>().len(), 3);
    }

    #[test]
    fn questions_of_many_processes_are_spread() {
        let stored = [("anthropic", "a"), ("anthropic", "b")];
        let first: BTreeSet<String> = (0..64).map(|_| label(&keyring(&[], &stored), None)).collect();
        assert_eq!(first.len(), 2);
    }

    #[test]
    fn a_session_stays_with_its_key() {
        let keyring = keyring(&[], &[("anthropic", "a"), ("anthropic", "b"), ("anthropic", "c")]);
        for session in ["one", "two", "three", "four"] {
            let first = label(&keyring, Some(session));
            assert!((0..5).all(|_| label(&keyring, Some(session)) == first));
        }
        let spread: BTreeSet<String> = (0..50).map(|n| label(&keyring, Some(&n.to_string()))).collect();
        assert_eq!(spread.len(), 3, "sessions are spread over all keys");
    }

    #[test]
    fn a_key_that_rests_is_passed_over() {
        let keyring = keyring(&[], &[("anthropic", "a"), ("anthropic", "b")]);
        let later = Instant::now() + Duration::from_secs(60);
        let first = keyring.choose("anthropic", Some("s")).unwrap().source;
        keyring.rest("anthropic", &first, later);
        let second = keyring.choose("anthropic", Some("s")).unwrap().source;
        assert_ne!(first, second);
        assert!((0..4).all(|_| keyring.choose("anthropic", None).unwrap().source == second));
        keyring.rest("anthropic", &second, later);
        assert!(keyring.choose("anthropic", Some("s")).is_some(), "a resting key is better than none");
    }

    #[test]
    fn both_apis_of_openai_share_their_keys() {
        let keyring = keyring(&[], &[("openai", "a")]);
        assert_eq!(keyring.sources("openai-chat"), [KeySource::Stored("a".to_owned())]);
    }

    #[test]
    fn nothing_shown_has_a_key_in_it() {
        let keyring = keyring(&[("ANTHROPIC_API_KEY", "sk-secret")], &[]);
        let shown = format!("{keyring:?} {:?}", keyring.choose("anthropic", None));
        assert!(shown.contains("ANTHROPIC_API_KEY") && !shown.contains("sk-secret"), "{shown}");
    }
}
