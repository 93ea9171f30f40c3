#!/usr/bin/env bash
# static.sh FOLDER JOBS [MACHINE]: FOLDER/vernier, one program for x86_64 or aarch64 that needs no library, no font and
# no other file. What was built once from the same sources by the same script is taken again.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1 jobs=$2 machine=${3:-$(uname -m)}
toolchain=() tools=""
# Where ccache has a base_dir it changes the paths of sources, which stand in the program.
export CCACHE_DISABLE=1
if [ "$machine" != "$(uname -m)" ]; then
    # shellcheck source=packaging/cross.sh
    . packaging/cross.sh
    cross_to "$machine"
    toolchain=(--toolchain "packaging/$machine.cmake" -DVERNIER_HOST_PROGRAM="$PWD/build/release/vernier")
    tools=$machine-linux-gnu-
fi
key=$(cat packaging/sources.sha256 packaging/static-libraries.sh | sha256sum | cut -c1-16)
libraries=$PWD/build/static-libraries-$machine-$key
if [ ! -f "$libraries/made" ]; then
    bash packaging/fetch-sources.sh build/sources
    bash packaging/static-libraries.sh build/sources "$libraries" "$machine"
    touch "$libraries/made"
fi
PKG_CONFIG_PATH=$libraries/lib/pkgconfig cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS="-ffile-prefix-map=$PWD=." -DCMAKE_C_FLAGS_RELEASE=-O2 -DVERNIER_STATIC=ON \
    -DVERNIER_WERROR=ON -DBUILD_TESTING=OFF -DCMAKE_PREFIX_PATH="$libraries" \
    -DCMAKE_FIND_ROOT_PATH="$libraries" "${toolchain[@]}" > /dev/null
# The linker warns of functions that ask the machine's C library for users: GLib names them, nothing here calls them.
cmake --build "$folder" -j "$jobs" > "$folder/build.log" 2>&1 || { tail -40 "$folder/build.log"; exit 1; }
"${tools}strip" "$folder/vernier"
