#!/usr/bin/env bash
# Whole commands by AFL++, from the bytes of an input to every output: commands.sh PROGRAM SECONDS WORK
# PROGRAM is built by afl-clang-fast, with ASan and UBSan. Each command of the table runs for SECONDS; a run that
# crashes or takes 20 s is a finding, left in WORK/COMMAND/default. FUZZ_COMMANDS names some only; FUZZ_JOBS runs that
# many at once.
set -u
program=$(realpath "$1") seconds=$2
mkdir -p "$3" && work=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
samples=$(realpath "$here/../../samples")
seed_bytes=20000  # larger seeds leave too few runs

# Name, corpora whose inputs are the first seeds, one seed more, the file that the input stands in, arguments with it
# as @@.
gpt=$samples/gpt/golden/step0/rank0/dump.json
table="
dump|dump debug_tree line_dump pair||in/dump.json|compare $gpt @@
graph|dump line_dump||in/dump.json|graph @@
locate|dump||in/dump.json|locate @@
curves|series csv events|$samples/curves/golden.csv|in/log|curves $samples/curves/golden.csv @@
monitor|monitor||in/actv.csv|monitor in
criteria|yaml||in/criteria.yaml|compare $gpt $gpt --criteria @@
mapping|mapping yaml||in/map.yaml|compare $gpt $gpt --cell-mapping @@
config|config yaml|$samples/config/target_pretrain.yaml|in/run.yaml|checklist $samples/config/bench_pretrain.sh @@
torch|torch||in/a.pt|compare @@ @@
safetensors|safetensors||in/a.safetensors|compare @@ @@
npy|npy||in/a.npy|tokens @@ @@
tokens|token_set||in/a.csv|tokens @@ @@
precheck|precheck||in/accuracy.csv|precheck @@
workbooks|xlsx||in/compare_result_rank0.xlsx|merge in
tables|tables csv||in/compare_result_rank0.csv|merge in
"

# shellcheck disable=SC2317  # called through xargs
fuzz_one() {
    local name corpora extra file arguments folder
    IFS='|' read -r name corpora extra file arguments <<< "$1"
    folder=$work/$name
    mkdir -p "$folder/seeds" "$folder/in" "$folder/out"
    for corpus in $corpora; do
        find "$here/corpus/$corpus" -type f -size "-${seed_bytes}c" -exec cp -t "$folder/seeds" {} +
    done
    [ -z "$extra" ] || cp "$extra" "$folder/seeds"
    [ -n "$(ls "$folder/seeds")" ] || echo "{}" > "$folder/seeds/empty"
    cd "$folder" || return 1
    # shellcheck disable=SC2086
    TIMEFORMAT='%U %S'
    { time AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_AUTORESUME=1 \
        AFL_SKIP_CRASHES=1 ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:symbolize=0 \
        afl-fuzz -i seeds -o . -f "$file" -V "$seconds" -t 20000 -m none -- \
        "$program" $arguments -j 1 -qq -o out/index.html -o out/a.json -o out/a.svg -o out/a.md > log 2>&1; } 2>> cpu
    local runs
    runs=$(sed -n 's/^execs_done *: *//p' default/fuzzer_stats 2> /dev/null)
    [ -n "$runs" ] || { echo "commands: $name did not run, see $folder/log"; return 1; }
    echo "commands: $name: $runs runs"
}
export -f fuzz_one
export program seconds work here samples seed_bytes

wanted() { [ -z "${FUZZ_COMMANDS:-}" ] || [[ " $FUZZ_COMMANDS " == *" ${1%%|*} "* ]]; }
lines=()
while read -r line; do
    if [ -n "$line" ] && wanted "$line"; then lines+=("$line"); fi
done <<< "$table"
# shellcheck disable=SC2016  # the other shell expands it
printf '%s\0' "${lines[@]}" | xargs -0 -P "${FUZZ_JOBS:-1}" -I{} bash -c 'fuzz_one "$1"' _ {}
ran=$?

cat "$work"/*/cpu | awk '{ s += $1 + $2 } END { printf "commands: %.0f s of processor time in all runs of this folder (%.2f h)\n", s, s / 3600 }'
found=$(find "$work" -path '*/default/*' \( -path '*/crashes/id*' -o -path '*/hangs/id*' \))
[ -z "$found" ] && [ $ran = 0 ] && echo "commands: no findings" && exit 0
[ -n "$found" ] && echo "commands: findings:" && echo "$found"
exit 1
