//! Keys as terminals really send them, from bytes to what they do.

use relay_tui::input::Decoder;

use crate::stage::Stage;

fn send(stage: &mut Stage, bytes: &str) {
    let mut decoder = Decoder::default();
    let mut inputs = decoder.push(bytes.as_bytes());
    inputs.extend(decoder.settle());
    for input in inputs {
        stage.input(input);
    }
}

#[test]
fn the_same_keys_in_three_protocols() {
    for shift_enter in ["\x1b[13;2u", "\x1b[27;2;13~", "\x1b\r"] {
        let mut stage = Stage::ready(80, 24);
        send(&mut stage, &format!("one{shift_enter}two"));
        assert_eq!(stage.app.editor.text(), "one\ntwo", "{shift_enter:?}");
    }
}

#[test]
fn a_long_paste_is_folded_and_sent_in_full() {
    let mut stage = Stage::ready(80, 24);
    let text: String = (0..40).map(|number| format!("line {number}\r")).collect();
    send(&mut stage, &format!("\x1b[200~{text}\x1b[201~"));
    assert!(stage.screen().contains("[paste #1: 40 lines]"), "{}", stage.screen());
    stage.key("enter");
    assert!(stage.sent("prompt")[0]["message"].as_str().unwrap().contains("line 39"));
}
