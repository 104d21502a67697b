//! Many runs on several threads. The calling thread does not read: it wakes ten times a second to report progress and to
//! check whether to stop.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::Duration;

use crate::fault::Stop;
use crate::judged::Judged;
use crate::options::Options;
use crate::run::project_run;
use crate::run_result::{Fingerprint, RunResult};
use crate::source::{Source, Watch};

pub(crate) const WAKE: Duration = Duration::from_millis(100);

pub struct Projection {
    /// The ranks of run 0, then those of run 1, ...
    pub ranks: Vec<i32>,
    pub runs: Vec<RunResult>,
    /// Distinct items of each request over all runs, where asked for.
    pub pool: Option<Vec<i32>>,
}

/// Why there is no projection: the first faulty run and its first fault.
#[derive(Debug)]
pub struct Failure {
    pub run: usize,
    pub stop: Stop,
}

/// Project every source. `tick` is called with (bytes read, total bytes) and returns whether to go on.
pub fn project(
    sources: &[Source],
    judged: &Judged,
    options: &Options,
    mut tick: impl FnMut(u64, u64) -> bool,
) -> Result<Projection, Failure> {
    let mut ranks = vec![crate::UNRETRIEVED; sources.len() * judged.slots];
    let of_one_run = Options { jobs: options.jobs / sources.len().max(1), ..options.clone() };
    let work = Work::new(sources, judged, &of_one_run, &mut ranks);
    let total = sources.iter().map(Source::size).sum();
    on_threads(
        options.jobs.clamp(1, sources.len().max(1)),
        || work.run(),
        || {
            if !tick(work.bytes_read(), total) {
                work.cancel();
            }
        },
    );
    let (runs, pool) = work.into_results()?;
    Ok(Projection { ranks, runs, pool })
}

/// Do `work` on another thread, where `watch` is checked; see [`project`] for `tick`.
pub fn run_watched<T: Send>(
    watch: &Watch,
    total: u64,
    mut tick: impl FnMut(u64, u64) -> bool,
    work: impl Fn() -> T + Sync,
) -> T {
    let result = Mutex::new(None);
    on_threads(
        1,
        || *result.lock().expect("no thread panics") = Some(work()),
        || {
            if !tick(watch.bytes_read.load(Ordering::Relaxed), total) {
                watch.cancelled.store(true, Ordering::Relaxed);
            }
        },
    );
    result.into_inner().expect("no thread panics").expect("the work was done")
}

/// Run `work` on this many threads, or on as many as can be started; call `wake` ten times a second until all are done.
pub(crate) fn on_threads(threads: usize, work: impl Fn() + Sync, mut wake: impl FnMut()) {
    std::thread::scope(|scope| {
        let (sender, finished) = channel::<()>();
        for begun in 0..threads.min(most_threads()) {
            let (work, sender) = (&work, sender.clone());
            let on_its_own = move || {
                work();
                drop(sender);
            };
            if Builder::new().spawn_scoped(scope, on_its_own).is_err() {
                if begun == 0 {
                    work();
                }
                break;
            }
        }
        drop(sender);
        while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(WAKE) {
            wake();
        }
    });
}

/// A limit: more threads only use more memory.
fn most_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).saturating_mul(4).max(16)
}

type Outcome = Result<RunResult, Stop>;

/// What the threads share.
struct Work<'a> {
    sources: &'a [Source<'a>],
    judged: &'a Judged<'a>,
    options: &'a Options,
    /// Runs not begun yet, the first one last, each with its row of ranks.
    rows: Mutex<Vec<(usize, &'a mut [i32])>>,
    watches: Vec<Watch>,
    /// The first run known to be faulty: those behind it need not be read.
    faulty: AtomicUsize,
    outcomes: Mutex<Vec<Option<Outcome>>>,
    pool: Mutex<Vec<HashSet<Fingerprint>>>,
}

impl<'a> Work<'a> {
    fn new(sources: &'a [Source<'a>], judged: &'a Judged<'a>, options: &'a Options, ranks: &'a mut [i32]) -> Self {
        let mut rows = Vec::with_capacity(sources.len());
        let mut rest = ranks;
        for run in 0..sources.len() {
            let (row, behind) = rest.split_at_mut(judged.slots);
            rows.push((run, row));
            rest = behind;
        }
        rows.reverse();
        let requests = if options.pool { judged.requests.len() } else { 0 };
        Work {
            sources,
            judged,
            options,
            rows: Mutex::new(rows),
            watches: sources.iter().map(|_| Watch::default()).collect(),
            faulty: AtomicUsize::new(usize::MAX),
            outcomes: Mutex::new(sources.iter().map(|_| None).collect()),
            pool: Mutex::new(vec![HashSet::new(); requests]),
        }
    }

    /// Take runs and read them until none is left.
    fn run(&self) {
        loop {
            let Some((run, row)) = self.rows.lock().expect("no thread panics").pop() else { return };
            if run > self.faulty.load(Ordering::Relaxed) {
                continue;
            }
            let mut outcome = project_run(&self.sources[run], self.judged, self.options, row, &self.watches[run]);
            match &mut outcome {
                Ok(result) => self.add_to_pool(std::mem::take(&mut result.pool)),
                Err(_) => self.stop_after(run),
            }
            self.outcomes.lock().expect("no thread panics")[run] = Some(outcome);
        }
    }

    fn add_to_pool(&self, items: Vec<Vec<Fingerprint>>) {
        let mut pool = self.pool.lock().expect("no thread panics");
        for (all, some) in pool.iter_mut().zip(items) {
            all.extend(some);
        }
    }

    fn stop_after(&self, run: usize) {
        self.faulty.fetch_min(run, Ordering::Relaxed);
        for watch in &self.watches[run + 1..] {
            watch.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn cancel(&self) {
        self.faulty.store(0, Ordering::Relaxed);
        for watch in &self.watches {
            watch.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.watches.iter().map(|watch| watch.bytes_read.load(Ordering::Relaxed)).sum()
    }

    fn into_results(self) -> Result<(Vec<RunResult>, Option<Vec<i32>>), Failure> {
        let outcomes = self.outcomes.into_inner().expect("no thread panics");
        let mut results = Vec::with_capacity(outcomes.len());
        for (run, outcome) in outcomes.into_iter().enumerate() {
            match outcome.unwrap_or(Err(Stop::Cancelled)) {
                Ok(result) => results.push(result),
                Err(stop) => return Err(Failure { run, stop }),
            }
        }
        let pool = self.pool.into_inner().expect("no thread panics");
        let sizes = pool.iter().map(|items| items.len() as i32).collect();
        Ok((results, self.options.pool.then_some(sizes)))
    }
}
