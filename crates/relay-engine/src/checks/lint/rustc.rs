//! rustc, cargo and clippy: `error[E0425]: …` at the start of a line, or short `a.rs:1:5: error: …`.
//!
//! Cargo and task runners add `error: ` lines that only repeat that something failed; those are not errors of
//! their own. Compiler messages in JSON are read by `document`.

use super::Line;
use super::location::{Severity, places, severity, skip_digits};
use super::tally::Worth;

/// What follows `error: ` in a line that only repeats errors already shown.
#[rustfmt::skip]
const REPEATS: [&str; 8] = [
    "build failed", "test failed, to rerun pass", "doctest failed, to rerun pass",
    "process didn't exit successfully", "failed to compile `", "script \"", "Recipe `", "Task `",
];

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    let text = line.text;
    if let Some(message) = text.strip_prefix("error: ") {
        return Some(plain(message));
    }
    if let Some(rest) = text.strip_prefix("error[") {
        return rest.split_once("]: ").map(|_| Worth::Error);
    }
    // A bare `warning: ` is not looked at: many tools write it, and it is worth nothing.
    if text.trim_start().starts_with("Finished `") && text.contains(" target(s) in ") {
        return Some(Worth::Nothing);
    }
    let place = places(text).find(|place| place.has_extension(&[".rs"]) && place.message().is_some())?;
    Some(match severity(place.message()?)? {
        Severity::Error => Worth::Error,
        Severity::Lesser => Worth::Nothing,
    })
}

fn plain(message: &str) -> Worth {
    if message.starts_with("could not compile ") || message.starts_with("aborting due to ") {
        return previous_errors(message).map_or(Worth::Nothing, Worth::AtLeast);
    }
    let is_repeat = REPEATS.iter().any(|repeat| message.starts_with(repeat)) || is_failed_program(message);
    if is_repeat { Worth::Nothing } else { Worth::Error }
}

/// `… due to 3 previous errors; 1 warning emitted`
fn previous_errors(message: &str) -> Option<u64> {
    let (_, count) = message.rsplit_once("due to ")?;
    if count.starts_with("previous error") || count.starts_with("1 previous error") {
        return Some(1);
    }
    let rest = skip_digits(count)?;
    rest.starts_with(" previous errors").then(|| count.strip_suffix(rest)?.parse().ok()).flatten()
}

/// `"tsc" exited with code 2` (bun), `2 targets failed:` (cargo).
fn is_failed_program(message: &str) -> bool {
    (message.starts_with('"') && message.contains("\" exited with code "))
        || skip_digits(message)
            .is_some_and(|rest| rest.starts_with(" target failed") || rest.starts_with(" targets failed"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn human() {
        check_line(read, "error[E0425]: cannot find value `x`", Some(Worth::Error));
        check_line(read, "error: expected `;`, found `println`", Some(Worth::Error));
        check_line(read, "error: this arithmetic operation will overflow", Some(Worth::Error));
        check_line(read, "    Finished `dev` profile [unoptimized] target(s) in 0.11s", Some(Worth::Nothing));
        check_line(read, "warning: unused variable: `x`", None);
        check_line(read, "       error: the second line of a message", None);
        check_line(read, "errors: 3", None);
    }

    #[test]
    fn short() {
        check_line(read, "src/lib.rs:16:25: error[E0425]: cannot find value", Some(Worth::Error));
        check_line(read, r"C:\a b\lib.rs:2:14: error: expected `;`", Some(Worth::Error));
        check_line(read, "src/lib.rs:2:9: warning: unused variable: `x`", Some(Worth::Nothing));
        check_line(read, "thread 'main' panicked at src/lib.rs:5:9:", None);
    }

    #[test]
    fn remarks_about_errors_already_shown() {
        for (message, count) in [
            ("could not compile `shop` (lib) due to 3 previous errors; 1 warning emitted", 3),
            ("could not compile `shop` (bin \"due to 9\") due to 1 previous error", 1),
            ("could not compile `shop` due to previous error", 1),
            ("aborting due to 2 previous errors", 2),
        ] {
            check_line(read, &format!("error: {message}"), Some(Worth::AtLeast(count)));
        }
        for message in [
            "could not compile `shop` (lib)",
            "test failed, to rerun pass `--lib`",
            "build failed",
            "2 targets failed:",
            "\"tsc\" exited with code 2",
            "script \"lint\" exited with code 2",
            "Recipe `lint` failed on line 2 with exit code 1",
        ] {
            check_line(read, &format!("error: {message}"), Some(Worth::Nothing));
        }
    }
}
