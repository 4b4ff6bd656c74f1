//! A session in which every text that a reader sees tries to get out of the page.

use relay_agent::session::Document;
use serde_json::{Value, json};

/// Where a text that got out would report to; the test puts a real address there.
pub const HOST: &str = "INJECTED-HOST";

/// Texts that run a script, fetch something or change the page wherever they are taken as markup.
pub const STRINGS: [&str; 32] = [
    "<script>document.documentElement.dataset.pwned=1;fetch('http://INJECTED-HOST/1')</script>",
    "</script><script>document.documentElement.dataset.pwned=2</script>",
    "</style><script>document.documentElement.dataset.pwned=3</script>",
    "</title><script>document.documentElement.dataset.pwned=4</script>",
    "</textarea></pre></code><script>document.documentElement.dataset.pwned=5</script>",
    "<img src=x onerror=\"document.documentElement.dataset.pwned=6\">",
    "<img src=\"http://INJECTED-HOST/7.png\">",
    "<svg onload=document.documentElement.dataset.pwned=8>",
    "<svg><script href=\"http://INJECTED-HOST/9.js\"></script></svg>",
    "<iframe src=\"http://INJECTED-HOST/10\"></iframe>",
    "<iframe srcdoc=\"<script>parent.document.documentElement.dataset.pwned=11</script>\"></iframe>",
    "<object data=\"http://INJECTED-HOST/12\"></object><embed src=\"http://INJECTED-HOST/12\">",
    "<link rel=stylesheet href=\"http://INJECTED-HOST/13.css\">",
    "<style>@import url(http://INJECTED-HOST/14.css);body{background:url(http://INJECTED-HOST/14.png)}</style>",
    "<meta http-equiv=refresh content=\"0;url=http://INJECTED-HOST/15\">",
    "<base href=\"http://INJECTED-HOST/16/\">",
    "\" onmouseover=\"document.documentElement.dataset.pwned=17\" autofocus onfocus=\"document.documentElement.dataset.pwned=17\" x=\"",
    "' onfocus='document.documentElement.dataset.pwned=18' autofocus '",
    "\"><script>document.documentElement.dataset.pwned=19</script>",
    "'><script>document.documentElement.dataset.pwned=20</script>",
    "`><script>document.documentElement.dataset.pwned=21</script>",
    "--><script>document.documentElement.dataset.pwned=22</script><!--",
    "]]><script>document.documentElement.dataset.pwned=23</script>",
    "<video src=\"http://INJECTED-HOST/24\" autoplay></video><audio src=\"http://INJECTED-HOST/24\" autoplay></audio>",
    "<details open ontoggle=document.documentElement.dataset.pwned=25>",
    "<form action=\"http://INJECTED-HOST/26\"><button autofocus>x</button></form>",
    "[x](javascript:document.documentElement.dataset.pwned=27)",
    "![x](http://INJECTED-HOST/28.png) <http://INJECTED-HOST/28>",
    "[x](https://a.example/\" onmouseover=\"document.documentElement.dataset.pwned=29)",
    "```<script>document.documentElement.dataset.pwned=30</script>\ncode\n```",
    "<math><mtext></mtext><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=document.documentElement.dataset.pwned=31&gt;\">",
    "\u{0}\u{1b}]8;;http://INJECTED-HOST/32\u{7}x\u{202e}<ScRiPt/x>document.documentElement.dataset.pwned=32</sCrIpT>",
];

/// The session: every string in every place.
pub fn session(host: &str) -> Document {
    let strings: Vec<String> = STRINGS.iter().map(|text| text.replace(HOST, host)).collect();
    let all = strings.join(" ");
    let mut lines = vec![json!({
        "type": "session", "version": 3, "id": all, "timestamp": all, "cwd": all, "title": all, "parentSession": all,
    })];
    let mut parent: Option<String> = None;
    for (round, text) in strings.iter().enumerate() {
        for (number, mut entry) in entries(round, text).into_iter().enumerate() {
            let id = format!("{round}-{number}-{text}");
            entry["id"] = id.as_str().into();
            entry["parentId"] = parent.as_deref().into();
            entry["timestamp"] = text.as_str().into();
            lines.push(entry);
            // Every now and then a branch is left.
            parent = if number == 2 { parent } else { Some(id) };
        }
        let target = parent.clone();
        lines.push(json!({ "type": "label", "id": format!("{round}-label"), "parentId": target, "targetId": target, "label": text }));
    }
    let bytes = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n").into_bytes();
    let document = Document::parse(bytes).unwrap();
    assert_eq!(document.damage, []);
    document
}

