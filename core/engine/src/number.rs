//! Scores and grades: `[+-]?(digits[.digits] | .digits)([eE][+-]?digits)?`, finite, as the nearest float64.

const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];
/// Every byte is 1.
const ONES: u64 = 0x0101_0101_0101_0101;
const EXACT_MANTISSA: u64 = 1 << 53;
/// Digits that always fit 64 bits.
const SAFE_DIGITS: usize = 19;

/// The number that `bytes[..length]` spells, as [`parse`] reads it; what follows it may be read, never counted.
#[inline(always)]
pub fn parse_start(bytes: &[u8], length: usize) -> Option<f64> {
    parse_short(bytes, length).or_else(|| parse(&bytes[..length]))
}

/// The same for digits on both sides of a point, eight at most, if some bytes more can be read.
#[inline(always)]
fn parse_short(bytes: &[u8], length: usize) -> Option<f64> {
    let bytes = bytes.first_chunk::<24>()?;
    let sign = usize::from(bytes[0] == b'-');
    let before = eight_digits(&bytes[sign..sign + 8]);
    let whole = leading_digits(before);
    if whole == 0 || whole >= 8 || (before >> (8 * whole)) as u8 != b'.' ^ b'0' {
        return None;
    }
    let point = sign + whole;
    let fraction = length.wrapping_sub(point + 1);
    if fraction == 0 || fraction > 8 - whole {
        return None;
    }
    let after = eight_digits(&bytes[point + 1..point + 9]) << (64 - 8 * fraction);
    if leading_digits(after) < 8 {
        return None;
    }
    let mantissa = join_digits(before << (64 - 8 * whole) >> (8 * fraction) | after);
    let value = mantissa as i64 as f64 / EXACT_POWERS[fraction];
    Some(if sign == 1 { 0.0 - value } else { value })
}

/// Eight bytes, the first one lowest; a byte is a digit where it is below ten.
#[inline(always)]
fn eight_digits(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes")) ^ (ONES * u64::from(b'0'))
}

/// How many of eight bytes are digits before the first one that is not.
#[inline(always)]
fn leading_digits(digits: u64) -> usize {
    // Adding 0x76 sets the high bit of a byte above nine; a carry goes to later bytes only.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    others.trailing_zeros() as usize / 8
}

/// The value of eight digits: neighbours are joined to numbers of two, four and eight digits.
#[inline(always)]
fn join_digits(digits: u64) -> u64 {
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & 0xff_0000_00ff).wrapping_mul((1_000_000 << 32) + 100);
    let second = (pairs >> 16 & 0xff_0000_00ff).wrapping_mul((10_000 << 32) + 1);
    first.wrapping_add(second) >> 32
}

/// The number that `text` spells; `None` if it is not a finite float64. -0 is 0.
pub fn parse(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = match text.first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let mut mantissa = 0u64;
    let whole = digits(unsigned, &mut mantissa);
    let mut rest = &unsigned[whole..];
    let mut fraction = 0;
    if rest.first() == Some(&b'.') {
        fraction = digits(&rest[1..], &mut mantissa);
        if fraction == 0 {
            return None;
        }
        rest = &rest[1 + fraction..];
    }
    if whole + fraction == 0 {
        return None;
    }
    let exponent = exponent(rest)?;
    // One rounding of two exact numbers is the nearest float64 (Clinger 1990).
    let power = exponent.saturating_sub(fraction as i64);
    if whole + fraction <= SAFE_DIGITS && mantissa <= EXACT_MANTISSA && (-22..=22).contains(&power) {
        let exact = EXACT_POWERS[power.unsigned_abs() as usize];
        let value = if power < 0 { mantissa as f64 / exact } else { mantissa as f64 * exact };
        return Some(if negative { 0.0 - value } else { value });
    }
    // No mantissa makes up for such an exponent; the standard library reads the first digits of a long one only.
    if exponent.unsigned_abs() > text.len() as u64 + 400 {
        let mantissa = &unsigned[..unsigned.len() - rest.len()];
        let is_zero = exponent < 0 || mantissa.iter().all(|byte| b"0.".contains(byte));
        return is_zero.then_some(0.0);
    }
    let value: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    value.is_finite().then_some(value + 0.0)
}

