//! Every diagnostic code a program may meet in Relay's JSON is documented, and none that it cannot meet.

use std::collections::BTreeSet;

use super::source::{Source, tracked};

/// Where the codes are listed.
const DOCUMENT: &str = "docs/formats/json-output.md";

/// The names in `Code::new("…")`, also when the call is spread over lines.
fn defined(sources: &[Source]) -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_product()) {
        let lines: Vec<&str> = source.product_lines().into_iter().map(|(_, line)| line).collect();
        let text = lines.join("\n");
        for (at, call) in text.match_indices("Code::new(") {
            let argument = text[at + call.len()..].trim_start();
            if let Some((code, _)) = argument.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
                codes.insert(code.to_owned());
            }
        }
    }
    codes
}

/// Codes that the document does not have between backticks.
fn undocumented(codes: &BTreeSet<String>, document: &str) -> Vec<String> {
    codes.iter().filter(|code| !document.contains(&format!("`{code}`"))).cloned().collect()
}

/// Codes in the document's tables that no product source has as a string.
fn outlived(document: &str, sources: &[Source]) -> Vec<String> {
    let tables = document.split_once("\n## Diagnostic codes\n").map_or("", |(_, tables)| tables);
    let documented =
        tables.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |")).map(|(code, _)| code);
    let is_said = |code: &str| {
        let literal = format!("\"{code}\"");
        sources.iter().filter(|source| source.is_product()).any(|source| source.text.contains(&literal))
    };
    documented.filter(|code| !is_said(code)).map(str::to_owned).collect()
}

/// Codes are words joined by hyphens; programs compare them.
fn misshapen(codes: &BTreeSet<String>) -> Vec<String> {
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
    codes.iter().filter(|code| !code.split('-').all(is_word)).cloned().collect()
}

#[test]
fn every_code_is_documented() {
    let sources = tracked();
    let document = super::read(DOCUMENT);
    let codes = defined(&sources);
    assert!(codes.len() > 10, "{codes:?}");
    super::assert_none("codes that are not lower-case words joined by hyphens", &misshapen(&codes));
    super::assert_none(&format!("codes missing in {DOCUMENT}"), &undocumented(&codes, &document));
    super::assert_none(&format!("codes only in {DOCUMENT}"), &outlived(&document, &sources));
}

#[test]
fn codes_are_found_in_product_sources() {
    let text = "pub const A: Code = Code::new(\"a-b\");\npub const B: Code =\n    Code::new(\n        \"c\",\n    );\n\
                #[cfg(test)]\nmod tests {\n    Code::new(\"only-a-test\");\n}\n";
    let codes =
        defined(&[Source::new("crates/x/src/codes.rs", text), Source::new("crates/x/tests/it/a.rs", text)]);
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), ["a-b", "c"]);
}

#[test]
fn an_undocumented_code_is_found() {
    let codes = BTreeSet::from(["no-blocks".to_owned()]);
    assert!(undocumented(&codes, "| `no-blocks` | the reply has none |").is_empty());
    assert_eq!(undocumented(&codes, "| `no-blocks-at-all` | no-blocks |"), ["no-blocks"]);
}

#[test]
fn an_outlived_code_is_found() {
    let document = "| `status` |\n\n## Diagnostic codes\n\n| code | meaning |\n|---|---|\n| `old` | x |\n| `new` | `x` |\n";
    let sources = [
        Source::new("crates/x/src/a.rs", "pub const NEW: Code = Code::new(\"new\");\n"),
        Source::new("crates/x/tests/it/a.rs", "\"old\"\n"),
    ];
    assert_eq!(outlived(document, &sources), ["old"]);
}

#[test]
fn a_misshapen_code_is_found() {
    for (code, count) in
        [("no-blocks", 0), ("e404", 0), ("NoBlocks", 1), ("no_blocks", 1), ("no--blocks", 1), ("", 1)]
    {
        assert_eq!(misshapen(&BTreeSet::from([code.to_owned()])).len(), count, "{code}");
    }
}
