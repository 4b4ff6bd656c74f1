//! Things that must not be written down: leftovers, lints switched off without a reason, paths of one machine,
//! files too long to read.

use super::source::{Source, tracked};

/// The rules name what they forbid, and show bad samples of it.
fn is_tidy_itself(source: &Source) -> bool {
    source.path.starts_with("crates/testkit/tests/it/tidy/")
}

/// Each line that has one of the words.
fn lines_with(sources: &[Source], has: impl Fn(&str) -> bool) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources {
        let lines = source.text.lines().enumerate().filter(|(_, line)| has(line));
        findings.extend(lines.map(|(index, line)| format!("{}:{}: {}", source.path, index + 1, line.trim())));
    }
    findings
}

fn leftovers(sources: &[Source]) -> Vec<String> {
    let rust: Vec<Source> = sources.iter().filter(|source| source.is_rust()).cloned().collect();
    lines_with(&rust, |line| {
        ["todo!(", "unimplemented!(", "dbg!(", "FIXME", "XXX"].iter().any(|word| line.contains(word))
    })
}

/// `#[allow(…)]` and `#[expect(…)]` without `reason = "…"`.
fn without_reason(sources: &[Source]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_rust()) {
        for opening in ["#[allow(", "#![allow(", "#[expect(", "#![expect("] {
            for (at, _) in source.text.match_indices(opening) {
                let attribute = &source.text[at..];
                let attribute = &attribute[..attribute.find(")]").unwrap_or(attribute.len())];
                if !attribute.contains("reason = \"") {
                    let line = source.text[..at].matches('\n').count() + 1;
                    findings.push(format!("{}:{line}", source.path));
                }
            }
        }
    }
    findings
}

/// What a merge left in a file. Markers of edits look alike, but never name a commit.
fn conflict_markers(sources: &[Source]) -> Vec<String> {
    lines_with(sources, |line| {
        let commit = line.strip_prefix(">>>>>>> ").and_then(|rest| rest.split_whitespace().next());
        let is_commit = |name: &str| name.len() >= 7 && name.chars().all(|c| c.is_ascii_hexdigit());
        line == "<<<<<<< HEAD" || commit.is_some_and(is_commit)
    })
}

/// Where this machine keeps the project and its user's files. The folder for temporary files is every machine's.
fn machine_folders() -> Vec<String> {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3);
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let folders = project.into_iter().map(std::path::Path::to_path_buf).chain(home);
    let folders = folders.filter(|folder| *folder != std::env::temp_dir());
    folders.map(|folder| format!("{}/", folder.display())).filter(|folder| folder.len() > 3).collect()
}

/// Absolute paths that exist on one machine only.
fn machine_paths(sources: &[Source], folders: &[String]) -> Vec<String> {
    lines_with(sources, |line| {
        folders.iter().any(|folder| {
            line.match_indices(folder).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                !before.is_some_and(|c| c.is_alphanumeric() || "._-~}>$)*".contains(c))
            })
        })
    })
}

/// How many lines of product a file may have.
const LONGEST: usize = 500;

/// Files that are longer, and how long they are; they may only become shorter.
const LONGER: [(&str, usize); 0] = [];

fn too_long(sources: &[Source], longer: &[(&str, usize)]) -> Vec<String> {
    let mut findings = Vec::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        let lines = source.product_lines().len();
        let exception = longer.iter().find(|(path, _)| *path == source.path).map(|(_, limit)| *limit);
        if lines > exception.unwrap_or(LONGEST) {
            findings.push(format!(
                "{} has {lines} lines, at most {}",
                source.path,
                exception.unwrap_or(LONGEST)
            ));
        } else if exception.is_some_and(|limit| lines < limit) {
            findings
                .push(format!("{} has only {lines} lines now: lower or remove its exception", source.path));
        }
    }
    findings
}

#[test]
fn no_leftovers() {
    let sources: Vec<_> = tracked().into_iter().filter(|source| !is_tidy_itself(source)).collect();
    super::assert_none("leftovers", &leftovers(&sources));
}

#[test]
fn no_merge_is_left_half_done() {
    let pages: Vec<_> = tracked().into_iter().filter(|source| !source.path.contains("/tests/")).collect();
    super::assert_none("conflict markers", &conflict_markers(&pages));
}

