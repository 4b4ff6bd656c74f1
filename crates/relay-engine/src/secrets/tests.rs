//! What is found and what is left alone, measured on a labelled corpus.
//!
//! No key is in this file: they are made when the test runs, from the issuers' descriptions, so that no scanner of
//! this repository mistakes them for real ones.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

const KEY: [u8; 32] = [9; 32];
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const WORD: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const TYPED: &str = "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789!#^*";

/// Characters of an alphabet, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % below
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.next(alphabet.len())])).collect()
    }
}

/// A secret of every kind, as its issuer makes it.
fn secrets(random: &mut Random) -> Vec<(&'static str, String)> {
    let mut made = Vec::new();
    let simple: &[(&str, &str, &str, usize)] = &[
        ("aws-access-key-id", "AKIA", UPPER, 16),
        ("github-token", "ghp_", WORD, 36),
        ("github-token", "gho_", WORD, 36),
        ("gitlab-token", "glpat-", URL, 20),
        ("slack-token", "xoxb-", "0123456789", 12),
        ("stripe-key", "sk_live_", WORD, 24),
        ("google-api-key", "AIza", URL, 35),
        ("google-oauth-secret", "GOCSPX-", URL, 28),
        ("anthropic-key", "sk-ant-api03-", URL, 95),
        ("openai-key", "sk-proj-", URL, 120),
        ("openai-key", "sk-", WORD, 48),
        ("openrouter-key", "sk-or-v1-", HEX, 64),
        ("npm-token", "npm_", WORD, 36),
        ("pypi-token", "pypi-AgEIcHlwaS5vcmc", URL, 120),
        ("twilio-key", "SK", HEX, 32),
        ("hugging-face-token", "hf_", WORD, 34),
        ("digitalocean-token", "dop_v1_", HEX, 64),
        ("shopify-token", "shpat_", HEX, 32),
        ("docker-token", "dckr_pat_", URL, 27),
        ("mailgun-key", "key-", HEX, 32),
        ("groq-key", "gsk_", WORD, 52),
        ("databricks-token", "dapi", HEX, 32),
        ("linear-key", "lin_api_", WORD, 40),
        ("vault-token", "hvs.", WORD, 90),
    ];
    for (kind, prefix, alphabet, length) in simple {
        let end = if *kind == "slack-token" { format!("-{}", random.text(WORD, 24)) } else { String::new() };
        made.push((*kind, format!("{prefix}{}{end}", random.text(alphabet, *length))));
    }
    made.push(("github-token", format!("github_pat_{}_{}", random.text(WORD, 22), random.text(WORD, 59))));
    made.push(("sendgrid-key", format!("SG.{}.{}", random.text(URL, 22), random.text(URL, 43))));
    made.push(("telegram-bot-token", format!("{}:AA{}", random.text("123456789", 9), random.text(URL, 33))));
    made.push((
        "discord-bot-token",
        format!("MT{}.{}.{}1", random.text(WORD, 22), random.text(WORD, 6), random.text(WORD, 37)),
    ));
    made.push((
        "jwt",
        format!("eyJ{}.eyJ{}.{}", random.text(WORD, 33), random.text(WORD, 60), random.text(URL, 43)),
    ));
    made
}

/// The places a secret is in: a file's name and the text around it.
const PLACES: &[(&str, &str)] = &[
    ("src/client.ts", "const client = new Client({ key: \"@\", retries: 3 });\n"),
    ("settings.py", "KEY = '@'\n"),
    ("config/app.yaml", "service:\n  key: @\n  port: 8080\n"),
    ("notes.md", "Use @ to deploy.\n"),
    ("deploy.sh", "curl -H \"X-Key: @\" https://api.test/v1\n"),
    ("config.json", "{\"name\": \"x\", \"key\": \"@\"}\n"),
    (".env", "SERVICE_KEY=@\n"),
];

fn finds(name: &str, text: &str, secret: &str) -> Option<&'static str> {
    let mut vault = Vault::new(&KEY);
    let masked = mask(name, text, &mut vault);
    assert_eq!(vault.restore(name, &masked.text).as_deref(), Ok(text), "what is masked can be put back");
    (!masked.text.contains(secret)).then(|| masked.found.first().map_or("", |found| found.kind))
}

