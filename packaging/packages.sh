#!/usr/bin/env bash
# packages.sh STATIC DIST: packages of the program that packaging/static.sh built in the folder STATIC, and SHA256SUMS of
# all that DIST holds, which may be the packages of several processors.
set -euo pipefail
cd "$(dirname "$0")/.."
static=$1 dist=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
umask 022
DESTDIR=$stage/root cmake --install "$static" --prefix /usr > /dev/null
rm -f "$static/install_manifest.txt"
# The notices of everything that is linked or embedded.
licences=$stage/root/usr/share/doc/vernier/licences
mkdir -p "$licences"
for package in libc6-dev libcairo2-dev libpixman-1-dev libfreetype-dev libfontconfig-dev libpng-dev zlib1g-dev libdeflate-dev \
    libglib2.0-dev libpcre2-dev libffi-dev libfribidi-dev libexpat1-dev libbrotli-dev libyaml-dev libsqlite3-dev \
    libxcb1-dev libx11-dev libxrender-dev libxext-dev fonts-dejavu-core fonts-noto-cjk; do
    cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
done
for package in harfbuzz pango1.0 libzip cjson libxlsxwriter; do
    cp "build/sources/$package/debian/copyright" "$licences/$package"
done
cp packaging/licences.md "$licences/README.md"

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$static/CMakeCache.txt")
seconds=$(git log -1 --format=%ct)
machine=x86_64 others=amd64
if readelf -h "$static/vernier" | grep -q AArch64; then machine=aarch64 others=arm64; fi
mkdir -p "$dist"
rm -f "$dist"/*"$machine"* "$dist"/*"$others"*
python3 packaging/packages.py "$stage/root" "$dist" "$version" "$seconds"
SOURCE_DATE_EPOCH=$seconds rpmbuild -bb --quiet --target "$machine-linux" --define "_topdir $stage/rpm" \
    --define "stage $stage/root" --define "version_of_vernier $version" --define "seconds $seconds" \
    packaging/vernier.spec
cp "$stage/rpm/RPMS/$machine"/*.rpm "$dist/"
(cd "$dist" && sha256sum vernier* > SHA256SUMS)
