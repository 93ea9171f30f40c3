#!/usr/bin/env bash
# clang-tidy and cppcheck over all sources: lint.sh BUILD JOBS. Any finding ends it with 1. Exceptions stand with
# their reason in .clang-tidy and .cppcheck, or beside the line they are for.
set -uo pipefail
cd "$(dirname "$0")/.."
build=$1
jobs=$2

# The search through the paths of a function stops after so many states, a quarter of the default: it found
# the same, in a third of the time.
search="-extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=max-nodes=50000"

# Longest first in small helpings, so that no processor waits for the others at the end.
git ls-files 'src/*.c' 'renderers/*.c' | xargs wc -c | grep -v total | sort -rn | awk '{print $2}' |
    xargs -P "$jobs" -n 2 clang-tidy -p "$build" --quiet $search > "$build/tidy.log" 2>&1
tidy=$?
# What is no finding: how many warnings of other places were left out.
grep -vE '^[0-9]+ warnings?.* generated\.$' "$build/tidy.log"

cppcheck --project="$build/compile_commands.json" --suppressions-list=.cppcheck --inline-suppr --quiet \
    --enable=warning,performance,portability --file-filter="$PWD/src/*" --file-filter="$PWD/renderers/*" \
    --error-exitcode=1 -j "$jobs"
cpp=$?

[ $tidy = 0 ] && [ $cpp = 0 ] || { echo "lint: clang-tidy ended with $tidy, cppcheck with $cpp"; exit 1; }
echo "lint: clang-tidy and cppcheck are quiet"
