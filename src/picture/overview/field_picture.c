// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/field_picture.h"

#include <stdlib.h>

#include "base/words.h"
#include "picture/kit/page.h"
#include "picture/overview/rank_field.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"

enum { HOPS_MOST = 8 };

// A communication by which the error reached further ranks; those of other groups at the same time
// are one with it.
typedef struct Hop {
    Str api;
    uint64_t time;
    int64_t *ranks;
    size_t count;
    size_t from;  // the trail that gave it
    uint32_t op;  // its call, from 1
} Hop;

typedef struct Field {
    const FieldView *view;
    Arena *arena;     // of what the picture shows
    size_t *pair_of;  // by number of the trail
    size_t rows;
    Trail *trails;
    CommTies ties;
    CommClock clock;
    bool *reached;       // by trail: by a hop from the origin on
    uint32_t *arrivals;  // by trail: the op by which the error came, from 1; 0: by none
    Hop hops[HOPS_MOST];
    size_t hop_count, hops_cut;
} Field;

static const PairFacts *pair_at(const Field *field, size_t row)
{
    return &field->view->pairs[field->pair_of[row]];
}

static bool diverges(const PairFacts *pair)
{
    return pair->first.kind != DIVERGE_NONE && pair->first.target_position > 0;
}

static void collect_rows(Field *field, Arena *arena)
{
    const FieldView *view = field->view;
    field->pair_of = ARENA_ARRAY(arena, size_t, view->count);
    field->trails = ARENA_ARRAY(arena, Trail, view->count);
    for (size_t i = 0; i < view->count; i++) {
        const PairFacts *pair = &view->pairs[i];
        if (!pair_facts_same_step(pair, &view->pairs[view->origin]) || !pair->profile.size)
            continue;
        field->trails[field->rows] = (Trail){.rank = pair->rank,
                                             .op_count = (uint32_t)pair->ops_target,
                                             .calls = pair->calls,
                                             .call_count = pair->call_count};
        field->pair_of[field->rows++] = i;
    }
}

static bool rows_differ(const Field *field)
{
    for (size_t row = 1; row < field->rows; row++)
        if (pair_at(field, row)->ops_target != pair_at(field, 0)->ops_target ||
            !str_equal(pair_at(field, row)->profile, pair_at(field, 0)->profile))
            return true;
    return false;
}

// ---- hops

// The last call of a row that brings something, before its first divergence or as that; NULL: none.
static const CommCall *call_before(const Field *field, size_t row, size_t *index)
{
    const PairFacts *pair = pair_at(field, row);
    for (size_t i = pair->call_count; i-- > 0;)
        if (pair->calls[i].op < pair->first.target_position && pair->calls[i].role != COMM_GIVES) {
            *index = i;
            return &pair->calls[i];
        }
    return NULL;
}

// "all_reduce" of the channel "c all_reduce …"; of a transfer its direction.
static Str api_of(const CommCall *call)
{
    if (call->channel.size < 3 || call->channel.data[0] != 'c')
        return STR("send");
    size_t end = str_find_char(call->channel, ' ', 2);
    return str_slice(call->channel, 2, end == SIZE_MAX ? call->channel.size : end);
}

// A member of the communication that the error had reached before it made the call; SIZE_MAX: none.
static size_t find_giver(const Field *field, size_t row, size_t call, uint32_t *op)
{
    const CommTies *ties = &field->ties;
    for (uint32_t at = ties->first[ties->key_of[row][call]]; at != LINK_NONE;
         at = ties->links[at].next) {
        const CommLink *link = &ties->links[at];
        const CommCall *other = comm_ties_call(ties, link);
        if (link->rank != row && field->reached[link->rank] && other->role != COMM_GETS &&
            pair_at(field, link->rank)->first.target_position <= other->op + 1) {
            *op = other->op + 1;
            return link->rank;
        }
    }
    return SIZE_MAX;
}

// A call that may have brought the error to a row.
typedef struct Arrival {
    uint64_t time;
    size_t row, call;
} Arrival;

