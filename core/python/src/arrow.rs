//! Columns of Arrow arrays: the types that are read, and their cells, checked as far as the C data interface allows.

use std::fmt::Write;
use std::str;

use tiebreak_engine::ids::IdColumn;
use tiebreak_engine::number;

use crate::memory::{Array, Schema};

/// Types within types that are followed: a dictionary of runs of text has three.
const MOST_NESTED: usize = 8;

/// The type of a column.
pub enum Type {
    Null,
    Integer {
        width: usize,
        is_signed: bool,
    },
    Float {
        width: usize,
    },
    Decimal {
        width: usize,
        digits: usize,
        scale: i32,
    },
    Text(Layout),
    Bytes(Layout),
    Dictionary {
        keys: Box<Type>,
        words: Box<Type>,
    },
    Runs {
        ends: Box<Type>,
        values: Box<Type>,
    },
    /// Any other, by what messages call its cells.
    Other(&'static str),
    /// A union: no other type but `Null` and `Runs` has cells without a bit that says whether they are null.
    Union,
}

/// How cells of various lengths are stored.
#[derive(Clone, Copy)]
pub enum Layout {
    Offsets32,
    Offsets64,
    Views,
}

impl Type {
    pub fn new(schema: &Schema) -> Result<Self, String> {
        Type::nested(schema, 0)
    }

    fn nested(schema: &Schema, depth: usize) -> Result<Self, String> {
        let part = |schema: Option<&Schema>| match schema {
            Some(schema) if depth < MOST_NESTED => Type::nested(schema, depth + 1).map(Box::new),
            _ => Err("an Arrow type lacks a part, or has too many".to_string()),
        };
        let format = str::from_utf8(schema.format()).unwrap_or_default();
        let kind = match format {
            "+r" => {
                let mut children = schema.children();
                let (ends, values) = (part(children.next().flatten())?, part(children.next().flatten())?);
                match *ends {
                    Type::Integer { is_signed: true, .. } => Some(Type::Runs { ends, values }),
                    _ => None,
                }
            }
            _ => Type::flat(format),
        };
        match (kind, schema.dictionary()) {
            (Some(kind), None) => Ok(kind),
            (Some(keys @ Type::Integer { .. }), words) => {
                Ok(Type::Dictionary { keys: Box::new(keys), words: part(words)? })
            }
            _ => Err(format!("the Arrow type {format:?} is not known")),
        }
    }

    /// A type by its format string.
    fn flat(format: &str) -> Option<Self> {
        Some(match format {
            "n" => Type::Null,
            "c" | "s" | "i" | "l" => Type::Integer { width: width(format), is_signed: true },
            "C" | "S" | "I" | "L" => Type::Integer { width: width(format), is_signed: false },
            "e" | "f" | "g" => Type::Float { width: width(format) },
            "u" => Type::Text(Layout::Offsets32),
            "U" => Type::Text(Layout::Offsets64),
            "vu" => Type::Text(Layout::Views),
            "z" => Type::Bytes(Layout::Offsets32),
            "Z" => Type::Bytes(Layout::Offsets64),
            "vz" => Type::Bytes(Layout::Views),
            "b" => Type::Other("Booleans"),
            "+s" => Type::Other("records"),
            "+l" | "+L" | "+vl" | "+vL" | "+m" => Type::Other("lists"),
            _ => match (format.split_at_checked(2)?, format) {
                (("td" | "tt" | "ts" | "tD", _), _) => Type::Other("dates or times"),
                (("ti", _), _) => Type::Other("other values"),
                (("w:", _), _) => Type::Other("bytes"),
                (("+w", _), _) => Type::Other("lists"),
                (("+u", _), _) => Type::Union,
                (("d:", parameters), _) => Type::decimal(parameters)?,
                _ => return None,
            },
        })
    }

