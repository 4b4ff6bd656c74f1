//! `relay-diagnostics` stays small: its public items are listed here, so that adding one is a decision.

use super::source::{Source, tracked};

/// The crate that everything depends on.
const CRATE: &str = "relay-diagnostics";

/// Its public items, in the order of their files.
const ITEMS: [&str; 29] = [
    "cancel.rs: struct Cancel",
    "cancel.rs: fn new",
    "cancel.rs: fn child",
    "cancel.rs: fn watching",
    "cancel.rs: fn cancel",
    "cancel.rs: fn is_cancelled",
    "cancel.rs: fn flag",
    "diagnostic.rs: struct Code",
    "diagnostic.rs: fn new",
    "diagnostic.rs: fn as_str",
    "diagnostic.rs: enum Severity",
    "diagnostic.rs: struct Diagnostic",
    "diagnostic.rs: fn error",
    "diagnostic.rs: fn warning",
    "diagnostic.rs: fn hinted",
    "diagnostic.rs: fn on",
    "diagnostic.rs: fn at",
    "diagnostic.rs: fn about_lines",
    "diagnostic.rs: fn is_error",
    "display.rs: use crate",
    "display.rs: enum Hidden",
    "display.rs: fn visible",
    "display.rs: fn visible_line",
    "display.rs: fn escaped_json",
    "display.rs: fn first_hidden",
    "display.rs: fn all_hidden",
    "hidden.rs: fn is_invisible",
    "lib.rs: mod display",
    "lib.rs: use",
];

/// The public items of a crate's sources: file, kind and name. Fields belong to their struct.
fn public_items(sources: &[Source], name: &str) -> Vec<String> {
    let folder = format!("crates/{name}/src/");
    let mut items = Vec::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        let Some(file) = source.path.strip_prefix(&folder) else { continue };
        let declared = source.product_lines().into_iter().filter_map(|(_, line)| declared(line));
        let mut declared: Vec<String> = declared.map(|item| format!("{file}: {item}")).collect();
        // What `pub use` names are items of other files, and one line per crate that is re-exported is enough.
        declared.dedup();
        items.extend(declared);
    }
    items
}

/// `fn name` of a line such as `pub const fn name(`.
fn declared(line: &str) -> Option<String> {
    let words = line.trim_start().strip_prefix("pub ")?;
    let mut words = words.split([' ', '(', '<', ';', ':', '{', '=']).filter(|word| !word.is_empty());
    let mut kind = words.next()?;
    while ["const", "async", "unsafe", "extern"].contains(&kind) {
        match words.clone().next() {
            Some(next) if ["fn", "async", "unsafe", "extern"].contains(&next) => kind = words.next()?,
            _ => break,
        }
    }
    match kind {
        "use" => Some(
            format!("use {}", words.next().filter(|from| *from == "crate").unwrap_or_default())
                .trim_end()
                .to_owned(),
        ),
        "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "mod" | "macro" | "union" => {
            Some(format!("{kind} {}", words.next()?))
        }
        _ => None,
    }
}

#[test]
fn the_public_items_are_those_that_were_decided_on() {
    let items = public_items(&tracked(), CRATE);
    let added: Vec<String> = items.iter().filter(|item| !ITEMS.contains(&item.as_str())).cloned().collect();
    super::assert_none("public items that are not listed in tidy/pinned.rs", &added);
    assert_eq!(items, ITEMS, "tidy/pinned.rs lists what is not there any more, or in another order");
}

#[test]
fn public_items_are_found() {
    for (line, expected) in [
        ("pub fn a(x: u8) {", Some("fn a")),
        ("    pub const fn new() -> Self {", Some("fn new")),
        ("pub const LIMIT: usize = 1;", Some("const LIMIT")),
        ("pub struct A<T> {", Some("struct A")),
        ("pub trait Seam: Send {", Some("trait Seam")),
        ("pub mod display;", Some("mod display")),
        ("pub use cancel::Cancel;", Some("use")),
        ("    pub message: String,", None),
        ("pub(crate) fn hidden() {", None),
        ("fn private() {", None),
    ] {
        assert_eq!(declared(line).as_deref(), expected, "{line}");
    }
}
