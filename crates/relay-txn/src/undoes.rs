//! What an undo undoes: one or several transactions, each whole or only in some of its files.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A transaction that another one undoes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Undoes {
    /// The transaction that is undone.
    pub uuid: Uuid,
    /// The files it is undone in; empty: in all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl Undoes {
    /// Undoes all of a transaction.
    #[must_use]
    pub fn whole(uuid: Uuid) -> Self {
        Self { uuid, files: Vec::new() }
    }

    /// Whether it takes the transaction back in this file.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.files.is_empty() || self.files.iter().any(|file| file == path)
    }
}

/// How a list of them is written: one transaction that is undone whole is just its uuid, anything else a list.
pub mod short_form {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use uuid::Uuid;

    use super::Undoes;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        One(Uuid),
        Many(Vec<Undoes>),
    }

    /// Writes it.
    ///
    /// # Errors
    /// The serializer's.
    pub fn serialize<S: Serializer>(
        list: &(impl AsRef<[Undoes]> + ?Sized),
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match list.as_ref() {
            [one] if one.files.is_empty() => one.uuid.serialize(serializer),
            many => many.serialize(serializer),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// It is neither a uuid nor such a list.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Undoes>, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::One(uuid) => vec![Undoes::whole(uuid)],
            Written::Many(list) => list,
        })
    }
}
