//! One run, projected onto the judgements: the rank of every judged item.
//!
//! While the lines of each request are contiguous, only one request is held in memory; when a judged request returns
//! after another one, the pass ends with [`Stop::Returning`] and a second pass gathers all judged lines before it ranks
//! them.

mod lines;
mod places;

use std::collections::HashSet;

use crate::fault::{Fault, FaultKind, Stop};
use crate::gathered::{Gathered, Line};
use crate::ids::Key;
use crate::judged::Judged;
use crate::options::{Duplicates, Options};
use crate::ranking::{JudgedItems, Ranking, Refused};
use crate::run_result::{RunResult, ScoreRange, Top};
use crate::source::{Rows, Source, Watch};
use crate::tally::{Counter, Tally};
use lines::{Lines, ReadLines};

/// Lines between two checks whether to stop.
const CHECK_EVERY: usize = 65_536;

/// Lines after which duplicates are dropped, so that they take no memory.
const MOST_PENDING: usize = 4096;

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
    current_id: Key,
    /// Of the current request.
    first_line: u64,
    seen: Vec<bool>,
    unjudged: HashSet<u64>,
    gathered: Option<Gathered>,
    /// Of the lines of a batch: their scores, NaN where there is none, and the hashes of their items.
    scores: Vec<f64>,
    hashes: Vec<u64>,
    /// Their rank columns, if they are read.
    ranks_read: Vec<i64>,
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
            current_id: Key::default(),
            first_line: 0,
            seen: vec![false; requests],
            unjudged: HashSet::new(),
            gathered: gather.then(Gathered::default),
            scores: Vec::new(),
            hashes: Vec::new(),
            ranks_read: Vec::new(),
        }
    }

    fn read(&mut self, source: &Source, watch: &Watch) -> Result<(), Stop> {
        let mut tally = Tally::default();
        let mut read = match source {
            Source::Table(rows) => self.read_table(rows, &mut tally, watch),
            _ => std::thread::scope(|scope| {
                let lines = Lines::open(source, self.options, watch, scope)?;
                tiebreak_processor::run(ReadLines { projector: self, lines, tally: &mut tally, watch })
            }),
        };
        if let Err(Stop::Fault(_)) = read {
            // A duplicate among the lines before a fault is the earlier fault.
            read = self.look_up(&mut tally).and(read);
        }
        self.result.tally = tally;
        read
    }

    /// A line of the current request.
    fn push(&mut self, request: &[u8], line: &Line, hash: u64, tally: &mut Tally) -> Result<(), Stop> {
        let Current::Judged(r, _) = self.current else {
            tally.add(Counter::UnjudgedLines, line.number, request);
            return Ok(());
        };
        if let Some(gathered) = &mut self.gathered {
            // The memory limit comes before the check for duplicates.
            if gathered.bytes_held_with(line) > self.options.memory {
                return Err(Fault::entry(FaultKind::Memory, line.number, request, line.item, b"").into());
            }
            gathered.push(r as u32, line);
            return Ok(());
        }
        let item = (line.item, line.item.len());
        self.ranking.extend(line.number, &[line.score], &[hash], std::iter::once(item));
        if self.options.audit || self.options.rank_breaks_ties {
            self.ranking.extend_ranks(&[line.rank]);
        }
        self.check_memory(tally)
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
                self.enter(request, number, tally)?;
                self.push(request, &line, self.judged.seed.hash(item), tally)?;
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

    /// A line of this request follows.
    #[inline(always)]
    fn enter(&mut self, request: &[u8], line: u64, tally: &mut Tally) -> Result<(), Stop> {
        if self.current_id.begins((request, request.len())) && !matches!(self.current, Current::Nothing) {
            return Ok(());
        }
        self.begin(request, line, tally)
    }

    fn begin(&mut self, request: &[u8], line: u64, tally: &mut Tally) -> Result<(), Stop> {
        self.settle(tally)?;
        self.current_id.set(request);
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
        self.rank(r, line);
        Ok(())
    }

    /// Lines of this judged request follow.
    fn rank(&mut self, r: usize, line: u64) {
        let judged = self.judged.items_of_request(r);
        self.current = Current::Judged(r, judged);
        self.first_line = line;
        if self.gathered.is_none() {
            self.ranking.begin(judged);
        }
    }

    #[inline(always)]
    fn check_memory(&mut self, tally: &mut Tally) -> Result<(), Stop> {
        let is_much = self.ranking.bytes_held() > self.options.memory || self.ranking.pending() >= MOST_PENDING;
        if is_much { self.look_up(tally) } else { Ok(()) }
    }

    /// Look up the lines of the current request that are not yet: which are judged, and which are duplicates?
    fn look_up(&mut self, tally: &mut Tally) -> Result<(), Stop> {
        let (Current::Judged(r, judged), None) = (self.current, &self.gathered) else { return Ok(()) };
        while let Some(refused) = self.ranking.next_refused(judged, self.options.memory) {
            let (item, score, rank, line) = self.ranking.refused(&refused);
            let kind = match refused {
                Refused::TooLarge => Some(FaultKind::Memory),
                Refused::Listed(_) => (self.options.duplicates == Duplicates::Error).then_some(FaultKind::Duplicate),
            };
            if let Some(kind) = kind {
                self.current = Current::Nothing;
                return Err(Fault::entry(kind, line, self.judged.requests.get(r), item, b"").into());
            }
            tally.add(Counter::Duplicate, line, item);
            match refused {
                Refused::Listed(entry)
                    if self.options.duplicates == Duplicates::Best && score > self.ranking.score(entry) =>
                {
                    self.ranking.replace(entry, score, rank);
                }
                _ => {}
            }
        }
        Ok(())
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
        self.settle(&mut tally)?;
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
            let lines = &order[bounds[0]..bounds[1]];
            self.rank(r, gathered.line(lines[0]).number);
            let request = self.judged.requests.get(r);
            let ranked = lines.iter().try_for_each(|&k| {
                if k % CHECK_EVERY == 0 {
                    watch.check()?;
                }
                let line = gathered.line(k);
                self.push(request, &line, self.judged.seed.hash(line.item), &mut tally)
            });
            match ranked.and_then(|()| self.settle(&mut tally)) {
                Err(Stop::Fault(fault)) if offence.as_ref().is_none_or(|first| fault.line < first.line) => {
                    offence = Some(fault);
                }
                Ok(()) | Err(Stop::Fault(_)) => {}
                stopped => return stopped,
            }
        }
        self.current = Current::Nothing;
        self.result.tally = tally;
        offence.map_or(Ok(()), |fault| Err(Stop::Fault(fault)))
    }
}