#[test]
fn every_known_format_is_found_everywhere() {
    let mut random = Random(0x5eed);
    let mut missed: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut tried = 0;
    for _ in 0..20 {
        for (kind, secret) in secrets(&mut random) {
            for (name, text) in PLACES {
                tried += 1;
                if finds(name, &text.replace('@', &secret), &secret) != Some(kind) {
                    *missed.entry((kind, name)).or_default() += 1;
                }
            }
        }
    }
    assert!(tried > 4000, "{tried}");
    assert_eq!(missed, BTreeMap::new(), "of {tried}");
}

/// Values without a format, recognised by their name, their shape, or because they look random.
fn unformatted(random: &mut Random) -> Vec<(&'static str, String, String)> {
    let mut made = Vec::new();
    let mut add = |name: &'static str, text: String, secret: &str| made.push((name, text, secret.to_owned()));
    let password = format!("{}7", random.text(TYPED, 11));
    let hex = random.text(HEX, 32);
    let key = random.text(BASE64, 40);
    let azure = random.text(BASE64, 86) + "==";
    add("app.ts", format!("const dbPassword = \"{password}\";\n"), &password);
    add("app.py", format!("conn = connect(user='bob', password='{password}')\n"), &password);
    add("app.yaml", format!("database:\n  password: {password}\n"), &password);
    add("app.properties", format!("spring.datasource.password={password}\n"), &password);
    add("web.xml", format!("<password>{password}</password>\n"), &password);
    add("app.json", format!("{{\"user\": \"bob\", \"password\": \"{password}\"}}\n"), &password);
    add(".env", format!("DB_PASS={password}\nDEBUG=true\n"), &password);
    add(".env.production", format!("MAIL_HOST=smtp.x.test\nSOMETHING=\"{key}\"\n"), &key);
    add("client.go", format!("authToken := \"{hex}\"\n"), &hex);
    add("client.rs", format!("const API_KEY: &str = \"{hex}\";\n"), &hex);
    add("client.js", format!("process.env.API_KEY || '{hex}'\n"), &hex);
    add("credentials", format!("[default]\naws_secret_access_key = {key}\n"), &key);
    add("main.tf", format!("  secret_key = \"{key}\"\n"), &key);
    add("lib.rb", format!("x = \"{}\"\n", random.text(WORD, 40) + "1aB"), "1aB");
    add("db.py", format!("URL = 'postgres://app:{password}@db.test/app'\n"), &format!(":{password}@"));
    add(
        "blob.cs",
        format!("\"DefaultEndpointsProtocol=https;AccountName=x;AccountKey={azure};EndpointSuffix=x\"\n"),
        &azure,
    );
    add("sql.cs", format!("var c = \"Server=db;Database=x;User Id=sa;Password={password};\";\n"), &password);
    add(
        "hook.py",
        format!(
            "H = 'https://hooks.slack.com/services/T{}/B{}/{}'\n",
            random.text(UPPER, 8),
            random.text(UPPER, 8),
            &hex[..24]
        ),
        &hex[..24],
    );
    add("call.sh", format!("curl -H 'Authorization: Bearer {key}' https://x.test\n"), &key);
    let pem = (0..12).map(|_| random.text(BASE64, 64)).collect::<Vec<_>>();
    add(
        "id_rsa",
        format!("-----BEGIN RSA {0}-----\n{1}\n-----END RSA {0}-----\n", "PRIVATE KEY", pem.join("\n")),
        &pem[3],
    );
    add(
        "sa.json",
        format!(
            "{{\"private_key\": \"-----BEGIN {0}-----\\n{1}\\n-----END {0}-----\\n\"}}\n",
            "PRIVATE KEY",
            pem.join("\\n")
        ),
        &pem[5],
    );
    add(".env", "DB_PASSWORD=MySecret2024\n".to_owned(), "MySecret2024");
    made
}

#[test]
fn secrets_without_a_format_are_found() {
    let mut random = Random(0xfeed);
    let mut missed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut tried = 0;
    for _ in 0..50 {
        for (name, text, secret) in unformatted(&mut random) {
            tried += 1;
            if finds(name, &text, &secret).is_none() {
                *missed.entry(name).or_default() += 1;
            }
        }
    }
    let misses: usize = missed.values().sum();
    // A string without a name is found only when it looks random enough; one in a hundred does not.
    assert!(misses * 100 <= tried && missed.keys().all(|name| *name == "lib.rb"), "{missed:?} of {tried}");
}

