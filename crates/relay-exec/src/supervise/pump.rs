//! Moves bytes between Relay and a child, both ways at once, through one `poll`.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ChildStdin;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::run::{Tail, TailBuffer};

/// How much is read at once.
const PIECE_BYTES: usize = 1 << 16;

/// A child's pipes, what is still to be written, and what has been read.
pub(super) struct Pump<'a> {
    outputs: Vec<Stream>,
    stdin: Option<ChildStdin>,
    unwritten: &'a [u8],
    buffer: Vec<u8>,
    on_output: &'a mut dyn FnMut(&[u8]),
}

struct Stream {
    /// `None` once its end has been read.
    reader: Option<PipeReader>,
    tail: TailBuffer,
}

impl<'a> Pump<'a> {
    pub(super) fn new(
        readers: Vec<PipeReader>,
        output_limit_bytes: usize,
        stdin: Option<ChildStdin>,
        unwritten: &'a [u8],
        on_output: &'a mut dyn FnMut(&[u8]),
    ) -> Self {
        let stream = |reader| Stream { reader: Some(reader), tail: TailBuffer::new(output_limit_bytes) };
        Self {
            outputs: readers.into_iter().map(stream).collect(),
            // Writing must not block: the child may wait for us to read before it reads on.
            stdin: stdin.filter(|pipe| rustix::io::ioctl_fionbio(pipe, true).is_ok()),
            unwritten,
            buffer: vec![0; PIECE_BYTES],
            on_output,
        }
    }

    /// Waits until bytes can be moved, `wake` is ready, or the time is up, and moves what can be moved. Says whether any
    /// output came.
    pub(super) fn run(&mut self, wait: Duration, wake: Option<BorrowedFd<'_>>) -> bool {
        if self.unwritten.is_empty() {
            // Closing it is how the child learns that this was all.
            self.stdin = None;
        }
        let ready = self.poll(wait, wake);
        if ready.stdin {
            self.write();
        }
        let mut came = false;
        for (index, is_ready) in ready.outputs.into_iter().enumerate() {
            came |= is_ready && self.read(index);
        }
        came
    }

    /// Whether more output may come.
    pub(super) fn is_open(&self) -> bool {
        self.outputs.iter().any(|stream| stream.reader.is_some())
    }

    /// Writes nothing more.
    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// What was kept of each output.
    pub(super) fn take_tails(&mut self) -> impl Iterator<Item = Tail> + use<> {
        std::mem::take(&mut self.outputs).into_iter().map(|stream| stream.tail.finish())
    }

    fn poll(&self, wait: Duration, wake: Option<BorrowedFd<'_>>) -> Ready {
        let stdin = self.stdin.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::OUT));
        let outputs = self
            .outputs
            .iter()
            .map(|stream| stream.reader.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::IN)));
        let sources = [stdin].into_iter().chain(outputs).chain([wake.map(|wake| (wake, PollFlags::IN))]);
        let mut polled = Vec::new();
        // Where each source is in the list; those that are closed do not.
        let places: Vec<Option<usize>> = sources
            .map(|source| {
                source.map(|(fd, flags)| {
                    polled.push(PollFd::from_borrowed_fd(fd, flags));
                    polled.len() - 1
                })
            })
            .collect();
        let timeout = Timespec::try_from(wait).unwrap_or_default();
        // A signal that interrupts the wait is as good as its end: the caller looks at everything again.
        let count = rustix::event::poll(&mut polled, Some(&timeout)).unwrap_or(0);
        let mut ready = places.into_iter().map(|place| {
            count > 0 && place.and_then(|place| polled.get(place)).is_some_and(|fd| !fd.revents().is_empty())
        });
        Ready { stdin: ready.next().unwrap_or(false), outputs: ready.take(self.outputs.len()).collect() }
    }

    fn write(&mut self) {
        let Some(pipe) = &mut self.stdin else { return };
        match pipe.write(self.unwritten) {
            Ok(count) => self.unwritten = self.unwritten.get(count..).unwrap_or_default(),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            // The child does not want the rest.
            Err(_) => self.stdin = None,
        }
    }

    fn read(&mut self, index: usize) -> bool {
        let Some(stream) = self.outputs.get_mut(index) else { return false };
        let Some(reader) = &mut stream.reader else { return false };
        match reader.read(&mut self.buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
            Ok(0) | Err(_) => {
                stream.reader = None;
                false
            }
            Ok(count) => {
                let bytes = self.buffer.get(..count).unwrap_or_default();
                stream.tail.push(bytes);
                // Errors have a pipe of their own only where they must not be mistaken for output.
                if index == 0 {
                    (self.on_output)(bytes);
                }
                true
            }
        }
    }
}

/// What can be moved without waiting.
struct Ready {
    stdin: bool,
    outputs: Vec<bool>,
}
