//! Every kind of fault, with what it says: the line, and what stands there.

use std::path::PathBuf;

use tiebreak_engine::{Fault, FaultKind, Options, Source, Stop, Watch};

use crate::{judgements, offence, read, read_judgements, read_source, read_with};

const SOUND: &str = "q1 0 d1 1 3.5\nq1 0 d2 2 2.5\n";

fn behind_two_lines(line: &[u8]) -> Fault {
    let text = [SOUND.as_bytes(), line, b"\nq2 0 d4 1 1.5\n"].concat();
    read(text).expect_err("a fault")
}

#[test]
fn a_run_has_at_least_five_columns() {
    for (line, columns) in [("q1 0 d3 1", 4), ("q1", 1), ("q1 0 d3 item 1 0.5 tag", 7), (" q1\t0  d3 x 1 1 1 1 ", 8)] {
        let expected = Fault::line(FaultKind::Columns, 3, columns, line.as_bytes());
        assert_eq!(behind_two_lines(line.as_bytes()), expected, "{line}");
    }
    assert!(read("q1 0 d1 1 3.5\nq1 0 d2 2 2.5 tag\n").is_ok());
    assert!(read("q1 0 d1 1 3.5 tag more\nq1  0 d2 2 2.5 tag\tand much more \n").is_ok());
}

#[test]
fn the_first_of_two_faults_counts_however_near_they_are() {
    let twice = "q1 0 d1 1 0.5";
    for (lines, kind, line) in [
        ([twice, "q1 0 d3"], "duplicate", 3),
        (["q1 0 d3", twice], "columns", 3),
        ([twice, "q1 0 d3 3 x"], "duplicate", 3),
        (["q1 0 d3 3 x", twice], "score", 3),
        (["q1 0 d3 3 x", "q1 0 d\u{7f} 3 1"], "score", 3),
        (["q1 0 d\u{7f} 3 1", "q1 0 d3 3 x"], "control", 3),
    ] {
        for between in [0, 1, 126, 127, 128, 300] {
            let sound: String = (0..between).map(|k| format!("q1 0 other{k} 3 0.25\n")).collect();
            let text = format!("{SOUND}{}\n{sound}{}\n", lines[0], lines[1]);
            assert_eq!(offence(read(&text)), (kind, line), "{between} lines between");
            let text = format!("{SOUND}{sound}{}\n{}\n", lines[0], lines[1]);
            assert_eq!(offence(read(&text)), (kind, line + between), "behind {between} lines");
        }
    }
}

#[test]
fn judgements_have_four_columns() {
    for (line, columns) in [("q1 0 d3", 3), ("q1 0 d3 1 1", 5)] {
        let fault = read_judgements(format!("q1 0 d1 1\n{line}\n")).expect_err("a fault");
        assert_eq!(fault, Fault::line(FaultKind::Columns, 2, columns, line.as_bytes()));
    }
}

#[test]
fn control_bytes_are_refused_wherever_they_stand() {
    for control in (0..0x20).chain([0x7f]).filter(|byte| ![b'\t', b'\n'].contains(byte)) {
        for line in ["q1 0 d?3 1 0.5", "?q1 0 d3 1 0.5", "q1 0?d3 1 0.5", "# a ? comment"] {
            let line: Vec<u8> = line.bytes().map(|byte| if byte == b'?' { control } else { byte }).collect();
            assert_eq!(behind_two_lines(&line), Fault::line(FaultKind::Control, 3, control.into(), &line));
        }
    }
}

#[test]
fn bytes_that_are_no_utf8_are_refused() {
    for wrong in [&b"\xff"[..], b"\xc3", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"] {
        let line = [b"q1 0 d", wrong, b" 1 0.5"].concat();
        assert_eq!(behind_two_lines(&line), Fault::line(FaultKind::Encoding, 3, 0, &line));
    }
    assert!(read("q1 0 d\u{85}\u{a0}é\u{1f600} 1 0.5\n").is_ok());
}

#[test]
fn a_score_is_a_finite_decimal_number() {
    let texts =
        ["nan", "NaN", "inf", "-Infinity", "1e999", "-1e309", "1,5", "1_0", "1.", "1.e3", ".", "+", "0x1", "1e"];
    for text in texts {
        let line = format!("q1 0 d3 7 {text} tag");
        let expected = Fault::entry(FaultKind::Score, 3, b"q1", b"d3", text.as_bytes());
        assert_eq!(behind_two_lines(line.as_bytes()), expected);
    }
    for text in ["1", "+.5", "-0", "1E-400", "00.10e+02", "179769313486231570000e288"] {
        assert!(read(format!("q1 0 d3 7 {text}")).is_ok(), "{text}");
    }
}