    /// `digits,scale` or `digits,scale,bits`.
    fn decimal(parameters: &str) -> Option<Self> {
        let mut parts = parameters.split(',');
        let (digits, scale) = (parts.next()?.parse::<u8>().ok()?, parts.next()?.parse::<i8>().ok()?);
        let width = match (parts.next(), parts.next()) {
            (None | Some("128"), None) => 16,
            (Some("32"), None) => 4,
            (Some("64"), None) => 8,
            (Some("256"), None) => 32,
            _ => return None,
        };
        Some(Type::Decimal { width, digits: digits.into(), scale: scale.into() })
    }

    pub fn is_id(&self) -> bool {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.is_id(),
            kind => matches!(kind, Type::Text(_) | Type::Integer { .. }),
        }
    }

    pub fn is_number(&self) -> bool {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.is_number(),
            kind => matches!(kind, Type::Integer { .. } | Type::Float { .. } | Type::Decimal { .. }),
        }
    }

    /// What cells are called in messages.
    pub fn family(&self) -> &'static str {
        match self {
            Type::Dictionary { words: values, .. } | Type::Runs { values, .. } => values.family(),
            Type::Text(_) => "text",
            Type::Bytes(_) => "bytes",
            Type::Float { .. } => "floats",
            Type::Decimal { .. } => "decimals",
            Type::Other(family) => family,
            Type::Union => "lists",
            Type::Null | Type::Integer { .. } => "other values",
        }
    }
}

/// Bytes of a number with this format.
fn width(format: &str) -> usize {
    match format {
        "c" | "C" => 1,
        "s" | "S" | "e" => 2,
        "i" | "I" | "f" => 4,
        _ => 8,
    }
}

/// Some rows of an array, checked: what is not as its type says is damaged.
pub struct Column<'a> {
    pub kind: &'a Type,
    pub length: usize,
    /// One bit a row, from some bit on: 0 where there is no value.
    valid: Option<(&'a [u8], usize)>,
    cells: Cells<'a>,
}

enum Cells<'a> {
    /// Nothing that is read.
    Opaque,
    Fixed(&'a [u8]),
    Offsets {
        offsets: &'a [u8],
        width: usize,
        data: &'a [u8],
    },
    Views {
        views: &'a [u8],
        data: Vec<&'a [u8]>,
    },
    /// By a dictionary or by run ends: the values, and which of them each row has.
    Encoded {
        values: Box<Column<'a>>,
        places: Vec<usize>,
    },
}

impl<'a> Column<'a> {
    /// Rows `first..first + length` of an array; `None` where they are damaged.
    pub fn new(kind: &'a Type, array: &'a Array, first: usize, length: usize) -> Option<Self> {
        let rows = usize::try_from(array.length).ok()?;
        if first.checked_add(length)? > rows {
            return None;
        }
        if length == 0 {
            return Some(Column { kind, length, valid: None, cells: Cells::Opaque });
        }
        let start = usize::try_from(array.offset).ok()?.checked_add(first)?;
        let end = start.checked_add(length)?;
        let valid = match kind {
            Type::Null | Type::Runs { .. } | Type::Union => None,
            _ if array.null_count == 0 || (array.null_count < 0 && !array.has_buffer(0)) => None,
            _ => Some((array.bytes(0, end.div_ceil(8))?, start)),
        };
        let mut column = Column { kind, length, valid, cells: Cells::Opaque };
        if length == rows && array.null_count > 0 && valid.is_some() {
            let nulls = (0..length).filter(|&row| column.is_null(row)).count();
            (nulls as i64 == array.null_count).then_some(())?;
        }
        let cells =
            |width: usize, count: usize| array.bytes(1, count.checked_mul(width)?).map(|bytes| &bytes[start * width..]);
        column.cells = match kind {
            Type::Null | Type::Other(_) | Type::Union => Cells::Opaque,
            &(Type::Integer { width, .. } | Type::Float { width } | Type::Decimal { width, .. }) => {
                Cells::Fixed(cells(width, end)?)
            }
            Type::Text(Layout::Views) | Type::Bytes(Layout::Views) => {
                Cells::Views { views: cells(16, end)?, data: view_data(array)? }
            }
            Type::Text(layout) | Type::Bytes(layout) => {
                let width = if matches!(layout, Layout::Offsets32) { 4 } else { 8 };
                let offsets = cells(width, end.checked_add(1)?)?;
                let data = array.bytes(2, check_offsets(offsets, width)?)?;
                Cells::Offsets { offsets, width, data }
            }
            Type::Dictionary { keys, words } => {
                let dictionary = array.dictionary()?;
                let values = Column::new(words, dictionary, 0, usize::try_from(dictionary.length).ok()?)?;
                let &Type::Integer { width, .. } = &**keys else { return None };
                let keys = Column { kind: keys, length, valid, cells: Cells::Fixed(cells(width, end)?) };
                Cells::Encoded { places: keys.key_places(values.length)?, values: Box::new(values) }
            }
            Type::Runs { ends, values } => {
                let (ends_array, values_array) = (array.child(0)?, array.child(1)?);
                let ends = Column::new(ends, ends_array, 0, usize::try_from(ends_array.length).ok()?)?;
                let values = Column::new(values, values_array, 0, usize::try_from(values_array.length).ok()?)?;
                Cells::Encoded { places: ends.run_places(start, end, values.length)?, values: Box::new(values) }
            }
        };
        column.is_sound().then_some(column)
    }

