//! Where hunks are put, what is refused, and what the file's own bytes look like afterwards.

use relay_edit::{EditStatus, codes};

use crate::support::{check, check_fails, search_replace, unified};

#[test]
fn exact_lines_are_found() {
    let plan = check("a\nb\nc\n", &search_replace("b\n", "x\n"), "a\nx\nc\n");
    assert_eq!(plan.outcomes[0].placement, "exact");
    check("a\nb\nc\n", &unified("@@ ... @@\n a\n-b\n+x\n c\n"), "a\nx\nc\n");
    check("a\nb\nc\n", &search_replace("b\n", ""), "a\nc\n");
    check("a\nb\nc\n", &search_replace("a\n", "a\na2\n"), "a\na2\nb\nc\n");
}

#[test]
fn line_endings_of_the_file_stay() {
    let plan = check("a\r\nb\r\nc\r\n", &search_replace("a\nb\n", "a\nx\ny\n"), "a\r\nx\r\ny\r\nc\r\n");
    assert_eq!(plan.outcomes[0].placement, "line endings");
    // Mixed: each new line ends as its neighbour does.
    check("a\r\nb\nc\r\n", &search_replace("b\n", "x\n"), "a\r\nx\nc\r\n");
    check("a\rb\rc\r", &search_replace("b\n", "x\n"), "a\rx\rc\r");
    check("\u{feff}a\nb\n", &search_replace("a\n", "x\n"), "\u{feff}x\nb\n");
}

#[test]
fn the_final_newline_stays_as_it_was() {
    check("a\nb", &search_replace("b\n", "x\n"), "a\nx");
    check("a\nb", &search_replace("b\n", "b\nc\n"), "a\nb\nc");
    check("a\nb\n", &search_replace("b\n", "b\nc\n"), "a\nb\nc\n");
    check("a\nb", &unified("@@\n a\n-b\n\\ No newline at end of file\n+x\n"), "a\nx\n");
    check("a\nb\n", &unified("@@\n a\n-b\n+x\n\\ No newline at end of file\n"), "a\nx");
    check("a\nb", &search_replace("a\n", "x\n"), "x\nb");
    check("a", &search_replace("a\n", "b\n"), "b");
}

#[test]
fn trailing_white_space_is_ignored_and_kept() {
    let plan = check("a  \nb\t\nc\n", &search_replace("a\nb\n", "a\nx\n"), "a  \nx\nc\n");
    assert_eq!(plan.outcomes[0].placement, "trailing whitespace");
}

#[test]
fn one_shift_of_indentation_is_followed() {
    let plan = check(
        "f() {\n    if (a) {\n        b();\n    }\n}\n",
        &search_replace("if (a) {\n    b();\n}\n", "if (a) {\n    b();\n    c();\n}\n"),
        "f() {\n    if (a) {\n        b();\n        c();\n    }\n}\n",
    );
    assert_eq!(plan.outcomes[0].placement, "indentation");
    check("\tport: 3000,\n", &search_replace("port: 3000,\n", "port: 8080,\n"), "\tport: 8080,\n");
    check(
        "f:\n\ta\n\t\tb\n",
        &search_replace("    a\n        b\n", "    a\n        c\n"),
        "f:\n\ta\n\t\tc\n",
    );
}

#[test]
fn different_shifts_are_refused() {
    let finding = check_fails(
        &[("a.txt", "if a:\n    b\n      c\n")],
        &search_replace("b\nc\n", "b\nd\n"),
        codes::NOT_FOUND,
    );
    assert!(finding.hint.expect("a hint").contains("only white space differs"));
    let finding = check_fails(
        &[("a.txt", "if a:\n    b\n")],
        &search_replace("        b\n", "  c\n"),
        codes::INDENTATION,
    );
    assert!(finding.message.contains("··c"));
}

/// Two functions are alike but for their names; the one whose name the reply has is the nearest.
#[test]
fn among_equal_places_the_most_alike_is_named() {
    let body = "  if (x > 0) {\n    return a(x);\n  }\n";
    let before = format!(
        "function run(x: number): number {{\n{body}}}\n\nfunction stop(x: number): number {{\n{body}}}\n"
    );
    let reply = format!(
        "a.txt\n<<<<<<< SEARCH\nfunction stop(x: number) {{\n{body}=======\nfunction stop(x) {{\n{body}>>>>>>> REPLACE\n"
    );
    let finding = check_fails(&[("a.txt", &before)], &reply, codes::NOT_FOUND);
    let hint = finding.hint.expect("a hint");
    assert!(hint.starts_with("the nearest place is lines 7-10"), "{hint}");
}

#[test]
fn a_hunk_that_continues_beyond_the_end_of_the_file_is_reported() {
    let diff = unified("@@ ... @@\n alpha\n-beta\n+b\n gamma\n");
    let finding = check_fails(&[("a.txt", "alpha\nbeta\n")], &diff, codes::NOT_FOUND);
    let hint = finding.hint.expect("a hint");
    assert!(
        hint.contains("lines 1-2; what differs: the file ends there, and the reply goes on with `gamma`"),
        "{hint}"
    );
}

