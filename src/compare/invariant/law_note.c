// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_note.h"

#include <stdlib.h>

void law_note_held(LawResult *out, size_t rank, size_t other)
{
    size_t both[2] = {rank, other == SIZE_MAX ? rank : other};
    out->checked++;
    for (int i = 0; i < 2; i++)
        if (out->marks[both[i]] == MARK_NONE)
            out->marks[both[i]] = MARK_HOLDS;
}

void law_note_broken(const Evidence *of, LawResult *out, size_t rank, size_t other, Str what,
                     Str text)
{
    out->checked++;
    out->broken++;
    out->marks[rank] = MARK_BROKEN;
    if (other != SIZE_MAX)
        out->marks[other] = MARK_BROKEN;
    if (out->break_count == LAW_BREAKS_KEPT)
        return;
    LawBreak *new = ARRAY_ADD(of->arena, out->breaks, out->break_count, out->break_capacity);
    *new = (LawBreak){.step = of->ranks[rank].step,
                      .rank = of->ranks[rank].rank,
                      .other = other == SIZE_MAX ? -1 : of->ranks[other].rank,
                      .what = what,
                      .text = text};
}

void law_note_match(const Evidence *of, LawResult *out, size_t rank, size_t other, Str what,
                    const TensorSeen *a, const TensorSeen *b)
{
    SeenMatch match = tensor_seen_match(a, b, of->tolerance);
    if (match == SEEN_EQUAL)
        law_note_held(out, rank, other);
    else if (match == SEEN_DIFFERENT)
        law_note_broken(of, out, rank, other, what, tensor_seen_difference(a, b, of->arena));
}

void law_note_why(LawResult *out, Str why)
{
    if (out->why.size == 0)
        out->why = why;
}

void law_note_open(LawResult *out, size_t rank, Str why)
{
    if (out->marks[rank] != MARK_BROKEN)
        out->marks[rank] = MARK_OPEN;
    if (out->open++ == 0)
        out->why = why;
}

// A dump by its number: of its rank, or of a set of ranks in its step.
typedef struct Numbered {
    uint64_t number;
    size_t index;
} Numbered;

static int by_number(const void *a, const void *b)
{
    const Numbered *one = a, *two = b;
    if (one->number != two->number)
        return one->number < two->number ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

static size_t *unknown(const Evidence *of)
{
    size_t *out = ARENA_ARRAY(of->arena, size_t, of->count + 1);
    for (size_t i = 0; i < of->count; i++)
        out[i] = SIZE_MAX;
    return out;
}

static void relate_steps(Evidence *of, Numbered *order)
{
    size_t *earlier = unknown(of), *next = unknown(of), *later = unknown(of);
    for (size_t i = 0; i < of->count; i++)
        order[i] = (Numbered){(uint64_t)of->ranks[i].rank, i};
    if (of->count)
        qsort(order, of->count, sizeof *order, by_number);
    for (size_t i = 0, k = 0; i < of->count; i++) {
        if (i && order[i - 1].number == order[i].number) {
            earlier[order[i].index] = order[i - 1].index;
            next[order[i - 1].index] = order[i].index;
        }
        k = k < i ? i : k;
        while (k < of->count && order[k].number == order[i].number &&
               order[k].index < of->step_end[order[i].index])
            k++;
        if (k < of->count && order[k].number == order[i].number)
            later[order[i].index] = order[k].index;
    }
    of->earlier = earlier;
    of->next = next;
    of->later = later;
}

static size_t *first_of_sets(const Evidence *of, bool copies, Numbered *order)
{
    size_t *out = unknown(of);
    for (size_t from = 0, count; from < of->count; from = of->step_end[from]) {
        count = 0;
        for (size_t i = from; i < of->step_end[from]; i++) {
            const RankPlace *place = rank_layout_place(of->layout, of->ranks[i].rank);
            size_t set = !place ? GROUP_UNKNOWN : copies ? place->copies : place->shares;
            if (set != GROUP_UNKNOWN)
                order[count++] = (Numbered){set, i};
        }
        if (count)
            qsort(order, count, sizeof *order, by_number);
        for (size_t i = 0, first = 0; i < count; i++) {
            first = order[i].number == order[first].number ? first : i;
            if (first != i)
                out[order[i].index] = order[first].index;
        }
    }
    return out;
}

void law_relate(Evidence *of)
{
    Numbered *order = ARENA_ARRAY(of->arena, Numbered, of->count + 1);
    relate_steps(of, order);
    of->first_copy = first_of_sets(of, true, order);
    of->first_share = first_of_sets(of, false, order);
}

size_t law_next_step(const Evidence *of, size_t rank)
{
    size_t later = of->later[rank];
    bool next = later != SIZE_MAX &&
                (of->ranks[rank].sparse || of->ranks[later].step == of->ranks[rank].step + 1);
    return next ? later : SIZE_MAX;
}

size_t law_dump_at(const Evidence *of, size_t like, int64_t rank)
{
    size_t end = of->step_end[like], from = like;
    while (from > 0 && of->step_end[from - 1] == end)
        from--;
    for (; from < end; from++)
        if (of->ranks[from].rank == rank)
            return from;
    return SIZE_MAX;
}
