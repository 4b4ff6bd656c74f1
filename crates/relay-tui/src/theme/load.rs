//! Theme files: read, checked, and resolved to colours.
//!
//! A file is a JSON object: `name`, `colors` with every token, and optionally `vars`, `symbols` and `export`. A colour is
//! `"#RRGGBB"`, a number of the 256, the name of a variable, or an empty text for the terminal's own colour.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Preset, Symbol, Symbols, Theme, Token};
use crate::text::Color;

/// Variables may name variables this deep.
const DEPTH: usize = 32;

/// The built-in themes, by name.
const BUILT_IN: [(&str, &str); 10] = [
    ("blue-crab", include_str!("built_in/blue-crab.json")),
    ("contrast", include_str!("built_in/contrast.json")),
    ("ember", include_str!("built_in/ember.json")),
    ("fjord", include_str!("built_in/fjord.json")),
    ("forest", include_str!("built_in/forest.json")),
    ("midnight", include_str!("built_in/midnight.json")),
    ("paper", include_str!("built_in/paper.json")),
    ("red-claw", include_str!("built_in/red-claw.json")),
    ("relay-dark", include_str!("built_in/relay-dark.json")),
    ("relay-light", include_str!("built_in/relay-light.json")),
];

impl Theme {
    /// The names of the built-in themes, sorted.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// A built-in theme.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let (_, text) = BUILT_IN.iter().find(|(known, _)| *known == name)?;
        Self::parse(text).ok()
    }

    /// Reads a theme file.
    ///
    /// # Errors
    /// Everything that is wrong with it, in one message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("not valid JSON: {error}"))?;
        let object = value.as_object().ok_or("a theme must be a JSON object")?;
        let name = object.get("name").and_then(Value::as_str).ok_or("/name: a theme needs a name")?;
        let empty = Map::new();
        let vars = object.get("vars").and_then(Value::as_object).unwrap_or(&empty);
        let given =
            object.get("colors").and_then(Value::as_object).ok_or("/colors: a theme needs colours")?;
        let mut faults = Vec::new();
        let mut colors = [Color::Default; Token::COUNT];
        for (slot, token) in colors.iter_mut().zip(Token::ALL) {
            if let Some(value) = given.get(token.name()) {
                match resolve(value, vars, &mut Vec::new()) {
                    Ok(color) => *slot = color,
                    Err(why) => faults.push(format!("/colors/{}: {why}", token.name())),
                }
            }
        }
        if let Some(missing) = missing(given) {
            faults.insert(0, missing);
        }
        if !faults.is_empty() {
            return Err(faults.join("\n"));
        }
        Ok(Self { name: name.to_owned(), colors, symbols: symbols(object.get("symbols")) })
    }

    /// Whether it is for a light background, by how bright the background of a message is.
    #[must_use]
    pub fn is_light(&self) -> bool {
        match self.color(Token::UserMessageBg) {
            Color::Rgb(red, green, blue) => {
                (u32::from(red) * 299 + u32::from(green) * 587 + u32::from(blue) * 114) / 1000 >= 128
            }
            _ => false,
        }
    }

    /// The same for people who cannot tell red from green: what is added becomes blue.
    #[must_use]
    pub fn color_blind(mut self) -> Self {
        if let Some(slot) = self.colors.get_mut(Token::ToolDiffAdded as usize)
            && let Color::Rgb(red, green, blue) = *slot
        {
            let (low, high) = (red.min(green).min(blue), red.max(green).max(blue));
            *slot = Color::Rgb(low, u8::midpoint(low, high), high);
        }
        self
    }
}

/// A colour, through variables.
fn resolve(value: &Value, vars: &Map<String, Value>, seen: &mut Vec<String>) -> Result<Color, String> {
    match value {
        Value::Number(number) => match number.as_u64().and_then(|number| u8::try_from(number).ok()) {
            Some(index) => Ok(Color::Indexed(index)),
            None => Err(format!("{number} is not a number from 0 to 255")),
        },
        Value::String(text) if text.is_empty() => Ok(Color::Default),
        Value::String(text) if text.starts_with('#') => {
            hex(text).ok_or_else(|| format!("`{text}` is not a colour such as \"#7aa2f7\""))
        }
        Value::String(name) => {
            if seen.contains(name) || seen.len() > DEPTH {
                return Err(format!("the variable `{name}` refers to itself"));
            }
            let value = vars.get(name).ok_or_else(|| format!("there is no variable `{name}`"))?;
            seen.push(name.clone());
            resolve(value, vars, seen)
        }
        _ => Err("a colour is \"#RRGGBB\", a number from 0 to 255, a variable, or \"\"".to_owned()),
    }
}

