//! Shorter output for commands whose output is mostly progress. The raw output is kept as an artifact.
//!
//! A filter knows lines that say nothing to someone who reads the result: what is compiled, downloaded, or passed. Runs of
//! them become one line that says how many there were. Errors and summaries are never among them.

use relay_syntax::shell;

/// Less than this is not worth a second artifact.
const LEAST_SAVED_BYTES: usize = 200;
/// Equal lines in a row, from this many on, become one.
const REPEATED: usize = 4;

/// A filter for the output of some commands.
#[derive(Debug)]
pub struct Filter {
    /// Its name.
    pub name: &'static str,
    /// The first words of the commands it is for.
    commands: &'static [&'static [&'static str]],
    /// Whether a line only shows progress.
    is_progress: fn(&str) -> bool,
}

const FILTERS: [Filter; 8] = [
    Filter { name: "cargo", commands: &[&["cargo"]], is_progress: cargo },
    Filter { name: "npm", commands: &[&["npm"], &["npx"], &["pnpm"], &["yarn"], &["bun"]], is_progress: npm },
    Filter {
        name: "pip",
        commands: &[&["pip"], &["pip3"], &["uv"], &["python", "-m", "pip"], &["python3", "-m", "pip"]],
        is_progress: pip,
    },
    Filter { name: "git", commands: &[&["git"]], is_progress: git },
    Filter {
        name: "pytest",
        commands: &[&["pytest"], &["python", "-m", "pytest"], &["python3", "-m", "pytest"]],
        is_progress: pytest,
    },
    Filter { name: "go", commands: &[&["go", "test"], &["go", "build"], &["go", "mod"]], is_progress: go },
    Filter { name: "make", commands: &[&["make"], &["cmake"], &["ninja"]], is_progress: make },
    Filter { name: "docker", commands: &[&["docker"], &["podman"]], is_progress: docker },
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
pub fn filter_for(command: &str, only: &[String], except: &[String]) -> Option<&'static Filter> {
    let script = shell::parse(command).ok()?;
    let findings = shell::verdict(&script, &shell::Unseen).findings;
    let mut programs = findings.iter().filter(|finding| !finding.command.starts_with("cd "));
    let (first, None) = (programs.next()?, programs.next()) else { return None };
    let words: Vec<&str> = first.command.split_whitespace().collect();
    let name = words.first()?.rsplit('/').next()?;
    let fits =
        |wanted: &&[&str]| wanted.first() == Some(&name) && words.get(1..wanted.len()) == wanted.get(1..);
    let filter = FILTERS.iter().find(|filter| filter.commands.iter().any(fits))?;
    let is_listed = |list: &[String]| list.iter().any(|entry| entry == filter.name || entry == name);
    ((only.is_empty() || is_listed(only)) && !is_listed(except)).then_some(filter)
}

impl Filter {
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
            if (self.is_progress)(line) {
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

    fn name(command: &str) -> Option<&'static str> {
        filter_for(command, &[], &[]).map(|filter| filter.name)
    }

    #[test]
    fn a_filter_is_found_by_the_command_alone() {
        assert_eq!(name("cargo build --release"), Some("cargo"));
        assert_eq!(name("env X=1 timeout 60 npm install"), Some("npm"));
        assert_eq!(name("python3 -m pytest -v"), Some("pytest"));
        assert_eq!(name("cargo build; cat secret"), None);
        assert_eq!(name("echo cargo"), None);
        assert_eq!(name("python3 x.py"), None);
        assert!(filter_for("cargo test", &["npm".to_owned()], &[]).is_none());
        assert!(filter_for("cargo test", &[], &["cargo".to_owned()]).is_none());
    }

    #[test]
    fn progress_goes_and_errors_stay() {
        let mut output: String = (0..40).map(|n| format!("   Compiling crate-{n} v1.0.0\n")).collect();
        output.push_str("error[E0308]: mismatched types\n --> src/main.rs:3:5\n");
        let short = filter_for("cargo build", &[], &[]).unwrap().apply(&output).unwrap();
        assert_eq!(
            short,
            "[40 lines of progress left out]\nerror[E0308]: mismatched types\n --> src/main.rs:3:5\n"
        );
    }

    #[test]
    fn passed_tests_are_counted_and_failed_ones_shown() {
        let mut output: String = (0..30).map(|n| format!("test case_{n} ... ok\n")).collect();
        output.push_str("test broken ... FAILED\ntest result: FAILED. 30 passed; 1 failed\n");
        let short = filter_for("cargo test", &[], &[]).unwrap().apply(&output).unwrap();
        assert!(short.starts_with("[30 lines of progress left out]\ntest broken ... FAILED\n"), "{short}");
    }

    #[test]
    fn little_output_is_left_alone() {
        assert_eq!(filter_for("cargo check", &[], &[]).unwrap().apply("   Checking a v1\n"), None);
    }

    #[test]
    fn equal_lines_become_one() {
        let output = "same line of some length\n".repeat(40);
        let short = filter_for("make", &[], &[]).unwrap().apply(&output).unwrap();
        assert_eq!(short, "same line of some length\n[39 more lines like this]\n");
    }
}
