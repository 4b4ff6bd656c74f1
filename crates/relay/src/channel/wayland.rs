//! The clipboard of a Wayland session, where the compositor lets programs without a window see it (data control).
//!
//! The compositor reports when the clipboard changes; the content comes through a pipe, which is read with a limit on
//! size and time.

use std::os::fd::AsFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use relay_engine::{Arrival, CHANNEL_LIMIT_BYTES, Channel, ChannelError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use wl_clipboard_rs::paste::{
    ClipboardType as PasteClipboard, Error, MimeType, MimeType as PasteType, Seat, get_contents,
    select_mime_type,
};
use wl_clipboard_rs::watch::{ClipboardEvent, ClipboardType, Watcher};

/// How long the program that owns the clipboard may take to transfer its content.
const TRANSFER_LIMIT: Duration = Duration::from_secs(10);

/// The picture on the clipboard, in the first of these formats that is offered.
pub fn picture(formats: &[&str]) -> Option<Vec<u8>> {
    let of = |format: &&str| {
        let kind = PasteType::Specific(format);
        let (pipe, _) = get_contents(PasteClipboard::Regular, Seat::Unspecified, kind).ok()?;
        read_to_end(pipe).ok().filter(|bytes| !bytes.is_empty())
    };
    formats.iter().find_map(of)
}

/// A thread of its own waits for changes, because the library can only wait for ever.
pub struct WaylandClipboard {
    arrivals: Receiver<Result<Arrival, Error>>,
    is_fresh: bool,
}

impl WaylandClipboard {
    /// Connects to the session that the environment names.
    pub fn open() -> Result<Self, Error> {
        let watcher = Watcher::new(ClipboardType::Regular, Seat::Unspecified)?;
        let (sender, arrivals) = channel();
        std::thread::spawn(move || watch(watcher, &sender));
        Ok(Self { arrivals, is_fresh: true })
    }
}

/// Sends every change until the receiver is gone or the session ends.
fn watch(mut watcher: Watcher, arrivals: &Sender<Result<Arrival, Error>>) {
    loop {
        let arrival = match watcher.next_event() {
            Ok(None) => return,
            Ok(Some(event)) => Ok(fetch(event)),
            Err(error) => Err(error),
        };
        let is_broken = arrival.is_err();
        if arrivals.send(arrival).is_err() || is_broken {
            return;
        }
    }
}

fn fetch(event: ClipboardEvent<'_>) -> Arrival {
    let ClipboardEvent::Changed { mime_types, mut offer, .. } = event else { return Arrival::Nothing };
    let Some(kind) = select_mime_type(mime_types, MimeType::Text) else { return Arrival::Nothing };
    match offer.receive(&kind) {
        Ok(pipe) => drain(pipe),
        Err(error) => Arrival::PassedOver(format!("the clipboard cannot be read: {error}")),
    }
}

/// What comes through a pipe, as text.
fn drain(pipe: impl std::io::Read + AsFd) -> Arrival {
    read_to_end(pipe).map_or_else(std::convert::identity, super::copied)
}

/// Reads to the end, keeping no more than allowed. Closing the pipe early makes the other side stop.
fn read_to_end(mut pipe: impl std::io::Read + AsFd) -> Result<Vec<u8>, Arrival> {
    let deadline = Instant::now() + TRANSFER_LIMIT;
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    while bytes.len() <= CHANNEL_LIMIT_BYTES {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        let mut waiting = [PollFd::new(&pipe, PollFlags::IN)];
        match poll(&mut waiting, Some(&timeout)) {
            Ok(0) => {
                return Err(Arrival::PassedOver(
                    "the program that holds the clipboard does not answer".to_owned(),
                ));
            }
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => {
                return Err(Arrival::PassedOver(format!("the clipboard cannot be read: {error}")));
            }
        }
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend(piece.iter().take(count)),
            Err(error) => {
                return Err(Arrival::PassedOver(format!("the clipboard cannot be read: {error}")));
            }
        }
    }
    Err(super::too_large())
}

impl Channel for WaylandClipboard {
    fn place(&self) -> &str {
        super::CLIPBOARD
    }

    fn next(&mut self, patience: Duration) -> Result<Arrival, ChannelError> {
        let broken = |source| ChannelError { place: super::CLIPBOARD.to_owned(), source };
        // The first event reports the current content.
        let was_fresh = std::mem::take(&mut self.is_fresh);
        match self.arrivals.recv_timeout(patience) {
            Ok(Ok(Arrival::Text(text))) if was_fresh => Ok(Arrival::Present(text)),
            Ok(Ok(_)) if was_fresh => Ok(Arrival::Nothing),
            Ok(Ok(arrival)) => Ok(arrival),
            Ok(Err(error)) => Err(broken(error.into())),
            Err(RecvTimeoutError::Timeout) => {
                self.is_fresh = was_fresh;
                Ok(Arrival::Nothing)
            }
            Err(RecvTimeoutError::Disconnected) => Err(broken("the session has ended".into())),
        }
    }
}
