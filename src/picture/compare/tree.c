// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/tree.h"

#include <math.h>

#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "picture/compare/node_name.h"
#include "picture/compare/strip.h"
#include "picture/kit/chip.h"
#include "picture/kit/label_set.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    INDENT = 20,
    CHIP = 13,
    BASE_LINE = 15,  // of a row's text, below its top
    MIDDLE = 11,
    MAX_COUNT_COLUMNS = 5,
    COUNTS_END = 588,  // px from the left at a width of 1,200
    INPUT_END = 672,
    AXIS_ZERO = 700,
};

typedef struct CountColumn {
    Status status;
    double end;  // right edge of its numbers
} CountColumn;

typedef struct Grid {
    Scene *scene;
    const TreeView *view;
    double left, right;
    double name_end;  // names stop here
    double input_end;
    ErrorAxis axis;
    ErrorRange range;  // of what is drawn on it
    CountColumn columns[MAX_COUNT_COLUMNS];
    size_t column_count;
    LabelSet *labels;
} Grid;

// Columns for the statuses that occur, as wide as their largest number.
static void place_counts(Grid *grid)
{
    static const Status order[] = {STATUS_SAME, STATUS_PASS, STATUS_WARNING, STATUS_UNMATCHED,
                                   STATUS_ERROR};
    const Comparison *comparison = grid->view->outline->comparison;
    double end = grid->left + COUNTS_END - 32;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        uint64_t most = comparison->op_counts[order[i]];
        if (!most)
            continue;
        grid->columns[grid->column_count++] = (CountColumn){order[i], end};
        Str widest = figure_count(most, grid->scene->arena);
        end -= fmax(32, text_width(widest, SIZE_NOTE, 400) + 10);
    }
    grid->name_end = end + 4;
}

static void place_axis(Grid *grid)
{
    ErrorRange range = {0};
    const TreePlan *plan = grid->view->plan;
    for (size_t i = 0; i < plan->count; i++) {
        if (!plan->items[i].has_errors)
            continue;
        error_range_add(&range, plan->items[i].in);
        error_range_add(&range, plan->items[i].out);
    }
    grid->input_end = grid->left + INPUT_END - 32;
    grid->range = range;
    grid->axis = error_axis(grid->view->outline->comparison, &range, grid->left + AXIS_ZERO - 32,
                            grid->right - 84);
}

static double row_bottom(const Grid *grid, double top)
{
    return top + TREE_ROW_HEIGHT * (double)(grid->view->end - grid->view->from);
}

// After each row the floor of the value that it shows, of a row without one that of all.
static void draw_floors(const Grid *grid, double top)
{
    Arena *scratch = arena_new();
    const TreeView *view = grid->view;
    double same = grid->range.least_floor == grid->range.most_floor ? grid->range.most_floor : 0;
    if (!(grid->range.most_floor > 0))
        same = view->outline->comparison->floor_norm;
    PathSteps steps = {0};
    for (size_t i = view->from; i < view->end;) {
        double floor = same > 0 ? same : view->plan->items[i].out.floor;
        size_t end = i + 1;
        while (end < view->end && (same > 0 || view->plan->items[end].out.floor == floor))
            end++;
        double y = top + TREE_ROW_HEIGHT * (double)(i - view->from);
        double height = TREE_ROW_HEIGHT * (double)(end - i);
        if (floor > 0)
            steps_box(&steps, scratch, grid->axis.zero - 6, y,
                      error_axis_number(&grid->axis, floor) - grid->axis.zero + 6, height);
        i = end;
    }
    if (steps.count)
        scene_path(grid->scene, steps.items, steps.count, ROLE_NOISEBAND, ROLE_NONE);
    arena_release(scratch);
}

static void draw_axis(const Grid *grid, double base, double top)
{
    Scene *scene = grid->scene;
    const ErrorAxis *axis = &grid->axis;
    double bottom = row_bottom(grid, top);
    scene_text(scene, axis->zero, base, SIZE_TINY, 400, ANCHOR_MIDDLE, ROLE_INK3,
               axis->has_numbers ? STR("0") : STR("="));
    if (axis->has_numbers && error_floor_counts(grid->view->outline->comparison))
        draw_floors(grid, top);
    for (int e = axis->low_exponent; axis->has_numbers && e <= axis->high_exponent;
         e += axis->step) {
        double x = error_axis_number(axis, pow(10, e));
        figure_decade(scene, x, base, SIZE_TINY, ANCHOR_MIDDLE, ROLE_INK3, e);
        scene_line(scene, x, top, x, bottom, e == axis->low_exponent ? ROLE_RULE : ROLE_HAIR);
    }
    if (axis->has_differs)
        scene_text(scene, axis->differs, base, SIZE_TINY, 400, ANCHOR_MIDDLE, ROLE_INK3, STR("≠"));
    if (axis->has_nonfinite)
        scene_text(scene, axis->nonfinite, base, SIZE_TINY, 400, ANCHOR_MIDDLE, ROLE_NAN,
                   STR("NaN"));
}

