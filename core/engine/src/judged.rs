//! The judgements with hash tables of their requests and items.

use crate::ids::{Ids, Seed, Table};
use crate::ranking::JudgedItems;

/// The slot of an item that is removed from every ranking.
pub const EXCLUDED: i32 = -2;
/// The slot of an item that is not judged, but stays in a ranking of judged items only.
pub const CANDIDATE: i32 = -3;

/// The judgements: those of request r are `item[starts[r]..starts[r + 1]]`; `slot` says where a rank is written.
pub struct Judged<'a> {
    pub requests: Ids<'a>,
    pub items: Ids<'a>,
    pub starts: &'a [i64],
    pub item: &'a [i32],
    pub slot: &'a [i32],
    pub slots: usize,
    pub(crate) seed: Seed,
    /// For a second hash of the same ids.
    pub(crate) second_seed: Seed,
    item_hashes: Vec<u64>,
    request_table: Table,
}

impl<'a> Judged<'a> {
    /// `None` where the arrays do not fit together.
    pub fn new(
        requests: Ids<'a>,
        items: Ids<'a>,
        starts: &'a [i64],
        item: &'a [i32],
        slot: &'a [i32],
        slots: usize,
    ) -> Option<Self> {
        let sound = requests.is_sound()
            && items.is_sound()
            && starts.len() == requests.len() + 1
            && starts.first() == Some(&0)
            && starts.is_sorted()
            && starts.last() == Some(&(item.len() as i64))
            && item.len() == slot.len()
            && item.iter().all(|&code| (code as usize) < items.len())
            && slot.iter().all(|&s| s < 0 || (s as usize) < slots);
        if !sound {
            return None;
        }
        let seed = Seed::random();
        let item_hashes = (0..items.len()).map(|i| seed.hash(items.get(i))).collect();
        let mut request_table = Table::with_room(requests.len());
        for r in 0..requests.len() {
            request_table.find_or_insert(seed.hash(requests.get(r)), r as u32, |_| false);
        }
        let second_seed = Seed::random();
        Some(Judged { requests, items, starts, item, slot, slots, item_hashes, request_table, seed, second_seed })
    }

    pub(crate) fn request(&self, id: &[u8]) -> Option<u32> {
        self.request_table.find(self.seed.hash(id), |r| self.requests.get(r as usize) == id)
    }

    /// The first judgement of request r.
    pub(crate) fn first(&self, r: usize) -> usize {
        self.starts[r] as usize
    }

    pub(crate) fn items_of_request(&self, r: usize) -> JudgedItems<'_> {
        let codes = &self.item[self.first(r)..self.first(r + 1)];
        JudgedItems { ids: self.items, hashes: &self.item_hashes, codes }
    }
}
