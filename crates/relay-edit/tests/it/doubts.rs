//! Where a reply can be read in two ways: the reading that is proven is taken, and nothing where none is.

use relay_edit::codes;

use crate::support::{check, check_fails, search_replace, unified};

fn apply_patch(body: &str) -> String {
    format!("*** Begin Patch\n*** Update File: a.txt\n{body}*** End Patch\n")
}

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

#[test]
fn lines_that_only_move_keep_their_bytes() {
    let before = "start\none  \ntwo\nend \n";
    let after = "start\nnew\ntwo\none  \nend \n";
    check(before, &search_replace("start\none\ntwo\nend\n", "start\nnew\ntwo\none\nend\n"), after);
    check(before, &unified("@@\n start\n-one\n-two\n+new\n+two\n+one\n end\n"), after);
    // So do quotes the author wrote in another way.
    let before = "start\nsay \u{201c}one\u{201d}\ntwo\nend\n";
    check(
        before,
        &search_replace("start\nsay \"one\"\ntwo\nend\n", "start\ntwo\nsay \"one\"\nend\n"),
        "start\ntwo\nsay \u{201c}one\u{201d}\nend\n",
    );
}

#[test]
fn a_bracket_at_the_end_of_a_hunk_is_not_the_one_above() {
    let before = "mod t {\n    fn a() {\n        one();\n    }\n}\n";
    let reply = search_replace("    fn a() {\n        one();\n}\n", "");
    check_refused(before, &reply, codes::NOT_FOUND);
    let reply = search_replace("    fn a() {\none();\n    }\n", "    fn b() {\n        two();\n    }\n");
    check(before, &reply, "mod t {\n    fn b() {\n        two();\n    }\n}\n");
}

#[test]
fn a_change_written_twice_does_not_land_in_the_other_place_too() {
    let before = "start\nold\nend\nstart\nold\nend\n";
    let after = "start\nold\nend\nstart\nnew\nend\n";
    let section = "<<<<<<< SEARCH\n:start_line:5\n-------\nold\n=======\nnew\n>>>>>>> REPLACE\n";
    check(before, &format!("a.txt\n{section}"), after);
    check(before, &format!("a.txt\n{section}{section}"), after);
    check(before, &format!("a.txt\n```\n{section}\n{section}```\n"), after);
    check(before, &format!("```text // {{a.txt}} multi-search-replace\n{section}{section}```\n"), after);
    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -4,3 +4,3 @@\n start\n-old\n+new\n end\n";
    check(before, &format!("```diff\n{diff}```\n\nAgain:\n\n```diff\n{diff}```\n"), after);
    // Another line number means another place.
    let both = format!("a.txt\n{section}{}", section.replace(":5", ":2"));
    check(before, &both, "start\nnew\nend\nstart\nnew\nend\n");
}

#[test]
fn lines_a_diff_takes_and_gives_back_are_context() {
    let before = "start\n    \nold\nend\n";
    check(before, &unified("@@\n start\n-\n-old\n+\n+new\n end\n"), "start\n    \nnew\nend\n");
    check(before, &apply_patch("@@\n start\n-\n-old\n+\n+new\n end\n"), "start\n    \nnew\nend\n");
}

const CONFIG: &str = "jobs:\n  test:\n    runs: here\n    needs: build\n  lint:\n    runs: there\n";

#[test]
fn context_without_its_sign_says_nothing_about_new_lines() {
    let after = CONFIG.replace("    needs", "    if: main\n    needs");
    // All of it lacks the sign, and a depth of five stands nowhere in the file.
    check(CONFIG, &unified("@@\n    runs: here\n+    if: main\n    needs: build\n"), &after);
    // Some of it does.
    check(CONFIG, &unified("@@\n   test:\n    runs: here\n+    if: main\n     needs: build\n"), &after);
    check(CONFIG, &apply_patch("@@\n     runs: here\n+    if: main\n    needs: build\n"), &after);
    // A removed line shows how deep the reply writes.
    let changed = CONFIG.replace("needs: build", "needs: all");
    check(CONFIG, &unified("@@\n    runs: here\n-    needs: build\n+    needs: all\n  lint:\n"), &changed);
}

#[test]
fn one_space_less_throughout_is_a_shift_where_the_file_says_so() {
    check(
        CONFIG,
        &search_replace("   runs: here\n   needs: build\n", "   runs: here\n   if: main\n   needs: build\n"),
        &CONFIG.replace("    needs", "    if: main\n    needs"),
    );
    // Both depths occur in this file, so it is undecidable.
    let odd = "a\n    b\n    c\n     d\n     e\n";
    check_refused(odd, &unified("@@\n    b\n+    x\n    c\n"), codes::INDENTATION);
}

