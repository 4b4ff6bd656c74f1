//! `relay auth`: store, forget and list keys. No key is ever printed, logged or taken from the arguments.

use std::io::{IsTerminal, Read};

use relay_diagnostics::Diagnostic;
use relay_llm::catalog::CatalogProvider;
use relay_llm::keys::stored_as;
use relay_settings::{Models, NO_MODEL_YET};
use serde_json::{Value, json};

use crate::cli::{AuthCommand, LoginArgs, LogoutArgs, StatusArgs, did_you_mean};
use crate::failure::{BAD_USAGE, Failure, UNREADABLE_INPUT};
use crate::open;
use crate::terminal::report::line;
use crate::terminal::secret::{Secret, read_secret};
use crate::terminal::style::{FAINT, GOOD, count, paint};
use crate::terminal::{self, visible};
use crate::user;

/// The longest accepted key; real ones have a few hundred characters.
const LONGEST_KEY: usize = 8_192;

pub fn run(command: &AuthCommand) -> Result<u8, Failure> {
    match command {
        AuthCommand::Login(args) => login(args),
        AuthCommand::Logout(args) => logout(args),
        AuthCommand::Status(args) => status(args),
    }
}

fn login(args: &LoginArgs) -> Result<u8, Failure> {
    if !args.key.is_empty() {
        let message = "keys are not accepted as arguments, because other programs can read those";
        let hint = "Leave it out and type it when asked, or pipe it in. The key is now in your shell's history: replace it with a new one.";
        return Err(Failure::usage(usage(message).hinted(hint)));
    }
    let store = open::store()?;
    let models = user::models(&store)?;
    let known = provider(&models, &args.provider)?;
    if !known.needs_key() {
        return Ok(terminal::print(&format!("{} needs no key\n", args.provider)));
    }
    if args.label.is_empty() || args.label.len() > 100 || !args.label.chars().all(|c| c.is_ascii_graphic()) {
        return Err(Failure::usage(
            usage("a label is one word of letters, digits and punctuation")
                .hinted("For example: --label work"),
        ));
    }
    let key = match ask_for_key(&args.provider)? {
        Some(key) => sound(&key)?,
        None => return Ok(130),
    };
    let name = stored_as(&args.provider);
    let replaced = store.store_credential(name, &args.label, &key)?;
    let what = if replaced { "replaced" } else { "stored" };
    terminal::print(&format!("{what} the key `{}` of {name}\n", visible(&args.label)));
    if let Some(variable) = known.key_variables.iter().find(|name| std::env::var_os(name).is_some()) {
        terminal::tell(&format!("{variable} is set and is used instead of stored keys\n"));
    }
    Ok(0)
}

/// The key from the person at the terminal, or from standard input; `None` if the person gave up.
fn ask_for_key(provider: &str) -> Result<Option<String>, Failure> {
    if std::io::stdin().is_terminal() {
        return Ok(match read_secret(&format!("key of {provider} (it is not shown): "))? {
            Secret::Line(key) => Some(key),
            Secret::Interrupted => None,
        });
    }
    let mut key = String::new();
    let limit = u64::try_from(LONGEST_KEY).unwrap_or(u64::MAX) + 2;
    std::io::stdin().take(limit).read_to_string(&mut key).map_err(|_| {
        Failure::usage(Diagnostic::error(
            UNREADABLE_INPUT,
            "standard input is not text, so it cannot be a key",
        ))
    })?;
    Ok(Some(key))
}

/// The key without the blanks around it. Errors do not quote it.
pub fn sound(key: &str) -> Result<String, Failure> {
    let key = key.trim();
    let wrong = if key.is_empty() {
        "no key was given"
    } else if key.len() > LONGEST_KEY {
        "this is too long for a key"
    } else if !key.chars().all(|c| c.is_ascii_graphic()) {
        "a key is one word without spaces, line breaks or special characters"
    } else {
        return Ok(key.to_owned());
    };
    let hint = "Copy only the key, as the provider shows it. Nothing was stored.";
    Err(Failure::usage(Diagnostic::error(UNREADABLE_INPUT, wrong).hinted(hint)))
}

fn logout(args: &LogoutArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    let name = stored_as(&args.provider);
    let forgotten = store.forget_credentials(name, args.label.as_deref())?;
    if forgotten > 0 {
        return Ok(terminal::print(&format!("removed {} of {}\n", count(forgotten, "key"), visible(name))));
    }
    let known = store.credentials()?;
    let labels: Vec<&str> = known.get(name).into_iter().flatten().map(|key| key.label.as_str()).collect();
    let message = match &args.label {
        Some(label) => format!("{name} has no stored key `{label}`"),
        None => format!("{name} has no stored key"),
    };
    let hint = if labels.is_empty() {
        "`relay auth status` lists the stored keys. To remove one from the environment, unset the variable."
            .to_owned()
    } else {
        format!("Its keys are {}.", labels.join(", "))
    };
    Err(Failure::general(usage(&message).hinted(hint)))
}

fn status(args: &StatusArgs) -> Result<u8, Failure> {
    let models = user::models(&open::store()?)?;
    let keyed: Vec<&CatalogProvider> =
        models.catalog.providers().iter().filter(|known| known.needs_key()).collect();
    if args.json {
        let provider = |known: &&CatalogProvider| {
            let name = &known.provider.name;
            let keys: Vec<String> = models.keyring.sources(name).iter().map(ToString::to_string).collect();
            json!({ "name": name, "keys": keys, "variables": known.key_variables })
        };
        let list: Vec<Value> = keyed.iter().map(provider).collect();
        return Ok(terminal::print_document(&json!({ "providers": list })));
    }
    let mut text = String::new();
    for known in &keyed {
        let name = &known.provider.name;
        let sources: Vec<String> = models.keyring.sources(name).iter().map(ToString::to_string).collect();
        if sources.is_empty() {
            let variables = known.key_variables.join(" or ");
            line(
                &mut text,
                format_args!("  {name:<12} {}", paint(FAINT, format_args!("no key ({variables})"))),
            );
        } else {
            line(&mut text, format_args!("{} {name:<12} {}", paint(GOOD, "✓"), visible(&sources.join(", "))));
        }
    }
    terminal::print(&text);
    if !keyed.iter().any(|known| models.has_key(known)) {
        terminal::tell(NO_MODEL_YET);
    }
    Ok(0)
}

fn provider<'a>(models: &'a Models, name: &str) -> Result<&'a CatalogProvider, Failure> {
    models.catalog.provider(name).ok_or_else(|| {
        let names: Vec<&str> = models.catalog.names().collect();
        let hint = format!("{} You can add others in models.toml.", did_you_mean(name, &names));
        Failure::usage(usage(&format!("unknown provider `{name}`")).hinted(hint))
    })
}

fn usage(message: &str) -> Diagnostic {
    Diagnostic::error(BAD_USAGE, message)
}