#[test]
fn no_lint_is_off_without_a_reason() {
    let sources: Vec<_> = tracked().into_iter().filter(|source| !is_tidy_itself(source)).collect();
    super::assert_none("attributes without a reason", &without_reason(&sources));
}

#[test]
fn no_paths_of_one_machine() {
    let sources: Vec<_> = tracked().into_iter().filter(|source| !is_tidy_itself(source)).collect();
    super::assert_none("paths of one machine", &machine_paths(&sources, &machine_folders()));
}

#[test]
fn no_file_is_too_long() {
    super::assert_none("too long to read", &too_long(&tracked(), &LONGER));
}

#[cfg(test)]
mod samples {
    use super::{LONGEST, Source, leftovers, machine_paths, too_long, without_reason};

    fn found(rule: impl Fn(&[Source]) -> Vec<String>, text: &str) -> usize {
        rule(&[Source::new("crates/x/src/a.rs", text)]).len()
    }

    #[test]
    fn leftovers_are_found() {
        for text in ["    todo!()\n", "unimplemented!(\"x\")", "dbg!(x);", "// FIXME: later", "// XXX"] {
            assert_eq!(found(leftovers, text), 1, "{text}");
        }
        assert_eq!(found(leftovers, "//TODO: delete this file\n"), 0, "the reply format's marker");
        assert!(leftovers(&[Source::new("docs/a.md", "FIXME")]).is_empty(), "only sources");
    }

    #[test]
    fn conflict_markers_are_found() {
        assert_eq!(
            found(super::conflict_markers, "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> e4c03eb (edit: x)\n"),
            2
        );
        assert_eq!(found(super::conflict_markers, "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"), 0);
    }

    #[test]
    fn missing_reasons_are_found() {
        assert_eq!(found(without_reason, "#[allow(dead_code)]\n"), 1);
        assert_eq!(
            found(without_reason, "#![allow(\n    dead_code,\n)]\nfn f() {}\n// reason = \"none\"\n"),
            1
        );
        assert_eq!(found(without_reason, "#[expect(clippy::panic)]\n"), 1);
        assert_eq!(
            found(without_reason, "#[allow(\n    dead_code,\n    reason = \"used by tests\"\n)]\n"),
            0
        );
    }

    #[test]
    fn machine_paths_are_found() {
        let folders = ["/srv/ann/".to_owned(), "/home/ann/".to_owned()];
        let rule = |sources: &[Source]| machine_paths(sources, &folders);
        for text in [
            "/srv/ann/main\n",
            "see /home/ann/.cargo\n",
            "\"/srv/ann/x\"",
            "(/home/ann/x)",
            "path=/srv/ann/x",
        ] {
            assert_eq!(found(rule, text), 1, "{text}");
        }
        for text in ["~/srv/ann/x", "home/srv/ann/x", "./srv/ann/x", "the srv/ann balance", "$HOME/srv/ann/"]
        {
            assert_eq!(found(rule, text), 0, "{text}");
        }
    }

    #[test]
    fn long_files_are_found() {
        let lines = |count: usize| [Source::new("crates/x/src/a.rs", &"x\n".repeat(count))];
        assert_eq!(too_long(&lines(LONGEST), &[]).len(), 0);
        assert_eq!(too_long(&lines(LONGEST + 1), &[]).len(), 1);
        let test = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "    x\n".repeat(LONGEST));
        assert_eq!(too_long(&[Source::new("crates/x/src/a.rs", &test)], &[]).len(), 0);
        assert_eq!(
            too_long(&[Source::new("crates/x/tests/it/a.rs", &"x\n".repeat(LONGEST + 1))], &[]).len(),
            0
        );
    }

    #[test]
    fn an_exception_may_only_shrink() {
        let file = [Source::new("crates/x/src/a.rs", &"x\n".repeat(600))];
        assert_eq!(too_long(&file, &[("crates/x/src/a.rs", 600)]).len(), 0);
        assert_eq!(too_long(&file, &[("crates/x/src/a.rs", 599)]).len(), 1);
        assert_eq!(too_long(&file, &[("crates/x/src/a.rs", 601)]).len(), 1);
    }
}
