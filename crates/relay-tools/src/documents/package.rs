//! The parts of a document that is a zip archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// The largest part that is read, and how much of all parts together.
const PART_BYTES: u64 = 64 << 20;
const ALL_BYTES: u64 = 256 << 20;

/// A document's parts.
pub struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    left: u64,
}

impl<'a> Package<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Self, String> {
        let archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| format!("it is damaged: {error}"))?;
        Ok(Self { archive, left: ALL_BYTES })
    }

    /// The names of all parts.
    pub fn names(&self) -> Vec<String> {
        self.archive.file_names().filter_map(Result::ok).map(std::borrow::Cow::into_owned).collect()
    }

    /// A part as text; nothing if there is none.
    pub fn part(&mut self, name: &str) -> Result<Option<String>, String> {
        let Ok(part) = self.archive.by_name(name) else { return Ok(None) };
        let limit = PART_BYTES.min(self.left);
        let mut bytes = Vec::new();
        part.take(limit + 1).read_to_end(&mut bytes).map_err(|error| format!("it is damaged: {error}"))?;
        let length = bytes.len() as u64;
        if length > limit {
            return Err("it inflates to more than is read of a document".to_owned());
        }
        self.left -= length;
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// A part that must be there.
    pub fn needed(&mut self, name: &str) -> Result<String, String> {
        self.part(name)?.ok_or_else(|| format!("it is damaged: it has no {name}"))
    }
}
