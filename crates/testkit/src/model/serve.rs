//! One connection: reads requests, chooses answers, writes them, and notices when the client leaves.

use std::io::{BufReader, Error, ErrorKind, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::answer::Content;
use super::http;
use super::outbox::{Framing, Outbox};
use super::server::State;
use super::{Answer, Api, Failure, Flavour, Reply, Request, wire};

/// How often a connection that is stalled looks whether the server ends.
const TICK: Duration = Duration::from_millis(20);

/// Serves a connection until one side closes it.
pub(super) fn serve(socket: TcpStream, state: &Arc<State>) {
    drop(socket.set_nodelay(true));
    let Ok(reading) = socket.try_clone() else { return };
    let mut reader = BufReader::new(reading);
    while let Ok(Some(raw)) = http::read(&mut reader) {
        let closes = raw.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let mut request = Request::new(raw);
        request.complaint = wire::complaint(&request);
        state.record(&request);
        let watch = Watch::start(&socket, &request);
        let outcome = respond(&socket, &request, state, &watch);
        watch.finish();
        if outcome.as_ref().is_err_and(is_gone) {
            request.note_closed();
        }
        if outcome.is_err() || closes || state.ended.load(Ordering::SeqCst) {
            break;
        }
        if socket.set_read_timeout(None).is_err() {
            break;
        }
    }
    drop(socket.shutdown(Shutdown::Both));
}

/// Looks at the socket while an answer is written: a client that cancels closes it.
struct Watch {
    done: Arc<AtomicBool>,
    gone: Arc<AtomicBool>,
}

impl Watch {
    fn start(socket: &TcpStream, request: &Request) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let gone = Arc::new(AtomicBool::new(false));
        drop(socket.set_read_timeout(Some(TICK)));
        if let Ok(socket) = socket.try_clone() {
            let (done, gone, request) = (Arc::clone(&done), Arc::clone(&gone), request.clone());
            std::thread::spawn(move || {
                while !done.load(Ordering::SeqCst) {
                    match socket.peek(&mut [0]) {
                        Err(error) if is_timeout(&error) => {}
                        // The next request is already there.
                        Ok(1..) => return,
                        Ok(0) | Err(_) => {
                            if !done.load(Ordering::SeqCst) {
                                request.note_closed();
                                gone.store(true, Ordering::SeqCst);
                            }
                            return;
                        }
                    }
                }
            });
        }
        Self { done, gone }
    }

    fn finish(&self) {
        self.done.store(true, Ordering::SeqCst);
    }
}

/// Whether writing failed because the reader is gone.
fn is_gone(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
}

fn is_timeout(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn respond(socket: &TcpStream, request: &Request, state: &State, watch: &Watch) -> Result<()> {
    let Some(api) = request.api else {
        let models = state.models.lock().unwrap().clone();
        let (status, body) = wire::other(request, &models);
        return whole(socket, status, "application/json", &[], &body);
    };
    if api.needs_key() && !state.admits(request.key()) {
        let answer = Answer::failure(Failure::Authentication);
        return failure(socket, api, Failure::Authentication, None, &answer);
    }
    if let Some(complaint) = &request.complaint {
        let (status, body) = wire::failure(api, Failure::BadRequest, Some(complaint));
        return whole(socket, status, "application/json", &[], body.to_string().as_bytes());
    }
    let answer = state.answer(request);
    let delivery = &answer.delivery;
    std::thread::sleep(delivery.header_delay);
    if delivery.drop_before_headers {
        return Err(Error::new(ErrorKind::ConnectionAborted, "dropped before the headers"));
    }
    match &answer.content {
        Content::Failure(kind, status) => failure(socket, api, *kind, *status, &answer),
        Content::Raw { status, media_type, body } => {
            whole(socket, *status, media_type, &answer.headers, body)
        }
        Content::Reply(reply) if request.wants_stream() => {
            let stall = || {
                while !watch.gone.load(Ordering::SeqCst) && !state.ended.load(Ordering::SeqCst) {
                    std::thread::sleep(TICK);
                }
            };
            stream(socket, request, api, reply, &answer, &stall)
        }
        Content::Reply(reply) => {
            let flavour = answer.flavour.unwrap_or_else(|| Flavour::of(&request.path));
            match wire::document(api, flavour, request, reply) {
                Ok(body) => {
                    whole(socket, 200, "application/json", &answer.headers, body.to_string().as_bytes())
                }
                Err((status, body)) => {
                    whole(socket, status, "application/json", &answer.headers, body.to_string().as_bytes())
                }
            }
        }
    }
}

fn failure(socket: &TcpStream, api: Api, kind: Failure, status: Option<u16>, answer: &Answer) -> Result<()> {
    let (usual, body) = wire::failure(api, kind, None);
    let body = body.to_string();
    whole(socket, status.unwrap_or(usual), "application/json", &answer.headers, body.as_bytes())
}

fn whole(
    mut socket: &TcpStream,
    status: u16,
    media_type: &str,
    more: &[(String, String)],
    body: &[u8],
) -> Result<()> {
    let mut headers = vec![
        ("content-type".to_owned(), media_type.to_owned()),
        ("content-length".to_owned(), body.len().to_string()),
    ];
    headers.extend_from_slice(more);
    socket.write_all(&http::head(status, &headers))?;
    socket.write_all(body)
}

fn stream(
    mut socket: &TcpStream,
    request: &Request,
    api: Api,
    reply: &Reply,
    answer: &Answer,
    stall: &dyn Fn(),
) -> Result<()> {
    let framing = if api == Api::Ollama { Framing::Lines } else { Framing::Sse };
    let media_type = match framing {
        Framing::Sse => "text/event-stream; charset=utf-8",
        Framing::Lines => "application/x-ndjson",
    };
    let mut headers = vec![
        ("content-type".to_owned(), media_type.to_owned()),
        ("cache-control".to_owned(), "no-cache".to_owned()),
        ("transfer-encoding".to_owned(), "chunked".to_owned()),
    ];
    headers.extend_from_slice(&answer.headers);
    socket.write_all(&http::head(200, &headers))?;
    let mut outbox = Outbox::new(socket.try_clone()?, api, framing, &answer.delivery, stall);
    let flavour = answer.flavour.unwrap_or_else(|| Flavour::of(&request.path));
    wire::stream(api, flavour, request, reply, &mut outbox)?;
    outbox.finish()
}
