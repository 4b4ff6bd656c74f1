//! The scripted model server as a program, for clients that are programs themselves.
//!
//! `cargo run -p testkit --example model_server -- [--port PORT] [--script FILE] [--log FILE]` prints its address and
//! serves until its standard input ends or it is killed. With `--log` every request is appended to a file as a line of
//! JSON.

#![allow(clippy::disallowed_methods, reason = "a program of its own that reads a script and writes a log")]
#![allow(clippy::print_stdout, reason = "a program for the command line")]

use std::io::{Error, Read, Write};
use std::time::Duration;

use serde_json::json;
use testkit::model::{ModelServer, Script};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut port = 0;
    let mut script = Script::default();
    let mut log = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or_else(|| Error::other(format!("{name} needs a value")))?;
        match name.as_str() {
            "--port" => port = value.parse()?,
            "--script" => script = Script::parse(&std::fs::read_to_string(&value)?)?,
            "--log" => log = Some(std::fs::OpenOptions::new().create(true).append(true).open(&value)?),
            _ => return Err(Error::other(format!("unknown option {name}")).into()),
        }
    }
    let server = ModelServer::start_on(port);
    script.direct(&server);
    println!("{}", server.url());
    let reading = std::thread::spawn(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let mut logged = 0;
    loop {
        let has_ended = reading.is_finished();
        for request in server.requests().iter().skip(logged) {
            logged += 1;
            if let Some(log) = &mut log {
                let line = json!({
                    "method": request.method, "path": request.path, "query": request.query,
                    "headers": request.headers, "body": request.body, "complaint": request.complaint,
                });
                writeln!(log, "{line}")?;
            }
        }
        if has_ended {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
