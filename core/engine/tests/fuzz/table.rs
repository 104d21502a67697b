//! Tables of odd ids and scores.

use tiebreak_engine::ids::IdColumn;
use tiebreak_engine::source::Rows;

use crate::chance::Chance;
use crate::corpus::TOKENS;

#[derive(Default)]
pub struct Table {
    requests: IdColumn,
    request: Vec<i32>,
    items: IdColumn,
    scores: Vec<f64>,
}

impl Table {
    pub fn new(chance: &mut Chance) -> Self {
        let mut new = Table::default();
        let requests = 1 + chance.below(6);
        for _ in 0..requests {
            // The same id may have several codes.
            new.requests.push(chance.pick(&["q1", "q2", "qü", "", "q9", "q1"]).as_bytes());
        }
        let mut request = 0;
        for _ in 0..chance.below(30) {
            request = if chance.one_in(4) { chance.below(requests) } else { request };
            new.request.push(request as i32);
            new.items.push(&item(chance));
            new.scores.push(score(chance));
        }
        new
    }

    pub fn rows(&self) -> Rows<'_> {
        let (requests, items) = (self.requests.view(), self.items.view());
        Rows { requests, request: &self.request, items, scores: &self.scores }
    }
}

fn item(chance: &mut Chance) -> Vec<u8> {
    match chance.below(3) {
        0 => chance.pick(&TOKENS).to_vec(),
        1 => chance.pick(&["d1", "d2", "d3", "d4", "日本"]).into(),
        _ => (0..chance.below(30)).map(|_| chance.bits() as u8).collect(),
    }
}

fn score(chance: &mut Chance) -> f64 {
    match chance.below(100) {
        0 => chance.pick(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
        1..10 => f64::from_bits(chance.bits()),
        _ => chance.pick(&[0.0, -0.0, 1.0, 1.5, -2.0, 1e300]),
    }
}
