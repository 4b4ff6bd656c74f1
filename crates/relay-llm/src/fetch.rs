//! Small requests that are not questions to a model: lists of models, logins.

use std::time::Duration;

use relay_diagnostics::Cancel;

use crate::cancelled::cancelled;
use crate::error::{Error, ErrorKind};
use crate::transport::{self, Outgoing, Transport};

/// The largest answer that is read.
const BODY_LIMIT_BYTES: usize = 8 << 20;

/// A small request. Its `Debug` shows no headers and no body, which may be secret.
#[derive(Clone)]
pub struct Fetch {
    /// Who is asked, for error messages.
    pub name: String,
    /// The address.
    pub url: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// What to send; with it the request is a POST, without it a GET.
    pub body: Option<Vec<u8>>,
    /// How long it may take altogether.
    pub timeout: Duration,
}

impl std::fmt::Debug for Fetch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fetch").field("name", &self.name).field("url", &self.url).finish_non_exhaustive()
    }
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

pub(crate) async fn run(fetch: &Fetch, transport: &Transport, cancel: &Cancel) -> Result<Fetched, Error> {
    let fail = |kind, message: &str| Err(Error::new(kind, fetch.name.clone(), message));
    tokio::select! {
        biased;
        () = cancelled(cancel) => fail(ErrorKind::Aborted, "interrupted"),
        // An answer that is there counts, however late it has become until anybody looks.
        fetched = ask(fetch, transport) => fetched,
        () = tokio::time::sleep(fetch.timeout) => fail(ErrorKind::Timeout, "no answer came in time"),
    }
}

async fn ask(fetch: &Fetch, transport: &Transport) -> Result<Fetched, Error> {
    let outgoing = Outgoing {
        provider: fetch.name.clone(),
        method: if fetch.body.is_some() { reqwest::Method::POST } else { reqwest::Method::GET },
        url: fetch.url.clone(),
        headers: fetch.headers.clone(),
        body: fetch.body.clone().unwrap_or_default().into(),
    };
    let mut response = transport.send(&outgoing).await?;
    let status = response.status().as_u16();
    let body = read(&fetch.name, &mut response, BODY_LIMIT_BYTES).await?;
    Ok(Fetched { status, body })
}

/// The whole body, up to a limit; the rest is dropped.
pub(crate) async fn read(
    provider: &str,
    response: &mut reqwest::Response,
    limit: usize,
) -> Result<Vec<u8>, Error> {
    let mut body = Vec::new();
    while body.len() < limit {
        match response.chunk().await {
            Ok(Some(bytes)) => body.extend_from_slice(&bytes),
            Ok(None) => break,
            Err(error) => return Err(transport::network(provider, error)),
        }
    }
    body.truncate(limit);
    Ok(body)
}
