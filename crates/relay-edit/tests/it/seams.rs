//! Where the ends of a hunk contradict the lines of the file they meet: copies of those lines in other words, blocks inside
//! blocks they do not belong to, levels that only another section shows.

use relay_edit::codes;

use crate::support::{check, check_fails, search_replace, unified};

const FILE: &str = "fn open(path: &Path) -> File {\n    let file = File::open(path);\n    check_the_header(&file);\n    file\n}\n\nfn close(file: File) {\n    drop_the_handle(file);\n}\n";

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

/// A hunk that goes on with lines which all are marked as new.
fn going_on(lines: &str) -> String {
    unified(&format!("@@\n-    let file = File::open(path);\n+    let file = File::open(path)?;\n{lines}"))
}

#[test]
fn lines_marked_as_new_are_copies_in_other_words_too() {
    for lines in [
        "+    check_the_header(&file);\n",
        "+    Check_The_Header(&file);\n",
        "+    check_the_header(...\n",
        "+    check_the_header(&file); file\n",
        "+    check_the_header(\n+        &file);\n",
        "+    check_the_header(&file);\n+\n+    file\n",
    ] {
        check_refused(FILE, &going_on(lines), codes::AMBIGUOUS);
    }
    let above = "+fn open(path:&Path)->File {\n-    let file = File::open(path);\n+    let file = File::open(path)?;\n     check_the_header(&file);\n";
    check_refused(FILE, &unified(&format!("@@\n{above}")), codes::AMBIGUOUS);
    // What stands behind them was left out.
    check_refused(
        FILE,
        &going_on("+    check_the_header(&file);\n // ... existing code ...\n"),
        codes::AMBIGUOUS,
    );
}

#[test]
fn lines_that_only_look_alike_are_new() {
    for line in ["    check_the_header(&files);", "    check_the_header(file);", "    seal();"] {
        let after = FILE.replace("File::open(path);\n", &format!("File::open(path)?;\n{line}\n"));
        check(FILE, &going_on(&format!("+{line}\n")), &after);
    }
}

#[test]
fn lines_that_open_or_close_a_block_are_not_doubled() {
    let before = "a = 1\ndo {\n    b\n    return\n}\n";
    check_refused(before, &unified("@@ -1 +1,2 @@\n-a = 1\n+a = 2\n+do {\n"), codes::AMBIGUOUS);
    check_refused(before, &search_replace("    b\n", "    c\n    return\n"), codes::AMBIGUOUS);
    // Tools write what goes first, so that this sign was set by hand.
    let by_hand = "@@ -3 +3,2 @@\n+do {\n-    b\n+    c\n";
    check_refused(before, &unified(by_hand), codes::AMBIGUOUS);
}

#[test]
fn a_block_does_not_land_inside_the_one_before_it() {
    let function = "\nfn read() {\n    parse();\n}\n";
    let after = format!("{FILE}{function}");
    let whole = |above: &str| search_replace(above, &format!("{above}{function}"));
    check(FILE, &whole("    drop_the_handle(file);\n}\n"), &after);
    check_refused(FILE, &whole("    drop_the_handle(file);\n"), codes::AMBIGUOUS);
    // As deep as what it follows, it belongs there.
    let nested = "    if open {\n        parse();\n    }\n";
    let inside = FILE.replace("(file);\n}\n", &format!("(file);\n{nested}}}\n"));
    let line = "    drop_the_handle(file);\n";
    check(FILE, &search_replace(line, &format!("{line}{nested}")), &inside);
    // The cases of a choice are mostly as deep as its bracket.
    let choice = "switch (x) {\ncase 1:\n    one();\n}\n";
    let case = "case 2: {\n    two();\n}\n";
    let reply = search_replace("    one();\n", &format!("    one();\n{case}"));
    check(choice, &reply, &choice.replace("one();\n", &format!("one();\n{case}")));
}

#[test]
fn new_lines_are_not_moved_out_of_the_block_they_fit() {
    let before = "from shop import (\n    first,\n    second,\n)\n";
    let reply = "     from shop import (\n         first,\n         second,\n+    third,\n     )\n";
    check_refused(before, &unified(&format!("@@\n{reply}")), codes::INDENTATION);
    let moved = reply.replace("+    third", "+        third");
    let after = before.replace("second,\n", "second,\n    third,\n");
    check(before, &unified(&format!("@@\n{moved}")), &after);
    let body = "impl A {\n    fn a(&self) {\n        self.one()\n    }\n}\n";
    let reply = search_replace(
        "    self.one()\n}\n",
        "    self.one()\n    }\n\n    fn b(&self) {\n        self.two()\n}\n",
    );
    check_refused(body, &reply, codes::INDENTATION);
}

