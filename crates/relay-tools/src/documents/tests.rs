//! Small documents of every kind, and damaged ones.

use std::io::{Cursor, Write};

use super::*;

fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn check(ending: &str, bytes: &[u8], expected: &str) {
    assert_eq!(text_of(ending, bytes).as_deref(), Ok(expected));
}

#[test]
fn word_documents_keep_their_shape() {
    let xml = r#"<w:document><w:body>
        <w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Plan &amp; scope</w:t></w:r></w:p>
        <w:p><w:r><w:t xml:space="preserve">One </w:t></w:r><w:r><w:t>two</w:t><w:br/><w:t>three</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>item</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        </w:body></w:document>"#;
    check(
        "docx",
        &package(&[("word/document.xml", xml)]),
        "## Plan & scope\n\nOne two\nthree\n\n- item\n| a | b |\n\n",
    );
}

#[test]
fn sheets_have_their_cells_in_place() {
    let parts = [
        (
            "xl/workbook.xml",
            r#"<workbook><sheets><sheet name="Costs" sheetId="1" r:id="rId7"/></sheets></workbook>"#,
        ),
        (
            "xl/_rels/workbook.xml.rels",
            r#"<Relationships><Relationship Id="rId7" Target="worksheets/s.xml"/></Relationships>"#,
        ),
        ("xl/sharedStrings.xml", "<sst><si><t>name</t></si><si><r><t>a</t></r><r><t>b</t></r></si></sst>"),
        (
            "xl/worksheets/s.xml",
            r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>4.5</v></c></row>
            <row r="2"><c r="B2" t="inlineStr"><is><t>in</t></is></c><c r="C2" t="b"><v>1</v></c><c r="D2" t="s"><v>1</v></c></row></sheetData></worksheet>"#,
        ),
    ];
    check("xlsx", &package(&parts), "## Costs\n\n| name |  | 4.5 |\n|  | in | TRUE | ab |\n\n");
}

#[test]
fn slides_come_in_order_with_their_notes() {
    let slide = |text: &str| format!("<p:sld><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let parts = [
        ("ppt/slides/slide10.xml", slide("ten")),
        ("ppt/slides/slide2.xml", slide("two")),
        ("ppt/notesSlides/notesSlide2.xml", slide("say it")),
    ];
    let parts: Vec<(&str, &str)> = parts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    check("pptx", &package(&parts), "## Slide 2\n\ntwo\n\nNotes:\nsay it\n\n## Slide 10\n\nten\n\n");
}

#[test]
fn books_have_their_chapters_in_order() {
    let parts = [
        (
            "META-INF/container.xml",
            r#"<container><rootfiles><rootfile full-path="OEBPS/c.opf"/></rootfiles></container>"#,
        ),
        (
            "OEBPS/c.opf",
            r#"<package><manifest><item id="b" href="b.xhtml"/><item id="a" href="a.xhtml"/></manifest>
            <spine><itemref idref="a"/><itemref idref="b"/></spine></package>"#,
        ),
        ("OEBPS/a.xhtml", "<html><body><h1>First</h1><p>One</p></body></html>"),
        ("OEBPS/b.xhtml", "<html><body><h1>Second</h1></body></html>"),
    ];
    check("epub", &package(&parts), "# First\n\nOne\n\n# Second\n\n");
}

#[test]
fn rich_text_is_its_words() {
    let rtf =
        br"{\rtf1\ansi{\fonttbl{\f0 Arial;}}{\*\generator x;}Caf\'e9 {\b bold}\par \u8364?5 \{ok\}\tab\'80}";
    check("rtf", rtf, "Café bold\n€5 {ok}\t€");
}

/// A PDF of one page, with its cross-references in place.
fn pdf(words: &str) -> Vec<u8> {
    let stream = format!("BT /F1 24 Tf 72 700 Td ({words}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).into_bytes());
    }
    let table = bytes.len();
    bytes.extend(b"xref\n0 6\n0000000000 65535 f \n");
    for place in places {
        bytes.extend(format!("{place:010} 00000 n \n").into_bytes());
    }
    bytes.extend(format!("trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").into_bytes());
    bytes
}

#[test]
fn pages_of_a_pdf_are_read() {
    let text = text_of("pdf", &pdf("Hello from page one")).unwrap();
    assert!(text.starts_with("## Page 1\n\nHello from page one"), "{text}");
}

#[test]
fn damage_is_an_error_and_not_a_hang() {
    for ending in ["pdf", "docx", "xlsx", "pptx", "epub", "rtf"] {
        assert!(text_of(ending, b"nonsense").is_err(), "{ending}");
        assert!(text_of(ending, b"").is_err(), "{ending}");
    }
    assert!(text_of("docx", &package(&[("other.xml", "")])).unwrap_err().contains("word/document.xml"));
    assert!(text_of("pptx", &package(&[])).is_err());
    assert!(text_of("doc", b"x").is_err());
    let deep = format!("{{\\rtf1{}", "{".repeat(20_000));
    assert!(text_of("rtf", deep.as_bytes()).is_err());
}

#[test]
fn kinds_go_by_the_ending() {
    assert_eq!(Kind::of_name("a/b.PDF"), Some(Kind::Pdf));
    assert_eq!(Kind::of_name("pdf"), None);
    assert_eq!(Kind::of_name("a.docx").map(Kind::ending), Some("docx"));
}
