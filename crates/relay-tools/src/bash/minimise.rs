//! Shorter output for commands whose output is mostly progress. The raw output is kept as an artifact.
//!
//! A filter knows lines that say nothing to someone who reads the result: what is compiled, downloaded, or passed. Runs of
//! them become one line that says how many there were. Errors and summaries are never among them.

use regex::RegexSet;
use relay_syntax::shell;
use serde::Deserialize;

/// Less than this is not worth a second artifact.
const LEAST_SAVED_BYTES: usize = 200;
/// Equal lines in a row, from this many on, become one.
const REPEATED: usize = 4;

/// A filter that is built in.
#[derive(Debug)]
struct BuiltIn {
    name: &'static str,
    /// The first words of the commands it is for.
    commands: &'static [&'static [&'static str]],
    /// Whether a line only shows progress.
    is_progress: fn(&str) -> bool,
}

/// Filters of the user's own, as their file has them.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Own {
    #[serde(default)]
    filters: Vec<OwnFilter>,
}

#[derive(Clone, Debug, Deserialize)]
struct OwnFilter {
    name: String,
    /// The first words of the commands it is for.
    commands: Vec<String>,
    /// Regular expressions for lines that only show progress.
    drop: Vec<String>,
}

/// Which filters may be used.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The user's own, which come first.
    pub own: Own,
    /// Only these, by their name or their command's; empty is all.
    pub only: Vec<String>,
    /// Not these.
    pub except: Vec<String>,
}

/// A filter for the output of a command.
#[derive(Debug)]
pub struct Filter {
    /// Its name.
    pub name: String,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    BuiltIn(fn(&str) -> bool),
    Own(RegexSet),
}

const FILTERS: [BuiltIn; 8] = [
    BuiltIn { name: "cargo", commands: &[&["cargo"]], is_progress: cargo },
    BuiltIn {
        name: "npm",
        commands: &[&["npm"], &["npx"], &["pnpm"], &["yarn"], &["bun"]],
        is_progress: npm,
    },
    BuiltIn {
        name: "pip",
        commands: &[&["pip"], &["pip3"], &["uv"], &["python", "-m", "pip"], &["python3", "-m", "pip"]],
        is_progress: pip,
    },
    BuiltIn { name: "git", commands: &[&["git"]], is_progress: git },
    BuiltIn {
        name: "pytest",
        commands: &[&["pytest"], &["python", "-m", "pytest"], &["python3", "-m", "pytest"]],
        is_progress: pytest,
    },
    BuiltIn { name: "go", commands: &[&["go", "test"], &["go", "build"], &["go", "mod"]], is_progress: go },
    BuiltIn { name: "make", commands: &[&["make"], &["cmake"], &["ninja"]], is_progress: make },
    BuiltIn { name: "docker", commands: &[&["docker"], &["podman"]], is_progress: docker },
];

fn starts(line: &str, words: &[&str]) -> bool {
    let line = line.trim_start();
    words.iter().any(|word| {
        line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':', '\t']))
    })
}

fn cargo(line: &str) -> bool {
    let is_passed = line.starts_with("test ") && line.ends_with("... ok");
    is_passed
        || starts(
            line,
            &[
                "Compiling",
                "Checking",
                "Downloading",
                "Downloaded",
                "Updating",
                "Locking",
                "Adding",
                "Fresh",
                "Documenting",
                "Blocking",
                "Unpacking",
                "Building",
            ],
        )
}

fn npm(line: &str) -> bool {
    starts(
        line,
        &[
            "npm http",
            "npm timing",
            "npm verb",
            "npm sill",
            "npm warn deprecated",
            "npm WARN deprecated",
            "Progress",
        ],
    ) || line.trim_start().starts_with("warning ") && line.contains(" > ")
        || line.trim_start().starts_with("➤ YN0013")
}

fn pip(line: &str) -> bool {
    starts(
        line,
        &[
            "Collecting",
            "Downloading",
            "Requirement already satisfied",
            "Using cached",
            "Installing build dependencies",
            "Getting requirements",
            "Preparing metadata",
            "Obtaining dependency",
            "Building wheel",
            "Created wheel",
            "Stored in directory",
        ],
    ) || line.contains('━')
}

