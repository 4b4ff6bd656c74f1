//! Reads the user's settings for backends, and sets those backends up.

mod error;
mod sources;
mod wanted;

pub use error::ConfiguredError;
pub use sources::Sources;
pub use wanted::Wanted;

use std::path::PathBuf;

use relay_settings::Settings;

use crate::backend::Custom;

/// The backends to ask: the named ones, else the one from the settings.
#[must_use]
pub fn asked(named: &[String], settings: &Settings) -> Vec<String> {
    if named.is_empty() { settings.text("backends.default").into_iter().collect() } else { named.to_vec() }
}

/// The model of a backend.
#[must_use]
pub fn model(settings: &Settings, backend: &str) -> Option<String> {
    settings.text(&format!("backends.{backend}.model"))
}

/// The user's own backends that are programs.
#[must_use]
pub fn custom_backends(settings: &Settings) -> Vec<(String, Custom)> {
    settings
        .backend_names()
        .filter_map(|name| {
            let command = settings.list(&format!("backends.{name}.command"));
            let own_folders = settings.list(&format!("backends.{name}.folders"));
            let own_folders = own_folders.into_iter().map(PathBuf::from).collect();
            (!command.is_empty()).then(|| (name.to_owned(), Custom { command, own_folders }))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use relay_settings::{Kind, find};

    use super::*;
    use crate::backend::Sandbox;

    #[test]
    fn custom_backends_are_found() {
        let text = "[backends.mine]\ncommand = [\"bot\", \"-q\"]\nfolders = [\"/x\"]\n[backends.codex]\nmodel = \"m\"\n";
        let (settings, _) = Settings::new(text, BTreeMap::new()).unwrap();
        let custom = Custom { command: vec!["bot".into(), "-q".into()], own_folders: vec!["/x".into()] };
        assert_eq!(custom_backends(&settings), [("mine".to_owned(), custom)]);
        assert_eq!(model(&settings, "codex").as_deref(), Some("m"));
    }

    #[test]
    fn the_setting_accepts_every_sandbox() {
        let names = Sandbox::ALL.map(Sandbox::name).to_vec();
        assert_eq!(find("backends.sandbox").unwrap().key.kind, Kind::OneOf(names));
    }
}
