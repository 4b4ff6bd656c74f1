//! What the interface looks like before any theme is read, and if none can be: the colours of `red-claw`.

use super::token::Token;
use crate::text::Color;

/// The colours, in the order of the tokens.
pub const COLORS: [Color; Token::COUNT] = [
    Color::Rgb(0xff, 0x6b, 0x5e), // accent
    Color::Rgb(0x5c, 0x47, 0x44), // border
    Color::Rgb(0xff, 0x6b, 0x5e), // borderAccent
    Color::Rgb(0x40, 0x30, 0x2e), // borderMuted
    Color::Rgb(0x9b, 0xd6, 0x7a), // success
    Color::Rgb(0xff, 0x5c, 0x57), // error
    Color::Rgb(0xf2, 0xcf, 0x6b), // warning
    Color::Rgb(0xb8, 0xa5, 0xa2), // muted
    Color::Rgb(0x85, 0x70, 0x6d), // dim
    Color::Default,               // text
    Color::Rgb(0xb8, 0xa5, 0xa2), // thinkingText
    Color::Rgb(0x3a, 0x28, 0x26), // selectedBg
    Color::Rgb(0x2c, 0x1f, 0x1e), // userMessageBg
    Color::Rgb(0x2c, 0x1f, 0x1e), // customMessageBg
    Color::Default,               // toolPendingBg
    Color::Default,               // toolSuccessBg
    Color::Default,               // toolErrorBg
    Color::Default,               // statusLineBg
    Color::Default,               // userMessageText
    Color::Default,               // customMessageText
    Color::Rgb(0xd7, 0x9b, 0xff), // customMessageLabel
    Color::Default,               // toolTitle
    Color::Rgb(0xb8, 0xa5, 0xa2), // toolOutput
    Color::Rgb(0x6f, 0xd3, 0xc0), // mdHeading
    Color::Rgb(0x7f, 0xb2, 0xff), // mdLink
    Color::Rgb(0x85, 0x70, 0x6d), // mdLinkUrl
    Color::Rgb(0xff, 0x9f, 0x5a), // mdCode
    Color::Rgb(0xf0, 0xe6, 0xe4), // mdCodeBlock
    Color::Rgb(0x5c, 0x47, 0x44), // mdCodeBlockBorder
    Color::Rgb(0xb8, 0xa5, 0xa2), // mdQuote
    Color::Rgb(0x5c, 0x47, 0x44), // mdQuoteBorder
    Color::Rgb(0x5c, 0x47, 0x44), // mdHr
    Color::Rgb(0xff, 0x6b, 0x5e), // mdListBullet
    Color::Rgb(0x9b, 0xd6, 0x7a), // toolDiffAdded
    Color::Rgb(0xff, 0x5c, 0x57), // toolDiffRemoved
    Color::Rgb(0xb8, 0xa5, 0xa2), // toolDiffContext
    Color::Rgb(0x85, 0x70, 0x6d), // syntaxComment
    Color::Rgb(0xd7, 0x9b, 0xff), // syntaxKeyword
    Color::Rgb(0x7f, 0xb2, 0xff), // syntaxFunction
    Color::Rgb(0xf0, 0xe6, 0xe4), // syntaxVariable
    Color::Rgb(0x9b, 0xd6, 0x7a), // syntaxString
    Color::Rgb(0xff, 0x9f, 0x5a), // syntaxNumber
    Color::Rgb(0xf2, 0xcf, 0x6b), // syntaxType
    Color::Rgb(0x6f, 0xd3, 0xc0), // syntaxOperator
    Color::Rgb(0xb8, 0xa5, 0xa2), // syntaxPunctuation
    Color::Rgb(0x5c, 0x47, 0x44), // thinkingOff
    Color::Rgb(0x85, 0x70, 0x6d), // thinkingMinimal
    Color::Rgb(0x6f, 0xd3, 0xc0), // thinkingLow
    Color::Rgb(0x7f, 0xb2, 0xff), // thinkingMedium
    Color::Rgb(0xd7, 0x9b, 0xff), // thinkingHigh
    Color::Rgb(0xff, 0x5c, 0x57), // thinkingXhigh
    Color::Rgb(0x9b, 0xd6, 0x7a), // bashMode
    Color::Rgb(0xf2, 0xcf, 0x6b), // pythonMode
    Color::Rgb(0x85, 0x70, 0x6d), // statusLineSep
    Color::Rgb(0xd7, 0x9b, 0xff), // statusLineModel
    Color::Rgb(0x7f, 0xb2, 0xff), // statusLinePath
    Color::Rgb(0x9b, 0xd6, 0x7a), // statusLineGitClean
    Color::Rgb(0xf2, 0xcf, 0x6b), // statusLineGitDirty
    Color::Rgb(0x6f, 0xd3, 0xc0), // statusLineContext
    Color::Rgb(0x6f, 0xd3, 0xc0), // statusLineSpend
    Color::Rgb(0x9b, 0xd6, 0x7a), // statusLineStaged
    Color::Rgb(0xf2, 0xcf, 0x6b), // statusLineDirty
    Color::Rgb(0xff, 0x5c, 0x57), // statusLineUntracked
    Color::Rgb(0xb8, 0xa5, 0xa2), // statusLineOutput
    Color::Rgb(0xff, 0x9f, 0x5a), // statusLineCost
    Color::Rgb(0xd7, 0x9b, 0xff), // statusLineSubagents
];
