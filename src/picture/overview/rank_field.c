// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/rank_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/sort.h"
#include "base/words.h"
#include "compare/op_profile.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"

enum {
    LEFT = PAGE_MARGIN + 116,
    STAGE_WIDTH = 60,
    NOTE_WIDTH = 250,
    LEVELS = 12,  // calm, nine decades, no size; 0 is none
    BOXES_MOST = 5000,
    COLUMNS_MOST = 1076,
    FIELD_HEIGHT = 420,
    ROW_MOST = 16,
    NOTE_ROW = 19,  // px of a row with words at the right
    MANY = 64,      // rows from which equal ones share a line; with words at the right a quarter
    LANES = 3,      // of labels of hops
    LANE = 14,
    LABEL_PITCH = 13
};

// A line of the picture: rows that follow each other and are equal, where there are too many.
typedef struct Line {
    size_t from, end;
} Line;

typedef struct Drawing {
    Scene *scene;
    const RankField *field;
    Line *lines;
    size_t count;
    size_t *line_of;                  // by row
    double left, right, top, height;  // of the cells; of a line
    bool noted;
} Drawing;

static const Trail *trail_of(const RankField *field, size_t row)
{
    return &field->trails[field->rows[row].trail];
}

static uint64_t time_of(const RankField *field, size_t row, uint32_t op)
{
    return comm_clock_at(field->clock, trail_of(field, row), field->rows[row].trail, op);
}

// ---- stages and groups

size_t rank_field_trail(const Trail *trails, size_t count, int64_t rank)
{
    size_t at;
    FIND_FIRST(at, count, trails[at].rank < rank);
    return at < count && trails[at].rank == rank ? at : SIZE_MAX;
}

// The stage of each trail, from 0; -1: not known. Stages follow each other as ranks send.
static void find_stages(const RankField *field, int *stages, Arena *arena)
{
    size_t count = field->row_count;
    size_t *next = ARENA_ARRAY(arena, size_t, count);
    for (size_t row = 0; row < count; row++) {
        const Trail *trail = &field->trails[row];
        const CommCall *first = NULL, *gives = NULL;
        for (size_t i = 0; i < trail->call_count; i++) {
            const CommCall *call = &trail->calls[i];
            first = first || call->peer < 0 ? first : call;
            gives = gives || call->peer < 0 || call->role != COMM_GIVES ? gives : call;
        }
        next[row] = gives ? rank_field_trail(field->trails, count, gives->peer) : SIZE_MAX;
        stages[row] = gives && first == gives ? 0 : -1;
    }
    for (size_t row = 0; row < count; row++)
        if (stages[row] == 0)
            for (size_t at = row; next[at] != SIZE_MAX && stages[next[at]] < 0; at = next[at])
                stages[next[at]] = stages[at] + 1;
}

// The channel of the collective that a rank calls most; of equally many the first.
static Str main_channel(const Trail *trail, Arena *arena)
{
    Names *names = names_new(arena);
    size_t *counts = ARENA_ARRAY(arena, size_t, trail->call_count + 1), best = 0;
    for (size_t i = 0; i < trail->call_count; i++)
        if (trail->calls[i].peer < 0)
            counts[names_add(names, trail->calls[i].channel)]++;
    for (size_t id = 1; id <= names_count(names); id++)
        best = counts[id] > counts[best] || !best ? id : best;
    return best ? names_text(names, (NameId)best) : STR("");
}

typedef struct Placing {
    size_t trail, group;
    int stage;
} Placing;

static int by_place(const void *a, const void *b)
{
    const Placing *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->trail > y->trail) - (x->trail < y->trail);
}

