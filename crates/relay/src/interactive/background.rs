//! `/background`: the agent keeps working while the shell gets its terminal back. `fg` returns to the interface; when the agent
//! is done, it reports that and exits.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use relay_exec::spawn_detached;
use relay_tui::Input;
use relay_tui::tty::Tty;

use super::{Next, Screen};

/// How often to check whether the program is in the foreground again.
const LOOK: Duration = Duration::from_millis(250);

impl Screen {
    /// Gives the terminal back and continues without it. Returns an exit code once everything is done, or `None` when the
    /// person is back.
    pub(super) fn background(&mut self, arriving: &Receiver<Input>) -> Option<u8> {
        if !self.app.is_busy() {
            let text = "the agent is idle; Ctrl+Z puts Relay into the background of the shell";
            drop(self.inputs.send(Input::Notice(false, text.to_owned())));
            return None;
        }
        let bytes = self.renderer.leave(0);
        drop(self.tty.write(&bytes));
        if self.tty.give().is_err() {
            return Some(129);
        }
        self.say("the agent continues in the background; `fg` returns to it");
        // The shell takes its terminal back when a program stops, and a program that has stopped cannot wake itself up.
        let wake = format!("sleep 0.3; kill -CONT {}", std::process::id());
        let woken = spawn_detached("sh", &["-c", &wake], b"");
        if woken.is_ok() {
            // A shell without job control leaves the program as it is, and then the interface is back at once. Only this
            // process: what is to wake it up may still be in its group.
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::TSTP).unwrap_or_default();
        }
        let code = self.without_terminal(arriving);
        if code.is_none() && self.tty.take_again().is_err() {
            return Some(129);
        }
        code
    }

    fn without_terminal(&mut self, arriving: &Receiver<Input>) -> Option<u8> {
        loop {
            match arriving.recv_timeout(LOOK) {
                Ok(input) => {
                    let kind = match &input {
                        Input::Frame(frame) => {
                            frame.get("type").and_then(|kind| kind.as_str()).unwrap_or_default().to_owned()
                        }
                        _ => String::new(),
                    };
                    if let Next::Quit(code) = self.take(input) {
                        return Some(code);
                    }
                    match kind.as_str() {
                        "extension_ui_request" => self.say("a question waits for you; `fg` returns to it"),
                        "agent_end" if !self.app.is_busy() => {
                            self.say("the agent is done; `relay --continue` picks up from there");
                            return Some(0);
                        }
                        _ => {}
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Some(0),
            }
            if Tty::is_foreground() {
                return None;
            }
        }
    }

    /// A line among the shell's output, with the bell.
    fn say(&self, text: &str) {
        // A terminal that is gone cannot show it.
        drop(self.tty.write(format!("\r\nrelay: {text}\x07\r\n").as_bytes()));
    }
}
