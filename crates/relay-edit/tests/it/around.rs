//! What stands around the place of a hunk and says what its author means: brackets, indentation, quotes, blank lines, and the
//! edits of the same file before it.

use relay_edit::{EditStatus, codes};

use crate::support::{check, check_fails, search_replace, unified};

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

/// Applies a reply, and again to what came of it: the second time nothing may change.
#[track_caller]
fn check_twice(before: &str, reply: &str, after: &str) {
    check(before, reply, after);
    let again = check(after, reply, after);
    assert!(again.outcomes.iter().all(|outcome| outcome.status == EditStatus::Unchanged), "{again:#?}");
}

fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n")
}

fn edit_repl(old: &str, new: &str) -> String {
    format!("a.txt\n««« EDIT\n{old}═══════ REPL\n{new}»»» EDIT END\n")
}

const NESTED: &str = "fn f() {\n    if a {\n        b();\n    }\n}\n";

#[test]
fn brackets_that_stand_right_there_are_not_written_twice() {
    for (old, new) in [
        ("        b();\n", "        c();\n    }\n"),
        ("        b();\n", "        c();\n    }\n}\n"),
        ("        b();\n", "    if a {\n        c();\n"),
    ] {
        check_refused(NESTED, &search_replace(old, new), codes::AMBIGUOUS);
        check_refused(NESTED, &edit_repl(old, new), codes::AMBIGUOUS);
        let signed = |sign: &str, text: &str| -> String {
            text.lines().map(|line| format!("{sign}{line}\n")).collect()
        };
        let diff = format!("@@\n{}{}", signed("-", old), signed("+", new));
        check_refused(NESTED, &unified(&diff), codes::AMBIGUOUS);
        check_refused(NESTED, &envelope(&diff), codes::AMBIGUOUS);
    }
    let call = "run(\n  [\n    one,\n  ],\n);\n";
    check_refused(call, &search_replace("    one,\n", "    one,\n    two,\n  ],\n"), codes::AMBIGUOUS);
    check_refused(call, &search_replace("    one,\n", "    two,\n  ],\n);\n"), codes::AMBIGUOUS);
}

#[test]
fn brackets_that_are_opened_somewhere_are_written() {
    let section = search_replace("        b();\n", "        b();\n    }\n    if c {\n        d();\n    }\n");
    check_refused(NESTED, &section, codes::AMBIGUOUS);
    let section = search_replace("        b();\n", "        b();\n    }\n    if c {\n        d();\n");
    check(
        NESTED,
        &section,
        "fn f() {\n    if a {\n        b();\n    }\n    if c {\n        d();\n    }\n}\n",
    );
    // Two hunks, of which one opens what the other closes; in a style that does not indent.
    let flat = "a {\nb {\none();\ntwo();\n}\n}\n";
    let after = "a {\nb {\nc {\none();\n2();\n}\n}\n}\n";
    check(flat, &unified("@@\n+c {\n one();\n@@\n-two();\n+2();\n+}\n"), after);
    let sections = "a.txt\n<<<<<<< SEARCH\none();\n=======\nc {\none();\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ntwo();\n=======\n2();\n}\n>>>>>>> REPLACE\n";
    check(flat, sections, after);
    // The file lacks one.
    let broken = "a {\nb {\nc {\none();\n}\n}\n";
    check(broken, &search_replace("one();\n", "two();\n}\n"), "a {\nb {\nc {\ntwo();\n}\n}\n}\n");
}

#[test]
fn new_lines_beside_exact_old_ones_are_in_the_manner_of_the_file() {
    let makefile = "all: dep\n\techo one\n\ndep:\n\techo two\n";
    let target = search_replace("dep:\n", "clean:\n    rm x\n\ndep:\n");
    check_twice(makefile, &target, &makefile.replace("dep:\n", "clean:\n\trm x\n\ndep:\n"));
    let recipe = unified("@@\n all: dep\n+    echo zero\n \techo one\n");
    check_twice(makefile, &recipe, &makefile.replace("\techo one", "\techo zero\n\techo one"));
    let replaced = search_replace("\techo two\n", "    echo 2\n    echo 3\n");
    check(makefile, &replaced, &makefile.replace("\techo two\n", "\techo 2\n\techo 3\n"));
    let tabs = "def f():\n\ta()\n\tb()\n";
    check_twice(
        tabs,
        &search_replace("def f():\n", "def f():\n    c()\n"),
        "def f():\n\tc()\n\ta()\n\tb()\n",
    );
    let block = search_replace("\ta()\n", "\ta()\n    if d:\n        e()\n");
    check_twice(tabs, &block, "def f():\n\ta()\n\tif d:\n\t\te()\n\tb()\n");
    let spaces = "def f():\n    a()\n    b()\n    c()\n    d()\n    e()\n";
    let block = search_replace("    a()\n", "    a()\n\tif x:\n\t\ty()\n");
    check_twice(spaces, &block, &spaces.replace("    b", "    if x:\n        y()\n    b"));
}