#[test]
fn text_over_several_lines_is_not_indented_anew() {
    let before = "class A:\n    def f(self):\n        pass\n";
    let text = "def f(self):\n    say(\"\"\"Says.\n\n  More.\n    \"\"\")\n    pass\n";
    let finding = check_fails(
        &[("a.txt", before)],
        &search_replace("def f(self):\n    pass\n", text),
        codes::INDENTATION,
    );
    assert!(finding.message.contains("··More."), "{}", finding.message);
    check(
        before,
        &search_replace("def f(self):\n    pass\n", "def f(self):\n    \"\"\"Says.\"\"\"\n    pass\n"),
        "class A:\n    def f(self):\n        \"\"\"Says.\"\"\"\n        pass\n",
    );
    // Context keeps the bytes of the file, and so may be in such a text.
    check(
        "if a:\n    x = \"\"\"\n  b\n    \"\"\"\n    y = 1\n",
        &search_replace("y = 1\n", "y = 2\n"),
        "if a:\n    x = \"\"\"\n  b\n    \"\"\"\n    y = 2\n",
    );
    let with_indentation =
        "    def f(self):\n        \"\"\"Says.\n\n        More.\n        \"\"\"\n        pass\n";
    check(
        before,
        &search_replace("    def f(self):\n        pass\n", with_indentation),
        &format!("class A:\n{with_indentation}"),
    );
}

#[test]
fn two_places_are_ambiguous() {
    let finding = check_fails(&[("a.txt", "x\na\ny\na\n")], &search_replace("a\n", "b\n"), codes::AMBIGUOUS);
    assert!(finding.message.contains("line 2, line 4"), "{}", finding.message);
    assert_eq!(finding.line, Some(2));
    check_fails(&[("a.txt", "  a\nx\n    a\n")], &search_replace("a\n", "b\n"), codes::AMBIGUOUS);
}

#[test]
fn a_line_number_only_breaks_a_tie_and_is_named() {
    let plan = check("x\na\ny\na\n", &unified("@@ -4,1 +4,1 @@\n-a\n+b\n"), "x\na\ny\nb\n");
    assert_eq!(plan.outcomes[0].placement, "exact, one of 2 places, chosen by its line number");
    check("x\na\ny\n", &unified("@@ -70,1 +70,1 @@\n-a\n+b\n"), "x\nb\ny\n");
    check_fails(&[("a.txt", "x\na\ny\na\n")], &unified("@@ -3,1 +3,1 @@\n-a\n+b\n"), codes::AMBIGUOUS);
    // Exact in line 3, and almost where the header says: either could be meant.
    check_fails(&[("a.txt", "a \nx\na\n")], &unified("@@ -1,1 +1,1 @@\n-a\n+b\n"), codes::AMBIGUOUS);
}

#[test]
fn the_order_of_the_hunks_breaks_a_tie_and_is_named() {
    let plan = check(
        "one\na\ntwo\na\nthree\n",
        &unified("@@\n-one\n+1\n@@\n-a\n+b\n@@\n-two\n+2\n"),
        "1\nb\n2\na\nthree\n",
    );
    assert!(
        plan.outcomes[0].placement.contains("chosen by the order of the hunks"),
        "{}",
        plan.outcomes[0].placement
    );
}

#[test]
fn lines_already_in_place_are_unchanged() {
    for reply in [
        search_replace("a\nold\n", "a\nnew\n"),
        search_replace("a\n", "a\nnew\n"),
        unified("@@\n a\n-old\n+new\n b\n"),
        unified("@@ -2 +2 @@\n-old\n+new\n"),
        search_replace("the new\n", "new\n"),
    ] {
        let plan = check("a\nnew\nb\n", &reply, "a\nnew\nb\n");
        assert_eq!(plan.outcomes[0].status, EditStatus::Unchanged, "{reply}");
    }
    // One line somewhere proves nothing: it may be there for another reason.
    check_fails(&[("a.txt", "a\nnew\nb\n")], &search_replace("old\n", "new\n"), codes::NOT_FOUND);
    // A deletion is never taken for done: the line may have been elsewhere.
    check_fails(&[("a.txt", "a\nb\n")], &search_replace("a\nold\nb\n", "a\nb\n"), codes::NOT_FOUND);
}

#[test]
fn brackets_alone_have_no_identity() {
    check_fails(&[("a.txt", "f {\n    }\n")], &search_replace("}\n", "}\ng\n"), codes::NOT_FOUND);
}

#[test]
fn lines_that_are_not_found_are_explained() {
    let before = "fn main() {\n\tlet a = 1;\n\tlet b = 2;\n}\n";
    let finding = check_fails(
        &[("a.txt", before)],
        &search_replace("fn main() {\n\tlet a = 7;\n", "x\n"),
        codes::NOT_FOUND,
    );
    let hint = finding.hint.expect("a hint");
    assert!(
        hint.contains("lines 1-2")
            && hint.contains("line 2: the reply has `→let a = 7;`, the file has `→let a = 1;`"),
        "{hint}"
    );
    let finding = check_fails(
        &[("a.txt", "x\n"), ("b.txt", before)],
        &search_replace("\tlet b = 2;\n", "\n"),
        codes::NOT_FOUND,
    );
    assert!(finding.hint.expect("a hint").contains("`b.txt`"));
}

