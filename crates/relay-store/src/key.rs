//! The ledger key: it distinguishes records that this user's Relay wrote from records that came with a repository.

use crate::error::StoreError;
use crate::folder::Folder;
use crate::store::Store;

/// The file in the data folder: 64 hexadecimal digits and a newline.
const FILE: &str = "ledger.key";

const KEY_BYTES: usize = 32;

impl Store {
    /// The user's ledger key, made at the first call and the same ever after, also when several processes call for the
    /// first time at once.
    ///
    /// # Errors
    /// The key is not sound (others can read it, or it is not a key), or the system refuses. A damaged key is never
    /// replaced: with another one the whole history would look foreign.
    pub fn ledger_key(&self) -> Result<[u8; KEY_BYTES], StoreError> {
        if let Some(key) = self.existing_data()?.map_or(Ok(None), |folder| read(&folder))? {
            return Ok(key);
        }
        let folder = self.data()?;
        let writer = folder.lock()?;
        // Another process may have made it while we waited.
        if let Some(key) = read(&folder)? {
            return Ok(key);
        }
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| {
            StoreError::io(folder.path().join(FILE), std::io::Error::other(error.to_string()))
        })?;
        writer.replace(FILE, render(&key).as_bytes())?;
        Ok(key)
    }
}

fn read(folder: &Folder) -> Result<Option<[u8; KEY_BYTES]>, StoreError> {
    let Some(bytes) = folder.read_secret(FILE)? else { return Ok(None) };
    parse(&bytes).map(Some).ok_or_else(|| StoreError::Corrupt {
        path: folder.path().join(FILE),
        reason: format!("a key has {} hexadecimal digits", 2 * KEY_BYTES),
    })
}

fn render(key: &[u8]) -> String {
    let mut text: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    text.push('\n');
    text
}

fn parse(bytes: &[u8]) -> Option<[u8; KEY_BYTES]> {
    let digits = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let decode = |pair: &[u8]| match pair {
        [high, low] => Some((digit(*high)? << 4) | digit(*low)?),
        _ => None,
    };
    digits.chunks(2).map(decode).collect::<Option<Vec<u8>>>()?.try_into().ok()
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_as_it_was_written() {
        let key: [u8; KEY_BYTES] = std::array::from_fn(|index| (index * 9) as u8);
        assert_eq!(parse(render(&key).as_bytes()), Some(key));
    }

    #[test]
    fn anything_else_is_not_a_key() {
        for text in ["", "\n", "00", &"0".repeat(63), &"0".repeat(66), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
