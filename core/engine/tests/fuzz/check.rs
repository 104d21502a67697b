//! What must hold of every input.

use std::collections::{BTreeMap, VecDeque};

use tiebreak_engine::project::Failure;
use tiebreak_engine::run::project_run;
use tiebreak_engine::run_result::RunResult;
use tiebreak_engine::tally::{COUNTERS, Counter, Tally};
use tiebreak_engine::{
    Duplicates, Fault, FaultKind, JudgedRows, Options, Source, Stop, UNRETRIEVED, Watch, project, read_judgements,
};

use crate::chance::Chance;
use crate::corpus::JUDGEMENTS;
use crate::decode::{Decoded, End};
use crate::judgements::Judgements;
use crate::model;
use crate::table::Table;

/// What reading bytes may come to, in order of the alphabet.
pub const RUN_KINDS: [&str; 11] = [
    "columns",
    "compression",
    "control",
    "duplicate",
    "empty",
    "encoding",
    "long_line",
    "memory",
    "rank",
    "score",
    "sound",
];
pub const JUDGEMENT_KINDS: [&str; 9] =
    ["columns", "compression", "conflict", "control", "empty", "encoding", "grade", "long_line", "sound"];

type Outcome = Result<(Vec<i32>, RunResult), Fault>;
type Kinds = BTreeMap<&'static str, u64>;

/// Counts what the inputs came to.
#[derive(Default)]
pub struct Checker {
    judged: Judgements,
    recent: VecDeque<Vec<u8>>,
    pub runs: Kinds,
    pub judgements: Kinds,
    pub tables: Kinds,
}

impl Checker {
    pub fn new() -> Self {
        Checker { judged: Judgements::new(JUDGEMENTS), ..Checker::default() }
    }

    pub fn check(&mut self, k: u64, input: &[u8]) {
        let chance = &mut Chance::new(!k);
        let options = options(chance);
        let decoded = Decoded::new(input);

        let outcome = read(&Source::Bytes(input), &self.judged, &options);
        check_outcome(&outcome, &self.judged, &options, decoded.lines());
        compare(forget_pool(outcome.clone()), &decoded, |text| model::project_text(text, &self.judged, &options));
        count(&mut self.runs, &outcome, &RUN_KINDS);

        let rows = read_judgements(&Source::Bytes(input), tiebreak_engine::MEMORY, &Watch::default()).map_err(fault_of);
        if let Err(fault) = &rows {
            check_fault(fault, decoded.lines());
        }
        count(&mut self.judgements, &rows, &JUDGEMENT_KINDS);
        compare(rows.map(fields), &decoded, |text| model::read_judgements(text).map(fields));

        if chance.one_in(16) {
            // Another time, with other hashes.
            let again = read(&Source::Bytes(input), &self.judged, &options);
            assert_eq!(forget_pool(again), forget_pool(outcome));
            self.check_table(chance, &options);
        }
        self.recent.push_back(input.to_vec());
        if self.recent.len() > 4 {
            self.recent.pop_front();
        }
        if chance.one_in(64) {
            self.check_together(&Options { jobs: 1 + chance.below(4), ..options });
        }
    }

    fn check_table(&mut self, chance: &mut Chance, options: &Options) {
        let table = Table::new(chance);
        let outcome = read(&Source::Table(table.rows()), &self.judged, options);
        check_outcome(&outcome, &self.judged, options, table.rows().scores.len() as u64);
        count(&mut self.tables, &outcome, &RUN_KINDS);
        assert_eq!(forget_pool(outcome), model::project_rows(&table.rows(), &self.judged, options));
    }

    /// The last inputs as the runs of one projection: the same as one by one, up to the first fault.
    fn check_together(&self, options: &Options) {
        let sources: Vec<Source> = self.recent.iter().map(|input| Source::Bytes(input)).collect();
        let alone = sources.iter().map(|source| forget_pool(read(source, &self.judged, options)));
        let alone: Result<Vec<_>, (usize, Fault)> =
            alone.enumerate().map(|(run, outcome)| outcome.map_err(|fault| (run, fault))).collect();
        let together = project(&sources, &self.judged.judged(), options, |_, _| true);
        let together = together.map(|projection| {
            let ranks = projection.ranks.chunks(self.judged.slots).map(<[i32]>::to_vec);
            ranks.zip(projection.runs).collect::<Vec<_>>()
        });
        assert_eq!(together.map_err(|Failure { run, stop }| (run, fault_of(stop))), alone);
    }
}

fn options(chance: &mut Chance) -> Options {
    Options {
        depth: chance.pick(&[usize::MAX, usize::MAX, 0, 1, 3]),
        judged_only: chance.one_in(4),
        rank_breaks_ties: chance.one_in(3),
        duplicates: chance.pick(&[Duplicates::Error, Duplicates::First, Duplicates::Best]),
        drop_bad_scores: chance.one_in(3),
        top: chance.pick(&[None, Some(0), Some(2), Some(100)]),
        pool: chance.one_in(2),
        memory: chance.pick(&[u64::MAX, 2_000_000_000, 2_000_000_000, 200, 70]),
        jobs: chance.pick(&[1, 2]),
        large: 0,
        audit: chance.one_in(2),
    }
}

