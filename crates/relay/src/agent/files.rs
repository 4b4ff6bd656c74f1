//! Files that the user's settings point to.

use std::path::Path;

use relay_settings::Settings;
use serde_json::Value;

/// Larger files are not read.
const LIMIT_BYTES: u64 = 1 << 20;

/// The user's own rules for shortening output: the file that `shellMinimizer.settingsPath` names, as JSON. `None` if it
/// does not exist or cannot be read.
pub fn minimiser(settings: &Settings) -> Option<Value> {
    let named = settings.text("shellMinimizer.settingsPath")?;
    let path = match named.strip_prefix("~/") {
        Some(rest) => std::env::home_dir()?.join(rest),
        None => Path::new(&named).to_owned(),
    };
    let about = std::fs::metadata(&path).ok()?;
    if !path.is_absolute() || !about.is_file() || about.len() > LIMIT_BYTES {
        return None;
    }
    let text = super::prompt::text(&path).ok()?;
    toml::from_str::<Value>(&text).ok()
}