#[test]
fn new_lines_come_in_the_manner_of_the_file_or_not_at_all() {
    let tabs = "a:\n\tone\n\ttwo \\\n\t    more\nb:\n\tthree\n\tfour\n";
    check(tabs, &unified("@@\n b:\n+    new\n"), &tabs.replace("b:\n", "b:\n\tnew\n"));
    let odd = "a\n b\n  c\n   d\n     e\n       f\n";
    check_refused(odd, &unified("@@\n a\n+\tnew\n"), codes::INDENTATION);
}

#[test]
fn only_the_first_line_may_lack_its_indentation() {
    let before = "f() {\n    call();\n    more();\n}\n";
    check(
        before,
        &search_replace("call();\n    more();\n", "call(1);\n    more();\n    new();\n"),
        "f() {\n    call(1);\n    more();\n    new();\n}\n",
    );
    // Nothing says how deep the new line belongs.
    let short = "f() {\n    call();\n}\n";
    check_refused(short, &search_replace("call();\n}\n", "call();\nnew();\n}\n"), codes::NOT_FOUND);
    check_refused(
        before,
        &search_replace("call();\n    more();\n", "new();\ncall();\n    more();\n"),
        codes::NOT_FOUND,
    );
}

#[test]
fn a_line_that_says_more_than_quoted_is_another_line() {
    let before = "one\nreturn a // and b\n";
    check_refused(before, &search_replace("one\nreturn a\n", "one\nreturn c\n"), codes::NOT_FOUND);
    check_refused(before, &search_replace("return a\n", "return c\n"), codes::NOT_FOUND);
    check("one\nreturn a;\n", &search_replace("return a\n", "return c\n"), "one\nreturn c;\n");
    check("x = call(a) + b\n", &search_replace("call(a)\n", "ask(a)\n"), "x = ask(a) + b\n");
}

const TWO: &str = "steps:\n  use a\n  run b\nend\nsteps:\n  new\n  use a\n  run b\n";

#[test]
fn what_may_be_applied_to_the_other_of_two_blocks_is_refused() {
    let insert = "steps:\n  use a\n";
    check_refused(TWO, &search_replace(insert, "steps:\n  new\n  use a\n"), codes::AMBIGUOUS);
    check_refused(TWO, &unified("@@\n steps:\n+  new\n   use a\n"), codes::AMBIGUOUS);
    // Its number says which one is meant.
    check(
        TWO,
        &unified("@@ -1,2 +1,3 @@\n steps:\n+  new\n   use a\n"),
        &TWO.replacen("steps:\n", "steps:\n  new\n", 1),
    );
    check_refused("a\nx\nb\nc\na\nb\n", &search_replace("a\nx\nb\n", "a\nb\n"), codes::AMBIGUOUS);
}

#[test]
fn a_blank_line_may_be_all_that_says_where() {
    let before = "a\n\nb\n\nc\n";
    check_refused(before, &apply_patch("@@\n+new\n+\n \n"), codes::AMBIGUOUS);
    check(before, &apply_patch("@@\n+new\n"), "a\n\nb\n\nc\nnew\n");
}

#[test]
fn brackets_are_not_placed_by_the_order_of_the_hunks() {
    let before = "a {\n}\nmiddle\nb {\n}\n";
    let diff = "@@\n }\n+// new\n@@\n-middle\n+centre\n";
    check_refused(before, &unified(diff), codes::AMBIGUOUS);
}

/// Found by fuzzing: the first time the old line stood there to the letter; the second time only one that resembles it is
/// left, and the new lines stand twice.
#[test]
fn new_lines_that_stand_to_the_letter_speak_against_old_ones_that_only_resemble() {
    let file = "# note\n}\n    b\nreturn;\n# note\n}\n";
    check_refused(file, &search_replace("b\n", "# note\n}\n"), codes::AMBIGUOUS);
    // The line number says which one is meant.
    let named = unified("@@ -3,1 +3,2 @@\n-b\n+# note\n+}\n");
    check(file, &named, "# note\n}\n    # note\n    }\nreturn;\n# note\n}\n");
}

#[test]
fn which_of_two_blank_lines_is_removed() {
    let before = "x\n\"\"\"\n\n\nclass Shop:\n    a\n";
    let reply = unified("@@\n x\n \"\"\"\n-\n+new\n+\n class Shop:\n     a\n");
    check(before, &reply, "x\n\"\"\"\nnew\n\n\nclass Shop:\n    a\n");
}

