//! `relay backends`: which backends can be asked, what each can do, and what is missing.

use relay_backends::backend::{Availability, Backend, Capabilities, Containment};
use relay_exec::sandbox::{Strength, strength};
use serde_json::{Value, json};

use crate::cli::BackendsArgs;
use crate::failure::Failure;
use crate::terminal::report::line;
use crate::terminal::style::{FAINT, GOOD, NOTE, STRONG, paint};
use crate::terminal::{self, visible};
use crate::{open, signals, user};

pub fn run(args: &BackendsArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    let settings = user::settings(&store)?;
    let backends = user::sources(&store, &settings).all()?;
    let cancel = signals::cancel_on_signals().map_err(|error| Failure::environment(&error))?;
    // Each program is started once to print its version; in parallel that takes as long as the slowest.
    let all: Vec<&dyn Backend> = backends.iter().collect();
    let found: Vec<Availability> = std::thread::scope(|scope| {
        let asked: Vec<_> = all.iter().map(|backend| scope.spawn(|| backend.availability(&cancel))).collect();
        let unknown = || Availability { found: None, logged_in: None, remedy: String::new() };
        asked.into_iter().map(|thread| thread.join().unwrap_or_else(|_| unknown())).collect()
    });
    if args.json {
        let list: Vec<Value> =
            all.iter().zip(&found).map(|(backend, found)| document(*backend, found)).collect();
        return Ok(terminal::print_document(&Value::Array(list)));
    }
    let mut text = String::new();
    for (backend, found) in all.iter().zip(&found) {
        describe(&mut text, *backend, found);
    }
    let enforced = match strength() {
        Strength::Full => {
            "read-only and workspace-write are enforced by Relay for every program above (Landlock, seccomp)"
        }
        Strength::Part => {
            "read-only is enforced in part, workspace-write is refused here; `relay doctor` explains why"
        }
        Strength::Nothing => "read-only is NOT enforced by Relay on this system; workspace-write is refused",
    };
    line(&mut text, format_args!("{}", paint(FAINT, enforced)));
    let models = "models can be asked too: --to ollama --model MODEL, or any name that `relay models` lists";
    line(&mut text, format_args!("{}", paint(FAINT, models)));
    Ok(terminal::print(&text))
}

fn describe(text: &mut String, backend: &dyn Backend, found: &Availability) {
    let name = paint(STRONG, visible(backend.name())).to_string();
    let can = words(backend.capabilities());
    match &found.found {
        Some(version) => {
            let login = match found.logged_in {
                Some(true) => "logged in",
                Some(false) => "not logged in",
                None => "login unknown",
            };
            let style = if found.logged_in == Some(false) { NOTE } else { GOOD };
            line(text, format_args!("{name}  {}  {}", paint(style, visible(version)), paint(style, login)));
        }
        None => line(text, format_args!("{name}  {}", paint(NOTE, "not found"))),
    }
    line(text, format_args!("    {}", paint(FAINT, can)));
    if found.found.is_none() || found.logged_in == Some(false) {
        line(text, format_args!("    {}", visible(&found.remedy)));
    }
}

fn words(can: Capabilities) -> String {
    let abilities = [
        (can.streaming, "streams"),
        (can.resume, "resumes"),
        (can.structured, "structured output"),
        (can.local_files, "reads files"),
        (can.review, "own review"),
        (can.max_cost, "--max-cost"),
        (can.max_turns, "--max-turns"),
    ];
    let words: Vec<&str> = abilities.iter().filter(|(is_able, _)| *is_able).map(|(_, word)| *word).collect();
    format!("{} · sandbox: {}", words.join(", "), containment(can.containment))
}

const fn containment(containment: Containment) -> &'static str {
    match containment {
        Containment::System => "by the system",
        Containment::ToolPolicy => "the program's own rules",
        Containment::NoAccess => "cannot access files",
        Containment::Nothing => "none of its own",
    }
}

fn document(backend: &dyn Backend, found: &Availability) -> Value {
    let can = backend.capabilities();
    json!({
        "name": backend.name(),
        "version": found.found,
        "loggedIn": found.logged_in,
        "remedy": found.remedy,
        "sandboxes": backend.sandboxes().iter().map(|sandbox| sandbox.name()).collect::<Vec<_>>(),
        "capabilities": {
            "streaming": can.streaming,
            "resume": can.resume,
            "structuredOutput": can.structured,
            "localFileAccess": can.local_files,
            "review": can.review,
            "maxCost": can.max_cost,
            "maxTurns": can.max_turns,
            "containment": containment(can.containment),
        },
    })
}
