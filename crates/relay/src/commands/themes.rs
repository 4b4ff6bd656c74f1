//! `relay themes`: what the terminal interface can look like, and what is wrong with a theme file.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use relay_backends::ask::Files as _;
use relay_diagnostics::Diagnostic;
use relay_settings::{Settings, Source};
use relay_store::Store;
use relay_tui::render::{Abilities, Depth, print};
use relay_tui::theme::{Theme, sample, strip};
use relay_workspace::{Kind, Workspace};
use serde_json::{Value, json};

use crate::cli::{ThemesArgs, did_you_mean};
use crate::failure::{BAD_SETTING, BAD_USAGE, Failure, UNREADABLE_INPUT};
use crate::terminal::report::line;
use crate::terminal::style::{self, is_dark};
use crate::terminal::{self, visible};
use crate::{open, user};

/// The folder with the user's own themes, in the config folder.
const FOLDER: &str = "themes";
/// The largest theme file that is read.
const BYTES: usize = 1 << 20;

/// A theme that can be chosen, or the reason why it cannot.
struct Found {
    name: String,
    is_built_in: bool,
    theme: Result<Theme, String>,
}

pub fn run(args: &ThemesArgs) -> Result<u8, Failure> {
    let store = open::store()?;
    match &args.name {
        Some(name) => {
            let theme = load(&store, name)?;
            let width = terminal::print_width().min(100);
            Ok(terminal::print_as_is(&print(&sample(&theme, width), width, abilities())))
        }
        None => list(&store, args.json),
    }
}

/// Makes every command use the theme that the user chose for this terminal. Without a choice, the terminal's own colours
/// apply.
pub fn wear() {
    let is_seen = std::io::stdout().is_terminal() || std::io::stderr().is_terminal();
    if !is_seen || std::env::var_os("NO_COLOR").is_some() {
        return;
    }
    let is_light = std::env::var("COLORFGBG").is_ok_and(|colors| is_dark(&colors) == Some(false));
    let Ok(store) = open::store() else { return };
    // What is wrong with settings or themes is reported by the commands that need them.
    let Some(settings) = user::settings_unnoted(&store) else { return };
    if let Some(theme) = chosen(&store, &settings, if is_light { "theme.light" } else { "theme.dark" }) {
        style::wear(&theme, Depth::detect(|name| std::env::var(name).ok()));
    }
}

/// The style of exported pages in the themes that the user chose; empty without a choice.
pub fn page_style(store: &Store, settings: &Settings) -> String {
    let chosen = ["theme.dark", "theme.light"].map(|key| chosen(store, settings, key));
    chosen.into_iter().flatten().map(|theme| theme.page_style()).collect()
}

/// The theme of a slot, if the user chose one that can be used.
fn chosen(store: &Store, settings: &Settings, key: &str) -> Option<Theme> {
    let setting = settings.get(key).filter(|setting| setting.source != Source::Default)?;
    load(store, &setting.value).ok()
}

fn abilities() -> Abilities {
    let depth = match Depth::detect(|name| std::env::var(name).ok()) {
        // Whether colours are used at all is decided where the text is written.
        Depth::None => Depth::True,
        depth => depth,
    };
    Abilities { depth, links: false, clears_in_color: true }
}

