#!/usr/bin/env bash
# release-check.sh: the packages of both processors, tried, then built again from the commit in another folder: the same
# bytes. Libraries are built from source four times; half an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "release-check: the tree has changes; packages are those of a commit" >&2; exit 1; }
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
git clone --quiet . "$again/vernier"
rm -rf dist
for folder in . "$again/vernier"; do
    for machine in x86_64 aarch64; do
        make --no-print-directory -C "$folder" packages ARCH=$machine
    done
done
diff dist/SHA256SUMS "$again/vernier/dist/SHA256SUMS" || { echo "release-check: two builds differ" >&2; exit 1; }
cat dist/SHA256SUMS
