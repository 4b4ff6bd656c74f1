//! What the options of planning change.

use relay_edit::{EditStatus, Options, Plan, Strictness, codes, parse, plan_with};

use crate::support::{self, files, parse_ok, plan_reply, search_replace};

fn plan_strictly(strictness: Strictness, before: &str, reply: &str) -> Plan {
    plan_with(
        &parse_ok(reply).edits,
        &files(&[("a.txt", before)]),
        &Options { strictness, ..Options::default() },
    )
}

/// The strictest setting at which a reply applies.
#[track_caller]
fn check(before: &str, reply: &str, expected: Strictness) {
    for strictness in Strictness::ALL {
        let plan = plan_strictly(*strictness, before, reply);
        assert_eq!(
            plan.outcomes[0].status == EditStatus::Applied,
            *strictness >= expected,
            "{strictness:?} {reply} {plan:#?}"
        );
    }
}

#[test]
fn each_tolerance_belongs_to_a_strictness() {
    check("a\r\nb\r\n", &search_replace("a\n", "x\n"), Strictness::Exact);
    check("a \nb\n", &search_replace("a\nb\n", "x\n"), Strictness::Whitespace);
    check("  a\n  b\n", &search_replace("a\nb\n", "x\n"), Strictness::Whitespace);
    check("a  =  b\n", &search_replace("a = b\n", "x\n"), Strictness::Whitespace);
    check("a\n\nb\nc\n", &search_replace("a\nb\nc\n", "a\nb\nx\n"), Strictness::Whitespace);
    check("say \u{201c}a\u{201d}\n", &search_replace("say \"a\"\n", "x\n"), Strictness::Fuzzy);
    check(
        "first\nsecond\n3\n4\nfifth\n",
        &search_replace("first\n...\nfifth\n", "first\n...\nx\n"),
        Strictness::Fuzzy,
    );
    check(
        "import alpha\nimport beta\nimport gamma\ncall()\n",
        &search_replace(
            "import alpha\nimport betta\nimport gamma\ncall()\n",
            "import alpha\nimport betta\nimport gamma\nx()\n",
        ),
        Strictness::Fuzzy,
    );
}

#[test]
fn the_literal_anchor_must_stand_alone() {
    let before = "def f():\n    a\n\ndef f():\n    b\n";
    let reply = "a.txt\n««« EDIT\ndef f():\n    b\n═══════ REPL\ndef f():\n    c\n»»» EDIT END\n";
    assert_eq!(plan_strictly(Strictness::Exact, before, reply).diagnostics[0].code, codes::AMBIGUOUS);
    assert_eq!(plan_strictly(Strictness::Fuzzy, before, reply).outcomes[0].status, EditStatus::Applied);
}

#[test]
fn a_partial_plan_keeps_what_applies() {
    let reply = format!("{}{}", search_replace("a\n", "x\n"), search_replace("missing\n", "y\n"));
    let edits = parse_ok(&reply).edits;
    let before = files(&[("a.txt", "a\nb\n")]);
    assert!(plan_with(&edits, &before, &Options::default()).changes.is_empty());
    let plan = plan_with(&edits, &before, &Options { partial: true, ..Options::default() });
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"x\nb\n"[..]));
    assert_eq!(
        plan.outcomes.iter().map(|outcome| outcome.status).collect::<Vec<_>>(),
        [EditStatus::Applied, EditStatus::Failed]
    );
}

#[test]
fn edits_outside_the_context_are_put_off_and_the_rest_lands() {
    let block = |path: &str, old: &str| format!("{path}\n««« EDIT\n{old}═══════ REPL\nx\n»»» EDIT END\n\n");
    let reply = format!("{}{}{}", block("in.txt", "a\n"), block("out.txt", "a\n"), block("new.txt", ""));
    let context = Some(["in.txt".to_owned()].into());
    let plan = plan_with(
        &parse_ok(&reply).edits,
        &files(&[("in.txt", "a\n"), ("out.txt", "a\n")]),
        &Options { context, ..Options::default() },
    );
    let verdicts: Vec<_> = plan.outcomes.iter().map(|outcome| outcome.status).collect();
    assert_eq!(verdicts, [EditStatus::Applied, EditStatus::NotInContext, EditStatus::Applied]);
    assert_eq!(
        plan.changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>(),
        ["in.txt", "new.txt"]
    );
    assert_eq!(plan.diagnostics[0].code, codes::NOT_IN_CONTEXT);
    assert!(!plan.diagnostics[0].is_error());
}

#[test]
fn a_folder_of_the_context_is_everything_below_it() {
    let block = |path: &str| format!("{path}\n««« EDIT\na\n═══════ REPL\nx\n»»» EDIT END\n\n");
    let paths = ["src/a.txt", "src/deep/b.txt", "srcs/c.txt"];
    let edits = parse_ok(&paths.map(block).concat()).edits;
    let verdicts = |context: &str| -> Vec<bool> {
        let options = Options { context: Some([context.to_owned()].into()), ..Options::default() };
        let plan = plan_with(&edits, &files(&paths.map(|path| (path, "a\n"))), &options);
        plan.outcomes.iter().map(|outcome| outcome.status == EditStatus::Applied).collect()
    };
    assert_eq!(verdicts("src"), [true, true, false]);
    assert_eq!(verdicts("src/deep"), [false, true, false]);
    assert_eq!(verdicts("."), [true, true, true]);
}

