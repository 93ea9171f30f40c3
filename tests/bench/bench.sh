#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# All timings beside their yardsticks: bench.sh BUILD_FOLDER [options of run.py]. `make bench` calls it.
set -eu
build=${1:?usage: bench.sh BUILD_FOLDER [--small] [--rounds N]}
shift
cmake --build "$build" --target bench vernier >/dev/null
exec python3 "$(dirname "$0")/run.py" "$build" "$@"
