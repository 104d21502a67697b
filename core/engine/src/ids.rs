//! Ids as bytes: columns of them, a seeded hash, and the one hash table that everything here uses.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Ids in one buffer; id `i` is `buffer[offsets[i]..offsets[i + 1]]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids<'a> {
    pub buffer: &'a [u8],
    pub offsets: &'a [i64],
}

impl<'a> Ids<'a> {
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub fn get(&self, i: usize) -> &'a [u8] {
        &self.buffer[self.offsets[i] as usize..self.offsets[i + 1] as usize]
    }

    pub fn find(&self, i: usize) -> Option<&'a [u8]> {
        (i < self.len()).then(|| self.get(i))
    }

    /// Whether every offset lies in the buffer, in order.
    pub fn is_sound(&self) -> bool {
        self.offsets.first() == Some(&0)
            && self.offsets.is_sorted()
            && self.offsets.last().is_some_and(|&end| end as usize <= self.buffer.len())
    }
}

/// Ids that are still being collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdColumn {
    pub buffer: Vec<u8>,
    pub offsets: Vec<i64>,
}

impl Default for IdColumn {
    fn default() -> Self {
        IdColumn { buffer: Vec::new(), offsets: vec![0] }
    }
}

impl IdColumn {
    pub fn push(&mut self, id: &[u8]) {
        self.buffer.extend_from_slice(id);
        self.offsets.push(self.buffer.len() as i64);
    }

    pub fn view(&self) -> Ids<'_> {
        Ids { buffer: &self.buffer, offsets: &self.offsets }
    }
}

/// Whether two ids are equal; short ones without a call.
#[inline(always)]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let n = a.len();
    n == b.len()
        && match n {
            0 => true,
            1..4 => (a[0], a[n / 2], a[n - 1]) == (b[0], b[n / 2], b[n - 1]),
            4..8 => half_word(a) == half_word(b) && half_word(&a[n - 4..]) == half_word(&b[n - 4..]),
            8..17 => word(a) == word(b) && word(&a[n - 8..]) == word(&b[n - 8..]),
            _ => a == b,
        }
}

/// Append the first bytes; a few without a call, as sixteen of which the others are cut off.
#[inline(always)]
pub fn append(buffer: &mut Vec<u8>, bytes: &[u8], length: usize) {
    let end = buffer.len() + length;
    match bytes.first_chunk::<16>() {
        Some(sixteen) if length <= 16 => buffer.extend_from_slice(sixteen),
        _ => buffer.extend_from_slice(&bytes[..length]),
    }
    buffer.truncate(end);
}

/// An id that others are compared with.
#[derive(Default)]
pub struct Key {
    id: Vec<u8>,
    /// Its first eight bytes, and which bits of them count.
    word: u64,
    mask: u64,
}

impl Key {
    pub fn set(&mut self, id: &[u8]) {
        let mut eight = [0; 8];
        let short = id.len().min(8);
        eight[..short].copy_from_slice(&id[..short]);
        self.word = u64::from_le_bytes(eight);
        self.mask = if short == 0 { 0 } else { u64::MAX >> (64 - 8 * short) };
        self.id.clear();
        self.id.extend_from_slice(id);
    }

    /// Whether this is the id that the first bytes spell; what follows them may be read.
    #[inline(always)]
    pub fn begins(&self, (bytes, length): (&[u8], usize)) -> bool {
        length == self.id.len()
            && match bytes.first_chunk() {
                None => bytes[..length] == self.id,
                Some(&eight) => {
                    (u64::from_le_bytes(eight) ^ self.word) & self.mask == 0
                        && (length <= 8 || bytes[8..length] == self.id[8..])
                }
            }
    }
}

/// A hash with random seeds, so that no input can be made to collide.
#[derive(Debug, Clone, Copy)]
pub struct Seed([u64; 3]);

impl Seed {
    pub fn random() -> Self {
        let state = RandomState::new();
        Seed([1, 2, 3].map(|k: u64| state.hash_one(k)))
    }

    #[inline]
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        let Seed([a, b, c]) = *self;
        let mut state = a ^ bytes.len() as u64;
        let mut rest = bytes;
        while rest.len() > 16 {
            state = fold(word(rest) ^ b, word(&rest[8..]) ^ state);
            rest = &rest[16..];
        }
        let n = rest.len();
        let (x, y) = if n >= 8 {
            (word(rest), word(&rest[n - 8..]))
        } else if n >= 4 {
            (half_word(rest), half_word(&rest[n - 4..]))
        } else if n > 0 {
            (u64::from(rest[0]) << 16 | u64::from(rest[n / 2]) << 8 | u64::from(rest[n - 1]), 0)
        } else {
            (0, 0)
        };
        fold(fold(x ^ b, y ^ state), c)
    }

    #[inline]
    pub fn hash_words(&self, words: [u32; 3]) -> u64 {
        let Seed([a, b, c]) = *self;
        fold(fold((u64::from(words[0]) << 32 | u64::from(words[1])) ^ a, u64::from(words[2]) ^ b), c)
    }
}

