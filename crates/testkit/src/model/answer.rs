//! Everything the server does with one request: a reply or a failure, headers, and the way they take.

use std::time::Duration;

use super::{Delivery, Failure, Flavour, Reply};

/// What a request gets.
#[derive(Clone, Debug)]
pub struct Answer {
    pub(super) content: Content,
    pub(super) headers: Vec<(String, String)>,
    pub(super) delivery: Delivery,
    pub(super) flavour: Option<Flavour>,
}

/// What is in an answer.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// The model's reply.
    Reply(Reply),
    /// A failure in the provider's own words, with a status of its own or the provider's usual one.
    Failure(Failure, Option<u16>),
    /// Exactly these bytes.
    Raw { status: u16, media_type: String, body: Vec<u8> },
}

impl Answer {
    fn new(content: Content) -> Self {
        Self { content, headers: Vec::new(), delivery: Delivery::default(), flavour: None }
    }

    /// A failure with the status the provider documents for it.
    #[must_use]
    pub fn failure(failure: Failure) -> Self {
        Self::new(Content::Failure(failure, None))
    }

    /// A failure with another status.
    #[must_use]
    pub fn status(status: u16, failure: Failure) -> Self {
        Self::new(Content::Failure(failure, Some(status)))
    }

    /// Too many requests, and after how many seconds to come back.
    #[must_use]
    pub fn rate_limited(retry_after_s: u32) -> Self {
        Self::failure(Failure::RateLimited).header("retry-after", &retry_after_s.to_string())
    }

    /// A page for people, as proxies and captive portals send it.
    #[must_use]
    pub fn html(status: u16) -> Self {
        let body =
            "<!DOCTYPE html>\n<html><head><title>Bad gateway</title></head><body>cloudy</body></html>\n";
        Self::raw(status, "text/html; charset=utf-8", body)
    }

    /// Exactly these bytes.
    #[must_use]
    pub fn raw(status: u16, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(Content::Raw { status, media_type: media_type.to_owned(), body: body.into() })
    }

    /// Adds a response header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the way it takes.
    #[must_use]
    pub fn delivery(mut self, delivery: Delivery) -> Self {
        self.delivery = delivery;
        self
    }

    /// Chooses how Chat Completions carries reasoning; otherwise the path decides.
    #[must_use]
    pub fn flavour(mut self, flavour: Flavour) -> Self {
        self.flavour = Some(flavour);
        self
    }

    /// Cuts the stream after every this many bytes.
    #[must_use]
    pub fn cut(mut self, bytes: usize) -> Self {
        self.delivery.cut_bytes = Some(bytes);
        self
    }

    /// Sends nothing more from this event on.
    #[must_use]
    pub fn stall_at(mut self, event: usize) -> Self {
        self.delivery.stall_at = Some(event);
        self
    }

    /// Closes the connection instead of sending this event.
    #[must_use]
    pub fn drop_at(mut self, event: usize) -> Self {
        self.delivery.drop_at = Some(event);
        self
    }

    /// Waits before every write.
    #[must_use]
    pub fn pause(mut self, pause: Duration) -> Self {
        self.delivery.pause = pause;
        self
    }
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        Self::new(Content::Reply(reply))
    }
}
