//! What holds for every file tool: what it is declared as, and that it ends when it is told to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use relay_agent::tool::{Tool, ToolError};
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

use crate::testing::Lab;
use crate::{edit, find, inspect_image, notebook, read, render_mermaid, search, write};

/// What models read must not change unnoticed. `edit` and `write` have their snapshots beside their other tests.
#[test]
fn tools_are_declared_as_they_are_documented() {
    let tools: [Box<dyn Tool>; 6] = [
        Box::new(read::Read::new()),
        Box::new(search::Search::new()),
        Box::new(find::Find::new()),
        Box::new(notebook::EditNotebook::new()),
        Box::new(inspect_image::InspectImage::new()),
        Box::new(render_mermaid::RenderMermaid::new()),
    ];
    for tool in tools {
        let spec = tool.spec();
        let parameters = serde_json::to_string_pretty(&spec.parameters).unwrap();
        let snapshot = format!("{}\n\n{parameters}\n", spec.description);
        let place = format!("{}/src/{}/snapshot.txt", env!("CARGO_MANIFEST_DIR"), spec.name);
        testkit::expect_file(&place, &snapshot);
    }
}

const NOTEBOOK: &str =
    r#"{"cells":[{"cell_type":"code","metadata":{},"source":["x"]}],"nbformat":4,"metadata":{}}"#;

/// A workspace with something for every tool.
fn lab() -> Lab {
    let lab = Lab::new();
    for number in 0..60 {
        lab.write(&format!("src/d{}/f{number}.rs", number % 7), &"fn needle() {}\n".repeat(200));
    }
    lab.write("n.ipynb", NOTEBOOK);
    lab.write("a.txt", "one\ntwo\n");
    lab.write("long.txt", &"some words\n".repeat(400_000));
    lab
}

/// The files that calls change.
fn state(lab: &Lab) -> Vec<Option<Vec<u8>>> {
    ["a.txt", "n.ipynb", "new.txt", "b.zip"].map(|name| std::fs::read(lab.root().join(name)).ok()).to_vec()
}

/// Calls a tool and has it end when it looks for the `n`-th time, for every `n` until it does not notice any more. It says that
/// it was aborted, or it has done everything.
#[track_caller]
fn check_cancelled(tool: &dyn Tool, arguments: &Value) {
    let done = {
        let lab = lab();
        lab.call(tool, arguments.clone()).unwrap();
        state(&lab)
    };
    for looks in [0, 1, 2, 3, 5, 8, 13, 40, 200, 2_000] {
        let mut lab = lab();
        let before = state(&lab);
        let seen = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&seen);
        lab.cancel = Cancel::watching(move || counter.fetch_add(1, Ordering::SeqCst) >= looks);
        match lab.call(tool, arguments.clone()) {
            Ok(_) => assert_eq!(state(&lab), done, "{arguments} after {looks} looks"),
            Err(ToolError::Aborted(_)) => assert_eq!(state(&lab), before, "{arguments} after {looks} looks"),
            Err(error) => panic!("{arguments} after {looks} looks: {error}"),
        }
        if seen.load(Ordering::SeqCst) <= looks {
            break;
        }
    }
}

#[test]
fn looking_ends_when_it_is_told_to() {
    check_cancelled(&read::Read::new(), &json!({ "path": "long.txt:399000-399010" }));
    check_cancelled(&read::Read::new(), &json!({ "path": "src" }));
    check_cancelled(&search::Search::new(), &json!({ "pattern": "needle" }));
    check_cancelled(&find::Find::new(), &json!({ "paths": ["**/*.rs"] }));
}

#[test]
fn changing_is_done_or_not_begun_when_it_is_told_to_end() {
    let replace = json!({ "path": "a.txt", "edits": [{ "old_text": "two", "new_text": "2" }] });
    check_cancelled(&edit::Edit::new(), &replace);
    let vim = json!({ "file": "a.txt", "steps": [{ "kbd": ["x"] }, { "kbd": ["jx"] }] });
    check_cancelled(&edit::Edit::new(), &vim);
    check_cancelled(&write::Write::new(), &json!({ "path": "new.txt", "content": "x\n" }));
    check_cancelled(&write::Write::new(), &json!({ "path": "b.zip:x.txt", "content": "x\n" }));
    let cell = json!({ "action": "edit", "notebook_path": "n.ipynb", "cell_index": 0, "content": "y" });
    check_cancelled(&notebook::EditNotebook::new(), &cell);
}

