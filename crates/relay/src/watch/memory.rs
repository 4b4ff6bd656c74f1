//! Remembers the texts seen so far, so that each is handled once.

use std::collections::{HashSet, VecDeque};

use relay_engine::reply_digest;

/// How many texts are remembered. A watcher runs for weeks and must not grow.
const REMEMBERED: usize = 10_000;

/// The digests of the newest texts; never the texts themselves, which may be anything.
#[derive(Debug, Default)]
pub struct Memory {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Memory {
    /// Remembers a text. Returns false if it was known.
    pub fn learn(&mut self, text: &str) -> bool {
        self.learn_digest(reply_digest(text))
    }

    /// Remembers a text by its digest. Returns false if it was known.
    pub fn learn_digest(&mut self, digest: String) -> bool {
        if !self.known.insert(digest.clone()) {
            return false;
        }
        self.order.push_back(digest);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        true
    }

    /// Whether a text is known.
    pub fn knows(&self, text: &str) -> bool {
        self.known.contains(&reply_digest(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_recognised_despite_changed_whitespace_around_it() {
        let mut memory = Memory::default();
        assert!(memory.learn("a\nb"));
        assert!(!memory.learn("a\r\nb\r\n"));
        assert!(memory.knows(" a\nb\n") && !memory.knows("a b"));
    }

    #[test]
    fn it_does_not_grow_forever() {
        let mut memory = Memory::default();
        for number in 0..=REMEMBERED {
            memory.learn_digest(number.to_string());
        }
        assert_eq!((memory.known.len(), memory.order.len()), (REMEMBERED, REMEMBERED));
        assert!(memory.learn_digest("0".to_owned()), "the oldest is forgotten");
    }
}
