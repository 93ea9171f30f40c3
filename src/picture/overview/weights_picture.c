// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/weights_picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "verdict/figure_text.h"
#include "verdict/verdict_text.h"

enum {
    NAME_RIGHT = 430,
    LEFT = 446,
    RIGHT = 1040,
    ROW = 20,
    CELL = 15,
    ROWS_MAX = 48,
    COLUMNS_MAX = 148  // 4 px each
};

// The scale: 1e-7 is one rounding of fp32, 1 as large as the weight itself.
enum { LOW_EXPONENT = -7 };

// What a cell says; later ones hide earlier ones.
typedef enum Look {
    LOOK_NONE,
    LOOK_SAME,
    LOOK_ROUNDED,
    LOOK_ERROR,
    LOOK_NAN,
    LOOK_ALONE,
    LOOK_COUNT
} Look;

typedef struct Mark {
    Look look;
    double error;   // of LOOK_ERROR
    uint32_t item;  // that gives it
} Mark;

typedef struct Kind {
    Str label;
    bool layered;
    Mark worst;
    Mark *cells;  // by column, of those that are drawn
} Kind;

typedef struct Map {
    const WeightComparison *comparison;
    Arena *arena;
    struct Kinds {
        Kind *items;
        size_t count, capacity;
    } kinds;
    uint32_t *kind_of;  // by item
    int64_t *layer_of;  // by item; -1: of no layer
    int64_t first, last;
    size_t columns;
    bool drawn[LOOK_COUNT];
} Map;

static Str name_of_item(const WeightComparison *comparison, const WeightResult *result)
{
    bool golden = result->pair.golden != WEIGHT_NONE;
    return golden ? comparison->golden->items[result->pair.golden].name
                  : comparison->target->items[result->pair.target].name;
}

// The name with every number that is a whole part replaced; the first of them is the layer.
static Str kind_text(Str name, Arena *arena, int64_t *layer)
{
    StrBuf text;
    Str rest = name, part;
    text = strbuf_new(arena);
    *layer = -1;
    for (bool first = true; str_split(&rest, '.', &part); first = false) {
        int64_t number;
        bool numeric = part.size && part.data[0] >= '0' && part.data[0] <= '9' &&
                       str_to_int64(part, &number) && number <= INT32_MAX;
        if (numeric && *layer < 0)
            *layer = number;
        strbuf_printf(&text, "%s" STR_FMT, first ? "" : ".", STR_ARG(numeric ? STR("*") : part));
    }
    return strbuf_str(&text);
}

static Mark mark_of(const WeightResult *result, uint32_t item)
{
    static const Look looks[STATUS_COUNT] = {[STATUS_SAME] = LOOK_SAME,
                                             [STATUS_PASS] = LOOK_ROUNDED,
                                             [STATUS_ERROR] = LOOK_ERROR,
                                             [STATUS_UNMATCHED] = LOOK_ALONE,
                                             [STATUS_NO_DATA] = LOOK_ALONE};
    Mark mark = {looks[result->status], result->metrics.norm_error, item};
    if (result->pair.forms & WEIGHT_RESHAPED)
        mark.look = LOOK_ALONE;
    else if (mark.look == LOOK_ERROR &&
             (result->metrics.nonfinite_mismatch || !isfinite(mark.error)))
        mark.look = LOOK_NAN;
    if (mark.look != LOOK_ERROR)
        mark.error = 0;
    return mark;
}

static bool is_worse(const Mark *a, const Mark *b)
{
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a place in a map that has cells
    return a->look != b->look ? a->look > b->look : a->error > b->error;
}

static void take_worse(Mark *kept, const Mark *mark)
{
    if (is_worse(mark, kept))
        *kept = *mark;
}

