//! What reading means, slow and obvious: the Python twin once more, for comparison inside the Rust tests.
//!
//! Every line is split and kept, every ranking is sorted whole, nothing is read in blocks, hashed or skipped.

use std::collections::{HashMap, HashSet};

use tiebreak_engine::ids::Ids;
use tiebreak_engine::run::{RunResult, Top};
use tiebreak_engine::source::Rows;
use tiebreak_engine::tally::{Counter, Tally};
use tiebreak_engine::text::LONGEST_LINE;
use tiebreak_engine::{Duplicates, Fault, JudgedRows, Options, UNRETRIEVED};

use crate::judgements::Judgements;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const LINE_COST: u64 = 32;

type Outcome = Result<(), Fault>;

/// The number and the columns of every line that is neither blank nor a comment.
fn each_row<'t>(
    text: &'t [u8],
    widths: &[usize],
    tally: &mut Tally,
    mut visit: impl FnMut(u64, &[&'t [u8]], &mut Tally) -> Outcome,
) -> Outcome {
    let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n');
    for (number, mut line) in (1..).zip(lines).filter(|_| !text.is_empty()) {
        if let (1, Some(unmarked)) = (number, line.strip_prefix(BYTE_ORDER_MARK)) {
            tally.add(Counter::ByteOrderMark, 1, b"");
            line = unmarked;
        }
        if line.len() > LONGEST_LINE {
            return Err(Fault::line("long_line", number, LONGEST_LINE as i64, b""));
        }
        if let Some(unended) = line.strip_suffix(b"\r") {
            tally.add(Counter::Crlf, number, b"");
            line = unended;
        }
        if let Some(&control) = line.iter().find(|&&byte| byte.is_ascii_control() && byte != b'\t') {
            return Err(Fault::line("control", number, i64::from(control), line));
        }
        if std::str::from_utf8(line).is_err() {
            return Err(Fault::line("encoding", number, 0, line));
        }
        let columns = line.split(|byte| b" \t".contains(byte)).filter(|column| !column.is_empty());
        let columns: Vec<&[u8]> = columns.collect();
        if columns.is_empty() {
            tally.add(Counter::Blank, number, b"");
        } else if columns[0][0] == b'#' {
            tally.add(Counter::Comment, number, line);
        } else if !widths.contains(&columns.len()) {
            return Err(Fault::line("columns", number, columns.len() as i64, line));
        } else {
            tally.add(Counter::Lines, number, b"");
            visit(number, &columns, tally)?;
        }
    }
    Ok(())
}

/// `[+-]?(digits[.digits] | .digits)([eE][+-]?digits)?`, finite; -0 is 0.
fn number_of(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?;
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let is_number = digits(whole) && digits(fraction) && digits(exponent);
    let is_whole = !fraction.is_empty() && !exponent.is_empty() && (!whole.is_empty() || mantissa.starts_with('.'));
    let value: f64 = if is_number && is_whole { text.parse().ok()? } else { return None };
    value.is_finite().then_some(value + 0.0)
}

fn place_of(rank: &[u8], options: &Options) -> Option<i64> {
    if !options.rank_breaks_ties {
        return Some(0);
    }
    let text = std::str::from_utf8(rank).ok()?;
    if text.len() <= 20 { text.parse().ok() } else { None }
}

pub fn read_judgements(text: &[u8]) -> Result<JudgedRows, Fault> {
    let mut rows = JudgedRows::default();
    let mut tally = Tally::default();
    let mut codes: [HashMap<Vec<u8>, i32>; 3] = Default::default();
    let mut grades: HashMap<[i32; 3], f64> = HashMap::new();
    each_row(text, &[4], &mut tally, |line, columns, tally| {
        let &[request, iteration, item, text] = columns else { unreachable!("four columns") };
        let grade = number_of(text).ok_or_else(|| Fault::entry("grade", line, request, item, text))?;
        let subtopic = if iteration == b"Q0" { b"0" } else { iteration };
        let columns = [&mut rows.requests, &mut rows.subtopics, &mut rows.items];
        let mut key = [0; 3];
        for (((id, codes), column), code) in [request, subtopic, item].iter().zip(&mut codes).zip(columns).zip(&mut key)
        {
            let new = codes.len() as i32;
            *code = *codes.entry(id.to_vec()).or_insert_with(|| {
                column.push(id);
                new
            });
        }
        match grades.insert(key, grade) {
            None => {
                rows.request.push(key[0]);
                rows.subtopic.push(key[1]);
                rows.item.push(key[2]);
                rows.grade.push(grade);
            }
            Some(earlier) if earlier == grade => tally.add(Counter::Repeated, line, item),
            Some(_) => return Err(Fault::entry("conflict", line, request, item, text)),
        }
        Ok(())
    })?;
    rows.tally = tally;
    if rows.grade.is_empty() { Err(Fault::file("empty", b"")) } else { Ok(rows) }
}

/// The ranks and the rest of a projection of one run; no fingerprints.
pub fn project_text(text: &[u8], judgements: &Judgements, options: &Options) -> Result<(Vec<i32>, RunResult), Fault> {
    let mut rankings = Rankings::new(judgements, options);
    let mut tally = Tally::default();
    each_row(text, &[5, 6], &mut tally, |number, columns, tally| {
        let (request, item, rank, text) = (columns[0], columns[2], columns[3], columns[4]);
        let place = place_of(rank, options).ok_or_else(|| Fault::entry("rank", number, request, item, rank))?;
        match number_of(text) {
            Some(score) => rankings.push(Line { number, request, item, score, place }, tally),
            None if options.drop_bad_scores => {
                tally.add(Counter::BadScore, number, text);
                Ok(())
            }
            None => Err(Fault::entry("score", number, request, item, text)),
        }
    })?;
    rankings.finish(tally)
}

pub fn project_rows(rows: &Rows, judgements: &Judgements, options: &Options) -> Result<(Vec<i32>, RunResult), Fault> {
    let mut rankings = Rankings::new(judgements, options);
    let mut tally = Tally::default();
    for (row, (&request, &score)) in rows.request.iter().zip(rows.scores).enumerate() {
        let number = row as u64 + 1;
        let (request, item) = (rows.requests.get(request as usize), rows.items.get(row));
        tally.add(Counter::Lines, number, b"");
        let text = if score.is_nan() { "nan" } else { ["-inf", "inf"][usize::from(score > 0.0)] };
        if score.is_finite() {
            rankings.push(Line { number, request, item, score: score + 0.0, place: 0 }, &mut tally)?;
        } else if options.drop_bad_scores {
            tally.add(Counter::BadScore, number, text.as_bytes());
        } else {
            return Err(Fault::entry("score", number, request, item, text.as_bytes()));
        }
    }
    rankings.finish(tally)
}

#[derive(Clone, Copy)]
struct Line<'t> {
    number: u64,
    request: &'t [u8],
    item: &'t [u8],
    score: f64,
    place: i64,
}

