//! Supervision on systems without `poll` and process groups (Windows): threads read, the caller waits in small steps,
//! and the tree is ended with the system's own tool.

use std::io::{self, PipeReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Instant;

use super::{DRAIN, Finished, Job, QUIET, TICK, deadline, mark};
use crate::run::{End, TailBuffer};

/// Runs a job to its end.
pub(crate) fn run(job: Job<'_>) -> Finished {
    let started = Instant::now();
    let Job {
        mut command,
        is_merged,
        has_own_session: _,
        stdin,
        timeout,
        output_limit_bytes,
        cancel,
        on_output,
    } = job;
    mark(&mut command);
    let (mut child, outputs) = match spawn(command, is_merged, stdin) {
        Ok(spawned) => spawned,
        Err(error) => return Finished::not_started(error),
    };
    let mut tails = [TailBuffer::new(output_limit_bytes), TailBuffer::new(output_limit_bytes)];
    let mut keep = |(index, bytes): (usize, Vec<u8>)| {
        if let Some(tail) = tails.get_mut(index) {
            tail.push(&bytes);
        }
        if index == 0 {
            on_output(&bytes);
        }
    };
    let deadline = deadline(started, timeout);
    let end = loop {
        if cancel.is_cancelled() {
            break kill_tree(&mut child, End::Cancelled);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break kill_tree(&mut child, End::TimedOut);
        }
        match child.try_wait() {
            Ok(Some(status)) => break End::Exited(status.code().unwrap_or(-1)),
            Ok(None) => {}
            Err(error) => break End::NotStarted(error),
        }
        match outputs.recv_timeout(TICK) {
            Ok(output) => keep(output),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(TICK),
        }
    };
    let until = Instant::now() + DRAIN;
    while Instant::now() < until {
        let Ok(output) = outputs.recv_timeout(QUIET) else { break };
        keep(output);
    }
    let [stdout, stderr] = tails;
    let ended = Vec::new();
    Finished { end, stdout: stdout.finish(), stderr: stderr.finish(), duration: started.elapsed(), ended }
}

type Outputs = Receiver<(usize, Vec<u8>)>;

fn spawn(mut command: Command, is_merged: bool, stdin: Option<&[u8]>) -> io::Result<(Child, Outputs)> {
    // Few pieces may wait, so that a flood is slowed down instead of piling up.
    let (sender, outputs) = sync_channel(16);
    let (reader, writer) = io::pipe()?;
    let mut readers = vec![reader];
    if is_merged {
        command.stderr(writer.try_clone()?);
    } else {
        let (reader, writer) = io::pipe()?;
        readers.push(reader);
        command.stderr(writer);
    }
    command.stdout(writer).stdin(if stdin.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn()?;
    if let (Some(mut pipe), Some(bytes)) = (child.stdin.take(), stdin.map(<[u8]>::to_vec)) {
        // A program need not read all of its input.
        std::thread::spawn(move || pipe.write_all(&bytes).ok());
    }
    for (index, reader) in readers.into_iter().enumerate() {
        let sender = sender.clone();
        std::thread::spawn(move || read_all(index, reader, &sender));
    }
    Ok((child, outputs))
}

/// Reads until the pipe is closed, or the receiver is gone.
fn read_all(index: usize, mut reader: PipeReader, sender: &SyncSender<(usize, Vec<u8>)>) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count) = reader.read(&mut buffer) {
        let bytes = buffer.get(..count).unwrap_or_default().to_vec();
        if count == 0 || sender.send((index, bytes)).is_err() {
            break;
        }
    }
}

fn kill_tree(child: &mut Child, end: End) -> End {
    let mut taskkill = Command::new("taskkill");
    taskkill.args(["/T", "/F", "/PID", &child.id().to_string()]);
    taskkill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Where the tool is missing or too late, the child itself is ended below.
    taskkill.status().ok();
    child.kill().ok();
    child.wait().ok();
    end
}
