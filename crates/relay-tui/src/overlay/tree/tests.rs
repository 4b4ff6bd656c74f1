//! The session tree, key by key as its description says.

use serde_json::json;

use super::*;
use crate::app::App;

fn tree(offers_summary: bool) -> Tree {
    let mut tree = Tree::new("default", offers_summary);
    let entry = |id: &str, parent: Option<&str>, role: &str, on_path: bool| json!({ "id": id, "shownParentId": parent, "role": role, "text": format!("text of {id}"), "isOnPath": on_path });
    let data = json!({ "leafId": "b2", "entries": [
        entry("a", None, "user", true),
        entry("b", Some("a"), "assistant", true),
        entry("a1", Some("b"), "user", false),
        entry("a2", Some("a1"), "assistant", false),
        entry("b1", Some("b"), "user", true),
        entry("b2", Some("b1"), "assistant", true),
    ] });
    tree.response("get_tree", Ok(&data));
    tree
}

fn press(tree: &mut Tree, chord: &str) -> Step {
    let app = App::new(80, 24);
    tree.key(&Key::parse(chord).unwrap(), &app.view())
}

fn screen(tree: &Tree, height: u16) -> String {
    let app = App::new(60, height);
    tree.lines(&app.view(), &app.conversation)
        .iter()
        .map(|line| line.text().trim_end().to_owned() + "\n")
        .collect()
}

fn command(step: Step) -> Value {
    match step {
        Step::Do(wishes) | Step::Finish(wishes) => match wishes.into_iter().next() {
            Some(Wish::Rpc(command)) => command,
            _ => Value::Null,
        },
        Step::Stay | Step::Close => Value::Null,
    }
}

#[test]
fn the_active_branch_is_marked_and_the_leaf_is_selected() {
    let drawn = screen(&tree(false), 24);
    assert!(
        drawn.contains("❯ ╰─ • user: text of b1") || drawn.contains("❯    • assistant: text of b2"),
        "{drawn}"
    );
    assert!(
        drawn.contains("├─ user: text of a1\n  │  assistant: text of a2\n  ╰─ • user: text of b1"),
        "{drawn}"
    );
}

#[test]
fn the_height_is_half_of_the_screen_and_at_least_five() {
    let mut tree = tree(false);
    let rows = |tree: &Tree, height: u16| {
        screen(tree, height).lines().filter(|line| line.contains("text of")).count()
    };
    assert_eq!((rows(&tree, 24), rows(&tree, 10), rows(&tree, 8)), (6, 5, 4));
    press(&mut tree, "up");
    assert!(screen(&tree, 10).contains("text of b1"));
}

#[test]
fn up_and_down_wrap_and_left_and_right_page() {
    let mut tree = tree(false);
    press(&mut tree, "down");
    assert_eq!(tree.current().unwrap().id, "a");
    press(&mut tree, "up");
    assert_eq!(tree.current().unwrap().id, "b2");
    press(&mut tree, "left");
    assert_eq!(tree.current().unwrap().id, "a");
    press(&mut tree, "right");
    assert_eq!(tree.current().unwrap().id, "b2");
}

#[test]
fn the_current_leaf_is_a_no_op() {
    let step = press(&mut tree(true), "enter");
    assert!(
        matches!(step, Step::Finish(wishes) if matches!(&wishes[..], [Wish::Notice(_, text)] if text == "Already at this point"))
    );
}

#[test]
fn filters_cycle_both_ways_and_have_keys() {
    let mut tree = tree(false);
    for (chord, filter) in [
        ("ctrl+o", "no-tools"),
        ("ctrl+o", "user-only"),
        ("ctrl+shift+o", "no-tools"),
        ("alt+a", "all"),
        ("ctrl+o", "default"),
        ("alt+l", "labeled-only"),
        ("alt+u", "user-only"),
        ("alt+t", "no-tools"),
        ("alt+d", "default"),
    ] {
        assert_eq!(command(press(&mut tree, chord))["filter"], filter, "{chord}");
    }
}

#[test]
fn typing_searches_and_escape_clears_before_it_closes() {
    let mut tree = tree(false);
    assert_eq!(command(press(&mut tree, "x"))["query"], "x");
    assert_eq!(command(press(&mut tree, "y"))["query"], "xy");
    assert_eq!(command(press(&mut tree, "backspace"))["query"], "x");
    assert_eq!(command(press(&mut tree, "escape"))["query"], "");
    assert!(matches!(press(&mut tree, "escape"), Step::Close));
    press(&mut tree, "x");
    assert!(matches!(press(&mut tree, "ctrl+c"), Step::Close));
}

#[test]
fn labels_are_written_and_cleared() {
    let mut tree = tree(false);
    press(&mut tree, "L");
    for chord in ["n", "o", "w"] {
        press(&mut tree, chord);
    }
    let expected = json!({ "type": "set_label", "entryId": "b2", "label": "now" });
    assert_eq!(command(press(&mut tree, "enter")), expected);
    press(&mut tree, "L");
    assert_eq!(command(press(&mut tree, "enter"))["label"], Value::Null);
}

#[test]
fn folding_hides_what_is_below() {
    let mut tree = tree(false);
    tree.arrange(Some("b"));
    press(&mut tree, "tab");
    assert!(screen(&tree, 24).contains("assistant: text of b +4"), "{}", screen(&tree, 24));
    press(&mut tree, "tab");
    assert_eq!(tree.rows.len(), 6);
}

#[test]
fn a_summary_is_offered_and_can_be_stopped() {
    let mut tree = tree(true);
    tree.arrange(Some("a1"));
    assert!(matches!(press(&mut tree, "enter"), Step::Stay));
    assert!(screen(&tree, 24).contains("Summarize with custom prompt"));
    press(&mut tree, "escape");
    assert!(screen(&tree, 24).contains("text of a1"), "back in the tree");
    press(&mut tree, "enter");
    assert_eq!(command(press(&mut tree, "enter")), json!({ "type": "navigate_tree", "targetId": "a1" }));
    press(&mut tree, "down");
    assert_eq!(command(press(&mut tree, "enter"))["summarize"], true);
    assert_eq!(command(press(&mut tree, "escape"))["type"], "abort_branch_summary");
    tree.response("navigate_tree", Ok(&json!({ "cancelled": true })));
    assert!(screen(&tree, 24).contains("text of a1"), "nothing has moved");
    press(&mut tree, "enter");
    press(&mut tree, "3");
    press(&mut tree, "x");
    let step = command(press(&mut tree, "enter"));
    assert_eq!((&step["summarize"], &step["customInstructions"]), (&json!(true), &json!("x")));
    let step = tree.response("navigate_tree", Ok(&json!({ "cancelled": false, "editorText": "again" })));
    assert!(
        matches!(step, Some(Step::Finish(wishes)) if matches!(&wishes[..], [Wish::Editor(text), Wish::Reload] if text == "again"))
    );
}
