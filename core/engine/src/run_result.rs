//! What is known of one run besides the ranks of judged items.

use crate::ids::IdColumn;
use crate::tally::Tally;

/// Two hashes of an item id, which identify an item of a request.
pub type Fingerprint = (u64, u64);

/// The results of one run besides the ranks of judged items; one entry per request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunResult {
    pub listed: Vec<i32>,
    pub retrieved: Vec<i32>,
    pub tied: Vec<i32>,
    /// The lowest and the highest score of judged requests.
    pub scores: ScoreRange,
    pub tally: Tally,
    /// The first items of every ranking, by request.
    pub top: Vec<Top>,
    /// Every item of every ranking, by request.
    pub pool: Vec<Vec<Fingerprint>>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreRange {
    pub low: f64,
    pub high: f64,
}

impl Default for ScoreRange {
    fn default() -> Self {
        ScoreRange { low: f64::INFINITY, high: f64::NEG_INFINITY }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Top {
    pub items: IdColumn,
    pub judgement: Vec<i32>,
}

impl Top {
    pub(crate) fn push(&mut self, item: &[u8], judgement: i32) {
        self.items.push(item);
        self.judgement.push(judgement);
    }
}
