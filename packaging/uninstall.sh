#!/usr/bin/env bash
# uninstall.sh MANIFEST [DESTDIR]: removes the files that an installation listed, and its own folders when empty.
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
echo "vernier: uninstalled"
