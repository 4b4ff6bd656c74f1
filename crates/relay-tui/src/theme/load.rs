//! Theme files: read, checked, and resolved to colours.
//!
//! A file is a JSON object: `name`, `colors` with every token, and optionally `vars`, `symbols`, `export` and `extends`, a
//! built-in theme that everything else comes from. A colour is `"#RRGGBB"`, a number of the 256, the name of a variable, or an
//! empty text for the terminal's own colour.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::{Export, Preset, Symbol, Symbols, Theme, Token};
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
    /// Everything that is wrong with it: a line each, with the place in the file.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("not valid JSON: {error}"))?;
        let own = value.as_object().ok_or("a theme must be a JSON object")?;
        let whole = whole(own)?;
        let mut faults = Faults::default();
        let name = whole.get("name").and_then(Value::as_str).filter(|name| !name.is_empty());
        if name.is_none() {
            faults.add("/name: a theme needs a name");
        }
        let vars = faults.table(&whole, "/vars");
        let given = faults.table(&whole, "/colors");
        if !whole.contains_key("colors") {
            faults.add("/colors: a theme needs colours");
        } else if let Some(missing) = missing(given) {
            faults.add(missing);
        }
        let mut colors = [Color::Default; Token::COUNT];
        for (slot, token) in colors.iter_mut().zip(Token::ALL) {
            if let Some(value) = given.get(token.name()) {
                *slot = faults.color(&format!("/colors/{}", token.name()), value, vars);
            }
        }
        for (name, value) in vars {
            faults.color(&format!("/vars/{name}"), value, vars);
        }
        let mut export = Export::default();
        for (name, value) in faults.table(&whole, "/export") {
            let color = faults.color(&format!("/export/{name}"), value, vars);
            match name.as_str() {
                "pageBg" => export.page = color,
                "cardBg" => export.card = color,
                "infoBg" => export.info = color,
                _ => {}
            }
        }
        let symbols = symbols(faults.table(&whole, "/symbols"), &mut faults);
        match name {
            Some(name) if faults.0.is_empty() => Ok(Self { name: name.to_owned(), colors, symbols, export }),
            _ => Err(faults.0.join("\n")),
        }
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

/// The theme with everything of the one that it extends.
fn whole(own: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let Some(base) = own.get("extends") else { return Ok(own.clone()) };
    let found = BUILT_IN.iter().find(|(name, _)| base.as_str() == Some(name));
    let whole = found.and_then(|(_, text)| serde_json::from_str::<Map<String, Value>>(text).ok());
    let Some(mut whole) = whole else {
        let names: Vec<&str> = Theme::built_in_names().collect();
        return Err(format!("/extends: {base} is not a built-in theme; there are {}", names.join(", ")));
    };
    // The name is never taken over.
    whole.remove("name");
    overlay(&mut whole, own);
    Ok(whole)
}

/// Puts `own` over `base`, table by table.
fn overlay(base: &mut Map<String, Value>, own: &Map<String, Value>) {
    for (key, value) in own {
        match (base.get_mut(key), value) {
            (Some(Value::Object(base)), Value::Object(own)) => overlay(base, own),
            _ => drop(base.insert(key.clone(), value.clone())),
        }
    }
}

/// A table that is left out.
static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// What is wrong with a theme, once each.
#[derive(Default)]
struct Faults(Vec<String>);

impl Faults {
    fn add(&mut self, fault: impl Into<String>) {
        let fault = fault.into();
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    /// A table of the theme; an empty one if it is left out.
    fn table<'a>(&mut self, whole: &'a Map<String, Value>, path: &str) -> &'a Map<String, Value> {
        match whole.get(path.trim_start_matches('/')) {
            None => &EMPTY,
            Some(Value::Object(table)) => table,
            Some(_) => {
                self.add(format!("{path}: must be an object"));
                &EMPTY
            }
        }
    }

    fn color(&mut self, path: &str, value: &Value, vars: &Map<String, Value>) -> Color {
        resolve(path, value, vars, &mut Vec::new()).unwrap_or_else(|fault| {
            self.add(fault);
            Color::Default
        })
    }
}

/// A colour, through variables. A fault names the place of the value that is wrong, which may be a variable's.
fn resolve(
    path: &str,
    value: &Value,
    vars: &Map<String, Value>,
    seen: &mut Vec<String>,
) -> Result<Color, String> {
    match value {
        Value::Number(number) => match number.as_u64().and_then(|number| u8::try_from(number).ok()) {
            Some(index) => Ok(Color::Indexed(index)),
            None => Err(format!("{path}: {number} is not a number from 0 to 255")),
        },
        Value::String(text) if text.is_empty() => Ok(Color::Default),
        Value::String(text) if text.starts_with('#') => {
            hex(text).ok_or_else(|| format!("{path}: `{text}` is not a colour such as \"#7aa2f7\""))
        }
        Value::String(name) => {
            if seen.contains(name) || seen.len() > DEPTH {
                return Err(format!("/vars/{name}: refers to itself"));
            }
            let value = vars.get(name).ok_or_else(|| format!("{path}: there is no variable `{name}`"))?;
            seen.push(name.clone());
            resolve(&format!("/vars/{name}"), value, vars, seen)
        }
        _ => Err(format!("{path}: a colour is \"#RRGGBB\", a number from 0 to 255, a variable, or \"\"")),
    }
}

