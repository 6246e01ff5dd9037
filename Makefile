# What a checkout needs: Python 3.10 or newer, and make. `make help` lists what there is.

PYTHON ?= python3
VENV ?= .venv
VERSION ?= 0.5.17
# Two workers at least: some tests wait for processes of their own.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(max(2, min(8, os.cpu_count() or 2)))")

BIN := $(VENV)/bin
TREES := .cache/sglang

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test test-all test-slow lint format types sglang surface benchmark screenshot clean

help: ## List the targets.
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 22

run: $(VENV)/.installed ## Show a check that passes, then one that fails, on the small engine tree.
	@$(BIN)/python scripts/demo.py

test: $(VENV)/.developed ## Run the default tests.
	$(BIN)/python -m pytest -n $(WORKERS) -m "not slow"

test-slow: $(VENV)/.developed ## Run only the slow tests: wheels, pre-commit, real trees, torch.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile -m slow

test-all: $(VENV)/.developed ## Run all tests.
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

lint: $(VENV)/.developed ## Check style and format.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.developed ## Format, and repair what can be repaired.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/.developed ## Check types, strictly.
	$(BIN)/mypy
	cd ratchet/vendor && $(abspath $(BIN))/mypy --config-file= --strict --python-version 3.10 --cache-dir $(CURDIR)/.mypy_cache/vendor -p sglang

sglang: $(VENV)/.installed ## Check a real release against its baselines: make sglang VERSION=0.5.17
	$(BIN)/python scripts/sglang.py '$(VERSION)' $(TREES)
	$(BIN)/ratchet check --root $(TREES)/$(VERSION)/sglang --baselines baselines/sglang-$(VERSION)

surface: $(VENV)/.installed ## Write the surfaces of all releases in the pack anew, off their trees.
	$(BIN)/python scripts/surface.py $(TREES)

benchmark: $(VENV)/.developed ## Measure speed and memory, beside other tools; fills benchmarks/README.md.
	for version in 0.5.15 0.5.17 0.5.20 0.5.23; do $(BIN)/python scripts/sglang.py $$version $(TREES) || exit 1; done
	$(BIN)/python benchmarks/checker.py --write

screenshot: $(VENV)/.installed ## Draw the picture of the README again.
	$(BIN)/python docs/screenshot.py

clean: ## Remove environments, caches and builds.
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: made once, installed into again when pyproject.toml changes.

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "ratchet needs Python 3.10 or newer, and this is %d.%d: name another with PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.installed
