//! Cells as Arrow stores them: bytes that need no alignment.

use std::fmt::Write;

pub fn fixed<const N: usize>(cell: &[u8]) -> [u8; N] {
    cell.try_into().expect("a cell of this width")
}

/// Call `visit` with every integer.
#[inline(always)]
pub fn each_integer(cells: &[u8], width: usize, is_signed: bool, mut visit: impl FnMut(i128)) {
    macro_rules! visit {
        ($kind:ty) => {
            cells.chunks_exact(size_of::<$kind>()).for_each(|cell| visit(<$kind>::from_ne_bytes(fixed(cell)).into()))
        };
    }
    match (width, is_signed) {
        (1, true) => visit!(i8),
        (2, true) => visit!(i16),
        (4, true) => visit!(i32),
        (8, true) => visit!(i64),
        (1, false) => visit!(u8),
        (2, false) => visit!(u16),
        (4, false) => visit!(u32),
        _ => visit!(u64),
    }
}

/// The decimal text of an integer of 64 bits at most, at the end of `digits`.
pub fn integer_text(integer: i128, digits: &mut [u8; 20]) -> &[u8] {
    let (mut rest, mut first) = (integer.unsigned_abs() as u64, digits.len());
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if integer < 0 {
        first -= 1;
        digits[first] = b'-';
    }
    &digits[first..]
}

pub fn integer_to_float(integer: i128) -> f64 {
    i64::try_from(integer).map_or(integer as u64 as f64, |integer| integer as f64)
}

/// The last offset, where none is negative and none below the one before it.
pub fn check_offsets(offsets: &[u8], width: usize) -> Option<usize> {
    let (mut last, mut is_sorted) = (0, true);
    each_integer(offsets, width, true, |offset| {
        is_sorted &= offset >= last;
        last = offset;
    });
    usize::try_from(last).ok().filter(|_| is_sorted)
}

/// Offset `k`, which was checked.
pub fn offset(offsets: &[u8], width: usize, k: usize) -> usize {
    match width {
        4 => i32::from_ne_bytes(fixed(&offsets[4 * k..4 * k + 4])) as usize,
        _ => i64::from_ne_bytes(fixed(&offsets[8 * k..8 * k + 8])) as usize,
    }
}

/// A cell of various length: its size, then up to twelve bytes, or four of them and where all are.
pub type View = [u8; 16];

pub fn views(cells: &[u8]) -> impl Iterator<Item = &View> {
    cells.chunks_exact(16).map(|cell| cell.try_into().expect("sixteen bytes"))
}

/// What a view points at.
#[inline(always)]
pub fn view<'a>(cell: &'a View, data: &[&'a [u8]]) -> Option<&'a [u8]> {
    let part = |k: usize| i32::from_ne_bytes(fixed(&cell[k..k + 4])) as usize;
    match part(0) {
        size if size <= 12 => Some(&cell[4..4 + size]),
        // A negative number is larger than any buffer.
        size => data.get(part(8))?.get(part(12)..part(12).checked_add(size)?),
    }
}

/// The same where the view begins as that does, and is filled up with zeros.
#[inline(always)]
pub fn check_view<'a>(cell: &'a View, data: &[&'a [u8]]) -> Option<&'a [u8]> {
    view(cell, data).filter(|bytes| match bytes.len() {
        size if size <= 12 => u128::from_le_bytes(*cell).checked_shr(32 + 8 * size as u32).unwrap_or(0) == 0,
        _ => bytes[..4] == cell[4..8],
    })
}

/// A float of 16 bits.
pub fn half(bits: u16) -> f64 {
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
pub fn decimal_digits(cell: &[u8]) -> String {
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
