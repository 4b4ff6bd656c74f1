//! Recognises generated files, which a model does not need: lock files, bundles, files with a generator's notice.

/// Whether a file's name or its first lines say that it is generated.
pub(super) fn says_so(path: &str, text: &str) -> bool {
    by_name(path) || text.lines().take(5).any(is_notice)
}

/// Whether a name says so.
pub(super) fn by_name(path: &str) -> bool {
    #[rustfmt::skip]
    const NAMES: &[&str] = &[
        "Cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml",
        "bun.lock", "bun.lockb", "poetry.lock", "uv.lock", "Pipfile.lock", "Gemfile.lock", "composer.lock",
        "go.sum", "flake.lock", "deno.lock", "packages.lock.json", "mix.lock", "pubspec.lock",
        "Podfile.lock",
    ];
    const ENDS: &[&str] = &[".min.js", ".min.css", ".map", ".pb.go", "_pb2.py", ".g.dart", ".snap"];
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.contains(&name) || ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether a name says that the file is not text.
pub(super) fn is_binary_name(path: &str) -> bool {
    #[rustfmt::skip]
    const BINARY: &[&str] = &[
        "png", "jpg", "jpeg", "gif", "webp", "ico", "bmp", "tiff", "avif", "pdf", "zip", "gz", "tgz",
        "bz2", "xz", "zst", "7z", "rar", "jar", "war", "class", "o", "a", "so", "dylib", "dll", "exe",
        "wasm", "pyc", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "m4a", "mov", "avi", "webm",
        "ogg", "flac", "wav", "sqlite", "db", "bin", "dat", "parquet", "npy", "onnx", "pt", "safetensors",
    ];
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    extension.is_some_and(|(_, extension)| BINARY.contains(&extension.to_ascii_lowercase().as_str()))
}

fn is_notice(line: &str) -> bool {
    let is_comment = line.trim_start().starts_with(['/', '#', '*', '<', ';', '-']);
    let generated = line.contains("@generated") || line.to_ascii_lowercase().contains("generated");
    let untouchable =
        line.contains("@generated") || line.contains("DO NOT EDIT") || line.contains("do not edit");
    is_comment && generated && untouchable
}
