// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/field_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "compare/nonfinite/comm_ties.h"
#include "compare/op_profile.h"
#include "picture/kit/chip.h"
#include "picture/kit/page.h"
#include "read/dump/place_name.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    LEFT = PAGE_MARGIN + 116,
    HOPS_MOST = 8,
    LEVELS = 12,  // calm, nine decades, no size; 0 is none
    BOXES_MOST = 5000,
    FIELD_HEIGHT = 420,
    ROW_MOST = 16,
    HEAD = 64
};

// By which communication the error reached further ranks, all at about one time.
typedef struct Hop {
    Str api;
    uint64_t time;
    int64_t *ranks;
    size_t count;
    size_t first, last;  // rows
    uint32_t op;         // of the first such call, from 1
} Hop;

typedef struct Field {
    const FieldView *view;
    Scene *scene;
    size_t *pair_of;  // by row
    size_t rows;
    Trail *trails;
    CommTies ties;
    CommClock clock;
    int *wave;  // by row: how many hops from the origin; -1: the error does not come from there
    Hop hops[HOPS_MOST];
    size_t hop_count;
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

static bool rows_equal(const Field *field, size_t a, size_t b)
{
    const PairFacts *x = pair_at(field, a), *y = pair_at(field, b);
    return x->ops_target == y->ops_target && str_equal(x->profile, y->profile);
}

static bool rows_differ(const Field *field)
{
    for (size_t row = 1; row < field->rows; row++)
        if (!rows_equal(field, row, 0))
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

// Whether a member of the communication was off by wave `wave` before it made the call.
static bool is_given_by(const Field *field, size_t row, size_t call, int wave)
{
    const CommTies *ties = &field->ties;
    for (uint32_t at = ties->first[ties->key_of[row][call]]; at != LINK_NONE;
         at = ties->links[at].next) {
        const CommLink *link = &ties->links[at];
        const CommCall *other = comm_ties_call(ties, link);
        if (link->rank != row && field->wave[link->rank] == wave &&
            pair_at(field, link->rank)->first.target_position <= other->op + 1 &&
            other->role != COMM_GETS)
            return true;
    }
    return false;
}

static void take_hop(Field *field, Hop *hop, size_t row, size_t call)
{
    const PairFacts *pair = pair_at(field, row);
    uint64_t time = field->clock.call_times[row][call];
    if (!hop->count || time < hop->time) {
        hop->time = time;
        hop->api = api_of(&pair->calls[call]);
        hop->op = pair->calls[call].op + 1;
    }
    if (!hop->count)
        hop->ranks = ARENA_ARRAY(field->scene->arena, int64_t, field->rows);
    hop->first = hop->count ? hop->first : row;
    hop->last = row;
    hop->ranks[hop->count++] = pair->rank;
}

static void find_hops(Field *field, Arena *arena)
{
    field->wave = ARENA_ARRAY(arena, int, field->rows);
    for (size_t row = 0; row < field->rows; row++)
        field->wave[row] = field->pair_of[row] == field->view->origin ? 0 : -1;
    for (int wave = 0; wave < HOPS_MOST; wave++) {
        Hop hop = {0};
        for (size_t row = 0; row < field->rows; row++) {
            size_t call;
            if (field->wave[row] >= 0 || !diverges(pair_at(field, row)) ||
                !call_before(field, row, &call) || !is_given_by(field, row, call, wave))
                continue;
            take_hop(field, &hop, row, call);
        }
        if (!hop.count)
            return;
        for (size_t row = 0; row < field->rows; row++)
            for (size_t i = 0; i < hop.count; i++)
                if (pair_at(field, row)->rank == hop.ranks[i])
                    field->wave[row] = wave + 1;
        field->hops[field->hop_count++] = hop;
    }
}

// "rank 13 → all_reduce #60 → ranks 8–15 → …"
static Str hops_text(const Field *field, Arena *arena)
{
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text, tr("rank %lld"), (long long)field->view->pairs[field->view->origin].rank);
    for (size_t i = 0; i < field->hop_count; i++) {
        const Hop *hop = &field->hops[i];
        strbuf_printf(&text, " → " STR_FMT " #%u → " STR_FMT, STR_ARG(hop->api), hop->op,
                      STR_ARG(rank_ranges(hop->ranks, hop->count, 6, arena)));
    }
    size_t alone = 0;
    for (size_t row = 0; row < field->rows; row++)
        alone += field->wave[row] < 0 && diverges(pair_at(field, row));
    if (alone)
        strbuf_printf(&text,
                      tr_count(alone, "; %zu more rank differs, by no communication recorded",
                               "; %zu more ranks differ, by no communication recorded"),
                      alone);
    return strbuf_str(&text);
}

// ---- drawing

// A line of the picture: rows that follow each other and are equal, where there are too many.
typedef struct Line {
    size_t from, end;
} Line;

static size_t make_lines(const Field *field, Line *lines)
{
    size_t count = 0;
    bool many = field->rows > 64;
    for (size_t row = 0, end; row < field->rows; row = end) {
        end = row + 1;
        while (many && end < field->rows && rows_equal(field, row, end))
            end++;
        lines[count++] = (Line){row, end};
    }
    return count;
}

static uint8_t level_of(char letter)
{
    return letter == PROFILE_NOTHING ? 0 : letter == PROFILE_CALM ? 1 : (uint8_t)(letter - '0' + 2);
}

// Fills `cells` (one per pixel column) with the worst level of the ops that run there.
static void fill_line(const Field *field, size_t row, uint8_t *cells, size_t columns)
{
    const PairFacts *pair = pair_at(field, row);
    double scale = (double)columns / (double)(field->clock.end ? field->clock.end : 1);
    for (uint64_t op = 0; op < pair->ops_target; op++) {
        size_t bin = op_profile_bin(op, pair->ops_target, pair->profile.size);
        uint8_t level = level_of(pair->profile.data[bin]);
        uint64_t time = comm_clock_at(&field->clock, &field->trails[row], row, (uint32_t)op + 1);
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

static void draw_cells(const Field *field, const uint8_t *cells, size_t lines, size_t columns,
                       double row_height)
{
    Arena *scratch = arena_new();
    double width = (PAGE_WIDTH - PAGE_MARGIN - LEFT) / (double)columns;
    for (int level = 1; level < LEVELS; level++) {
        PathSteps steps = {0};
        for (size_t line = 0; line < lines; line++)
            for (size_t c = 0, end; c < columns; c = end) {
                const uint8_t *row = &cells[line * columns];
                for (end = c + 1; end < columns && row[end] == row[c];)
                    end++;
                if (row[c] == level)
                    steps_box(&steps, scratch, LEFT + width * (double)c,
                              HEAD + row_height * (double)line, width * (double)(end - c),
                              row_height > 3 ? row_height - 1 : row_height);
            }
        if (steps.count)
            scene_path(field->scene, steps.items, steps.count, level_role(level), ROLE_NONE);
    }
    arena_release(scratch);
}

static Str line_label(const Field *field, const Line *line, Arena *arena)
{
    long long first = (long long)pair_at(field, line->from)->rank;
    long long last = (long long)pair_at(field, line->end - 1)->rank;
    if (line->end == line->from + 1)
        return str_printf(arena, tr("rank %lld"), first);
    return str_printf(arena, tr("ranks %lld–%lld, equal"), first, last);
}

static void draw_labels(const Field *field, const Line *lines, size_t count, double row_height)
{
    Scene *scene = field->scene;
    double free_from = 0;
    for (size_t i = 0; i < count; i++) {
        double middle = HEAD + row_height * ((double)i + 0.5);
        bool origin = false;
        for (size_t row = lines[i].from; row < lines[i].end; row++)
            origin = origin || field->pair_of[row] == field->view->origin;
        if (middle - 6 < free_from && !origin)
            continue;
        free_from = middle + 7;
        Str link = field->view->links[field->pair_of[lines[i].from]];
        Str label = line_label(field, &lines[i], scene->arena);
        if (link.size)
            scene_group(scene, STR(""), label, link);
        scene_text(scene, LEFT - 8, middle + 4, SIZE_NOTE, origin ? 700 : 400, ANCHOR_END,
                   origin ? ROLE_ERROR_TEXT : ROLE_INK2, label);
        if (link.size)
            scene_group_end(scene);
    }
}

static double time_x(const Field *field, double time)
{
    return LEFT + (PAGE_WIDTH - PAGE_MARGIN - LEFT) * time /
                      (double)(field->clock.end ? field->clock.end : 1);
}

static size_t line_of_row(const Line *lines, size_t count, size_t row)
{
    size_t line = 0;
    while (line + 1 < count && lines[line].end <= row)
        line++;
    return line;
}

// The hops as lines over the ranks that they reach, and the disc where the error starts.
static void draw_marks(const Field *field, const Line *lines, size_t count, double row_height)
{
    Scene *scene = field->scene;
    double free_from = 0;
    for (size_t i = 0; i < field->hop_count; i++) {
        const Hop *hop = &field->hops[i];
        double x = time_x(field, (double)hop->time - 1);
        double bottom = HEAD + row_height * (double)(line_of_row(lines, count, hop->last) + 1);
        scene_line(scene, x, HEAD - 8, x, bottom, ROLE_INK);
        Str label = str_printf(scene->arena, "%zu " STR_FMT, i + 1, STR_ARG(hop->api));
        double width = text_width(label, SIZE_NOTE, 400);
        double left = fmax(free_from, fmin(x + 3, PAGE_WIDTH - PAGE_MARGIN - width));
        scene_text(scene, left, HEAD - 10, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK, label);
        free_from = left + width + 10;
    }
    for (size_t row = 0; row < field->rows; row++) {
        if (field->pair_of[row] != field->view->origin)
            continue;
        uint64_t time = comm_clock_at(&field->clock, &field->trails[row], row,
                                      pair_at(field, row)->first.target_position);
        double y = HEAD + row_height * ((double)line_of_row(lines, count, row) + 0.5);
        disc_draw(scene, fmax(LEFT + 8, time_x(field, (double)time - 1) - 10), y, 1);
    }
}

static double draw_key(const Field *field, const uint8_t *cells, size_t cell_count, double y)
{
    Scene *scene = field->scene;
    double x = LEFT;
    for (int level = 1; level < LEVELS; level++) {
        bool used = memchr(cells, level, cell_count) != NULL;
        if (!used)
            continue;
        Str word = level == 1            ? str_of(tr("within tolerance"))
                   : level == LEVELS - 1 ? str_of(tr("NaN, ≠ or no partner"))
                                         : str_printf(scene->arena, "1e%d", level - 10);
        scene_box(scene, x, y - 10, 14, 12, level_role(level), ROLE_NONE);
        x = key_word(scene, x + 19, y, word);
    }
    return y + 16;
}

static void draw_field(Field *field, Arena *scratch)
{
    Scene *scene = field->scene;
    Line *lines = ARENA_ARRAY(scratch, Line, field->rows);
    size_t count = make_lines(field, lines), columns = 1076;
    double row_height = fmax(1, fmin(ROW_MOST, (double)FIELD_HEIGHT / (double)count));
    uint8_t *cells = NULL;
    for (;; columns = columns * 2 / 3) {
        cells = ARENA_ARRAY(scratch, uint8_t, count * columns);
        for (size_t i = 0; i < count; i++)
            fill_line(field, lines[i].from, &cells[i * columns], columns);
        if (columns < 64 || count_boxes(cells, count, columns) <= BOXES_MOST)
            break;
    }
    draw_cells(field, cells, count, columns, row_height);
    draw_labels(field, lines, count, row_height);
    draw_marks(field, lines, count, row_height);
    scene->height =
        draw_key(field, cells, count * columns, HEAD + row_height * (double)count + 26) + 8;
}

bool field_picture(const FieldView *view, Arena *arena, Scene *out)
{
    Field field = {.view = view, .scene = out};
    if (view->origin == SIZE_MAX)
        return false;
    Arena *scratch = arena_new();
    collect_rows(&field, scratch);
    bool drawn = field.rows >= FIELD_RANKS && rows_differ(&field);
    if (drawn) {
        scene_init(out, arena, "field", PAGE_WIDTH);
        comm_ties_build(field.trails, field.rows, scratch, &field.ties);
        comm_clock_run(&field.ties, scratch, &field.clock);
        find_hops(&field, scratch);
        section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Ranks × execution order")),
                        text_fit(hops_text(&field, arena), SIZE_TEXT, 400, 900, arena));
        draw_field(&field, scratch);
        out->description = hops_text(&field, arena);
        out->caption = str_of(tr("Ranks × execution order, clocks set even where ranks "
                                 "communicate: the colour is the error of an op; white: the rank "
                                 "waits"));
    }
    arena_release(scratch);
    return drawn;
}
