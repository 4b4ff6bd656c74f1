//! Longer flows of the terminal interface, in a real terminal: questions, todo lists, programs in terminals of their own, sessions
//! that go elsewhere.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::model::{Answer, Reply};

use crate::lab::calling;
use crate::pane::Pane;

/// The bodies of everything the model was sent, in order.
fn sent(pane: &Pane) -> Vec<String> {
    pane.server.prompts().iter().map(|request| request.body.to_string()).collect()
}

/// Everything that is written to the terminal from now on, as bytes.
fn record(pane: &Pane) -> std::path::PathBuf {
    let place = pane.env.home_path("recorded");
    pane.tmux(&format!("pipe-pane 'cat > {}'", place.display()));
    place
}

#[track_caller]
fn recorded(place: &std::path::Path, text: &str) {
    testkit::wait_for(text, || {
        std::fs::read(place).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
    });
}

fn own(pane: &Pane, name: &str, text: &str) {
    let place = pane.env.home_path(".config/relay").join(name);
    std::fs::create_dir_all(place.parent().unwrap()).unwrap();
    std::fs::write(place, text).unwrap();
}

#[test]
fn an_agent_in_the_background_says_when_it_is_done() {
    let pane = Pane::new(100, 30);
    pane.server
        .queue(Answer::from(Reply::text("The whole answer.").delta(4)).pause(Duration::from_millis(400)));
    pane.start("-- go");
    pane.expect("Working");
    pane.line("/background");
    pane.expect("the agent continues in the background");
    pane.line("echo the sh''ell is back");
    pane.expect("the shell is back");
    pane.expect("the agent is done");
    // The answer is in the session.
    pane.line("clear");
    pane.start("--continue");
    pane.expect("The whole answer.");
}

#[test]
fn fg_brings_an_agent_back_from_the_background() {
    let pane = Pane::new(100, 30);
    pane.server.queue(
        Answer::from(Reply::text("Good things take time.").delta(2)).pause(Duration::from_millis(400)),
    );
    pane.start("-- go");
    pane.expect("Working");
    pane.line("/bg");
    pane.expect("the agent continues in the background");
    pane.line("fg");
    pane.expect("Type your message...");
    pane.expect("Good things take time.");
    // An agent that does nothing has nothing to go on with.
    testkit::wait_for("it is idle", || !pane.screen().contains("Working"));
    pane.line("/background");
    pane.expect("the agent is idle");
}

#[test]
fn faster_answers_are_asked_for_and_turned_off() {
    let pane = Pane::new(100, 30);
    pane.start("");
    pane.line("/fast status");
    pane.expect("fast is off");
    pane.line("/fast on");
    pane.expect("at a higher price; /fast turns it off");
    pane.server.queue(Reply::text("Quick."));
    pane.line("hello");
    pane.expect("Quick.");
    pane.line("/fast off");
    testkit::wait_for("it is off", || pane.screen().matches("fast is off").count() == 2);
    pane.server.queue(Reply::text("Slow."));
    pane.line("again");
    pane.expect("Slow.");
    let tiers: Vec<Value> =
        pane.server.prompts().iter().map(|request| request.body["service_tier"].clone()).collect();
    assert_eq!((&tiers[0], tiers.last().unwrap()), (&json!("priority"), &Value::Null), "{tiers:?}");
    pane.line("/fast maybe");
    pane.expect("/fast on, /fast off or /fast status");
}

#[test]
fn a_session_moves_to_another_folder() {
    let pane = Pane::new(100, 30);
    std::fs::create_dir_all(pane.env.home_path("elsewhere")).unwrap();
    pane.server.queue(Reply::text("The answer is 42."));
    pane.start("-- what is it");
    pane.expect("The answer is 42.");
    pane.line("/move /no/such/folder");
    pane.expect("/no/such/folder cannot be used");
    pane.line("/move");
    pane.expect("name the folder: /move FOLDER");
    let there = pane.env.home_path("elsewhere");
    pane.line(&format!("/move {}", there.display()));
    pane.expect("is found in that folder afterwards");
    pane.server.queue(Reply::text("Still here."));
    pane.line("go on");
    pane.expect("Still here.");
    pane.keys("C-d");
    pane.gone("Type your message...");
    let here = pane.env.relay(&["sessions", "list", "--json"]).success().stdout;
    assert!(!here.contains("what is it"), "{here}");
    pane.line(&format!("cd {}; {} trust; clear", there.display(), env!("CARGO_BIN_EXE_relay")));
    pane.start("--continue");
    pane.expect("The answer is 42.");
    pane.expect("Still here.");
}

