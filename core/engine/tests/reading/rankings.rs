//! Who stands where.

use tiebreak_engine::ids::IdColumn;
use tiebreak_engine::source::Rows;
use tiebreak_engine::tally::Counter;
use tiebreak_engine::{Fault, FaultKind, Options, Source, UNRETRIEVED};

use crate::judgements::Judgements;
use crate::{counted, judgements, ranks, read, read_source, read_with};

/// A run in memory that owns its columns.
struct Columns {
    requests: IdColumn,
    request: Vec<i32>,
    items: IdColumn,
    scores: Vec<f64>,
}

impl Columns {
    /// Rows of request, item and score; the same request may be coded twice.
    fn new(rows: &[(&str, &str, f64)]) -> Self {
        let mut new = Columns {
            requests: IdColumn::default(),
            request: Vec::new(),
            items: IdColumn::default(),
            scores: Vec::new(),
        };
        for (row, &(request, item, score)) in rows.iter().enumerate() {
            new.requests.push(request.as_bytes());
            new.request.push(row as i32);
            new.items.push(item.as_bytes());
            new.scores.push(score);
        }
        new
    }

    fn source(&self) -> Source<'_> {
        let (requests, items) = (self.requests.view(), self.items.view());
        Source::Table(Rows { requests, request: &self.request, items, scores: &self.scores })
    }
}

#[test]
fn tied_items_stand_in_descending_order_of_their_ids() {
    // d3, d2, d10, d1 by bytes: "d2" is above "d10".
    let text = "q1 0 d1 1 1\nq1 0 d10 2 1\nq1 0 d3 3 1\nq1 0 d2 4 1\n";
    assert_eq!(ranks(text)[..3], [4, 2, 1]);
    assert_eq!(read(text).expect("a sound run").1.tied, [4, 0]);
    // A prefix is below what it begins; capitals are below small letters, ASCII is below everything else.
    let judgements = Judgements::new("q a ab A é");
    let text = "q 0 a 1 1\nq 0 A 1 1\nq 0 é 1 1\nq 0 ab 1 1\n";
    let options = Options::default();
    let read = read_source(Source::Bytes(text.as_bytes()), &judgements, &options).expect("a sound run");
    assert_eq!(read.0, [3, 2, 4, 1]);
}

#[test]
fn items_tie_when_their_scores_are_the_same_float64() {
    let text = "q1 0 d1 1 0\nq1 0 d2 1 -0\nq1 0 d3 1 -0e7\n";
    assert_eq!((read(text).expect("a sound run").1.tied[0], &ranks(text)[..3]), (3, &[3, 2, 1][..]));
    let rising = format!("q1 0 x 1 -1\n{}", text.replacen("d3", "d0", 1));
    assert_eq!(ranks(rising)[..3], [2, 1, UNRETRIEVED]);
    // 2^53 + 1 has no float64 of its own, 2^53 + 2 has.
    let text = "q1 0 d3 1 9007199254740992\nq1 0 d2 1 9007199254740993\nq1 0 d1 1 9007199254740994\n";
    assert_eq!((read(text).expect("a sound run").1.tied[0], &ranks(text)[..3]), (2, &[1, 3, 2][..]));
    // Equal as float32, not as float64.
    assert_eq!(ranks("q1 0 d3 1 1.00000001\nq1 0 d1 1 1.00000002\n")[..3], [1, UNRETRIEVED, 2]);
}

#[test]
fn the_rank_column_is_ignored_unless_it_breaks_ties() {
    let text = "q1 0 d1 1 1\nq1 0 d2 2 1\nq1 0 d3 -1 0.5\nq1 0 x 2 1\n";
    assert_eq!(ranks(text)[..3], [3, 2, 4]);
    let options = Options { rank_breaks_ties: true, ..Options::default() };
    // The score comes first, then the smaller rank, then the higher id.
    assert_eq!(read_with(text, &options).expect("a sound run").0[..3], [1, 3, 4]);
    let (ranks, run) = read_with(text.replacen("q1 0 x", "q2 0 d4 0 1\nq1 0 x", 1), &options).expect("a sound run");
    assert_eq!((ranks, run.tied), (vec![1, 3, 4, UNRETRIEVED, 1], vec![3, 0]));
}

#[test]
fn scores_may_come_in_any_order() {
    let lines = ["q1 0 d1 1 3\n", "q1 0 a 1 2\n", "q1 0 d2 1 2\n", "q1 0 d3 1 1\n"];
    for first in 0..4 {
        for second in (0..4).filter(|&k| k != first) {
            let mut order = vec![first, second];
            order.extend((0..4).filter(|k| ![first, second].contains(k)));
            let text: String = order.iter().map(|&k| lines[k]).collect();
            assert_eq!(ranks(&text)[..3], [1, 2, 4], "{order:?}");
        }
    }
}

