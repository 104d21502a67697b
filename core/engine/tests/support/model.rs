//! What reading means, slow and obvious: the Python twin once more, for comparison inside the Rust tests.
//!
//! Every line is split and kept, every ranking is sorted whole, nothing is read in blocks, hashed or skipped.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use tiebreak_engine::ids::Ids;
use tiebreak_engine::run_result::{RunResult, ScoreRange, Top};
use tiebreak_engine::source::Rows;
use tiebreak_engine::tally::{Counter, Tally};
use tiebreak_engine::text::LONGEST_LINE;
use tiebreak_engine::{Duplicates, Fault, FaultKind, JudgedRows, Options, UNRETRIEVED};

use crate::judgements::Judgements;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const LINE_COST: u64 = 32;

type Outcome = Result<(), Fault>;

/// The number and the columns of every line that is neither blank nor a comment.
fn each_row<'t>(
    text: &'t [u8],
    widths: RangeInclusive<usize>,
    tally: &mut Tally,
    mut visit: impl FnMut(u64, &[u8], &[&'t [u8]], &mut Tally) -> Outcome,
) -> Outcome {
    if !text.is_empty() && !text.ends_with(b"\n") {
        let last = text.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        tally.add(Counter::NoFinalNewline, last, b"");
    }
    let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n');
    for (number, mut line) in (1..).zip(lines).filter(|_| !text.is_empty()) {
        if let (1, Some(unmarked)) = (number, line.strip_prefix(BYTE_ORDER_MARK)) {
            tally.add(Counter::ByteOrderMark, 1, b"");
            line = unmarked;
        }
        if line.len() > LONGEST_LINE {
            return Err(Fault::line(FaultKind::LongLine, number, LONGEST_LINE as i64, b""));
        }
        if let Some(unended) = line.strip_suffix(b"\r") {
            tally.add(Counter::Crlf, number, b"");
            line = unended;
        }
        if let Some(&control) = line.iter().find(|&&byte| byte.is_ascii_control() && byte != b'\t') {
            return Err(Fault::line(FaultKind::Control, number, i64::from(control), line));
        }
        if std::str::from_utf8(line).is_err() {
            return Err(Fault::line(FaultKind::Encoding, number, 0, line));
        }
        let columns = line.split(|byte| b" \t".contains(byte)).filter(|column| !column.is_empty());
        let columns: Vec<&[u8]> = columns.collect();
        if columns.is_empty() {
            tally.add(Counter::Blank, number, b"");
        } else if columns[0][0] == b'#' {
            tally.add(Counter::Comment, number, line);
        } else if !widths.contains(&columns.len()) || (columns.len() > 6 && rank_of(columns[3]).is_none()) {
            return Err(Fault::line(FaultKind::Columns, number, columns.len() as i64, line));
        } else {
            tally.add(Counter::Lines, number, b"");
            visit(number, line, &columns, tally)?;
        }
    }
    Ok(())
}

fn count_spelling(number: u64, line: &[u8], columns: &[&[u8]], value: &[u8], tally: &mut Tally) {
    let separators: Vec<u8> = line.iter().copied().filter(|byte| b" \t".contains(byte)).collect();
    if separators.contains(&b'\t') {
        tally.add(Counter::Tabs, number, b"");
    }
    if separators.len() >= columns.len() {
        tally.add(Counter::Blanks, number, b"");
    }
    if value.to_ascii_lowercase().contains(&b'e') {
        tally.add(Counter::Scientific, number, value);
    }
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

fn rank_of(rank: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(rank).ok()?;
    let rank: i64 = if text.len() <= 20 { text.parse().ok()? } else { return None };
    (rank != i64::MIN).then_some(rank)
}

pub fn read_judgements(text: &[u8]) -> Result<JudgedRows, Fault> {
    let mut rows = JudgedRows::default();
    let mut tally = Tally::default();
    let mut codes: [HashMap<Vec<u8>, i32>; 3] = Default::default();
    let mut grades: HashMap<[i32; 3], f64> = HashMap::new();
    each_row(text, 4..=4, &mut tally, |line, written, columns, tally| {
        let &[request, iteration, item, text] = columns else { unreachable!("four columns") };
        count_spelling(line, written, columns, text, tally);
        if iteration == b"Q0" {
            tally.add(Counter::Q0, line, b"");
        }
        let grade = number_of(text).ok_or_else(|| Fault::entry(FaultKind::Grade, line, request, item, text))?;
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
            Some(_) => return Err(Fault::entry(FaultKind::Conflict, line, request, item, text)),
        }
        Ok(())
    })?;
    rows.tally = tally;
    if rows.grade.is_empty() { Err(Fault::file(FaultKind::Empty, b"")) } else { Ok(rows) }
}

/// The ranks and the rest of a projection of one run; no fingerprints.
pub fn project_text(text: &[u8], judgements: &Judgements, options: &Options) -> Result<(Vec<i32>, RunResult), Fault> {
    let mut rankings = Rankings::new(judgements, options);
    let mut tally = Tally::default();
    each_row(text, 5..=usize::MAX, &mut tally, |number, line, columns, tally| {
        let (request, item, place, text) = (columns[0], columns[2], columns[3], columns[4]);
        let rank = rank_of(place);
        if options.rank_breaks_ties && rank.is_none() {
            return Err(Fault::entry(FaultKind::Rank, number, request, item, place));
        }
        if options.audit {
            count_spelling(number, line, columns, text, tally);
            match rank {
                None => tally.add(Counter::NoRank, number, place),
                Some(0) => tally.add(Counter::RankZero, number, b""),
                Some(_) => {}
            }
        }
        match number_of(text) {
            Some(score) => rankings.push(Line { number, request, item, score, rank }, tally),
            None if options.drop_bad_scores => {
                tally.add(Counter::BadScore, number, text);
                Ok(())
            }
            None => Err(Fault::entry(FaultKind::Score, number, request, item, text)),
        }
    })?;
    if tally.count(Counter::Lines) == 0 {
        return Err(Fault::file(FaultKind::Empty, b""));
    }
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
            rankings.push(Line { number, request, item, score: score + 0.0, rank: Some(0) }, &mut tally)?;
        } else if options.drop_bad_scores {
            tally.add(Counter::BadScore, number, text.as_bytes());
        } else {
            return Err(Fault::entry(FaultKind::Score, number, request, item, text.as_bytes()));
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
    rank: Option<i64>,
}

impl Line<'_> {
    fn cost(&self) -> u64 {
        LINE_COST + self.item.len() as u64
    }

    fn fault(&self, kind: FaultKind) -> Fault {
        Fault::entry(kind, self.number, self.request, self.item, b"")
    }
}

