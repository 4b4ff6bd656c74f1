//! Asks models. One client serves a whole process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_net::{Fetch, Fetched, Net};
use tokio::sync::mpsc;

use crate::error::Error;
use crate::event::{Event, Turn};
use crate::key::Key;
use crate::model::Model;
use crate::pump::{self, Job};
use crate::raw::RawFrames;
use crate::request::Request;
use crate::retry::RetrySettings;
use crate::stream::Stream;
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
    /// Where everything that providers send is kept for a while, for a person who looks for a fault.
    pub raw: Option<RawFrames>,
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
            raw: None,
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
    net: Net,
}

impl Client {
    /// A client. Nothing is connected yet.
    #[must_use]
    pub fn new(options: ClientOptions) -> Self {
        let net = Net::new(options.offline);
        Self { inner: Arc::new(Inner { options, net }) }
    }

    /// The same client, which sends no request after this moment.
    #[must_use]
    pub fn until(&self, no_request_after: Option<Instant>) -> Self {
        let Inner { options, net } = &*self.inner;
        let options = ClientOptions { no_request_after, ..options.clone() };
        Self { inner: Arc::new(Inner { options, net: net.clone() }) }
    }

    /// Connects to a model's provider, where that takes time, so that the first request finds a connection. Sends neither
    /// key nor content, and does nothing with `offline`.
    pub fn warm_up(&self, model: &Model) {
        let url = model.provider.base_url.clone();
        if self.is_offline() || !url.starts_with("https://") {
            return;
        }
        let transport = self.inner.net.transport();
        // A connection that cannot be made now is made with the first request, which reports why it cannot.
        drop(self.inner.net.spawn(async move { transport.connect(&url).await }));
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
            transport: self.inner.net.transport(),
            cancel: cancel.clone(),
            origin: model.origin(),
        });
        // The task ends when the stream is dropped, so nothing needs to wait for it.
        let spawned = job.and_then(|job| {
            let spawned = self.inner.net.spawn(pump::run(job, sender.clone()));
            spawned.map_err(|error| Error::of_connection(&model.provider.name, error))
        });
        if let Err(error) = spawned {
            let turn = Turn::new(model.origin()).failed(error.clone());
            // The queue is empty and its reader is in our hands, so there is room.
            drop(sender.try_send(Event::Error { error, turn }));
        }
        stream
    }

    /// Asks an address for something that is not an answer of a model: which models there are, a login.
    ///
    /// # Errors
    /// Why there was no response. An error status is not an error here.
    pub fn fetch(&self, fetch: &Fetch, cancel: &Cancel) -> Result<Fetched, Error> {
        let fetched = self.inner.net.fetch(fetch, cancel);
        fetched.map_err(|error| Error::of_connection(&fetch.name, error))
    }
}
