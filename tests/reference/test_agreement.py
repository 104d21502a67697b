"""Agreement on the runs of TREC 2019 Deep Learning, passages, beside what the papers print."""

import pytest
from recall_levels import locality, suffix

import tiebreak as tb


@pytest.fixture(scope="module")
def experiment(data):
    folder = data / "dl19-passage"
    one_experiment = tb.Experiment(folder / "qrels.txt", folder / "runs")
    one_experiment.read()
    return one_experiment


def test_masked_suffix_is_as_printed(experiment):
    """LP Table 1, deep-pass (2019)."""
    shares = {row[0]: round(100 * row[3], 2) for row in suffix(experiment).rows()}
    assert shares == {"sgnLP": 90.45, "RR_2": 88.87}


def test_difference_in_recall_is_a_difference_in_lexirecall(experiment):
    """LR 6.2.1: where no run is deeper than 1000, lexirecall agrees with every difference in recall at 1000."""
    rows = tb.studies.agreement(experiment, "preference", ["LexiRecall", "R@1000", "RR", "nDCG@10"]).rows()
    share = {inputs: share for inputs, measure, _, _, share in rows if measure == "LexiRecall"}
    assert share["R@1000"] == 1.0
    assert max(share["RR"], share["nDCG@10"]) < 0.7


def test_next_level_is_the_best_predictor(experiment):
    """LP 3.6: correlations degrade with distance, and the next level has the largest coefficient, in every form."""
    actual = locality(experiment)
    assert "plain 4 of 4, cascaded 4 of 4, sign 4 of 4" in actual.conclusion
    r = {(row.level, row.later): row.r for row in actual.rows() if row.form == "plain"}
    assert all(r[i, j] > r[i, j + 1] for i, j in r if (i, j + 1) in r)
