// SPDX-License-Identifier: Apache-2.0
#include "compare/match/align_sequence.h"

#include <string.h>

#include "check.h"

static Arena *arena;

enum { MANY = 100000 };

static uint32_t count_pairs(const uint32_t *second_of, uint32_t count)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < count; i++)
        pairs += second_of[i] != ALIGN_NONE;
    return pairs;
}

// Pairs are of equal tokens and never cross.
static void check_order(TokenSequence first, TokenSequence second, const uint32_t *second_of)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < first.count; i++) {
        if (second_of[i] == ALIGN_NONE)
            continue;
        CHECK(second_of[i] >= next && second_of[i] < second.count);
        CHECK(first.items[i] == second.items[second_of[i]]);
        next = second_of[i] + 1;
    }
}

static uint32_t align_texts(const char *first, const char *second)
{
    uint64_t tokens[2][64];
    uint32_t second_of[64];
    const char *texts[2] = {first, second};
    TokenSequence sequences[2];
    for (int side = 0; side < 2; side++) {
        uint32_t count = (uint32_t)strlen(texts[side]);
        for (uint32_t i = 0; i < count; i++)
            tokens[side][i] = (unsigned char)texts[side][i];
        sequences[side] = (TokenSequence){tokens[side], count};
    }
    align_sequences(sequences[0], sequences[1], second_of);
    check_order(sequences[0], sequences[1], second_of);
    return count_pairs(second_of, sequences[0].count);
}

static void the_longest_common_part_is_found(void)
{
    CHECK(align_texts("", "") == 0);
    CHECK(align_texts("abc", "") == 0);
    CHECK(align_texts("", "abc") == 0);
    CHECK(align_texts("abc", "abc") == 3);
    CHECK(align_texts("abc", "xyz") == 0);
    CHECK(align_texts("abcabba", "cbabac") == 4);
    CHECK(align_texts("linear relu linear", "linear linear") == 13);
    CHECK(align_texts("xaxcxabc", "abcy") == 3);
    CHECK(align_texts("aaaa", "aa") == 2);
    CHECK(align_texts("ab", "ba") == 1);
}

// A plain table, as the yardstick.
static uint32_t longest_common(TokenSequence a, TokenSequence b)
{
    uint32_t table[33][33] = {{0}};
    for (uint32_t i = 0; i < a.count; i++)
        for (uint32_t j = 0; j < b.count; j++) {
            uint32_t up = table[i][j + 1], left = table[i + 1][j];
            table[i + 1][j + 1] = a.items[i] == b.items[j] ? table[i][j] + 1
                                  : up > left              ? up
                                                           : left;
        }
    return table[a.count][b.count];
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void random_sequences_give_as_many_pairs_as_a_table_does(void)
{
    uint64_t state = 7;
    for (int round = 0; round < 3000; round++) {
        uint64_t tokens[2][32];
        uint32_t second_of[32];
        TokenSequence sequences[2];
        for (int side = 0; side < 2; side++) {
            sequences[side] = (TokenSequence){tokens[side], (uint32_t)(next_random(&state) % 33)};
            for (uint32_t i = 0; i < sequences[side].count; i++)
                tokens[side][i] = next_random(&state) % 4;
        }
        align_sequences(sequences[0], sequences[1], second_of);
        check_order(sequences[0], sequences[1], second_of);
        CHECK(count_pairs(second_of, sequences[0].count) ==
              longest_common(sequences[0], sequences[1]));
    }
}

static void what_is_left_out_costs_itself_only(void)
{
    uint64_t *whole = ARENA_ARRAY(arena, uint64_t, MANY),
             *less = ARENA_ARRAY(arena, uint64_t, MANY);
    uint32_t *second_of = ARENA_ARRAY(arena, uint32_t, MANY);
    uint32_t kept = 0;
    uint64_t state = 3;
    for (uint32_t i = 0; i < MANY; i++) {
        whole[i] = next_random(&state) % 50;
        if (i % 100 != 37)
            less[kept++] = whole[i];
    }
    TokenSequence a = {whole, MANY}, b = {less, kept};
    align_sequences(a, b, second_of);
    check_order(a, b, second_of);
    CHECK(count_pairs(second_of, MANY) == kept);
}

// Far more differences than the search follows at a stretch: the pairs stay sound and the time
// short.
static void sequences_without_anything_in_common_end_soon(void)
{
    uint64_t *a = ARENA_ARRAY(arena, uint64_t, MANY), *b = ARENA_ARRAY(arena, uint64_t, MANY);
    uint32_t *second_of = ARENA_ARRAY(arena, uint32_t, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        a[i] = 2 * (uint64_t)i;
        b[i] = i % 50 == 49 ? a[i] : 2 * (uint64_t)i + 1;
    }
    TokenSequence first = {a, MANY / 4}, second = {b, MANY / 4};
    align_sequences(first, second, second_of);
    check_order(first, second, second_of);
    CHECK(count_pairs(second_of, first.count) >= first.count / 60);
}

static void the_longest_increasing_part_is_kept(void)
{
    static const uint32_t items[] = {5, 1, ALIGN_NONE, 2, 9, 3, 4, 0};
    bool kept[8];
    align_increasing(items, 8, kept);
    CHECK(!kept[0] && kept[1] && !kept[2] && kept[3] && !kept[4] && kept[5] && kept[6] && !kept[7]);
    align_increasing(items, 0, kept);
}

int main(void)
{
    arena = arena_new();
    CHECK_RUN(the_longest_common_part_is_found);
    CHECK_RUN(random_sequences_give_as_many_pairs_as_a_table_does);
    CHECK_RUN(what_is_left_out_costs_itself_only);
    CHECK_RUN(sequences_without_anything_in_common_end_soon);
    CHECK_RUN(the_longest_increasing_part_is_kept);
    arena_release(arena);
    return CHECK_RESULT;
}