static int by_time(const void *a, const void *b)
{
    const Arrival *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void take_hop(Field *field, const Arrival *arrival, size_t from, uint32_t op)
{
    const CommCall *call = &pair_at(field, arrival->row)->calls[arrival->call];
    Hop *hop = field->hop_count ? &field->hops[field->hop_count - 1] : NULL;
    Str api = api_of(call);
    field->arrivals[arrival->row] = call->op + 1;
    if (!hop || hop->time != arrival->time || !str_equal(hop->api, api)) {
        if (field->hop_count == HOPS_MOST) {
            field->hops_cut++;
            return;
        }
        hop = &field->hops[field->hop_count++];
        *hop = (Hop){.api = api,
                     .time = arrival->time,
                     .from = from,
                     .op = op,
                     .ranks = ARENA_ARRAY(field->arena, int64_t, field->rows)};
    }
    hop->ranks[hop->count++] = pair_at(field, arrival->row)->rank;
}

// In the order of the clock: what is reached by a hop may be where the next one comes from.
static void find_hops(Field *field, Arena *arena)
{
    Arrival *arrivals = ARENA_ARRAY(arena, Arrival, field->rows);
    bool *reached = ARENA_ARRAY(arena, bool, field->rows);
    size_t count = 0;
    field->reached = reached;
    field->arrivals = ARENA_ARRAY(arena, uint32_t, field->rows);
    for (size_t row = 0; row < field->rows; row++) {
        size_t call;
        reached[row] = field->pair_of[row] == field->view->origin;
        if (!reached[row] && diverges(pair_at(field, row)) && call_before(field, row, &call))
            arrivals[count++] = (Arrival){field->clock.call_times[row][call], row, call};
    }
    qsort(arrivals, count, sizeof *arrivals, by_time);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && arrivals[end].time == arrivals[i].time; end++) {
            uint32_t op;
            size_t from = find_giver(field, arrivals[end].row, arrivals[end].call, &op);
            if (from != SIZE_MAX)
                take_hop(field, &arrivals[end], from, op);
        }
        for (size_t k = i; k < end; k++)
            reached[arrivals[k].row] = field->arrivals[arrivals[k].row] > 0;
    }
}

// "rank 13 → all_reduce #60 → ranks 8–15 → …"
static Str hops_text(const Field *field, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text, tr("rank %lld"), (long long)field->view->pairs[field->view->origin].rank);
    for (size_t i = 0; i < field->hop_count; i++) {
        const Hop *hop = &field->hops[i];
        Str ranks = rank_ranges(hop->ranks, hop->count, 6, arena);
        strbuf_printf(&text, " → " STR_FMT " #%u → ", STR_ARG(hop->api), hop->op);
        if (hop->count == 1)
            strbuf_printf(&text, tr("rank %lld"), (long long)hop->ranks[0]);
        else
            strbuf_printf(&text, tr("ranks " STR_FMT), STR_ARG(ranks));
    }
    if (field->hops_cut)
        strbuf_printf(&text, tr_count(field->hops_cut, " → … and %zu more", " → … and %zu more"),
                      field->hops_cut);
    size_t alone = 0;
    for (size_t row = 0; row < field->rows; row++)
        alone += !field->reached[row] && diverges(pair_at(field, row));
    if (alone)
        strbuf_printf(&text,
                      tr_count(alone, "; %zu more rank differs, by no communication recorded",
                               "; %zu more ranks differ, by no communication recorded"),
                      alone);
    return strbuf_str(&text);
}

// ---- drawing

static void make_rows(const Field *field, RankField *out)
{
    out->rows = ARENA_ARRAY(field->arena, FieldRow, field->rows);
    for (size_t row = 0; row < field->rows; row++) {
        const PairFacts *pair = pair_at(field, row);
        bool origin = field->pair_of[row] == field->view->origin;
        out->rows[row] = (FieldRow){.trail = row,
                                    .letters = pair->profile,
                                    .start = origin ? pair->first.target_position : 0,
                                    .disc = origin,
                                    .arrival = field->arrivals[row],
                                    .link = field->view->links[field->pair_of[row]]};
    }
}

