//! `OLLAMA_HOST`, which is written in more ways than a URL.

/// The variable.
pub(super) const VARIABLE: &str = "OLLAMA_HOST";

const PORT: u16 = 11434;

/// The base URL that Ollama's own client would use: `host`, `host:port`, `:port` and URLs are all understood. An address
/// that means "every interface" to a server means this machine to a client.
pub(super) fn base_url(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']).trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (authority, path) = rest.split_once('/').map_or((rest, String::new()), |(a, p)| (a, format!("/{p}")));
    let has_port = authority.rsplit_once(':').is_some_and(|(before, port)| {
        !port.is_empty()
            && port.chars().all(|c| c.is_ascii_digit())
            && (!before.contains(':') || before.ends_with(']'))
    });
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if has_port => (name, port.to_owned()),
        _ if host.contains("://") && scheme == "https" => (authority, "443".to_owned()),
        _ if host.contains("://") && scheme == "http" && !path.is_empty() => (authority, "80".to_owned()),
        _ => (authority, PORT.to_string()),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" | "::" => "127.0.0.1",
        name => name,
    };
    format!("{scheme}://{name}:{port}{path}")
}

#[cfg(test)]
mod tests {
    use super::base_url;

    #[test]
    fn every_way_to_write_it() {
        for (host, expected) in [
            ("example.com", "http://example.com:11434"),
            ("example.com:56789", "http://example.com:56789"),
            (":56789", "http://127.0.0.1:56789"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            ("[::1]:80", "http://[::1]:80"),
            ("[::1]", "http://[::1]:11434"),
            ("http://127.0.0.1:5", "http://127.0.0.1:5"),
            ("https://example.com", "https://example.com:443"),
            ("https://example.com:8443/base/", "https://example.com:8443/base"),
            (" \"example.com\" ", "http://example.com:11434"),
        ] {
            assert_eq!(base_url(host), expected, "{host}");
        }
    }
}
