//! What a model writes as it was shown it, or as it remembers it: words in place of code, characters nobody sees, escapes, and
//! blocks that stand there twice.

use relay_edit::codes;

use crate::support::{check, check_fails, search_replace, unified};

const FILE: &str = "def read(path):\n    with open(path) as file:\n        return file.read()\n\n\ndef size(path):\n    stat = os.stat(path)\n    check(stat)\n    return stat.st_size\n\n\ndef name(path):\n    return path.name\n";

#[track_caller]
fn check_refused(before: &str, reply: &str, code: relay_edit::Code) {
    check_fails(&[("a.txt", before)], reply, code);
}

fn whole(text: &str) -> String {
    format!("```py // {{a.py}}\n{text}```\n")
}

#[test]
fn words_for_code_are_never_written() {
    const BODY: &str =
        "def size(path):\n    stat = os.stat(path)\n    check(stat)\n    return stat.st_size\n";
    for left_out in [
        "... existing code ...",
        "...existing code...",
        "… rest of the file …",
        "... (rest of file unchanged)",
        "...(same as before)...",
        "<existing code>",
        "--- snip ---",
        "# the rest stays the same",
        "# omitted for brevity",
        "# size() unchanged",
        "# keep existing code",
        "def size(path): pass  # ... existing code",
    ] {
        let content = FILE.replace(BODY, &format!("{left_out}\n")).replace("path.name", "path.stem");
        check_fails(&[("a.py", FILE)], &whole(&content), codes::ELISION);
        let reply = search_replace(BODY, &format!("{left_out}\n")).replace("a.txt", "a.py");
        check_fails(&[("a.py", FILE)], &reply, codes::ELISION);
    }
    // A remark beside new code, or in place of one line, is a comment.
    let after = FILE.replace("    check(stat)\n", "    # the stat is unchanged\n");
    let remark = search_replace("    check(stat)\n", "    # the stat is unchanged\n");
    check(FILE, &remark, &after);
}

#[test]
fn dots_with_words_are_understood_on_both_sides() {
    let old = "def size(path):\n    ... existing code ...\n    return stat.st_size\n";
    let new = "def size(path):\n    ... existing code ...\n    return stat.st_size or 0\n";
    check(FILE, &search_replace(old, new), &FILE.replace("st_size", "st_size or 0"));
}

#[test]
fn invisible_characters_are_removed_from_new_lines_too() {
    let diff = "@@\n def name(pa\u{200b}th):\n-    return path.name\n+    return path.\u{200b}stem\n";
    check(FILE, &unified(diff), &FILE.replace("path.name", "path.stem"));
}

#[test]
fn whole_files_come_without_the_escapes_of_a_page() {
    let before = "if a < b {\n    one(&a);\n}\n";
    let reply = whole("if a &lt; b {\n    two(&amp;a);\n}\n").replace("a.py", "a.txt");
    check(before, &reply, "if a < b {\n    two(&a);\n}\n");
    let unproven = whole("if a {\n    two(&amp;a);\n}\n").replace("a.py", "a.txt");
    check_refused(before, &unproven, codes::AMBIGUOUS);
}

#[test]
fn numbers_behind_colons_are_copied_too() {
    let reply = search_replace(
        "12: def name(path):\n13:     return path.name\n",
        "12: def name(path):\n13:     return path.stem\n",
    );
    check(FILE, &reply, &FILE.replace("path.name", "path.stem"));
}

#[test]
fn whole_files_do_not_end_in_the_middle() {
    let before = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n    if c {\n        three();\n    }\n    four();\n}\n";
    let text = "fn a() {\n    zero();\n}\n\nfn b() {\n    two();\n    if c {\n        three();\n    }\n";
    check_refused(before, &whole(text).replace("a.py", "a.txt"), codes::SHRINK);
    let ended = format!("{text}}}\n");
    check(before, &whole(&ended).replace("a.py", "a.txt"), &ended);
}

#[test]
fn a_diff_within_a_file_does_not_create_one() {
    let diff = |header: &str| format!("--- a/new.py\n+++ b/new.py\n{header}\n+one\n+two\n");
    check_fails(&[], &diff("@@ -44,0 +45,2 @@"), codes::MISSING_FILE);
    for header in ["@@ -0,0 +1,2 @@", "@@ -1,0 +1,2 @@", "@@"] {
        let plan = crate::support::plan_reply(&[], &diff(header));
        assert_eq!(plan.changes[0].after.as_deref(), Some(&b"one\ntwo\n"[..]), "{header}");
    }
}

#[test]
fn a_repeated_edit_does_not_continue_at_a_shallower_line() {
    let before = "type: object\nstrict: false\nitems:\n  a:\n    strict: false\n    type: b\n";
    let section = "<<<<<<< SEARCH\n    strict: false\n=======\n>>>>>>> REPLACE\n";
    let reply = format!("```yaml // {{a.txt}} multi-search-replace\n{section}{section}```\n");
    check(before, &reply, "type: object\nstrict: false\nitems:\n  a:\n    type: b\n");
    let diff = "@@\n   a:\n+    new: 1\n     strict: false\n@@\n  a:\n+   new: 1\n    strict: false\n";
    check(before, &unified(diff), &before.replace("  a:\n", "  a:\n    new: 1\n"));
}

#[test]
fn a_block_whose_bracket_stays_by_chance_is_not_written_twice() {
    let before = "a {\n  one;\n}\n\nb {\n  two;\n}\n\nc {\n  three;\n}\n";
    // The last bracket and the blank line of `a` stay, and the block of `b` stands below already.
    let reply = search_replace("  one;\n}\n\n", "  four;\n}\n\nb {\n  two;\n}\n\n");
    check_refused(before, &reply, codes::AMBIGUOUS);
    let reply = search_replace("  one;\n}\n\n", "  four;\n}\n\nd {\n  two;\n}\n\n");
    check(before, &reply, &before.replace("  one;\n}\n", "  four;\n}\n\nd {\n  two;\n}\n"));
}

#[test]
fn one_space_more_in_the_old_lines_does_not_push_new_ones_between_levels() {
    let before = "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": {\n    \"d\": 2\n  }\n}\n";
    let diff = "@@\n    \"a\": {\n      \"b\": 1\n    },\n+  \"e\": 3,\n";
    check_refused(before, &unified(diff), codes::INDENTATION);
    // All lines have it.
    let after = before.replacen("  },\n", "  },\n  \"e\": 3,\n", 1);
    check(before, &unified(&diff.replace("+  ", "+   ")), &after);
}

#[test]
fn tabs_beside_spaces_say_nothing_about_levels() {
    let before = "a {\n  one;\n  two;\n  three;\n}\nb {\n  four;\n  five;\n}\n";
    check_refused(before, &search_replace("  four;\n", "  if c {\n\tfour;\n  }\n"), codes::INDENTATION);
    check_refused(
        before,
        &search_replace("  four;\n  five;\n", "  four;\n\t\t\tsix;\n  five;\n"),
        codes::INDENTATION,
    );
    check(
        before,
        &search_replace("  four;\n", "  four;\n\tsix;\n"),
        &before.replace("four;\n", "four;\n  six;\n"),
    );
}

#[test]
fn blank_lines_do_not_contradict_a_line_number() {
    let before = "one\n\ntwo\nthree\nfour\nfive\n";
    check_refused(before, &unified("@@ -4,1 +4,2 @@\n+new\n \n"), codes::NO_ANCHOR);
    check(before, &unified("@@ -2,1 +2,2 @@\n+new\n \n"), &before.replacen("\n\n", "\nnew\n\n", 1));
}
