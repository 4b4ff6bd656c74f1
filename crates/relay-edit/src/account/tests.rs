//! Replies with the class of each of their blocks.

use std::collections::BTreeMap;

use super::*;
use crate::{Snapshot, parse, plan};

/// Files before and after a reply's edits.
struct Project {
    before: BTreeMap<String, String>,
    after: BTreeMap<String, String>,
}

impl Files for Project {
    fn before(&self, path: &str) -> Option<Cow<'_, str>> {
        self.before.get(path).map(|text| text.as_str().into())
    }

    fn after(&self, path: &str) -> Option<Cow<'_, str>> {
        self.after.get(path).map(|text| text.as_str().into())
    }

    fn changed(&self) -> Vec<String> {
        self.after.keys().cloned().collect()
    }

    fn find(&self, is_wanted: &dyn Fn(&str) -> bool, test: &dyn Fn(&str) -> bool) -> Option<String> {
        self.before.iter().find(|(path, text)| is_wanted(path) && test(text)).map(|(path, _)| path.clone())
    }

    fn exists(&self, path: &str) -> bool {
        self.before.contains_key(path)
    }
}

const FILE: &str = "import os\n\n\ndef area(w, h):\n    return w * h\n\n\ndef name():\n    return os.name\n";
const OTHER: &str = "def other():\n    return 1\n";
const DIFF: &str = "```diff\n--- a/shape.py\n+++ b/shape.py\n@@ -4,2 +4,2 @@\n def area(w, h):\n-    return w * h\n+    return abs(w * h)\n```\n";

fn classes(reply: &str) -> Vec<(Class, String)> {
    classes_in(&[("shape.py", FILE), ("label.py", OTHER)], reply)
}

/// The class of each block, in a project of these files.
fn classes_in(files: &[(&str, &str)], reply: &str) -> Vec<(Class, String)> {
    let before: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let files = before.iter().map(|(path, text)| (path.clone(), text.clone().into_bytes())).collect();
    let reply = parse(reply, None);
    let planned = plan(&reply.edits, &Snapshot { files, ..Snapshot::default() });
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let after =
        planned.changes.into_iter().filter_map(|change| Some((change.path, text(change.after?)))).collect();
    let blocks = account(&reply.passages, &reply.edits, &Project { before, after });
    blocks.into_iter().map(|block| (block.class, block.reason.into_owned())).collect()
}

/// Checks the class of a block that follows an edit.
#[track_caller]
fn check(class: Class, after_edit: &[&str]) {
    for block in after_edit {
        let found = classes(&format!("Fixed:\n\n{DIFF}\n{block}"));
        assert_eq!(found.len(), 2, "{block}: {found:?}");
        assert_eq!((found[0].0, found[1].0), (Class::Edit, class), "{block}: {found:?}");
    }
}

#[test]
fn what_is_only_shown_does_not_refuse_a_reply() {
    check(
        Class::Shown,
        &[
            "Run the tests:\n\n```bash\npytest -x\n```\n",
            "Usage:\n\n```python\nprint(area(2, -3))\n```\n",
            "Then call it like so:\n\n```python\narea(1, 2)\n```\n",
            "Output:\n\n```\n6\n```\n",
            "```text\n6\n```\n",
            "The function is now:\n\n```python\ndef area(w, h):\n    return abs(w * h)\n```\n",
            "The other function is:\n\n```python\ndef name():\n    return os.name\n```\n",
            "In `label.py` you currently have:\n\n```python\ndef other():\n    return 1\n```\n\nThat is fine.\n",
            "```\nproject\n├── shape.py\n└── test.py\n```\n",
            "```python\n>>> area(1, -2)\n2\n```\n",
            "Thanks for the files. Two things matter:\n\n- speed\n- safety\n\nTimings:\n\n```\nold 12.3 ms\nnew 4.1 ms\n```\n",
            "Clean up:\n\n```bash\nrm -rf node_modules && rm old.log\n```\n",
            "{\"name\": \"read_file\", \"arguments\": {\"path\": \"shape.py\"}}\n",
            "Alternatively, use a container:\n\n```bash\ndocker run shape\n```\n",
            "A typical call looks like this:\n\n```python\nwide = area(3, 4)\n```\n",
            "Here's how I'd do it.\n\n```mermaid\ngraph TD; A-->B;\n```\n",
            "Timings:\n\n```\nold 12.3 ms\nnew 4.1 ms\n```\n",
            // An assignment behind a prompt is typed, and not code of a file.
            "```\n$ python -c \"x = area(1, 2)\"\n2\n```\n",
            "It ends so:\n\n```log\ndist/\nbuild/\n```\n",
        ],
    );
}

