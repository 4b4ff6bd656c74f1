//! Sessions as HTML, Markdown and JSON.

use std::collections::BTreeSet;

use relay_agent::export::{Format, OfferedTool, Transcript, render};
use relay_agent::import::read;
use relay_agent::session::Document;

use crate::hostile;

fn fixture(name: &str) -> Document {
    let path = format!("{}/tests/fixtures/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    read(std::fs::read(path).unwrap()).unwrap().document
}

fn export(document: &Document, format: Format) -> String {
    render(&Transcript::new(&document.header, &document.entries), format)
}

/// A tag of a page: its name and its attributes.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

/// Reads a page as a browser's tokenizer does, as far as the page uses it: attributes are in double quotes, and what is
/// inside `style` and `script` is not markup.
fn tags(page: &str) -> Vec<Tag> {
    let (mut tags, mut rest) = (Vec::new(), page);
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let letters = rest.find(|letter: char| letter.is_whitespace() || letter == '>').unwrap();
        let name = rest[..letters].to_owned();
        let (mut attributes, mut inside) = (Vec::new(), &rest[letters..]);
        loop {
            inside = inside.trim_start();
            if let Some(after) = inside.strip_prefix('>') {
                rest = after;
                break;
            }
            let end = inside.find(['=', '>', ' ']).unwrap();
            let key = inside[..end].to_owned();
            match inside[end..].strip_prefix("=\"") {
                Some(value) => {
                    let close = value.find('"').unwrap();
                    attributes.push((key, value[..close].to_owned()));
                    inside = &value[close + 1..];
                }
                None => {
                    assert!(!inside[end..].starts_with('='), "an attribute without quotes: {key}");
                    attributes.push((key, String::new()));
                    inside = &inside[end..];
                }
            }
        }
        if name == "style" || name == "script" {
            rest = &rest[rest.find(&format!("</{name}>")).unwrap()..];
        }
        tags.push(Tag { name, attributes });
    }
    tags
}

#[test]
fn a_hostile_session_brings_no_markup_of_its_own() {
    let document = hostile::session("127.0.0.1:1");
    let page = export(&document, Format::Html);
    let tags = tags(&page);
    let known: BTreeSet<&str> = "!doctype html head meta title link style body a aside div span button label input output nav main \
        header h1 p dl dt dd small table thead tr th td section article b time details summary code pre em i ul ol li strong del \
        blockquote h3 h4 h5 br hr figure img footer script"
        .split_whitespace()
        .collect();
    let attributes: BTreeSet<&str> =
        "lang charset http-equiv content name rel href class id data-up data-hide aria-label aria-pressed \
        title type placeholder autocomplete spellcheck role open target alt loading src html"
            .split_whitespace()
            .collect();
    for tag in &tags {
        assert!(known.contains(tag.name.trim_start_matches('/')), "<{}>", tag.name);
        for (key, value) in &tag.attributes {
            assert!(attributes.contains(key.as_str()), "<{} {key}=\"{value}\">", tag.name);
            match (tag.name.as_str(), key.as_str()) {
                ("img", "src") => assert!(value.starts_with("data:image/"), "{value}"),
                ("link", "href") => assert_eq!(value, "data:,"),
                ("a", "href") => {
                    let is_safe =
                        ["#", "http://", "https://", "mailto:"].iter().any(|start| value.starts_with(start));
                    assert!(is_safe, "{value}");
                }
                (_, "src" | "href") => panic!("<{} {key}>", tag.name),
                _ => {}
            }
        }
    }
    let count = |name: &str| tags.iter().filter(|tag| tag.name == name).count();
    assert_eq!((count("script"), count("style"), count("html"), count("body")), (1, 1, 1, 1));
    assert_eq!(count("meta"), 6);
    assert!(count("article") > 500 && count("details") > 400, "the content is there");
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    assert!(!page.contains('\0') && !page.contains('\u{202e}'));
}

