//! Presentations (pptx): the text of each slide, and its notes.

use super::markup::{Token, Tokens};
use super::package::Package;

/// The slides as markdown.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    let mut package = Package::open(bytes)?;
    let number = |name: &str| -> Option<usize> {
        name.strip_prefix("ppt/slides/slide")?.strip_suffix(".xml")?.parse().ok()
    };
    let mut slides: Vec<usize> = package.names().iter().filter_map(|name| number(name)).collect();
    if slides.is_empty() {
        return Err("it is damaged: it has no slides".to_owned());
    }
    slides.sort_unstable();
    let mut text = String::new();
    for slide in slides {
        let body = package.needed(&format!("ppt/slides/slide{slide}.xml"))?;
        text.push_str(&format!("## Slide {slide}\n\n{}\n", paragraphs(&body)));
        if let Some(notes) = package.part(&format!("ppt/notesSlides/notesSlide{slide}.xml"))? {
            let notes = paragraphs(&notes);
            if !notes.trim().is_empty() {
                text.push_str(&format!("Notes:\n{notes}\n"));
            }
        }
    }
    Ok(text)
}

/// The paragraphs of a part, one line each.
fn paragraphs(xml: &str) -> String {
    let (mut text, mut line, mut in_text) = (String::new(), String::new(), false);
    for token in Tokens::new(xml) {
        match token {
            Token::Open { name: "t", is_empty, .. } => in_text = !is_empty,
            Token::Open { name: "br", .. } => line.push(' '),
            Token::Close("t") => in_text = false,
            Token::Close("p") => {
                if !line.trim().is_empty() {
                    text.push_str(line.trim_end());
                    text.push('\n');
                }
                line.clear();
            }
            Token::Text(piece) if in_text => line.push_str(&piece),
            _ => {}
        }
    }
    text
}
