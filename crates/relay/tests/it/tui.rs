//! The terminal interface in a real terminal: the main flows.

use testkit::model::Reply;

use crate::pane::Pane;

#[test]
fn a_change_lands_is_shown_and_is_undone() {
    let pane = Pane::new(100, 32);
    pane.env.write("src/a.rs", "fn a() { one() }\n");
    let edit = r#"{"path":"src/a.rs","content":"fn a() { two() }\n"}"#;
    pane.server.queue(Reply::text("I will change it.").tool("c1", "write", edit));
    pane.server.queue(Reply::text("It is **done** now."));
    pane.start("");
    pane.line("change it");
    pane.expect("It is done now.");
    pane.expect("src/a.rs");
    assert_eq!(pane.env.read("src/a.rs"), "fn a() { two() }\n");
    pane.line("/undo");
    pane.expect("undone");
    assert_eq!(pane.env.read("src/a.rs"), "fn a() { one() }\n");
    pane.keys("C-o");
    pane.expect("esc close");
    pane.keys("Escape");
    pane.expect("Type your message...");
    pane.keys("C-c");
    pane.expect("again to quit");
    pane.keys("C-c");
    pane.expect("$");
    assert!(pane.everything().contains("It is done now."), "{}", pane.everything());
}

#[test]
fn a_session_goes_on_where_it_ended() {
    let pane = Pane::new(90, 30);
    pane.server.queue(Reply::text("The answer is 42."));
    pane.start("-- what is it");
    pane.expect("The answer is 42.");
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("clear");
    pane.start("--continue");
    pane.expect("The answer is 42.");
    pane.keys("Up");
    pane.expect("what is it");
}

#[test]
fn resizing_draws_the_screen_again() {
    let pane = Pane::new(100, 30);
    pane.server
        .queue(Reply::text("One line of an answer that is long enough to be wrapped in a narrow window."));
    pane.start("-- go");
    pane.expect("narrow window.");
    for (width, height) in [(40, 15), (120, 40), (60, 20)] {
        pane.tmux(&format!("resize-window -x {width} -y {height}"));
        testkit::wait_for("the frame is drawn once", || {
            let screen = pane.screen();
            let frames = screen.matches('╭').count();
            frames == 1 && screen.contains("Type your message...") && screen.contains("window.")
        });
    }
}

#[test]
fn the_terminal_is_given_back() {
    let pane = Pane::new(100, 30);
    pane.line("stty -a > before");
    // After a quit.
    pane.start("");
    pane.keys("C-d");
    pane.gone("Type your message...");
    pane.line("clear; stty -a > quit; echo first''step");
    pane.expect("firststep");
    // After a signal that ends it. The shell says so itself; its own process is what the pane runs.
    pane.start("");
    let shell = pane.tmux("display-message -p '#{pane_pid}'");
    let ended = pane.env.shell(&format!("kill -TERM $(pgrep -P {})", shell.trim()));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    pane.gone("Type your message...");
    pane.line("clear; stty -a > ended; echo all''done");
    pane.expect("alldone");
    assert_eq!(pane.env.read("quit"), pane.env.read("before"));
    assert_eq!(pane.env.read("ended"), pane.env.read("before"));
}

#[test]
fn ctrl_z_suspends_and_fg_goes_on() {
    let pane = Pane::new(100, 30);
    pane.start("");
    pane.line("!printf over; printf here");
    pane.expect("overhere");
    pane.keys("C-z");
    pane.expect("$ ");
    pane.line("echo sus''pended");
    pane.expect("suspended");
    pane.line("fg");
    pane.expect("Type your message...");
    pane.server.queue(Reply::text("Back again."));
    pane.line("hello");
    pane.expect("Back again.");
}
