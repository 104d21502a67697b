//! Many runs on several threads: the same results, the same fault, and an end when it is asked for.

use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use tiebreak_engine::project::Failure;
use tiebreak_engine::run::project_run;
use tiebreak_engine::{Fault, FaultKind, Options, Source, Stop, Watch, project};

use crate::chance::Chance;
use crate::judgements;

/// A run of so many lines.
fn run(lines: usize, offset: usize) -> String {
    (0..lines).map(|k| format!("q{} 0 d{} 1 {}\n", 1 + k / 1000, k % 1000, (k + offset) % 700)).collect()
}

fn sources(texts: &[String]) -> Vec<Source<'_>> {
    texts.iter().map(|text| Source::Bytes(text.as_bytes())).collect()
}

fn with_jobs(jobs: usize) -> Options {
    Options { jobs, large: 0, ..Options::default() }
}

fn failure(texts: &[String], jobs: usize) -> (usize, Fault) {
    match project(&sources(texts), &judgements().judged(), &with_jobs(jobs), |_, _| true) {
        Err(Failure { run, stop: Stop::Fault(fault) }) => (run, *fault),
        Err(Failure { stop, .. }) => panic!("{stop:?}"),
        Ok(_) => panic!("no fault"),
    }
}

#[test]
fn threads_change_nothing() {
    let texts: Vec<String> = (0..12).map(|k| run(500 * (k + 1), 37 * k)).collect();
    let judgements = judgements();
    let judged = judgements.judged();
    let options = Options { top: Some(20), pool: true, ..Options::default() };
    let alone = project(&sources(&texts), &judged, &options, |_, _| true).expect("sound runs");
    for jobs in [0, 2, 3, 4, 5, 6, 7, 8, 99] {
        let options = Options { jobs, ..options.clone() };
        let together = project(&sources(&texts), &judged, &options, |_, _| true).expect("sound runs");
        assert_eq!(together.ranks, alone.ranks);
        assert_eq!(together.runs, alone.runs);
        assert_eq!(together.pool, alone.pool);
    }
}

/// A run of some megabytes: requests of up to 2000 items, and now and then a line that is written in another way.
fn long_run(chance: &mut Chance) -> String {
    let mut text = String::from("\u{feff}");
    for request in 0..150 {
        for item in 0..1 + chance.below(2000) {
            let (end, score) = (chance.pick(&["\n", "\n", "\r\n", "\t\n"]), chance.below(50));
            text += &match chance.below(400) {
                0 => format!("# {item}{end}"),
                1 => format!(" {end}"),
                2 => format!(" q{request}\tQ0  d{item} {item} {score}e-1 tag{end}"),
                3 => format!("q{request} 0 d{item}\u{e9} {item} {score}.25 a tag of words{end}"),
                4 => format!("q{request} 0 d{item}x x {score} tag{end}"),
                _ => format!("q{request} 0 d{item} {item} {score}\n"),
            };
        }
    }
    text
}

#[test]
fn columns_found_on_another_thread_are_those_found_here() {
    let judgements = judgements();
    let judged = judgements.judged();
    for k in 0..6 {
        let mut text = long_run(&mut Chance::new(k));
        if k % 2 == 1 {
            // In the second half, so that much is found before it: a bad line, or a bad score.
            let place = text.len() / 2 + text[text.len() / 2..].find("\nq").expect("a line");
            text.insert_str(place, ["\nq1 0", "\nq0 0 d1 1 nan", "\nq77 0 d\u{1} 1 1"][k as usize / 2]);
        }
        assert!(text.len() > 1_500_000);
        let read = |jobs| {
            let mut ranks = vec![0; judged.slots];
            let options = Options { audit: true, ..with_jobs(jobs) };
            let source = Source::Bytes(text.as_bytes());
            let run = project_run(&source, &judged, &options, &mut ranks, &Watch::default());
            (format!("{run:?}"), run.is_ok().then_some(ranks))
        };
        let here = read(1);
        assert_eq!(here.1.is_some(), k % 2 == 0);
        for _ in 0..5 {
            assert_eq!(read(2), here);
        }
    }
}

