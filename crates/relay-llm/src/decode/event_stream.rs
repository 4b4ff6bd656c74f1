//! Amazon's event stream: binary messages with headers and two checksums.
//!
//! A message is its length, its headers' length, a checksum of those two, headers, payload, and a checksum of it all.

use super::FRAME_LIMIT_BYTES;

/// Bytes before the headers and after the payload.
const PRELUDE: usize = 12;
const TRAILER: usize = 4;

/// Reads messages.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    buffer: Vec<u8>,
    start: usize,
}

/// One message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EventMessage<'a> {
    /// What the service calls the failure, if the message is one.
    pub(crate) exception: Option<String>,
    pub(crate) payload: &'a [u8],
}

/// What came is not an event stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken;

impl EventStream {
    /// Adds what was read.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message.
    pub(crate) fn next_message(&mut self) -> Option<Result<EventMessage<'_>, Broken>> {
        let waiting = self.buffer.get(self.start..)?;
        let prelude = waiting.get(..PRELUDE)?;
        let (Some(total), Some(headers), Some(sum)) =
            (number(prelude, 0), number(prelude, 4), number(prelude, 8))
        else {
            return Some(Err(Broken));
        };
        let is_possible = (PRELUDE + TRAILER..=FRAME_LIMIT_BYTES).contains(&total)
            && headers <= total - PRELUDE - TRAILER
            && prelude.get(..8).map(checksum) == u32::try_from(sum).ok();
        if !is_possible {
            return Some(Err(Broken));
        }
        let message = waiting.get(..total)?;
        self.start += total;
        Some(read(message, headers).ok_or(Broken))
    }
}

fn read(message: &[u8], headers: usize) -> Option<EventMessage<'_>> {
    let (content, sum) = message.split_at_checked(message.len() - TRAILER)?;
    if u32::try_from(number(sum, 0)?).ok()? != checksum(content) {
        return None;
    }
    let (headers, payload) = content.get(PRELUDE..)?.split_at_checked(headers)?;
    Some(EventMessage { exception: exception(headers)?, payload })
}

/// The value of the header that names a failure. `None` when the headers cannot be read.
fn exception(mut headers: &[u8]) -> Option<Option<String>> {
    let mut found = None;
    while let Some((&length, rest)) = headers.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(length))?;
        let (&kind, rest) = rest.split_first()?;
        // Text and bytes say how long they are; everything else has a length of its own.
        let (length, rest) = match kind {
            0 | 1 => (0, rest),
            2 => (1, rest),
            3 => (2, rest),
            4 => (4, rest),
            5 | 8 => (8, rest),
            6 | 7 => {
                let (length, rest) = rest.split_first_chunk::<2>()?;
                (usize::from(u16::from_be_bytes(*length)), rest)
            }
            9 => (16, rest),
            _ => return None,
        };
        let (value, rest) = rest.split_at_checked(length)?;
        if name == b":exception-type" || name == b":error-code" {
            found = Some(String::from_utf8_lossy(value).into_owned());
        }
        headers = rest;
    }
    Some(found)
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_be_bytes(*four)).ok()
}

/// CRC-32 as in Ethernet.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Broken, EventMessage, EventStream, checksum};

    /// Writes a message as the service does.
    pub(crate) fn message(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
        let mut block = Vec::new();
        for (name, value) in headers {
            block.push(u8::try_from(name.len()).unwrap());
            block.extend_from_slice(name.as_bytes());
            block.push(7);
            block.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
            block.extend_from_slice(value.as_bytes());
        }
        let mut message = Vec::new();
        message.extend_from_slice(&u32::try_from(16 + block.len() + payload.len()).unwrap().to_be_bytes());
        message.extend_from_slice(&u32::try_from(block.len()).unwrap().to_be_bytes());
        message.extend_from_slice(&checksum(&message).to_be_bytes());
        message.extend_from_slice(&block);
        message.extend_from_slice(payload);
        message.extend_from_slice(&checksum(&message).to_be_bytes());
        message
    }

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
    }

    /// The smallest message, with the checksums that Amazon's own test data has for it.
    #[test]
    fn the_empty_message() {
        let bytes = [0, 0, 0, 0x10, 0, 0, 0, 0, 0x05, 0xc2, 0x48, 0xeb, 0x7d, 0x98, 0xc8, 0xff];
        let mut stream = EventStream::default();
        stream.push(&bytes);
        assert_eq!(stream.next_message(), Some(Ok(EventMessage { exception: None, payload: b"" })));
        assert_eq!(stream.next_message(), None);
    }

    #[test]
    fn messages_however_they_were_cut() {
        let mut bytes = message(&[(":event-type", "chunk"), (":message-type", "event")], b"one");
        bytes.extend(message(&[(":exception-type", "throttlingException")], b"two"));
        for cut in 0..=bytes.len() {
            let mut stream = EventStream::default();
            let mut found = Vec::new();
            for piece in [&bytes[..cut], &bytes[cut..]] {
                stream.push(piece);
                while let Some(message) = stream.next_message() {
                    let message = message.unwrap();
                    found.push((message.exception, message.payload.to_vec()));
                }
            }
            let exception = Some("throttlingException".to_owned());
            assert_eq!(found, [(None, b"one".to_vec()), (exception, b"two".to_vec())], "cut at {cut}");
        }
    }

    #[test]
    fn damaged_frames_are_refused() {
        let good = message(&[(":event-type", "chunk")], b"payload");
        for at in 0..good.len() {
            let mut bytes = good.clone();
            bytes[at] ^= 1;
            let mut stream = EventStream::default();
            stream.push(&bytes);
            assert_eq!(stream.next_message(), Some(Err(Broken)), "byte {at}");
        }
    }
}
