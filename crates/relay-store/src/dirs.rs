//! Where user data belongs: the XDG folders, or the system's own convention, each with `relay/` appended.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::error::StoreError;

/// The name of Relay's folder in each of them.
const RELAY: &str = "relay";

/// The four folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dirs {
    pub config: PathBuf,
    pub data: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
}

impl Dirs {
    /// All four below one folder.
    pub(crate) fn below(folder: &Path) -> Self {
        Self {
            config: folder.join("config"),
            data: folder.join("data"),
            state: folder.join("state"),
            cache: folder.join("cache"),
        }
    }

    /// Reads the environment. XDG variables apply on every system; a relative path in one is ignored, as the standard
    /// requires, because its meaning would depend on the current folder.
    pub(crate) fn resolve(variable: impl Fn(&'static str) -> Option<OsString>) -> Result<Self, StoreError> {
        let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let find = |xdg, place: &Place| {
            let base = match absolute(xdg) {
                Some(base) => base,
                None => {
                    let home =
                        absolute(place.variable).ok_or(StoreError::NoHome { variable: place.variable })?;
                    place.below.iter().fold(home, |path, name| path.join(name))
                }
            };
            Ok(base.join(RELAY))
        };
        Ok(Self {
            config: find("XDG_CONFIG_HOME", &CONFIG)?,
            data: find("XDG_DATA_HOME", &DATA)?,
            state: find("XDG_STATE_HOME", &STATE)?,
            cache: find("XDG_CACHE_HOME", &CACHE)?,
        })
    }
}

/// A folder by convention: below the one a variable names.
struct Place {
    variable: &'static str,
    below: &'static [&'static str],
}

#[cfg(not(any(windows, target_os = "macos")))]
mod convention {
    use super::Place;
    pub(super) const CONFIG: Place = Place { variable: "HOME", below: &[".config"] };
    pub(super) const DATA: Place = Place { variable: "HOME", below: &[".local", "share"] };
    pub(super) const STATE: Place = Place { variable: "HOME", below: &[".local", "state"] };
    pub(super) const CACHE: Place = Place { variable: "HOME", below: &[".cache"] };
}

#[cfg(target_os = "macos")]
mod convention {
    use super::Place;
    // People look for command-line configuration in ~/.config on a Mac too; the rest follows the system's convention.
    pub(super) const CONFIG: Place = Place { variable: "HOME", below: &[".config"] };
    pub(super) const DATA: Place = Place { variable: "HOME", below: &["Library", "Application Support"] };
    pub(super) const STATE: Place =
        Place { variable: "HOME", below: &["Library", "Application Support", "State"] };
    pub(super) const CACHE: Place = Place { variable: "HOME", below: &["Library", "Caches"] };
}

#[cfg(windows)]
mod convention {
    use super::Place;
    pub(super) const CONFIG: Place = Place { variable: "APPDATA", below: &[] };
    pub(super) const DATA: Place = Place { variable: "LOCALAPPDATA", below: &[] };
    pub(super) const STATE: Place = Place { variable: "LOCALAPPDATA", below: &["State"] };
    pub(super) const CACHE: Place = Place { variable: "LOCALAPPDATA", below: &["Cache"] };
}

use convention::{CACHE, CONFIG, DATA, STATE};

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn resolve(variables: &[(&str, &str)]) -> Result<[String; 4], String> {
        let found = Dirs::resolve(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        });
        found
            .map(|dirs| {
                [dirs.config, dirs.data, dirs.state, dirs.cache].map(|path| path.display().to_string())
            })
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_home_folder_is_the_default_and_xdg_comes_first() {
        let below_home =
            ["/h/.config/relay", "/h/.local/share/relay", "/h/.local/state/relay", "/h/.cache/relay"];
        assert_eq!(resolve(&[("HOME", "/h")]).unwrap(), below_home);
        let xdg = [
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_DATA_HOME", "/d"),
            ("XDG_STATE_HOME", "/s"),
            ("XDG_CACHE_HOME", "/k"),
        ];
        assert_eq!(resolve(&xdg).unwrap(), ["/c/relay", "/d/relay", "/s/relay", "/k/relay"]);
    }

    #[test]
    fn relative_and_empty_values_do_not_count() {
        let odd = [("HOME", "/h"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_HOME", "")];
        assert_eq!(resolve(&odd), resolve(&[("HOME", "/h")]));
        for without_home in [&[][..], &[("HOME", "")], &[("HOME", "relative")]] {
            assert!(resolve(without_home).unwrap_err().contains("HOME"));
        }
    }
}
