//! Limits and border cases: memory, nothing to write to, nothing to read, arrays that do not fit together.

use tiebreak_engine::ids::Ids;
use tiebreak_engine::{Duplicates, Fault, FaultKind, Judged, Options, Source};

use crate::judgements::Judgements;
use crate::{Read, judgements, read_as_the_model, read_with};

/// What a line costs beside its item id.
const LINE: u64 = 32;

fn within(memory: u64) -> Options {
    Options { memory, ..Options::default() }
}

fn refused(line: u64, request: &str, item: &str) -> Read {
    Err(Fault::entry(FaultKind::Memory, line, request.as_bytes(), item.as_bytes(), b""))
}

#[test]
fn memory_is_counted_by_request_while_requests_do_not_return() {
    let text = "q1 0 d1 1 1\nq1 0 long 1 1\nq9 0 x 1 1\nq2 0 d4 1 1\nq2 0 d1 1 1\n";
    let largest = 2 * LINE + 6;
    assert!(read_with(text, &within(largest)).is_ok());
    assert_eq!(read_with(text, &within(largest - 1)), refused(2, "q1", "long"));
    assert_eq!(read_with(text, &within(LINE)), refused(1, "q1", "d1"));
    // Requests that are not judged cost nothing.
    assert!(read_with("q9 0 x 1 1\n".repeat(1000), &within(0)).is_ok());
}

#[test]
fn memory_is_counted_by_file_when_a_request_returns() {
    let text = "q1 0 d1 1 1\nq9 0 x 1 1\nq2 0 d4 1 1\nq1 0 d2 1 1\n";
    let all = 3 * LINE + 6;
    assert!(read_with(text, &within(all)).is_ok());
    assert_eq!(read_with(text, &within(all - 1)), refused(4, "q1", "d2"));
    // Refused for a line before the one that returns.
    assert_eq!(read_with(text, &within(LINE + 2)), refused(3, "q2", "d4"));
}

#[test]
fn duplicates_cost_memory_only_where_they_are_gathered() {
    let options = |memory| Options { duplicates: Duplicates::First, ..within(memory) };
    let together = "q1 0 d1 1 1\n".repeat(10);
    assert!(read_with(&together, &options(LINE + 2)).is_ok());
    let apart = format!("{together}q2 0 d4 1 1\nq1 0 d1 1 1\n");
    assert!(read_with(&apart, &options(12 * (LINE + 2))).is_ok());
    assert_eq!(read_with(&apart, &options(12 * (LINE + 2) - 1)), refused(12, "q1", "d1"));
}

#[test]
fn the_line_that_is_too_much_is_refused_before_it_is_compared() {
    let text = "q1 0 d1 1 1\nq2 0 d4 1 1\nq1 0 d1 1 1\n";
    assert_eq!(read_with(text, &within(3 * (LINE + 2) - 1)), refused(3, "q1", "d1"));
    assert_eq!(read_with(text, &within(3 * (LINE + 2))), Err(Fault::entry(FaultKind::Duplicate, 3, b"q1", b"d1", b"")));
}

#[test]
fn every_limit_refuses_the_line_that_the_model_refuses() {
    let lines =
        ["q1 0 d1 1 1\n", "q1 0 x 1 1\n", "q2 0 d4 1 2\n", "q9 0 d4 1 2\n", "q1 0 longer 1 1\n", "q2 0 d1 1 1\n"];
    for first in 0..lines.len() {
        let text = [&lines[first..], &lines[..first]].concat().concat();
        for memory in 0..200 {
            read_as_the_model(text.as_bytes(), &judgements(), &within(memory)).ok();
            let twice = Options { duplicates: Duplicates::Best, ..within(2 * memory) };
            read_as_the_model(text.repeat(2).as_bytes(), &judgements(), &twice).ok();
            read_as_the_model(text.repeat(2).as_bytes(), &judgements(), &within(2 * memory)).ok();
        }
    }
}

#[test]
fn a_projection_may_have_no_slots_no_requests_and_no_runs() {
    let run = Source::Bytes(b"q1 0 d1 1 1\n");
    let mut no_slots = judgements();
    no_slots.slot.fill(-1);
    no_slots.slots = 0;
    let options = Options { top: Some(1), pool: true, ..Options::default() };
    let projection = tiebreak_engine::project(&[run], &no_slots.judged(), &options, |_, _| true).expect("a sound run");
    assert_eq!((projection.ranks, &projection.runs[0].listed[..]), (vec![], &[1, 0][..]));
    assert_eq!(projection.runs[0].top[0].judgement, [0]);

    let nothing = Judgements::new("");
    let run = Source::Bytes(b"q1 0 d1 1 1\n");
    let projection = tiebreak_engine::project(&[run], &nothing.judged(), &options, |_, _| true).expect("a sound run");
    assert_eq!((projection.ranks.len(), projection.pool), (0, Some(vec![])));

    let projection = tiebreak_engine::project(&[], &judgements().judged(), &options, |_, _| true).expect("no runs");
    assert_eq!((projection.ranks.len(), projection.runs.len(), projection.pool), (0, 0, Some(vec![0, 0])));

    // A judged request without judged items is judged.
    let bare = Judgements::new("q1\nq2 d4");
    let run = Source::Bytes(b"q1 0 d1 1 1\nq2 0 d4 1 1\n");
    let projection = tiebreak_engine::project(&[run], &bare.judged(), &options, |_, _| true).expect("a sound run");
    assert_eq!((projection.ranks, &projection.runs[0].listed[..]), (vec![1], &[1, 1][..]));
}

#[test]
fn judgements_that_do_not_fit_together_are_refused() {
    type Change = fn(&mut Judgements);
    let changes: [(&str, Change); 17] = [
        ("no request offsets", |j| j.requests.offsets.clear()),
        ("request offsets that begin late", |j| j.requests.offsets[0] = 1),
        ("request offsets that fall", |j| j.requests.offsets[1] = 5),
        ("request offsets beyond the buffer", |j| j.requests.offsets[2] = 5),
        ("negative request offsets", |j| j.requests.offsets = vec![0, -1, -1]),
        ("item offsets beyond the buffer", |j| *j.items.offsets.last_mut().expect("an offset") += 1),
        ("item offsets that fall", |j| j.items.offsets.swap(1, 2)),
        ("too few starts", |j| j.starts.truncate(2)),
        ("too many starts", |j| j.starts.push(5)),
        ("starts that begin late", |j| j.starts[0] = 1),
        ("starts that fall", |j| j.starts[1] = 6),
        ("starts that end early", |j| j.starts[2] = 4),
        ("starts below zero", |j| j.starts = vec![0, -3, 5]),
        ("an item that is none", |j| j.item[0] = 4),
        ("an item below zero", |j| j.item[0] = -1),
        ("more items than slots", |j| j.slot.truncate(4)),
        ("a slot that is none", |j| j.slot[0] = 5),
    ];
    for (what, change) in changes {
        let mut broken = judgements();
        change(&mut broken);
        let (requests, items) = (broken.requests.view(), broken.items.view());
        let judged = Judged::new(requests, items, &broken.starts, &broken.item, &broken.slot, broken.slots);
        assert!(judged.is_none(), "{what}");
    }
    let empty = Ids { buffer: b"", offsets: &[0] };
    assert!(Judged::new(empty, empty, &[0], &[], &[], 0).is_some());
    assert!(Judged::new(empty, empty, &[], &[], &[], 0).is_none());
}
