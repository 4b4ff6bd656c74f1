//! Books (epub): the chapters in their order.

use std::collections::BTreeMap;

use super::html::markdown;
use super::markup::{Token, Tokens, attribute};
use super::package::Package;

/// The book as markdown.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    let mut package = Package::open(bytes)?;
    let container = package.needed("META-INF/container.xml")?;
    let place = opened(&container, "rootfile").find_map(|attributes| attribute(attributes, "full-path"));
    let place = place.ok_or("it is damaged: it names no content")?;
    let contents = package.needed(&place)?;
    let folder = place.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let files: BTreeMap<String, String> = opened(&contents, "item")
        .filter_map(|attributes| Some((attribute(attributes, "id")?, attribute(attributes, "href")?)))
        .collect();
    let mut text = String::new();
    for chapter in opened(&contents, "itemref").filter_map(|attributes| attribute(attributes, "idref")) {
        let Some(file) = files.get(&chapter) else { continue };
        let file = file.split('#').next().unwrap_or(file).replace("%20", " ");
        if let Some(page) = package.part(&format!("{folder}{file}"))? {
            text.push_str(&markdown(&page));
            text.push('\n');
        }
    }
    Ok(text)
}

fn opened<'x>(xml: &'x str, wanted: &'x str) -> impl Iterator<Item = &'x str> {
    Tokens::new(xml).filter_map(move |token| match token {
        Token::Open { name, attributes, .. } if name == wanted => Some(attributes),
        _ => None,
    })
}
