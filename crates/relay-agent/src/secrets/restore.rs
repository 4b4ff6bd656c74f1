//! Restoring values in text that arrives in pieces.

use relay_engine::secrets::placeholders;

use super::Masker;

/// What every placeholder begins with.
const PREFIX: &[u8] = b"RELAY_MASKED_";

/// Placeholders that replace nothing that is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is not a secret known in this session; read the file it comes from again, or leave it out",
    .placeholders.join(", ")
)]
pub struct Unrestored {
    /// The placeholders.
    pub placeholders: Vec<String>,
}

/// Restores values in a text that arrives in pieces. A placeholder may be cut anywhere; what may become one is held back
/// until it is complete.
#[derive(Debug)]
pub struct Restorer<'a> {
    masker: &'a Masker,
    held: String,
    is_json: bool,
}

impl Masker {
    /// Restores a text that arrives in pieces. With `is_json`, it is JSON, and values are escaped as its strings are.
    #[must_use]
    pub fn restorer(&self, is_json: bool) -> Restorer<'_> {
        Restorer { masker: self, held: String::new(), is_json }
    }
}

impl Restorer<'_> {
    /// Takes a piece and gives what is certain.
    ///
    /// # Errors
    /// A placeholder is not known.
    pub fn push(&mut self, delta: &str) -> Result<String, Unrestored> {
        self.held.push_str(delta);
        let certain = certain(&self.held);
        let rest = self.held.split_off(certain);
        let ready = std::mem::replace(&mut self.held, rest);
        self.restored(&ready)
    }

    /// The text is complete: gives the rest.
    ///
    /// # Errors
    /// A placeholder is not known.
    pub fn finish(mut self) -> Result<String, Unrestored> {
        let rest = std::mem::take(&mut self.held);
        self.restored(&rest)
    }

    fn restored(&self, text: &str) -> Result<String, Unrestored> {
        if !self.is_json || !self.masker.is_on {
            return self.masker.restore(text);
        }
        let mut restored = String::with_capacity(text.len());
        let mut copied = 0;
        for range in placeholders(text.as_bytes()) {
            let value = self.masker.restore(text.get(range.clone()).unwrap_or_default())?;
            let quoted = serde_json::to_string(&value).unwrap_or_default();
            restored.push_str(text.get(copied..range.start).unwrap_or_default());
            restored.push_str(quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default());
            copied = range.end;
        }
        restored.push_str(text.get(copied..).unwrap_or_default());
        Ok(restored)
    }
}

/// How much of a text can no longer become part of a placeholder.
fn certain(text: &str) -> usize {
    let bytes = text.as_bytes();
    // A placeholder is made of these; where they end, it ends.
    let word = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let start = bytes.len() - word;
    let tail = bytes.get(start..).unwrap_or_default();
    let may_begin = |at: &usize| {
        let rest = tail.get(*at..).unwrap_or_default();
        let length = rest.len().min(PREFIX.len());
        rest.get(..length).zip(PREFIX.get(..length)).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
    };
    start + (0..tail.len()).find(may_begin).unwrap_or(tail.len())
}
