#!/usr/bin/env bash
# Fuzzes every target for some seconds: fuzz.sh BUILD SECONDS [WORK]
# BUILD is a build folder of the preset `fuzz`. Corpora grow in WORK (default: BUILD/fuzzing), findings
# are left there as crash-* and timeout-*; the end says how much processor time was spent.
# FUZZ_TARGETS names some targets only; FUZZ_JOBS runs that many at once. FUZZ_SEED starts every run
# with that seed, so that the same program tries the same inputs in the same order.
set -u
build=$1 seconds=$2 work=${3:-$1/fuzzing}
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$build" && pwd)
mkdir -p "$work" && work=$(cd "$work" && pwd)
targets=${FUZZ_TARGETS:-$(cd "$build/tests" && ls -d fuzz_* | grep -v '\.' | sed 's/^fuzz_//')}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=0}

fuzz_one() {
    local name=$1 folder=$work/$1
    local seeds=("$here/corpus/$name")
    [ "$name" = config ] && seeds+=("$here/../../samples/config")
    mkdir -p "$folder/corpus" && cd "$folder" || return 1
    TIMEFORMAT='%U %S'
    { time "$build/tests/fuzz_$name" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 \
        -seed="${FUZZ_SEED:-0}" -reload=0 -max_len=65536 -print_final_stats=1 -artifact_prefix="$folder/" \
        corpus "${seeds[@]}" >"$folder/log" 2>&1; } 2>>"$folder/cpu"
}
export -f fuzz_one
export build seconds work here
echo $targets | tr ' ' '\n' | xargs -P "${FUZZ_JOBS:-1}" -I{} bash -c 'fuzz_one {}'

cat "$work"/*/cpu | awk '{ s += $1 + $2 } END { printf "fuzz: %.0f s of processor time in all runs of this folder (%.2f h)\n", s, s / 3600 }'
found=$(find "$work" -maxdepth 2 \( -name 'crash-*' -o -name 'timeout-*' -o -name 'oom-*' -o -name 'leak-*' \))
[ -z "$found" ] && echo "fuzz: no findings" && exit 0
echo "fuzz: findings:" && echo "$found"
exit 1
