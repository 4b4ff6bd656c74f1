//! Functions fit on a screen, structs and parameter lists can be kept in mind.
//!
//! rustfmt's layout makes this readable line by line: an item ends with the closing bracket at its own indentation. What was
//! larger before the rule is in `sizes.txt`, which may only shrink. A reason beside an item (`// Long because …`, or an
//! `#[expect(…, reason = "…")]` above it) is the other way out.

use super::source::{Source, tracked};

const MAX_LINES: usize = 70;
const MAX_FIELDS: usize = 15;
const MAX_PARAMETERS: usize = 5;

/// What was too large when the rule began: `rule file name`, one a line.
const ALLOWED: &str = include_str!("sizes.txt");

/// One item that is too large.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Large {
    /// `lines`, `fields` or `parameters`, with file and name: an entry of `sizes.txt`.
    entry: String,
    line: usize,
    size: usize,
}

/// Every item of a file that is too large and has no reason beside it.
fn large(source: &Source) -> Vec<Large> {
    let lines = source.product_lines();
    let mut found = Vec::new();
    for (at, (number, line)) in lines.iter().enumerate() {
        let Some((what, name)) = item(line) else { continue };
        let body = &lines[at..];
        let sizes = match what {
            Item::Struct => vec![("fields", fields(body), MAX_FIELDS)],
            Item::Function => {
                vec![("lines", length(body), MAX_LINES), ("parameters", parameters(body), MAX_PARAMETERS)]
            }
        };
        for (rule, size, limit) in sizes {
            if size > limit && !has_reason(&lines[..at]) {
                let entry = format!("{rule} {} {name}", source.path);
                found.push(Large { entry, line: *number, size });
            }
        }
    }
    found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    Function,
    Struct,
}

/// The item that a line begins.
fn item(line: &str) -> Option<(Item, &str)> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub(") {
        rest = after.split_once(") ")?.1;
    }
    for word in ["pub ", "const ", "async ", "unsafe "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = |rest: &'_ str| rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    if let Some(rest) = rest.strip_prefix("fn ") {
        return Some((Item::Function, &rest[..name(rest)]));
    }
    rest.strip_prefix("struct ").map(|rest| (Item::Struct, &rest[..name(rest)]))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The lines of an item, from its first to the closing brace at the same indentation.
fn length(body: &[(usize, &str)]) -> usize {
    let Some((first, line)) = body.first() else { return 0 };
    let at = indent(line);
    let is_end = |line: &str| indent(line) == at && (line.ends_with('}') || line.ends_with(';'));
    if is_end(line) {
        return 1;
    }
    body.iter().skip(1).find(|(_, line)| is_end(line)).map_or(0, |(last, _)| last - first + 1)
}

/// How many named fields a struct has: rustfmt gives each a line of its own, one step in.
fn fields(body: &[(usize, &str)]) -> usize {
    let Some((_, first)) = body.first() else { return 0 };
    let item = &body[..length(body).min(body.len())];
    // Bounds may be before the brace.
    let Some(open) = item.iter().position(|(_, line)| line.ends_with('{')) else { return 0 };
    let is_field = |line: &str| {
        let text = line.trim_start();
        let is_other = text.starts_with("//") || text.starts_with("#[") || text.starts_with(['>', ')']);
        indent(line) == indent(first) + 4 && !is_other && text.contains(':')
    };
    item.iter().skip(open + 1).filter(|(_, line)| is_field(line)).count()
}

/// How many parameters a free function has. Those of a method, which has a `self`, are not counted.
fn parameters(body: &[(usize, &str)]) -> usize {
    let head: String = body.iter().take(30).map(|(_, line)| line.trim()).collect::<Vec<_>>().join(" ");
    let Some(list) = parameter_list(&head) else { return 0 };
    let mut depth = 0_i32;
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut previous = ' ';
    for character in list.chars() {
        match character {
            '(' | '[' | '<' | '{' => depth += 1,
            '>' if previous == '-' || previous == '=' => {}
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        previous = character;
        if character == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(character);
        }
    }
    parts.push(part);
    let parts: Vec<&str> = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    let is_method = parts.first().is_some_and(|first| {
        let name = first.split(':').next().unwrap_or_default();
        name.split([' ', '&']).any(|word| word == "self")
    });
    if is_method { 0 } else { parts.len() }
}

/// The text between the brackets of a function's parameters: the first that are not inside its generics.
fn parameter_list(head: &str) -> Option<&str> {
    let (mut angle, mut start, mut depth) = (0_i32, None, 0_i32);
    let mut previous = ' ';
    for (at, character) in head.char_indices() {
        match (start, character) {
            (None, '<') => angle += 1,
            (None, '>') if previous != '-' => angle -= 1,
            // `pub(crate)` comes before the name.
            (None, '(') if angle == 0 && !head[..at].ends_with("pub") => start = Some(at + 1),
            (Some(_), '(') => depth += 1,
            (Some(from), ')') if depth == 0 => return head.get(from..at),
            (Some(_), ')') => depth -= 1,
            _ => {}
        }
        previous = character;
    }
    None
}

