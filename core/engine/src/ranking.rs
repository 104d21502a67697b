//! The items that a run lists for one request: without duplicates, in order, the judged ones known.
//!
//! Lines are collected as they are read, and looked up together by [`Ranking::next_refused`]: in a loop that does one
//! thing the processor works on several lines at once.

use std::cmp::Ordering;

use crate::ids::{Ids, Table, append, same};
use crate::number::NO_RANK;

/// What an entry takes in memory besides its item's id. `LINE_COST` in the Python twin.
pub const ENTRY_COST: u64 = 32;

/// The request's judgements: their items' ids and hashes by item code, and the code of each.
#[derive(Clone, Copy)]
pub struct JudgedItems<'a> {
    pub ids: Ids<'a>,
    pub hashes: &'a [u64],
    pub codes: &'a [i32],
}

impl<'a> JudgedItems<'a> {
    #[inline(always)]
    fn id(&self, judged: usize) -> &'a [u8] {
        self.ids.get(self.codes[judged] as usize)
    }
}

/// Entries in the order of their lines. Those before `looked_up` are of different items.
#[derive(Default)]
pub struct Ranking {
    scores: Vec<f64>,
    hashes: Vec<u64>,
    /// The rank column, if it is read.
    ranks: Vec<i64>,
    ids: Vec<u8>,
    /// Where the id of each entry ends; that of the next one follows it.
    id_ends: Vec<usize>,
    looked_up: usize,
    /// The next entry to be looked up; those before it that were refused leave a gap.
    next: usize,
    /// From an entry on, the numbers of lines follow each other.
    line_numbers: Vec<(usize, u64)>,
    /// Numbers below the number of judgements are judgements, the others entries.
    table: Table,
    /// The entry that lists a judgement's item, plus one; 0 where none does yet.
    judgement_entries: Vec<u32>,
    /// The place of each entry in the order, from 0.
    places: Vec<u32>,
    /// Entries that are tied: room that is used again.
    tie: Vec<u32>,
}

/// An entry and its score.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    pub score: f64,
    pub entry: u32,
}

/// Why an entry is not like the others.
pub enum Refused {
    /// Another one lists its item.
    Listed(usize),
    /// It takes more memory than there is.
    TooLarge,
}

impl Ranking {
    pub fn begin(&mut self, judged: JudgedItems) {
        // Room for as many lines as the request before: most files have one depth.
        self.table.reset(judged.codes.len() + self.scores.len());
        self.truncate(0);
        self.judgement_entries.clear();
        self.judgement_entries.resize(judged.codes.len(), 0);
        for (j, &code) in judged.codes.iter().enumerate() {
            self.table.find_or_insert(judged.hashes[code as usize], j as u32, |_| false);
        }
    }

    /// Keep the first entries only, which are looked up.
    fn truncate(&mut self, entries: usize) {
        self.scores.truncate(entries);
        self.hashes.truncate(entries);
        self.ranks.truncate(entries);
        self.id_ends.truncate(entries);
        self.ids.truncate(self.id_ends.last().copied().unwrap_or(0));
        self.line_numbers.clear();
        (self.looked_up, self.next) = (entries, entries);
    }

    /// Add lines that follow each other: their scores, the hashes and ids of their items, and the first one's number.
    #[inline(always)]
    pub fn extend<'i>(
        &mut self,
        line: u64,
        scores: &[f64],
        hashes: &[u64],
        items: impl Iterator<Item = (&'i [u8], usize)>,
    ) {
        let entry = self.scores.len();
        if self.line_numbers.last().is_none_or(|(first, number)| number + (entry - first) as u64 != line) {
            self.line_numbers.push((entry, line));
        }
        self.scores.extend_from_slice(scores);
        self.hashes.extend_from_slice(hashes);
        self.id_ends.reserve(scores.len());
        for (bytes, length) in items {
            append(&mut self.ids, bytes, length);
            self.id_ends.push(self.ids.len());
        }
    }

    /// Add the rank columns of the lines that were added last.
    pub fn extend_ranks(&mut self, ranks: &[i64]) {
        self.ranks.extend_from_slice(ranks);
    }

    /// Look entries up until one is refused: it is left out, unless it is only too large.
    pub fn next_refused(&mut self, judged: JudgedItems, memory: u64) -> Option<Refused> {
        let is_tight = self.bytes_held() > memory;
        while self.next < self.len() {
            // All at once, unless there is a gap to fill, or each one's memory counts.
            let together = if is_tight || self.looked_up != self.next { 1 } else { self.len() - self.next };
            self.fill_gap();
            if let Some(listed) = self.insert(together, judged) {
                return Some(Refused::Listed(listed));
            }
            if is_tight && bytes_of(self.looked_up, self.id_ends[self.looked_up - 1]) > memory {
                return Some(Refused::TooLarge);
            }
        }
        self.truncate(self.looked_up);
        None
    }

