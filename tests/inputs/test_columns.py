"""Which column holds what: common names, names that a user gives, in every constructor and on the command line."""

import pytest

import tiebreak as tb
from cli.running import run
from tiebreak.errors import InputError
from tiebreak.inputs.columns import NAMES, ColumnNames, plain

pandas = pytest.importorskip("pandas")


def frame(**columns):
    return pandas.DataFrame(columns)


@pytest.mark.parametrize(
    ("request_name", "item", "grade", "score"),
    [
        ("userId", "movieId", "rating", "prediction"),  # MovieLens
        ("user_id", "item_id", "weight", "score"),  # RecTools
        ("user_id:token", "item_id:token", "rating:float", "score:float"),  # RecBole
        ("userID", "itemID", "rating", "prediction"),  # recommenders
        ("query-id", "corpus-id", "score", "score"),  # BEIR and MTEB
        ("qid", "docno", "label", "score"),  # PyTerrier
        ("query_id", "doc_id", "relevance", "score"),  # ir_measures
        ("q_id", "doc_id", "score", "score"),  # ranx
        ("uid", "iid", "rating", "est"),  # Surprise
    ],
)
def test_columns_are_known_by_the_names_of_other_tools(request_name, item, grade, score):
    judged = pandas.DataFrame({request_name: [1, 1], item: [10, 20], grade: [4.0, 3.0], "timestamp": [7, 8]})
    ranked = pandas.DataFrame({request_name: [1, 1], item: [30, 20], score: [0.9, 0.8]})
    scores = tb.Experiment(judged, ranked).evaluate(["AP", "nDCG"])
    discount = 1 / 1.584962500721156
    assert scores.values.ravel().tolist() == pytest.approx([(1 / 2) / 2, 3 * discount / (4 + 3 * discount)])


def test_ranks_of_rectools_rank_where_there_is_no_score():
    ranked = frame(user_id=[1, 1], item_id=[10, 20], rank=[2, 1])
    assert tb.project({1: {10: 1}}, ranked).ranks.tolist() == [[2]]


def test_named_ranks_come_before_scores():
    ranked = frame(user=[1, 1], item=[10, 20], rank=[2, 1], score=[2.0, 1.0])
    assert tb.project({1: {10: 1}}, ranked, columns="score=score").ranks.tolist() == [[1]]
    assert tb.project({1: {10: 1}}, ranked, columns="rank=rank").ranks.tolist() == [[2]]
    assert tb.project({1: {10: 1}}, ranked, columns="rank=rank,score=score").ranks.tolist() == [[1]]


@pytest.mark.parametrize("columns", [{"request": "u", "score": "s"}, "request=u,score=s", ["request=u", "score = s"]])
def test_columns_are_named_in_dictionaries_and_in_text(columns):
    assert ColumnNames(columns).by_role == {"request": "u", "score": "s"}
    ranked = frame(u=["q"], item=["a"], s=[1.0])
    for experiment in (
        tb.Experiment({"q": {"a": 1}}, ranked, columns=columns),
        tb.Experiment({"q": {"a": 1}}, tb.Run(ranked, columns=columns)),
    ):
        assert experiment.evaluate("AP").values.tolist() == [[[1.0]]]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ("request", 'columns: "request" has no =. Write what a column holds and its name'),
        ("requst=u", 'unknown value for columns "requst". Did you mean "request"?'),
        ("request=u,request=v", "columns: two columns are named for request."),
        (7, 'columns=7. Give a dictionary such as {"request": "prompt_id"}.'),
    ],
)
def test_what_cannot_be_meant_is_refused(columns, words):
    with pytest.raises(InputError) as refusal:
        ColumnNames(columns)
    assert words in str(refusal.value)


def test_error_lists_all_known_names_and_says_what_to_type():
    with pytest.raises(InputError) as refusal:
        tb.Experiment({"q": {"a": 1}}, frame(prompt_id=["q"], item=["a"], score=[1.0]))
    text = str(refusal.value)
    assert all(name in text for name in NAMES["request"])
    assert "There are prompt_id, item, score." in text
    assert "columns={'request': 'prompt_id'}, on the command line --columns request=prompt_id." in text


def test_error_names_no_column_that_holds_something_else():
    with pytest.raises(InputError, match=r"There are qid, docno\. Add one, or say which: columns={'score': ...}"):
        tb.Run(frame(qid=["q"], docno=["a"]))


