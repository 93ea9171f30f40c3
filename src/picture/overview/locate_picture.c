// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/locate_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/compare/node_name.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LABEL_WIDTH = 96,
    FATE_WIDTH = 250,
    FOLD_FROM = 64,  // ranks
    MAX_ROWS = 160,
    LANES = 3,  // of labels above the tracks
    LANE_HEIGHT = 15,
    MAX_LISTED = 12,
    RANGES = 8,
    NUMBERED = 9,  // origins with a disc
};

// Ranks of one fate that share a track.
typedef struct Row {
    size_t first, count;  // in Locate.ranks
    double y;             // middle of the track
} Row;

typedef struct Picture {
    Scene *scene;
    const Locate *result;
    Row *rows;
    size_t row_count, ranks_cut;
    double left, right, pitch, bar;  // of the tracks; distance and height of the rows
    double y;
} Picture;

static bool same_fate(const RankFate *a, const RankFate *b)
{
    return a->origin == SIZE_MAX && b->origin == SIZE_MAX && a->spread == b->spread &&
           a->trail->failed == b->trail->failed && (a->position == 0) == (b->position == 0);
}

static void plan_rows(Picture *picture)
{
    const Locate *result = picture->result;
    bool fold = result->rank_count > FOLD_FROM;
    picture->rows = ARENA_ARRAY(picture->scene->arena, Row, result->rank_count);
    for (size_t i = 0; i < result->rank_count; i++) {
        Row *last = picture->row_count ? &picture->rows[picture->row_count - 1] : NULL;
        if (fold && last && same_fate(&result->ranks[last->first], &result->ranks[i])) {
            last->count++;
            continue;
        }
        if (picture->row_count == MAX_ROWS) {
            picture->ranks_cut = result->rank_count - i;
            break;
        }
        picture->rows[picture->row_count++] = (Row){.first = i, .count = 1};
    }
    picture->pitch = picture->row_count <= 16 ? 26 : picture->row_count <= FOLD_FROM ? 19 : 15;
    picture->bar = picture->row_count <= 16 ? 10 : 7;
}

static double x_at(const Picture *picture, uint64_t time)
{
    double end = (double)picture->result->clock.end;
    double share = end > 0 ? ((double)time - 0.5) / end : 0;
    return picture->left + share * (picture->right - picture->left);
}

static double x_of(const Picture *picture, const RankFate *fate, uint32_t position)
{
    size_t rank = (size_t)(fate - picture->result->ranks);
    return x_at(picture, comm_clock_at(&picture->result->clock, fate->trail, rank, position));
}

static const Row *row_of(const Picture *picture, int64_t rank)
{
    for (size_t i = 0; i < picture->row_count; i++)
        for (size_t k = 0; k < picture->rows[i].count; k++)
            if (picture->result->ranks[picture->rows[i].first + k].trail->rank == rank)
                return &picture->rows[i];
    return NULL;
}

static const RankFate *fate_of(const Picture *picture, const Row *row)
{
    return &picture->result->ranks[row->first];
}

// "all_reduce.5" of "Distributed.all_reduce.5"
static Str short_name(Str name)
{
    size_t dot = str_find_char(name, '.', 0);
    return dot == SIZE_MAX ? name : str_slice(name, dot + 1, name.size);
}

static Str fate_text(const Picture *picture, const RankFate *fate)
{
    Arena *arena = picture->scene->arena;
    if (fate->trail->failed)
        return str_of(tr("not readable"));
    if (fate->position == 0)
        return str_of(tr("finite"));
    if (fate->origin != SIZE_MAX)
        return str_printf(arena, tr("born here, #%u " STR_FMT), fate->position,
                          STR_ARG(name_loose(fate->trail->first.op, arena).local));
    if (fate->spread == SIZE_MAX)
        return str_printf(arena, "#%u", fate->position);
    const Spread *spread = &picture->result->spreads[fate->spread];
    return str_printf(arena, tr("from rank %lld through " STR_FMT), (long long)spread->from_rank,
                      STR_ARG(short_name(spread->through)));
}

static Str row_label(const Picture *picture, const Row *row)
{
    Arena *arena = picture->scene->arena;
    long long first = (long long)fate_of(picture, row)->trail->rank;
    if (row->count == 1)
        return str_printf(arena, tr("rank %lld"), first);
    long long last = (long long)picture->result->ranks[row->first + row->count - 1].trail->rank;
    return str_printf(arena, tr("ranks %lld–%lld"), first, last);
}

static bool is_healthy(uint8_t mark)
{
    return mark == TRAIL_HEALTHY || mark == TRAIL_HARMLESS;
}

