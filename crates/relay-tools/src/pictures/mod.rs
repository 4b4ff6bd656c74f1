//! Pictures for models: what they are, and small enough to be sent.
//!
//! A picture is another program's data: its format is read from its content, never from its name, and it is decoded with
//! limits on its sides and on memory before anything believes its header.

mod encode;
mod sixel;

use std::io::Cursor;

use base64::Engine as _;
use image::{DynamicImage, GenericImageView, ImageFormat, ImageReader, Limits};
use relay_diagnostics::Cancel;
use serde_json::{Value, json};

pub use encode::{Encoding, converted};
pub use sixel::{Sixels, sixels};

use crate::read::folder::size;

/// The largest picture that is read.
pub const MAX_INPUT_BYTES: u64 = 20 << 20;
/// The longest side that is sent.
const MAX_SIDE: u32 = 1_568;
/// How large a picture may be that is sent after it was made smaller.
const MAX_OUTPUT_BYTES: usize = 500 << 10;
/// Up to here a picture with short sides is sent as it is.
const AS_IT_IS_BYTES: usize = 125 << 10;
/// Qualities that are tried, best first.
const QUALITIES: [u8; 5] = [75, 70, 60, 50, 40];
/// Scales that are tried after that.
const SCALES: [f64; 5] = [1.0, 0.75, 0.5, 0.35, 0.25];
/// No side becomes shorter than this.
const MIN_SIDE: u32 = 100;
/// The longest side that is decoded, and the most memory for it.
const DECODED_SIDE: u32 = 20_000;
const DECODED_BYTES: u64 = 512 << 20;

/// The format of a picture that models know; nothing for anything else.
#[must_use]
pub fn format(head: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(head).ok()?;
    let is_known =
        matches!(format, ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::WebP);
    is_known.then_some(format)
}

/// What a picture is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// `image/png` and the like.
    pub mime_type: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its width and height.
    pub sides: (u32, u32),
    /// How many channels, and whether one of them is transparency.
    pub channels: (u8, bool),
}

impl Facts {
    /// In words.
    #[must_use]
    pub fn text(&self, name: &str) -> String {
        let ((width, height), (channels, has_alpha)) = (self.sides, self.channels);
        let alpha = if has_alpha { "with alpha" } else { "no alpha" };
        format!(
            "{name}: {}, {}, {width}x{height}, {channels} channels, {alpha}",
            self.mime_type,
            size(self.bytes)
        )
    }

    /// For front ends.
    #[must_use]
    pub fn document(&self) -> Value {
        json!({
            "mimeType": self.mime_type, "bytes": self.bytes, "width": self.sides.0, "height": self.sides.1,
            "channels": self.channels.0, "hasAlpha": self.channels.1,
        })
    }
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, String> {
    let format = format(bytes).ok_or("only PNG, JPEG, GIF and WebP pictures can be read.")?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(DECODED_SIDE);
    limits.max_image_height = Some(DECODED_SIDE);
    limits.max_alloc = Some(DECODED_BYTES);
    reader.limits(limits);
    Ok(reader)
}

/// What a picture is, from its header.
///
/// # Errors
/// It is damaged, or of a format that models do not know.
pub fn facts(bytes: &[u8]) -> Result<Facts, String> {
    let format = format(bytes).ok_or("only PNG, JPEG, GIF and WebP pictures can be read.")?;
    let damaged = |error: image::ImageError| format!("the picture cannot be decoded: {error}.");
    let decoder = reader(bytes)?.into_decoder().map_err(damaged)?;
    let color = image::ImageDecoder::color_type(&decoder);
    Ok(Facts {
        mime_type: format.to_mime_type(),
        bytes: bytes.len() as u64,
        sides: image::ImageDecoder::dimensions(&decoder),
        channels: (color.channel_count(), color.has_alpha()),
    })
}

/// A picture as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sendable {
    /// `image/png` and the like.
    pub mime_type: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its width and height.
    pub sides: (u32, u32),
}

impl Sendable {
    /// The bytes in base64.
    #[must_use]
    pub fn base64(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(&self.bytes)
    }

    /// What the model should know about how it was changed.
    #[must_use]
    pub fn note(&self, original: &Facts) -> String {
        if self.sides == original.sides {
            return String::new();
        }
        let (width, height) = self.sides;
        let scale = f64::from(original.sides.0) / f64::from(width.max(1));
        format!("Shown at {width}x{height}; multiply coordinates by {scale:.2} for those of the original.\n")
    }
}

