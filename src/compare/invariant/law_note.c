// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_note.h"

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

size_t law_next_step(const Evidence *of, size_t rank)
{
    for (size_t i = of->step_end[rank]; i < of->count; i++) {
        if (of->ranks[i].step != of->ranks[rank].step + 1 && !of->ranks[rank].sparse)
            break;
        if (of->ranks[i].rank == of->ranks[rank].rank)
            return i;
    }
    return SIZE_MAX;
}

size_t law_earlier_dump(const Evidence *of, size_t rank)
{
    for (size_t i = rank; i-- > 0;)
        if (of->ranks[i].rank == of->ranks[rank].rank)
            return i;
    return SIZE_MAX;
}

size_t law_first_of_set(const Evidence *of, size_t rank, bool copies)
{
    const RankPlace *place = rank_layout_place(of->layout, of->ranks[rank].rank);
    size_t set = !place ? GROUP_UNKNOWN : copies ? place->copies : place->shares;
    if (set == GROUP_UNKNOWN)
        return SIZE_MAX;
    size_t first = rank;
    while (first > 0 && of->step_end[first - 1] == of->step_end[rank])
        first--;
    for (; first < rank; first++) {
        const RankPlace *other = rank_layout_place(of->layout, of->ranks[first].rank);
        if (other && (copies ? other->copies : other->shares) == set)
            return first;
    }
    return SIZE_MAX;
}
