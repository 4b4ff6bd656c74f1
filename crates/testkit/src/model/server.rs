//! The server itself: a socket on the loopback interface, a thread for each connection, a record of every request.

use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::{Answer, Reply, Request};
use crate::patience::PATIENCE;

/// Chooses the answer to a request.
type Choose = Box<dyn Fn(&Request) -> Answer + Send + Sync>;

/// A running server; it ends when it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

/// What the connections share.
pub(super) struct State {
    queue: Mutex<VecDeque<Answer>>,
    choose: Mutex<Choose>,
    requests: Mutex<Vec<Request>>,
    key: Mutex<Option<String>>,
    is_open: AtomicBool,
    pub(super) models: Mutex<Vec<String>>,
    pub(super) ended: AtomicBool,
}

impl State {
    /// The answer to a model request: the next in the queue, else what the closure chooses.
    pub(super) fn answer(&self, request: &Request) -> Answer {
        let next = self.queue.lock().unwrap().pop_front();
        next.unwrap_or_else(|| (self.choose.lock().unwrap())(request))
    }

    pub(super) fn record(&self, request: &Request) {
        self.requests.lock().unwrap().push(request.clone());
    }

    /// Whether this key may come in.
    pub(super) fn admits(&self, key: Option<&str>) -> bool {
        if self.is_open.load(Ordering::SeqCst) {
            return true;
        }
        let expected = self.key.lock().unwrap();
        key.is_some_and(|key| !key.is_empty())
            && expected.as_deref().is_none_or(|expected| key == Some(expected))
    }
}

impl ModelServer {
    /// Starts on a free port. Without a script it answers [`ModelServer::hello`] to everything.
    #[must_use]
    pub fn start() -> Self {
        Self::start_on(0)
    }

    /// Starts on this port of the loopback interface.
    #[must_use]
    pub fn start_on(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State {
            queue: Mutex::default(),
            choose: Mutex::new(Box::new(Self::hello)),
            requests: Mutex::default(),
            key: Mutex::default(),
            is_open: AtomicBool::new(false),
            models: Mutex::new(vec!["scripted-model".to_owned()]),
            ended: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let thread = std::thread::spawn(move || accept(&listener, &shared));
        Self { address, state, thread: Some(thread) }
    }

    /// The answer without a script: `Hello from the scripted model.`, or a sample where the client wants a JSON schema
    /// followed.
    #[must_use]
    pub fn hello(request: &Request) -> Answer {
        match super::sample::schema(request) {
            Some(schema) => Reply::text(super::sample::sample(schema).to_string()).into(),
            None => Reply::text("Hello from the scripted model.").into(),
        }
    }

    /// Its address without a path: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The address to connect to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds an answer to the queue; each is given once, in order.
    pub fn queue(&self, answer: impl Into<Answer>) {
        self.state.queue.lock().unwrap().push_back(answer.into());
    }

    /// Chooses the answer whenever the queue is empty.
    pub fn respond(&self, choose: impl Fn(&Request) -> Answer + Send + Sync + 'static) {
        *self.state.choose.lock().unwrap() = Box::new(choose);
    }

    /// Refuses every other key.
    pub fn require_key(&self, key: &str) {
        *self.state.key.lock().unwrap() = Some(key.to_owned());
    }

    /// Accepts every request, with or without a key, as local servers do.
    pub fn needs_no_key(&self) {
        self.state.is_open.store(true, Ordering::SeqCst);
    }

    /// The models it says it has.
    pub fn models(&self, names: &[&str]) {
        *self.state.models.lock().unwrap() = names.iter().map(|&name| name.to_owned()).collect();
    }

    /// Every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.state.requests.lock().unwrap().clone()
    }

    /// The requests that asked a model, without lists of models and the like.
    #[must_use]
    pub fn prompts(&self) -> Vec<Request> {
        self.requests().into_iter().filter(|request| request.api.is_some()).collect()
    }

    /// Waits until there are this many requests, and returns them.
    #[must_use]
    pub fn wait_for_requests(&self, count: usize) -> Vec<Request> {
        self.wait(|| {
            let requests = self.requests();
            (requests.len() >= count).then_some(requests)
        })
    }

    /// Waits until the client has closed the connection of this request, and says when that was.
    #[must_use]
    pub fn wait_for_close(&self, index: usize) -> Instant {
        self.wait(|| self.requests().get(index).and_then(Request::closed_at))
    }

    fn wait<T>(&self, ready: impl Fn() -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(value) = ready() {
                return value;
            }
            assert!(Instant::now() < deadline, "it did not happen; requests: {:?}", self.requests());
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for connections.
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for connection in listener.incoming() {
        if state.ended.load(Ordering::SeqCst) {
            return;
        }
        if let Ok(socket) = connection {
            let state = Arc::clone(state);
            std::thread::spawn(move || super::serve::serve(socket, &state));
        }
    }
}
