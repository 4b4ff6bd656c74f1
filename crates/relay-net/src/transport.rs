//! The one place that connects to anything. `--offline` is enforced here, before a name is even looked up.
//!
//! Redirects are never followed: they would send the key to an address the user never configured. Only HTTP/1.1 is
//! spoken, so that a connection carries one request at a time, and dropping a request closes its socket.

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::answer::Answer;
use crate::error::{NetError, NetErrorKind, cause};

/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// How long an idle connection is kept. Servers keep theirs longer, so a request rarely meets one that is being closed.
const IDLE: Duration = Duration::from_secs(30);

/// How much of the answer to a warm-up request is read.
const WARM_BYTES: usize = 64 << 10;

/// A request as it goes over the wire. It has no `Debug`: headers and body may be secret.
#[derive(Clone)]
pub struct Outgoing {
    /// The method.
    pub method: reqwest::Method,
    /// The address.
    pub url: String,
    /// Names and values, including those of keys.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: bytes::Bytes,
}

/// Connects, or refuses to.
#[derive(Debug)]
pub struct Transport {
    is_offline: bool,
    /// Goes through the proxy the user's environment names.
    remote: OnceLock<Result<reqwest::Client, String>>,
    /// Connects to this machine directly, because no proxy could reach it.
    local: OnceLock<Result<reqwest::Client, String>>,
    /// The same without TLS, so that the system's certificates, several megabytes, are not loaded.
    plain: OnceLock<Result<reqwest::Client, String>>,
}

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Remote,
    Local,
    Plain,
}

impl Transport {
    /// Connects, or with `is_offline` refuses to. Nothing is connected yet.
    #[must_use]
    pub fn new(is_offline: bool) -> Self {
        Self { is_offline, remote: OnceLock::new(), local: OnceLock::new(), plain: OnceLock::new() }
    }

    /// Whether no connection is made.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.is_offline
    }

    /// Sends a request and returns the answer's head, whatever its status.
    ///
    /// # Errors
    /// Why no answer began.
    pub async fn send(&self, outgoing: &Outgoing) -> Result<Answer, NetError> {
        let fail = |kind, message: String| NetError::new(kind, message);
        if self.is_offline {
            return Err(fail(NetErrorKind::Offline, "not asked, because Relay is offline".to_owned()));
        }
        let url: Url = outgoing
            .url
            .parse()
            .map_err(|error| fail(NetErrorKind::Config, format!("the base URL is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fail(
                NetErrorKind::Config,
                "the base URL must begin with http:// or https://".to_owned(),
            ));
        }
        let headers = headers(outgoing)?;
        let client = self.client(&url).map_err(|error| fail(NetErrorKind::Config, error))?;
        // Host and port alone: the rest of an address may carry a password.
        let local = is_loopback(&url).then(|| {
            let port = url.port_or_known_default().unwrap_or_default();
            format!("{}:{port}", url.host_str().unwrap_or_default())
        });
        let request =
            client.request(outgoing.method.clone(), url).headers(headers).body(outgoing.body.clone());
        request.send().await.map(Answer::new).map_err(|error| match local {
            Some(address) if is_refused(&error) => {
                fail(NetErrorKind::NotRunning, format!("no server is running at {address}"))
            }
            _ => NetError::broken(error),
        })
    }

    fn client(&self, url: &Url) -> Result<&reqwest::Client, String> {
        let (way, cell) = match (is_loopback(url), url.scheme()) {
            (true, "http") => (Way::Plain, &self.plain),
            (true, _) => (Way::Local, &self.local),
            (false, _) => (Way::Remote, &self.remote),
        };
        cell.get_or_init(|| build(way)).as_ref().map_err(Clone::clone)
    }

    /// Connects ahead of time, so that the next request finds a connection. A failure is left for that request to
    /// report.
    pub async fn connect(&self, url: &str) {
        let outgoing = Outgoing {
            method: reqwest::Method::HEAD,
            url: url.to_owned(),
            headers: Vec::new(),
            body: bytes::Bytes::new(),
        };
        if let Ok(mut answer) = self.send(&outgoing).await {
            // The connection can be used again once the answer has been read.
            drop(answer.read(WARM_BYTES).await);
        }
    }
}

fn build(way: Way) -> Result<reqwest::Client, String> {
    // Without this, rustls panics because it has no provider; with two compiled in, it would refuse to choose.
    if rustls::crypto::CryptoProvider::get_default().is_none() {
        // Another thread may have done it first, which is just as good.
        drop(rustls::crypto::ring::default_provider().install_default());
    }
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("relay/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .pool_idle_timeout(IDLE)
        .http1_only();
    if way != Way::Remote {
        builder = builder.no_proxy();
    }
    if way == Way::Plain {
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| format!("TLS cannot be set up: {}", cause(&error)))
}

/// Whether the address is this machine itself.
fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn headers(outgoing: &Outgoing) -> Result<HeaderMap, NetError> {
    let mut map = HeaderMap::new();
    for (name, value) in &outgoing.headers {
        // The value may be a key, so the message has only the header's name.
        let wrong = || {
            let message = format!("the header {name:?} or its value has characters that cannot be sent");
            NetError::new(NetErrorKind::Config, message)
        };
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok(map)
}

/// Whether the server refused the connection.
fn is_refused(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(std::error::Error::source(error), |error| error.source());
    let mut systems = causes.filter_map(|cause| cause.downcast_ref::<std::io::Error>());
    error.is_connect() && systems.any(|cause| cause.kind() == std::io::ErrorKind::ConnectionRefused)
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn loopback() {
        for (url, expected) in [
            ("http://localhost:11434", true),
            ("http://127.0.0.1:1/x", true),
            ("http://[::1]:8080", true),
            ("https://api.anthropic.com", false),
            ("http://localhost.example.com", false),
            ("http://192.168.1.5", false),
        ] {
            assert_eq!(is_loopback(&url.parse().unwrap()), expected, "{url}");
        }
    }
}
