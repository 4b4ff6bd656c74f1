//! Lands a reply on files in memory: `cargo run -p relay-edit --example land`.
//!
//! Reads a reply in whatever form it is written, plans its edits against snapshots of the files, and prints each file as it
//! would be afterwards, or why the reply is refused. Nothing is read from disk and nothing is written.

#![allow(clippy::print_stdout, reason = "an example that shows its result")]

use std::collections::BTreeMap;

use relay_edit::{Snapshot, parse, plan};

const REPLY: &str = "\
The retry count belongs into the settings:

```diff
--- a/settings.py
+++ b/settings.py
@@ -1,2 +1,3 @@
 TIMEOUT = 30
+RETRIES = 3
 VERBOSE = False
```
";

fn main() {
    let files = BTreeMap::from([("settings.py".to_owned(), b"TIMEOUT = 30\nVERBOSE = False\n".to_vec())]);
    let reply = parse(REPLY, None);
    let planned = plan(&reply.edits, &Snapshot { files, ..Snapshot::default() });
    for finding in reply.diagnostics.iter().chain(&planned.diagnostics) {
        println!("{}: {}", finding.code, finding.message);
    }
    for change in planned.changes {
        let after = change.after.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        println!("{}:\n{}", change.path, after.as_deref().unwrap_or("(deleted)"));
    }
}
