//! One run, projected onto the judgements: the rank of every judged item.
//!
//! While the lines of each request are contiguous, only one request is held in memory; when a judged request returns
//! after another one, the pass ends with [`Stop::Returning`] and a second pass gathers all judged lines before it ranks
//! them.

use std::collections::HashSet;

use crate::fault::{Fault, FaultKind, Stop};
use crate::gathered::{Gathered, Line};
use crate::ids::{IdColumn, same};
use crate::judged::{CANDIDATE, EXCLUDED, Judged};
use crate::number;
use crate::ranking::{Entry, JudgedItems, Ranking, UNJUDGED, count_float32_ties, count_tied, ties};
use crate::source::{Rows, Source, Text, Watch};
use crate::tally::{Counter, Tally};
use crate::text::{Batch, Row, each_batch};

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
    pub jobs: usize,
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
            audit: false,
        }
    }
}

/// Lines between two checks whether to stop.
const CHECK_EVERY: usize = 65_536;

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
    fn push(&mut self, item: &[u8], judgement: i32) {
        self.items.push(item);
        self.judgement.push(judgement);
    }
}

/// Read one run and write the ranks of its judged items to their slots.
pub fn project_run(
    source: &Source,
    judged: &Judged,
    options: &Options,
    ranks: &mut [i32],
    watch: &Watch,
) -> Result<RunResult, Stop> {
    let mut projector = Projector::new(judged, options, ranks, false);
    let mut read = projector.read(source, watch);
    if let Err(Stop::Returning) = read {
        watch.start_again();
        projector = Projector::new(judged, options, projector.ranks, true);
        read = projector.read(source, watch);
    }
    projector.finish(read, matches!(source, Source::Table(_)), watch)
}

/// The request that the lines being read are of.
#[derive(Clone, Copy)]
enum Current<'a> {
    Nothing,
    Unjudged,
    Judged(usize, JudgedItems<'a>),
}

struct Projector<'a> {
    judged: &'a Judged<'a>,
    options: &'a Options,
    ranks: &'a mut [i32],
    result: RunResult,
    ranking: Ranking,
    current: Current<'a>,
    current_id: Vec<u8>,
    /// Of the current request.
    first_line: u64,
    seen: Vec<bool>,
    unjudged: HashSet<u64>,
    gathered: Option<Gathered>,
    /// Of the lines of a batch: their scores, NaN where there is none, and the hashes of their items.
    scores: Vec<f64>,
    hashes: Vec<u64>,
}

impl<'a> Projector<'a> {
    fn new(judged: &'a Judged<'a>, options: &'a Options, ranks: &'a mut [i32], gather: bool) -> Self {
        ranks.fill(crate::UNRETRIEVED);
        let requests = judged.requests.len();
        let result = RunResult {
            listed: vec![0; requests],
            retrieved: vec![0; requests],
            tied: vec![0; requests],
            scores: ScoreRange::default(),
            tally: Tally::default(),
            top: if options.top.is_some() { vec![Top::default(); requests] } else { Vec::new() },
            pool: if options.pool { vec![Vec::new(); requests] } else { Vec::new() },
        };
        Projector {
            judged,
            options,
            ranks,
            result,
            ranking: Ranking::default(),
            current: Current::Nothing,
            current_id: Vec::new(),
            first_line: 0,
            seen: vec![false; requests],
            unjudged: HashSet::new(),
            gathered: gather.then(Gathered::default),
            scores: Vec::new(),
            hashes: Vec::new(),
        }
    }

    fn read(&mut self, source: &Source, watch: &Watch) -> Result<(), Stop> {
        let mut tally = Tally::default();
        let read = match source {
            Source::Table(rows) => self.read_table(rows, &mut tally, watch),
            _ => {
                let mut text = Text::open(source, watch)?;
                each_batch(&mut text, 5..=usize::MAX, &mut tally, watch, |batch, tally| self.read_batch(&batch, tally))
            }
        };
        self.result.tally = tally;
        read
    }

    /// Lines `request iteration item rank score [tag]`. Scores and hashes are computed for all of them first: loops that
    /// do one thing let the processor work on several lines at once.
    fn read_batch(&mut self, batch: &Batch, tally: &mut Tally) -> Result<(), Stop> {
        let mut scores = std::mem::take(&mut self.scores);
        let mut hashes = std::mem::take(&mut self.hashes);
        scores.clear();
        scores.extend(batch.rows().map(|row| {
            let (bytes, length) = row.from_column(4);
            number::parse_start(bytes, length).unwrap_or(f64::NAN)
        }));
        hashes.clear();
        hashes.extend(batch.rows().map(|row| self.judged.seed.hash(row.column(2))));
        let mut values = scores.iter().zip(&hashes);
        let read = batch
            .rows()
            .zip(&mut values)
            .try_for_each(|(row, (&score, &hash))| self.read_row(&row, score, hash, tally));
        (self.scores, self.hashes) = (scores, hashes);
        read
    }

