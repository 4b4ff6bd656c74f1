//! Connections: one master per host that stays while the session does, and the commands that run through it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use relay_diagnostics::Cancel;
use relay_exec::{End, Program, file_mode, find_program};

use super::SshFiles;
use super::hosts::Host;
use super::mount::Mount;
use super::remote::{HostInfo, PROBE, PROBE_COMPAT, VERSION};

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(20);
/// How long a connection that is not used is kept.
const PERSIST: Duration = Duration::from_secs(3600);
/// How much of an output stays in memory: its end.
pub const TAIL_BYTES: usize = 50 << 10;

impl Drop for Connections {
    fn drop(&mut self) {
        self.close();
    }
}

/// The connections of a session.
pub struct Connections {
    files: Box<dyn SshFiles>,
    open: Mutex<BTreeMap<String, Master>>,
    /// Files of hosts that are mounted; none where that was tried in vain.
    mounts: Mutex<BTreeMap<String, Option<Mount>>>,
    /// How many sockets were made: each has a name of its own.
    sockets: AtomicUsize,
}

/// A master connection: a thread with an `ssh` that ends when this is dropped.
struct Master {
    socket: PathBuf,
    cancel: Cancel,
    used: Arc<Mutex<Instant>>,
    failed: Arc<Mutex<Option<String>>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Master {
    fn drop(&mut self) {
        self.cancel.cancel();
        // Relay must not end before its `ssh` has; the cancel ends that within moments.
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// What came of a command.
pub struct Done {
    pub end: End,
    pub tail: String,
    pub omitted_bytes: u64,
}

impl Connections {
    pub fn new(files: Box<dyn SshFiles>) -> Self {
        Self { files, open: Mutex::default(), mounts: Mutex::default(), sockets: AtomicUsize::new(0) }
    }

    /// Runs a command on a host, through its master. `on_output` gets all output as it comes.
    pub fn run(
        &self,
        host: &Host,
        command: &str,
        timeout: Duration,
        cancel: &Cancel,
        on_output: &mut dyn FnMut(&[u8]),
    ) -> Result<Done, String> {
        let socket = self.connect(host, cancel)?;
        if host.mount {
            self.mount(host, &socket, cancel);
        }
        let mut args = options(&socket, &self.files.known_hosts());
        args.extend(["-T".to_owned(), "-o".to_owned(), "ControlMaster=no".to_owned()]);
        args.extend(address(host));
        args.push(command.to_owned());
        Ok(merged(&args, timeout, cancel, on_output))
    }

    /// What a host runs: remembered, or found out now.
    pub fn info(&self, host: &Host, cancel: &Cancel) -> Result<HostInfo, String> {
        if let Some(info) = self.known(&host.name) {
            return Ok(info);
        }
        let ask = |command: &str| {
            let done = self.run(host, command, CONNECT, cancel, &mut |_| {})?;
            Ok::<String, String>(done.tail)
        };
        let probe = ask(PROBE)?;
        let mut info = HostInfo::read(&probe, "");
        if info.os == "windows" {
            info = HostInfo::read(&probe, &ask(PROBE_COMPAT)?);
        }
        if info.os != "unknown"
            && let Ok(text) = serde_json::to_string(&info)
        {
            self.files.save(&host.name, &text);
        }
        Ok(info)
    }

    /// What is remembered about a host.
    pub fn known(&self, name: &str) -> Option<HostInfo> {
        let info: HostInfo = serde_json::from_str(&self.files.load(name)?).ok()?;
        (info.version == VERSION).then_some(info)
    }

    /// Where the files of a host are once it was connected to, if they are to be mounted and that can be done.
    pub fn shown_at(&self, host: &Host) -> Option<PathBuf> {
        find_program("sshfs").filter(|_| host.mount)?;
        self.files.mount_point(&host.name)
    }

    /// The socket of a host's master, which is started if it is not there.
    fn connect(&self, host: &Host, cancel: &Cancel) -> Result<PathBuf, String> {
        if find_program("ssh").is_none() {
            return Err("ssh binary not found on PATH".to_owned());
        }
        check_key(host)?;
        let mut open = self.lock();
        open.retain(|_, master| locked(&master.failed).is_none());
        if let Some(master) = open.get(&host.name) {
            *locked(&master.used) = Instant::now();
            return Ok(master.socket.clone());
        }
        let number = self.sockets.fetch_add(1, Ordering::Relaxed);
        let socket = self.files.folder()?.join(number.to_string());
        let master = start(host, &socket, &self.files.known_hosts());
        wait_for(&master, host, &self.files.known_hosts(), cancel)?;
        let socket = master.socket.clone();
        open.insert(host.name.clone(), master);
        Ok(socket)
    }

    /// Mounts the files of a host, once.
    fn mount(&self, host: &Host, socket: &Path, cancel: &Cancel) {
        let mut mounts = locked(&self.mounts);
        if mounts.contains_key(&host.name) {
            return;
        }
        let Some(place) = self.files.mount_point(&host.name) else { return };
        let mut all = file_options(socket, &self.files.known_hosts());
        if let Some(key) = &host.key {
            all.extend(["-o".to_owned(), format!("IdentityFile={key}")]);
        }
        mounts.insert(host.name.clone(), Mount::start(host, &place, &all, cancel));
    }

    /// Ends all connections, after the mounts that go through them.
    pub fn close(&self) {
        locked(&self.mounts).clear();
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Master>> {
        locked(&self.open)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a master on a thread of its own. `ssh` stays in the foreground there, so that it ends with Relay.
fn start(host: &Host, socket: &Path, known_hosts: &Path) -> Master {
    let mut args = options(socket, known_hosts);
    args.extend(["-M", "-N", "-T", "-o", "ControlPersist=no"].map(str::to_owned));
    args.extend(address(host));
    let used = Arc::new(Mutex::new(Instant::now()));
    let failed = Arc::new(Mutex::new(None));
    let idle = Arc::clone(&used);
    let cancel = Cancel::watching(move || locked(&idle).elapsed() > PERSIST);
    let (told, stop) = (Arc::clone(&failed), cancel.clone());
    let run = move || {
        let done = merged(&args, Duration::from_secs(7 * 24 * 3600), &stop, &mut |_| {});
        *locked(&told) = Some(done.tail.trim().to_owned());
    };
    let thread = std::thread::Builder::new().name("ssh master".to_owned()).spawn(run);
    if let Err(error) = &thread {
        *locked(&failed) = Some(error.to_string());
    }
    Master { socket: socket.to_owned(), cancel, used, failed, thread: thread.ok() }
}

/// Waits until a master takes commands.
fn wait_for(master: &Master, host: &Host, known_hosts: &Path, cancel: &Cancel) -> Result<(), String> {
    let until = Instant::now() + CONNECT;
    loop {
        if let Some(why) = locked(&master.failed).clone() {
            return Err(format!("Failed to start SSH master for {}: {why}", host.target()));
        }
        if master.socket.exists() {
            let mut args = options(&master.socket, known_hosts);
            args.extend(["-O", "check"].map(str::to_owned));
            args.extend(address(host));
            if merged(&args, Duration::from_secs(5), cancel, &mut |_| {}).end.success() {
                return Ok(());
            }
        }
        if cancel.is_cancelled() {
            return Err("the call was aborted".to_owned());
        }
        if Instant::now() > until {
            let why = format!("no connection within {} seconds", CONNECT.as_secs());
            return Err(format!("Failed to start SSH master for {}: {why}", host.target()));
        }
        std::thread::sleep(Duration::from_millis(25));
    }
}

/// What every `ssh` gets. Keys of new hosts go to a file of Relay's own; those the user knows count as well.
fn options(socket: &Path, known_hosts: &Path) -> Vec<String> {
    let mut all = file_options(socket, known_hosts);
    all.extend(["-o", "ForwardAgent=no", "-o", "ForwardX11=no"].map(str::to_owned));
    all
}

/// The same for `sshfs`, which knows fewer of them.
fn file_options(socket: &Path, known_hosts: &Path) -> Vec<String> {
    let options = [
        format!("ControlPath={}", socket.display()),
        "BatchMode=yes".to_owned(),
        "StrictHostKeyChecking=accept-new".to_owned(),
        format!("UserKnownHostsFile=\"{}\" ~/.ssh/known_hosts", known_hosts.display()),
        "ConnectTimeout=15".to_owned(),
    ];
    options.into_iter().flat_map(|option| ["-o".to_owned(), option]).collect()
}

/// Where to, after which nothing is an option any more.
fn address(host: &Host) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(port) = host.port {
        all.extend(["-p".to_owned(), port.to_string()]);
    }
    if let Some(key) = &host.key {
        all.extend(["-i".to_owned(), key.clone(), "-o".to_owned(), "IdentitiesOnly=yes".to_owned()]);
    }
    all.extend(["--".to_owned(), host.target()]);
    all
}

/// Runs `ssh` with output and errors in one pipe, so that they keep their order.
fn merged(args: &[String], timeout: Duration, cancel: &Cancel, on_output: &mut dyn FnMut(&[u8])) -> Done {
    let mut all = vec!["-c", "exec ssh \"$@\" 2>&1", "ssh"];
    all.extend(args.iter().map(String::as_str));
    let program = Program {
        program: "sh",
        args: &all,
        cwd: Path::new("/"),
        timeout,
        output_limit_bytes: TAIL_BYTES,
        env: &[],
        stdin: None,
    };
    let output = program.stream(cancel, on_output);
    let mut tail = output.stdout.text();
    tail.push_str(&output.stderr.text());
    Done { end: output.end, tail, omitted_bytes: output.stdout.omitted_bytes }
}

/// A key that others can read is refused by `ssh` with a page of text; this says it in a line.
fn check_key(host: &Host) -> Result<(), String> {
    let Some(key) = &host.key else { return Ok(()) };
    let mode = file_mode(Path::new(key)).map_err(|_| format!("SSH key not found: {key}"))?;
    let Some(mode) = mode else { return Err(format!("SSH key is not a file: {key}")) };
    if mode & 0o077 != 0 {
        return Err(format!("SSH key permissions must be 600 or stricter: {key}"));
    }
    Ok(())
}
