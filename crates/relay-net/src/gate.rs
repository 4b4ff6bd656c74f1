//! The gate: a proxy by which confined commands reach the domains that the user allows, and no others.
//!
//! A command in a network of its own has no way out but a local socket, at which this listens; [`bridge`] is its other end,
//! inside. It speaks the protocols of every program that supports proxies: `CONNECT` for TLS, whose content it cannot see,
//! and plain HTTP. Names are resolved here, and an address of this machine or of the local network is refused, or a domain
//! could lead a command to the user's own services.
//!
//! It listens although this crate is for outbound connections, because every incoming request becomes an outbound
//! connection, under the same rules. Nothing listens on a network; the socket is a file in a folder that only the user can
//! enter.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{
    IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _,
};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Where programs inside a sandbox find their proxy.
pub const INSIDE: (Ipv4Addr, u16) = (Ipv4Addr::LOCALHOST, 3128);

/// How many connections may be open at once.
const MAX_CONNECTIONS: usize = 256;
/// The longest request before its body.
const HEAD_LIMIT_BYTES: usize = 32 << 10;
/// How long reading a request and connecting may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The decision about a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No connection.
    Refuse,
    /// A connection to an address on the internet.
    Allow,
    /// A connection also to this machine or the local network: the user named it.
    AllowLocal,
}

/// Decides about a domain or address. It may take a while, because it may ask a person.
pub type Decide = Arc<dyn Fn(&str) -> Verdict + Send + Sync>;

/// Listens at a local socket, on a thread that ends with the process, and makes the allowed connections.
///
/// # Errors
/// The socket cannot be made.
pub fn listen(socket: &Path, decide: Decide) -> io::Result<()> {
    let listener = UnixListener::bind(socket)?;
    let open = Arc::new(AtomicUsize::new(0));
    std::thread::Builder::new().name("gate".to_owned()).spawn(move || {
        for inside in listener.incoming().filter_map(Result::ok) {
            let (decide, open) = (Arc::clone(&decide), Arc::clone(&open));
            if open.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
                open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            std::thread::spawn(move || {
                // A client that hangs up in the middle of a request gets no answer.
                serve(&inside, &decide).ok();
                open.fetch_sub(1, Ordering::Relaxed);
            });
        }
    })?;
    Ok(())
}

/// The part inside a sandbox: passes programs' connections on to the gate. Writes one byte when it is ready, and returns
/// only if it cannot listen.
///
/// # Errors
/// The address is taken.
pub fn bridge(socket: &Path, ready: &mut dyn Write) -> io::Result<()> {
    let listener = TcpListener::bind(INSIDE)?;
    ready.write_all(b"R")?;
    ready.flush()?;
    for program in listener.incoming() {
        let (Ok(program), Ok(gate)) = (program, UnixStream::connect(socket)) else { continue };
        std::thread::spawn(move || {
            // Either side may hang up at any time.
            both_ways((&program, &program), (&gate, &gate)).ok();
        });
    }
    Ok(())
}

/// A stream whose halves can be closed.
trait Closing {
    fn close(&self, how: Shutdown);
}

impl Closing for TcpStream {
    fn close(&self, how: Shutdown) {
        self.shutdown(how).ok();
    }
}

impl Closing for UnixStream {
    fn close(&self, how: Shutdown) {
        self.shutdown(how).ok();
    }
}

/// Copies bytes until both sides are done.
fn both_ways<'a, A, B>(one: (&'a A, &'a A), other: (&'a B, &'a B)) -> io::Result<()>
where
    A: Closing + Sync,
    B: Closing + Sync,
    &'a A: Read + Write + Send,
    &'a B: Read + Write + Send,
{
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let (mut from, mut to) = (one.0, other.0);
            io::copy(&mut from, &mut to).ok();
            other.1.close(Shutdown::Write);
        });
        let (mut from, mut to) = (other.1, one.1);
        io::copy(&mut from, &mut to).ok();
        one.1.close(Shutdown::Write);
    });
    Ok(())
}

/// A request for a connection.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    host: String,
    port: u16,
    /// What to forward, for plain HTTP.
    head: Option<String>,
}

