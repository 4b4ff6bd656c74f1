//! Searching and finding on a real disk: limits, links, devices, ignore rules, and ripgrep's answers where it is installed.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_workspace::search::{
    Case, EMPTY_RECHECK, FindQuery, Found, Limits, Query, ScanCache, Scope, SearchError, Wanted, fuzzy,
    has_match, search_text,
};
use relay_workspace::{Kind, Workspace};
use tempfile::TempDir;

fn tree(files: &[(&str, &str)]) -> (TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let workspace = Workspace::open(folder.path()).unwrap();
    (folder, workspace)
}

fn search(workspace: &Workspace, pattern: &str, scope: &Scope, limits: &Limits) -> Found {
    workspace.search(&Query::regex(pattern), scope, limits, &Cancel::new()).unwrap()
}

/// `path:line:text` and `path-line-text`.
fn shown(found: &Found) -> Vec<String> {
    let line = |path: &str, line: &relay_workspace::search::Line| {
        let mark = if line.is_match { ':' } else { '-' };
        format!("{path}{mark}{}{mark}{}", line.number, line.text)
    };
    found.files.iter().flat_map(|file| file.lines.iter().map(|one| line(&file.path, one))).collect()
}

const SAMPLE: [(&str, &str); 7] = [
    ("a.txt", "one\ntwo needle\nthree\nfour\nneedle five\n"),
    ("src/b.rs", "fn needle() {}\n"),
    ("src/deep/c.rs", "// Needle\n"),
    (".hidden/d.txt", "needle\n"),
    ("skip/e.txt", "needle\n"),
    ("bin.dat", "needle\0needle\n"),
    (".gitignore", "skip/\n"),
];

#[test]
fn matches_come_in_the_order_of_paths_with_their_context() {
    let (_folder, workspace) = tree(&SAMPLE);
    let found =
        search(&workspace, "needle", &Scope::default(), &Limits { before: 1, after: 1, ..Limits::default() });
    assert_eq!(
        shown(&found),
        [
            ".hidden/d.txt:1:needle",
            "a.txt-1-one",
            "a.txt:2:two needle",
            "a.txt-3-three",
            "a.txt-4-four",
            "a.txt:5:needle five",
            "src/b.rs:1:fn needle() {}"
        ]
    );
    assert_eq!((found.matches, found.matching_files, found.binary_files), (4, 3, 1));
    assert!(!found.is_cancelled && found.unreadable.is_empty());
}

#[test]
fn scopes_leave_files_out() {
    let (_folder, workspace) = tree(&SAMPLE);
    let paths = |scope: Scope| {
        let found = search(&workspace, "(?i)needle", &scope, &Limits::default());
        found.files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(Scope { hidden: false, ..Scope::default() }), ["a.txt", "src/b.rs", "src/deep/c.rs"]);
    assert_eq!(
        paths(Scope { gitignore: false, hidden: false, ..Scope::default() }),
        ["a.txt", "skip/e.txt", "src/b.rs", "src/deep/c.rs"]
    );
    assert_eq!(
        paths(Scope { globs: vec!["*.rs".into()], ..Scope::default() }),
        ["src/b.rs", "src/deep/c.rs"]
    );
    assert_eq!(paths(Scope { globs: vec!["!*.rs".into()], hidden: false, ..Scope::default() }), ["a.txt"]);
    assert_eq!(
        paths(Scope { types: vec!["rust".into()], ..Scope::default() }),
        ["src/b.rs", "src/deep/c.rs"]
    );
    assert_eq!(paths(Scope { types_not: vec!["rust".into()], hidden: false, ..Scope::default() }), ["a.txt"]);
    assert_eq!(paths(Scope { paths: vec!["src".into()], depth: Some(1), ..Scope::default() }), ["src/b.rs"]);
    // What is named is searched, also when an ignore file leaves it out.
    assert_eq!(paths(Scope { paths: vec!["skip/e.txt".into()], ..Scope::default() }), ["skip/e.txt"]);
    assert_eq!(
        paths(Scope { paths: vec!["./src/".into(), "a.txt".into()], ..Scope::default() }),
        ["a.txt", "src/b.rs", "src/deep/c.rs"]
    );
}

