"""The tree in CONTRIBUTING.md shows the data flow: a part imports only those above it, in functions too."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import tiebreak

CONTRIBUTING = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
TREE = CONTRIBUTING.partition("src/tiebreak/\n")[2].partition("\ncore/engine")[0].splitlines()
ORDER = [line.split()[0].removesuffix("/").removesuffix(".py").replace("/", ".") for line in TREE]
ROOT = Path(tiebreak.__file__).parent
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")


def part(parts):
    """The entry of `ORDER` that a dotted name falls under: a module of its own, or its folder."""
    whole = ".".join(parts[:2])
    return whole if whole in ORDER else parts[0]


def part_of(path):
    return part(path.relative_to(ROOT).with_suffix("").parts)


@cache
def nodes(path):
    """Those that are looked at: all nodes of all modules would take hundreds of megabytes."""
    every = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in every if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.Name)]


def parts_imported(path):
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            head, *rest = name.split(".")
            if head == "tiebreak" and rest and not rest[0].startswith("__version__"):
                yield part(rest)


def test_the_tree_lists_every_part_once():
    assert {part_of(path) for path in MODULES} == set(ORDER) - {"_core"}
    assert len(ORDER) == len(set(ORDER))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_part_imports_only_those_above_it(path):
    index = ORDER.index(part_of(path))
    assert [name for name in parts_imported(path) if ORDER.index(name) > index] == []


def test_no_module_bears_the_name_of_a_public_function():
    values = {name: getattr(tiebreak, name) for name in tiebreak.__all__}
    for name, function in values.items():
        for folder in (ROOT, ROOT / function.__module__.split(".")[1]) if callable(function) else ():
            assert not (folder / name).exists() and not (folder / f"{name}.py").exists(), name


UNNEEDED = ["scipy", "narwhals", "rich", "importlib.metadata", "numpy.ma", "tiebreak.metrics.condensed"]
UNNEEDED += ["tiebreak.projection.aspect_rankings", "tiebreak.engines.running", "tiebreak.engines.spark_tables"]
UNNEEDED += ["tiebreak.engines.local_tables", "tiebreak.inputs.streams"]
OF_COMPARISONS = ["tiebreak.populations", "tiebreak.significance", "tiebreak.results.joint_table"]
OF_COMPARISONS += [
    "tiebreak.inputs.attributes",
    "tiebreak.preferences",
    "tiebreak.orderings",
    "tiebreak.engines.totals",
    "tiebreak.exact.row_sums",
]
COMMANDS = (
    (["--help"], UNNEEDED + OF_COMPARISONS),
    (["evaluate", "qrels", "run", "-m", "AP", "-m", "R@1000", "--format", "tsv"], UNNEEDED + OF_COMPARISONS),
    (["compare", "qrels", "run", "other", "--format", "jsonl"], UNNEEDED),
)


@pytest.mark.parametrize(("command", "unneeded"), COMMANDS, ids=lambda value: value[0])
def test_plain_commands_import_nothing_they_do_not_use(tmp_path, command, unneeded):
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q 0 a 1 1\n")
    (tmp_path / "other").write_text("q 0 b 1 1\n")
    script = f"""
import sys
from tiebreak.cli import main
sys.argv = ["tiebreak", *{command}]
try:
    main()
finally:
    print([name for name in {unneeded} if name in sys.modules], file=sys.stderr)
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.stderr.endswith("[]\n"), ended.stderr  # without the core a note comes first


PARTICIPLES = {"made", "found", "given", "said", "shown", "known", "drawn", "taken", "told", "kept", "seen", "chosen"}
NOUNS = {"seed", "need", "speed"}


def functions_and_locals(path):
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef):
            yield "function", node.name.strip("_")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield "local", node.id


def is_vague(kind, name):
    if kind == "local":
        return name in {"found", "made", "given", "said"}
    is_participle = name in PARTICIPLES or (name.endswith("ed") and "_" not in name and name not in NOUNS)
    return is_participle or name == "of" or name.endswith("_of")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_names_are_verbs_or_nouns(path):
    assert [name for kind, name in functions_and_locals(path) if is_vague(kind, name)] == []


LONGEST = 400
TWIN = ROOT / "_kernels" / "reference.py"


def test_modules_are_short():
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert [path for path, size in sizes.items() if size > LONGEST and path != TWIN] == []
