//! Separators of lines that are all alike, as in most files: found in a few loops without branches.

pub(crate) use tiebreak_processor::WINDOW;
use tiebreak_processor::bytes_up_to;

/// Separators of a window that are written without asking how many there are.
const AT_LEAST: usize = 12;

/// Where separators are: one stands before each column of every line, and one after the last.
#[derive(Default)]
pub(crate) struct Separators {
    places: Vec<u32>,
    count: usize,
}

impl Separators {
    /// How many columns each line of `buffer[..end]` has, if all have as many, with a single separator between them, and
    /// nothing needs a closer look: control bytes, comments, long lines. Nearly two windows more can be read.
    #[inline(always)]
    pub(crate) fn find(&mut self, buffer: &[u8], end: usize) -> Option<usize> {
        let lines = &buffer[..end];
        if !is_clean(lines) || !self.find_single(buffer, end) {
            return None;
        }
        let (before, ends) = self.places();
        let columns = 1 + ends.iter().position(|&place| lines[place as usize] == b'\n')?;
        let (before, ends) = (before.chunks_exact(columns), ends.chunks_exact(columns));
        let line_feeds = memchr::memchr_iter(b'\n', lines).count();
        let is_whole = ends.remainder().is_empty() && ends.len() == line_feeds;
        let mut lines = before.zip(ends).map(|(before, ends)| (before[0].wrapping_add(1), ends[columns - 1]));
        (is_whole && lines.all(|(start, end)| is_ordinary(buffer, start as usize, end as usize))).then_some(columns)
    }

    /// What stands before and after each column.
    pub(crate) fn places(&self) -> (&[u32], &[u32]) {
        (&self.places[..self.count], &self.places[1..self.count + 1])
    }

    /// Find all separators; whether no two are neighbours, and none is the first byte.
    #[inline(always)]
    fn find_single(&mut self, buffer: &[u8], end: usize) -> bool {
        let most = end + WINDOW + 1;
        if self.places.len() < most {
            self.places.resize(most, 0);
        }
        self.places[0] = u32::MAX;
        self.count = 0;
        let (mut neighbours, mut last) = (0, 1);
        for (k, window) in buffer.chunks_exact(WINDOW).take(end.div_ceil(WINDOW)).enumerate() {
            let beyond = (WINDOW * (k + 1)).saturating_sub(end);
            // Separators, and control bytes, which are refused elsewhere.
            let low = bytes_up_to(b' ', window.try_into().expect("a window")) & (u64::MAX >> beyond);
            neighbours |= low & (low << 1 | last);
            last = low >> 63;
            self.add(low, (WINDOW * k) as u32);
        }
        neighbours == 0
    }

    #[inline(always)]
    fn add(&mut self, low: u64, start: u32) {
        let places = &mut self.places[self.count + 1..][..WINDOW];
        let mut left = low;
        let (first, rest) = places.split_at_mut(AT_LEAST);
        for place in first {
            *place = start + next(&mut left);
        }
        for place in rest {
            if left == 0 {
                break;
            }
            *place = start + next(&mut left);
        }
        self.count += low.count_ones() as usize;
    }
}

/// The place of the lowest bit, which is cleared.
#[inline(always)]
fn next(bits: &mut u64) -> u32 {
    let place = (*bits | 1 << 63).trailing_zeros();
    *bits &= bits.wrapping_sub(1);
    place
}

/// Whether the line from `start` on ends with a line feed at `end`, and is neither a comment nor long.
#[inline(always)]
fn is_ordinary(buffer: &[u8], start: usize, end: usize) -> bool {
    buffer[end] == b'\n' && buffer[start] != b'#' && end - start <= crate::text::LONGEST_LINE
}

/// Whether there are no control bytes but tabs and line feeds, and what is not ASCII is UTF-8.
#[inline(always)]
fn is_clean(lines: &[u8]) -> bool {
    lines.chunks(1024).all(is_plain) || (!lines.iter().any(is_control) && std::str::from_utf8(lines).is_ok())
}

fn is_control(&byte: &u8) -> bool {
    (byte < 0x20 && byte != b'\t' && byte != b'\n') || byte == 0x7f
}

/// Whether there is nothing but printable ASCII, tabs and line feeds. Counted from the tab, bytes below it are high, too;
/// counted from after the line feed, only control bytes are below the space.
#[inline(always)]
fn is_plain(lines: &[u8]) -> bool {
    let (mut high, mut low) = (0, u8::MAX);
    for byte in lines {
        high = high.max(byte.wrapping_sub(b'\t'));
        low = low.min(byte.wrapping_sub(b'\n' + 1));
    }
    high <= b'~' - b'\t' && low >= b' ' - b'\n' - 1
}