static void least_and_most(size_t *least, size_t *most, size_t value)
{
    *least = value < *least ? value : *least;
    *most = value > *most ? value : *most;
}

static void make_hops(const Field *field, const size_t *place_of, FieldHop *out)
{
    for (size_t i = 0; i < field->hop_count; i++) {
        const Hop *hop = &field->hops[i];
        out[i] =
            (FieldHop){.label = str_printf(field->arena, "%zu " STR_FMT, i + 1, STR_ARG(hop->api)),
                       .time = hop->time,
                       .from = place_of[hop->from],
                       .first = SIZE_MAX};
        for (size_t k = 0; k < hop->count; k++) {
            size_t row = rank_field_trail(field->trails, field->rows, hop->ranks[k]);
            if (row != SIZE_MAX)
                least_and_most(&out[i].first, &out[i].last, place_of[row]);
        }
    }
}

// "only in golden: ranks 2, 5–6": the ranks of the step that have no row.
static Str absent_text(const Field *field, Arena *scratch)
{
    static const char *const words[] = {TR("only in golden"), TR("only in target"), TR("not read")};
    const FieldView *view = field->view;
    StrBuf text = strbuf_new(field->arena);
    for (int kind = 0; kind < 3; kind++) {
        int64_t *ranks = ARENA_ARRAY(scratch, int64_t, view->count);
        size_t count = 0;
        for (size_t i = 0; i < view->count; i++) {
            const PairFacts *pair = &view->pairs[i];
            int own = pair->failed ? 2 : pair->golden_missing ? 1 : pair->target_missing ? 0 : 3;
            if (own == kind && pair_facts_same_step(pair, &view->pairs[view->origin]))
                ranks[count++] = pair->rank;
        }
        if (count)
            strbuf_printf(&text, tr("%s%s: ranks " STR_FMT), text.size ? "; " : "", tr(words[kind]),
                          STR_ARG(rank_ranges(ranks, count, 6, scratch)));
    }
    return strbuf_str(&text);
}

static void draw_field(Field *field, Scene *out, Str *data, Arena *scratch)
{
    Arena *arena = field->arena;
    Str way = hops_text(field, arena);
    FieldHop hops[HOPS_MOST];
    size_t *place_of = ARENA_ARRAY(scratch, size_t, field->rows);
    RankField drawn = {.trails = field->trails,
                       .clock = &field->clock,
                       .row_count = field->rows,
                       .hops = hops,
                       .hop_count = field->hop_count,
                       .calm = tr("within tolerance"),
                       .worst = tr("NaN, ≠ or no partner")};
    make_rows(field, &drawn);
    rank_field_group(&drawn, arena, place_of);
    make_hops(field, place_of, hops);
    scene_init(out, arena, "field", PAGE_WIDTH);
    section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Ranks × execution order")),
                    text_fit(way, SIZE_TEXT, 400, 900, arena));
    out->height = rank_field_draw(out, &drawn, 36) + 8;
    Str absent = absent_text(field, scratch);
    if (absent.size) {
        row_text(out, PAGE_MARGIN, out->height, ANCHOR_START, absent);
        out->height += 16;
    }
    out->description = way;
    out->caption =
        str_of(tr("Ranks × execution order, clocks set even where ranks communicate: the "
                  "colour is the error of an op; white: the rank waits"));
    *data = rank_field_text(&drawn, arena);
}

bool field_picture(const FieldView *view, Arena *arena, Scene *out, Str *data)
{
    Field field = {.view = view, .arena = arena};
    if (view->origin == SIZE_MAX)
        return false;
    Arena *scratch = arena_new();
    collect_rows(&field, scratch);
    bool drawn = field.rows >= FIELD_RANKS && rows_differ(&field);
    if (drawn) {
        comm_ties_build(field.trails, field.rows, scratch, &field.ties);
        comm_clock_run(&field.ties, scratch, &field.clock);
        find_hops(&field, scratch);
        draw_field(&field, out, data, scratch);
    }
    arena_release(scratch);
    return drawn;
}
