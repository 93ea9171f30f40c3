# shellcheck shell=bash
# Sourced: `own_apt FOLDER deb|deb-src [LINE...]` gives apt-get a state of its own below FOLDER/apt, with the Debian sources
# of this machine, for packages or their sources, and further lines of configuration. The machine's own state stays as it is.
own_apt() {
    local apt=$1/apt type=$2 file
    shift 2
    rm -rf "$apt"
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    touch "$apt/status"
    # Debian's alone: others may have no sources, or nothing for another processor.
    { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null || true; } |
        sed -n "/debian\.org/s/^deb /$type /p" > "$apt/parts/own.list"
    for file in /etc/apt/sources.list.d/*.sources; do
        if [ -e "$file" ] && grep -q 'debian\.org' "$file"; then
            sed "s/^Types:.*/Types: $type/" "$file" > "$apt/parts/$(basename "$file")"
        fi
    done
    printf '%s\n' 'Dir::Etc::sourcelist "/dev/null";' "Dir::Etc::sourceparts \"$apt/parts\";" \
        "Dir::State::Lists \"$apt/lists\";" "Dir::Cache \"$apt/cache\";" 'APT::Sandbox::User "";' "$@" > "$apt/apt.conf"
    export APT_CONFIG=$apt/apt.conf
    apt-get update -qq
}
