//! Files that must say what the program says. `UPDATE_EXPECT=1` rewrites them; the diff is for a person to look at.

use std::path::Path;

/// Whether expected files are to be rewritten.
pub(crate) fn updating() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some_and(|value| value == "1")
}

/// Compares a file with what it should hold.
///
/// # Panics
/// They differ, unless `UPDATE_EXPECT=1` rewrites the file.
pub fn expect_file(path: impl AsRef<Path>, actual: &str) {
    let path = path.as_ref();
    let expected = std::fs::read_to_string(path).unwrap_or_default();
    if expected == actual {
        return;
    }
    if updating() {
        std::fs::write(path, actual).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let line = expected.lines().zip(actual.lines()).take_while(|(a, b)| a == b).count();
    panic!(
        "{} differs from line {} on.\nexpected: {:?}\n  actual: {:?}\nUPDATE_EXPECT=1 rewrites it.",
        path.display(),
        line + 1,
        expected.lines().nth(line),
        actual.lines().nth(line)
    );
}
