#!/usr/bin/env bash
# sysroot.sh FOLDER: the libraries of vernier for aarch64, from this Debian's own package sources, unpacked to FOLDER:
# no foreign architecture is added to this machine. Nothing is done where FOLDER has them already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages="libc6-dev libcairo2-dev libpango1.0-dev libpng-dev libcjson-dev libxlsxwriter-dev libyaml-dev libzip-dev
    libexpat1-dev libsqlite3-dev zlib1g-dev libdeflate-dev"
mkdir -p "$1"
cd "$1"
folder=$PWD
[ ! -f made ] || exit 0

rm -rf root
mkdir -p root/usr/lib
# shellcheck source=packaging/own-apt.sh
. "$here/own-apt.sh"
own_apt "$folder" deb 'APT::Architecture "arm64";' 'APT::Architectures { "arm64"; };' \
    'APT::Install-Recommends "false";' "Dir::State::status \"$folder/apt/status\";"
# shellcheck disable=SC2086
apt-get install -y -qq --download-only $packages > /dev/null

ln -s usr/lib root/lib
for package in apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C root
done
# What programs read comes from the machine that runs them: configurations, fonts.
rm -rf root/etc root/var root/usr/share/fonts root/usr/share/fontconfig root/usr/bin root/bin
# Links that begin at the root, and .pc files, which name folders, lead into this folder.
find root -type l -lname '/*' | while read -r link; do
    ln -sfn "$folder/root$(readlink "$link")" "$link"
done
# Their programs run on this machine, so those are its own.
sed -i "s|=/usr|=$folder/root/usr|; s|^bindir=.*|bindir=/usr/bin|" root/usr/lib/*/pkgconfig/*.pc root/usr/share/pkgconfig/*.pc
rm -rf apt
touch made
