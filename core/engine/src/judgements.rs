//! A judgements file, its ids coded in order of appearance.

use crate::fault::{Fault, FaultKind, Stop};

use crate::ids::{Codes, IdColumn, Seed, Table};
use crate::number;
use crate::ranking::ENTRY_COST;
use crate::source::{Rows, Source, Text, Watch};
use crate::tally::{Counter, Tally};
use crate::text::{Row, each_row};

/// The lines of a judgements file, repeated ones once.
#[derive(Debug, Default)]
pub struct JudgedRows {
    pub requests: IdColumn,
    pub subtopics: IdColumn,
    pub items: IdColumn,
    pub request: Vec<i32>,
    pub subtopic: Vec<i32>,
    pub item: Vec<i32>,
    pub grade: Vec<f64>,
    pub tally: Tally,
}

/// Read judgements; lines that take more than `memory` bytes are refused.
pub fn read_judgements(source: &Source, memory: u64, watch: &Watch) -> Result<JudgedRows, Stop> {
    // About as many lines as such a file has: columns that fit from the start need not grow.
    let expected = (source.size() / 24).min(1 << 24) as usize;
    let mut reader = Reader::new(Seed::random(), expected, memory);
    let mut tally = Tally::default();
    match source {
        Source::Table(rows) => reader.read_table(rows, &mut tally)?,
        _ => {
            let mut text = Text::open(source, watch)?;
            each_row(&mut text, 4..=4, &mut tally, watch, |row, tally| reader.read_row(row, tally))?;
        }
    }
    if reader.grade.is_empty() {
        return Err(Fault::file(FaultKind::Empty, b"").into());
    }
    let Reader { requests, subtopics, items, request, subtopic, item, grade, .. } = reader;
    let (requests, subtopics, items) = (requests.ids, subtopics.ids, items.ids);
    Ok(JudgedRows { requests, subtopics, items, request, subtopic, item, grade, tally })
}

struct Reader {
    seed: Seed,
    memory: u64,
    held: u64,
    requests: Codes,
    subtopics: Codes,
    items: Codes,
    /// Which lines have been seen, by request, subtopic and item: those of the current request until an earlier one
    /// returns, then all.
    table: Table,
    has_returned: bool,
    current: i32,
    request: Vec<i32>,
    subtopic: Vec<i32>,
    item: Vec<i32>,
    grade: Vec<f64>,
}

impl Reader {
    fn new(seed: Seed, expected: usize, memory: u64) -> Self {
        Reader {
            seed,
            memory,
            held: 0,
            requests: Codes::new(seed),
            subtopics: Codes::new(seed),
            items: Codes::new(seed),
            table: Table::default(),
            has_returned: false,
            current: -1,
            request: Vec::with_capacity(expected),
            subtopic: Vec::with_capacity(expected),
            item: Vec::with_capacity(expected),
            grade: Vec::with_capacity(expected),
        }
    }

    /// A line `request iteration item grade`.
    fn read_row(&mut self, row: &Row, tally: &mut Tally) -> Result<(), Stop> {
        let line = row.number();
        let (request, item, text) = (row.column(0), row.column(2), row.column(3));
        row.count_spelling(3, tally);
        if row.column(1) == b"Q0" {
            tally.add(Counter::Q0, line, b"");
        }
        let grade = number::parse(text).ok_or_else(|| Fault::entry(FaultKind::Grade, line, request, item, text))?;
        // TREC's unused second column is 0 in one file and Q0 in the next.
        let subtopic = if row.column(1) == b"Q0" { b"0" } else { row.column(1) };
        self.push(line, [request, subtopic, item, text], grade, tally)
    }

    /// Rows in memory, which have no subtopics.
    fn read_table(&mut self, rows: &Rows, tally: &mut Tally) -> Result<(), Stop> {
        for (row, (&request, &grade)) in rows.request.iter().zip(rows.scores).enumerate() {
            let (line, request, item) = (row as u64 + 1, rows.requests.get(request as usize), rows.items.get(row));
            if !grade.is_finite() {
                let text = grade.to_string().to_lowercase();
                return Err(Fault::entry(FaultKind::Grade, line, request, item, text.as_bytes()).into());
            }
            tally.add(Counter::Lines, line, b"");
            self.push(line, [request, b"0", item, b""], grade + 0.0, tally)?;
        }
        Ok(())
    }

    fn push(
        &mut self,
        line: u64,
        [request, subtopic, item, text]: [&[u8]; 4],
        grade: f64,
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        let codes = [self.requests.code(request), self.subtopics.code(subtopic), self.items.code(item)];
        match self.find_or_insert(codes) {
            None => {
                self.grade.push(grade);
                self.held += ENTRY_COST + item.len() as u64;
                if self.held > self.memory {
                    return Err(Fault::entry(FaultKind::Memory, line, request, item, b"").into());
                }
            }
            Some(earlier) if self.grade[earlier] == grade => tally.add(Counter::Repeated, line, item),
            Some(_) => return Err(Fault::entry(FaultKind::Conflict, line, request, item, text).into()),
        }
        Ok(())
    }

    fn find_or_insert(&mut self, [request, subtopic, item]: [u32; 3]) -> Option<usize> {
        let key = [request as i32, subtopic as i32, item as i32];
        if key[0] != self.current && !self.has_returned {
            self.begin(key[0]);
        }
        let hash = self.seed.hash_words([request, subtopic, item]);
        let earlier = self.table.find_or_insert(hash, self.grade.len() as u32, |row| {
            let row = row as usize;
            [self.request[row], self.subtopic[row], self.item[row]] == key
        });
        if earlier.is_none() {
            self.request.push(key[0]);
            self.subtopic.push(key[1]);
            self.item.push(key[2]);
        }
        earlier.map(|row| row as usize)
    }

    /// Lines of a request that is new can only repeat each other.
    fn begin(&mut self, request: i32) {
        self.has_returned = request < self.current;
        self.current = request;
        let earlier = if self.has_returned { self.grade.len() } else { 0 };
        self.table.reset(earlier);
        for row in 0..earlier {
            let key = [self.request[row], self.subtopic[row], self.item[row]];
            let hash = self.seed.hash_words(key.map(|code| code as u32));
            self.table.find_or_insert(hash, row as u32, |_| false);
        }
    }
}