fn hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some(Color::Rgb(part(0)?, part(2)?, part(4)?))
}

/// Tokens that are not there, group by group.
fn missing(given: &Map<String, Value>) -> Option<String> {
    let groups: Vec<String> = Token::GROUPS
        .iter()
        .filter_map(|(group, tokens)| {
            let names: Vec<&str> =
                tokens.iter().map(|token| token.name()).filter(|name| !given.contains_key(*name)).collect();
            (!names.is_empty()).then(|| format!("  {group}: {}", names.join(", ")))
        })
        .collect();
    (!groups.is_empty()).then(|| {
        format!(
            "/colors: these tokens are missing (red-claw and blue-crab show how they are used):\n{}",
            groups.join("\n")
        )
    })
}

/// The signs of a theme. Overrides of unknown signs are passed over.
fn symbols(value: Option<&Value>) -> Symbols {
    let Some(value) = value else { return Symbols::default() };
    let preset = value.get("preset").and_then(Value::as_str).and_then(Preset::from_name).unwrap_or_default();
    let empty = Map::new();
    let given = value.get("overrides").and_then(Value::as_object).unwrap_or(&empty);
    let overrides: BTreeMap<Symbol, String> = given
        .iter()
        .filter_map(|(key, sign)| {
            Some((Symbol::from_key(key)?, crate::text::clean_line(sign.as_str()?).into_owned()))
        })
        .collect();
    Symbols { preset, overrides }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(change: impl FnOnce(&mut Value)) -> Result<Theme, String> {
        let mut value: Value = serde_json::from_str(BUILT_IN[7].1).unwrap();
        change(&mut value);
        Theme::parse(&value.to_string())
    }

    #[test]
    fn every_built_in_theme_is_whole() {
        for (name, text) in BUILT_IN {
            let theme = Theme::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(theme.name, name);
            assert_eq!(theme.is_light(), matches!(name, "blue-crab" | "paper" | "relay-light"), "{name}");
        }
        assert_eq!(Theme::built_in("red-claw").unwrap(), Theme::default());
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let error = with(|value| {
            value["colors"].as_object_mut().unwrap().retain(|name, _| name != "accent" && name != "mdHr");
        });
        let error = error.unwrap_err();
        assert!(
            error.contains("Core text and borders: accent") && error.contains("Markdown: mdHr"),
            "{error}"
        );
        for (value, expected) in [
            (Value::from(300), "/colors/dim: 300 is not a number from 0 to 255"),
            (Value::from("#12"), "/colors/dim: `#12` is not a colour such as \"#7aa2f7\""),
            (Value::from("nowhere"), "/colors/dim: there is no variable `nowhere`"),
        ] {
            assert_eq!(with(|theme| theme["colors"]["dim"] = value).unwrap_err(), expected);
        }
        let error = with(|theme| {
            theme["vars"]["a"] = "b".into();
            theme["vars"]["b"] = "a".into();
            theme["colors"]["dim"] = "a".into();
        });
        assert_eq!(error.unwrap_err(), "/colors/dim: the variable `a` refers to itself");
        assert!(Theme::parse("{").is_err() && Theme::parse("[]").is_err());
    }

    #[test]
    fn numbers_and_the_terminals_own_colours() {
        let theme = with(|theme| {
            theme["colors"]["dim"] = 244.into();
            theme["colors"]["text"] = "".into();
        });
        let theme = theme.unwrap();
        assert_eq!(
            (theme.color(Token::Dim), theme.color(Token::Text)),
            (Color::Indexed(244), Color::Default)
        );
        assert_ne!(
            theme.clone().color_blind().color(Token::ToolDiffAdded),
            theme.color(Token::ToolDiffAdded)
        );
    }
}