#[test]
fn an_exponent_counts_whole_however_long_the_mantissa() {
    // 10^-65401 x 10^655361 and 10^65400 x 10^-655361: far beyond float64, though either part makes up for much.
    let zeros = "0".repeat(65_400);
    assert_eq!(offence(read(format!("q1 0 d1 1 .{zeros}1e655361"))), ("score", 1));
    assert_eq!(offence(read(format!("q1 0 d1 1 .{zeros}1e99999999999999999999"))), ("score", 1));
    let tiny = format!("q1 0 d1 1 1{zeros}e-655361\n");
    let (ranks, run) = read(format!("{tiny}q1 0 d2 1 -0\nq1 0 d3 1 1e-99999999999999999999\n")).expect("a sound run");
    assert_eq!((run.tied[0], ranks), (3, vec![3, 2, 1, i32::MAX, i32::MAX]));
    assert_eq!(read("q1 0 d1 1 1e000000000000003\nq1 0 d2 1 1000\n").expect("a sound run").1.tied[0], 2);
    // The same parts within reach: 10^-65401 x 10^65402 = 10.
    assert_eq!(read(format!("q1 0 d1 1 .{zeros}1e65402\nq1 0 d2 1 10\n")).expect("a sound run").1.tied[0], 2);
    assert_eq!(read(format!("q1 0 d1 1 0.{zeros}0e655361\nq1 0 d2 1 0\n")).expect("a sound run").1.tied[0], 2);
}

#[test]
fn bad_scores_are_dropped_on_request() {
    let options = Options { drop_bad_scores: true, ..Options::default() };
    let read = read_with("q1 0 d1 1 nan\nq1 0 d2 2 2\nq2 0 d4 1 1e999\nq1 0 d3 3 1\n", &options).expect("a sound run");
    // q2's only line is dropped, so q1 does not return and q2 lists nothing.
    assert_eq!(read.0, [i32::MAX, 1, 2, i32::MAX, i32::MAX]);
    let tally = read.1.tally;
    let counter = tiebreak_engine::tally::Counter::BadScore as usize;
    assert_eq!((tally.count[counter], tally.first_line[counter], &tally.example[counter][..]), (2, 1, &b"nan"[..]));
}

#[test]
fn a_rank_is_an_integer_where_it_breaks_ties() {
    let options = Options { rank_breaks_ties: true, ..Options::default() };
    for rank in ["1.0", "x", "9223372036854775808", "-9223372036854775809", "000000000000000000001", "+", "1_0"] {
        let text = format!("{SOUND}q1 0 d3 {rank} 0.5\n");
        assert_eq!(read_with(&text, &options), Err(Fault::entry(FaultKind::Rank, 3, b"q1", b"d3", rank.as_bytes())));
        assert!(read(text).is_ok());
    }
    for rank in ["0", "-7", "+7", "9223372036854775807", "-9223372036854775807"] {
        assert!(read_with(format!("{SOUND}q1 0 d3 {rank} 0.5\n"), &options).is_ok(), "{rank}");
    }
}

#[test]
fn an_item_listed_twice_is_a_fault_of_its_second_line() {
    assert_eq!(behind_two_lines(b"q1 0 d1 9 9"), Fault::entry(FaultKind::Duplicate, 3, b"q1", b"d1", b""));
    assert_eq!(offence(read("q1 0 x 1 1\nq1 0 y 1 1\n# no data\nq1 0 x 1 1\n")), ("duplicate", 4));
    // Neither the same item in another request nor anything in a request that is not judged.
    assert!(read("q1 0 x 1 1\nq2 0 x 1 1\nq3 0 x 1 1\nq3 0 x 1 1\n").is_ok());
}

#[test]
fn a_grade_is_a_finite_decimal_number() {
    for text in ["nan", "1e999", "1,5", "high", "-"] {
        let fault = read_judgements(format!("q1 0 d1 1\n\nq1 0 d2 {text}\n")).expect_err("a fault");
        assert_eq!(fault, Fault::entry(FaultKind::Grade, 3, b"q1", b"d2", text.as_bytes()));
    }
    let rows = read_judgements("q1 0 d1 -1\nq1 0 d2 0.5\nq1 0 d3 1e2\n").expect("sound judgements");
    assert_eq!(rows.grade, [-1.0, 0.5, 100.0]);
}

