//! Hunks that say nearly what the file says, where more than one thing differs or little is left to tell by.

use relay_edit::codes;

use crate::support::{check, check_fails, plan_reply, search_replace, unified};

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

/// The lines around an elision say where the change is, wherever else they stand themselves.
#[test]
fn context_beside_an_elision_may_stand_several_times() {
    let before = "head\nrule\none\nhead\nrule\ntwo\nold line\nthree\ntail\nx\ntail\n";
    let after = before.replace("old", "new");
    check(before, &search_replace("head\nrule\n...\nold line\n", "head\nrule\n...\nnew line\n"), &after);
    check(before, &search_replace("old line\n...\ntail\n", "new line\n...\ntail\n"), &after);
    let twice = format!("{before}old line\n");
    check_refused(
        &twice,
        &search_replace("head\nrule\n...\nold line\n", "head\nrule\n...\nnew line\n"),
        codes::AMBIGUOUS,
    );
}

/// A line number says where the lines before an elision stand, and nothing about those behind it.
#[test]
fn a_line_number_does_not_choose_lines_after_an_elision() {
    let before = "head\none\nold line\ntwo\nold line\nend\n";
    check_refused(before, &unified("@@ -1,5 +1,5 @@\n head\n ...\n-old line\n+new line\n"), codes::AMBIGUOUS);
}

/// The block stood twice. One of them is done, and nothing but a line number says that the other one is meant.
#[test]
fn a_block_behind_an_elision_that_is_done_elsewhere_is_in_doubt() {
    let before = "head\none\nbegin\nend\ntwo\nbegin\nnew line\nend\n";
    let after = before.replacen("begin\n", "begin\nnew line\n", 1);
    let hunk = " head\n ...\n begin\n+new line\n end\n";
    check_refused(before, &unified(&format!("@@ ... @@\n{hunk}")), codes::AMBIGUOUS);
    check(before, &unified(&format!("@@ -1,4 +1,5 @@\n{hunk}")), &after);
    // Below the place that is done the number is another one by now.
    let done_above = "head\none\nbegin\nnew line\nend\ntwo\nbegin\nend\n";
    check_refused(done_above, &unified(&format!("@@ -1,4 +1,5 @@\n{hunk}")), codes::AMBIGUOUS);
}

#[test]
fn new_lines_that_stand_elsewhere_do_not_hide_old_ones_that_read_a_little_otherwise() {
    for other in ["begin  \nend \u{201c}x\u{201d}\n", "    begin\n    end \"x\"\n", "begin \nend \"x\"\n"] {
        let before = format!("{other}\nbegin\nnew line\nend \"x\"\n");
        let hunk = " begin\n+new line\n end \"x\"\n";
        check_refused(&before, &unified(&format!("@@ ... @@\n{hunk}")), codes::AMBIGUOUS);
        // The number names the one or the other.
        let plan = plan_reply(&[("a.txt", &before)], &unified(&format!("@@ -1,2 +1,3 @@\n{hunk}")));
        let after = plan.changes[0].after.clone().expect("a change");
        assert_eq!(String::from_utf8_lossy(&after).lines().nth(1).map(str::trim), Some("new line"));
        check(&before, &unified(&format!("@@ -4,2 +4,3 @@\n{hunk}")), &before);
        // Below the place that is done the number is another one by now.
        let done_above = format!("begin\nnew line\nend \"x\"\n\n{other}");
        check_refused(&done_above, &unified(&format!("@@ -5,2 +5,3 @@\n{hunk}")), codes::AMBIGUOUS);
    }
    // Without any line that stays, new lines stand where they like.
    let before = "new line\n    old line\n";
    check(before, &unified("@@ ... @@\n-old line\n+new line\n"), before);
}

#[test]
fn a_slip_may_be_in_a_name_with_digits_but_never_in_the_digits() {
    let before = "use proc_macro2::Span;\nuse std::cell::Cell;\nuse std::rc::Rc;\n";
    let edit = |first: &str| {
        search_replace(
            &format!("{first}\nuse std::cell::Cell;\nuse std::rc::Rc;\n"),
            &format!("{first}\nuse core::cell::Cell;\nuse std::rc::Rc;\n"),
        )
    };
    check(before, &edit("use proc_macrro2::Span;"), &before.replace("std::cell", "core::cell"));
    check_refused(before, &edit("use proc_macro3::Span;"), codes::NOT_FOUND);
    check_refused(before, &edit("use proc_macro22::Span;"), codes::NOT_FOUND);
}

#[test]
fn two_letters_that_changed_places_are_one_slip_in_a_short_line_too() {
    let before = "impl One\nwhere\n    A: Two,\n";
    check(
        before,
        &search_replace("impl One\nwheer\n", "impl Three\nwheer\n"),
        &before.replace("One", "Three"),
    );
}