def test_names_hold_for_the_tables_that_have_them():
    judged = frame(prompt_id=["q"], item=["a"], stars=[1])
    ranked = frame(qid=["q"], item=["a"], pred=[1.0])
    columns = {"request": "prompt_id", "grade": "stars", "score": "pred"}
    experiment = tb.Experiment(judged, ranked, columns=columns)
    assert experiment.evaluate("AP").values.tolist() == [[[1.0]]]
    assert tb.project(judged, ranked, columns=columns).ranks.tolist() == [[1]]
    groups = frame(prompt_id=["q"], country=["fr"])
    grouped = tb.Experiment(judged, ranked, columns=columns | {"group": "country"})
    assert grouped.utilities("AP", groups=groups).groups == ("fr",)


def test_name_that_no_table_has_is_refused():
    with pytest.raises(InputError, match='columns: no table here has a column "perd" for score'):
        tb.Experiment({"q": {"a": 1}}, frame(qid=["q"], item=["a"], score=[1.0]), columns={"score": "perd"})
    with pytest.raises(InputError, match='no table here has a column "modle" for run'):
        tb.Utilities(frame(model=["a"], request=["q"], value=[1.0]), columns={"run": "modle"})


def test_two_columns_of_one_name_but_for_its_spelling_are_ambiguous():
    table = frame(userId=["q"], USER_ID=["r"], item=["a"], score=[1.0])
    with pytest.raises(InputError, match='"userId" and "USER_ID" may both be the column for request'):
        tb.Run(table)
    assert tb.project({"r": {"a": 1}}, tb.Run(table, columns={"request": "USER_ID"})).ranks.tolist() == [[1]]
    exact = frame(userId=["q"], user_id=["r"], item=["a"], score=[1.0])
    assert tb.project({"r": {"a": 1}}, exact).ranks.tolist() == [[1]]


@pytest.mark.parametrize("name", ["user_id", "userId", "USER-ID", "user id", "user_id:token"])
def test_spelling_does_not_matter(name):
    assert plain(name) == "userid"


def test_the_index_of_pandas_has_columns_too():
    table = frame(qid=["q", "q"], docno=["a", "b"], score=[1.0, 2.0])
    lists = table.groupby("qid")["docno"].agg(list)
    for held in (
        table.set_index("qid"),
        table.set_index(["qid", "docno"]),
        table.set_index(["qid", "docno"])["score"],
        lists.map(lambda items: items[::-1]),
        lists.map(lambda items: items[::-1]).to_frame(),
    ):
        assert tb.project({"q": {"a": 1}}, held).ranks.tolist() == [[2]]
    with pytest.raises(InputError, match="no column for request"):
        tb.Run(table["score"])


def test_columns_whose_names_are_numbers(engine):
    table = pandas.DataFrame([["q", "Q0", "a", 1, 2.0, "t"]])
    columns = {"request": 0, "item": 2, "score": 4}
    assert tb.project({"q": {"a": 1}}, tb.Run(table, columns=columns)).ranks.tolist() == [[1]]


def test_only_the_types_of_recbole_are_cut_off():
    assert plain("a:b") == "a:b"


def test_columns_on_the_command_line(tmp_path):
    (tmp_path / "qrels.csv").write_text("prompt_id,doc,label\np1,a,1\np2,b,1\n")
    (tmp_path / "run.csv").write_text("prompt_id,doc,pred\np1,a,1\np2,x,1\n")
    (tmp_path / "groups.csv").write_text("prompt_id,country\np1,fr\np2,de\n")
    columns = "request=prompt_id,item=doc,score=pred"
    files = (tmp_path / "qrels.csv", tmp_path / "run.csv")
    done = run("evaluate", *files, "-m", "AP", "--format", "csv", "--columns", columns)
    assert done.stdout == "run,measure,value,n_requests\nrun,AP,0.5,2\n"
    named = run("evaluate", files[0], f"bm25={files[1]}", "-m", "AP", "--format", "csv", "--columns", columns)
    assert named.stdout == "run,measure,value,n_requests\nbm25,AP,0.5,2\n"
    grouped = run(
        *("evaluate", *files, "-m", "AP", "--format", "csv", "--columns", columns, "--columns", "group=country"),
        *("--groups", tmp_path / "groups.csv"),
    )
    assert "mean(AP),1.0" in grouped.stdout and "mean(AP),0.0" in grouped.stdout
    refused = run("evaluate", *files, "-m", "AP")
    assert refused.returncode == 2 and "--columns request=prompt_id" in refused.stderr
    refused = run("evaluate", *files, "--columns", columns + ",rank=place")
    assert 'no table here has a column "place" for rank' in refused.stderr