#[test]
fn a_diff_that_ends_within_its_change_is_cut_off() {
    let whole = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n";
    check("one\ntwo\n", whole, "one\n2\n3\n");
    for (lines, after) in [(5, "one\n"), (6, "one\n2\n")] {
        let cut: String = whole.split_inclusive('\n').take(lines).collect();
        let reply = relay_edit::parse(&cut, None);
        assert!(reply.diagnostics.iter().any(|finding| finding.code == codes::UNCLOSED_BLOCK), "{cut}");
        // A fence around it says that this is all.
        check("one\ntwo\n", &format!("```diff\n{cut}```\n"), after);
    }
}

#[test]
fn a_section_with_markers_in_its_text_is_not_read_as_another_one() {
    let section = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    for reply in [
        format!("a.txt\n<<<<<<< SEARCH\n{section}=======\nnew\n>>>>>>> REPLACE\n"),
        format!("a.txt\n```\n{section}=======\n2\n>>>>>>> REPLACE\n```\n"),
        format!("a.txt\n{section}text\n=======\n2\n>>>>>>> REPLACE\n"),
    ] {
        let found = relay_edit::parse(&reply, None);
        assert!(found.diagnostics.iter().any(|finding| finding.code == codes::BAD_MARKERS), "{found:#?}");
    }
    // An underline in the prose below is none of its business.
    check("one\n", &format!("a.txt\n{section}\nDone\n=======\n"), "two\n");
}

#[test]
fn tabs_do_not_come_in_below_a_line_that_is_only_aligned() {
    let before = &format!("{}text =\n  select\n", "a:\n    b\n".repeat(10));
    let wanted = before.replace("  select\n", "  select\n    name\n");
    check(before, &search_replace("  select\n", "  select\n\tname\n"), &wanted);
}

#[test]
fn a_line_goes_next_to_the_one_it_was_written_next_to() {
    let before = "a:\n    return x\n\n\n@dataclass\nclass Order:\n";
    let after = before.replace("return x\n", "return x\ncheck()\n");
    check(
        before,
        &search_replace("    return x\n\n@dataclass\n", "    return x\ncheck()\n\n@dataclass\n"),
        &after,
    );
}

/// Found by a property: the tab was written as the file indents, and not recognised the next time.
#[test]
fn an_insertion_that_was_indented_anew_is_recognised() {
    let before = "a\n    b();\n    c();\n    d();\n    e();\n    f();\n";
    let reply = search_replace("a\n", "\tnew\na\n");
    let after = format!("    new\n{before}");
    check(before, &reply, &after);
    check(&after, &reply, &after);
}

#[test]
fn a_slip_in_the_context_does_not_hide_another_depth() {
    let before =
        "fn a() {\n    let total = sum(items);\n    check(total);\n    log(total);\n    done(total);\n}\n";
    let reply = search_replace(
        "let totla = sum(items);\ncheck(total);\nlog(total);\ndone(total);\n",
        "let totla = sum(items);\ncheck(total);\nlog(total);\nnew(total);\ndone(total);\n",
    );
    check(before, &reply, &before.replace("    done", "    new(total);\n    done"));
}

#[test]
fn a_slip_needs_other_lines_that_vouch_for_the_place() {
    let before = "let total = sum(items);\ncheck(total);\n}\n";
    let reply =
        search_replace("let totla = sum(items);\ncheck(total);\n}\n", "let totla = sum(items);\nnew();\n}\n");
    // One line that tells something is enough if it stands nowhere else; otherwise one bracket does not help it.
    check(before, &reply, &before.replace("check(total)", "new()"));
    check_refused(&format!("{before}check(total);\n"), &reply, codes::NOT_FOUND);
    let braces = "let total = sum(items);\n}\n}\n}\n";
    check_refused(
        braces,
        &search_replace("let totla = sum(items);\n}\n}\n}\n", "let totla = sum(items);\n}\n}\nx\n}\n"),
        codes::NOT_FOUND,
    );
}

#[test]
fn one_hunk_shows_how_another_is_indented() {
    // The file has too few indented lines to speak for itself.
    let before = "a:\n    b\n    c\nd\ne\n";
    let reply = unified("@@\n a:\n-\tb\n+\tB\n \tc\n@@\n d\n+\tx\n e\n");
    check(before, &reply, "a:\n    B\n    c\nd\n    x\ne\n");
}
