# What a newcomer needs is `make serve` and `make test`; `make help` lists the rest.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Python keeps compiled modules, also where the environment says otherwise: pytest rewrites the assertions of each test
# module, which takes several times as long as to load the result, in every process.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
	&& echo $$name && break; done)

VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python deploy/install.py
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header
# Each lock has only the packages that those before it lack: a line with a marker may not apply everywhere.
BESIDE = $$(sed -n 's/^\([a-z0-9.-]*\)==[^;]*$$/--no-emit-package \1/p' $(1)) $(1:%=--constraint %)
OURS := --no-emit-package skye-engine --no-emit-package skye-client --no-emit-package skye-gym --no-emit-package skye-hunts
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
SOURCES := engine service gym hunts clients tests deploy examples bench conftest.py
OPTIONS := # more arguments of what measures, plays or kills: make league OPTIONS=--games=10, make soak OPTIONS='--minutes 1'

.PHONY: help
help: ## list all targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: serve
serve: $(VENV)/.installed ## install the packages, and start the API with an embedded Redis
	@SKYE_DATA_DIR="$${SKYE_DATA_DIR:-data}" exec $(BIN)/skye-server serve

.PHONY: demo
demo: $(VENV)/.installed ## play a whole game on the running server
	@exec $(BIN)/skye-server demo

ROOMS :=
CLOCKS = $(CLOCK:%=-p tests.support.clocks --clock %)
.PHONY: test test-full test-all test-costs test-servers
test: $(VENV)/.installed-test ## test all parts, in about two minutes; ROOMS=tests/engine, CLOCK=jumping or stopped
	@echo 'Testing (half a minute to a minute and a half on two cores) ...'
	@$(PYTEST) -m 'not full' $(CLOCKS) $(ROOMS)
TESTED := $(VENV)/.installed-full $(VENV)/.installed-frameworks $(VENV)/.installed-npm
test-full: $(TESTED) ## run all other tests: kills, failovers, whole games in a browser, frameworks
	@echo 'Running the other tests (a quarter to half an hour on two cores) ...'
	@$(PYTEST) -m full $(ROOMS)
test-all: $(TESTED) $(VENV)/.installed-bench $(VENV)-openenv/.installed $(VENV)-verifiers/.installed ## run all tests, with storms, fuzzing and soaks in full size
	@TEST_SIZE=full $(PYTEST) --durations 10
test-costs: $(TESTED) ## measure all tests, and write which of them `make test` leaves out: tests/costs.tsv
	@$(PYTEST) --write-costs
test-servers: $(VENV)/.installed-test ## run the tests of the commands that Redis and Valkey could answer differently, on each that `make test` does not use
	@for program in $$($(BIN)/python -m skye_server.server.server_programs); do echo "$$program:"; \
		REDIS_PROGRAM=$$program $(PYTEST) -q tests/store || exit 1; done

GENERATORS := tests/contract/generators
.PHONY: generators
generators: $(BIN)/python ## install the generators of clients that `make test-all` tries on openapi.yaml
	@$(BIN)/python -m venv $(GENERATORS)/.venv
	@$(GENERATORS)/.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes \
		-r $(GENERATORS)/requirements.lock
	@cd $(GENERATORS) && npm ci --silent --no-audit --no-fund

.PHONY: durability
durability: $(VENV)/.installed-full ## kill processes for five minutes, and check that no acknowledged action is lost
	@$(BIN)/python -m tests.system.durability $(OPTIONS)

.PHONY: soak
soak: $(VENV)/.installed-full ## play 2,000 concurrent games for ten minutes through nginx, and check them
	@$(BIN)/python -m gevent.monkey --module tests.system.soak $(OPTIONS)

LINTERS := lint-style lint-web lint-types lint-imports lint-security lint-generated lint-contract
.PHONY: lint $(LINTERS)
lint: $(VENV)/.installed-full ## check style, types, security, and that openapi.yaml is what the code generates
	@$(MAKE) --no-print-directory --keep-going --jobs 2 $(LINTERS)
lint-style:
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
lint-web: # where `npm ci --prefix web` has installed the tools
	@test ! -x web/node_modules/.bin/prettier || (cd web && node_modules/.bin/prettier --check --log-level warn . && node_modules/.bin/eslint .)
