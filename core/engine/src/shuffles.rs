//! Randomised Tukey HSD (Carterette 2012): systems are shuffled within every request, many times, and of every shuffle
//! only the largest difference between two systems is kept.
//!
//! Values are whole numbers, so that sums are exact. Shuffle b of request q depends on the seed, b and q alone: neither
//! threads nor blocks change a result.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::project::on_threads;

/// Shuffles per block: the values of a request stay in the cache for all of them.
const TOGETHER: usize = 32;
const PART_BITS: u32 = 21;
const PART: u64 = (1 << PART_BITS) - 1;
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Random words of one shuffle of one request: splitmix64 (Steele et al. 2014).
struct Words(u64);

impl Words {
    fn new(seed: u64, shuffle: u64, request: u64) -> Self {
        Words(mix(mix(mix(seed.wrapping_add(STEP)) ^ shuffle) ^ request))
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }
}

#[inline(always)]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Fisher and Yates, from the last place down; each word of 64 bits serves three places.
#[inline(always)]
fn shuffle<T>(values: &mut [T], words: &mut Words) {
    let mut left = values.len();
    while left > 1 {
        let mut word = words.next();
        for _ in 0..3 {
            if left > 1 {
                let place = ((word & PART) * left as u64) >> PART_BITS;
                left -= 1;
                values.swap(left, place as usize);
                word >>= PART_BITS;
            }
        }
    }
}

