//! The agent's `notebook`, `inspect_image` and `render_mermaid`.

use serde_json::{Value, json};
use testkit::model::Reply;

use crate::tool_lab::lab;

const NOTEBOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": null,\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"x = 1\"\n   ]\n  }\n ],\n \"metadata\": {\"odd\": 1.50},\n \"nbformat\": 4,\n \"nbformat_minor\": 4\n}\n";

#[test]
fn cells_are_changed_and_the_change_can_be_undone() {
    let lab = lab();
    lab.env.write("n.ipynb", NOTEBOOK);
    let call = |arguments: Value| lab.call("notebook", arguments);
    let edited =
        call(json!({ "action": "edit", "notebook_path": "n.ipynb", "cell_index": 0, "content": "y = 2" }));
    assert_eq!(edited, "Replaced cell 0 (code) of n.ipynb; it has 1 cells.");
    assert_eq!(lab.env.read("n.ipynb"), NOTEBOOK.replace("x = 1", "y = 2"));
    let inserted = call(
        json!({ "action": "insert", "notebook_path": "n.ipynb", "cell_index": 1, "content": "# T", "cell_type": "markdown" }),
    );
    assert_eq!(inserted, "Inserted markdown cell 1 into n.ipynb; it has 2 cells.");
    let value: Value = serde_json::from_str(&lab.env.read("n.ipynb")).unwrap();
    assert_eq!(value["cells"][1], json!({ "cell_type": "markdown", "metadata": {}, "source": ["# T"] }));
    call(json!({ "action": "delete", "notebook_path": "n.ipynb", "cell_index": 1 }));
    assert_eq!(lab.env.read("n.ipynb"), NOTEBOOK.replace("x = 1", "y = 2"));
    for _ in 0..3 {
        lab.env.relay(&["undo", "--yes"]).success();
    }
    assert_eq!(lab.env.read("n.ipynb"), NOTEBOOK);
}

#[test]
fn what_a_notebook_cannot_do_is_said_and_changes_nothing() {
    let lab = lab();
    lab.env.write("n.ipynb", NOTEBOOK);
    lab.env.write("bad.ipynb", "{ nope");
    lab.env.write("no.ipynb", "{}");
    let before = lab.env.tree();
    for (arguments, says) in [
        (
            json!({ "action": "edit", "notebook_path": "n.ipynb", "cell_index": 5, "content": "" }),
            "Cell index 5 out of range",
        ),
        (json!({ "action": "edit", "notebook_path": "n.ipynb", "cell_index": 0 }), "`content` is required"),
        (json!({ "action": "delete", "notebook_path": "none.ipynb", "cell_index": 0 }), "Notebook not found"),
        (
            json!({ "action": "delete", "notebook_path": "bad.ipynb", "cell_index": 0 }),
            "Invalid JSON in notebook",
        ),
        (
            json!({ "action": "delete", "notebook_path": "no.ipynb", "cell_index": 0 }),
            "invalid `cells` array",
        ),
        (json!({ "action": "delete", "notebook_path": "a.txt", "cell_index": 0 }), "is not a notebook"),
        (json!({ "action": "burn", "notebook_path": "n.ipynb", "cell_index": 0 }), "action"),
    ] {
        let said = lab.call("notebook", arguments.clone());
        assert!(said.contains(says), "{arguments}: {said}");
    }
    assert_eq!(lab.env.tree(), before);
}

#[test]
fn a_diagram_is_drawn_and_kept() {
    let lab = lab().set("renderMermaid.enabled = true\n");
    let drawn =
        lab.call("render_mermaid", json!({ "mermaid": "graph LR\n A-->B", "config": { "useAscii": true } }));
    assert!(drawn.contains("| A +") && drawn.contains(">| B |"), "{drawn}");
    assert!(drawn.contains("[Saved as artifact://0]"), "{drawn}");
    let wrong = lab.call("render_mermaid", json!({ "mermaid": "graph LR\n A=>B" }));
    assert!(wrong.contains("Line 2:"), "{wrong}");
}

#[test]
fn a_question_about_a_picture_goes_to_a_model_that_sees() {
    let lab = lab().set("inspect_image.enabled = true\n");
    let dot =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    let bytes = decoded(dot);
    std::fs::write(lab.env.path("dot.png"), bytes).unwrap();
    let shown = lab.read("dot.png");
    assert!(shown.contains("Use `inspect_image`") && shown.contains("1x1"), "{shown}");
    lab.server.queue(Reply::text("").tool(
        "c",
        "inspect_image",
        &json!({ "path": "dot.png", "question": "What colour?" }).to_string(),
    ));
    lab.server.queue(Reply::text("It is grey."));
    lab.server.queue(Reply::text("Done."));
    let run = lab.env.relay(&["run", "--model", "lab/m", "look"]).success();
    assert!(run.stdout.contains("Done."), "{}", run.stdout);
    let requests = lab.server.requests();
    let asked = requests[requests.len() - 2].body.to_string();
    assert!(asked.contains("What colour?") && asked.contains("data:image/png;base64,"), "{asked}");
    assert!(requests[requests.len() - 1].body.to_string().contains("It is grey."));
    let blocked = crate::tool_lab::lab().set("inspect_image.enabled = true\nimages.blockImages = true\n");
    blocked.env.write("x.png", "no");
    let said = blocked.call("inspect_image", json!({ "path": "x.png", "question": "?" }));
    assert!(said.contains("images.blockImages"), "{said}");
}

fn decoded(base64: &str) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits = base64.bytes().filter_map(|byte| LETTERS.iter().position(|letter| *letter == byte));
    let mut bytes = Vec::new();
    let (mut held, mut count) = (0usize, 0);
    for six in bits {
        held = held << 6 | six;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(held >> count & 0xff).unwrap());
        }
    }
    bytes
}
