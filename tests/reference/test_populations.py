"""Table 2 of the paper on pessimistic evaluation, on the runs it prints."""

import pytest

import tiebreak as tb

PRINTED = {
    "min(AP)": (0.549, 31),
    "gmean(AP)": (0.628, 0),
    "s@10": (0.563, 35),
    "auc4(AP)": (0.532, 0),
    "mean(AP)": (0.580, 0),
    "leximax(AP)": (0.517, 0),
    "leximin(AP)": (1.0, 0),
}


@pytest.fixture(scope="module")
def experiment(data):
    folder = data / "dl19-passage"
    one_experiment = tb.Experiment(folder / "qrels.txt", folder / "runs", min_grade=2)
    one_experiment.read()
    return one_experiment


@pytest.mark.parametrize("population", PRINTED)
def test_agreement_with_leximin_is_as_printed(experiment, population):
    order = experiment.order(population)
    assert (round(order.correlation(experiment.order("leximin(AP)")), 3), order.n_tied) == PRINTED[population]


def test_geometric_mean_with_a_shift_is_as_printed(experiment):
    order = experiment.order("gmean(AP, shift=1e-5)")
    assert round(order.correlation(experiment.order("leximin(AP)")), 3) == 0.628


def test_study_of_populations_is_as_printed(experiment):
    actual = tb.studies.validity(
        experiment.utilities("AP"), populations=("min", "gmean", experiment.order("s@10"), "auc4", "mean", "leximax")
    )
    printed = [value for name, value in PRINTED.items() if name != "leximin(AP)"]
    assert [(round(tau, 3), tied) for _, tau, tied in actual.rows()] == printed
