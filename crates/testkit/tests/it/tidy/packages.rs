//! What cargo knows about the crates and what they are built from.

use std::process::Command;

use serde_json::Value;

use super::root;

/// One package of the build.
#[derive(Clone, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// Whether it is one of this repository's crates.
    pub(super) is_ours: bool,
    pub(super) dependencies: Vec<Dependency>,
}

/// A direct dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// Whether only tests and benches get it.
    pub(super) is_dev: bool,
}

impl Package {
    /// One of this repository's crates, for samples.
    pub(super) fn ours(name: &str, dependencies: &[(&str, bool)]) -> Self {
        Self {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            licence: Some("MIT OR Apache-2.0".to_owned()),
            is_ours: true,
            dependencies: dependencies
                .iter()
                .map(|&(name, is_dev)| Dependency { name: name.to_owned(), is_dev })
                .collect(),
        }
    }
}

/// Every package of a build for this machine. Those of other systems need not be downloaded, so cargo, which must not
/// use the network here, cannot report them; `Cargo.lock` names them all.
pub(super) fn packages() -> Vec<Package> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let metadata = Command::new(cargo)
        .args(["metadata", "--offline", "--format-version", "1", "--filter-platform", &host()])
        .current_dir(root())
        .output()
        .expect("cargo");
    assert!(metadata.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&metadata.stderr));
    parse(&serde_json::from_slice(&metadata.stdout).expect("cargo metadata"))
}

fn host() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("-vV").output().expect("rustc");
    let text = String::from_utf8(output.stdout).expect("rustc -vV");
    text.lines().find_map(|line| line.strip_prefix("host: ")).expect("host").to_owned()
}

fn parse(metadata: &Value) -> Vec<Package> {
    let ours = metadata["workspace_members"].as_array().expect("workspace_members");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let dependency =
        |value: &Value| Dependency { name: text(&value["name"]), is_dev: value["kind"] == "dev" };
    let package = |value: &Value| Package {
        name: text(&value["name"]),
        version: text(&value["version"]),
        licence: value["license"].as_str().map(str::to_owned),
        is_ours: ours.contains(&value["id"]),
        dependencies: value["dependencies"]
            .as_array()
            .expect("dependencies")
            .iter()
            .map(dependency)
            .collect(),
    };
    metadata["packages"].as_array().expect("packages").iter().map(package).collect()
}

/// The names in a `Cargo.lock`.
pub(super) fn locked(lock: &str) -> Vec<&str> {
    lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"')).collect()
}

/// Banned packages, and why.
const BANNED: [(&str, &str); 13] = [
    ("atty", "unmaintained; the standard library has IsTerminal"),
    ("aws-lc-sys", "needs a C and assembler toolchain; use ring"),
    ("chrono", "one time library is enough: jiff"),
    ("git2", "git is run as a program"),
    ("lazy_static", "the standard library has LazyLock"),
    ("libgit2-sys", "git is run as a program"),
    ("libyml", "unsound; use serde-saphyr"),
    ("native-tls", "brings in OpenSSL"),
    ("onig_sys", "C code for regular expressions"),
    ("openssl-sys", "needs a system library"),
    ("serde_yaml", "unmaintained; use serde-saphyr"),
    ("serde_yml", "unsound; use serde-saphyr"),
    ("yash-syntax", "GPL"),
];

fn banned(lock: &str) -> Vec<String> {
    let names = locked(lock);
    let is_there = |(name, _): &&(&str, &str)| names.contains(name);
    BANNED
        .iter()
        .filter(is_there)
        .map(|(name, why)| format!("{name}: {why}; see `cargo tree -i {name}`"))
        .collect()
}

#[test]
fn no_banned_packages() {
    super::assert_none("banned packages in Cargo.lock", &banned(&super::read("Cargo.lock")));
}

#[test]
fn a_banned_package_is_found() {
    let lock = "[[package]]\nname = \"openssl-sys\"\nversion = \"0.9.0\"\ndependencies = [\n \"cc\",\n]\n";
    assert_eq!(banned(lock).len(), 1);
    assert!(banned("[[package]]\nname = \"openssl-probe\"\n").is_empty());
    assert!(banned("dependencies = [\n \"serde_yaml\",\n]\n").is_empty(), "only packages, not mentions");
}

/// A crate without this line in its manifest would go unchecked by clippy.
fn without_lints(manifests: &[(String, String)]) -> Vec<String> {
    let takes_them = |text: &str| text.contains("[lints]\nworkspace = true");
    manifests.iter().filter(|(_, text)| !takes_them(text)).map(|(path, _)| path.clone()).collect()
}

#[test]
fn every_crate_takes_the_workspaces_lints() {
    let manifests: Vec<_> = super::source::tracked()
        .into_iter()
        .filter(|source| source.path.starts_with("crates/") && source.path.ends_with("/Cargo.toml"))
        .map(|source| (source.path, source.text))
        .collect();
    assert!(manifests.len() >= 8, "{}", manifests.len());
    super::assert_none("manifests without `[lints] workspace = true`", &without_lints(&manifests));
}

#[test]
fn a_crate_without_lints_is_found() {
    let manifest = |text: &str| vec![("crates/x/Cargo.toml".to_owned(), text.to_owned())];
    assert_eq!(without_lints(&manifest("[package]\nname = \"x\"\n")).len(), 1);
    assert_eq!(without_lints(&manifest("[lints]\nworkspace = true\n")).len(), 0);
}

#[test]
fn cargos_answer_is_understood() {
    let metadata = serde_json::json!({
        "workspace_members": ["id-a"],
        "packages": [
            { "name": "a", "id": "id-a", "version": "0.1.0", "license": "MIT",
              "dependencies": [{ "name": "b", "kind": null }, { "name": "c", "kind": "dev" }] },
            { "name": "b", "id": "id-b", "version": "2.0.0", "license": null, "dependencies": [] },
        ],
    });
    let packages = parse(&metadata);
    assert!(packages[0].is_ours && !packages[1].is_ours);
    assert_eq!(packages[0].dependencies.iter().map(|d| d.is_dev).collect::<Vec<_>>(), [false, true]);
    assert_eq!((packages[1].licence.as_deref(), packages[1].version.as_str()), (None, "2.0.0"));
}
