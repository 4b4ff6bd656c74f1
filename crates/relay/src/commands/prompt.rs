//! `relay prompt`: the instructions that teach a model the reply format.

use std::path::Path;

use relay_edit::prompt::system_prompt;

use crate::cli::PromptArgs;
use crate::failure::Failure;
use crate::{clipboard, open, terminal};

pub fn run(root: Option<&Path>, args: &PromptArgs) -> Result<u8, Failure> {
    let engine = open::engine_told(root)?;
    let text = system_prompt(args.dialect, engine.config().project_id.as_deref());
    if args.copy {
        clipboard::copy(&text)?;
        terminal::tell(
            "the instructions are on the clipboard; paste them into your chat's custom instructions\n",
        );
        return Ok(0);
    }
    Ok(terminal::print_exactly(&text))
}
