// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/check_picture.h"

#include <math.h>

#include "base/words.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"

enum {
    CHIP_X = PAGE_MARGIN,
    NAME_X = PAGE_MARGIN + 24,
    NAME_ROOM = 140,
    CELLS_X = NAME_X + NAME_ROOM + 8,
    CELLS_ROOM = 280,
    CELLS_MAX = 70,
    COUNT_ROOM = 84,
    TEXT_GAP = 20,
    ROW = 26,
    CELL = 15
};

static const Status status_of[LAW_STATES] = {[LAW_HOLDS] = STATUS_PASS,
                                             [LAW_BROKEN] = STATUS_ERROR,
                                             [LAW_UNKNOWN] = STATUS_NO_DATA,
                                             [LAW_SKIPPED] = STATUS_UNMATCHED};

static size_t cell_count(size_t dumps)
{
    return dumps < CELLS_MAX ? dumps : CELLS_MAX;
}

static double cell_pitch(size_t cells)
{
    double pitch = CELLS_ROOM / (double)(cells ? cells : 1);
    return pitch > CELL + 3 ? CELL + 3 : pitch;
}

// The worst mark of the dumps that a cell stands for.
static GridCell cell_of(const CheckView *view, const LawResult *law, size_t cell, size_t cells,
                        Arena *arena)
{
    size_t from = cell * view->evidence->count / cells;
    size_t end = (cell + 1) * view->evidence->count / cells, worst = from;
    for (size_t i = from; i < end; i++)
        if (law->marks[i] > law->marks[worst])
            worst = i;
    if (law->marks[worst] == MARK_NONE)
        return (GridCell){.fill = ROLE_NONE, .edge = ROLE_HAIR, .edge_width = 1};
    static const Status looks[] = {
        [MARK_HOLDS] = STATUS_PASS, [MARK_OPEN] = STATUS_NO_DATA, [MARK_BROKEN] = STATUS_ERROR};
    GridCell out = grid_box(looks[law->marks[worst]], false);
    const RankWitness *rank = &view->evidence->ranks[worst];
    out.title =
        str_printf(arena, tr("step %lld, rank %lld"), (long long)rank->step, (long long)rank->rank);
    return out;
}

static Str law_text(const LawResult *law, Arena *arena)
{
    if (law->state == LAW_HOLDS && !law->open)
        return str_of(tr(law->texts.holds));
    if (law->state != LAW_BROKEN)
        return law->why;
    const LawBreak *first = &law->breaks[0];
    return str_printf(arena, STR_FMT ": " STR_FMT "%s" STR_FMT, STR_ARG(check_place(first, arena)),
                      STR_ARG(first->what), first->what.size ? ", " : "", STR_ARG(first->text));
}

static double draw_law(Scene *scene, const CheckView *view, const LawResult *law, double y)
{
    size_t cells = cell_count(view->evidence->count);
    double pitch = cell_pitch(cells);
    double count_x = CELLS_X + pitch * (double)cells + COUNT_ROOM, text_x = count_x + TEXT_GAP;
    Role ink = law->state == LAW_BROKEN ? ROLE_INK : ROLE_INK2;
    GridCell row[CELLS_MAX];
    for (size_t i = 0; i < cells; i++)
        row[i] = cell_of(view, law, i, cells, scene->arena);
    Grid grid = {.label_x = NAME_X,
                 .label_room = NAME_ROOM,
                 .label_size = SIZE_STRONG,
                 .left = CELLS_X,
                 .pitch = pitch,
                 .gap = pitch > 6 ? 3 : 1,
                 .height = CELL,
                 .row = ROW,
                 .total_x = count_x};
    GridRow line = {.label = str_of(law->law->name),
                    .title = str_of(tr(law->texts.holds)),
                    .weight = law->state == LAW_BROKEN ? 600 : 400,
                    .role = ink,
                    .cells = row,
                    .count = cells,
                    .total = figure_count_or_dot(law->checked, scene->arena)};
    chip_draw(scene, CHIP_X, y, CELL, status_of[law->state], false);
    fitted_text(scene, text_x, grid_base(&grid, y), SIZE_TEXT, 400, ink,
                PAGE_WIDTH - PAGE_MARGIN - text_x, law_text(law, scene->arena));
    double next = grid_row(scene, &grid, &line, y);
    grid_end(scene, &grid);
    return next;
}