/// The lines of one run, gathered by judged request.
struct Rankings<'t> {
    judgements: &'t Judgements,
    options: &'t Options,
    lists: HashMap<usize, Vec<Line<'t>>>,
    first_line: HashMap<usize, u64>,
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
            first_line: HashMap::new(),
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
        self.first_line.entry(r).or_insert(line.number);
        let list = self.lists.entry(r).or_default();
        if let Some(listed) = list.iter_mut().find(|listed| listed.item == line.item) {
            if self.options.duplicates == Duplicates::Error {
                return Err(line.fault(FaultKind::Duplicate));
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
        if refused { Err(line.fault(FaultKind::Memory)) } else { Ok(()) }
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
            self.refusal = Some(line.fault(FaultKind::Memory));
        }
        self.refusal.clone().filter(|_| self.returned).map_or(Ok(()), Err)
    }

    fn finish(self, tally: Tally) -> Result<(Vec<i32>, RunResult), Fault> {
        let (judgements, options) = (self.judgements, self.options);
        let requests = judgements.requests.view().len();
        let mut ranks = vec![UNRETRIEVED; judgements.slots];
        let top = if options.top.is_some() { vec![Top::default(); requests] } else { Vec::new() };
        let none = vec![0; requests];
        let mut result = RunResult {
            listed: none.clone(),
            retrieved: none.clone(),
            tied: none,
            scores: ScoreRange::default(),
            tally,
            top,
            pool: Vec::new(),
        };
        for (r, mut list) in self.lists {
            let judgements_of_r = judgements.starts[r] as usize..judgements.starts[r + 1] as usize;
            let judgement = |item: &[u8]| {
                judgements_of_r.clone().find(|&j| judgements.items.view().get(judgements.item[j] as usize) == item)
            };
            for line in &list {
                result.scores.low = result.scores.low.min(line.score);
                result.scores.high = result.scores.high.max(line.score);
            }
            let (first, request) = (self.first_line[&r], judgements.requests.view().get(r));
            let mut count = |counter, met| result.tally.add_many(counter, met, first, request);
            count(Counter::Unsorted, usize::from(list.windows(2).any(|pair| pair[0].score < pair[1].score)));
            if options.audit {
                let tied = |a: &Line, b: &Line| a.item != b.item && a.score == b.score;
                let only_in_32 = |a: &Line, b: &Line| a.score != b.score && a.score as f32 == b.score as f32;
                let above = |a: &Line, b: &Line| a.rank < b.rank && a.score < b.score;
                let ranked = list.iter().all(|line| line.rank.is_some());
                let disagree = ranked && list.iter().any(|a| list.iter().any(|b| above(a, b)));
                count(Counter::RankDisagrees, usize::from(disagree));
                let with_tie = |a: &&Line| list.iter().any(|b| tied(a, b));
                let confused = |a: &&Line| list.iter().any(|b| only_in_32(a, b));
                count(Counter::Float32Ties, list.iter().filter(confused).count());
                let is_judged = |line: &&Line| judgement(line.item).is_some();
                let touched: HashSet<u64> =
                    list.iter().filter(with_tie).filter(is_judged).map(|line| line.score.to_bits()).collect();
                count(Counter::JudgedTies, touched.len());
            }
            result.listed[r] = list.len() as i32;
            result.tied[r] =
                list.iter().filter(|a| list.iter().filter(|b| a.score == b.score).count() > 1).count() as i32;
            list.sort_by(|a, b| b.item.cmp(a.item));
            list.sort_by_key(|line| line.rank.filter(|_| options.rank_breaks_ties));
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
