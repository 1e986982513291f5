# Frame Oracle: `make help` lists what there is.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
BIN := .venv/bin

.PHONY: help setup setup-dev report test image lint types imports locks samples clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/\1\t\2/' | expand -t 12

setup: ## programs, Python environment in .venv/, nothing else
	@scripts/setup runtime

setup-dev: ## the same, with what the tests need
	@scripts/setup dev

report: setup ## turn data/samples/ into opened-and-verified bundles in outputs/
	@scripts/report-samples

test: setup-dev ## run the tests (with the models they use)
	@scripts/run-tests

image: setup-dev ## the container images (CPU and CUDA), or their lint where no engine runs
	@scripts/build-image

lint: setup-dev ## style of the code and the scripts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	shellcheck scripts/setup scripts/report-samples scripts/run-tests scripts/easyocr-contract scripts/build-image .ci/run

types: setup-dev ## mypy, strict
	$(BIN)/mypy

imports: setup-dev ## the direction of imports
	$(BIN)/lint-imports

locks: ## compile locks/*.txt again from pyproject.toml
	@scripts/compile-locks

clean: ## remove the environments and caches of this folder
	rm -rf .venv .venv-* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
