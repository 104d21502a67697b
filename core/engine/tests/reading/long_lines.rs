//! Lines about as long as they may be, and lines that cross the blocks in which a file is read.

use tiebreak_engine::text::LONGEST_LINE;
use tiebreak_engine::{Fault, FaultKind, Options, UNRETRIEVED};

use crate::{judgements, offence, read, read_as_the_model};

const BLOCK: usize = 128 * 1024;

/// A line `q1 0 d1 1 1 xxx...` of so many bytes.
fn line_of(length: usize) -> String {
    format!("q1 0 d1 1 1 {}", "x".repeat(length - 12))
}

/// Lines that change nothing: so many bytes of them.
fn filler(length: usize) -> String {
    let mut filler = "q9 0 unjudged 1 1\n".repeat(length / 18);
    if length % 18 > 0 {
        filler.push_str(&"#".repeat(length % 18 - 1));
        filler.push('\n');
    }
    filler
}

#[test]
fn a_line_holds_at_most_65536_bytes() {
    for end in ["", "\n", "\nq1 0 d2 1 2\n"] {
        assert!(read(line_of(LONGEST_LINE - 1) + end).is_ok());
        assert!(read(line_of(LONGEST_LINE) + end).is_ok());
        let long = Err(Fault::line(FaultKind::LongLine, 1, LONGEST_LINE as i64, b""));
        for length in [LONGEST_LINE + 1, LONGEST_LINE + 2, LONGEST_LINE + 3, LONGEST_LINE + 4, 2 * BLOCK, 5 * BLOCK] {
            assert_eq!(read(line_of(length) + end), long, "{length} {end:?}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_line() {
    for end in ["", "\n", "\nq1 0 d2 1 2\n"] {
        assert!(read(format!("\u{feff}{}{end}", line_of(LONGEST_LINE))).is_ok());
        assert_eq!(offence(read(format!("\u{feff}{}{end}", line_of(LONGEST_LINE + 1)))), ("long_line", 1));
        assert_eq!(offence(read(format!("\n\u{feff}{}{end}", line_of(LONGEST_LINE)))), ("long_line", 2));
    }
}

#[test]
fn a_carriage_return_is_part_of_the_line_that_it_ends() {
    assert!(read(line_of(LONGEST_LINE - 1) + "\r\n").is_ok());
    assert_eq!(offence(read(line_of(LONGEST_LINE) + "\r\n")), ("long_line", 1));
    assert!(read(format!("\u{feff}{}\r\n", line_of(LONGEST_LINE - 1))).is_ok());
    assert_eq!(offence(read(format!("\u{feff}{}\r\n", line_of(LONGEST_LINE)))), ("long_line", 1));
}

#[test]
fn blank_lines_and_comments_may_not_be_longer() {
    for (of, what) in [(" ", "blank"), ("#", "comment")] {
        assert!(read(format!("q1 0 d1 1 1\n{}\n", of.repeat(LONGEST_LINE))).is_ok(), "{what}");
        let text = format!("q1 0 d1 1 1\n{}\n", of.repeat(LONGEST_LINE + 1));
        assert_eq!(offence(read(text)), ("long_line", 2), "{what}");
    }
}

#[test]
fn a_long_line_may_begin_anywhere_in_a_block() {
    let offsets = [0, 1, 62, 63, 64, 65, 66, LONGEST_LINE - 1, LONGEST_LINE, LONGEST_LINE + 1, LONGEST_LINE + 3];
    for offset in offsets.iter().flat_map(|&k| [k, BLOCK - k, BLOCK + k]) {
        let before = filler(offset);
        let number = before.lines().count() as u64 + 1;
        for end in ["", "\n", "\nq1 0 d2 1 2\n"] {
            assert!(read(format!("{before}{}{end}", line_of(LONGEST_LINE))).is_ok(), "{offset} {end:?}");
            let long = read(format!("{before}{}{end}", line_of(LONGEST_LINE + 1)));
            assert_eq!(offence(long), ("long_line", number), "{offset} {end:?}");
        }
    }
}

#[test]
fn lines_are_whole_wherever_a_block_ends() {
    let lines = "q1 0 d2 1 3.25 tag\r\nq1 0 d1 2 2.125 tag\r\nq1 0 d\u{e9} 3 1.5\nq2 0 d4 1 0.5";
    for before in (BLOCK - 90..=BLOCK + 10).chain(2 * BLOCK - 90..=2 * BLOCK + 10) {
        for mark in ["", "\u{feff}"] {
            let text = format!("{mark}{}{lines}", filler(before));
            let (ranks, run) = read(&text).expect("a sound run");
            assert_eq!(ranks, [2, 1, UNRETRIEVED, UNRETRIEVED, 1], "{before}");
            assert_eq!(run.listed, [3, 1], "{before}");
        }
    }
}

#[test]
fn a_line_feed_may_stand_alone_wherever_a_block_ends() {
    for before in BLOCK - 3..=BLOCK + 3 {
        for end in ["\n", "\r\n", "\n\n\n", "#\n", " ", "\r"] {
            let text = format!("{}{end}", filler(before));
            assert!(read_as_the_model(text.as_bytes(), &judgements(), &Options::default()).is_ok());
        }
    }
}
