//! Columns found on a thread of their own, while the lines before them are visited.

use std::io;
use std::ops::RangeInclusive;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use tiebreak_processor::Work;

use super::{Batch, Places, each_batch};
use crate::fault::Stop;
use crate::source::{Text, Watch};
use crate::tally::Tally;

/// Bytes of lines that are sent together: waking the other thread takes as long as to read some lines.
const TOGETHER: usize = 256 * 1024;
/// How many of these wait to be visited.
const WAITING: usize = 4;

/// The lines of a text, whose columns another thread finds.
pub struct FoundLines<'scope> {
    found: Receiver<Found>,
    /// What was visited: room that is used again.
    emptied: Sender<Found>,
    finder: ScopedJoinHandle<'scope, (Result<(), Stop>, Tally)>,
}

impl<'scope> FoundLines<'scope> {
    /// An error where no thread can be started.
    pub fn begin<'a: 'scope>(
        text: Text<'a>,
        widths: RangeInclusive<usize>,
        watch: &'a Watch,
        scope: &'scope Scope<'scope, '_>,
    ) -> io::Result<Self> {
        let (sender, found) = sync_channel(WAITING);
        let (emptied, room) = channel();
        let find = move || tiebreak_processor::run(Find { text, widths, watch, sender, room });
        let finder = Builder::new().spawn_scoped(scope, find)?;
        Ok(FoundLines { found, emptied, finder })
    }

    /// The same as the function [`each_batch`].
    #[inline(always)]
    pub fn each_batch(
        self,
        tally: &mut Tally,
        mut visit: impl FnMut(&Batch, &mut Tally) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let FoundLines { found, emptied, finder } = self;
        for found in &found {
            for part in &found.parts {
                visit(&found.batch(part), tally)?;
            }
            let _ = emptied.send(found);
        }
        let (read, counted) = finder.join().unwrap_or_else(|panic| resume_unwind(panic));
        tally.add_all(&counted);
        read
    }
}

/// The work of the thread; it ends when the receiver is gone.
struct Find<'a> {
    text: Text<'a>,
    widths: RangeInclusive<usize>,
    watch: &'a Watch,
    sender: SyncSender<Found>,
    room: Receiver<Found>,
}

impl Work for Find<'_> {
    type Output = (Result<(), Stop>, Tally);

    #[inline(always)]
    fn run(self) -> Self::Output {
        let Find { mut text, widths, watch, sender, room } = self;
        let (mut tally, mut found) = (Tally::default(), Found::default());
        let read = each_batch(
            &mut text,
            widths,
            &mut tally,
            watch,
            #[inline(always)]
            |batch, _| {
                found.push(batch);
                if found.bytes.len() < TOGETHER {
                    return Ok(());
                }
                let next = room.try_recv().unwrap_or_default();
                sender.send(std::mem::replace(&mut found, next)).map_err(|_| Stop::Cancelled)?;
                found.clear();
                Ok(())
            },
        );
        let _ = sender.send(found);
        (read, tally)
    }
}

/// Batches whose columns are found.
#[derive(Default)]
struct Found {
    bytes: Vec<u8>,
    before: Vec<u32>,
    ends: Vec<u32>,
    parts: Vec<Part>,
}

/// A batch: from where on its bytes and its places are.
struct Part {
    bytes: usize,
    places: usize,
    end: usize,
    stride: usize,
    first: u64,
    is_tidy: bool,
}

impl Found {
    fn clear(&mut self) {
        self.bytes.clear();
        self.before.clear();
        self.ends.clear();
        self.parts.clear();
    }

    /// Copy the lines of a batch.
    fn push(&mut self, batch: &Batch) {
        let Some(last) = batch.len().checked_sub(1) else { return };
        let &Batch { buffer, first, places: Places { before, ends, stride }, is_tidy } = batch;
        let (begin, _) = batch.row(0).bounds();
        let (_, end) = batch.row(last).bounds();
        let (bytes, places) = (self.bytes.len(), self.before.len());
        self.bytes.extend_from_slice(&buffer[begin..=end]);
        self.before.extend(before.iter().map(|place| place.wrapping_sub(begin as u32)));
        self.ends.extend(ends.iter().map(|place| place.wrapping_sub(begin as u32)));
        self.parts.push(Part { bytes, places, end: self.before.len(), stride, first, is_tidy });
    }

    #[inline(always)]
    fn batch(&self, part: &Part) -> Batch<'_> {
        let &Part { bytes, places, end, stride, first, is_tidy } = part;
        let places = Places { before: &self.before[places..end], ends: &self.ends[places..end], stride };
        Batch { buffer: &self.bytes[bytes..], first, places, is_tidy }
    }
}
