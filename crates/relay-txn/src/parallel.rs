//! Runs the same pure function on many items, on all cores.

/// Fewer items than this are not worth a thread.
const WORTHWHILE: usize = 1_000;

/// More threads than this only get in each other's way.
const THREADS: usize = 4;

/// The results of `work` for all items, in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let few = || items.iter().map(&work).collect();
    // Asking how many cores there are reads a few files of the system.
    if items.len() < WORTHWHILE {
        return few();
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
    if threads == 1 {
        return few();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let parts: Vec<_> = items
            .chunks(items.len().div_ceil(threads))
            .map(|part| scope.spawn(move || part.iter().map(work).collect::<Vec<R>>()))
            .collect();
        parts
            .into_iter()
            .flat_map(|part| match part.join() {
                Ok(results) => results,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn order_is_kept_for_few_and_for_many() {
        for count in [0, 1, 999, 1_000, 4_001] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(super::map(&items, |n| n * 2), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
    }
}
