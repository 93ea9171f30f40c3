// SPDX-License-Identifier: Apache-2.0
// Advance widths of DejaVu Sans in 1/2048 em; 0: not in the font. font_widths.py makes the files of
// numbers that are in the arrays, one width a character of the blocks.
// clang-format off
#include "scene/font_widths.h"

static const uint16_t regular[] = {
#include "scene/font_regular.widths"
};

static const uint16_t bold[] = {
#include "scene/font_bold.widths"
};

const FontBlock font_blocks[] = {
    {0x0020, 0x052F, regular + 0, bold + 0},
    {0x1E00, 0x1FFF, regular + 1296, bold + 1296},
    {0x2000, 0x27BF, regular + 1808, bold + 1808},
    {0xFB00, 0xFB06, regular + 3792, bold + 3792},
    {0xFFFC, 0xFFFD, regular + 3799, bold + 3799},
    {0},
};