fn hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
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
fn symbols(given: &Map<String, Value>, faults: &mut Faults) -> Symbols {
    let preset = match given.get("preset") {
        None => Preset::default(),
        Some(value) => value.as_str().and_then(Preset::from_name).unwrap_or_else(|| {
            faults
                .add(format!("/symbols/preset: {value} is not a preset; there are unicode, nerd and ascii"));
            Preset::default()
        }),
    };
    let mut overrides = BTreeMap::new();
    match given.get("overrides") {
        None => {}
        Some(Value::Object(given)) => {
            for (key, sign) in given {
                match (Symbol::from_key(key), sign.as_str()) {
                    (_, None) => faults.add(format!("/symbols/overrides/{key}: must be text")),
                    (Some(symbol), Some(sign)) => {
                        overrides.insert(symbol, crate::text::clean_line(sign).into_owned());
                    }
                    (None, Some(_)) => {}
                }
            }
        }
        Some(_) => faults.add("/symbols/overrides: must be an object"),
    }
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

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Value), expected: &str) {
        assert_eq!(with(change).unwrap_err(), expected);
    }

    #[test]
    fn missing_tokens_are_named_together_group_by_group() {
        refused(
            |theme| {
                let colors = theme["colors"].as_object_mut().unwrap();
                colors.retain(|name, _| !matches!(name.as_str(), "accent" | "dim" | "mdHr"));
            },
            "/colors: these tokens are missing (red-claw and blue-crab show how they are used):\n  \
             Core text and borders: accent, dim\n  Markdown: mdHr",
        );
        refused(
            |theme| drop(theme.as_object_mut().unwrap().remove("colors")),
            "/colors: a theme needs colours",
        );
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place() {
        let cases: [(&str, Value, &str); 16] = [
            ("/name", 1.into(), "/name: a theme needs a name"),
            ("/name", "".into(), "/name: a theme needs a name"),
            ("/colors/dim", 300.into(), "/colors/dim: 300 is not a number from 0 to 255"),
            ("/colors/dim", (-1).into(), "/colors/dim: -1 is not a number from 0 to 255"),
            ("/colors/dim", 1.5.into(), "/colors/dim: 1.5 is not a number from 0 to 255"),
            ("/colors/dim", "#12".into(), "/colors/dim: `#12` is not a colour such as \"#7aa2f7\""),
            ("/colors/dim", "#+12345".into(), "/colors/dim: `#+12345` is not a colour such as \"#7aa2f7\""),
            ("/colors/dim", "nowhere".into(), "/colors/dim: there is no variable `nowhere`"),
            (
                "/colors/dim",
                true.into(),
                "/colors/dim: a colour is \"#RRGGBB\", a number from 0 to 255, a variable, or \"\"",
            ),
            ("/vars/teal", "nowhere".into(), "/vars/teal: there is no variable `nowhere`"),
            ("/vars/teal", "teal".into(), "/vars/teal: refers to itself"),
            ("/vars", 1.into(), "/vars: must be an object"),
            ("/symbols", 1.into(), "/symbols: must be an object"),
            (
                "/symbols",
                serde_json::json!({ "preset": "emoji" }),
                "/symbols/preset: \"emoji\" is not a preset; there are unicode, nerd and ascii",
            ),
            (
                "/symbols",
                serde_json::json!({ "overrides": { "cursor": 1 } }),
                "/symbols/overrides/cursor: must be text",
            ),
            (
                "/export",
                serde_json::json!({ "pageBg": "nowhere" }),
                "/export/pageBg: there is no variable `nowhere`",
            ),
        ];
        for (path, value, expected) in cases {
            let error = with(|theme| put(theme, path, value)).unwrap_err();
            assert_eq!(error.lines().next().unwrap(), expected);
        }
        assert_eq!(Theme::parse("[]").unwrap_err(), "a theme must be a JSON object");
        assert!(Theme::parse("{").unwrap_err().starts_with("not valid JSON: EOF"));
    }

    /// Sets a value at a path of one or two names.
    fn put(theme: &mut Value, path: &str, value: Value) {
        let mut at = theme;
        for name in path.trim_start_matches('/').split('/') {
            at = &mut at[name];
        }
        *at = value;
    }

    #[test]
    fn variables_may_name_variables_but_not_in_a_circle() {
        let theme = with(|theme| {
            theme["vars"]["a"] = "b".into();
            theme["vars"]["b"] = "#010203".into();
            theme["colors"]["dim"] = "a".into();
        });
        assert_eq!(theme.unwrap().color(Token::Dim), Color::Rgb(1, 2, 3));
        let error = with(|theme| {
            theme["vars"]["a"] = "b".into();
            theme["vars"]["b"] = "a".into();
            theme["colors"]["dim"] = "a".into();
        });
        assert!(error.unwrap_err().starts_with("/vars/a: refers to itself"));
    }

    #[test]
    fn a_theme_can_extend_a_built_in_one() {
        let text = r##"{ "name": "mine", "extends": "fjord", "vars": { "accent": "#010203" }, "colors": { "dim": 7 },
            "symbols": { "preset": "nerd", "overrides": { "cursor": ">>", "unknown": "x" } } }"##;
        let (mine, base) = (Theme::parse(text).unwrap(), Theme::built_in("fjord").unwrap());
        assert_eq!((mine.name.as_str(), mine.color(Token::Dim)), ("mine", Color::Indexed(7)));
        assert_eq!(mine.color(Token::Accent), Color::Rgb(1, 2, 3));
        assert_eq!(mine.color(Token::Error), base.color(Token::Error));
        assert_eq!((mine.sign(Symbol::Cursor), mine.symbols.overrides.len()), (">>", 1));
        let error = Theme::parse(r#"{ "name": "x", "extends": "nowhere" }"#).unwrap_err();
        assert!(
            error.starts_with("/extends: \"nowhere\" is not a built-in theme; there are blue-crab, "),
            "{error}"
        );
        assert_eq!(Theme::parse(r#"{ "extends": "fjord" }"#).unwrap_err(), "/name: a theme needs a name");
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
