// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_note.h"

#include "base/names.h"

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

static size_t *unknown(const Evidence *of)
{
    size_t *out = ARENA_ARRAY(of->arena, size_t, of->count + 1);
    for (size_t i = 0; i < of->count; i++)
        out[i] = SIZE_MAX;
    return out;
}

static void relate_steps(Evidence *of)
{
    size_t *earlier = unknown(of), *next = unknown(of), *later = unknown(of);
    Names *ranks = names_new(of->arena);
    size_t *last = ARENA_ARRAY(of->arena, size_t, of->count + 1);  // by rank: its last dump, from 1
    for (size_t i = 0; i < of->count; i++) {
        size_t *before = &last[names_add(ranks, names_number(&of->ranks[i].rank))];
        if (*before) {
            earlier[i] = *before - 1;
            next[*before - 1] = i;
        }
        *before = i + 1;
    }
    for (size_t i = of->count; i-- > 0;)
        if (next[i] != SIZE_MAX)
            later[i] = next[i] >= of->step_end[i] ? next[i] : later[next[i]];
    of->earlier = earlier;
    of->next = next;
    of->later = later;
}

// Sets are numbered by the ranks of the layout.
static size_t *first_of_sets(const Evidence *of, bool copies)
{
    size_t *out = unknown(of);
    size_t *first = ARENA_ARRAY(of->arena, size_t, of->layout->count + 1);  // by set, from 1
    for (size_t i = 0; i < of->count; i++) {
        const RankPlace *place = rank_layout_place(of->layout, of->ranks[i].rank);
        size_t set = !place ? GROUP_UNKNOWN : copies ? place->copies : place->shares;
        if (set == GROUP_UNKNOWN)
            continue;
        if (first[set] && of->step_end[first[set] - 1] == of->step_end[i])
            out[i] = first[set] - 1;
        else
            first[set] = i + 1;
    }
    return out;
}

void law_relate(Evidence *of)
{
    relate_steps(of);
    of->first_copy = first_of_sets(of, true);
    of->first_share = first_of_sets(of, false);
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
