//! Carries one answer from the socket to its reader.
//!
//! All waiting happens inside one future, which is dropped as a whole when the caller cancels, when the reader is gone,
//! or when time is up: cancellation reaches every await, and dropping closes the socket. The answer itself lives
//! outside that future, so that a partial one can still be reported.

use std::sync::Arc;
use std::time::Duration;

use relay_diagnostics::Cancel;
use relay_net::{Answer, Transport, cancelled};
use tokio::sync::mpsc::Sender;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::assemble::Assembler;
use crate::classify;
use crate::client::ClientOptions;
use crate::decode::{Broken, EventStream, Lines, Sse, TooLong};
use crate::error::{Error, ErrorKind};
use crate::event::{Event, Notice, Turn};
use crate::key::Key;
use crate::message::Origin;
use crate::raw::Recording;
use crate::retry::{Attempted, jitter};
use crate::wire::{Call, Decode, Flow, Framing};

/// Deltas that come closer together than this are joined.
const JOIN: Duration = Duration::from_millis(50);

/// A joined delta is not kept longer than this.
const JOINED_BYTES: usize = 64 << 10;

/// How much of an error's body is read.
const ERROR_BYTES: usize = 64 << 10;

/// How long the end of an answer is waited for once its last event came, so that the connection can be used again.
const DRAIN: Duration = Duration::from_secs(1);

/// One question and everything needed to get it answered.
pub(crate) struct Job {
    pub(crate) call: Call,
    pub(crate) key: Key,
    pub(crate) options: ClientOptions,
    pub(crate) transport: Arc<Transport>,
    pub(crate) cancel: Cancel,
    pub(crate) origin: Origin,
}

/// The reader of the stream is gone.
struct ReaderGone;

/// Why an attempt ended early.
enum Failure {
    ReaderGone,
    At(Attempted, Error),
}

impl From<ReaderGone> for Failure {
    fn from(_: ReaderGone) -> Self {
        Self::ReaderGone
    }
}

/// Runs a job to its end. The last event is always `Done` or `Error`, unless the reader is gone.
pub(crate) async fn run(job: Job, sender: Sender<Event>) {
    let mut answer = Assembler::new(
        Turn::new(job.origin.clone()),
        job.call.guards.clone(),
        job.options.answer_limit_bytes,
    );
    let fail = |kind, message: &str| {
        Err(Failure::At(Attempted::Turn, Error::new(kind, &*job.origin.provider, message)))
    };
    let outcome = tokio::select! {
        biased;
        () = cancelled(&job.cancel) => fail(ErrorKind::Aborted, "interrupted"),
        () = sender.closed() => return,
        () = time_is_up(job.options.total_timeout) => fail(ErrorKind::Timeout, "the answer took too long"),
        outcome = attempts(&job, &mut answer, &sender) => outcome,
    };
    let response = match outcome {
        Ok(response) => {
            answer.done();
            Some(response)
        }
        Err(Failure::At(_, error)) => {
            answer.fail(error);
            None
        }
        Err(Failure::ReaderGone) => return,
    };
    if deliver(&mut answer, &sender).await.is_ok()
        && let Some(mut response) = response
    {
        let rest = async { while matches!(response.chunk().await, Ok(Some(_))) {} };
        // A server that does not close in time only costs the connection.
        drop(timeout(DRAIN, rest).await);
    }
}

async fn time_is_up(limit: Option<Duration>) {
    match limit {
        Some(limit) => sleep(limit).await,
        None => std::future::pending().await,
    }
}

