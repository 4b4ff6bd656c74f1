//! Small requests that read the whole response: lists of models, logins, pages.

use std::time::Duration;

use relay_diagnostics::Cancel;

use crate::cancelled::cancelled;
use crate::error::{NetError, NetErrorKind};
use crate::transport::{Outgoing, Transport};

/// The largest answer that is read.
const BODY_LIMIT_BYTES: usize = 8 << 20;

/// A small request. Its `Debug` shows no headers and no body, which may be secret.
#[derive(Clone)]
pub struct Fetch {
    /// The server's name, for error messages.
    pub name: String,
    /// The address.
    pub url: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// What to send; with it the request is a POST, without it a GET.
    pub body: Option<Vec<u8>>,
    /// How long the whole request may take.
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

pub(crate) async fn run(fetch: &Fetch, transport: &Transport, cancel: &Cancel) -> Result<Fetched, NetError> {
    let fail = |kind, message: &str| Err(NetError::new(kind, message));
    tokio::select! {
        biased;
        () = cancelled(cancel) => fail(NetErrorKind::Aborted, "interrupted"),
        // A response that has arrived counts, however late it is read.
        fetched = ask(fetch, transport) => fetched,
        () = tokio::time::sleep(fetch.timeout) => fail(NetErrorKind::Timeout, "no answer came in time"),
    }
}

async fn ask(fetch: &Fetch, transport: &Transport) -> Result<Fetched, NetError> {
    let outgoing = Outgoing {
        method: if fetch.body.is_some() { reqwest::Method::POST } else { reqwest::Method::GET },
        url: fetch.url.clone(),
        headers: fetch.headers.clone(),
        body: fetch.body.clone().unwrap_or_default().into(),
    };
    let mut answer = transport.send(&outgoing).await?;
    let body = answer.read(BODY_LIMIT_BYTES).await?;
    Ok(Fetched { status: answer.status(), body })
}
