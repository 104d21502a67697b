//! The lines of a text, visited in batches: scores and hashes of all first, then those of one request together.

use std::ops::{Range, RangeInclusive};
use std::thread::Scope;

use tiebreak_processor::Work;

use super::{Current, Projector};
use crate::fault::{Fault, FaultKind, Stop};
use crate::gathered::Line;
use crate::number;
use crate::options::Options;
use crate::source::{Source, Text, Watch};
use crate::tally::{Counter, Tally};
use crate::text::{Batch, FoundLines, each_batch};

/// Columns of a line, at least; those after a run's tag are ignored.
const WIDTHS: RangeInclusive<usize> = 5..=usize::MAX;

/// The lines of a run, with columns that are found here or on another thread.
pub(super) enum Lines<'scope> {
    Here(Text<'scope>),
    Ahead(FoundLines<'scope>),
}

impl<'scope> Lines<'scope> {
    /// Where there is a spare processor, another thread does some of the work, if one can be started: it decompresses
    /// the text, or finds the columns of a large one that is not compressed.
    pub fn open<'a: 'scope>(
        source: &Source<'a>,
        options: &Options,
        watch: &'a Watch,
        scope: &'scope Scope<'scope, '_>,
    ) -> Result<Self, Fault> {
        let spare = options.jobs > 1;
        let text = if spare { Text::open_ahead(source, watch, scope)? } else { Text::open(source, watch)? };
        if !spare || text.is_compressed() || source.size() < options.large {
            return Ok(Lines::Here(text));
        }
        if let Ok(found) = FoundLines::begin(text, WIDTHS, watch, scope) {
            return Ok(Lines::Ahead(found));
        }
        watch.start_again();
        Ok(Lines::Here(Text::open(source, watch)?))
    }
}

/// Reading all lines.
pub(super) struct ReadLines<'r, 'a, 's> {
    pub projector: &'r mut Projector<'a>,
    pub lines: Lines<'s>,
    pub tally: &'r mut Tally,
    pub watch: &'r Watch,
}

impl Work for ReadLines<'_, '_, '_> {
    type Output = Result<(), Stop>;

    #[inline(always)]
    fn run(self) -> Self::Output {
        let ReadLines { projector, lines, tally, watch } = self;
        match lines {
            Lines::Here(mut text) => each_batch(
                &mut text,
                WIDTHS,
                tally,
                watch,
                #[inline(always)]
                |batch, tally| projector.read_batch(batch, tally),
            ),
            Lines::Ahead(found) => found.each_batch(
                tally,
                #[inline(always)]
                |batch, tally| projector.read_batch(batch, tally),
            ),
        }
    }
}

impl Projector<'_> {
    /// Lines `request iteration item rank score [tag]`. Scores and hashes are computed for all of them first: loops that
    /// do one thing let the processor work on several lines at once.
    #[inline(always)]
    fn read_batch(&mut self, batch: &Batch, tally: &mut Tally) -> Result<(), Stop> {
        let (mut scores, mut hashes) = (std::mem::take(&mut self.scores), std::mem::take(&mut self.hashes));
        scores.clear();
        let texts = batch.column(4, 0..batch.len());
        scores.extend(texts.map(|(bytes, length)| number::parse_start(bytes, length).unwrap_or(f64::NAN)));
        hashes.clear();
        let items = batch.column(2, 0..batch.len());
        hashes.extend(items.map(|(bytes, length)| self.judged.seed.hash(&bytes[..length])));
        let fault = self.read_ranks(batch, tally);
        let sound = fault.as_ref().map_or(batch.len(), |(k, _)| *k);
        let read = self.read_lines(batch, sound, &scores, &hashes, tally);
        (self.scores, self.hashes) = (scores, hashes);
        read?;
        fault.map_or(Ok(()), |(_, fault)| Err(fault.into()))
    }

    /// Read rank columns, where they count: the first line without one, and its fault.
    #[inline(always)]
    fn read_ranks(&mut self, batch: &Batch, tally: &mut Tally) -> Option<(usize, Fault)> {
        self.ranks_read.clear();
        if self.options.rank_breaks_ties {
            for (k, row) in batch.rows().enumerate() {
                let text = row.column(3);
                let Some(rank) = number::parse_rank(text) else {
                    return Some((k, Fault::entry(FaultKind::Rank, row.number(), row.column(0), row.column(2), text)));
                };
                self.ranks_read.push(rank);
            }
        }
        if self.options.audit {
            self.ranks_read.clear();
            for row in batch.rows() {
                row.count_spelling(4, tally);
                self.ranks_read.push(count_rank(row.start(3), row.number(), tally));
            }
        }
        None
    }

    /// Push the first `sound` lines, those of one request together.
    #[inline(always)]
    fn read_lines(
        &mut self,
        batch: &Batch,
        sound: usize,
        scores: &[f64],
        hashes: &[u64],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        let mut k = 0;
        while k < sound {
            let row = batch.row(k);
            if scores[k].is_nan() {
                self.refuse_score(row.number(), row.column(0), row.column(2), row.column(4), tally)?;
                k += 1;
                continue;
            }
            self.enter(row.column(0), row.number(), tally)?;
            let others = batch.column(0, k + 1..sound).zip(&scores[k + 1..sound]);
            let same = others.take_while(|(request, score)| !score.is_nan() & self.current_id.begins(*request));
            let lines = k..k + 1 + same.count();
            k = lines.end;
            self.push_lines(batch, lines, scores, hashes, tally)?;
        }
        Ok(())
    }

    /// Lines of the current request.
    #[inline(always)]
    fn push_lines(
        &mut self,
        batch: &Batch,
        lines: Range<usize>,
        scores: &[f64],
        hashes: &[u64],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if self.gathered.is_some() || !matches!(self.current, Current::Judged(..)) {
            return lines.into_iter().try_for_each(|k| {
                let row = batch.row(k);
                let rank = self.ranks_read.get(k).copied().unwrap_or(0);
                let line = Line { number: row.number(), item: row.column(2), score: scores[k], rank };
                self.push(row.column(0), &line, hashes[k], tally)
            });
        }
        let number = batch.row(lines.start).number();
        let items = batch.column(2, lines.clone());
        self.ranking.extend(number, &scores[lines.clone()], &hashes[lines.clone()], items);
        if !self.ranks_read.is_empty() {
            self.ranking.extend_ranks(&self.ranks_read[lines]);
        }
        self.check_memory(tally)
    }
}

/// The rank column; missing ranks and zeros are counted.
#[inline(always)]
fn count_rank((bytes, length): (&[u8], usize), line: u64, tally: &mut Tally) -> i64 {
    let rank = number::parse_rank_start(bytes, length).unwrap_or(number::NO_RANK);
    match rank {
        number::NO_RANK => tally.add(Counter::NoRank, line, &bytes[..length]),
        0 => tally.add(Counter::RankZero, line, b""),
        _ => {}
    }
    rank
}
