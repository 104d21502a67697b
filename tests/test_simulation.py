"""The simulated experiment: repeatable, well formed, written exactly, and its systems behave as named."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import examples
from tiebreak.errors import InputError, UnknownNameError
from tiebreak.simulation import CHARACTERS, Character, Simulation, simulate

# --- repeatable ---


def test_same_arguments_give_the_same_experiment() -> None:
    assert simulate(5, seed=3) == simulate(5, seed=3)


def test_another_seed_gives_other_judgements_and_other_runs() -> None:
    one, other = simulate(5, seed=3), simulate(5, seed=4)
    assert one.judgements != other.judgements
    assert all(one.runs[name] != other.runs[name] for name in CHARACTERS)


@pytest.mark.slow
def test_hash_seed_of_the_process_changes_nothing() -> None:
    assert _output_of_a_process(hash_seed="1") == _output_of_a_process(hash_seed="2")


def _output_of_a_process(hash_seed: str) -> bytes:
    code = "from tiebreak.simulation import simulate as s; x = s(3); print(x.judgements, x.aspects, x.runs)"
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    return subprocess.check_output([sys.executable, "-c", code], env=environment)


@pytest.mark.parametrize("name", CHARACTERS)
def test_run_does_not_depend_on_which_other_systems_are_asked_for(name: str) -> None:
    alone, together = simulate(3, systems=[name]), simulate(3)
    assert alone.runs == {name: together.runs[name]}
    assert (alone.judgements, alone.aspects) == (together.judgements, together.aspects)


def test_systems_of_the_same_character_but_other_names_differ() -> None:
    runs = simulate(3, systems={"a": Character(), "b": Character()}).runs
    assert runs["a"] != runs["b"]


@pytest.mark.parametrize("more", [30, 120])  # 120 requests have wider ids
def test_request_does_not_depend_on_how_many_requests_are_asked_for(more: int) -> None:
    few, many = simulate(4), simulate(more)
    assert _in_order(few.judgements) == _in_order(many.judgements)[:4]
    assert _in_order(few.aspects) == _in_order(many.aspects)[:4]
    for name in CHARACTERS:
        assert _in_order(few.runs[name]) == _in_order(many.runs[name])[:4]


def _in_order(by_request: Mapping[str, object]) -> list[object]:
    return list(by_request.values())


@pytest.mark.parametrize("name", CHARACTERS)  # "popular" has ties at the cut
def test_smaller_depth_cuts_the_same_rankings(name: str) -> None:
    deep, shallow = simulate(3, systems=[name]).runs[name], simulate(3, systems=[name], depth=17).runs[name]
    for request in deep:
        assert list(shallow[request].items()) == list(deep[request].items())[:17]


# --- well formed ---

SIZES = st.fixed_dictionaries(
    {
        "requests": st.integers(1, 4),
        "depth": st.integers(1, 60),
        "items": st.integers(1, 50),
        "relevant": st.integers(1, 60),
        "grades": st.integers(1, 5),
        "aspects": st.integers(1, 5),
        "judged": st.integers(0, 60),
        "seed": st.integers(0, 2**70),
    }
)


@settings(max_examples=examples(60), deadline=None)
@given(sizes=SIZES)
def test_judgements_and_aspects_are_well_formed_for_any_sizes(sizes: dict[str, int]) -> None:
    made = simulate(**sizes)  # type: ignore[arg-type]
    corpus = {f"d{number:05d}" for number in range(1, sizes["items"] + 1)}
    for request, grades in made.judgements.items():
        relevant = {item for item, grade in grades.items() if grade > 0}
        assert relevant
        assert grades.keys() <= corpus
        assert set(grades.values()) <= set(range(sizes["grades"] + 1))
        assert len(grades) - len(relevant) == min(sizes["judged"], sizes["items"] - len(relevant))
        assert made.aspects[request].keys() == relevant
        for actual in made.aspects[request].values():
            assert len(set(actual)) == len(actual) > 0
            assert set(actual) <= {str(aspect) for aspect in range(1, sizes["aspects"] + 1)}


@settings(max_examples=examples(60), deadline=None)
@given(sizes=SIZES)
def test_runs_are_well_formed_for_any_sizes(sizes: dict[str, int]) -> None:
    made = simulate(**sizes)  # type: ignore[arg-type]
    assert list(made.runs) == list(CHARACTERS)
    for run in made.runs.values():
        assert list(run) == list(made.judgements)
        for scores in run.values():
            assert len(scores) == min(sizes["depth"], sizes["items"])
            assert list(scores) == _ranking(scores)


def test_score_rounded_to_zero_has_no_sign() -> None:
    scores = simulate(1, systems={"coarse": Character(digits=0)}, items=50).runs["coarse"]["q01"]
    assert "0.0" in map(repr, scores.values())
    assert "-0.0" not in map(repr, scores.values())


def test_ids_are_padded_to_one_width() -> None:
    many_requests = simulate(100, systems=["random"], items=9)
    assert (min(many_requests.judgements), max(many_requests.judgements)) == ("q001", "q100")
    many_items = simulate(2, systems=["random"], items=123456)
    assert {len(item) for grades in many_items.judgements.values() for item in grades} == {len("d123456")}


def test_one_system_may_be_named_without_a_list() -> None:
    assert list(simulate(1, systems="deep").runs) == ["deep"]


def test_unknown_system_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r'"depp"\. Did you mean "deep"'):
        simulate(1, systems=["depp"])


@pytest.mark.parametrize("name", ["../escape", "two words", "", ".hidden", "a\n"])
def test_system_name_that_cannot_name_a_file_is_an_error(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a file"):
        simulate(1, systems={name: Character()})


@pytest.mark.parametrize("size", ["requests", "depth", "items", "relevant", "grades", "aspects"])
def test_size_of_zero_is_an_error(size: str) -> None:
    with pytest.raises(InputError, match=f"{size}=0. Give a whole number from 1 on"):
        simulate(**{size: 0})  # type: ignore[arg-type]


@pytest.mark.parametrize("size", ["judged", "seed"])
def test_negative_number_is_an_error(size: str) -> None:
    with pytest.raises(InputError, match=f"{size}=-1. Give a whole number from 0"):
        simulate(**{size: -1})  # type: ignore[arg-type]


# --- written exactly ---


def _columns(path: Path) -> list[list[str]]:
    return [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]


def test_written_judgements_read_back_the_same(tmp_path: Path) -> None:
    made = simulate(6)
    read: dict[str, dict[str, int]] = {}
    for request, _, item, grade in _columns(made.write(tmp_path).qrels):
        read.setdefault(request, {})[item] = int(grade)
    assert read == made.judgements


def test_written_aspects_read_back_the_same_with_the_items_grade(tmp_path: Path) -> None:
    made = simulate(6)
    read: dict[str, dict[str, tuple[str, ...]]] = {}
    for request, aspect, item, grade in _columns(made.write(tmp_path).aspects):
        items = read.setdefault(request, {})
        items[item] = (*items.get(item, ()), aspect)
        assert int(grade) == made.judgements[request][item] > 0
    assert read == made.aspects


def test_written_scores_read_back_as_identical_floats_in_ranked_order(tmp_path: Path) -> None:
    made = simulate(6)
    for (name, run), path in zip(made.runs.items(), made.write(tmp_path).runs, strict=True):
        assert path == tmp_path / "runs" / f"{name}.run"
        read: dict[str, dict[str, float]] = {}
        for request, _, item, rank, score, tag in _columns(path):
            read.setdefault(request, {})[item] = float(score)
            assert (int(rank), tag) == (len(read[request]), name)
        assert read == run
        assert all(list(scores) == _ranking(scores) for scores in read.values())


def test_written_ranks_follow_scores_then_ids_by_bytes_whatever_the_order_given(tmp_path: Path) -> None:
    scores = {"b": 1.0, "a": 1.0, "\U0001f600": 1.0, "\uffee": 1.0, "z": 0.1 + 0.2, "top": 9.0}
    made = Simulation({"q": {"a": 1}}, {"q": {"a": ("1",)}}, {"mine": {"q": scores}}, seed=0)
    rows = _columns(made.write(tmp_path).runs[0])
    assert [row[2] for row in rows] == ["top", "\U0001f600", "\uffee", "b", "a", "z"]
    assert float(rows[-1][4]) == 0.1 + 0.2


def test_failed_write_keeps_the_old_file_and_leaves_no_draft(tmp_path: Path) -> None:
    made = simulate(2, systems=["deep"])
    before = made.write(tmp_path).aspects.read_bytes()
    broken = Simulation(made.judgements, made.aspects | {"q99": {"d1": ("1",)}}, made.runs, seed=0)
    with pytest.raises(KeyError):
        broken.write(tmp_path)
    assert (tmp_path / "qrels.aspects.txt").read_bytes() == before
    files = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert files == ["deep.run", "qrels.aspects.txt", "qrels.txt"]


# --- systems behave as named, by slow and obvious metrics ---


def _ranking(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)


def _positions(made: Simulation, name: str) -> list[list[int]]:
    """Per request, the positions of the relevant items that were retrieved."""
    rankings = {request: _ranking(scores) for request, scores in made.runs[name].items()}
    return [
        sorted(rankings[request].index(item) + 1 for item in relevant if item in made.runs[name][request])
        for request, relevant in made.aspects.items()
    ]


def _reciprocal_ranks(made: Simulation, name: str) -> list[float]:
    return [1 / p[0] if p else 0.0 for p in _positions(made, name)]


def _recalls(made: Simulation, name: str) -> list[float]:
    return [len(p) / m for p, m in zip(_positions(made, name), _sizes(made), strict=True)]


def _average_precisions(made: Simulation, name: str) -> list[float]:
    pairs = zip(_positions(made, name), _sizes(made), strict=True)
    return [sum(i / p_i for i, p_i in enumerate(p, start=1)) / m for p, m in pairs]


def _sizes(made: Simulation) -> list[int]:
    return [len(relevant) for relevant in made.aspects.values()]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _tied(x: list[float], y: list[float]) -> float:
    return _mean([float(a == b) for a, b in zip(x, y, strict=True)])


@pytest.fixture(scope="module", params=[0, 1])
def made(request: pytest.FixtureRequest) -> Simulation:
    return simulate(150, seed=request.param)


def test_top_heavy_wins_at_the_top_and_deep_wins_in_depth(made: Simulation) -> None:
    assert _mean(_reciprocal_ranks(made, "top-heavy")) > _mean(_reciprocal_ranks(made, "deep")) + 0.3
    assert _mean(_recalls(made, "deep")) > _mean(_recalls(made, "top-heavy")) + 0.2


def test_balanced_stands_between_top_heavy_and_deep(made: Simulation) -> None:
    for measure in (_reciprocal_ranks, _recalls):
        ends = sorted(_mean(measure(made, name)) for name in ("top-heavy", "deep"))
        assert ends[0] < _mean(measure(made, "balanced")) < ends[1]


def test_average_precision_of_the_three_strong_systems_is_close(made: Simulation) -> None:
    means = [_mean(_average_precisions(made, name)) for name in ("top-heavy", "deep", "balanced")]
    assert 0.3 < min(means) < max(means) < min(means) + 0.12


def test_reciprocal_rank_often_ties_the_two_best_systems_that_recall_separates(made: Simulation) -> None:
    x, y = "top-heavy", "balanced"
    assert 0.5 < _tied(_reciprocal_ranks(made, x), _reciprocal_ranks(made, y)) < 0.95
    assert _tied(_recalls(made, x), _recalls(made, y)) < 0.3


def test_twins_nearly_tie_without_being_the_same(made: Simulation) -> None:
    x, y = "balanced", "balanced-twin"
    assert made.runs[x] != made.runs[y]
    assert _tied(_reciprocal_ranks(made, x), _reciprocal_ranks(made, y)) > 0.9
    differences = [abs(a - b) for a, b in zip(_recalls(made, x), _recalls(made, y), strict=True)]
    assert _mean(differences) < 0.02
    assert _positions(made, x) != _positions(made, y)


def test_random_is_worst_and_weak_is_below_the_strong(made: Simulation) -> None:
    for measure in (_reciprocal_ranks, _recalls, _average_precisions):
        means = {name: _mean(measure(made, name)) for name in CHARACTERS}
        assert min(means, key=means.__getitem__) == "random"
    assert means["random"] < 0.01 < means["popular"] * 2 < means["weak"] < means["balanced"] / 2


def test_popular_gives_one_ranking_to_all_requests_with_the_most_tied_scores(made: Simulation) -> None:
    rankings = list(made.runs["popular"].values())
    assert all(ranking == rankings[0] for ranking in rankings)
    tied = {name: _mean([_tied_share(scores) for scores in run.values()]) for name, run in made.runs.items()}
    assert tied.pop("popular") > 0.6
    assert max(tied.values()) < 0.1


def _tied_share(scores: dict[str, float]) -> float:
    counts = Counter(scores.values())
    return _mean([float(counts[score] > 1) for score in scores.values()])


def test_popular_items_are_more_often_relevant_than_others(made: Simulation) -> None:
    assert _mean(_recalls(made, "popular")) > 2 * _mean(_recalls(made, "random"))


def test_number_of_relevant_items_varies_widely_around_the_typical(made: Simulation) -> None:
    sizes = sorted(_sizes(made))
    assert sizes[0] <= 4 < 15 <= sizes[len(sizes) // 2] <= 26 < 80 <= sizes[-1]


def test_requests_differ_in_difficulty_for_all_systems_alike(made: Simulation) -> None:
    x, y = _recalls(made, "deep"), _recalls(made, "balanced")
    hard = sorted(range(len(x)), key=x.__getitem__)[: len(x) // 3]
    assert _mean([y[request] for request in hard]) < _mean(y) - 0.08


def test_items_of_high_grade_are_found_earlier(made: Simulation) -> None:
    top = Counter[int]()
    for request, grades in made.judgements.items():
        top.update(grades.get(item, 0) for item in _ranking(made.runs["top-heavy"][request])[:5])
    judged = Counter(grade for grades in made.judgements.values() for grade in grades.values())
    assert judged[1] > judged[2] > judged[3] > 0
    assert top[3] / judged[3] > 2 * top[1] / judged[1]
