//! The members of a JSON object as they were written, so that changing one leaves the others alone.
//!
//! Reading the file into values and writing those would round large numbers and drop what is there twice.

use std::fmt;

use relay_diagnostics::Diagnostic;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::project::config::{KEYS, unusable};

/// Names with the text of their values, in the file's order.
#[derive(Debug)]
pub(crate) struct Members(Vec<(String, Box<RawValue>)>);

impl Members {
    /// Reads a config file.
    ///
    /// # Errors
    /// It is not a JSON object.
    pub(crate) fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        serde_json::from_str(plain(text)).map_err(|error| vec![unusable(&error)])
    }

    /// A value; where a name is there twice the last one holds.
    pub(crate) fn get(&self, key: &str) -> Option<Value> {
        let (_, raw) = self.0.iter().rev().find(|(name, _)| name == key)?;
        serde_json::from_str(raw.get()).ok()
    }

    /// Changes a value, or takes it out. A new one goes where [`KEYS`] has it.
    pub(crate) fn set(&mut self, key: &str, value: Option<&Value>) {
        let there = self.0.iter().position(|(name, _)| name == key);
        self.0.retain(|(name, _)| name != key);
        let raw = value.and_then(|value| RawValue::from_string(value.to_string()).ok());
        if let Some(raw) = raw {
            let at = there.unwrap_or_else(|| self.place(key)).min(self.0.len());
            self.0.insert(at, (key.to_owned(), raw));
        }
    }

    /// After the last member that goes before it.
    fn place(&self, key: &str) -> usize {
        let rank = |name: &str| KEYS.iter().position(|key| *key == name);
        let goes_before = |(name, _): &(String, _)| {
            name == "$schema" || rank(name).zip(rank(key)).is_some_and(|(name, key)| name < key)
        };
        self.0.iter().rposition(goes_before).map_or(0, |at| at + 1)
    }

    /// The file's new text: one member a line, with the line endings that `before` has.
    pub(crate) fn text(&self, before: &str) -> String {
        let mark = if before.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let ending = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let line = |(name, raw): &(String, Box<RawValue>)| {
            format!("  {}: {}", Value::from(name.as_str()), raw.get())
        };
        let lines = self.0.iter().map(line).collect::<Vec<_>>().join(&format!(",{ending}"));
        format!("{mark}{{{ending}{lines}{ending}}}{ending}")
    }
}

/// The text without the mark that some editors put first.
fn plain(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(before: &str, key: &str, value: Option<Value>, expected: &str) {
        let mut members = Members::parse(before).unwrap();
        members.set(key, value.as_ref());
        assert_eq!(members.text(before), expected);
        assert_eq!(Members::parse(expected).unwrap().get(key), value);
    }

    #[test]
    fn other_members_stay_as_they_were_written() {
        let before = "{\"projectId\": \"x\", \"own\": {\"n\": 123456789012345678901234567890,  \"f\": 1.00}, \"approval\": \"no\"}";
        let expected = "{\n  \"projectId\": \"x\",\n  \"own\": {\"n\": 123456789012345678901234567890,  \"f\": 1.00},\n  \"approval\": \"yes\"\n}\n";
        check(before, "approval", Some(json!("yes")), expected);
        check(expected, "approval", None, &expected.replace(",\n  \"approval\": \"yes\"", ""));
    }

    #[test]
    fn a_new_one_goes_where_it_belongs() {
        let before =
            "{\n  \"$schema\": \"s\",\n  \"projectId\": \"x\",\n  \"match\": \"exact\",\n  \"own\": 1\n}\n";
        let expected = before.replace("  \"match\"", "  \"linter\": \"make\",\n  \"match\"");
        check(before, "linter", Some(json!("make")), &expected);
        check("{}", "projectId", Some(json!("a\"b")), "{\n  \"projectId\": \"a\\\"b\"\n}\n");
    }

    #[test]
    fn twice_becomes_once_and_endings_stay() {
        let before = "\u{feff}{\r\n\"gitStage\": 1,\r\n\"own\": 2,\r\n\"gitStage\": false}";
        check(
            before,
            "gitStage",
            Some(json!(true)),
            "\u{feff}{\r\n  \"gitStage\": true,\r\n  \"own\": 2\r\n}\r\n",
        );
    }

    #[test]
    fn files_that_are_not_objects_are_refused() {
        for text in ["[]", "", "{", "{} {}", "{\"a\": 1,}", "3"] {
            assert!(Members::parse(text).is_err(), "{text}");
        }
    }
}