impl Line<'_> {
    fn cost(&self) -> u64 {
        LINE_COST + self.item.len() as u64
    }

    fn fault(&self, kind: &'static str) -> Fault {
        Fault::entry(kind, self.number, self.request, self.item, b"")
    }
}

/// The lines of one run, gathered by judged request.
struct Rankings<'t> {
    judgements: &'t Judgements,
    options: &'t Options,
    lists: HashMap<usize, Vec<Line<'t>>>,
    unjudged: HashSet<&'t [u8]>,
    request: Option<&'t [u8]>,
    returned: bool,
    held: u64,
    held_in_request: u64,
    refusal: Option<Fault>,
}

fn ids_of(ids: Ids<'_>) -> impl Iterator<Item = &[u8]> {
    (0..ids.len()).map(move |i| ids.get(i))
}

impl<'t> Rankings<'t> {
    fn new(judgements: &'t Judgements, options: &'t Options) -> Self {
        Rankings {
            judgements,
            options,
            lists: HashMap::new(),
            unjudged: HashSet::new(),
            request: None,
            returned: false,
            held: 0,
            held_in_request: 0,
            refusal: None,
        }
    }

    fn push(&mut self, line: Line<'t>, tally: &mut Tally) -> Outcome {
        let judged = ids_of(self.judgements.requests.view()).position(|id| id == line.request);
        if self.request != Some(line.request) {
            self.begin(judged, &line, tally)?;
        }
        let Some(r) = judged else {
            tally.add(Counter::UnjudgedLines, line.number, line.request);
            return Ok(());
        };
        self.count_memory(&line)?;
        let list = self.lists.entry(r).or_default();
        if let Some(listed) = list.iter_mut().find(|listed| listed.item == line.item) {
            if self.options.duplicates == Duplicates::Error {
                return Err(line.fault("duplicate"));
            }
            tally.add(Counter::Duplicate, line.number, line.item);
            if self.options.duplicates == Duplicates::Best && line.score > listed.score {
                *listed = line;
            }
            return Ok(());
        }
        list.push(line);
        self.held_in_request += line.cost();
        let refused = !self.returned && self.held_in_request > self.options.memory;
        if refused { Err(line.fault("memory")) } else { Ok(()) }
    }

