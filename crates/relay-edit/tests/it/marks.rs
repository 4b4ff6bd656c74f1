//! What authors do to a whole hunk by mistake: unchanged lines marked as new, the same hunk twice, the escapes of a page. The
//! reading that is proven is taken and named, and nothing where none is.

use relay_edit::codes;

use crate::support::{check, check_fails, search_replace, unified};

const FILE: &str = "use std::fs;\nuse std::io;\n\nfn read(path: &Path) {\n    open(path);\n    parse(path);\n    close(path);\n}\n";
const MARKED: &str = ", with lines marked as new that are already there";

#[track_caller]
fn check_words(before: &str, reply: &str, after: &str, words: &str) {
    let plan = check(before, reply, after);
    assert_eq!(plan.outcomes[0].placement, words);
}

#[track_caller]
fn check_refused(before: &str, reply: &str) {
    check_fails(&[("a.txt", before)], reply, codes::AMBIGUOUS);
}

#[test]
fn a_line_marked_as_new_is_context_where_the_header_counts_it_as_such() {
    let after = FILE.replace("parse(path)", "parse(path)?");
    let words = format!("exact{MARKED}");
    let below = "     open(path);\n-    parse(path);\n+    parse(path)?;\n+    close(path);\n";
    check_words(FILE, &unified(&format!("@@ -5,3 +5,3 @@\n{below}")), &after, &words);
    let above = "+    open(path);\n-    parse(path);\n+    parse(path)?;\n     close(path);\n";
    check_words(FILE, &unified(&format!("@@ -5,3 +5,3 @@\n{above}")), &after, &words);
    // The counts are wrong in another way, and the number is that of the copied line.
    check_words(FILE, &unified(&format!("@@ -5,9 +5,9 @@\n{above}")), &after, &words);
}

#[test]
fn a_line_marked_as_new_next_to_its_copy_is_in_doubt_where_nothing_proves_it() {
    for header in ["@@", "@@ -5,2 +5,3 @@", "@@ -90,7 +90,9 @@"] {
        let diff =
            format!("{header}\n     open(path);\n-    parse(path);\n+    parse(path)?;\n+    close(path);\n");
        check_refused(FILE, &unified(&diff));
    }
    check_refused(FILE, &search_replace("    parse(path);\n", "    parse(path)?;\n    close(path);\n"));
    check_refused(FILE, &search_replace("    parse(path);\n", "    open(path);\n    parse(path)?;\n"));
}

#[test]
fn lines_that_are_meant_twice_land() {
    let table = "rows:\n1, 2, three\n1, 2, three\n7, 8, nine\n";
    let more = "rows:\n1, 2, three\n1, 2, three\n1, 2, three\n7, 8, nine\n";
    // As every tool writes it: between lines that stay.
    check(table, &unified("@@ -2,3 +2,4 @@\n 1, 2, three\n 1, 2, three\n+1, 2, three\n 7, 8, nine\n"), more);
    let one = "rows:\n1, 2, three\n7, 8, nine\n";
    check(one, &search_replace("1, 2, three\n7, 8, nine\n", "1, 2, three\n1, 2, three\n7, 8, nine\n"), table);
    // Without any context, and counted.
    let row = "rows:\nfour, five\n7, 8, nine\n7, 8, nine\n";
    check("rows:\n1, 2\n7, 8, nine\n", &unified("@@ -2 +2,2 @@\n-1, 2\n+four, five\n+7, 8, nine\n"), row);
    // Ends of blocks stand below each other all the time.
    let block = "<ul>\n<li>one</li>\n</ul>\n";
    let nested = search_replace("<li>one</li>\n", "<li>\n<ul>\n<li>one</li>\n</li>\n</ul>\n");
    check(block, &nested, "<ul>\n<li>\n<ul>\n<li>one</li>\n</li>\n</ul>\n</ul>\n");
    let nested = search_replace("  a\n", "  if b\n  a\nend\n");
    check("do\n  a\nend\n", &nested, "do\n  if b\n  a\nend\nend\n");
}

