//! `relay recover`: finishes what was interrupted, and says what it found.

use std::path::Path;

use relay_engine::{recover, report};
use serde_json::json;

use crate::cli::RecoverArgs;
use crate::failure::Failure;
use crate::open;
use crate::terminal::{self, report::diagnostics};

pub fn run(root: Option<&Path>, args: &RecoverArgs) -> Result<u8, Failure> {
    let found = recover(&open::workspace(root)?, &open::store()?)?;
    let stuck = found.iter().any(relay_edit::Diagnostic::is_error);
    if args.json {
        let status = if stuck { "recovery_needed" } else { "recovered" };
        let document = json!({ "status": status, "diagnostics": report::diagnostics(&found) });
        terminal::print_document(&document);
    } else if found.is_empty() {
        terminal::print("nothing to recover: no transaction was interrupted\n");
    } else {
        terminal::print(&diagnostics(&found));
    }
    Ok(u8::from(stuck))
}
