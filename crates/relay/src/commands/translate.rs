//! `relay translate`: a reply or a landed transaction in another dialect.

use std::path::Path;

use relay_engine::{Submission, translate};

use super::apply::read_reply;
use crate::cli::TranslateArgs;
use crate::failure::Failure;
use crate::{open, terminal};

pub fn run(root: Option<&Path>, args: &TranslateArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let text = match &args.transaction {
        Some(selector) => {
            let history = engine.history()?;
            let entry = history.find(selector).map_err(Failure::general)?;
            translate::entry(&engine, &entry.record, args.to)
        }
        None => {
            let file = args.file.as_deref().filter(|file| *file != Path::new("-"));
            let submission =
                Submission { channel: "translate", text: read_reply(file)?, dialect: args.dialect };
            translate::reply(&engine, &submission, args.to)
        }
    };
    Ok(terminal::print_exactly(&text.map_err(Failure::refused)?))
}
