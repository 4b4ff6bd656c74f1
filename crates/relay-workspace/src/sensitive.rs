//! Files that make *other* programs execute something: writing them is one step from running a command.
//!
//! They are not refused, because people do want their workflows edited, but each needs explicit approval. The list errs
//! on the side of asking. Names are compared folded, so that another case or a look-alike form asks as well. Source
//! code, build scripts and package manifests are not on it: most changes are about those, and they run only in a build.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::names::fold;

/// Why a file is sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sensitive {
    /// What reads the file.
    pub tool: &'static str,
    /// What it can make that tool do.
    pub reason: &'static str,
}

/// Where a rule looks. Patterns are lower case.
enum At {
    /// Anything below a folder of this name, wherever it is.
    Below(&'static str),
    /// Anything below this folder of the root.
    BelowRoot(&'static str),
    /// A file of this name, wherever it is.
    Name(&'static str),
    /// A file whose name begins so, wherever it is.
    NameStart(&'static str),
    /// A file whose name ends so, wherever it is.
    NameEnd(&'static str),
    /// These components at the end of a path.
    End(&'static str),
}

const RULES: &[Rule] = &[
    (At::BelowRoot(".github/workflows"), workflow("GitHub Actions")),
    (At::BelowRoot(".github/actions"), workflow("GitHub Actions")),
    (At::Name("action.yml"), workflow("GitHub Actions")),
    (At::Name("action.yaml"), workflow("GitHub Actions")),
    (
        At::BelowRoot(".github"),
        Sensitive { tool: "GitHub", reason: "configures bots that merge, deploy or prompt a model" },
    ),
    (At::BelowRoot(".forgejo"), workflow("Forgejo Actions")),
    (At::BelowRoot(".gitea"), workflow("Gitea Actions")),
    (At::NameStart(".gitlab-ci"), workflow("GitLab CI")),
    (At::BelowRoot(".gitlab"), workflow("GitLab CI")),
    (At::BelowRoot(".circleci"), workflow("CircleCI")),
    (At::BelowRoot(".buildkite"), workflow("Buildkite")),
    (At::BelowRoot(".drone"), workflow("Drone")),
    (At::BelowRoot(".woodpecker"), workflow("Woodpecker")),
    (At::BelowRoot(".ci"), workflow("the build server")),
    (At::Name(".drone.yml"), workflow("Drone")),
    (At::Name(".woodpecker.yml"), workflow("Woodpecker")),
    (At::Name(".travis.yml"), workflow("Travis CI")),
    (At::Name(".cirrus.yml"), workflow("Cirrus CI")),
    (At::Name("appveyor.yml"), workflow("AppVeyor")),
    (At::Name(".appveyor.yml"), workflow("AppVeyor")),
    (At::NameStart("azure-pipelines"), workflow("Azure Pipelines")),
    (At::Name("bitbucket-pipelines.yml"), workflow("Bitbucket Pipelines")),
    (At::Name("jenkinsfile"), workflow("Jenkins")),
    (At::Below(".vscode"), editor("VS Code")),
    (At::NameEnd(".code-workspace"), editor("VS Code")),
    (At::Below(".idea"), editor("JetBrains IDEs")),
    (At::Below(".fleet"), editor("JetBrains Fleet")),
    (At::Below(".zed"), editor("Zed")),
    (At::Below(".helix"), editor("Helix")),
    (At::Below(".nvim"), editor("Neovim")),
    (At::Name(".nvim.lua"), editor("Neovim")),
    (At::Name(".nvimrc"), editor("Neovim")),
    (At::Name(".exrc"), editor("vi")),
    (At::Name(".vimrc"), editor("Vim")),
    (At::Name(".lvimrc"), editor("Vim")),
    (At::Name(".dir-locals.el"), editor("Emacs")),
    (At::Name(".dir-locals-2.el"), editor("Emacs")),
    (At::Below(".devcontainer"), CONTAINER),
    (At::Name(".devcontainer.json"), CONTAINER),
    (At::Name(".gitpod.yml"), CONTAINER),
    (At::Below(".cursor"), agent("Cursor")),
    (At::Name(".cursorrules"), agent("Cursor")),
    (At::Below(".claude"), agent("Claude Code")),
    (At::Name(".claude.json"), agent("Claude Code")),
    (At::Below(".codex"), agent("Codex")),
    (At::Below(".gemini"), agent("Gemini CLI")),
    (At::Below(".opencode"), agent("OpenCode")),
    (At::Name("opencode.json"), agent("OpenCode")),
    (At::Name("opencode.jsonc"), agent("OpenCode")),
    (At::Below(".windsurf"), agent("Windsurf")),
    (At::Below(".roo"), agent("Roo Code")),
    (At::Below(".clinerules"), agent("Cline")),
    (At::Below(".kiro"), agent("Kiro")),
    (At::Below(".continue"), agent("Continue")),
    (At::Below(".goose"), agent("goose")),
    (At::NameStart(".aider"), agent("aider")),
    (At::Below(".agents"), agent("coding agents")),
    (At::Below(".qwen"), agent("Qwen Code")),
    (At::Below(".crush"), agent("Crush")),
    (At::Name("crush.json"), agent("Crush")),
    (At::Name(".crush.json"), agent("Crush")),
    (At::Below(".factory"), agent("Factory")),
    (At::Below(".amazonq"), agent("Amazon Q")),
    (At::Below(".junie"), agent("Junie")),
    (At::Below(".relay"), agent("Relay")),
    (At::Name(".mcp.json"), agent("MCP clients")),
    (At::Name("mcp.json"), agent("MCP clients")),
    (At::Name(".envrc"), shell("direnv")),
    (
        At::Name(".env"),
        Sensitive {
            tool: "many programs",
            reason: "sets environment variables that redirect programs or hold secrets",
        },
    ),
    (
        At::NameStart(".env."),
        Sensitive {
            tool: "many programs",
            reason: "sets environment variables that redirect programs or hold secrets",
        },
    ),
    (At::Name("mise.toml"), shell("mise")),
    (At::Name(".mise.toml"), shell("mise")),
    (At::Below(".mise"), shell("mise")),
    (At::Name(".tool-versions"), shell("asdf and mise")),
    (At::Name("flake.nix"), shell("Nix")),
    (At::Name("shell.nix"), shell("Nix")),
    (At::Below(".husky"), HOOK),
    (At::Below(".githooks"), HOOK),
    (At::Name(".pre-commit-config.yaml"), HOOK),
    (At::Name(".pre-commit-hooks.yaml"), HOOK),
    (At::NameStart("lefthook."), HOOK),
    (At::NameStart(".lefthook."), HOOK),
    (At::Name(".overcommit.yml"), HOOK),
    (At::NameStart(".lintstagedrc"), HOOK),
    (
        At::Name(".gitattributes"),
        Sensitive { tool: "git", reason: "selects filters and diff programs that git runs on files" },
    ),
    (
        At::Name(".gitmodules"),
        Sensitive { tool: "git", reason: "names repositories that git fetches and checks out" },
    ),
    (At::Name(".gitconfig"), Sensitive { tool: "git", reason: "can name programs that git runs" }),
    (
        At::Name("head"),
        Sensitive {
            tool: "git",
            reason: "makes its folder look like a repository, whose config can run programs",
        },
    ),
    (At::Below(".hg"), repository("Mercurial")),
    (At::Below(".sl"), repository("Sapling")),
    (At::Below(".jj"), repository("Jujutsu")),
    (At::Below(".svn"), repository("Subversion")),
    (At::Name(".npmrc"), packages("npm")),
    (At::Name("nuget.config"), packages("NuGet")),
    (At::Name(".condarc"), packages("conda")),
    (At::NameStart(".yarnrc"), packages("Yarn")),
    (At::Below(".yarn"), packages("Yarn")),
    (At::NameStart(".pnpmfile"), packages("pnpm")),
    (At::Name("pnpm-workspace.yaml"), packages("pnpm")),
    (At::Name("bunfig.toml"), packages("Bun")),
    (At::End(".cargo/config.toml"), packages("Cargo")),
    (At::End(".cargo/config"), packages("Cargo")),
    (At::Name("rust-toolchain.toml"), packages("rustup")),
    (At::Name("rust-toolchain"), packages("rustup")),
    (At::Name("pip.conf"), packages("pip")),
    (At::Name(".pypirc"), packages("Python's uploader")),
    (At::Name("sitecustomize.py"), packages("Python")),
    (At::Name("usercustomize.py"), packages("Python")),
    (At::Name(".pdbrc"), shell("Python's debugger")),
    (At::Below(".bundle"), packages("Bundler")),
    (At::Below(".mvn"), packages("Maven")),
    (At::End("gradle/wrapper/gradle-wrapper.properties"), packages("Gradle")),
    (At::Name(".rprofile"), shell("R")),
    (At::Name(".irbrc"), shell("irb")),
    (At::Name(".pryrc"), shell("pry")),
    (At::Name(".ghci"), shell("GHCi")),
    (At::Name(".iex.exs"), shell("IEx")),
    (At::Name(".ocamlinit"), shell("OCaml")),
    (At::Name(".latexmkrc"), shell("latexmk")),
    (At::Name("latexmkrc"), shell("latexmk")),
    (At::Name(".gdbinit"), shell("gdb")),
    (At::Name(".lldbinit"), shell("lldb")),
    (At::Name(".bazelrc"), packages("Bazel")),
    (At::Name(".netrc"), Sensitive { tool: "network programs", reason: "holds passwords" }),
    (
        At::Below(".ssh"),
        Sensitive { tool: "ssh", reason: "decides who may log in and which programs ssh runs" },
    ),
    (At::NameStart(".bash"), shell("bash")),
    (At::NameStart(".zsh"), shell("zsh")),
    (At::NameStart(".zprofile"), shell("zsh")),
    (At::Name(".profile"), shell("the login shell")),
];

const HOOK: Sensitive = Sensitive { tool: "git hooks", reason: "runs commands at a commit or checkout" };

const CONTAINER: Sensitive =
    Sensitive { tool: "development containers", reason: "runs commands when the project is opened" };

const fn workflow(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "runs commands on a build server, with its secrets" }
}

const fn editor(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "can run commands when the project is opened" }
}

const fn agent(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "can give a coding agent commands, servers or permissions" }
}

const fn shell(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "runs commands when a shell or tool starts in the folder" }
}

const fn repository(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "holds a repository's own settings, which can name programs to run" }
}

const fn packages(tool: &'static str) -> Sensitive {
    Sensitive { tool, reason: "can redirect downloads or name programs to run" }
}

/// A name of the form NTFS makes for a longer one: which file it would change there is unknown here.
const SHORT_NAME: Sensitive =
    Sensitive { tool: "Windows", reason: "may be the short name of any other file, such as .github" };

/// Whether changing the file needs its own approval, and why.
///
/// ```
/// use relay_workspace::{RelPath, sensitive};
/// let path = RelPath::new(".github/workflows/ci.yml")?;
/// assert_eq!(sensitive(&path).map(|found| found.tool), Some("GitHub Actions"));
/// assert_eq!(sensitive(&RelPath::new("src/main.rs")?), None);
/// # Ok::<(), relay_workspace::PathRefusal>(())
/// ```
#[must_use]
pub fn sensitive(path: impl AsRef<str>) -> Option<Sensitive> {
    let path = folded(path.as_ref());
    let name = path.rsplit_once('/').map_or(&*path, |(_, name)| name);
    let covers = |(at, _): &&Rule| at.covers(&path, name);
    let has_dotted_part = path.starts_with('.') || path.as_bytes().windows(2).any(|pair| pair == b"/.");
    let rule = if has_dotted_part {
        RULES.iter().find(covers)
    } else {
        let (names, others) = &*UNDOTTED;
        names.get(name).copied().or_else(|| others.iter().copied().find(covers))
    };
    let is_short = || path.contains('~') && path.split('/').any(is_short_name);
    rule.map(|(_, why)| *why).or_else(|| is_short().then_some(SHORT_NAME))
}

/// The path with every component folded. Most paths are already.
fn folded(path: &str) -> Cow<'_, str> {
    let is_folded = |byte: u8| byte.is_ascii_graphic() && !byte.is_ascii_uppercase() && byte != b':';
    if path.bytes().all(is_folded) {
        return path.into();
    }
    let parts: Vec<Cow<'_, str>> = path.split('/').map(|name| file_of(fold(name))).collect();
    parts.join("/").into()
}

