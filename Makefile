# The front door. `make help` says what there is.
.DEFAULT_GOAL := help
.PHONY: help deps build run test test-strict test-models simulate mutants models bench bench-kernels lint lint-changed format \
        sanitize sanitize-address sanitize-thread fuzz install ci clean

JOBS ?= $(shell nproc)
MODEL ?= smollm2
PROMPT ?= Why is the sky blue? Answer in two sentences.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
# Where tests look for real models: what `make models` (or any `cairn pull`) fetched.
export CAIRN_MODELS ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/cairn/models

CAIRN := build/release/cairn

help:  ## This list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | \
	  while IFS='|' read -r target what; do printf '  make %-14s %s\n' "$$target" "$$what"; done

deps:  ## Install the Debian packages that are missing (root or sudo)
	@tools/install_deps.sh

# ninja runs cmake again by itself when a CMakeLists.txt or the set of sources changes.
build/%/build.ninja: CMakePresets.json
	cmake --preset $* || { echo "make: 'make deps' installs what is missing" >&2; exit 1; }
	@touch $@

build: build/release/build.ninja  ## Build build/release/cairn and the tests
	cmake --build --preset release -j $(JOBS)

run: deps  ## Install what is missing, build, fetch a small model, answer a question
	@$(MAKE) --no-print-directory build/release/build.ninja
	@cmake --build --preset release -j $(JOBS) --target cairn
	@$(CAIRN) pull $(MODEL)
	@$(CAIRN) run $(MODEL) "$(PROMPT)"

test: build  ## Run all tests; says how many were skipped and why
	@tools/run_tests.py build/release -j $(JOBS)

test-strict: build models  ## The same; a skipped test is a failure
	@tools/run_tests.py build/release -j $(JOBS) --strict

test-models: build models  ## Run mixed loads on real models in every way, bit for bit (half an hour)
	@build/release/models_exactness_test

simulate: build  ## Repeat the serving experiments of docs/serving_experiments.md
	@build/release/simulate_serving

mutants:  ## Build bugs into scheduler and cache, one by one; the fuzzer must find each
	@tools/run_mutants.py

models: build  ## Fetch the real models that tests compare with (1.9 GB)
	@for model in smollm2 gemma-3-270m qwen2.5-coder-0.5b qwen2.5-coder-1.5b; do \
	  $(CAIRN) pull $$model || exit 1; done

bench: build  ## Measure the speed of MODEL (default smollm2) against the machine's limits
	@$(CAIRN) pull $(MODEL)
	@$(CAIRN) bench $(MODEL)

bench-kernels: build  ## Run the micro-benchmarks
	@for bench in build/release/*_bench; do echo "== $$bench"; $$bench || exit 1; done

lint:  ## clang-format, clang-tidy and the house rules, on every file
	@tools/lint.py

lint-changed:
	@tools/lint.py --changed

format:  ## Let clang-format rewrite every file
	@git ls-files -co --exclude-standard '*.h' '*.cpp' '*.inl' | xargs clang-format -i

# Without the real models: they would take hours.
sanitize: sanitize-address sanitize-thread  ## Run the tests with asan+ubsan, then with tsan

sanitize-address: build/asan-ubsan/build.ninja
	cmake --build --preset asan-ubsan -j $(JOBS)
	@CAIRN_MODELS=none tools/run_tests.py build/asan-ubsan -j $(JOBS)

sanitize-thread: build/tsan/build.ninja
	cmake --build --preset tsan -j $(JOBS)
	@CAIRN_MODELS=none tools/run_tests.py build/tsan -j $(JOBS)

fuzz: build/fuzz/build.ninja  ## Run every fuzzer for FUZZ_SECONDS (60)
	cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	@tools/run_fuzzers.sh build/fuzz $(FUZZ_SECONDS)

install: build  ## Install cairn into PREFIX (/usr/local); DESTDIR is heeded
	cmake --install build/release --prefix $(PREFIX)

ci:  ## What continuous integration runs: lint of what changed, asan+ubsan tests, tests
	@$(MAKE) --no-print-directory lint-changed
	@$(MAKE) --no-print-directory sanitize-address
	@$(MAKE) --no-print-directory test

clean:  ## Remove everything that was built
	rm -rf build
