//! The connections of a process. They live on one separate thread, which starts with the first request.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use relay_diagnostics::Cancel;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::error::{NetError, NetErrorKind};
use crate::fetch::{self, Fetch, Fetched};
use crate::transport::Transport;

/// The connections of a process. Clones share them.
#[derive(Clone, Debug)]
pub struct Net {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    transport: Arc<Transport>,
    /// Started with the first request, so that a run without requests has no thread.
    worker: Mutex<Option<Worker>>,
}

/// The thread the connections live in.
#[derive(Debug)]
struct Worker {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Net {
    /// Creates the connections, or with `offline` none. Nothing is connected yet.
    #[must_use]
    pub fn new(offline: bool) -> Self {
        let transport = Arc::new(Transport::new(offline));
        Self { inner: Arc::new(Inner { transport, worker: Mutex::new(None) }) }
    }

    /// Whether no connection is made.
    #[must_use]
    pub fn is_offline(&self) -> bool {
        self.inner.transport.is_offline()
    }

    /// The transport, for a task of [`Net::spawn`].
    #[must_use]
    pub fn transport(&self) -> Arc<Transport> {
        Arc::clone(&self.inner.transport)
    }

    /// Runs a task in the thread of the connections. It ends with the last clone of this `Net`.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Result<(), NetError> {
        // Callers wait for a task on a channel of their own.
        drop(self.handle()?.spawn(task));
        Ok(())
    }

    /// Sends a small request and waits for the whole answer.
    ///
    /// # Errors
    /// Why nothing came. A status that is not a success is not an error here.
    pub fn fetch(&self, fetch: &Fetch, cancel: &Cancel) -> Result<Fetched, NetError> {
        let (sender, receiver) = oneshot::channel();
        let transport = self.transport();
        let (job, cancel) = (fetch.clone(), cancel.clone());
        self.spawn(async move {
            // The caller waits for this below, so the receiver exists.
            drop(sender.send(fetch::run(&job, &transport, &cancel).await));
        })?;
        let gone = |_| Err(NetError::new(NetErrorKind::Network, "the connection's thread failed"));
        receiver.blocking_recv().unwrap_or_else(gone)
    }

    fn handle(&self) -> Result<Handle, NetError> {
        let mut worker = self.inner.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = &*worker {
            return Ok(worker.handle.clone());
        }
        let begun = Worker::begin().map_err(|error| {
            NetError::new(NetErrorKind::Network, format!("cannot start a thread for connections: {error}"))
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
        let thread = std::thread::Builder::new().name("relay-net".to_owned()).spawn(move || {
            // Ends when asked to, or when every handle is gone.
            drop(runtime.block_on(stopped));
            // A name lookup cannot be interrupted, so do not wait for it.
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
            // A panic was already reported; there is nothing left to clean up.
            drop(thread.join());
        }
    }
}
