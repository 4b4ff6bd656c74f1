//! PDF: the text of its pages.

/// The text of the pages, one after another.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    if !bytes.get(..1024.min(bytes.len())).is_some_and(|head| head.windows(5).any(|five| five == b"%PDF-")) {
        return Err("it is not a PDF".to_owned());
    }
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes)
        .map_err(|error| format!("it is damaged: {error}"))?;
    let pages = pages.iter().enumerate().map(|(number, page)| {
        let lines: Vec<&str> = page.lines().map(str::trim_end).collect();
        format!("## Page {}\n\n{}\n\n", number + 1, squeezed(&lines))
    });
    Ok(pages.collect())
}

/// At most one empty line in a row.
fn squeezed(lines: &[&str]) -> String {
    let mut text = String::new();
    let mut was_empty = true;
    for line in lines {
        if !(line.is_empty() && was_empty) {
            text.push_str(line);
            text.push('\n');
        }
        was_empty = line.is_empty();
    }
    text.trim_end().to_owned()
}
