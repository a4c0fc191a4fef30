# Everything runs in .venv, made by `python3` (3.11 or newer). Nothing is installed twice: the stamps in .venv remember.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed.stamp
DEVELOPING := $(VENV)/developing.stamp
EDITORS := $(VENV)/editors.stamp
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# Writes a group of dependencies from pyproject.toml as requirements: the pip that comes with 3.11 knows no --group.
list_of = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"]["$(1)"], sep="\n")' > $(VENV)/$(1).txt
# As an installation that is not editable does: where PYTHONDONTWRITEBYTECODE is set, every start would compile again.
COMPILE := $(BIN)/python -m compileall -q -j 0 analysis runtime server
VERSION_FILE := server/snd_server/__init__.py

# Threads of BLAS that wait for each other by spinning cost more than they gain as soon as anything else runs; workers
# of the product have as many as leave half of the machine to others.
export OPENBLAS_NUM_THREADS ?= 1

# What is compiled is kept, whatever the environment says: pytest compiles every test file with its assertions, and the
# packages of tools are compiled when they are first used, which few of their modules are.
export PYTHONDONTWRITEBYTECODE :=

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal
# What needs no editor; those are downloaded by test-editors. The extension comes first: it waits for its packages.
CHANGES := tests/editors/extension tests/editors/others tests/analysis tests/nnef1 tests/runtime tests/server tests/fuzz

.PHONY: demo test test-all test-editors fuzz lint format bench engines docs site grammar clean extension

## Install snd and show it at work: a clean model is checked and run, then one with mistakes checked.
demo: $(INSTALLED)
	$(BIN)/snd check examples/alexnet
	$(BIN)/snd run examples/alexnet
	$(BIN)/snd check examples/broken --exit-zero

## Install everything and run the tests of every change: of long sweeps a sample, the language server for one client.
test: $(DEVELOPING)
	$(PYTEST) $(CHANGES)

## Everything: all cases of all sweeps, every client, real editors, and the benchmarks.
test-all: $(EDITORS)
	$(call list_of,distribution)
	$(PIP) --requirement $(VENV)/distribution.txt
	$(PYTEST) --exhaustive --timeout 3600 $(CHANGES)
	$(BIN)/python -m pytest --exhaustive --timeout 3600 tests/editors/nvim tests/editors/tree_sitter tests/editors/vscode
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-quiet

## The extension for VS Code as one file, vscode-extension/dist/skriptnd.vsix; takes Node and npm.
extension: $(INSTALLED)
	cd vscode-extension && npm install --no-audit --no-fund --silent && npm run --silent package

## The extension in a real VS Code, the plugin in a real Neovim: what they need is downloaded into .editors (or
## SND_EDITORS_CACHE, which clones may share). Screenshots and logs are left in test-output/editors.
test-editors: $(EDITORS)
	$(BIN)/python -m pytest tests/editors

## Attacks at random, for FUZZ_SECONDS, on what reads foreign bytes; tests/fuzz says what is kept of what is found.
fuzz: $(DEVELOPING)
	PYTHONPATH=tests $(BIN)/python -m fuzz

## Style and types; fast enough to run before every commit.
lint: $(DEVELOPING)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEVELOPING)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

## The parse table, from the grammar: to be run after every edit of grammar.lark.
grammar: $(DEVELOPING)
	$(BIN)/python -m snd_analysis.skriptnd.syntax.build_table

## Medians of all benchmarks beside their budgets.
bench: $(DEVELOPING)
	$(BIN)/python -m pytest tests/benchmarks --benchmark-only --benchmark-quiet

## How long the examples take beside onnxruntime, with and without compiled loops.
engines: $(DEVELOPING)
	@PYTHONPATH=tests $(BIN)/python -m support.benchmarks.engines

LIBRARY := algo image layer layout linalg math misc nn quant rand

## The pages of all rules, from their declarations, and of the libraries, from their sources.
docs: $(DEVELOPING)
	$(BIN)/python -c 'from snd_server.render.rule_page import rule_pages; print(rule_pages(), end="")' > docs/rules.md
	mkdir -p docs/library
	for module in $(LIBRARY); do $(BIN)/snd doc $$module --page > docs/library/$$module.md; done
	PYTHONPATH=tests $(BIN)/python -m support.library_pictures
	PYTHONPATH=tests $(BIN)/python -m support.formats.pages
	PYTHONPATH=tests $(BIN)/python -m support.reference

## The documents as a site in build/site; needs no network, and fails for links that lead nowhere.
site: $(DEVELOPING)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis .benchmarks build dist test-output
	rm -rf vscode-extension/dist vscode-extension/out vscode-extension/node_modules

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(BIN)/python pyproject.toml $(VERSION_FILE)
	$(PIP) --editable .[svg]
	$(COMPILE) || true
	@touch $@

# snd is installed together with the tools, so that pip resolves once.
$(DEVELOPING): $(BIN)/python pyproject.toml $(VERSION_FILE)
	$(call list_of,dev)
	$(PIP) --no-compile --editable .[svg] --requirement $(VENV)/dev.txt
	$(call list_of,oracles)
	$(PIP) --no-compile --no-deps --only-binary :all: --requirement $(VENV)/oracles.txt \
		|| echo "There is no tosa-tools for this machine: its comparisons are skipped."
	$(COMPILE) || true
	@touch $(INSTALLED) $@

$(EDITORS): $(DEVELOPING)
	$(call list_of,editors)
	$(PIP) --no-compile --requirement $(VENV)/editors.txt
	@touch $@