static void draw_head(const Grid *grid, double y)
{
    Scene *scene = grid->scene;
    double base = y + 20;
    note_text(scene, grid->left + 22, base, ANCHOR_START, str_of(tr("node")));
    for (size_t i = 0; i < grid->column_count; i++)
        chip_draw(scene, grid->columns[i].end - CHIP + 0.5, base - 10, CHIP,
                  grid->columns[i].status, status_differs(grid->columns[i].status));
    const double ends[] = {grid->input_end, grid->right};
    for (size_t i = 0; i < 2; i++)
        note_text(scene, ends[i], y + 6, ANCHOR_END, str_of(tr("relative error")));
    note_text(scene, grid->input_end, base, ANCHOR_END, str_of(tr("input")));
    note_text(scene, grid->right, base, ANCHOR_END, str_of(tr("output")));
    draw_axis(grid, base, y + 29);
    scene_line(scene, grid->left, y + 28, grid->right, y + 28, ROLE_RULE);
}

static void draw_stripe(const Grid *grid, const TreeRow *row, double y)
{
    StatusLook look = status_look(row->worst, !row->worst_starts);
    Role fill = look.fill == ROLE_PAPER ? look.edge : look.fill;
    scene_box(grid->scene, grid->left, y + 2, 6, TREE_ROW_HEIGHT - 2, fill, ROLE_NONE);
}

static void draw_counts(const Grid *grid, const TreeRow *row, double y)
{
    if (!row->has_counts)
        return;
    for (size_t i = 0; i < grid->column_count; i++) {
        Status status = grid->columns[i].status;
        uint32_t count = row->counts[status];
        Role role = !count ? ROLE_INK3 : status == STATUS_ERROR ? ROLE_INK : ROLE_INK2;
        scene_text(grid->scene, grid->columns[i].end, y + BASE_LINE, SIZE_NOTE, 400, ANCHOR_END,
                   role, figure_count_or_dot(count, grid->scene->arena));
    }
}

static bool at_rim(ErrorMark mark)
{
    return mark.kind == ERROR_SAME || mark.kind == ERROR_ZERO;
}

// As the chip of a node, or the stripe of a fold: solid where what is shown starts, else a tint.
typedef struct DotLook {
    Status status;
    bool starts, first;
} DotLook;

static void draw_output(const Grid *grid, const TreeRow *row, DotLook dot, double y)
{
    Status status = dot.status;
    bool first = dot.first;
    double x = error_axis_at(&grid->axis, row->out);
    double radius = first ? 5 : 3.6;
    if (row->out.kind == ERROR_NONFINITE) {
        cross_draw(grid->scene, x, y, 3.6);
        return;
    }
    if (error_axis_below(&grid->axis, row->out)) {
        beyond_draw(grid->scene, x, y, false);
        return;
    }
    if (at_rim(row->out) || row->out.kind == ERROR_NUMBER) {
        StatusLook look = status_look(status, !dot.starts && !first);
        Role edge = status == STATUS_ERROR ? ROLE_ERROR_FILL : look.edge;
        if (first)
            edge = look.edge;
        bool calm = at_rim(row->out) && !status_differs(status);
        scene_circle(grid->scene, x, y, radius, calm ? ROLE_SAME_EDGE : look.fill,
                     calm ? ROLE_NONE : edge);
        return;
    }
    mark_draw(grid->scene, x, y, radius, status, !dot.starts);
}

static void draw_dumbbell(const Grid *grid, const TreeRow *row, DotLook dot, double y)
{
    if (!row->has_errors)
        return;
    double middle = y + MIDDLE;
    double from = error_axis_at(&grid->axis, row->in), to = error_axis_at(&grid->axis, row->out);
    bool in = row->in.kind != ERROR_ABSENT, out = row->out.kind != ERROR_ABSENT;
    if (in && out && fabs(from - to) > 1)
        scene_line(grid->scene, from, middle, to, middle, ROLE_INK3)->paint.width = 1.2F;
    if (in && row->in.kind == ERROR_NONFINITE)
        cross_draw(grid->scene, from, middle, 3);
    else if (error_axis_below(&grid->axis, row->in))
        beyond_draw(grid->scene, from, middle, false);
    else if (in && !(at_rim(row->in) && at_rim(row->out)))
        scene_circle(grid->scene, from, middle, 3, ROLE_PAPER, ROLE_INK2)->paint.width = 1.2F;
    if (out)
        draw_output(grid, row, dot, middle);
}

