# The two commands of a fresh machine: `make demo` and `make test`. Everything else is CMake.
PRESET ?= release
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
# What `build` makes: all, tests too. The program, its pages and its completions are `shell_files`.
TARGETS := all

FUZZ_SECONDS ?= 60
COMPILERS ?= dev release fuzz unsigned-char

PREFIX ?= /usr/local
DESTDIR ?=

# make static, make packages: the processor, x86_64 or aarch64 (arm64).
MACHINE := $(shell uname -m)
ARCH ?= $(MACHINE)
WANTED := $(subst amd64,x86_64,$(subst arm64,aarch64,$(ARCH)))
STATIC := build/static$(if $(filter-out $(MACHINE),$(WANTED)),-$(WANTED))
CROSS := $(if $(filter-out $(MACHINE),$(WANTED)),arm64)
EMULATED := $(if $(CROSS),bash packaging/qemu.sh)

.PHONY: install uninstall site static packages build-release arm64 release-check
.PHONY: all demo test test-full test-everywhere shared bench fuzz fuzz-all tsan valgrind coverage lint compilers deps deps-full build format
.PHONY: check-format clean

all: build

# Installs what is missing on Debian and its kin; says what it needs elsewhere.
deps:
	@bash .ci/deps build

deps-full:
	@bash .ci/deps build full

build: deps
	@cmake --preset $(PRESET) $(CMAKE_FLAGS) > build.log 2>&1 || { cat build.log; rm -f build.log; exit 1; }
	@rm -f build.log
	@cmake --build build/$(PRESET) -j $(JOBS) --target $(TARGETS)

# Program, manual pages, completions, documents and samples; an installed file is listed in install_manifest.txt.
install: build-release
	@bash packaging/install.sh build/release "$(PREFIX)" "$(DESTDIR)"
	@echo "vernier: $(DESTDIR)$(PREFIX)/bin/vernier"

# README and docs in both languages as static pages with search, in build/site; every link is checked.
site: deps-full
	@python3 packaging/site/site.py build/site

# What the last `make install` of this tree put there, with the same DESTDIR.
uninstall:
	@bash packaging/uninstall.sh build/release/install_manifest.txt "$(DESTDIR)"

# One program without libraries, fonts inside: build/static/vernier, or build/static-aarch64/vernier (docs/install.md).
static: build-release
	@bash .ci/deps build static $(CROSS)
	@bash packaging/static.sh $(STATIC) $(JOBS) $(WANTED)
	@STATIC=$(CURDIR)/$(STATIC)/vernier VERNIER=$(CURDIR)/build/release/vernier SAMPLES=$(CURDIR)/samples \
	    PYTHONDONTWRITEBYTECODE=1 $(EMULATED) python3 tests/cases/static.py

# tar.xz, wheel, deb, rpm and image of the static program in dist/, with SHA256SUMS; then each is tried where it will run.
packages: static
	@bash .ci/deps packages
	@bash packaging/packages.sh $(STATIC) dist
	@DIST=$(CURDIR)/dist MACHINE=$(WANTED) VERNIER=$(CURDIR)/build/release/vernier SAMPLES=$(CURDIR)/samples \
	    PYTHONDONTWRITEBYTECODE=1 $(EMULATED) python3 tests/cases/packages.py

# What is done before a release beyond .ci/run: the packages of both processors, built twice, the same bytes.
release-check:
	@bash packaging/release-check.sh

# Built for aarch64 and tested here through qemu: the tests, and the bytes of all samples beside those of x86-64.
arm64: build-release
	@bash .ci/deps build arm64
	@bash packaging/arm64.sh $(JOBS)

build-release:
	@$(MAKE) --no-print-directory build PRESET=release TARGETS=shell_files

# The main job on the samples; says where the report is.
demo: build-release
	@bash samples/demo.sh build/release/vernier build/demo

# All tests that need no browser and no office program, or those whose name matches TESTS and not WITHOUT, on the build
# of `make demo`. PRESET=dev: with sanitizers.
test: build
	@python3 tests/run_tests.py build/$(PRESET) -j $(JOBS) -LE full -R "$(or $(TESTS),.)" -E "$(or $(WITHOUT),^$$)"

# The checkers of the sample set beside the tree, side by side, held to tests/shared_baseline.txt: ONLY=dumps2,wild some of
# them, WRITE=1 keeps what is better than the baseline.
shared: build-release
	@python3 tests/shared.py build/release/vernier ../shared build/shared --jobs $(JOBS) --only "$(ONLY)" \
	    $(if $(WRITE),--write) || { code=$$?; [ $$code -eq 77 ] || exit $$code; }