    /// Look up these next entries, or those up to one whose item another lists: that one.
    fn insert(&mut self, entries: usize, judged: JudgedItems) -> Option<usize> {
        let (judgements, first) = (judged.codes.len() as u32, self.looked_up);
        let (ids, id_ends) = (&self.ids, &self.id_ends);
        let same = |new: u32, number: u32| {
            let other = match number.checked_sub(judgements) {
                None => judged.id(number as usize),
                Some(entry) => id(ids, id_ends, entry as usize),
            };
            same(other, id(ids, id_ends, (new - judgements) as usize))
        };
        let hashes = &self.hashes[first..first + entries];
        let known = self.table.insert_until_known(hashes, judgements + first as u32, same);
        let (entered, number) = known.unwrap_or((entries, u32::MAX));
        self.looked_up += entered;
        self.next += entered + usize::from(known.is_some());
        known?;
        if number >= judgements {
            return Some((number - judgements) as usize);
        }
        let listed = &mut self.judgement_entries[number as usize];
        if *listed > 0 {
            return Some(*listed as usize - 1);
        }
        self.looked_up += 1;
        *listed = self.looked_up as u32;
        None
    }

    /// Move the next entry to where the ones before it end.
    fn fill_gap(&mut self) {
        let (to, from) = (self.looked_up, self.next);
        if to == from {
            return;
        }
        self.scores[to] = self.scores[from];
        self.hashes[to] = self.hashes[from];
        if !self.ranks.is_empty() {
            self.ranks[to] = self.ranks[from];
        }
        let (begin, id) = (id_start(&self.id_ends, to), id_start(&self.id_ends, from)..self.id_ends[from]);
        self.id_ends[to] = begin + id.len();
        self.ids.copy_within(id, begin);
    }

    /// How many entries are not looked up yet.
    pub fn pending(&self) -> usize {
        self.len() - self.next
    }

    /// The item, the score, the rank column and the number of the line that was looked up last.
    pub fn refused(&self, refused: &Refused) -> (&[u8], f64, i64, u64) {
        let at = match refused {
            Refused::Listed(_) => self.looked_up,
            Refused::TooLarge => self.looked_up - 1,
        };
        let line = self.next - 1;
        let (entry, number) = self.line_numbers[self.line_numbers.partition_point(|(entry, _)| *entry <= line) - 1];
        (self.id(at), self.scores[at], self.rank(at), number + (line - entry) as u64)
    }

    pub fn score(&self, entry: usize) -> f64 {
        self.scores[entry]
    }

    /// Give an entry the score and rank of another line that lists the same item.
    pub fn replace(&mut self, entry: usize, score: f64, rank: i64) {
        self.scores[entry] = score;
        if let Some(old) = self.ranks.get_mut(entry) {
            *old = rank;
        }
    }

    /// Whether some score is above the one listed before it.
    pub fn rises(&self) -> bool {
        self.scores.windows(2).fold(false, |rises, pair| rises | (pair[0] < pair[1]))
    }

    /// Whether the rank column, if every entry has a rank, puts one above another with a higher score.
    pub fn rank_disagrees(&self) -> bool {
        if self.ranks.contains(&NO_RANK) || (self.ranks.is_sorted() && !self.rises()) {
            return false;
        }
        let mut listed: Vec<(i64, f64)> = self.ranks.iter().copied().zip(self.scores.iter().copied()).collect();
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        listed.windows(2).any(|pair| pair[0].1 < pair[1].1)
    }

    pub fn bytes_held(&self) -> u64 {
        bytes_of(self.scores.len(), self.ids.len())
    }

    /// Order by score descending; ties by the rank column if it counts, then by item id descending. How many are tied.
    pub fn order(&mut self, rises: bool, rank_breaks_ties: bool) -> usize {
        self.places.clear();
        self.places.extend(0..self.scores.len() as u32);
        if rises { self.sort(rank_breaks_ties) } else { self.sort_ties(rank_breaks_ties) }
    }

