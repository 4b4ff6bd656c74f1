//! Every block of a reply is accounted for: what lands, what is only shown, what refuses the reply.

use serde_json::{Value, json};
use testkit::TestEnv;

use crate::{PLAIN, apply, codes, project};

const FILE: &str = "import os\n\n\ndef area(w, h):\n    return w * h\n\n\ndef name():\n    return os.name\n";
const LANDED: &str =
    "import os\n\n\ndef area(w, h):\n    return abs(w * h)\n\n\ndef name():\n    return os.name\n";
const DIFF: &str = "```diff\n--- a/shape.py\n+++ b/shape.py\n@@ -4,2 +4,2 @@\n def area(w, h):\n-    return w * h\n+    return abs(w * h)\n```\n";
const RUN: &str = "Run the tests:\n\n```bash\npytest\n```\n";
const UNCLEAR: &str = "Then add this near the imports:\n\n```python\nimport sys\n```\n";

fn shapes() -> TestEnv {
    let env = project(PLAIN);
    env.write("shape.py", FILE);
    env
}

fn classes(document: &Value) -> Vec<(Value, &str)> {
    let blocks = document["blocks"].as_array().expect("blocks");
    blocks.iter().map(|block| (block["lines"].clone(), block["class"].as_str().unwrap())).collect()
}

#[test]
fn blocks_that_are_only_shown_are_listed_and_the_edits_land() {
    let env = shapes();
    env.write("reply.md", &format!("Fixed.\n\n{DIFF}\n{RUN}"));
    let run = env.relay(&["apply", "reply.md"]).run();
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("1 edit landed, 1 block only shown (line 14)"), "{}", run.stdout);
    assert_eq!(env.read("shape.py"), LANDED);
    let shown = env.relay(&["show"]).run();
    assert!(shown.stdout.contains("reply lines 14–16: commands to type"), "{}", shown.stdout);
    let document: Value = serde_json::from_str(&env.relay(&["show", "--json"]).run().stdout).unwrap();
    assert_eq!(classes(&document), [(json!([3, 10]), "edit"), (json!([14, 16]), "shown")]);
}

#[test]
fn an_unclear_block_refuses_the_reply_by_name() {
    let env = shapes();
    let text = format!("Fixed.\n\n{DIFF}\n{UNCLEAR}");
    for flags in [&[][..], &["--yes"], &["--dry-run"]] {
        let (code, document) = apply(&env, &text, flags);
        assert_eq!(
            (code, codes(&document)),
            (1, vec!["unclear-block".to_owned()]),
            "{flags:?}: {document:#}"
        );
        assert_eq!(document["diagnostics"][0]["line"], 14);
        assert_eq!(classes(&document), [(json!([3, 10]), "edit"), (json!([14, 16]), "unclear")]);
        assert_eq!(env.read("shape.py"), FILE);
    }
}

#[test]
fn explain_lists_the_blocks_and_lands_nothing() {
    let env = shapes();
    let (code, document) = apply(&env, &format!("Fixed.\n\n{DIFF}\n{UNCLEAR}\n{RUN}"), &["--explain"]);
    assert_eq!((code, document["status"].as_str()), (0, Some("explained")), "{document:#}");
    let expected = [(json!([3, 10]), "edit"), (json!([14, 16]), "unclear"), (json!([20, 22]), "shown")];
    assert_eq!(classes(&document), expected);
    assert_eq!(document["blocks"][0]["path"], "shape.py");
    assert_eq!(document["blocks"][0]["dialect"], "unified");
    assert_eq!(env.read("shape.py"), FILE);
    env.write("reply.md", &format!("{DIFF}\n{UNCLEAR}"));
    let run = env.relay(&["apply", "--explain", "reply.md"]).run();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("12–14  unclear"), "{}", run.stdout);
}