#[test]
fn where_the_manner_of_the_file_is_not_certain_new_lines_stay_as_they_are() {
    let tabs = "def f():\n\ta()\n\tb()\n";
    // Aligned with something.
    let aligned = search_replace("\ta()\n", "\ta(x,\n       y)\n");
    check(tabs, &aligned, "def f():\n\ta(x,\n       y)\n\tb()\n");
    // No recipes, in a Makefile that has some, and the first one in a file that has none.
    let makefile = "all:\n\techo one\n\techo two\n";
    let option = search_replace("all:\n", "ifdef DEBUG\n  CFLAGS += -g\nendif\n\nall:\n");
    check(makefile, &option, &format!("ifdef DEBUG\n  CFLAGS += -g\nendif\n\n{makefile}"));
    let lists = "SRC = a.c \\\n    b.c \\\n    c.c\n";
    check(lists, &search_replace("    c.c\n", "    c.c\n\nall:\n\tcc\n"), &format!("{lists}\nall:\n\tcc\n"));
    // Both manners.
    let mixed = format!("{tabs}    c()\n");
    let added = search_replace("\ta()\n", "\ta()\n    d()\n");
    check(&mixed, &added, "def f():\n\ta()\n    d()\n\tb()\n    c()\n");
    // As deep as nothing beside it.
    let deep = search_replace("\ta()\n\tb()\n", "\ta()\n\tb()\n\n    x\n").replace("    x", "        x");
    let text = check(tabs, &deep, "def f():\n\ta()\n\tb()\n\n\tx\n");
    assert_eq!(text.outcomes[0].placement, "exact, indented as the file is");
    let list = "* a\n\t* b\n\t* c\n";
    check(list, &search_replace("* a\n", "* a\n\n      code\n"), "* a\n\n      code\n\t* b\n\t* c\n");
}

#[test]
fn a_text_that_was_trimmed_as_a_whole_is_refused() {
    let before =
        "call(\n    \"A\",\n    nested(\n        x,\n        \"Timeout\",\n        True,\n    ),\n)\n";
    for new in ["added(50)\n        \"Timeout\",\n", "\"Added\",\n        \"Timeout\",\n"] {
        check_refused(before, &search_replace("\"Timeout\",\n", new), codes::INDENTATION);
        let signed: String = new.lines().map(|line| format!("+{line}\n")).collect();
        check_refused(before, &envelope(&format!("@@\n-\"Timeout\",\n{signed}")), codes::INDENTATION);
    }
    let shallow = "call(\n    \"A\",\n    \"B\",\n)\n";
    check_refused(shallow, &search_replace("\"A\",\n", "\"Z\",\n    \"A\",\n"), codes::INDENTATION);
    let python = "class A:\n    x = 1\n\n    def f(self):\n        a()\n        b()\n";
    check_refused(python, &search_replace("x = 1\n", "if ready:\n        x = 2\n"), codes::INDENTATION);
    // Wrapped in a block, as a whole.
    let wrapped = search_replace("x = 1\n", "if ready:\n    x = 1\n");
    check(python, &wrapped, &python.replace("    x = 1\n", "    if ready:\n        x = 1\n"));
    let both = search_replace("x = 1\n", "x = 1\ny = 2\n");
    check(python, &both, &python.replace("    x = 1\n", "    x = 1\n    y = 2\n"));
}

#[test]
fn look_alikes_of_the_reply_are_written_as_the_file_writes_them() {
    let before = "fn f() {\n    say(\"a\");\n    tell();\n}\n";
    let after = before.replace("say(\"a\")", "say(\"a\", 1)");
    let section = search_replace("    say(”a”);\n", "    say(”a”, 1);\n");
    check_twice(before, &section, &after);
    check_twice(before, &unified("@@\n fn f() {\n-    say(“a”);\n+    say(“a”, 1);\n     tell();\n"), &after);
    let context = unified("@@\n     say(“a”);\n+    say(“b”);\n     tell();\n");
    check_twice(before, &context, &before.replace("    tell", "    say(\"b\");\n    tell"));
    // Quotes of both kinds in one line: one of them may be text.
    let mixed = search_replace("    say(”a”);\n", "    say(\"”\");\n");
    check_refused(before, &mixed, codes::AMBIGUOUS);
    // A file that has such quotes itself, and a reply that brings them on purpose.
    let curly = before.replace("tell()", "tell(“b”)");
    check(&curly, &section, &curly.replace("say(\"a\")", "say(”a”, 1)"));
    let meant = search_replace("    say(\"a\");\n", "    say(\"“a”\");\n");
    check(before, &meant, &before.replace("\"a\"", "\"“a”\""));
}

#[test]
fn a_blank_line_that_new_lines_stand_beside_is_not_left_out() {
    let before = "use a;\nuse b;\n\n/// C.\n";
    check_refused(before, &search_replace("use a;\n\n", "use a;\n\nmod x;\n"), codes::NOT_FOUND);
    check_refused(before, &search_replace("\nuse b;\n", "mod x;\n\nuse b;\n"), codes::NOT_FOUND);
    // These are only around the text.
    let section = search_replace("use a;\n\n", "use a;\nmod x;\n\n");
    check(before, &section, "use a;\nmod x;\nuse b;\n\n/// C.\n");
    check(before, &search_replace("\nuse a;\n\n", "\nuse x;\n\n"), "use x;\nuse b;\n\n/// C.\n");
}