    pub fn is_null(&self, row: usize) -> bool {
        let is_unset = |(bits, first): (&[u8], usize)| bits[(first + row) / 8] >> ((first + row) % 8) & 1 == 0;
        match &self.cells {
            _ if self.valid.is_some_and(is_unset) => true,
            Cells::Encoded { values, places } => values.is_null(places[row]),
            _ => matches!(self.kind, Type::Null),
        }
    }

    /// Whether some row may be null.
    fn may_be_null(&self) -> bool {
        match &self.cells {
            Cells::Encoded { values, .. } => self.valid.is_some() || values.may_be_null(),
            _ => self.valid.is_some() || matches!(self.kind, Type::Null),
        }
    }

    /// The first row that is null, or is not.
    pub fn first(&self, is_null: bool) -> Option<usize> {
        match self.may_be_null() {
            true => (0..self.length).find(|&row| self.is_null(row) == is_null),
            false => (!is_null && self.length > 0).then_some(0),
        }
    }

    /// Whether text is UTF-8, views point into their buffers and decimals have no more digits than their type says.
    fn is_sound(&self) -> bool {
        let each = |check: &dyn Fn(usize) -> bool| (0..self.length).all(|row| self.is_null(row) || check(row));
        match (&self.cells, self.kind) {
            (&Cells::Offsets { offsets, width, data }, Type::Text(_)) => {
                data[offset(offsets, width, 0)..].is_ascii() || each(&|row| str::from_utf8(self.bytes(row)).is_ok())
            }
            (Cells::Views { views, data }, kind) => {
                let fits = |bytes: &[u8]| !matches!(kind, Type::Text(_)) || str::from_utf8(bytes).is_ok();
                each(&|row| view(views, data, row).is_some_and(fits))
            }
            (Cells::Fixed(cells), &Type::Decimal { width, digits, .. }) => {
                each(&|row| decimal_digits(&cells[row * width..][..width]).trim_start_matches('-').len() <= digits)
            }
            _ => true,
        }
    }

    /// Call `push` with the first cells of a column of ids, none of which is null, as text.
    pub fn each_text(&self, rows: usize, push: &mut dyn FnMut(&[u8])) {
        match (&self.cells, self.kind) {
            (Cells::Offsets { .. } | Cells::Views { .. }, _) => (0..rows).for_each(|row| push(self.bytes(row))),
            (Cells::Fixed(_), Type::Integer { .. }) => {
                let mut text = String::new();
                for integer in self.integers().take(rows) {
                    text.clear();
                    let sign = if integer < 0 { "-" } else { "" };
                    write!(text, "{sign}{}", integer.unsigned_abs() as u64).expect("text can be written");
                    push(text.as_bytes());
                }
            }
            (Cells::Encoded { values, places }, _) if rows > 0 => {
                let mut words = IdColumn::default();
                values.each_text(values.length, &mut |word| words.push(word));
                // A null of an empty dictionary has no word.
                places[..rows].iter().for_each(|&place| push(words.view().find(place).unwrap_or_default()));
            }
            _ => {}
        }
    }