#[test]
fn the_first_offence_of_the_first_faulty_run_is_reported_whatever_the_threads() {
    let mut texts: Vec<String> = (0..16).map(|_| run(200, 0)).collect();
    // Run 9 is at fault at once, run 5 late, run 3 later still and twice; all others are sound.
    texts[9] = "at fault at once\n".to_owned();
    texts[5] = format!("{}q1 0 x 1 nan\n", run(2_000, 0));
    texts[3] = format!("{}q1 0\n", run(40_000, 0).replace("\nq39 0 d7 1", "\nq39 0 d7 x x"));
    for jobs in (1..=8).cycle().take(40) {
        let (run, fault) = failure(&texts, jobs);
        assert_eq!((run, fault.kind.name(), fault.line), (3, "score", 38_008), "{jobs} threads");
    }
}

#[test]
fn a_fault_on_the_first_line_of_the_last_run_is_found() {
    let mut texts: Vec<String> = (0..8).map(|_| run(2_000, 0)).collect();
    texts.push("q1\n".to_owned());
    for jobs in 1..=8 {
        assert_eq!(failure(&texts, jobs), (8, Fault::line(FaultKind::Columns, 1, 1, b"q1")));
    }
}

#[test]
fn the_first_of_many_faulty_runs_is_reported() {
    let texts: Vec<String> = (0..60).map(|k| format!("{}q1 0 x{k}\n", run(k * 7 % 400, 0))).collect();
    for jobs in (1..=8).cycle().take(40) {
        let (run, fault) = failure(&texts, jobs);
        assert_eq!((run, &fault.text[..]), (0, &b"q1 0 x0"[..]), "{jobs} threads");
    }
}

/// A file of some 20 MB that holds gigabytes: the same line again and again.
fn endless(line: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(line.repeat(50_000).as_bytes()).expect("memory");
    encoder.finish().expect("memory").repeat(5_000)
}

#[test]
fn work_ends_soon_after_tick_says_so() {
    let endless = endless("unjudged 0 d1 1 1\n");
    let judgements = judgements();
    for jobs in [1, 2] {
        let sources: Vec<Source> = (0..4).map(|_| Source::Bytes(&endless)).collect();
        let mut ticks = 0;
        let begin = Instant::now();
        let projection = project(&sources, &judgements.judged(), &with_jobs(jobs), |done, total| {
            assert!(done <= total && total == 4 * endless.len() as u64);
            ticks += 1;
            ticks < 3
        });
        assert!(matches!(projection.err(), Some(Failure { stop: Stop::Cancelled, .. })));
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        assert!(ticks >= 3);
    }
}

#[test]
fn reading_judgements_ends_soon_after_tick_says_so() {
    let endless = endless("q1 0 d1 1\n");
    let (watch, begin) = (Watch::default(), Instant::now());
    let total = endless.len() as u64;
    let read = tiebreak_engine::project::run_watched(
        &watch,
        total,
        |_, _| false,
        || tiebreak_engine::read_judgements(&Source::Bytes(&endless), tiebreak_engine::MEMORY, &watch),
    );
    assert!(matches!(read, Err(Stop::Cancelled)));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn nothing_is_read_where_the_work_was_cancelled_before() {
    let judgements = judgements();
    let watch = Watch::default();
    watch.cancelled.store(true, Ordering::Relaxed);
    let mut ranks = vec![0; 5];
    for text in ["q1 0 d1 1 1\n", "q1 0 d1 1 1\nq2 0 d1 1 1\nq1 0 d2 1 1\n", "faulty\n"] {
        let source = Source::Bytes(text.as_bytes());
        for jobs in [1, 2] {
            let read = project_run(&source, &judgements.judged(), &with_jobs(jobs), &mut ranks, &watch);
            assert!(matches!(read, Err(Stop::Cancelled)));
        }
        assert!(matches!(
            tiebreak_engine::read_judgements(&source, tiebreak_engine::MEMORY, &watch),
            Err(Stop::Cancelled)
        ));
    }
}
