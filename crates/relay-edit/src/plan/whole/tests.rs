//! Whole files, and parts that are sent as if they were whole.

use super::*;

fn file(functions: std::ops::Range<usize>) -> String {
    let one =
        |at: usize| format!("def f{at}(x):\n    y = x + {at}\n    print(y, {at})\n    return y * {at}\n\n\n");
    format!("import os\nimport re\nimport sys\n\n\n{}", functions.map(one).collect::<String>())
}

#[track_caller]
fn check(content: &str, expected: Option<Missing>) {
    assert_eq!(doubt(file(0..6).as_bytes(), content).map(|partial| partial.why), expected);
}

#[test]
fn whole_files_are_accepted() {
    let whole = file(0..6);
    check(&whole, None);
    check(&whole.replace("return y * 3", "return y"), None);
    check(&whole.replace("import re\n", ""), None);
    check(&format!("\"\"\"Doc.\"\"\"\n{whole}def g():\n    return 1\n"), None);
    check(&whole.replace("    y = x + 2\n    print(y, 2)\n", ""), None);
    check(&whole.replace("    ", "  "), None);
    assert_eq!(doubt(b"a = 1\n", "b = 2\nc = 3\n"), None);
}

#[test]
fn parts_are_not() {
    let whole = file(0..6);
    let imports = "import os\nimport re\nimport sys\n\n\n";
    check(&whole.replace(imports, ""), Some(Missing::Start));
    check(&file(0..5), Some(Missing::End));
    check(&format!("{}{}", file(0..2), file(4..6).replace(imports, "")), Some(Missing::Middle));
    check("def other():\n    return 0\n\n\ndef more():\n    return 1\n", Some(Missing::Most));
    check(
        "class A:\n    x = 1\n    y = 2\n    z = 3\n    u = 4\n    v = 5\n    a = 6\n    b = 7\n    c = 8\n    d = 9\n",
        Some(Missing::Most),
    );
}

#[test]
fn content_that_stops_in_its_new_lines_lacks_the_end() {
    let file = "steps:\n  - name: Install\n    run: make deps\n  - name: Build\n    run: make\n  - name: Test\n    run: make test\n";
    let grown =
        "  - name: Lint\n    run: |\n      make lint\n      if [ -f report ]; then\n        echo bad\n";
    let cut = file.replace("  - name: Test\n    run: make test\n", grown);
    assert_eq!(doubt(file.as_bytes(), &cut).map(|partial| partial.why), Some(Missing::End));
    let whole = file.replace("  - name: Test\n", &format!("{grown}  - name: Test\n"));
    assert_eq!(doubt(file.as_bytes(), &whole), None);
    let other =
        file.replace("  - name: Test\n    run: make test\n", "  - name: Check\n    run: make check\n");
    assert_eq!(doubt(file.as_bytes(), &other), None);
}

#[test]
fn one_line_in_place_of_several_is_a_remark() {
    let whole = file(0..6);
    let gone = "    print(y, 2)\n    return y * 2\n\n\ndef f3(x):\n";
    for remark in ["    # Leave the rest as is\n", "everything else stays\n", "    # 以下省略\n"] {
        check(&whole.replace(gone, remark), Some(Missing::Middle));
    }
    let document = "# Tool\n\n> A tool\n\n*It works*\n\none\ntwo\nthree\nfour\nfive\n";
    let remarked = document.replace("# Tool\n\n> A tool\n\n*It works*\n", "<!-- your text here -->\n");
    assert!(doubt(document.as_bytes(), &remarked).is_some());
    // A shorter version of the same lines is not.
    check(&whole.replace("    y = x + 2\n    print(y, 2)\n", "    print(x + 2, y)\n"), None);
    let loop_of_four = "def f(n):\n    a = []\n    for i in range(n):\n        a.append(0)\n    return a\n";
    let file = file(0..6) + loop_of_four + "\n\nf(3)\n";
    let shorter = file.replace(loop_of_four, "def f(n):\n    return [0 for i in range(n)]\n");
    assert_eq!(doubt(file.as_bytes(), &shorter), None);
}

