//! The clipboard of a system that does not report changes: it is polled.
//!
//! The library returns content only as a whole, so even oversized content is read before it is dropped.

use std::time::Duration;

use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError, reply_digest};

/// The clipboard, and what it held last time.
pub struct PolledClipboard {
    clipboard: arboard::Clipboard,
    seen: Option<String>,
    is_fresh: bool,
}

impl PolledClipboard {
    /// Asks the system for its clipboard.
    pub fn open() -> Result<Self, arboard::Error> {
        Ok(Self { clipboard: arboard::Clipboard::new()?, seen: None, is_fresh: true })
    }
}

impl Channel for PolledClipboard {
    fn place(&self) -> &str {
        super::CLIPBOARD
    }

    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError> {
        let was_fresh = std::mem::take(&mut self.is_fresh);
        if !was_fresh {
            std::thread::sleep(patience);
        }
        // An image, nothing at all, or a clipboard that another program is just using.
        let Ok(text) = self.clipboard.get_text() else { return Ok(Arrival::Nothing) };
        let digest = reply_digest(&text);
        if self.seen.replace(digest.clone()) == Some(digest) {
            return Ok(Arrival::Nothing);
        }
        Ok(match text {
            text if text.len() > CHANNEL_LIMIT_BYTES => super::too_large(),
            text if was_fresh => Arrival::Present(text),
            text => Arrival::Text(text),
        })
    }
}
