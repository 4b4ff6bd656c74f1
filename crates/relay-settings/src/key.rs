//! One setting: its name, its possible values, and its meaning.

use crate::error::SettingsError;
use crate::limits;
use crate::lists;
use crate::table::Tab;

/// The type of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these words.
    OneOf(Vec<&'static str>),
    /// A whole number, also a negative one.
    Integer,
    /// A whole number from zero on.
    Count,
    /// A whole number above zero.
    Positive,
    /// A number.
    Number,
    /// Yes or no.
    Flag,
    /// A list of texts.
    List,
    /// A list of texts or tables.
    Rules,
    /// Names with a text, a number, a flag, a list or a table each.
    Map,
    /// An amount of US dollars.
    Money,
    /// A length of time.
    Time,
}

/// One setting.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name. `*` is a placeholder for a name that the user chooses.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Its default.
    pub default: Option<&'static str>,
    /// The variables of the environment that override it; the first one set wins.
    pub variables: Vec<&'static str>,
    /// Which page of the settings it is on.
    pub tab: Tab,
    /// What it means.
    pub meaning: &'static str,
}

impl Kind {
    /// Its accepted values, in words.
    #[must_use]
    pub fn expected(&self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::OneOf(words) => match words.split_last() {
                Some((last, [])) => (*last).to_owned(),
                Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
                None => "nothing".to_owned(),
            },
            Self::Integer => "a whole number".to_owned(),
            Self::Count => "a whole number from 0 to 4294967295".to_owned(),
            Self::Positive => "a whole number above zero".to_owned(),
            Self::Number => "a number such as 0.5".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::List => "a list of texts such as [\"one\", \"two\"]".to_owned(),
            Self::Rules => "a list of texts or tables such as [\"one\", { pattern = \"two\" }]".to_owned(),
            Self::Map => "a table such as { name = \"value\" }".to_owned(),
            Self::Money => limits::COST.to_owned(),
            Self::Time => limits::TIME.to_owned(),
        }
    }

    /// Whether this text is a valid value.
    fn takes(&self, value: &str) -> bool {
        match self {
            Self::Text => !value.trim().is_empty(),
            Self::OneOf(words) => words.contains(&value),
            Self::Integer => value.parse::<i64>().is_ok(),
            Self::Count => value.parse::<u32>().is_ok(),
            Self::Positive => value.parse::<u32>().is_ok_and(|number| number > 0),
            Self::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
            Self::Flag => flag(value).is_some(),
            Self::List => lists::list(value).is_some(),
            Self::Rules => lists::rules(value).is_some(),
            Self::Map => lists::map(value).is_some(),
            Self::Money => limits::cost(value).is_some(),
            Self::Time => limits::time(value).is_some(),
        }
    }
}

impl Key {
    /// Checks a value.
    ///
    /// # Errors
    /// The value is not valid.
    pub fn check(&self, name: &str, value: &str) -> Result<(), SettingsError> {
        if self.kind.takes(value) {
            return Ok(());
        }
        let (key, value) = (name.to_owned(), value.to_owned());
        Err(SettingsError::BadValue { key, value, expected: self.kind.expected() })
    }
}

/// Yes or no, in the forms common in environment variables.
pub(crate) fn flag(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}
