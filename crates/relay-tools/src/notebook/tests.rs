//! Cells change, and nothing else does.

use serde_json::Value;

use super::from_text::from_text;
use super::splice::{Change, Notebook};
use super::text::as_text;

const PLAIN: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {"odd": 1.50, "z": 1e10},
   "source": [
    "# Title\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 7,
   "metadata": {},
   "outputs": [{"output_type": "stream", "name": "stdout", "text": ["é"]}],
   "source": "x = 1"
  }
 ],
 "metadata": {"unknown": [1,2]},
 "nbformat": 4,
 "nbformat_minor": 4
}
"##;

fn change(text: &str, index: usize, change: Change<'_>) -> Result<String, String> {
    let notebook = Notebook::parse(text.as_bytes())?;
    notebook.change(index, &change).map(|done| String::from_utf8(done.bytes).unwrap())
}

#[test]
fn an_edit_changes_the_source_and_no_other_byte() {
    let after = change(PLAIN, 0, Change::Edit("a\nb\n")).unwrap();
    let expected = PLAIN.replace("    \"# Title\\n\",\n    \"text\"\n", "    \"a\\n\",\n    \"b\\n\"\n");
    assert_eq!(after, expected);
    let text = change(PLAIN, 1, Change::Edit("y = \"2\"")).unwrap();
    assert_eq!(text, PLAIN.replace("\"source\": \"x = 1\"", "\"source\": [\n    \"y = \\\"2\\\"\"\n   ]"));
}

#[test]
fn cells_are_inserted_anywhere_and_removed_again() {
    for index in 0..=2 {
        for cell_type in ["code", "markdown"] {
            let with = change(PLAIN, index, Change::Insert { source: "n\nm", cell_type }).unwrap();
            let value: Value = serde_json::from_str(&with).unwrap();
            let cell = &value["cells"][index];
            assert_eq!(
                (cell["cell_type"].as_str(), cell["source"][0].as_str()),
                (Some(cell_type), Some("n\n"))
            );
            assert_eq!(cell.get("outputs").is_some(), cell_type == "code");
            assert_eq!(cell.get("execution_count").is_some(), cell_type == "code");
            assert!(cell.get("id").is_none(), "format 4.4 has no ids");
            assert_eq!(change(&with, index, Change::Delete).unwrap(), PLAIN, "{index} {cell_type}");
        }
    }
    let newer = PLAIN.replace("\"nbformat_minor\": 4", "\"nbformat_minor\": 5");
    let with = change(&newer, 0, Change::Insert { source: "", cell_type: "code" }).unwrap();
    let value: Value = serde_json::from_str(&with).unwrap();
    assert_eq!(value["cells"][0]["id"].as_str().map(str::len), Some(8));
    assert_eq!(value["cells"][0]["source"], serde_json::json!([]));
}

#[test]
fn files_of_one_line_and_without_cells_work_too() {
    let small = r#"{"cells":[],"nbformat":4,"nbformat_minor":2,"metadata":{}}"#;
    let with = change(small, 0, Change::Insert { source: "a", cell_type: "markdown" }).unwrap();
    assert_eq!(
        with,
        r#"{"cells":[{"cell_type":"markdown","metadata":{},"source":["a"]}],"nbformat":4,"nbformat_minor":2,"metadata":{}}"#
    );
    assert_eq!(change(&with, 0, Change::Delete).unwrap(), small);
    let bare = r#"{"cells":[{"cell_type":"code"}],"nbformat":4}"#;
    let edited = change(bare, 0, Change::Edit("z")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&edited).unwrap()["cells"][0]["source"][0], "z");
}

#[test]
fn what_cannot_be_done_is_said() {
    for (text, index, kind, says) in [
        (PLAIN, 2, Change::Edit("x"), "Cell index 2 out of range; use 0-1."),
        (PLAIN, 2, Change::Delete, "Cell index 2 out of range"),
        (PLAIN, 3, Change::Insert { source: "", cell_type: "code" }, "Cell index 3 out of range; use 0-2."),
        ("{\"cells\": []}", 0, Change::Delete, "there are no cells"),
        ("{ nope", 0, Change::Delete, "Invalid JSON in notebook"),
        ("{}", 0, Change::Delete, "missing or invalid `cells` array"),
        ("{\"cells\": {}}", 0, Change::Delete, "missing or invalid `cells` array"),
        ("[]", 0, Change::Delete, "Invalid JSON in notebook"),
    ] {
        let error = change(text, index, kind).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
    }
}

