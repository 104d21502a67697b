//! Compressed files give what the same files give uncompressed, damaged ones a fault.

use std::fs;
use std::io::Write;

use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use tiebreak_engine::{Fault, FaultKind, Options, Source};

use crate::{Read, judgements, offence, read, read_judgements, read_source};

const RUN: &str = "q1 0 d2 1 2.5\nq1 0 d9 2 2.0\nq1 0 d1 3 1.5\nq2 0 d4 1 0.5\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    encoder.finish().expect("memory")
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).expect("memory")
}

fn damaged(format: &str) -> Read {
    Err(Fault::file(FaultKind::Compression, format.as_bytes()))
}

/// The run in two parts that meet in the middle of a line.
fn halves() -> (&'static str, &'static str) {
    RUN.split_at(20)
}

#[test]
fn gzip_is_told_by_its_first_bytes() {
    assert_eq!(read(gzip(RUN)), read(RUN));
    let mut named =
        GzBuilder::new().filename("run.txt").comment("by hand").extra(*b"extra").write(Vec::new(), Compression::fast());
    named.write_all(RUN.as_bytes()).expect("memory");
    assert_eq!(read(named.finish().expect("memory")), read(RUN));
}

#[test]
fn gzip_members_are_read_as_one_file() {
    let (one, two) = halves();
    assert_eq!(read([gzip(one), gzip(two)].concat()), read(RUN));
    let single: Vec<Vec<u8>> = RUN.chars().map(|byte| gzip(&byte.to_string())).collect();
    assert_eq!(read(single.concat()), read(RUN));
    assert_eq!(read([gzip(""), gzip(RUN), gzip(""), gzip("")].concat()), read(RUN));
    assert_eq!(read(gzip("")), Err(Fault::file(FaultKind::Empty, b"")));
}

#[test]
fn zero_bytes_may_fill_a_gzip_file_up() {
    let (one, two) = halves();
    for zeros in [1, 511, 512, 300_000] {
        let zeros = vec![0; zeros];
        assert_eq!(read([&gzip(RUN)[..], &zeros].concat()), read(RUN));
        assert_eq!(read([&gzip(one)[..], &zeros, &gzip(two), &zeros].concat()), read(RUN));
    }
}

#[test]
fn anything_else_behind_a_gzip_member_is_damage() {
    for garbage in [&b"x"[..], b"\n", b"\x1f", b"\x1f\x8b", b"\0\0garbage", RUN.as_bytes()] {
        assert_eq!(read([&gzip(RUN)[..], garbage].concat()), damaged("gzip"), "{garbage:?}");
    }
}

#[test]
fn a_gzip_file_that_was_cut_is_damaged_wherever_it_was_cut() {
    let (one, two) = halves();
    let (first, second) = (gzip(one), gzip(two));
    let whole = [&first[..], &second].concat();
    assert_eq!(offence(read(&whole[..0])), ("empty", 0));
    assert_eq!(offence(read(&whole[..1])), ("control", 1));
    for cut in (2..whole.len()).filter(|&cut| cut != first.len()) {
        assert_eq!(read(&whole[..cut]), damaged("gzip"), "{cut}");
    }
    // Between members nothing is missing but text.
    assert_eq!(read(&whole[..first.len()]), read(one));
    let judgements = gzip("q1 0 d1 1\n");
    for cut in 2..judgements.len() {
        assert_eq!(offence(read_judgements(&judgements[..cut])), ("compression", 0), "{cut}");
    }
}

#[test]
fn no_bit_of_a_gzip_file_changes_a_rank() {
    let sound = gzip(RUN);
    let mut unnoticed = 0;
    for bit in 0..sound.len() * 8 {
        let mut flipped = sound.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let read_flipped = read(&flipped);
        assert!(read_flipped.is_err() || read_flipped == read(RUN), "bit {bit}");
        unnoticed += usize::from(read_flipped.is_ok());
    }
    // Bytes 4 to 9 say when and where the file was made; few other bits are not needed.
    assert!((48..60).contains(&unnoticed), "{unnoticed}");
}

#[test]
fn zstd_is_told_by_its_first_bytes() {
    assert_eq!(read(zstd(RUN)), read(RUN));
    assert_eq!(read_judgements(zstd("q1 0 d1 1\n")).expect("sound judgements").grade, [1.0]);
}

#[test]
fn zstd_frames_are_read_as_one_file() {
    let (one, two) = halves();
    assert_eq!(read([zstd(one), zstd(two)].concat()), read(RUN));
    assert_eq!(read([zstd(""), zstd(RUN), zstd("")].concat()), read(RUN));
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    assert_eq!(read([zstd(one), skipped, zstd(two)].concat()), read(RUN));
    assert_eq!(read(zstd("")), Err(Fault::file(FaultKind::Empty, b"")));
}

#[test]
fn a_zstd_file_that_was_cut_is_damaged_wherever_it_was_cut() {
    let (one, two) = halves();
    let (first, second) = (zstd(one), zstd(two));
    let whole = [&first[..], &second].concat();
    for cut in (4..whole.len()).filter(|&cut| cut != first.len()) {
        assert_eq!(read(&whole[..cut]), damaged("zstd"), "{cut}");
    }
    for cut in 1..4 {
        // Too little to tell what it was.
        assert_eq!(offence(read(&whole[..cut])), if cut == 1 { ("columns", 1) } else { ("encoding", 1) });
    }
}

#[test]
fn anything_behind_a_zstd_frame_is_damage() {
    for garbage in [&b"x"[..], b"\n", b"\0\0\0\0\0\0\0\0", RUN.as_bytes()] {
        assert_eq!(read([&zstd(RUN)[..], garbage].concat()), damaged("zstd"), "{garbage:?}");
    }
}

#[test]
fn text_is_not_decompressed_twice() {
    let mut twice = GzEncoder::new(Vec::new(), Compression::fast());
    twice.write_all(&gzip(RUN)).expect("memory");
    assert_eq!(offence(read(twice.finish().expect("memory"))), ("control", 1));
}

#[test]
fn a_fault_in_a_compressed_file_has_the_line_that_it_has_uncompressed() {
    let text = format!("{RUN}q2 0 d4 1 0.5\n");
    assert_eq!(offence(read(&text)), ("duplicate", 5));
    assert_eq!((read(gzip(&text)), read(zstd(&text))), (read(&text), read(&text)));
}

#[test]
fn compressed_lines_are_whole_wherever_a_block_ends() {
    // Two and a half blocks of lines of all lengths.
    let text: String = (0..3_000).map(|k| format!("q1 0 i{k} 1 {} {}\n", k % 977, "x".repeat(k % 173))).collect();
    assert!(text.len() > 300_000);
    assert_eq!((read(gzip(&text)), read(zstd(&text))), (read(&text), read(&text)));
}

#[test]
fn a_file_gives_what_its_bytes_give() {
    let folder = std::env::temp_dir().join(format!("tiebreak-reading-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let returning = format!("{RUN}q1 0 d3 1 9\n");
    for (k, bytes) in [RUN.into(), gzip(RUN), zstd(RUN), returning.clone().into(), gzip(&returning)].iter().enumerate()
    {
        let path = folder.join(format!("{k}.run"));
        fs::write(&path, bytes).expect("a file");
        assert_eq!(read_source(Source::File(path), &judgements(), &Options::default()), read(bytes));
        assert!(read(bytes).is_ok());
    }
    fs::remove_dir_all(&folder).expect("the folder");
}
