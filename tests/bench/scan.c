// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/file.h"
#include "bench.h"

// Two yardsticks. `scan`: finding the structural characters of the files once, over a warm mapping.
// `read`: mapping them and adding up their words, which whoever reads a file has to do.
// Arguments: ROUNDS FILE...

#ifdef __SSE2__
static uint64_t scan(Str text)
{
    static const char structural[] = "\"\\{}[]:,";
    uint64_t count = 0;
    for (size_t at = 0; at + 16 <= text.size; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text.data + at));
        __m128i hits = _mm_setzero_si128();
        for (int i = 0; i < 8; i++)
            hits = _mm_or_si128(hits, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(structural[i])));
        for (unsigned mask = (unsigned)_mm_movemask_epi8(hits); mask; mask &= mask - 1)
            count++;
    }
    return count;
}
#else
static uint64_t scan(Str text)
{
    uint64_t count = 0;
    for (size_t at = 0; at < text.size; at++)
        count += str_find_char(STR("\"\\{}[]:,"), text.data[at], 0) != SIZE_MAX;
    return count;
}
#endif

static double read_once(char **paths, int count, uint64_t *sum)
{
    File file;
    Error err;
    double start = bench_now();
    for (int i = 0; i < count && file_open(paths[i], &file, &err); i++) {
        for (size_t at = 0; at + 8 <= file.text.size; at += 8) {
            uint64_t word;
            memcpy(&word, file.text.data + at, 8);
            *sum += word;
        }
        file_close(&file);
    }
    return bench_now() - start;
}

int main(int argc, char **argv)
{
    enum { FILES_MAX = 16 };
    File files[FILES_MAX];
    Error err;
    int count = argc - 2, rounds = argc > 1 ? atoi(argv[1]) : 0;
    double seconds[BENCH_ROUNDS_MAX], bytes = 0;
    uint64_t seen = 0;
    if (count < 1 || count > FILES_MAX || rounds < 1 || rounds > BENCH_ROUNDS_MAX)
        return 2;
    for (int i = 0; i < count; i++) {
        if (!file_open(argv[i + 2], &files[i], &err))
            return 2;
        bytes += (double)files[i].text.size;
        seen += scan(files[i].text);
    }
    for (int round = 0; round < rounds; round++) {
        double start = bench_now();
        for (int i = 0; i < count; i++)
            seen += scan(files[i].text);
        seconds[round] = bench_now() - start;
    }
    printf("scan limit=%.9f bytes=%.0f\n", bench_median(seconds, rounds), bytes);
    for (int round = 0; round < rounds; round++)
        seconds[round] = read_once(argv + 2, count, &seen);
    printf("read limit=%.9f\n", bench_median(seconds, rounds));
    return seen ? 0 : 1;
}