#[test]
fn a_session_is_shared_as_a_page() {
    let pane = Pane::new(100, 30);
    pane.server.queue(Reply::text("The **answer** is 42."));
    pane.start("-- what is it");
    pane.expect("The answer is 42.");
    let place = record(&pane);
    pane.line("/share");
    pane.expect("read it before you share it");
    // The path is copied, through the terminal.
    recorded(&place, "\u{1b}]52;c;");
    let page = pane.env.shell("ls session-*.html").stdout;
    let text = pane.env.read(page.trim());
    assert!(text.starts_with("<!doctype html>") && text.contains("answer"), "{text}");
}

#[test]
fn a_handoff_goes_on_in_a_new_session_with_a_summary() {
    let pane = Pane::new(100, 34);
    pane.server.queue(Reply::text("The parser is half done."));
    pane.start("-- write a parser");
    pane.expect("The parser is half done.");
    pane.server.queue(Reply::text("## Goal\nFinish the parser.\n## Next Steps\n- the lists"));
    pane.line("/handoff the lists come first");
    testkit::wait_for("the summary is asked for", || sent(&pane).len() >= 2);
    assert!(sent(&pane)[1].contains("the lists come first"), "{}", sent(&pane)[1]);
    pane.expect("the session before, in short");
    pane.expect("Finish the parser.");
    pane.server.queue(Reply::text("I go on with the lists."));
    pane.line("go on");
    pane.expect("I go on with the lists.");
    let last = sent(&pane).pop().unwrap();
    assert!(last.contains("Finish the parser.") && !last.contains("The parser is half done."), "{last}");
}

#[test]
fn a_todo_list_is_changed_and_the_model_is_told() {
    let pane = Pane::new(100, 34);
    let ops = json!({ "ops": [{ "op": "init", "list": [{ "phase": "Parser", "items": ["Read it", "Fix it", "Test it"] }] }] });
    own(&pane, "config.toml", "[todo]\nreminders = false\n");
    pane.server.queue(calling(&[("todo_write", ops)]));
    pane.server.queue(Reply::text("Planned."));
    pane.start("-- plan it");
    pane.expect("Planned.");
    pane.expect("Parser 0/3");
    pane.line("/todo done");
    pane.expect("the model is told");
    pane.expect("Parser 1/3");
    pane.line("/todo append Write it down");
    pane.expect("Parser 1/4");
    pane.line("/todo drop test");
    pane.expect("Parser 2/4");
    pane.line("/todo start it");
    pane.expect("write more of it");
    pane.line("/todo");
    pane.expect("4 ☐ Write it down");
    pane.line("/todo append Read it");
    pane.expect("already exists");
    pane.server.queue(Reply::text("I see."));
    pane.line("go on");
    pane.expect("I see.");
    let last = sent(&pane).pop().unwrap();
    for part in ["The user edited the todo list", "- [x] Read it", "- [-] Test it", "- [ ] Write it down"] {
        assert!(last.contains(part), "{part} in {last}");
    }
    // In the person's own editor, and after a restart.
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("export EDITOR='sed -i s/Fix/Mend/'; clear");
    pane.start("--continue");
    pane.line("/todo edit");
    pane.expect("the model is told");
    pane.line("/todo");
    pane.expect("● Mend it");
    // What is typed at once is a paste.
    pane.expect("Type your message...");
    pane.line("/todo export");
    pane.expect("the todo list is in TODO.md");
    assert!(pane.env.read("TODO.md").contains("- [/] Mend it"), "{}", pane.env.read("TODO.md"));
}