void rank_field_group(RankField *field, Arena *arena, size_t *place_of)
{
    Arena *scratch = arena_new();
    size_t count = field->row_count;
    Placing *places = ARENA_ARRAY(scratch, Placing, count);
    int *stages = ARENA_ARRAY(scratch, int, count);
    FieldRow *rows = ARENA_ARRAY(scratch, FieldRow, count);
    Names *groups = names_new(scratch);
    bool staged = true;
    find_stages(field, stages, scratch);
    for (size_t i = 0; i < count; i++)
        staged = staged && stages[i] >= 0;
    for (size_t i = 0; i < count; i++) {
        Str channel = main_channel(&field->trails[i], scratch);
        places[i] = (Placing){i, names_add(groups, channel), staged ? stages[i] : 0};
        rows[i] = field->rows[i];
        rows[i].group = str_copy(arena, channel);
        if (staged)
            rows[i].stage = str_printf(arena, tr("stage %lld"), (long long)stages[i]);
    }
    qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++) {
        field->rows[i] = rows[places[i].trail];
        place_of[places[i].trail] = i;
    }
    arena_release(scratch);
}

// ---- lines

static bool rows_equal(const Drawing *drawing, size_t a, size_t b)
{
    const FieldRow *x = &drawing->field->rows[a], *y = &drawing->field->rows[b];
    if (!str_equal(x->stage, y->stage) || !str_equal(x->note, y->note) || x->start || y->start)
        return false;
    return drawing->noted || str_equal(x->letters, y->letters);
}

static void make_lines(Drawing *drawing, Arena *scratch)
{
    size_t rows = drawing->field->row_count;
    bool many = rows > (drawing->noted ? MANY / 4 : MANY);
    drawing->lines = ARENA_ARRAY(scratch, Line, rows);
    drawing->line_of = ARENA_ARRAY(scratch, size_t, rows);
    for (size_t row = 0, end; row < rows; row = end) {
        end = row + 1;
        while (many && end < rows && rows_equal(drawing, row, end))
            end++;
        for (size_t i = row; i < end; i++)
            drawing->line_of[i] = drawing->count;
        drawing->lines[drawing->count++] = (Line){row, end};
    }
    double most = drawing->noted ? NOTE_ROW : ROW_MOST;
    drawing->height = fmax(1, fmin(most, (double)FIELD_HEIGHT / (double)drawing->count));
    if (drawing->noted && drawing->count <= MANY)
        drawing->height = fmax(drawing->height, SIZE_NOTE + 2);
}

static double line_y(const Drawing *drawing, size_t row)
{
    return drawing->top + drawing->height * ((double)drawing->line_of[row] + 0.5);
}

static double time_x(const Drawing *drawing, uint64_t time)
{
    double end = (double)(drawing->field->clock->end ? drawing->field->clock->end : 1);
    return drawing->left + (drawing->right - drawing->left) * ((double)time - 1) / end;
}

static double label_x(const Drawing *drawing, const FieldHop *hop, double width)
{
    return fmin(time_x(drawing, hop->time) + 3, PAGE_WIDTH - PAGE_MARGIN - width);
}

// ---- cells

static uint8_t level_of(char letter)
{
    return letter == PROFILE_NOTHING ? 0 : letter == PROFILE_CALM ? 1 : (uint8_t)(letter - '0' + 2);
}

// Fills `cells` (one per pixel column) with the worst level of the ops that run there.
static void fill_line(const RankField *field, size_t row, uint8_t *cells, size_t columns)
{
    const FieldRow *at = &field->rows[row];
    uint64_t ops = trail_of(field, row)->op_count;
    double scale = (double)columns / (double)(field->clock->end ? field->clock->end : 1);
    for (uint64_t op = 0; op < ops && at->letters.size; op++) {
        uint8_t level = level_of(at->letters.data[op_profile_bin(op, ops, at->letters.size)]);
        uint64_t time = time_of(field, row, (uint32_t)op + 1);
        size_t from = (size_t)((double)(time ? time - 1 : 0) * scale);
        size_t end = (size_t)ceil((double)time * scale);
        for (size_t c = from; c < end && c < columns; c++)
            cells[c] = level > cells[c] ? level : cells[c];
    }
}

