#!/usr/bin/env bash
# static-libraries.sh SOURCES PREFIX MACHINE: the libraries that Debian has only as shared ones, as archives in PREFIX.
# SYSROOT, PKG_CONFIG_LIBDIR (packaging/cross.sh): those that they need, where MACHINE is not this one.
set -euo pipefail
packaging=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$1" && pwd)
rm -rf "$2"
mkdir -p "$2/lib/pkgconfig" "$2/work" "$2/include/harfbuzz"
prefix=$(cd "$2" && pwd)
work=$prefix/work
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
# The same bytes from any folder.
export CFLAGS="-O2 -fPIE -ffunction-sections -fdata-sections -ffile-prefix-map=$sources=. -ffile-prefix-map=$work=."
export CXXFLAGS=$CFLAGS
cmake_cross=() meson_cross=() archiver=ar
if [ "$3" != "$(uname -m)" ]; then
    archiver=$3-linux-gnu-ar
    cat > "$work/cross.txt" << CROSS
[binaries]
c = ['$3-linux-gnu-gcc', '--sysroot=$SYSROOT']
cpp = ['$3-linux-gnu-g++', '--sysroot=$SYSROOT']
ar = '$archiver'
pkgconfig = 'pkg-config'
[host_machine]
system = 'linux'
cpu_family = '$3'
cpu = '$3'
endian = 'little'
CROSS
    cmake_cross=(--toolchain "$packaging/$3.cmake")
    meson_cross=(--cross-file "$work/cross.txt")
fi

with_cmake() {
    local name=$1
    shift
    cmake -S "$sources/$name" -B "$work/$name" -G Ninja -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=OFF \
        -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "${cmake_cross[@]}" "$@" > "$work/$name.log" 2>&1
    cmake --build "$work/$name" >> "$work/$name.log"
    cmake --install "$work/$name" >> "$work/$name.log"
}

with_meson() {
    local name=$1
    shift
    meson setup "$work/$name" "$sources/$name" --prefix "$prefix" --libdir lib --default-library static \
        --buildtype plain --wrap-mode nodownload -Db_staticpic=true "${meson_cross[@]}" "$@" > "$work/$name.log"
}

with_cmake cjson -DENABLE_CJSON_TEST=OFF -DENABLE_CJSON_UTILS=OFF -DBUILD_SHARED_AND_STATIC_LIBS=OFF \
    -DENABLE_CUSTOM_COMPILER_FLAGS=OFF
with_cmake libxlsxwriter
with_cmake libzip -DENABLE_COMMONCRYPTO=OFF -DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF -DENABLE_OPENSSL=OFF \
    -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_BZIP2=OFF -DENABLE_LZMA=OFF -DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF \
    -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF
with_meson harfbuzz -Dglib=enabled -Dfreetype=enabled -Dgobject=disabled -Dcairo=disabled -Dicu=disabled \
    -Dgraphite2=disabled -Dtests=disabled -Ddocs=disabled -Dintrospection=disabled -Dbenchmark=disabled
# The library alone: its programs and the subsetter take as long again.
ninja -C "$work/harfbuzz" src/libharfbuzz.a >> "$work/harfbuzz.log"
cp "$work/harfbuzz/src/libharfbuzz.a" "$prefix/lib/"
cp "$sources"/harfbuzz/src/hb*.h "$prefix/include/harfbuzz/"
cp "$work/harfbuzz/meson-private/harfbuzz.pc" "$prefix/lib/pkgconfig/"
with_meson pango1.0 -Dintrospection=disabled -Dinstall-tests=false -Dlibthai=disabled -Dxft=disabled \
    -Dsysprof=disabled -Dgtk_doc=false
ninja -C "$work/pango1.0" >> "$work/pango1.0.log"
meson install -C "$work/pango1.0" >> "$work/pango1.0.log"
# GIO names it for lists of mounts, which nothing here asks for.
"$archiver" rc "$prefix/lib/libmount.a"
