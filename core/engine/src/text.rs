//! Bytes to lines to columns (SEMANTICS section 1).

mod found;

use std::ops::{Range, RangeInclusive};

use crate::fault::{Fault, FaultKind, Stop};
use crate::number::{self, parse_rank};
use crate::separators::{Separators, WINDOW};
use crate::source::{Text, Watch};
use crate::tally::{Counter, Tally};
pub use found::FoundLines;

pub const LONGEST_LINE: usize = 65_536;
/// Columns beyond these are ignored where they are allowed.
const MOST_COLUMNS: usize = 6;
const BUFFER: usize = 128 * 1024;
/// Bytes whose lines are visited together: as many as the fastest memory holds, with what is found in them.
const PIECE: usize = 16 * 1024;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Neighbouring lines, their columns found. Bytes that follow them can be read, too.
pub struct Batch<'a> {
    buffer: &'a [u8],
    /// The number of the first line.
    first: u64,
    places: Places<'a>,
    /// Whether columns are separated by single spaces.
    is_tidy: bool,
}

/// Where columns are: column c of line k begins after `before[k * stride + c]` and ends before `ends[k * stride + c]`.
#[derive(Clone, Copy)]
struct Places<'a> {
    before: &'a [u32],
    ends: &'a [u32],
    stride: usize,
}

impl<'a> Batch<'a> {
    pub fn len(&self) -> usize {
        self.places.ends.len() / self.places.stride
    }

    pub fn is_empty(&self) -> bool {
        self.places.ends.is_empty()
    }

    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        (0..self.len()).map(|k| self.row(k))
    }

    /// A column of some lines: the bytes from where it begins, beyond the line too, and its length.
    #[inline(always)]
    pub fn column(&self, c: usize, lines: Range<usize>) -> impl Iterator<Item = (&'a [u8], usize)> {
        let Batch { buffer, places: Places { before, ends, stride }, .. } = *self;
        lines.map(move |k| {
            let (from, to) = (before[k * stride + c].wrapping_add(1) as usize, ends[k * stride + c] as usize);
            (&buffer[from..], to - from)
        })
    }

    #[inline(always)]
    pub fn row(&self, k: usize) -> Row<'a> {
        let Batch { buffer, first, places: Places { before, ends, stride }, is_tidy } = *self;
        let line = k * stride..(k + 1) * stride;
        Row { buffer, number: first + k as u64, before: &before[line.clone()], ends: &ends[line], is_tidy }
    }
}

/// The columns of one line.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    buffer: &'a [u8],
    number: u64,
    before: &'a [u32],
    ends: &'a [u32],
    is_tidy: bool,
}

impl<'a> Row<'a> {
    #[inline(always)]
    pub fn number(&self) -> u64 {
        self.number
    }

    #[inline(always)]
    pub fn column(&self, c: usize) -> &'a [u8] {
        let (from, to) = self.edges(c);
        &self.buffer[from..to]
    }

    /// The bytes from where a column begins, beyond the line too, and its length.
    #[inline(always)]
    pub fn start(&self, c: usize) -> (&'a [u8], usize) {
        let (from, to) = self.edges(c);
        (&self.buffer[from..], to - from)
    }

    #[inline(always)]
    fn edges(&self, c: usize) -> (usize, usize) {
        (self.before[c].wrapping_add(1) as usize, self.ends[c] as usize)
    }

    /// Where the line begins, and its line feed.
    fn bounds(&self) -> (usize, usize) {
        let (from, _) = self.edges(0);
        let begin = memchr::memrchr(b'\n', &self.buffer[..from]).map_or(0, |before| before + 1);
        (begin, from + memchr::memchr(b'\n', &self.buffer[from..]).expect("a line feed"))
    }

    fn line(&self) -> &'a [u8] {
        let (begin, end) = self.bounds();
        let line = &self.buffer[begin..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Count how the line is written: tabs, repeated blanks, an exponent of the number in column c.
    #[inline(always)]
    pub fn count_spelling(&self, c: usize, tally: &mut Tally) {
        if !self.is_tidy {
            self.count_separators(tally);
        }
        let (bytes, length) = self.start(c);
        if number::has_exponent(bytes, length) {
            tally.add(Counter::Scientific, self.number, &bytes[..length]);
        }
    }

    fn count_separators(&self, tally: &mut Tally) {
        let (number, line) = (self.number, self.line());
        let is_blank = |byte: &u8| *byte <= b' ';
        if line.contains(&b'\t') {
            tally.add(Counter::Tabs, number, b"");
        }
        let at_ends = line.first().is_some_and(is_blank) || line.last().is_some_and(is_blank);
        if at_ends || line.windows(2).any(|pair| pair.iter().all(is_blank)) {
            tally.add(Counter::Blanks, number, b"");
        }
    }
}
/// Call `visit` with every line that is neither blank nor a comment.
///
/// Columns after a run's tag are ignored, as by trec_eval; where there is no rank before them, an id holds a blank.
pub fn each_row(
    text: &mut Text,
    widths: RangeInclusive<usize>,
    tally: &mut Tally,
    watch: &Watch,
    mut visit: impl FnMut(&Row, &mut Tally) -> Result<(), Stop>,
) -> Result<(), Stop> {
    each_batch(text, widths, tally, watch, |batch, tally| batch.rows().try_for_each(|row| visit(&row, tally)))
}

