//! Recall levels of pairs of rankings (RPP eq 4): at how many more of them is one run's item placed above the other's?

use std::ops::{AddAssign, Range, Sub};

use crate::UNRETRIEVED;

/// Runs that one is compared with at once: their sums stay in registers while levels go by.
const LANES: usize = 32;

/// Levels that are held at once, however many a request has.
const TOGETHER: usize = 1024;

/// Positions `p[run][request][level]`, one after the other.
#[derive(Clone, Copy)]
pub struct Levels<'a> {
    pub p: &'a [i32],
    pub runs: usize,
    pub requests: usize,
    pub levels: usize,
}

impl<'a> Levels<'a> {
    fn is_sound(&self) -> bool {
        let size = self.runs.checked_mul(self.requests).and_then(|rows| rows.checked_mul(self.levels));
        self.levels > 0 && i32::try_from(self.levels).is_ok() && size == Some(self.p.len())
    }

    fn row(&self, run: usize, request: usize) -> &'a [i32] {
        &self.p[(run * self.requests + request) * self.levels..][..self.levels]
    }

    /// Whether positions fit into 16 bits, of which a register holds twice as many.
    fn is_short(&self) -> bool {
        self.p.iter().all(|&p| p == UNRETRIEVED || (i16::MIN.into()..i16::MAX.into()).contains(&p))
    }
}

/// Positions, and sums of as many signs as are held at once.
trait Number: Copy + Default + Ord + AddAssign + Sub<Output = Self> + From<bool> + Into<i32> + TryFrom<i32> {
    const UNRETRIEVED: Self;
}

impl Number for i16 {
    const UNRETRIEVED: i16 = i16::MAX;
}

impl Number for i32 {
    const UNRETRIEVED: i32 = UNRETRIEVED;
}

/// The sums over recall levels of the signs of y - x, `[request][pair]`; `None` where arrays do not fit together.
pub fn sum_pair_signs(levels: Levels, x: &[i64], y: &[i64]) -> Option<Vec<i32>> {
    let is_run = |run: &i64| usize::try_from(*run).is_ok_and(|run| run < levels.runs);
    if !levels.is_sound() || x.len() != y.len() || !x.iter().chain(y).all(is_run) {
        return None;
    }
    let mut sums = vec![0; levels.requests.checked_mul(x.len())?];
    let fans = Fan::group(x, y);
    match levels.is_short() {
        true => fill::<i16>(levels, &fans, x.len(), &mut sums),
        false => fill::<i32>(levels, &fans, x.len(), &mut sums),
    }
    Some(sums)
}

/// Adjacent pairs that have one run in common.
struct Fan {
    run: usize,
    others: Vec<usize>,
    /// Those that hold all the others.
    tiles: Range<usize>,
    /// 1 where the common run is x, -1 where it is y.
    sign: i32,
}

impl Fan {
    fn group(x: &[i64], y: &[i64]) -> Vec<Fan> {
        let (mut fans, mut begin) = (Vec::new(), 0);
        while begin < x.len() {
            let alike = |runs: &[i64]| runs[begin..].iter().take_while(|&&run| run == runs[begin]).count();
            let (same_x, same_y) = (alike(x), alike(y));
            let (common, others, size, sign) = if same_x >= same_y { (x, y, same_x, 1) } else { (y, x, same_y, -1) };
            let others: Vec<usize> = others[begin..begin + size].iter().map(|&run| run as usize).collect();
            let (first, last) = others.iter().fold((usize::MAX, 0), |(low, high), &run| (low.min(run), high.max(run)));
            fans.push(Fan { run: common[begin] as usize, others, tiles: first / LANES..last / LANES + 1, sign });
            begin += size;
        }
        fans
    }
}

fn fill<T: Number>(levels: Levels, fans: &[Fan], pairs: usize, sums: &mut [i32]) {
    let mut tiled = Tiled::<T>::new(levels.runs);
    for (request, row) in sums.chunks_exact_mut(pairs.max(1)).enumerate() {
        for begin in (0..levels.levels).step_by(TOGETHER) {
            tiled.load(levels, request, begin);
            tiled.add_signs(fans, row);
        }
    }
}