    /// The float64 nearest to each number; NaN where there is none.
    pub fn numbers(&self) -> Vec<f64> {
        macro_rules! floats {
            ($kind:ty, $cells:expr, $widen:expr) => {
                $cells
                    .chunks_exact(size_of::<$kind>())
                    .map(|cell| $widen(<$kind>::from_ne_bytes(fixed(cell))))
                    .collect()
            };
        }
        let mut numbers: Vec<f64> = match (&self.cells, self.kind) {
            (Cells::Fixed(cells), Type::Float { width: 8 }) => floats!(f64, cells, |x| x),
            (Cells::Fixed(cells), Type::Float { width: 4 }) => floats!(f32, cells, f64::from),
            (Cells::Fixed(cells), Type::Float { .. }) => floats!(u16, cells, half),
            (Cells::Fixed(_), Type::Integer { .. }) => self.integers().map(integer_to_float).collect(),
            (Cells::Fixed(cells), &Type::Decimal { width, scale, .. }) => cells
                .chunks_exact(width)
                .map(|cell| number::parse(format!("{}e{}", decimal_digits(cell), -scale).as_bytes()))
                .map(|number| number.unwrap_or(f64::NAN))
                .collect(),
            (Cells::Encoded { values, places }, _) => {
                let words = values.numbers();
                places.iter().map(|&place| words.get(place).copied().unwrap_or(f64::NAN)).collect()
            }
            _ => vec![f64::NAN; self.length],
        };
        if self.may_be_null() {
            (0..self.length).filter(|&row| self.is_null(row)).for_each(|row| numbers[row] = f64::NAN);
        }
        numbers
    }

    /// A cell of bytes or text.
    fn bytes(&self, row: usize) -> &'a [u8] {
        match &self.cells {
            &Cells::Offsets { offsets, width, data } => {
                &data[offset(offsets, width, row)..offset(offsets, width, row + 1)]
            }
            Cells::Views { views, data } => view(views, data, row).unwrap_or_default(),
            _ => &[],
        }
    }

    fn integers(&self) -> Box<dyn Iterator<Item = i128> + '_> {
        macro_rules! integers {
            ($kind:ty, $cells:expr) => {
                Box::new($cells.chunks_exact(size_of::<$kind>()).map(|cell| <$kind>::from_ne_bytes(fixed(cell)).into()))
            };
        }
        match (&self.cells, self.kind) {
            (Cells::Fixed(cells), &Type::Integer { width, is_signed }) => match (width, is_signed) {
                (1, true) => integers!(i8, cells),
                (2, true) => integers!(i16, cells),
                (4, true) => integers!(i32, cells),
                (8, true) => integers!(i64, cells),
                (1, false) => integers!(u8, cells),
                (2, false) => integers!(u16, cells),
                (4, false) => integers!(u32, cells),
                _ => integers!(u64, cells),
            },
            _ => Box::new(std::iter::empty()),
        }
    }

    /// The keys of a dictionary with so many words; 0 for those that are null.
    fn key_places(&self, words: usize) -> Option<Vec<usize>> {
        let place = |(row, key)| match self.is_null(row) {
            true => Some(0),
            false => usize::try_from(key).ok().filter(|&place| place < words),
        };
        self.integers().enumerate().map(place).collect()
    }

    /// The run that each of the rows `start..end` is in; run ends rise, from 1 on.
    fn run_places(&self, start: usize, end: usize, runs: usize) -> Option<Vec<usize>> {
        let (mut places, mut row, mut last) = (Vec::with_capacity(end - start), start, 0);
        for (run, run_end) in self.integers().enumerate().take(runs) {
            (!self.is_null(run) && run_end > last).then_some(())?;
            last = run_end;
            while row < end && (row as i128) < run_end {
                places.push(run);
                row += 1;
            }
        }
        (row == end).then_some(places)
    }
}