#[test]
fn a_change_of_spaces_is_found_beside_a_slip_or_another_quote() {
    let before = "// the header\nint  a;\nint  b;\nreturn 'x';\n";
    let after = before.replace("int  ", "int ");
    for (header, end) in [("// the haeder", "return 'x';"), ("// the header", "return \u{2019}x\u{2019};")] {
        let text = |gap: &str| format!("{header}\nint{gap}a;\nint{gap}b;\n{end}\n");
        check(before, &search_replace(&text("  "), &text(" ")), &after);
        // Done already, it stands there no more.
        let done = plan_reply(&[("a.txt", &after)], &search_replace(&text("  "), &text(" ")));
        assert!(done.changes.is_empty(), "{done:#?}");
    }
}

#[test]
fn a_change_of_depth_is_found_where_all_lines_are_moved_alike() {
    let before = "fn a() {\n    call(\n        \"text\",\n            name(),\n    );\n}\n";
    let after = before.replace("            name", "        name");
    let hunk = "@@ ... @@\n call(\n     \"text\",\n-        name(),\n+    name(),\n );\n";
    check(before, &unified(hunk), &after);
    check_refused(&after, &unified(hunk), codes::NOT_FOUND);
    // Nothing that stays says how far the lines were moved.
    check_refused(before, &unified("@@ ... @@\n-    name(),\n+name(),\n"), codes::NOT_FOUND);
}

#[test]
fn tabs_show_in_lines_that_are_aligned_behind_them() {
    let before = "class A {\n\t/**\n\t * Reads one.\n\t * @param a the one\n\t */\n}\n";
    let reply =
        unified("@@ ... @@\n      * Reads one.\n-     * @param a the one\n+     * @param b the other\n");
    check(before, &reply, &before.replace("a the one", "b the other"));
}

/// What follows tabs as spaces is alignment, also where it is as much as the reply writes for a tab.
#[test]
fn tabs_are_found_as_spaces_in_files_that_have_both() {
    let before = "int a(int x,\n      int y)\n{\n\tif (x &&\n\t    y) {\n\t\tcall(x,\n\t\t     y);\n\t}\n\treturn 1;\n}\n";
    let after = before.replace("     y);", "     0);");
    let lines = |last: &str| format!("\t    y) {{\n\t\tcall(x,\n{last}\n");
    for width in [2, 4, 8] {
        let spaces = |text: &str| text.replace('\t', &" ".repeat(width));
        let (old, last) = (spaces(&lines("\t\t     y);")), spaces("\t\t     0);"));
        check(before, &search_replace(&old, &spaces(&lines("")).replace("\n\n", "\n\t\t     0);\n")), &after);
        // The file itself contains as many spaces as a tab is wide, so spaces in a new line stay.
        let after = if width < 8 { after.replace("\t\t     0);", &last) } else { after.clone() };
        check(before, &search_replace(&old, &spaces(&lines(&last))), &after);
    }
    // A recipe must have its tab, and it is unclear how much of this is one.
    let makefile = "SRC = a.c \\\n    b.c\n\nall:\n\tcc\n\tld\n\nclean:\n\trm\n";
    let reply = search_replace("    cc\n    ld\n", "    cc\n    as\n    ld\n");
    check_refused(makefile, &reply, codes::INDENTATION);
}

/// The lines that change stand there to the letter, and only others have more blanks, or another depth.
#[test]
fn removed_blank_lines_are_found_beside_lines_written_differently() {
    let before = "fn a() {  \n    one();\n    two();   \n    three();\n}\n";
    let after = before.replace("two();   ", "two();");
    check(before, &unified("@@ ... @@\n fn a() {\n     one();\n-    two();   \n+    two();\n"), &after);
    check(before, &unified("@@ ... @@\n one();\n-two();   \n+two();\n three();\n"), &after);
    // It is done already.
    check_refused(&after, &unified("@@ ... @@\n one();\n-two();   \n+two();\n three();\n"), codes::NOT_FOUND);
}

/// The one place is at another depth, and the other one has a long dash.
#[test]
fn look_alikes_at_one_place_and_another_depth_at_the_other_are_in_doubt() {
    let before = "fn a() {\n    copy(one);\n    // to-do\n    move(two);\n    drop(three);\n}\ncopy(one);\n// to—do\nmove(two);\ndrop(three);\n";
    let reply = unified("@@ ... @@\n copy(one);\n // to-do\n-move(two);\n+keep(two);\n drop(three);\n");
    check_refused(before, &reply, codes::AMBIGUOUS);
    let alone = before.replace("to—do", "other");
    check(&alone, &reply, &alone.replacen("move", "keep", 1));
    // Also where every line that says something has them.
    let spaced = "/**\n *\u{a0}@param a text\n */\none();\n  /**\n   * @param a text\n   */\n  two();\n";
    let reply = search_replace("/**\n * @param a text\n */\n", "// new\n/**\n * @param a text\n */\n");
    check_refused(spaced, &reply, codes::AMBIGUOUS);
}

