//! Pictures of a conversation, fetched from the blob store when a model is to see them.
//!
//! Entries hold references, so a session with many pictures opens as fast as one without.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use relay_llm::{Block, Message};
use relay_store::Blobs;

use super::persist::BLOB_PREFIX;

/// Puts pictures where references to them are, and says which are missing. A missing one becomes a note: a provider
/// would refuse the whole request otherwise.
pub(super) fn restore(messages: &mut [Message], blobs: Option<&Blobs>) -> Vec<String> {
    let mut missing = Vec::new();
    for message in messages {
        restore_blocks(&mut message.content, blobs, &mut missing);
    }
    missing
}

fn restore_blocks(blocks: &mut [Block], blobs: Option<&Blobs>, missing: &mut Vec<String>) {
    for block in blocks {
        match block {
            Block::ToolResult(result) => restore_blocks(&mut result.content, blobs, missing),
            Block::Image(image) => {
                let Some(name) = image.data.strip_prefix(BLOB_PREFIX) else { continue };
                match fetch(name, blobs) {
                    Some(data) => image.data = data,
                    None => {
                        missing.push(name.to_owned());
                        *block = Block::text("[A picture was here; it is no longer stored on this machine.]");
                    }
                }
            }
            _ => {}
        }
    }
}

/// A picture in base64; none if it cannot be had, for whatever reason.
fn fetch(name: &str, blobs: Option<&Blobs>) -> Option<String> {
    let bytes = blobs?.get(name).ok()??;
    Some(STANDARD.encode(bytes))
}
