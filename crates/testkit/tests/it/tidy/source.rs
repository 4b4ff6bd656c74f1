//! The repository's files, and which lines of a source file are product and which are test.

use std::process::Command;

use super::root;

/// One text file of the repository.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Its path from the root, with `/`.
    pub(super) path: String,
    /// What it says.
    pub(super) text: String,
}

impl Source {
    pub(super) fn new(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The folder below `crates/` it is in.
    pub(super) fn crate_name(&self) -> Option<&str> {
        self.path.strip_prefix("crates/")?.split('/').next()
    }

    pub(super) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is compiled into the product: below `src/`, not the test kit, not a module of tests.
    pub(super) fn is_product(&self) -> bool {
        let in_src =
            self.path.strip_prefix("crates/").is_some_and(|path| path.split('/').nth(1) == Some("src"));
        // `testing.rs` is what tests of several modules share.
        let is_test = ["/tests.rs", "/testing.rs"].iter().any(|end| self.path.ends_with(end))
            || self.path.contains("/tests/");
        self.is_rust() && in_src && !is_test && self.crate_name() != Some("testkit")
    }

    /// Its lines with their numbers, without test modules inside the file.
    pub(super) fn product_lines(&self) -> Vec<(usize, &str)> {
        let mut lines = Vec::new();
        let mut numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line)).peekable();
        while let Some((number, line)) = numbered.next() {
            let gates_a_module = is_test_gate(line)
                && numbered.peek().is_some_and(|(_, next)| next.contains("mod ") && next.ends_with('{'));
            if gates_a_module {
                // rustfmt puts the closing brace of a block where the block began.
                let indent = &line[..line.len() - line.trim_start().len()];
                let end = format!("{indent}}}");
                for (_, inner) in numbered.by_ref() {
                    if inner == end {
                        break;
                    }
                }
            } else {
                lines.push((number, line));
            }
        }
        lines
    }
}

/// `#[cfg(test)]`, also together with a platform.
fn is_test_gate(line: &str) -> bool {
    let line = line.trim();
    line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,")
}

/// Every text file git knows or would add. What it ignores is not looked at, nor are temporary folders that a program
/// running at the same time has made beside the sources.
pub(super) fn tracked() -> Vec<Source> {
    let listing = Command::new("git")
        // The folder's owner does not matter for a list of names; in a container it may be another user.
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        // A hook of git's runs with these, and they would mean another repository or none.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .expect("git");
    assert!(listing.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listing.stderr));
    let mut paths: Vec<String> = listing
        .stdout
        .split(|&byte| byte == 0)
        .filter(|path| !path.is_empty())
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .filter(|path| !path.split('/').any(|name| name.starts_with(".tmp")))
        .collect();
    paths.sort();
    paths.dedup();
    // A file may be deleted and not yet committed so, or hold no text.
    let read =
        |path: String| std::fs::read_to_string(root().join(&path)).ok().map(|text| Source { path, text });
    paths.into_iter().filter_map(read).collect()
}

#[test]
fn the_repository_is_found() {
    let paths: Vec<_> = tracked().into_iter().map(|source| source.path).collect();
    for path in ["Cargo.toml", "crates/relay/src/main.rs", "crates/testkit/tests/it/tidy/source.rs"] {
        assert!(paths.iter().any(|found| found == path), "{path}");
    }
    assert!(!paths.iter().any(|path| path.starts_with("target/")));
}

#[test]
fn product_and_test() {
    let product = |path: &str| Source::new(path, "").is_product();
    assert!(product("crates/relay-edit/src/dialect/fenced.rs"));
    assert!(product("crates/relay-engine/src/checks/lint/suggest.rs"));
    for path in [
        "crates/relay-engine/src/checks/lint/tests.rs",
        "crates/relay/tests/it/apply.rs",
        "crates/relay/benches/cost.rs",
        "crates/testkit/src/env.rs",
        "crates/relay-edit/src/prompt/text.md",
    ] {
        assert!(!product(path), "{path}");
    }
}

#[test]
fn test_modules_are_left_out() {
    let text = "a\n#[cfg(test)]\nmod tests {\n    fn x() {\n    }\n}\nb\n#[cfg(test)]\nmod more;\nmod m {\n    #[cfg(all(test, unix))]\n    mod t {\n        x\n    }\n    c\n}\n";
    let source = Source::new("crates/x/src/x.rs", text);
    let lines: Vec<_> = source.product_lines();
    assert_eq!(
        lines,
        [
            (1, "a"),
            (7, "b"),
            (8, "#[cfg(test)]"),
            (9, "mod more;"),
            (10, "mod m {"),
            (15, "    c"),
            (16, "}")
        ]
    );
}