// "0·1" above the cells: step and rank of the first dump of each, or of every so many as have room.
static double draw_heads(Scene *scene, const CheckView *view, double y)
{
    size_t cells = cell_count(view->evidence->count);
    double pitch = cell_pitch(cells), widest = 0;
    Str heads[CELLS_MAX];
    for (size_t i = 0; i < cells; i++) {
        const RankWitness *rank = &view->evidence->ranks[i * view->evidence->count / cells];
        heads[i] =
            str_printf(scene->arena, "%lld·%lld", (long long)rank->step, (long long)rank->rank);
        widest = fmax(widest, text_width(heads[i], SIZE_TINY, 400));
    }
    for (size_t i = 0, every = (size_t)ceil((widest + 1) / pitch); i < cells; i += every)
        scene_text(scene, CELLS_X + pitch * (double)i + (pitch - 3) / 2, y, SIZE_TINY, 400,
                   ANCHOR_MIDDLE, ROLE_INK2, heads[i]);
    scene_text(scene, CELLS_X - 4 - widest / 2, y, SIZE_TINY, 400, ANCHOR_END, ROLE_INK2,
               str_of(tr("step·rank")));
    return y + 8;
}

// Those that cannot be checked here: their names alone, over as many lines as they take; why is in
// the table of the page.
static double draw_unchecked(Scene *scene, const CheckView *view, LawState state, double y)
{
    double width = PAGE_WIDTH - PAGE_MARGIN - NAME_X;
    size_t count = 0;
    for (size_t i = 0; i < view->results->count; i++)
        count += view->results->items[i].state == state;
    if (!count)
        return y;
    chip_draw(scene, CHIP_X, y, CELL, status_of[state], false);
    Str line = str_printf(scene->arena, "%zu %s:", count, tr(law_state_word(state)));
    for (size_t i = 0, left = count; i < view->results->count; i++) {
        if (view->results->items[i].state != state)
            continue;
        const char *name = view->results->items[i].law->name, *gap = --left ? "," : "";
        Str longer = str_printf(scene->arena, STR_FMT " %s%s", STR_ARG(line), name, gap);
        if (text_width(longer, SIZE_TEXT, 400) > width) {
            row_text(scene, NAME_X, y + 12, ANCHOR_START, line);
            y += ROW;
            longer = str_printf(scene->arena, "%s%s", name, gap);
        }
        line = longer;
    }
    row_text(scene, NAME_X, y + 12, ANCHOR_START, line);
    return y + ROW;
}

// Of the states that some invariant is in.
static void draw_key(Scene *scene, const CheckView *view, double y)
{
    double x = PAGE_MARGIN;
    for (int i = 0; i < LAW_STATES; i++) {
        bool drawn = false;
        for (size_t k = 0; k < view->results->count; k++)
            drawn = drawn || view->results->items[k].state == (LawState)i;
        if (!drawn)
            continue;
        chip_draw(scene, x, y - 11, 13, status_of[i], false);
        x = key_word(scene, x + 18, y, str_of(tr(law_state_word((LawState)i))));
    }
}

void check_picture(const CheckView *view, Arena *arena, Scene *out)
{
    static const LawState order[] = {LAW_BROKEN, LAW_HOLDS};
    scene_init(out, arena, "invariants", PAGE_WIDTH);
    double y = 26;
    section_heading(out, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("Invariants")),
                    str_of(tr("a cell for each dump, by step and rank; how much was compared")));
    y += 24;
    Str layout =
        str_printf(arena, "%s: " STR_FMT,
                   view->evidence->layout->given ? tr("layout, as stated") : tr("layout, found"),
                   STR_ARG(view->evidence->layout->text));
    fitted_text(out, PAGE_MARGIN, y, SIZE_TEXT, 400, ROLE_INK2, PAGE_WIDTH - 2 * PAGE_MARGIN,
                layout);
    y = draw_heads(out, view, y + 20);
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < view->results->count; i++)
            if (view->results->items[i].state == order[k])
                y = draw_law(out, view, &view->results->items[i], y);
    y = draw_unchecked(out, view, LAW_UNKNOWN, y + 6);
    y = draw_unchecked(out, view, LAW_SKIPPED, y);
    y += 20;
    draw_key(out, view, y);
    out->height = y + 20;
    out->description = str_of(tr("what must hold in a run, and whether it does"));
}
