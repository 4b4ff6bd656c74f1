//! Just enough HTTP/1.1 for a server: requests with a length or in chunks, keep-alive, responses in chunks.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::TcpStream;

/// The longest request that is read: pictures and long conversations are large.
const MAX_BODY_BYTES: usize = 256 * 1024 * 1024;

/// A request as it came.
#[derive(Debug, Default)]
pub(super) struct RawRequest {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl RawRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Reads the next request; `None` when the client has closed the connection between requests.
pub(super) fn read(reader: &mut BufReader<TcpStream>) -> Result<Option<RawRequest>> {
    let mut request = RawRequest::default();
    let Some(first) = line(reader)? else { return Ok(None) };
    let mut words = first.split(' ');
    request.method = words.next().unwrap_or_default().to_owned();
    request.target = words.next().ok_or_else(|| invalid("a request line without a target"))?.to_owned();
    loop {
        let header = line(reader)?.ok_or_else(|| invalid("the headers end early"))?;
        if header.is_empty() {
            break;
        }
        let (name, value) = header.split_once(':').ok_or_else(|| invalid("a header without a colon"))?;
        request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    if request.header("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
        reader.get_mut().write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = body(reader, &request)?;
    Ok(Some(request))
}

fn body(reader: &mut BufReader<TcpStream>, request: &RawRequest) -> Result<Vec<u8>> {
    let is_chunked = request.header("transfer-encoding").is_some_and(|value| value.contains("chunked"));
    let mut body = Vec::new();
    if !is_chunked {
        let length = request.header("content-length").map_or(Ok(0), str::parse::<usize>);
        take(reader, length.map_err(|_| invalid("a length that is not a number"))?, &mut body)?;
        return Ok(body);
    }
    loop {
        let size = line(reader)?.ok_or_else(|| invalid("the chunks end early"))?;
        let size = size.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| invalid("a chunk without its size"))?;
        take(reader, size, &mut body)?;
        let end = line(reader)?;
        if size == 0 {
            return Ok(body);
        }
        if end.as_deref() != Some("") {
            return Err(invalid("a chunk that is longer than its size"));
        }
    }
}

fn take(reader: &mut BufReader<TcpStream>, length: usize, body: &mut Vec<u8>) -> Result<()> {
    if body.len() + length > MAX_BODY_BYTES {
        return Err(invalid("a request beyond every limit"));
    }
    let start = body.len();
    body.resize(start + length, 0);
    reader.read_exact(&mut body[start..])
}

fn line(reader: &mut BufReader<TcpStream>) -> Result<Option<String>> {
    let mut bytes = Vec::new();
    reader.take(64 * 1024).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&bytes);
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}

fn invalid(what: &str) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

/// The status line and headers of a response.
pub(super) fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "Unnamed",
    };
    let mut text = format!("HTTP/1.1 {status} {reason}\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.into_bytes()
}

/// One piece of a body in chunks.
pub(super) fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}