#[test]
fn hunks_of_a_diff_refer_to_the_original_file() {
    check("a\nb\n", &unified("@@\n-a\n+b\n@@\n-b\n+c\n"), "b\nc\n");
    check_fails(&[("a.txt", "a\nb\nc\n")], &unified("@@\n-a\n-b\n+x\n@@\n-b\n-c\n+y\n"), codes::OVERLAP);
}

#[test]
fn sections_see_what_the_ones_before_them_did() {
    let reply = "```text // {a.txt} multi-search-replace\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nb\n=======\nc\n>>>>>>> REPLACE\n```\n";
    check("a\n", reply, "c\n");
}

#[test]
fn a_binary_file_is_patched_where_its_lines_match() {
    let files = relay_edit::Snapshot {
        files: [("a.txt".to_owned(), b"\xff\xfe\nb\n\x80\n".to_vec())].into(),
        ..Default::default()
    };
    let plan = relay_edit::plan(&crate::support::parse_ok(&search_replace("b\n", "c\n")).edits, &files);
    assert_eq!(plan.changes[0].after.as_deref(), Some(&b"\xff\xfe\nc\n\x80\n"[..]));
}

#[test]
fn new_lines_below_unindented_ones_follow_the_manner_of_the_file() {
    let body = "class A:\n    def f(self):\n        a()\n        b()\n        c()\n    def g(self):\n        d()\n\nclass B:\n    pass\n";
    let reply = search_replace("class B:\n", "class B:\n\tdef h(self):\n\t\te()\n");
    let plan = check(body, &reply, &body.replace("class B:\n", "class B:\n    def h(self):\n        e()\n"));
    assert_eq!(plan.outcomes[0].placement, "exact, indented as the file is");
    let tabs = body.replace("    ", "\t");
    let reply = search_replace("class B:\n", "class B:\n    def h(self):\n        e()\n");
    check(&tabs, &reply, &tabs.replace("class B:\n", "class B:\n\tdef h(self):\n\t\te()\n"));
    // A file with both manners says nothing.
    let mixed = format!("{tabs}    x\n");
    check(&mixed, &reply, &mixed.replace("class B:\n", "class B:\n    def h(self):\n        e()\n"));
}

#[test]
fn old_text_may_be_part_of_a_line_in_sections() {
    let plan = check(
        "const c = { port: 3000, host };\n",
        &search_replace("port: 3000\n", "port: 8080\n"),
        "const c = { port: 8080, host };\n",
    );
    assert_eq!(plan.outcomes[0].placement, "exact within a line");
    check(
        "a = f(one,\n      two)\n",
        &search_replace("f(one,\n      two\n", "f(1,\n      2,\n      3\n"),
        "a = f(1,\n      2,\n      3)\n",
    );
    check("x = alpha + 1;\r\ny\r\n", &search_replace("alpha\n", "beta\n"), "x = beta + 1;\r\ny\r\n");
    // Never twice, and never inside a word.
    check_fails(&[("a.txt", "f(one) + g(one)\n")], &search_replace("one)\n", "two)\n"), codes::NOT_FOUND);
    check_fails(&[("a.txt", "x = imports\n")], &search_replace("import\n", "export\n"), codes::NOT_FOUND);
    check_fails(
        &[("a.txt", "const c = { port: 3000 };\n")],
        &unified("@@\n-port: 3000\n+port: 8080\n"),
        codes::NOT_FOUND,
    );
}

#[test]
fn files_in_utf_16_are_edited_in_utf_16() {
    let encode = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let files = relay_edit::Snapshot {
        files: [("a.txt".to_owned(), encode("eins\r\nzw\u{f6}lf\r\n"))].into(),
        ..Default::default()
    };
    for reply in
        [search_replace("zw\u{f6}lf\n", "drei\n"), "```text // {a.txt}\neins\ndrei\n```\n".to_owned()]
    {
        let plan = relay_edit::plan(&crate::support::parse_ok(&reply).edits, &files);
        assert_eq!(plan.changes[0].after, Some(encode("eins\r\ndrei\r\n")), "{reply}");
    }
}

#[test]
fn lines_that_were_left_out_are_named_in_the_report() {
    let before = "fn a() {\n    one();\n    two();\n    three();\n    four();\n}\n";
    let after = before.replace("four", "4");
    let elided = "fn a() {\n    // ... existing code ...\n    four();\n";
    let plan = check(before, &search_replace(elided, &elided.replace("four", "4")), &after);
    assert_eq!(plan.outcomes[0].placement, "exact, with lines left out");
    let plan = check(before, &search_replace("    four();\n", "    4();\n"), &after);
    assert_eq!(plan.outcomes[0].placement, "exact");
}
