//! The terminal interface in a real terminal: tmux shows it, types into it and resizes it.

use std::sync::atomic::{AtomicU32, Ordering};

use testkit::TestEnv;
use testkit::model::{ModelServer, Reply};

use crate::{PLAIN, project};

/// A project with a model, and a terminal.
struct Pane {
    env: TestEnv,
    server: ModelServer,
    socket: String,
}

impl Pane {
    /// A shell in a terminal of this size.
    fn new(width: u16, height: u16) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let (env, server) = (project(PLAIN), ModelServer::start());
        let text = format!(
            "[providers.lab]\nwire = \"openai-chat\"\nbase_url = \"{}/v1\"\nauth = \"none\"\n",
            server.url()
        );
        let place = env.home_path(".config/relay");
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("models.toml"), text).unwrap();
        server.needs_no_key();
        let socket = format!("relay-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let pane = Self { env, server, socket };
        pane.tmux(&format!("new-session -d -x {width} -y {height} 'PS1=\"$ \" exec sh'"));
        pane.expect("$");
        pane
    }

    fn tmux(&self, command: &str) -> String {
        let run = self.env.shell(&format!("tmux -L {} -f /dev/null {command}", self.socket));
        assert_eq!(run.code, 0, "tmux {command}: {}", run.stderr);
        run.stdout
    }

    fn keys(&self, keys: &str) {
        self.tmux(&format!("send-keys {keys}"));
    }

    /// Types a line as it is.
    fn line(&self, text: &str) {
        let quoted = text.replace('\'', "'\\''");
        self.tmux(&format!("send-keys -l '{quoted}'"));
        self.keys("Enter");
    }

    /// Starts the interface.
    fn start(&self, arguments: &str) {
        self.line(&format!("{} --model lab/m {arguments}", env!("CARGO_BIN_EXE_relay")));
        self.expect("Type your message...");
    }

    fn screen(&self) -> String {
        self.tmux("capture-pane -p")
    }

    fn everything(&self) -> String {
        self.tmux("capture-pane -p -S -2000")
    }

    #[track_caller]
    fn expect(&self, text: &str) {
        let mut last = String::new();
        let start = std::time::Instant::now();
        while start.elapsed() < testkit::PATIENCE {
            last = self.screen();
            if last.contains(text) {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("{text:?} did not appear:\n{last}");
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        drop(self.env.shell(&format!("tmux -L {} kill-server", self.socket)));
    }
}

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
    pane.expect("$");
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
    pane.expect("$");
    pane.line("clear; stty -a > quit; echo first''step");
    pane.expect("firststep");
    // After a signal that ends it. The shell says so itself; its own process is what the pane runs.
    pane.start("");
    let shell = pane.tmux("display-message -p '#{pane_pid}'");
    let ended = pane.env.shell(&format!("kill -TERM $(pgrep -P {})", shell.trim()));
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    pane.expect("$");
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
