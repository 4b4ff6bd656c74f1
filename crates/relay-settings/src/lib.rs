//! The user's settings, models and keys, resolved for any front end.
//!
//! - [`Settings`] are `config.toml` and the environment; every value can say where it comes from.
//! - [`keys`] lists every setting: `keys.txt` has one line for each.
//! - [`set`] changes one setting in the file, [`append`] adds a table to a list; everything else stays as it was
//!   written.
//! - [`Models`] is the catalog with the user's `models.toml` over it, and the user's keys.
//!
//! Settings decide which programs run and which servers get keys, so they come only from the user: this crate never
//! reads them from a repository. It does not read the environment either; its callers pass it in.

mod edit;
mod error;
mod key;
mod lists;
mod models;
mod open;
mod retrying;
mod settings;
mod spelling;
mod table;

pub mod limits;

pub use edit::{append, set};
pub use error::{OpenError, SettingsError};
pub use key::{Key, Kind};
pub use models::{MODELS_FILE, Models, ModelsError, NO_MODEL_YET};
pub use open::{Opened, exists, text};
pub use settings::{FILE, Listed, Setting, Settings, Source};
pub use table::{Found, Tab, find, keys};
