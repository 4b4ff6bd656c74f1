//! What the tree of a command says.

use relay_syntax::shell::{self, Block, Command, Reason, RedirectKind, Simple};

fn simple(text: &str) -> Simple {
    let script = shell::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"));
    match &script.items[0].list.pipelines[0].1.stages[0] {
        Command::Simple(simple) => simple.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn words_say_what_is_certain() {
    let words = simple("cmd plain 'a b' $x pre$x \"$(date)\" *.c {a,b} ~/f {} \\~").words;
    let literal: Vec<Option<&str>> = words.iter().map(shell::Word::literal).collect();
    assert_eq!(
        literal,
        [Some("cmd"), Some("plain"), Some("a b"), None, None, None, None, None, None, Some("{}"), Some("~")]
    );
    assert_eq!(words[4].known, 3);
    assert_eq!(words[5].scripts.len(), 1);
    assert!(words[6].globs && words[7].braces && words[8].home);
    assert!(words[3].may_be_option() && !words[4].may_be_option());
}

#[test]
fn assignments_and_redirections_are_apart_from_words() {
    let found = simple("A=1 B=(x y) cmd arg 2>err >>log <in 3<>both <<<text >&2");
    assert_eq!(found.words.len(), 2);
    assert_eq!(found.assignments[1].values.len(), 2);
    let kinds: Vec<_> = found.redirects.iter().map(|redirect| (redirect.descriptor, redirect.kind)).collect();
    assert_eq!(
        kinds,
        [
            (Some(2), RedirectKind::Truncate),
            (None, RedirectKind::Append),
            (None, RedirectKind::Read),
            (Some(3), RedirectKind::ReadWrite),
            (None, RedirectKind::HereString),
            (None, RedirectKind::Duplicate),
        ]
    );
}

#[test]
fn here_documents_end_where_bash_ends_them() {
    let script = shell::parse("cat <<A <<'B' | wc\none $x\nA\ntwo $x\nB\nls").unwrap();
    assert_eq!(script.items.len(), 2);
    let pipeline = &script.items[0].list.pipelines[0].1;
    assert_eq!(pipeline.stages.len(), 2);
    let Command::Simple(cat) = &pipeline.stages[0] else { panic!() };
    assert!(cat.redirects[0].target.expands && !cat.redirects[1].target.expands);
    assert_eq!(cat.redirects[1].target.text, "two $x\n");
}

#[test]
fn blocks_keep_their_parts() {
    let block = |text: &str| match &shell::parse(text).unwrap().items[0].list.pipelines[0].1.stages[0] {
        Command::Compound(compound) => compound.block.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        matches!(block("if a; then b; elif c; then d; else e; fi"), Block::If { branches, otherwise: Some(_) } if branches.len() == 2)
    );
    assert!(matches!(block("for f in a b; do c; done"), Block::For { words, .. } if words.len() == 2));
    assert!(
        matches!(block("case $x in a|b) c;; *) d;; esac"), Block::Case { arms, .. } if arms.len() == 2 && arms[0].patterns.len() == 2)
    );
    assert!(matches!(block("(a; b)"), Block::Subshell(script) if script.items.len() == 2));
    assert!(matches!(block("[[ -f x && $y =~ ^a(b|c)$ ]]"), Block::Condition(words) if words.len() == 6));
}

#[test]
fn errors_are_reported_with_their_place() {
    let reason = |text: &str| shell::parse(text).unwrap_err();
    assert_eq!(reason("ls\necho 'a").to_string(), "line 2, column 7: `'` is never closed");
    assert_eq!(reason("ls ;; ls").to_string(), "line 1, column 4: unexpected `;`");
    assert_eq!(reason("rm\u{202e} x").reason, Reason::Hidden(0x202e));
    assert_eq!(reason(&"( ".repeat(10_000)).reason, Reason::TooDeep);
    assert_eq!(reason(&"a".repeat(shell::MAX_BYTES + 1)).reason, Reason::TooLong);
}

#[test]
fn hostile_text_ends() {
    for text in [
        "$(".repeat(5_000),
        "\"$(".repeat(5_000),
        "{ ".repeat(5_000),
        "`".repeat(9_999),
        "${x:-".repeat(5_000),
        "a=(".repeat(5_000),
        "((".repeat(5_000),
        "[[ (".repeat(5_000),
    ] {
        assert!(shell::parse(&text).is_err());
    }
    assert!(shell::parse(&"ls; ".repeat(20_000)).is_ok());
}