#[test]
fn missing_paths_are_named_and_bad_input_is_refused() {
    let (_folder, workspace) = tree(&SAMPLE);
    let scope = Scope { paths: vec!["a.txt".into(), "nope".into()], ..Scope::default() };
    assert_eq!(search(&workspace, "one", &scope, &Limits::default()).missing, ["nope"]);
    let fail = |query: &Query, scope: Scope| {
        workspace.search(query, &scope, &Limits::default(), &Cancel::new()).unwrap_err()
    };
    let only = |path: &str| Scope { paths: vec![path.to_owned()], ..Scope::default() };
    assert!(
        matches!(fail(&Query::regex("x"), only("nope")), SearchError::Missing(paths) if paths == ["nope"])
    );
    assert!(matches!(fail(&Query::regex("x"), only("../etc")), SearchError::Path(_)));
    assert!(matches!(fail(&Query::regex("x"), only(".git")), SearchError::Path(_)));
    assert!(matches!(fail(&Query::regex("[a"), Scope::default()), SearchError::Pattern(_)));
    assert!(matches!(
        fail(&Query::regex("x"), Scope { globs: vec!["[".into()], ..Scope::default() }),
        SearchError::Glob { .. }
    ));
    assert!(matches!(
        fail(&Query::regex("x"), Scope { types: vec!["klingon".into()], ..Scope::default() }),
        SearchError::Type(_)
    ));
}

#[test]
fn pages_are_the_same_however_fast_the_threads_are() {
    let files: Vec<(String, String)> =
        (0..300).map(|n| (format!("d{}/f{n:03}.txt", n % 7), "hit\nmiss\n".repeat(n % 5 + 1))).collect();
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let (_folder, workspace) = tree(&borrowed);
    let all = search(&workspace, "hit", &Scope::default(), &Limits { matches: 10_000, ..Limits::default() });
    let expected = shown(&all);
    assert_eq!(all.matches, 900);
    for (skip, matches) in [(0, 1), (0, 10), (7, 13), (399, 2), (890, 100), (900, 5)] {
        for _ in 0..3 {
            let page =
                search(&workspace, "hit", &Scope::default(), &Limits { skip, matches, ..Limits::default() });
            let end = (skip + matches).min(expected.len());
            assert_eq!(shown(&page), expected[skip.min(end)..end], "{skip} {matches}");
            assert_eq!((page.matches, page.matching_files), (900, 300));
        }
    }
    let robin = all.round_robin(350);
    assert_eq!((robin.kept(), robin.files.len()), (350, 300));
}

#[test]
fn counting_keeps_no_lines() {
    let (_folder, workspace) = tree(&SAMPLE);
    let found =
        search(&workspace, "needle", &Scope::default(), &Limits { lines: false, ..Limits::default() });
    let counts: Vec<_> =
        found.files.iter().map(|file| (file.path.as_str(), file.count, file.lines.len())).collect();
    assert_eq!(counts, [(".hidden/d.txt", 1, 0), ("a.txt", 2, 0), ("src/b.rs", 1, 0)]);
}

#[test]
fn patterns_are_read_as_asked() {
    let (_folder, workspace) = tree(&[("x.txt", "a.b(c) ${name}\nfoo\nbar\nFooBar foo\n")]);
    let lines = |query: Query| {
        let found = workspace.search(&query, &Scope::default(), &Limits::default(), &Cancel::new()).unwrap();
        found.files.iter().flat_map(|file| file.lines.iter().map(|line| line.number)).collect::<Vec<_>>()
    };
    assert_eq!(lines(Query { literal: true, ..Query::regex("a.b(") }), [1]);
    assert_eq!(lines(Query::regex("a.b(")), [1]);
    assert_eq!(lines(Query::regex("${name}")), [1]);
    assert_eq!(lines(Query::regex("\\${name}")), [1]);
    assert_eq!(lines(Query { case: Case::Insensitive, ..Query::regex("FOO") }), [2, 4]);
    assert_eq!(lines(Query { case: Case::Smart, ..Query::regex("foo") }), [2, 4]);
    assert_eq!(lines(Query { case: Case::Smart, ..Query::regex("Foo") }), [4]);
    assert_eq!(lines(Query { word: true, ..Query::regex("Foo") }), Vec::<u64>::new());
    assert_eq!(lines(Query { invert: true, ..Query::regex("foo") }), [1, 3]);
    assert_eq!(lines(Query::regex("foo\\nbar")), [2, 3]);
    assert_eq!(lines(Query { multiline: Some(false), ..Query::regex("foo.*") }), [2, 4]);
}

