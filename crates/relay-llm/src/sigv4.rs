//! Amazon's way to sign a request (Signature Version 4), for Bedrock.

use jiff::Timestamp;
use ring::{digest, hmac};

/// Who signs.
pub(crate) struct Credentials<'a> {
    access_key: &'a str,
    secret_key: &'a str,
    session_token: Option<&'a str>,
}

impl<'a> Credentials<'a> {
    /// `access-key:secret-key[:session-token]`.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (access_key, rest) = text.split_once(':')?;
        let (secret_key, session_token) =
            rest.split_once(':').map_or((rest, None), |(secret, token)| (secret, Some(token)));
        Some(Self { access_key, secret_key, session_token })
    }
}

/// What is signed.
pub(crate) struct Signing<'a> {
    pub(crate) method: &'a str,
    /// The path as it is sent, escapes included.
    pub(crate) path: &'a str,
    /// The query, its parts in order and escaped.
    pub(crate) query: &'a str,
    /// Names in lower case; `host` must be among them.
    pub(crate) headers: Vec<(&'a str, String)>,
    pub(crate) body: &'a [u8],
    pub(crate) region: &'a str,
    pub(crate) service: &'a str,
    pub(crate) now: Timestamp,
}

/// The headers that carry the signature.
pub(crate) fn sign(credentials: &Credentials<'_>, signing: Signing<'_>) -> Vec<(String, String)> {
    let time = signing.now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let day = time.get(..8).unwrap_or_default();
    let mut headers = signing.headers;
    headers.push(("x-amz-date", time.clone()));
    if let Some(token) = credentials.session_token {
        headers.push(("x-amz-security-token", token.to_owned()));
    }
    headers.sort();
    let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let mut canonical = format!("{}\n{}\n{}\n", signing.method, escape_again(signing.path), signing.query);
    for (name, value) in &headers {
        canonical.push_str(&format!("{name}:{}\n", value.trim()));
    }
    canonical.push_str(&format!("\n{names}\n{}", sha256(signing.body)));
    let scope = format!("{day}/{}/{}/aws4_request", signing.region, signing.service);
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let mut key = format!("AWS4{}", credentials.secret_key).into_bytes();
    for part in [day, signing.region, signing.service, "aws4_request"] {
        key = mac(&key, part.as_bytes());
    }
    let signature = hex(&mac(&key, to_sign.as_bytes()));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        credentials.access_key
    );
    let mut own = vec![("x-amz-date".to_owned(), time), ("authorization".to_owned(), authorization)];
    if let Some(token) = credentials.session_token {
        own.push(("x-amz-security-token".to_owned(), token.to_owned()));
    }
    own
}

/// Escapes a path for a URL.
pub(crate) fn escape(segment: &str) -> String {
    escape_except(segment, b"-._~")
}

/// The path is signed with its escapes escaped once more.
fn escape_again(path: &str) -> String {
    escape_except(path, b"-._~/")
}

fn escape_except(text: &str, kept: &[u8]) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
}

fn mac(key: &[u8], data: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), data).as_ref().to_vec()
}

fn sha256(data: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, data).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{Credentials, Signing, escape, escape_again, sign};

    /// The worked example of Amazon's documentation.
    #[test]
    fn the_documented_example() {
        let credentials = Credentials::parse("AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY").unwrap();
        let signing = Signing {
            method: "GET",
            path: "/",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: vec![
                ("host", "iam.amazonaws.com".to_owned()),
                ("content-type", "application/x-www-form-urlencoded; charset=utf-8".to_owned()),
            ],
            body: b"",
            region: "us-east-1",
            service: "iam",
            now: "2015-08-30T12:36:00Z".parse().unwrap(),
        };
        let headers = sign(&credentials, signing);
        assert_eq!(headers[0], ("x-amz-date".to_owned(), "20150830T123600Z".to_owned()));
        assert_eq!(
            headers[1].1,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        );
    }

    #[test]
    fn a_session_token_is_signed_too() {
        let credentials = Credentials::parse("A:s/+:tok:en").unwrap();
        let signing = Signing {
            method: "POST",
            path: "/",
            query: "",
            headers: vec![("host", "h".to_owned())],
            body: b"{}",
            region: "r",
            service: "bedrock",
            now: "2015-08-30T12:36:00Z".parse().unwrap(),
        };
        let headers = sign(&credentials, signing);
        assert!(headers[1].1.contains("SignedHeaders=host;x-amz-date;x-amz-security-token"), "{headers:?}");
        assert_eq!(headers[2].1, "tok:en");
    }

    #[test]
    fn paths() {
        let once = escape("anthropic.claude-v1:0");
        assert_eq!(once, "anthropic.claude-v1%3A0");
        assert_eq!(escape_again(&format!("/model/{once}/invoke")), "/model/anthropic.claude-v1%253A0/invoke");
    }
}
