//! What an edit leaves unsaid, and what must not be made of it: signs that were lost, hunks that end too early, escapes nothing
//! proves, and lines that stand there already behind something that was left out.

use relay_edit::{codes, parse};

use crate::support::{check, check_fails, plan_reply, search_replace, unified};

const FILE: &str = "import os\n\ndef read(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef size(path):\n    return os.stat(path).st_size\n";

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

#[track_caller]
fn check_unread(reply: &str, code: relay_edit::Code) {
    let findings = parse(reply, None).diagnostics;
    assert!(findings.iter().any(|finding| finding.is_error() && finding.code == code), "{findings:#?}");
}

fn envelope(hunks: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{hunks}*** End Patch\n")
}

const CHANGE: &str = "@@\n-    return os.stat(path).st_size\n+    return os.path.getsize(path)\n";

#[test]
fn a_hunk_that_changes_nothing_must_match_the_file() {
    let after = FILE.replace("os.stat(path).st_size", "os.path.getsize(path)");
    for quoted in [
        " def read(path):\n     with open(path) as file:\n",
        " def read(path):   \n",
        " import os\n ...\n def size(path):\n",
        " \n",
    ] {
        check(FILE, &envelope(&format!("@@\n{quoted}{CHANGE}")), &after);
    }
    // It may stand there several times.
    let twice = format!("{FILE}import os\n");
    check(&twice, &envelope(&format!("@@\n import os\n{CHANGE}")), &format!("{after}import os\n"));
    for lost in [" import os\n import sys\n", " import os\n import os\n", "     log(path)\n"] {
        check_refused(FILE, &envelope(&format!("@@\n{lost}{CHANGE}")), codes::NOT_FOUND);
        check_refused(FILE, &unified(&format!("@@\n{lost}{CHANGE}")), codes::NOT_FOUND);
    }
}

#[test]
fn a_header_that_announces_more_is_believed() {
    let diff = |hunk: &str| {
        format!(
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n+import io\n import os\n \n def read(path):\n{hunk}"
        )
    };
    // No line of it is a change, and its header counts one.
    check_unread(&diff("@@ -8,7 +9,6 @@\n def size(path):\n"), codes::BAD_DIFF);
    check_unread(&format!("```diff\n{}```\n", diff("@@ -8,7 +9,6 @@\n def size(path):\n")), codes::BAD_DIFF);
    // A slip in counting.
    let hunk = "-def size(path):\n+def size_of(path):\n     return os.stat(path).st_size\n";
    let after = format!("import io\n{}", FILE.replace("size(", "size_of("));
    check(FILE, &diff(&format!("@@ -8,4 +9,4 @@\n{hunk}")), &after);
}

#[test]
fn escapes_that_nothing_proves_are_in_doubt() {
    let line = "import os\n";
    let added = |text: &str| search_replace(line, &format!("{line}{text}\n"));
    check_refused(FILE, &added("log(\\\"started\\\")"), codes::AMBIGUOUS);
    check_refused(FILE, &added("big = size(path) &gt; 4096"), codes::AMBIGUOUS);
    for text in
        ["log(\"\\\"started\\\"\")", "log('\\\"started\\\"')", "rule = /\\\"/", "entity = \"&gt;\" < x"]
    {
        check(FILE, &added(text), &FILE.replace(line, &format!("{line}{text}\n")));
    }
}

#[test]
fn escapes_in_one_hunk_mean_escapes_in_all() {
    let before = "one(\"a\")\ntwo()\nthree('b')\nfour()\n";
    let first = "@@\n-one(\\\"a\\\")\n+one(\\\"c\\\")\n two()\n";
    check(before, &unified(first), &before.replace("\"a\"", "\"c\""));
    let second = "@@\n three('b')\n+five('d', \\\"e\\\")\n four()\n";
    check_refused(before, &unified(&format!("{first}{second}")), codes::NOT_FOUND);
}

