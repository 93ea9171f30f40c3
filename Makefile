# The two commands of a fresh machine: `make demo` and `make test`. Everything else is CMake.
PRESET ?= dev
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=

FUZZ_SECONDS ?= 60

.PHONY: all demo test test-full bench fuzz deps deps-full build format check-format clean

all: build

# Installs what is missing on Debian and its kin; says what it needs elsewhere.
deps:
	@bash .ci/deps build

deps-full:
	@bash .ci/deps build full

build: deps
	@cmake --preset $(PRESET) $(CMAKE_FLAGS) > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@cmake --build build/$(PRESET) -j $(JOBS)

# The main job on the samples; says where the report is.
demo: deps
	@$(MAKE) --no-print-directory build PRESET=release
	@bash samples/demo.sh build/release/vernier build/demo

# All tests that need no browser and no office program.
test: build
	@ctest --test-dir build/$(PRESET) -j $(JOBS) --output-on-failure -LE full

# Adds Chromium, LibreOffice and a local Slurm.
test-full: deps-full
	@$(MAKE) --no-print-directory build PRESET=$(PRESET)
	@ctest --test-dir build/$(PRESET) --output-on-failure -C Full -L full

bench: deps
	@$(MAKE) --no-print-directory build PRESET=release
	@bash tests/bench/run.sh build/release

# Each fuzz target for FUZZ_SECONDS (Clang); findings and corpora stay in build/fuzz/fuzzing.
fuzz:
	@cmake --preset fuzz > /dev/null
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_targets
	@FUZZ_JOBS=$(JOBS) bash tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

format:
	@git ls-files '*.[ch]' | xargs clang-format -i

check-format:
	@git ls-files '*.[ch]' | xargs clang-format --dry-run -Werror

clean:
	@rm -rf build vernier-*
