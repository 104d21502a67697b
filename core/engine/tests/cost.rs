//! What reading costs grows with the lines, whatever their scores and ids; measured as ratios in one process.

#[path = "support/judgements.rs"]
mod judgements;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use judgements::Judgements;
use tiebreak_engine::run::project_run;
use tiebreak_engine::{Options, Source, UNRETRIEVED, Watch};

/// Tests that measure take turns.
static TURN: Mutex<()> = Mutex::new(());

/// The shortest of three times that reading these items with equal scores took.
fn time_to_read(ids: &[String], options: &Options) -> Duration {
    let text: String = ids.iter().map(|id| format!("q1 0 {id} 1 1\n")).collect();
    let judgements = Judgements::new(&format!("q1 {} {}", ids[0], ids[ids.len() / 2]));
    let judged = judgements.judged();
    let times = (0..3).map(|_| {
        let mut ranks = [0; 2];
        let begin = Instant::now();
        let run = project_run(&Source::Bytes(text.as_bytes()), &judged, options, &mut ranks, &Watch::default());
        let time = begin.elapsed();
        let run = run.expect("a sound run");
        assert_eq!((run.listed[0], run.tied[0]), (ids.len() as i32, ids.len() as i32));
        assert!(!ranks.contains(&UNRETRIEVED));
        time
    });
    times.min().expect("three times")
}

/// Each number below 2^bits once, in no order.
fn shuffled(bits: u32) -> Vec<String> {
    let n = 1u64 << bits;
    (0..n).map(|k| format!("item{:07}", k.wrapping_mul(0x9e37_79b9_7f4a_7c15 | 1) % n)).collect()
}

/// Eight times as many lines: n log n takes 9.4 times as long, n squared 64 times; caches and neighbours cost something.
fn assert_linear(ids: impl Fn(u32) -> Vec<String>, options: &Options) {
    let _turn = TURN.lock();
    let (few, many) = (ids(17), ids(20));
    let within = (0..3).any(|_| {
        let (few, many) = (time_to_read(&few, options), time_to_read(&many, options));
        println!("2^17 lines: {few:?}, 2^20 lines: {many:?}");
        many < 32 * few
    });
    assert!(within, "eight times as many lines take more than 32 times as long");
}

#[test]
fn a_million_equal_scores_are_no_special_case() {
    assert_linear(shuffled, &Options::default());
}

#[test]
fn a_million_equal_scores_in_the_opposite_order_are_no_special_case() {
    let sorted = |bits| {
        let mut ids = shuffled(bits);
        ids.sort();
        ids
    };
    assert_linear(sorted, &Options { rank_breaks_ties: true, ..Options::default() });
}

/// Ids that collide cost no more than others of their length.
fn assert_no_collisions(colliding: &[String]) {
    let _turn = TURN.lock();
    let length = colliding[0].len();
    let others: Vec<String> = (0..colliding.len()).map(|k| format!("{:x>length$}", k * 7919)).collect();
    assert!(colliding.iter().chain(&others).all(|id| id.len() == length));
    let options = Options::default();
    let (hard, easy) = (time_to_read(colliding, &options), time_to_read(&others, &options));
    println!("{} ids that collide: {hard:?}, others: {easy:?}", colliding.len());
    assert!(hard < 8 * easy, "{hard:?} for ids that collide, {easy:?} for others");
}

fn fnv1a(state: u32, text: &str) -> u32 {
    text.bytes().fold(state, |state, byte| (state ^ u32::from(byte)).wrapping_mul(16_777_619))
}

#[test]
fn ids_that_collide_under_fnv_cost_no_more() {
    // Two strings that lead from one state to the same next one, fifteen times over: 2^15 ids with one hash.
    let mut state = 2_166_136_261;
    let mut ids = vec![String::new()];
    for _ in 0..15 {
        let mut seen: HashMap<u32, String> = HashMap::new();
        let mut tries = (0..).map(|k: u32| format!("{k:05x}"));
        let (one, two, next) = loop {
            let two = tries.next().expect("a collision");
            let next = fnv1a(state, &two);
            match seen.entry(next) {
                Entry::Occupied(one) => break (one.get().clone(), two, next),
                Entry::Vacant(place) => place.insert(two),
            };
        };
        ids = ids.iter().flat_map(|id| [format!("{id}{one}"), format!("{id}{two}")]).collect();
        state = next;
    }
    assert!(ids.len() == 1 << 15 && ids.iter().all(|id| fnv1a(2_166_136_261, id) == state));
    assert_no_collisions(&ids);
}

#[test]
fn ids_that_would_collide_if_the_seed_were_known_cost_no_more() {
    // The engine multiplies the first eight bytes, less its secret, with the second eight: were the secret "tiebreak",
    // the product would be 0 whatever the second eight are.
    let ids: Vec<String> = shuffled(15).iter().map(|id| format!("tiebreak{}tail", &id[3..])).collect();
    assert_eq!(ids[0].len(), 20);
    assert_no_collisions(&ids);
}
