//! A part of a JSON text: `findings.0.title`, `.findings[0].title`, `items[].name`.

use serde_json::Value;

/// The part that a way leads to, as text: strings as they are, everything else as JSON.
///
/// # Errors
/// The text is not JSON, or the way leads nowhere.
pub fn from_json(text: &str, way: &str) -> Result<String, String> {
    let body = text.trim();
    let body = body.strip_prefix("```json").and_then(|rest| rest.strip_suffix("```")).unwrap_or(body);
    let value: Value = serde_json::from_str(body).map_err(|_| "The answer is not JSON.".to_owned())?;
    let mut found = vec![&value];
    for step in steps(way) {
        found = found.into_iter().flat_map(|value| follow(value, &step)).collect();
        if found.is_empty() {
            return Err(format!("`{way}` leads nowhere in the answer."));
        }
    }
    let shown = |value: &Value| match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    Ok(found.into_iter().map(|value| format!("{}\n", shown(value))).collect())
}

/// `a.b[0][]` as `a`, `b`, `0`, and an empty step for all.
fn steps(way: &str) -> Vec<String> {
    let mut steps = Vec::new();
    for part in way.split('.').filter(|part| !part.is_empty()) {
        let mut rest = part;
        if let Some((name, _)) = rest.split_once('[') {
            if !name.is_empty() {
                steps.push(name.to_owned());
            }
            rest = rest.get(name.len()..).unwrap_or_default();
            while let Some((inner, more)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                steps.push(inner.trim_matches('"').to_owned());
                rest = more;
            }
        } else {
            steps.push(rest.to_owned());
        }
    }
    steps
}

fn follow<'v>(value: &'v Value, step: &str) -> Vec<&'v Value> {
    match value {
        Value::Array(items) if step.is_empty() => items.iter().collect(),
        Value::Array(items) => step.parse::<usize>().ok().and_then(|at| items.get(at)).into_iter().collect(),
        Value::Object(fields) if step.is_empty() => fields.values().collect(),
        Value::Object(fields) => fields.get(step).into_iter().collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_extracted() {
        let text = r#"{"a": [{"n": "x"}, {"n": "y"}], "b": {"c": 3}}"#;
        let check = |way, expected: &str| assert_eq!(from_json(text, way).unwrap(), expected, "{way}");
        check("b.c", "3\n");
        check(".a[1].n", "y\n");
        check("a.0.n", "x\n");
        check("a[].n", "x\ny\n");
        assert!(from_json(text, "z").unwrap_err().contains("leads nowhere"));
        assert!(from_json("words", "z").unwrap_err().contains("not JSON"));
    }
}
