//! A terminal for the terminal interface: tmux shows it, types into it and resizes it.

use std::sync::atomic::{AtomicU32, Ordering};

use testkit::TestEnv;
use testkit::model::ModelServer;

/// A project with a model, and a terminal.
pub struct Pane {
    pub env: TestEnv,
    pub server: ModelServer,
    socket: String,
}

impl Pane {
    /// A shell in a terminal of this size, in a project that is trusted.
    pub fn new(width: u16, height: u16) -> Self {
        let pane = Self::new_folder(width, height);
        pane.env.relay(&["trust"]).success();
        pane
    }

    /// The same in a folder that the agent has never worked in.
    pub fn new_folder(width: u16, height: u16) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let crate::lab::Lab { env, server } = crate::lab::Lab::plain("openai-chat", "/v1");
        let socket = format!("relay-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let pane = Self { env, server, socket };
        pane.tmux(&format!("new-session -d -x {width} -y {height} 'PS1=\"$ \" exec sh'"));
        pane.expect("$");
        pane
    }

    pub fn tmux(&self, command: &str) -> String {
        let run = self.env.shell(&format!("tmux -L {} -f /dev/null {command}", self.socket));
        assert_eq!(run.code, 0, "tmux {command}: {}", run.stderr);
        run.stdout
    }

    pub fn keys(&self, keys: &str) {
        self.tmux(&format!("send-keys {keys}"));
    }

    /// Types a line as it is.
    pub fn line(&self, text: &str) {
        let quoted = text.replace('\'', "'\\''");
        self.tmux(&format!("send-keys -l '{quoted}'"));
        self.keys("Enter");
    }

    /// Starts the interface.
    pub fn start(&self, arguments: &str) {
        self.open(arguments);
        self.expect("Type your message...");
    }

    /// Starts the interface, whatever it shows first.
    pub fn open(&self, arguments: &str) {
        self.line(&format!("{} --model lab/m {arguments}", env!("CARGO_BIN_EXE_relay")));
    }

    pub fn screen(&self) -> String {
        self.tmux("capture-pane -p")
    }

    pub fn everything(&self) -> String {
        self.tmux("capture-pane -p -S -2000")
    }

    /// Waits until a text is not to be seen any more: the shell's own prompt is there all the time.
    pub fn gone(&self, text: &str) {
        testkit::wait_for("the screen is left", || !self.screen().contains(text));
    }

    #[track_caller]
    pub fn expect(&self, text: &str) {
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