def test_columns_of_utilities_and_groups_on_the_command_line(tmp_path):
    (tmp_path / "values.csv").write_text("prompt_id,llm,accuracy\np1,a,1\np2,a,0\np1,b,0\np2,b,0\n")
    columns = "request=prompt_id,run=llm,value=accuracy"
    done = run("order", "--utilities", tmp_path / "values.csv", "--by", "mean", "--format", "csv", "--columns", columns)
    assert done.stdout.splitlines()[1].startswith("a,mean,mean,1,0.5,False,")


@pytest.mark.parametrize(
    "command",
    [
        ("compare", "-m", "RPP", "--groups", "groups.csv"),
        ("order", "-m", "RPP", "--groups", "groups.csv"),
        ("order", "--by", "mean(AP)", "--weights", "weights.csv"),
        ("test", "-m", "AP", "--groups", "groups.csv"),
        ("study", "power", "-m", "AP", "--groups", "groups.csv"),
        ("providers", "--providers", "providers.csv"),
        ("evaluate", "-m", "S-Recall@5", "--aspects", "aspects.csv"),
        ("evaluate", "-m", "AP", "--exclude", "seen.csv", "--candidates", "seen.csv"),
        ("check",),
        ("worst",),
        ("explain",),
    ],
    ids=" ".join,
)
def test_every_command_takes_columns(tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    tables = {
        "qrels": "prompt_id,doc,label\np1,a,1\np2,a,1\np3,b,1\n",
        "x": "prompt_id,doc,pred\np1,a,2\np2,x,2\np2,a,1\np3,b,1\n",
        "y": "prompt_id,doc,pred\np1,a,1\np2,a,2\np3,x,2\np3,b,1\n",
        "groups": "prompt_id,country\np1,fr\np2,fr\np3,de\n",
        "weights": "prompt_id,visits\np1,3\np2,2\np3,1\n",
        "providers": "doc,by\na,A\nb,B\n",
        "aspects": "doc,kind\na,A\nb,B\n",
        "seen": "prompt_id,doc\np1,a\np2,a\np3,b\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text)
    files = ("qrels.csv", "x.csv", "y.csv")
    columns = "request=prompt_id,item=doc,score=pred,group=country,weight=visits,provider=by,aspect=kind"
    if "--aspects" not in command:
        columns = columns.removesuffix(",aspect=kind")
    places = 2 if command[0] == "study" else 1
    if "--exclude" in command:
        (tmp_path / "other.csv").write_text("prompt_id,doc\np1,z\n")
        command = tuple("other.csv" if command[k - 1] == "--exclude" else word for k, word in enumerate(command))
    done = run(*command[:places], *files, *command[places:], "--columns", columns)
    assert done.returncode == 0, done.stderr


def test_ratings_of_a_study_take_columns(tmp_path):
    (tmp_path / "ratings.csv").write_text("who,what,stars\nu,a,4\nu,b,3\nu,c,1\n")
    (tmp_path / "genres.csv").write_text("what,kind\na,war\nb,love\nc,war\nc,love\n")
    columns = "request=who,item=what,grade=stars,aspect=kind"
    options = ("--aspects", tmp_path / "genres.csv", "--steps", "1", "--columns", columns)
    done = run("study", "ideal", tmp_path / "ratings.csv", *options)
    assert done.returncode == 0, done.stderr


def run_names(table, columns=None):
    return tuple(run.name for run in tb.Experiment({"q": {"a": 1}}, table, columns=columns).runs)


@pytest.mark.parametrize("names", [("run", "model"), ("run_id", "system"), ("system", "model"), ("Model", "Run")])
def test_two_columns_that_may_name_runs_are_asked_about(names):
    """A run may be a repetition: then the models' rankings would be mixed under its number."""
    first, second = names
    table = frame(**{first: ["x", "y"], second: ["s", "t"]}, qid=["q", "q"], item=["a", "b"], score=[1.0, 2.0])
    with pytest.raises(InputError, match=r"may both name the runs\. Say which does.*--columns run="):
        tb.Experiment({"q": {"a": 1}}, table)
    for name, runs in ((first, ("x", "y")), (second, ("s", "t"))):
        assert run_names(table, {"run": name}) == runs
    assert len(run_names(table, {"run": None})) == 1
    assert run_names(table, {"other": second}) == ("x", "y")


def test_the_name_of_an_item_beside_a_column_of_runs_is_no_run():
    table = frame(run=["x", "x"], name=["Heat", "Ran"], qid=["q", "q"], item=["a", "b"], score=[1.0, 2.0])
    assert run_names(table) == ("x",)


@pytest.mark.parametrize("columns", [{"other": ["run", "x"]}, "other=run,other=x", {"other": ("run", "x")}])
def test_columns_to_leave_out_are_named(columns):
    names = ColumnNames(columns)
    assert names and names.others == {"run", "x"} and names.find("run", ["run", "model"]) == "model"
    with pytest.raises(InputError, match='no table here has a column "x" to leave out'):
        names.check_used()
    assert ColumnNames({"other": None}).others == set() and ColumnNames({"run": "a"}).others is None


# Two columns for one role


@pytest.mark.parametrize(
    ("role", "first", "second"),
    [
        ("item", "item", "item_id"),  # a title, and its id
        ("request", "user_id", "session_id"),
        ("request", "user_id", "query"),
        ("score", "score", "prediction"),
        ("item", "doc_id", "corpus_id"),
    ],
)
def test_two_columns_for_one_role_are_asked_about(role, first, second):
    names = {"request": "qid", "item": "docno", "score": "score"}
    others = {name: ["q"] if key == "request" else ["a"] for key, name in names.items() if key not in (role, "score")}
    others |= {} if role == "score" else {"score": [1.0]}
    cells = {first: [0.5], second: [2.5]} if role == "score" else {first: ["x"], second: ["y"]}
    with pytest.raises(InputError, match=f'"{first}" and "{second}" may both be the column for {role}') as refusal:
        tb.Run(frame(**others, **cells))
    assert f"--columns {role}={first} or --columns {role}={second}." in str(refusal.value)
    run = tb.Run(frame(**others, **cells), columns={role: second})
    judged = {"y" if role == "request" else "q": {"y" if role == "item" else "a": 1}}
    assert tb.project(judged, run).ranks.tolist() == [[1]]


def test_two_columns_of_grades_are_asked_about():
    judged = frame(user_id=["u"], item_id=["a"], rating=[4], label=[1])
    with pytest.raises(InputError, match='"label" and "rating" may both be the column for grade'):
        tb.read_judgements(judged)
    assert tb.read_judgements(judged, columns={"grade": "rating"}).to_dict() == {"u": {"a": 4.0}}


def test_an_id_comes_before_the_text_beside_it():
    pyterrier = frame(qid=["1"], query=["what"], docid=[7], docno=["a"], rank=[0], score=[1.0])
    reranked = frame(query_id=["1"], query=["what"], doc_id=["a"], document=["text"], score=[1.0])
    merged = frame(user=["ann"], user_id=["1"], item_id=["a"], rating=[3.0], prediction=[2.5])
    for table in (pyterrier, reranked, merged):
        assert tb.project({"1": {"a": 1}}, table).ranks.tolist() == [[1]]
    judged = frame(qid=["1"], docno=["a"], label=[2], score=[0.5], weight=[7])
    assert tb.read_judgements(judged).to_dict() == {"1": {"a": 2.0}}


# What is missing


def test_all_missing_columns_are_named_at_once():
    with pytest.raises(
        InputError, match=r"no column for request and score\. Known names: for request request, qid"
    ) as no:
        tb.Run(frame(prompt_id=["q"], item=["a"], pred=[1.0]))
    assert "columns={'request': ..., 'score': ...}, on the command line --columns request=...,score=..." in str(
        no.value
    )


def test_no_column_is_suggested_that_was_named_or_is_one_of_several():
    with pytest.raises(InputError, match="no column for score") as refusal:
        tb.Run(frame(prompt_id=["q"], item=["a"], pred=[1.0]), columns={"request": "prompt_id"})
    assert "columns={'score': 'pred'}" in str(refusal.value)
    with pytest.raises(InputError, match=r"no column for score.*columns={'score': \.\.\.}"):
        tb.Run(frame(qid=["q"], item=["a"], text=["b"], logit=[1.0]))


@pytest.mark.parametrize("request_name", ["prompt_id", "prompt", "question", "user_input"])
def test_no_column_is_suggested_that_holds_requests(request_name):
    """Prompts are requests only where no other column is; as values they would be numbers of prompts."""
    rows = [{"model": "a", request_name: 1, "prediction": 4}, {"model": "b", request_name: 1, "prediction": 5}]
    with pytest.raises(InputError, match=r"Add one, or say which: columns=\{'value': \.\.\.\}"):
        tb.Utilities(rows)
    with pytest.raises(InputError, match=r"Add one, or say which: columns=\{'trial': \.\.\.\}"):
        tb.Utilities(rows, columns={"value": "prediction"}, trials="keep")


def test_names_are_quoted_for_shells():
    with pytest.raises(InputError, match=r"columns=\{'run': 'my llm'\}, on the command line --columns 'run=my llm'\."):
        tb.Utilities([{"my llm": "a", "request": 1, "value": 1}])
    with pytest.raises(InputError, match=r"on the command line --columns 'other=#Params \(B\)';"):
        tb.Utilities([{"model": "a", "arc": 1, "#Params (B)": 7}])