#[test]
fn long_lines_and_strange_bytes_are_cut_and_replaced() {
    let (folder, workspace) = tree(&[("long.txt", &format!("hit {}\n", "é".repeat(2_000)))]);
    fs::write(folder.path().join("latin.txt"), b"hit \xff\xfe\n").unwrap();
    let found = search(&workspace, "hit", &Scope::default(), &Limits { columns: 101, ..Limits::default() });
    assert_eq!(found.files[0].lines[0].text, "hit \u{fffd}\u{fffd}");
    let line = &found.files[1].lines[0];
    assert!(line.is_cut && line.text.len() <= 101 && line.text.ends_with('é'));
}

#[test]
fn links_pipes_and_git_are_left_alone() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "needle\n").unwrap();
    let (folder, workspace) =
        tree(&[("a.txt", "needle\n"), (".git/config", "needle\n"), (".relaycode/x.yml", "needle\n")]);
    std::os::unix::fs::symlink(outside.path(), folder.path().join("out")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.txt"), folder.path().join("secret")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.path().join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let found =
        search(&workspace, "needle", &Scope { gitignore: false, ..Scope::default() }, &Limits::default());
    assert_eq!(shown(&found), ["a.txt:1:needle"]);
    for name in ["out", "secret", "pipe"] {
        let scope = Scope { paths: vec![name.into()], ..Scope::default() };
        assert!(
            matches!(
                workspace.search(&Query::regex("needle"), &scope, &Limits::default(), &Cancel::new()),
                Err(SearchError::Missing(_))
            ),
            "{name}"
        );
    }
    let paths = find(&workspace, &[], Wanted::All);
    assert!(
        !paths
            .iter()
            .any(|path| path.starts_with(".git/") || path.starts_with(".relaycode") || path == "pipe"),
        "{paths:?}"
    );
}

#[test]
fn a_cancelled_search_ends_also_inside_a_huge_file() {
    let (folder, workspace) = tree(&[("a.txt", "needle\n")]);
    let huge = fs::File::create(folder.path().join("huge.txt")).unwrap();
    huge.set_len(10 << 30).unwrap();
    // A NUL ends the search of a file, so that ten gigabytes of nothing cost nothing.
    let found = search(&workspace, "needle", &Scope::default(), &Limits::default());
    assert_eq!((found.matches, found.binary_files), (1, 1));
    let cancel = Cancel::new();
    cancel.cancel();
    let found =
        workspace.search(&Query::regex("needle"), &Scope::default(), &Limits::default(), &cancel).unwrap();
    assert!(found.is_cancelled && found.searched_files == 0);
}

#[test]
fn text_in_memory_is_searched_the_same_way() {
    let found = search_text(
        "x",
        b"a\nneedle\nb\n",
        &Query::regex("needle"),
        &Limits { before: 1, ..Limits::default() },
    )
    .unwrap();
    assert_eq!((found.count, found.lines.len()), (1, 2));
    assert!(has_match(b"abc", &Query::regex("b")).unwrap());
    assert!(!has_match(b"abc", &Query::regex("^b")).unwrap());
}

fn find(workspace: &Workspace, patterns: &[&str], wanted: Wanted) -> Vec<String> {
    let query = FindQuery {
        patterns: patterns.iter().map(ToString::to_string).collect(),
        wanted,
        newest_first: false,
        ..FindQuery::default()
    };
    workspace.find(&query, &Cancel::new()).unwrap().paths.into_iter().map(|found| found.path).collect()
}

#[test]
fn globs_mean_what_people_expect() {
    let (folder, workspace) = tree(&[
        ("a.ts", ""),
        ("src/b.ts", ""),
        ("src/x/c.ts", ""),
        ("src/x/d.js", ""),
        ("skip/e.ts", ""),
        (".gitignore", "skip\n"),
    ]);
    let files = |patterns: &[&str]| find(&workspace, patterns, Wanted::Files);
    assert_eq!(files(&["*.ts"]), ["a.ts", "src/b.ts", "src/x/c.ts"]);
    assert_eq!(files(&["src/*.ts"]), ["src/b.ts"]);
    assert_eq!(files(&["src/**/*.ts"]), ["src/b.ts", "src/x/c.ts"]);
    assert_eq!(files(&["src"]), ["src/b.ts", "src/x/c.ts", "src/x/d.js"]);
    assert_eq!(files(&["src/x/d.js", "a.ts"]), ["a.ts", "src/x/d.js"]);
    assert_eq!(files(&["*.{ts,js"]), ["a.ts", "src/b.ts", "src/x/c.ts", "src/x/d.js"]);
    assert_eq!(files(&["src\\x\\*.js"]), ["src/x/d.js"]);
    assert_eq!(files(&[&format!("{}/src/*.ts", workspace.root().display())]), ["src/b.ts"]);
    assert_eq!(find(&workspace, &["**/x"], Wanted::Folders), ["src/x"]);
    assert!(matches!(
        workspace
            .find(&FindQuery { patterns: vec!["nope/*.ts".into()], ..FindQuery::default() }, &Cancel::new()),
        Err(SearchError::Missing(_))
    ));
    // Newest first.
    let old = std::time::SystemTime::now() - Duration::from_secs(1_000);
    fs::File::options().write(true).open(folder.path().join("a.ts")).unwrap().set_modified(old).unwrap();
    let found = workspace
        .find(&FindQuery { patterns: vec!["*.ts".into()], limit: 2, ..FindQuery::default() }, &Cancel::new())
        .unwrap();
    assert_eq!((found.total, found.paths.len()), (3, 2));
    assert!(found.paths.iter().all(|path| path.path != "a.ts"));
}

