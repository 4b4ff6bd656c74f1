//! Whole reviews, with scripted backends.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_llm::{Budget, Limit};
use relay_store::Store;

use super::{Diff, Review, review};
use crate::ask::{AskError, Depth, Terms};
use crate::backend::{
    Answer, Availability, Backend, BackendError, Backends, Capabilities, Containment, Link, Presence,
    Question, Sandbox, Scope, Surroundings,
};

const DIFF: &str = "--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-a\n+b\n";
const CLEAN: &str = r#"{"findings":[]}"#;

/// The result of a backend's own review.
#[derive(Clone, Copy)]
enum Native {
    None,
    Says(&'static str),
    Fails,
    IsCancelled,
}

struct Fake {
    native: Native,
    prompts: &'static Mutex<Vec<String>>,
}

impl Backend for Fake {
    fn name(&self) -> &str {
        "fake"
    }

    fn sandboxes(&self) -> &[Sandbox] {
        &[Sandbox::ReadOnly]
    }

    fn capabilities(&self) -> Capabilities {
        let (streaming, structured, local_files, review) = (false, false, false, true);
        Capabilities {
            streaming,
            resume: true,
            structured,
            local_files,
            review,
            max_cost: false,
            max_turns: false,
            containment: Containment::NoAccess,
        }
    }

    fn presence(&self) -> Presence {
        Presence { is_there: true, logged_in: None }
    }

    fn availability(&self, _cancel: &Cancel) -> Availability {
        Availability { found: None, logged_in: None, remedy: String::new() }
    }

    fn run(&self, question: &Question<'_>, _link: &mut Link<'_>) -> Result<Answer, BackendError> {
        self.prompts.lock().unwrap().push(question.prompt.to_owned());
        Ok(Answer { text: CLEAN.to_owned(), ..Answer::default() })
    }

    fn review(
        &self,
        _scope: Scope<'_>,
        _question: &Question<'_>,
        _link: &mut Link<'_>,
    ) -> Option<Result<Answer, BackendError>> {
        let backend = "fake".to_owned();
        match self.native {
            Native::None => None,
            Native::Says(text) => {
                Some(Ok(Answer { text: text.to_owned(), session: Some("s".to_owned()), ..Answer::default() }))
            }
            Native::Fails => Some(Err(BackendError::Empty { backend, said: "it broke".to_owned() })),
            Native::IsCancelled => Some(Err(BackendError::Cancelled { backend })),
        }
    }
}

/// A review by a backend, and the generic questions it received.
fn check(
    native: Native,
    change: impl Fn(&mut Review<'_>),
) -> (Result<super::Reviewed, AskError>, Vec<String>) {
    let home = tempfile::tempdir().unwrap();
    let surroundings =
        Surroundings { variables: BTreeMap::new(), relay: None, store: Store::at(home.path()) };
    let mut backends = Backends::new(surroundings, Vec::new());
    let prompts: &'static Mutex<Vec<String>> = Box::leak(Box::default());
    backends.add(Box::new(Fake { native, prompts }));
    let mut wanted = Review {
        backend: "fake",
        repo: Path::new("/"),
        diff: Diff::Text(DIFF),
        scope: Some(Scope::Uncommitted),
        prompt: None,
        model: None,
        terms: Terms {
            sandbox: Sandbox::ReadOnly,
            timeout: Duration::from_secs(60),
            limit: Limit::default(),
        },
    };
    change(&mut wanted);
    let cancel = Cancel::new();
    let (mut on_text, mut on_note) = (|_: &str| {}, |_: &str| {});
    let mut link = Link {
        cancel: &cancel,
        budget: &Budget::default(),
        is_final: false,
        on_text: &mut on_text,
        on_note: &mut on_note,
    };
    let reviewed = review(&wanted, &backends, &Depth::default(), &mut link);
    (reviewed, prompts.lock().unwrap().clone())
}

#[test]
fn a_backends_own_review_is_preferred() {
    let (reviewed, asked) = check(Native::Says(CLEAN), |_| {});
    let reviewed = reviewed.unwrap();
    assert!(reviewed.reading.was_understood && reviewed.fallback.is_none() && asked.is_empty());
}

#[test]
fn a_review_in_prose_is_requested_again_as_data() {
    let (reviewed, asked) = check(Native::Says("Looks fine."), |_| {});
    let reviewed = reviewed.unwrap();
    assert!(reviewed.reading.was_understood && reviewed.text == "Looks fine.");
    assert!(matches!(asked.as_slice(), [again] if again.contains("as data")), "{asked:?}");
}

#[test]
fn a_failed_own_review_falls_back_to_the_generic_one() {
    for (native, has_fallen) in [(Native::Fails, true), (Native::None, false)] {
        let (reviewed, asked) = check(native, |_| {});
        assert_eq!(reviewed.unwrap().fallback.is_some(), has_fallen);
        assert!(
            matches!(asked.as_slice(), [prompt] if prompt.contains("Git Diff:\n--- a/a.rs")),
            "{asked:?}"
        );
    }
}

#[test]
fn an_interrupted_review_is_not_tried_in_another_way() {
    let (reviewed, asked) = check(Native::IsCancelled, |_| {});
    assert!(matches!(reviewed, Err(AskError::Backend(BackendError::Cancelled { .. }))) && asked.is_empty());
}

#[test]
fn errors_are_reported_before_any_backend_is_asked() {
    let large: &'static str = Box::leak("+x\n".repeat(200_000).into_boxed_str());
    type Fault<'a> = (&'a dyn Fn(&mut Review<'_>), &'static str);
    let faults: [Fault<'_>; 5] = [
        (&|review| review.terms.timeout = Duration::ZERO, "Timeout must be greater than zero"),
        (&|review| review.repo = Path::new("/no/such/folder"), "invalid repo path"),
        (&|review| review.backend = "nobody", "unsupported backend"),
        (
            &|review| review.terms.sandbox = Sandbox::WorkspaceWrite,
            "invalid sandbox `workspace-write` for fake",
        ),
        (&|review| (review.diff, review.scope) = (Diff::Text(large), None), "the prompt is too large"),
    ];
    for (change, words) in faults {
        let (reviewed, asked) = check(Native::None, change);
        let error = reviewed.unwrap_err().to_string();
        assert!(error.contains(words) && asked.is_empty(), "{words}: {error}");
    }
}

#[test]
fn a_diff_that_is_too_large_is_an_error_only_if_it_must_be_sent() {
    let too_large = |wanted: &mut Review<'_>| wanted.diff = Diff::TooLarge { bytes: 400_000 };
    let (reviewed, asked) = check(Native::Says(CLEAN), too_large);
    assert!(reviewed.unwrap().reading.was_understood && asked.is_empty());
    let (refused, asked) = check(Native::None, too_large);
    let error = refused.unwrap_err();
    assert!(error.to_string().contains("the diff to review is too large: 400000 bytes"), "{error}");
    let hint = error.hint().unwrap();
    assert!(hint.contains("--range") && !hint.contains("--diff"), "{hint}");
    assert!(asked.is_empty());
}