/// How many digits `text` begins with; their value is appended to `mantissa`, modulo 2^64.
#[inline(always)]
fn digits(text: &[u8], mantissa: &mut u64) -> usize {
    let mut count = 0;
    while let Some(eight) = text.get(count..count + 8).map(eight_digits).filter(|&eight| leading_digits(eight) == 8) {
        *mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(join_digits(eight));
        count += 8;
    }
    for byte in &text[count..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    count
}

/// The exponent of ten that follows a mantissa: 0 where nothing does, `None` where something else does.
fn exponent(text: &[u8]) -> Option<i64> {
    let rest = match text.first() {
        None => return Some(0),
        Some(b'e' | b'E') => &text[1..],
        Some(_) => return None,
    };
    let (negative, unsigned) = match rest.first()? {
        b'-' => (true, &rest[1..]),
        b'+' => (false, &rest[1..]),
        _ => (false, rest),
    };
    let mut value = 0u64;
    let count = digits(unsigned, &mut value);
    if count == 0 || count != unsigned.len() {
        return None;
    }
    // Beyond nine digits only the sign matters: it is more than any mantissa makes up for.
    let zeros = unsigned.iter().take_while(|&&byte| byte == b'0').count();
    let value = if count - zeros > 9 { i64::from(u32::MAX) } else { value as i64 };
    Some(if negative { -value } else { value })
}

/// Whether there is a letter e in `bytes[..length]`, as where a number has an exponent.
#[inline(always)]
pub fn has_exponent(bytes: &[u8], length: usize) -> bool {
    match bytes.first_chunk::<8>() {
        Some(&eight) if (1..=8).contains(&length) => {
            let text = u64::from_le_bytes(eight) << (64 - 8 * length);
            let differs = (text | (ONES * 0x20)) ^ (ONES * u64::from(b'e'));
            differs.wrapping_sub(ONES) & !differs & (ONES * 0x80) != 0
        }
        _ => memchr::memchr2(b'e', b'E', &bytes[..length]).is_some(),
    }
}

/// Stands for a missing rank.
pub const NO_RANK: i64 = i64::MIN;

/// The rank that `bytes[..length]` spells, as [`parse_rank`] reads it; what follows it may be read, never counted.
#[inline(always)]
pub fn parse_rank_start(bytes: &[u8], length: usize) -> Option<i64> {
    match bytes.first_chunk::<8>() {
        Some(eight) if (1..=8).contains(&length) => {
            let digits = eight_digits(eight) << (64 - 8 * length);
            if leading_digits(digits) == 8 { Some(join_digits(digits) as i64) } else { parse_rank(&bytes[..length]) }
        }
        _ => parse_rank(&bytes[..length]),
    }
}

/// A rank column: a 64-bit integer of at most twenty characters other than [`NO_RANK`].
pub fn parse_rank(text: &[u8]) -> Option<i64> {
    (text.len() <= 20).then_some(())?;
    std::str::from_utf8(text).ok()?.parse().ok().filter(|&rank| rank != NO_RANK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_grammar_and_nothing_else() {
        for (text, value) in [
            ("1", 1.0),
            ("+1", 1.0),
            ("-1.5", -1.5),
            (".5", 0.5),
            ("1e3", 1000.0),
            ("1E-2", 0.01),
            ("0.1", 0.1),
            ("00012", 12.0),
            ("1e-999", 0.0),
            ("123456789012345678901234567890", 1.2345678901234568e29),
            ("9007199254740993", 9007199254740992.0),
            ("0.000000000000000000000000000001", 1e-30),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(value), "{text}");
        }
        for text in [
            "",
            "+",
            "-",
            ".",
            "1.",
            "1.e5",
            "e5",
            "1e",
            "1e+",
            "1,5",
            "1_0",
            "nan",
            "inf",
            "-Infinity",
            "1e999",
            "0x1",
            "1 ",
            "--1",
            "1.5.2",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn zero_has_no_sign() {
        for text in ["-0", "-0.0", "-0e5", "-1e-999"] {
            assert!(parse(text.as_bytes()).unwrap().is_sign_positive(), "{text}");
        }
    }

    #[test]
    fn agrees_with_the_standard_library_bit_by_bit() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let value = (state >> 11) as f64 / (1u64 << 40) as f64;
            let digits = (state % 20) as usize;
            for text in [format!("{value:.digits$}"), format!("{value:e}"), format!("-{value:.digits$}e-{digits}")] {
                let expected: f64 = text.parse::<f64>().unwrap() + 0.0;
                assert_eq!(parse(text.as_bytes()).unwrap().to_bits(), expected.to_bits(), "{text}");
                let line = format!("{text} 16 tag and what follows it");
                assert_eq!(parse_start(line.as_bytes(), text.len()).unwrap().to_bits(), expected.to_bits(), "{text}");
            }
        }
    }

    #[test]
    fn what_follows_a_number_does_not_count() {
        let texts = [
            "1.5",
            "-1.5",
            "-0.0",
            "+1.5",
            "12",
            "1234567.8",
            "1.2345678",
            "12345678.9",
            "1.5e3",
            "1.5x",
            "1.",
            ".5",
            "1.5.5",
            "x.5",
            "-",
            "--1.5",
            "15.250909",
            "1.-5",
            "1./5",
            "1.:5",
            "0:.5",
            "1\u{e9}.5",
        ];
        for text in texts {
            for rest in ["", " ", " 123456789", "\n1.5 2.5 3.5 4.5 5.5 6.5 7.5", "\t.2525252525252525252525252525"] {
                let line = format!("{text}{rest}");
                let (read, expected) = (parse_start(line.as_bytes(), text.len()), parse(text.as_bytes()));
                assert_eq!(read.map(f64::to_bits), expected.map(f64::to_bits), "{line:?}");
            }
        }
    }

    #[test]
    fn an_exponent_is_part_of_its_number() {
        for rest in ["", "e", " E5 tag and more", "\t1e5 2e5 3e5 4e5 5e5"] {
            for text in ["1e5", "1E5", "e", "1.5e-10", "123456e8", "1234567E8", "123456789e10"] {
                assert!(has_exponent(format!("{text}{rest}").as_bytes(), text.len()), "{text}{rest}");
            }
            for text in ["1.5", "-", "12345678", "1234567.89", "", "0dfDF%.9"] {
                assert!(!has_exponent(format!("{text}{rest}").as_bytes(), text.len()), "{text}{rest}");
            }
        }
    }

    #[test]
    fn what_follows_a_rank_does_not_count() {
        let texts = ["1", "0", "-3", "+7", "12345678", "123456789", "1.0", "x", "1x", "", "00000001", "0000000a", "1:"];
        for text in texts {
            for rest in ["", " ", " 123456789", "12345678901234567890"] {
                let line = format!("{text}{rest}");
                assert_eq!(parse_rank_start(line.as_bytes(), text.len()), parse_rank(text.as_bytes()), "{line:?}");
            }
        }
    }

    #[test]
    fn ranks_are_integers() {
        assert_eq!(parse_rank(b"+7"), Some(7));
        assert_eq!(parse_rank(b"-0003"), Some(-3));
        for text in ["", "1.0", "x", "9223372036854775808", "000000000000000000001"] {
            assert_eq!(parse_rank(text.as_bytes()), None, "{text}");
        }
    }
}