static void find_kinds(Map *map)
{
    const WeightComparison *comparison = map->comparison;
    Names *names = names_new(map->arena);
    map->kind_of = ARENA_ARRAY(map->arena, uint32_t, comparison->count);
    map->layer_of = ARENA_ARRAY(map->arena, int64_t, comparison->count);
    map->first = INT64_MAX;
    for (size_t i = 0; i < comparison->count; i++) {
        const WeightResult *result = &comparison->items[i];
        Str text = kind_text(name_of_item(comparison, result), map->arena, &map->layer_of[i]);
        NameId id = names_add(names, text);
        if (id > map->kinds.count)
            *ARRAY_PUSH(map->arena, &map->kinds) =
                (Kind){.label = names_text(names, id), .layered = map->layer_of[i] >= 0};
        map->kind_of[i] = id - 1;
        Mark mark = mark_of(result, (uint32_t)i);
        take_worse(&map->kinds.items[id - 1].worst, &mark);
        if (map->layer_of[i] < 0)
            continue;
        map->first = map->layer_of[i] < map->first ? map->layer_of[i] : map->first;
        map->last = map->layer_of[i] > map->last ? map->layer_of[i] : map->last;
    }
}

static int worse_first(const void *a, const void *b)
{
    const Mark *left = &(*(const Kind *const *)a)->worst,
               *right = &(*(const Kind *const *)b)->worst;
    if (is_worse(left, right))
        return -1;
    if (is_worse(right, left))
        return 1;
    return (left->item > right->item) - (left->item < right->item);
}

// Which kinds are drawn, by cells that they have; in the order of the names.
static size_t choose_kinds(Map *map)
{
    size_t count = map->kinds.count;
    Kind **order = ARENA_ARRAY(map->arena, Kind *, count);
    for (size_t i = 0; i < count; i++)
        order[i] = &map->kinds.items[i];
    if (count > ROWS_MAX)
        qsort(order, count, sizeof *order, worse_first);
    count = count < ROWS_MAX ? count : ROWS_MAX;
    for (size_t i = 0; i < count; i++)
        order[i]->cells = ARENA_ARRAY(map->arena, Mark, map->columns);
    return count;
}

static size_t column_of(const Map *map, int64_t layer)
{
    int64_t span = map->last - map->first + 1;
    if ((size_t)span == map->columns)
        return (size_t)(layer - map->first);
    return (size_t)((double)(layer - map->first) / (double)span * (double)map->columns);
}

static void fill_cells(Map *map)
{
    const WeightComparison *comparison = map->comparison;
    for (size_t i = 0; i < comparison->count; i++) {
        Kind *kind = &map->kinds.items[map->kind_of[i]];
        Mark mark = mark_of(&comparison->items[i], (uint32_t)i);
        if (kind->cells)
            take_worse(&kind->cells[kind->layered ? column_of(map, map->layer_of[i]) : 0], &mark);
    }
}

// ---- drawing

static GridCell look_of(const Mark *mark)
{
    static const Role fills[] = {[LOOK_NONE] = ROLE_NONE,
                                 [LOOK_SAME] = ROLE_SAME_FILL,
                                 [LOOK_ROUNDED] = ROLE_PASS_FILL,
                                 [LOOK_NAN] = ROLE_NAN,
                                 [LOOK_ALONE] = ROLE_UNMATCHED_FILL};
    return (GridCell){.fill = mark->look == LOOK_ERROR ? grid_heat(mark->error, LOW_EXPONENT, 0)
                                                       : fills[mark->look],
                      .hatch = mark->look == LOOK_ALONE};
}

static Str mark_text(const Map *map, const Mark *mark)
{
    switch (mark->look) {
    case LOOK_SAME:
        return str_of(tr("equal"));
    case LOOK_ROUNDED:
        return str_of(tr("equal but for rounding"));
    case LOOK_NAN:
        return str_of(tr("NaN or Inf"));
    case LOOK_ALONE:
        return str_of(tr("not comparable"));
    default:
        return verdict_number(mark->error, map->arena);
    }
}

static GridCell cell_of(Map *map, const Mark *mark)
{
    GridCell cell = look_of(mark);
    if (mark->look == LOOK_NONE)
        return cell;
    map->drawn[mark->look] = true;
    if (mark->look == LOOK_ERROR)
        cell.number = verdict_number(mark->error, map->arena);
    Str name = name_of_item(map->comparison, &map->comparison->items[mark->item]);
    cell.title =
        str_printf(map->arena, STR_FMT ": " STR_FMT, STR_ARG(name), STR_ARG(mark_text(map, mark)));
    return cell;
}

