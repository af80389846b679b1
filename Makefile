# Every command of the project. `make help` lists them; each one does its own set-up first.
#
#   make run ARGS="--for 60s"       more words for the command behind a target
#   make test SYSTEM_PACKAGES=no    never touch apt-get or download a browser

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:

PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3))
SYSTEM_PACKAGES ?= yes
ARGS ?=
SEEDS ?= 200

VENV := .venv/bin
SETUP = @$(or $(PYTHON),$(error Python 3.11 is missing. Install it, on Debian with: apt-get install python3.11)) \
	-B -m scripts.bootstrap --system-packages=$(SYSTEM_PACKAGES)

.PHONY: help run test test-fast screenshots check format lock requirements docs bench proof-house proof-ladder proof-ledger proof-football proof-payloads proof-rounds proof-serving proof-supervision storm doctor clean distclean

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## start the engine, its page and the simulated site in one process
	$(SETUP) run
	@exec $(VENV)/longstop up --origin $(ARGS)

test: check ## run every check and every test
	$(SETUP) test
	@exec $(VENV)/python -m scripts.suite $(ARGS)

test-fast: ## run the unit and style tests only
	$(SETUP) dev
	@exec $(VENV)/python -m pytest tests/unit tests/style $(ARGS)

screenshots: ## take pictures of the operations page into var/screenshots
	$(SETUP) test
	@exec $(VENV)/python -m tests.browser.screenshots $(ARGS)

check: ## lint, format, types, import law, style and generated docs
	$(SETUP) dev
	@exec $(VENV)/python -m scripts.check

format: ## write the code in the one format and mend what can be mended
	$(SETUP) dev
	@$(VENV)/ruff check --fix --exit-zero --quiet .
	@exec $(VENV)/ruff format .

lock: ## resolve the dependencies anew and write requirements/*.lock
	$(SETUP) lock $(ARGS)

requirements: ## run the tests and list which requirement each of them proves
	$(SETUP) test
	@exec $(VENV)/python -m scripts.requirements $(ARGS)

docs: ## draw the diagrams in the docs from the tables in the code
	$(SETUP) dev
	@exec $(VENV)/python -m scripts.diagrams

bench: ## measure what a poll costs beside a bare loop and on each rung, and a thousand matches
	$(SETUP) run
	@$(VENV)/python -m benchmarks.house $(ARGS)
	@$(VENV)/python -m benchmarks.rungs
	@$(VENV)/python -m benchmarks.thousand
	@exec $(VENV)/python -m benchmarks.proof_serving --only cost

proof-house: ## prove the figures that take too long for the tests
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_house $(ARGS)

proof-ladder: ## prove the figures of the fetch ladder and the browser pool
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_ladder $(ARGS)

proof-ledger: ## prove that nothing acknowledged is lost: kills, outages, cut connections
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_ledger $(ARGS)

proof-football: ## prove what captures before kickoff promise: what they cost, that none is missed
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_football $(ARGS)

proof-payloads: ## prove that no broken payload breaks anything, a hundred thousand of each kind
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_payloads $(ARGS)

proof-supervision: ## prove the figures of supervision, pace and recovery
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_supervision $(ARGS)

proof-rounds: ## prove that no match of a round is lost, half written or brought twice
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_rounds $(ARGS)

storm: ## run the engine through seeded storms on virtual time: make storm SEEDS=2000
	$(SETUP) run
	@exec $(VENV)/longstop storm --seeds 1..$(SEEDS) $(ARGS)

proof-serving: ## prove the figures of the API: cost, load, health, the whole document
	$(SETUP) test
	@exec $(VENV)/python -m benchmarks.proof_serving $(ARGS)

doctor: ## say what is installed, reachable and missing, and what to do
	$(SETUP) run
	@exec $(VENV)/longstop doctor $(ARGS)

clean: ## remove what tools left behind; keeps .venv and var
	@rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find . -path ./.venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove the environment too; keeps var
	@rm -rf .venv
