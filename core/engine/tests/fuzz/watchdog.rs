//! Ends the process when one input takes too long: a reader that hangs cannot be asked to fail.

use std::io::{Write, stderr};
use std::process::exit;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(2);

/// The input at hand and when it was begun.
type Current = Arc<Mutex<Option<(u64, Instant)>>>;

pub struct Watchdog {
    current: Current,
    longest: Duration,
}

impl Watchdog {
    pub fn start() -> Self {
        let current = Current::default();
        let watched = Arc::clone(&current);
        thread::spawn(move || {
            loop {
                thread::sleep(LIMIT / 20);
                let overdue = watched.lock().expect("no panic").filter(|(_, begin)| begin.elapsed() > LIMIT);
                if let Some((input, _)) = overdue {
                    // Past the test harness, which would keep it to itself.
                    let _ = writeln!(stderr(), "input {input} takes more than {LIMIT:?}");
                    exit(1);
                }
            }
        });
        Watchdog { current, longest: Duration::ZERO }
    }

    pub fn begin(&self, input: u64) {
        *self.current.lock().expect("no panic") = Some((input, Instant::now()));
    }

    pub fn end(&mut self) {
        let ended = self.current.lock().expect("no panic").take();
        self.longest = self.longest.max(ended.map_or(Duration::ZERO, |(_, begin)| begin.elapsed()));
    }

    pub fn longest(&self) -> Duration {
        self.longest
    }
}
