//! What is listed and read, and what is refused.

use std::io::{Cursor, Write};

use super::*;

fn tar_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (path, bytes) in entries {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        // `set_path` refuses what these tests are about.
        let name = header.as_gnu_mut().unwrap();
        name.name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

fn zip_of(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes) in entries {
        writer.start_file(*path, ::zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn all(entries: &[(&str, &[u8])]) -> [(Format, Vec<u8>); 3] {
    let tar = tar_of(entries);
    [(Format::TarGz, gzip(&tar)), (Format::Tar, tar), (Format::Zip, zip_of(entries))]
}

#[test]
fn entries_are_listed_and_read_in_every_format() {
    for (format, bytes) in all(&[("a.txt", b"one"), ("./d/b.txt", b"two"), ("d//c", b"")]) {
        let index = index(format, Cursor::new(&bytes), &Cancel::new()).unwrap();
        let names: Vec<&str> = index.entries.iter().map(|entry| entry.path.as_str()).collect();
        assert_eq!(names, ["a.txt", "d/b.txt", "d/c"], "{format:?}");
        assert_eq!((index.entries[1].size, index.unsafe_names), (3, 0));
        let read = |path: &str| entry(format, Cursor::new(&bytes), path, &Cancel::new()).unwrap();
        assert_eq!(read("d/b.txt").as_deref(), Some(&b"two"[..]));
        assert_eq!(read("absent"), None);
    }
}

#[test]
fn names_that_lead_outside_are_counted_and_cannot_be_read() {
    for (format, bytes) in
        all(&[("../evil", b"x"), ("/etc/evil", b"x"), ("a/../../evil", b"x"), ("ok", b"y")])
    {
        let index = index(format, Cursor::new(&bytes), &Cancel::new()).unwrap();
        assert_eq!((index.entries.len(), index.unsafe_names), (1, 3), "{format:?}");
    }
    assert!(matches!(asked("../evil"), Err(ArchiveError::Outside(_))));
    assert_eq!(asked("/a/./b").unwrap(), "a/b");
}

#[test]
fn an_entry_that_inflates_too_far_is_refused() {
    let zeros = vec![0; (ENTRY_LIMIT_BYTES + 1) as usize];
    for (format, bytes) in
        [(Format::Zip, zip_of(&[("bomb", &zeros)])), (Format::TarGz, gzip(&tar_of(&[("bomb", &zeros)])))]
    {
        let error = entry(format, Cursor::new(&bytes), "bomb", &Cancel::new()).unwrap_err();
        assert!(matches!(error, ArchiveError::EntryTooLarge(_)), "{error}");
        assert_eq!(index(format, Cursor::new(&bytes), &Cancel::new()).unwrap().entries.len(), 1);
    }
}

#[test]
fn a_header_that_lies_about_its_size_does_not_matter() {
    let mut bytes = zip_of(&[("a", &[b'x'; 100])]);
    // The size in the central directory, which is the last "PK\x01\x02".
    let at = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bytes[at + 24..at + 28].copy_from_slice(&7u32.to_le_bytes());
    let read = entry(Format::Zip, Cursor::new(&bytes), "a", &Cancel::new());
    assert!(read.is_err() || read.unwrap().unwrap().len() <= 100);
}

#[test]
fn a_compressed_archive_is_passed_over_only_so_far() {
    // Zeros beyond the limit in one entry: listing has to inflate them to get past it.
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut header = ::tar::Header::new_gnu();
    header.set_path("bomb").unwrap();
    header.set_size(2 << 30);
    header.set_cksum();
    gz.write_all(header.as_bytes()).unwrap();
    let zeros = vec![0u8; 1 << 20];
    for _ in 0..=INFLATE_LIMIT_BYTES >> 20 {
        gz.write_all(&zeros).unwrap();
    }
    let bytes = gz.finish().unwrap();
    let error = index(Format::TarGz, Cursor::new(&bytes), &Cancel::new()).unwrap_err();
    assert!(matches!(error, ArchiveError::Inflates), "{error}");
}

#[test]
fn damage_and_cancel_are_errors() {
    for format in [Format::Tar, Format::TarGz, Format::Zip] {
        let garbage = Cursor::new(b"this is not an archive at all".repeat(40));
        assert!(index(format, garbage, &Cancel::new()).is_err(), "{format:?}");
    }
    let cancel = Cancel::new();
    cancel.cancel();
    for (format, bytes) in all(&[("a", b"x"), ("b", b"y")]) {
        let error = index(format, Cursor::new(&bytes), &cancel).unwrap_err();
        assert!(matches!(error, ArchiveError::Cancelled), "{format:?}: {error}");
    }
}

#[test]
fn paths_name_archives_and_what_is_in_them() {
    let parts = |path| candidates(path).into_iter().map(|(a, b, _)| (a, b)).collect::<Vec<_>>();
    assert_eq!(parts("a.zip"), [("a.zip", "")]);
    assert_eq!(parts("x/a.tar.gz:d/e.txt"), [("x/a.tar.gz", "d/e.txt")]);
    assert_eq!(parts("a.TGZ:b:5-9"), [("a.TGZ", "b:5-9")]);
    assert_eq!(parts("a.zip:b.zip"), [("a.zip:b.zip", ""), ("a.zip", "b.zip")]);
    assert!(parts("a.txt:5").is_empty());
}

fn new_entry<'a>(path: &'a str, content: &'a [u8]) -> NewEntry<'a> {
    NewEntry { path, content, modified: 1_700_000_000 }
}

#[test]
fn an_entry_is_replaced_or_added_and_the_others_stay() {
    for (format, bytes) in all(&[("a.txt", b"one"), ("./d/b.txt", b"two"), ("../evil", b"x")]) {
        for (path, old) in [("d/b.txt", true), ("d/new.txt", false)] {
            let after = with_entry(format, Some(&bytes), new_entry(path, b"new"), &Cancel::new()).unwrap();
            let read = |path: &str| entry(format, Cursor::new(&after), path, &Cancel::new()).unwrap();
            assert_eq!(read(path).as_deref(), Some(&b"new"[..]), "{format:?} {path}");
            assert_eq!(read("a.txt").as_deref(), Some(&b"one"[..]), "{format:?}");
            let index = index(format, Cursor::new(&after), &Cancel::new()).unwrap();
            assert_eq!((index.entries.len(), index.unsafe_names), (if old { 2 } else { 3 }, 1), "{format:?}");
        }
        let fresh = with_entry(format, None, new_entry("x", b"y"), &Cancel::new()).unwrap();
        assert_eq!(
            entry(format, Cursor::new(&fresh), "x", &Cancel::new()).unwrap().as_deref(),
            Some(&b"y"[..])
        );
    }
}

#[test]
fn names_beyond_a_header_and_attributes_stay_as_they_are() {
    let long = "d/".repeat(80) + "long.txt";
    let mut builder = ::tar::Builder::new(Vec::new());
    let mut add = |path: &str, content: &[u8]| {
        let mut header = ::tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        builder.append_data(&mut header, path, content).unwrap();
    };
    add(&long, b"kept");
    add("script.sh", b"old");
    let bytes = builder.into_inner().unwrap();
    let after =
        with_entry(Format::Tar, Some(&bytes), new_entry("script.sh", b"new"), &Cancel::new()).unwrap();
    assert_eq!(
        entry(Format::Tar, Cursor::new(&after), &long, &Cancel::new()).unwrap().as_deref(),
        Some(&b"kept"[..])
    );
    let mode =
        ::tar::Archive::new(&after[..]).entries().unwrap().nth(1).unwrap().unwrap().header().mode().unwrap();
    assert_eq!(mode, 0o755);
    let replaced = with_entry(Format::Tar, Some(&bytes), new_entry(&long, b"new"), &Cancel::new()).unwrap();
    assert_eq!(index(Format::Tar, Cursor::new(&replaced), &Cancel::new()).unwrap().entries.len(), 2);
}

#[test]
fn what_cannot_be_written_again_is_refused() {
    let garbage = b"this is not an archive at all".repeat(40);
    for format in [Format::Tar, Format::TarGz, Format::Zip] {
        assert!(
            with_entry(format, Some(&garbage), new_entry("a", b""), &Cancel::new()).is_err(),
            "{format:?}"
        );
        let cancel = Cancel::new();
        cancel.cancel();
        let (_, bytes) = all(&[("a", b"x")]).into_iter().find(|(of, _)| *of == format).unwrap();
        let error = with_entry(format, Some(&bytes), new_entry("b", b""), &cancel).unwrap_err();
        assert!(matches!(error, ArchiveError::Cancelled), "{error}");
    }
}
