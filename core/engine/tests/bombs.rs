//! Small files that hold a great deal of text: it streams through, and the memory of this process says so.

#[path = "support/judgements.rs"]
mod judgements;
#[path = "support/memory.rs"]
mod memory;

use std::time::{Duration, Instant};

use flate2::{Compress, Compression, Crc, FlushCompress};
use judgements::Judgements;
use memory::peak_memory;
use tiebreak_engine::run::project_run;
use tiebreak_engine::run_result::RunResult;
use tiebreak_engine::tally::Counter;
use tiebreak_engine::text::LONGEST_LINE;
use tiebreak_engine::{Duplicates, Fault, FaultKind, Options, Source, Stop, Watch, read_judgements};

const BLOCK: usize = 1 << 17;
/// How long the texts are that are read whole, at least; without the optimiser a tenth must do.
const TEXT: usize = if cfg!(debug_assertions) { 15_000_000 } else { 150_000_000 };
/// What this process may hold, the compressed files included.
const PEAK: u64 = 100_000_000;

fn read(bytes: &[u8]) -> Result<RunResult, Fault> {
    read_on_threads(bytes, 1)
}

fn read_on_threads(bytes: &[u8], jobs: usize) -> Result<RunResult, Fault> {
    let judgements = Judgements::new("q1 d1");
    let options = Options { duplicates: Duplicates::First, jobs, large: 0, ..Options::default() };
    let run = project_run(&Source::Bytes(bytes), &judgements.judged(), &options, &mut [0], &Watch::default());
    run.map_err(|stop| match stop {
        Stop::Fault(fault) => *fault,
        stop => panic!("{stop:?}"),
    })
}

fn assert_memory_is_bounded() {
    let peak = peak_memory();
    println!("peak memory {peak} bytes");
    assert!(peak < PEAK, "{peak} bytes were held");
}

/// One gzip member: a block of text, so many times.
fn gzip_bomb(text: &[u8], times: usize) -> Vec<u8> {
    let mut block = Vec::with_capacity(text.len() + 1000);
    let mut compress = Compress::new(Compression::best(), false);
    compress.compress_vec(text, &mut block, FlushCompress::Full).expect("a block");
    let mut once = Crc::new();
    once.update(text);
    let mut crc = Crc::new();
    (0..times).for_each(|_| crc.combine(&once));
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let end = [1, 0, 0, 0xff, 0xff];
    [&header[..], &block.repeat(times), &end, &crc.sum().to_le_bytes(), &crc.amount().to_le_bytes()].concat()
}

/// One zstd frame of the given window: blocks of 128 KiB, each one byte repeated.
fn zstd_bomb(byte: u8, times: usize, window_log: u8) -> Vec<u8> {
    let header = [0x28, 0xb5, 0x2f, 0xfd, 0, (window_log - 10) << 3];
    let block = (BLOCK as u32) << 3 | 1 << 1;
    let block = [&block.to_le_bytes()[..3], &[byte]].concat();
    [&header[..], &block.repeat(times), &[1, 0, 0]].concat()
}

#[test]
fn an_endless_line_ends_with_a_fault_at_once() {
    let begin = Instant::now();
    // 10 GB in 10 MB, and in 320 kB.
    let gzip = gzip_bomb(&[b'a'; 8 * BLOCK], 10_000);
    let zstd = zstd_bomb(b'a', 80_000, 17);
    assert!(gzip.len() < BLOCK * 80_000 / 1_000 && zstd.len() < BLOCK * 80_000 / 30_000);
    for bomb in [gzip, zstd] {
        let long = Fault::line(FaultKind::LongLine, 1, LONGEST_LINE as i64, b"");
        assert_eq!(read(&bomb), Err(long.clone()));
        let judgements = read_judgements(&Source::Bytes(&bomb), tiebreak_engine::MEMORY, &Watch::default());
        assert!(matches!(judgements, Err(Stop::Fault(fault)) if *fault == long));
    }
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    assert_memory_is_bounded();
}

#[test]
fn many_lines_stream_through() {
    for line in ["q1 0 d1 1 1\n", "q9 0 d1 1 1\n", "# a comment\n"] {
        let text = line.repeat(BLOCK / line.len());
        let times = TEXT / text.len() + 1;
        let (rest, lines) = ("q1 0 d2 1 1\n", text.len() / line.len() * times);
        let mut gzip = gzip_bomb(text.as_bytes(), times);
        gzip.extend(gzip_bomb(rest.as_bytes(), 1));
        let mut zstd = zstd::encode_all(text.as_bytes(), 1).expect("memory").repeat(times);
        zstd.extend(zstd::encode_all(rest.as_bytes(), 1).expect("memory"));
        for bomb in [gzip, zstd] {
            assert!(bomb.len() < TEXT / 100);
            let tally = read(&bomb).expect("a sound run").tally;
            assert_eq!(tally.count(Counter::Lines) + tally.count(Counter::Comment), lines as i64 + 1);
        }
    }
    assert_memory_is_bounded();
}

/// Where another thread finds columns, no more than a few pieces wait for the slower one.
#[test]
fn columns_that_are_found_ahead_stream_through() {
    for line in ["q1 0 d1 1 1\n", "q9 0 d1 1 1\n", "# a comment\nq1 0 d1 1 1\n"] {
        let text = line.repeat(TEXT / 5 / line.len());
        let tally = read_on_threads(text.as_bytes(), 2).expect("a sound run").tally;
        assert_eq!(tally.count(Counter::Lines) as usize, text.len() / line.len());
    }
    assert_memory_is_bounded();
}

#[test]
fn judgements_stream_through() {
    let text = "q1 0 d1 1\n".repeat(BLOCK / 10);
    let times = TEXT / text.len() + 1;
    let bomb = gzip_bomb(text.as_bytes(), times);
    let rows =
        read_judgements(&Source::Bytes(&bomb), tiebreak_engine::MEMORY, &Watch::default()).expect("sound judgements");
    assert_eq!((rows.grade.len(), rows.tally.count(Counter::Repeated)), (1, (BLOCK / 10 * times - 1) as i64));
    assert_memory_is_bounded();
}

#[test]
fn a_zstd_window_beyond_128_mib_is_refused() {
    // The line feeds are blank lines: what is left to refuse is that nothing else is there.
    assert_eq!(read(&zstd_bomb(b'\n', 4, 27)), Err(Fault::file(FaultKind::Empty, b"")));
    for window_log in [28, 31, 40] {
        assert_eq!(read(&zstd_bomb(b'\n', 4, window_log)), Err(Fault::file(FaultKind::Compression, b"zstd")));
    }
    assert_memory_is_bounded();
}

#[test]
fn a_hundred_thousand_empty_members_are_passed_over() {
    let begin = Instant::now();
    let gzip = [gzip_bomb(b"", 0).repeat(100_000), gzip_bomb(b"q1 0 d1 1 1\n", 1), vec![0; 1 << 22]].concat();
    let frame = |text: &[u8]| zstd::encode_all(text, 1).expect("memory");
    let zstd = [frame(b"").repeat(100_000), frame(b"q1 0 d1 1 1\n")].concat();
    for file in [gzip, zstd] {
        assert_eq!(read(&file).expect("a sound run").listed, [1]);
    }
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    assert_memory_is_bounded();
}