static Role level_role(int level)
{
    if (level <= 1)
        return ROLE_SAME_FILL;
    if (level == LEVELS - 1)
        return ROLE_NAN;
    return (Role)(ROLE_HEAT + HEAT_STEPS / 2 + 2 + (level - 2));
}

static size_t count_boxes(const uint8_t *cells, size_t lines, size_t columns)
{
    size_t boxes = 0;
    for (size_t i = 0; i < lines * columns; i++)
        boxes += cells[i] && (i % columns == 0 || cells[i - 1] != cells[i]);
    return boxes;
}

static void draw_cells(const Drawing *drawing, const uint8_t *cells, size_t columns)
{
    Arena *scratch = arena_new();
    double width = (drawing->right - drawing->left) / (double)columns, height = drawing->height;
    for (int level = 1; level < LEVELS; level++) {
        PathSteps steps = {0};
        for (size_t line = 0; line < drawing->count; line++)
            for (size_t c = 0, end; c < columns; c = end) {
                const uint8_t *row = &cells[line * columns];
                for (end = c + 1; end < columns && row[end] == row[c];)
                    end++;
                if (row[c] == level)
                    steps_box(&steps, scratch, drawing->left + width * (double)c,
                              drawing->top + height * (double)line, width * (double)(end - c),
                              height > 12  ? height - 5
                              : height > 3 ? height - 1
                                           : height);
            }
        if (steps.count)
            scene_path(drawing->scene, steps.items, steps.count, level_role(level), ROLE_NONE);
    }
    arena_release(scratch);
}

// As many columns as keep the picture small.
static uint8_t *fill_cells(const Drawing *drawing, size_t *columns, Arena *scratch)
{
    for (*columns = COLUMNS_MOST;; *columns = *columns * 2 / 3) {
        uint8_t *cells = ARENA_ARRAY(scratch, uint8_t, drawing->count * *columns);
        for (size_t i = 0; i < drawing->count; i++)
            fill_line(drawing->field, drawing->lines[i].from, &cells[i * *columns], *columns);
        if (*columns < 64 || count_boxes(cells, drawing->count, *columns) <= BOXES_MOST)
            return cells;
    }
}

// ---- words

static Str line_label(const Drawing *drawing, const Line *line)
{
    Arena *arena = drawing->scene->arena;
    const RankField *field = drawing->field;
    if (line->end == line->from + 1)
        return str_printf(arena, tr("rank %lld"), (long long)trail_of(field, line->from)->rank);
    RankList ranks = {0};
    for (size_t row = line->from; row < line->end; row++)
        *ARRAY_PUSH(arena, &ranks) = trail_of(field, row)->rank;
    Str ranges = rank_ranges(ranks.items, ranks.count, 3, arena);
    return drawing->noted ? str_printf(arena, tr("ranks " STR_FMT), STR_ARG(ranges))
                          : str_printf(arena, tr("ranks " STR_FMT ", equal"), STR_ARG(ranges));
}

static bool starts(const Drawing *drawing, size_t line)
{
    return drawing->field->rows[drawing->lines[line].from].start > 0;
}

// Labels keep clear of each other, and of that of the next line where the trouble starts.
static void draw_words(const Drawing *drawing)
{
    Scene *scene = drawing->scene;
    double free_from = 0;
    for (size_t i = 0, start_at = 0; i < drawing->count; i++) {
        const FieldRow *row = &drawing->field->rows[drawing->lines[i].from];
        double middle = drawing->top + drawing->height * ((double)i + 0.5);
        bool start = starts(drawing, i);
        int weight = start ? 700 : 400;
        while (start_at < drawing->count && (start_at <= i || !starts(drawing, start_at)))
            start_at++;
        bool room =
            start_at == drawing->count || drawing->height * (double)(start_at - i) >= LABEL_PITCH;
        if ((middle - 6 < free_from || !room) && !start)
            continue;
        free_from = middle + 7;
        Str label = line_label(drawing, &drawing->lines[i]);
        if (row->link.size)
            scene_group(scene, STR(""), label, row->link);
        scene_text(scene, drawing->left - 8, middle + 2, SIZE_NOTE, weight, ANCHOR_END,
                   start ? ROLE_ERROR_TEXT : ROLE_INK2, label);
        if (row->link.size)
            scene_group_end(scene);
        Str note = text_fit(row->note, SIZE_NOTE, weight, NOTE_WIDTH - 16, scene->arena);
        if (note.size)
            scene_text(scene, drawing->right + 12, middle + 2, SIZE_NOTE, weight, ANCHOR_START,
                       start ? ROLE_ERROR_TEXT : ROLE_INK2, note)
                ->title = row->note;
    }
}