#[test]
fn one_section_shows_how_another_is_indented() {
    let before = "mod a;\n\nfn f() {\n    if x {\n        y();\n    }\n}\n";
    let section =
        |old: &str, new: &str| format!("a.txt\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n\n");
    let first = section("mod a;\n", "mod a;\n\nfn g() {\n  if z {\n    h();\n  }\n}\n");
    let second = section("  if x {\n    y();\n", "  if x {\n    z();\n");
    let after = "mod a;\n\nfn g() {\n    if z {\n        h();\n    }\n}\n\nfn f() {\n    if x {\n        z();\n    }\n}\n";
    check(before, &format!("{first}{second}"), after);
    check(before, &format!("{second}{first}"), after);
    // Alone it says nothing, and stays as it is written.
    check(before, &first, &before.replace("mod a;\n", "mod a;\n\nfn g() {\n  if z {\n    h();\n  }\n}\n"));
    // Old lines that are all one level deep show it as well where the file leaves no doubt.
    let file = format!("{before}{}", "fn h() {\n    one();\n    two();\n}\n".repeat(5));
    let diff = "@@\n mod a;\n+fn g() {\n+  h();\n+}\n@@\n-  if x {\n+  if y {\n";
    let after = file.replace("mod a;\n", "mod a;\nfn g() {\n    h();\n}\n").replace("if x", "if y");
    check(&file, &unified(diff), &after);
}

#[test]
fn blank_lines_that_bound_a_change_are_quoted() {
    let before = "def one(\n        a,\n        b):\n    pass\n\n\ndef two():\n    pass\n";
    // Between the blank lines and what goes, a line of the file is missing.
    let reply = search_replace("\n\n        b):\n    pass\n", "\n\ndef one(a, b):\n    pass\n");
    check_refused(before, &reply, codes::NOT_FOUND);
    let margin = search_replace("\n        b):\n    pass\n\n", "\n        c):\n    pass\n\n");
    check(before, &margin, &before.replace("b):", "c):"));
}

#[test]
fn an_insertion_is_recognised_behind_what_was_left_out_or_lost() {
    let first = search_replace(
        "    drop_the_handle(file);\n...\n",
        "    drop_the_handle(file);\n    forget();\n...\n",
    );
    let after = FILE.replace("(file);\n}", "(file);\n    forget();\n}");
    check(FILE, &first, &after);
    check(&after, &first, &after);
    // The signs of the context are missing.
    let before = "impl A {\n    fn a(&self) {\n        one(self);\n    }\n}\n";
    let body = "    }\n\n    fn b(&self) {\n        two(self);\n";
    let diff =
        unified(&format!("@@\n        one(self);\n+{}\n    }}\n", body.trim_end().replace('\n', "\n+")));
    let once = before.replace("(self);\n", &format!("(self);\n{body}"));
    check(before, &diff, &once);
    check(&once, &diff, &once);
}

/// Found by generated replies: the typo is in the file, and the reply has the word as it should be.
#[test]
fn a_slip_in_the_file_does_not_send_a_change_elsewhere() {
    let block = |depth: &str, first: &str| {
        format!("{depth}push(\n{depth}    {first},\n{depth}    SOURCE as u16,\n{depth}    data,\n{depth});\n")
    };
    let old = "        events,\n        SOURCE as u16,\n        data,\n";
    let reply = search_replace(old, &old.replace("u16", "u32"));
    let one = block("        ", "events");
    check(&one, &reply, &one.replace("u16", "u32"));
    let two = format!("{}{}", block("    ", "evnets"), block("        ", "events"));
    check_refused(&two, &reply, codes::AMBIGUOUS);
    // The number says which one is meant.
    let hunk = "         events,\n-        SOURCE as u16,\n+        SOURCE as u32,\n         data,\n";
    let after = two.replace("            SOURCE as u16", "            SOURCE as u32");
    check(&two, &unified(&format!("@@ -7,3 +7,3 @@\n{hunk}")), &after);
    check_refused(&two, &unified(&format!("@@ -2,3 +2,3 @@\n{hunk}")), codes::AMBIGUOUS);
}

#[test]
fn a_deletion_written_twice_does_not_continue_in_a_similar_place() {
    let before = "raise(\n    first,\n    second % x\n)\n\nraise(\n    first,\n    second % x\n)\nmore()\n";
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,4 @@\n raise(\n     first,\n-    second % x\n )\n \n";
    let after = before.replacen("    second % x\n", "", 1);
    let fence = format!("```diff\n{diff}```\n");
    check(before, &fence, &after);
    check(before, &format!("{fence}\nOnce more:\n\n{fence}"), &after);
}

#[test]
fn the_spaces_of_a_page_are_not_written_into_code() {
    let before = "def a():\n    # one    two\n    return 1\n";
    let paged = |text: &str| text.replace("    ", "\u{a0}   ");
    let whole = |text: &str| format!("```py // {{a.txt}}\n{text}```\n");
    check_refused(before, &whole(&paged(&before.replace('1', "2"))), codes::INDENTATION);
    check_refused(before, &whole(&before.replace("one    two", "one\u{a0}   two")), codes::INDENTATION);
    check_refused(before, &unified("@@\n def a():\n+    # three\u{a0}   four\n"), codes::INDENTATION);
    let number = "def a():\n    # 10\u{a0}km\n    return 1\n";
    check(before, &whole(number), number);
    // A file that has such spaces may get more of them.
    let after = paged(before).replace("return 1", "return 2");
    check(&paged(before), &whole(&after), &after);
}