fn fault_of(stop: Stop) -> Fault {
    match stop {
        Stop::Fault(fault) => *fault,
        stop => panic!("{stop:?}"),
    }
}

fn read(source: &Source, judgements: &Judgements, options: &Options) -> Outcome {
    // Ranks must be written whatever stood there.
    let mut ranks = vec![-7; judgements.slots];
    let result = project_run(source, &judgements.judged(), options, &mut ranks, &Watch::default());
    result.map(|result| (ranks, result)).map_err(fault_of)
}

/// Fingerprints depend on the process.
fn forget_pool(outcome: Outcome) -> Outcome {
    outcome.map(|(ranks, result)| (ranks, RunResult { pool: Vec::new(), ..result }))
}

fn count<T>(kinds: &mut Kinds, outcome: &Result<T, Fault>, known: &[&str]) {
    let kind = outcome.as_ref().map_or_else(|fault| fault.kind.name(), |_| "sound");
    assert!(known.contains(&kind), "unknown kind {kind}");
    *kinds.entry(kind).or_default() += 1;
}

/// The model has the last word on whole texts; a damaged one is refused, for its damage or for what stands before.
fn compare<T: PartialEq + std::fmt::Debug>(
    read: Result<T, Fault>,
    decoded: &Decoded,
    model: impl Fn(&[u8]) -> Result<T, Fault>,
) {
    match decoded.end {
        End::Whole => assert_eq!(read, model(&decoded.text)),
        End::Damaged => match read {
            Err(fault) if fault.kind == FaultKind::Compression => {}
            read => assert!(read.is_err() && read == model(&decoded.text), "{read:?} of a damaged file"),
        },
        End::Doubtful => match read {
            Err(fault) if fault.kind == FaultKind::Compression => {}
            read => assert_eq!(read, model(&decoded.text)),
        },
        End::Cut => {}
    }
}

/// All that judgements say, as one value.
fn fields(rows: JudgedRows) -> impl PartialEq + std::fmt::Debug {
    let JudgedRows { requests, subtopics, items, request, subtopic, item, grade, tally } = rows;
    (requests, subtopics, items, request, subtopic, item, grade, tally)
}

fn check_outcome(outcome: &Outcome, judgements: &Judgements, options: &Options, lines: u64) {
    match outcome {
        Err(fault) => check_fault(fault, lines),
        Ok((ranks, result)) => {
            check_tally(result, lines);
            check_ranks(ranks, result, judgements, options);
        }
    }
}

fn check_fault(fault: &Fault, lines: u64) {
    let of_the_file = [FaultKind::Compression, FaultKind::Empty].contains(&fault.kind);
    assert!(
        if of_the_file { fault.line == 0 } else { (1..=lines).contains(&fault.line) },
        "{fault:?} of {lines} lines"
    );
}

fn check_tally(result: &RunResult, lines: u64) {
    let Tally { count, first_line, .. } = &result.tally;
    for (count, first_line) in count.iter().zip(first_line) {
        let first_lines = if *count > 0 { 1..lines as i128 + 1 } else { 0..1 };
        assert!(first_lines.contains(&i128::from(*first_line)), "{:?} of {lines} lines", result.tally);
    }
    let of = |counter: Counter| count[counter as usize];
    let data = of(Counter::Lines);
    let listed: i64 = result.listed.iter().map(|&listed| i64::from(listed)).sum();
    assert_eq!(data, listed + of(Counter::UnjudgedLines) + of(Counter::BadScore) + of(Counter::Duplicate));
    assert!(of(Counter::Crlf) as u64 <= lines && of(Counter::ByteOrderMark) <= 1 && of(Counter::Repeated) == 0);
    assert!(of(Counter::UnjudgedRequests) <= of(Counter::UnjudgedLines));
    assert!(of(Counter::Returning) < data.max(1));
    if lines < u64::MAX {
        assert_eq!((data + of(Counter::Blank) + of(Counter::Comment)) as u64, lines);
    }
    assert_eq!(count.len(), COUNTERS);
}

fn check_ranks(ranks: &[i32], result: &RunResult, judgements: &Judgements, options: &Options) {
    for (r, bounds) in judgements.starts.windows(2).enumerate() {
        let (listed, retrieved, tied) = (result.listed[r], result.retrieved[r], result.tied[r]);
        assert!((0..=listed).contains(&retrieved) && retrieved as usize <= options.depth);
        assert!((0..=listed).contains(&tied) && tied != 1);
        let ranks = &ranks[bounds[0] as usize..bounds[1] as usize];
        let mut found: Vec<i32> = ranks.iter().copied().filter(|&rank| rank != UNRETRIEVED).collect();
        assert!(found.iter().all(|rank| (1..=retrieved).contains(rank)), "{ranks:?} of {retrieved}");
        let number = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), number, "{ranks:?} repeats");
        if options.judged_only {
            assert_eq!(number as i32, retrieved);
        }
        if let Some(top) = options.top {
            assert_eq!(result.top[r].judgement.len(), top.min(retrieved as usize));
        }
        if options.pool {
            assert_eq!(result.pool[r].len(), retrieved as usize);
        }
    }
}
