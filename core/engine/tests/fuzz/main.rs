//! Mutated inputs by the thousand: no panic, no hang, no unknown fault, and what the model says.
//!
//! `TIEBREAK_FUZZ` says how many inputs (20,000 otherwise), `TIEBREAK_FUZZ_FIRST` which is the first (0 otherwise).
//! Input k is the same on every machine, so a failure is seen again with its number as the first.

#[path = "../support/chance.rs"]
mod chance;
#[path = "../support/judgements.rs"]
mod judgements;
#[path = "../support/memory.rs"]
mod memory;
#[path = "../support/model.rs"]
mod model;

mod check;
mod corpus;
mod decode;
mod mutate;
mod table;
mod watchdog;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

use chance::Chance;
use check::{Checker, JUDGEMENT_KINDS, RUN_KINDS};
use watchdog::Watchdog;

const INPUTS: u64 = 20_000;
/// Several times what was ever seen; a decompressor may ask for 128 MiB.
const PEAK: u64 = 500_000_000;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).map_or(otherwise, |text| text.replace('_', "").parse().expect("a number"))
}

#[test]
fn mutated_inputs_are_read_as_the_model_reads_them() {
    let (inputs, first) = (setting("TIEBREAK_FUZZ", INPUTS), setting("TIEBREAK_FUZZ_FIRST", 0));
    let (mut watchdog, begin) = (Watchdog::start(), Instant::now());
    let mut checker = Checker::new();
    for k in first..first + inputs {
        let input = mutate::input(&mut Chance::new(k));
        watchdog.begin(k);
        let checked = catch_unwind(AssertUnwindSafe(|| checker.check(k, &input)));
        if let Err(panic) = checked {
            eprintln!("input {k} failed; TIEBREAK_FUZZ_FIRST={k} TIEBREAK_FUZZ=1 repeats it: {}", input.escape_ascii());
            resume_unwind(panic);
        }
        watchdog.end();
    }
    let (time, longest, peak) = (begin.elapsed(), watchdog.longest(), memory::peak_memory());
    println!("{inputs} inputs from {first} on: {time:.1?}, the longest {longest:.1?}, peak memory {peak} bytes");
    println!("runs: {:?}\njudgements: {:?}\ntables: {:?}", checker.runs, checker.judgements, checker.tables);
    assert!(peak < PEAK, "{peak} bytes were held");
    if inputs >= INPUTS {
        // Otherwise some fault was never looked at.
        assert!(checker.runs.keys().eq(&RUN_KINDS), "{:?}", checker.runs);
        assert!(checker.judgements.keys().eq(&JUDGEMENT_KINDS), "{:?}", checker.judgements);
    }
}
