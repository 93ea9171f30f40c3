#!/usr/bin/env bash
# clang-tidy and cppcheck over all sources: lint.sh BUILD JOBS, or over some: lint.sh BUILD JOBS FILE... Any finding
# ends it with 1. Exceptions stand with their reason in .clang-tidy and .cppcheck, or beside the line they are for.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=$1
jobs=$2
shift 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
[ $# -gt 0 ] || mapfile -t all < <(git ls-files 'src/*.c' 'renderers/*.c')
[ $# -gt 0 ] || set -- "${all[@]}"

# The search through the paths of a function stops after so many states, a quarter of the default: it found
# the same, in a third of the time.
search="-extra-arg=-Xclang -extra-arg=-analyzer-config -extra-arg=-Xclang -extra-arg=max-nodes=50000"

# The largest first, so that no processor waits for another at the end; one a call, since clang-tidy 14 takes a
# name of the file before for a va_list of the next.
# shellcheck disable=SC2086,SC2011
ls -S "$@" | xargs -P "$jobs" -n 1 clang-tidy -p "$build" --quiet $search > "$log" 2>&1
tidy=$?
# How many warnings of other places were left out is no finding.
grep -vE '^[0-9]+ warnings?.* generated\.$' "$log"

cppcheck --project="$build/compile_commands.json" --suppressions-list=.cppcheck --inline-suppr --quiet \
    --enable=warning,performance,portability "${@/#/--file-filter=*}" --error-exitcode=1 -j "$jobs"
cpp=$?

if [ $tidy != 0 ] || [ $cpp != 0 ]; then
    echo "lint: clang-tidy ended with $tidy, cppcheck with $cpp"
    exit 1
fi
echo "lint: clang-tidy and cppcheck are quiet"