fn fixed<const N: usize>(cell: &[u8]) -> [u8; N] {
    cell.try_into().expect("a cell of this width")
}

/// Offset `k`, which is known not to be negative.
fn offset(offsets: &[u8], width: usize, k: usize) -> usize {
    match width {
        4 => i32::from_ne_bytes(fixed(&offsets[4 * k..4 * k + 4])) as usize,
        _ => i64::from_ne_bytes(fixed(&offsets[8 * k..8 * k + 8])) as usize,
    }
}

/// The last offset, where none is negative and none below the one before it.
fn check_offsets(offsets: &[u8], width: usize) -> Option<usize> {
    // As numbers without a sign negative ones are larger than any size of memory.
    let ends = (0..offsets.len() / width).map(|k| offset(offsets, width, k));
    ends.is_sorted().then_some(())?;
    Some(offset(offsets, width, offsets.len() / width - 1)).filter(|&last| isize::try_from(last).is_ok())
}

/// The buffers of a column of views, whose sizes are in the last one.
fn view_data(array: &Array) -> Option<Vec<&[u8]>> {
    let count = usize::try_from(array.n_buffers).ok()?.checked_sub(3)?;
    let sizes = array.bytes(count + 2, count.checked_mul(8)?)?;
    let size = |k: usize| usize::try_from(i64::from_ne_bytes(fixed(&sizes[8 * k..8 * k + 8]))).ok();
    (0..count).map(|k| array.bytes(k + 2, size(k)?)).collect()
}

/// What a view points at: up to twelve bytes in itself, more in one of the buffers; `None` where that is not so.
fn view<'a>(views: &'a [u8], data: &[&'a [u8]], row: usize) -> Option<&'a [u8]> {
    let cell = &views[16 * row..16 * row + 16];
    let part = |k: usize| usize::try_from(i32::from_ne_bytes(fixed(&cell[k..k + 4]))).ok();
    let size = part(0)?;
    if size <= 12 {
        let (inline, padding) = cell[4..].split_at(size);
        return padding.iter().all(|&byte| byte == 0).then_some(inline);
    }
    let (buffer, start) = (data.get(part(8)?)?, part(12)?);
    buffer.get(start..start + size).filter(|bytes| bytes[..4] == cell[4..8])
}

fn integer_to_float(integer: i128) -> f64 {
    i64::try_from(integer).map_or(integer as u64 as f64, |integer| integer as f64)
}

/// A float of 16 bits.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// The digits of a decimal, without its point.
fn decimal_digits(cell: &[u8]) -> String {
    match cell.len() {
        4 => i32::from_ne_bytes(fixed(cell)).to_string(),
        8 => i64::from_ne_bytes(fixed(cell)).to_string(),
        16 => i128::from_ne_bytes(fixed(cell)).to_string(),
        _ => wide_digits(cell),
    }
}

/// The same for 256 bits.
fn wide_digits(cell: &[u8]) -> String {
    const GROUP: u128 = 10u128.pow(19);
    let mut words: Vec<u64> = cell.chunks_exact(8).map(|word| u64::from_ne_bytes(fixed(word))).collect();
    if cfg!(target_endian = "big") {
        words.reverse();
    }
    let is_negative = words[3] >> 63 == 1;
    if is_negative {
        let mut carry = true;
        words.iter_mut().for_each(|word| (*word, carry) = (!*word).overflowing_add(carry.into()));
    }
    let mut groups = Vec::new();
    while words.iter().any(|&word| word != 0) {
        let mut rest = 0;
        for word in words.iter_mut().rev() {
            rest = rest << 64 | u128::from(*word);
            *word = (rest / GROUP) as u64;
            rest %= GROUP;
        }
        groups.push(rest);
    }
    let mut digits = format!("{}{}", if is_negative { "-" } else { "" }, groups.pop().unwrap_or(0));
    groups.iter().rev().for_each(|group| write!(digits, "{group:019}").expect("text can be written"));
    digits
}
