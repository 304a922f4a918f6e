# make demo   install into .venv and show what assay does
# make test   install everything the tests need; run lint, types, import rules and tests
# make dev    the same environment with an editable install: pytest sees every edit at once
# make quick  lint, types, import rules and the tests of what changed since the last commit; under a minute (after make dev)
# make fuzz   minutes of random input: kernels under sanitizers and compared with the original tools, mutated files for every reader
# make soak   hundreds of kills, four writers, full disks, and other checks that take minutes
# make docs   build docs/ as a site in build/site; a broken link is an error
# make cross  cross-compile the kernels for Windows, macOS and 64-bit ARM with Zig's clang
# make bench  compare the speed of assay with that of the tools it replaces

PYTHON ?= python3
VENV   ?= .venv
# The CPU build is ten times smaller than the default one, which is the fallback if pip does not offer it.
TORCH  ?= torch==2.13.0+cpu
BIN    := $(VENV)/bin
SOURCES := $(shell find src CMakeLists.txt pyproject.toml README.md -type f ! -name '*.so' ! -path '*__pycache__*')
WEIGHTS := $(shell find packages/mini -type f ! -path '*__pycache__*' 2>/dev/null)

.PHONY: demo test lint types imports tests dev quick fuzz soak cross docs bench clean

demo: $(VENV)/.installed
	$(BIN)/assay compare -m chrf -m bleu -m ter -m assay-mini --data demo --worst 3 --sort-by assay-mini
	$(BIN)/assay score --spans --data demo
	$(BIN)/assay run --figures none

test: lint types imports tests

lint: $(VENV)/.tested
	$(BIN)/ruff check src tests benchmarks scripts recipes
	$(BIN)/ruff format --check src tests benchmarks scripts recipes

types: $(VENV)/.tested
	$(BIN)/python -m mypy

imports: $(VENV)/.tested
	PYTHONPATH=src $(BIN)/lint-imports

tests: $(VENV)/.tested
	$(BIN)/python -m pytest -n 2 --dist loadgroup

dev: $(VENV)/.dev

# make test replaces an editable install; the next make dev makes it again.
$(VENV)/.dev: $(VENV)/.locked $(VENV)/.mini CMakeLists.txt pyproject.toml $(wildcard src/assay/kernels/*.?pp)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable .
	rm -f $(VENV)/.installed $(VENV)/.tested
	touch $@

quick: $(VENV)/.dev
	$(BIN)/python scripts/quick.py

fuzz: $(VENV)/.tested
	$(BIN)/python scripts/sanitize.py faults
	$(BIN)/python scripts/sanitize.py --seconds 300
	$(BIN)/python -m tests.kernels.fuzz --seconds 120 --originals
	$(BIN)/python -m tests.fuzz.readers --seconds 300

soak: $(VENV)/.tested
	$(BIN)/python -m pytest -q -m soak
	$(BIN)/python scripts/soak.py --kills 300
	$(BIN)/python scripts/soak_corpus.py --workers 20 --drivers 10
	$(BIN)/python scripts/soak_corpus.py --workers 20 --drivers 10 --engine ray

docs: $(VENV)/.tested
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "build/site/index.html"

# Zig takes 400 MB and is used only here, so it is installed next to the builds that it makes.
cross: $(VENV)/.tested
	$(BIN)/python -m pip install --quiet --target build/zig ziglang==0.17.0
	PYTHONPATH=build/zig $(BIN)/python scripts/cross.py

bench: $(VENV)/.tested
	$(BIN)/python benchmarks/string_metrics.py

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	touch $@

# The weights of assay-mini are in the repository, so the package of the extra mini is installed from its folder. A source
# distribution has no such folder; there the metric's message says what to install.
$(VENV)/.mini: $(VENV)/.made $(WEIGHTS)
	test ! -d packages/mini || $(BIN)/python -m pip install --quiet ./packages/mini
	touch $@

$(VENV)/.installed: $(VENV)/.made $(VENV)/.mini $(SOURCES)
	@command -v c++ >/dev/null || { echo "assay needs a C++ compiler to build its kernels, and none was found. Try: apt-get install g++"; exit 1; }
	$(BIN)/python -m pip install --quiet .
	rm -f $(VENV)/.dev
	touch $@

# The tests' requirements are installed first, so that assay gets its own requirements in the locked versions.
$(VENV)/.locked: $(VENV)/.made requirements/test.txt pyproject.toml
	$(BIN)/python scripts/install_tests.py
	$(BIN)/python -m pip install --quiet $(TORCH) 2>/dev/null || $(BIN)/python -m pip install --quiet "torch>=2.6,<3"
	touch $@

$(VENV)/.tested: $(VENV)/.locked $(VENV)/.installed
	touch $@

clean:
	rm -rf $(VENV) build .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
