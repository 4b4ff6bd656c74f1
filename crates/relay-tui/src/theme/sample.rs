//! A made-up conversation in the colours of a theme, to judge it by: `relay themes` prints it.

use super::{Symbol, Theme, Token};
use crate::text::{Color, Line, Style};

/// The colours that make the character of a theme.
const STRIP: [Token; 10] = [
    Token::Accent,
    Token::Error,
    Token::SyntaxNumber,
    Token::Warning,
    Token::Success,
    Token::SyntaxOperator,
    Token::MdLink,
    Token::CustomMessageLabel,
    Token::Muted,
    Token::Dim,
];

/// One line: the name, the strongest colours, and a remark at the end.
#[must_use]
pub fn strip(theme: &Theme, remark: &str) -> Line {
    let name = crate::text::clean_line(&theme.name);
    let mut line = Line::of(name, theme.fg(Token::Accent).bold()).padded(16, Style::default());
    for token in STRIP {
        line.push(format!("{} ", theme.sign(Symbol::StatusRunning)), theme.fg(token));
    }
    line.and(format!(" {remark}"), theme.fg(Token::Dim))
}

/// A whole sample for this many columns.
#[must_use]
pub fn sample(theme: &Theme, width: usize) -> Vec<Line> {
    let mut lines = vec![rule(theme, width), Line::new()];
    lines.push(user(theme, "The lexer should accept comments."));
    lines.push(Line::new());
    lines.push(Line::of("Everything after # is an error so far.", theme.fg(Token::ThinkingText).italic()));
    lines.push(Line::new());
    lines.extend(prose(theme));
    lines.push(Line::new());
    lines.extend(code(theme));
    lines.push(Line::new());
    lines.extend(tools(theme));
    lines.push(Line::new());
    lines.push(levels(theme));
    lines.push(status(theme));
    lines.into_iter().map(|line| line.truncated(width, theme.sign(Symbol::Ellipsis))).collect()
}

fn rule(theme: &Theme, width: usize) -> Line {
    let horizontal = theme.sign(Symbol::BoxHorizontal);
    let kind = if theme.is_light() { "for light backgrounds" } else { "for dark backgrounds" };
    let line = Line::of(horizontal.repeat(2), theme.fg(Token::BorderAccent))
        .and(format!(" {} ", crate::text::clean_line(&theme.name)), theme.fg(Token::Accent).bold())
        .and(format!("{kind} "), theme.fg(Token::Dim));
    let rest = width.saturating_sub(line.width());
    line.and(horizontal.repeat(rest), theme.fg(Token::Border))
}

fn user(theme: &Theme, text: &str) -> Line {
    let background = theme.color(Token::UserMessageBg);
    let style = theme.fg(Token::UserMessageText).on(background);
    Line::of(format!("{} ", theme.sign(Symbol::Prompt)), theme.fg(Token::Accent).on(background))
        .and(text, style)
        .filled(background)
}

fn prose(theme: &Theme) -> Vec<Line> {
    let text = theme.fg(Token::Text);
    let bullet = || Line::of(format!("{} ", theme.sign(Symbol::MdBullet)), theme.fg(Token::MdListBullet));
    vec![
        Line::of("Comments in the lexer", theme.fg(Token::MdHeading).bold()),
        bullet().and("skip to the end of the line in ", text).and("next_token", theme.fg(Token::MdCode)),
        bullet()
            .and("as the ", text)
            .and("grammar", theme.fg(Token::MdLink).underline())
            .and(" (docs/grammar.md)", theme.fg(Token::MdLinkUrl))
            .and(" says", text),
        Line::of(format!("{} ", theme.sign(Symbol::MdQuote)), theme.fg(Token::MdQuoteBorder))
            .and("A comment ends with its line.", theme.fg(Token::MdQuote).italic()),
    ]
}

