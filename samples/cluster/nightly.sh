#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One nightly comparison with its history: nightly.sh GOLDEN TARGET REPORTS
# Prints the text of the report when this night brought news, so that cron mails it: something got worse than the
# nights before (vernier history exits 1), the first night differs, or the comparison could not be made. The exit code is that of the
# comparison: 0 nothing beyond tolerance, 1 a difference, 3-5 it could not be made as it should.
# REPORTS/vernier.prom is for the textfile collector of Prometheus' node exporter.
set -eu
command=compare # of dumps and checkpoints; curves of logs
golden=$1 target=$2 reports=$3
night=$(basename "$target")
mkdir -p "$reports"
rm -f "$reports/$night/summary.md" "$reports/$night/vernier.prom" # never an old night's

first=1
[ ! -f "$reports/nights.db" ] || first=0
begin=$(date +%s)
code=0
vernier "$command" "$golden" "$target" --history "$reports/nights.db" -o "$reports/$night" --title "$night" \
    --format "html,xlsx,svg,png,json,md,openmetrics$(test "$command" != compare || echo ,junit)" --quiet >/dev/null || code=$?
news=0 held=0
# A night that could not be compared is no part of the history, and no older night is told in its place. What must hold in the target
# alone is a history of its own in the same file.
case $code in
0 | 1 | 4)
    [ "$command" != compare ] || vernier check "$target" --history "$reports/nights.db" -o "$reports/$night/check" --title "$night" --quiet >/dev/null 2>&1 || held=$?
    vernier history "$reports/nights.db" -o "$reports/history" --quiet >/dev/null || news=$?
    ;;
esac

if [ -f "$reports/$night/vernier.prom" ]; then
    {
        printf '# TYPE vernier_run_seconds gauge\nvernier_run_seconds %d\n' "$(($(date +%s) - begin))"
        cat "$reports/$night/vernier.prom"
    } >"$reports/vernier.prom.new"
    mv "$reports/vernier.prom.new" "$reports/vernier.prom"
fi
if [ "$news" -ne 0 ] || [ "$code" -gt 1 ] || [ "$first$code" = 11 ]; then
    if [ -f "$reports/$night/summary.md" ]; then
        cat "$reports/$night/summary.md"
    else
        echo "vernier: no report of $night (exit code $code)"
    fi
    [ "$held" -ne 1 ] || cat "$reports/$night/check/summary.md"
fi
exit "$code"
