//! Judgements that own their arrays.

use tiebreak_engine::Judged;
use tiebreak_engine::ids::IdColumn;

#[derive(Default)]
pub struct Judgements {
    pub requests: IdColumn,
    pub items: IdColumn,
    pub starts: Vec<i64>,
    pub item: Vec<i32>,
    pub slot: Vec<i32>,
    pub slots: usize,
}

impl Judgements {
    /// One request a line, its judged items behind it; the rank of judgement j is written to slot j.
    pub fn new(text: &str) -> Self {
        let mut new = Judgements { starts: vec![0], ..Judgements::default() };
        for line in text.lines() {
            let mut ids = line.split(' ').map(str::as_bytes);
            new.requests.push(ids.next().expect("a request"));
            for id in ids {
                let known = (0..new.items.view().len()).find(|&code| new.items.view().get(code) == id);
                let code = known.unwrap_or_else(|| {
                    new.items.push(id);
                    new.items.view().len() - 1
                });
                new.item.push(code as i32);
            }
            new.starts.push(new.item.len() as i64);
        }
        new.slots = new.item.len();
        new.slot = (0..new.slots as i32).collect();
        new
    }

    pub fn judged(&self) -> Judged<'_> {
        let (requests, items) = (self.requests.view(), self.items.view());
        Judged::new(requests, items, &self.starts, &self.item, &self.slot, self.slots).expect("sound arrays")
    }
}
