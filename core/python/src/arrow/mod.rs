//! Columns of Arrow arrays, checked as far as the C data interface allows: it does not say how long a buffer is.

mod cells;
mod types;

use std::str;

use tiebreak_engine::ids::IdColumn;
use tiebreak_engine::number;

use crate::memory::Array;
use cells::{
    check_offsets, check_view, decimal_digits, each_integer, fixed, half, integer_text, integer_to_float, offset, view,
    views,
};
use types::Layout;
pub use types::Type;

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
        cells: &'a [u8],
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
                Cells::Views { cells: cells(16, end)?, data: view_data(array)? }
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
                let Type::Integer { width, is_signed } = **keys else { return None };
                let places = column.key_places(cells(width, end)?, width, is_signed, values.length)?;
                Cells::Encoded { places, values: Box::new(values) }
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
        let is_text = matches!(self.kind, Type::Text(_));
        match (&self.cells, self.kind) {
            (&Cells::Offsets { offsets, width, data }, Type::Text(_)) => {
                data[offset(offsets, width, 0)..].is_ascii()
                    || self.all_valid(|row| str::from_utf8(self.bytes(row)).is_ok())
            }
            (&Cells::Views { cells, ref data }, _) => views(cells).enumerate().all(|(row, cell)| {
                let is_valid = |bytes: &[u8]| !is_text || bytes.is_ascii() || str::from_utf8(bytes).is_ok();
                check_view(cell, data).is_some_and(is_valid) || self.is_null(row)
            }),
            (Cells::Fixed(cells), &Type::Decimal { width, digits, .. }) => self.all_valid(|row| {
                decimal_digits(&cells[row * width..][..width]).trim_start_matches('-').len() <= digits
            }),
            _ => true,
        }
    }

    /// Whether every row is null or passes a check.
    fn all_valid(&self, is_sound: impl Fn(usize) -> bool) -> bool {
        (0..self.length).all(|row| self.is_null(row) || is_sound(row))
    }

    /// Call `push` with the first cells of a column of ids, none of which is null, as text.
    pub fn each_text(&self, rows: usize, push: &mut dyn FnMut(&[u8])) {
        match (&self.cells, self.kind) {
            (&Cells::Offsets { offsets, width, data }, _) if rows > 0 => {
                let mut start = offset(offsets, width, 0);
                each_integer(&offsets[width..(rows + 1) * width], width, true, |end| {
                    push(&data[start..end as usize]);
                    start = end as usize;
                });
            }
            (&Cells::Views { cells, ref data }, _) => {
                views(cells).take(rows).for_each(|cell| push(view(cell, data).unwrap_or_default()));
            }
            (Cells::Fixed(cells), &Type::Integer { width, is_signed }) => {
                let mut digits = [0; 20];
                each_integer(&cells[..rows * width], width, is_signed, |integer| {
                    push(integer_text(integer, &mut digits))
                });
            }
            (Cells::Encoded { values, places }, _) if rows > 0 => {
                if matches!(values.kind, Type::Text(_)) {
                    return places[..rows].iter().for_each(|&place| push(values.bytes(place)));
                }
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
            (Cells::Fixed(cells), &Type::Integer { width, is_signed }) => {
                let mut numbers = Vec::with_capacity(self.length);
                each_integer(cells, width, is_signed, |integer| numbers.push(integer_to_float(integer)));
                numbers
            }
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
        match self.cells {
            Cells::Offsets { offsets, width, data } => {
                &data[offset(offsets, width, row)..offset(offsets, width, row + 1)]
            }
            Cells::Views { cells, ref data } => {
                views(&cells[16 * row..]).next().and_then(|cell| view(cell, data)).unwrap_or_default()
            }
            _ => &[],
        }
    }

    /// Which of the words of a dictionary each row has; 0 where it is null.
    fn key_places(&self, keys: &[u8], width: usize, is_signed: bool, words: usize) -> Option<Vec<usize>> {
        let (mut places, mut is_sound) = (Vec::with_capacity(self.length), true);
        each_integer(keys, width, is_signed, |key| {
            let is_known = (0..words as i128).contains(&key);
            is_sound &= is_known || self.is_null(places.len());
            places.push(if is_known { key as usize } else { 0 });
        });
        is_sound.then_some(places)
    }

    /// The run that each of the rows `start..end` is in; run ends rise, from 1 on.
    fn run_places(&self, start: usize, end: usize, runs: usize) -> Option<Vec<usize>> {
        let (Cells::Fixed(ends), &Type::Integer { width, .. }) = (&self.cells, self.kind) else { return None };
        let (mut places, mut run, mut last, mut is_sound) = (Vec::with_capacity(end - start), 0, 0, true);
        each_integer(ends, width, true, |run_end| {
            is_sound &= run_end > last;
            last = run_end;
            let rows = run_end.min(end as i128) - start as i128;
            places.resize(places.len().max(usize::try_from(rows).unwrap_or(0)), run);
            run += 1;
        });
        let is_whole = places.len() == end - start && places.last().is_none_or(|&run| run < runs);
        (is_sound && is_whole && self.first(true).is_none()).then_some(places)
    }
}

/// The buffers of a column of views, whose sizes are in the last one.
fn view_data(array: &Array) -> Option<Vec<&[u8]>> {
    let count = usize::try_from(array.n_buffers).ok()?.checked_sub(3)?;
    let sizes = array.bytes(count + 2, count.checked_mul(8)?)?;
    let size = |k: usize| usize::try_from(i64::from_ne_bytes(fixed(&sizes[8 * k..8 * k + 8]))).ok();
    (0..count).map(|k| array.bytes(k + 2, size(k)?)).collect()
}
