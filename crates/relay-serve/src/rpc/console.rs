//! Terminals of programs, for a client that shows them: `pty_start`, `pty_output` and `pty_end` go out; `pty_write`,
//! `pty_resize` and `pty_kill` come in.

use std::sync::Arc;

use relay_agent::tool::{Console, Shown};
use serde_json::json;

use super::outlet::Outlet;

/// A terminal that the client shows.
pub struct Remote {
    outlet: Outlet,
    id: String,
    /// The beginning of a character whose end has not come yet.
    begun: Vec<u8>,
}

impl Remote {
    /// Tells the client of a program's terminal.
    pub fn open(outlet: &Outlet, command: &str, console: Arc<dyn Console>) -> Self {
        let id = outlet.add_console(console);
        outlet.send(&json!({ "type": "pty_start", "ptyId": id, "command": command }));
        Self { outlet: outlet.clone(), id, begun: Vec::new() }
    }
}

impl Shown for Remote {
    fn show(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
        let text = whole(&mut self.begun);
        if !text.is_empty() {
            self.outlet.send(&json!({ "type": "pty_output", "ptyId": self.id, "data": text }));
        }
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.outlet.remove_console(&self.id);
        self.outlet.send(&json!({ "type": "pty_end", "ptyId": self.id }));
    }
}

/// Takes the complete characters out of some bytes; of one that is cut off, the beginning stays.
fn whole(bytes: &mut Vec<u8>) -> String {
    let mut text = String::new();
    let mut rest: &[u8] = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(valid) => {
                text.push_str(valid);
                rest = &[];
            }
            Err(error) => {
                let (valid, after) = rest.split_at(error.valid_up_to());
                text.push_str(std::str::from_utf8(valid).unwrap_or_default());
                rest = after;
                if let Some(length) = error.error_len() {
                    text.push('\u{fffd}');
                    rest = after.get(length..).unwrap_or_default();
                    continue;
                }
            }
        }
        break;
    }
    *bytes = rest.to_vec();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_not_torn() {
        let mut bytes = "aé".as_bytes().to_vec();
        let last = bytes.pop().unwrap();
        assert_eq!(whole(&mut bytes), "a");
        bytes.push(last);
        assert_eq!((whole(&mut bytes), bytes.len()), ("é".to_owned(), 0));
        let mut bytes = b"a\xffb".to_vec();
        assert_eq!(whole(&mut bytes), "a\u{fffd}b");
    }
}