/// Call `visit` with batches of these lines, in order. Lines before a faulty one are visited before its fault is returned.
#[inline(always)]
pub fn each_batch(
    text: &mut Text,
    widths: RangeInclusive<usize>,
    tally: &mut Tally,
    watch: &Watch,
    mut visit: impl FnMut(&Batch, &mut Tally) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut lines = Lines { widths, number: 0, separators: Separators::default(), odd: OddLines::default() };
    let mut buffer = vec![0u8; BUFFER + 2 * WINDOW];
    let mut filled = 0;
    loop {
        watch.check()?;
        let read = text.read(&mut buffer[filled..BUFFER])?;
        filled += read;
        // The last line of a file may lack its line feed: add one.
        let at_end = read == 0;
        if at_end && filled > 0 {
            buffer[filled] = b'\n';
            filled += 1;
            tally.add(Counter::NoFinalNewline, lines.number + 1, b"");
        }
        let whole = memchr::memrchr(b'\n', &buffer[..filled]).map_or(0, |last| last + 1);
        let mark = lines.number == 0 && buffer[..whole].starts_with(BYTE_ORDER_MARK);
        let mut start = if mark { BYTE_ORDER_MARK.len() } else { 0 };
        if mark {
            tally.add(Counter::ByteOrderMark, 1, b"");
        }
        while start < whole {
            let end = piece_end(&buffer[start..whole]);
            lines.visit_piece(&buffer[start..], end, tally, &mut visit)?;
            start += end;
        }
        if at_end {
            return Ok(());
        }
        if filled - whole > BYTE_ORDER_MARK.len() + LONGEST_LINE {
            return Err(too_long(lines.number + 1).into());
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
    }
}

/// Where the first of these lines end, about a piece of them; the last byte is a line feed.
fn piece_end(lines: &[u8]) -> usize {
    let (near, far) = lines.split_at(lines.len().min(PIECE));
    let line_feed = memchr::memrchr(b'\n', near).or_else(|| memchr::memchr(b'\n', far).map(|at| near.len() + at));
    line_feed.expect("a line feed") + 1
}

struct Lines {
    widths: RangeInclusive<usize>,
    /// Of the last line that was found.
    number: u64,
    separators: Separators,
    odd: OddLines,
}

impl Lines {
    /// Visit the lines of `buffer[..end]`, which ends with a line feed; nearly two windows more can be read.
    #[inline(always)]
    fn visit_piece(
        &mut self,
        buffer: &[u8],
        end: usize,
        tally: &mut Tally,
        visit: &mut impl FnMut(&Batch, &mut Tally) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        match self.separators.find(buffer, end) {
            Some(stride) if stride <= MOST_COLUMNS && self.widths.contains(&stride) => {
                let (before, ends) = self.separators.places();
                let is_tidy = memchr::memchr(b'\t', &buffer[..end]).is_none();
                let places = Places { before, ends, stride };
                let batch = Batch { buffer, first: self.number + 1, places, is_tidy };
                self.number += batch.len() as u64;
                tally.add_many(Counter::Lines, batch.len(), batch.first, b"");
                visit(&batch, tally)
            }
            _ => self.visit_odd_lines(buffer, end, tally, visit),
        }
    }

    /// The same for lines of any shape.
    #[cold]
    fn visit_odd_lines(
        &mut self,
        buffer: &[u8],
        end: usize,
        tally: &mut Tally,
        visit: &mut impl FnMut(&Batch, &mut Tally) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut start = 0;
        while start < end {
            let first = self.number + 1;
            let next = self.find_odd_lines(&buffer[..end], start, tally);
            let batch = Batch { buffer, first, places: self.odd.places(), is_tidy: false };
            tally.add_many(Counter::Lines, batch.len(), first, b"");
            visit(&batch, tally)?;
            start = next?;
        }
        Ok(())
    }

    /// Find lines up to one that is blank or a comment, which is counted; where the line after it begins.
    fn find_odd_lines(&mut self, lines: &[u8], mut start: usize, tally: &mut Tally) -> Result<usize, Fault> {
        self.odd.clear();
        let mut is_row = true;
        while is_row && start < lines.len() {
            self.number += 1;
            let line_feed = start + memchr::memchr(b'\n', &lines[start..]).expect("a line feed");
            is_row = self.add_odd_line(&lines[start..line_feed], start, tally)?;
            start = line_feed + 1;
        }
        Ok(start)
    }

    /// Whether the line is neither blank nor a comment.
    fn add_odd_line(&mut self, mut line: &[u8], start: usize, tally: &mut Tally) -> Result<bool, Fault> {
        let number = self.number;
        if line.len() > LONGEST_LINE {
            return Err(too_long(number));
        }
        if let Some(shorter) = line.strip_suffix(b"\r") {
            tally.add(Counter::Crlf, number, b"");
            line = shorter;
        }
        check_bytes(line, number)?;
        let columns = line.split(|&byte| byte <= b' ').filter(|column| !column.is_empty());
        let Some(first) = columns.clone().next() else {
            tally.add(Counter::Blank, number, b"");
            return Ok(false);
        };
        if first[0] == b'#' {
            tally.add(Counter::Comment, number, line);
            return Ok(false);
        }
        let width = columns.clone().count();
        let is_tag_with_blanks = || columns.clone().nth(3).is_some_and(|rank| parse_rank(rank).is_some());
        if !self.widths.contains(&width) || (width > MOST_COLUMNS && !is_tag_with_blanks()) {
            return Err(Fault::line(FaultKind::Columns, number, width as i64, line));
        }
        self.odd.push(line, start);
        Ok(true)
    }
}

/// Where the columns of lines of any shape are, [`MOST_COLUMNS`] for each.
#[derive(Default)]
struct OddLines {
    before: Vec<u32>,
    ends: Vec<u32>,
}

impl OddLines {
    fn places(&self) -> Places<'_> {
        Places { before: &self.before, ends: &self.ends, stride: MOST_COLUMNS }
    }

    fn clear(&mut self) {
        self.before.clear();
        self.ends.clear();
    }

    fn push(&mut self, line: &[u8], mut from: usize) {
        let filled = self.ends.len() + MOST_COLUMNS;
        for column in line.split(|&byte| byte <= b' ') {
            if !column.is_empty() && self.ends.len() < filled {
                self.before.push((from as u32).wrapping_sub(1));
                self.ends.push((from + column.len()) as u32);
            }
            from += column.len() + 1;
        }
        self.before.resize(filled, 0);
        self.ends.resize(filled, 0);
    }
}

fn too_long(number: u64) -> Fault {
    Fault::line(FaultKind::LongLine, number, LONGEST_LINE as i64, b"")
}

fn check_bytes(line: &[u8], number: u64) -> Result<(), Fault> {
    if let Some(&control) = line.iter().find(|&&b| (b < 0x20 && b != b'\t') || b == 0x7f) {
        return Err(Fault::line(FaultKind::Control, number, i64::from(control), line));
    }
    match std::str::from_utf8(line) {
        Ok(_) => Ok(()),
        Err(_) => Err(Fault::line(FaultKind::Encoding, number, 0, line)),
    }
}