#[test]
fn a_request_that_returns_ranks_as_if_its_lines_stood_together() {
    let lines: Vec<String> =
        (0..400).map(|k| format!("q{} 0 d{} {k} {}\n", k * 7 % 4, k / 4 % 60, k * 31 % 17)).collect();
    let options = Options { top: Some(7), rank_breaks_ties: true, ..Options::default() };
    let options = Options { duplicates: tiebreak_engine::Duplicates::Best, ..options };
    let mut sorted = lines.clone();
    sorted.sort_by(|a, b| a[..2].cmp(&b[..2]));
    let (returning, together) = (read_with(lines.concat(), &options), read_with(sorted.concat(), &options));
    assert_eq!((counted(&returning, Counter::Returning).0, counted(&together, Counter::Returning).0), (198, 0));
    let (returning, together) = (returning.expect("a sound run"), together.expect("a sound run"));
    assert_eq!(returning.0, together.0);
    assert_eq!(returning.1.top, together.1.top);
    assert_eq!(
        (returning.1.listed, returning.1.retrieved, returning.1.tied),
        (together.1.listed, together.1.retrieved, together.1.tied)
    );
}

#[test]
fn returns_are_counted_for_judged_requests_only() {
    let text = "q1 0 d1 1 3\nq7 0 x 1 1\nq1 0 d2 1 2\nq7 0 x 1 1\nq2 0 d4 1 1\nq1 0 d3 1 9\n";
    let read = read(text);
    assert_eq!(counted(&read, Counter::Returning), (2, 3));
    assert_eq!(counted(&read, Counter::UnjudgedLines), (2, 2));
    assert_eq!(counted(&read, Counter::UnjudgedRequests), (1, 2));
    assert_eq!(read.expect("a sound run").0, [2, 3, 1, UNRETRIEVED, 1]);
}

#[test]
fn a_judged_request_that_is_missing_has_every_item_unretrieved() {
    let (ranks, run) = read("q2 0 d1 1 1\n").expect("a sound run");
    assert_eq!(ranks, [UNRETRIEVED, UNRETRIEVED, UNRETRIEVED, 1, UNRETRIEVED]);
    assert_eq!((run.listed, run.retrieved, run.tied), (vec![0, 1], vec![0, 1], vec![0, 0]));
}

/// Six items: x 6, d2 5, y 5, d1 4, z 3, d3 2.
const SIX: &str = "q1 0 x 1 6\nq1 0 d2 1 5\nq1 0 y 1 5\nq1 0 d1 1 4\nq1 0 z 1 3\nq1 0 d3 1 2\nq2 0 z 1 1\n";

#[test]
fn depth_cuts_every_ranking() {
    for (depth, expected, retrieved) in [
        (0, [UNRETRIEVED; 3], [0, 0]),
        (1, [UNRETRIEVED; 3], [1, 1]),
        (3, [UNRETRIEVED, 3, UNRETRIEVED], [3, 1]),
        (6, [4, 3, 6], [6, 1]),
        (7, [4, 3, 6], [6, 1]),
    ] {
        let (ranks, run) = read_with(SIX, &Options { depth, ..Options::default() }).expect("a sound run");
        assert_eq!((&ranks[..3], &run.retrieved[..]), (&expected[..], &retrieved[..]), "{depth}");
        // What was listed and tied is told whole.
        assert_eq!((run.listed, run.tied), (vec![6, 1], vec![2, 0]));
    }
}

#[test]
fn judged_only_removes_unjudged_items_before_depth_cuts() {
    let options = Options { judged_only: true, depth: 2, ..Options::default() };
    let (ranks, run) = read_with(SIX, &options).expect("a sound run");
    assert_eq!((&ranks[..3], run.retrieved, run.listed), (&[2, 1, UNRETRIEVED][..], vec![2, 0], vec![6, 1]));
}

#[test]
fn top_names_the_first_items_and_their_judgements() {
    let options = Options { top: Some(4), depth: 5, ..Options::default() };
    for text in [SIX.to_owned(), format!("{SIX}q1 0 zz 1 0\n")] {
        let run = read_with(text, &options).expect("a sound run").1;
        assert_eq!(
            (&run.top[0].items.buffer[..], &run.top[0].items.offsets[..]),
            (&b"xyd2d1"[..], &[0, 1, 2, 4, 6][..])
        );
        assert_eq!((&run.top[0].judgement[..], &run.top[1].judgement[..]), (&[-1, -1, 1, 0][..], &[-1][..]));
    }
    // Judgements are counted over all requests: d4 is the fifth.
    let run = read_with("q2 0 d4 1 1\n", &options).expect("a sound run").1;
    assert_eq!((&run.top[0].judgement[..], &run.top[1].judgement[..]), (&[][..], &[4][..]));
    assert!(read(SIX).expect("a sound run").1.top.is_empty());
    let none = read_with(SIX, &Options { top: Some(0), ..options }).expect("a sound run").1;
    assert!(none.top.len() == 2 && none.top.iter().all(|top| top.judgement.is_empty()));
}

