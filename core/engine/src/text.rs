//! Bytes to lines to columns (SEMANTICS section 1).

use std::ops::{Range, RangeInclusive};

use crate::fault::{Fault, FaultKind, Stop};
use crate::number::parse_rank;
use crate::source::{Text, Watch};
use crate::tally::{Counter, Tally};

pub const LONGEST_LINE: usize = 65_536;
/// Columns beyond these are ignored where they are allowed.
const MOST_COLUMNS: usize = 6;
const BUFFER: usize = 128 * 1024;
/// Bytes that are searched at once.
const WINDOW: usize = 64;
/// Lines that are visited together: as many as the fastest memory holds.
const BATCH: usize = 128;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The columns of one line.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    buffer: &'a [u8],
    place: &'a Place,
}

/// Where a line and its columns are. It is filled in place: copying what was just written in pieces is slow.
#[derive(Clone, Default)]
struct Place {
    number: u64,
    line: (u32, u32),
    columns: u32,
    /// Where each column begins and ends; those beyond `columns` are of another line.
    edges: Edges,
}

type Edges = [(u32, u32); MOST_COLUMNS];

impl<'a> Row<'a> {
    #[inline(always)]
    pub fn number(&self) -> u64 {
        self.place.number
    }

    #[inline(always)]
    pub fn column(&self, c: usize) -> &'a [u8] {
        let (from, to) = self.place.edges[c];
        &self.buffer[from as usize..to as usize]
    }

    /// The bytes from a column on, beyond the line too, and the length of the column.
    #[inline(always)]
    pub fn from_column(&self, c: usize) -> (&'a [u8], usize) {
        let (from, to) = self.place.edges[c];
        (&self.buffer[from as usize..], (to - from) as usize)
    }

    #[inline(always)]
    fn line(&self) -> &'a [u8] {
        let (from, to) = self.place.line;
        &self.buffer[from as usize..to as usize]
    }

    /// Count how the line is written: tabs, repeated blanks, a number with an exponent.
    pub fn count_spelling(&self, line: u64, number: &[u8], tally: &mut Tally) {
        if memchr::memchr(b'\t', self.line()).is_some() {
            tally.add(Counter::Tabs, line, b"");
        }
        if self.has_spare_blanks() {
            tally.add(Counter::Blanks, line, b"");
        }
        if memchr::memchr2(b'e', b'E', number).is_some() {
            tally.add(Counter::Scientific, line, number);
        }
    }

    /// Whether there are blanks at the ends of the line, or several between columns.
    fn has_spare_blanks(&self) -> bool {
        let line = self.line();
        let columns = (self.place.columns as usize).min(MOST_COLUMNS);
        let edges = &self.place.edges[..columns];
        if columns == MOST_COLUMNS && edges[columns - 1].1 != self.place.line.1 {
            let is_blank = |byte: &u8| *byte <= b' ';
            return line.windows(2).any(|pair| pair.iter().all(is_blank))
                || line.first().is_some_and(is_blank)
                || line.last().is_some_and(is_blank);
        }
        let bytes: usize = edges.iter().map(|(from, to)| (to - from) as usize).sum();
        line.len() - bytes >= columns
    }
}

/// Neighbouring lines of a block, their columns found.
pub struct Batch<'a> {
    buffer: &'a [u8],
    places: &'a [Place],
}