#[test]
fn a_program_has_a_terminal_that_one_types_into() {
    let pane = Pane::new(90, 24);
    let command = json!({ "command": "stty size; printf 'name? '; read name; echo \"hello $name\"; stty size", "pty": true });
    pane.server.queue(calling(&[("bash", command)]));
    pane.server.queue(Reply::text("It said hello."));
    pane.start("-- run it");
    pane.expect("name? ");
    pane.expect("esc ends it");
    pane.tmux("resize-window -x 70 -y 20");
    pane.expect("name? ");
    // The size arrives a moment after the screen is drawn.
    std::thread::sleep(Duration::from_millis(300));
    pane.line("Ada");
    pane.expect("It said hello.");
    let told = sent(&pane).pop().unwrap();
    assert!(told.contains("hello Ada") && told.contains("18 70"), "{told}");
}

#[test]
fn escape_ends_a_program_in_a_terminal() {
    let pane = Pane::new(90, 24);
    pane.server.queue(calling(&[("bash", json!({ "command": "echo waiting; sleep 300", "pty": true }))]));
    pane.server.queue(Reply::text("It was stopped."));
    pane.start("-- run it");
    pane.expect("waiting");
    pane.expect("esc ends it");
    pane.keys("Escape");
    pane.expect("It was stopped.");
    pane.expect("Type your message...");
}

fn question(more: &Value) -> Value {
    let mut question = json!({ "id": "db", "question": "Which database?", "options": [{ "label": "SQLite" }, { "label": "Postgres" }] });
    question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    question
}

fn asks(pane: &Pane, questions: &[Value]) {
    pane.server.queue(calling(&[("ask", json!({ "questions": questions }))]));
    pane.server.queue(Reply::text("Thank you."));
}

#[test]
fn a_question_answers_itself_unless_someone_is_at_it() {
    let pane = Pane::new(100, 30);
    own(&pane, "config.toml", "[ask]\ntimeout = 2\n");
    asks(&pane, &[question(&json!({ "recommended": 1 }))]);
    pane.start("-- ask me");
    pane.expect("answers by itself in");
    pane.expect("Thank you.");
    assert!(sent(&pane).pop().unwrap().contains("User selected: Postgres"));
    // Whoever writes has all the time in the world.
    asks(&pane, &[question(&json!({ "recommended": 1 }))]);
    pane.line("ask again");
    pane.expect("answers by itself in");
    pane.keys("3");
    pane.keys("My");
    std::thread::sleep(Duration::from_millis(2500));
    pane.line("SQL");
    testkit::wait_for("it is answered", || pane.screen().matches("Thank you.").count() == 2);
    assert!(
        sent(&pane).pop().unwrap().contains("User provided custom input: MySQL"),
        "{:?}",
        sent(&pane).pop()
    );
}

#[test]
fn one_goes_back_and_forth_between_questions() {
    let pane = Pane::new(100, 30);
    let second = json!({ "id": "more", "question": "What else?", "multi": true, "options": [{ "label": "Tests" }, { "label": "Docs" }] });
    asks(&pane, &[question(&json!({})), second]);
    pane.start("-- ask me");
    pane.expect("Question 1 of 2");
    pane.keys("2");
    pane.expect("Question 2 of 2");
    pane.expect("Done selecting");
    pane.keys("2");
    pane.expect("☑ Docs");
    pane.keys("Left");
    pane.expect("Question 1 of 2");
    pane.expect("❯ 2 Postgres");
    pane.keys("Right");
    pane.expect("☑ Docs");
    pane.keys("1");
    pane.expect("☑ Tests");
    pane.keys("Up");
    pane.expect("❯ Done selecting");
    pane.keys("Enter");
    pane.expect("Thank you.");
    let last = sent(&pane).pop().unwrap();
    assert!(last.contains("db: Postgres\\nmore: Docs, Tests"), "{last}");
}

#[test]
fn a_question_makes_itself_heard() {
    let pane = Pane::new(100, 30);
    asks(&pane, &[question(&json!({}))]);
    pane.start("");
    let place = record(&pane);
    // tmux passes on that the window has lost the focus.
    pane.tmux("send-keys -H 1b 5b 4f");
    pane.line("ask me");
    pane.expect("Which database?");
    recorded(&place, "\u{1b}]9;Waiting for input: Question");
    recorded(&place, "\u{1b}]777;notify;Waiting for input;Question");
    recorded(&place, "\u{1b}]99;i=relay:d=0;Waiting for input");
    recorded(&place, "\u{1b}]2;? relay");
}

