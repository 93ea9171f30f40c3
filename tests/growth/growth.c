// SPDX-License-Identifier: Apache-2.0
#include "growth/counter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

// Work grows with the input, for every reader: pieces of its corpus are repeated until there are
// SMALL bytes and four times as many. The work of the fuzz target (what vernier does in it, not its
// checks) must grow with no more than the power SLOPE of the size, and stay below UNITS_A_BYTE for
// each byte and UNITS once.
//     growth TARGET FOLDER...

#define SLOPE 1.2

enum {
    SMALL = 8192,  // bytes; the large inputs have four times as many
    PIECES = 4,    // of each file of the corpus
    FORMS = 3,
    UNITS_A_BYTE = 4000,
    UNITS = 4000000
};

typedef int Target(const uint8_t *data, size_t size);

#define TARGET(name) Target fuzz_target_##name;
#include "growth_targets.h"
#undef TARGET

static const struct {
    const char *name;
    Target *run;
} TARGETS[] = {
#define TARGET(name) {#name, fuzz_target_##name},
#include "growth_targets.h"
#undef TARGET
};

typedef struct Piece {
    Str file;
    size_t from, size;
    int form;
} Piece;

typedef struct Steepest {
    double slope, units_a_byte;
} Steepest;

typedef struct Text {
    char *data;
    size_t size, room;
} Text;

static void put(Text *text, Str part)
{
    if (part.size > text->room - text->size)
        part.size = text->room - text->size;
    if (part.size)
        memcpy(text->data + text->size, part.data, part.size);
    text->size += part.size;
}

// The piece with another number in place of its first digits, or before its last byte.
static void put_numbered(Text *text, Str part, size_t number)
{
    char digits[24];
    size_t at = 0, behind;
    int size = snprintf(digits, sizeof digits, "%zu", number);
    while (at < part.size && !(part.data[at] >= '0' && part.data[at] <= '9'))
        at++;
    if (at == part.size)
        at = part.size - 1;
    for (behind = at; behind < part.size && part.data[behind] >= '0' && part.data[behind] <= '9';)
        behind++;
    put(text, str_slice(part, 0, at));
    put(text, (Str){digits, (size_t)size});
    put(text, str_slice(part, behind, part.size));
}

// Form 0: the piece again and again. 1: with numbers that rise. 2: the piece again and again, and
// as often what follows it, as brackets do.
static void grow(const Piece *piece, size_t bytes, Text *text)
{
    Str part = str_slice(piece->file, piece->from, piece->from + piece->size);
    Str rest = str_slice(piece->file, piece->from + piece->size, piece->file.size);
    size_t mirrored = piece->form == 2 && rest.size > piece->size ? piece->size : 0;
    size_t times = 0;
    text->size = 0;
    put(text, str_slice(piece->file, 0, piece->from));
    for (; text->size + times * mirrored < piece->from + bytes; times++) {
        if (piece->form == 1)
            put_numbered(text, part, times + 1);
        else
            put(text, part);
    }
    for (size_t i = 0; mirrored && i < times; i++)
        put(text, str_slice(rest, 0, mirrored));
    put(text, rest);
}

static uint64_t work_of(Target *run, Text text)
{
    uint64_t before = growth_work();
    run((const uint8_t *)text.data, text.size);
    return growth_work() - before;
}

typedef struct Point {
    double bytes, units;
} Point;

static Point measure(Target *run, const Piece *piece, size_t bytes, Text *text)
{
    grow(piece, bytes, text);
    double units = (double)work_of(run, *text);
    return (Point){(double)text->size, units + 1};
}

static double slope_of(Point a, Point b)
{
    return log(b.units / a.units) / log(b.bytes / a.bytes);
}

static void keep(const Text *text)
{
    FILE *out = fopen("growth-found", "wb");
    if (out) {
        fwrite(text->data, 1, text->size, out);
        fclose(out);
    }
}

// False, and told, where the work grows faster than it may; the input is kept. Work that begins
// somewhere between two sizes (the small input was refused) is steep there and not behind it.
static bool look_at(Target *run, const Piece *piece, Text *text, Steepest *most)
{
    Point small = measure(run, piece, SMALL, text);
    Point large = measure(run, piece, 4 * SMALL, text);
    double slope = slope_of(small, large);
    if (slope > SLOPE) {
        small = large;
        large = measure(run, piece, 16 * SMALL, text);
        slope = slope_of(small, large);
    }
    most->slope = fmax(most->slope, slope);
    most->units_a_byte = fmax(most->units_a_byte, large.units / large.bytes);
    if (slope <= SLOPE && large.units <= UNITS_A_BYTE * large.bytes + UNITS)
        return true;
    printf("%.0f bytes: %.0f units, %.0f bytes: %.0f units, slope %.2f; form %d of bytes %zu to "
           "%zu\n",
           small.bytes, small.units, large.bytes, large.units, slope, piece->form, piece->from,
           piece->from + piece->size);
    keep(text);
    return false;
}

// A line, or any bytes.
static void choose(Piece *piece, uint32_t number)
{
    Str file = piece->file;
    uint32_t seed = number * 2654435761u + (uint32_t)file.size;
    seed = seed * 1664525 + 1013904223;
    piece->from = (seed >> 8) % file.size;
    seed = seed * 1664525 + 1013904223;
    piece->size = 1 + (seed >> 8) % 64;
    if (number % 2 == 0) {
        while (piece->from && file.data[piece->from - 1] != '\n')
            piece->from--;
        size_t end = str_find_char(file, '\n', piece->from);
        piece->size = (end == SIZE_MAX ? file.size : end + 1) - piece->from;
    }
    if (piece->size > file.size - piece->from)
        piece->size = file.size - piece->from;
    if (piece->size > SMALL / 4)
        piece->size = SMALL / 4;
}

static bool look_at_file(Target *run, const char *path, Text *text, Steepest *most)
{
    File file;
    Error err;
    bool good = true;
    if (!file_open(path, &file, &err)) {
        printf("%s\n", err.text);
        return false;
    }
    text->room = file.text.size + 18 * SMALL;
    text->data = malloc(text->room);
    for (uint32_t i = 0; text->data && file.text.size && i < PIECES * FORMS; i++) {
        Piece piece = {.file = file.text, .form = (int)(i % FORMS)};
        choose(&piece, i);
        if (!look_at(run, &piece, text, most)) {
            printf("%s\n", path);
            good = false;
        }
    }
    free(text->data);
    file_close(&file);
    return good;
}

int main(int count, char **arguments)
{
    Arena *arena = arena_new();
    Text text = {0};
    Target *run = NULL;
    Steepest most = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS && count > 1; i++)
        if (strcmp(TARGETS[i].name, arguments[1]) == 0)
            run = TARGETS[i].run;
    for (int i = 2; i < count && run; i++) {
        FolderList list;
        Error err;
        if (!folder_list(arguments[i], arena, &list, &err))
            return 1;
        for (size_t k = 0; k < list.count; k++)
            good = look_at_file(run, path_join(arena, arguments[i], list.items[k]), &text, &most) &&
                   good;
    }
    printf("steepest %.2f, at most %.0f units a byte\n", most.slope, most.units_a_byte);
    arena_release(arena);
    return run && good ? 0 : 1;
}
