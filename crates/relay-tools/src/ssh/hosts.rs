//! The hosts that the user set up, from JSON files. What could become an option of `ssh` is refused here.

use serde_json::Value;

/// A host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// What the model calls it.
    pub name: String,
    /// Its address.
    pub host: String,
    pub username: Option<String>,
    pub port: Option<u16>,
    /// The private key.
    pub key: Option<String>,
    pub description: Option<String>,
    /// Whether a Windows host is to be used through a POSIX shell; none finds out.
    pub compat: Option<bool>,
    /// Whether its files are shown in a folder here.
    pub mount: bool,
}

impl Host {
    /// `user@host`.
    pub fn target(&self) -> String {
        match &self.username {
            Some(user) => format!("{user}@{}", self.host),
            None => self.host.clone(),
        }
    }
}

/// The hosts of several files, the first of a name winning, and what is wrong with others.
pub fn read(
    sources: &[(String, String)],
    variable: &dyn Fn(&str) -> Option<String>,
) -> (Vec<Host>, Vec<String>) {
    let (mut hosts, mut warnings): (Vec<Host>, Vec<String>) = (Vec::new(), Vec::new());
    for (origin, text) in sources {
        let document: Value = match serde_json::from_str(text) {
            Ok(document) => document,
            Err(error) => {
                warnings.push(format!("{origin}: not JSON: {error}"));
                continue;
            }
        };
        let Some(listed) = document.get("hosts").and_then(Value::as_object) else {
            warnings.push(format!("{origin}: no \"hosts\" in it"));
            continue;
        };
        for (name, value) in listed {
            match accepted(name, value, variable) {
                Ok(host) if hosts.iter().all(|known| known.name != host.name) => hosts.push(host),
                Ok(_) => {}
                Err(why) => warnings.push(format!("{origin}: host `{name}`: {why}")),
            }
        }
    }
    (hosts, warnings)
}

/// A host as it is written under its name.
pub fn accepted(
    name: &str,
    value: &Value,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Host, String> {
    let text = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| value.get(*key)?.as_str());
        found.map(|text| expanded(text, variable)).filter(|text| !text.is_empty())
    };
    let address = text(&["host"]).ok_or("it has no \"host\"")?;
    checked("host", &address, |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%'))?;
    checked("name", name, |c| !c.is_control() && !c.is_whitespace())?;
    let username = text(&["username", "user"]);
    if let Some(user) = &username {
        checked("username", user, |c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '\\' | '+'))?;
    }
    let port = match value.get("port") {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(expanded(text, variable).parse::<u16>().map_err(|_| "bad port")?),
        Some(number) => {
            let port = number.as_u64().and_then(|port| u16::try_from(port).ok());
            Some(port.filter(|port| *port > 0).ok_or("bad port")?)
        }
    };
    let home = variable("HOME").unwrap_or_default();
    let key = text(&["key", "keyPath"]).map(|key| match key.strip_prefix("~/") {
        Some(rest) => format!("{home}/{rest}"),
        None => key,
    });
    if let Some(key) = &key {
        checked("key", key, |c| !c.is_control())?;
    }
    Ok(Host {
        name: name.to_owned(),
        host: address,
        username,
        port,
        key,
        description: text(&["description"]),
        compat: value.get("compat").and_then(Value::as_bool),
        mount: value.get("mount").and_then(Value::as_bool).unwrap_or_default(),
    })
}

/// Nothing that `ssh` could take for an option, and only these characters.
fn checked(what: &str, text: &str, is_allowed: impl Fn(char) -> bool) -> Result<(), String> {
    if text.starts_with('-') || !text.chars().all(is_allowed) {
        return Err(format!("{what} `{}` has characters that are not allowed", text.escape_debug()));
    }
    Ok(())
}

/// The text with `$NAME` and `${NAME}` replaced; variables that are not set stay as they are.
fn expanded(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, length) = match after.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, _)) if name.chars().all(is_name) => (name, name.len() + 2),
            _ => {
                let end = after.find(|c| !is_name(c)).unwrap_or(after.len());
                (after.get(..end).unwrap_or_default(), end)
            }
        };
        match variable(name).filter(|_| !name.is_empty()) {
            Some(value) => result.push_str(&value),
            None => {
                result.push('$');
                result.push_str(after.get(..length).unwrap_or_default());
            }
        }
        rest = after.get(length..).unwrap_or_default();
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> (Vec<Host>, Vec<String>) {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/me".to_owned()),
            "BOX" => Some("box.example".to_owned()),
            "EVIL" => Some("-oProxyCommand=x".to_owned()),
            _ => None,
        };
        read(&[("ssh.json".to_owned(), text.to_owned())], &variable)
    }

    #[test]
    fn all_fields_and_variables() {
        let (hosts, warnings) = check(
            r#"{"hosts": {"box": {"host": "${BOX}", "user": "me", "port": "2222", "key": "~/.ssh/id", "compat": false, "mount": true,
                "description": "the $NOPE box"}, "v6": {"host": "::1", "port": 22}}}"#,
        );
        assert_eq!(warnings, Vec::<String>::new());
        assert_eq!(
            hosts[0],
            Host {
                name: "box".into(),
                host: "box.example".into(),
                username: Some("me".into()),
                port: Some(2222),
                key: Some("/home/me/.ssh/id".into()),
                description: Some("the $NOPE box".into()),
                compat: Some(false),
                mount: true,
            }
        );
        assert_eq!(hosts[1].target(), "::1");
    }

    #[test]
    fn nothing_becomes_an_option() {
        for host in [
            r#"{"host": "-oProxyCommand=touch /tmp/x"}"#,
            r#"{"host": "$EVIL"}"#,
            r#"{"host": "a b"}"#,
            r#"{"host": "a;b"}"#,
            r#"{"host": "a", "user": "-l root"}"#,
            r#"{"host": "a", "user": "x@y"}"#,
            r#"{"host": "a", "key": "-i"}"#,
            r#"{"host": "a", "port": 0}"#,
            r#"{"host": "a", "port": "22 -o x"}"#,
            r#"{"host": 7}"#,
            "{}",
        ] {
            let (hosts, warnings) = check(&format!(r#"{{"hosts": {{"h": {host}}}}}"#));
            assert!(hosts.is_empty() && warnings.len() == 1, "{host}: {warnings:?}");
        }
        assert_eq!(check("[]").1, ["ssh.json: no \"hosts\" in it"]);
        assert!(check("{").1[0].starts_with("ssh.json: not JSON"));
    }

    #[test]
    fn the_first_of_a_name_wins() {
        let one = |host: &str| ("f".to_owned(), format!(r#"{{"hosts": {{"h": {{"host": "{host}"}}}}}}"#));
        let (hosts, _) = read(&[one("first"), one("second")], &|_| None);
        assert_eq!((hosts.len(), hosts[0].host.as_str()), (1, "first"));
    }
}
