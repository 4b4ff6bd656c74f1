//! Keys with a known format: a prefix, then this many characters of an alphabet.

use std::ops::RangeInclusive;

use super::{Span, is_dummy};

/// The alphabet of the part after the prefix.
#[derive(Clone, Copy)]
enum Alphabet {
    Hex,
    Upper,
    Alphanumeric,
    /// Also `_` and `-`.
    Url,
    /// Also `.`.
    Dotted,
}

impl Alphabet {
    const fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Alphanumeric => byte.is_ascii_alphanumeric(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

/// One family of keys.
struct Format {
    kind: &'static str,
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    length: RangeInclusive<usize>,
}

const fn format(
    kind: &'static str,
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    length: RangeInclusive<usize>,
) -> Format {
    Format { kind, prefixes, alphabet, length }
}

/// As their issuers document them. A longer prefix is before a shorter one that it begins with.
const FORMATS: &[Format] = &[
    format("aws-access-key-id", &["AKIA", "ASIA", "ABIA", "ACCA"], Alphabet::Upper, 16..=16),
    format("aws-bedrock-key", &["ABSK"], Alphabet::Alphanumeric, 100..=140),
    format("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alphabet::Alphanumeric, 36..=251),
    format("github-token", &["github_pat_"], Alphabet::Url, 60..=251),
    format(
        "gitlab-token",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glsoat-", "glft-", "glimt-", "glagent-"],
        Alphabet::Dotted,
        20..=300,
    ),
    format(
        "slack-token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xapp-"],
        Alphabet::Url,
        20..=300,
    ),
    format(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"],
        Alphabet::Alphanumeric,
        24..=250,
    ),
    format("google-api-key", &["AIza"], Alphabet::Url, 35..=35),
    format("google-oauth-secret", &["GOCSPX-"], Alphabet::Url, 28..=28),
    format("google-access-token", &["ya29."], Alphabet::Url, 60..=1000),
    format("anthropic-key", &["sk-ant-"], Alphabet::Url, 32..=250),
    format("openrouter-key", &["sk-or-v1-"], Alphabet::Hex, 64..=64),
    format("openai-key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], Alphabet::Url, 40..=300),
    format("openai-key", &["sk-"], Alphabet::Alphanumeric, 32..=64),
    format("groq-key", &["gsk_"], Alphabet::Alphanumeric, 48..=60),
    format("xai-key", &["xai-"], Alphabet::Alphanumeric, 60..=100),
    format("perplexity-key", &["pplx-"], Alphabet::Alphanumeric, 40..=64),
    format("replicate-key", &["r8_"], Alphabet::Alphanumeric, 37..=40),
    format("hugging-face-token", &["hf_", "api_org_"], Alphabet::Alphanumeric, 34..=40),
    format("npm-token", &["npm_"], Alphabet::Alphanumeric, 36..=36),
    format("pypi-token", &["pypi-"], Alphabet::Url, 85..=300),
    format("rubygems-key", &["rubygems_"], Alphabet::Hex, 48..=48),
    format("docker-token", &["dckr_pat_", "dckr_oat_"], Alphabet::Url, 27..=40),
    format("digitalocean-token", &["dop_v1_", "doo_v1_", "dor_v1_"], Alphabet::Hex, 64..=64),
    format("twilio-key", &["SK"], Alphabet::Hex, 32..=32),
    format("mailgun-key", &["key-"], Alphabet::Hex, 32..=32),
    format("shopify-token", &["shpat_", "shpca_", "shppa_", "shpss_"], Alphabet::Hex, 32..=32),
    format("square-token", &["sq0atp-", "sq0csp-", "EAAAE", "EAAAl"], Alphabet::Url, 22..=80),
    format("databricks-token", &["dapi"], Alphabet::Hex, 32..=32),
    format("grafana-token", &["glsa_", "glc_"], Alphabet::Url, 40..=400),
    format("sentry-token", &["sntrys_", "sntryu_"], Alphabet::Url, 60..=400),
    format("new-relic-key", &["NRAK-"], Alphabet::Upper, 27..=27),
    format("linear-key", &["lin_api_", "lin_oauth_"], Alphabet::Alphanumeric, 40..=64),
    format("notion-token", &["ntn_"], Alphabet::Alphanumeric, 40..=50),
    format("figma-token", &["figd_"], Alphabet::Url, 40..=50),
    format("vault-token", &["hvs.", "hvb."], Alphabet::Url, 24..=300),
    format("doppler-token", &["dp.pt.", "dp.st.", "dp.sa.", "dp.ct."], Alphabet::Dotted, 40..=64),
    format("postman-key", &["PMAK-"], Alphabet::Url, 59..=59),
    format("planetscale-secret", &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"], Alphabet::Dotted, 32..=64),
    format("supabase-key", &["sbp_", "sb_secret_"], Alphabet::Url, 31..=64),
    format("atlassian-token", &["ATATT3", "ATCTT3"], Alphabet::Url, 100..=250),
    format("netlify-token", &["nfp_"], Alphabet::Alphanumeric, 36..=40),
    format("tailscale-key", &["tskey-auth-", "tskey-api-", "tskey-client-"], Alphabet::Url, 20..=80),
    format("pulumi-token", &["pul-"], Alphabet::Hex, 40..=40),
    format("age-secret-key", &["AGE-SECRET-KEY-1"], Alphabet::Upper, 58..=58),
    format("heroku-key", &["HRKU-"], Alphabet::Url, 36..=80),
    format("circleci-token", &["CCIPAT_", "CCIPRJ_"], Alphabet::Url, 40..=100),
];

pub(super) fn find(text: &str) -> Vec<Span> {
    FORMATS
        .iter()
        .flat_map(|format| format.prefixes.iter().flat_map(move |prefix| occurrences(text, format, prefix)))
        .collect()
}

fn occurrences<'t>(text: &'t str, format: &'t Format, prefix: &'t str) -> impl Iterator<Item = Span> + 't {
    text.match_indices(prefix).filter_map(move |(start, _)| {
        let bytes = text.as_bytes();
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        let tail = bytes.get(start + prefix.len()..)?;
        let reach = tail.iter().take_while(|byte| format.alphabet.has(**byte)).count();
        // A full stop or a hyphen at the end may belong to the sentence.
        let signs = tail.get(..reach)?.iter().rev().take_while(|byte| matches!(byte, b'.' | b'-')).count();
        let length = [reach, reach - signs].into_iter().find(|length| format.length.contains(length))?;
        let is_word =
            |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let range = start..start + prefix.len() + length;
        let value = text.get(range.start + prefix.len()..range.end)?;
        let stands_alone = !is_word(before) && !is_word(tail.get(length));
        (stands_alone && is_mixed(value) && !is_dummy(text.get(range.clone())?))
            .then_some(Span { range, kind: format.kind })
    })
}

/// Whether there are both letters and digits, or both cases: what is issued by a machine has them, `sk-` in front of a
/// long name does not.
fn is_mixed(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    let kinds = [u8::is_ascii_digit, u8::is_ascii_lowercase, u8::is_ascii_uppercase]
        .into_iter()
        .filter(|test| has(*test));
    kinds.count() >= 2
}
