// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/locate_picture.h"

#include "base/words.h"
#include "compare/op_profile.h"
#include "picture/compare/node_name.h"
#include "picture/kit/page.h"
#include "picture/overview/rank_field.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum { NUMBERED = 9 };  // origins with a disc

typedef struct Picture {
    Scene *scene;
    const Locate *result;
    double y;
} Picture;

// "all_reduce.5" of "Distributed.all_reduce.5"
static Str short_name(Str name)
{
    size_t dot = str_find_char(name, '.', 0);
    return dot == SIZE_MAX ? name : str_slice(name, dot + 1, name.size);
}

static Str fate_text(const Locate *result, const RankFate *fate, Arena *arena)
{
    if (fate->trail->failed)
        return str_of(tr("not readable"));
    if (fate->position == 0)
        return str_of(tr("finite"));
    if (fate->origin != SIZE_MAX)
        return str_printf(arena, tr("starts here, #%u " STR_FMT), fate->position,
                          STR_ARG(name_loose(fate->trail->first.op, arena).local));
    if (fate->spread == SIZE_MAX)
        return str_printf(arena, "#%u", fate->position);
    const Spread *spread = &result->spreads[fate->spread];
    return str_printf(arena, tr("from rank %lld through " STR_FMT), (long long)spread->from_rank,
                      STR_ARG(short_name(spread->through)));
}

// What is healthy counts as finite.
static Str letters_of(const Trail *trail, Arena *arena)
{
    StrBuf letters = strbuf_new(arena);
    for (uint32_t i = 0; i < trail->op_count && !trail->failed; i++) {
        bool bad = trail->marks && trail->marks[i] >= TRAIL_INF;
        strbuf_add_char(&letters, (char)(bad ? PROFILE_WORST : PROFILE_CALM));
    }
    return strbuf_str(&letters);
}

static FieldRow row_of(const Locate *result, size_t rank, Arena *arena)
{
    const RankFate *fate = &result->ranks[rank];
    bool starts = fate->origin != SIZE_MAX;
    return (FieldRow){.trail = rank,
                      .letters = letters_of(fate->trail, arena),
                      .start = starts ? fate->position : 0,
                      .disc = starts && fate->origin < NUMBERED ? (int)fate->origin + 1 : 0,
                      .arrival = starts ? 0 : fate->position,
                      .note = fate_text(result, fate, arena)};
}

static size_t row_with(const Trail *trails, size_t count, const size_t *place_of, int64_t rank)
{
    size_t at = rank_field_trail(trails, count, rank);
    return at == SIZE_MAX ? SIZE_MAX : place_of[at];
}

static FieldHop hop_of(const Locate *result, size_t index, const Trail *trails,
                       const size_t *place_of)
{
    const Spread *spread = &result->spreads[index];
    FieldHop hop = {.label = short_name(spread->through),
                    .time = spread->time,
                    .from = row_with(trails, result->rank_count, place_of, spread->from_rank),
                    .first = SIZE_MAX};
    for (size_t i = 0; i < spread->to_count; i++) {
        size_t row = row_with(trails, result->rank_count, place_of, spread->to_ranks[i]);
        if (row == SIZE_MAX)
            continue;
        hop.first = row < hop.first ? row : hop.first;
        hop.last = row > hop.last ? row : hop.last;
    }
    for (size_t i = index; i-- > 0 && result->spreads[i].time == spread->time;)
        if (str_equal(result->spreads[i].through, spread->through))
            hop.label = STR("");  // written once
    return hop;
}

static void draw_field(Picture *picture)
{
    const Locate *result = picture->result;
    Arena *arena = picture->scene->arena;
    size_t count = result->rank_count;
    Trail *trails = ARENA_ARRAY(arena, Trail, count);
    size_t *place_of = ARENA_ARRAY(arena, size_t, count);
    FieldHop *hops = ARENA_ARRAY(arena, FieldHop, result->spread_count);
    RankField field = {.trails = trails,
                       .clock = &result->clock,
                       .rows = ARENA_ARRAY(arena, FieldRow, count),
                       .row_count = count,
                       .hops = hops,
                       .hop_count = result->spread_count,
                       .calm = tr("finite"),
                       .worst = tr("NaN or Inf")};
    for (size_t i = 0; i < count; i++) {
        trails[i] = *result->ranks[i].trail;
        field.rows[i] = row_of(result, i, arena);
    }
    rank_field_group(&field, arena, place_of);
    for (size_t i = 0; i < result->spread_count; i++)
        hops[i] = hop_of(result, i, trails, place_of);
    picture->y = rank_field_draw(picture->scene, &field, picture->y + 4);
}

void locate_picture(const Locate *result, Str path, Arena *arena, Scene *out)
{
    scene_init(out, arena, "locate", PAGE_WIDTH);
    out->description = str_printf(arena, tr("dump: %s"), str_cstr(arena, path));
    Picture picture = {.scene = out, .result = result};
    Str note = str_printf(arena,
                          tr(STR_FMT "; one tick an op, the ranks' clocks set even where they "
                                     "communicate"),
                          STR_ARG(place_step_text(result->step, result->stage, arena)));
    section_heading(out, PAGE_MARGIN, picture.y + 26, SIZE_HEADING,
                    str_of(tr("Ranks × execution order")), note);
    picture.y += 36;
    if (result->rank_count)
        draw_field(&picture);
    if (result->no_communication && result->origin_count) {
        picture.y += 31;
        row_text(out, PAGE_MARGIN, picture.y, ANCHOR_START,
                 str_of(tr("No dump records a communication (level L0 does not), so how it spread "
                           "is not known.")));
    }
    out->height = picture.y + 24;
}
