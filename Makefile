# One command each: what CI runs, the tests, the benchmarks, exact arithmetic, the fuzzers, pages of the docs.
PYTHON ?= python3
FUZZ ?= 1000000
EXACT ?= 100000

.PHONY: check test bench exact fuzz valgrind reproduction papers conformance calibration

check:  ## everything CI runs, in environments of its own
	bash .ci/run

test:  ## the tests, in the environment that has the package: pip install '.[test]'
	$(PYTHON) -m pytest

bench:  ## needs pip install . -r benchmarks/requirements.txt
	$(PYTHON) benchmarks/run.py

exact:  ## EXACT measures of random and colliding worlds against exact arithmetic; pytest-xdist makes it faster
	TIEBREAK_EXACT=$(EXACT) $(PYTHON) -m pytest tests/exact -q $$($(PYTHON) -c 'import xdist' 2>/dev/null && echo "-n auto")

valgrind:  ## what crosses between Python, Arrow and the core, under valgrind; needs pyarrow
	$(PYTHON) -m pytest tests/engines/test_valgrind.py -m slow -q -s

fuzz:  ## mutated inputs, FUZZ of them in Rust and a tenth in Python
	cd core && TIEBREAK_FUZZ=$(FUZZ) cargo test --locked --release -p tiebreak-engine --test fuzz -- --nocapture
	TIEBREAK_FUZZ=$$(( $(FUZZ) / 10 )) $(PYTHON) -m pytest tests/fuzz -q -s

reproduction:  ## docs/reproduction.md, from DATA, a folder of collections; needs pip install '.[plots]'; HTML=FILE writes it as HTML, too
	$(PYTHON) reproduce/page.py $(DATA) $(if $(HTML),--html $(HTML))

papers:  ## docs/papers.md, from reproduce/papers.toml
	$(PYTHON) reproduce/papers.py

conformance:  ## docs/conformance.md, from the tools that are installed: pip install '.[dev]', and lenskit for its section
	PYTHONPATH=tests $(PYTHON) -m conformance.page

calibration:  ## the table of docs/gates.md: simulated releases, about ten minutes
	$(PYTHON) tests/gate_simulation.py
