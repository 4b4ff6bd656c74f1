//! Pictures of a session, as addresses that carry their bytes.
//!
//! The type that the session gives is not believed: it is read from the bytes, and only formats that cannot hold scripts
//! are shown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::FindBlob;

/// The largest picture that is shown: 16 MiB.
const LIMIT_BYTES: usize = 16 << 20;
/// How a reference to a stored picture begins.
pub(super) const BLOB: &str = "blob:sha256:";

/// A picture that can be shown.
pub(super) struct Picture {
    /// `data:image/png;base64,…`
    pub address: String,
}

/// The picture, or why it is not shown.
pub(super) fn read(data: &str, blobs: FindBlob<'_>) -> Result<Picture, &'static str> {
    let bytes = match data.strip_prefix(BLOB) {
        Some(digest) => blobs(digest).ok_or("the stored picture is missing")?,
        None if data.len() / 4 * 3 > LIMIT_BYTES => return Err("the picture is too large"),
        None => STANDARD.decode(data.trim()).map_err(|_| "the picture cannot be read")?,
    };
    if bytes.len() > LIMIT_BYTES {
        return Err("the picture is too large");
    }
    let kind = kind(&bytes).ok_or("the picture has a format that is not shown")?;
    Ok(Picture { address: format!("data:{kind};base64,{}", STANDARD.encode(&bytes)) })
}

fn kind(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_without_scripts_are_shown() {
        let none = |_: &str| None;
        let png = STANDARD.encode(b"\x89PNG\r\n\x1a\n");
        assert!(
            read(&png, &none).is_ok_and(|picture| picture.address.starts_with("data:image/png;base64,iVBOR"))
        );
        let svg = STANDARD.encode(b"<svg onload=alert(1)>");
        assert!(read(&svg, &none).is_err());
        assert!(read("not base64!", &none).is_err());
        assert!(read("blob:sha256:00", &none).is_err());
        assert!(read("blob:sha256:00", &|_| Some(b"GIF89a".to_vec())).is_ok());
    }
}
