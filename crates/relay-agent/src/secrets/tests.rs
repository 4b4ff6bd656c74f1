//! Secrets on their way out and back.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const KEY: [u8; 32] = [7; 32];

fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

fn masker() -> Masker {
    let mut own = Own::default();
    own.add_environment([
        ("SHOP_API_KEY".to_owned(), "correct horse".to_owned()),
        ("HOME".to_owned(), "/home/ann".to_owned()),
    ]);
    let errors = own.add_file(
        "- { type: plain, content: acme-internal }\n- { type: regex, content: '/cust-\\d{4}/i' }\n\
         - { type: plain, content: Project Zeus, mode: replace }\n\
         - { type: regex, content: '10\\.0\\.\\d+\\.\\d+', mode: replace, replacement: 192.0.2.1 }\n",
    );
    assert!(errors.is_empty(), "{errors:?}");
    Masker::new(&KEY, own)
}

#[test]
fn secrets_are_masked_and_restored_where_allowed() {
    let mut masker = masker();
    let text = format!("{} correct horse acme-internal CUST-1234 Project Zeus 10.0.3.4 /home/ann", token());
    let masked = masker.mask("", &text);
    for secret in [&token(), "correct horse", "acme-internal", "CUST-1234", "Project Zeus", "10.0.3.4"] {
        assert!(!masked.contains(secret), "{secret} in {masked}");
    }
    assert!(masked.ends_with("************ 192.0.2.1 /home/ann"), "{masked}");
    assert_eq!(
        masker.restore(&masked).unwrap(),
        text.replace("Project Zeus", "************").replace("10.0.3.4", "192.0.2.1")
    );
    assert_eq!(masker.mask("", &masked), masked, "twice is once");
}

#[test]
fn a_repository_cannot_undo_what_the_user_replaces() {
    let mut own = Own::default();
    assert!(own.add_file("- { type: plain, content: Project Zeus, mode: obfuscate }\n").is_empty());
    assert!(own.add_file("- { type: plain, content: Project Zeus, mode: replace }\n").is_empty());
    assert!(own.add_file("- { type: plain, content: Project Zeus, mode: obfuscate }\n").is_empty());
    assert_eq!(Masker::new(&KEY, own).mask("", "Project Zeus"), "*".repeat(12));
}

#[test]
fn a_request_is_masked_as_a_whole() {
    let mut masker = masker();
    let call = llm::ToolCall {
        id: "1".to_owned(),
        name: "read".to_owned(),
        arguments: llm::Arguments::Object(json!({ "path": ".env" }).as_object().cloned().unwrap()),
        seal: None,
    };
    let result = llm::ToolResult {
        call_id: "1".to_owned(),
        name: "read".to_owned(),
        content: vec![llm::Block::text("GREETING=x7Kq9Lm2Pz4Rt8\n")],
        is_error: false,
    };
    let sealed = llm::Block::Thinking {
        text: token(),
        seal: Some(llm::Seal::Signature { signature: "s".to_owned() }),
    };
    let mut request = llm::Request {
        system: format!("use {}", token()),
        messages: vec![
            llm::Message::text(format!("my key is {}", token())),
            llm::Message {
                role: llm::Role::Assistant,
                content: vec![llm::Block::ToolCall(call), sealed.clone()],
                origin: None,
            },
            llm::Message::user(vec![llm::Block::ToolResult(result)]),
        ],
        ..llm::Request::default()
    };
    masker.mask_request(&mut request);
    assert_eq!(request.messages[1].content[1], sealed, "what is sealed stays");
    request.messages[1].content.pop();
    let sent = format!("{request:?}");
    assert!(!sent.contains(&token()) && !sent.contains("x7Kq9Lm2Pz4Rt8"), "{sent}");
    let again = request.clone();
    masker.mask_request(&mut request);
    assert_eq!(request, again);
}

#[test]
fn arguments_get_values_and_unknown_placeholders_are_refused() {
    let mut masker = masker();
    let masked = masker.mask("", &token());
    let arguments = json!({ "command": format!("push {masked}"), "edits": [{ "text": [masked, 7, null] }] });
    let restored = masker.restore_arguments(arguments.as_object().unwrap()).unwrap();
    assert_eq!(
        Value::Object(restored),
        json!({ "command": format!("push {}", token()), "edits": [{ "text": [token(), 7, null] }] })
    );
    let unknown = json!({ "a": "RELAY_MASKED_KEY_00000000" });
    let error = masker.restore_arguments(unknown.as_object().unwrap()).unwrap_err();
    assert!(error.to_string().starts_with("RELAY_MASKED_KEY_00000000 is not a secret known in this session"));
}

#[test]
fn values_survive_a_restart_and_debug_shows_none() {
    let mut first = masker();
    let masked = first.mask("", &token());
    let second = masker().with_values(&KEY, &first.to_json().unwrap()).unwrap();
    assert_eq!(second.restore(&masked).unwrap(), token());
    assert!(!format!("{:?}", first.vault).contains(&token()));
}

#[test]
fn a_masker_that_is_off_changes_nothing() {
    let mut masker = Masker::off();
    assert_eq!(
        (masker.mask("", &token()), masker.restore("RELAY_MASKED_X_1").unwrap()),
        (token(), "RELAY_MASKED_X_1".to_owned())
    );
}

#[test]
fn pieces_may_be_cut_anywhere() {
    let mut own = Own::default();
    assert!(own.add_file("- { type: plain, content: \"quote\\\"back\\\\slash\" }\n").is_empty());
    let mut masker = Masker::new(&KEY, own);
    let secret = "quote\"back\\slash";
    let masked = masker.mask("", &format!("RELAY_ {secret} RELAYé {secret}"));
    let json = json!({ "a": masked }).to_string();
    let plain = masker.restore(&masked).unwrap();
    for (text, expected, is_json) in
        [(&masked, plain.clone(), false), (&json, json!({ "a": plain }).to_string(), true)]
    {
        for cut in (0..=text.len()).filter(|cut| text.is_char_boundary(*cut)) {
            let (before, after) = text.split_at(cut);
            let mut restorer = masker.restorer(is_json);
            let mut restored = restorer.push(before).unwrap();
            restored.push_str(&restorer.push(after).unwrap());
            restored.push_str(&restorer.finish().unwrap());
            assert_eq!(restored, expected, "cut at {cut}");
        }
    }
}

proptest! {
    #[test]
    fn masking_and_restoring_gives_the_text_back(text in "(\\PC|\\n|RELAY_MASKED_[A-F0-9]{3}|password = \"[a-z0-9]{10}\"|correct horse){0,20}") {
        // Text that looks like a placeholder is left alone, and refused on its way back: it replaces nothing.
        let mut masker = masker();
        let masked = masker.mask("a.toml", &text);
        prop_assert_eq!(masker.mask("a.toml", &masked), masked.clone());
        match masker.restore(&masked) {
            Ok(restored) => prop_assert_eq!(restored, text.replace("Project Zeus", "************")),
            Err(_) => prop_assert!(text.to_ascii_uppercase().contains("RELAY_MASKED_")),
        }
    }
}