    #[inline(always)]
    fn read_row(&mut self, row: &Row, score: f64, hash: u64, tally: &mut Tally) -> Result<(), Stop> {
        let (number, request, item) = (row.number(), row.column(0), row.column(2));
        let mut rank = 0;
        if self.options.rank_breaks_ties {
            let text = row.column(3);
            rank =
                number::parse_rank(text).ok_or_else(|| Fault::entry(FaultKind::Rank, number, request, item, text))?;
        }
        if self.options.audit {
            row.count_spelling(number, row.column(4), tally);
            rank = count_rank(row.column(3), number, tally);
        }
        if score.is_nan() {
            return self.refuse_score(number, request, item, row.column(4), tally);
        }
        self.push(request, Line { number, item, score, rank }, hash, tally)
    }

    fn read_table(&mut self, rows: &Rows, tally: &mut Tally, watch: &Watch) -> Result<(), Stop> {
        for (row, (&request, &score)) in rows.request.iter().zip(rows.scores).enumerate() {
            if row % CHECK_EVERY == 0 {
                watch.check()?;
            }
            let number = row as u64 + 1;
            let (request, item) = (rows.requests.get(request as usize), rows.items.get(row));
            tally.add(Counter::Lines, number, b"");
            if score.is_finite() {
                let line = Line { number, item, score: score + 0.0, rank: 0 };
                self.push(request, line, self.judged.seed.hash(item), tally)?;
            } else {
                self.refuse_score(number, request, item, score.to_string().to_lowercase().as_bytes(), tally)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn refuse_score(
        &self,
        number: u64,
        request: &[u8],
        item: &[u8],
        text: &[u8],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if !self.options.drop_bad_scores {
            return Err(Fault::entry(FaultKind::Score, number, request, item, text).into());
        }
        tally.add(Counter::BadScore, number, text);
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, request: &[u8], line: Line, hash: u64, tally: &mut Tally) -> Result<(), Stop> {
        if !same(request, &self.current_id) || matches!(self.current, Current::Nothing) {
            self.begin(request, line.number, tally)?;
        }
        let Current::Judged(r, judged) = self.current else {
            tally.add(Counter::UnjudgedLines, line.number, request);
            return Ok(());
        };
        match &mut self.gathered {
            Some(gathered) => {
                // The memory limit comes before the check for duplicates.
                check_memory(gathered.bytes_held_with(&line), self.options, request, &line)?;
                gathered.push(r as u32, &line);
                Ok(())
            }
            None => self.rank(judged, request, line, hash, tally),
        }
    }

    fn begin(&mut self, request: &[u8], line: u64, tally: &mut Tally) -> Result<(), Stop> {
        self.settle(tally);
        self.current_id.clear();
        self.current_id.extend_from_slice(request);
        let Some(r) = self.judged.request(request) else {
            self.current = Current::Unjudged;
            if self.unjudged.insert(self.judged.seed.hash(request)) {
                tally.add(Counter::UnjudgedRequests, line, request);
            }
            return Ok(());
        };
        let r = r as usize;
        if std::mem::replace(&mut self.seen[r], true) {
            if self.gathered.is_none() {
                return Err(Stop::Returning);
            }
            tally.add(Counter::Returning, line, request);
        }
        self.enter(r, line);
        Ok(())
    }

    fn enter(&mut self, r: usize, line: u64) {
        let judged = self.judged.items_of_request(r);
        self.current = Current::Judged(r, judged);
        self.first_line = line;
        if self.gathered.is_none() {
            self.ranking.begin(judged);
        }
    }

    #[inline(always)]
    fn rank(
        &mut self,
        judged: JudgedItems,
        request: &[u8],
        line: Line,
        hash: u64,
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        let place = if self.options.rank_breaks_ties { line.rank } else { 0 };
        let listed = self.ranking.push(judged, hash, line.item, line.score, place);
        if self.options.audit && listed.is_none() {
            self.ranking.note_rank(self.ranking.entries().len() - 1, line.rank);
        }
        match (listed, self.options.duplicates) {
            (None, _) => return check_memory(self.ranking.bytes_held(), self.options, request, &line),
            (Some(_), Duplicates::Error) => {
                return Err(Fault::entry(FaultKind::Duplicate, line.number, request, line.item, b"").into());
            }
            (Some(entry), Duplicates::Best) if line.score > self.ranking.score(entry) => {
                self.ranking.replace(entry, line.score, place);
                if self.options.audit {
                    self.ranking.note_rank(entry, line.rank);
                }
            }
            (Some(_), _) => {}
        }
        tally.add(Counter::Duplicate, line.number, line.item);
        Ok(())
    }

    /// The current request is complete: order it and write its results.
    fn settle(&mut self, tally: &mut Tally) {
        let (Current::Judged(r, _), None) = (self.current, &self.gathered) else { return };
        if self.ranking.rises() {
            tally.add(Counter::Unsorted, self.first_line, self.judged.requests.get(r));
        }
        if self.options.audit && self.ranking.rank_disagrees() {
            tally.add(Counter::RankDisagrees, self.first_line, self.judged.requests.get(r));
        }
        self.ranking.order();
        if self.options.audit {
            self.count_ties(r, tally);
        }
        let listed = self.ranking.entries();
        if let [best, ..] = listed {
            let range = &mut self.result.scores;
            range.high = range.high.max(best.score);
            range.low = range.low.min(listed[listed.len() - 1].score);
        }
        let first = self.judged.first(r);
        let counts = |entry: &&Entry| match entry.judged {
            UNJUDGED => !self.options.judged_only,
            judged => self.judged.slot[first + judged as usize] != EXCLUDED,
        };
        let ranking = listed.iter().filter(counts).take(self.options.depth);
        let mut retrieved = 0;
        for entry in ranking.clone() {
            retrieved += 1;
            if entry.judged != UNJUDGED {
                let slot = self.judged.slot[first + entry.judged as usize];
                if slot >= 0 {
                    self.ranks[slot as usize] = retrieved;
                }
            }
        }
        self.result.listed[r] = listed.len() as i32;
        self.result.tied[r] = count_tied(listed) as i32;
        self.result.retrieved[r] = retrieved;
        for entry in ranking.clone().take(self.options.top.unwrap_or(0)) {
            let judgement = if entry.judged == UNJUDGED { -1 } else { first as i32 + entry.judged as i32 };
            self.result.top[r].push(self.ranking.id(entry), judgement);
        }
        if self.options.pool {
            let (one, two) = (self.judged.seed, self.judged.second_seed);
            let ids = ranking.map(|entry| self.ranking.id(entry));
            self.result.pool[r] = ids.map(|id| (one.hash(id), two.hash(id))).collect();
        }
    }

    /// Ties that touch a judged item, and scores that tie only in 32 bits.
    fn count_ties(&self, r: usize, tally: &mut Tally) {
        let (first, request) = (self.judged.first(r), self.judged.requests.get(r));
        let is_judged = |entry: &Entry| {
            entry.judged != UNJUDGED
                && ![EXCLUDED, CANDIDATE].contains(&self.judged.slot[first + entry.judged as usize])
        };
        let listed = self.ranking.entries();
        let touching = ties(listed).filter(|tied| tied.iter().any(is_judged)).count();
        tally.add_many(Counter::JudgedTies, touching, self.first_line, request);
        tally.add_many(Counter::Float32Ties, count_float32_ties(listed), self.first_line, request);
    }

    /// A table may be empty: a run that retrieves nothing. An empty file is a fault.
    fn finish(mut self, read: Result<(), Stop>, is_table: bool, watch: &Watch) -> Result<RunResult, Stop> {
        match self.gathered.take() {
            None => read?,
            Some(_) if matches!(read, Err(Stop::Cancelled)) => read?,
            Some(gathered) => {
                // A duplicate among the lines before a fault is the earlier fault.
                self.rank_gathered(&gathered, watch)?;
                read?;
            }
        }
        let mut tally = std::mem::take(&mut self.result.tally);
        self.settle(&mut tally);
        self.result.tally = tally;
        if !is_table && self.result.tally.count(Counter::Lines) == 0 {
            return Err(Fault::file(FaultKind::Empty, b"").into());
        }
        Ok(self.result)
    }

    fn rank_gathered(&mut self, gathered: &Gathered, watch: &Watch) -> Result<(), Stop> {
        let mut tally = std::mem::take(&mut self.result.tally);
        let mut offence: Option<Box<Fault>> = None;
        let (starts, order) = gathered.by_request(self.judged.requests.len());
        for (r, bounds) in starts.windows(2).enumerate().filter(|(_, bounds)| bounds[0] < bounds[1]) {
            self.enter(r, gathered.line(order[bounds[0]]).number);
            for &k in &order[bounds[0]..bounds[1]] {
                if k % CHECK_EVERY == 0 {
                    watch.check()?;
                }
                let (judged, request, line) =
                    (self.judged.items_of_request(r), self.judged.requests.get(r), gathered.line(k));
                let hash = self.judged.seed.hash(line.item);
                match self.rank(judged, request, line, hash, &mut tally) {
                    Err(Stop::Fault(fault)) if offence.as_ref().is_none_or(|first| fault.line < first.line) => {
                        offence = Some(fault);
                    }
                    _ => {}
                }
            }
            self.settle(&mut tally);
        }
        self.current = Current::Nothing;
        self.result.tally = tally;
        offence.map_or(Ok(()), |fault| Err(Stop::Fault(fault)))
    }
}

/// The rank column; missing ranks and zeros are counted.
fn count_rank(text: &[u8], line: u64, tally: &mut Tally) -> i64 {
    let rank = number::parse_rank(text).unwrap_or(number::NO_RANK);
    match rank {
        number::NO_RANK => tally.add(Counter::NoRank, line, text),
        0 => tally.add(Counter::RankZero, line, b""),
        _ => {}
    }
    rank
}

#[inline(always)]
fn check_memory(held: u64, options: &Options, request: &[u8], line: &Line) -> Result<(), Stop> {
    if held > options.memory {
        return Err(Fault::entry(FaultKind::Memory, line.number, request, line.item, b"").into());
    }
    Ok(())
}