#[test]
fn a_judgement_may_be_repeated_but_not_contradicted() {
    let rows = read_judgements("q1 0 d1 1\nq1 Q0 d1 1.0\nq1 1 d1 2\nq2 0 d1 0\n").expect("sound judgements");
    assert_eq!((rows.request, rows.subtopic, rows.grade), (vec![0, 0, 1], vec![0, 1, 0], vec![1.0, 2.0, 0.0]));
    assert_eq!((&rows.subtopics.buffer[..], rows.tally.count[10], rows.tally.first_line[10]), (&b"01"[..], 1, 2));
    for other in ["2", "0", "1.5"] {
        let fault = read_judgements(format!("q1 0 d1 1\nq2 0 d1 1\nq1 Q0 d1 {other}\n")).expect_err("a fault");
        assert_eq!(fault, Fault::entry(FaultKind::Conflict, 3, b"q1", b"d1", other.as_bytes()));
    }
}

#[test]
fn a_file_without_data_is_empty() {
    for text in ["", "\n", "\n\n \t\r\n", "# only\n#comments", "\u{feff}", "\u{feff}\n"] {
        assert_eq!(read(text), Err(Fault::file(FaultKind::Empty, b"")), "{text:?}");
        assert_eq!(read_judgements(text).err(), Some(Fault::file(FaultKind::Empty, b"")), "{text:?}");
    }
    // Bad scores that are dropped are data nevertheless.
    assert!(read_with("q1 0 d1 1 nan", &Options { drop_bad_scores: true, ..Options::default() }).is_ok());
}

#[test]
fn a_file_that_cannot_be_read_is_named_by_the_operating_systems_words() {
    let missing = PathBuf::from("/no/such/run");
    let fault = read_source(Source::File(missing.clone()), &judgements(), &Options::default()).expect_err("a fault");
    assert_eq!((fault.kind.name(), fault.line), ("io", 0));
    assert!(!fault.text.is_empty() && !String::from_utf8_lossy(&fault.text).contains("os error"));
    let folder = Source::File(std::env::temp_dir());
    assert_eq!(offence(read_source(folder, &judgements(), &Options::default())), ("io", 0));
    let stop = tiebreak_engine::read_judgements(&Source::File(missing), tiebreak_engine::MEMORY, &Watch::default());
    assert!(matches!(stop, Err(Stop::Fault(fault)) if fault.kind == FaultKind::Io));
}

#[test]
fn of_several_offences_in_a_line_the_coarsest_is_reported() {
    let options = Options { rank_breaks_ties: true, ..Options::default() };
    let long = "x".repeat(65_536);
    let lines = [
        ("long_line", format!("q1 0 d1\u{1} x nan {long}")),
        ("control", "q1 \u{1}\u{e9}\u{2} 1".to_owned()),
        ("columns", "q1 0 é x".to_owned()),
        ("rank", "q1 0 d1 x nan".to_owned()),
        ("score", "q1 0 d1 1 nan".to_owned()),
        ("duplicate", "q1 0 d1 1 1".to_owned()),
    ];
    for (kind, line) in lines {
        assert_eq!(offence(read_with(format!("{SOUND}{line}\n"), &options)), (kind, 3));
    }
    assert_eq!(offence(read_with(b"q1 \xff x nan\n", &options)), ("encoding", 1));
}

#[test]
fn the_first_offending_line_is_reported_and_nothing_behind_it() {
    let text = format!("{SOUND}q1 0 d3 1 0.5\nq1 0 d3 1 0.5\nq1 0\nq1 0 d9 1 nan\n");
    assert_eq!(offence(read(text)), ("duplicate", 4));
    // A duplicate is found late where requests return; it is the earlier offence all the same.
    assert_eq!(offence(read("q1 0 a 1 1\nq2 0 a 1 1\nq1 0 b 1 1\nq2 0 a 1 1\nq1 0 a 1 1\nq1 0\n")), ("duplicate", 4));
    assert_eq!(offence(read("q1 0 a 1 1\nq2 0 a 1 1\nq1 0 b 1 1\nq1 0\nq1 0 a 1 1\n")), ("columns", 4));
}