#[test]
fn a_block_can_be_marked_as_only_shown() {
    let env = shapes();
    let text = format!("Fixed.\n\n{DIFF}\n{UNCLEAR}");
    let (code, document) = apply(&env, &text, &["--ignore", "15"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(document["blocks"][1]["reason"], "marked with --ignore");
    assert_eq!(env.read("shape.py"), LANDED);
    let (code, document) = apply(&env, &text, &["--ignore", "2"]);
    assert_eq!((code, codes(&document)), (1, vec!["no-such-block".to_owned()]), "{document:#}");
}

#[test]
fn an_edit_can_be_ignored_too() {
    let env = shapes();
    let second = "```diff\n--- a/shape.py\n+++ b/shape.py\n@@ -8,2 +8,2 @@\n def name():\n-    return os.name\n+    return 1\n```\n";
    let (code, document) = apply(&env, &format!("{DIFF}\n{second}"), &["--ignore", "11"]);
    assert_eq!(code, 0, "{document:#}");
    assert_eq!(env.read("shape.py"), LANDED);
}

#[test]
fn partial_lands_the_edits_and_reports_the_rest() {
    let env = shapes();
    let (code, document) = apply(&env, &format!("{DIFF}\n{UNCLEAR}"), &["--partial"]);
    assert_eq!((code, document["status"].as_str()), (3, Some("partial")), "{document:#}");
    assert_eq!(codes(&document), ["unclear-block"]);
    assert_eq!(env.read("shape.py"), LANDED);
}

#[test]
fn a_person_is_asked_about_unclear_blocks() {
    let env = shapes();
    env.write("reply.md", &format!("{DIFF}\n{UNCLEAR}"));
    let mut screen = env.pty(&["apply", "reply.md"]);
    screen.expect("is this block only shown");
    screen.send("y\n");
    assert_eq!(screen.wait(), 0);
    assert_eq!(env.read("shape.py"), LANDED);
}

#[test]
fn code_below_a_path_that_cannot_be_written_refuses_the_reply() {
    let env = shapes();
    let long = format!("### {}.py", "a".repeat(4_100));
    for title in ["**gradlew**", "### .", "### src/", &long, "`file:///x.py`", "### a\u{1}b.py"] {
        let (code, document) =
            apply(&env, &format!("{DIFF}\n{title}\n\n```python\nx = 1\nprint(x)\n```\n"), &[]);
        let name: String = title.chars().take(20).collect();
        assert_eq!(code, 1, "{name}: {document:#}");
        assert_eq!(env.read("shape.py"), FILE, "{name}");
    }
}

/// A patch for `name.py` inside a command, in every common form.
#[test]
fn a_patch_inside_a_command_is_an_edit_and_never_only_shown() {
    const PATCH: &str = "--- a/name.py\n+++ b/name.py\n@@ -1,2 +1,2 @@\n one = 1\n-two = 2\n+two = 22\n";
    let check = |reply: &str| {
        let env = shapes();
        env.write("name.py", "one = 1\ntwo = 2\n");
        let (code, document) = apply(&env, &format!("Fixed.\n\n{DIFF}\n{reply}"), &[]);
        assert_eq!(code, 0, "{reply}\n{document:#}");
        assert_eq!(
            (env.read("shape.py"), env.read("name.py")),
            (LANDED.into(), "one = 1\ntwo = 22\n".into())
        );
    };
    for command in [
        "git apply <<'EOF'",
        "git apply - <<EOF",
        "patch -p1 <<'EOF'",
        "patch -p0 << EOF",
        "sudo patch -p1 <<EOF",
        "cat <<EOF | git apply",
        "cd . && git apply --whitespace=fix <<EOF",
    ] {
        for language in ["bash", "", "console"] {
            check(&format!("Then run:\n\n```{language}\n{command}\n{PATCH}EOF\n```\n"));
        }
    }
    for command in ["git apply fix.patch", "patch -p1 < fix.patch", "git am fix.patch"] {
        for above in ["Save this as `fix.patch`:", "### `fix.patch`", "Put this in fix.patch:"] {
            check(&format!("{above}\n\n```diff\n{PATCH}```\n\nThen run:\n\n```bash\n{command}\n```\n"));
        }
    }
}

#[test]
fn commands_that_name_nothing_of_the_reply_are_only_shown() {
    for command in
        ["git apply fix.patch", "npx prettier --write .", "gofmt -w main.go", "black .", "cargo fmt"]
    {
        let env = shapes();
        let (code, document) = apply(&env, &format!("{DIFF}\nThen run:\n\n```bash\n{command}\n```\n"), &[]);
        assert_eq!((code, env.read("shape.py").as_str()), (0, LANDED), "{command}\n{document:#}");
        assert_eq!(document["blocks"][1]["reason"], "commands to type", "{command}");
    }
}
