//! The TypeScript compiler: `a.ts(1,7): error TS2322: …`, pretty `a.ts:1:7 - error TS2322: …` with a summary, and
//! errors without a place (`error TS18003: …`).
//!
//! Only the words around the messages are ever translated (`--locale`), so the code is what is looked for.

use super::location::skip_digits;
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    if let Some(found) = count::found(line.text) {
        // `Found 2 errors in 1 file (checked …)` is mypy's and was read before; the older `Found 2 errors.` is
        // any tool's and is read later.
        return found.rest.starts_with(" in ").then(|| found.errors.map(Worth::Total)).flatten();
    }
    diagnostic(line.text)
}

fn diagnostic(text: &str) -> Option<Worth> {
    text.match_indices("error TS").find_map(|(at, marker)| {
        let (before, after) = text.split_at_checked(at)?;
        skip_digits(after.strip_prefix(marker)?)?.strip_prefix(':')?;
        if before.is_empty() || before.ends_with(": ") {
            Some(Worth::Error)
        } else if before.ends_with(" - ") {
            Some(Worth::Listed(1))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn plain() {
        check_line(read, "src/a.ts(1,7): error TS2322: Type 'x'.", Some(Worth::Error));
        check_line(read, r"C:\my app\a (1).ts(1,7): error TS2322: Type 'x'.", Some(Worth::Error));
        check_line(read, "web:lint: src/a.ts(1,7): error TS2322: Type 'x'.", Some(Worth::Error));
        check_line(read, "error TS18003: No inputs were found.", Some(Worth::Error));
        check_line(read, "  Types of property 'id' are incompatible.", None);
        check_line(read, "see error TS2322: above", None);
    }

    #[test]
    fn pretty() {
        check_line(read, "src/größe: neu.ts:1:7 - error TS2322: Type 'x'.", Some(Worth::Listed(1)));
        check_line(read, "Found 1 error in src/a.ts:1", Some(Worth::Total(1)));
        check_line(read, "Found 4 errors in 2 files.", Some(Worth::Total(4)));
        check_line(read, "Found 2 errors in the same file, starting at: a.ts:1", Some(Worth::Total(2)));
        check_line(read, "Found 4 errors.", None);
    }
}
