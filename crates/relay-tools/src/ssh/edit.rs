//! Changes to a file of hosts, as `/ssh add` and `/ssh remove` make them. What else is in the file stays as it is.

use serde_json::{Map, Value};

use super::hosts;

/// The text of a file with this host in it, in place of one of its name.
///
/// # Errors
/// The file cannot be read as one of hosts, or the host would not be accepted from it.
pub fn with_host(text: Option<&str>, name: &str, host: &Map<String, Value>) -> Result<String, String> {
    let mut document = document(text)?;
    hosts::accepted(name, &Value::Object(host.clone()), &relay_exec::variable)
        .map_err(|why| format!("host `{name}`: {why}"))?;
    listed(&mut document)?.insert(name.to_owned(), Value::Object(host.clone()));
    Ok(written(&document))
}

/// The text of a file without the host of this name.
///
/// # Errors
/// The file cannot be read as one of hosts, or the host is not in it.
pub fn without_host(text: Option<&str>, name: &str) -> Result<String, String> {
    let mut document = document(text)?;
    let hosts = listed(&mut document)?;
    if hosts.shift_remove(name).is_none() {
        let names: Vec<&str> = hosts.keys().map(String::as_str).collect();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(format!("there is no host `{name}` in it; there are: {known}"));
    }
    Ok(written(&document))
}

fn document(text: Option<&str>) -> Result<Map<String, Value>, String> {
    match text.filter(|text| !text.trim().is_empty()).map(serde_json::from_str) {
        None => Ok(Map::new()),
        Some(Ok(Value::Object(document))) => Ok(document),
        Some(Ok(_)) => Err("the file is not a JSON object; fix it first".to_owned()),
        Some(Err(error)) => Err(format!("the file is not JSON ({error}); fix it first")),
    }
}

fn listed(document: &mut Map<String, Value>) -> Result<&mut Map<String, Value>, String> {
    let hosts = document.entry("hosts").or_insert_with(|| Value::Object(Map::new()));
    hosts.as_object_mut().ok_or_else(|| "\"hosts\" in the file is not an object; fix it first".to_owned())
}

fn written(document: &Map<String, Value>) -> String {
    let text = serde_json::to_string_pretty(document).unwrap_or_default();
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn hosts_are_added_replaced_and_removed_and_the_rest_stays() {
        let one = with_host(None, "ci", &object(json!({ "host": "ci.example" }))).unwrap();
        assert_eq!(one, "{\n  \"hosts\": {\n    \"ci\": {\n      \"host\": \"ci.example\"\n    }\n  }\n}\n");
        let own =
            r#"{"note": 1, "hosts": {"b": {"host": "b", "x": 2}, "a": {"host": "a"}, "c": {"host": "c"}}}"#;
        let two = with_host(Some(own), "a", &object(json!({ "host": "a2", "port": 7 }))).unwrap();
        let parsed: Value = serde_json::from_str(&two).unwrap();
        let expected = json!({"note": 1, "hosts": {"b": {"host": "b", "x": 2}, "a": {"host": "a2", "port": 7}, "c": {"host": "c"}}});
        assert_eq!(parsed.to_string(), expected.to_string());
        let three = without_host(Some(&two), "b").unwrap();
        let names: Value = serde_json::from_str(&three).unwrap();
        assert_eq!(names["hosts"].as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "c"]);
    }

    #[test]
    fn what_the_tool_would_not_take_is_refused() {
        let error =
            |text: Option<&str>, name: &str, host: Value| with_host(text, name, &object(host)).unwrap_err();
        assert!(error(None, "a", json!({})).contains("it has no \"host\""));
        assert!(error(None, "a", json!({ "host": "-oProxyCommand=x" })).contains("not allowed"));
        assert!(error(None, "a b", json!({ "host": "h" })).contains("not allowed"));
        assert!(error(Some("["), "a", json!({ "host": "h" })).contains("not JSON"));
        assert!(error(Some("[]"), "a", json!({ "host": "h" })).contains("not a JSON object"));
        assert!(error(Some(r#"{"hosts": 7}"#), "a", json!({ "host": "h" })).contains("not an object"));
        let gone = without_host(Some(r#"{"hosts": {"x": {}}}"#), "a").unwrap_err();
        assert_eq!(gone, "there is no host `a` in it; there are: x");
    }
}
