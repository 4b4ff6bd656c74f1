//! gcc, clang, and the many compilers that write as they do: `a.c:7:24: error: …`, or `a.c(7,24): error …`.
//!
//! A link that failed is one error, however many symbols it missed, because linkers do not agree on how to list
//! them.

use super::location::{Severity, places, severity, skip_digits};
use super::tally::Worth;
use super::{Line, count};

pub(super) fn read(line: Line<'_>) -> Option<Worth> {
    summary(line.text).or_else(|| diagnostic(line.text)).or_else(|| driver(line.text))
}

/// `1 warning and 3 errors generated.`
fn summary(text: &str) -> Option<Worth> {
    let counts = count::counts(text)?;
    counts.rest.starts_with(" generated.").then(|| counts.errors.map_or(Worth::Nothing, Worth::Total))
}

fn diagnostic(text: &str) -> Option<Worth> {
    let found = places(text)
        .find_map(|place| place.message().and_then(severity))
        .or_else(|| bracketed_places(text).find_map(severity))?;
    Some(found.worth())
}

/// The message after each `(7)` or `(7,24)` in the line.
fn bracketed_places(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('(').filter(|&(at, _)| at > 0).filter_map(|(at, bracket)| {
        let rest = skip_digits(text.get(at + bracket.len()..)?)?;
        let rest = rest.strip_prefix(',').and_then(skip_digits).unwrap_or(rest);
        Some(rest.strip_prefix(')')?.trim_start().strip_prefix(':')?.trim_start())
    })
}

/// `collect2: error: ld returned 1 exit status`, `clang: error: no input files`, `cc1: fatal error: …`
fn driver(text: &str) -> Option<Worth> {
    let (program, message) = text.split_once(": ")?;
    if program.contains(' ') || severity(message) != Some(Severity::Error) {
        return None;
    }
    let name = program.rsplit(['/', '\\']).next()?;
    if ["ld", "lld", "mold"].iter().any(|linker| name == *linker || name.ends_with(linker)) {
        return Some(Worth::Nothing);
    }
    let is_driver = ["cc1", "collect2", "clang", "gcc", "g++"].iter().any(|driver| name.contains(driver));
    is_driver.then_some(Worth::Error)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check_line;
    use super::{Worth, read};

    #[test]
    fn diagnostics() {
        check_line(read, "shop.c:7:24: error: request for member", Some(Worth::Listed(1)));
        check_line(read, "shop.c:1:10: fatal error: missing.h: No such file", Some(Worth::Listed(1)));
        check_line(read, r"C:\a b\shop.c:7:24: error: no", Some(Worth::Listed(1)));
        check_line(read, "Shop.java:2: error: incompatible types", Some(Worth::Listed(1)));
        check_line(read, "shop.c:9:12: note: each undeclared identifier", Some(Worth::Nothing));
        check_line(read, "shop.c:5:9: warning: variable ‘sum’ set", Some(Worth::Nothing));
        check_line(read, "shop.c: In function ‘total’:", None);
        check_line(read, "    7 |         sum += items[i].price;", None);
    }

    #[test]
    fn bracketed() {
        check_line(read, "shop.c(7,24): error: member reference", Some(Worth::Listed(1)));
        check_line(read, r"C:\a (b)\shop.cpp(7): error C2065: 'x': undeclared", Some(Worth::Listed(1)));
        check_line(read, "A.cs(3,5): warning CS0168: unused [/a/a.csproj]", Some(Worth::Nothing));
    }

    #[test]
    fn summaries() {
        check_line(read, "1 warning and 3 errors generated.", Some(Worth::Total(3)));
        check_line(read, "1 error generated.", Some(Worth::Total(1)));
        check_line(read, "2 warnings generated.", Some(Worth::Nothing));
        check_line(read, "cc1: all warnings being treated as errors", None);
    }

    #[test]
    fn a_failed_link_is_one_error() {
        check_line(read, "collect2: error: ld returned 1 exit status", Some(Worth::Error));
        check_line(read, "clang: error: linker command failed with exit code 1", Some(Worth::Error));
        check_line(read, "ld.lld: error: undefined symbol: teapot", Some(Worth::Nothing));
        check_line(read, "make: *** [Makefile:2: all] Error 1", None);
        check_line(read, "teapot: error: no water", None);
    }
}
