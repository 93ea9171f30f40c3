# shellcheck shell=bash
# Sourced at the top of the tree: `cross_to MACHINE` makes the sysroot of another machine and tells it to what builds.
cross_to() {
    [ "$1" = aarch64 ] || { echo "vernier: cannot build for '$1' on $(uname -m)" >&2; exit 2; }
    bash packaging/sysroot.sh "build/$1-sysroot"
    export SYSROOT=$PWD/build/$1-sysroot/root
    export PKG_CONFIG_LIBDIR=$SYSROOT/usr/lib/$1-linux-gnu/pkgconfig:$SYSROOT/usr/share/pkgconfig
}
