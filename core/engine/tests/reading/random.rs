//! Random small files, read by the engine and by the model.

use tiebreak_engine::ids::IdColumn;
use tiebreak_engine::source::Rows;
use tiebreak_engine::{Duplicates, JudgedRows, Options, Source};

use crate::chance::Chance;
use crate::judgements::Judgements;
use crate::{model, read_as_the_model, read_judgements, read_source};

const FILES: u64 = 4_000;

/// Requests q0 to q3, of which q3 is not judged; some judgements have no slot, the others stand in any order.
fn random_judgements(chance: &mut Chance) -> Judgements {
    let mut text = String::new();
    for request in 0..3 {
        text.push_str(&format!("q{request}"));
        (0..12).filter(|_| chance.one_in(3)).for_each(|item| text.push_str(&format!(" {}", item_id(item))));
        text.push('\n');
    }
    let mut judgements = Judgements::new(&text);
    for j in (1..judgements.slots).rev() {
        judgements.slot.swap(j, chance.below(j + 1));
    }
    judgements.slot.iter_mut().for_each(|slot| *slot = if chance.one_in(4) { -1 } else { *slot });
    judgements
}

/// Ids of all lengths.
fn item_id(item: usize) -> String {
    format!("{}{item}", "id-of-an-item-".repeat(item % 4))
}

fn random_file(chance: &mut Chance) -> String {
    let (requests, items, scores) = (1 + chance.below(4), 1 + chance.below(40), 1 + chance.below(20));
    let returns = chance.one_in(3);
    let (mut text, mut request) = (String::new(), 0);
    for _ in 0..chance.below(60) {
        if chance.one_in(8) {
            request = if returns { chance.below(requests) } else { request + 1 };
        }
        let (item, rank) = (item_id(chance.below(items)), chance.below(5) as i64 - 2);
        let score = chance.below(scores) as f64 / 4.0 - 1.0 + chance.pick(&[0.0, 0.0, 1e-12]);
        let score = if chance.one_in(200) { "bad".to_owned() } else { score.to_string() };
        let gap = chance.pick(&[" ", " ", " ", " ", "\t", "  "]);
        let end = chance.pick(&["\n", "\n", "\n", "\n", "\r\n", " tag\n", " tag and more\n", "\n\n", "\n#\n"]);
        text.push_str(&[&format!("q{request}"), "Q0", &item, &rank.to_string(), &score].join(gap));
        text.push_str(end);
    }
    text
}

fn random_options(chance: &mut Chance) -> Options {
    Options {
        depth: chance.pick(&[usize::MAX, usize::MAX, 1, 5]),
        judged_only: chance.one_in(4),
        rank_breaks_ties: chance.one_in(3),
        duplicates: chance.pick(&[Duplicates::Error, Duplicates::First, Duplicates::Best]),
        drop_bad_scores: chance.one_in(2),
        top: chance.pick(&[None, Some(0), Some(3)]),
        memory: chance.pick(&[u64::MAX, u64::MAX, 500, 1_500]),
        audit: chance.one_in(2),
        ..Options::default()
    }
}

#[test]
fn the_engine_reads_random_files_as_the_model_does() {
    let mut sound = 0;
    for seed in 0..FILES {
        let mut chance = Chance::new(seed);
        let judgements = random_judgements(&mut chance);
        let text = random_file(&mut chance);
        let options = random_options(&mut chance);
        sound += u64::from(read_as_the_model(text.as_bytes(), &judgements, &options).is_ok());
    }
    // Otherwise nothing much was compared.
    assert!((FILES / 4..FILES * 3 / 4).contains(&sound), "{sound} of {FILES} are sound");
}

#[test]
fn lines_of_a_request_give_the_same_ranks_in_any_order() {
    for seed in 0..500 {
        let mut chance = Chance::new(seed);
        let judgements = random_judgements(&mut chance);
        let mut lines: Vec<String> = (0..30)
            .map(|item| format!("q{} 0 {} {} {}\n", item % 2, item_id(item), chance.below(3), chance.below(6)))
            .collect();
        let options = Options { rank_breaks_ties: chance.one_in(2), ..Options::default() };
        let ranks = |lines: &[String]| {
            let read = read_as_the_model(lines.concat().as_bytes(), &judgements, &options);
            read.expect("a sound run").0
        };
        let expected = ranks(&lines);
        for k in (1..lines.len()).rev() {
            lines.swap(k, chance.below(k + 1));
        }
        assert_eq!(ranks(&lines), expected, "seed {seed}");
    }
}

#[test]
fn the_engine_reads_random_judgements_as_the_model_does() {
    let mut sound = 0;
    for seed in 0..FILES {
        let mut chance = Chance::new(seed);
        let mut text = String::new();
        for _ in 0..chance.below(30) {
            let (request, item) = (chance.below(5), item_id(chance.below(8)));
            let (subtopic, grade) = (chance.pick(&["0", "Q0", "1", "2"]), chance.pick(&["1", "1.0", "+1", "1e0"]));
            let grade = if chance.one_in(20) { "2" } else { grade };
            text.push_str(&format!("q{request} {subtopic} {item} {grade}\n"));
        }
        let told = |rows: JudgedRows| format!("{rows:?}");
        let (read, expected) = (read_judgements(&text).map(told), model::read_judgements(text.as_bytes()).map(told));
        assert_eq!(read, expected, "seed {seed}");
        sound += u64::from(read.is_ok());
    }
    assert!((FILES / 4..FILES * 9 / 10).contains(&sound), "{sound} of {FILES} are sound");
}

#[test]
fn the_engine_reads_random_tables_as_the_model_does() {
    for seed in 0..FILES {
        let mut chance = Chance::new(seed);
        let judgements = random_judgements(&mut chance);
        let (mut items, mut request, mut scores) = (IdColumn::default(), Vec::new(), Vec::new());
        for row in 0..chance.below(50) {
            items.push(item_id(chance.below(40)).as_bytes());
            request.push(chance.below(1 + row / 10) as i32 % 4);
            scores.push(chance.below(9) as f64 / 4.0 - 1.0);
        }
        let requests = IdColumn { buffer: b"q0q1q2q3".to_vec(), offsets: vec![0, 2, 4, 6, 8] };
        let rows = Rows { requests: requests.view(), request: &request, items: items.view(), scores: &scores };
        let options = random_options(&mut chance);
        let read = read_source(Source::Table(rows), &judgements, &options);
        assert_eq!(read, model::project_rows(&rows, &judgements, &options), "seed {seed}");
    }
}