// Ops with healthy infinities as small ticks under the track.
static void draw_healthy(const Picture *picture, const Row *row)
{
    const RankFate *fate = fate_of(picture, row);
    const Trail *trail = fate->trail;
    Arena *scratch = arena_new();
    PathSteps steps = {0};
    double last = -HUGE_VAL, apart = picture->row_count > 16 ? 24 : 8;
    double y = row->y + picture->bar / 2;
    for (uint32_t i = 0; trail->marks && i < trail->op_count; i++) {
        double x = x_of(picture, fate, i + 1);
        if (!is_healthy(trail->marks[i]) || x - last < apart)
            continue;
        last = x;
        steps_line(&steps, scratch, x, y, x, y + 3);
    }
    if (steps.count)
        scene_path(picture->scene, steps.items, steps.count, ROLE_NONE, ROLE_INK3);
    arena_release(scratch);
}

static bool has_healthy(const Trail *trail)
{
    for (uint32_t i = 0; trail->marks && i < trail->op_count; i++)
        if (is_healthy(trail->marks[i]))
            return true;
    return false;
}

// Where the first value that is not finite stands, or the row ends.
static double finite_end(const Picture *picture, const RankFate *fate)
{
    return fate->position ? x_of(picture, fate, fate->position)
                          : x_of(picture, fate, fate->trail->op_count) + 1;
}

static void draw_track(const Picture *picture, const Row *row)
{
    Scene *scene = picture->scene;
    const RankFate *fate = fate_of(picture, row);
    double top = row->y - picture->bar / 2, end = x_of(picture, fate, fate->trail->op_count) + 1;
    if (fate->trail->failed) {
        Item *box = scene_box(scene, picture->left, top, picture->right - picture->left,
                              picture->bar, ROLE_UNMATCHED_FILL, ROLE_UNMATCHED_EDGE);
        box->as.box.hatch = true;
        return;
    }
    double turn = finite_end(picture, fate);
    if (turn > picture->left)
        scene_box(scene, picture->left, top, turn - picture->left, picture->bar, ROLE_PASS_FILL,
                  ROLE_PASS_EDGE);
    if (fate->position && end > turn)
        scene_box(scene, turn, top, end - turn, picture->bar, ROLE_ERROR_TINT, ROLE_ERROR_TEDGE);
    draw_healthy(picture, row);
}

static void draw_row_words(const Picture *picture, const Row *row)
{
    Scene *scene = picture->scene;
    const RankFate *fate = fate_of(picture, row);
    bool origin = fate->origin != SIZE_MAX;
    float size = picture->pitch < 18 ? SIZE_TINY : SIZE_TEXT;
    int weight = origin ? 700 : 400;
    double y = row->y + size * 0.36;
    scene_text(scene, PAGE_MARGIN, y, size, weight, ANCHOR_START, ROLE_INK,
               text_fit(row_label(picture, row), size, weight, LABEL_WIDTH - 8, scene->arena));
    Str text = fate_text(picture, fate);
    Item *item = scene_text(scene, picture->right + 16, y, size, weight, ANCHOR_START,
                            fate->position ? ROLE_ERROR_TEXT : ROLE_INK2,
                            text_fit(text, size, weight, FATE_WIDTH - 16, scene->arena));
    if (fate->position)
        scene_title(scene, item, STR_FMT, STR_ARG(fate->trail->first.op));
}

static void draw_head(const Picture *picture, double x, double y, double dx, double dy)
{
    double length = hypot(dx, dy);
    if (length == 0)
        return;
    dx /= length;
    dy /= length;
    PathStep steps[4] = {{.verb = PATH_MOVE, .x = x, .y = y},
                         {.verb = PATH_LINE, .x = x - 6 * dx + 3 * dy, .y = y - 6 * dy - 3 * dx},
                         {.verb = PATH_LINE, .x = x - 6 * dx - 3 * dy, .y = y - 6 * dy + 3 * dx},
                         {.verb = PATH_CLOSE, .x = x, .y = y}};
    scene_path(picture->scene, steps, 4, ROLE_ERROR_EDGE, ROLE_NONE);
}