/// A file that a tool has just written is found, although the listing of a moment ago is kept.
#[test]
fn what_was_written_is_found_at_once() {
    let lab = Lab::new();
    lab.write("a.txt", "x\n");
    let find = || lab.text(&find::Find::new(), json!({ "paths": ["*.txt"] }));
    assert_eq!(find(), "a.txt\n");
    assert_eq!(lab.services.engine.workspace().scans().len(), 1, "the listing is kept");
    lab.text(&write::Write::new(), json!({ "path": "b.txt", "content": "y\n" }));
    assert!(lab.services.engine.workspace().scans().is_empty());
    assert!(find().contains("b.txt\n"));
    let moved = json!({ "path": "b.txt", "edits": [{ "op": "update", "rename": "c.txt" }] });
    lab.text(&edit::Edit::new(), moved);
    let found = find();
    assert!(found.contains("c.txt") && !found.contains("b.txt"), "{found}");
}

/// Anchors from a search stay good when the file changes.
#[test]
fn a_search_makes_its_anchors_good_for_longer() {
    let lab = Lab::new();
    lab.write("a.txt", "one\ntwo\nneedle\nfour\nfive\n");
    let shown = lab.text(&search::Search::new(), json!({ "pattern": "needle" }));
    let anchor = shown.lines().find_map(|line| line.strip_prefix('*')?.split('|').next()).unwrap().to_owned();
    lab.write("a.txt", "zero\none\ntwo\nneedle\nfour\nfive\n");
    let input = format!("§a.txt\n≔{anchor}\nfound\n");
    lab.text(&edit::Edit::new(), json!({ "input": input }));
    let after = std::fs::read_to_string(lab.root().join("a.txt")).unwrap();
    assert_eq!(after, "zero\none\ntwo\nfound\nfour\nfive\n");
}

/// A model that writes edits in another form gets no anchors, and neither does one without `edit`.
#[test]
fn anchors_come_where_the_model_edits_by_them() {
    let variants = json!({ "gpt": "apply_patch" });
    let mut lab = Lab::with(&[("edit.modelVariants", variants)], Arc::new(relay_agent::tool::Unattended));
    lab.write("a.py", "def alpha():\n");
    let read = |lab: &Lab| lab.text(&read::Read::new(), json!({ "path": "a.py" }));
    lab.facts.model = "lab/claude".to_owned();
    assert_eq!(read(&lab), "1th|def alpha():\n");
    lab.facts.tools = vec!["read".to_owned()];
    assert_eq!(read(&lab), "def alpha():\n");
    lab.facts.tools = vec!["read".to_owned(), "edit".to_owned()];
    assert_eq!(read(&lab), "1th|def alpha():\n");
    lab.facts.model = "openai/gpt-5".to_owned();
    assert_eq!(read(&lab), "def alpha():\n");
}

/// What `read` shows of a notebook is what `edit` changes.
#[test]
fn a_notebook_is_read_edited_and_read_again() {
    let lab = Lab::new();
    let before = r#"{"cells":[{"cell_type":"code","metadata":{},"outputs":[1],"source":["x = 1\n","y"]}],"nbformat":4}"#;
    lab.write("n.ipynb", before);
    let read = || lab.text(&read::Read::new(), json!({ "path": "n.ipynb" }));
    let shown = read();
    let anchor = |shown: &str, text: &str| {
        let line = shown.lines().find(|line| line.ends_with(&format!("|{text}"))).unwrap();
        line.split('|').next().unwrap().to_owned()
    };
    let (marker, line) = (anchor(&shown, "# %% [code] cell:0"), anchor(&shown, "x = 1"));
    let input = format!("§n.ipynb\n≔{line}\nx = 2\n«{marker}\n# %% [markdown]\n# Title\n");
    let said = lab.text(&edit::Edit::new(), json!({ "input": input }));
    assert!(said.starts_with("n.ipynb:\n") && said.contains("|x = 2"), "{said}");
    let after = std::fs::read_to_string(lab.root().join("n.ipynb")).unwrap();
    let cell = r##"{"cell_type":"markdown","metadata":{},"source":["# Title"]}"##;
    let expected = before.replace("x = 1", "x = 2").replace("\"cells\":[", &format!("\"cells\":[{cell},"));
    assert_eq!(after, expected);
    assert!(read().contains("|# %% [markdown] cell:0\n"));
    for (form, arguments) in [
        ("replace", json!({ "path": "n.ipynb", "edits": [{ "old_text": "y", "new_text": "z" }] })),
        (
            "patch",
            json!({ "path": "n.ipynb", "edits": [{ "op": "update", "diff": "@@\n x = 2\n-z\n+w\n" }] }),
        ),
    ] {
        let said = lab.text(&edit::Edit::new(), arguments);
        assert!(said.contains("n.ipynb"), "{form}: {said}");
    }
    assert!(read().ends_with("|w\n"), "{}", read());
    lab.write("a.txt", "a\n");
    let both = json!({ "input": "§a.txt\n»EOF\nb\n§n.ipynb\n»EOF\nq\n" });
    assert!(lab.error(&edit::Edit::new(), both).contains("in a call of their own"));
}
