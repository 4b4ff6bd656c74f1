//! Asks models. One client serves a whole process; its connections live in one thread of their own.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{mpsc, oneshot};

use crate::error::{Error, ErrorKind};
use crate::event::{Event, Turn};
use crate::fetch::{Fetch, Fetched};
use crate::key::Key;
use crate::model::Model;
use crate::pump::{self, Job};
use crate::request::Request;
use crate::retry::RetrySettings;
use crate::stream::Stream;
use crate::transport::Transport;
use crate::wire;

/// How many events may wait for the reader of a stream.
const QUEUE: usize = 64;

/// How a client behaves.
#[derive(Clone, Debug)]
pub struct ClientOptions {
    /// Make no connection at all.
    pub offline: bool,
    /// When to try again.
    pub retry: RetrySettings,
    /// How long a provider may send nothing.
    pub idle_timeout: Duration,
    /// How long an answer may take from beginning to end; none means as long as it takes.
    pub total_timeout: Option<Duration>,
    /// How long an answer may be in bytes.
    pub answer_limit_bytes: usize,
    /// When the last request may be sent; what fails later is not tried again.
    pub no_request_after: Option<Instant>,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            offline: false,
            retry: RetrySettings::default(),
            idle_timeout: Duration::from_secs(300),
            total_timeout: None,
            answer_limit_bytes: 64 << 20,
            no_request_after: None,
        }
    }
}

/// Asks models. Clones share connections.
#[derive(Clone, Debug)]
pub struct Client {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: ClientOptions,
    transport: Arc<Transport>,
    /// Begun with the first request, so that whoever asks nobody has no thread.
    worker: Mutex<Option<Worker>>,
}

/// The thread the connections live in.
#[derive(Debug)]
struct Worker {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Client {
    /// A client. Nothing is connected yet.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let transport = Arc::new(Transport::new(options.offline));
        Self { inner: Arc::new(Inner { options, transport, worker: Mutex::new(None) }) }
    }

    /// Whether this client makes no connections.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.inner.options.offline
    }

    /// Asks a model. The answer comes as events; whatever fails is the last of them.
    #[must_use]
    pub fn stream(&self, model: &Model, key: &Key, request: &Request, cancel: &Cancel) -> Stream {
        let (sender, receiver) = mpsc::channel(QUEUE);
        let stream = Stream::new(receiver, model.origin(), self.clone());
        let job = wire::job(model, key, request).map(|call| Job {
            call,
            key: key.clone(),
            options: self.inner.options.clone(),
            transport: Arc::clone(&self.inner.transport),
            cancel: cancel.clone(),
            origin: model.origin(),
        });
        let spawned = job.and_then(|job| Ok((job, self.handle(&model.provider.name)?)));
        match spawned {
            // The task ends when the stream is dropped, so nobody needs to wait for it.
            Ok((job, handle)) => drop(handle.spawn(pump::run(job, sender))),
            Err(error) => {
                let turn = Turn::new(model.origin()).failed(error.clone());
                // The queue is empty and its reader is in our hands, so there is room.
                drop(sender.try_send(Event::Error { error, turn }));
            }
        }
        stream
    }

    /// Asks an address for something that is not an answer of a model: which models there are, a login.
    ///
    /// # Errors
    /// Why nothing came. A status that is not a success is no error here.
    pub fn fetch(&self, fetch: &Fetch, cancel: &Cancel) -> Result<Fetched, Error> {
        let (sender, receiver) = oneshot::channel();
        let transport = Arc::clone(&self.inner.transport);
        let (job, cancel) = (fetch.clone(), cancel.clone());
        let task = async move {
            // The caller waits for this below and cannot be gone.
            drop(sender.send(crate::fetch::run(&job, &transport, &cancel).await));
        };
        drop(self.handle(&fetch.name)?.spawn(task));
        receiver.blocking_recv().unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Network, fetch.name.clone(), "the connection's thread failed"))
        })
    }

    fn handle(&self, provider: &str) -> Result<Handle, Error> {
        let mut worker = self.inner.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = &*worker {
            return Ok(worker.handle.clone());
        }
        let begun = Worker::begin().map_err(|error| {
            Error::new(
                ErrorKind::Network,
                provider,
                format!("cannot start a thread for connections: {error}"),
            )
        })?;
        let handle = begun.handle.clone();
        *worker = Some(begun);
        Ok(handle)
    }
}

impl Worker {
    fn begin() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(4).build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = std::thread::Builder::new().name("relay-llm".to_owned()).spawn(move || {
            // Ends when asked to, or when whoever could ask is gone.
            drop(runtime.block_on(stopped));
            // A name being looked up cannot be interrupted, and must not be waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // An error means that the thread has gone already.
            stop.send(()).ok();
        }
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so; there is nothing left to clean up.
            drop(thread.join());
        }
    }
}
