//! A request whose lines are all read: its ranking is ordered, and what is asked for is written.

use super::{Current, Projector};
use crate::fault::Stop;
use crate::judged::{CANDIDATE, EXCLUDED};
use crate::options::Options;
use crate::ranking::{Placed, count_float32_ties, ties};
use crate::tally::{Counter, Tally};

impl Projector<'_> {
    /// The current request is complete: order it and write its results.
    pub(super) fn settle(&mut self, tally: &mut Tally) -> Result<(), Stop> {
        self.look_up(tally)?;
        let (Current::Judged(r, _), None) = (self.current, &self.gathered) else { return Ok(()) };
        let rises = self.ranking.rises();
        if rises {
            tally.add(Counter::Unsorted, self.first_line, self.judged.requests.get(r));
        }
        if self.options.audit && self.ranking.rank_disagrees() {
            tally.add(Counter::RankDisagrees, self.first_line, self.judged.requests.get(r));
        }
        self.result.tied[r] = self.ranking.order(rises, self.options.rank_breaks_ties) as i32;
        if self.options.audit {
            self.count_ties(r, tally);
        }
        if let Some((low, high)) = self.ranking.extremes(rises) {
            let range = &mut self.result.scores;
            (range.low, range.high) = (range.low.min(low), range.high.max(high));
        }
        self.result.listed[r] = self.ranking.len() as i32;
        self.result.retrieved[r] = if self.is_whole(r) { self.write_places(r) } else { self.write_selection(r) };
        Ok(())
    }

    /// Whether every listed item counts, and only judged ones are asked for.
    fn is_whole(&self, r: usize) -> bool {
        let slots = &self.judged.slot[self.judged.first(r)..self.judged.first(r + 1)];
        let Options { judged_only, top, pool, .. } = self.options;
        !judged_only && top.is_none() && !pool && !slots.contains(&EXCLUDED)
    }

    /// Write the ranks of judged items: their places; how many items the ranking has.
    fn write_places(&mut self, r: usize) -> i32 {
        let depth = self.options.depth;
        let slots = &self.judged.slot[self.judged.first(r)..];
        for (place, &slot) in self.ranking.judgement_places().zip(slots) {
            if let Some(place) = place.filter(|&place| slot >= 0 && (place as usize) < depth) {
                self.ranks[slot as usize] = place as i32 + 1;
            }
        }
        self.ranking.len().min(depth) as i32
    }

    /// The same where some items do not count, or others are asked for, too.
    fn write_selection(&mut self, r: usize) -> i32 {
        let first = self.judged.first(r);
        let judgements = self.ranking.judgements_by_entry();
        let judgement = |placed: &Placed| judgements[placed.entry as usize].map(|judged| first + judged as usize);
        let counts = |placed: &&Placed| match judgement(placed) {
            None => !self.options.judged_only,
            Some(judgement) => self.judged.slot[judgement] != EXCLUDED,
        };
        let ordered = self.ranking.ordered();
        let selection = ordered.iter().filter(counts).take(self.options.depth);
        let mut retrieved = 0;
        for placed in selection.clone() {
            retrieved += 1;
            let slot = judgement(placed).map_or(-1, |judgement| self.judged.slot[judgement]);
            if slot >= 0 {
                self.ranks[slot as usize] = retrieved;
            }
        }
        for placed in selection.clone().take(self.options.top.unwrap_or(0)) {
            let judgement = judgement(placed).map_or(-1, |judgement| judgement as i32);
            self.result.top[r].push(self.ranking.placed_id(placed), judgement);
        }
        if self.options.pool {
            let (one, two) = (self.judged.seed, self.judged.second_seed);
            let ids = selection.map(|placed| self.ranking.placed_id(placed));
            self.result.pool[r] = ids.map(|id| (one.hash(id), two.hash(id))).collect();
        }
        retrieved
    }

    /// Ties that touch a judged item, and scores that tie only in 32 bits.
    fn count_ties(&self, r: usize, tally: &mut Tally) {
        let (first, request) = (self.judged.first(r), self.judged.requests.get(r));
        let judgements = self.ranking.judgements_by_entry();
        let is_judged = |placed: &Placed| {
            judgements[placed.entry as usize]
                .is_some_and(|judged| ![EXCLUDED, CANDIDATE].contains(&self.judged.slot[first + judged as usize]))
        };
        let ordered = self.ranking.ordered();
        let touching = ties(&ordered).filter(|tied| tied.iter().any(is_judged)).count();
        tally.add_many(Counter::JudgedTies, touching, self.first_line, request);
        tally.add_many(Counter::Float32Ties, count_float32_ties(&ordered), self.first_line, request);
    }
}
