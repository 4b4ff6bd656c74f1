//! Drawings as they are, and what is wrong with those that cannot be.

use super::*;

const PLAIN: Style = Style { ascii: false, padding_x: 5, padding_y: 3, inner: 1 };
const ASCII: Style = Style { ascii: true, ..PLAIN };

fn check(source: &str, style: Style, expected: &str) {
    let drawing = draw(source, style).unwrap();
    assert_eq!(drawing, expected.trim_matches('\n'), "\n{drawing}\n");
}

#[test]
fn a_flowchart_goes_down() {
    check(
        "graph TD\n A[Start] --> B(End)",
        PLAIN,
        "
 ┌───────┐
 │ Start │
 └───┬───┘
     │
     │
     ▼
  ╭─────╮
  │ End │
  ╰─────╯",
    );
}

#[test]
fn a_flowchart_goes_right_with_words_on_its_lines() {
    check(
        "flowchart LR\n A -->|yes| B",
        ASCII,
        "
+---+      +---+
| A +-yes->| B |
+---+      +---+",
    );
}

#[test]
fn every_box_and_word_of_a_larger_chart_is_drawn() {
    let source = "graph TD; A[Ask] --> B{Sure?}; B -- yes --> C[Do]; B -- no --> D[Wait]; D -.-> A; C & D ==> E((End))";
    for way in ["TD", "BT", "LR", "RL"] {
        for style in [PLAIN, ASCII] {
            let drawing = draw(&source.replace("TD", way), style).unwrap();
            for word in ["Ask", "Sure?", "yes", "no", "Do", "Wait", "End"] {
                assert!(drawing.contains(word), "{way} {word}:\n{drawing}");
            }
            assert_eq!(drawing.is_ascii(), style.ascii, "{drawing}");
        }
    }
}

#[test]
fn a_sequence_goes_from_top_to_bottom() {
    check(
        "sequenceDiagram\n participant A as Ann\n A->>Bob: Hi\n Bob-->>A: Hello",
        ASCII,
        "
+-----+     +-----+
| Ann |     | Bob |
+--+--+     +--+--+
   |    Hi     |
   +---------->+
   |           |
   |   Hello   |
   +<..........+
   |           |
   |           |
+--+--+     +--+--+
| Ann |     | Bob |
+-----+     +-----+",
    );
}

#[test]
fn parts_notes_and_numbers_are_in_a_sequence() {
    let drawing = draw(
        "sequenceDiagram\n autonumber\n A->>B: one\n loop each day\n B->>B: think\n Note over A,B: both\n end\n B-xA: no",
        PLAIN,
    )
    .unwrap();
    for word in ["1. one", "[loop each day]", "2. think", "both", "[end]", "3. no", "✕"] {
        assert!(drawing.contains(word), "{word}:\n{drawing}");
    }
}

#[test]
fn states_classes_and_entities_are_boxes() {
    let state = draw("stateDiagram-v2\n [*] --> Idle\n Idle --> Busy : start\n Busy --> [*]", PLAIN).unwrap();
    for word in ["●", "Idle", "start", "Busy", "◎"] {
        assert!(state.contains(word), "{word}:\n{state}");
    }
    let class = draw(
        "classDiagram\n class Animal {\n +int age\n +eat() void\n }\n Animal <|-- Dog : is\n Dog : +bark()",
        PLAIN,
    )
    .unwrap();
    for word in ["Animal", "+int age", "+eat() void", "Dog", "+bark()", "is", "├"] {
        assert!(class.contains(word), "{word}:\n{class}");
    }
    let entity = draw("erDiagram\n CUSTOMER ||--o{ ORDER : places\n ORDER {\n int id PK\n }", ASCII).unwrap();
    for word in ["CUSTOMER", "1 places 0..*", "ORDER", "int id PK"] {
        assert!(entity.contains(word), "{word}:\n{entity}");
    }
}

#[test]
fn circles_and_loops_end() {
    let drawing = draw("graph LR\n A --> B --> C --> A\n B --> B", PLAIN).unwrap();
    assert!(drawing.contains('↺') && drawing.contains('◄'), "{drawing}");
}

#[test]
fn errors_are_named_with_their_line() {
    for (source, says) in [
        ("", "empty"),
        ("pie title x", "`pie` cannot be drawn"),
        ("graph XX\n A", "`XX` is not a direction"),
        ("graph TD\n A -> B", "Line 2: `-> B` is not an arrow"),
        ("graph TD\n A[open", "Line 2: `[` without its `]`"),
        ("graph TD\n --> B", "Line 2: expected the name of a box"),
        ("graph TD\n subgraph x\n A", "no `end`"),
        ("graph TD", "no boxes"),
        ("sequenceDiagram\n A talks to B", "Line 2: `A talks to B` is not a message"),
        ("sequenceDiagram\n A->>B", "needs `: text`"),
        ("sequenceDiagram\n loop x\n A->>B: y", "no `end`"),
        ("stateDiagram-v2\n what is this", "not a transition"),
        ("classDiagram\n class A {\n x", "no `}`"),
        ("erDiagram\n A >> B", "not the name of an entity"),
        ("erDiagram\n A |>--o{ B : x", "is not a relation"),
    ] {
        let error = draw(source, PLAIN).unwrap_err();
        assert!(error.contains(says), "{source:?}: {error}");
    }
    let many: String = (0..300).map(|n| format!("A{n} --> B{n}\n")).collect();
    assert!(draw(&format!("graph TD\n{many}"), PLAIN).unwrap_err().contains("more than"));
}

