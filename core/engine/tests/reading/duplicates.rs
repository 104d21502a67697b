//! An item that a run lists twice for a request, under each policy, whether or not the request returns.

use tiebreak_engine::tally::Counter;
use tiebreak_engine::{Duplicates, Fault, FaultKind, Options, UNRETRIEVED};

use crate::{counted, judgements, offence, read_as_the_model, read_with};

/// d1 three times, its second score the best; unjudged x twice, its first score the best.
const TOGETHER: &str = "\
    q1 0 d1 5 2.0\n\
    q1 0 d2 4 3.0\n\
    q1 0 x 3 4.0\n\
    q1 0 d1 2 5.0\n\
    q1 0 x 1 1.0\n\
    q1 0 d1 1 2.5\n";

fn with(duplicates: Duplicates) -> Options {
    Options { duplicates, ..Options::default() }
}

/// The same, with a line of another request in between: it must be gathered.
fn apart() -> String {
    TOGETHER.replacen("q1 0 x 3", "q2 0 d4 1 1\nq1 0 x 3", 1)
}

#[test]
fn a_duplicate_is_an_error_of_the_line_that_repeats() {
    let options = with(Duplicates::Error);
    assert_eq!(read_with(TOGETHER, &options), Err(Fault::entry(FaultKind::Duplicate, 4, b"q1", b"d1", b"")));
    assert_eq!(read_with(apart(), &options), Err(Fault::entry(FaultKind::Duplicate, 5, b"q1", b"d1", b"")));
}

#[test]
fn the_first_line_of_an_item_counts_on_request() {
    // x 4, d2 3, d1 2
    for text in [TOGETHER, &apart()] {
        let read = read_with(text, &with(Duplicates::First));
        assert_eq!(counted(&read, Counter::Duplicate).0, 3);
        let (ranks, run) = read.expect("a sound run");
        assert_eq!((&ranks[..3], run.listed[0]), (&[3, 2, UNRETRIEVED][..], 3));
    }
}

#[test]
fn the_best_line_of_an_item_counts_on_request() {
    // d1 5, x 4, d2 3
    for text in [TOGETHER, &apart()] {
        let read = read_with(text, &with(Duplicates::Best));
        assert_eq!(counted(&read, Counter::Duplicate).0, 3);
        let (ranks, run) = read.expect("a sound run");
        assert_eq!((&ranks[..3], run.listed[0]), (&[1, 3, UNRETRIEVED][..], 3));
    }
}

#[test]
fn the_best_line_brings_its_own_rank_and_the_first_of_equally_good_lines_stays() {
    let options = Options { rank_breaks_ties: true, ..with(Duplicates::Best) };
    let best = "q1 0 d1 9 1\nq1 0 d2 5 2\nq1 0 d1 1 2\n";
    assert_eq!(read_with(best, &options).expect("a sound run").0[..2], [1, 2]);
    let equal = "q1 0 d1 9 2\nq1 0 d2 5 2\nq1 0 d1 1 2\n";
    assert_eq!(read_with(equal, &options).expect("a sound run").0[..2], [2, 1]);
}

#[test]
fn the_first_duplicate_of_the_file_is_counted_first_though_its_request_is_ranked_last() {
    let text = "q2 0 d4 1 1\nq2 0 d4 1 1\nq1 0 d1 1 1\nq1 0 d1 1 1\nq2 0 d1 1 1\n";
    let read = read_with(text, &with(Duplicates::First));
    assert_eq!(counted(&read, Counter::Duplicate), (2, 2));
    assert_eq!(read.expect("a sound run").1.tally.example[Counter::Duplicate as usize], b"d4");
}

#[test]
fn the_earliest_duplicate_is_reported_though_its_request_is_ranked_last() {
    let text = "q2 0 a 1 1\nq1 0 a 1 1\nq2 0 b 1 1\nq2 0 a 1 1\nq1 0 a 1 1\n";
    assert_eq!(offence(read_with(text, &with(Duplicates::Error))), ("duplicate", 4));
}

#[test]
fn every_policy_does_as_the_model_does_with_and_without_returning_requests() {
    for text in [TOGETHER, &apart(), &apart().repeat(2)] {
        for duplicates in [Duplicates::Error, Duplicates::First, Duplicates::Best] {
            for rank_breaks_ties in [false, true] {
                let options = Options { rank_breaks_ties, ..with(duplicates) };
                let read = read_as_the_model(text.as_bytes(), &judgements(), &options);
                assert_eq!(read.is_ok(), duplicates != Duplicates::Error);
            }
        }
    }
}

#[test]
fn duplicates_of_a_long_request_come_before_what_is_wrong_below_them() {
    // 5,900 items and their ids take 217,190 bytes: with as much memory, duplicates must not count.
    let lines: String = (0..6_000).map(|k| format!("q1 0 i{} 1 {}\n", k % 5_900, 6_000 - k / 2)).collect();
    for rest in ["", "q1 0 d1 1 x\n", "q1 0 d1\n", "q2 0 d1 1 1\nq1 0 d2 1 1\n"] {
        for memory in [200_000, 217_189, 217_190, 10_000_000] {
            for duplicates in [Duplicates::Error, Duplicates::First, Duplicates::Best] {
                let options = Options { memory, ..with(duplicates) };
                let _ = read_as_the_model(format!("{lines}{rest}").as_bytes(), &judgements(), &options);
            }
        }
    }
}