/// A rule, and what it says about a file.
type Rule = (At, Sensitive);

/// The rules that may cover a path of which no part begins with a dot, those about whole names by the name. Most paths are of
/// that kind, and most rules not.
static UNDOTTED: LazyLock<(HashMap<&str, &Rule>, Vec<&Rule>)> = LazyLock::new(|| {
    let (mut names, mut others) = (HashMap::new(), Vec::new());
    for rule in RULES.iter().filter(|(at, _)| !at.needs_dot()) {
        match rule.0 {
            At::Name(name) => drop(names.insert(name, rule)),
            _ => others.push(rule),
        }
    }
    (names, others)
});

/// The file a folded name means: on NTFS what follows a colon names a stream of the same file.
fn file_of(folded: Cow<'_, str>) -> Cow<'_, str> {
    match folded.split_once(':') {
        Some((file, _)) => file.to_owned().into(),
        None => folded,
    }
}

/// Whether a folded name has the form of the short ones that NTFS makes: at most six characters, a tilde and a number,
/// and an extension of at most three.
fn is_short_name(folded: &str) -> bool {
    let (stem, extension) = folded.split_once('.').unwrap_or((folded, ""));
    let Some((before, number)) = stem.rsplit_once('~') else { return false };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !before.is_empty() && stem.len() <= 8 && extension.len() <= 3
}

impl At {
    /// Whether it covers only paths of which some part begins with a dot.
    fn needs_dot(&self) -> bool {
        match self {
            Self::Below(start)
            | Self::BelowRoot(start)
            | Self::Name(start)
            | Self::NameStart(start)
            | Self::End(start) => start.starts_with('.'),
            Self::NameEnd(_) => false,
        }
    }

    /// Whether it covers a folded path, given with its last component.
    fn covers(&self, path: &str, name: &str) -> bool {
        match self {
            // The folder's own name counts too: a file or link in its place decides as much.
            Self::Below(folder) => path.split('/').any(|part| part == *folder),
            Self::BelowRoot(folder) => {
                path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::Name(wanted) => name == *wanted,
            Self::NameStart(start) => name.starts_with(start),
            Self::NameEnd(end) => name.ends_with(end),
            Self::End(end) => {
                path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RelPath;

    fn check(path: &str, tool: Option<&str>) {
        let found = sensitive(RelPath::new(path).unwrap());
        assert_eq!(found.map(|found| found.tool), tool, "{path}");
    }

    #[test]
    fn files_that_make_other_tools_execute_are_known() {
        for (path, tool) in [
            (".github/workflows/ci.yml", "GitHub Actions"),
            (".github/dependabot.yml", "GitHub"),
            (".gitlab-ci.yml", "GitLab CI"),
            (".vscode/settings.json", "VS Code"),
            ("packages/a/.vscode/tasks.json", "VS Code"),
            ("my.code-workspace", "VS Code"),
            (".idea/workspace.xml", "JetBrains IDEs"),
            (".cursor/mcp.json", "Cursor"),
            (".claude/settings.local.json", "Claude Code"),
            (".mcp.json", "MCP clients"),
            (".envrc", "direnv"),
            ("sub/.envrc", "direnv"),
            (".husky/pre-commit", "git hooks"),
            (".npmrc", "npm"),
            (".yarnrc.yml", "Yarn"),
            (".cargo/config.toml", "Cargo"),
            ("sub/.cargo/config", "Cargo"),
            (".pre-commit-config.yaml", "git hooks"),
            (".gitattributes", "git"),
            (".gitmodules", "git"),
            (".devcontainer/devcontainer.json", "development containers"),
            ("fixtures/bare/HEAD", "git"),
            (".hg/hgrc", "Mercurial"),
            (".Rprofile", "R"),
        ] {
            check(path, Some(tool));
        }
    }

    #[test]
    fn another_case_or_form_asks_as_well() {
        check(".GitHub/Workflows/x.yml", Some("GitHub Actions"));
        check(".ＶＳcode/settings.json", Some("VS Code"));
        check(".NPMRC", Some("npm"));
        check(".npmrc::$DATA", Some("npm"));
        check(".vscode:x/settings.json", Some("VS Code"));
        check("GITHUB~1/workflows/x.yml", Some("Windows"));
        check("npmrc~1", Some("Windows"));
    }

    #[test]
    fn ordinary_files_do_not_ask() {
        for path in [
            "src/main.rs",
            "package.json",
            "Cargo.toml",
            "build.rs",
            "Makefile",
            ".gitignore",
            ".editorconfig",
            ".prettierrc",
            "docs/github/workflows/x.md",
            "src/envrc",
            "src/header.rs",
            "config.toml",
            "a.cargo/config.toml",
            "README.md",
            "src/environment.ts",
            "vscode/settings.json",
            "notes~1.backup",
            "a~b.txt",
            "note:b.txt",
        ] {
            check(path, None);
        }
    }

    fn patterns() -> impl Iterator<Item = &'static str> {
        RULES.iter().map(|(at, _)| match at {
            At::Below(p)
            | At::BelowRoot(p)
            | At::Name(p)
            | At::NameStart(p)
            | At::NameEnd(p)
            | At::End(p) => *p,
        })
    }

    #[test]
    fn no_rule_is_skipped() {
        for p in patterns() {
            let paths =
                [p.to_owned(), format!("{p}/x"), format!("a/{p}"), format!("a/x{p}"), format!("{p}x")];
            for path in paths.iter().filter_map(|path| RelPath::new(path).ok()) {
                let covered = RULES.iter().find(|(at, _)| at.covers(path.as_str(), path.file_name()));
                assert_eq!(sensitive(&path), covered.map(|(_, why)| *why), "{path}");
            }
        }
    }

    #[test]
    fn patterns_are_written_folded() {
        for p in patterns() {
            assert_eq!(fold(p), p);
        }
    }
}
