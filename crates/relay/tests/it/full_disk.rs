//! A disk that is really full: a small one in memory, in its own mount namespace.

use testkit::TestEnv;

use crate::project;

/// Runs a script in an empty folder on a disk of `size`, where the project's config is copied to. `None` where this user may
/// not mount anything.
fn on_small_disk(env: &TestEnv, size: &str, script: &str) -> Option<testkit::Run> {
    if env.shell("unshare --map-root-user --mount -- true").code != 0 {
        return None;
    }
    let mount = format!("mkdir disk && mount -t tmpfs -o size={size} tmpfs disk");
    let inside = format!("set -e; {mount}; cp relaycode.config.json .gitignore disk; cd disk; {script}");
    env.write("script.sh", &inside);
    Some(env.shell("unshare --map-root-user --mount -- sh script.sh"))
}

/// A project with a `postCommand` that leaves `left` KiB of the disk, with a file that is ignored, and fails.
fn filled(left: u32) -> TestEnv {
    let fill = format!(
        "head -c $(( ($(df -k --output=avail . | tail -1) - {left}) * 1024 )) /dev/zero > fill.log; exit 1"
    );
    let config = serde_json::json!({"projectId": "shop", "postCommand": fill});
    let env = project(&config.to_string());
    env.write(".gitignore", "*.log\n");
    env
}

/// What Relay said about the wrapped command.
fn report(env: &TestEnv) -> serde_json::Value {
    serde_json::from_str(&env.read("wrap.json")).unwrap()
}

#[test]
fn a_full_disk_delays_the_rollback_of_a_command_and_recover_completes_it() {
    let env = filled(0);
    let script = "head -c 300000 /dev/urandom > big.bin; cp big.bin ../big.old; echo small > small.txt
        $RELAY wrap --trust --json -- sh -c 'head -c 200000 /dev/urandom > big.bin; rm small.txt' > ../wrap.json || true
        $RELAY recover > ../still.txt 2>&1 || true
        rm fill.log; $RELAY recover; cmp big.bin ../big.old; cat small.txt
        $RELAY log --json";
    let Some(run) = on_small_disk(&env, "4m", script) else { return };
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    let document = report(&env);
    assert_eq!(document["status"], "recovery_needed", "{document:#}");
    let told = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .find(|found| found["message"].as_str().unwrap().contains("rolling back failed"));
    let told = told.unwrap_or_else(|| panic!("{document:#}"));
    assert!(told["message"].as_str().unwrap().contains("no space left"), "{told:#}");
    assert!(told["hint"].as_str().unwrap().contains("relay recover"), "{told:#}");
    let still = env.read("still.txt");
    assert!(still.contains("no space left"), "{still}");
    assert!(run.stdout.contains("small\n") && run.stdout.trim_end().ends_with("[]"), "{}", run.stdout);
}

#[test]
fn removing_created_files_makes_room_to_restore_changed_ones() {
    let env = filled(64);
    let script = "head -c 300000 /dev/urandom > big.bin; cp big.bin ../big.old
        $RELAY wrap --trust --json -- sh -c 'head -c 200000 /dev/urandom > big.bin; head -c 400000 /dev/urandom > made.bin' \\
            > ../wrap.json || true
        cmp big.bin ../big.old; test ! -e made.bin";
    let Some(run) = on_small_disk(&env, "4m", script) else { return };
    assert_eq!(run.code, 0, "{}{}{}", run.stdout, run.stderr, env.read("wrap.json"));
    assert_eq!(report(&env)["status"], "rolled_back");
}