// From the giving rank to one that got it, on the line of the communication where both did it at
// the same place, else along the receiver's row.
static void draw_arrow(const Picture *picture, const Row *from, const Row *to, double x, bool alone)
{
    Scene *scene = picture->scene;
    double target = x_of(picture, fate_of(picture, to), fate_of(picture, to)->position);
    double down = to->y > from->y ? 1 : -1;
    double stop = to->y - down * (picture->bar / 2 + 1);
    if (alone || fabs(target - x) <= 8) {
        double end = alone ? target : x;
        scene_line(scene, x, from->y, end, stop, ROLE_ERROR_EDGE)->paint.width = 1.3F;
        draw_head(picture, end, stop, end - x, stop - from->y);
        return;
    }
    double side = target > x ? 1 : -1;
    scene_line(scene, x, from->y, x, to->y, ROLE_ERROR_EDGE)->paint.width = 1.3F;
    scene_line(scene, x, to->y, target - side * 5, to->y, ROLE_ERROR_EDGE)->paint.width = 1.3F;
    draw_head(picture, target - side * 4, to->y, side, 0);
}

static void draw_spread(const Picture *picture, size_t index)
{
    const Spread *spread = &picture->result->spreads[index];
    const Row *from = row_of(picture, spread->from_rank);
    double x = x_at(picture, spread->time);
    for (size_t i = 0; from && i < picture->row_count; i++) {
        const Row *to = &picture->rows[i];
        if (to != from && fate_of(picture, to)->spread == index)
            draw_arrow(picture, from, to, x, spread->to_count == 1);
    }
    if (from)
        scene_circle(picture->scene, x, from->y, 3, ROLE_ERROR_EDGE, ROLE_NONE);
}

static void draw_mark(const Picture *picture, const Row *row)
{
    const RankFate *fate = fate_of(picture, row);
    Scene *scene = picture->scene;
    double x = x_of(picture, fate, fate->position);
    if (fate->position == 0)
        return;
    if (fate->origin == SIZE_MAX) {
        mark_draw(scene, x, row->y, 3.2, STATUS_ERROR, true);
        return;
    }
    double size = picture->bar + 4;
    chip_draw(scene, x - size / 2, row->y - size / 2, size, STATUS_ERROR, false);
    if (fate->origin < NUMBERED)
        disc_draw(scene, x - size / 2 - 9, row->y, (int)fate->origin + 1);
    uint32_t nan = fate->trail->nan_position;
    if (nan > fate->position)
        cross_draw(scene, x_of(picture, fate, nan), row->y, 3.5);
}

static bool is_labelled(const Locate *result, size_t index)
{
    const Spread *spread = &result->spreads[index];
    for (size_t i = 0; i < index; i++)
        if (result->spreads[i].time == spread->time &&
            str_equal(result->spreads[i].through, spread->through))
            return true;
    return false;
}

// The names of the communications, each in the first lane where it has room; those without are in
// the list below.
static void draw_lanes(Picture *picture, double top)
{
    const Locate *result = picture->result;
    Scene *scene = picture->scene;
    double ends[LANES] = {0};
    for (size_t i = 0; i < result->spread_count; i++) {
        const Spread *spread = &result->spreads[i];
        Str name = short_name(spread->through);
        double x = x_at(picture, spread->time), width = text_width(name, SIZE_NOTE, 400);
        double start = fmin(x + 4, picture->right - width);
        const Row *from = row_of(picture, spread->from_rank);
        int lane = 0;
        while (lane < LANES && ends[lane] > start - 10)
            lane++;
        if (lane == LANES || !from || is_labelled(result, i))
            continue;
        ends[lane] = start + width;
        double y = top + LANE_HEIGHT * lane + 11;
        Item *line = scene_line(scene, x, y - 8, x, from->y, ROLE_RULE);
        line->paint.dash = line->paint.gap = 2;
        scene_text(scene, start, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK2, name);
    }
}

static void draw_rows(Picture *picture)
{
    double top = picture->y;
    if (picture->result->spread_count)
        picture->y += LANES * LANE_HEIGHT;
    for (size_t i = 0; i < picture->row_count; i++)
        picture->rows[i].y = picture->y + picture->pitch * ((double)i + 0.5);
    draw_lanes(picture, top);
    for (size_t i = 0; i < picture->row_count; i++) {
        draw_track(picture, &picture->rows[i]);
        draw_row_words(picture, &picture->rows[i]);
    }
    for (size_t i = 0; i < picture->result->spread_count; i++)
        draw_spread(picture, i);
    for (size_t i = 0; i < picture->row_count; i++)
        draw_mark(picture, &picture->rows[i]);
    picture->y += picture->pitch * (double)picture->row_count;
}

