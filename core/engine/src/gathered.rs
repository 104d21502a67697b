//! Lines of a file whose requests are not contiguous, held until all are read.

use crate::ranking::ENTRY_COST;

/// The columns of a line but its request.
pub(crate) struct Line<'l> {
    pub number: u64,
    pub item: &'l [u8],
    pub score: f64,
    /// The rank column, if it is read.
    pub rank: i64,
}

/// A line held until all are read.
struct GatheredLine {
    score: f64,
    start: u64,
    number: u64,
    length: u32,
    request: u32,
}

/// Lines of judged requests, in file order.
#[derive(Default)]
pub(crate) struct Gathered {
    lines: Vec<GatheredLine>,
    ids: Vec<u8>,
    ranks: Vec<i64>,
}

impl Gathered {
    pub(crate) fn push(&mut self, request: u32, line: &Line) {
        let start = self.ids.len() as u64;
        let length = line.item.len() as u32;
        self.lines.push(GatheredLine { score: line.score, start, number: line.number, length, request });
        self.ids.extend_from_slice(line.item);
        if line.rank != 0 {
            self.ranks.resize(self.lines.len() - 1, 0);
            self.ranks.push(line.rank);
        }
    }

    pub(crate) fn line(&self, k: usize) -> Line<'_> {
        let GatheredLine { score, start, number, length, .. } = self.lines[k];
        let item = &self.ids[start as usize..start as usize + length as usize];
        Line { number, item, score, rank: self.ranks.get(k).copied().unwrap_or(0) }
    }

    pub(crate) fn bytes_held_with(&self, line: &Line) -> u64 {
        ENTRY_COST * (self.lines.len() as u64 + 1) + (self.ids.len() + line.item.len()) as u64
    }

    /// Line numbers by request, in file order within each; request r's are `order[starts[r]..starts[r + 1]]`.
    pub(crate) fn by_request(&self, requests: usize) -> (Vec<usize>, Vec<usize>) {
        let mut starts = vec![0; requests + 1];
        for line in &self.lines {
            starts[line.request as usize + 1] += 1;
        }
        for r in 0..requests {
            starts[r + 1] += starts[r];
        }
        let mut next = starts.clone();
        let mut order = vec![0; self.lines.len()];
        for (k, line) in self.lines.iter().enumerate() {
            order[next[line.request as usize]] = k;
            next[line.request as usize] += 1;
        }
        (starts, order)
    }
}