#[test]
fn groups_have_frames_of_their_own() {
    check(
        "graph TD\n subgraph one [First]\n A --> B\n end\n subgraph two\n C\n end\n A --> C",
        PLAIN,
        "
 ┌ First ┐
 │       │
 │ ┌───┐ │
 │ │ A │ │
 │ └┬─┬┘ │
 │  └┐└──┼─────────┐
 │   │   │         │
 │   │   │     ┌ two ──┐
 │   ▼   │     │   ▼   │
 │ ┌───┐ │     │ ┌───┐ │
 │ │ B │ │     │ │ C │ │
 │ └───┘ │     │ └───┘ │
 │       │     │       │
 └───────┘     └───────┘",
    );
    let nested = "graph LR\n subgraph Outer\n subgraph Inner\n A\n end\n B\n end\n A --> B --> D";
    let drawing = draw(nested, ASCII).unwrap();
    for word in [" Outer ", " Inner ", " A ", " B ", " D "] {
        assert_eq!(drawing.matches(word).count(), 1, "{word}\n{drawing}");
    }
}

/// No box of another group is inside a frame, and every title is there.
#[test]
fn frames_hold_their_own_boxes_only() {
    let source = "graph TD\n subgraph alpha\n A1 --> A2 --> A3\n end\n subgraph beta\n B1 --> B2\n end\n\
                  A1 --> B2\n B1 --> A3\n X --> A1\n X --> B1\n A3 --> Y\n B2 --> Y\n beta --> Z";
    let drawing = draw(source, PLAIN).unwrap();
    for word in ["alpha", "beta", "A1", "A2", "A3", "B1", "B2", "X", "Y", "Z"] {
        assert_eq!(drawing.matches(word).count(), 1, "{word}\n{drawing}");
    }
}

#[test]
fn states_inside_states_have_a_frame() {
    check(
        "stateDiagram-v2\n [*] --> Active\n state Active {\n [*] --> On\n On --> [*]\n }\n Active --> [*]",
        PLAIN,
        "
 ╭───╮
 │ ● │
 ╰─┬─╯
   └────────────┐
                │
           ┌ Active ┐
           │    ▼   │
           │  ╭───╮ │
           │  │ ● │ │
           │  ╰─┬─╯ │
           │    │   │
           │    │   │
           │    ▼   │
           │ ╭────╮ │
           │ │ On │ │
           │ ╰──┬─╯ │
           │    │   │
           │    │   │
           │    ▼   │
           │  ╭───╮ │
           │  │ ◎ │ │
           │  ╰─┬─╯ │
   ┌───────┼────┘   │
   │       └────────┘
   │
   ▼
 ╭───╮
 │ ◎ │
 ╰───╯",
    );
}

const NESTED: &str = "stateDiagram-v2
    direction LR
    [*] --> Idle
    Idle --> Working : start
    state \"At work\" as Working {
        direction TB
        [*] --> Reading
        Reading --> Writing : found
        state Writing {
            [*] --> Draft
            Draft --> Final
            Final --> [*]
        }
        Writing --> [*]
        --
        [*] --> Watching
    }
    Working --> Idle : done
    Working : still at work
    state Empty {
    }
    Idle --> Empty";

/// Every state is there once, every region has a beginning of its own, and transitions of frames lead to boxes in them.
#[test]
fn nested_regions_and_titles_are_drawn() {
    for way in ["LR", "TB"] {
        for style in [PLAIN, ASCII] {
            let drawing = draw(&NESTED.replacen("LR", way, 1), style).unwrap();
            for word in
                ["Idle", "Reading", "Draft", "Final", "Watching", "still at work", "start", "found", "done"]
            {
                assert_eq!(drawing.matches(word).count(), 1, "{word}\n{drawing}");
            }
            assert_eq!(drawing.matches(" Writing ").count(), 1, "{drawing}");
            assert_eq!(drawing.matches("Empty").count(), 2, "a frame and its box\n{drawing}");
            if style == PLAIN {
                assert_eq!((drawing.matches('●').count(), drawing.matches('◎').count()), (4, 2), "{drawing}");
            }
        }
    }
}

#[test]
fn frames_of_states_are_ended_where_they_began() {
    for (source, says) in [
        ("stateDiagram\n state A {\n x --> y", "A state has no `}`"),
        ("stateDiagram\n x --> y\n }", "Line 3: `}` without a state"),
        ("stateDiagram\n state a b {\n }", "Line 2: `a b` is not the name of a state"),
    ] {
        let error = draw(source, PLAIN).unwrap_err();
        assert!(error.contains(says), "{source:?}: {error}");
    }
}