#[test]
fn the_branch_that_is_left_is_summarised() {
    let pane = Pane::new(100, 34);
    own(&pane, "config.toml", "[branchSummary]\nenabled = true\n");
    pane.server.queue(Reply::text("A is tried."));
    pane.start("-- try A");
    pane.expect("A is tried.");
    pane.server.queue(Reply::text("A has failed."));
    pane.line("does it work");
    pane.expect("A has failed.");
    pane.line("/tree");
    pane.expect("session tree");
    pane.keys("Up");
    pane.keys("Up");
    pane.keys("Enter");
    pane.expect("Summarise the branch that you leave?");
    // Escape leads back to the tree, and from there to the same question.
    pane.keys("Escape");
    pane.expect("type to search");
    pane.keys("Enter");
    pane.expect("Summarize with custom prompt");
    pane.keys("3");
    pane.expect("What should the summary be about?");
    // A summary that takes long is stopped, and nothing has moved.
    pane.server.queue(Answer::from(Reply::text("too late")).stall_at(1));
    pane.line("why it failed");
    pane.expect("summarising the branch");
    pane.keys("Escape");
    pane.expect("type to search");
    pane.keys("Enter");
    pane.expect("Summarise the branch that you leave?");
    pane.server.queue(Reply::text("A fails because of B."));
    pane.keys("2");
    pane.expect("the branch that was left, in short");
    pane.expect("A fails because of B.");
    let asked = sent(&pane);
    assert!(asked[2].contains("why it failed"), "{}", asked[2]);
    pane.server.queue(Reply::text("C is tried."));
    pane.line("try C");
    pane.expect("C is tried.");
    let last = sent(&pane).pop().unwrap();
    assert!(last.contains("A fails because of B.") && !last.contains("A has failed."), "{last}");
}

#[test]
fn hosts_are_added_and_removed_in_both_scopes() {
    let pane = Pane::new(100, 34);
    pane.start("");
    pane.line("/ssh add box me@box.example --port 2222");
    pane.expect("added box to ssh.json");
    pane.line("/ssh add build ci@build.example --scope project --about the build machine");
    pane.expect("added build to .relay/ssh.json");
    let user: Value =
        serde_json::from_str(&std::fs::read_to_string(pane.env.home_path(".config/relay/ssh.json")).unwrap())
            .unwrap();
    assert_eq!(user["hosts"]["box"], json!({ "host": "box.example", "username": "me", "port": 2222 }));
    let project: Value = serde_json::from_str(&pane.env.read(".relay/ssh.json")).unwrap();
    assert_eq!(project["hosts"]["build"]["description"], "the build machine");
    pane.line("/ssh");
    pane.expect("me@box.example");
    pane.expect("ci@build.example");
    assert!(!pane.screen().contains("not trusted"), "{}", pane.screen());
    pane.keys("Escape");
    pane.expect("Type your message...");
    pane.line("/ssh add bad -oProxyCommand=x");
    pane.expect("not allowed");
    pane.line("/ssh remove build");
    pane.expect("removed build from .relay/ssh.json");
    pane.line("/ssh remove box --scope project");
    pane.expect("there is no host `box` in it");
    // What was added to the project is a change like any other.
    let log = pane.env.relay(&["log"]).success().stdout;
    assert!(log.contains("hosts for ssh"), "{log}");
}

#[test]
fn pictures_are_drawn_as_the_terminal_takes_them() {
    for (protocol, file, expected) in [
        ("sixel", "a.png", "\u{1b}P0;1;0q\"1;1;"),
        ("kitty", "a.jpg", "\u{1b}_Ga=T,f=100,q=2,C=1"),
        ("iterm2", "a.png", "\u{1b}]1337;File=inline=1"),
    ] {
        let pane = Pane::new(100, 30);
        std::fs::copy(picture(file), pane.env.root().join(file)).unwrap();
        pane.line(&format!("export RELAY_IMAGE_PROTOCOL={protocol}"));
        pane.server.queue(calling(&[("read", json!({ "path": file }))]));
        pane.server.queue(Reply::text("A picture."));
        let place = record(&pane);
        pane.start("-- look at it");
        pane.expect("A picture.");
        recorded(&place, expected);
        let bytes = std::fs::read(&place).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        if protocol == "kitty" {
            // The beginning of every PNG, in base64.
            assert!(text.contains(";iVBORw0KGgo"), "a JPEG is turned into a PNG");
        }
    }
}

