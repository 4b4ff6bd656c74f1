//! Patterns for files, as rules write them: `*.rs` means any folder, `src/*.rs` that folder only.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The longest pattern that is used.
const LIMIT_BYTES: usize = 500;
/// The most patterns that are used.
const LIMIT: usize = 100;

/// Patterns, ready to be matched.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    set: GlobSet,
}

impl Globs {
    /// Patterns that cannot be read are left out.
    #[must_use]
    pub fn new(patterns: &[String]) -> Self {
        let mut set = GlobSetBuilder::new();
        for pattern in patterns.iter().take(LIMIT).filter(|pattern| pattern.len() <= LIMIT_BYTES) {
            let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
            // Without a slash a pattern is about names, wherever they are.
            let pattern = match pattern.trim_end_matches('/').contains('/') {
                true => pattern.to_owned(),
                false => format!("**/{pattern}"),
            };
            let pattern = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern };
            if let Ok(glob) =
                GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build()
            {
                set.add(glob);
            }
        }
        Self { set: set.build().unwrap_or_default() }
    }

    /// Whether any of them matches a path.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.set.is_match(path.trim_start_matches("./"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_the_same_as_in_editors() {
        let check = |pattern: &str, path: &str, expected: bool| {
            assert_eq!(Globs::new(&[pattern.to_owned()]).matches(path), expected, "{pattern} on {path}");
        };
        check("*.rs", "a.rs", true);
        check("*.rs", "src/deep/a.rs", true);
        check("src/*.rs", "src/a.rs", true);
        check("src/*.rs", "src/deep/a.rs", false);
        check("src/**/*.{ts,tsx}", "src/x/y.tsx", true);
        check("./src/**", "src/a", true);
        check("docs/", "docs/a/b.md", true);
        check("*.rs", "./a.rs", true);
        check("[", "[", false);
        assert!(!Globs::new(&[]).matches("a"));
    }
}