fn git(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("remote: ");
    let is_count = |line: &str| line.contains('%') || line.ends_with("done.");
    starts(
        line,
        &[
            "Enumerating objects",
            "Counting objects",
            "Compressing objects",
            "Receiving objects",
            "Resolving deltas",
            "Unpacking objects",
            "Updating files",
            "Writing objects",
        ],
    ) && is_count(line)
}

fn pytest(line: &str) -> bool {
    line.contains("::") && (line.contains(" PASSED") || line.contains(" SKIPPED") || line.contains(" XFAIL"))
}

fn go(line: &str) -> bool {
    starts(
        line,
        &["=== RUN", "=== PAUSE", "=== CONT", "=== NAME", "--- PASS", "go: downloading", "go: finding"],
    )
}

fn make(line: &str) -> bool {
    let line = line.trim_start();
    let is_step = line.starts_with('[') && line.contains(']') && {
        let inside = line.get(1..line.find(']').unwrap_or(1)).unwrap_or_default();
        inside.ends_with('%')
            || inside.split('/').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let is_quiet = !line.contains("error") && !line.contains("warning") && !line.contains("FAILED");
    is_quiet && (is_step || (line.starts_with("make[") && line.contains("ing directory")))
}

fn docker(line: &str) -> bool {
    [
        ": Pulling fs layer",
        ": Waiting",
        ": Verifying Checksum",
        ": Download complete",
        ": Pull complete",
        ": Downloading",
        ": Extracting",
        ": Preparing",
        ": Layer already exists",
    ]
    .iter()
    .any(|end| line.contains(end))
}

/// The filter for a command: it must be one command, whatever runs around it.
#[must_use]
pub fn filter_for(command: &str, choice: &Choice) -> Option<Filter> {
    let script = shell::parse(command).ok()?;
    let findings = shell::verdict(&script, &shell::Unseen).findings;
    let mut programs = findings.iter().filter(|finding| !finding.command.starts_with("cd "));
    let (first, None) = (programs.next()?, programs.next()) else { return None };
    let words: Vec<&str> = first.command.split_whitespace().collect();
    let name = words.first()?.rsplit('/').next()?;
    let filter = own(&choice.own, name, &words).or_else(|| built_in(name, &words))?;
    let is_listed = |list: &[String]| list.iter().any(|entry| *entry == filter.name || entry == name);
    ((choice.only.is_empty() || is_listed(&choice.only)) && !is_listed(&choice.except)).then_some(filter)
}

fn built_in(name: &str, words: &[&str]) -> Option<Filter> {
    let fits =
        |wanted: &&[&str]| wanted.first() == Some(&name) && words.get(1..wanted.len()) == wanted.get(1..);
    let found = FILTERS.iter().find(|filter| filter.commands.iter().any(fits))?;
    Some(Filter { name: found.name.to_owned(), progress: Progress::BuiltIn(found.is_progress) })
}

/// The user's own filter for a command. One with a pattern that is not a regular expression is passed over.
fn own(own: &Own, name: &str, words: &[&str]) -> Option<Filter> {
    own.filters.iter().find_map(|filter| {
        let fits = |wanted: &String| {
            let wanted: Vec<&str> = wanted.split_whitespace().collect();
            let is_named = |first: &&str| *first == name || words.first() == Some(first);
            wanted.first().is_some_and(is_named) && words.get(1..wanted.len()) == wanted.get(1..)
        };
        if !filter.commands.iter().any(fits) {
            return None;
        }
        let patterns = RegexSet::new(&filter.drop).ok()?;
        Some(Filter { name: filter.name.clone(), progress: Progress::Own(patterns) })
    })
}

impl Filter {
    fn is_progress(&self, line: &str) -> bool {
        match &self.progress {
            Progress::BuiltIn(is_progress) => is_progress(line),
            Progress::Own(patterns) => patterns.is_match(line),
        }
    }

    /// The output without progress; `None` where that saves nothing.
    #[must_use]
    pub fn apply(&self, output: &str) -> Option<String> {
        let mut short = String::with_capacity(output.len() / 2);
        let mut left_out = 0;
        let mut repeated: Option<(&str, usize)> = None;
        let say = |short: &mut String, left_out: &mut usize| {
            if *left_out > 0 {
                short.push_str(&format!("[{left_out} lines of progress left out]\n"));
                *left_out = 0;
            }
        };
        for line in output.lines() {
            if self.is_progress(line) {
                flush(&mut short, &mut repeated);
                left_out += 1;
                continue;
            }
            say(&mut short, &mut left_out);
            match &mut repeated {
                Some((same, count)) if *same == line => *count += 1,
                _ => {
                    flush(&mut short, &mut repeated);
                    repeated = Some((line, 1));
                }
            }
        }
        flush(&mut short, &mut repeated);
        say(&mut short, &mut left_out);
        (short.len() + LEAST_SAVED_BYTES <= output.len()).then_some(short)
    }
}

/// Writes a line as often as it came, or says how often that was.
fn flush(short: &mut String, repeated: &mut Option<(&str, usize)>) {
    let Some((line, count)) = repeated.take() else { return };
    let shown = if count >= REPEATED { 1 } else { count };
    for _ in 0..shown {
        short.push_str(line);
        short.push('\n');
    }
    if count >= REPEATED {
        short.push_str(&format!("[{} more lines like this]\n", count - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(command: &str) -> Option<Filter> {
        filter_for(command, &Choice::default())
    }

    fn name(command: &str) -> Option<String> {
        filter(command).map(|filter| filter.name)
    }

    #[test]
    fn filters_of_the_users_own_come_first() {
        let own: Own = serde_json::from_str(
            r#"{ "filters": [
                { "name": "gradle", "commands": ["gradle", "./gradlew test"], "drop": ["^> Task :"] },
                { "name": "broken", "commands": ["make"], "drop": ["("] }
            ] }"#,
        )
        .unwrap();
        let choice = Choice { own, ..Choice::default() };
        let found = |command: &str| filter_for(command, &choice).map(|filter| filter.name);
        assert_eq!(found("gradle build").as_deref(), Some("gradle"));
        assert_eq!(found("./gradlew test --info").as_deref(), Some("gradle"));
        assert_eq!(found("./gradlew build"), None);
        assert_eq!(found("make").as_deref(), Some("make"));
        let output = "> Task :compile\n".repeat(30) + "BUILD FAILED\n";
        let short = filter_for("gradle build", &choice).unwrap().apply(&output).unwrap();
        assert_eq!(short, "[30 lines of progress left out]\nBUILD FAILED\n");
    }

    #[test]
    fn a_filter_is_found_by_the_command_alone() {
        assert_eq!(name("cargo build --release").as_deref(), Some("cargo"));
        assert_eq!(name("env X=1 timeout 60 npm install").as_deref(), Some("npm"));
        assert_eq!(name("python3 -m pytest -v").as_deref(), Some("pytest"));
        assert_eq!(name("cargo build; cat secret"), None);
        assert_eq!(name("echo cargo"), None);
        assert_eq!(name("python3 x.py"), None);
        let only = Choice { only: vec!["npm".to_owned()], ..Choice::default() };
        let except = Choice { except: vec!["cargo".to_owned()], ..Choice::default() };
        assert!(filter_for("cargo test", &only).is_none() && filter_for("cargo test", &except).is_none());
    }

    #[test]
    fn progress_goes_and_errors_stay() {
        let mut output: String = (0..40).map(|n| format!("   Compiling crate-{n} v1.0.0\n")).collect();
        output.push_str("error[E0308]: mismatched types\n --> src/main.rs:3:5\n");
        let short = filter("cargo build").unwrap().apply(&output).unwrap();
        assert_eq!(
            short,
            "[40 lines of progress left out]\nerror[E0308]: mismatched types\n --> src/main.rs:3:5\n"
        );
    }

    #[test]
    fn passed_tests_are_counted_and_failed_ones_shown() {
        let mut output: String = (0..30).map(|n| format!("test case_{n} ... ok\n")).collect();
        output.push_str("test broken ... FAILED\ntest result: FAILED. 30 passed; 1 failed\n");
        let short = filter("cargo test").unwrap().apply(&output).unwrap();
        assert!(short.starts_with("[30 lines of progress left out]\ntest broken ... FAILED\n"), "{short}");
    }

    #[test]
    fn little_output_is_left_alone() {
        assert_eq!(filter("cargo check").unwrap().apply("   Checking a v1\n"), None);
    }

    #[test]
    fn equal_lines_become_one() {
        let output = "same line of some length\n".repeat(40);
        let short = filter("make").unwrap().apply(&output).unwrap();
        assert_eq!(short, "same line of some length\n[39 more lines like this]\n");
    }
}