fn serve(inside: &UnixStream, decide: &Decide) -> io::Result<()> {
    inside.set_read_timeout(Some(LIMIT))?;
    let mut reader = BufReader::new(inside);
    let head = read_head(&mut reader)?;
    let Some(request) = parse(&head) else { return answer(inside, "400 Bad Request", "not a proxy request") };
    let verdict = decide(&request.host);
    if verdict == Verdict::Refuse {
        let why = format!("Relay's sandbox does not allow connections to {}", request.host);
        return answer(inside, "403 Forbidden", &why);
    }
    let outside = match connect(&request, verdict) {
        Ok(outside) => outside,
        Err(error) => return answer(inside, "502 Bad Gateway", &error.to_string()),
    };
    inside.set_read_timeout(None)?;
    match &request.head {
        None => (&mut &*inside).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?,
        Some(head) => (&mut &outside).write_all(head.as_bytes())?,
    }
    // Bytes that arrived with the head belong to the other side.
    let early = reader.buffer().to_vec();
    (&mut &outside).write_all(&early)?;
    both_ways((inside, inside), (&outside, &outside))
}

fn answer(mut inside: &UnixStream, status: &str, why: &str) -> io::Result<()> {
    let body = format!("{why}\n");
    let length = body.len();
    write!(
        inside,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn read_head(reader: &mut BufReader<&UnixStream>) -> io::Result<String> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        reader.by_ref().take((HEAD_LIMIT_BYTES - before) as u64).read_until(b'\n', &mut head)?;
        let line = head.get(before..).unwrap_or_default();
        if line == b"\r\n" || line == b"\n" {
            break;
        }
        if line.is_empty() || head.len() >= HEAD_LIMIT_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    String::from_utf8(head).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// `CONNECT host:port` or `GET http://host:port/path`, with the headers that belong to the other side.
fn parse(head: &str) -> Option<Request> {
    let (line, headers) = head.split_once('\n')?;
    let mut words = line.trim_end().split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    if method == "CONNECT" {
        let (host, port) = host_and_port(target, None)?;
        return Some(Request { host, port, head: None });
    }
    let rest = target.strip_prefix("http://")?;
    let at = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(at);
    let (host, port) = host_and_port(authority, Some(80))?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let kept = headers.lines().map(str::trim_end).filter(|header| {
        let name = header.split(':').next().unwrap_or_default().to_ascii_lowercase();
        !matches!(name.as_str(), "proxy-connection" | "proxy-authorization" | "connection" | "keep-alive")
    });
    let mut sent = format!("{method} {path} {version}\r\nConnection: close\r\n");
    for header in kept.filter(|header| !header.is_empty()) {
        sent.push_str(header);
        sent.push_str("\r\n");
    }
    sent.push_str("\r\n");
    Some(Request { host, port, head: Some(sent) })
}

fn host_and_port(authority: &str, usual: Option<u16>) -> Option<(String, u16)> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']')?;
            (host, rest.strip_prefix(':'))
        }
        None => match authority.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        },
    };
    let port = port.map_or(usual, |port| port.parse().ok())?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    (!host.is_empty() && host.len() <= 253 && host.chars().all(is_host)).then_some((host, port))
}

fn connect(request: &Request, verdict: Verdict) -> io::Result<TcpStream> {
    let addresses = (request.host.as_str(), request.port).to_socket_addrs()?;
    let may = |address: &SocketAddr| verdict == Verdict::AllowLocal || is_public(address.ip());
    let mut failure = io::Error::other("it leads to this machine or the local network");
    for address in addresses.filter(may) {
        match TcpStream::connect_timeout(&address, LIMIT) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

/// Whether an address is on the internet, and not one of this machine, its networks or its provider.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            !(v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast()
                || v4.is_documentation()
                || a == 0
                || a >= 240
                || (a == 100 && (64..128).contains(&b))
                || (a == 198 && (b == 18 || b == 19)))
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped().or_else(|| sixty_four(v6)) {
            Some(v4) => is_public(IpAddr::V4(v4)),
            None => {
                let first = v6.segments().first().copied().unwrap_or_default();
                !(v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || (first & 0xfe00) == 0xfc00
                    || (first & 0xffc0) == 0xfe80)
            }
        },
    }
}

