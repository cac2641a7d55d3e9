# The commands of a working day. Each one sets up what it needs, in .venv, and is quick the second time.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)
PYTEST_ARGS ?=
WORKERS ?= 4# many tests wait for something, so there may be more than cores
# Tests of code that starts nothing: no sandbox, no server, no browser.
PURE := tests/test_docs.py tests/test_house.py tests/benchmarks tests/core/rendering tests/core/trajectory \
	$(addprefix tests/core/,test_config.py test_safe_path.py test_wire.py) \
	$(addprefix tests/core/agents/test_,commands.py screen.py) \
	$(addprefix tests/core/files/test_,edit_exchanges.py foreign_tar.py mime.py tar_reading.py zip_writing.py) \
	$(addprefix tests/core/sandbox/test_,docker_options.py progress.py) \
	$(addprefix tests/core/session/test_,syntax.py echoes.py framing.py traces.py) \
	$(addprefix tests/kernel/test_,carriage.py cell.py display.py history.py publisher.py rich.py words.py) \
	$(addprefix tests/server_ext/test_,access.py addresses.py forms.py headers.py)
# Where this is set, Python compiles all that it imports anew in each process.
unexport PYTHONDONTWRITEBYTECODE

LAB_SOURCES := $(shell find labextension/src labextension/style labextension/schema -type f 2>/dev/null)

.PHONY: help lab demo check test lint lint-python lint-lab format dist bench engine sandboxes clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

lab: $(VENV)/.installed sandboxes ## Start JupyterLab with the quickstart notebook
	@scripts/lab

demo: $(VENV)/.installed sandboxes ## Run the quickstart notebook without a browser
	@$(BIN)/python scripts/demo.py

check: lint ## Check style and types, and run the tests of pure code: for every save
	$(BIN)/python -m pytest --quiet -m "not slow" $(PURE)

test: lint engine ## Check style, then run all tests (needs a Docker engine and bubblewrap)
	@scripts/ensure-packages bubblewrap=bwrap chromium=chromium iproute2=ip openssh-client=ssh openssh-server=sshd \
		openssl=openssl procps=ps
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder $(PYTEST_ARGS)

lint: $(VENV)/.installed ## Check style, types and the direction of imports, and test the lab extension alone
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target lint-python lint-lab

lint-python:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/pyright

lint-lab:
	cd labextension && npm run lint && npm test

format: $(VENV)/.installed ## Rewrite the code in our style
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cd labextension && npm run format

dist: $(VENV)/.installed ## Build sdist and wheel, with a freshly built lab extension
	rm -rf dist labextension/dist
	$(MAKE) --no-print-directory labextension/dist/static/style.js
	$(BIN)/python -m build

bench: $(VENV)/.installed sandboxes ## Measure Sandbook beside floors and peers
	@$(BIN)/python -m compileall -q core kernel server_ext cli # as an installation does
	@$(BIN)/python -m benchmarks $(PARTS) $(if $(ROUNDS),--rounds $(ROUNDS))

engine: ## Make sure that a Docker engine answers and has the default image
	@scripts/ensure-engine
	@scripts/build-image

# Whoever has no engine and cannot install one still gets sandboxes, from bubblewrap.
sandboxes:
	@if scripts/ensure-engine; then scripts/build-image; \
	else echo 'Going on with bubblewrap instead.' >&2; scripts/ensure-packages bubblewrap=bwrap; fi

clean: ## Remove everything that was made here
	rm -rf $(VENV) .build dist labextension/dist labextension/lib labextension/node_modules labextension/*.tsbuildinfo

$(VENV)/.python: pyproject.toml scripts/ensure-venv
	@scripts/ensure-venv $(VENV)
	@touch $@

labextension/node_modules/.package-lock.json: labextension/package-lock.json | $(VENV)/.python
	cd labextension && npm ci --no-fund --no-audit
	@touch $@

labextension/dist/static/style.js: labextension/node_modules/.package-lock.json $(LAB_SOURCES)
	cd labextension && npm run --silent build:prod
	@touch $@

$(VENV)/.installed: $(VENV)/.python labextension/dist/static/style.js $(wildcard kernel/sandbook_kernel/kernelspec/*)
	@scripts/install-package $(VENV)
	@touch $@
