// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/file.h"
#include "read/dump/dump_source.h"

// Time and memory of reading a dump.json beside the time of finding its structural characters once.
// Arguments: the file, rounds (default 10). Exit 1 if it takes more than 2.5 scans, well below the
// 6 that the whole comparison may take, or if the records of a statistics dump take more than 0.4
// of the file.

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static bool is_structural(char c)
{
    return c == '"' || c == '\\' || c == '{' || c == '}' || c == '[' || c == ']' || c == ':' ||
           c == ',';
}

#ifdef __SSE2__
static uint64_t scan(Str text)
{
    static const char structural[] = "\"\\{}[]:,";
    uint64_t count = 0;
    size_t at = 0;
    for (; at + 16 <= text.size; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at));
        __m128i hits = _mm_setzero_si128();
        for (int i = 0; i < 8; i++)
            hits = _mm_or_si128(hits, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(structural[i])));
        for (unsigned mask = (unsigned)_mm_movemask_epi8(hits); mask; mask &= mask - 1)
            count++;
    }
    for (; at < text.size; at++)
        count += is_structural(text.data[at]);
    return count;
}
#else
static uint64_t scan(Str text)
{
    uint64_t count = 0;
    for (size_t at = 0; at < text.size; at++)
        count += is_structural(text.data[at]);
    return count;
}
#endif

typedef struct Reading {
    double seconds;
    size_t bytes;
    uint32_t ops, slots;
} Reading;

static Reading read_once(const char *path, Str text)
{
    Arena *arena = arena_new();
    Names *names = names_new(arena);
    Notices notices;
    Dump dump = {0};
    Error err;
    notices_init(&notices, arena);
    double start = now();
    bool good = dump_read_text(path, text, names, arena, &dump, &notices, &err);
    Reading out = {now() - start, arena_bytes(arena), dump.op_count, dump.slot_count};
    if (!good)
        fprintf(stderr, "%s: %s\n", path, err.text);
    arena_release(arena);
    return out;
}

int main(int argc, char **argv)
{
    File file;
    Error err;
    if (argc < 2 || !file_open(argv[1], &file, &err)) {
        fprintf(stderr, "usage: bench_dump_read DUMP.JSON [ROUNDS]\n");
        return 2;
    }
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    double scan_seconds = 1e9;
    Reading best = {.seconds = 1e9};
    uint64_t seen = 0;
    for (int i = 0; i < rounds; i++) {
        double start = now();
        seen += scan(file.text);
        double seconds = now() - start;
        scan_seconds = seconds < scan_seconds ? seconds : scan_seconds;
        Reading reading = read_once(argv[1], file.text);
        best = reading.seconds < best.seconds ? reading : best;
    }
    double size = (double)file.text.size;
    double ratio = best.seconds / scan_seconds, share = (double)best.bytes / size;
    printf("%.1f MB, %u ops, %u slots: scan %.1f ms, read %.1f ms = %.2f x scan (limit 2.5), "
           "%.2f GB/s, records %.2f of the file (limit 0.4)\n",
           1e-6 * size, best.ops, best.slots, 1e3 * scan_seconds, 1e3 * best.seconds, ratio,
           1e-9 * size / best.seconds, share);
    file_close(&file);
    return seen && ratio <= 2.5 && share <= 0.4 ? 0 : 1;
}
