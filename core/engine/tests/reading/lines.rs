//! What a line may look like.

use tiebreak_engine::tally::Counter;
use tiebreak_engine::{Fault, FaultKind, Options, UNRETRIEVED};

use crate::{counted, judgements, ranks, read, read_as_the_model};

const PLAIN: &str = "q1 0 d2 1 2.5 tag\nq1 0 d9 2 2.0 tag\nq1 0 d1 3 1.5 tag\nq2 0 d4 1 0.5 tag\n";
const RANKS: [i32; 5] = [3, 1, UNRETRIEVED, UNRETRIEVED, 1];

#[test]
fn plain_lines_are_ranked_by_score() {
    let read = read(PLAIN);
    assert_eq!(counted(&read, Counter::Lines), (4, 1));
    let (ranks, run) = read.expect("a sound run");
    assert_eq!((ranks, run.listed, run.retrieved, run.tied), (RANKS.to_vec(), vec![3, 1], vec![3, 1], vec![0, 0]));
}

#[test]
fn carriage_returns_at_line_ends_are_passed_over_and_counted() {
    let crlf = PLAIN.replace('\n', "\r\n");
    assert_eq!(counted(&read(&crlf), Counter::Crlf), (4, 1));
    assert_eq!(ranks(&crlf), RANKS);
    assert_eq!(ranks(crlf.trim_end_matches('\n')), RANKS);
    let mixed = PLAIN.replacen("1.5 tag\n", "1.5\r\n", 1);
    assert_eq!((counted(&read(&mixed), Counter::Crlf), ranks(&mixed)), ((1, 3), RANKS.to_vec()));
    assert_eq!(read(PLAIN.replace('\n', "\r\r\n")).expect_err("a fault").kind, FaultKind::Control);
}

#[test]
fn a_byte_order_mark_is_passed_over_on_the_first_line_only() {
    let marked = format!("\u{feff}{PLAIN}");
    assert_eq!((counted(&read(&marked), Counter::ByteOrderMark), ranks(&marked)), ((1, 1), RANKS.to_vec()));
    let second = PLAIN.replacen("q2", "\u{feff}q2", 1);
    assert_eq!(counted(&read(&second), Counter::ByteOrderMark), (0, 0));
    assert_eq!(counted(&read(&second), Counter::UnjudgedRequests), (1, 4));
    let twice = format!("\u{feff}{marked}");
    assert_eq!(counted(&read(&twice), Counter::UnjudgedRequests), (1, 1));
    assert_eq!(counted(&read(format!("\u{feff}# comment\n{PLAIN}")), Counter::Comment), (1, 1));
}

#[test]
fn blank_lines_and_comments_are_passed_over_and_counted() {
    let text = format!("\n# a comment\n{}\n \t \n  #another\n\r\n", PLAIN.replacen('\n', "\n\n#third\n", 2));
    let read = read(&text);
    assert_eq!((counted(&read, Counter::Blank), counted(&read, Counter::Comment)), ((6, 1), (4, 2)));
    assert_eq!(read.as_ref().expect("a sound run").0, RANKS);
    assert_eq!(read.expect("a sound run").1.tally.example[Counter::Comment as usize], b"# a comment");
}

#[test]
fn a_hash_sign_begins_a_comment_at_the_begin_of_a_line_only() {
    let text = "q1 # d#2 #1 3 #\nq1 0 d1 1 2\n";
    assert_eq!((counted(&read(text), Counter::Comment), ranks(text)[0]), ((0, 0), 2));
    assert_eq!(counted(&read("#q1 0 d1 1 1\nq1 0 d1 1 1"), Counter::Comment), (1, 1));
}

#[test]
fn columns_are_separated_by_any_number_of_spaces_and_tabs() {
    for separator in ["\t", "  ", " \t ", "\t\t"] {
        let text = PLAIN.replace(' ', separator);
        assert_eq!(ranks(&text), RANKS, "{separator:?}");
        let indented = text.lines().map(|line| format!("{separator}{line}{separator}\n"));
        assert_eq!(ranks(indented.collect::<String>()), RANKS, "{separator:?}");
    }
    // Other blanks are part of a column.
    assert_eq!(read(PLAIN.replace(' ', "\u{a0}")).expect_err("a fault").number, 1);
}

#[test]
fn the_last_line_needs_no_line_feed() {
    assert_eq!(ranks(PLAIN.trim_end()), RANKS);
    assert_eq!(counted(&read(PLAIN.trim_end()), Counter::Lines), (4, 1));
    assert_eq!(counted(&read(PLAIN), Counter::Blank), (0, 0));
    let cut = &PLAIN[..PLAIN.len() - "0.5 tag\n".len()];
    assert_eq!(read(cut), Err(Fault::line(FaultKind::Columns, 4, 4, b"q2 0 d4 1 ")));
}

#[test]
fn columns_end_anywhere_about_the_end_of_a_window() {
    // Lines of 60 to 68 bytes, five or six columns, the end of each column moved over every place.
    for length in 60..=68 {
        for tag in ["", " t"] {
            for padded in 0..5 {
                for separator in [" ", "  ", "\t"] {
                    let mut columns = ["q1", "0", "d1", "1", "2.5"].map(str::to_owned);
                    let bare = columns.join(separator).len() + tag.len();
                    let padding = ["x", "0", "x", "0", "0"][padded].repeat(length - bare);
                    columns[padded].push_str(&padding);
                    let line = columns.join(separator) + tag;
                    assert_eq!(line.len(), length);
                    for end in ["", "\n", "\r\n", " \n", "\n\n", "\nq1 0 d3 1 3.5\n", " x\n", " x y\n"] {
                        let text = format!("q2 0 d4 1 1\n{line}{end}");
                        read_as_the_model(text.as_bytes(), &judgements(), &Options::default()).ok();
                    }
                }
            }
        }
    }
}

#[test]
fn every_column_may_fill_windows_of_its_own() {
    for length in [1, 55, 61, 62, 63, 64, 65, 127, 128, 129, 1000] {
        let long = "9".repeat(length);
        for text in [
            format!("{long} 0 d1 1 1\nq1 0 d1 1 1\n"),
            format!("q1 {long} d1 1 1\nq1 0 d2 1 1\n"),
            format!("q1 0 {long} 1 1\nq1 0 d2 1 2\n"),
            format!("q1 0 d1 {long} 1\nq1 0 d2 1 2\n"),
            format!("q1 0 d1 1 0.{long}\nq1 0 d2 1 2\n"),
            format!("q1 0 d1 1 1 {long}\nq1 0 d2 1 2\n"),
            format!("{}q1 0 d1 1 1\nq1 0 d2 1 2\n", " ".repeat(length)),
            format!("q1 0 d1 1 1{}\nq1 0 d2 1 2\n", " ".repeat(length)),
            format!("q1 0 d1 1 1\n{}\nq1 0 d2 1 2\n", " ".repeat(length)),
            format!("q1 0 d1 1 1\n#{long}\nq1 0 d2 1 2\n"),
        ] {
            let read = read_as_the_model(text.as_bytes(), &judgements(), &Options::default());
            assert!(read.is_ok(), "{text}");
        }
    }
}