#[test]
fn lines_that_are_the_same_elsewhere_do_not_make_up_for_lost_ones() {
    let job =
        |name: &str| format!("  {name}:\n    runs-on: linux\n    steps:\n      - checkout\n      - make\n");
    let file = format!("on: push\njobs:\n{}{}{}", job("a"), job("b"), job("c"));
    let part = format!("on: push\njobs:\n{}{}", job("a"), job("c"));
    assert_eq!(doubt(file.as_bytes(), &part).map(|partial| partial.lost), Some(4));
}

#[test]
fn content_that_stops_in_or_before_the_last_line_lacks_the_end() {
    let rows: String = (0..12).map(|at| format!("int f{at}(int);\n")).collect();
    let file = format!("{rows}#endif\n");
    for (content, expected) in [
        (rows.clone(), Missing::End),
        (rows.replace("11(int);", "1"), Missing::End),
        (format!("{file}/// Doc.\n"), Missing::Closing),
    ] {
        assert_eq!(doubt(file.as_bytes(), &content).map(|partial| partial.why), Some(expected), "{content}");
    }
}

#[test]
fn content_that_begins_later_lacks_the_start() {
    let file =
        "var fs = require('fs');\n\nvar json = fs.read('a');\nrun(json);\nstop(json);\nlog(1);\nlog(2);\n";
    let without = file.strip_prefix("var fs = require('fs');\n\n").expect("the rest");
    assert_eq!(doubt(file.as_bytes(), without).map(|partial| partial.why), Some(Missing::Start));
    // What needs it is gone too.
    assert_eq!(doubt(file.as_bytes(), &without.replace("fs.read('a')", "load('a')")), None);
    let list =
        "[\n {\n  \"op\": 1\n },\n {\n  \"op\": 2,\n  \"to\": 3\n },\n {\n  \"op\": 4,\n  \"by\": 5\n }\n]\n";
    let inside = list.strip_prefix("[\n {\n").expect("the rest");
    assert!(doubt(list.as_bytes(), inside).is_some());
}

#[test]
fn content_that_ends_open_is_cut_off() {
    let file = "a(1);\nb(`x`);\nc(2);\n";
    for content in ["a(1);\nb(`x`);\nc(\n", "a(1);\nb(`x`);\nc(2, `\n", "a(1);\nb(`x`);\n/* c(2);\n"] {
        let found = doubt(file.as_bytes(), content).map(|partial| partial.why);
        assert_eq!(found, Some(Missing::Closing), "{content}");
    }
    for content in ["a(1);\nb(`x`);\nc(3);\n", "a(\":(\");\nb(`x`);\nc(2);\n"] {
        assert_eq!(doubt(file.as_bytes(), content), None, "{content}");
    }
}

#[test]
fn other_lines_in_the_place_of_a_stretch_are_no_new_version_of_it() {
    let whole = file(0..6);
    let stretch = |at: usize| format!("    y = x + {at}\n    print(y, {at})\n    return y * {at}\n\n\n");
    let gone = format!("{}def f3(x):\n{}", stretch(2), stretch(3));
    let other = "    with lock:\n        queue.put(None)\n        worker.join()\n    log.info(done)\n    del worker\n";
    check(&whole.replace(&gone, other), Some(Missing::Middle));
    let version = gone.replace("print(", "show(").replace("y = x", "y = 2 * x");
    check(&whole.replace(&gone, &version), None);
}

#[test]
fn a_part_whose_ends_are_known_has_a_region() {
    let part = "def f2(x):\n    y = x + 20\n    print(y, 2)\n    return y * 2\n";
    let found = doubt(file(0..6).as_bytes(), part).expect("a part");
    assert_eq!(found.region, Some(18..=21));
    let other = doubt(file(0..6).as_bytes(), &part.replace("def f2(x)", "def f2(x, z)")).expect("a part");
    assert_eq!(other.region, None);
}