static void draw_errors(const Grid *grid, const TreeRow *row, double y, bool strong)
{
    if (!row->has_errors)
        return;
    note_text(grid->scene, grid->input_end, y + BASE_LINE, ANCHOR_END, row->in.text);
    scene_text(grid->scene, grid->right, y + BASE_LINE, SIZE_TEXT, strong ? 700 : 400, ANCHOR_END,
               ROLE_INK, row->out.text);
}

static void draw_section_row(const Grid *grid, const TreeRow *row, double y, bool line)
{
    if (line)
        scene_line(grid->scene, grid->left, y + 0.5, grid->right, y + 0.5, ROLE_RULE);
    fitted_text(grid->scene, grid->left + 14, y + BASE_LINE, SIZE_TEXT, 700, ROLE_INK,
                grid->name_end - grid->left - 20, row->text);
    draw_counts(grid, row, y);
}

static void draw_fold_row(const Grid *grid, const TreeRow *row, double y)
{
    Scene *scene = grid->scene;
    double x = grid->left + 19 + INDENT * row->indent;
    draw_stripe(grid, row, y);
    scene_text(scene, x, y + BASE_LINE - 1, SIZE_TEXT, 400, ANCHOR_START, ROLE_INK3, STR("…"));
    Item *item = fitted_text(scene, x + 15, y + BASE_LINE, SIZE_TEXT, 400, ROLE_INK2,
                             grid->name_end - x - 20, row->text);
    // A page opens what is folded at its first op (templates/page.js).
    if (row->row < grid->view->outline->comparison->tree_count)
        item->title = row_title(grid->view->outline, row->row, scene->arena);
    draw_counts(grid, row, y);
    draw_errors(grid, row, y, false);
    draw_dumbbell(grid, row, (DotLook){.status = row->worst, .starts = row->worst_starts}, y);
}

// What comes after the class: why the row is flagged, or that only one side has it.
typedef struct RowNote {
    Str text;
    Role role;
} RowNote;

static RowNote row_note(const Grid *grid, const TreeRow *row, const Flag *flag)
{
    const TreeNode *node = &grid->view->outline->comparison->tree[row->row];
    RowNote note = {.role = ROLE_INK2};
    if (node->pair != PAIR_NONE && node->status == STATUS_UNMATCHED)
        note.text = str_of(grid->view->outline->comparison->ops[node->pair].target == OP_NONE
                               ? tr("only in golden")
                               : tr("only in target"));
    if (!flag)
        return note;
    Str word = flag_text(flag, grid->scene->arena);
    note.role = flag->kind == FLAG_FIRST ? ROLE_ERROR_TEXT : ROLE_INK;
    note.text = note.text.size ? str_printf(grid->scene->arena, STR_FMT ", " STR_FMT, STR_ARG(word),
                                            STR_ARG(note.text))
                               : word;
    return note;
}

static void draw_name(const Grid *grid, const TreeRow *row, double x, double y, const Flag *flag)
{
    Scene *scene = grid->scene;
    Arena *arena = scene->arena;
    NodeName name = node_name(grid->view->outline->comparison, row->row, arena);
    RowNote note = row_note(grid, row, flag);
    int weight = flag && flag->kind == FLAG_FIRST ? 700 : 400;
    double room = grid->name_end - x - (flag ? 26 : 4);
    double note_width = note.text.size ? 14 + text_width(note.text, SIZE_TEXT, 700) : 0;
    double class_width = name.class_name.size ? 8 + text_width(name.class_name, SIZE_NOTE, 400) : 0;
    if (text_width(name.local, SIZE_STRONG, weight) + class_width + note_width > room)
        class_width = 0;
    if (room - note_width < 60)
        note_width = 0;
    Str local = label_fit(grid->labels, name.local, SIZE_STRONG, weight,
                          room - note_width - class_width, arena);
    Span spans[3] = {{.text = local, .size = SIZE_STRONG, .weight = weight}};
    size_t count = 1;
    if (class_width > 0)
        spans[count++] = (Span){.text = name.class_name,
                                .size = SIZE_NOTE,
                                .role = weight == 700 ? ROLE_ERROR_TINK : ROLE_INK3,
                                .dx = 8,
                                .weight = 400};
    if (note_width > 0)
        spans[count++] = (Span){.text = note.text,
                                .size = SIZE_TEXT,
                                .role = note.role,
                                .dx = 14,
                                .weight = flag ? 700 : 400};
    Item *item =
        scene_spans(scene, x, y + BASE_LINE, SIZE_STRONG, ANCHOR_START, ROLE_INK, spans, count);
    item->title = row_title(grid->view->outline, row->row, arena);
}

