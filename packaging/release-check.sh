#!/usr/bin/env bash
# release-check.sh: the packages of both processors, tried, then built again from the commit in another folder: the same
# bytes. Libraries are built from source four times; half an hour on two cores. Root: deb and wheel are tried on Debian 11 too.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain)" ] || { echo "release-check: the tree has changes; packages are those of a commit" >&2; exit 1; }
# Below the tree, not in /tmp: it is gigabytes, and /tmp may be memory, or be swept while this runs.
mkdir -p build
again=$(mktemp -d "$PWD/build/again.XXXXXX")
trap 'rm -rf "$again"' EXIT
git clone --quiet . "$again/vernier"
rm -rf dist
if [ "$(id -u)" = 0 ]; then
    older=$PWD/build/older-debian
    if [ ! -f "$older/made" ]; then
        bash .ci/deps packages
        rm -rf "$older"
        mkdir -p "$older"
        debootstrap --variant=minbase --include=python3-venv bullseye "$older/root" > "$older/log" || { tail "$older/log"; exit 1; }
        touch "$older/made"
    fi
    export OLDER=$older/root
fi
for folder in . "$again/vernier"; do
    for machine in x86_64 aarch64; do
        make --no-print-directory -C "$folder" packages ARCH=$machine
    done
done
diff dist/SHA256SUMS "$again/vernier/dist/SHA256SUMS" || { echo "release-check: two builds differ" >&2; exit 1; }
cat dist/SHA256SUMS