#[test]
fn a_session_of_another_program_is_a_page_with_everything_in_it() {
    for name in ["claude", "codex", "pi", "oh-my-pi"] {
        let page = export(&fixture(name), Format::Html);
        for part in [
            "Fix the greeting in hello.py",
            "You are welcome.",
            "Thinking <span>",
            "missing-folder",
            "class=\"pill bad\"",
        ] {
            assert!(page.contains(part), "{name}: {part}");
        }
        assert!(page.contains("<strong>Hello, world!</strong>"), "{name}: Markdown is rendered");
    }
    let page = export(&fixture("claude"), Format::Html);
    assert!(page.contains("class=\"ln del\"") && page.contains("class=\"ln add\""), "an edit is a diff");
    assert!(page.contains("Branch 1 of 2") && page.contains("Branch 2 of 2"), "branches lead to each other");
    assert!(page.contains("class=\"hf\""), "code is coloured");
    let page = export(&fixture("codex"), Format::Html);
    assert!(page.contains("class=\"ln add\""), "a patch in a command is a diff");
}

#[test]
fn the_prompt_and_the_tools_are_shown_where_they_are_known() {
    let document = fixture("pi");
    let tools = [OfferedTool { name: "read".to_owned(), description: "Reads <a> file.".to_owned() }];
    let mut transcript = Transcript::new(&document.header, &document.entries);
    (transcript.system_prompt, transcript.tools) = (Some("You are <b>Relay</b>."), &tools);
    let page = render(&transcript, Format::Html);
    assert!(page.contains("You are &lt;b&gt;Relay&lt;/b&gt;.") && page.contains("Reads &lt;a&gt; file."));
}

#[test]
fn a_stored_picture_is_in_the_page_and_in_the_json() {
    let lines = [
        r#"{"type":"session","version":3,"id":"s"}"#,
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"image","data":"blob:sha256:00ff","mimeType":"image/png"}]}}"#,
    ];
    let document = Document::parse(lines.join("\n").into_bytes()).unwrap();
    let blob = |name: &str| (name == "00ff").then(|| b"\x89PNG".to_vec());
    let mut transcript = Transcript::new(&document.header, &document.entries);
    transcript.blobs = &blob;
    assert!(render(&transcript, Format::Html).contains("src=\"data:image/png;base64,iVBORw==\""));
    assert!(render(&transcript, Format::Json).contains("\"data\": \"iVBORw==\""));
    let missing = render(&Transcript::new(&document.header, &document.entries), Format::Html);
    assert!(missing.contains("the stored picture is missing"));
}

#[test]
fn json_has_every_entry_and_what_it_cost() {
    let document = fixture("pi");
    let json: serde_json::Value = serde_json::from_str(&export(&document, Format::Json)).unwrap();
    assert_eq!(json["entries"].as_array().unwrap().len(), document.entries.len());
    assert_eq!(json["session"]["cwd"], "/home/me/greeter");
    assert_eq!(json["leafId"], document.entries.last().unwrap().id());
    assert_eq!(
        (json["usage"]["toolCalls"].as_u64(), json["usage"]["failedToolCalls"].as_u64()),
        (Some(3), Some(1))
    );
    assert!((json["usage"]["total"]["cost"].as_f64().unwrap() - 0.001374).abs() < 1e-9);
    let hostile = export(&hostile::session("127.0.0.1:1"), Format::Json);
    assert!(serde_json::from_str::<serde_json::Value>(&hostile).is_ok() && !hostile.contains('\u{202e}'));
}

#[test]
fn markdown_is_the_current_branch() {
    let text = export(&fixture("claude"), Format::Markdown);
    assert!(text.starts_with("# text\n") && text.contains("## You\n\nThank you\n"), "{text}");
    assert!(
        text.contains("```diff\n-    print(\"Helo \" + name)\n+    print(f\"Hello, {name}!\")\n```"),
        "{text}"
    );
    assert!(!text.contains("ls missing-folder"), "that is on the other branch");
    // A fence is longer than those inside it.
    let lines = [
        r#"{"type":"session","version":3,"id":"s"}"#,
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"bashExecution","command":"cat x","output":"````\n```"}}"#,
    ];
    let document = Document::parse(lines.join("\n").into_bytes()).unwrap();
    assert!(export(&document, Format::Markdown).contains("`````\n````\n```\n`````"));
}

#[test]
fn an_empty_session_is_a_page_too() {
    let document = Document::parse(br#"{"type":"session","version":3,"id":"s"}"#.to_vec()).unwrap();
    assert!(export(&document, Format::Html).contains("<h1>Untitled session</h1>"));
    assert!(export(&document, Format::Markdown).starts_with("# Untitled session"));
}