lint-types:
	@$(BIN)/mypy
lint-imports:
	@$(BIN)/lint-imports --no-cache
lint-security:
	@$(BIN)/bandit --quiet --configfile pyproject.toml --recursive engine service gym/skye_gym hunts/skye_hunts
	@$(BIN)/python deploy/audit.py
lint-generated:
	@$(BIN)/skye-server openapi | diff -u openapi.yaml - || { \
		echo 'openapi.yaml has drifted from the code: run `make openapi` and look at what changed.' >&2; exit 1; }
	@$(BIN)/python clients/python/generate.py --check
lint-contract:
	@$(BIN)/python -m tests.contract.breaking_changes
	@SKYE_SERVER=$(BIN)/skye-server tests/contract/lint.sh

.PHONY: format
format: $(VENV)/.installed-full ## format the code
	@$(BIN)/ruff check --fix --quiet $(SOURCES); $(BIN)/ruff format $(SOURCES)
	@test ! -x web/node_modules/.bin/prettier || (cd web && node_modules/.bin/prettier --write --log-level warn .)

.PHONY: openapi
openapi: $(VENV)/.installed ## write openapi.yaml from the code
	@$(BIN)/skye-server openapi > openapi.yaml.new && mv openapi.yaml.new openapi.yaml

.PHONY: bench bench-engine bench-api bench-scale bench-attacks bench-full bench-page bench-web bench-profile request-path
bench: $(VENV)/.installed-bench ## measure the engine and the API next to similar projects, with wrk; writes bench/latest.json
	@$(BIN)/python -m bench $(OPTIONS)
bench-engine: $(VENV)/.installed-bench ## measure the engine only
	@$(BIN)/python -m bench engine $(OPTIONS)
bench-api: $(VENV)/.installed-bench ## measure the API only
	@$(BIN)/python -m bench api $(OPTIONS)
bench-scale: $(VENV)/.installed-bench ## measure stored games, open streams, sizes and the start only
	@$(BIN)/python -m bench scale $(OPTIONS)
bench-attacks: $(VENV)/.installed-bench ## measure reads during attacks, and the CPU time of the worst requests beside their price
	@$(BIN)/python -m bench attacks $(OPTIONS)
bench-full: $(VENV)/.installed-bench ## repeat all measurements more often, with a million stored games (4 GB of memory)
	@$(BIN)/python -m bench --full $(OPTIONS)
bench-page: $(VENV)/.installed-bench ## write the last costs of a game and a request into deploy/scale.md
	@$(BIN)/python -m bench.page
bench-web: $(VENV)/.installed-full ## measure the web client in a throttled Chromium against its budget
	@$(BIN)/python -m bench.web $(OPTIONS)
bench-profile: $(VENV)/.installed-bench ## draw a flame graph of one action: bench/profile.svg
	@$(BIN)/python -m bench.profile $(OPTIONS)
request-path: $(VENV)/.installed ## print the functions that an action passes, and count them
	@$(BIN)/python -m bench.request_path

.PHONY: detection-matrix
detection-matrix: $(TESTED) ## run tools on each defect of bug hunts, and write what they find into hunts/detection.md; goes on where it stopped
	@$(BIN)/python -m hunts.tests.detection.matrix $(OPTIONS)

.PHONY: examples
examples: $(VENV)/.installed-full ## record the responses in the contract, the guide and the README from a live server; ONLY="webhooks wrong_phase" those of scenes and problem codes of the server
	@failed=0; $(BIN)/python -m tests.contract.examples $(ONLY) || failed=1; \
		test -n '$(ONLY)' || $(BIN)/python -m hunts.tests.examples || failed=1; \
		$(MAKE) --no-print-directory openapi || failed=1; \
		test -n '$(ONLY)' || $(BIN)/python -m tests.contract.guide || failed=1; \
		test -n '$(ONLY)' || $(BIN)/python -m tests.contract.readme || failed=1; exit $$failed

.PHONY: league
league: $(VENV)/.installed ## play leagues of all bots; writes the tables into gym/README.md
	@$(BIN)/python -m bench.league $(OPTIONS)

