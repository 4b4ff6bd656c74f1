//! A response with its head received and its body still arriving in pieces.

use bytes::Bytes;

use crate::error::NetError;

/// An answer, read piece by piece. Dropping it closes its connection.
#[derive(Debug)]
pub struct Answer {
    response: reqwest::Response,
}

impl Answer {
    pub(crate) fn new(response: reqwest::Response) -> Self {
        Self { response }
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Whether the status means success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    /// A header's value, if it is present and text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name).and_then(|value| value.to_str().ok())
    }

    /// The next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// The connection broke off.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, NetError> {
        self.response.chunk().await.map_err(NetError::broken)
    }

    /// The whole body, up to a limit; the rest is dropped.
    ///
    /// # Errors
    /// The connection broke off.
    pub async fn read(&mut self, limit_bytes: usize) -> Result<Vec<u8>, NetError> {
        let mut body = Vec::new();
        while body.len() < limit_bytes {
            match self.chunk().await? {
                Some(bytes) => body.extend_from_slice(&bytes),
                None => break,
            }
        }
        body.truncate(limit_bytes);
        Ok(body)
    }
}
