//! Every rule of the syntax, and everything that can be wrong with a command.

use super::*;

fn commands(text: &str) -> Vec<Command> {
    parse(text).into_iter().map(|written| written.command).collect()
}

#[track_caller]
fn check(text: &str, expected: &[Command]) {
    assert_eq!(commands(text), expected, "{text}");
}

#[track_caller]
fn check_fault(text: &str, name: &str, reason: &str) {
    let found = commands(text);
    let [Command::Malformed { name: found_name, reason: found_reason }] = found.as_slice() else {
        panic!("{text}: {found:#?}")
    };
    assert_eq!((found_name.as_str(), found_reason.contains(reason)), (name, true), "{found_reason}");
}

fn create(path: &str, content: &str) -> Command {
    Command::Create { path: path.to_owned(), content: content.to_owned() }
}

fn edit(path: &str, first: usize, last: usize, lines: &[&str]) -> Command {
    let lines = lines.iter().map(|line| (*line).to_owned()).collect();
    Command::Edit { path: path.to_owned(), first, last, lines }
}

#[test]
fn all_seven_commands_in_order_and_text_between_them_is_ignored() {
    let text = "Thinking.\n\n[CREATE_FILE path=\"a.py\"]\n  x = 1\n\n[/CREATE_FILE]\nnow\n\
        [EDIT_FILE path=\"b.py\" start_line=\"2\" end_line=\"3\"]\n\ty\n[/EDIT_FILE]\n\
        [DELETE_FILE path=\"c\"]\n  [READ_FILE path=\"d\"]  \n[RUN_COMMAND]\nls -l\npwd\n[/RUN_COMMAND]\n\
        [MESSAGE]\nhi\n  there\n[/MESSAGE]\n[DONE]\nall\n[/DONE]\nbye\n";
    check(
        text,
        &[
            create("a.py", "  x = 1\n\n"),
            edit("b.py", 2, 3, &["\ty"]),
            Command::Delete { path: "c".to_owned() },
            Command::Read { path: "d".to_owned(), lines: None },
            Command::Run { command: "ls -l\npwd".to_owned() },
            Command::Message { text: "hi\n  there".to_owned() },
            Command::Done { summary: "all".to_owned() },
        ],
    );
    let lines: Vec<usize> = parse(text).iter().map(|written| written.line).collect();
    assert_eq!(lines, [3, 8, 11, 12, 13, 17, 21]);
    assert_eq!(parse(text)[2].source, "[DELETE_FILE path=\"c\"]");
}

#[test]
fn bodies_are_verbatim_up_to_the_closing_tag_alone_on_its_line() {
    check(
        "[CREATE_FILE path=\"doc.md\"]\n```\n[DONE]\n [/DONE]\nsee [/CREATE_FILE] below\n```\n   [/CREATE_FILE]  \n",
        &[create("doc.md", "```\n[DONE]\n [/DONE]\nsee [/CREATE_FILE] below\n```\n")],
    );
    check("[CREATE_FILE path=\"empty\"]\n[/CREATE_FILE]", &[create("empty", "")]);
    check("[EDIT_FILE path=\"a\" start_line=\"1\" end_line=\"1\"]\n[/EDIT_FILE]", &[edit("a", 1, 1, &[])]);
    check("\u{feff}[CREATE_FILE path=\"w\"]\r\na\r\n[/CREATE_FILE]\r\n", &[create("w", "a\n")]);
}

/// The first closing tag may be a line of the file, and then a part of it would be written.
#[test]
fn a_second_closing_tag_is_an_error() {
    let twice = "[CREATE_FILE path=\"doc.md\"]\nx\n[/CREATE_FILE]\ny\n[/CREATE_FILE]\n";
    check_fault(twice, "CREATE_FILE", "There is a second closing tag on line 5");
}

