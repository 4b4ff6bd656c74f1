//! A prompt from the command line: words, files named with `@`, pictures, and standard input.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use relay_agent::session::Block;
use relay_agent::turn::Prompt;
use relay_diagnostics::Diagnostic;

use crate::failure::{BAD_USAGE, Failure};

/// The largest file that can be attached.
const FILE_BYTES: u64 = 1 << 20;
/// The longest recording or schema.
const TEXT_BYTES: u64 = 256 << 20;
/// The largest image that can be attached.
const IMAGE_BYTES: u64 = 20 << 20;

/// What accompanies the words.
pub struct Attached<'a> {
    /// Pictures.
    pub images: &'a [std::path::PathBuf],
    /// Standard input, if it is not a terminal.
    pub input: Option<String>,
}

/// Puts a prompt together.
pub fn prompt(words: &[String], attached: &Attached<'_>) -> Result<Prompt, Failure> {
    let (files, words): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.len() > 1 && word.starts_with('@'));
    let words = words.into_iter().map(String::as_str).collect::<Vec<_>>().join(" ");
    let mut text = match (&attached.input, words.trim().is_empty()) {
        (Some(input), true) => input.clone(),
        (Some(input), false) if !input.trim().is_empty() => format!("{words}\n\n<input>\n{input}\n</input>"),
        _ => words,
    };
    let mut images = Vec::new();
    for name in files {
        let name = name.trim_start_matches('@');
        let path = Path::new(name);
        match media_type(path) {
            Some(kind) => images.push(image(path, kind)?),
            None => {
                let content = read(path, FILE_BYTES)?;
                let content = String::from_utf8_lossy(&content);
                text.push_str(&format!("\n\n<file name=\"{name}\">\n{content}\n</file>"));
            }
        }
    }
    for path in attached.images {
        let Some(kind) = media_type(path) else {
            let message = format!("{} is not a PNG, JPEG, GIF or WebP image", path.display());
            return Err(Failure::usage(Diagnostic::error(BAD_USAGE, message)));
        };
        images.push(image(path, kind)?);
    }
    if text.trim().is_empty() && images.is_empty() {
        let message = "there is no prompt";
        let hint = "Say what to do: relay run 'fix the failing test', or pipe it in.";
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(hint)));
    }
    Ok(Prompt::with_images(text, images))
}

/// Standard input to its end, if something is piped in.
pub fn input() -> Result<Option<String>, Failure> {
    use std::io::IsTerminal as _;
    if std::io::stdin().is_terminal() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(relay_engine::REPLY_LIMIT_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::environment(&error))?;
    Ok((!bytes.is_empty()).then(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The text of a file that was named on the command line.
pub fn text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(TEXT_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

fn image(path: &Path, kind: &str) -> Result<Block, Failure> {
    let bytes = read(path, IMAGE_BYTES)?;
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    Ok(Block::Image { data, mime_type: kind.to_owned() })
}

fn media_type(path: &Path) -> Option<&'static str> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// A file named on the command line is the user's own, inside the project or not.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| {
        let message = format!("{} cannot be sent along: {why}", path.display());
        Failure::usage(Diagnostic::error(BAD_USAGE, message))
    };
    let file = std::fs::File::open(path).map_err(|error| failed(error.to_string()))?;
    let facts = file.metadata().map_err(|error| failed(error.to_string()))?;
    if !facts.is_file() {
        return Err(failed("it is not a regular file".to_owned()));
    }
    if facts.len() > limit {
        return Err(failed(format!("it has {} bytes, at most {limit} are sent", facts.len())));
    }
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes).map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}
