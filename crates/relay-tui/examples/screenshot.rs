//! Renders a screen of the interface as a page, for a browser to make a picture of:
//!
//! ```text
//! cargo run -p relay-tui --example screenshot -- session 100 40 midnight > screen.html
//! chromium --headless --screenshot=screen.png --window-size=1000,900 screen.html
//! ```

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "an example for developers"
)]

#[path = "../tests/it/scenes.rs"]
mod scenes;
#[path = "../tests/it/stage.rs"]
mod stage;

use serde_json::json;
use stage::Stage;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, usual: u16| arguments.get(at).and_then(|text| text.parse().ok()).unwrap_or(usual);
    let mut stage = Stage::ready(number(1, 100), number(2, 40));
    if let Some(theme) = arguments.get(3) {
        stage.app.options.themes = [theme.clone(), theme.clone()];
        stage.answer("set_setting", json!({ "key": "theme.dark", "value": theme }));
    }
    scene(&mut stage, arguments.first().map_or("session", String::as_str));
    println!("{}", page(&stage));
}

/// Brings the interface into a state: one of the screens that the tests keep, or one of a few more.
fn scene(stage: &mut Stage, name: &str) {
    if let Some((_, bring_up)) = scenes::SCENES.iter().find(|(known, _)| *known == name) {
        return bring_up(stage);
    }
    match name {
        "first" => {}
        "working" => {
            stage.frame(json!({ "type": "agent_start" }));
            stage.frame(json!({ "type": "message_end", "message": { "role": "user", "content": "Add a cache to the resolver" } }));
            stage.frame(
                json!({ "type": "session_data", "kind": "todos", "data": [{ "name": "Cache", "tasks": [
                { "content": "Read the resolver", "status": "completed" },
                { "content": "Add the cache", "status": "in_progress" },
                { "content": "Measure it", "status": "pending" } ] }] }),
            );
            stage.tool("read", json!({ "path": "src/resolver.rs" }), json!({ "content": [] }), false);
            stage.frame(json!({ "type": "tool_execution_start", "toolCallId": "b", "toolName": "bash", "args": { "command": "cargo bench" } }));
            stage.frame(json!({ "type": "tool_execution_update", "toolCallId": "b", "partialResult": { "content": [{ "type": "text", "text": "resolve/cold  1.2 ms\nresolve/warm  14 us\n" }] } }));
            stage.frame(
                json!({ "type": "queue_update", "steering": [], "followUp": ["then update the changelog"] }),
            );
            stage.pass(7_400);
        }
        _ => stage.play(),
    }
}

fn color(color: vt100::Color, usual: &str) -> String {
    match color {
        vt100::Color::Default => usual.to_owned(),
        vt100::Color::Idx(index) => format!("hsl({}, 60%, 60%)", u32::from(index) * 40 % 360),
        vt100::Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

fn page(stage: &Stage) -> String {
    let screen = stage.terminal.screen();
    let (width, height) = stage.size;
    let mut body = String::new();
    for row in 0..height {
        for column in 0..width {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
                continue;
            };
            let text = match cell.contents() {
                "" => " ".to_owned(),
                text => text.replace('&', "&amp;").replace('<', "&lt;"),
            };
            let is_cursor = !screen.hide_cursor() && screen.cursor_position() == (row, column);
            let back = if is_cursor { "#cad3f5".to_owned() } else { color(cell.bgcolor(), "transparent") };
            let mut style = format!("color:{};background:{back}", color(cell.fgcolor(), "#cad3f5"));
            for (is_on, more) in [
                (cell.bold(), ";font-weight:bold"),
                (cell.italic(), ";font-style:italic"),
                (cell.underline(), ";text-decoration:underline"),
                (cell.dim(), ";opacity:.7"),
                (cell.is_wide(), ";width:2ch"),
            ] {
                if is_on {
                    style.push_str(more);
                }
            }
            body.push_str(&format!("<span style=\"{style}\">{text}</span>"));
        }
        body.push('\n');
    }
    format!(
        "<!doctype html><meta charset=utf-8><style>body{{background:#1e2030;margin:16px}}pre{{font:15px/1.25 'DejaVu Sans Mono',monospace}}span{{display:inline-block;width:1ch;overflow:visible;height:1.25em}}</style><pre>{body}</pre>"
    )
}