impl<'a> Batch<'a> {
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = Row<'a>> {
        let Batch { buffer, places } = *self;
        places.iter().map(move |place| Row { buffer, place })
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
pub fn each_batch(
    text: &mut Text,
    widths: RangeInclusive<usize>,
    tally: &mut Tally,
    watch: &Watch,
    mut visit: impl FnMut(Batch, &mut Tally) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut lines = Lines { widths, number: 0, low: Vec::new(), places: vec![Place::default(); BATCH] };
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
        let first = if mark { BYTE_ORDER_MARK.len() } else { 0 };
        if mark {
            tally.add(Counter::ByteOrderMark, 1, b"");
        }
        lines.visit_block(&buffer[first..], whole - first, tally, &mut visit)?;
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

struct Lines {
    widths: RangeInclusive<usize>,
    number: u64,
    /// Bit i of word k is that of byte 64 k + i of the block, see [`low_bytes`]; one more word follows.
    low: Vec<u64>,
    places: Vec<Place>,
}

impl Lines {
    /// Visit the lines of `buffer[..end]`, which ends with a line feed; nearly two windows more can be read.
    fn visit_block(
        &mut self,
        buffer: &[u8],
        end: usize,
        tally: &mut Tally,
        visit: &mut impl FnMut(Batch, &mut Tally) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let is_plain = is_plain(&buffer[..end]);
        self.low.clear();
        self.low.extend(buffer.chunks_exact(WINDOW).take(end.div_ceil(WINDOW) + 1).map(low_bytes));
        let mut start = 0;
        while start < end {
            let (next, lines, fault) = self.find_rows(buffer, start..end, is_plain, tally);
            start = next;
            visit(Batch { buffer, places: &self.places[..lines] }, tally)?;
            fault?;
        }
        Ok(())
    }

    /// Fill places with lines from the beginning of a range on: where the next one begins, how many there are, and the
    /// fault of the line that follows them.
    fn find_rows(
        &mut self,
        buffer: &[u8],
        Range { mut start, end }: Range<usize>,
        is_plain: bool,
        tally: &mut Tally,
    ) -> (usize, usize, Result<(), Fault>) {
        let mut lines = 0;
        while start < end && lines < BATCH {
            self.number += 1;
            let place = &mut self.places[lines];
            let (columns, line_feed) = next_row(buffer, start, low_bits(&self.low, start), &mut place.edges);
            (place.number, place.columns) = (self.number, columns as u32);
            place.line = (start as u32, line_feed as u32);
            start = line_feed + 1;
            match place.check(buffer, &self.widths, is_plain, tally) {
                Ok(is_row) => lines += usize::from(is_row),
                Err(fault) => return (start, lines, Err(fault)),
            }
        }
        tally.add_many(Counter::Lines, lines, self.places[0].number, b"");
        (start, lines, Ok(()))
    }
}

impl Place {
    /// Whether the line is neither blank nor a comment.
    #[inline(always)]
    fn check(
        &mut self,
        buffer: &[u8],
        widths: &RangeInclusive<usize>,
        is_plain: bool,
        tally: &mut Tally,
    ) -> Result<bool, Fault> {
        let (number, columns) = (self.number, self.columns as usize);
        if self.line.1 - self.line.0 > LONGEST_LINE as u32 {
            return Err(too_long(number));
        }
        if !is_plain {
            if buffer[..self.line.1 as usize].ends_with(b"\r") {
                tally.add(Counter::Crlf, number, b"");
                self.line.1 -= 1;
            }
            check_bytes(Row { buffer, place: self }.line(), number)?;
        }
        if columns == 0 {
            tally.add(Counter::Blank, number, b"");
            return Ok(false);
        }
        let row = Row { buffer, place: self };
        if buffer[self.edges[0].0 as usize] == b'#' {
            tally.add(Counter::Comment, number, row.line());
            return Ok(false);
        }
        if !widths.contains(&columns) || (columns > MOST_COLUMNS && parse_rank(row.column(3)).is_none()) {
            return Err(Fault::line(FaultKind::Columns, number, columns as i64, row.line()));
        }
        Ok(true)
    }
}

fn too_long(number: u64) -> Fault {
    Fault::line(FaultKind::LongLine, number, LONGEST_LINE as i64, b"")
}

/// The bits of the `WINDOW` bytes from `start` on.
#[inline(always)]
fn low_bits(low: &[u64], start: usize) -> u64 {
    let (words, shift) = (&low[start / 64..][..2], start % 64);
    words[0] >> shift | words[1] << 1 << (63 - shift)
}

/// How many columns the line has that begins at `start`, and where its line feed is.
///
/// The buffer holds a line feed from `start` on, and `WINDOW` bytes at least, whose [`low_bytes`] are `low`.
#[inline(always)]
fn next_row(buffer: &[u8], start: usize, low: u64, edges: &mut Edges) -> (usize, usize) {
    let window: &[u8; WINDOW] = buffer[start..start + WINDOW].try_into().expect("a window");
    let (mut left, mut from) = (low, start as u32);
    for (column, edge) in edges.iter_mut().enumerate() {
        // While one byte stands between columns, each low byte ends one: no branch depends on how long they are.
        let length = left.trailing_zeros();
        let to = start as u32 + length;
        *edge = (from, to);
        if window[length as usize % WINDOW] == b'\n' {
            let of_line = low & !(u64::MAX << (length % 64) << 1);
            if of_line & (of_line << 1 | 1) != 0 {
                break;
            }
            return (column + 1, to as usize);
        }
        left &= left.wrapping_sub(1);
        from = to + 1;
    }
    next_row_of_any_shape(buffer, start, edges)
}

/// The same for lines with blanks at their ends, several between columns, too many columns, or more than a window.
#[cold]
fn next_row_of_any_shape(buffer: &[u8], start: usize, edges: &mut Edges) -> (usize, usize) {
    let line_feed = start + memchr::memchr(b'\n', &buffer[start..]).expect("a line feed");
    let (mut columns, mut from) = (0, start as u32);
    for column in buffer[start..line_feed].split(|&byte| byte <= b' ') {
        let to = from + column.len() as u32;
        if !column.is_empty() {
            if let Some(place) = edges.get_mut(columns) {
                *place = (from, to);
            }
            columns += 1;
        }
        from = to + 1;
    }
    (columns, line_feed)
}

/// Bit i: byte i is a space or below, that is a separator, or a control byte, which is refused later.
#[inline(always)]
fn low_bytes(window: &[u8]) -> u64 {
    let mut flags = [0u8; WINDOW];
    for (flag, &byte) in flags.iter_mut().zip(window) {
        *flag = u8::from(byte <= b' ');
    }
    let mut mask = 0;
    for (k, flags) in flags.chunks_exact(8).enumerate() {
        let word = u64::from_le_bytes(flags.try_into().expect("eight bytes"));
        mask |= word.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * k);
    }
    mask
}

/// Whether a block holds printable ASCII, tabs and line feeds only, so that its lines need no check.
fn is_plain(block: &[u8]) -> bool {
    block.chunks(1024).all(|chunk| {
        chunk.iter().fold(true, |plain, &b| plain & ((b.wrapping_sub(0x20) < 0x5f) | (b == b'\t') | (b == b'\n')))
    })
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