#[test]
fn an_elision_is_never_written() {
    let check_refused = |path: &str, before: &str, reply: &str, code| {
        let plan = plan_with(&parse_ok(reply).edits, &files(&[(path, before)]), &Options::default());
        assert!(plan.changes.is_empty(), "{reply}");
        assert_eq!(plan.diagnostics[0].code, code, "{reply}");
    };
    check_refused("a.ts", "a\nb\n", "```ts // {a.ts}\na\n// ... rest of the code\n```\n", codes::ELISION);
    // One line is enough, whatever such a comment says.
    let file = "import a\nb();\nc();\nd();\ne();\nf();\ng();\n";
    let trailing = file.replace("import a\n", "// ... (imports)\n");
    check_refused("a.ts", file, &format!("```ts // {{a.ts}}\n{trailing}```\n"), codes::ELISION);
    check_refused("a.txt", "a\nb\nc\n", &search_replace("a\nb\nc\n", "a\n...\nd\n"), codes::ELISION);
    check_refused(
        "a.ts",
        "a\nb\n",
        "a.ts\n<<<<<<< SEARCH\na\n=======\n// ... existing code ...\nx\n>>>>>>> REPLACE\n",
        codes::ELISION,
    );
    // In a whole file dots that stand where lines were are no text, wherever they stand.
    check_refused("a.lua", "a\nb\nc\n", "```lua // {a.lua}\na\n...\n```\n", codes::ELISION);
    check_refused("a.py", "def f():\n  x\n  y\n", "a.py\n```\ndef f():\n  ...\n```\n", codes::ELISION);
    check_refused("a.md", "a\nb\nc\n", "````md // {a.md}\na\n...\n````\n", codes::ELISION);
    check_refused("a.md", "a\nb\nc\n", "````md // {a.md}\n# ... rest unchanged ...\n````\n", codes::ELISION);
    check_refused(
        "a.ts",
        "a\nb\nc\n",
        "[EDIT_FILE path=\"a.ts\" start_line=\"2\" end_line=\"3\"]\n...\nd\n[/EDIT_FILE]\n",
        codes::ELISION,
    );
    // Python's own dots, documents, and elisions the file has already are legal.
    for (path, before, reply) in [
        (
            "a.py",
            "def f(self):\n    pass\n",
            "a.py\n<<<<<<< SEARCH\ndef f(self):\n    pass\n=======\ndef f(self):\n    ...\n>>>>>>> REPLACE\n",
        ),
        ("a.py", "x\n", "```py // {a.py}\nx\ndef f(): # later\n    ...\n```\n"),
        ("a.md", "x\ny\n", "````md // {a.md}\nx\n...\n````\n"),
        ("a.md", "x\n", "````md // {a.md}\n// ... existing code ...\n````\n"),
        ("a.ts", "// ... existing code ...\nx\n", "```ts // {a.ts}\n// ... existing code ...\ny\n```\n"),
    ] {
        let plan = plan_with(&parse_ok(reply).edits, &files(&[(path, before)]), &Options::default());
        assert_eq!(plan.outcomes[0].status, EditStatus::Applied, "{reply} {:#?}", plan.diagnostics);
    }
}

#[test]
fn a_reply_that_guts_a_file_is_refused_unless_allowed() {
    let before: String = (0..60).map(|line| format!("function f{line}() {{ return {line}; }}\n")).collect();
    let reply = "```ts // {a.txt}\nfunction f1() { return 1; }\nfunction broken() {\n```\n";
    let edits = parse_ok(reply).edits;
    let plan = plan_with(&edits, &files(&[("a.txt", &before)]), &Options::default());
    assert_eq!(plan.diagnostics[0].code, codes::SHRINK);
    let plan = plan_with(
        &edits,
        &files(&[("a.txt", &before)]),
        &Options { allow_shrink: true, ..Options::default() },
    );
    assert_eq!(plan.changes.len(), 1);
    // A few lines of it are not the whole file.
    let whole = parse_ok("```ts // {a.txt}\nfunction f1() { return 1; }\n```\n").edits;
    let plan = plan_with(&whole, &files(&[("a.txt", &before)]), &Options::default());
    assert_eq!(plan.diagnostics[0].code, codes::PART_OF_FILE);
    // However the change is written.
    let broken = "function f1() { return 1; }\nfunction broken() {\n";
    let removed: String = before.lines().map(|line| format!("-{line}\n")).collect();
    for (new, is_refused) in [(broken, true), ("function f1() { return 1; }\n", false)] {
        let added: String = new.lines().map(|line| format!("+{line}\n")).collect();
        for reply in [
            format!("a.txt\n<<<<<<< SEARCH\n{before}=======\n{new}>>>>>>> REPLACE\n"),
            format!("--- a/a.txt\n+++ b/a.txt\n@@ -1,60 +1,{} @@\n{removed}{added}", new.lines().count()),
            format!("[EDIT_FILE path=\"a.txt\" start_line=\"1\" end_line=\"60\"]\n{new}[/EDIT_FILE]\n"),
        ] {
            let plan = plan_with(&parse_ok(&reply).edits, &files(&[("a.txt", &before)]), &Options::default());
            let refused = plan.diagnostics.iter().any(|finding| finding.code == codes::SHRINK);
            assert_eq!((refused, plan.changes.is_empty()), (is_refused, is_refused), "{reply}");
        }
    }
}

