//! "Did you mean": files that a wrong path may have meant.

use crate::rel_path::RelPath;
use crate::workspace::Workspace;

/// How many files to consider; more would cost more than the answer is worth.
const LIMIT_FILES: usize = 50_000;

/// How many suggestions to make at most.
const LIMIT_SUGGESTIONS: usize = 3;

impl Workspace {
    /// The files most likely meant by a path that does not exist, best first: the same name in another folder, the same
    /// path in another case, or a path a slip away.
    #[must_use]
    pub fn suggest(&self, missing: &RelPath) -> Vec<String> {
        let mut found: Vec<(usize, RelPath)> = self
            .walk_up_to(LIMIT_FILES)
            .filter_map(|candidate| distance(missing, &candidate).map(|distance| (distance, candidate)))
            .collect();
        found.sort_unstable();
        found.into_iter().take(LIMIT_SUGGESTIONS).map(|(_, path)| path.to_string()).collect()
    }
}

/// The distance of a candidate from the given path; `None` if it cannot be meant.
fn distance(missing: &RelPath, candidate: &RelPath) -> Option<usize> {
    let wanted = missing.as_str().to_lowercase();
    let offered = candidate.as_str().to_lowercase();
    if wanted == offered {
        return Some(0);
    }
    if missing.file_name().eq_ignore_ascii_case(candidate.file_name()) {
        return Some(1 + folders_apart(missing, candidate));
    }
    // A distance is never smaller than the difference in length, which costs nothing to ask.
    let allowed = slips_allowed(missing.file_name());
    if wanted.len().abs_diff(offered.len()) > allowed * 2 {
        return None;
    }
    let slips = strsim::osa_distance(&wanted, &offered);
    let name_slips =
        strsim::osa_distance(&missing.file_name().to_lowercase(), &candidate.file_name().to_lowercase());
    (slips <= allowed * 2 && name_slips <= allowed).then_some(10 + slips)
}

/// How many typos a person makes in a name of this length.
fn slips_allowed(name: &str) -> usize {
    (name.chars().count() / 4).clamp(1, 3)
}

/// How many folders have to be left and entered to get from one path to the other, eight at most.
fn folders_apart(a: &RelPath, b: &RelPath) -> usize {
    let shared = a.components().zip(b.components()).take_while(|(a, b)| a == b).count();
    let apart = a.components().count() + b.components().count() - 2 * shared;
    apart.saturating_sub(2).min(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn check(files: &[&str], missing: &str, expect: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let place = folder.path().join(file);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            fs::write(place, "").unwrap();
        }
        let workspace = Workspace::open(folder.path()).unwrap();
        assert_eq!(workspace.suggest(&workspace.path(missing).unwrap()), expect, "{missing}");
    }

    #[test]
    fn another_case_comes_before_another_folder_and_that_before_a_slip() {
        let files = ["src/Utils.ts", "lib/utils.ts", "src/util.ts", "src/zebra.ts"];
        check(&files, "src/utils.ts", &["src/Utils.ts", "lib/utils.ts", "src/util.ts"]);
    }

    #[test]
    fn a_slip_in_a_folder_is_found_and_a_different_file_is_not() {
        check(
            &["components/button.rs", "other/very/different.rs"],
            "component/buton.rs",
            &["components/button.rs"],
        );
        check(&["a.rs"], "zebra.toml", &[]);
    }

    #[test]
    fn the_nearest_of_several_files_with_the_name_comes_first_and_three_are_enough() {
        let files = ["a/mod.rs", "a/b/mod.rs", "x/y/z/mod.rs", "q/mod.rs"];
        check(&files, "a/b/c/mod.rs", &["a/b/mod.rs", "a/mod.rs", "q/mod.rs"]);
    }
}
