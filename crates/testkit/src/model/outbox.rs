//! Events on their way into the socket, with everything that may go wrong with them there.

use std::io::{Error, ErrorKind, Result, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::http::chunk;
use super::{Api, Delivery};

/// How a stream separates its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON document per line.
    Lines,
}

/// Frames events, applies the delivery, writes.
pub(super) struct Outbox<'a> {
    socket: TcpStream,
    api: Api,
    framing: Framing,
    delivery: &'a Delivery,
    /// Waits until the client is gone or the server ends.
    stall: &'a dyn Fn(),
    waiting: Vec<u8>,
    sent: usize,
}

impl<'a> Outbox<'a> {
    pub(super) fn new(
        socket: TcpStream,
        api: Api,
        framing: Framing,
        delivery: &'a Delivery,
        stall: &'a dyn Fn(),
    ) -> Self {
        Self { socket, api, framing, delivery, stall, waiting: Vec::new(), sent: 0 }
    }

    /// Sends an event without a name.
    pub(super) fn data(&mut self, data: &Value) -> Result<()> {
        self.event(None, &data.to_string())
    }

    /// Sends an event named after its `type`.
    pub(super) fn typed(&mut self, data: &Value) -> Result<()> {
        let name = data["type"].as_str().map(str::to_owned);
        self.event(name.as_deref(), &data.to_string())
    }

    /// Sends the event that ends an answer, unless the delivery leaves it out.
    pub(super) fn last(&mut self, name: Option<&str>, data: &str) -> Result<()> {
        if self.delivery.without_terminator { Ok(()) } else { self.event(name, data) }
    }

    fn event(&mut self, name: Option<&str>, data: &str) -> Result<()> {
        let number = self.sent;
        self.sent += 1;
        if self.delivery.stall_at.is_some_and(|at| number >= at) {
            self.flush()?;
            (self.stall)();
            return Err(Error::new(ErrorKind::ConnectionAborted, "stalled"));
        }
        if self.delivery.drop_at.is_some_and(|at| number >= at) {
            self.flush()?;
            return Err(Error::new(ErrorKind::ConnectionAborted, "dropped"));
        }
        if let Some((at, failure)) = self.delivery.fail_at
            && number >= at
        {
            let event = super::wire::failure_event(self.api, failure);
            self.frame(event.get("type").and_then(Value::as_str), &event.to_string());
            self.finish()?;
            return Err(Error::new(ErrorKind::Interrupted, "failed as planned"));
        }
        self.disturb();
        if self.delivery.malformed_at == Some(number) {
            self.frame(name, "{\"type\": \"text\", \"oops");
        } else {
            self.frame(name, data);
        }
        match self.delivery.burst_bytes {
            Some(bytes) if self.waiting.len() < bytes => Ok(()),
            _ => self.flush(),
        }
    }

    /// What providers put between events that clients must skip.
    fn disturb(&mut self) {
        let is_sse = self.framing == Framing::Sse;
        if self.delivery.comments && is_sse {
            self.lines(&[": a comment with a colon: and {\"json\": 1}", ""]);
        }
        if self.delivery.keep_alives {
            match self.api {
                Api::Anthropic => self.frame(Some("ping"), r#"{"type": "ping"}"#),
                _ if is_sse => self.lines(&[": keep-alive", ""]),
                _ => self.lines(&[""]),
            }
        }
        if self.delivery.unknown_events && is_sse {
            self.frame(Some("news.from.the.future"), r#"{"type":"news.from.the.future","news":[1]}"#);
        }
    }

    fn frame(&mut self, name: Option<&str>, data: &str) {
        match (self.framing, name) {
            (Framing::Lines, _) => self.lines(&[data]),
            (Framing::Sse, Some(name)) => {
                self.lines(&[&format!("event: {name}"), &format!("data: {data}"), ""]);
            }
            (Framing::Sse, None) => self.lines(&[&format!("data: {data}"), ""]),
        }
    }

    fn lines(&mut self, lines: &[&str]) {
        // Google ends lines that way in any case.
        let end = if self.delivery.crlf || self.api == Api::Gemini { "\r\n" } else { "\n" };
        for line in lines {
            self.waiting.extend_from_slice(line.as_bytes());
            self.waiting.extend_from_slice(end.as_bytes());
        }
    }

    /// Writes what waits. Every piece is a chunk of its own, so that clients see the cuts whatever the kernel joins.
    fn flush(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let size = self.delivery.cut_bytes.unwrap_or(waiting.len()).max(1);
        for piece in waiting.chunks(size) {
            if self.delivery.pause > Duration::ZERO {
                std::thread::sleep(self.delivery.pause);
            }
            self.socket.write_all(&chunk(piece))?;
        }
        Ok(())
    }

    /// Writes what waits and ends the body.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.flush()?;
        if self.delivery.drop_at_end {
            return Err(Error::new(ErrorKind::ConnectionAborted, "dropped at the end"));
        }
        self.socket.write_all(b"0\r\n\r\n")
    }
}