static double draw_kind(Scene *scene, Map *map, Grid *grid, const Kind *kind, double y)
{
    size_t count = kind->layered ? map->columns : 1;
    GridCell *cells = ARENA_ARRAY(map->arena, GridCell, count);
    for (size_t i = 0; i < count; i++)
        cells[i] = cell_of(map, &kind->cells[i]);
    cells[0].columns = kind->layered ? 1 : map->columns;
    GridRow row = {.label = kind->label,
                   .title = kind->label,
                   .weight = kind->worst.look >= LOOK_ERROR ? 700 : 400,
                   .role = ROLE_INK,
                   .cells = cells,
                   .count = count,
                   .total = mark_text(map, &kind->worst)};
    return grid_row(scene, grid, &row, y);
}

static Str layer_label(const void *of, size_t column, Arena *arena)
{
    const Map *map = of;
    double span = (double)(map->last - map->first + 1);
    int64_t layer = map->first + (int64_t)((double)column / (double)map->columns * span);
    return str_printf(arena, "%lld", (long long)layer);
}

static double draw_key_item(Scene *scene, const Map *map, Look look, double x, double y)
{
    Mark mark = {.look = look};
    GridCell cell = look_of(&mark);
    grid_cell(scene, &cell, x, y - 11, 13, CELL, 0);
    return key_word(scene, x + 19, y, mark_text(map, &mark));
}

static void draw_key(Scene *scene, const Map *map, double y)
{
    double x = LEFT;
    if (map->drawn[LOOK_ERROR])
        x = grid_heat_key(scene, x, y, LOW_EXPONENT, 0);
    for (Look look = LOOK_SAME; look < LOOK_COUNT; look++)
        if (map->drawn[look] && look != LOOK_ERROR)
            x = draw_key_item(scene, map, look, x, y);
}

static void draw_map(Scene *scene, Map *map, size_t chosen, double y)
{
    double pitch = (double)(RIGHT - LEFT) / (double)map->columns;
    Grid grid = {.anchor = ANCHOR_END,
                 .label_x = NAME_RIGHT,
                 .label_room = NAME_RIGHT - PAGE_MARGIN,
                 .label_size = SIZE_TEXT,
                 .left = LEFT,
                 .pitch = pitch,
                 .gap = pitch > 6 ? 1 : 0,
                 .height = CELL,
                 .row = ROW,
                 .total_x = PAGE_WIDTH - PAGE_MARGIN};
    for (size_t i = 0; i < map->kinds.count; i++)
        if (map->kinds.items[i].cells)
            y = draw_kind(scene, map, &grid, &map->kinds.items[i], y);
    grid_end(scene, &grid);
    y += 10;
    if (map->last >= map->first) {
        grid_ticks(scene, LEFT, pitch, map->columns, y, layer_label, map);
        scene_text(scene, NAME_RIGHT, y, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3,
                   str_of(tr("layer")));
        y += 26;
    }
    draw_key(scene, map, y);
    y += map->drawn[LOOK_ERROR] ? 12 : 0;
    if (chosen < map->kinds.count) {
        y += 20;
        scene_text(scene, LEFT, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3,
                   str_printf(map->arena, tr("the %zu kinds that differ most of %zu"), chosen,
                              map->kinds.count));
    }
    scene->height = y + 16;
}

bool weights_picture(const WeightComparison *comparison, Arena *arena, Scene *out)
{
    Map map = {.comparison = comparison, .arena = arena};
    if (comparison->count == 0)
        return false;
    find_kinds(&map);
    int64_t span = map.last >= map.first ? map.last - map.first + 1 : 1;
    map.columns = span < COLUMNS_MAX ? (size_t)span : COLUMNS_MAX;
    size_t chosen = choose_kinds(&map);
    fill_cells(&map);
    scene_init(out, arena, "weights", PAGE_WIDTH);
    section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Weights by kind and layer")),
                    str_of(tr("norm of the difference, relative to golden's norm; one rounding: "
                              "float32 6e-08, float16 5e-04, bfloat16 4e-03")));
    scene_text(out, PAGE_WIDTH - PAGE_MARGIN, 26, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3,
               str_of(tr("worst")));
    draw_map(out, &map, chosen, 42);
    return true;
}
