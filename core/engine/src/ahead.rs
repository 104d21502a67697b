//! Judgements and runs read on a background thread: a new process spends as long on importing as on reading.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use crate::fault::Stop;
use crate::ids::IdColumn;
use crate::judged::{CANDIDATE, EXCLUDED, Judged};
use crate::judgements::{JudgedRows, read_judgements};
use crate::options::Options;
use crate::project::{Failure, Projection, WAKE, project, run_watched};
use crate::source::{Source, Watch};

/// The channels on which results arrive: the judgements first, then the projection.
pub struct Ahead {
    progress: Arc<Progress>,
    rows: Receiver<Result<JudgedRows, Stop>>,
    projection: Receiver<(Grouped, Result<Projection, Failure>)>,
}

/// How far the thread is, and whether it should go on.
#[derive(Default)]
struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    fn tick(&self, done: u64, total: u64) -> bool {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        !self.cancelled.load(Ordering::Relaxed)
    }
}

impl Ahead {
    pub fn begin(judgements: PathBuf, runs: Vec<PathBuf>, options: Options) -> Self {
        let progress = Arc::new(Progress::default());
        let (rows_sender, rows) = channel();
        let (projection_sender, projection) = channel();
        let shared = Arc::clone(&progress);
        // Without a thread the channels are closed, and the caller reads as usual.
        let _ = std::thread::Builder::new()
            .spawn(move || read(judgements, runs, &options, &shared, &rows_sender, &projection_sender));
        Ahead { progress, rows, projection }
    }

    /// The judgements, once; `None` when they were taken before. `tick` is that of [`project`].
    pub fn rows(&self, tick: impl FnMut(u64, u64) -> bool) -> Option<Result<JudgedRows, Stop>> {
        self.wait(&self.rows, tick)
    }

    /// The projection onto these judgements, once; `None` when they are not the ones that were read.
    pub fn projection(
        &self,
        judged: &Judged,
        tick: impl FnMut(u64, u64) -> bool,
    ) -> Option<Result<Projection, Failure>> {
        let (grouped, outcome) = self.wait(&self.projection, tick)?;
        grouped.equals(judged).then(|| {
            outcome.map(|projection| Projection { ranks: place_in_slots(&projection.ranks, judged), ..projection })
        })
    }

    fn wait<T>(&self, arriving: &Receiver<T>, mut tick: impl FnMut(u64, u64) -> bool) -> Option<T> {
        loop {
            match arriving.recv_timeout(WAKE) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if !tick(self.progress.done.load(Ordering::Relaxed), self.progress.total.load(Ordering::Relaxed)) {
                        self.progress.cancelled.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
    }
}

/// The work of the thread; it ends when a receiver is gone.
fn read(
    judgements: PathBuf,
    runs: Vec<PathBuf>,
    options: &Options,
    progress: &Progress,
    rows_sender: &Sender<Result<JudgedRows, Stop>>,
    projection_sender: &Sender<(Grouped, Result<Projection, Failure>)>,
) {
    let (source, watch) = (Source::File(judgements), Watch::default());
    let tick = |done, total| progress.tick(done, total);
    let rows = run_watched(&watch, source.size(), tick, || read_judgements(&source, options.memory, &watch));
    let grouped = rows.as_ref().ok().and_then(Grouped::from_rows);
    if rows_sender.send(rows).is_err() {
        return;
    }
    if let Some(grouped) = grouped {
        let sources: Vec<Source> = runs.into_iter().map(Source::File).collect();
        let outcome = project(&sources, &grouped.judged(), options, tick);
        let _ = projection_sender.send((grouped, outcome));
    }
}

/// Judgements without subtopics, by request, with a slot for each.
struct Grouped {
    requests: IdColumn,
    items: IdColumn,
    starts: Vec<i64>,
    item: Vec<i32>,
    slot: Vec<i32>,
}

impl Grouped {
    fn from_rows(rows: &JudgedRows) -> Option<Self> {
        if rows.subtopics.view().len() != 1 {
            return None;
        }
        let mut starts = vec![0; rows.requests.view().len() + 1];
        rows.request.iter().for_each(|&r| starts[r as usize + 1] += 1);
        (1..starts.len()).for_each(|r| starts[r] += starts[r - 1]);
        let mut next = starts.clone();
        let mut item = vec![0; rows.item.len()];
        for (&r, &code) in rows.request.iter().zip(&rows.item) {
            item[next[r as usize] as usize] = code;
            next[r as usize] += 1;
        }
        let slot = (0..item.len() as i32).collect();
        Some(Grouped { requests: rows.requests.clone(), items: rows.items.clone(), starts, item, slot })
    }

    fn judged(&self) -> Judged<'_> {
        let (requests, items) = (self.requests.view(), self.items.view());
        Judged::new(requests, items, &self.starts, &self.item, &self.slot, self.slot.len())
            .expect("what was read fits together")
    }

    fn equals(&self, judged: &Judged) -> bool {
        judged.slot.iter().all(|slot| ![EXCLUDED, CANDIDATE].contains(slot))
            && self.requests.view() == judged.requests
            && self.items.view() == judged.items
            && self.starts == judged.starts
            && self.item == judged.item
    }
}

/// Ranks of all judgements, run by run, as the slots ask for them.
fn place_in_slots(ranks: &[i32], judged: &Judged) -> Vec<i32> {
    let runs = ranks.len().checked_div(judged.item.len()).unwrap_or(0);
    let mut slots = vec![crate::UNRETRIEVED; runs * judged.slots];
    if judged.slots > 0 {
        for (row, ranks) in slots.chunks_exact_mut(judged.slots).zip(ranks.chunks_exact(judged.item.len())) {
            for (&slot, &rank) in judged.slot.iter().zip(ranks) {
                if slot >= 0 {
                    row[slot as usize] = rank;
                }
            }
        }
    }
    slots
}
