//! Reading and projecting through the engine's public face: what is accepted, what is refused and where, who ranks
//! how high, and that neither threads nor compression nor the order of requests change any of it.

#[path = "../support/chance.rs"]
mod chance;
#[path = "../support/judgements.rs"]
mod judgements;
#[path = "../support/model.rs"]
mod model;

mod compression;
mod duplicates;
mod faults;
mod limits;
mod lines;
mod long_lines;
mod random;
mod rankings;
mod threads;

use judgements::Judgements;
use tiebreak_engine::run_result::RunResult;
use tiebreak_engine::tally::Counter;
use tiebreak_engine::{Fault, JudgedRows, Options, Projection, Source, Stop, Watch};

type Read = Result<(Vec<i32>, RunResult), Fault>;

/// Two requests, three and two judged items, one of them in both.
fn judgements() -> Judgements {
    Judgements::new("q1 d1 d2 d3\nq2 d1 d4")
}

fn read_source(source: Source, judgements: &Judgements, options: &Options) -> Read {
    match tiebreak_engine::project(&[source], &judgements.judged(), options, |_, _| true) {
        Ok(Projection { ranks, mut runs, .. }) => Ok((ranks, runs.remove(0))),
        Err(failure) => match failure.stop {
            Stop::Fault(fault) => Err(*fault),
            stop => panic!("{stop:?}"),
        },
    }
}

fn read_with(text: impl AsRef<[u8]>, options: &Options) -> Read {
    read_source(Source::Bytes(text.as_ref()), &judgements(), options)
}

fn read(text: impl AsRef<[u8]>) -> Read {
    read_with(text, &Options::default())
}

fn ranks(text: impl AsRef<[u8]>) -> Vec<i32> {
    read(text).expect("a sound run").0
}

/// What the engine and the model agree on.
fn read_as_the_model(text: &[u8], judgements: &Judgements, options: &Options) -> Read {
    let read = read_source(Source::Bytes(text), judgements, options);
    let expected = model::project_text(text, judgements, options);
    assert_eq!(read, expected, "{:?} with {options:?}", String::from_utf8_lossy(text));
    read
}

fn read_judgements(text: impl AsRef<[u8]>) -> Result<JudgedRows, Fault> {
    let read =
        tiebreak_engine::read_judgements(&Source::Bytes(text.as_ref()), tiebreak_engine::MEMORY, &Watch::default());
    read.map_err(|stop| match stop {
        Stop::Fault(fault) => *fault,
        stop => panic!("{stop:?}"),
    })
}

/// How often something was counted, and on which line first.
fn counted(read: &Read, counter: Counter) -> (i64, i64) {
    let tally = &read.as_ref().expect("a sound run").1.tally;
    (tally.count(counter), tally.first_line[counter as usize])
}

/// Kind and line of the fault that a text must have.
fn offence<T>(read: Result<T, Fault>) -> (&'static str, u64) {
    let fault = read.err().expect("a fault");
    (fault.kind.name(), fault.line)
}