fn picture(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pictures").join(name)
}

#[test]
fn links_are_written_where_they_are_wanted() {
    for (setting, is_written) in [("always", true), ("off", false)] {
        let pane = Pane::new(100, 30);
        own(&pane, "config.toml", &format!("[tui]\nhyperlinks = \"{setting}\"\n"));
        pane.server.queue(Reply::text("See [the manual](https://example.org/manual) first."));
        pane.start("");
        let place = record(&pane);
        pane.line("where is it");
        pane.expect("the manual");
        pane.expect("Type your message...");
        let bytes = std::fs::read(&place).unwrap();
        let has = String::from_utf8_lossy(&bytes).contains("\u{1b}]8;;https://example.org/manual");
        assert_eq!(has, is_written, "{setting}");
    }
}

#[test]
fn the_log_and_other_facts_are_there_for_whoever_looks_for_a_fault() {
    let pane = Pane::new(100, 30);
    pane.server.queue(Reply::text("").tool("c1", "bash", r#"{"command":"true"}"#));
    pane.server.queue(Reply::text("Done."));
    pane.start("-- go");
    pane.expect("Done.");
    pane.line("/debug");
    for part in
        ["dump", "logs", "raw-sse", "work", "memory", "system", "open-artifacts", "transcript", "clear-cache"]
    {
        pane.expect(part);
    }
    pane.keys("Escape");
    pane.expect("Type your message...");
    pane.line("/debug logs");
    pane.expect("log of this process");
    pane.keys("p");
    pane.expect("log of all processes");
    pane.keys("q");
    pane.expect("Type your message...");
    pane.line("/debug work");
    pane.expect("tools in this session");
    pane.expect("bash");
    pane.keys("q");
    pane.expect("Type your message...");
    pane.line("/debug memory");
    pane.expect("conversation");
    assert!(pane.screen().contains(" MB"), "{}", pane.screen());
}

#[test]
fn a_model_is_chosen_for_now_or_for_new_sessions_too() {
    let pane = Pane::new(100, 30);
    pane.server.models(&["m", "n"]);
    own(
        &pane,
        "models.toml",
        &format!(
            "[providers.lab]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nauth = \"none\"\n[[providers.lab.models]]\nid = \"m\"\n[[providers.lab.models]]\nid = \"n\"\n",
            pane.server.url()
        ),
    );
    let kept =
        || std::fs::read_to_string(pane.env.home_path(".config/relay/config.toml")).unwrap_or_default();
    pane.start("");
    pane.expect("◇ m");
    pane.keys("M-p");
    pane.expect("for this session only");
    pane.expect("❯ ✓ m");
    pane.keys("Down");
    pane.keys("Enter");
    pane.expect("model: lab/n");
    assert!(!kept().contains("lab/n"), "{}", kept());
    pane.keys("C-l");
    pane.expect("for this session and new ones");
    pane.expect("❯ ✓ n");
    pane.keys("Enter");
    testkit::wait_for("it is kept", || kept().contains("default = \"lab/n\""));
}

#[test]
fn the_newest_session_goes_on_by_itself_where_that_is_wanted() {
    let pane = Pane::new(100, 30);
    own(&pane, "config.toml", "autoResume = true\nnosuchsetting = 1\n");
    pane.server.queue(Reply::text("The answer is 42."));
    pane.start("-- what is it");
    pane.expect("The answer is 42.");
    // What is wrong with the settings is said in the conversation, and once.
    assert_eq!(pane.screen().matches("nosuchsetting").count(), 1, "{}", pane.screen());
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("clear");
    pane.start("");
    pane.expect("The answer is 42.");
}