fn list(store: &Store, as_json: bool) -> Result<u8, Failure> {
    let settings = user::settings(store)?;
    let found = all(store);
    if as_json {
        let entry = |found: &Found| {
            json!({
                "name": found.name,
                "builtIn": found.is_built_in,
                "light": found.theme.as_ref().ok().map(Theme::is_light),
                "slots": slots(&settings, &found.name),
                "error": found.theme.as_ref().err(),
            })
        };
        let themes: Vec<Value> = found.iter().map(entry).collect();
        return Ok(terminal::print_document(&json!({ "themes": themes })));
    }
    let mut lines = Vec::new();
    let mut faults = String::new();
    for found in &found {
        match &found.theme {
            Ok(theme) => {
                let kind = if theme.is_light() { "light" } else { "dark" };
                let own = if found.is_built_in { "" } else { ", yours" };
                let used: Vec<String> =
                    slots(&settings, &found.name).iter().map(|slot| format!(", your theme.{slot}")).collect();
                // A theme is chosen by its file name.
                let named = Theme { name: found.name.clone(), ..theme.clone() };
                lines.push(strip(&named, &format!("{kind}{own}{}", used.concat())));
            }
            Err(error) => line(
                &mut faults,
                format_args!("{FOLDER}/{}.json cannot be used:\n{}", visible(&found.name), visible(error)),
            ),
        }
    }
    let width = terminal::print_width();
    let code = terminal::print_as_is(&print(&lines, width, abilities()));
    line(
        &mut faults,
        format_args!(
            "`relay themes NAME` shows one; `relay config set theme.dark NAME` (or theme.light) chooses it."
        ),
    );
    terminal::tell(&faults);
    Ok(code)
}

/// The slots that a theme is chosen for.
fn slots(settings: &Settings, name: &str) -> Vec<&'static str> {
    [("dark", "theme.dark"), ("light", "theme.light")]
        .into_iter()
        .filter(|(_, key)| settings.text(key).as_deref() == Some(name))
        .map(|(slot, _)| slot)
        .collect()
}

/// Every theme, sorted; if names clash, built-in ones come before the user's own.
fn all(store: &Store) -> Vec<Found> {
    let built_in = Theme::built_in_names().filter_map(|name| {
        Some(Found { name: name.to_owned(), is_built_in: true, theme: Ok(Theme::built_in(name)?) })
    });
    let mut found: Vec<Found> = built_in.collect();
    for name in own_names(store) {
        if Theme::built_in(&name).is_none() {
            let theme = read(&own_path(store, &name));
            found.push(Found { name, is_built_in: false, theme });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// The names of the user's own themes. A missing or unreadable folder has none.
pub fn own_names(store: &Store) -> Vec<String> {
    let entries = Workspace::open(&store.config_dir().join(FOLDER)).map(|place| place.root_dir().entries());
    let Ok(Ok(entries)) = entries else { return Vec::new() };
    let files = entries.into_iter().filter(|(_, kind)| *kind == Kind::File);
    files.filter_map(|(name, _)| name.strip_suffix(".json").map(str::to_owned)).collect()
}

fn own_path(store: &Store, name: &str) -> PathBuf {
    store.config_dir().join(FOLDER).join(format!("{name}.json"))
}

fn read(path: &Path) -> Result<Theme, String> {
    let (bytes, size) = user::Disk.read(path, BYTES).map_err(|error| error.to_string())?;
    if size > BYTES as u64 {
        return Err("it is too large for a theme".to_owned());
    }
    Theme::parse(&String::from_utf8_lossy(&bytes))
}

/// The theme with this name, or from this file, for authors of themes.
fn load(store: &Store, name: &str) -> Result<Theme, Failure> {
    let is_path = name.contains(['/', '\\']) || name.ends_with(".json");
    if let Some(theme) = Theme::built_in(name).filter(|_| !is_path) {
        return Ok(theme);
    }
    let path = if is_path { PathBuf::from(name) } else { own_path(store, name) };
    if is_path && !path.exists() {
        let message = format!("there is no file `{}`", visible(name));
        return Err(Failure::usage(Diagnostic::error(UNREADABLE_INPUT, message)));
    }
    if !path.exists() {
        let own = own_names(store);
        let mut names: Vec<&str> = Theme::built_in_names().collect();
        names.extend(own.iter().map(String::as_str));
        let message = format!("Theme not found: {}", visible(name));
        return Err(Failure::usage(Diagnostic::error(BAD_USAGE, message).hinted(did_you_mean(name, &names))));
    }
    read(&path).map_err(|error| {
        let message = format!("{} is not a theme:\n{}", visible(name), visible(&error));
        Failure::general(
            Diagnostic::error(BAD_SETTING, message).hinted("The format of themes: docs/formats/theme.md"),
        )
    })
}