#[test]
fn new_lines_that_keep_the_old_ones_apart_in_the_file_are_context() {
    let after = FILE.replace("parse(path)", "parse(path)?").replace("fn read", "pub fn read");
    let words = format!("exact{MARKED}");
    let diff = "@@\n-fn read(path: &Path) {\n+pub fn read(path: &Path) {\n     open(path);\n-    parse(path);\n+    parse(path)?;\n     close(path);\n";
    check(FILE, &unified(diff), &after);
    let marked = diff.replace("     open(path)", "+    open(path)");
    // What comes before the copied line is new in truth, so that nothing shows where the copy begins.
    check_fails(&[("a.txt", FILE)], &unified(&marked), codes::NOT_FOUND);
    let after = FILE.replace("close(path)", "close(path)?");
    let marked = "@@\n     open(path);\n+    parse(path);\n-    close(path);\n+    close(path)?;\n";
    check_words(FILE, &unified(marked), &after, &words);
    let sections = search_replace(
        "    open(path);\n    close(path);\n}\n",
        "    open(path);\n    parse(path);\n    close(path)?;\n}\n",
    );
    check_words(FILE, &sections, &after, &words);
    // A blank line in between could be one more.
    check_fails(&[("a.txt", "one\n\ntwo\n")], &unified("@@\n one\n+\n-two\n+three\n"), codes::NOT_FOUND);
}

#[test]
fn a_hunk_that_is_written_twice_is_one_change() {
    let insertion = "@@ -1,2 +1,3 @@\n use std::fs;\n+use std::env;\n use std::io;\n";
    let after = FILE.replace("use std::io", "use std::env;\nuse std::io");
    check(FILE, &unified(&format!("{insertion}{insertion}")), &after);
    let exchange = "@@\n     open(path);\n-    parse(path);\n+    parse(path)?;\n";
    let after = FILE.replace("parse(path)", "parse(path)?");
    check(FILE, &unified(&format!("{exchange}{exchange}")), &after);
    // With another line of context it is the same change all the same.
    check(
        FILE,
        &unified(&format!("{exchange}@@\n-    parse(path);\n+    parse(path)?;\n     close(path);\n")),
        &after,
    );
    // Another line at the same place is another change.
    check(
        FILE,
        &unified(&format!("{insertion}{}", insertion.replace("env", "path"))),
        &FILE.replace("use std::io", "use std::env;\nuse std::path;\nuse std::io"),
    );
}

#[test]
fn the_escapes_of_a_page_are_undone_where_the_old_lines_prove_them() {
    let before = "fn a(x: &str) -> Vec<u8> {\n    one();\n}\n";
    let after = "fn a(x: &str) -> Vec<u8> {\n    one(&x);\n}\n";
    let diff = "@@\n fn a(x: &amp;str) -&gt; Vec&lt;u8&gt; {\n-    one();\n+    one(&amp;x);\n }\n";
    check_words(before, &unified(diff), after, "exact without the escapes of HTML");
    let sections = search_replace(
        "fn a(x: &amp;str) -&gt; Vec&lt;u8&gt; {\n    one();\n",
        "fn a(x: &amp;str) -&gt; Vec&lt;u8&gt; {\n    one(&amp;x);\n",
    );
    check(before, &sections, after);
    // The old lines have nothing to escape, so that only the new one shows it.
    check_refused(before, &unified("@@\n-    one();\n+    one(&amp;x);\n"));
    // A file that has escapes may get more of them, and so may one about them.
    let page = "<p>a &lt; b</p>\ntext\n";
    check(page, &search_replace("text\n", "more &lt; text\n"), "<p>a &lt; b</p>\nmore &lt; text\n");
    let code = search_replace("    one();\n", "    x.replace('<', \"&lt;\");\n");
    check(before, &code, "fn a(x: &str) -> Vec<u8> {\n    x.replace('<', \"&lt;\");\n}\n");
}

#[test]
fn new_lines_as_deep_as_the_file_has_them_are_not_moved() {
    let file = "impl A {\n    fn a() {\n        one();\n    }\n    fn b() {\n        two();\n    }\n}\n";
    let refused = |reply: &str| drop(check_fails(&[("a.txt", file)], reply, codes::INDENTATION));
    // The old lines are four spaces too deep, the new one is not.
    refused(&search_replace("            one();\n", "        three();\n"));
    refused(&unified("@@\n         fn a() {\n-            one();\n+        three();\n         }\n"));
    // A level is two spaces in the old lines and four in the new one.
    refused(&search_replace("  fn a() {\n    one();\n  }\n", "  fn a() {\n        three();\n  }\n"));
    // All of it was moved.
    let after = file.replace("one", "three");
    check(file, &search_replace("            one();\n", "            three();\n"), &after);
    check(file, &search_replace("  fn a() {\n    one();\n  }\n", "  fn a() {\n    three();\n  }\n"), &after);
}

