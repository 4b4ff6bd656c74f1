//! Pictures in another size and format: for terminals that take PNG alone, for the clipboard, for front ends.

use std::io::Cursor;

use image::codecs::gif::GifEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, ExtendedColorType, ImageError, ImageFormat};

use super::decoded;

/// The longest side of what is made here.
const MAX_SIDE: u32 = 8_192;

/// A format that pictures are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Every pixel as it is.
    Png,
    /// Small, without transparency; the quality is from 1 to 100.
    Jpeg(u8),
    /// Every pixel as it is, mostly smaller than PNG.
    WebP,
    /// At most 256 colours.
    Gif,
}

impl Encoding {
    /// `image/png` and the like.
    #[must_use]
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg(_) => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
        }
    }
}

/// A picture in this format, no larger than `within` in pixels, in its own shape.
///
/// # Errors
/// It is damaged or too large to decode, or a side of `within` is zero.
pub fn converted(bytes: &[u8], within: (u32, u32), encoding: Encoding) -> Result<Vec<u8>, String> {
    let picture = fitted(decoded(bytes)?, within)?;
    encode(&picture, encoding)
}

/// A picture made smaller where it does not fit.
pub(super) fn fitted(picture: DynamicImage, within: (u32, u32)) -> Result<DynamicImage, String> {
    let (width, height) = (within.0.min(MAX_SIDE), within.1.min(MAX_SIDE));
    if width == 0 || height == 0 {
        return Err("a picture cannot be made smaller than one pixel.".to_owned());
    }
    if picture.width() <= width && picture.height() <= height {
        return Ok(picture);
    }
    Ok(picture.resize(width, height, image::imageops::FilterType::Triangle))
}