/// Asks until there is an answer, or until another attempt is pointless or would show something twice.
async fn attempts(job: &Job, answer: &mut Assembler, sender: &Sender<Event>) -> Result<Answer, Failure> {
    let (mut requests, mut streams) = (0, 0);
    loop {
        let (attempted, error) = match attempt(job, answer, sender).await {
            Ok(response) => return Ok(response),
            Err(Failure::At(attempted, error)) if !answer.has_output() => (attempted, error),
            Err(failure) => return Err(failure),
        };
        let count = if attempted == Attempted::Request { &mut requests } else { &mut streams };
        *count += 1;
        let retry = &job.options.retry;
        let Some(delay_ms) = retry.delay_ms(attempted, *count, &error, jitter()) else {
            return Err(Failure::At(attempted, error));
        };
        let delay = Duration::from_millis(delay_ms);
        if job.options.no_request_after.is_some_and(|end| Instant::now().into_std() + delay >= end) {
            return Err(Failure::At(attempted, error));
        }
        answer.restart();
        let max_attempts = retry.budget(attempted);
        answer.notice(Notice::Retry { attempt: *count, max_attempts, delay_ms, error });
        deliver(answer, sender).await?;
        sleep(delay).await;
    }
}

async fn attempt(job: &Job, answer: &mut Assembler, sender: &Sender<Event>) -> Result<Answer, Failure> {
    let mut response = open(job).await.map_err(|error| Failure::At(Attempted::Request, error))?;
    let mut decoder = Recording::of((job.call.decoder)(), job.options.raw.as_ref(), &job.origin, &job.key);
    let mut frames = Frames::new(job.call.framing);
    let broken = |error| Failure::At(Attempted::Stream, error);
    let mut told: Option<Instant> = None;
    loop {
        let chunk = if answer.is_waiting() {
            let due = told.map_or_else(Instant::now, |told| told + JOIN);
            match timeout_at(due, response.chunk()).await {
                Ok(chunk) => chunk,
                Err(_) => {
                    answer.flush();
                    told = Some(Instant::now());
                    deliver(answer, sender).await?;
                    continue;
                }
            }
        } else {
            timeout(job.options.idle_timeout, response.chunk()).await.map_err(|_| broken(idle(job)))?
        };
        let flow = match chunk {
            Ok(Some(bytes)) => frames.push(&bytes, decoder.as_mut(), answer),
            Ok(None) => frames.finish(decoder.as_mut(), answer).map(|()| Flow::Finished),
            // What came before the break may be all there was to come.
            Err(error) => decoder
                .finish(answer)
                .map(|()| Flow::Finished)
                .map_err(|_| Error::of_connection(&job.origin.provider, error)),
        };
        let flow = flow.map_err(|mut error| {
            error.message = job.key.scrub(&error.message);
            broken(error)
        });
        if answer.waiting_bytes() > JOINED_BYTES || told.is_none_or(|told| told.elapsed() >= JOIN) {
            if answer.is_waiting() {
                told = Some(Instant::now());
            }
            answer.flush();
        }
        deliver(answer, sender).await?;
        if flow? == Flow::Finished {
            return Ok(response);
        }
    }
}

/// Sends the request and sees to it that an answer has begun.
async fn open(job: &Job) -> Result<Answer, Error> {
    let send = job.transport.send(&job.call.outgoing);
    let provider = &job.origin.provider;
    let sent = timeout(job.options.idle_timeout, send).await.map_err(|_| idle(job))?;
    let mut response = sent.map_err(|error| Error::of_connection(provider, error))?;
    let content_type = response.header("content-type").unwrap_or_default().to_ascii_lowercase();
    let is_page = content_type.starts_with("text/html");
    let is_plain_json = content_type.starts_with("application/json") && job.call.framing == Framing::Sse;
    if response.is_success() && !is_page && !is_plain_json {
        return Ok(response);
    }
    let body = timeout(job.options.idle_timeout, response.read(ERROR_BYTES));
    // A refusal with a truncated body is still a refusal.
    let body = body.await.ok().and_then(Result::ok).unwrap_or_default();
    let header = |name: &str| response.header(name).map(str::to_owned);
    let mut error = classify::response(provider, &job.key, response.status(), &header, &body);
    if response.is_success() {
        let has_error =
            serde_json::from_slice::<serde_json::Value>(&body).is_ok_and(|json| json.get("error").is_some());
        if is_page {
            error = Error::new(ErrorKind::Malformed, provider, "the server answered with a web page");
        } else if !has_error {
            error = Error::new(ErrorKind::Malformed, provider, "the server did not stream its answer");
        }
    }
    Err(error)
}

