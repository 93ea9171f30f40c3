#!/usr/bin/env bash
# packages.sh STATIC DIST: packages of the program that packaging/static.sh built in the folder STATIC.
set -euo pipefail
cd "$(dirname "$0")/.."
static=$1 dist=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
umask 022
DESTDIR=$stage cmake --install "$static" --prefix /usr > /dev/null
rm -f "$static/install_manifest.txt"
# The notices of everything that is linked or embedded.
licences=$stage/usr/share/doc/vernier/licences
mkdir -p "$licences"
for package in libc6-dev libcairo2-dev libpixman-1-dev libfreetype-dev libfontconfig-dev libpng-dev zlib1g-dev \
    libglib2.0-dev libpcre2-dev libffi-dev libfribidi-dev libexpat1-dev libbrotli-dev libyaml-dev libsqlite3-dev \
    libxcb1-dev libx11-dev libxrender-dev libxext-dev fonts-dejavu-core fonts-noto-cjk; do
    cp -L "/usr/share/doc/$package/copyright" "$licences/$package"
done
for package in harfbuzz pango1.0 libzip cjson libxlsxwriter; do
    cp "build/sources/$package/debian/copyright" "$licences/$package"
done
cp packaging/licences.md "$licences/README.md"
rm -rf "$dist"
python3 packaging/packages.py "$stage" "$dist" "$(git log -1 --format=%ct)"
