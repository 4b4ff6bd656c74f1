//! Go: `go vet`, `go build`, staticcheck and others write `./main.go:9:2: message`, without a severity.

use super::Line;
use super::location::{Severity, places, severity};
use super::tally::Worth;

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    // Indented places are parts of messages, stack traces and test logs.
    if line.text.starts_with([' ', '\t']) {
        return None;
    }
    let place = places(line.text)
        .find(|place| place.has_extension(&[".go", "go.mod", "go.work"]) && place.message().is_some())?;
    let message = place.message()?;
    // The compiler gives up after ten errors; that it does is not the eleventh.
    let is_error = message != "too many errors" && severity(message) != Some(Severity::Lesser);
    Some(if is_error { Worth::Error } else { Worth::Nothing })
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn findings() {
        check_line(read, "./main.go:9:2: self-assignment of x to x", Some(Worth::Error));
        check_line(read, "vet: ./main.go:9:14: cannot use \"three\"", Some(Worth::Error));
        check_line(read, r"C:\a b\main.go:9:2: unreachable code", Some(Worth::Error));
        check_line(read, "main.go:6:13: Printf format %d has arg #1 (SA5009)", Some(Worth::Error));
        check_line(read, "/a/go.mod:3: unknown directive: reqire", Some(Worth::Error));
        check_line(read, "main.go:6:13: warning: unused parameter", Some(Worth::Nothing));
    }

    #[test]
    fn lines_that_are_not_findings() {
        check_line(read, "./main.go:13:2: too many errors", Some(Worth::Nothing));
        check_line(read, "# example.com/shop", None);
        check_line(read, "\thave (int, string)", None);
        check_line(read, "\t/usr/lib/go/main.go:12 +0x1d", None);
        check_line(read, "    shop_test.go:7: got 1, want 2", None);
    }
}