fn idle(job: &Job) -> Error {
    let seconds = job.options.idle_timeout.as_secs_f32();
    Error::new(ErrorKind::Timeout, &*job.origin.provider, format!("nothing came for {seconds} s"))
}

/// Emits events as fast as the reader takes them.
async fn deliver(answer: &mut Assembler, sender: &Sender<Event>) -> Result<(), ReaderGone> {
    while answer.has_events() {
        // Room first, event second: what is dropped while waiting must not take an event with it.
        let room = sender.reserve().await.map_err(|_| ReaderGone)?;
        if let Some(event) = answer.next_event() {
            room.send(event);
        }
    }
    Ok(())
}

/// Cuts what was read into frames and has them decoded.
enum Frames {
    Sse(Sse),
    Lines(Lines),
    Messages(EventStream),
}

impl Frames {
    fn new(framing: Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(Sse::default()),
            Framing::Lines => Self::Lines(Lines::default()),
            Framing::EventStream => Self::Messages(EventStream::default()),
        }
    }

    fn push(
        &mut self,
        bytes: &[u8],
        decoder: &mut dyn Decode,
        answer: &mut Assembler,
    ) -> Result<Flow, Error> {
        let too_long = |answer: &Assembler| {
            answer.error(ErrorKind::TooLarge, "one event of the answer is larger than Relay reads")
        };
        match self {
            Self::Sse(sse) => {
                sse.push(bytes).map_err(|TooLong| too_long(answer))?;
                while let Some(data) = sse.next_event() {
                    let data = data.map_err(|TooLong| too_long(answer))?;
                    if decoder.frame(data, answer)? == Flow::Finished {
                        return Ok(Flow::Finished);
                    }
                }
            }
            Self::Lines(lines) => {
                lines.push(bytes).map_err(|TooLong| too_long(answer))?;
                while let Some(line) = lines.next_line() {
                    if !line.trim_ascii().is_empty() && decoder.frame(line, answer)? == Flow::Finished {
                        return Ok(Flow::Finished);
                    }
                }
            }
            Self::Messages(stream) => {
                stream.push(bytes);
                while let Some(message) = stream.next_message() {
                    let message = message.map_err(|Broken| {
                        answer.error(ErrorKind::Malformed, "the answer was damaged on its way")
                    })?;
                    let flow = match message.exception {
                        Some(name) => decoder.frame(&exception(&name, message.payload), answer)?,
                        None => decoder.frame(message.payload, answer)?,
                    };
                    if flow == Flow::Finished {
                        return Ok(Flow::Finished);
                    }
                }
            }
        }
        Ok(Flow::More)
    }

    /// The connection was closed: decodes what is left and asks whether that was all.
    fn finish(&mut self, decoder: &mut dyn Decode, answer: &mut Assembler) -> Result<(), Error> {
        let rest = match self {
            Self::Sse(sse) => sse.finish(),
            Self::Messages(_) => None,
            Self::Lines(lines) => Some(lines.rest()).filter(|rest| !rest.trim_ascii().is_empty()),
        };
        if let Some(rest) = rest
            && decoder.frame(rest, answer)? == Flow::Finished
        {
            return Ok(());
        }
        decoder.finish(answer)
    }
}

/// A failure in an event stream as a frame of its own. What the service says about it is JSON, or nothing.
fn exception(name: &str, payload: &[u8]) -> Vec<u8> {
    let said: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
    let message = said.get("message").or_else(|| said.get("Message"));
    serde_json::json!({ "exception": name, "message": message }).to_string().into_bytes()
}