const ALIKE: &str = "a\nif x:\n    go()\nif y:\n    go()\nz\n";

fn diff(hunk: &str) -> String {
    format!("```diff\n--- a/a.txt\n+++ b/a.txt\n{hunk}```\n\n")
}

fn section(number: usize, old: &str, new: &str) -> String {
    search_replace(&format!(":start_line:{number}\n-------\n{old}"), new)
}

/// Old line 5 is line 7 by then, and line 5 reads the same.
#[test]
fn a_number_that_means_two_places_behind_another_edit_is_refused() {
    let first = [
        diff("@@ -1,1 +1,3 @@\n a\n+N1\n+N2\n"),
        unified("@@ -1,1 +1,3 @@\n a\n+N1\n+N2\n"),
        search_replace("a\n", "a\nN1\nN2\n"),
        section(1, "a\n", "a\nN1\nN2\n"),
    ];
    let second = [
        diff("@@ -5,1 +7,1 @@\n-    go()\n+    stop()\n"),
        unified("@@ -5,1 +7,1 @@\n-    go()\n+    stop()\n"),
        section(5, "    go()\n", "    stop()\n"),
    ];
    for (one, other) in first.iter().flat_map(|one| second.iter().map(move |other| (one, other))) {
        check_refused(ALIKE, &format!("{one}\n{other}"), codes::AMBIGUOUS);
    }
    let sections = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\na\n=======\na\nN1\nN2\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n:start_line:5\n-------\n    go()\n=======\n    stop()\n>>>>>>> REPLACE\n```\n";
    check_refused(ALIKE, sections, codes::AMBIGUOUS);
}

#[test]
fn a_number_behind_another_edit_chooses_however_it_was_counted() {
    let after = ALIKE.replacen("a\n", "a\nN1\n", 1).replace("if y:\n    go()", "if y:\n    stop()");
    // Counted in the file before the reply, or as the first edit leaves it: nothing else stands at the other number.
    for number in [5, 6] {
        let one = diff("@@ -1,1 +1,2 @@\n a\n+N1\n");
        let other = diff(&format!("@@ -{number},1 +6,1 @@\n-    go()\n+    stop()\n"));
        check(ALIKE, &format!("{one}{other}"), &after);
        let sections = [search_replace("a\n", "a\nN1\n"), section(number, "    go()\n", "    stop()\n")];
        check(ALIKE, &sections.concat(), &after);
    }
    // In one diff the numbers are those of the file before it.
    let hunks = "@@ -1,1 +1,3 @@\n a\n+N1\n+N2\n@@ -5,1 +7,1 @@\n-    go()\n+    stop()\n";
    let after = ALIKE.replacen("a\n", "a\nN1\nN2\n", 1).replace("if y:\n    go()", "if y:\n    stop()");
    check_twice(ALIKE, &diff(hunks), &after);
    // Written as it was applied, it does not change the other place.
    let one = diff("@@ -1,1 +1,3 @@\n a\n+N1\n+N2\n");
    let other = diff("@@ -5,1 +7,1 @@\n-    go()\n+    stop()\n");
    check_refused(&after, &format!("{one}{other}"), codes::AMBIGUOUS);
    // An edit below the place moves nothing.
    let below = diff("@@ -6,1 +6,2 @@\n z\n+N\n");
    let after = ALIKE.replace("if y:\n    go()", "if y:\n    stop()").replace("z\n", "z\nN\n");
    check(ALIKE, &format!("{below}{}", diff("@@ -5,1 +5,1 @@\n-    go()\n+    stop()\n")), &after);
}

#[test]
fn lines_that_only_go_may_be_indented_otherwise() {
    let before = "a();\n/*One\n two\n three*/\n\nb();\n";
    let gone = "@@ ... @@\n a();\n-/*One\n-  two\n-  three*/\n \n b();\n";
    check(before, &unified(gone), "a();\n\nb();\n");
    let above = "@@ ... @@\n+new();\n a();\n-/*One\n-  two\n-  three*/\n \n b();\n";
    check(before, &unified(above), "new();\na();\n\nb();\n");
    // New lines beside them, lines that stay, and brackets alone.
    let beside = "@@ ... @@\n a();\n-/*One\n-  two\n-  three*/\n+new();\n \n b();\n";
    check_refused(before, &unified(beside), codes::NOT_FOUND);
    check_refused(before, &unified("@@ ... @@\n a();\n-/*One\n   two\n-  three*/\n"), codes::NOT_FOUND);
    let nested = "f {\n    g {\n        h();\n    }\n}\n";
    check_refused(nested, &unified("@@ ... @@\n         h();\n-}\n-  }\n"), codes::NOT_FOUND);
}
