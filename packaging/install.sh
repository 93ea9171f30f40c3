#!/usr/bin/env bash
# install.sh BUILD PREFIX [DESTDIR]: installs what was built in BUILD. Beside CMake's list of files it keeps one of the folders
# that were not there before, for packaging/uninstall.sh.
set -euo pipefail
build=$1 prefix=$2 destdir=${3:-}
root=$(realpath -m -- "$destdir$prefix")
listed=$build/install_folders.txt before=$(mktemp)
trap 'rm -f "$before"' EXIT
folders() { { find "$root/bin" "$root/share" -type d 2> /dev/null || true; } | LC_ALL=C sort; }
folders > "$before"
above=$root
while [ ! -d "$above" ]; do
    echo "$above"
    above=$(dirname -- "$above")
done > "$listed.new"
DESTDIR=$destdir cmake --install "$build" --prefix "$prefix" --strip > /dev/null
folders | LC_ALL=C comm -13 "$before" - >> "$listed.new"
# Of an earlier installation to the same place, too; the deepest first.
{ cat "$listed" 2> /dev/null || true; cat "$listed.new"; } | LC_ALL=C sort -ru -o "$listed"
rm -f "$listed.new"
