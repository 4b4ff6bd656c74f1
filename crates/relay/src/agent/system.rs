//! The system prompt of a session: the command line's additions to the instructions of the user and the project.

use std::io::Read as _;
use std::path::Path;

use relay_agent::prompt::{Material, Options};
use relay_diagnostics::Diagnostic;
use relay_engine::Engine;
use relay_store::Store;

use crate::cli::AgentArgs;
use crate::failure::{BAD_USAGE, Failure};
use crate::instructions;

/// The longest text that `--system-prompt` takes from a file.
const PROMPT_BYTES: u64 = 1 << 20;

/// Reads all parts of the prompt.
pub fn material(
    engine: &Engine,
    store: &Store,
    args: &AgentArgs,
    skills: relay_agent::skills::Settings,
    model: &str,
) -> Result<Material, Failure> {
    let added: String = args
        .add_dir
        .iter()
        .map(|folder| {
            format!("The user also lets you read {}, and run commands that write there.\n", folder.display())
        })
        .collect();
    let append = args.append_system_prompt.as_deref().map(text_or_file).transpose()?;
    let append = match (append, added.trim_end()) {
        (append, "") => append,
        (append, added) => {
            Some(append.into_iter().chain([added.to_owned()]).collect::<Vec<_>>().join("\n\n"))
        }
    };
    let options = Options {
        system_prompt: args.system_prompt.as_deref().map(text_or_file).transpose()?,
        append,
        no_rules: args.without.no_rules,
        no_files: false,
        skills,
    };
    Ok(instructions::material(engine.workspace(), store, Some(model.to_owned()), options))
}

/// The given text, or the content of the file with that name.
fn text_or_file(given: &str) -> Result<String, Failure> {
    let is_file = given.len() < 4096 && !given.contains('\n') && Path::new(given).is_file();
    if !is_file {
        return Ok(given.to_owned());
    }
    let mut text = String::new();
    std::fs::File::open(given).and_then(|file| file.take(PROMPT_BYTES).read_to_string(&mut text)).map_err(
        |error| Failure::usage(Diagnostic::error(BAD_USAGE, format!("{given} cannot be read: {error}"))),
    )?;
    Ok(text)
}
