//! Links a release build smaller where the system's loader can read it.
//!
//! A program that can be loaded anywhere has a table of the places that hold addresses: 80,000 of them, 24 bytes each, which
//! the loader reads before anything else runs. glibc understands a packed form since 2.36, and says so with a version name in
//! its library. Where that name is missing, the table stays as it is.

#![allow(clippy::disallowed_methods, reason = "a build script looks at the system it builds for")]

use std::path::Path;

/// What a loader that reads packed tables offers.
const PACKED: &[u8] = b"GLIBC_ABI_DT_RELR";
/// Where Linux keeps its C library.
const LIBRARIES: [&str; 4] =
    ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "/usr/lib64/libc.so.6", "/usr/lib/libc.so.6"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    // Only where the linker is known: rustc brings one for this target that knows the option.
    if is("PROFILE", "release")
        && is("TARGET", "x86_64-unknown-linux-gnu")
        && is("HOST", "x86_64-unknown-linux-gnu")
        && LIBRARIES.iter().any(|library| offers_packed(Path::new(library)))
    {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn offers_packed(library: &Path) -> bool {
    let Ok(bytes) = std::fs::read(library) else { return false };
    bytes.windows(PACKED.len()).any(|window| window == PACKED)
}