#[test]
fn code_for_a_shell_may_belong_to_a_script() {
    check(
        Class::Unclear,
        &[
            "Then add this helper:\n\n```bash\nmeasure() {\n  wc -l shape.py\n}\n```\n",
            "Don't forget to add the option:\n\n```bash\nwith_option 3\n```\n",
            "Alternatively:\n\n```bash\nmeasure() {\n  wc -c shape.py\n}\n```\n",
            "- Delete `shape.py`.\n",
            "{\"tool\": \"write\", \"arguments\": {\"path\": \"shape.py\", \"content\": \"import",
            "{\"name\": \"edit_symbol\", \"arguments\": {\"path\": \"shape.py\", \"symbol\": \"area\", \"body\": \"x\"}}\n",
        ],
    );
}

#[test]
fn what_may_be_an_edit_refuses_it() {
    check(
        Class::Unclear,
        &[
            "Add this near the imports:\n\n```python\nimport sys\n```\n",
            "Also add a helper:\n\n```python\ndef double(x):\n    return 2 * x\n```\n",
            "Alternatively:\n\n```python\ndef area(w, h):\n    return max(w * h, 0)\n```\n",
            "Actually, use this:\n\n```python\ndef area(w, h):\n    return max(w * h, 0)\n```\n",
            "Alternatively:\n\n```diff\n--- a/shape.py\n+++ b/shape.py\n@@ -8,2 +8,2 @@\n def name():\n-    return os.name\n+    return os.uname()\n```\n",
            "```python\ndef double(x):\n    return 2 * x\n```\n",
            "```bash\nsed -i 's/os/sys/' shape.py\n```\n",
            "```bash\nrm shape.py\n```\n",
            "```\nsed -i 's/os/sys/' shape.py\ndone\n```\n",
            "```bash\nLANG=C rm shape.py\n```\n",
            "```\ntotal = 6 * 7\n```\n",
            // Too little to be a quotation of a file that nobody named.
            "```python\nreturn 1\n```\n",
            "Add this to the introduction:\n\n```markdown\n> Slow on Windows.\n```\n",
            "{\"name\": \"edit_symbol\", \"arguments\": {\"symbol\": \"area\", \"path\": \"shape.py\"}}\n",
            "Use it in `shape.py`:\n\n```python\nprint(area(1, 2))\n```\n",
            "Replace this:\n\n```python\nimport os\n```\n",
            "Open `shape.py` and find this block:\n\n```python\nimport os\n```\n",
            // The documentation of a function, which looks like a session.
            "If you need it to be compatible, use this instead:\n\n```python\n>>> area(1, 2)\n2\n```\n",
            "`shape.py`:\n\n```python\n>>> area(1, 2)\n2\ndef area(w, h):\n    return w * h or 0\n```\n",
            // The reply was cut off.
            "In `label.py` you currently have:\n\n```python\ndef other():\n    return 1\n```\n",
            // Lines that are drawn like a tree.
            "With extra safety:\n\n```python\n    '├── shape',\n    '└── name',\n```\n",
            // Cut out of something.
            "Setup:\n\n```python\n        value = check(value)\n    ]\n```\n",
            "Output:\n\n```output\n    ready(value)\n  }\n```\n",
            "Verify:\n\n```python\n# Guarded.\ndef area(w, h):\n```\n",
        ],
    );
}