static void draw_node_row(const Grid *grid, const TreeRow *row, double y)
{
    Scene *scene = grid->scene;
    const TreeNode *node = &grid->view->outline->comparison->tree[row->row];
    const Flag *flag = flags_at(grid->view->flags, row->row);
    bool first = flag && flag->kind == FLAG_FIRST;
    double x = grid->left + 14 + INDENT * row->indent;
    draw_stripe(grid, row, y);
    if (first) {
        Item *plate = scene_box(scene, grid->left + 8, y + 1, grid->name_end - grid->left - 8,
                                TREE_ROW_HEIGHT, ROLE_ERROR_TINT, ROLE_NONE);
        plate->as.box.radius = 3;
    }
    if (node->pair != PAIR_NONE)
        chip_draw(scene, x, y + 4, CHIP, (Status)node->status, node->inherited);
    if (flag)
        disc_draw(scene, grid->name_end - 12, y + MIDDLE, flag->number);
    draw_name(grid, row, x + 20, y, flag);
    draw_counts(grid, row, y);
    draw_errors(grid, row, y, flag != NULL);
    DotLook dot = {.status = (Status)node->status, .starts = !node->inherited, .first = first};
    draw_dumbbell(grid, row, dot, y);
}

static void draw_rows(const Grid *grid, double y)
{
    for (size_t i = grid->view->from; i < grid->view->end; i++) {
        const TreeRow *row = &grid->view->plan->items[i];
        if (row->kind == TREE_SECTION)
            draw_section_row(grid, row, y, i > grid->view->from);
        else if (row->kind == TREE_FOLD)
            draw_fold_row(grid, row, y);
        else
            draw_node_row(grid, row, y);
        y += TREE_ROW_HEIGHT;
    }
}

Str rule_text(const Comparison *comparison, Arena *arena)
{
    if (comparison->rules == RULES_MSPROBE26)
        return str_of(tr("rules of msprobe 26"));
    if (comparison->rules == RULES_MSPROBE8)
        return str_of(tr("rules of msprobe 8"));
    if (comparison->mode == MODE_CHECKSUM)
        return str_of(tr("rule: checksums equal or not"));
    if (comparison->mode == MODE_STRUCTURE)
        return str_of(tr("rule: names, shapes and types only"));
    if (comparison->noise_known)
        return str_of(tr("rule: up to the noise floor pass, up to 10 times warning, above error"));
    const char *pass = str_cstr(arena, figure_number(comparison->floor_norm, 2, arena));
    const char *warn = str_cstr(arena, figure_number(comparison->floor_norm * 10.0, 2, arena));
    return str_printf(arena,
                      tr("rule: each statistic by its own floor (norm ≤ %s pass, ≤ %s warning, "
                         "above error); shown is the one that decided"),
                      pass, warn);
}

static Str counts_text(const Comparison *comparison, Arena *arena)
{
    static const struct {
        Status status;
        const char *word;
    } parts[] = {
        {STATUS_ERROR, TR("error")},         {STATUS_WARNING, TR("warning")},
        {STATUS_UNMATCHED, TR("unmatched")}, {STATUS_PASS, TR("pass")},
        {STATUS_SAME, TR("same")},           {STATUS_NO_DATA, TR("without data")},
    };
    StrBuf text = strbuf_new(arena);
    strbuf_add(&text, str_of(tr("ops: ")));
    const char *comma = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        uint64_t count = comparison->op_counts[parts[i].status];
        if (!count)
            continue;
        strbuf_printf(&text, "%s" STR_FMT " %s", comma, STR_ARG(figure_count(count, arena)),
                      tr(parts[i].word));
        comma = tr(", ");
    }
    return strbuf_str(&text);
}

static Str drawn_text(const TreeView *view, Arena *arena)
{
    const TreePlan *plan = view->plan;
    const char *drawn = str_cstr(arena, figure_count(plan->nodes_drawn, arena));
    const char *folded = str_cstr(arena, figure_count(plan->ops_folded, arena));
    Str text =
        str_printf(arena,
                   tr_count(plan->nodes_drawn, "%s node drawn, %s ops folded into the … rows",
                            "%s nodes drawn, %s ops folded into the … rows"),
                   drawn, folded);
    if (plan->rows_cut)
        text = str_printf(arena, tr("%s, %s rows left out"), str_cstr(arena, text),
                          str_cstr(arena, figure_count(plan->rows_cut, arena)));
    if (view->all_rows.size)
        text = str_printf(arena, tr("%s; every row that differs is in %s"), str_cstr(arena, text),
                          str_cstr(arena, view->all_rows));
    return text;
}