#[test]
fn text_that_only_looks_like_a_secret_is_left_alone() {
    let mut random = Random(0xbead);
    let digest = |random: &mut Random| random.text(BASE64, 86) + "==";
    let lock: String = (0..200)
        .map(|n| {
            format!(
                "    \"node_modules/p{n}\": {{\n      \"integrity\": \"sha512-{}\"\n    }},\n",
                digest(&mut random)
            )
        })
        .collect();
    let sums: String =
        (0..200).map(|n| format!("example.test/m{n} v1.{n}.0 h1:{}=\n", random.text(BASE64, 43))).collect();
    let uuids: String = (0..100)
        .map(|_| {
            let part = |random: &mut Random, n| random.text(HEX, n);
            let id = [8, 4, 4, 4, 12].map(|n| part(&mut random, n)).join("-");
            format!("const id = \"{id}\";\n")
        })
        .collect();
    let hashes: String = (0..100).map(|_| format!("  rev = \"{}\";\n", random.text(HEX, 40))).collect();
    let image = format!("<img src=\"data:image/png;base64,{}\">\n", random.text(BASE64, 4000));
    let minified = format!(
        "var a={{{}}};\n",
        (0..900).map(|n| format!("x{n}:\"{}\"", random.text(WORD, 9))).collect::<String>()
    );
    let public = format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@x\n", random.text(BASE64, 43));
    let certificate =
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", random.text(BASE64, 640));
    let ordinary: &[(&str, &str)] = &[
        ("package-lock.json", &lock),
        ("go.sum", &sums),
        ("ids.ts", &uuids),
        ("revisions.nix", &hashes),
        ("index.html", &image),
        ("app.js", &minified),
        ("keys.pub", &public),
        ("ca.pem", &certificate),
        ("a.ts", "const passwordField = document.getElementById(\"password-input\");\n"),
        ("a.ts", "const token = await getToken(\"access\");\nconst password = prompt(\"Password: \");\n"),
        ("a.ts", "interface Login { password: string; token: string }\n"),
        ("a.py", "password = os.environ[\"DB_PASSWORD\"]\ntoken = settings.get('API_TOKEN_V2')\n"),
        ("a.rs", "let max_tokens = \"4096tokens01\";\nlet tokenizer = \"cl100k_base_2024\";\n"),
        (
            "a.yaml",
            "password: ${DB_PASSWORD}\nsecretName: db-credentials-v2\ntokenUrl: https://x.test/oauth2/token\n",
        ),
        ("a.yaml", "secretKeyRef:\n  name: app-secrets\n  key: password\n"),
        ("README.md", "export OPENAI_API_KEY=sk-your-key-here\nghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"),
        ("README.md", "postgres://user:password@localhost/db and https://user:pass@example.test\n"),
        ("aws.md", "AKIAIOSFODNN7EXAMPLE is the key of the documentation.\n"),
        (".env.example", "API_KEY=your-api-key\nDB_PASSWORD=changeme\nPORT=3000\n"),
        (
            ".env",
            "NODE_ENV=production\nPORT=3000\nDEBUG=true\nLOG_LEVEL=debug\nAPI_URL=https://api.x.test/v1\nREGION=us-east-1\n",
        ),
        ("names.java", "String n = \"AbstractSingletonProxyFactoryBean2Configuration\";\n"),
        ("q.sql", "SELECT password_hash, token FROM users WHERE id = 'abc';\n"),
        ("style.css", ".token-password-9 { background: url('#a1b2c3d4e5f6'); }\n"),
    ];
    for (name, text) in ordinary {
        let masked = mask(name, text, &mut Vault::new(&KEY));
        let lines: Vec<_> =
            masked.found.iter().map(|found| (found.kind, text.lines().nth(found.line - 1))).collect();
        assert!(lines.is_empty(), "{name}: {lines:?}");
    }
}

/// This repository holds no secrets, so whatever is found in it is a mistake.
#[test]
fn this_repository_is_not_flooded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut bytes, mut wrong) = (0, Vec::new());
    let mut folders = vec![root.join("crates"), root.join("docs")];
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml"), root.join("README.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Other tests make secrets up, as this one does.
            let makes_secrets =
                path.ends_with("secrets") || path.ends_with("node_modules") || path.ends_with("target");
            match path.is_dir() {
                true if !makes_secrets => folders.push(path),
                true => {}
                false => files.push(path),
            }
        }
    }
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        bytes += text.len();
        let masked = mask(&path.to_string_lossy(), &text, &mut Vault::new(&KEY));
        wrong.extend(
            masked.found.iter().map(|found| format!("{}:{} {}", path.display(), found.line, found.kind)),
        );
    }
    assert!(bytes > 1_000_000, "{bytes} bytes are no corpus");
    assert!(wrong.len() * 250_000 <= bytes, "{} in {bytes} bytes: {wrong:#?}", wrong.len());
}

