#!/usr/bin/env bash
# arm64.sh JOBS [REGEX]: the program and its tests built for aarch64, the tests run through qemu, and the bytes of all
# samples held beside those of this machine's build/release. REGEX: these tests only.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$1 wanted=${2:-.}
# Of the tree and not of the processor: the texts of the sources. Not through an emulator: those that stop the program
# at every call or byte, start a thousand processes, measure memory or time, or make their inputs for minutes here already.
text='^house/|^bench/|^every_word|^both_editions|^testing_names'
long='(cases|shared)/(faults|determinism|hostile_files|odd_inputs|trust|ranks_memory|shards|schedulers|slurm|neon|open_dump)$'
# shellcheck source=packaging/cross.sh
. packaging/cross.sh
cross_to aarch64
libraries=$SYSROOT/usr/lib/aarch64-linux-gnu
cmake -S . -B build/arm64 -G Ninja --toolchain packaging/aarch64.cmake -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,--dynamic-linker=$SYSROOT/lib/ld-linux-aarch64.so.1,--disable-new-dtags,-rpath,$libraries" \
    -DCMAKE_C_FLAGS_RELEASE=-O2 -DVERNIER_WERROR=ON -DVERNIER_HOST_PROGRAM="$PWD/build/release/vernier" > build/arm64.log
cmake --build build/arm64 -j "$jobs" >> build/arm64.log || { tail -40 build/arm64.log; exit 1; }
bash packaging/qemu.sh ctest --test-dir build/arm64 -j "$jobs" --output-on-failure -LE full \
    -R "$wanted" -E "$text|$long"
SAMPLES=$PWD/samples PYTHONDONTWRITEBYTECODE=1 \
    bash packaging/qemu.sh python3 tests/cases/compilers.py build/release/vernier build/arm64/vernier