#[test]
fn attributes_in_any_order_and_with_any_quotes() {
    let tag = "[EDIT_FILE end_line = '9' path=\u{201c}src/[id].ts\u{201d} start_line=\"7\" note=\"x\"]";
    check(&format!("{tag}\nz\n[/EDIT_FILE]"), &[edit("src/[id].ts", 7, 9, &["z"])]);
    check("[READ_FILE path=\"a b\" /]", &[Command::Read { path: "a b".to_owned(), lines: None }]);
    check("[READ_FILE path=\"a\"][/READ_FILE]", &[Command::Read { path: "a".to_owned(), lines: None }]);
}

#[test]
fn a_part_of_a_file_can_be_read() {
    let part = Command::Read { path: "a".to_owned(), lines: Some((3, 9)) };
    check("[READ_FILE path=\"a\" start_line=\"3\" end_line=\"9\"]", &[part]);
    check_fault(
        "[READ_FILE path=\"a\" start_line=\"3\"]",
        "READ_FILE",
        "Missing required attribute 'end_line'",
    );
}

#[test]
fn a_command_may_be_written_on_one_line() {
    check("[DONE] all of it [/DONE]", &[Command::Done { summary: "all of it".to_owned() }]);
    check("[RUN_COMMAND]ls[/RUN_COMMAND]", &[Command::Run { command: "ls".to_owned() }]);
    check("[CREATE_FILE path=\"a\"]x[/CREATE_FILE]", &[create("a", "x\n")]);
}

#[test]
fn missing_and_bad_attributes_are_named() {
    check_fault("[CREATE_FILE]\nx\n[/CREATE_FILE]", "CREATE_FILE", "Missing required attribute 'path'");
    check_fault("[READ_FILE]", "READ_FILE", "Missing required attribute 'path'");
    check_fault("[DELETE_FILE path=\" \"]", "DELETE_FILE", "'path' is empty");
    let edit = |attributes: &str| format!("[EDIT_FILE path=\"a\" {attributes}]\nx\n[/EDIT_FILE]");
    check_fault(&edit("end_line=\"1\""), "EDIT_FILE", "Missing required attribute 'start_line'");
    check_fault(&edit("start_line=\"1\""), "EDIT_FILE", "Missing required attribute 'end_line'");
    check_fault(&edit("start_line=\"two\" end_line=\"3\""), "EDIT_FILE", "Invalid start_line 'two'");
    check_fault(&edit("start_line=\"0\" end_line=\"3\""), "EDIT_FILE", "Invalid start_line '0'");
    check_fault(&edit("start_line=\"1\" end_line=\"-3\""), "EDIT_FILE", "Invalid end_line '-3'");
    check_fault(&edit("start_line=\"5\" end_line=\"3\""), "EDIT_FILE", "Invalid line range");
    check_fault("[RUN_COMMAND]\n \n[/RUN_COMMAND]", "RUN_COMMAND", "no command");
}

#[test]
fn an_unclosed_command_is_an_error_and_those_before_it_stand() {
    let found = commands("[READ_FILE path=\"a\"]\n[CREATE_FILE path=\"b\"]\nx\n[DONE]\n[/DONE]\n");
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], Command::Read { path: "a".to_owned(), lines: None });
    check_fault(
        "text\n[MESSAGE]\nhello",
        "MESSAGE",
        "Missing closing tag [/MESSAGE]: it was opened on line 2",
    );
    check_fault("[READ_FILE path=\"a\"", "READ_FILE", "The tag is not closed");
    check_fault("[READ_FILE path=\"a]", "READ_FILE", "The tag is not closed");
    check_fault("[CREATE_FILE path=\"a\"] x = 1\n[/CREATE_FILE]", "CREATE_FILE", "Text after the tag");
}

#[test]
fn unknown_commands_are_reported_and_prose_in_brackets_is_not_one() {
    check_fault("[RENAME_FILE path=\"a\" to=\"b\"]", "RENAME_FILE", "Unknown command");
    check("[NOTE] see below\n[x] done\n[DONE_SOON]\n[]\n[1]: http://a\n[[DONE]]\nsay [DONE]", &[]);
}

