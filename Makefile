# Every command sets up what it needs and does nothing twice. `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help setup setup-test setup-gen setup-demo run demo dev test test-server test-console test-e2e test-clock check format spec gen migrations new-resource lock bench clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## install what running needs (done by run)
	@$(PYTHON) tools/bootstrap.py run

setup-test: ## install what testing needs (done by test)
	@$(PYTHON) tools/bootstrap.py test

run: setup ## start Postern on its embedded defaults, in the foreground
	@exec $(BIN)/postern up

setup-gen:
	@$(PYTHON) tools/bootstrap.py gen

setup-demo:
	@$(PYTHON) tools/bootstrap.py demo

demo: setup-demo ## start with a story to look at: people, assets, a local SSH target, recorded sessions
	@exec $(BIN)/postern demo

dev: setup-test ## start with a reloading server; the console reloads on http://127.0.0.1:5173/ui/
	@exec $(BIN)/python tools/dev.py

test: setup-test ## run every check and every test
	@$(BIN)/python tools/test_all.py

test-server: setup-test ## only the server's tests, on SQLite (make test runs them on PostgreSQL too)
	@cd server && ../$(BIN)/python -m pytest -n 4 --dist worksteal

test-console: setup-test ## only the console's unit tests
	@cd console && npm run --silent test

test-e2e: setup-test ## only the browser and command-line tests against the whole product
	@$(BIN)/python -m pytest -c e2e/pytest.ini e2e

test-clock: setup-test ## the server's tests while midnight, a month's end, 29 February or summer time comes (needs cc)
	@$(BIN)/python tools/test_at_other_times.py

check: setup-test ## format, lint, types, import contracts, architecture, licences, secrets: under 90 s
	@$(BIN)/python tools/check_all.py

format: setup-test ## format all code
	@cd server && ../$(BIN)/ruff format . ../tools ../e2e ../bench && ../$(BIN)/ruff check --fix . ../tools ../e2e ../bench
	@cd console && npm run --silent format

spec: ## which statements of the specification are shown by tests
	@$(PYTHON) tools/spec_coverage.py

gen: setup-gen ## write generated pages and types again
	@$(BIN)/python tools/generate.py

migrations: setup-gen ## write a migration: make migrations app=assets name=asset_rack
	@$(BIN)/python tools/migrations.py app=$(app) name=$(name)

new-resource: setup-gen ## write a resource: make new-resource app=assets name=site zh=站点 fields="name:text city:text:城市"
	@PYTHONPATH=tools $(BIN)/python -m new_resource "app=$(app)" "name=$(name)" "plural=$(plural)" "zh=$(zh)" "fields=$(fields)" "what=$(what)" "what_zh=$(what_zh)"

lock: ## resolve the Python dependencies again (needs uv)
	cd server && uv pip compile pyproject.toml --group build --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --universal -q -o requirements.lock
	cd server && uv pip compile pyproject.toml --group build --group dev --generate-hashes --no-annotate --no-header --no-emit-index-url --no-emit-find-links --universal -q -o requirements-dev.lock

bench: setup-test ## print the benchmarks
	@$(BIN)/python bench/run_all.py

clean: ## remove everything that was built or installed here; var/ stays
	rm -rf .venv .stamps console/node_modules console/dist tools/oracle/node_modules tools/azurite/node_modules tools/openid_provider/node_modules console/tools/openapi/node_modules
