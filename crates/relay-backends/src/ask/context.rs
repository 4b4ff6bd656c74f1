//! Additional context for a backend: a text, or a file that the user named.

use std::io;
use std::path::Path;

use super::{AskError, CONTEXT_LIMIT_BYTES};

/// Additional context, as given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// A text.
    pub text: Option<&'a str>,
    /// A file with text.
    pub file: Option<&'a Path>,
}

/// Reads files that the user named on the command line.
pub trait Files {
    /// Reads up to a limit of bytes from a regular file; also returns the size of the whole file.
    ///
    /// # Errors
    /// It cannot be read, or is not a regular file.
    fn read(&self, path: &Path, limit_bytes: usize) -> io::Result<(Vec<u8>, u64)>;
}

impl Context<'_> {
    pub(super) fn resolve(&self, files: &dyn Files) -> Result<Option<String>, AskError> {
        let text = match (self.text, self.file) {
            (Some(_), Some(_)) => return Err(AskError::TwoContexts),
            (Some(text), None) => text.to_owned(),
            (None, Some(path)) => read(path, files)?,
            (None, None) => return Ok(None),
        };
        check(text.len())?;
        Ok(Some(text).filter(|text| !text.trim().is_empty()))
    }
}

fn read(path: &Path, files: &dyn Files) -> Result<String, AskError> {
    let unusable = |reason: String| AskError::ContextFile { path: path.to_path_buf(), reason };
    let (bytes, size) = files
        .read(path, CONTEXT_LIMIT_BYTES + 1)
        .map_err(|error| unusable(format!("cannot be read: {error}")))?;
    // Only the beginning of a large file was read.
    let whole = usize::try_from(size).unwrap_or(usize::MAX).max(bytes.len());
    check(if bytes.len() > CONTEXT_LIMIT_BYTES { whole } else { bytes.len() })?;
    String::from_utf8(bytes).map_err(|_| unusable("is not UTF-8 text".to_owned()))
}

fn check(bytes: usize) -> Result<(), AskError> {
    if bytes > CONTEXT_LIMIT_BYTES {
        return Err(AskError::TooLarge { what: "context", bytes, limit_bytes: CONTEXT_LIMIT_BYTES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Disk(Vec<u8>);

    impl Files for Disk {
        fn read(&self, path: &Path, limit_bytes: usize) -> io::Result<(Vec<u8>, u64)> {
            if path.ends_with("missing") {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok((self.0.iter().copied().take(limit_bytes).collect(), self.0.len() as u64))
        }
    }

    fn check_context(text: Option<&str>, file: Option<&str>, disk: &[u8]) -> Result<Option<String>, String> {
        let context = Context { text, file: file.map(Path::new) };
        context.resolve(&Disk(disk.to_vec())).map_err(|error| error.to_string())
    }

    #[test]
    fn one_context_at_most() {
        assert_eq!(check_context(None, None, b""), Ok(None));
        assert_eq!(check_context(Some("a"), None, b""), Ok(Some("a".to_owned())));
        assert_eq!(check_context(None, Some("f"), b"b"), Ok(Some("b".to_owned())));
        assert_eq!(check_context(Some(" \n"), None, b""), Ok(None));
        assert!(check_context(Some("a"), Some("f"), b"b").unwrap_err().contains("not both"));
    }

    #[test]
    fn limits_hold_to_the_byte() {
        let most = "x".repeat(CONTEXT_LIMIT_BYTES);
        assert!(check_context(Some(&most), None, b"").is_ok());
        assert!(check_context(None, Some("f"), most.as_bytes()).is_ok());
        let more = format!("{most}x");
        assert!(check_context(Some(&more), None, b"").unwrap_err().contains("200001 bytes, at most 200000"));
        assert!(check_context(None, Some("f"), more.as_bytes()).unwrap_err().contains("too large"));
        let large = vec![b'x'; 1 << 20];
        let told = check_context(None, Some("f"), &large).unwrap_err();
        assert!(told.contains("1048576 bytes, at most 200000"), "the whole size, not what was read: {told}");
    }

    #[test]
    fn a_binary_file_is_refused() {
        assert!(check_context(None, Some("missing"), b"").unwrap_err().contains("cannot be read"));
        assert!(check_context(None, Some("f"), b"\xff").unwrap_err().contains("not UTF-8"));
    }
}
