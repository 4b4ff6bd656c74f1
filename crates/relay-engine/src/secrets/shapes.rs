//! Secrets recognised by their shape: private keys, tokens in parts, passwords in URLs and connection strings.

use std::ops::Range;

use super::{Span, is_dummy};

pub(super) fn find(text: &str) -> Vec<Span> {
    let mut spans = private_keys(text);
    spans.extend(web_tokens(text));
    spans.extend(connection_strings(text));
    spans.extend(url_passwords(text));
    spans.extend(webhooks(text));
    spans.extend(words(text));
    spans.extend(authorizations(text));
    spans
}

/// The text between `-----BEGIN … PRIVATE KEY-----` and its end; the lines around it stay, so that the file still says
/// what is there. Without an end line, the key extends as far as its characters do.
fn private_keys(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    for (at, _) in text.match_indices("-----BEGIN ") {
        let Some(rest) = text.get(at..) else { continue };
        let Some(head) = rest.get(11..).and_then(|rest| rest.find("-----")).map(|length| 11 + length + 5)
        else {
            continue;
        };
        let title = rest.get(..head).unwrap_or_default();
        if title.contains('\n') || !title.contains("PRIVATE KEY") {
            continue;
        }
        let Some(body) = rest.get(head..) else { continue };
        // In a string literal the line breaks are written as escapes.
        let lead = body.len() - body.trim_start_matches(['\r', '\n', ' ', '\t']).len();
        let lead = if body.starts_with("\\n") { 2 } else { lead };
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '\r' | '\n');
        let end = body.find("-----END ").unwrap_or_else(|| body.find(|c| !is_key(c)).unwrap_or(body.len()));
        let inside = body.get(lead..end).unwrap_or_default();
        let inside = inside.trim_end().trim_end_matches("\\n");
        if inside.len() >= 24 && !is_dummy(inside.get(..24).unwrap_or_default()) {
            let start = at + head + lead;
            spans.push(Span { range: start..start + inside.len(), kind: "private-key" });
        }
    }
    spans
}

/// JSON web tokens: three parts, of which the first two are JSON objects in base 64.
fn web_tokens(text: &str) -> Vec<Span> {
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=');
    let token = |start: usize| {
        let rest = text.as_bytes().get(start..)?;
        let header = rest.iter().take_while(|byte| part(byte)).count();
        let payload = rest.get(header..)?.strip_prefix(b".")?;
        let payload =
            payload.starts_with(b"eyJ").then(|| payload.iter().take_while(|byte| part(byte)).count())?;
        let signature = rest.get(header + 1 + payload..)?.strip_prefix(b".")?;
        let signature = signature.iter().take_while(|byte| part(byte)).count();
        let is_whole = header >= 16 && payload >= 8 && signature >= 20;
        is_whole.then_some(start..start + header + payload + signature + 2)
    };
    let starts = text.match_indices("eyJ").filter(|(at, _)| !follows_word(text, *at));
    starts.filter_map(|(at, _)| token(at)).map(|range| Span { range, kind: "jwt" }).collect()
}

/// Keys inside connection strings: `AccountKey=…;`.
fn connection_strings(text: &str) -> Vec<Span> {
    const FIELDS: &[&str] =
        &["AccountKey=", "SharedAccessKey=", "SharedSecretValue=", "sig=", "Password=", "Pwd="];
    let is_value =
        |c: char| !c.is_whitespace() && !matches!(c, ';' | '"' | '\'' | '`' | '<' | '&' | ',' | ')');
    let mut spans = Vec::new();
    for field in FIELDS {
        for (at, _) in text.match_indices(field) {
            let start = at + field.len();
            let rest = text.get(start..).unwrap_or_default();
            let value = rest.get(..rest.find(|c| !is_value(c)).unwrap_or(rest.len())).unwrap_or_default();
            let line = text.get(..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
            let is_password = field.starts_with('P');
            // A password field proves little alone: only together with a server is it a connection string.
            let in_company = ["Server=", "Host=", "Data Source=", "User Id=", "Uid=", "server=", "host="]
                .iter()
                .any(|field| line.contains(field));
            let long_enough = if is_password { in_company && value.len() >= 4 } else { value.len() >= 40 };
            let is_reference = value.starts_with(['$', '{', '%', '<']);
            if long_enough && !is_reference && !is_dummy(value) {
                spans.push(Span { range: start..start + value.len(), kind: "connection-string" });
            }
        }
    }
    spans
}

/// The password of `scheme://user:password@host`.
fn url_passwords(text: &str) -> Vec<Span> {
    let is_part = |c: char| {
        !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | '<' | '>' | '/' | '(' | ')' | '\\' | ',')
    };
    let mut spans = Vec::new();
    for (at, _) in text.match_indices("://") {
        let start = at + 3;
        let rest = text.get(start..).unwrap_or_default();
        // A password may hold an `@` of its own: the last one before the host counts.
        let authority = rest.get(..rest.find(|c| !is_part(c)).unwrap_or(rest.len())).unwrap_or_default();
        let Some((login, host)) = authority.rsplit_once('@') else { continue };
        let Some((user, password)) = login.split_once(':') else { continue };
        let is_reference = password.starts_with(['$', '{', '%']) || password.contains("${");
        let is_word = matches!(password, "password" | "pass" | "pwd" | "secret" | "token" | "passwd");
        let is_template = host.is_empty() || host.starts_with(['{', '$']) && is_word;
        let usual = is_word || password == user || password.bytes().all(|byte| byte == b'*');
        if password.len() >= 3 && !is_reference && !is_template && !usual && !is_dummy_password(password) {
            let from = start + user.len() + 1;
            spans.push(Span { range: from..from + password.len(), kind: "url-password" });
        }
    }
    spans
}

