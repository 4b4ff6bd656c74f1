//! A sieve before the ignore rules: rules out most names without matching.
//!
//! Matching a path against globs costs more than asking the disk about the file, and almost no file is ignored. What a
//! rule can match depends on the last part of its pattern: a plain name matches only that name, `*.log` only names that
//! end so. Whatever is not that simple lets every name through to the rules themselves. The sieve may let through too
//! much, never too little.

use crate::read::Kind;

/// What the patterns of one ignore file could match.
#[derive(Debug, Default)]
pub(crate) struct Sieve {
    /// Sorted, as the extensions are: there are few, and hashing would cost more than comparing.
    names: Vec<Box<str>>,
    /// What is after the last dot of a name, for patterns such as `*.log`.
    extensions: Vec<Box<str>>,
    suffixes: Vec<Box<str>>,
    prefixes: Vec<Box<str>>,
    /// Some pattern may match any folder.
    any_folder: bool,
    /// Some pattern may match anything.
    anything: bool,
}

impl Sieve {
    /// The sieve for rules whose patterns are not known.
    pub(crate) fn open() -> Self {
        Self { anything: true, ..Self::default() }
    }

    /// The sieve for the lines of an ignore file.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Self {
        let mut sieve = Self::default();
        lines.for_each(|line| sieve.add(line));
        sieve.names.sort_unstable();
        sieve.extensions.sort_unstable();
        sieve
    }

    /// Whether a rule could match something of this name.
    pub(crate) fn passes(&self, name: &str, kind: Kind) -> bool {
        self.anything
            || (self.any_folder && kind == Kind::Directory)
            || contains(&self.names, name)
            || (!self.extensions.is_empty()
                && name.rsplit_once('.').is_some_and(|(_, extension)| contains(&self.extensions, extension)))
            || self.suffixes.iter().any(|suffix| name.ends_with(&**suffix))
            || self.prefixes.iter().any(|prefix| name.starts_with(&**prefix))
    }

    fn add(&mut self, line: &str) {
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        let pattern = line.strip_prefix('!').unwrap_or(line);
        // Escapes and blanks at the end have rules of their own, which are not repeated here.
        if pattern.contains('\\') || pattern.ends_with(char::is_whitespace) {
            self.anything = true;
            return;
        }
        let (pattern, folders_only) = match pattern.strip_suffix('/') {
            Some(pattern) => (pattern, true),
            None => (pattern, false),
        };
        let last = pattern.rsplit_once('/').map_or(pattern, |(_, last)| last);
        let is_plain = |text: &str| !text.contains(['*', '?', '[', ']', '{', '}', '!']);
        if is_plain(last) && !last.is_empty() {
            self.names.push(last.into());
        } else if let Some(suffix) =
            last.strip_prefix('*').filter(|suffix| is_plain(suffix) && !suffix.is_empty())
        {
            match suffix.strip_prefix('.').filter(|extension| !extension.contains('.')) {
                Some(extension) => self.extensions.push(extension.into()),
                None => self.suffixes.push(suffix.into()),
            }
        } else if let Some(prefix) =
            last.strip_suffix('*').filter(|prefix| is_plain(prefix) && !prefix.is_empty())
        {
            self.prefixes.push(prefix.into());
        } else if folders_only {
            self.any_folder = true;
        } else {
            self.anything = true;
        }
    }
}

fn contains(sorted: &[Box<str>], name: &str) -> bool {
    sorted.binary_search_by(|known| (**known).cmp(name)).is_ok()
}

#[cfg(test)]
mod tests {
    use ignore::gitignore::GitignoreBuilder;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn simple_patterns_stop_other_names() {
        let text = "# logs\n*.log\n/dist\ntarget/\n!keep.log\ndocs/build\n.env*\n*~\n[Bb]in/\n";
        let sieve = Sieve::of(text.lines());
        for name in ["a.log", "dist", "target", "build", ".env.local", "x~", "log.log"] {
            assert!(sieve.passes(name, Kind::File), "{name}");
        }
        for name in ["main.rs", "log", "distant", "docs", "a.logs"] {
            assert!(!sieve.passes(name, Kind::File), "{name}");
        }
        assert!(sieve.passes("anything", Kind::Directory), "because of [Bb]in/");
        for complex in ["foo/**", "f[ao]o", "a\\ b", "*", "x ", "a?"] {
            assert!(Sieve::of(complex.lines()).passes("main.rs", Kind::File), "{complex}");
        }
    }

    proptest! {
        /// Whatever the rules say anything about passes the sieve.
        #[test]
        fn nothing_a_rule_matches_is_stopped(
            lines in prop::collection::vec(r"!?/?([ab.*?~]{1,3}|\[ab\]|\{a,b\}|\*\*|\\a| )(/[ab.*]{1,3})?/? ?", 1..6),
            path in prop::collection::vec("[ab.~]{1,4}", 1..4),
            is_folder in prop::bool::ANY,
        ) {
            let mut builder = GitignoreBuilder::new("/root");
            for line in &lines {
                if builder.add_line(None, line).is_err() {
                    continue;
                }
            }
            let Ok(rules) = builder.build() else { return Ok(()) };
            let place = path.iter().fold(std::path::PathBuf::from("/root"), |place, name| place.join(name));
            prop_assume!(!path.iter().any(|name| name == "." || name == ".."));
            let matched = !rules.matched(&place, is_folder).is_none();
            let kind = if is_folder { Kind::Directory } else { Kind::File };
            let name = path.last().map(String::as_str).unwrap_or_default();
            let passes = Sieve::of(lines.iter().map(String::as_str)).passes(name, kind);
            prop_assert!(passes || !matched, "{lines:?} {path:?}");
        }
    }
}
