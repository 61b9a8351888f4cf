# Two commands on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test bench bench-quick clean

demo: $(VENV)/installed
	$(BIN)/doc2vecc demo

test: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

$(VENV)/installed: pyproject.toml experiments/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e . -e ./experiments
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]' -e './experiments[figures]'
	@touch $@

# The peers live in an environment of their own.
bench: $(VENV)-bench/installed
	$(VENV)-bench/bin/python -m benchmarks.run

bench-quick: $(VENV)-bench/installed
	$(VENV)-bench/bin/python -m benchmarks.run --quick

$(VENV)-bench/installed: pyproject.toml experiments/pyproject.toml
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/python -m pip install --quiet --disable-pip-version-check -e '.[bench]' -e ./experiments
	@touch $@

clean:
	rm -rf $(VENV) $(VENV)-bench
