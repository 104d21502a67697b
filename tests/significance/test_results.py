"""What a test says of pairs: rows, matrices, letters, shares, sentences and tables."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tiebreak as tb
from examples import examples
from orderings.experiments import compared, positions_of
from significance import slow
from significance.cases import few_draws, matrix, noise, outcome_of, pair, utilities
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.significance import CATALOGUE, PairTest, significance, warn_few_draws
from tiebreak.significance.letters import letter, letters

# run1 beats the others by far; run0 and run2 are near each other.
TABLE = [[0.1 + 0.01 * (q % 3), 0.9 - 0.02 * (q % 4), 0.12 - 0.015 * (q % 2)] for q in range(12)]
POSITIONS = [[[q % 3 + 1, 6], [4, 5 + q % 2], [q % 4 + 1, 7]] for q in range(8)]


@pytest.fixture
def found():
    return utilities(TABLE).test("t")


# Rows, pairs and matrices


def test_rows_are_all_pairs_in_order(found):
    rows = list(found.rows())
    assert [(row.run, row.other) for row in rows] == [("run0", "run1"), ("run0", "run2"), ("run1", "run2")]
    assert [row.pvalue for row in rows] == found.pvalue.tolist()
    assert [row.pvalue_corrected for row in rows] == found.pvalue_corrected.tolist()
    assert [row.effect_size for row in rows] == found.effect_size.tolist()
    assert {row.n_requests for row in rows} == {12}


def test_a_row_by_hand():
    # Differences 3, 1, -1, 1: mean 1, variance 8/3, t = 1 / sqrt(8/3 / 4), d = 1 / sqrt(8/3); 3 wins, 1 loss.
    row = pair([3, 1, -1, 1]).test("t", correction="none").between("a", "b")
    assert row.value == 1
    assert row.statistic == pytest.approx((3 / 2) ** 0.5)
    assert row.effect_size == pytest.approx((3 / 8) ** 0.5)
    assert (row.superiority, row.win_share, row.n_requests, row.n_tied) == (3 / 4, 3 / 4, 4, 0)


def test_ties_count_half_for_superiority_and_not_for_the_win_share():
    row = pair([1, 1, -1, 0, 0, 0]).test("sign").between("a", "b")
    assert (row.superiority, row.win_share, row.n_tied) == ((2 + 3 / 2) / 6, 2 / 3, 3)


@pytest.mark.parametrize("test", sorted(CATALOGUE))
def test_a_pair_seen_from_the_other_run_has_its_signs_turned(test):
    result = utilities(noise(np.random.default_rng(4), runs=3, requests=7)).test(test, **few_draws(test))
    there, back = result.between("run0", "run2"), result.between("run2", "run0")
    assert (back.run, back.other) == ("run2", "run0")
    for name in ("value", "effect_size"):
        assert getattr(back, name) == -getattr(there, name) != 0
    assert (back.low, back.high) == (-there.high, -there.low)
    for name, mirrored in (("superiority", "superiority"), ("win_share", "win_share"), ("win_low", "win_high")):
        assert getattr(back, name) == pytest.approx(1 - getattr(there, mirrored))
    for name in ("pvalue", "pvalue_corrected", "n_requests", "n_tied"):
        assert getattr(back, name) == getattr(there, name)


@pytest.mark.parametrize("test", sorted(CATALOGUE))
def test_a_statistic_seen_from_the_other_run_is_that_of_the_runs_in_the_other_order(test):
    table = noise(np.random.default_rng(4), runs=2, requests=7)
    there = utilities(table, names=["a", "b"]).test(test, **few_draws(test))
    back = utilities(table[:, ::-1], names=["b", "a"]).test(test, **few_draws(test))
    assert there.between("b", "a").statistic == pytest.approx(back.between("b", "a").statistic)


def test_turning_leaves_no_minus_zero():
    row = pair([1, -1]).test("t").between("b", "a")
    assert [str(value) for value in (row.value, row.effect_size)] == ["0.0", "0.0"]


def test_runs_that_were_not_tested_are_refused():
    against = utilities(TABLE).test("t", baseline="run1")
    assert against.between("run0", "run1").value < 0 < against.between("run1", "run0").value
    with pytest.raises(InputError, match="run0 and run2 were not tested"):
        against.between("run0", "run2")
    with pytest.raises(InputError, match="run1 cannot be compared with itself"):
        against.between("run1", "run1")
    with pytest.raises(UnknownNameError, match='"run7"'):
        against.between("run7", "run1")


def test_matrix_has_corrected_p_in_both_directions(found):
    p01, p02, p12 = found.pvalue_corrected.tolist()
    assert found.matrix().tolist() == [[1, p01, p02], [p01, 1, p12], [p02, p12, 1]]
    assert found.pvalue_corrected.tolist() == pytest.approx(
        [2 * found.pvalue[0], found.pvalue[1], 3 * found.pvalue[2]], rel=1e-12
    )


def test_matrix_has_no_number_for_pairs_that_were_not_tested():
    against = utilities(TABLE).test("t", baseline="run1")
    p0, p2 = against.pvalue_corrected.tolist()
    assert np.array_equal(against.matrix(), [[1, p0, np.nan], [p0, 1, p2], [np.nan, p2, 1]], equal_nan=True)


def test_against_a_baseline_fewer_pairs_are_corrected_for():
    every, against = (utilities(TABLE).test("t", correction="bonferroni", **how) for how in ({}, {"baseline": "run1"}))
    assert [(row.run, row.other) for row in against.rows()] == [("run0", "run1"), ("run2", "run1")]
    row = against.between("run0", "run1")
    assert row.pvalue == every.between("run0", "run1").pvalue
    assert row.pvalue_corrected == min(2 * row.pvalue, 1)


def test_a_comparison_with_a_baseline_is_tested_against_it():
    table = [[[q % 3 + 1], [4], [q % 4 + 1]] for q in range(6)]
    every = compared(table, "RPP").test("t")
    against = tb.compare(positions_of(table), "RPP", "run1").test("t")
    assert [(row.run, row.other) for row in against.rows()] == [("run0", "run1"), ("run2", "run1")]
    assert against.between("run2", "run1").pvalue == every.between("run2", "run1").pvalue


# Which pairs differ


@given(alpha=st.floats(0.001, 0.999))
def test_share_is_that_of_pairs_with_corrected_p_below_alpha(alpha):
    result = utilities(noise(np.random.default_rng(8), runs=5, requests=7)).test("t", alpha=alpha)
    below = [p < alpha for p in result.pvalue_corrected.tolist()]
    assert result.differs.tolist() == below
    assert result.share == sum(below) / 10


def test_p_equal_to_alpha_shows_nothing():
    # Three wins of three: p = 2 / 2^3.
    result = pair([1, 1, 1])
    assert result.test("sign", alpha=0.25).pvalue.tolist() == [0.25]
    assert result.test("sign", alpha=0.25).share == 0
    assert result.test("sign", alpha=0.2501).share == 1


# Letters


def symmetric(size):
    upper = st.lists(st.booleans(), min_size=size * (size - 1) // 2, max_size=size * (size - 1) // 2)
    return upper.map(lambda cells: np.array(matrix([Fraction(cell) for cell in cells], size)) != 0)


@given(differ=st.integers(1, 8).flatmap(symmetric))
@example(differ=np.zeros((1, 1), dtype=bool))
@example(differ=np.zeros((4, 4), dtype=bool))
@example(differ=~np.eye(30, dtype=bool))
def test_runs_share_a_letter_exactly_where_they_do_not_differ(differ):
    found = [slow.letters_in(text) for text in letters(differ)]
    for x, y in slow.pairs(len(differ)):
        assert bool(found[x] & found[y]) != bool(differ[x, y])
    assert all(found)


@given(differ=st.integers(1, 7).flatmap(symmetric))
def test_no_letter_is_part_of_another_and_none_is_left_out(differ):
    found = [slow.letters_in(text) for text in letters(differ)]
    used = set().union(*found)
    assert used == {letter(k) for k in range(len(used))}
    groups = [{run for run, text in enumerate(found) if name in text} for name in used]
    assert not any(group < other for group in groups for other in groups)
    assert len(groups) == len({*map(frozenset, groups)})


def test_letters_by_hand():
    # A chain a - b - c - d, each like its neighbours only.
    differ = np.array([[abs(x - y) > 1 for y in range(4)] for x in range(4)])
    assert letters(differ) == ["a", "ab", "bc", "c"]


def test_letters_of_runs_come_with_the_best_first(found):
    assert found.differs.tolist()[0] and found.differs.tolist()[2]
    assert next(iter(found.letters())) == "run1"
    assert found.letters()["run1"] == "a"
    shared = {run: slow.letters_in(text) for run, text in found.letters().items()}
    for (x, y), differs in zip(slow.pairs(3), found.differs.tolist(), strict=True):
        assert bool(shared[f"run{x}"] & shared[f"run{y}"]) != differs
    shown = found.letter_table().table().to_text()
    assert "run1" in shown and "not shown to differ" in shown


@settings(max_examples=examples(20))
@given(seed=st.integers(0, 1000), test=st.sampled_from(["t", "sign", "tukey"]))
def test_letters_of_a_test_say_what_its_matrix_says(seed, test):
    rng = np.random.default_rng(seed)
    result = utilities(noise(rng, runs=4, requests=9, spread=0.2) + rng.normal(0, 0.3, 4)).test(test)
    shared = {run: slow.letters_in(text) for run, text in result.letters().items()}
    matrix = result.matrix()
    for x, y in slow.pairs(4):
        assert bool(shared[f"run{x}"] & shared[f"run{y}"]) == (matrix[x, y] >= result.alpha)


def test_runs_that_are_equal_share_one_letter():
    assert set(utilities([[1, 1, 1]] * 4).test("t").letters().values()) == {"a"}


# Which test


@pytest.mark.parametrize("measure", ["LexiRecall", "LexiPrecision", "sgnLP", "sign(AP)"])
def test_auto_is_the_sign_test_for_signs(measure):
    result = compared(POSITIONS, measure).test()
    assert (result.test.name, result.correction) == ("sign", "holm")
    assert result.pvalue.tolist() == compared(POSITIONS, measure).test("sign").pvalue.tolist()


@pytest.mark.parametrize("measure", ["RPP", "rrLP", "AP", "diff(AP)"])
def test_auto_is_t_for_sizes(measure):
    result = compared(POSITIONS, measure).test()
    assert (result.test.name, result.correction) == ("t", "holm")
    assert result.pvalue.tolist() == compared(POSITIONS, measure).test("t").pvalue.tolist()


def test_auto_is_t_for_utilities():
    assert utilities(TABLE).test().test.name == "t"


@pytest.mark.parametrize("test", ["hsd", "tukey"])
def test_tests_of_all_pairs_are_not_corrected_again(test):
    result = utilities(TABLE).test(test)
    assert result.correction == "none"
    assert result.pvalue_corrected.tolist() == result.pvalue.tolist()
    asked = utilities(TABLE).test(test, correction="bonferroni")
    assert asked.pvalue_corrected.tolist() == np.minimum(3 * asked.pvalue, 1).tolist()


@pytest.mark.parametrize("test", ["t", "sign", "wilcoxon", "permutation", "bootstrap"])
def test_tests_of_a_pair_are_corrected_by_holm(test):
    assert utilities(TABLE).test(test, **few_draws(test)).correction == "holm"


# Sentences and tables


@pytest.mark.parametrize(
    ("test", "how", "words"),
    [
        ("t", {}, ["paired t-test", "Holm", "3 comparisons", "alpha = 0.05"]),
        ("sign", {"correction": "bonferroni"}, ["exact two-sided sign test", "Bonferroni", "3 comparisons"]),
        ("wilcoxon", {"correction": "bh"}, ["Wilcoxon signed-rank", "Benjamini and Hochberg", "3 comparisons"]),
        ("permutation", {"permutations": 2000, "seed": 7}, ["sign-flip permutation", "2,000 draws, seed 7", "Holm"]),
        ("bootstrap", {"permutations": 300}, ["bootstrap", "300 draws, seed 0", "Holm"]),
        ("hsd", {"seed": 3, "alpha": 0.01}, ["randomised Tukey HSD", "10,000 draws, seed 3", "family", "alpha = 0.01"]),
        ("tukey", {}, ["Tukey's HSD", "blocked by request", "family of all pairs", "3 comparisons"]),
        ("permutation", {"permutations": "all"}, ["all permutations"]),
    ],
)
def test_the_sentence_says_what_was_done(test, how, words):
    result = utilities(TABLE).test(test, **how)
    sentence = result.description
    for word in ["utility", "12 requests", *words]:
        assert word in sentence
    assert f"{int(result.differs.sum())} shown" in sentence
    assert "no difference was shown" in sentence
    assert ("draws" in sentence) == (test in ("permutation", "bootstrap", "hsd") and how.get("permutations") != "all")
    if test in ("hsd", "tukey"):
        assert "correction" not in sentence


def test_one_comparison_is_not_several():
    assert "1 comparison," in pair([1, 2, 4]).test("t").description


def test_frame_has_a_row_per_pair(found):
    pytest.importorskip("polars")
    frame = found.to_frame()
    assert list(frame.columns) == [*PairTest._fields]
    assert len(frame) == 3
    assert list(frame["pvalue_corrected"]) == found.pvalue_corrected.tolist()
    assert list(frame["other"]) == ["run1", "run2", "run2"]


def test_dictionary_has_rows_and_settings(found):
    rows = found.to_dict()
    assert [row["pvalue_corrected"] for row in rows["rows"]] == found.pvalue_corrected.tolist()
    assert rows["settings"] == {
        "measure": "utility",
        "test": found.test.name,
        "alternative": "two-sided",
        "permutations": None,
        "seed": None,
        "correction": found.correction,
        "alpha": 0.05,
        "baselines": [],
    }


def test_latex_marks_what_was_shown(found):
    text = found.to_latex()
    assert text.startswith(r"\begin{tabular}") and r"\end{tabular}" in text
    rows = [line for line in text.splitlines() if line.startswith("run") and "other" not in line]
    assert [r"\textbf" in row for row in rows] == found.differs.tolist()
    assert [row.split(" & ")[:2] for row in rows] == [["run0", "run1"], ["run0", "run2"], ["run1", "run2"]]
    assert "% Differences in utility" in text


def test_print_has_every_pair_and_the_sentence(found):
    shown = repr(found)
    lines = [line for line in shown.splitlines() if re.match(r" *run\d", line)]
    assert len(lines) == 3
    assert ["*" in line for line in lines] == found.differs.tolist()
    assert "<0.001" in lines[0]
    assert found.description in shown
    assert "* p < 0.05 by a two-sided paired t-test, with Holm's correction for 3 comparisons." in shown
    assert "run1" in found._repr_html_()


def test_many_pairs_are_shown_as_a_matrix():
    result = utilities([[r * (q + 1) % 7 for r in range(21)] for q in range(5)]).test("t")
    assert "All 210 pairs" in repr(result) and len(result.table().rows) == 21
    assert len(list(result.rows())) == len(result.table(most=None).rows) == 210


def test_notes_of_what_was_tested_are_kept():
    result = tb.Utilities({"a": {"q": 1, "r": 2}, "b": {"q": 2, "r": 5}}, lower_is_better=True).test("t")
    assert result.between("a", "b").value == 2
    assert any("better" in note or "cost" in note for note in result.notes)


# Too few draws


def notes_about_draws(test="permutation", **how):
    return [note for note in utilities(TABLE).test(test, **how).notes if "too few" in note]


def test_warn_few_draws_are_said_to_be_too_few():
    # Of three pairs the smallest p is 3 / (B + 1): below 0.05 from B = 60.
    assert notes_about_draws(permutations=60) == []
    (note,) = notes_about_draws(permutations=59)
    assert note.startswith("59 draws are too few") and "3 comparisons" in note and "at least 60" in note
    assert "59 draws are too few" in repr(utilities(TABLE).test("permutation", permutations=59))


def test_enough_or_all_draws_are_not_too_few():
    assert (
        notes_about_draws(permutations="all") == [] == notes_about_draws(permutations=10_000) == notes_about_draws("t")
    )


def test_without_a_correction_draws_suffice_from_one_over_alpha():
    # 1 / (B + 1) < 0.05 from B = 20.
    assert notes_about_draws(permutations=20, correction="none") == []
    (note,) = notes_about_draws(permutations=19, correction="none")
    assert "at least 20" in note


def test_draws_of_all_pairs_at_once_can_be_too_few():
    # The smallest p is 1 / 20, which is not below 0.05.
    assert notes_about_draws("hsd", permutations=20) == []
    (note,) = notes_about_draws("hsd", permutations=19)
    assert note.startswith("19 draws are too few")


def test_draws_that_can_show_all_pairs_by_benjamini_and_hochberg_are_not_too_few():
    # All three pairs at 1 / 51 are left at 1 / 51.
    table = [[0, 10, 20] for _ in range(40)]
    result = utilities(table).test("permutation", permutations=50, correction="bh")
    assert result.share == 1
    assert not any("too few" in note for note in result.notes)


def test_draws_of_a_bootstrap_count_twice():
    # Its smallest p is 2 / (B + 1): of three pairs below 0.05 from B = 120.
    assert notes_about_draws("bootstrap", permutations=120) == []
    (note,) = notes_about_draws("bootstrap", permutations=119)
    assert "at least 120" in note


@given(alpha=st.floats(0.001, 0.5), pairs=st.integers(1, 50))
def test_as_many_draws_as_are_asked_for_are_enough(alpha, pairs):
    test = pair([1, 2]).test("permutation", permutations=1).test
    for note in warn_few_draws(test, "bonferroni", alpha, pairs):
        needed = int(re.search(r"at least ([\d,]+)", note)[1].replace(",", ""))
        enough = pair([1, 2]).test("permutation", permutations=needed).test
        assert not list(warn_few_draws(enough, "bonferroni", alpha, pairs))


def test_a_preference_can_be_tested_by_itself():
    result = outcome_of([matrix([1, 1, -1], 3), matrix([1, 0, 1], 3)], "sign", is_sign=True)
    assert result.pvalue.tolist() == [0.5, 1, 1]
    assert significance("preference", result.paired).test.name == "sign"


@pytest.mark.parametrize(
    ("alpha", "ending"),
    [
        (1e-9, "; no difference was shown."),
        (0.02, "; 2 shown. For the others no difference was shown."),
        (0.99, "; 3 shown."),
    ],
)
def test_description_counts_what_was_shown(alpha, ending):
    rng = np.random.default_rng(3)
    values = {
        name: dict(enumerate((shift + rng.standard_normal(12)).tolist()))
        for name, shift in zip("abc", (0, 0, 1.2), strict=True)
    }
    tested = tb.Utilities(values).compare().test(correction="none", alpha=alpha)
    assert tested.description.endswith(f"alpha = {alpha:g}{ending}")
