"""``--imputation``: where relevant items are that a run does not retrieve."""

from cli.test_compare import done, objects, ranking


def test_optimistic_imputation_on_the_command_line(tmp_path):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 1\n")
    (tmp_path / "short.run").write_text(ranking("q", "a"))
    (tmp_path / "long.run").write_text(ranking("q", "a", "x", "y"))
    files = (tmp_path / "qrels", tmp_path / "short.run", tmp_path / "long.run")
    values = {}
    for how in ("pessimistic", "optimistic"):
        rows = objects(done("evaluate", *files, "-m", "AP", "--imputation", how, "--format", "jsonl").stdout)
        values[how] = [row["value"] for row in rows]
    # b at none, or at 2 and at 4: (1 + 2/2) / 2 and (1 + 2/4) / 2
    assert values == {"pessimistic": [0.5, 0.5], "optimistic": [1, 0.75]}
    (row,) = objects(
        done("compare", *files, "-m", "LexiRecall", "--imputation", "optimistic", "--format", "jsonl").stdout
    )
    assert row["value"] == 1
    assert "Optimistic imputation" in done("check", *files, "--imputation", "optimistic").stdout