static void draw_mark_legend(const Grid *grid, double y)
{
    Scene *scene = grid->scene;
    Str in = str_of(tr("worst input")), out = str_of(tr("worst output"));
    double x = grid->axis.zero + 4;
    scene_circle(scene, x, y - 4, 3, ROLE_PAPER, ROLE_INK2)->paint.width = 1.2F;
    note_text(scene, x + 8, y, ANCHOR_START, in);
    x += 8 + text_width(in, SIZE_NOTE, 400) + 22;
    scene_circle(scene, x, y - 4, 3.6, ROLE_ERROR_TINT, ROLE_ERROR_FILL);
    note_text(scene, x + 9, y, ANCHOR_START, out);
    x += 9 + text_width(out, SIZE_NOTE, 400) + 20;
    if (!grid->axis.has_numbers || !error_floor_counts(grid->view->outline->comparison))
        return;
    Str floor_word = error_floor_word(grid->view->outline->comparison, &grid->range, scene->arena);
    if (x + 19 + text_width(floor_word, SIZE_NOTE, 400) > grid->right)
        return;
    scene_box(scene, x, y - 10, 14, 12, ROLE_NOISEBAND, ROLE_NONE);
    note_text(scene, x + 19, y, ANCHOR_START, floor_word);
}

static double draw_foot(const Grid *grid, double y)
{
    Scene *scene = grid->scene;
    Arena *arena = scene->arena;
    const Comparison *comparison = grid->view->outline->comparison;
    section_rule(scene, y + 2);
    Str drawn = drawn_text(grid->view, arena);
    fitted_text(scene, grid->left, y + 20, SIZE_NOTE, 400, ROLE_INK2,
                grid->axis.zero - grid->left - 16, drawn);
    if (comparison->mode != MODE_STRUCTURE)
        draw_mark_legend(grid, y + 20);
    StrBuf legend = strbuf_new(arena);
    strbuf_add(&legend, rule_text(comparison, arena));
    if (comparison->mode != MODE_STRUCTURE)
        strbuf_add(
            &legend,
            str_of(evidence_same_by(comparison) == SAME_BY_BITS
                       ? tr("; inherited = an input already differs; “=” bit for bit; “0” equal "
                            "norms")
                       : tr("; inherited = an input already differs; “=” same statistics; “0” "
                            "equal norms")));
    strbuf_add(&legend, str_of(tr(".  ")));
    strbuf_add(&legend, counts_text(comparison, arena));
    WrapRule rule = {.size = SIZE_NOTE,
                     .weight = 400,
                     .width = grid->right - grid->left,
                     .after = " ",
                     .even = true,
                     .lines = 3};
    Str lines[3];
    size_t count = figure_wrap(strbuf_str(&legend), &rule, arena, lines);
    for (size_t i = 0; i < count; i++)
        note_text(scene, grid->left, y + 40 + 16 * (double)i, ANCHOR_START, lines[i]);
    return y + 40 + 16 * (double)count + 8;
}

static Str continued_text(const Grid *grid)
{
    const TreeView *view = grid->view;
    const TreeRow *first = &view->plan->items[view->from];
    Arena *arena = grid->scene->arena;
    Str text = outline_continued(view->outline, &view->outline->sections[first->section],
                                 first->kind == TREE_SECTION ? PAIR_NONE : first->row, arena);
    return text_fit(text, SIZE_TEXT, 400, grid->right - grid->left - 300, arena);
}

double tree_draw(Scene *scene, const TreeView *view, double y)
{
    LabelSet labels = {0};
    Grid grid = {.scene = scene,
                 .view = view,
                 .left = PAGE_MARGIN,
                 .right = PAGE_WIDTH - PAGE_MARGIN,
                 .labels = &labels};
    place_counts(&grid);
    place_axis(&grid);
    Str note = view->from ? continued_text(&grid)
                          : str_of(tr("open along the path to the first divergence; what agrees is "
                                      "folded and counted"));
    section_heading(scene, grid.left, y + 26, SIZE_HEADING, str_of(tr("Divergence tree")), note);
    double top = y + 36;
    draw_head(&grid, top);
    draw_rows(&grid, top + 29);
    return draw_foot(&grid, row_bottom(&grid, top + 29));
}
