# `make check` and `make test` are the two commands a fresh machine needs. Each makes .venv, installs the pinned
# versions, finds or installs a Java for Spark, and says what it does; the second time there is nothing left to do.
.DEFAULT_GOAL := help
PYTHON ?= python3
# One more than CI has processors: tests of running members wait a good part of their time.
PYTEST_WORKERS ?= 3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NIGHTLY := $(VENV)/.nightly
DOCS := $(VENV)/.docs

.PHONY: help check test quick lint live readings nightly night bench docs wheel protocols clean

help: ## say what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

check: $(READY) ## audit every system, see that planted bugs are found, and explain how an acknowledged write is lost
	@# Status 1 says that a system broke a promise of its own: a result, not a failure of this command.
	@$(BIN)/python -m gridproof check --system all || [ $$? -eq 1 ]
	@$(BIN)/python -m suite zoo --quick
	@$(BIN)/python -m gridproof explain 6 --of acknowledged-write-kept --members 4 --backups 1 --faults crash --prefixes 10 --continuations 12

test: $(READY) ## run the house rules, the type checkers and every test
	@# Some hundred tests start a Python each, which would compile every module anew where nothing compiled is kept.
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "not nightly"

quick: $(READY) ## what an edit needs: style, types by mypy, and the tests that need no JVM, no process and no long search
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports && $(BIN)/mypy
	@$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --deselect tests/house/test_tools.py \
		-m "not nightly and not live and not spark" tests/model tests/implementation/protocol tests/regressions tests/house

lint: $(READY) ## only the style, type and architecture checks
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/pyright && $(BIN)/lint-imports

live: $(READY) ## audit the live systems, three seeds each, fetching what they need; print one table
	@scripts/live $(BIN)/python

CELL = @$(BIN)/python -m tools.live_cell docs/three-readings/four-members.toml $(if $(MINUTES),--minutes $(MINUTES))

readings: $(READY) ## play docs/three-readings on Hazelcast and Valkey, 200 runs each, from where it ended; MINUTES=20 of each
	$(CELL) --system hazelcast --results docs/three-readings/hazelcast.csv
	$(CELL) --system valkey --results docs/three-readings/valkey.csv --set members=6

nightly: $(NIGHTLY) ## run the long tests, and all that draw, afresh; keeps what failed in .nightly, which `make clean` leaves
	@HYPOTHESIS_PROFILE=nightly $(BIN)/python -m pytest -m "nightly or hypothesis"

night: nightly

bench: $(READY) ## print the figures of DESIGN as ratios
	@$(BIN)/python -m benchmarks

docs: $(DOCS) ## make the documents a searchable site in gridproof-out/site; a link that leads nowhere ends it
	@$(BIN)/python -m tools.site gridproof-out/site

wheel: $(READY) ## build the wheel, and run five commands with it alone, on Python 3.11 and the newest at hand
	@PYTHONS="$(PYTHONS)" scripts/wheel $(BIN)/python

protocols: $(READY) ## find the lemmas of others' protocols anew, and make docs/protocols.md of it
	@$(BIN)/python -m tools.protocols find
	@$(BIN)/python -m tools.protocols page docs/protocols.md

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) gridproof-out .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/set-up
	@PYTHON="$(PYTHON)" scripts/set-up $(VENV)
	@touch $(READY)

$(DOCS): $(READY)
	@echo "set-up: installing what makes the site"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,docs]'
	@touch $(DOCS)

$(NIGHTLY): $(READY)
	@echo "set-up: installing what only the nightly tests need"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,nightly]'
	@touch $(NIGHTLY)
