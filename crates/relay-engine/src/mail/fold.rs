//! Folding: shortens what is too long for a message, with a notice.

use std::collections::BTreeMap;

/// How many characters of a command's output are kept.
pub(super) const OUTPUT_CHARACTERS: usize = 4000;

/// About how many bytes of text make a token.
const BYTES_PER_TOKEN: usize = 4;

/// The end of a listing that does not name every file.
const FOLDED: &str = "  (the listing is too long: folders that end in / are counted, not listed)\n";

/// How many bytes a number of tokens is worth.
pub(super) const fn bytes(tokens: usize) -> usize {
    tokens.saturating_mul(BYTES_PER_TOKEN)
}

/// An output in about this many bytes once its lines are set in, as a message shows them.
pub(super) fn set_in(text: &str, limit_bytes: usize) -> String {
    let cost = text.len() + 4 * text.matches('\n').count();
    let limit = if cost <= limit_bytes { text.len() } else { limit_bytes * text.len() / cost };
    output(text, limit.min(OUTPUT_CHARACTERS))
}

/// The text in at most this many characters: its beginning and, since errors come last, more of its end.
pub(super) fn output(text: &str, limit: usize) -> String {
    let text = text.trim_end();
    let count = text.chars().count();
    if count <= limit {
        return text.to_owned();
    }
    // Room for the notice itself, with any number in it.
    let room = limit.saturating_sub(60);
    let (head, tail) = (room / 4, room - room / 4);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{start}\n[... {} characters left out ...]\n{end}", count - head - tail)
}

/// The beginning of a text in at most this many bytes, whole lines only, and how many lines that is of how many.
pub(super) fn beginning(text: &str, limit_bytes: usize) -> (&str, usize, usize) {
    let total = text.split_inclusive('\n').count();
    let (mut end, mut lines) = (0, 0);
    for line in text.split_inclusive('\n') {
        if end + line.len() > limit_bytes {
            break;
        }
        end += line.len();
        lines += 1;
    }
    (text.get(..end).unwrap_or_default(), lines, total)
}

/// The files of a workspace with their sizes, in at most this many bytes: if there are too many, the deepest folders are
/// counted instead of listed, and what still does not fit is counted at the end.
pub(super) fn listing(files: &[(String, u64)], limit_bytes: usize) -> String {
    if files.is_empty() {
        return "(empty workspace)\n".to_owned();
    }
    let deepest = files.iter().map(|(path, _)| path.matches('/').count()).max().unwrap_or(0);
    let whole = to_depth(files, deepest);
    if whole.len() <= limit_bytes {
        return whole;
    }
    let room = limit_bytes.saturating_sub(FOLDED.len());
    let folded = (0..deepest).rev().map(|depth| to_depth(files, depth)).find(|text| text.len() <= room);
    folded.map_or_else(
        || {
            let text = to_depth(files, 0);
            let (kept, shown, total) = beginning(&text, room.saturating_sub(60));
            format!("{kept}  ({} more files and folders are not listed)\n{FOLDED}", total - shown)
        },
        |text| text + FOLDED,
    )
}

/// Files in more folders than `depth` are counted at the folder where that begins.
fn to_depth(files: &[(String, u64)], depth: usize) -> String {
    let mut lines: BTreeMap<&str, (Option<usize>, u64)> = BTreeMap::new();
    for (path, size) in files {
        match path.match_indices('/').nth(depth) {
            None => {
                lines.insert(path, (None, *size));
            }
            Some((end, _)) => {
                let folder = lines.entry(path.get(..=end).unwrap_or(path)).or_insert((Some(0), 0));
                *folder = (folder.0.map(|count| count + 1), folder.1 + size);
            }
        }
    }
    let mut text = String::new();
    for (name, (count, size)) in lines {
        let count = count.map(|count| format!("{count} files, ")).unwrap_or_default();
        text.push_str(&format!("  {name} ({count}{size} bytes)\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Vec<(String, u64)> {
        paths.iter().map(|path| ((*path).to_owned(), 7)).collect()
    }

    #[test]
    fn a_listing_is_folded_from_the_deepest_folder_up() {
        let deep: Vec<String> = (0..9).map(|n| format!("src/deep/file-{n}.rs")).collect();
        let mut paths = vec!["a.rs", "src/b.rs"];
        paths.extend(deep.iter().map(String::as_str));
        let all = files(&paths);
        let whole = listing(&all, 1000);
        assert!(
            whole.starts_with("  a.rs (7 bytes)\n  src/b.rs (7 bytes)\n  src/deep/file-0.rs (7 bytes)\n")
        );
        assert!(whole.ends_with("  src/deep/file-8.rs (7 bytes)\n"));
        let folded =
            format!("  a.rs (7 bytes)\n  src/b.rs (7 bytes)\n  src/deep/ (9 files, 63 bytes)\n{FOLDED}");
        assert_eq!(listing(&all, folded.len()), folded);
        let flat = format!("  a.rs (7 bytes)\n  src/ (10 files, 70 bytes)\n{FOLDED}");
        assert_eq!(listing(&all, flat.len()), flat);
        let many: Vec<(String, u64)> = (0..100).map(|n| (format!("file-{n:03}"), n)).collect();
        let cut = listing(&many, 400);
        assert!(cut.len() <= 400 && cut.contains(" more files and folders are not listed)\n"), "{cut}");
        assert_eq!(listing(&[], 10), "(empty workspace)\n");
    }

    #[test]
    fn an_output_keeps_its_two_ends_within_the_limit() {
        assert_eq!(output("short\n", 10), "short");
        let long: String = (0..3000).map(|n| format!("{n}é\n")).collect();
        let cut = output(&long, OUTPUT_CHARACTERS);
        assert!(cut.chars().count() <= OUTPUT_CHARACTERS, "{}", cut.chars().count());
        assert!(cut.starts_with("0é\n1é") && cut.ends_with("2999é") && cut.contains("characters left out"));
    }

    #[test]
    fn a_beginning_ends_with_a_line() {
        assert_eq!(beginning("ab\ncd\nef", 6), ("ab\ncd\n", 2, 3));
        assert_eq!(beginning("ab\ncd\nef", 5), ("ab\n", 1, 3));
        assert_eq!(beginning("ab\n", 1), ("", 0, 1));
        assert_eq!(beginning("", 9), ("", 0, 0));
    }
}