fn entries(round: usize, text: &str) -> Vec<Value> {
    let call_id = format!("call {round} {text}");
    let message = |message: Value| json!({ "type": "message", "message": message });
    let calls = [
        json!({ "path": text, "oldText": text, "newText": format!("{text}\n{text}") }),
        json!({ "file_path": text, "content": text }),
        json!({ "command": text, text: text }),
        json!({ "patch": format!("*** Begin Patch\n{text}\n-{text}\n+{text}\n@@ {text}\n*** End Patch") }),
        json!({ text: { text: [text] } }),
    ];
    let blocks = calls.iter().enumerate().map(|(number, arguments)| {
        json!({ "type": "toolCall", "id": format!("{call_id}{number}"), "name": text, "arguments": arguments })
    });
    let mut said = vec![
        json!({ "type": "thinking", "thinking": text }),
        json!({ "type": "text", "text": format!("# {text}\n\n{text}\n\n- {text}\n\n| {text} |\n|--|\n| {text} |\n\n~~~{text}\n{text}\n~~~\n") }),
        json!({ "type": "image", "data": text, "mimeType": text }),
        json!({ "type": "image", "data": "PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+", "mimeType": "image/svg+xml" }),
        json!({ "type": text, "x": text }),
        json!({ "type": "toolCall", "id": text, "name": text, "arguments": {}, "malformed": { "text": text, "reason": text } }),
    ];
    said.extend(blocks);
    let result = |number: usize, is_error: bool| {
        message(
            json!({ "role": "toolResult", "toolCallId": format!("{call_id}{number}"), "toolName": text, "isError": is_error,
            "content": [{ "type": "text", "text": text }, { "type": "image", "data": text, "mimeType": text }],
            "details": { "diff": if number == 4 { text } else { "" } } }),
        )
    };
    vec![
        message(json!({ "role": "user", "content": text })),
        message(
            json!({ "role": "assistant", "content": said, "api": text, "provider": text, "model": text, "stopReason": text, "errorMessage": text,
            "usage": { "input": 1, "output": 2, "cost": { "total": 0.5 } } }),
        ),
        message(json!({ "role": "user", "content": [{ "type": "text", "text": format!("left {text}") }] })),
        result(0, false),
        result(1, true),
        result(2, true),
        result(4, false),
        message(json!({ "role": "toolResult", "toolCallId": "none", "toolName": text, "content": text })),
        message(json!({ "role": "bashExecution", "command": text, "output": text, "exitCode": 1 })),
        message(json!({ "role": "pythonExecution", "code": text, "output": text })),
        message(json!({ "role": "fileMention", "files": [{ "path": text, "content": text }] })),
        message(json!({ "role": "custom", "customType": text, "content": text })),
        message(json!({ "role": text, "content": text })),
        json!({ "type": "model_change", "model": text }),
        json!({ "type": "thinking_level_change", "thinkingLevel": text }),
        json!({ "type": "service_tier_change", "serviceTier": { text: text } }),
        json!({ "type": "mode_change", "mode": text }),
        json!({ "type": "ttsr_injection", "injectedRules": [text] }),
        json!({ "type": "mcp_tool_selection", "selectedToolNames": [text] }),
        json!({ "type": "session_init", "systemPrompt": [text], "task": text, "tools": [text] }),
        json!({ "type": "compaction", "summary": text, "tokensBefore": 5 }),
        json!({ "type": "branch_summary", "fromId": text, "summary": text }),
        json!({ "type": "custom_message", "customType": text, "content": text, "display": true }),
        json!({ "type": "custom", "customType": text, "data": text }),
        json!({ "type": "session_info", "name": text }),
        json!({ "type": "message", "message": { "role": "assistant", "content": 7, text: text } }),
    ]
}
