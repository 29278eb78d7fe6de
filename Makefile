# Every command of the project, once. `make` lists them; .ci/run calls them.

VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
EXE := .exe
else
BIN := $(VENV)/bin
endif
BUILT := $(VENV)/built
OLDEST := .venv-oldest
RELEASE := .venv-release
WORKERS ?= 2
PICTURES := demo

# What the installed package is made from. Python files are not in this list on purpose: the
# install is editable, so they take effect at once.
SOURCES := pyproject.toml Cargo.toml $(wildcard Cargo.lock rust-toolchain.toml) \
           $(wildcard packaging/*.py) \
           $(shell find crates -name '*.rs' -o -name '*.toml' 2>/dev/null)

# The first of these that is Python 3.11 or newer; `make PYTHON=... demo` overrules.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$p && break; done)

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-long test-oldest test-threads test-sanitizer fuzz lint hooks audit format bench bench-compare \
        docs wasm wheel wheel-musl sdist publish clean build

help: ## list these commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: $(BUILT) ## fit a provably optimal tree to a real table, print it, draw it
	@mkdir -p $(PICTURES)
	$(BIN)/exactree fit src/exactree/datasets/raisin.csv --target Class --max-depth 3 --cart \
		-o $(PICTURES)/raisin.json --plot $(PICTURES)/raisin.svg
	$(BIN)/python examples/first_tree.py $(PICTURES)/first_tree.svg

test: $(BUILT) ## run every test that takes seconds (Rust and Python)
	cargo test --workspace --exclude exactree-python --quiet
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

# The Rust tests twice: with debug assertions, and optimized as a wheel is, but for overflow checks.
# Python tests and `fuzz` have that second build anyway.
test-long: $(BUILT) ## run the tests that take minutes as well
	cargo test --workspace --exclude exactree-python --quiet -- --include-ignored
	cargo test --workspace --exclude exactree-python --quiet --profile checked -- --include-ignored
	EXACTREE_FUZZ=500 $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m "long or not long"

FUZZ := --seconds 3600
fuzz: $(BUILT) ## try 10,000 random tables of mixed types, then combinations of everything (an hour)
	EXACTREE_FUZZ=10000 $(BIN)/python -m pytest tests/estimators/test_fuzz.py
	PYTHONPATH=tests/fuzz $(BIN)/python -m campaign $(FUZZ)

# The native module is the one of .venv: it is built for every Python from the oldest on.
test-oldest: $(BUILT) $(OLDEST)/made ## run scikit-learn's checks with the oldest versions we promise
	PYTHONPATH=src $(OLDEST)/bin/python -m pytest -n $(WORKERS) --dist worksteal tests/estimators/test_sklearn_checks.py \
		tests/estimators/test_contract.py

$(OLDEST)/made: pyproject.toml packaging/oldest.py | $(BIN)/python$(EXE)
	$(PYTHON) -m venv $(OLDEST)
	$(BIN)/python packaging/oldest.py > $(OLDEST)/requirements.txt
	$(OLDEST)/bin/python -m pip install --quiet --only-binary :all: -r $(OLDEST)/requirements.txt
	@touch $@

test-threads: ## try every order in which threads can meet (minutes)
	RUSTFLAGS="--cfg loom" cargo test -p exactree-search --lib --release --target-dir target/loom task_queue

# Needs the nightly toolchain of rustup; only the crates without Python.
test-sanitizer: ## run the Rust tests with a check of every access to memory (minutes)
	RUSTFLAGS=-Zsanitizer=address cargo +nightly test --workspace --exclude exactree-python --lib --quiet \
		--target $(shell rustc -vV | sed -n 's/host: //p') --target-dir target/sanitizer

lint: $(BUILT) ## check formats, lints, types, spelling, licences and workflows
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/rumdl check --silent .
	$(BIN)/reuse lint --quiet
	$(BIN)/zizmor --offline --quiet .github

# pre-commit fetches the tools of .pre-commit-config.yaml from their repositories.
hooks: $(BUILT) ## run the hooks of pre-commit on all files (needs the network)
	$(BIN)/python -m pip install --quiet --group dev
	$(BIN)/pre-commit run --all-files --show-diff-on-failure

# What changes without us: advisories, licences of new versions, the habits of other projects.
audit: $(BUILT) ## look for known vulnerabilities, licences and neglected habits (needs the network)
	$(BIN)/python -m pip install --quiet --group audit
	$(BIN)/pip-audit --skip-editable
	cargo deny --version >/dev/null 2>&1 || cargo install --locked --quiet cargo-deny
	cargo deny check
	$(BIN)/repo-review . --show errskip

format: $(BUILT) ## format the Python and Rust files
	cargo fmt --all
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

bench: $(BUILT) ## compare with other solvers in one run and leave a record
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/maturin develop --release --skip-install --quiet
	$(BIN)/python -m benchmarks $(ARGS)

# Both builds are as in wheels. ARGS as in benchmarks/versions.py.
COMPARED := target/compared
bench-compare: $(BUILT) ## say which problems became faster or slower since a commit: BASE=main
	@test -n "$(BASE)" || { echo "Give a commit: make bench-compare BASE=main"; exit 2; }
	rm -rf $(COMPARED)
	mkdir -p $(COMPARED)/source
	git archive $(BASE) | tar -x -C $(COMPARED)/source
	CARGO_TARGET_DIR=$(CURDIR)/target $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation \
		--target $(COMPARED)/before $(COMPARED)/source
	CARGO_TARGET_DIR=$(CURDIR)/target $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation \
		--target $(COMPARED)/after .
	$(BIN)/python -m benchmarks.versions $(COMPARED)/before $(COMPARED)/after $(ARGS)

docs: $(BUILT) ## build the site of documents in site/; warnings are errors
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -c docs -b html -d target/docs -W --keep-going --quiet . site
	@echo "The site: site/index.html"

# Wheels contain the file if it is there; without it, reports have no button that checks a certificate.
WASM :=
wasm: ## compile the checker of certificates to WebAssembly, for the pages of reports
	$(PYTHON) packaging/wasm.py $(WASM)

# Options of maturin. With --zig, a wheel for older systems is built on a new one.
WHEEL :=
wheel: $(BIN)/maturin$(EXE) ## build a wheel in dist/ and try it in an environment outside this folder
	rm -f dist/*.whl
	$(if $(findstring --zig,$(WHEEL)),$(BIN)/python -m pip install --quiet ziglang)
	$(BIN)/maturin build --release --out dist --interpreter $(BIN)/python$(EXE) $(WHEEL)
	$(BIN)/python packaging/try_it.py dist

# What a wheel for musl needs is there on Alpine only.
wheel-musl: $(BIN)/maturin$(EXE) ## build a wheel for Linux with musl, and try it in a container
	rm -f dist/*.whl
	$(BIN)/python -m pip install --quiet ziglang
	rustup target add $(MUSL)
	$(BIN)/maturin build --release --out dist --interpreter $(BIN)/python$(EXE) --zig --target $(MUSL) \
		--compatibility musllinux_1_2
	docker run --rm --volume "$(CURDIR):/io:ro" python:3.13-alpine python /io/packaging/try_it.py /io/dist
MUSL = $(shell rustc -vV | sed -n 's/host: \(.*\)-gnu/\1-musl/p')

sdist: $(BIN)/maturin$(EXE) ## make the source distribution, build from it elsewhere, run some of its tests
	rm -f dist/*.tar.gz
	$(BIN)/maturin sdist --out dist
	$(BIN)/python packaging/try_it.py dist/*.tar.gz --tests

# Credentials come from the workflow that runs it (trusted publishing): see RELEASING.md.
publish: ## sign the files in dist/ and upload them to the package index
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet 'pip>=25.1'
	$(RELEASE)/bin/python -m pip install --quiet --group release
	$(RELEASE)/bin/twine check --strict dist/*
	$(RELEASE)/bin/pypi-attestations sign dist/*
	$(RELEASE)/bin/twine upload --attestations --non-interactive dist/*

build: $(BUILT) ## make the environment in .venv and build the package

clean: ## remove what the other commands made
	rm -rf $(VENV) $(OLDEST) $(RELEASE) target $(PICTURES) dist site docs/generated .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -f src/exactree/_native*.so src/exactree/_native*.pyd src/exactree/export/page/checker.wasm
	find src tests examples packaging benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(BIN)/python$(EXE):
	@test -n "$(PYTHON)" || { echo "exactree needs Python 3.11 or newer, and none was found on PATH."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# maturin lives in the environment, so that a rebuild needs no network and reuses target/.
$(BIN)/maturin$(EXE): | $(BIN)/python$(EXE)
	$(BIN)/python -m pip install --quiet 'maturin>=1.10,<2'

$(BUILT): $(SOURCES) | $(BIN)/maturin$(EXE)
	@echo "Building exactree in $(VENV); the first time takes some minutes."
	$(BIN)/python -m pip install --quiet 'pip>=25.1'  # older ones do not know dependency groups
	$(BIN)/python -m pip install --quiet --group test --group lint  # isolated: not all of them have wheels
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[all]'
	@touch $@
