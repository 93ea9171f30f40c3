#!/usr/bin/env bash
# fonts.sh WORDS OUT.c: the fonts that a static program carries, as C arrays: what vernier itself says, in every
# language that it speaks, and the letters of names (Latin, Greek, Cyrillic), mathematics, arrows, boxes.
# From the packages fonts-dejavu-core and fonts-noto-cjk, cut down by hb-subset (libharfbuzz-bin).
set -euo pipefail
words=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
letters=20-7E,A0-24F,2B0-2FF,370-3FF,400-4FF,1E00-1EFF,2000-206F,2070-209F,20A0-20BF,2100-214F,2190-21FF,2200-22FF,2300-23FF,2460-24FF,2500-25FF,2600-26FF,2700-27BF,27C0-27FF,FFFD
dejavu=/usr/share/fonts/truetype/dejavu
noto=/usr/share/fonts/opentype/noto/NotoSansCJK

cut() { hb-subset "$1" --output-file="$work/$2" --unicodes="$3" --face-index="${4:-0}" --no-hinting; }

# Every Chinese character of the words, and the blank between two of them.
chinese=$(LC_ALL=C.UTF-8 python3 -c '
import sys
text = open(sys.argv[1], encoding="utf-8").read()
print("20,A0," + ",".join(sorted({"%X" % ord(c) for c in text if ord(c) > 0x2E7F})))' "$words")
cut "$dejavu/DejaVuSans.ttf" 0 "$letters"
cut "$dejavu/DejaVuSans-Bold.ttf" 1 "$letters"
cut "$dejavu/DejaVuSansMono.ttf" 2 "$letters"
cut "$dejavu/DejaVuSansMono-Bold.ttf" 3 "$letters"
cut "$noto-Regular.ttc" 4 "$chinese" 2
cut "$noto-Bold.ttc" 5 "$chinese" 2

{
    printf '// SPDX-License-Identifier: Apache-2.0\n// Made by packaging/fonts.sh.\n#include "renderers/own_fonts.h"\n'
    for number in 0 1 2 3 4 5; do
        printf 'static const unsigned char font_%s[] = {\n' "$number"
        od -An -v -tu1 -w32 "$work/$number" | sed 's/ \+/,/g; s/^,//; s/$/,/'
        printf '};\n'
    done
    printf 'const OwnFont own_fonts[] = {\n'
    for number in 0 1 2 3 4 5; do
        printf '    {font_%s, sizeof font_%s},\n' "$number" "$number"
    done
    printf '};\nconst size_t own_font_count = sizeof own_fonts / sizeof *own_fonts;\n'
} > "$out"