#[test]
fn a_placeholder_is_stable_and_reveals_nothing_about_the_value() {
    let text = "password = \"hunter2-and-more\"\n";
    let placeholder =
        |key: u8| mask("a.toml", text, &mut Vault::new(&[key; 32])).found[0].placeholder.clone();
    assert_eq!(placeholder(1), placeholder(1));
    assert_ne!(placeholder(1), placeholder(2), "without the key no one can check a guess");
    assert!(
        placeholder(1).bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        "{}",
        placeholder(1)
    );
    assert!(!format!("{:?}", mask("a.toml", text, &mut Vault::new(&KEY))).contains("hunter2"));
    let mut vault = Vault::new(&KEY);
    mask("a.toml", text, &mut vault);
    assert!(!format!("{vault:?}").contains("hunter2"));
}

#[test]
fn a_value_returns_only_to_the_file_it_came_from() {
    let mut vault = Vault::new(&KEY);
    let masked = mask("db.toml", "password = \"hunter2-and-more\"\n", &mut vault);
    let placeholder = &masked.found[0].placeholder;
    let edited = masked.text.replace("password", "secret");
    assert_eq!(vault.restore("db.toml", &edited).unwrap(), "secret = \"hunter2-and-more\"\n");
    let wandered = vault.restore("README.md", &edited).unwrap_err();
    assert_eq!(
        (wandered[0].placeholder.as_str(), wandered[0].files.as_slice()),
        (placeholder.as_str(), &["db.toml".to_owned()][..])
    );
    let invented = vault
        .restore("db.toml", &edited.replace(placeholder.as_str(), "relay_masked_password_00000000"))
        .unwrap_err();
    assert!(invented[0].files.is_empty(), "also when its case was changed");
}

#[test]
fn secrets_that_touch_each_other_return_both() {
    let mut vault = Vault::new(&KEY);
    let masked = mask_in("s", "", "one-secret!two-secret!", &[0..11, 11..22], &mut vault);
    assert!(!masked.text.contains("secret!"), "{}", masked.text);
    assert_eq!(vault.restore("s", &masked.text).as_deref(), Ok("one-secret!two-secret!"));
    assert_eq!(mask_in("s", "", &masked.text, &[], &mut vault).text, masked.text, "twice is once");
}

#[test]
fn text_that_looks_masked_stays_what_it_is() {
    let mut vault = Vault::new(&KEY);
    let first = mask("a.toml", "password = \"hunter2-and-more\"\n", &mut vault);
    // A user wrote the placeholder itself into a file.
    let text = format!("x = \"{}\" # hunter2-and-more\n", first.found[0].placeholder);
    let masked = mask("a.toml", &text, &mut vault);
    assert_eq!(vault.restore("a.toml", &masked.text).as_deref(), Ok(text.as_str()));
    assert!(
        !masked.text.contains("hunter2"),
        "what was masked once is masked wherever it appears: {}",
        masked.text
    );
}

#[test]
fn a_vault_survives_storage() {
    let mut vault = Vault::new(&KEY);
    let masked = mask("a.toml", "password = \"hunter2-and-more\"\n", &mut vault);
    let read = Vault::from_json(&KEY, &vault.to_json().unwrap()).unwrap();
    assert_eq!(read, vault);
    assert_eq!(read.restore("a.toml", &masked.text).unwrap(), "password = \"hunter2-and-more\"\n");
    assert!(Vault::from_json(&KEY, "[]").is_err());
}

#[test]
fn hostile_text_is_read_without_harm() {
    for text in [
        "",
        "\"",
        "'\\",
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "://:@",
        "eyJ.eyJ.",
        "RELAY_MASKED_",
        "\u{fffd}\"é\\\"",
        "é=ü",
        "SG..",
        "key: ‹\"",
        "Bearer ",
    ] {
        for name in ["", ".env", "a.yaml", "a.rs", "Cargo.lock"] {
            let mut vault = Vault::new(&KEY);
            let masked = mask(name, text, &mut vault);
            assert_eq!(vault.restore(name, &masked.text).as_deref(), Ok(text));
        }
    }
}