N := 10000
.PHONY: dataset
dataset: $(VENV)/.installed-frameworks ## play N games, and write their decisions as columns into data/dataset/
	@$(BIN)/python -m bench.dataset $(N) $(OPTIONS)

.PHONY: reference
reference: $(VENV)/.installed-frameworks ## write the API reference of the engine and of skye-gym into build/reference
	@$(BIN)/python -m tests.support.reference build/reference skye skye_gym
	@echo 'build/reference/index.html'

.PHONY: core
core: $(VENV)/.installed-test ## build the native prototype gym/core, and compare its answers with those of the engine; needs a C compiler
	@cd gym/core && $(abspath $(BIN))/python setup.py --quiet build_ext --inplace
	@$(BIN)/python -m pytest -q gym/tests/test_batched_core.py

.PHONY: screenshots
screenshots: $(VENV)/.installed-full ## make the pictures of the README and the guide, and the icons, with Chromium
	@$(BIN)/python -m tests.support.screenshots
	@$(BIN)/python -m tests.support.icons

.PHONY: clients
clients: $(VENV)/.installed-full ## generate the models and the synchronous half of the client packages
	@$(BIN)/python clients/python/generate.py
	@if command -v npm > /dev/null; then for package in $(NPM_PACKAGES); do \
		(cd $$package && npm ci --silent && npm run --silent --if-present build) || exit 1; done; \
		else echo 'No npm here: the TypeScript client was not generated.' >&2; fi

RELEASE := $(VENV)-release
.PHONY: released release release-images release-test
released: $(VENV)/.installed-full ## write what later contracts are compared with, tests/contract/released.yaml
	@$(BIN)/python -m tests.contract.breaking_changes --release
release: $(RELEASE)/.installed ## audit the packages, and build the wheels, archives and npm package into dist/; UNAUDITED=yes without
	@$(RELEASE)/bin/python -m deploy.release.build $(if $(UNAUDITED),--unaudited)
release-images: $(RELEASE)/.installed ## build the images with buildah, into dist/ beside the packages of the same commit
	@$(RELEASE)/bin/python -m deploy.release.build --images
release-test: $(RELEASE)/.installed ## install what is in dist/ outside the checkout, and play games with it
	@$(RELEASE)/bin/python -m deploy.release.play

.PHONY: lock
lock: $(VENV)/.installed ## pin the newest versions that the pyproject.toml files allow
	@cd deploy && rm requirements*.lock
	@$(LOCK) --group pyproject.toml:uv --output-file deploy/requirements-uv.lock
	@$(LOCK) $(OURS) --group pyproject.toml:build service/pyproject.toml --output-file deploy/requirements.lock
	@$(LOCK) $(OURS) $(call BESIDE,deploy/requirements.lock) --group pyproject.toml:test service/pyproject.toml \
		--output-file deploy/requirements-test.lock
	@$(LOCK) $(OURS) $(call BESIDE,$(LOCKS_OF_TESTS)) --group pyproject.toml:full \
		--output-file deploy/requirements-full.lock
	@$(LOCK) $(call BESIDE,$(LOCKS_OF_TESTS) deploy/requirements-full.lock) --group pyproject.toml:frameworks \
		--output-file deploy/requirements-frameworks.lock
	@$(LOCK) $(OURS) --group pyproject.toml:build clients/mcp/pyproject.toml \
		--constraint deploy/requirements-full.lock --output-file deploy/requirements-mcp.lock
	@$(LOCK) --group pyproject.toml:release --constraint deploy/requirements-full.lock \
		--output-file deploy/requirements-release.lock

