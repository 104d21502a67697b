"""``tiebreak report``: a page about runs, or about a table of utilities."""

import re
import subprocess
import sys

import numpy as np
import pytest

from cli.running import run
from tiebreak.cli import COMMANDS
from tiebreak.reports.section_names import SECTION_NAMES
from tiebreak.simulation import simulate


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return simulate(6, systems=["deep", "balanced", "random"], depth=20, relevant=4, seed=1).write(
        tmp_path_factory.mktemp("data")
    )


def report(*arguments, code=0):
    ended = run("report", *arguments)
    assert ended.returncode == code, ended.stderr
    return ended.stdout if code == 0 else ended.stderr


def sections(path):
    return re.findall(r'<section id="([\w-]+)"', path.read_text(encoding="utf-8"))


def test_it_is_a_command():
    assert "report" in COMMANDS


def test_a_page_about_runs(files, tmp_path):
    out = tmp_path / "page.html"
    said = report(
        files.qrels, *files.runs, "-o", out, "--title", "Three systems", "-m", "AP R@5", "--seed", 7, "--no-date"
    )
    page = out.read_text(encoding="utf-8")
    assert said == f"{out}: {out.stat().st_size / 1e6:.1f} MB. Open it in a browser.\n"
    assert "<title>Three systems</title>" in page
    assert sections(out) == [name for name in SECTION_NAMES if name != "diversity"]
    command = re.search(r"<pre[^>]*><code>(tiebreak report .*?)</code>", page)[1]
    assert str(files.qrels) in command and command.endswith("--seed 7 --no-date -o report.html")
    assert '"name":"R@5"' in page.replace(" ", "")


def test_the_name_of_the_page_is_not_in_it(files, tmp_path):
    pages = [tmp_path / name for name in ("one.html", "another.html")]
    for words in ((f"-o{pages[0]}",), (f"--out={pages[1]}",)):
        report(files.qrels, *files.runs, *words, "--no-date", "--section", "settings", "--section", "answer")
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert sections(pages[0]) == ["settings", "answer"]


def test_groups_and_aspects(files, tmp_path):
    groups, out = tmp_path / "groups.csv", tmp_path / "page.html"
    groups.write_text("request,group\n" + "".join(f"q{k:02d},{'ab'[k % 2]}\n" for k in range(1, 7)))
    report(files.aspects, *files.runs, "--groups", groups, "-o", out, "--no-date")
    page = out.read_text(encoding="utf-8")
    assert "diversity" in sections(out) and "ERR_IA@20" in page
    assert "In every group of requests" in page and str(groups) in page


def test_a_page_about_utilities(tmp_path):
    table, out = tmp_path / "scores.csv", tmp_path / "page.html"
    table.write_text(
        "run,request,value\n" + "".join(f"{r},q{k},{k * s % 5}\n" for r, s in (("x", 2), ("y", 3)) for k in range(9))
    )
    report("--utilities", table, "-o", out, "--template", "summary")
    assert sections(out) == ["answer", "leaderboard", "settings"]


def test_bad_options_are_told_before_anything_is_written(files, tmp_path):
    out = tmp_path / "page.html"
    assert "answers" in report(files.qrels, *files.runs, "-o", out, "--section", "answers", code=2)
    assert 'Did you mean "nDCG"' in report(files.qrels, *files.runs, "-o", out, "-m", "nDCH@10", code=2)
    assert "Give QRELS RUN..., or --utilities" in report("-o", out, code=2)
    assert not out.exists()
    before = files.runs[0].read_bytes()
    assert "is also an input file" in report(files.qrels, *files.runs, "-o", files.runs[0], code=2)
    assert files.runs[0].read_bytes() == before


MEASURED = """
import resource, sys
from tiebreak.cli import main
try:
    main()
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    # Not ru_maxrss, which begins with what the process held that started this one.
    (peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(used.ru_utime + used.ru_stime, int(peak) * 1024, file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is that of Linux")
def test_a_page_about_100_000_requests_takes_less_than_a_minute_and_600_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    n, m = 100_000, 3
    qrels = "".join(f"q{q} 0 d{d} 1\n" for q in range(n) for d in range(m))
    (tmp_path / "qrels.txt").write_text(qrels)
    for k in range(5):
        order = np.argsort(rng.normal(size=(n, 12)) - (np.arange(12) < m) * k / 10, axis=1)[:, :10].tolist()
        lines = (f"q{q} Q0 d{d} {place} {-place} x\n" for q in range(n) for place, d in enumerate(order[q]))
        (tmp_path / f"run{k}.run").write_text("".join(lines))
    files = [str(tmp_path / "qrels.txt"), *(str(tmp_path / f"run{k}.run") for k in range(5))]
    words = [sys.executable, "-c", MEASURED, "report", *files, "-o", str(tmp_path / "page.html")]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, memory = map(float, ended.stderr.split()[-2:])
    assert seconds < 60 and memory < 600e6, (seconds, memory)
    assert (tmp_path / "page.html").stat().st_size < 2e6
    assert "100,000 requests" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_demo_writes_a_page(tmp_path):
    out = tmp_path / "demo.html"
    ended = run("demo", "--requests", 5, "--report", out)
    assert f"{out}: a page about them." in ended.stdout
    page = out.read_text(encoding="utf-8")
    assert "Seven simulated systems" in page and "tiebreak demo --requests 5 --report report.html" in page
