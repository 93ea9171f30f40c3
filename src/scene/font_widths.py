#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes font_regular.widths and font_bold.widths, which font_widths.c includes, from the DejaVu Sans fonts
(Debian: fonts-dejavu-core), and prints the blocks for it.

    python3 font_widths.py /usr/share/fonts/truetype/dejavu

Reads the tables cmap (format 4), hmtx, hhea and head of the TrueType files; see the OpenType
specification. 2048 units are 1 em.
"""
import struct
import sys

BLOCKS = [(0x20, 0x52F), (0x1E00, 0x1FFF), (0x2000, 0x27BF), (0xFB00, 0xFB06), (0xFFFC, 0xFFFD)]


def tables(font):
    count = struct.unpack(">H", font[4:6])[0]
    for i in range(count):
        tag, _, offset, length = struct.unpack(">4sIII", font[12 + 16 * i : 28 + 16 * i])
        yield tag.decode(), font[offset : offset + length]


def read_cmap(cmap):
    count = struct.unpack(">H", cmap[2:4])[0]
    for i in range(count):
        offset = struct.unpack(">HHI", cmap[4 + 8 * i : 12 + 8 * i])[2]
        if struct.unpack(">H", cmap[offset : offset + 2])[0] == 4:
            return cmap[offset:]
    raise SystemExit("no cmap of format 4")


def glyph_of(table, character):
    segments = struct.unpack(">H", table[6:8])[0] // 2
    word = lambda at: struct.unpack(">H", table[at : at + 2])[0]
    ends, starts = 14, 16 + 2 * segments
    deltas, offsets = starts + 2 * segments, starts + 4 * segments
    for i in range(segments):
        if character <= word(ends + 2 * i):
            if character < word(starts + 2 * i):
                return 0
            offset = word(offsets + 2 * i)
            if offset == 0:
                return (character + word(deltas + 2 * i)) & 0xFFFF
            glyph = word(offsets + 2 * i + offset + 2 * (character - word(starts + 2 * i)))
            return (glyph + word(deltas + 2 * i)) & 0xFFFF if glyph else 0
    return 0


def widths(path):
    parts = dict(tables(open(path, "rb").read()))
    units = struct.unpack(">H", parts["head"][18:20])[0]
    metrics = struct.unpack(">H", parts["hhea"][34:36])[0]
    assert units == 2048
    cmap = read_cmap(parts["cmap"])
    for first, last in BLOCKS:
        for character in range(first, last + 1):
            glyph = min(glyph_of(cmap, character), metrics - 1)
            yield struct.unpack(">H", parts["hmtx"][4 * glyph : 4 * glyph + 2])[0] if glyph else 0


def write_numbers(name, numbers):
    with open(name, "w", encoding="ascii") as out:
        line = ""
        for number in numbers:
            if len(line) + len(f" {number},") > 97:
                print(line.strip(), file=out)
                line = ""
            line += f" {number},"
        print(line.strip(), file=out)


folder = sys.argv[1]
write_numbers("font_regular.widths", widths(folder + "/DejaVuSans.ttf"))
write_numbers("font_bold.widths", widths(folder + "/DejaVuSans-Bold.ttf"))
print("const FontBlock font_blocks[] = {")
at = 0
for first, last in BLOCKS:
    print(f"    {{0x{first:04X}, 0x{last:04X}, regular + {at}, bold + {at}}},")
    at += last - first + 1
print("    {0},\n};")
