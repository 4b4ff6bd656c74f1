//! Files in short, in every language.

use relay_syntax::{Language, Segment, SummarySettings, SymbolKind, highlight, summarise, symbols};

/// A file of each language with a body of five lines, what its summary must show, and what it must not.
const SAMPLES: [(&str, &str, &str, &str, &str); 19] = [
    (
        "a.rs",
        "/// Doc.\npub fn alpha(x: u8) -> u8 {\n    let a = 1;\n    let b = 2;\n    let c = 3;\n    let hidden = 4;\n    a + b + c\n}\n\npub struct S {\n    field: u8,\n}\n",
        "pub fn alpha(x: u8) -> u8 { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.py",
        "class K:\n    def alpha(self):\n        a = 1\n        b = 2\n        hidden = 3\n        return a\n\n    x = 1\n",
        "    def alpha(self):\n...\n",
        "hidden",
        "alpha",
    ),
    (
        "a.js",
        "export function alpha() {\n  const a = 1;\n  const b = 2;\n  const hidden = 3;\n  return a;\n}\nconst x = 1;\n",
        "export function alpha() { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.ts",
        "class K {\n  alpha(x: number): number {\n    const a = 1;\n    const b = 2;\n    const hidden = 3;\n    return a;\n  }\n}\n",
        "  alpha(x: number): number { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.tsx",
        "const Alpha = () => {\n  const a = 1;\n  const b = 2;\n  const hidden = 3;\n  return <div>{a}</div>;\n};\n",
        "const Alpha = () => { ... };",
        "hidden",
        "Alpha",
    ),
    (
        "a.go",
        "package p\n\nfunc alpha(x int) int {\n\ta := 1\n\tb := 2\n\thidden := 3\n\treturn a\n}\n",
        "func alpha(x int) int { ... }",
        "hidden",
        "alpha",
    ),
    (
        "A.java",
        "class A {\n  int alpha() {\n    int a = 1;\n    int b = 2;\n    int hidden = 3;\n    return a;\n  }\n}\n",
        "  int alpha() { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.c",
        "int alpha(void)\n{\n  int a = 1;\n  int b = 2;\n  int hidden = 3;\n  return a;\n}\n",
        "int alpha(void)\n{ ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.cpp",
        "namespace n {\nint alpha() {\n  int a = 1;\n  int b = 2;\n  int hidden = 3;\n  return a;\n}\n}\n",
        "int alpha() { ... }",
        "hidden",
        "alpha",
    ),
    (
        "A.cs",
        "class A {\n  int Alpha() {\n    int a = 1;\n    int b = 2;\n    int hidden = 3;\n    return a;\n  }\n}\n",
        "  int Alpha() { ... }",
        "hidden",
        "Alpha",
    ),
    (
        "a.rb",
        "class A\n  def alpha\n    a = 1\n    b = 2\n    hidden = 3\n    a\n  end\nend\n",
        "  def alpha\n...\n  end",
        "hidden",
        "alpha",
    ),
    (
        "a.php",
        "<?php\nfunction alpha() {\n  $a = 1;\n  $b = 2;\n  $hidden = 3;\n  return $a;\n}\n",
        "function alpha() { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.kt",
        "class A {\n  fun alpha(): Int {\n    val a = 1\n    val b = 2\n    val hidden = 3\n    return a\n  }\n}\n",
        "  fun alpha(): Int { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.sh",
        "alpha() {\n  a=1\n  b=2\n  hidden=3\n  echo $a\n}\nalpha\n",
        "alpha() { ... }",
        "hidden",
        "alpha",
    ),
    (
        "a.lua",
        "function alpha()\n  local a = 1\n  local b = 2\n  local hidden = 3\n  return a\nend\n",
        "function alpha()\n...\nend",
        "hidden",
        "alpha",
    ),
    (
        "a.html",
        "<html>\n<script>\nlet a = 1;\nlet b = 2;\nlet hidden = 3;\nlet c = 4;\nlet d = 5;\n</script>\n</html>\n",
        "<script>\n...\n",
        "hidden",
        "",
    ),
    (
        "a.css",
        ".alpha {\n  a: 1;\n  b: 2;\n  hidden: 3;\n  c: 4;\n}\n.beta { a: 1; }\n",
        ".alpha { ... }",
        "hidden",
        ".alpha",
    ),
    (
        "a.json",
        "{\n  \"a\": {\n    \"b\": [\n      1,\n      2,\n      \"hidden\",\n      4\n    ]\n  }\n}\n",
        "    \"b\": [ ... ]",
        "hidden",
        "",
    ),
    (
        "a.yaml",
        "a:\n  b:\n    c:\n      d: 1\n      e: 2\n      hidden: 3\n      f: 4\nz: 1\n",
        "z: 1",
        "hidden",
        "",
    ),
];

#[test]
fn bodies_are_left_out_in_every_language() {
    for (path, text, shown, hidden, symbol) in SAMPLES {
        let language = Language::of_path(path).unwrap_or_else(|| panic!("{path}"));
        let summary = summarise(language, text, &SummarySettings::default())
            .unwrap_or_else(|| panic!("{path}: nothing left out"));
        let rendered = summary.text(text, |_, _| String::new());
        assert!(rendered.contains(shown), "{path}: no {shown:?} in\n{rendered}");
        assert!(!rendered.contains(hidden), "{path}:\n{rendered}");
        assert!(summary.elided_lines >= 4, "{path}");
        let found = symbols(language, text);
        assert!(symbol.is_empty() || found.iter().any(|found| found.name == symbol), "{path}: {found:?}");
        assert!(!highlight(language, text).is_empty(), "{path} has no colours");
    }
}

