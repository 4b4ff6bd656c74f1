//! Secrets recognised by their name: the value of `password`, of `API_KEY`, of anything in an `.env` file.

use super::literals::{FileKind, Literal, literals};
use super::{Span, is_dummy};

/// What a name implies about its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    /// A person may have made it up, so it can be short.
    Password,
    /// A machine made it: long, with digits in it.
    Key,
    /// It is in an `.env` file, and nothing says that it is public.
    Setting,
}

pub(super) fn find(file: FileKind, text: &str) -> Vec<Span> {
    if file == FileKind::Hashes {
        return Vec::new();
    }
    let secret = |literal: &Literal<'_>| {
        let name = name(literal.name).or((file == FileKind::Env).then_some(Name::Setting))?;
        is_secret(name, literal.value, file)
            .then(|| Span { range: literal.range.clone(), kind: kind(name, literal) })
    };
    literals(file, text).iter().filter_map(secret).collect()
}

fn kind(name: Name, literal: &Literal<'_>) -> &'static str {
    let aws = literal.name.to_ascii_lowercase().contains("aws") && literal.value.len() == 40;
    match name {
        Name::Key if aws => "aws-secret-key",
        Name::Key => "key",
        Name::Password => "password",
        Name::Setting => "env-value",
    }
}

/// What the last few identifiers before a value say about it.
fn name(before: &str) -> Option<Name> {
    let is_identifier = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let identifiers = before.split(|c| !is_identifier(c)).filter(|word| !word.is_empty());
    identifiers.collect::<Vec<&str>>().into_iter().rev().take(3).find_map(meaning)
}

fn meaning(identifier: &str) -> Option<Name> {
    const PASSWORDS: &[&str] =
        &["password", "passwd", "passphrase", "pwd", "pass", "passcode", "dbpassword", "userpassword"];
    #[rustfmt::skip]
    const KEYS: &[&str] = &[
        "secret", "secrets", "token", "apikey", "authtoken", "accesstoken", "accesskey", "privatekey",
        "credential", "credentials", "secretkey", "clientsecret", "bearer", "authkey", "apitoken",
        "apisecret",
    ];
    #[rustfmt::skip]
    const OF_KEY: &[&str] = &[
        "api", "access", "private", "auth", "encryption", "signing", "master", "account", "service",
        "storage", "session", "shared", "secret", "deploy", "subscription", "license", "write", "admin",
        "hmac", "jwt",
    ];
    // What such a name ends with says that its value is something about a secret, not the secret.
    #[rustfmt::skip]
    const ABOUT: &[&str] = &[
        "name", "type", "field", "label", "path", "file", "filename", "dir", "url", "uri", "endpoint",
        "length", "len", "size", "count", "limit", "expiry", "expires", "expiration", "ttl", "header",
        "prefix", "suffix", "regex", "pattern", "placeholder", "hint", "message", "error", "id", "ids",
        "column", "env", "var", "policy", "strength", "format", "scheme", "kind", "class", "text", "title",
        "index", "status", "state", "required", "enabled", "rotation", "version", "store", "manager",
        "provider", "budget", "usage", "test", "tests", "algorithm", "alg", "description", "docs", "help",
        "ref", "arn", "public", "issuer", "audience", "selector", "input",
    ];
    let words = words(identifier);
    let last = words.last()?;
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let key_of = words.windows(2).any(|pair| match pair {
        [of, key] => key == "key" && OF_KEY.contains(&of.as_str()) || of == "connection" && key == "string",
        _ => false,
    });
    if ABOUT.contains(&last.as_str()) || has(&["public", "tokenizer", "max", "csrf"]) {
        return None;
    }
    if has(PASSWORDS) {
        return Some(Name::Password);
    }
    (has(KEYS) || key_of).then_some(Name::Key)
}

/// `dbPassword`, `DB_PASSWORD` and `db-password` as `db`, `password`.
fn words(identifier: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in identifier.split(['_', '-', '.']) {
        let mut word = String::new();
        let mut after_lower = false;
        for c in part.chars() {
            if c.is_uppercase() && after_lower && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            after_lower = !c.is_uppercase();
            word.extend(c.to_lowercase());
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words
}

fn is_secret(name: Name, value: &str, file: FileKind) -> bool {
    let in_settings = file != FileKind::Code;
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    // In an environment file `MySecret2024` says what it is, and is one all the same.
    let is_word = is_word_for_a_secret(value) && (file != FileKind::Env || digits == 0);
    if is_reference(value) || is_dummy(&format!("{value}#1aB")) || is_word {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let has_blank = value.contains(char::is_whitespace);
    match name {
        Name::Password => {
            let is_mixed =
                digits > 0 && letters > 0 || value.contains(['!', '@', '#', '$', '%', '^', '&', '*']);
            value.len() >= 6
                && !has_blank
                && (is_mixed || in_settings && digits + letters > 0 && !is_flag(value))
        }
        Name::Key => {
            value.len() >= 12
                && !has_blank
                && digits >= 2
                && letters >= 2
                && !value.contains(['(', '{', '\\'])
        }
        Name::Setting => value.len() >= 6 && !has_blank && !is_plain(value),
    }
}

/// Values that only point to a secret.
fn is_reference(value: &str) -> bool {
    #[rustfmt::skip]
    const STARTS: &[&str] = &[
        "$", "${", "{{", "<", "%", "[", "env:", "env(", "file:", "/", "./", "../", "~/", "arn:", "process.env", "os.",
    ];
    let is_link = value.contains("://") && !value.contains('@');
    let is_call = value.contains('(') && value.contains(')');
    STARTS.iter().any(|start| value.starts_with(start))
        || is_link
        || is_call
        || value.contains("${")
        || value.contains("{{")
}

fn is_word_for_a_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["password", "passwd", "secret", "token", "api_key", "apikey", "api-key", "credential", "bearer", "test"]
        .iter()
        .any(|word| lower.contains(word))
        && value.len() < 24
}

fn is_flag(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "string" | "required" | "optional" | "disabled" | "enabled" | "hidden" | "default" | "plaintext"
    )
}

/// Settings that are not secret: flags, numbers, words, addresses, places.
fn is_plain(value: &str) -> bool {
    let is_number =
        value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b',' | b'-'));
    let is_words = value
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.' | b',' | b'/'));
    // `localhost:5432`, `v1.2.3`, `us-east-1`, `gpt-4o-mini`: words of one case with a few digits.
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let has_upper = value.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_name = digits <= 5
        && !(has_upper && digits > 0)
        && value.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':' | b'/' | b'@')
        });
    let is_long = value.len() >= 32 && is_words && !value.contains(['-', '_', '.', '/', ',']);
    (is_number || is_words || is_name) && !is_long
}
