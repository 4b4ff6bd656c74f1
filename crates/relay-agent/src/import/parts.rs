//! Texts, pictures and arguments of other programs' logs as blocks of a session.

use serde_json::{Map, Value};

use super::TEXT_LIMIT_CHARS;
use super::lines::text;
use super::omissions::Omissions;
use crate::session::content::{Malformed, ToolCall};
use crate::session::{Block, Content};

/// What a text that was cut ends with.
const CUT: &str = "\n\n[Session persistence truncated large content]";

/// A text that is not too long.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(TEXT_LIMIT_CHARS) {
        Some((end, _)) => format!("{}{CUT}", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A message's content: a plain text, or text and pictures in the form of either program. What else there is, such as
/// documents, is counted.
pub(super) fn content(value: &Value, omissions: &mut Omissions) -> Content {
    match value {
        Value::String(text) => Content::Text(clip(text)),
        Value::Array(items) => {
            let blocks = items.iter().filter_map(Value::as_object);
            Content::Blocks(blocks.filter_map(|block| plain(block, omissions)).collect())
        }
        _ => Content::default(),
    }
}

/// A text or a picture.
pub(super) fn plain(block: &Map<String, Value>, omissions: &mut Omissions) -> Option<Block> {
    let kind = text(block, "type").unwrap_or_default();
    let found = match kind {
        "text" | "input_text" | "output_text" => text(block, "text").map(|text| Block::text(clip(text))),
        "image" => block.get("source").and_then(Value::as_object).and_then(|source| {
            let (data, mime) = (text(source, "data")?, text(source, "media_type")?);
            Some(Block::Image { data: data.to_owned(), mime_type: mime.to_owned() })
        }),
        "input_image" => text(block, "image_url").and_then(data_url),
        _ => None,
    };
    let is_empty_text = kind.ends_with("text");
    if found.is_none() && !is_empty_text {
        omissions.add(&format!("blocks of type {kind}"));
    }
    found
}

/// A picture from a `data:` address; anything else would have to be fetched.
fn data_url(url: &str) -> Option<Block> {
    let (mime, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    Some(Block::Image { data: data.to_owned(), mime_type: mime.to_owned() })
}

/// Whether there is nothing in it.
pub(super) fn is_empty(content: &Content) -> bool {
    match content {
        Content::Text(text) => text.is_empty(),
        Content::Blocks(blocks) => blocks.is_empty(),
    }
}

/// A tool call whose arguments may be an object or the text of one.
pub(super) fn call(id: &str, name: &str, arguments: Option<&Value>) -> ToolCall {
    let mut call = ToolCall { id: id.to_owned(), name: name.to_owned(), ..ToolCall::default() };
    match arguments {
        Some(Value::Object(object)) => call.arguments = clipped(object),
        Some(Value::String(text)) => match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(object) => call.arguments = clipped(&object),
            Err(error) if !text.trim().is_empty() => {
                call.incomplete_arguments = Some(true);
                call.malformed = Some(Malformed { text: clip(text), reason: error.to_string() });
            }
            Err(_) => {}
        },
        _ => {}
    }
    call
}

fn clipped(object: &Map<String, Value>) -> Map<String, Value> {
    let clip_value = |value: &Value| match value {
        Value::String(text) => clip(text).into(),
        other => other.clone(),
    };
    object.iter().map(|(key, value)| (key.clone(), clip_value(value))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let cut = clip(&"é".repeat(TEXT_LIMIT_CHARS + 1));
        assert_eq!(cut.chars().filter(|letter| *letter == 'é').count(), TEXT_LIMIT_CHARS);
        assert!(cut.ends_with("content]"));
        assert_eq!(clip("short"), "short");
    }

    #[test]
    fn texts_and_pictures_are_kept_and_the_rest_is_counted() {
        let mut omissions = Omissions::default();
        let value = json!([
            { "type": "text", "text": "a" }, { "type": "input_text", "text": "" },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "QUJD" } },
            { "type": "image", "source": { "type": "url", "url": "http://example.com/a.png" } },
            { "type": "input_image", "image_url": "data:image/png;base64,QUJD" },
            { "type": "input_image", "image_url": "https://example.com/a.png" },
            { "type": "document" }, 7
        ]);
        let picture = || Block::Image { data: "QUJD".to_owned(), mime_type: "image/png".to_owned() };
        let expected = vec![Block::text("a"), picture(), picture()];
        assert_eq!(content(&value, &mut omissions), Content::Blocks(expected));
        let left_out: Vec<String> = omissions.finish().iter().map(ToString::to_string).collect();
        assert_eq!(
            left_out,
            ["1 × blocks of type image", "1 × blocks of type input_image", "1 × blocks of type document"]
        );
    }

    #[test]
    fn arguments_that_are_not_an_object_are_kept_as_text() {
        assert_eq!(
            call("1", "a", Some(&json!("{\"x\":1}"))).arguments,
            *json!({"x": 1}).as_object().unwrap()
        );
        let broken = call("1", "a", Some(&json!("{\"x\":")));
        assert_eq!(broken.malformed.unwrap().text, "{\"x\":");
        assert!(call("1", "a", None).arguments.is_empty());
    }
}