pub(super) fn encode(picture: &DynamicImage, encoding: Encoding) -> Result<Vec<u8>, String> {
    let failed = |error: ImageError| format!("the picture cannot be written: {error}.");
    let mut bytes = Vec::new();
    match encoding {
        Encoding::Png => {
            picture.write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).map_err(failed)?;
        }
        Encoding::Jpeg(quality) => {
            // JPEG has no transparency; what is transparent keeps its colour.
            let plain = DynamicImage::ImageRgb8(picture.to_rgb8());
            JpegEncoder::new_with_quality(&mut bytes, quality.clamp(1, 100))
                .encode_image(&plain)
                .map_err(failed)?;
        }
        Encoding::WebP => {
            let pixels = picture.to_rgba8();
            WebPEncoder::new_lossless(&mut bytes)
                .encode(&pixels, pixels.width(), pixels.height(), ExtendedColorType::Rgba8)
                .map_err(failed)?;
        }
        Encoding::Gif => {
            let pixels = picture.to_rgba8();
            let mut encoder = GifEncoder::new_with_speed(&mut bytes, 10);
            encoder
                .encode(&pixels, pixels.width(), pixels.height(), ExtendedColorType::Rgba8)
                .map_err(failed)?;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::{facts, for_model};

    /// A picture with a gradient, an edge and a transparent corner.
    fn sample(width: u32, height: u32) -> DynamicImage {
        DynamicImage::ImageRgba8(image::RgbaImage::from_fn(width, height, |x, y| {
            let alpha = if x < width / 4 && y < height / 4 { 0 } else { 255 };
            let edge = if x > width / 2 { 200 } else { 20 };
            image::Rgba([(x * 255 / width) as u8, (y * 255 / height) as u8, edge, alpha])
        }))
    }

    /// How far the pixels of two pictures are apart at most, where both can be seen.
    fn apart(one: &DynamicImage, other: &DynamicImage) -> u8 {
        assert_eq!((one.width(), one.height()), (other.width(), other.height()));
        let seen = |pixel: &image::Rgba<u8>| pixel.0[3] > 127;
        let (one, other) = (one.to_rgba8(), other.to_rgba8());
        let pixels = one.pixels().zip(other.pixels()).filter(|(a, b)| seen(a) && seen(b));
        pixels.flat_map(|(a, b)| (0..3).map(move |at| a.0[at].abs_diff(b.0[at]))).max().unwrap_or(0)
    }

    #[test]
    fn every_format_becomes_every_format() {
        let original = sample(120, 80);
        let formats = [
            (Encoding::Png, 0),
            (Encoding::WebP, 0),
            // Blocks of eight pixels, and 256 colours.
            (Encoding::Jpeg(95), 60),
            (Encoding::Gif, 64),
        ];
        for (from, lost) in formats {
            let bytes = encode(&original, from).unwrap();
            assert_eq!(facts(&bytes).unwrap().mime_type, from.mime_type());
            for (to, lost_again) in formats {
                let converted = converted(&bytes, (120, 80), to).unwrap();
                let found = facts(&converted).unwrap();
                assert_eq!((found.mime_type, found.sides), (to.mime_type(), (120, 80)), "{from:?} to {to:?}");
                let distance = apart(&original, &decoded(&converted).unwrap());
                assert!(distance <= lost + lost_again, "{from:?} to {to:?}: {distance}");
            }
        }
    }

    #[test]
    fn pictures_are_made_smaller_in_their_shape_and_never_larger() {
        let bytes = encode(&sample(400, 100), Encoding::Png).unwrap();
        for (within, sides) in
            [((200, 200), (200, 50)), ((200, 10), (40, 10)), ((1_000, 1_000), (400, 100)), ((1, 1), (1, 1))]
        {
            let smaller = converted(&bytes, within, Encoding::Png).unwrap();
            assert_eq!(facts(&smaller).unwrap().sides, sides, "{within:?}");
        }
        for within in [(0, 10), (10, 0)] {
            assert!(converted(&bytes, within, Encoding::Png).unwrap_err().contains("one pixel"));
        }
    }

    /// Every format, cut at every place and with every byte turned over, is read or refused; nothing panics, and no header
    /// makes it take more memory than there may be.
    #[test]
    fn damaged_pictures_and_bombs_are_refused() {
        let original = sample(24, 16);
        let cancel = relay_diagnostics::Cancel::new();
        for encoding in [Encoding::Png, Encoding::Jpeg(80), Encoding::WebP, Encoding::Gif] {
            let whole = encode(&original, encoding).unwrap();
            for end in 0..whole.len() {
                // Some decoders show what there is of a picture; that is all right.
                drop(converted(&whole[..end], (8, 8), Encoding::Png));
            }
            for at in 0..whole.len() {
                let mut bytes = whole.clone();
                bytes[at] ^= 0xff;
                drop(converted(&bytes, (8, 8), Encoding::Png));
                drop(for_model(&bytes, true, &cancel));
            }
        }
        // Sides of 60,000 pixels are 14 GB; the headers of all formats say so, with nothing behind them.
        let huge: [&[u8]; 3] = [
            b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0\x6c\xbe\xa2\x0a\0\0\0\0IDAT",
            b"GIF89a\x60\xea\x60\xea\x80\0\0\0\0\0\xff\xff\xff\x2c\0\0\0\0\x60\xea\x60\xea\0\x02\x02\x44\x01\0\x3b",
            b"\xff\xd8\xff\xc0\0\x11\x08\xea\x60\xea\x60\x03\x01\x11\0\x02\x11\0\x03\x11\0\xff\xda\0\x0c\x03\x01\0\x02\0\x03\0\0\x3f\0\0",
        ];
        for bytes in huge {
            assert!(converted(bytes, (8, 8), Encoding::Png).is_err(), "{bytes:?}");
        }
    }

    /// A small file that is a large picture: it is decoded within the limit, or refused, but never beyond it.
    #[test]
    fn a_picture_that_grows_a_thousandfold_stays_bounded() {
        let plain = DynamicImage::ImageRgba8(image::RgbaImage::new(3_000, 3_000));
        let bytes = encode(&plain, Encoding::Png).unwrap();
        assert!(bytes.len() < 1 << 20, "{}", bytes.len());
        let small = converted(&bytes, (10, 10), Encoding::Png).unwrap();
        assert_eq!(facts(&small).unwrap().sides, (10, 10));
    }
}
