//! How runs are read.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duplicates {
    Error,
    First,
    Best,
}

/// How runs are read.
#[derive(Debug, Clone)]
pub struct Options {
    pub depth: usize,
    pub judged_only: bool,
    pub rank_breaks_ties: bool,
    pub duplicates: Duplicates,
    pub drop_bad_scores: bool,
    pub top: Option<usize>,
    pub pool: bool,
    pub memory: u64,
    /// Threads of all runs together; a run that has several decompresses on one of them, or finds its columns if it is
    /// `large`.
    pub jobs: usize,
    /// Bytes from which a run is large: smaller ones are read while Python is still importing modules, and another
    /// thread would slow that down.
    pub large: u64,
    /// Also count what takes longer: how lines are written, ranks against scores, ties of judged items.
    pub audit: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            depth: usize::MAX,
            judged_only: false,
            rank_breaks_ties: false,
            duplicates: Duplicates::Error,
            drop_bad_scores: false,
            top: None,
            pool: false,
            memory: crate::MEMORY,
            jobs: 1,
            large: 1 << 28,
            audit: false,
        }
    }
}
