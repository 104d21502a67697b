//! Bytes to lines to columns (SEMANTICS section 1).

use std::ops::RangeInclusive;

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
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The columns of one line.
pub struct Row<'a> {
    line: &'a [u8],
    /// Where each column begins and ends.
    edges: [(u32, u32); MOST_COLUMNS],
}

impl<'a> Row<'a> {
    #[inline(always)]
    pub fn column(&self, c: usize) -> &'a [u8] {
        let (from, to) = self.edges[c];
        &self.line[from as usize..to as usize]
    }

    /// Count how the line is written: tabs, repeated blanks, a number with an exponent.
    pub fn count_spelling(&self, line: u64, number: &[u8], tally: &mut Tally) {
        if memchr::memchr(b'\t', self.line).is_some() {
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
        let sizes = self.edges.iter().map(|(from, to)| (to - from) as usize).filter(|&size| size > 0);
        let (columns, bytes) = sizes.fold((0, 0), |(columns, bytes), size| (columns + 1, bytes + size));
        let beyond = &self.line[self.edges[MOST_COLUMNS - 1].1 as usize..];
        if columns == MOST_COLUMNS && !beyond.is_empty() {
            let is_blank = |byte: &u8| *byte <= b' ';
            return self.line.windows(2).any(|pair| pair.iter().all(is_blank))
                || self.line.first().is_some_and(is_blank)
                || self.line.last().is_some_and(is_blank);
        }
        self.line.len() - bytes >= columns
    }
}

/// Call `visit` with the number and the columns of every line that is neither blank nor a comment.
///
/// Columns after a run's tag are ignored, as by trec_eval; where there is no rank before them, an id holds a blank.
pub fn each_row(
    text: &mut Text,
    widths: RangeInclusive<usize>,
    tally: &mut Tally,
    watch: &Watch,
    mut visit: impl FnMut(u64, &Row, &mut Tally) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut lines = Lines { widths, number: 0 };
    let mut buffer = vec![0u8; BUFFER + WINDOW];
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
}

impl Lines {
    /// Visit the lines of `buffer[..end]`, which ends with a line feed; `WINDOW` more bytes can be read.
    fn visit_block(
        &mut self,
        buffer: &[u8],
        end: usize,
        tally: &mut Tally,
        visit: &mut impl FnMut(u64, &Row, &mut Tally) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let is_plain = is_plain(&buffer[..end]);
        let mut start = 0;
        while start < end {
            self.number += 1;
            let (mut row, columns, next) = next_row(buffer, start);
            start = next;
            if row.line.len() > LONGEST_LINE {
                return Err(too_long(self.number).into());
            }
            if !is_plain {
                if let [line @ .., b'\r'] = row.line {
                    tally.add(Counter::Crlf, self.number, b"");
                    row.line = line;
                }
                check_bytes(row.line, self.number)?;
            }
            if columns == 0 {
                tally.add(Counter::Blank, self.number, b"");
            } else if row.column(0)[0] == b'#' {
                tally.add(Counter::Comment, self.number, row.line);
            } else if !self.widths.contains(&columns) || (columns > MOST_COLUMNS && parse_rank(row.column(3)).is_none())
            {
                return Err(Fault::line(FaultKind::Columns, self.number, columns as i64, row.line).into());
            } else {
                tally.add(Counter::Lines, self.number, b"");
                visit(self.number, &row, tally)?;
            }
        }
        Ok(())
    }
}

fn too_long(number: u64) -> Fault {
    Fault::line(FaultKind::LongLine, number, LONGEST_LINE as i64, b"")
}

/// The line that begins at `start`, how many columns it has, and where the next line begins.
///
/// The buffer holds a line feed from `start` on, and `WINDOW` bytes at least.
#[inline(always)]
fn next_row(buffer: &[u8], start: usize) -> (Row<'_>, usize, usize) {
    let window = buffer[start..start + WINDOW].try_into().expect("a window");
    let mut low = low_bytes(window);
    let mut edges = [(0, 0); MOST_COLUMNS];
    let mut from = 0;
    for column in 0..MOST_COLUMNS {
        // While one byte stands between columns, each low byte ends one: no branch depends on how long they are.
        let to = low.trailing_zeros();
        if to == from || low == 0 {
            break;
        }
        edges[column] = (from, to);
        let end = start + to as usize;
        if buffer[end] == b'\n' {
            return (Row { line: &buffer[start..end], edges }, column + 1, end + 1);
        }
        low &= low - 1;
        from = to + 1;
    }
    next_row_of_any_shape(buffer, start)
}

/// The same for lines with blanks at their ends, several between columns, too many columns, or more than a window.
#[cold]
fn next_row_of_any_shape(buffer: &[u8], start: usize) -> (Row<'_>, usize, usize) {
    let line_feed = memchr::memchr(b'\n', &buffer[start..]).expect("a line feed");
    let line = &buffer[start..start + line_feed];
    let mut edges = [(0, 0); MOST_COLUMNS];
    let (mut columns, mut from) = (0, 0);
    for column in line.split(|&byte| byte <= b' ') {
        let to = from + column.len() as u32;
        if !column.is_empty() {
            if let Some(place) = edges.get_mut(columns) {
                *place = (from, to);
            }
            columns += 1;
        }
        from = to + 1;
    }
    (Row { line, edges }, columns, start + line_feed + 1)
}

/// Bit i: byte i is a space or below, that is a separator, or a control byte, which is refused later.
#[inline(always)]
fn low_bytes(window: &[u8; WINDOW]) -> u64 {
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
