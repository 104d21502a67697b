"""``tiebreak evaluate --aspects``: measures of diversity from files."""

import csv
import io

from cli.test_compare import done


def test_aspects_and_profiles_are_read_from_tables(tmp_path):
    (tmp_path / "qrels").write_text("u 0 a 4\nu 0 b 2\n")
    (tmp_path / "a.run").write_text("u 0 b 1 2\nu 0 a 2 1\n")
    (tmp_path / "genres.tsv").write_text("item\tgenre\na\twar\nb\twar\nb\tlove\n")
    (tmp_path / "train.csv").write_text("user,item,rating\nu,b,3\n")
    measures = ("-m", "alpha_beta_nDCG(beta=1)@2", "-m", "S-Recall@1")
    asked = (*measures, "--aspects", tmp_path / "genres.tsv", "--format", "csv")
    text = done("evaluate", tmp_path / "qrels", tmp_path / "a.run", *asked).stdout
    values = {row["measure"]: float(row["value"]) for row in csv.DictReader(io.StringIO(text))}
    # As in the documentation: (1 - 5/8 x 7/8 + 3/8 / log2(3)) / (3/4 + 1/8 / log2(3)).
    assert abs(values["alpha_beta_nDCG(beta=1)@2"] - 0.8321290476260073) < 1e-12
    assert values["S-Recall@1"] == 1
    other = done("evaluate", tmp_path / "qrels", tmp_path / "a.run", *asked, "--train", tmp_path / "train.csv").stdout
    assert other != text


def test_aspects_are_asked_for(tmp_path):
    (tmp_path / "qrels").write_text("u 0 a 4\n")
    (tmp_path / "a.run").write_text("u 0 a 2 1\n")
    message = done("evaluate", tmp_path / "qrels", tmp_path / "a.run", "-m", "S-Recall@5", code=2).stderr
    assert "S-Recall@5 needs the aspects of items" in message and "--aspects FILE" in message


def test_likely_subtopics_are_read_as_judgements_of_subtopics(tmp_path):
    (tmp_path / "qrels").write_text("q 1 a 1\nq 2 b 1\n")
    (tmp_path / "a.run").write_text("q 0 b 1 2\nq 0 a 2 1\n")
    (tmp_path / "intents").write_text("q 0 1 0.75\nq 0 2 0.25\n")
    asked = ("evaluate", tmp_path / "qrels", tmp_path / "a.run", "-m", "P_IA@1", "--format", "csv")
    assert "0.5" in done(*asked).stdout.splitlines()[1]
    assert "0.25" in done(*asked, "--intents", tmp_path / "intents").stdout.splitlines()[1]
    message = done(*asked, "--intents", tmp_path / "qrels", code=2).stderr
    assert 'subtopic "1" of request "q" has no likelihood' in message