#[test]
fn lines_may_already_be_there_after_an_elision() {
    let copied = "@@\n import os\n ...\n+    with open(path) as file:\n         return file.read()\n \n \n+@cached\n def size(path):\n";
    check_refused(FILE, &unified(copied), codes::AMBIGUOUS);
    let new = "@@\n import os\n ...\n+        check(file)\n         return file.read()\n \n";
    check(
        FILE,
        &unified(new),
        &FILE.replace("        return file", "        check(file)\n        return file"),
    );
    // The first change of the hunk was made already; the blank line above it is another one now.
    let applied =
        FILE.replace("def size", "def name(path):\n    return os.path.basename(path)\n\n\ndef size");
    let both = "@@\n \n \n \n+def name(path):\n+    return os.path.basename(path)\n+\n+\n def size(path):\n+    check(path)\n     return os.stat(path).st_size\n";
    check_refused(&applied, &unified(both), codes::AMBIGUOUS);
}

#[test]
fn a_hunk_is_not_applied_yet_while_its_removed_lines_are_beside_it() {
    let before = "/* Parts of it */\n#ifndef PARTS_H\n#define PARTS_H\n#ifdef FAST\n";
    let marked = "@@\n-/* Parts of it */\n #ifndef PARTS_H\n+#define PARTS_H\n #ifdef FAST\n";
    check_refused(before, &unified(marked), codes::AMBIGUOUS);
    let below = "@@\n #ifndef PARTS_H\n+#define PARTS_H\n-#ifdef FAST\n";
    check_refused(before, &unified(below), codes::AMBIGUOUS);
    let unwrapped = "def read(file):\n    if ready:\n        check(file)\n    else:\n        wait(file)\n";
    let deeper = "@@\n     def read(file):\n-        if ready:\n-            check(file)\n-        else:\n-            wait(file)\n+        wait(file)\n";
    check(unwrapped, &unified(deeper), "def read(file):\n    wait(file)\n");
}

#[test]
fn new_lines_have_no_place_among_more_blank_lines_than_the_author_saw() {
    let before = "one()\ntwo()\n\n\nthree()\nfour()\n";
    check_refused(
        before,
        &unified("@@\n one()\n two()\n+new()\n+\n \n three()\n four()\n"),
        codes::NOT_FOUND,
    );
    let beside = "@@\n one()\n two()\n+new()\n \n three()\n four()\n";
    check(before, &unified(beside), &before.replace("two()\n", "two()\nnew()\n"));
    // What takes the place of another line stands where that did.
    let replaced = "@@\n one()\n-two()\n+new()\n \n three()\n four()\n";
    check(before, &unified(replaced), &before.replace("two", "new"));
}

#[test]
fn places_that_are_nearly_alike_are_indented_as_the_file_is() {
    let block = |name: &str| {
        format!("def {name}(path):\n    check(path)\n    first(path)\n    second(path)\n    return path\n")
    };
    let before = format!("{}\n{}", block("one"), block("two"));
    let diff = "@@ -7,5 +7,5 @@\n def two(path):\n \tcheck(path)\n \tfirst(path)\n-\tsecond(path)\n+\tthird(path)\n \tretrun path\n";
    let after = format!("{}\n{}", block("one"), block("two").replace("second", "third"));
    check(&before, &unified(diff), &after);
}

#[test]
fn new_lines_are_not_moved_to_an_empty_place() {
    // Two spaces too many before the old line, and none before the new ones.
    let old = "          return file.read()\n";
    let added = format!("{old}    log(path)\n");
    check_refused(FILE, &search_replace(old, &added), codes::INDENTATION);
    // Nothing as deep as `return` is run behind it.
    let old = "return os.stat(path).st_size\n";
    let added = format!("{old}\n\ndef name(path):\n    return os.path.basename(path)\n");
    check_refused(FILE, &search_replace(old, &added), codes::INDENTATION);
    let moved = "return os.stat(path).st_size or 0\n";
    check(FILE, &search_replace(old, moved), &FILE.replace("st_size\n", "st_size or 0\n"));
}

#[test]
fn a_block_without_a_path_continues_with_the_previous_file() {
    let block = |old: &str, new: &str| format!("««« EDIT\n{old}\n═══════ REPL\n{new}\n»»» EDIT END\n");
    let (first, second) = (block("import os", "import io"), block("def size(path):", "def size_of(path):"));
    let after = FILE.replace("import os", "import io").replace("def size(", "def size_of(");
    for between in ["", "\n"] {
        check(FILE, &format!("a.txt\n{first}{between}{second}"), &after);
    }
    check_unread(&format!("a.txt\n{first}\nAnd the other one.\n\n{second}"), codes::MISSING_PATH);
    assert!(!plan_reply(&[("a.txt", FILE)], &format!("a.txt\n{first}")).changes.is_empty());
}