#[test]
fn old_lines_that_are_found_later_are_not_taken_for_done() {
    // The new lines stand inside the old ones, at another depth; those are found only without regard to their quotes.
    let before = "if x:\n    say('a')\n    build()\n    run()\nelse:\n    build()\n    run()\nend\n";
    let reply = search_replace(
        "if x:\n    say(\u{2019}a\u{2019})\n    build()\n    run()\nelse:\n    build()\n    run()\n",
        "build()\nrun()\n",
    );
    check(before, &reply, "build()\nrun()\nend\n");
}

#[test]
fn lines_that_mostly_stay_were_not_exchanged() {
    // The new lines stand elsewhere for another reason, and one old line has a slip.
    let before = "[a]\none = 1\ntwo = 2\nthree = 3\n\n[b]\ndebug = 2\nmode = 7\n";
    let reply = search_replace("[a]\none = 1\nto = 2\nthree = 3\n", "[b]\ndebug = 2\nmode = 7\n");
    check_fails(&[("a.txt", before)], &reply, codes::NOT_FOUND);
    // Without them it is done.
    let reply = search_replace("[c]\none = 1\ntwo = 4\nthree = 5\n", "[b]\ndebug = 2\nmode = 7\n");
    check_words(before, &reply, before, "already applied");
}

#[test]
fn a_blank_between_sign_and_text_is_not_indentation() {
    let file = "import io\n\nclass A:\n    def a(self):\n        one()\n        two()\n        three()\n        four()\n";
    let diff = unified("@@\n import io\n+ import sys\n \n");
    check_fails(&[("a.txt", file)], &diff, codes::INDENTATION);
    let deep = unified("@@\n     def a(self):\n+         zero()\n         one()\n");
    check_fails(&[("a.txt", file)], &deep, codes::INDENTATION);
    // Aligned with a line of the file.
    let aligned = file.replace("one()", "ones(1,\n             2)");
    let more = unified("@@\n         ones(1,\n+             3,\n              2)\n");
    check(&aligned, &more, &aligned.replace("             2)", "             3,\n             2)"));
}

#[test]
fn a_blank_line_with_its_sign_is_context_at_the_ends_of_a_patch_too() {
    let patch = |body: &str| format!("*** Begin Patch\n*** Update File: a.txt\n@@\n{body}*** End Patch\n");
    let file = "one\n\ntwo\n";
    check(file, &patch(" one\n+\n \n"), "one\n\n\ntwo\n");
    // Above the line that goes is another one in the file.
    let file = "one\n\n * two\n * three\n\nfour\n";
    check_fails(&[("a.txt", file)], &patch(" \n- * three\n+ * 3\n \n"), codes::NOT_FOUND);
    // Without its sign it is what parts the hunk from the end.
    check(file, &patch("- * three\n+ * 3\n\n"), "one\n\n * two\n * 3\n\nfour\n");
}

#[test]
fn only_the_first_line_lost_its_indentation() {
    let file = "impl A {\n    fn a() {\n        one();\n    }\n}\n\nfn b() {}\n";
    let reply = search_replace("one();\n    }\n}\n", "one();\n    }\n}\n\nfn new() {}\n");
    check(file, &reply, &file.replace("\n\nfn b", "\n\nfn new() {}\n\nfn b"));
}

#[test]
fn sentences_after_a_diff_that_counts_too_many_lines_are_not_context() {
    let after = FILE.replace("parse(path)", "parse(path)?");
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -5,6 +5,6 @@\n     open(path);\n-    parse(path);\n+    parse(path)?;\n     close(path);\n";
    let words = "exact without the prose behind it";
    check_words(FILE, &format!("{diff}\nThis should work.\n"), &after, words);
    // With its sign it is a line of the file, and this one is not; and so is what reads like code.
    for behind in [" \n This should work.\n", "\nclose(path)\n"] {
        check_fails(&[("a.txt", FILE)], &format!("{diff}{behind}"), codes::NOT_FOUND);
    }
}
