//! Sessions in Relay's own format: pi, oh-my-pi, gajae-code. They are taken as they are, after migration.

use super::omissions::Omissions;
use super::{ENTRY_LIMIT, ImportError, Imported, Program};
use crate::session::{Document, Kind};

pub(super) fn read(bytes: Vec<u8>) -> Result<Imported, ImportError> {
    let mut document = Document::parse(bytes)?;
    let mut omissions = Omissions::default();
    // Lines that cannot be read stay in the original. A copy begins clean, apart from the title line of oh-my-pi.
    for _ in &document.damage {
        omissions.add("lines that are not entries");
    }
    document.damage.clear();
    document.kept.retain(|kept| kept.after.is_none());
    for _ in document.entries.iter().skip(ENTRY_LIMIT) {
        omissions.add("entries beyond the limit");
    }
    document.entries.truncate(ENTRY_LIMIT);
    if !document.entries.iter().any(|entry| matches!(entry.kind(), Kind::Message | Kind::CustomMessage)) {
        return Err(ImportError::Empty(Program::Pi));
    }
    Ok(Imported { document, program: Program::Pi, left_out: omissions.finish() })
}