/// What is shuffled: one row per request.
#[derive(Clone, Copy)]
pub enum Shuffled<'a> {
    /// Values of systems: the largest difference of two sums.
    Values(&'a [i64]),
    /// Ranks of systems, the smaller the better: the largest sum of signs between two.
    Ranks(&'a [i32]),
    /// Preferences of all pairs, a square matrix each: the largest sum between two.
    Preferences(&'a [i32]),
    /// The same, of preferences that need 64 bits.
    LongPreferences(&'a [i64]),
}

impl Shuffled<'_> {
    /// How many sums a shuffle has: of systems, or of pairs.
    pub fn width(&self, systems: usize) -> usize {
        match self {
            Shuffled::Values(_) => systems,
            _ => systems * systems.saturating_sub(1) / 2,
        }
    }
}

/// Which shuffles of which seed.
#[derive(Debug, Clone, Copy)]
pub struct Draw {
    pub seed: u64,
    pub first: u64,
    pub count: usize,
}

impl From<(u64, u64, usize)> for Draw {
    fn from((seed, first, count): (u64, u64, usize)) -> Self {
        Draw { seed, first, count }
    }
}

/// The largest difference between two systems in every shuffle; `None` if `tick` returns false.
pub fn largest_differences(
    shuffled: Shuffled,
    systems: usize,
    requests: usize,
    draw: Draw,
    jobs: usize,
    tick: impl FnMut(u64, u64) -> bool,
) -> Option<Vec<i64>> {
    let numbers: Vec<u64> = (0..requests as u64).collect();
    of_every_shuffle(shuffled, systems, &numbers, 1, draw, jobs, tick, |sums, k, place| place[0] = sums.largest(k))
}

/// The sums of every system, or of every pair, in every shuffle; `numbers` are those of the requests that the rows are
/// of, so that the sums of all requests are those of their parts. `None` if `tick` returns false.
pub fn shuffled_sums(
    shuffled: Shuffled,
    systems: usize,
    numbers: &[u64],
    draw: Draw,
    jobs: usize,
    tick: impl FnMut(u64, u64) -> bool,
) -> Option<Vec<i64>> {
    let width = shuffled.width(systems);
    of_every_shuffle(shuffled, systems, numbers, width, draw, jobs, tick, |sums, k, places| sums.copy(k, places))
}

/// So many numbers of every shuffle, as `take` has them of the sums of one.
#[allow(clippy::too_many_arguments)]
fn of_every_shuffle(
    shuffled: Shuffled,
    systems: usize,
    numbers: &[u64],
    width: usize,
    draw: Draw,
    jobs: usize,
    mut tick: impl FnMut(u64, u64) -> bool,
    take: impl Fn(&Sums, usize, &mut [i64]) + Sync,
) -> Option<Vec<i64>> {
    let mut taken = vec![0; draw.count * width];
    let blocks = Mutex::new(taken.chunks_mut((TOGETHER * width).max(1)).enumerate());
    let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let work = || {
        let mut sums = Sums::new(shuffled, systems);
        loop {
            let Some((block, places)) = blocks.lock().expect("no thread panics").next() else { return };
            if stopped.load(Ordering::Relaxed) {
                return;
            }
            let count = places.len() / width;
            sums.fill(draw.seed, draw.first + (block * TOGETHER) as u64, count, numbers);
            places.chunks_mut(width).enumerate().for_each(|(k, place)| take(&sums, k, place));
            done.fetch_add(count, Ordering::Relaxed);
        }
    };
    let wake = || {
        if !tick(done.load(Ordering::Relaxed) as u64, draw.count as u64) {
            stopped.store(true, Ordering::Relaxed);
        }
    };
    on_threads(jobs.clamp(1, draw.count.div_ceil(TOGETHER).max(1)), work, wake);
    (!stopped.into_inner()).then_some(taken)
}

/// The buffers of one thread.
struct Sums<'a> {
    shuffled: Shuffled<'a>,
    systems: usize,
    /// Of systems.
    totals: Vec<i64>,
    /// Of pairs, the first system's with all later ones first: signs, of which there are fewer than 2^31, and
    /// preferences.
    signs: Vec<i32>,
    pairs: Vec<i64>,
    order: Vec<u32>,
    values: Vec<i64>,
    ranks: Vec<i32>,
}

impl<'a> Sums<'a> {
    fn new(shuffled: Shuffled<'a>, systems: usize) -> Self {
        let width = shuffled.width(systems);
        let (totals, signs, pairs) = match shuffled {
            Shuffled::Values(_) => (width, 0, 0),
            Shuffled::Ranks(_) => (0, width, 0),
            Shuffled::Preferences(_) | Shuffled::LongPreferences(_) => (0, 0, width),
        };
        Sums {
            shuffled,
            systems,
            totals: vec![0; TOGETHER * totals],
            signs: vec![0; TOGETHER * signs],
            pairs: vec![0; TOGETHER * pairs],
            order: vec![0; systems],
            values: vec![0; systems],
            ranks: vec![0; systems],
        }
    }

    /// Add up every shuffle of a block; `numbers` are those of the requests.
    fn fill(&mut self, seed: u64, first: u64, count: usize, numbers: &[u64]) {
        self.totals.fill(0);
        self.signs.fill(0);
        self.pairs.fill(0);
        for (request, &number) in numbers.iter().enumerate() {
            for k in 0..count {
                let mut words = Words::new(seed, first + k as u64, number);
                self.add(request, k, &mut words);
            }
        }
    }

    #[inline(always)]
    fn add(&mut self, request: usize, k: usize, words: &mut Words) {
        let systems = self.systems;
        let row = request * systems..(request + 1) * systems;
        match self.shuffled {
            Shuffled::Values(values) => {
                self.values.copy_from_slice(&values[row]);
                shuffle(&mut self.values, words);
                part_mut(&mut self.totals, k).iter_mut().zip(&self.values).for_each(|(total, value)| *total += value);
            }
            Shuffled::Ranks(ranks) => {
                self.ranks.copy_from_slice(&ranks[row]);
                shuffle(&mut self.ranks, words);
                add_signs(&self.ranks, part_mut(&mut self.signs, k));
            }
            Shuffled::Preferences(matrices) => self.add_matrix(matrices, request, k, words),
            Shuffled::LongPreferences(matrices) => self.add_matrix(matrices, request, k, words),
        }
    }

    #[inline(always)]
    fn add_matrix<T: Copy + Into<i64>>(&mut self, matrices: &[T], request: usize, k: usize, words: &mut Words) {
        self.order.iter_mut().zip(0..).for_each(|(place, system)| *place = system);
        shuffle(&mut self.order, words);
        let size = self.systems * self.systems;
        add_preferences(&matrices[request * size..(request + 1) * size], &self.order, part_mut(&mut self.pairs, k));
    }

    fn largest(&self, k: usize) -> i64 {
        match self.shuffled {
            Shuffled::Values(_) => {
                let totals = part(&self.totals, k);
                let (low, high) = (totals.iter().min(), totals.iter().max());
                high.zip(low).map_or(0, |(high, low)| high - low)
            }
            Shuffled::Ranks(_) => part(&self.signs, k).iter().map(|sum| i64::from(sum.abs())).max().unwrap_or(0),
            _ => part(&self.pairs, k).iter().map(|sum| sum.abs()).max().unwrap_or(0),
        }
    }

    fn copy(&self, k: usize, places: &mut [i64]) {
        match self.shuffled {
            Shuffled::Values(_) => places.copy_from_slice(part(&self.totals, k)),
            Shuffled::Ranks(_) => {
                places.iter_mut().zip(part(&self.signs, k)).for_each(|(place, &sum)| *place = sum.into());
            }
            _ => places.copy_from_slice(part(&self.pairs, k)),
        }
    }
}

/// Sums of shuffle k of a block.
fn part<T>(sums: &[T], k: usize) -> &[T] {
    let size = sums.len() / TOGETHER;
    &sums[k * size..(k + 1) * size]
}

fn part_mut<T>(sums: &mut [T], k: usize) -> &mut [T] {
    let size = sums.len() / TOGETHER;
    &mut sums[k * size..(k + 1) * size]
}

/// Add to every pair 1 where the first has the smaller rank, -1 where the second has.
fn add_signs(ranks: &[i32], pairs: &mut [i32]) {
    let mut rest = pairs;
    for (i, &first) in ranks.iter().enumerate() {
        let (sums, behind) = rest.split_at_mut(ranks.len() - i - 1);
        for (sum, &second) in sums.iter_mut().zip(&ranks[i + 1..]) {
            *sum += i32::from(first < second) - i32::from(second < first);
        }
        rest = behind;
    }
}

/// Add to every pair the preference between its systems.
fn add_preferences<T: Copy + Into<i64>>(matrix: &[T], order: &[u32], pairs: &mut [i64]) {
    let systems = order.len();
    let mut rest = pairs;
    for (i, &first) in order.iter().enumerate() {
        let (sums, behind) = rest.split_at_mut(systems - i - 1);
        let row = &matrix[first as usize * systems..(first as usize + 1) * systems];
        for (sum, &second) in sums.iter_mut().zip(&order[i + 1..]) {
            *sum += row[second as usize].into();
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors that the Python twin is held to, too.
    #[test]
    fn words_and_shuffles_are_the_published_ones() {
        let mut words = Words::new(1, 2, 3);
        assert_eq!([words.next(), words.next()], WORDS);
        let mut values: Vec<u32> = (0..8).collect();
        shuffle(&mut values, &mut Words::new(1, 2, 3));
        assert_eq!(values, SHUFFLED);
    }

    const WORDS: [u64; 2] = [640_054_951_876_687_254, 4_707_003_397_484_236_752];
    const SHUFFLED: [u32; 8] = [7, 3, 1, 2, 6, 0, 4, 5];
}
