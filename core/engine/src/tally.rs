//! Counts of what occurs in a file, each with its first line and an example.

/// What is counted; the order is that of `COUNTERS` in `src/tiebreak/_kernels/interface.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    Lines,
    Blank,
    Comment,
    Crlf,
    ByteOrderMark,
    UnjudgedLines,
    UnjudgedRequests,
    BadScore,
    Duplicate,
    Returning,
    Repeated,
    NoFinalNewline,
    Unsorted,
    Tabs,
    Blanks,
    Scientific,
    Q0,
    RankZero,
    NoRank,
    RankDisagrees,
    JudgedTies,
    Float32Ties,
}

pub const COUNTERS: usize = 22;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    pub count: [i64; COUNTERS],
    pub first_line: [i64; COUNTERS],
    pub example: [Vec<u8>; COUNTERS],
}

impl Tally {
    #[inline]
    pub fn add(&mut self, counter: Counter, line: u64, example: &[u8]) {
        self.add_many(counter, 1, line, example);
    }

    #[inline]
    pub fn add_many(&mut self, counter: Counter, met: usize, line: u64, example: &[u8]) {
        self.add_at(counter as usize, met as i64, line as i64, example);
    }

    pub fn add_all(&mut self, other: &Self) {
        for (c, example) in other.example.iter().enumerate() {
            self.add_at(c, other.count[c], other.first_line[c], example);
        }
    }

    #[inline]
    fn add_at(&mut self, c: usize, met: i64, line: i64, example: &[u8]) {
        // Gathered requests are ranked one after another, so a later call may bring an earlier line.
        if met > 0 && (self.count[c] == 0 || line < self.first_line[c]) {
            self.first_line[c] = line;
            self.example[c] = example.to_vec();
        }
        self.count[c] += met;
    }

    pub fn count(&self, counter: Counter) -> i64 {
        self.count[counter as usize]
    }
}
