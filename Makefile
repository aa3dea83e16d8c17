# Madang: see README.md. `make` lists what there is.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test test-s3 soak loaded torture demo bench dist dist-check format lint docs

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

run: ## Install what is missing, build, start a development server with a demo workspace
	@Scripts/install build
	@Scripts/run

test: ## Install what tests need, build, run every test on SQLite and PostgreSQL (half an hour)
	@Scripts/install test
	@Scripts/test

test-s3: ## Run the server's tests with all files in an S3 bucket
	@Scripts/install test
	@Scripts/test --s3

soak: ## Run what takes too long for every change, before a release (as root, two hours)
	@Scripts/install test
	@Scripts/install torture
	@Scripts/install dist
	@Scripts/soak

loaded: ## Run every test five times while every core is busy (an hour or two)
	@Scripts/loaded

torture: ## Kill, stop, cut off and fail over servers in use, and compare all they tell with a model (an hour)
	@Scripts/install torture
	@Scripts/torture

demo: ## Two people talk, live; with DATABASE_URL set on PostgreSQL
	@Scripts/install build
	@Scripts/demo

bench: ## Measure against named references and peers, write docs/reference/performance.md and its plots anew (16 minutes)
	@Scripts/install bench
	@Benchmarks/run --document

dist: ## Build what people install into dist/: Debian package, tarball, container image, a list of parts, checksums
	@Scripts/install build
	@Scripts/install dist
	@Scripts/dist

dist-check: ## Install, upgrade and remove the packages in a bare Debian 12 (as root, some minutes)
	@Scripts/install build
	@Scripts/dist-check

docs: ## Build the libraries' documentation (DocC) into .build/docs
	@Scripts/docs

format: ## Format the sources in place
	swift format --in-place --recursive --parallel Sources Tests Examples migrations Package.swift

# Targets of which no folder leads back to itself.
ACYCLIC = Storage MadangCore MadangAPI MadangProviders MadangOperations MadangServer MadangDevelopment Conformance madang

lint: ## Check the format strictly, count words that are read twice, find circles of folders and commands that no check types
	swift format lint --strict --recursive --parallel Sources Tests Examples migrations Package.swift
	@Scripts/words
	@Scripts/typed-docs check
	@for target in $(ACYCLIC); do Scripts/arrows $$target --acyclic || exit 1; done
