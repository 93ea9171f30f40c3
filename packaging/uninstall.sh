#!/usr/bin/env bash
# uninstall.sh MANIFEST [DESTDIR]: removes the files that an installation listed, and the folders that it made when they are
# empty: those that packaging/install.sh listed beside MANIFEST, and vernier's own.
set -euo pipefail
manifest=$1 destdir=${2:-}
[ -f "$manifest" ] || { echo "vernier: nothing was installed from this tree" >&2; exit 1; }
while IFS= read -r file || [ -n "$file" ]; do
    rm -f -- "$destdir$file"
    folder=$(dirname -- "$file")
    while [[ $folder == */vernier || $folder == */vernier/* ]]; do
        rmdir -- "$destdir$folder" 2>/dev/null || break
        folder=$(dirname -- "$folder")
    done
done < "$manifest"
made=$(dirname -- "$manifest")/install_folders.txt
if [ -f "$made" ]; then
    while IFS= read -r folder; do
        rmdir -- "$folder" 2> /dev/null || true
    done < "$made"
fi
echo "vernier: uninstalled"