#[test]
fn a_listing_lives_for_a_second_and_own_changes_end_it() {
    let (folder, workspace) = tree(&[("a.txt", "")]);
    let cache = ScanCache::new();
    let start = Instant::now();
    let ask = |after_ms: u64, wanted: &str| {
        let now = start + Duration::from_millis(after_ms);
        let answer = |entries: &[relay_workspace::search::Entry]| {
            entries
                .iter()
                .filter(|entry| entry.path.contains(wanted))
                .map(|entry| entry.path.clone())
                .collect::<Vec<_>>()
        };
        cache.ask(&workspace, &Scope::default(), now, &Cancel::new(), answer).unwrap()
    };
    assert_eq!(ask(0, "txt"), ["a.txt"]);
    fs::write(folder.path().join("b.txt"), "").unwrap();
    assert_eq!(ask(900, "txt"), ["a.txt"], "within its life it is believed");
    assert!(
        ask(u64::try_from(EMPTY_RECHECK.as_millis()).unwrap(), "b.txt").is_empty(),
        "a fresh empty answer is believed"
    );
    assert_eq!(ask(250, "b.txt"), ["b.txt"], "an older one is looked at again");
    fs::write(folder.path().join("c.txt"), "").unwrap();
    cache.invalidate(&workspace.root().join("c.txt"));
    assert!(cache.is_empty());
    assert_eq!(ask(300, "txt"), ["a.txt", "b.txt", "c.txt"]);
    fs::write(folder.path().join("d.txt"), "").unwrap();
    assert_eq!(ask(1_299, "txt").len(), 3);
    assert_eq!(ask(1_301, "txt").len(), 4, "its life is over");
    cache.invalidate(Path::new("/elsewhere"));
    assert_eq!(cache.len(), 1);
}

/// Only who asks for a listing fills the cache, and both ways find the same, newest first or by path.
#[test]
fn listings_are_kept_for_those_who_ask_for_them() {
    let (_folder, workspace) = tree(&[
        ("a.ts", ""),
        ("src/b.ts", "xx"),
        ("src/deep/c.ts", ""),
        (".gitignore", "out/\n"),
        ("out/d.ts", ""),
    ]);
    for patterns in [vec!["*.ts"], vec!["src"], vec!["src/*.ts", "a.ts"], vec!["src/**/*.ts", "**/deep"]] {
        for newest_first in [true, false] {
            let plain = FindQuery {
                patterns: patterns.iter().map(|pattern| (*pattern).to_owned()).collect(),
                wanted: Wanted::All,
                newest_first,
                ..FindQuery::default()
            };
            workspace.scans().clear();
            let found = workspace.find(&plain, &Cancel::new()).unwrap();
            assert!(workspace.scans().is_empty(), "{patterns:?}");
            let cached = FindQuery { cached: true, ..plain };
            for _ in 0..2 {
                assert_eq!(workspace.find(&cached, &Cancel::new()).unwrap(), found, "{patterns:?}");
                assert!(!workspace.scans().is_empty(), "{patterns:?}");
            }
            assert_eq!(found.paths.iter().any(|path| path.size == 2), newest_first, "{patterns:?}");
        }
    }
}

#[test]
fn fuzzy_ranking_takes_a_listing() {
    let ranked = fuzzy::rank("rd", [("src/read.rs", Kind::File), ("src/x.rs", Kind::File)], 5);
    assert_eq!(ranked.len(), 1);
}
