# Two commands on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := $(VENV)/$(SCRIPTS)
INSTALL := -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test docs test-peers test-bounds fuzz faults lint format docstrings notebooks bench bench-quick map-library clean

demo: $(VENV)/installed
	$(BIN)/doc2vecc demo

test: lint docs
	$(BIN)/pytest

# The site of docs/, README and docstrings, into site/; a warning is an error, and nothing is loaded from the network.
docs: $(VENV)/installed-test
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Other programs read our exports; they live in an environment of their own. uv installs them in a quarter of the time that
# pip needs; without uv, pip does it. UV_TORCH_BACKEND=cpu takes torch without CUDA, a much smaller download.
test-peers: $(VENV)-peers/installed
	$(VENV)-peers/$(SCRIPTS)/pytest -m peers

PEERS := $(VENV)-peers/$(SCRIPTS)/python
PEERS_PACKAGES := -c constraints-peers.txt -e '.[test,peers]' -e './experiments[neural]'
$(VENV)-peers/installed: pyproject.toml experiments/pyproject.toml constraints.txt constraints-peers.txt
	$(PYTHON) -m venv $(VENV)-peers
	-$(PEERS) $(INSTALL) uv
	$(PEERS) -m uv pip install --quiet --python $(PEERS) $(addprefix --find-links ,$(PIP_FIND_LINKS)) -c constraints.txt \
		$(PEERS_PACKAGES) || $(PEERS) $(INSTALL) $(PEERS_PACKAGES)
	@touch $@

# The kernels with checks of all indices, and as plain Python.
test-bounds: $(VENV)/installed-test
	NUMBA_BOUNDSCHECK=1 $(BIN)/pytest tests/kernels
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest tests/kernels -m "not slow"

# Damaged files, model folders, texts and settings; what fails is kept under tests/crashes and tried by the tests.
FUZZ_SECONDS ?= 600
FUZZ_SEED ?= 0
fuzz: $(VENV)/installed-test
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

# Kills and failing disks at every step of writing, and at random moments.
FAULT_KILLS ?= 200
faults: $(VENV)/installed-test
	$(BIN)/python -m tests.faults --kills $(FAULT_KILLS)

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/installed-test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The parameters of Doc2VecC, written into its docstring; a test fails when they differ.
docstrings: $(VENV)/installed
	$(BIN)/python tools/docstrings.py

# The notebooks of examples/, run and written with what they show.
notebooks: $(VENV)/installed-test
	$(BIN)/python tools/notebooks.py

$(VENV)/installed: pyproject.toml experiments/pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -e '.[map]' -e ./experiments
	@touch $@

$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python $(INSTALL) -e '.[test,docs]' -e './experiments[figures]'
	@touch $@

# The peers live in an environment of their own.
bench: $(VENV)-bench/installed
	$(VENV)-bench/$(SCRIPTS)/python -m benchmarks.run

bench-quick: $(VENV)-bench/installed
	$(VENV)-bench/$(SCRIPTS)/python -m benchmarks.run --quick

$(VENV)-bench/installed: pyproject.toml experiments/pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/$(SCRIPTS)/python $(INSTALL) -e '.[bench]' -e ./experiments
	@touch $@

# What the maps use of three.js, as one file of the package; only needed for another version of it. See packaging/scatter.
map-library:
	cd packaging/scatter && npm ci --no-audit --no-fund && npm run build

clean:
	rm -rf $(VENV) $(VENV)-bench $(VENV)-peers site
