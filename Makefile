# `make check` and `make test` are the two commands a fresh machine needs. Each makes .venv, installs the pinned
# versions, finds or installs a Java for Spark, and says what it does; the second time there is nothing left to do.
.DEFAULT_GOAL := help
PYTHON ?= python3
PYTEST_WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
NIGHT := $(VENV)/.night

.PHONY: help check test quick lint live night bench clean

help: ## say what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/'

check: $(READY) ## audit every system, and see that planted bugs are found
	@# Status 1 says that a system broke a promise of its own: a result, not a failure of this command.
	@$(BIN)/python -m gridproof check --system all || [ $$? -eq 1 ]
	@$(BIN)/python -m gridproof zoo --quick

test: $(READY) ## run the house rules, the type checkers and every test
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "not night"

quick: $(READY) ## what an edit needs: style, types by mypy, and the tests that need no JVM, no process and no long search
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports && $(BIN)/mypy
	@$(BIN)/python -m pytest -q -n $(PYTEST_WORKERS) --deselect tests/house/test_tools.py \
		-m "not night and not live and not spark" tests/model tests/implementation/protocol tests/regressions tests/house

lint: $(READY) ## only the style, type and architecture checks
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/pyright && $(BIN)/lint-imports

live: $(READY) ## audit the live systems, three seeds each, fetching what they need; print one table
	@scripts/live $(BIN)/python

night: $(NIGHT) ## run the long tests and print their verdicts; draws afresh, and keeps what failed in .hypothesis/night
	@HYPOTHESIS_PROFILE=night $(BIN)/python -m pytest -m night

bench: $(READY) ## print the figures of DESIGN as ratios
	@$(BIN)/python -m benchmarks

clean: ## remove the environment and everything that was built
	rm -rf $(VENV) gridproof-out .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml constraints.txt scripts/set-up
	@PYTHON="$(PYTHON)" scripts/set-up $(VENV)
	@touch $(READY)

$(NIGHT): $(READY)
	@echo "set-up: installing what only the night needs"
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,night]'
	@touch $(NIGHT)