/// Short passwords have few letters, so only the words are looked at.
fn is_dummy_password(password: &str) -> bool {
    is_dummy(&format!("{password}#1aB"))
}

/// Addresses that are secret as a whole: anyone who knows them may post.
fn webhooks(text: &str) -> Vec<Span> {
    const HOOKS: &[(&str, &str)] = &[
        ("https://hooks.slack.com/services/", "slack-webhook"),
        ("https://hooks.slack.com/workflows/", "slack-webhook"),
        ("https://discord.com/api/webhooks/", "discord-webhook"),
        ("https://discordapp.com/api/webhooks/", "discord-webhook"),
    ];
    let mut spans = Vec::new();
    for (hook, kind) in HOOKS {
        for (at, _) in text.match_indices(hook) {
            let start = at + hook.len();
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-');
            let range = start..start + rest.iter().take_while(|byte| is_part(byte)).count();
            if range.len() >= 30 && text.get(range.clone()).is_some_and(|value| !is_dummy(value)) {
                spans.push(Span { range, kind });
            }
        }
    }
    spans
}

/// What follows `Bearer` or `Basic` in a header.
fn authorizations(text: &str) -> Vec<Span> {
    let is_part = |byte: &u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    };
    let mut spans = Vec::new();
    for scheme in ["Bearer ", "Basic ", "bearer ", "basic "] {
        for (at, _) in text.match_indices(scheme) {
            let start = at + scheme.len();
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let range = start..start + rest.iter().take_while(|byte| is_part(byte)).count();
            let value = text.get(range.clone()).unwrap_or_default();
            let has = |test: fn(&u8) -> bool| value.as_bytes().iter().filter(|byte| test(byte)).count() >= 2;
            let is_mixed =
                has(u8::is_ascii_digit) && (has(u8::is_ascii_lowercase) || has(u8::is_ascii_uppercase));
            if value.len() >= 20 && is_mixed && !is_dummy(value) {
                spans.push(Span { range, kind: "authorization" });
            }
        }
    }
    spans
}

/// Tokens in parts without blanks: Telegram's `123456789:AA…`, SendGrid's `SG.….…`, Discord's bots.
fn words(text: &str) -> Vec<Span> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    let mut spans = Vec::new();
    let mut start = 0;
    for word in text.split(|c| !is_token(c)) {
        // A path of an address may lead straight into the token (`…/bot123456789:AA…`).
        let inner = word.strip_prefix("bot").unwrap_or(word).trim_end_matches(['.', ':']);
        let from = start + (word.len() - word.strip_prefix("bot").unwrap_or(word).len());
        if let Some((range, kind)) = token(inner)
            && !is_dummy(inner)
        {
            spans.push(Span { range: from + range.start..from + range.end, kind });
        }
        start += word.len()
            + text.get(start + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    spans
}

fn token(word: &str) -> Option<(Range<usize>, &'static str)> {
    let url =
        |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    if let Some((bot, secret)) = word.rsplit_once(':') {
        let bot = bot.rsplit(':').next().unwrap_or(bot);
        let is_bot = (8..=10).contains(&bot.len()) && bot.bytes().all(|byte| byte.is_ascii_digit());
        let start = word.len() - secret.len() - 1 - bot.len();
        return (is_bot && secret.len() == 35 && secret.starts_with("AA") && url(secret))
            .then_some((start..word.len(), "telegram-bot-token"));
    }
    match word.split('.').collect::<Vec<&str>>().as_slice() {
        ["SG", id, secret] if id.len() == 22 && secret.len() == 43 && url(id) && url(secret) => {
            Some((0..word.len(), "sendgrid-key"))
        }
        [id, time, mac]
            if (23..=28).contains(&id.len())
                && id.starts_with(['M', 'N', 'O'])
                && time.len() == 6
                && (27..=38).contains(&mac.len())
                && [id, time, mac].into_iter().all(|part| url(part))
                && mac.bytes().any(|byte| byte.is_ascii_digit()) =>
        {
            Some((0..word.len(), "discord-bot-token"))
        }
        _ => None,
    }
}

fn follows_word(text: &str, at: usize) -> bool {
    text.get(..at)
        .and_then(|before| before.chars().next_back())
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
}