static void draw_legend(Picture *picture)
{
    Scene *scene = picture->scene;
    double x = picture->left, y = picture->y + 28;
    bool arrived = false, turned = false, finite = false, healthy = false;
    for (size_t i = 0; i < picture->row_count; i++) {
        const RankFate *fate = fate_of(picture, &picture->rows[i]);
        bool born = fate->origin != SIZE_MAX;
        arrived |= fate->position && !born;
        turned |= fate->position && born && fate->trail->nan_position > fate->position;
        finite |= !fate->trail->failed && finite_end(picture, fate) > picture->left + 1;
        healthy |= has_healthy(fate->trail);
    }
    chip_draw(scene, x, y - 10, 13, STATUS_ERROR, false);
    x = key_word(scene, x + 18, y, str_of(tr("born here")));
    if (arrived) {
        mark_draw(scene, x + 5, y - 4, 3.6, STATUS_ERROR, true);
        x = key_word(scene, x + 14, y, str_of(tr("arrived from another rank")));
    }
    if (turned) {
        cross_draw(scene, x + 5, y - 4, 3.5);
        x = key_word(scene, x + 14, y, str_of(tr("Inf becomes NaN")));
    }
    if (finite) {
        scene_box(scene, x, y - 9, 18, 9, ROLE_PASS_FILL, ROLE_PASS_EDGE);
        x = key_word(scene, x + 24, y, str_of(tr("finite")));
    }
    scene_box(scene, x, y - 9, 18, 9, ROLE_ERROR_TINT, ROLE_ERROR_TEDGE);
    x = key_word(scene, x + 24, y, str_of(tr("NaN or Inf about")));
    if (healthy) {
        scene_line(scene, x + 2, y - 8, x + 2, y - 3, ROLE_INK3);
        key_word(scene, x + 9, y, str_of(tr("healthy: masks, unset memory")));
    }
    picture->y = y + 8;
}

static void draw_line(Picture *picture, Role role, int weight, Str text)
{
    Scene *scene = picture->scene;
    picture->y += 19;
    scene_text(scene, PAGE_MARGIN, picture->y, SIZE_TEXT, weight, ANCHOR_START, role,
               text_fit(text, SIZE_TEXT, weight, PAGE_WIDTH - 2 * PAGE_MARGIN, scene->arena));
}

// Every step of the way in words: arrows that cross are hard to follow.
static void draw_list(Picture *picture)
{
    const Locate *result = picture->result;
    Arena *arena = picture->scene->arena;
    picture->y += 12;
    for (size_t i = 0; i < result->spread_count && i < MAX_LISTED; i++) {
        const Spread *spread = &result->spreads[i];
        Str ranks = rank_ranges(spread->to_ranks, spread->to_count, RANGES, arena);
        const char *to = spread->to_count == 1 ? tr("rank") : tr("ranks");
        draw_line(picture, ROLE_INK, 400,
                  str_printf(arena, tr("hop %u: " STR_FMT " from rank %lld (#%u) to %s " STR_FMT),
                             spread->hop, STR_ARG(spread->through), (long long)spread->from_rank,
                             spread->from_position, to, STR_ARG(ranks)));
    }
    if (result->spread_count > MAX_LISTED)
        draw_line(picture, ROLE_INK2, 400,
                  str_printf(arena, tr("… and %zu more"), result->spread_count - MAX_LISTED));
    if (picture->ranks_cut)
        draw_line(
            picture, ROLE_INK2, 400,
            str_printf(arena,
                       tr_count(picture->ranks_cut, "%zu rank left out", "%zu ranks left out"),
                       picture->ranks_cut));
    if (result->no_communication && result->origin_count)
        draw_line(picture, ROLE_INK2, 400,
                  str_of(tr("No dump records a communication (level L0 does not), so how it spread "
                            "cannot be told.")));
    picture->y += 24;
}

void locate_picture(const Locate *result, Str path, Arena *arena, Scene *out)
{
    scene_init(out, arena, "locate", PAGE_WIDTH);
    out->description = str_printf(arena, tr("dump: %s"), str_cstr(arena, path));
    Picture picture = {.scene = out,
                       .result = result,
                       .left = PAGE_MARGIN + LABEL_WIDTH,
                       .right = PAGE_WIDTH - PAGE_MARGIN - FATE_WIDTH};
    plan_rows(&picture);
    Str note = str_printf(arena,
                          tr(STR_FMT "; one tick an op, the ranks' clocks set even where they "
                                     "communicate"),
                          STR_ARG(place_step_text(result->step, result->stage, arena)));
    section_heading(out, PAGE_MARGIN, picture.y + 26, SIZE_HEADING,
                    str_of(tr("Ranks × execution order")), note);
    picture.y += 44;
    draw_rows(&picture);
    draw_legend(&picture);
    draw_list(&picture);
    out->height = picture.y;
}
