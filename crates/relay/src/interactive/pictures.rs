//! Pictures as the terminal takes them. What tools return is PNG, JPEG, GIF or WebP; Kitty's protocol takes PNG alone, and sixels
//! are pixels. Worked out on the agent's thread, so that keys never wait for it.

use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use relay_tools::pictures::{Encoding, converted, sixels};
use relay_tui::picture::{Limits, Protocol};
use relay_tui::tty::Tty;
use serde_json::{Value, json};

/// Columns beside a picture: the frame of the call that it came of.
const BESIDE: usize = 8;

/// What the terminal takes, as the interface knows it by now.
#[derive(Clone, Default)]
pub struct Pictures(Arc<Mutex<Limits>>);

impl Pictures {
    /// The interface knows more.
    pub fn follow(&self, limits: Limits) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = limits;
    }

    /// The frame with its pictures as the terminal takes them.
    pub fn adapted(&self, mut frame: Value) -> Value {
        let limits = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !limits.is_on || !matches!(limits.protocol, Protocol::Kitty | Protocol::Sixel) {
            return frame;
        }
        let kind = frame.get("type").and_then(Value::as_str).unwrap_or_default();
        let results = match kind {
            "tool_execution_end" => frame.get_mut("result").into_iter().collect::<Vec<_>>(),
            "response" if frame.get("command").is_some_and(|command| command == "get_messages") => {
                let messages =
                    frame.get_mut("data").and_then(|data| data.get_mut("messages")?.as_array_mut());
                messages.into_iter().flatten().collect()
            }
            _ => return frame,
        };
        let blocks =
            results.into_iter().filter_map(|result| result.get_mut("content")?.as_array_mut()).flatten();
        for block in blocks.filter(|block| block.get("type").is_some_and(|kind| kind == "image")) {
            adapt(block, &limits);
        }
        frame
    }
}

/// A picture that cannot be decoded stays as it is; a line says what it is then.
fn adapt(block: &mut Value, limits: &Limits) {
    let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_png = text("mimeType") == "image/png";
    if limits.protocol == Protocol::Kitty && is_png {
        return;
    }
    let Ok(bytes) = STANDARD.decode(text("data")) else { return };
    let ((across, down), (columns, _)) = (Tty::cell(), Tty::size());
    let room = usize::from(columns).saturating_sub(BESIDE).clamp(1, limits.columns.max(1));
    let side = |cells: usize, pixels: u32| u32::try_from(cells).unwrap_or(1).saturating_mul(pixels).max(1);
    let within = (side(room, across), side(limits.rows, down));
    let Some(fields) = block.as_object_mut() else { return };
    if limits.protocol == Protocol::Kitty {
        if let Ok(png) = converted(&bytes, within, Encoding::Png) {
            fields.insert("mimeType".to_owned(), "image/png".into());
            fields.insert("data".to_owned(), STANDARD.encode(png).into());
        }
    } else if let Ok(drawn) = sixels(&bytes, within) {
        let (columns, rows) = (drawn.sides.0.div_ceil(across), drawn.sides.1.div_ceil(down));
        fields.insert("sixels".to_owned(), json!({ "body": drawn.body, "columns": columns, "rows": rows }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture of one colour, 32 pixels across and 16 down.
    const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAACAAAAAQCAIAAAD4YuoOAAAAHUlEQVR42mM4wcVFU8QwasGoBaMWjFowasFQsAAAkEm4EMczP1wAAAAASUVORK5CYII=";

    fn adapted(protocol: Protocol, mime: &str) -> Value {
        let pictures = Pictures::default();
        pictures.follow(Limits { protocol, ..Limits::default() });
        let block = json!({ "type": "image", "mimeType": mime, "data": PICTURE });
        let frame = json!({ "type": "tool_execution_end", "result": { "content": [{ "type": "text", "text": "a" }, block] } });
        pictures.adapted(frame)["result"]["content"][1].clone()
    }

    #[test]
    fn kitty_gets_png_and_others_get_sixels() {
        // The content decides, not what it is called.
        let kitty = adapted(Protocol::Kitty, "image/jpeg");
        assert_eq!(kitty["mimeType"], "image/png");
        let sixel = adapted(Protocol::Sixel, "image/png");
        let (columns, rows) = (&sixel["sixels"]["columns"], &sixel["sixels"]["rows"]);
        assert!(columns.as_u64().unwrap() >= 1 && rows == 1, "{sixel}");
        assert!(sixel["sixels"]["body"].as_str().unwrap().starts_with("\"1;1;32;16#"), "{sixel}");
        assert!(adapted(Protocol::None, "image/jpeg")["sixels"].is_null());
    }

    #[test]
    fn what_is_no_picture_stays_as_it_is() {
        let pictures = Pictures::default();
        pictures.follow(Limits { protocol: Protocol::Sixel, ..Limits::default() });
        for frame in [
            json!({ "type": "tool_execution_end", "result": { "content": [{ "type": "image", "data": "!", "mimeType": "image/png" }] } }),
            json!({ "type": "response", "command": "get_messages", "data": { "messages": [{ "content": "text" }] } }),
            json!({ "type": "ready" }),
        ] {
            assert_eq!(pictures.adapted(frame.clone()), frame);
        }
    }
}