/// Whether the lines directly above an item say why it is so large.
fn has_reason(above: &[(usize, &str)]) -> bool {
    let belongs = |line: &&str| line.starts_with("//") || line.starts_with("#[") || line.ends_with(")]");
    let mut lines = above.iter().rev().map(|(_, line)| line.trim()).take_while(belongs);
    lines.any(|line| {
        line.starts_with("// Long because ")
            || line.starts_with("// Large because ")
            || ((line.contains("too_many_") || line.contains("struct_excessive"))
                && line.contains("reason = "))
    })
}

/// Items that are too large and not allowed, and entries that allow nothing any more.
fn findings(sources: &[Source], allowed: &str) -> Vec<String> {
    let allowed: Vec<&str> =
        allowed.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let found: Vec<Large> = sources.iter().filter(|source| source.is_product()).flat_map(large).collect();
    let is_new = |large: &&Large| !allowed.contains(&large.entry.as_str());
    let new = found.iter().filter(is_new).map(|large| {
        format!(
            "{} (line {}): {} is too much; split it, or say why above it",
            large.entry, large.line, large.size
        )
    });
    let is_stale = |entry: &&&str| !found.iter().any(|large| large.entry == **entry);
    let stale = allowed.iter().filter(is_stale).map(|entry| {
        format!("{entry}: is small enough now; take it out of crates/testkit/tests/it/tidy/sizes.txt")
    });
    new.chain(stale).collect()
}

#[test]
fn items_are_small_or_say_why_not() {
    let findings = findings(&tracked(), ALLOWED);
    super::assert_none("too large (70 lines, 15 fields, 5 parameters of a free function)", &findings);
}

mod samples {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let source = Source::new("crates/x/src/a.rs", text);
        let entries: Vec<String> = large(&source).into_iter().map(|large| large.entry).collect();
        assert_eq!(entries, expected, "{text}");
    }

    fn function(lines: usize) -> String {
        format!("pub(crate) fn big() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_found() {
        check(&function(70), &[]);
        check(&function(71), &["lines crates/x/src/a.rs big"]);
        check(&format!("// Long because it is one table.\n{}", function(71)), &[]);
        check(
            &format!(
                "#[expect(clippy::too_many_lines, reason = \"one table\")]\n#[must_use]\n{}",
                function(71)
            ),
            &[],
        );
        check(&format!("// Some remark.\n{}", function(71)), &["lines crates/x/src/a.rs big"]);
        let method = function(71).lines().map(|line| format!("    {line}\n")).collect::<String>();
        check(&format!("impl X {{\n{method}}}\n"), &["lines crates/x/src/a.rs big"]);
        check(&format!("#[cfg(test)]\nmod tests {{\n{method}}}\n"), &[]);
    }

    #[test]
    fn large_structs_are_found() {
        let with = |count: usize| {
            format!(
                "pub struct Wide<'a> {{\n{}}}\n",
                "    /// It: so.\n    #[a(b: c)]\n    pub f: &'a str,\n".repeat(count)
            )
        };
        check(&with(15), &[]);
        check(&with(16), &["fields crates/x/src/a.rs Wide"]);
        check(&format!("// Large because the format has these.\n{}", with(16)), &[]);
        check("struct Unit;\nstruct Pair(u8, u8);\n", &[]);
        let bounded = |count: usize| {
            format!("struct Wide<T>\nwhere\n    T: Copy,\n{{\n{}}}\n", "    f: T,\n".repeat(count))
        };
        check(&bounded(15), &[]);
        check(&bounded(16), &["fields crates/x/src/a.rs Wide"]);
    }

    #[test]
    fn many_parameters_are_found() {
        let six = "parameters crates/x/src/a.rs f";
        check("fn f(a: u8, b: u8, c: u8, d: u8, e: u8) {}\n", &[]);
        check("fn f(a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {}\n", &[six]);
        check(
            "pub(crate) fn f<T: Fn(u8, u8) -> u8>(\n    a: T,\n    b: u8,\n    c: u8,\n    d: u8,\n    e: u8,\n    g: u8,\n) {\n}\n",
            &[six],
        );
        check("fn f(a: (u8, u8), b: Map<u8, u8>, c: &dyn Fn(u8, u8) -> u8, d: [u8; 2]) {}\n", &[]);
        check("    fn f(&mut self, a: u8, b: u8, c: u8, d: u8, e: u8, g: u8) {}\n", &[]);
    }

    #[test]
    fn the_list_only_shrinks() {
        let sources = [Source::new("crates/x/src/a.rs", &function(71))];
        let entry = "lines crates/x/src/a.rs big";
        assert_eq!(findings(&sources, "").len(), 1);
        assert!(findings(&sources, &format!("# Remark.\n{entry}\n")).is_empty());
        assert_eq!(findings(&[], entry).len(), 1, "an entry that allows nothing");
    }
}
