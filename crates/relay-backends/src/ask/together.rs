//! Asks several backends at the same time.

use relay_diagnostics::Cancel;
use relay_llm::Budget;

use super::AskError;
use crate::backend::{BackendError, Link};

/// The answers, in the order of the names.
pub type Results<T> = Vec<Result<T, AskError>>;

/// Shows a waiting person what arrives from several threads.
pub trait Listener: Sync {
    /// A piece of some backend's answer.
    fn text(&self, piece: &str);
    /// A note, such as why an answer takes longer.
    fn note(&self, note: &str);
}

/// Asks all backends at the same time; `one` asks the backend at an index of `names`. Each has its own turns, and all
/// share the money and the time of the budget.
pub fn together<T: Send>(
    names: &[String],
    cancel: &Cancel,
    budget: &Budget,
    listener: &dyn Listener,
    one: impl Fn(usize, &mut Link<'_>) -> Result<T, AskError> + Sync,
) -> Results<T> {
    let ask = |index: usize| {
        let mut link = Link {
            cancel,
            budget: &budget.share(),
            is_final: false,
            on_text: &mut |piece| listener.text(piece),
            on_note: &mut |note| listener.note(note),
        };
        one(index, &mut link)
    };
    let ask = &ask;
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..names.len()).map(|index| scope.spawn(move || ask(index))).collect();
        let panicked = |name: &String| {
            let reason = "the thread that asked it failed".to_owned();
            Err(BackendError::NotStarted { backend: name.clone(), reason }.into())
        };
        names
            .iter()
            .zip(threads)
            .map(|(name, thread)| thread.join().unwrap_or_else(|_| panicked(name)))
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use relay_llm::Limit;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Listener for Heard {
        fn text(&self, piece: &str) {
            self.0.lock().unwrap().push(piece.to_owned());
        }

        fn note(&self, note: &str) {
            self.0.lock().unwrap().push(format!("note: {note}"));
        }
    }

    #[test]
    fn answers_keep_the_order_of_the_names_and_a_panic_is_an_error() {
        let names = ["slow", "broken", "quick"].map(str::to_owned);
        let heard = Heard::default();
        let one = |index: usize, link: &mut Link<'_>| {
            (link.on_text)("piece");
            (link.on_note)("waits");
            match index {
                0 => std::thread::sleep(std::time::Duration::from_millis(20)),
                1 => panic!("expected by this test"),
                _ => {}
            }
            Ok(index)
        };
        let results = together(&names, &Cancel::new(), &Budget::new(Limit::default()), &heard, one);
        assert!(matches!(results.as_slice(), [Ok(0), Err(AskError::Backend(_)), Ok(2)]), "{results:?}");
        assert_eq!(heard.0.lock().unwrap().len(), 6);
    }
}