#[test]
fn a_byte_order_mark_in_the_reply_is_that_of_the_file() {
    let before = "\u{feff}using System;\n\nclass A {}\n";
    let diff = "@@ -1,3 +1,3 @@\n \u{feff}using System;\n \n-class A {}\n+class B {}\n";
    check(before, &unified(diff), "\u{feff}using System;\n\nclass B {}\n");
    let section = search_replace("\u{feff}using System;\n", "\u{feff}using System.IO;\n");
    check(before, &section, "\u{feff}using System.IO;\n\nclass A {}\n");
    // A file without one gets it by a new line that has it.
    let section = search_replace("using System;\n", "\u{feff}using System;\n");
    check("using System;\n", &section, "\u{feff}using System;\n");
}

#[test]
fn a_text_over_several_lines_moves_with_the_code_it_is_laid_out_with() {
    let before = "class A:\n    def read(self):\n        self.check()\n        return self.file.read()\n";
    let section = |body: &str| {
        let old = "def read(self):\n    self.check()\n";
        search_replace(old, &format!("def read(self):\n{body}    self.check()\n"))
    };
    let after = |body: &str| before.replace("self):\n", &format!("self):\n{body}"));
    let text = "    \"\"\"\n    Reads it.\n\n        Slowly.\n    \"\"\"\n";
    let moved = "        \"\"\"\n        Reads it.\n\n            Slowly.\n        \"\"\"\n";
    check(before, &section(text), &after(moved));
    // Here it is content, wherever the code stands.
    let text = "    log(\"\"\"\nReads it.\n\"\"\")\n";
    check_refused(before, &section(text), codes::INDENTATION);
    let text = "    run(<<EOF)\n    Reads it.\n    EOF\n";
    check_refused(before, &section(text), codes::INDENTATION);
}

#[test]
fn a_letter_lost_from_a_short_word_is_a_slip() {
    let before = "def one(self):\n    check(self)\n    first(path)\n    second(path)\n";
    let diff =
        "@@\n def one(slf):\n     check(self)\n     first(path)\n-    second(path)\n+    third(path)\n";
    check(before, &unified(diff), &before.replace("second", "third"));
    // Another name of the file is none.
    let known = format!("slf = 1\n{before}");
    check_refused(&known, &unified(diff), codes::NOT_FOUND);
}

#[test]
fn lines_of_white_space_are_indented_as_the_others_are() {
    let before = "fn a() {\n\tone();\n\ttwo();\n}\n";
    let section = search_replace("    one();\n    two();\n", "    one();\n    \n    new();\n    two();\n");
    check(before, &section, &before.replace("\ttwo", "\t\n\tnew();\n\ttwo"));
    let section = search_replace("one();\ntwo();\n", "one();\n\nnew();\ntwo();\n");
    check(before, &section, &before.replace("\ttwo", "\n\tnew();\n\ttwo"));
}

#[test]
fn a_text_moves_where_one_of_its_lines_shows_that_it_did() {
    let before = "class A:\n    \"\"\"Holds:\n        one: the first\n        two: the second\n    \"\"\"\n\n    size = 1\n";
    let section = search_replace(
        "    one: the first\n    two: the second\n\"\"\"\n",
        "    one: the first\n    half: the next\n    two: the second\n\"\"\"\n",
    );
    check(before, &section, &before.replace("        two", "        half: the next\n        two"));
}

fn whole(text: &str) -> String {
    format!("```text // {{a.txt}} replace\n{text}```\n")
}

