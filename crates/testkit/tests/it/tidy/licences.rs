//! Everything the product is built from may be shipped under its own licence.

use super::packages::{Package, packages};

/// Licences that ask for nothing but their text to be kept.
const ALLOWED: [&str; 15] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "WTFPL",
    "Zlib",
];

fn refused(packages: &[Package]) -> Vec<String> {
    let is_refused =
        |package: &&Package| package.licence.as_deref().is_none_or(|licence| allows(licence) != Some(true));
    let show = |package: &Package| {
        format!(
            "{} {}: {}",
            package.name,
            package.version,
            package.licence.as_deref().unwrap_or("no licence")
        )
    };
    packages.iter().filter(is_refused).map(show).collect()
}

/// Whether the expression leaves a choice that is allowed; `None` when it cannot be read.
///
/// `AND` binds tighter than `OR`; the old form `MIT/Apache-2.0` means `OR`.
fn allows(expression: &str) -> Option<bool> {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let allowed = any(&mut words)?;
    words.next().is_none().then_some(allowed)
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any(words: &mut Words<'_>) -> Option<bool> {
    let mut allowed = all(words)?;
    while words.next_if_eq(&"OR").is_some() {
        allowed |= all(words)?;
    }
    Some(allowed)
}

fn all(words: &mut Words<'_>) -> Option<bool> {
    let mut allowed = one(words)?;
    while words.next_if_eq(&"AND").is_some() {
        allowed &= one(words)?;
    }
    Some(allowed)
}

fn one(words: &mut Words<'_>) -> Option<bool> {
    let word = words.next()?;
    if word == "(" {
        let allowed = any(words)?;
        return (words.next()? == ")").then_some(allowed);
    }
    if ["AND", "OR", "WITH", ")"].contains(&word) {
        return None;
    }
    let licence = match words.next_if_eq(&"WITH") {
        Some(_) => format!("{word} WITH {}", words.next()?),
        None => word.to_owned(),
    };
    Some(ALLOWED.contains(&licence.as_str()))
}

#[test]
fn every_licence_is_allowed() {
    super::assert_none("packages whose licence is not allowed", &refused(&packages()));
}

#[test]
fn expressions() {
    for (expression, expected) in [
        ("MIT", Some(true)),
        ("GPL-3.0-or-later", Some(false)),
        ("MIT OR GPL-3.0-only", Some(true)),
        ("MIT AND GPL-3.0-only", Some(false)),
        ("MIT/Apache-2.0", Some(true)),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
        ("(MIT OR Apache-2.0) AND AGPL-3.0-only", Some(false)),
        ("GPL-2.0-only OR MIT AND ISC", Some(true)),
        ("GPL-2.0-only AND MIT OR ISC", Some(true)),
        ("Apache-2.0 WITH LLVM-exception", Some(true)),
        ("GPL-2.0-only WITH Classpath-exception-2.0", Some(false)),
        ("", None),
        ("MIT OR", None),
        ("(MIT", None),
        ("MIT Apache-2.0", None),
        ("AND MIT", None),
    ] {
        assert_eq!(allows(expression), expected, "{expression}");
    }
}

#[test]
fn a_licence_beyond_is_found() {
    let package =
        |licence: Option<&str>| Package { licence: licence.map(str::to_owned), ..Package::ours("x", &[]) };
    assert_eq!(refused(&[package(Some("MIT"))]).len(), 0);
    for licence in [Some("GPL-3.0-only"), Some("MIT OR"), None] {
        assert_eq!(refused(&[package(licence)]).len(), 1, "{licence:?}");
    }
}
