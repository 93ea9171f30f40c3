// SPDX-License-Identifier: Apache-2.0
#include "renderers/png_palette.h"

#include <stdlib.h>
#include <string.h>

static bool is_exact(const Palette *palette, uint32_t colour)
{
    for (int i = 0; i < palette->exact_count; i++)
        if (palette->exact[i] == colour)
            return true;
    return false;
}

void palette_start(Palette *palette, const Theme *theme, bool dark)
{
    for (int role = ROLE_NONE + 1; role < ROLE_COUNT; role++) {
        uint32_t colour = theme_rgb(theme, (Role)role, dark);
        if (!is_exact(palette, colour))
            palette->exact[palette->exact_count++] = colour;
    }
    palette->exact_left = palette->exact_count;
}

static int channel(uint32_t colour, int shift)
{
    return (int)(colour >> shift & 0xff);
}

// By the channel that differs most.
static int distance(uint32_t a, uint32_t b)
{
    int most = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int apart = abs(channel(a, shift) - channel(b, shift));
        most = apart > most ? apart : most;
    }
    return most;
}

// The place of a colour that is met for the first time; -1: none fits.
static int place_of(Palette *palette, uint32_t colour)
{
    int nearest = 0, apart = 256, limit = is_exact(palette, colour) ? 0 : PALETTE_NEAR;
    for (int i = 0; i < palette->count; i++) {
        int far = distance(palette->colours[i], colour);
        if (far <= limit)
            return i;
        if (far < apart) {
            apart = far;
            nearest = i;
        }
    }
    palette->exact_left -= limit == 0;
    if (palette->count + palette->exact_left < PALETTE_MOST) {
        palette->colours[palette->count] = colour;
        return palette->count++;
    }
    return limit && apart <= PALETTE_FAR ? nearest : -1;
}

static int known_place(Palette *palette, uint32_t colour)
{
    uint32_t key = colour | 1U << 24, at = colour * 2654435761U >> 17;
    while (palette->keys[at] && palette->keys[at] != key)
        at = (at + 1) % PALETTE_KEYS;
    if (palette->keys[at])
        return palette->places[at];
    int place = palette->known < PALETTE_KEYS / 2 ? place_of(palette, colour) : -1;
    if (place >= 0) {
        palette->keys[at] = key;
        palette->places[at] = (uint8_t)place;
        palette->known++;
    }
    return place;
}

// How many of the pixels are the first one again: four at a time, most of a picture is ground.
static int run_of(const uint32_t *pixels, int count)
{
    uint64_t pair = pixels[0] | (uint64_t)pixels[0] << 32, two[2];
    int run = 1;
    for (; run + 4 <= count; run += 4) {
        memcpy(two, pixels + run, sizeof two);
        if (((two[0] ^ pair) | (two[1] ^ pair)) != 0)
            break;
    }
    while (run < count && pixels[run] == pixels[0])
        run++;
    return run;
}

bool palette_places(Palette *palette, const uint32_t *pixels, int count, uint8_t *places)
{
    for (int i = 0, run; i < count; i += run) {
        int place = known_place(palette, pixels[i] & 0xffffff);
        if (place < 0)
            return false;
        run = run_of(pixels + i, count - i);
        memset(places + i, place, (size_t)run);
    }
    return true;
}