/// Whoever quotes every line that goes has not lost it, whatever brackets the new ones leave open.
#[test]
fn a_section_may_take_most_of_a_file_away() {
    let steps = |range: std::ops::Range<usize>| -> String {
        range.map(|step| format!("    step_{step}();\n")).collect()
    };
    let before = format!("fn a() {{\n{}}}\nend\n", steps(0..50));
    for new in ["", "    if x {\n"] {
        let reply = format!("a.txt\n<<<<<<< SEARCH\n{}=======\n{new}>>>>>>> REPLACE\n", steps(2..39));
        support::check(
            &before,
            &reply,
            &format!("fn a() {{\n{}{new}{}}}\nend\n", steps(0..2), steps(39..50)),
        );
    }
}

#[test]
fn code_that_was_left_out_by_other_words_is_not_written() {
    let file = "f() {\n  a();\n  b();\n  c();\n}\n";
    for line in [
        "// unchanged",
        "// (unchanged)",
        "// same as before",
        "// --- existing code ---",
        "// .. existing code ..",
        "// rest of the code",
    ] {
        let section = format!(
            "a.js\n<<<<<<< SEARCH\n  a();\n  b();\n  c();\n=======\n  {line}\n  z();\n>>>>>>> REPLACE\n"
        );
        let plan = plan_reply(&[("a.js", file)], &section);
        assert_eq!(plan.diagnostics[0].code, codes::ELISION, "{line}");
    }
    for line in ["// rest of the code", "// [existing code]", "// <existing code>", "// previous code", "..."]
    {
        for reply in [
            format!("[CREATE_FILE path=\"n.js\"]\nz();\n{line}\n[/CREATE_FILE]\n"),
            format!("n.js\n<<<<<<< SEARCH\n=======\nz();\n{line}\n>>>>>>> REPLACE\n"),
            format!("--- /dev/null\n+++ b/n.js\n@@ -0,0 +1,2 @@\n+z();\n+{line}\n"),
            format!("*** Begin Patch\n*** Add File: n.js\n+z();\n+{line}\n*** End Patch\n"),
        ] {
            let plan = plan_reply(&[], &reply);
            assert_eq!(plan.diagnostics.first().map(|finding| finding.code), Some(codes::ELISION), "{reply}");
        }
    }
    let stub = "n.pyi\n<<<<<<< SEARCH\n=======\ndef f(): ...\n\n...\n>>>>>>> REPLACE\n";
    assert_eq!(plan_reply(&[], stub).changes.len(), 1);
}

#[test]
fn a_document_is_not_cut_short_by_an_elision_in_a_patch() {
    let before = "Use:\n\n    a()\n    b()\n    c()\n    d()\n";
    for line in ["# ... rest of the code unchanged ...", "// ...", "/* ... */"] {
        let new = format!("    a()\n    {line}\n    d()\n");
        let section = format!(
            "a.md\n<<<<<<< SEARCH\n    a()\n    b()\n    c()\n    d()\n=======\n{new}>>>>>>> REPLACE\n"
        );
        let plan = plan_reply(&[("a.md", before)], &section);
        assert_eq!(plan.diagnostics.first().map(|finding| finding.code), Some(codes::ELISION), "{line}");
    }
}

/// What was shown of a file vouches for those lines, also where two parts of it meet, and for no others.
#[test]
fn lines_that_were_not_shown_must_be_looked_at() {
    const FILE: &str = "a\nb\nc\nd\ne\n";
    let needs_review = |first: usize, last: usize| {
        let edit = format!(
            "[EDIT_FILE path=\"a.txt\" start_line=\"{first}\" end_line=\"{last}\"]\nx\n[/EDIT_FILE]\n"
        );
        let options = Options {
            views: [("a.txt".to_owned(), FILE.into())].into(),
            shown: [("a.txt".to_owned(), vec![(1, 2), (3, 4)])].into(),
            ..Options::default()
        };
        let plan = plan_with(&parse(&edit, None).edits, &files(&[("a.txt", FILE)]), &options);
        plan.outcomes[0].needs_review
    };
    assert_eq!(
        [(1, 1), (2, 3), (1, 4), (4, 5), (5, 5)].map(|(first, last)| needs_review(first, last)),
        [false, false, false, true, true]
    );
}