# Adds Chromium, LibreOffice and a local Slurm.
test-full: deps-full
	@$(MAKE) --no-print-directory build PRESET=$(PRESET)
	@python3 tests/run_tests.py build/$(PRESET) -j $(JOBS) -C Full -L full

bench: deps
	@$(MAKE) --no-print-directory build PRESET=release
	@bash tests/bench/bench.sh build/release

# Each fuzz target for FUZZ_SECONDS (Clang); findings and corpora stay in build/fuzz/fuzzing.
fuzz:
	@cmake --preset fuzz > /dev/null
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_targets
	@FUZZ_JOBS=$(JOBS) bash tests/fuzz/fuzz.sh build/fuzz $(FUZZ_SECONDS)

# The same, then whole commands by AFL++ (package afl++), each for FUZZ_SECONDS; findings stay in build/afl/fuzzing.
fuzz-all: fuzz
	@command -v afl-fuzz > /dev/null && command -v afl-clang-fast > /dev/null || \
	    { echo "fuzz-all: whole commands need AFL++: apt-get install afl++"; exit 1; }
	@export AFL_USE_ASAN=1 AFL_USE_UBSAN=1 AFL_QUIET=1; \
	    cmake -B build/afl -G Ninja -DCMAKE_C_COMPILER=afl-clang-fast -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF > /dev/null && \
	    cmake --build build/afl -j $(JOBS) --target vernier
	@FUZZ_JOBS=$(JOBS) bash tests/fuzz/commands.sh build/afl/vernier $(FUZZ_SECONDS) build/afl/fuzzing

# Every call, allocation, byte and moment instead of some of them; release build, about an hour.
test-everywhere:
	@$(MAKE) --no-print-directory build PRESET=release
	@for name in faults determinism hostile_files odd_inputs trust; do \
	    FULL=1 VERNIER=$(CURDIR)/build/release/vernier INJECT=$(CURDIR)/build/release/tests/libinject.so \
	    SAMPLES=$(CURDIR)/samples SHARED=$(CURDIR)/../shared PYTHONDONTWRITEBYTECODE=1 \
	    python3 -W ignore tests/cases/$$name.py || exit 1; done

# The parallel paths under ThreadSanitizer.
tsan:
	@cmake --preset tsan > /dev/null
	@cmake --build build/tsan -j $(JOBS) --target vernier units
	@VERNIER=$(CURDIR)/build/tsan/vernier SAMPLES=$(CURDIR)/samples PYTHONDONTWRITEBYTECODE=1 \
	    python3 tests/cases/threads.py build/tsan/tests/units tensor_metrics elements

# Every command under valgrind.
valgrind:
	@$(MAKE) --no-print-directory build PRESET=release TARGETS=vernier
	@VERNIER=$(CURDIR)/build/release/vernier SAMPLES=$(CURDIR)/samples PYTHONDONTWRITEBYTECODE=1 \
	    python3 tests/cases/memory.py

# Which lines the tests run: at least 90 % of every folder. SHOW=trend lists the lines that did not run.
# Without cases/faults: the faults would hit the counting too.
coverage:
	@cmake --preset coverage > /dev/null
	@cmake --build build/coverage -j $(JOBS)
	@find build/coverage -name '*.gcda' -delete
	@ctest --test-dir build/coverage -j $(JOBS) -LE full -E '^house/|^cases/faults$$' --timeout 600 --output-on-failure \
	    > build/coverage/tests.log; tests=$$?; \
	    python3 tests/coverage.py build/coverage 90 $(SHOW); lines=$$?; \
	    [ $$tests -eq 0 ] || sed -n '/tests FAILED/,$$p' build/coverage/tests.log; \
	    [ $$tests -eq 0 ] && [ $$lines -eq 0 ]

# clang-tidy and cppcheck over all sources; exceptions stand with their reason in .clang-tidy and .cppcheck.
lint:
	@cmake --preset release > /dev/null
	@cmake --build build/release -j $(JOBS) --target vernier_templates > /dev/null  # a source that is made
	@bash tests/lint.sh build/release $(JOBS)

# The programs of both compilers, with and without sanitizers, write the same bytes.
compilers:
	@for preset in $(COMPILERS); do \
	    $(MAKE) --no-print-directory build PRESET=$$preset TARGETS=vernier > build.$$preset.log 2>&1 || { cat build.$$preset.log; exit 1; }; \
	    rm -f build.$$preset.log; done
	@SAMPLES=$(CURDIR)/samples PYTHONDONTWRITEBYTECODE=1 python3 tests/cases/compilers.py $(COMPILERS:%=build/%/vernier)

format:
	@git ls-files '*.[ch]' | xargs clang-format -i

check-format:
	@git ls-files '*.[ch]' | xargs -P $(JOBS) -n 50 clang-format --dry-run -Werror

clean:
	@rm -rf build dist