#[test]
fn the_rest_of_the_languages_have_symbols_and_colours() {
    let toml = "[package]\nname = \"x\"\n\n[dependencies]\na = \"1\"\n";
    let names: Vec<String> = symbols(Language::Toml, toml).into_iter().map(|symbol| symbol.name).collect();
    assert_eq!(names, ["package", "dependencies"]);
    assert!(!highlight(Language::Toml, toml).is_empty());
    let markdown = "# One\n\nText one.\nMore.\nMore.\nMore.\n\n## Two\n\nshort\n";
    let found = symbols(Language::Markdown, markdown);
    assert_eq!(
        found.iter().map(|symbol| (symbol.name.as_str(), symbol.kind, symbol.depth)).collect::<Vec<_>>(),
        [("One", SymbolKind::Section, 0), ("Two", SymbolKind::Section, 1)]
    );
    assert!(!highlight(Language::Markdown, markdown).is_empty());
    assert_eq!(summarise(Language::Markdown, markdown, &SummarySettings::default()), None, "prose is off");
    let summary = summarise(
        Language::Markdown,
        markdown,
        &SummarySettings { prose: true, ..SummarySettings::default() },
    )
    .unwrap();
    assert_eq!(summary.text(markdown, |_, _| String::new()), "# One\n\n...\n\n## Two\n\nshort\n");
    assert!(Language::all().count() >= 20);
}

#[test]
fn every_line_is_shown_or_left_out_exactly_once() {
    for (path, text, ..) in SAMPLES {
        let summary = summarise(Language::of_path(path).unwrap(), text, &SummarySettings::default()).unwrap();
        let mut lines = Vec::new();
        for segment in &summary.segments {
            match *segment {
                Segment::Shown { first, last }
                | Segment::Elided { first, last }
                | Segment::Folded { open: first, close: last } => lines.extend(first..=last),
            }
        }
        assert_eq!(lines, (1..=text.lines().count()).collect::<Vec<_>>(), "{path}");
    }
}

#[test]
fn settings_and_limits_are_kept() {
    let body = |lines: usize| format!("fn f() {{\n{}}}\n", "    x();\n".repeat(lines));
    let is_short =
        |text: &str, settings: &SummarySettings| summarise(Language::Rust, text, settings).is_some();
    let default = SummarySettings::default();
    assert!(!is_short(&body(3), &default) && is_short(&body(4), &default));
    assert!(is_short(&body(2), &SummarySettings { min_body_lines: 2, ..default }));
    let comment = |lines: usize| format!("{}fn f() {{}}\n", "// word\n".repeat(lines));
    assert!(!is_short(&comment(5), &default) && is_short(&comment(6), &default));
    assert!(
        !is_short(&"fn f() {\nx();\nx();\nx();\nx();\n}\n".repeat(4_000), &default),
        "more than 20,000 lines"
    );
    assert!(!is_short(&format!("{}//{}", body(9), "x".repeat(2 << 20)), &default), "more than 2 MiB");
    let summary = summarise(Language::Rust, &body(9), &default).unwrap();
    assert_eq!(
        summary.footer("src/a.rs"),
        "[9 lines across 1 elided regions; read src/a.rs:raw or a line range like src/a.rs:1-9999 for verbatim content]"
    );
}

#[test]
fn hostile_text_is_never_a_failure() {
    for language in Language::all() {
        for text in ["", "\0\0\0", "}}}}))))", "\u{feff}x", "'\"`", "é\r\n\r\n"] {
            assert!(summarise(language, text, &SummarySettings::default()).is_none());
            assert!(symbols(language, text).len() < 3);
            let mut at = 0;
            for span in highlight(language, text) {
                assert!(
                    span.range.start >= at && text.get(span.range.clone()).is_some(),
                    "{} {text:?}",
                    language.name()
                );
                at = span.range.end;
            }
        }
        let deep = "(".repeat(20_000);
        assert!(summarise(language, &deep, &SummarySettings::default()).is_none());
        assert!(symbols(language, &deep).len() < 3);
    }
}

#[test]
fn colours_are_in_order_and_say_what_code_is() {
    use relay_syntax::Token;
    let text = "fn main() { let s = \"text\"; } // end";
    let spans = highlight(Language::Rust, text);
    let of = |token: Token| {
        spans
            .iter()
            .filter(|span| span.token == token)
            .map(|span| &text[span.range.clone()])
            .collect::<Vec<_>>()
    };
    assert_eq!(of(Token::Keyword), ["fn", "let"]);
    assert_eq!(of(Token::String), ["\"text\""]);
    assert_eq!(of(Token::Comment), ["// end"]);
    assert_eq!(of(Token::Function), ["main"]);
    for window in spans.windows(2) {
        assert!(window[0].range.end <= window[1].range.start);
    }
}

#[test]
fn languages_are_known_by_path_and_name() {
    for (path, expected) in [
        ("src/a.rs", Some(Language::Rust)),
        ("A.PY", Some(Language::Python)),
        ("Gemfile", Some(Language::Ruby)),
        ("a.unknown", None),
        ("Makefile", None),
        ("x/.bashrc", Some(Language::Bash)),
    ] {
        assert_eq!(Language::of_path(path), expected, "{path}");
    }
    for (name, expected) in [
        ("rs", Some(Language::Rust)),
        ("C++", Some(Language::Cpp)),
        ("golang", Some(Language::Go)),
        ("klingon", None),
    ] {
        assert_eq!(Language::of_name(name), expected, "{name}");
    }
}