/// Both halves of a 128-bit product, mixed.
#[inline]
fn fold(x: u64, y: u64) -> u64 {
    let product = u128::from(x) * u128::from(y);
    product as u64 ^ (product >> 64) as u64
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes"))
}

#[inline]
fn half_word(bytes: &[u8]) -> u64 {
    u64::from(u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")))
}

/// A hash table with open addressing of numbers below 2^32 - 1 that stand for keys kept elsewhere.
///
/// A slot holds 32 bits of the hash and the number plus one; the same 32 bits give the place, so the table grows
/// without hashing again.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<u64>,
    taken: usize,
}

impl Table {
    pub fn with_room(expected: usize) -> Self {
        let mut table = Table::default();
        table.reset(expected);
        table
    }

    /// Empty the table and make room for `expected` keys.
    pub fn reset(&mut self, expected: usize) {
        self.slots.clear();
        self.slots.resize((2 * expected).next_power_of_two().max(64), 0);
        self.taken = 0;
    }

    /// The number whose key has this hash and is the `same`; where there is none, `new` is entered and None returned.
    #[inline(always)]
    pub fn find_or_insert(&mut self, hash: u64, new: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        self.insert_until_known(&[hash], new, |_, number| same(number)).map(|(_, number)| number)
    }

    /// Enter numbers from `first` on, one for each hash, up to one whose key is the `same` as that of a number entered
    /// before: how many were entered, and that number.
    #[inline(always)]
    pub fn insert_until_known(
        &mut self,
        hashes: &[u64],
        first: u32,
        same: impl Fn(u32, u32) -> bool,
    ) -> Option<(usize, u32)> {
        if 2 * (self.taken + hashes.len()) > self.slots.len() {
            self.grow(hashes.len());
        }
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        for (new, (entered, &hash)) in (first..).zip(hashes.iter().enumerate()) {
            let tag = hash >> 32;
            let mut place = tag as usize & mask;
            while slots[place] != 0 {
                let number = (slots[place] as u32).wrapping_sub(1);
                if slots[place] >> 32 == tag && same(new, number) {
                    self.taken += entered;
                    return Some((entered, number));
                }
                place = (place + 1) & mask;
            }
            slots[place] = tag << 32 | (u64::from(new) + 1);
        }
        self.taken += hashes.len();
        None
    }

    /// The number whose key has this hash and is the `same`.
    pub fn find(&self, hash: u64, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let tag = hash >> 32;
        let mut place = tag as usize & mask;
        loop {
            let slot = self.slots[place];
            let number = (slot as u32).wrapping_sub(1);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == tag && same(number) {
                return Some(number);
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self, more: usize) {
        let larger = (2 * (self.taken + more)).max(self.slots.len() + 1).next_power_of_two().max(64);
        let old = std::mem::replace(&mut self.slots, vec![0; larger]);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let mut place = (slot >> 32) as usize & (larger - 1);
            while self.slots[place] != 0 {
                place = (place + 1) & (larger - 1);
            }
            self.slots[place] = slot;
        }
    }
}

/// Numbers ids in order of appearance.
pub struct Codes {
    pub ids: IdColumn,
    table: Table,
    seed: Seed,
    last: u32,
}

impl Codes {
    pub fn new(seed: Seed) -> Self {
        Codes { ids: IdColumn::default(), table: Table::default(), seed, last: 0 }
    }

    #[inline]
    pub fn code(&mut self, id: &[u8]) -> u32 {
        let ids = self.ids.view();
        if (self.last as usize) < ids.len() && ids.get(self.last as usize) == id {
            return self.last;
        }
        let new = ids.len() as u32;
        let known = self.table.find_or_insert(self.seed.hash(id), new, |code| ids.get(code as usize) == id);
        self.last = known.unwrap_or_else(|| {
            self.ids.push(id);
            new
        });
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_the_order_of_appearance() {
        let mut codes = Codes::new(Seed::random());
        let seen: Vec<u32> = ["b", "a", "b", "", "a", "c"].iter().map(|id| codes.code(id.as_bytes())).collect();
        assert_eq!(seen, [0, 1, 0, 2, 1, 3]);
        assert_eq!(codes.ids.buffer, b"bac");
    }

    #[test]
    fn every_id_of_every_length_is_found_again() {
        let mut codes = Codes::new(Seed::random());
        let ids: Vec<String> = (0..5000).map(|k| format!("{k}{}", "x".repeat(k % 40))).collect();
        for (k, id) in ids.iter().enumerate() {
            assert_eq!(codes.code(id.as_bytes()) as usize, k);
        }
        for (k, id) in ids.iter().enumerate() {
            assert_eq!(codes.code(id.as_bytes()) as usize, k);
        }
    }
}