/// The author wrote two spaces for each tab, and meant spaces where a line would be deeper than its block.
#[test]
fn spaces_deeper_than_their_block_are_not_tabs() {
    let before = "a() {\n\tif (b) {\n\t\tc();\n\t}\n\td();\n}\n";
    let reply = |depth: &str| {
        search_replace("  if (b) {\n    c();\n", &format!("  if (b) {{\n{depth}e();\n    c();\n"))
    };
    check(before, &reply("    "), &before.replace("\t\tc", "\t\te();\n\t\tc"));
    check_refused(before, &reply("        "), codes::INDENTATION);
}

/// Nobody sees blanks at the ends of lines, and many authors leave them out.
#[test]
fn trailing_blanks_do_not_distinguish_places() {
    let before = "one:\n  a: 1  \n  b: 2\n  c: 3\ntwo:\n  a: 1\n  b: 2\n  c: 3\n";
    let after = before.replace("two:\n  a: 1\n  b: 2", "two:\n  a: 1\n  b: 4");
    check_refused(before, &search_replace("  a: 1\n  b: 2\n", "  a: 1\n  b: 4\n"), codes::AMBIGUOUS);
    // Something else tells them apart.
    check(before, &search_replace("two:\n  a: 1\n  b: 2\n", "two:\n  a: 1\n  b: 4\n"), &after);
    check(before, &unified("@@ -6,2 +6,2 @@\n   a: 1\n-  b: 2\n+  b: 4\n"), &after);
    check(before, &unified("@@ two:\n   a: 1\n-  b: 2\n+  b: 4\n"), &after);
    // Those that are written do.
    let first = before.replacen("b: 2", "b: 4", 1);
    check(before, &search_replace("  a: 1  \n  b: 2\n", "  a: 1  \n  b: 4\n"), &first);
}

/// The reply writes four spaces where the file has tabs since it was applied, and the old lines stand below the new ones.
#[test]
fn lines_inserted_at_another_depth_are_not_inserted_again() {
    let before = "a {\n\tb();\n}\n\n/**\n * Z.\n */\nz {\n\ty();\n\tx();\n}\n";
    let new = "/**\n * F.\n */\nf {\n    g();\n    h();\n}\n\n";
    let tabs = new.replace("    ", "\t");
    let after = before.replace("/**\n * Z.", &format!("{tabs}/**\n * Z."));
    let added: String = new.lines().skip(1).map(|line| format!("+{line}\n")).collect();
    let reply = unified(&format!("@@ ... @@\n }}\n \n /**\n{added}+/**\n  * Z.\n  */\n"));
    check(&after, &reply, &after);
}

/// Lines that open a block in place of others that did are as deep as those.
#[test]
fn a_head_in_place_of_another_is_as_deep() {
    let before = "class A {\n  A(B b)\n    : c(b.d) {\n    b.reset();\n  }\n  ~A() {}\n};\n";
    let reply = unified("@@ ... @@\n A(B b)\n-  : c(b.d) {\n+  : c(b->d) {\n   b.reset();\n }\n");
    check(before, &reply, &before.replace("b.d", "b->d"));
}

#[test]
fn dots_of_another_place_are_not_an_elision() {
    let stub = "def a() -> int:\n    ...\n\n\n";
    let before = format!("{stub}def b():\n    one()\n    two()\n    three()\n    four()\n");
    let reply = search_replace("def b():\n    ...\n    four()\n", "def b():\n    ...\n    five()\n");
    check(&before, &reply, &before.replace("four", "five"));
    // Here they are the body.
    let reply = search_replace("def a() -> int:\n    ...\n", "def a() -> str:\n    ...\n");
    check(&before, &reply, &before.replace("int", "str"));
}

#[test]
fn the_rest_of_a_long_line_is_not_the_head_of_a_block() {
    let before = "function f() {\n    if (a) {\n        one();\n    }\n}\nfunction g() {\n    if (x) {\n        y();\n    }\n}\n";
    let reply = unified("@@ ... @@\n-if (a) {\n+if (a &&\n+    is(b)) {\n     one();\n }\n");
    let after = before.replace("    if (a) {\n", "    if (a &&\n        is(b)) {\n");
    check(before, &reply, &after);
}

