//! The items that a run lists for one request: without duplicates, in order, the judged ones marked.

use std::cmp::Ordering;

use crate::ids::{Ids, Table, append, same};
use crate::number::NO_RANK;

/// Not a judged item.
pub const UNJUDGED: u32 = u32::MAX;

/// One listed item. Its size is `LINE_COST` in the Python twin.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub score: f64,
    /// The rank column where it breaks ties, else 0.
    pub place: i64,
    start: u64,
    length: u32,
    /// Which of the request's judgements this is, counted from its first; or [`UNJUDGED`].
    pub judged: u32,
}

pub const ENTRY_COST: u64 = size_of::<Entry>() as u64;

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

#[derive(Default)]
pub struct Ranking {
    entries: Vec<Entry>,
    ids: Vec<u8>,
    /// Numbers below the number of judgements are judgements, the others entries.
    table: Table,
    /// The entry that lists a judgement's item, plus one; 0 where none does yet.
    judgement_entries: Vec<u32>,
    order: Order,
    /// The rank column of each entry in file order, if it is read.
    ranks: Vec<i64>,
}

/// What is known of the order in which entries were added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    /// The final one.
    #[default]
    Final,
    /// Scores never rise, but some ties are in the wrong order.
    TiesToSort,
    Unknown,
}

impl Ranking {
    pub fn begin(&mut self, judged: JudgedItems) {
        // Room for as many lines as the request before: most files have one depth.
        self.table.reset(judged.codes.len() + self.entries.len());
        self.entries.clear();
        self.ids.clear();
        self.judgement_entries.clear();
        self.judgement_entries.resize(judged.codes.len(), 0);
        self.order = Order::Final;
        self.ranks.clear();
        for (j, &code) in judged.codes.iter().enumerate() {
            self.table.find_or_insert(judged.hashes[code as usize], j as u32, |_| false);
        }
    }

    /// Add an item; if it is listed already, nothing changes and that entry is returned.
    #[inline(always)]
    pub fn push(&mut self, judged: JudgedItems, hash: u64, item: &[u8], score: f64, place: i64) -> Option<usize> {
        let judgements = judged.codes.len() as u32;
        let new = self.entries.len() as u32;
        let known = self.table.find_or_insert(hash, judgements + new, |number| {
            if number < judgements {
                same(judged.id(number as usize), item)
            } else {
                same(id_bytes(&self.ids, &self.entries[(number - judgements) as usize]), item)
            }
        });
        let which = match known {
            None => UNJUDGED,
            Some(number) if number >= judgements => return Some((number - judgements) as usize),
            Some(number) => match self.judgement_entries[number as usize] {
                0 => number,
                listed => return Some(listed as usize - 1),
            },
        };
        if which != UNJUDGED {
            self.judgement_entries[which as usize] = new + 1;
        }
        let entry = Entry { score, place, start: self.ids.len() as u64, length: item.len() as u32, judged: which };
        append(&mut self.ids, item);
        if let Some(last) = self.entries.last() {
            if last.score < score {
                self.order = Order::Unknown;
            } else if last.score == score && compare_ties(&self.ids, last, &entry) == Ordering::Greater {
                self.order = self.order.max(Order::TiesToSort);
            }
        }
        self.entries.push(entry);
        None
    }

    pub fn score(&self, entry: usize) -> f64 {
        self.entries[entry].score
    }

    /// Give an entry the score and place of another line that lists the same item.
    pub fn replace(&mut self, entry: usize, score: f64, place: i64) {
        self.entries[entry].score = score;
        self.entries[entry].place = place;
        self.order = Order::Unknown;
    }

    /// Set the rank column of an entry: the last one, or one that was replaced.
    pub fn note_rank(&mut self, entry: usize, rank: i64) {
        self.ranks.resize(self.entries.len(), 0);
        self.ranks[entry] = rank;
    }

    /// Whether some score is above the one listed before it. To be called before [`Ranking::order`].
    pub fn rises(&self) -> bool {
        self.order == Order::Unknown && self.entries.windows(2).any(|pair| pair[0].score < pair[1].score)
    }

    /// Whether the rank column, if every entry has a rank, puts one above another with a higher score. To be called
    /// before [`Ranking::order`].
    pub fn rank_disagrees(&self) -> bool {
        if self.ranks.contains(&NO_RANK) {
            return false;
        }
        let mut listed: Vec<(i64, f64)> =
            self.ranks.iter().zip(&self.entries).map(|(&rank, entry)| (rank, entry.score)).collect();
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        listed.windows(2).any(|pair| pair[0].1 < pair[1].1)
    }

    pub fn bytes_held(&self) -> u64 {
        ENTRY_COST * self.entries.len() as u64 + self.ids.len() as u64
    }

    /// Order by score descending; ties by the rank column if it counts, then by item id descending.
    pub fn order(&mut self) {
        let ids = &self.ids;
        match self.order {
            Order::Final => {}
            Order::TiesToSort => {
                for ties in self.entries.chunk_by_mut(|a, b| a.score == b.score) {
                    ties.sort_unstable_by(|a, b| compare_ties(ids, a, b));
                }
            }
            Order::Unknown => self.entries.sort_unstable_by(|a, b| compare(ids, a, b)),
        }
        self.order = Order::Final;
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn id(&self, entry: &Entry) -> &[u8] {
        id_bytes(&self.ids, entry)
    }
}

#[inline(always)]
fn id_bytes<'a>(ids: &'a [u8], entry: &Entry) -> &'a [u8] {
    &ids[entry.start as usize..entry.start as usize + entry.length as usize]
}

#[inline(always)]
fn compare(ids: &[u8], a: &Entry, b: &Entry) -> Ordering {
    b.score.total_cmp(&a.score).then_with(|| compare_ties(ids, a, b))
}

#[inline(always)]
fn compare_ties(ids: &[u8], a: &Entry, b: &Entry) -> Ordering {
    a.place.cmp(&b.place).then_with(|| id_bytes(ids, b).cmp(id_bytes(ids, a)))
}

/// The ties among ordered entries: all that share a score, where more than one does.
pub fn ties(ordered: &[Entry]) -> impl Iterator<Item = &[Entry]> {
    ordered.chunk_by(|a, b| a.score == b.score).filter(|tied| tied.len() > 1)
}

/// How many of the ordered entries share their score with another.
pub fn count_tied(ordered: &[Entry]) -> usize {
    ties(ordered).map(<[Entry]>::len).sum()
}

/// How many scores equal a different score when rounded to float32.
pub fn count_float32_ties(ordered: &[Entry]) -> usize {
    let same = |a: &Entry, b: &Entry| a.score as f32 == b.score as f32;
    let differ = |tied: &&[Entry]| tied[0].score != tied[tied.len() - 1].score;
    ordered.chunk_by(same).filter(differ).map(<[Entry]>::len).sum()
}
