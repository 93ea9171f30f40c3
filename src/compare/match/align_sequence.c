// SPDX-License-Identifier: Apache-2.0
#include "compare/match/align_sequence.h"

#include <string.h>

#include "base/arena.h"

// Steps: 1. equal tokens at both ends pair up; 2. from the front on, for d = 0, 1, 2, … the
// furthest place on every diagonal that d unpaired tokens lead to, until the ends are reached or d
// is at its limit; 3. the way back from there gives the pairs; 4. from that place on again.

// The furthest places by round: round d has 2d + 1 diagonals, -d … d, at index d * d.
typedef struct Search {
    const uint64_t *a, *b;
    uint32_t n, m;
    uint32_t *reached;  // how many tokens of `a` are after it
} Search;

static uint32_t *round_of(const Search *search, uint32_t d)
{
    return search->reached + (size_t)d * d + d;  // its diagonal 0
}

// Diagonal k holds the places with x - y = k, x tokens of `a` and y of `b` being done.
static bool is_inside(const Search *search, int64_t x, int64_t k)
{
    return x >= 0 && x <= search->n && x - k >= 0 && x - k <= search->m;
}

#define NOWHERE_REACHED UINT32_MAX

typedef struct Step {
    uint32_t x;
    int from;  // the diagonal it came from is k + from
} Step;

// Where one more unpaired token leads on diagonal k: from k + 1 a token of `b` is left out, from
// k - 1 one of `a`.
static Step step_onto(const Search *search, uint32_t d, int64_t k)
{
    const uint32_t *before = round_of(search, d - 1);
    int64_t limit = (int64_t)d - 1;
    Step best = {NOWHERE_REACHED, 0};
    if (k + 1 <= limit && before[k + 1] != NOWHERE_REACHED && is_inside(search, before[k + 1], k))
        best = (Step){before[k + 1], 1};
    if (k - 1 < -limit || before[k - 1] == NOWHERE_REACHED)
        return best;
    int64_t x = (int64_t)before[k - 1] + 1;
    if (is_inside(search, x, k) && (best.x == NOWHERE_REACHED || x > best.x))
        best = (Step){(uint32_t)x, -1};
    return best;
}

static uint32_t slide(const Search *search, uint32_t x, int64_t k)
{
    int64_t y = (int64_t)x - k;
    while (x < search->n && y < search->m && search->a[x] == search->b[y]) {
        x++;
        y++;
    }
    return x;
}

typedef struct Place {
    uint32_t d;
    int64_t k;
    uint32_t x;
} Place;

// The end, or the place with most tokens done when the limit is reached.
static Place find_furthest(const Search *search)
{
    Place best = {0, 0, slide(search, 0, 0)};
    *round_of(search, 0) = best.x;
    for (uint32_t d = 1; !(best.x == search->n && best.x - best.k == search->m); d++) {
        if (d > ALIGN_REACH)
            break;
        uint32_t *reached = round_of(search, d);
        for (int64_t k = -(int64_t)d; k <= (int64_t)d; k++)
            reached[k] = NOWHERE_REACHED;
        for (int64_t k = -(int64_t)d; k <= (int64_t)d; k += 2) {
            uint32_t x = step_onto(search, d, k).x;
            if (x == NOWHERE_REACHED)
                continue;
            reached[k] = slide(search, x, k);
            if (2 * (int64_t)reached[k] - k > 2 * (int64_t)best.x - best.k)
                best = (Place){d, k, reached[k]};
        }
    }
    return best;
}

static void pair_on_the_way_back(const Search *search, Place at, uint32_t base_a, uint32_t base_b,
                                 uint32_t *second_of)
{
    uint32_t x = at.x;
    int64_t k = at.k;
    for (uint32_t d = at.d;; d--) {
        Step step = d ? step_onto(search, d, k) : (Step){0, 0};
        while (x > step.x) {
            x--;
            second_of[base_a + x] = base_b + (uint32_t)((int64_t)x - k);
        }
        if (d == 0)
            return;
        k += step.from;
        x -= step.from < 0;
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Pairs the equal tokens at the front of both from `*a`, `*b` on.
static void pair_front(TokenSequence first, TokenSequence second, uint32_t *a, uint32_t *b,
                       uint32_t *second_of)
{
    while (*a < first.count && *b < second.count && first.items[*a] == second.items[*b])
        second_of[(*a)++] = (*b)++;
}

void align_sequences(TokenSequence first, TokenSequence second, uint32_t *second_of)
{
    uint32_t a = 0, b = 0;
    memset(second_of, 0xFF, first.count * sizeof *second_of);
    pair_front(first, second, &a, &b, second_of);
    while (first.count > a && second.count > b &&
           first.items[first.count - 1] == second.items[second.count - 1])
        second_of[--first.count] = --second.count;
    if (a == first.count || b == second.count)
        return;
    Arena *scratch = arena_new();
    uint32_t rounds = smaller(ALIGN_REACH, first.count - a + second.count - b) + 1;
    Search search = {.reached = ARENA_ARRAY(scratch, uint32_t, (size_t)rounds * rounds)};
    while (a < first.count && b < second.count) {
        search.a = first.items + a;
        search.b = second.items + b;
        search.n = first.count - a;
        search.m = second.count - b;
        Place furthest = find_furthest(&search);
        pair_on_the_way_back(&search, furthest, a, b, second_of);
        a += furthest.x;
        b += (uint32_t)((int64_t)furthest.x - furthest.k);
    }
    arena_release(scratch);
}

// tails[l] is the item that ends the increasing run of length l + 1 whose end is smallest.
void align_increasing(const uint32_t *items, uint32_t count, bool *kept)
{
    Arena *scratch = arena_new();
    uint32_t *tails = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t *before = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t length = 0;
    memset(kept, 0, count * sizeof *kept);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i] == ALIGN_NONE)
            continue;
        uint32_t low = 0, high = length;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (items[tails[middle]] < items[i])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low ? tails[low - 1] : ALIGN_NONE;
        tails[low] = i;
        length = low == length ? length + 1 : length;
    }
    for (uint32_t i = length ? tails[length - 1] : ALIGN_NONE; i != ALIGN_NONE; i = before[i])
        kept[i] = true;
    arena_release(scratch);
}
