//! Commands about the terminal of a program that the agent runs: typing into it, its size, its end.

use serde_json::Value;

use super::{Answer, Session, needed};

impl Session {
    pub(super) fn about_terminals(&self, kind: &str, command: &Value) -> Option<Answer> {
        matches!(kind, "pty_write" | "pty_resize" | "pty_kill").then(|| self.terminal(kind, command))
    }

    fn terminal(&self, kind: &str, command: &Value) -> Answer {
        let id = needed(command, "ptyId")?;
        let console = self.outlet.console(id).ok_or("PTY session is not running")?;
        match kind {
            "pty_write" => console.write(needed(command, "data")?.as_bytes()),
            "pty_kill" => console.kill(),
            _ => {
                let side = |name: &str| {
                    let number = command.get(name).and_then(Value::as_u64);
                    number
                        .and_then(|number| u16::try_from(number).ok())
                        .ok_or_else(|| format!("`{name}` is missing"))
                };
                console.resize(side("columns")?, side("rows")?);
            }
        }
        Ok(None)
    }
}