#[test]
fn instructions_in_prose_are_edits() {
    check(
        Class::Edit,
        &[
            "In `shape.py`, replace:\n\n```python\n    return os.name\n```\n\nwith:\n\n```python\n    return os.uname()\n```\n",
            "Remove this line from `shape.py`:\n\n```python\nimport os\n```\n",
            "Add this after `import os` in `shape.py`:\n\n```python\nimport sys\n```\n",
            "Create `color.py`:\n\n```python\nRED = 1\n```\n",
            "```python\n# color.py\nRED = 1\n```\n",
            "```bash\ncat > color.py <<'EOF'\nRED = 1\nEOF\n```\n",
            "<write_to_file>\n<path>color.py</path>\n<content>\nRED = 1\n</content>\n</write_to_file>\n",
            "{\"path\": \"shape.py\", \"old_string\": \"os.name\", \"new_string\": \"os.uname()\"}\n",
        ],
    );
}

/// Words that sound like an example or like output do not make a change of the project's code one.
#[test]
fn a_changed_version_of_a_file_is_unclear_whatever_is_said() {
    let version = "```python\nimport os\n\ndef name():\n    return os.name.upper()\n```\n";
    for lead in
        ["For example:", "Use it like this:", "This results in:", "Unchanged except for one line:", "Setup:"]
    {
        check(Class::Unclear, &[&format!("{lead}\n\n{version}")]);
    }
    check(Class::Shown, &["For example:\n\n```python\nfrom shape import area\n\nprint(area(1, 2))\n```\n"]);
    check(Class::Shown, &["For context:\n\n```python\ndef name():\n    return os.name\n```\n"]);
}

#[test]
fn another_version_of_an_edited_file_is_unclear() {
    let again = DIFF.replace("abs(w * h)", "max(w * h, 0)");
    for lead in ["Final version:", "Or:", "### Alternative", "Better yet:", "v2:"] {
        check(Class::Unclear, &[&format!("{lead}\n\n{again}")]);
    }
}

#[test]
fn code_and_text_that_may_be_meant_are_not_shown() {
    check(
        Class::Unclear,
        &[
            "The ignore list gets two entries:\n\n```\ndist/\n.cache/\n```\n",
            // Lines from inside a function of the file, and a line that is almost one of its.
            "Verify:\n\n```python\n    logging.info(w)\n    return w * h\n```\n",
            "In practice:\n\n```python\ndef name(upper):\n    return os.name\n```\n",
            "Try this:\n\n```console\ndef name():\n    return os.name\n    return os.path\n```\n",
            "Then:\n\n```\nawk '{print}' shape.py > tmp && mv tmp shape.py\n```\n",
            "Then:\n\n```bash\ngrep -rl w . | xargs sed -i s/w/v/\n```\n",
            "Then:\n\n```bash\ntouch other.py\n```\n",
        ],
    );
    check(Class::Shown, &["Then:\n\n```bash\ntouch shape.py\ncurl -o new.py example.org\n```\n"]);
}

/// What a document shows of code is no line of a program, and what a reply shows of a document is one of it.
#[test]
fn code_is_compared_with_programs_and_prose_with_documents() {
    const README: &str = "# Shapes\n\nCall area first.\nThen call name.\nSizes are whole numbers.\n";
    let block = |language: &str| {
        let text = "Call area first.\nThen call name.\nSizes may be fractions.\n";
        let found = classes_in(
            &[("shape.py", FILE), ("README.md", README)],
            &format!("Fixed:\n\n{DIFF}\nFor example:\n\n```{language}\n{text}```\n"),
        );
        found.last().map(|(class, _)| *class)
    };
    assert_eq!(block("markdown"), Some(Class::Unclear));
    assert_eq!(block("python"), Some(Class::Shown));
}

#[test]
fn short_lines_next_to_each_other_are_a_version_of_a_file() {
    let file = "a = 0\nx = 1\ny = 2\nz = 3\n";
    assert!(quoted::is_version_of("x = 1\ny = 2\nz = 3\nw = 4\n", file));
    assert!(!quoted::is_version_of("x = 1\nz = 3\ny = 2\nw = 4\n", file));
}

/// Everybody imports the same.
#[test]
fn an_import_alone_is_no_version_of_a_file() {
    let import = "from shapes.rectangles import area_of_rectangle\n";
    let file = format!("{import}\n\ndef total(items):\n    return sum(map(area_of_rectangle, items))\n");
    assert!(!quoted::is_version_of(&format!("{import}print(area_of_rectangle(1, 2))\n"), &file));
}