/// The address that a translated one leads to (64:ff9b::/96).
fn sixty_four(v6: Ipv6Addr) -> Option<Ipv4Addr> {
    let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = v6.segments() else { return None };
    let [a, b] = high.to_be_bytes();
    let [c, d] = low.to_be_bytes();
    Some(Ipv4Addr::new(a, b, c, d))
}

/// Whether a list of domains names a host: itself, or a domain above it written as `*.example.org`.
#[must_use]
pub fn names(list: &[String], host: &str) -> bool {
    list.iter().any(|entry| {
        let entry = entry.trim().to_ascii_lowercase();
        match entry.strip_prefix("*.") {
            Some(above) => host.strip_suffix(above).is_some_and(|rest| rest.ends_with('.')),
            None => entry == host,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let request = |head: &str| parse(head).map(|request| (request.host, request.port, request.head));
        assert_eq!(
            request("CONNECT Example.org:443 HTTP/1.1\r\n\r\n"),
            Some(("example.org".to_owned(), 443, None))
        );
        assert_eq!(request("CONNECT [::1]:443 HTTP/1.1\r\n\r\n"), Some(("::1".to_owned(), 443, None)));
        let (host, port, head) =
            request("GET http://a.b/c?d HTTP/1.1\r\nHost: a.b\r\nProxy-Connection: x\r\n\r\n").unwrap();
        assert_eq!((host.as_str(), port), ("a.b", 80));
        assert_eq!(head.unwrap(), "GET /c?d HTTP/1.1\r\nConnection: close\r\nHost: a.b\r\n\r\n");
        for bad in
            ["GET / HTTP/1.1\r\n\r\n", "CONNECT a HTTP/1.1\r\n\r\n", "CONNECT a/b:1 HTTP/1.1\r\n\r\n", "x\n"]
        {
            assert_eq!(request(bad), None, "{bad}");
        }
    }

    #[test]
    fn addresses_of_this_machine_and_its_networks_are_not_public() {
        for local in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.0.1",
            "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1",
            "::1",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "::",
        ] {
            assert!(!is_public(local.parse().unwrap()), "{local}");
        }
        for public in ["1.1.1.1", "93.184.216.34", "2606:4700::1111"] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn lists_name_hosts() {
        let list = ["example.org".to_owned(), "*.example.com".to_owned()];
        for (host, expected) in [
            ("example.org", true),
            ("www.example.org", false),
            ("a.example.com", true),
            ("example.com", false),
            ("evilexample.com", false),
            ("example.org.evil.net", false),
        ] {
            assert_eq!(names(&list, host), expected, "{host}");
        }
    }

    #[test]
    fn allowed_domains_are_connected_and_others_refused() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for stream in server.incoming() {
                let mut stream = stream.unwrap();
                let mut head = [0; 1024];
                let count = stream.read(&mut head).unwrap();
                let seen =
                    String::from_utf8_lossy(&head[..count]).lines().next().unwrap_or_default().to_owned();
                write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsaw {seen}").unwrap();
            }
        });
        let folder = std::env::temp_dir().join(format!("relay-gate-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let socket = folder.join("gate");
        listen(
            &socket,
            Arc::new(|host: &str| match host {
                "127.0.0.1" => Verdict::AllowLocal,
                "localhost" => Verdict::Allow,
                _ => Verdict::Refuse,
            }),
        )
        .unwrap();
        let ask = |request: String| {
            let mut stream = UnixStream::connect(&socket).unwrap();
            stream.write_all(request.as_bytes()).unwrap();
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            said
        };
        let said = ask(format!("GET http://127.0.0.1:{port}/x HTTP/1.1\r\nHost: a\r\n\r\n"));
        assert!(said.ends_with("saw GET /x HTTP/1.1"), "{said}");
        let said = ask(format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\nGET /y HTTP/1.1\r\n\r\n"));
        assert!(said.starts_with("HTTP/1.1 200 ") && said.ends_with("saw GET /y HTTP/1.1"), "{said}");
        let said = ask(format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"));
        assert!(said.starts_with("HTTP/1.1 502 ") && said.contains("this machine"), "{said}");
        let said = ask("CONNECT evil.example:443 HTTP/1.1\r\n\r\n".to_owned());
        assert!(said.starts_with("HTTP/1.1 403 ") && said.contains("evil.example"), "{said}");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