#[test]
fn new_lines_in_place_of_old_ones_tell_that_all_were_moved() {
    let before = "def f():\n    a = 1\n    if a:\n        b()\n    else:\n        c()\n    return a\n\n\ndef g():\n    return 2\n";
    // What comes for `else:` is deeper than that, and what follows it is as deep.
    let reply = unified("@@ ... @@\n if a:\n     b()\n-else:\n-    c()\n+    return 1\n+\n+c()\n return a\n");
    check(before, &reply, &before.replace("    else:\n        c()\n", "        return 1\n\n    c()\n"));
    // One change tells it for the others.
    let reply =
        unified("@@ ... @@\n-a = 1\n+a = 2\n if a:\n     b()\n else:\n     c()\n+    # done\n return a\n");
    let after = before.replace("a = 1", "a = 2").replace("        c()\n", "        c()\n        # done\n");
    check(before, &reply, &after);
}

#[test]
fn new_lines_between_others_tell_it_where_they_would_stand_out_of_their_block() {
    let before =
        "jobs:\n  a:\n    steps:\n      - run: one\n        if: x\n      - run: two\n      - run: three\n";
    let reply = unified(
        "@@ ... @@\n steps:\n   - run: one\n     if: x\n+  - run: new\n   - run: two\n+    if: y\n   - run: three\n",
    );
    let after = before.replace("      - run: two\n", "      - run: new\n      - run: two\n        if: y\n");
    check(before, &reply, &after);
}

#[test]
fn lines_of_a_comment_are_as_deep_as_each_other() {
    let before = "class A {\n    a: 1;\n    /**\n     * Two.\n     */\n    b: 2;\n}\n";
    let reply = unified("@@ ... @@\n a: 1;\n /**\n+ * New.\n+ */\n+c: 3;\n+/**\n  * Two.\n  */\n");
    check(
        before,
        &reply,
        &before.replace("     * Two", "     * New.\n     */\n    c: 3;\n    /**\n     * Two"),
    );
}

#[test]
fn a_bracket_in_place_of_a_bracket_is_as_deep() {
    let before = "function f() {\n\tif ( a ) {\n\t\tone();\n\n\t// Otherwise\n\t} else if ( b ) {\n\t\ttwo();\n\t}\n}\n";
    let reply = unified("@@ ... @@\n // Otherwise\n-} else if ( b ) {\n+} else if ( c ) {\n \ttwo();\n }\n");
    check(before, &reply, &before.replace("( b )", "( c )"));
}

#[test]
fn a_diff_with_lines_left_out_is_not_cut_off() {
    let before = "one\ntwo\nthree\nfour\nfive\nlast\n";
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,6 +1,7 @@\n one\n ...\n last\n+new\n";
    check(before, diff, &format!("{before}new\n"));
    // Where the two sides do not lack as much, more is missing than was left out.
    let cut = diff.replace("+1,7", "+1,9");
    let reply = relay_edit::parse(&cut, None);
    assert!(reply.diagnostics.iter().any(|finding| finding.code == codes::UNCLOSED_BLOCK), "{reply:#?}");
}

/// Which of the equal lines stays is a matter of chance, and so would be which of them gets the blanks of the file.
#[test]
fn of_equal_lines_none_gets_the_bytes_of_the_other() {
    let before = "/* old\n * a\n * \u{2019}b\u{2019}\n *  \n * c\n */\n";
    let old = "/* old\n * a\n * 'b'\n *\n * c\n */\n";
    let new = "/* new\n *\n * x\n * y\n *\n * z\n */\n";
    check(before, &search_replace(old, new), new);
    // Where it is none, the line stays as it is.
    let one = "/* new\n *\n * c\n */\n";
    check(before, &search_replace(old, one), "/* new\n *  \n * c\n */\n");
}

/// A line that goes and comes twice is no line that moves.
#[test]
fn copies_of_a_removed_line_are_as_the_author_wrote_them() {
    let before = "start\nsay \u{201c}one\u{201d}\ntwo\nend\n";
    let reply = unified("@@ ... @@\n start\n-say \"one\"\n two\n+say \"one\"\n+x\n+say \"one\"\n end\n");
    check(before, &reply, "start\ntwo\nsay \"one\"\nx\nsay \"one\"\nend\n");
}

/// Spaces between words may differ where a line goes, but not those of a string that comes back.
#[test]
fn a_string_does_not_change_with_the_spaces_around_it() {
    let before = "say(\"a  b\", x)\nend\n";
    check_refused(
        before,
        &unified("@@ ... @@\n-say(\"a b\",  x)\n+say(\"a b\", y)\n end\n"),
        codes::NOT_FOUND,
    );
    check(before, &unified("@@ ... @@\n-say(\"a b\",  x)\n+say(\"c\", y)\n end\n"), "say(\"c\", y)\nend\n");
}

/// Brackets stand anywhere; where nothing else is new, they do not show that an edit was made.
#[test]
fn brackets_alone_do_not_show_that_a_hunk_is_applied() {
    check_refused("}\n", &unified("@@ ... @@\n-foo()\n+}\n"), codes::NOT_FOUND);
}
