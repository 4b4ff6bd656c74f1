//! The rules as a profile of macOS's own sandbox.
//!
//! It is written here for every system, so that it is tested on every system; only `macos.rs` hands it to
//! `sandbox-exec`.

use std::fmt::Write as _;
use std::path::Path;

use super::{Network, Rules};

/// Devices that every program may write to.
const DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/dtracehelper", "/dev/tty", "/dev/stdout", "/dev/stderr"];

/// The profile for these rules. Later lines win, so what is protected comes after what may be written.
#[cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "used by macos.rs, tested everywhere"))]
pub(super) fn profile(rules: &Rules) -> String {
    let mut text = String::from("(version 1)\n(allow default)\n(deny file-write*)\n(deny file-link)\n");
    for device in DEVICES {
        line(&mut text, "allow file-write*", "literal", Path::new(device));
    }
    for place in &rules.writable {
        line(&mut text, "allow file-write*", "subpath", place);
    }
    for place in &rules.protected {
        line(&mut text, "deny file-write*", "subpath", place);
    }
    match &rules.network {
        Network::On => {}
        // There is no network of one's own here; the proxy is all that can be reached.
        Network::Gate(socket) => {
            text.push_str("(deny network*)\n");
            line(&mut text, "allow network-outbound", "literal", socket);
        }
        Network::Off => text.push_str("(deny network*)\n"),
    }
    text.push_str(
        "(deny signal)\n(allow signal (target same-sandbox))\n(deny process-info* (target others))\n",
    );
    text
}

/// One rule about a path. The quotes of a profile know two escapes.
fn line(text: &mut String, what: &str, how: &str, path: &Path) {
    let path = path.to_string_lossy().replace('\\', r"\\").replace('"', "\\\"");
    // Writing to a string cannot fail.
    writeln!(text, "({what} ({how} \"{path}\"))").ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_paths_come_after_writable_ones() {
        let rules = Rules {
            writable: vec!["/project \"x\"".into()],
            protected: vec!["/project/.git/hooks".into()],
            ..Rules::default()
        };
        let text = profile(&rules);
        let writable = text.find(r#"(allow file-write* (subpath "/project \"x\""))"#).unwrap();
        let protected = text.find(r#"(deny file-write* (subpath "/project/.git/hooks"))"#).unwrap();
        assert!(writable < protected && text.contains("(deny network*)"), "{text}");
        assert!(!profile(&Rules { network: Network::On, ..rules }).contains("network"));
    }
}
