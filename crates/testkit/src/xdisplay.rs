//! A real X server without a screen, for the clipboard.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// An Xvfb that ends with the test.
pub struct XDisplay {
    server: Child,
    name: String,
}

impl XDisplay {
    /// Starts one on a display number the server chooses itself.
    #[must_use]
    pub fn start() -> Self {
        // Without -noreset it restarts whenever its last client leaves, and rejects others meanwhile.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-noreset", "-nolisten", "tcp", "-screen", "0", "64x64x8"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb: ./test installs it");
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
        assert!(!number.trim().is_empty(), "Xvfb ended before it was ready");
        Self { server, name: format!(":{}", number.trim()) }
    }

    /// What DISPLAY has to be.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for XDisplay {
    fn drop(&mut self) {
        // It may have ended by itself; either way nothing of it stays.
        drop(self.server.kill());
        drop(self.server.wait());
    }
}