#[test]
fn pool_counts_the_distinct_items_of_all_runs() {
    let other = "q2 0 y 1 1\nq1 0 x 1 3\nq1 0 w 1 2\nq1 0 d2 1 1\n";
    let sources = [Source::Bytes(SIX.as_bytes()), Source::Bytes(other.as_bytes()), Source::Bytes(b"q9 0 x 1 1\n")];
    let judgements = judgements();
    // q1: six and w, q2: z and y; of the first two x, y, w; of the judged d1, d2, d3.
    for (depth, judged_only, sizes) in [(usize::MAX, false, [7, 2]), (2, false, [3, 2]), (9, true, [3, 0])] {
        for jobs in 1..=3 {
            let options = Options { depth, judged_only, jobs, pool: true, ..Options::default() };
            let projection = tiebreak_engine::project(&sources, &judgements.judged(), &options, |_, _| true);
            assert_eq!(projection.expect("sound runs").pool, Some(sizes.to_vec()), "{depth} {judged_only}");
        }
    }
    let projection = tiebreak_engine::project(&sources, &judgements.judged(), &Options::default(), |_, _| true);
    assert_eq!(projection.expect("sound runs").pool, None);
}

#[test]
fn ranks_are_written_to_their_slots() {
    let mut judgements = judgements();
    judgements.slot = vec![3, -1, 0, 2, -1];
    judgements.slots = 4;
    let text = "q1 0 d1 1 3\nq1 0 d2 1 2\nq1 0 d3 1 1\nq2 0 x 1 2\nq2 0 d4 1 1\nq2 0 d1 1 0\n";
    let read = read_source(Source::Bytes(text.as_bytes()), &judgements, &Options::default());
    assert_eq!(read.expect("a sound run").0, [3, UNRETRIEVED, 3, 1]);
}

#[test]
fn a_table_gives_what_its_lines_give() {
    let rows = [("q1", "d1", 0.5), ("q1", "x", 2.0), ("q1", "d3", 0.5), ("q7", "d1", 9.0), ("q2", "d4", -0.0)];
    for returning in [false, true] {
        let mut rows = rows.to_vec();
        if returning {
            rows.push(("q1", "d2", 1e300));
        }
        let text: String =
            rows.iter().map(|(request, item, score)| format!("{request} 0 {item} 1 {score:e}\n")).collect();
        let options = Options { top: Some(3), ..Options::default() };
        let table = Columns::new(&rows);
        assert_eq!(read_source(table.source(), &judgements(), &options), read_with(text, &options));
    }
}

#[test]
fn rows_of_a_table_are_refused_as_lines_are() {
    for (score, text) in [(f64::NAN, "nan"), (f64::INFINITY, "inf"), (f64::NEG_INFINITY, "-inf")] {
        let table = Columns::new(&[("q1", "d1", 1.0), ("q1", "d2", score)]);
        let read = read_source(table.source(), &judgements(), &Options::default());
        assert_eq!(read, Err(Fault::entry(FaultKind::Score, 2, b"q1", b"d2", text.as_bytes())));
        let drop = Options { drop_bad_scores: true, ..Options::default() };
        assert_eq!(counted(&read_source(table.source(), &judgements(), &drop), Counter::BadScore), (1, 2));
    }
    let twice = Columns::new(&[("q1", "d1", 1.0), ("q2", "d1", 1.0), ("q1", "d1", 1.0)]);
    let read = read_source(twice.source(), &judgements(), &Options::default());
    assert_eq!(read, Err(Fault::entry(FaultKind::Duplicate, 3, b"q1", b"d1", b"")));
}

#[test]
fn table_without_rows_is_a_run_that_retrieves_nothing() {
    let (ranks, run) = read_source(Columns::new(&[]).source(), &judgements(), &Options::default()).expect("a run");
    assert!(ranks.iter().all(|&rank| rank == UNRETRIEVED) && run.listed.iter().all(|&listed| listed == 0));
}

#[test]
fn ids_of_a_table_may_hold_blanks_and_be_empty() {
    let judgements =
        Judgements { requests: IdColumn { buffer: vec![], offsets: vec![0, 0] }, ..one_item_with_a_blank() };
    let table = Columns::new(&[("", "a b\n", 1.0), ("", "", 2.0), ("q", "", 2.0)]);
    let (ranks, run) = read_source(table.source(), &judgements, &Options::default()).expect("a sound table");
    assert_eq!((ranks, run.listed), (vec![2], vec![2]));
}

fn one_item_with_a_blank() -> Judgements {
    let items = IdColumn { buffer: b"a b\n".to_vec(), offsets: vec![0, 4] };
    Judgements { items, ..Judgements::new("q x") }
}
