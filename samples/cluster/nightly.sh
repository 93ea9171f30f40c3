#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One nightly comparison with its history: nightly.sh GOLDEN TARGET REPORTS
# Prints the text of the report when something differs, so that cron mails it. The exit code is that of the
# comparison: 0 nothing beyond tolerance, 1 a difference, 3-5 it could not be made as it should.
set -eu
golden=$1 target=$2 reports=$3
night=$(basename "$target")
mkdir -p "$reports"

code=0
vernier compare "$golden" "$target" --history "$reports/nights.db" -o "$reports/$night" --title "$night" \
    --format html,xlsx,svg,png,json,md,junit --quiet || code=$?
vernier history "$reports/nights.db" -o "$reports/history" --exit-zero --quiet || true

if [ "$code" -ne 0 ] && [ -f "$reports/$night/summary.md" ]; then
    cat "$reports/$night/summary.md"
fi
exit "$code"
