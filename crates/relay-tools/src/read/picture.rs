//! Pictures, recognised by their content.

use std::io::Read;

use relay_agent::session::Block;
use relay_agent::tool::{Call, Output, ToolError};
use relay_workspace::read_opened;
use serde_json::json;

use super::file::Opened;
use super::folder::size;
use crate::pictures::{self, MAX_INPUT_BYTES};

/// Shows a picture; nothing if it is something else.
///
/// # Errors
/// It is too large, damaged, or pictures are blocked.
pub fn read(call: &Call<'_>, opened: &Opened<'_>) -> Result<Option<Output>, ToolError> {
    let mut head = Vec::new();
    let reopened = opened.place.open_file().ok().flatten();
    let Some((file, _)) = reopened else { return Ok(None) };
    if file.take(64).read_to_end(&mut head).is_err() || pictures::format(&head).is_none() {
        return Ok(None);
    }
    let name = opened.place.shown();
    if opened.facts.size > MAX_INPUT_BYTES {
        return Err(ToolError::failed(format!(
            "{name} has {}; pictures up to {} are read. Make it smaller first.",
            size(opened.facts.size),
            size(MAX_INPUT_BYTES)
        )));
    }
    let bytes = read_opened(&opened.file, &opened.facts, MAX_INPUT_BYTES)
        .map_err(|error| ToolError::failed(format!("{name} cannot be read: {error}.")))?;
    let facts = pictures::facts(&bytes).map_err(|reason| ToolError::failed(format!("{name}: {reason}")))?;
    let details = json!({ "path": name, "picture": facts.document(), "meta": { "source": name } });
    if call.services.is_on("inspect_image.enabled", false) {
        let text =
            format!("{}\nUse `inspect_image` with a question to learn what it shows.\n", facts.text(name));
        return Ok(Some(Output::text(text).with_details(details)));
    }
    if call.services.is_on("images.blockImages", false) {
        let text =
            format!("{}\nPictures are blocked by the setting `images.blockImages`.\n", facts.text(name));
        return Ok(Some(Output::text(text).with_details(details)));
    }
    let picture = pictures::for_model(&bytes, call.services.is_on("images.autoResize", true), call.cancel)
        .map_err(|reason| ToolError::failed(format!("{name}: {reason}")))?;
    let text = format!("{}\n{}", facts.text(name), picture.note(&facts));
    let image = Block::Image { data: picture.base64(), mime_type: picture.mime_type.to_owned() };
    let content = vec![Block::text(text), image];
    Ok(Some(Output { content, ..Output::default() }.with_details(details)))
}
