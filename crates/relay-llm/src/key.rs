//! Keys: the proof of identity for a provider.

use std::fmt;

/// A secret that is sent with a request and never shown.
///
/// It has no `Display`, no serialisation, and its `Debug` says only whether there is one.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Key(Option<String>);

impl Key {
    /// The secret as the provider gave it. Blanks around it come from copying and are dropped.
    #[must_use]
    pub fn new(secret: impl Into<String>) -> Self {
        let secret = secret.into();
        let trimmed = secret.trim();
        Self((!trimmed.is_empty()).then(|| trimmed.to_owned()))
    }

    /// No secret, for servers that ask for none.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Whether the key is empty.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The secret itself, for the one place that writes request headers.
    pub(crate) fn reveal(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The text without the secret. Providers quote keys back in their error messages.
    pub(crate) fn scrub(&self, text: &str) -> String {
        match self.0.as_deref() {
            Some(secret) if secret.len() >= 4 => text.replace(secret, "[key]"),
            _ => text.to_owned(),
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_none() { "Key(none)" } else { "Key(hidden)" })
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-very-secret\n");
        assert_eq!(format!("{key:?}"), "Key(hidden)");
        assert_eq!(key.reveal(), Some("sk-very-secret"));
        assert_eq!(key.scrub("Incorrect API key: sk-very-secret."), "Incorrect API key: [key].");
        assert_eq!(format!("{:?}", Key::new("  ")), "Key(none)");
    }
}