fn code(theme: &Theme) -> Vec<Line> {
    let fg = |token| theme.fg(token);
    let (keyword, function, plain) =
        (fg(Token::SyntaxKeyword), fg(Token::SyntaxFunction), fg(Token::SyntaxPunctuation));
    vec![
        Line::of("  ", Style::default()).and("// One token further.", fg(Token::SyntaxComment)),
        Line::of("  ", Style::default())
            .and("fn ", keyword)
            .and("next_token", function)
            .and("(", plain)
            .and("text", fg(Token::SyntaxVariable))
            .and(": ", plain)
            .and("&str", fg(Token::SyntaxType))
            .and(") ", plain)
            .and("-> ", fg(Token::SyntaxOperator))
            .and("Token", fg(Token::SyntaxType))
            .and(" {", plain),
        Line::of("      ", Style::default())
            .and("skip", function)
            .and("(text, ", plain)
            .and("\"#\"", fg(Token::SyntaxString))
            .and(", ", plain)
            .and("1", fg(Token::SyntaxNumber))
            .and(")", plain),
    ]
}

fn tools(theme: &Theme) -> Vec<Line> {
    let state = |symbol, token, title: &str, output: &str| {
        Line::of(format!("{} ", theme.sign(symbol)), theme.fg(token))
            .and(title.to_owned(), theme.fg(Token::ToolTitle).bold())
            .and(format!("  {output}"), theme.fg(Token::ToolOutput))
    };
    let filled = |line: Line, token| match theme.color(token) {
        Color::Default => line,
        color => line.filled(color),
    };
    vec![
        filled(
            state(Symbol::StatusSuccess, Token::Success, "edit src/lexer.rs", "1 hunk"),
            Token::ToolSuccessBg,
        ),
        Line::of("    let rest = text;", theme.fg(Token::ToolDiffContext)),
        Line::of("  - take(rest)", theme.fg(Token::ToolDiffRemoved)),
        Line::of("  + take(without_comments(rest))", theme.fg(Token::ToolDiffAdded)),
        filled(
            state(Symbol::StatusError, Token::Error, "bash cargo test", "1 test failed"),
            Token::ToolErrorBg,
        ),
        filled(state(Symbol::StatusRunning, Token::Warning, "bash cargo build", "12s"), Token::ToolPendingBg),
    ]
}

/// The colours of the editor's frame.
fn levels(theme: &Theme) -> Line {
    let shown = [
        ("off", Token::ThinkingOff),
        ("minimal", Token::ThinkingMinimal),
        ("low", Token::ThinkingLow),
        ("medium", Token::ThinkingMedium),
        ("high", Token::ThinkingHigh),
        ("xhigh", Token::ThinkingXhigh),
        ("shell", Token::BashMode),
        ("python", Token::PythonMode),
    ];
    let horizontal = theme.sign(Symbol::BoxHorizontal);
    let mut line = Line::new();
    for (name, token) in shown {
        line.push(format!("{horizontal} {name} "), theme.fg(token));
    }
    line
}

fn status(theme: &Theme) -> Line {
    let background = theme.color(Token::StatusLineBg);
    let parts = [
        ("anthropic/claude", Token::StatusLineModel),
        ("~/lexer", Token::StatusLinePath),
        ("main", Token::StatusLineGitClean),
        ("+1", Token::StatusLineStaged),
        ("~2", Token::StatusLineDirty),
        ("?1", Token::StatusLineUntracked),
        ("12%", Token::StatusLineContext),
        ("$0.04", Token::StatusLineCost),
    ];
    let mut line = Line::new();
    for (at, (text, token)) in parts.into_iter().enumerate() {
        if at > 0 {
            let dot = format!(" {} ", theme.sign(Symbol::Dot));
            line.push(dot, theme.fg(Token::StatusLineSep).on(background));
        }
        line.push(text, theme.fg(token).on(background));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_fits_and_uses_the_theme() {
        for width in [10, 40, 80] {
            for name in Theme::built_in_names() {
                let theme = Theme::built_in(name).unwrap();
                let lines = sample(&theme, width);
                assert!(lines.iter().all(|line| line.width() <= width), "{name} at {width}");
                let used = |token| {
                    let mut spans = lines.iter().flat_map(|line| &line.spans);
                    spans.any(|span| span.style.fg == theme.color(token))
                };
                assert!(used(Token::Accent) && used(Token::ToolDiffAdded), "{name} at {width}");
            }
        }
        let theme = Theme::default();
        assert!(strip(&theme, "dark").text().starts_with("red-claw"));
        assert!(sample(&theme, 80).iter().any(|line| line.text().contains("without_comments")));
    }
}
