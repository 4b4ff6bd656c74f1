//! The vendors' own client libraries understand the scripted model server. Slow, and needs a package index.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use testkit::model::{ModelServer, Script};

#[test]
fn the_vendors_libraries_understand_the_server() {
    if std::env::var("RELAY_LONG_TESTS").is_ok_and(|value| value == "yes") {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sdk");
        let python = libraries(&folder);
        let server = ModelServer::start();
        let script = std::fs::read_to_string(folder.join("script.json")).unwrap();
        Script::parse(&script).unwrap().direct(&server);
        run(Command::new(python).arg(folder.join("check.py")).arg(server.url()));
        for request in server.prompts() {
            assert_eq!(request.complaint, None, "{request:?}");
        }
    }
}

/// A Python with the libraries, in the folder of build results so that it is made once.
fn libraries(folder: &Path) -> PathBuf {
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_path_buf();
    let venv = target.join("sdk-venv");
    if !venv.join("ready").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(&venv));
        let requirements = folder.join("requirements.txt");
        run(Command::new(venv.join("bin/pip"))
            .args(["install", "--quiet", "--requirement"])
            .arg(requirements));
        std::fs::write(venv.join("ready"), "").unwrap();
    }
    venv.join("bin/python")
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}{}", String::from_utf8_lossy(&output.stdout));
}
