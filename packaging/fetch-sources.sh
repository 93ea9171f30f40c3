#!/usr/bin/env bash
# fetch-sources.sh FOLDER: the Debian source packages of sources.sha256, checked and unpacked to FOLDER/NAME.
# The machine's own package sources are used, with source packages switched on for this call alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/apt/parts" "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/tar"
cd "$1"
folder=$PWD
versions="harfbuzz=6.0.0+dfsg-3 pango1.0=1.50.12+ds-1 libzip=1.7.3-1 cjson=1.7.15-1+deb12u4 libxlsxwriter=1.1.4-2"

fetch() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^deb /deb-src /p' > apt/parts/source.list
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "apt/parts/$(basename "$file")"
    done
    printf 'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "%s";\nDir::State::Lists "%s";\nDir::Cache "%s";\nAPT::Sandbox::User "";\n' \
        "$folder/apt/parts" "$folder/apt/lists" "$folder/apt/cache" > apt/apt.conf
    export APT_CONFIG=$folder/apt/apt.conf
    apt-get update -qq
    # shellcheck disable=SC2086
    (cd tar && apt-get source -qq --download-only $versions)
}

matches() { (cd tar && sha256sum --check --quiet --strict "$here/sources.sha256" 2>/dev/null); }

matches || fetch
(cd tar && sha256sum --check --quiet --strict "$here/sources.sha256")
for package in $versions; do
    name=${package%%=*}
    [ -d "$name" ] || dpkg-source --no-check --no-copy -x tar/"$name"_*.dsc "$name" > /dev/null
done
