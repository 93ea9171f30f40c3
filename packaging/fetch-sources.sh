#!/usr/bin/env bash
# fetch-sources.sh FOLDER: the Debian source packages of sources.sha256, checked and unpacked to FOLDER/NAME.
# The machine's own package sources are used, with source packages switched on for this call alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/tar"
cd "$1"
folder=$PWD
versions="harfbuzz=6.0.0+dfsg-3 pango1.0=1.50.12+ds-1 libzip=1.7.3-1 cjson=1.7.15-1+deb12u4 libxlsxwriter=1.1.4-2"

fetch() {
    # shellcheck source=packaging/own-apt.sh
    . "$here/own-apt.sh"
    own_apt "$folder" deb-src
    # shellcheck disable=SC2086
    (cd tar && apt-get source -qq --download-only $versions)
}

matches() { (cd tar && sha256sum --check --quiet --strict "$here/sources.sha256" > /dev/null 2>&1); }

matches || fetch
(cd tar && sha256sum --check --quiet --strict "$here/sources.sha256")
for package in $versions; do
    name=${package%%=*}
    [ -d "$name" ] || dpkg-source --no-check --no-copy -x tar/"$name"_*.dsc "$name" > /dev/null
done