#[test]
fn the_protocol_text_teaches_what_is_read() {
    let found = commands(PROTOCOL);
    let names: Vec<&str> = found.iter().map(Command::name).collect();
    let all = ["CREATE_FILE", "EDIT_FILE", "DELETE_FILE", "READ_FILE", "RUN_COMMAND", "MESSAGE", "DONE"];
    assert_eq!(names, all);
    assert!(!found.iter().any(|command| matches!(command, Command::Malformed { .. })));
}

#[test]
fn commands_of_files_are_edits() {
    let range = edit("a", 2, 3, &["x"]).as_edit(7).unwrap();
    assert_eq!((range.path.as_str(), range.line, range.dialect), ("a", 7, Dialect::Commands));
    assert!(
        create("a", "x\n").as_edit(1).is_some() && Command::Delete { path: "a".into() }.as_edit(1).is_some()
    );
    assert_eq!(Command::Read { path: "a".into(), lines: None }.as_edit(1), None);
}

#[test]
fn nothing_behind_leaked_routing_is_carried_out() {
    let leak = "ls】【analysis to=functions.bash code เงินไทยฟรี";
    for command in [
        format!("[RUN_COMMAND]\n{leak}\n[/RUN_COMMAND]"),
        format!("[CREATE_FILE path=\"b\"]\n{leak}\n[/CREATE_FILE]"),
        format!("[EDIT_FILE path=\"b\" start_line=\"1\" end_line=\"1\"]\n{leak}\n[/EDIT_FILE]"),
    ] {
        let found = commands(&format!("[DELETE_FILE path=\"a\"]\n{command}\n[DELETE_FILE path=\"c\"]\n"));
        let [Command::Delete { .. }, Command::Malformed { reason, .. }] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert!(reason.contains("leaked"), "{reason}");
    }
}

proptest::proptest! {
    #[test]
    fn parsing_never_fails_and_names_lines_that_exist(
        text in "(\\[/?(CREATE_FILE|DONE|READ_FILE|X)|path=|\"|\\]|\\n| |a|\u{201c}){0,60}"
    ) {
        let count = text.lines().count();
        for written in parse(&text) {
            proptest::prop_assert!((1..=count).contains(&written.line));
            proptest::prop_assert!(text.contains(written.source.lines().next().unwrap_or_default()));
        }
    }
}

#[test]
fn words_after_a_command_without_a_body_are_a_remark() {
    check("[DELETE_FILE path=\"x\"] remove it", &[Command::Delete { path: "x".to_owned() }]);
    check("[DELETE_FILE path=\"x\"] [/DELETE_FILE] [see below]", &[Command::Delete { path: "x".to_owned() }]);
    check("[READ_FILE path=\"x\"] I need this one.", &[Command::Read { path: "x".to_owned(), lines: None }]);
    for text in [
        "[DELETE_FILE path=\"x\"] [DELETE_FILE path=\"y\"]",
        "[DELETE_FILE path=\"x\"] and then [CREATE_FILE path=\"y\"]",
    ] {
        check_fault(text, "DELETE_FILE", "Another command after the tag");
    }
}

#[test]
fn a_removed_fence_is_known() {
    let lost = |text: &str| parse(text).iter().map(Written::lost_fence).collect::<Vec<_>>();
    let file = |path: &str, body: &str| format!("[CREATE_FILE path=\"{path}\"]\n{body}\n[/CREATE_FILE]\n");
    assert_eq!(lost(&file("a.py", "```python\nx = 1\n```")), [true]);
    assert_eq!(lost(&file("a.py", "x = 1")), [false]);
    assert_eq!(lost(&file("a.md", "```python\nx = 1\n```")), [false], "a document may hold fences");
    assert_eq!(lost("[DELETE_FILE path=\"a\"]\n[CREATE_FILE path=\"a\"] [/CREATE_FILE]"), [false, false]);
}
