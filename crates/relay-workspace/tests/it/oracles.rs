//! ripgrep and fd on the same tree: the same lines, the same counts, the same files. Skipped if they are not installed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use relay_diagnostics::Cancel;
use relay_workspace::Workspace;
use relay_workspace::search::{Case, FindQuery, Limits, Query, Scope, Wanted};

/// A tree of text, with ignore files, hidden folders, binary files and odd names.
fn generate(root: &Path) {
    fs::create_dir(root.join(".git")).unwrap();
    let mut seed = 11u64;
    let mut dice = |sides: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    let words = [
        "alpha",
        "beta",
        "Gamma",
        "fn main()",
        "TODO",
        "needle",
        "x = 1;",
        "",
        "\tindented",
        "übung",
        "a.b(c)",
    ];
    for folder in 0..40 {
        let name = match folder % 8 {
            0 => format!(".hidden{folder}"),
            1 => format!("build{folder}/out"),
            2 => format!("deep{folder}/a/b/c"),
            _ => format!("src{folder}"),
        };
        let place = root.join(&name);
        fs::create_dir_all(&place).unwrap();
        for file in 0..20 {
            let extension = ["rs", "txt", "md", "log", "py"][usize::try_from(dice(5)).unwrap()];
            let lines = dice(40);
            let mut text: String = (0..lines)
                .map(|_| {
                    format!(
                        "{} {}\n",
                        words[usize::try_from(dice(11)).unwrap()],
                        words[usize::try_from(dice(11)).unwrap()]
                    )
                })
                .collect();
            if dice(15) == 0 {
                text.push('\0');
            }
            if dice(9) == 0 {
                text = text.replace('\n', "\r\n");
            }
            fs::write(place.join(format!("f{file}.{extension}")), text).unwrap();
        }
    }
    fs::write(root.join(".gitignore"), "*.log\nbuild*/\n!src3/f1.log\n/deep2/a\n").unwrap();
    fs::write(root.join("src3/.gitignore"), "f2.*\n!f2.rs\n").unwrap();
    fs::write(root.join("src4/.ignore"), "*.md\n").unwrap();
    std::os::unix::fs::symlink(root.join("src3"), root.join("link")).unwrap();
}

fn output(program: &str, root: &Path, arguments: &[&str]) -> Option<BTreeSet<String>> {
    let result = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .env("HOME", root)
        .env("XDG_CONFIG_HOME", root)
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&result.stdout).into_owned();
    Some(text.lines().map(|line| line.trim_start_matches("./").trim_end_matches('\r').to_owned()).collect())
}

#[test]
fn ripgrep_finds_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path());
    let workspace = Workspace::open(folder.path()).unwrap();
    let cases: [(&str, &[&str], Query, Scope); 10] = [
        ("needle", &[], Query::regex("needle"), Scope::default()),
        ("(?i)gamma", &[], Query::regex("(?i)gamma"), Scope::default()),
        ("^TODO", &[], Query::regex("^TODO"), Scope::default()),
        ("beta$", &[], Query::regex("beta$"), Scope::default()),
        ("a.b(c)", &["-F"], Query { literal: true, ..Query::regex("a.b(c)") }, Scope::default()),
        (
            "alpha",
            &["-i", "-g", "*.rs"],
            Query { case: Case::Insensitive, ..Query::regex("alpha") },
            Scope { globs: vec!["*.rs".into()], ..Scope::default() },
        ),
        (
            "alpha",
            &["-g", "!src*"],
            Query::regex("alpha"),
            Scope { globs: vec!["!src*".into()], ..Scope::default() },
        ),
        (
            "beta",
            &["-t", "py", "-w"],
            Query { word: true, ..Query::regex("beta") },
            Scope { types: vec!["py".into()], ..Scope::default() },
        ),
        ("needle", &["--no-ignore"], Query::regex("needle"), Scope { gitignore: false, ..Scope::default() }),
        ("alpha", &["-v"], Query { invert: true, ..Query::regex("alpha") }, Scope::default()),
    ];
    for (pattern, options, query, scope) in cases {
        let mut arguments =
            vec!["--no-heading", "--with-filename", "-n", "--no-messages", "--hidden", "-g", "!.git"];
        arguments.extend(options);
        arguments.extend(["-e", pattern, "."]);
        let Some(mut expected) = output("rg", folder.path(), &arguments) else { return };
        // ripgrep prints matches before the NUL of a binary file and then says so; Relay leaves such files out.
        let binary: Vec<String> = expected
            .iter()
            .filter_map(|line| line.split_once(": binary file matches"))
            .map(|(path, _)| path.to_owned())
            .collect();
        expected.retain(|line| {
            !line.contains("binary file matches")
                && !binary.iter().any(|path| line.starts_with(&format!("{path}:")))
        });
        let found = workspace
            .search(&query, &scope, &Limits { matches: 1_000_000, ..Limits::default() }, &Cancel::new())
            .unwrap();
        let lines: BTreeSet<String> = found
            .files
            .iter()
            .flat_map(|file| {
                file.lines.iter().map(|line| format!("{}:{}:{}", file.path, line.number, line.text))
            })
            .collect();
        // A file whose NUL comes after the first block is searched by ripgrep up to there.
        let only_theirs: Vec<_> = expected.difference(&lines).collect();
        let only_ours: Vec<_> = lines.difference(&expected).collect();
        assert!(
            only_theirs.is_empty() && only_ours.is_empty(),
            "{pattern} {options:?}: theirs {only_theirs:?}, ours {only_ours:?}"
        );
        assert_eq!(found.matches, lines.len());
    }
}

#[test]
fn fd_finds_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path());
    let workspace = Workspace::open(folder.path()).unwrap();
    let fd = if output("fd", folder.path(), &["--version"]).is_some() { "fd" } else { "fdfind" };
    for (arguments, patterns, wanted) in [
        (vec!["--glob", "*.rs", "-t", "f"], vec!["*.rs"], Wanted::Files),
        (vec!["--glob", "f1?.*", "-t", "f"], vec!["f1?.*"], Wanted::Files),
        (vec!["--glob", "*.{md,py}", "-t", "f"], vec!["*.{md,py}"], Wanted::Files),
        (vec!["-t", "f", ".", "src5"], vec!["src5"], Wanted::Files),
        (vec!["--glob", "src*", "-t", "d"], vec!["src*"], Wanted::Folders),
        (vec!["-t", "f", "."], vec![], Wanted::Files),
    ] {
        let mut all = vec!["-H", "-E", ".git"];
        all.extend(arguments.iter().copied());
        let Some(expected) = output(fd, folder.path(), &all) else { return };
        let expected: BTreeSet<String> =
            expected.iter().map(|path| path.trim_end_matches('/').to_owned()).collect();
        let query = FindQuery {
            patterns: patterns.iter().map(ToString::to_string).collect(),
            wanted,
            limit: usize::MAX,
            ..FindQuery::default()
        };
        let found = workspace.find(&query, &Cancel::new()).unwrap();
        let paths: BTreeSet<String> = found
            .paths
            .into_iter()
            .filter(|path| path.kind != relay_workspace::Kind::Symlink)
            .map(|path| path.path)
            .collect();
        assert_eq!(paths, expected, "{arguments:?}");
    }
}