#[test]
fn a_whole_file_comes_without_the_numbers_of_its_lines() {
    let after = FILE.replace("def size(", "def size_of(");
    for mark in [" | ", "\t", "→"] {
        let lines = after.lines().enumerate().map(|(at, line)| format!("{:>3}{mark}{line}\n", at + 1));
        let numbered: String = lines.collect();
        check(FILE, &whole(&numbered), &after);
        // What is numbered already, or new, may be meant so.
        check(&numbered, &whole(&numbered.replace("size", "length")), &numbered.replace("size", "length"));
        check_refused("nothing of it\n", &whole(&numbered), codes::AMBIGUOUS);
    }
    let table = "1\tone\n2\ttwo\n3\tthree\n";
    let plan = plan_reply(&[], &whole(table));
    assert_eq!(plan.changes[0].after.as_deref(), Some(table.as_bytes()));
}

#[test]
fn two_versions_of_a_file_are_none() {
    let (one, two) = (FILE.replace("size", "length"), FILE.replace("size", "bytes_of"));
    check(FILE, &format!("{}\n{}", whole(&one), whole(&one)), &one);
    check_refused(FILE, &format!("{}\nOr like this:\n\n{}", whole(&one), whole(&two)), codes::AMBIGUOUS);
    // One that is deleted in between is another file.
    let again =
        format!("{}*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n{}", whole(&one), whole(&two));
    check(FILE, &again, &two);
}

#[test]
fn text_beside_a_part_of_a_line_is_not_written_twice() {
    for (before, old, new) in [
        ("  foo(a);\n", "foo(a)\n", "foo(a, b);\n"),
        ("This is a sample text.\n", "This is a sample text\n", "This is a new text.\n"),
        ("if (a) {\n", "if (a)\n", "if (a && b) {\n"),
        ("    def f(self):\n", "    def f(self)\n", "    def f(self, x):\n"),
        ("const total = sum(a);\n", "sum(a);\n", "const total = sum(a, b);\n"),
        ("    return compute(a)\n", "compute(a)\n", "return compute(a, b)\n"),
        ("name = \"old\"\n", "name = \"old\n", "name = \"new\"\n"),
        ("  alpha(1);\n  beta(2);\n", "  alpha(1);\n  beta(2)\n", "  alpha(1);\n  beta(3);\n"),
        ("x = foo(abc);\n", "foo(abc\n", "foo(abc, b)\n"),
    ] {
        check_refused(before, &search_replace(old, new), codes::NOT_FOUND);
        let block = format!("a.txt\n««« EDIT\n{old}═══════ REPL\n{new}»»» EDIT END\n");
        check_refused(before, &block, codes::NOT_FOUND);
    }
    // Brackets that the new text opens itself are its own.
    let section = search_replace("value\n", "int(value)\n");
    check("print(value)\n", &section, "print(int(value))\n");
}

/// A line that goes stands right there, so the new ones are what was there before.
#[test]
fn a_change_is_not_done_while_a_line_it_removes_is_still_there() {
    let file = "def bake(tin):\n    heat(tin)\n    wait(30)\n    return tin\n";
    for (old, new) in [
        ("heat(tin)\nwait(30)\n", "    heat(tin)\n"),
        ("    heat(tins)\n    wait(30)\n", "    heat(tin)\n"),
        ("    heat(tin)\n    wait(\n", "    wait(30)\n"),
        ("    heat(tin)  # first\n    wait(30)\n", "    heat(tin)\n"),
    ] {
        let plan = plan_reply(&[("a.txt", file)], &search_replace(old, new));
        let done = plan.changes.first().and_then(|change| change.after.as_deref());
        let kept = new.trim_end();
        let expected = format!("def bake(tin):\n{kept}\n    return tin\n");
        assert!(done.is_none_or(|done| done == expected.as_bytes()), "{old}");
        assert!(done.is_some() || plan.diagnostics.iter().any(relay_edit::Diagnostic::is_error), "{old}");
    }
}

/// `path/to/` is copied from instructions, and says no more than the name of the file.
#[test]
fn a_new_file_is_not_made_where_only_examples_have_one() {
    let reply = "path/to/oven.txt\n```\nhot\n```\n";
    check_fails(&[("oven.txt", "cold\n")], reply, codes::MISSING_PATH);
    let found = plan_reply(&[("path/to/oven.txt", "cold\n")], reply);
    assert!(found.changes.iter().any(|change| change.path == "path/to/oven.txt"), "{found:#?}");
}