    fn begin(&mut self, judged: Option<usize>, line: &Line<'t>, tally: &mut Tally) -> Outcome {
        self.request = Some(line.request);
        self.held_in_request = 0;
        match judged {
            None => {
                if self.unjudged.insert(line.request) {
                    tally.add(Counter::UnjudgedRequests, line.number, line.request);
                }
            }
            Some(r) if self.lists.contains_key(&r) => {
                self.returned = true;
                tally.add(Counter::Returning, line.number, line.request);
            }
            Some(_) => {}
        }
        self.refusal.clone().filter(|_| self.returned).map_or(Ok(()), Err)
    }

    /// A file whose requests return is held whole, so it may be refused for lines before the first return.
    fn count_memory(&mut self, line: &Line<'t>) -> Outcome {
        self.held += line.cost();
        if self.held > self.options.memory && self.refusal.is_none() {
            self.refusal = Some(line.fault("memory"));
        }
        self.refusal.clone().filter(|_| self.returned).map_or(Ok(()), Err)
    }

    fn finish(self, tally: Tally) -> Result<(Vec<i32>, RunResult), Fault> {
        if tally.count(Counter::Lines) == 0 {
            return Err(Fault::file("empty", b""));
        }
        let (judgements, options) = (self.judgements, self.options);
        let requests = judgements.requests.view().len();
        let mut ranks = vec![UNRETRIEVED; judgements.slots];
        let top = if options.top.is_some() { vec![Top::default(); requests] } else { Vec::new() };
        let none = vec![0; requests];
        let mut result =
            RunResult { listed: none.clone(), retrieved: none.clone(), tied: none, tally, top, pool: Vec::new() };
        for (r, mut list) in self.lists {
            let judgements_of_r = judgements.starts[r] as usize..judgements.starts[r + 1] as usize;
            let judgement = |item: &[u8]| {
                judgements_of_r.clone().find(|&j| judgements.items.view().get(judgements.item[j] as usize) == item)
            };
            result.listed[r] = list.len() as i32;
            result.tied[r] =
                list.iter().filter(|a| list.iter().filter(|b| a.score == b.score).count() > 1).count() as i32;
            list.sort_by(|a, b| b.item.cmp(a.item));
            list.sort_by_key(|line| line.place);
            list.sort_by(|a, b| b.score.partial_cmp(&a.score).expect("finite scores"));
            list.retain(|line| !options.judged_only || judgement(line.item).is_some());
            list.truncate(options.depth);
            result.retrieved[r] = list.len() as i32;
            for (rank, line) in (1..).zip(&list) {
                let place = judgement(line.item);
                if let Some(slot) = place.map(|j| judgements.slot[j]).filter(|&slot| slot >= 0) {
                    ranks[slot as usize] = rank;
                }
                if rank as usize <= options.top.unwrap_or(0) {
                    result.top[r].items.push(line.item);
                    result.top[r].judgement.push(place.map_or(-1, |j| j as i32));
                }
            }
        }
        Ok((ranks, result))
    }
}
