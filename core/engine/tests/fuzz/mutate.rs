//! From files to inputs: mixed, bent, packed, and bent again.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use tiebreak_engine::text::LONGEST_LINE;

use crate::chance::Chance;
use crate::corpus::{FILES, TOKENS};

/// An input: most are plain text, some gzip or zstd, some of these damaged.
pub fn input(chance: &mut Chance) -> Vec<u8> {
    let mut bytes = chance.pick(&FILES).to_vec();
    for _ in 0..chance.below(6) {
        mutate(&mut bytes, chance);
    }
    if chance.one_in(5) {
        bytes = pack(&bytes, chance);
        if chance.one_in(2) {
            (0..=chance.below(3)).for_each(|_| mutate(&mut bytes, chance));
        }
    }
    bytes
}

/// Compress: whole or in parts, perhaps with something behind.
fn pack(text: &[u8], chance: &mut Chance) -> Vec<u8> {
    let (one, two) = text.split_at(if chance.one_in(2) { 0 } else { chance.below(text.len() + 1) });
    let pack = if chance.one_in(2) { gzip } else { zstd };
    let behind: &[u8] = chance.pick(&[b"", b"", b"", b"\0\0\0", b"x", b"\x1f\x8b"]);
    [&pack(one)[..], &pack(two), behind].concat()
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("memory")
}

fn mutate(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let at = chance.below(bytes.len() + 1);
    let to = (at + chance.below(20)).min(bytes.len());
    match chance.below(14) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        1 if at < bytes.len() => bytes[at] = chance.bits() as u8,
        2 => bytes.insert(at, chance.bits() as u8),
        3 => drop(bytes.drain(at..to)),
        4 => {
            let part = bytes[at..to].to_vec();
            put(bytes, at, &part);
        }
        5 => bytes.truncate(at),
        6 => {
            let other = chance.pick(&FILES);
            let from = chance.below(other.len() + 1);
            let end = from + chance.below(other.len() + 1 - from);
            put(bytes, at, &other[from..end]);
        }
        7 | 8 => put(bytes, at, chance.pick(&TOKENS)),
        9 | 10 => replace_column(bytes, at, chance.pick(&TOKENS)),
        11 => mangle_number(bytes, at, chance),
        12 => move_line(bytes, at, chance),
        _ if chance.one_in(30) => put(bytes, at, &long_line(chance)),
        _ => {}
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    bytes.splice(at..at, more.iter().copied());
}

/// The column about `at` becomes another.
fn replace_column(bytes: &mut Vec<u8>, at: usize, column: &[u8]) {
    let start = bytes[..at].iter().rposition(|&byte| byte <= b' ').map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|&byte| byte <= b' ').map_or(bytes.len(), |behind| at + behind);
    bytes.splice(start..end, column.iter().copied());
}

/// Something of a number where a digit stood.
fn mangle_number(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    if let Some(digit) = bytes[at..].iter().position(u8::is_ascii_digit) {
        let part = chance.pick(&[".", "-", "+", "e", "E5", "e-7", "00", "9", "123456789", "e400", ",", "_"]);
        bytes.splice(at + digit..at + digit + chance.below(2), part.bytes());
    }
}

/// A line is put before another, or is repeated there.
fn move_line(bytes: &mut Vec<u8>, at: usize, chance: &mut Chance) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let from = at % lines.len();
    let line = if chance.one_in(2) { lines.remove(from) } else { lines[from].clone() };
    lines.insert(chance.below(lines.len() + 1), line);
    *bytes = lines.concat();
}

/// About as much as a line may hold, or much more.
fn long_line(chance: &mut Chance) -> Vec<u8> {
    let length = LONGEST_LINE * (1 + chance.below(2)) - 40 + chance.below(60);
    vec![chance.pick(b"x 9\t#"); length]
}