// A line between stages, a paler one between groups of a stage; the stage's name at the left.
static void draw_groups(const Drawing *drawing)
{
    const FieldRow *rows = drawing->field->rows;
    for (size_t i = 0; i < drawing->count; i++) {
        const FieldRow *row = &rows[drawing->lines[i].from];
        const FieldRow *last = i ? &rows[drawing->lines[i - 1].from] : NULL;
        bool stage = !last || !str_equal(last->stage, row->stage);
        bool group = last && !str_equal(last->group, row->group);
        double y = drawing->top + drawing->height * (double)i - 1;
        if (stage && row->stage.size)
            scene_text(drawing->scene, PAGE_MARGIN, y + 12, SIZE_NOTE, 600, ANCHOR_START, ROLE_INK,
                       row->stage);
        if (last && (stage || group))
            scene_line(drawing->scene, drawing->left, y, drawing->right, y,
                       stage ? ROLE_INK3 : ROLE_RULE);
    }
}

// The lane of the name of each communication: the first where it has room, LANES where there is
// none, and for a name that is written already. Gives how many lanes are used.
static int plan_lanes(const Drawing *drawing, int *lane_of)
{
    double ends[LANES] = {0};
    int used = 0;
    for (size_t i = 0; i < drawing->field->hop_count; i++) {
        const FieldHop *hop = &drawing->field->hops[i];
        double width = text_width(hop->label, SIZE_NOTE, 400);
        double start = label_x(drawing, hop, width);
        int lane = hop->label.size ? 0 : LANES;
        while (lane < LANES && ends[lane] > start - 10)
            lane++;
        lane_of[i] = lane;
        if (lane == LANES)
            continue;
        ends[lane] = start + width;
        used = lane >= used ? lane + 1 : used;
    }
    return used;
}

static void draw_hops(const Drawing *drawing, const int *lane_of)
{
    Scene *scene = drawing->scene;
    double half = drawing->height / 2;
    for (size_t i = 0; i < drawing->field->hop_count; i++) {
        const FieldHop *hop = &drawing->field->hops[i];
        if (hop->first == SIZE_MAX)
            continue;
        double x = time_x(drawing, hop->time), width = text_width(hop->label, SIZE_NOTE, 400);
        double first = line_y(drawing, hop->first), last = line_y(drawing, hop->last);
        double from = hop->from == SIZE_MAX ? first : line_y(drawing, hop->from);
        bool named = lane_of[i] < LANES;
        double top = named ? drawing->top - 10 - LANE * lane_of[i] : fmin(first, from);
        scene_line(scene, x, top - 6 * named, x, fmax(last, from) + half - 1, ROLE_INK);
        if (hop->from != SIZE_MAX)
            scene_circle(scene, x, from - 2, fmin(3, half), ROLE_INK, ROLE_NONE);
        if (named)
            scene_text(scene, label_x(drawing, hop, width), top, SIZE_NOTE, 400, ANCHOR_START,
                       ROLE_INK, hop->label);
    }
}

// Where the trouble starts and where it arrives.
static void draw_marks(const Drawing *drawing)
{
    const RankField *field = drawing->field;
    for (size_t row = 0; row < field->row_count; row++) {
        const FieldRow *at = &field->rows[row];
        uint32_t op = at->start ? at->start : at->arrival;
        if (!op)
            continue;
        double x = time_x(drawing, time_of(field, row, op)), y = line_y(drawing, row);
        if (at->disc)
            disc_draw(drawing->scene, fmax(drawing->left + 8, x - 10), y - 1, at->disc);
        else if (drawing->height >= 8)
            mark_draw(drawing->scene, x, y - 2, 3.2, STATUS_ERROR, !at->start);
    }
}

