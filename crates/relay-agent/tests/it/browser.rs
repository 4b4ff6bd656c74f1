//! The HTML page in a real browser: no request leaves it, and no script of the session runs.
//!
//! Debian's `chromium` is a large package, so `./test --long` installs it; elsewhere these tests run where it is there.

use std::io::Read as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use relay_agent::export::{Format, Transcript, render};

use crate::hostile;

/// The browser; none where it is not installed. A long run on a build server must have it.
fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.exists());
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if found.is_none() {
        assert!(!(is("CI", "true") && is("RELAY_LONG_TESTS", "yes")), "chromium should be installed here");
        eprintln!("NOT TESTED: there is no chromium");
    }
    found
}

/// A server that counts who comes.
struct Ears {
    address: String,
    visits: Arc<AtomicUsize>,
}

impl Ears {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let visits = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&visits);
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                drop(stream);
            }
        });
        Self { address, visits }
    }

    fn visits(&self) -> usize {
        // A request that was sent late is still counted.
        std::thread::sleep(Duration::from_millis(300));
        self.visits.load(Ordering::SeqCst)
    }
}

/// The page after its scripts ran, as the browser would write it.
fn dom(browser: &Path, page: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, page).unwrap();
    let mut child = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ])
        .args(["--disable-component-update", "--virtual-time-budget=3000", "--timeout=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut text = String::new();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    child.wait().unwrap();
    text
}

#[test]
fn no_request_leaves_the_page_and_no_script_of_the_session_runs() {
    let Some(browser) = chromium() else { return };
    let ears = Ears::open();
    let document = hostile::session(&ears.address);
    let mut transcript = Transcript::new(&document.header, &document.entries);
    let prompt = hostile::STRINGS.join("\n").replace(hostile::HOST, &ears.address);
    transcript.system_prompt = Some(&prompt);
    let dom = dom(&browser, &render(&transcript, Format::Html));
    assert!(
        dom.contains("<html lang=\"en\" class=\"js\""),
        "the page's own script runs: {}",
        dom.get(..400).unwrap_or(&dom)
    );
    assert!(!dom.contains("data-pwned"), "a script of the session ran");
    assert_eq!(ears.visits(), 0, "something was fetched");
}

#[test]
fn the_same_strings_do_harm_where_nothing_is_escaped() {
    let Some(browser) = chromium() else { return };
    let ears = Ears::open();
    // One that moves the browser elsewhere would hide what the others do.
    let strings = hostile::STRINGS.iter().filter(|text| !text.contains("refresh"));
    let body = strings.copied().collect::<Vec<_>>().join("\n").replace(hostile::HOST, &ears.address);
    let dom = dom(&browser, &format!("<!doctype html><html><body>{body}</body></html>"));
    assert!(dom.contains("data-pwned"), "the test would notice a script");
    assert!(ears.visits() > 0, "the test would notice a request");
}