/// Some positions of one request, `[level][run]`, in tiles of runs.
struct Tiled<T> {
    p: Vec<[T; LANES]>,
    width: usize,
}

impl<T: Number> Tiled<T> {
    fn new(runs: usize) -> Self {
        Tiled { p: Vec::new(), width: runs.div_ceil(LANES) }
    }

    fn load(&mut self, levels: Levels, request: usize, begin: usize) {
        let end = levels.levels.min(begin + TOGETHER);
        self.p.resize((end - begin) * self.width, [T::default(); LANES]);
        for run in 0..levels.runs {
            let tiles = self.p.iter_mut().skip(run / LANES).step_by(self.width);
            for (tile, &p) in tiles.zip(&levels.row(run, request)[begin..end]) {
                tile[run % LANES] = T::try_from(p).unwrap_or(T::UNRETRIEVED);
            }
        }
    }

    /// Add the sums of all pairs, which are those of the fans.
    fn add_signs(&self, fans: &[Fan], pairs: &mut [i32]) {
        let mut sums = vec![[T::default(); LANES]; self.width];
        let mut rest = pairs;
        for fan in fans {
            for tile in fan.tiles.clone() {
                sums[tile] = self.sum_signs(fan.run, tile);
            }
            let sums = sums.as_flattened();
            let (places, behind) = rest.split_at_mut(fan.others.len());
            for (place, &other) in places.iter_mut().zip(&fan.others) {
                *place += fan.sign * sums[other].into();
            }
            rest = behind;
        }
    }

    /// The sums of a run against those of a tile.
    fn sum_signs(&self, run: usize, tile: usize) -> [T; LANES] {
        let mut sums = [T::default(); LANES];
        for row in self.p.chunks_exact(self.width) {
            let x = row[run / LANES][run % LANES];
            for (sum, &y) in sums.iter_mut().zip(&row[tile]) {
                *sum += T::from(x < y) - T::from(y < x);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two requests with two levels; the third run retrieves one item of the first.
    const P: [i32; 12] = [1, 4, 2, 3, 2, 4, 1, 9, 1, UNRETRIEVED, 2, 3];

    fn sums(p: &[i32], shape: [usize; 3], x: &[i64], y: &[i64]) -> Option<Vec<i32>> {
        let [runs, requests, levels] = shape;
        sum_pair_signs(Levels { p, runs, requests, levels }, x, y)
    }

    #[test]
    fn signs_are_summed_over_levels() {
        let expected = Some(vec![1, 1, 0, 0, 0, 0]);
        assert_eq!(sums(&P, [3, 2, 2], &[0, 0, 1], &[1, 2, 2]), expected);
        let deep = P.map(|p| if p == UNRETRIEVED { p } else { p + 100_000 });
        assert_eq!(sums(&deep, [3, 2, 2], &[0, 0, 1], &[1, 2, 2]), expected);
    }

    #[test]
    fn swapped_pairs_have_the_other_sign() {
        assert_eq!(sums(&P, [3, 2, 2], &[1, 2, 0], &[0, 0, 0]), Some(vec![-1, -1, 0, 0, 0, 0]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(sums(&P, [3, 2, 3], &[0], &[1]), None);
        assert_eq!(sums(&P, [3, 2, 2], &[0], &[3]), None);
        assert_eq!(sums(&P, [3, 2, 2], &[-1], &[0]), None);
        assert_eq!(sums(&P, [3, 2, 2], &[0, 1], &[1]), None);
        assert_eq!(sums(&[], [0, usize::MAX, 0], &[], &[]), None);
        assert_eq!(sums(&P, [usize::MAX, 2, 6], &[0], &[1]), None);
    }

    #[test]
    fn levels_may_be_more_than_are_held_at_once() {
        let p: Vec<i32> = [1, 2].iter().flat_map(|&p| vec![p; 40_000]).collect();
        assert_eq!(sums(&p, [2, 1, 40_000], &[0, 1], &[1, 0]), Some(vec![40_000, -40_000]));
    }

    #[test]
    fn no_pairs_and_no_requests_have_no_sums() {
        assert_eq!(sums(&P, [3, 2, 2], &[], &[]), Some(vec![]));
        assert_eq!(sums(&[], [3, 0, 2], &[0], &[1]), Some(vec![]));
    }
}