/// A picture that is small enough to be sent. One that is small already is sent as it is.
///
/// # Errors
/// It is damaged, too large to decode, or cannot be made small enough.
pub fn for_model(bytes: &[u8], may_resize: bool, cancel: &Cancel) -> Result<Sendable, String> {
    let facts = facts(bytes)?;
    let (width, height) = facts.sides;
    let is_small = width <= MAX_SIDE && height <= MAX_SIDE && bytes.len() <= AS_IT_IS_BYTES;
    if is_small || !may_resize {
        // Decoded all the same: a provider refuses the whole conversation for one damaged picture.
        decoded(bytes)?;
        return Ok(Sendable { mime_type: facts.mime_type, bytes: bytes.to_vec(), sides: facts.sides });
    }
    let picture = decoded(bytes)?;
    let picture = shrunk(&picture, f64::from(MAX_SIDE) / f64::from(width.max(height)).max(1.0));
    let mut smallest: Option<Sendable> = None;
    for scale in SCALES {
        if cancel.is_cancelled() {
            return Err("the call was aborted.".to_owned());
        }
        let scaled = shrunk(&picture, scale);
        for attempt in attempts(&scaled) {
            if attempt.bytes.len() <= MAX_OUTPUT_BYTES {
                return Ok(attempt);
            }
            if smallest.as_ref().is_none_or(|known| attempt.bytes.len() < known.bytes.len()) {
                smallest = Some(attempt);
            }
        }
        if scaled.width().min(scaled.height()) <= MIN_SIDE {
            break;
        }
    }
    smallest.ok_or_else(|| "the picture cannot be made small enough.".to_owned())
}

fn decoded(bytes: &[u8]) -> Result<DynamicImage, String> {
    reader(bytes)?.decode().map_err(|error| format!("the picture cannot be decoded: {error}."))
}

/// Smaller by this factor, never larger, no side below the shortest that is sent.
fn shrunk(picture: &DynamicImage, scale: f64) -> DynamicImage {
    let (width, height) = picture.dimensions();
    let side = |side: u32| ((f64::from(side) * scale).round() as u32).clamp(MIN_SIDE.min(side), side);
    let (new_width, new_height) = (side(width), side(height));
    if (new_width, new_height) == (width, height) {
        return picture.clone();
    }
    picture.resize_exact(new_width, new_height, image::imageops::FilterType::Triangle)
}

/// The picture in formats and qualities, best first: PNG keeps sharp edges and transparency, JPEG is small.
fn attempts(picture: &DynamicImage) -> impl Iterator<Item = Sendable> + '_ {
    let sides = picture.dimensions();
    // JPEG has no transparency, which is why PNG is tried first.
    let formats = std::iter::once(Encoding::Png).chain(QUALITIES.map(Encoding::Jpeg));
    formats.filter_map(move |format| {
        let bytes = encode::encode(picture, format).ok()?;
        Some(Sendable { mime_type: format.mime_type(), bytes, sides })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(width: u32, height: u32) -> DynamicImage {
        let mut seed = 1u32;
        DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |_, _| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = seed.to_be_bytes();
            image::Rgb([a, b, c])
        }))
    }

    fn encoded(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn small_pictures_are_sent_as_they_are_in_every_format() {
        let picture = noise(20, 10);
        for (kind, mime) in [
            (ImageFormat::Png, "image/png"),
            (ImageFormat::Jpeg, "image/jpeg"),
            (ImageFormat::Gif, "image/gif"),
            (ImageFormat::WebP, "image/webp"),
        ] {
            let bytes = encoded(&picture, kind);
            let facts = facts(&bytes).unwrap();
            assert_eq!((facts.mime_type, facts.sides), (mime, (20, 10)));
            let sent = for_model(&bytes, true, &Cancel::new()).unwrap();
            assert_eq!((sent.bytes, sent.mime_type), (bytes, mime));
        }
    }

    #[test]
    fn large_pictures_become_small_enough() {
        let bytes = encoded(&noise(2_000, 900), ImageFormat::Png);
        let facts = facts(&bytes).unwrap();
        let sent = for_model(&bytes, true, &Cancel::new()).unwrap();
        assert!(sent.bytes.len() <= MAX_OUTPUT_BYTES, "{}", sent.bytes.len());
        assert!(sent.sides.0 <= MAX_SIDE && sent.sides.1 >= MIN_SIDE, "{:?}", sent.sides);
        assert!(sent.note(&facts).contains("multiply coordinates by"));
        assert_eq!(for_model(&bytes, false, &Cancel::new()).unwrap().bytes, bytes);
    }

    #[test]
    fn bombs_damage_and_other_formats_are_refused() {
        let mut png = encoded(&noise(4, 4), ImageFormat::Png);
        // The width in the header, 2^31 - 1, without its checksum.
        png[16..20].copy_from_slice(&[0x7f, 0xff, 0xff, 0xff]);
        assert!(for_model(&png, true, &Cancel::new()).is_err());
        let whole = encoded(&noise(64, 64), ImageFormat::Png);
        assert!(for_model(&whole[..whole.len() / 2], true, &Cancel::new()).is_err());
        assert!(facts(b"BM not for models").is_err() && format(b"GIF89a").is_some());
    }
}