#[test]
fn a_notebook_reads_as_cells() {
    assert_eq!(
        as_text(PLAIN.as_bytes()).unwrap(),
        "# %% [markdown] cell:0\n# Title\ntext\n# %% [code] cell:1\nx = 1\n"
    );
    assert!(as_text(b"{}").is_err() && as_text(b"x").is_err());
}

/// What `edit` makes of the text becomes cells again.
#[track_caller]
fn check_text(edit: impl Fn(&str) -> String, expected: &str) {
    let text = as_text(PLAIN.as_bytes()).unwrap();
    let found = from_text(PLAIN.as_bytes(), &edit(&text)).map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(found.as_deref(), Ok(expected));
}

#[test]
fn cells_that_stay_keep_every_byte() {
    check_text(str::to_owned, PLAIN);
    check_text(
        |text| text.replace("# Title\ntext", "a\nb"),
        &PLAIN.replace("    \"# Title\\n\",\n    \"text\"\n", "    \"a\\n\",\n    \"b\"\n"),
    );
    let without = change(PLAIN, 0, Change::Delete).unwrap();
    check_text(|text| text.replace("# %% [markdown] cell:0\n# Title\ntext\n", ""), &without);
    let with = change(PLAIN, 1, Change::Insert { source: "n\nm", cell_type: "code" }).unwrap();
    let new = "# %% [code]\nn\nm\n# %% [code] cell:1";
    check_text(|text| text.replace("# %% [code] cell:1", new), &with);
}

#[test]
fn cells_move_with_all_that_belongs_to_them() {
    let moved = "# %% [code] cell:1\nx = 1\n# %% [markdown] cell:0\n# Title\ntext\n";
    let after = from_text(PLAIN.as_bytes(), moved).unwrap();
    let (after, before): (Value, Value) =
        (serde_json::from_slice(&after).unwrap(), serde_json::from_str(PLAIN).unwrap());
    assert_eq!(after["cells"][0], before["cells"][1]);
    assert_eq!(after["cells"][1], before["cells"][0]);
    let none: Value = serde_json::from_slice(&from_text(PLAIN.as_bytes(), "").unwrap()).unwrap();
    assert_eq!(none["cells"], serde_json::json!([]));
    let one = r#"{"cells":[],"nbformat":4,"nbformat_minor":2,"metadata":{}}"#;
    let with = from_text(one.as_bytes(), "# %% [markdown]\na\n").unwrap();
    assert_eq!(
        with,
        change(one, 0, Change::Insert { source: "a", cell_type: "markdown" }).unwrap().as_bytes()
    );
}

#[test]
fn a_cell_is_copied_with_an_id_of_its_own() {
    let newer =
        r#"{"cells":[{"cell_type":"code","id":"aaaa","source":["x"]}],"nbformat":4,"nbformat_minor":5}"#;
    let text = as_text(newer.as_bytes()).unwrap();
    let after: Value =
        serde_json::from_slice(&from_text(newer.as_bytes(), &text.repeat(2)).unwrap()).unwrap();
    assert_eq!(after["cells"].as_array().map(Vec::len), Some(2));
    assert_ne!(after["cells"][0]["id"], after["cells"][1]["id"]);
    assert_eq!(after["cells"][1]["source"], serde_json::json!(["x"]));
}

#[test]
fn text_that_belongs_to_no_cell_is_refused() {
    assert!(from_text(PLAIN.as_bytes(), "x = 1\n").unwrap_err().contains("before the first cell"));
    let odd = r##"{"cells":[{"cell_type":"code","source":["# %% [code] cell:0\n","x"]}],"nbformat":4}"##;
    let text = as_text(odd.as_bytes()).unwrap();
    assert!(from_text(odd.as_bytes(), &text).unwrap_err().contains("looks like the marker of a cell"));
}
