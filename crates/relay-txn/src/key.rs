//! The per-user key that distinguishes Relay's own records from planted ones.
//!
//! A repository can ship any file it likes, also a state folder. Recovery and undo act only on what carries a MAC
//! made with this key, so a cloned record can neither write, delete nor undo anything. The key protects the
//! authenticity of records, not the secrecy of what they hold.

use std::fmt;

/// The line that ends a sealed document, up to the MAC itself.
const MAC_LINE: &str = "mac: ";
/// Keeps a record's MAC from being mistaken for one of another kind of document.
const RECORD_CONTEXT: &[u8] = b"relay ledger record v1\n";

/// The secret that seals ledger records. It belongs to the user, never to the workspace.
#[derive(Clone)]
pub struct LedgerKey([u8; 32]);

impl LedgerKey {
    /// Wraps the 32 secret bytes kept among the user's data.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Appends the line `mac: …`, computed over everything before it.
    pub(crate) fn seal(&self, mut body: String) -> String {
        if !body.ends_with('\n') {
            body.push('\n');
        }
        let mac = self.mac(RECORD_CONTEXT, body.as_bytes()).to_hex();
        body.push_str(MAC_LINE);
        body.push_str(&mac);
        body.push('\n');
        body
    }

    /// Returns what is before the `mac:` line, if that line is the last one and its MAC is right.
    pub(crate) fn verify<'a>(&self, sealed: &'a [u8]) -> Option<&'a str> {
        let text = std::str::from_utf8(sealed).ok()?;
        let lines = text.strip_suffix('\n')?;
        let (body, last) = text.split_at_checked(lines.rfind('\n')? + 1)?;
        let claimed = blake3::Hash::from_hex(last.strip_prefix(MAC_LINE)?.strip_suffix('\n')?).ok()?;
        // `blake3::Hash` compares in constant time.
        (self.mac(RECORD_CONTEXT, body.as_bytes()) == claimed).then_some(body)
    }

    /// The keyed hash of `bytes` for one kind of document.
    pub(crate) fn mac(&self, context: &[u8], bytes: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(context);
        hasher.update(bytes);
        hasher.finalize()
    }
}

/// Never prints the secret.
impl fmt::Debug for LedgerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LedgerKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sealed: &str, expected: Option<&str>) {
        assert_eq!(LedgerKey::new([7; 32]).verify(sealed.as_bytes()), expected, "{sealed:?}");
    }

    #[test]
    fn only_sealed_documents_verify() {
        let sealed = LedgerKey::new([7; 32]).seal("a: 1\n".to_owned());
        check(&sealed, Some("a: 1\n"));
        check(&sealed.replace("a: 1", "a: 2"), None);
        check(&format!("{sealed}b: 2\n"), None);
        check(sealed.trim_end(), None);
        check(&LedgerKey::new([8; 32]).seal("a: 1\n".to_owned()), None);
        check("a: 1\nmac: \n", None);
        check("", None);
    }

    #[test]
    fn debug_does_not_show_the_secret() {
        assert_eq!(format!("{:?}", LedgerKey::new([42; 32])), "LedgerKey(…)");
    }
}