.PHONY: clean
clean: ## remove the virtual environment and caches (never the games)
	@rm -rf $(VENV) $(VENV)-* */build */*.egg-info clients/python/*.egg-info gym/*/*.egg-info gym/*/build gym/core/skye_core/*.so .hypothesis .mypy_cache .pytest_cache .ruff_cache .schemathesis
	@rm -rf examples/typescript/node_modules examples/typescript/dist
	@rm -rf clients/typescript/node_modules clients/typescript/types tests/web/node_modules
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A lock is installed again only when it, or the environment, has changed.
EDITABLE := --editable engine service gym hunts clients/python
$(VENV)/.installed: deploy/requirements.lock gym/pyproject.toml hunts/pyproject.toml $(BIN)/python
	@echo 'Installing the packages of the server (10 to 30 s) ...'
	@$(INSTALL) $< $(EDITABLE)
	@touch $@

LOCKS_OF_TESTS := deploy/requirements.lock deploy/requirements-test.lock
$(VENV)/.installed-test: $(LOCKS_OF_TESTS) gym/pyproject.toml hunts/pyproject.toml $(BIN)/python
	@echo 'Installing the packages of the server and of its tests (10 to 30 s) ...'
	@$(INSTALL) $(LOCKS_OF_TESTS) $(EDITABLE)
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-full: deploy/requirements-full.lock $(VENV)/.installed-test
	@echo 'Installing the packages of the linters and of the other tests (10 to 60 s) ...'
	@$(INSTALL) $(LOCKS_OF_TESTS) $< $(EDITABLE) clients/mcp
	@touch $@

# The tests of TypeScript packages are skipped where there is no npm.
NPM_PACKAGES := clients/typescript examples/typescript tests/web web
NPM_TESTED := $(NPM_PACKAGES) bench/boardgameio
$(VENV)/.installed-npm: $(NPM_TESTED:%=%/package-lock.json) $(BIN)/python
	@if ! command -v npm > /dev/null; then echo 'No npm: the TypeScript packages are not tested.' >&2; \
		else echo 'Installing the packages that the TypeScript code needs ...'; \
		for package in $(NPM_TESTED); do npm ci --prefix $$package --no-audit --no-fund --silent || { \
		echo "npm ci failed in $$package: it is not tested." >&2; exit 0; }; done; touch $@; fi

# The tests of the environments are skipped where a framework has no wheel.
$(VENV)/.installed-frameworks: deploy/requirements-frameworks.lock $(VENV)/.installed-full
	@echo 'Installing the frameworks of bots (10 to 60 s) ...'
	@$(INSTALL) $(LOCKS_OF_TESTS) deploy/requirements-full.lock $< || \
		echo 'The bot frameworks cannot be installed here: their environments are not tested.' >&2
	@touch $@

$(RELEASE)/.installed: deploy/requirements-release.lock $(BIN)/python
	@echo 'Installing the tools that build a release ...'
	@$(BIN)/python -m venv --clear $(RELEASE)
	@$(RELEASE)/bin/python deploy/install.py $<
	@touch $@

# The frameworks of gym/openenv and gym/verifiers, each in an environment of its own, since their pins
# exclude those of others. `uv` is what verifiers starts its programs with.
$(VENV)-%/.installed: gym/%/pyproject.toml $(BIN)/python
	@echo 'Installing $* ...'
	@$(BIN)/python -m venv --clear $(VENV)-$*
	@$(VENV)-$*/bin/python -m pip install -qq --disable-pip-version-check \
		"$$(sed -n 's/^\(uv==[^ ]*\).*/\1/p' deploy/requirements-uv.lock)" \
		"$$(sed -n 's/^dependencies = \["\([^"]*\)".*/\1/p' $<)" \
		|| echo '$* cannot be installed here: its environment is not tested.' >&2
	@touch $@

# Other engines to compare with; the benchmark omits those without a wheel for this machine.
$(VENV)/.installed-bench: bench/requirements.txt bench/boardgameio/package-lock.json $(VENV)/.installed-frameworks
	@for package in $$(cat $<); do $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps \
		$$package || echo "$$package cannot be installed here"; done
	@! command -v npm > /dev/null || npm ci --prefix bench/boardgameio --no-audit --no-fund --silent \
		|| echo 'boardgame.io cannot be installed here'
	@touch $@

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'This needs Python 3.11 or newer with its venv module (on Debian and' \
		'Ubuntu: the package python3-venv). Name one with: make PYTHON=/path/to/python3.12 ...' >&2; exit 2; }
	@'$(PYTHON)' -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo '$(PYTHON) is not a Python 3.11 or newer with its venv module.' >&2; exit 2; }
	@echo 'Making a virtual environment with $(PYTHON) ...'
	@'$(PYTHON)' -m venv --clear $(VENV)
