//! What the interface looks like before any theme is read: also what is drawn if a theme cannot be.

use super::token::Token;
use crate::text::Color;

/// The colours, in the order of the tokens.
pub const COLORS: [Color; Token::COUNT] = [
    Color::Rgb(0x8a, 0xad, 0xf4), // accent
    Color::Rgb(0x49, 0x4d, 0x64), // border
    Color::Rgb(0x8a, 0xad, 0xf4), // borderAccent
    Color::Rgb(0x36, 0x3a, 0x4f), // borderMuted
    Color::Rgb(0xa6, 0xda, 0x95), // success
    Color::Rgb(0xed, 0x87, 0x96), // error
    Color::Rgb(0xee, 0xd4, 0x9f), // warning
    Color::Rgb(0x93, 0x9a, 0xb7), // muted
    Color::Rgb(0x6e, 0x73, 0x8d), // dim
    Color::Default,               // text
    Color::Rgb(0x80, 0x87, 0xa2), // thinkingText
    Color::Rgb(0x36, 0x3a, 0x4f), // selectedBg
    Color::Rgb(0x2a, 0x2d, 0x3f), // userMessageBg
    Color::Rgb(0x2b, 0x2a, 0x40), // customMessageBg
    Color::Default,               // toolPendingBg
    Color::Default,               // toolSuccessBg
    Color::Default,               // toolErrorBg
    Color::Default,               // statusLineBg
    Color::Default,               // userMessageText
    Color::Default,               // customMessageText
    Color::Rgb(0xc6, 0xa0, 0xf6), // customMessageLabel
    Color::Default,               // toolTitle
    Color::Rgb(0xa5, 0xad, 0xcb), // toolOutput
    Color::Rgb(0x8b, 0xd5, 0xca), // mdHeading
    Color::Rgb(0x8a, 0xad, 0xf4), // mdLink
    Color::Rgb(0x6e, 0x73, 0x8d), // mdLinkUrl
    Color::Rgb(0xf5, 0xa9, 0x7f), // mdCode
    Color::Rgb(0xca, 0xd3, 0xf5), // mdCodeBlock
    Color::Rgb(0x49, 0x4d, 0x64), // mdCodeBlockBorder
    Color::Rgb(0xa5, 0xad, 0xcb), // mdQuote
    Color::Rgb(0x5b, 0x60, 0x78), // mdQuoteBorder
    Color::Rgb(0x49, 0x4d, 0x64), // mdHr
    Color::Rgb(0x8a, 0xad, 0xf4), // mdListBullet
    Color::Rgb(0xa6, 0xda, 0x95), // toolDiffAdded
    Color::Rgb(0xed, 0x87, 0x96), // toolDiffRemoved
    Color::Rgb(0x80, 0x87, 0xa2), // toolDiffContext
    Color::Rgb(0x6e, 0x73, 0x8d), // syntaxComment
    Color::Rgb(0xc6, 0xa0, 0xf6), // syntaxKeyword
    Color::Rgb(0x8a, 0xad, 0xf4), // syntaxFunction
    Color::Rgb(0xca, 0xd3, 0xf5), // syntaxVariable
    Color::Rgb(0xa6, 0xda, 0x95), // syntaxString
    Color::Rgb(0xf5, 0xa9, 0x7f), // syntaxNumber
    Color::Rgb(0xee, 0xd4, 0x9f), // syntaxType
    Color::Rgb(0x91, 0xd7, 0xe3), // syntaxOperator
    Color::Rgb(0x93, 0x9a, 0xb7), // syntaxPunctuation
    Color::Rgb(0x49, 0x4d, 0x64), // thinkingOff
    Color::Rgb(0x5b, 0x60, 0x78), // thinkingMinimal
    Color::Rgb(0x7d, 0xc4, 0xe4), // thinkingLow
    Color::Rgb(0x8a, 0xad, 0xf4), // thinkingMedium
    Color::Rgb(0xb7, 0xbd, 0xf8), // thinkingHigh
    Color::Rgb(0xc6, 0xa0, 0xf6), // thinkingXhigh
    Color::Rgb(0xa6, 0xda, 0x95), // bashMode
    Color::Rgb(0xee, 0xd4, 0x9f), // pythonMode
    Color::Rgb(0x5b, 0x60, 0x78), // statusLineSep
    Color::Rgb(0xc6, 0xa0, 0xf6), // statusLineModel
    Color::Rgb(0x8a, 0xad, 0xf4), // statusLinePath
    Color::Rgb(0xa6, 0xda, 0x95), // statusLineGitClean
    Color::Rgb(0xee, 0xd4, 0x9f), // statusLineGitDirty
    Color::Rgb(0x91, 0xd7, 0xe3), // statusLineContext
    Color::Rgb(0x8b, 0xd5, 0xca), // statusLineSpend
    Color::Rgb(0xa6, 0xda, 0x95), // statusLineStaged
    Color::Rgb(0xee, 0xd4, 0x9f), // statusLineDirty
    Color::Rgb(0xed, 0x87, 0x96), // statusLineUntracked
    Color::Rgb(0xa5, 0xad, 0xcb), // statusLineOutput
    Color::Rgb(0xf5, 0xa9, 0x7f), // statusLineCost
    Color::Rgb(0xb7, 0xbd, 0xf8), // statusLineSubagents
];
