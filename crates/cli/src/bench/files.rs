//! The rows, models and peers' models of the benchmarks, as they were when this program was built.
//!
//! They are part of the binary so that `fairly bench` works in any folder. A file is known by its path in the
//! repository; before a run it is written to the folder of that run under its own name.

/// A file of the repository: its path there, and its text.
type Embedded = (&'static str, &'static str);

macro_rules! embedded {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../", $path)))),*]
    };
}

/// The sets of rows, in the order in which they are listed.
pub(crate) const SETS: &[Embedded] = embedded![
    "bench/pat.toml",
    "bench/explicit.toml",
    "bench/split.toml",
    "bench/counter.toml",
    "bench/infinite.toml",
];

/// What the rows name.
const MODELS: &[Embedded] = embedded![
    "bench/filter.fair",
    "bench/filter.pml",
    "bench/le_c.pml",
    "bench/le_c_rounds.pml",
    "bench/le_or.pml",
    "bench/le_r.pml",
    "bench/le_t.pml",
    "bench/le_t_rounds.pml",
    "bench/peterson.pml",
    "bench/philosophers.fair",
    "bench/philosophers.pml",
    "bench/premises.fair",
    "bench/tc_r.pml",
    "examples/counter/bakery.fair",
    "examples/counter/mux_sem.fair",
    "examples/counter/szymanski.fair",
    "examples/counter/terminate.fair",
    "examples/infinite/bakery.fair",
    "examples/infinite/chain.fair",
    "examples/infinite/critical_region.fair",
    "examples/infinite/producer_consumer.fair",
    "examples/infinite/spin_lock.fair",
    "examples/infinite/stream.fair",
    "examples/infinite/wdd1.fair",
    "examples/pat/dp.fair",
    "examples/pat/le_c.fair",
    "examples/pat/le_or.fair",
    "examples/pat/le_or_printed.fair",
    "examples/pat/le_r.fair",
    "examples/pat/le_t.fair",
    "examples/pat/ms.fair",
    "examples/pat/peterson.fair",
    "examples/pat/tc_r.fair",
    "examples/split/bakery.fair",
    "examples/split/cond_term.fair",
    "examples/split/dining_phil.fair",
    "examples/split/mux_sem.fair",
    "examples/split/mux_sem_counter.fair",
    "examples/split/mux_sem_nondet.fair",
];

/// The text of a model.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    MODELS.iter().find(|(known, _)| *known == path).map(|(_, text)| *text)
}

/// The name of a file without its folders and its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_of_the_folder_bench_is_embedded() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .expect("the folder bench")
            .map(|entry| format!("bench/{}", entry.expect("a file").file_name().to_string_lossy()))
            .collect();
        let known = SETS.iter().chain(MODELS).map(|(path, _)| (*path).to_owned());
        let known: BTreeSet<String> = known.filter(|path| path.starts_with("bench/")).collect();
        assert_eq!(there, known);
    }

    #[test]
    fn a_stem_is_a_name_without_folders_and_ending() {
        assert_eq!(stem("bench/pat.toml"), "pat");
        assert_eq!(stem("pat"), "pat");
    }
}