    fn sort(&mut self, rank_breaks_ties: bool) -> usize {
        let mut order = self.ordered();
        order.sort_unstable_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| self.compare_ties(a.entry, b.entry, rank_breaks_ties))
        });
        for (place, placed) in (0..).zip(&order) {
            self.places[placed.entry as usize] = place;
        }
        count_tied(&order)
    }

    /// The same where scores do not rise.
    fn sort_ties(&mut self, rank_breaks_ties: bool) -> usize {
        let (mut tied, mut from) = (0, 0);
        while let Some(k) = self.scores[from..].windows(2).position(|pair| pair[0] == pair[1]) {
            let start = from + k;
            let length = self.scores[start..].iter().take_while(|&&score| score == self.scores[start]).count();
            let mut tie = std::mem::take(&mut self.tie);
            tie.clear();
            tie.extend(start as u32..(start + length) as u32);
            tie.sort_unstable_by(|&a, &b| self.compare_ties(a, b, rank_breaks_ties));
            for (place, &entry) in (start as u32..).zip(&tie) {
                self.places[entry as usize] = place;
            }
            self.tie = tie;
            (tied, from) = (tied + length, start + length);
        }
        tied
    }

    fn compare_ties(&self, a: u32, b: u32, rank_breaks_ties: bool) -> Ordering {
        let (a, b) = (a as usize, b as usize);
        let ranks = if rank_breaks_ties { self.rank(a).cmp(&self.rank(b)) } else { Ordering::Equal };
        ranks.then_with(|| self.id(b).cmp(self.id(a)))
    }

    /// The lowest and the highest score, if there are some.
    pub fn extremes(&self, rises: bool) -> Option<(f64, f64)> {
        let (&first, &last) = (self.scores.first()?, self.scores.last()?);
        if !rises {
            return Some((last, first));
        }
        Some(self.scores.iter().fold((first, first), |(low, high), &score| (low.min(score), high.max(score))))
    }

    pub fn len(&self) -> usize {
        self.scores.len()
    }

    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The entries in their order, see [`Ranking::order`].
    pub fn ordered(&self) -> Vec<Placed> {
        let mut order = vec![Placed { score: 0.0, entry: 0 }; self.len()];
        for (entry, (&place, &score)) in (0..).zip(self.places.iter().zip(&self.scores)) {
            order[place as usize] = Placed { score, entry };
        }
        order
    }

    /// The place in the order, from 0, of the entry that lists each judgement's item.
    pub fn judgement_places(&self) -> impl Iterator<Item = Option<u32>> {
        self.judgement_entries.iter().map(|&listed| listed.checked_sub(1).map(|entry| self.places[entry as usize]))
    }

    /// The judgement whose item each entry lists.
    pub fn judgements_by_entry(&self) -> Vec<Option<u32>> {
        let mut judgements = vec![None; self.len()];
        for (judgement, listed) in (0..).zip(&self.judgement_entries).filter(|(_, listed)| **listed > 0) {
            judgements[*listed as usize - 1] = Some(judgement);
        }
        judgements
    }

    pub fn placed_id(&self, placed: &Placed) -> &[u8] {
        self.id(placed.entry as usize)
    }

    fn id(&self, entry: usize) -> &[u8] {
        id(&self.ids, &self.id_ends, entry)
    }

    fn rank(&self, entry: usize) -> i64 {
        self.ranks.get(entry).copied().unwrap_or(0)
    }
}

fn bytes_of(entries: usize, ids: usize) -> u64 {
    ENTRY_COST * entries as u64 + ids as u64
}

#[inline(always)]
fn id_start(ends: &[usize], entry: usize) -> usize {
    if entry == 0 { 0 } else { ends[entry - 1] }
}

#[inline(always)]
fn id<'a>(ids: &'a [u8], ends: &[usize], entry: usize) -> &'a [u8] {
    &ids[id_start(ends, entry)..ends[entry]]
}

/// The ties in an order: all that share a score, where more than one does.
pub fn ties(ordered: &[Placed]) -> impl Iterator<Item = &[Placed]> {
    ordered.chunk_by(|a, b| a.score == b.score).filter(|tied| tied.len() > 1)
}

/// How many entries share their score with another.
pub fn count_tied(ordered: &[Placed]) -> usize {
    ties(ordered).map(<[Placed]>::len).sum()
}

/// How many scores equal a different score when rounded to float32.
pub fn count_float32_ties(ordered: &[Placed]) -> usize {
    let same = |a: &Placed, b: &Placed| a.score as f32 == b.score as f32;
    let differ = |tied: &&[Placed]| tied[0].score != tied[tied.len() - 1].score;
    ordered.chunk_by(same).filter(differ).map(<[Placed]>::len).sum()
}