static double draw_key(const Drawing *drawing, const uint8_t *cells, size_t cell_count, double y)
{
    Scene *scene = drawing->scene;
    double x = drawing->left;
    for (int level = 1; level < LEVELS; level++) {
        if (!memchr(cells, level, cell_count))
            continue;
        Str word = level == 1            ? str_of(drawing->field->calm)
                   : level == LEVELS - 1 ? str_of(drawing->field->worst)
                                         : str_printf(scene->arena, "1e%d", level - 10);
        scene_box(scene, x, y - 10, 14, 12, level_role(level), ROLE_NONE);
        x = key_word(scene, x + 19, y, word);
    }
    return y + 16;
}

double rank_field_draw(Scene *scene, const RankField *field, double y)
{
    Arena *scratch = arena_new();
    Drawing drawing = {.scene = scene, .field = field, .left = LEFT};
    for (size_t row = 0; row < field->row_count; row++)
        drawing.noted = drawing.noted || field->rows[row].note.size;
    drawing.right = PAGE_WIDTH - PAGE_MARGIN - (drawing.noted ? NOTE_WIDTH : 0);
    drawing.left += field->rows[0].stage.size ? STAGE_WIDTH : 0;
    int *lane_of = ARENA_ARRAY(scratch, int, field->hop_count);
    drawing.top = y + LANE * plan_lanes(&drawing, lane_of) + 4;
    make_lines(&drawing, scratch);
    size_t columns;
    const uint8_t *cells = fill_cells(&drawing, &columns, scratch);
    draw_groups(&drawing);
    draw_cells(&drawing, cells, columns);
    draw_words(&drawing);
    draw_hops(&drawing, lane_of);
    draw_marks(&drawing);
    y = draw_key(&drawing, cells, drawing.count * columns,
                 drawing.top + drawing.height * (double)drawing.count + 24);
    arena_release(scratch);
    return y;
}

// ---- the text for the page

static void add_letters(StrBuf *text, Str letters)
{
    for (size_t from = 0, end; from < letters.size; from = end) {
        for (end = from + 1; end < letters.size && letters.data[end] == letters.data[from];)
            end++;
        if (end - from > 1)
            strbuf_printf(text, "%zu", end - from);
        strbuf_add_char(text, (char)('a' + level_of(letters.data[from])));
    }
}

static void add_shifts(const RankField *field, size_t row, StrBuf *text)
{
    const Trail *trail = trail_of(field, row);
    uint64_t shift = 0;
    for (size_t i = 0; i < trail->call_count; i++) {
        uint32_t op = trail->calls[i].op + 1;
        uint64_t now = time_of(field, row, op) - op;
        if (now != shift)
            strbuf_printf(text, " %u:%llu", op, (unsigned long long)now);
        shift = now;
    }
}

Str rank_field_text(const RankField *field, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    size_t group = 0;
    strbuf_printf(&text, "%llu", (unsigned long long)field->clock->end);
    for (size_t row = 0; row < field->row_count && text.size <= FIELD_BYTES; row++) {
        const FieldRow *at = &field->rows[row];
        const Trail *trail = trail_of(field, row);
        group += row && !(str_equal(at[-1].group, at->group) && str_equal(at[-1].stage, at->stage));
        strbuf_printf(&text, "\n%lld|%u|" STR_FMT "|" STR_FMT "|%zu|", (long long)trail->rank,
                      trail->op_count, STR_ARG(at->link), STR_ARG(at->stage), group);
        add_letters(&text, at->letters);
        strbuf_add_char(&text, '|');
        add_shifts(field, row, &text);
    }
    return text.size > FIELD_BYTES ? STR("") : strbuf_str(&text);
}
