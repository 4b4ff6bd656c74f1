//! `relay sessions export`.

use std::path::Path;

use relay_agent::export::{Format, Transcript, render};
use relay_agent::session::SessionLog;
use relay_diagnostics::Diagnostic;
use relay_store::StoreError;

use super::{Here, failure};
use crate::cli::ExportFormat;
use crate::commands::themes;
use crate::failure::{BAD_USAGE, Failure};
use crate::terminal::{self, visible};
use crate::user;

/// How files exported by Relay begin; others are not replaced.
const HEADS: [&str; 2] = ["<!doctype html>\n<html lang=\"en\">", "{\n  \"exportVersion\": 1,"];

pub fn run(here: &Here, id: &str, output: Option<&Path>, format: ExportFormat) -> Result<u8, Failure> {
    let document = SessionLog::load(&here.store, &here.find(id)?).map_err(|error| failure(&error))?;
    for damage in &document.damage {
        terminal::tell(&format!("warning: {} was left out\n", visible(&damage.to_string())));
    }
    let blobs = here.store.sessions().blobs();
    let find = |digest: &str| blobs.get(digest).ok().flatten();
    let mut transcript = Transcript::new(&document.header, &document.entries);
    transcript.blobs = &find;
    let style = themes::page_style(&here.store, &user::settings(&here.store)?);
    transcript.style = &style;
    let format = match format {
        ExportFormat::Html => Format::Html,
        ExportFormat::Md => Format::Markdown,
        ExportFormat::Json => Format::Json,
    };
    let text = render(&transcript, format);
    let Some(place) = output else { return Ok(terminal::print_as_is(&text)) };
    let is_ours = |head: &[u8]| HEADS.iter().any(|known| head.starts_with(known.as_bytes()));
    relay_store::export(place, text.as_bytes(), is_ours).map_err(|error| {
        let diagnostic = Diagnostic::error(BAD_USAGE, error.to_string());
        Failure::usage(match error {
            StoreError::Exists { .. } => diagnostic.hinted("Choose another name, or delete that file first."),
            _ => diagnostic,
        })
    })?;
    terminal::tell(&format!("exported to {}\n", visible(&place.display().to_string())));
    Ok(0)
}
