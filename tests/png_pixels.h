// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_TESTS_PNG_PIXELS_H
#define VERNIER_TESTS_PNG_PIXELS_H

#include <png.h>

#include "base/arena.h"
#include "base/str.h"

// A PNG file read back.
typedef struct Pixels {
    uint32_t width, height;
    unsigned char *rgb;  // NULL: no PNG
} Pixels;

static inline Pixels pixels_read(Str bytes, Arena *arena)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    Pixels pixels = {0};
    if (!png_image_begin_read_from_memory(&image, bytes.data, bytes.size))
        return pixels;
    image.format = PNG_FORMAT_RGB;
    pixels.width = image.width;
    pixels.height = image.height;
    pixels.rgb = arena_array(arena, image.height, (size_t)image.width * 3);
    if (!png_image_finish_read(&image, NULL, pixels.rgb, 0, NULL))
        pixels.rgb = NULL;
    png_image_free(&image);
    return pixels;
}

static inline uint32_t pixels_at(const Pixels *pixels, uint32_t x, uint32_t y)
{
    if (!pixels->rgb)
        return 0;  // no picture
    const unsigned char *at = pixels->rgb + ((size_t)y * pixels->width + x) * 3;
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

// Pixels of a rectangle that are not of the colour `rgb`.
static inline size_t pixels_other(const Pixels *pixels, uint32_t rgb, const uint32_t box[4])
{
    size_t count = 0;
    for (uint32_t y = box[1]; y < box[1] + box[3]; y++)
        for (uint32_t x = box[0]; x < box[0] + box[2]; x++)
            count += pixels_at(pixels, x, y) != rgb;
    return count;
}

#endif
