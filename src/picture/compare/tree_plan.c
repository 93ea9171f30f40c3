// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/tree_plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "picture/compare/node_name.h"
#include "verdict/figure_text.h"

// 1. Mark the rows that must be seen and open everything above them.
// 2. Cut every open row's children into units: single rows, runs that agree, runs of repeats.
// 3. Where there are more units than the cap, keep the most telling and fold the others.
// 4. If the budget is exceeded all the same, do it again with smaller caps.

enum {
    MARK_OPEN = 1,  // its children are shown
    MARK_WIDE = 2,  // on the path to the first divergence: its other children are shown too
    MARK_KEEP = 4,  // has a row of its own
    DEFAULT_ROWS = 52,
    DEEPEST = 12,  // open rows below each other; the middle of a longer path is one row
    PATH_HEAD = 5,
    ORIGINS_PER_PARENT = 2,
};

typedef struct Caps {
    uint32_t wide, tops, narrow, origins;
} Caps;

typedef struct Rows {
    uint32_t *items;
    size_t count, capacity;
} Rows;

typedef struct Unit {
    size_t from, end;  // in Units.rows
    bool fold, agrees, alike;
    int score;
} Unit;

typedef struct Units {
    const uint32_t *rows;  // the siblings that are cut into units
    Unit *items;
    size_t count, capacity;
} Units;

typedef struct OpenRow {
    Units units;
    size_t at;
    uint32_t indent;
} OpenRow;

typedef struct OpenRows {
    OpenRow *items;
    size_t count, capacity;
} OpenRows;

typedef struct Planner {
    const Outline *outline;
    const Comparison *comparison;
    const Flags *flags;
    const TreeLimits *limits;
    unsigned char *mark;
    bool *starts;         // by tree row: trouble starts in its subtree
    bool *worst_starts;   // by tree row: trouble as bad as its roll-up does
    uint32_t wide_depth;  // depth of the row that the wide path leads to
    Caps caps;
    SameBy same_by;
    Arena *arena, *scratch;
    TreePlan *out;
} Planner;

static void mark_path(Planner *planner, uint32_t row, unsigned char kind)
{
    planner->mark[row] |= MARK_KEEP;
    for (uint32_t at = planner->comparison->tree[row].parent; at != PAIR_NONE;
         at = planner->comparison->tree[at].parent)
        planner->mark[at] |= (unsigned char)(MARK_OPEN | MARK_KEEP | kind);
}

// Ops whose inputs agree while they do not: each is a place where trouble starts. Ops come after
// those inside them, so a row that is open already was explained from below.
static void mark_origins(Planner *planner)
{
    uint32_t left = planner->caps.origins;
    uint32_t parent = PAIR_NONE, siblings = 0;
    for (uint32_t op = 0; op < planner->comparison->op_count && left; op++) {
        const OpPair *pair = &planner->comparison->ops[op];
        uint32_t row = planner->outline->row_of_op[op];
        if (!status_differs((Status)pair->status) || pair->inherited || row == PAIR_NONE)
            continue;
        if (planner->mark[row] || planner->outline->section_of[row] == PAIR_NONE)
            continue;
        siblings = planner->comparison->tree[row].parent == parent ? siblings + 1 : 0;
        parent = planner->comparison->tree[row].parent;
        if (siblings >= ORIGINS_PER_PARENT)
            continue;
        mark_path(planner, row, 0);
        left--;
    }
}

// Modules without data of their own ("optimizer") say nothing while they are shut.
static void mark_containers(Planner *planner)
{
    const Outline *outline = planner->outline;
    uint32_t left = planner->caps.origins;
    for (uint32_t i = 0; i < outline->top_count && left; i++) {
        const TreeNode *top = &planner->comparison->tree[outline->tops[i]];
        if (top->pair != PAIR_NONE || !status_differs((Status)top->rollup))
            continue;
        planner->mark[outline->tops[i]] |= MARK_OPEN | MARK_KEEP;
        left--;
    }
}

static void mark_depth(Planner *planner)
{
    for (uint32_t row = 0; row < planner->comparison->tree_count; row++)
        if (planner->comparison->tree[row].depth < planner->limits->depth)
            planner->mark[row] |= MARK_OPEN | MARK_WIDE;
}

// A node that was asked for is open, and so many of its children have rows of their own.
static void mark_focus(Planner *planner, uint32_t focus)
{
    planner->mark[focus] |= MARK_OPEN | MARK_WIDE;
    uint32_t left = planner->caps.wide;
    for (uint32_t child = outline_first(planner->outline, focus); child != PAIR_NONE && left;
         child = outline_next(planner->outline, child), left--)
        planner->mark[child] |= MARK_KEEP;
}

static void mark_rows(Planner *planner)
{
    memset(planner->mark, 0, planner->comparison->tree_count);
    const TreeLimits *limits = planner->limits;
    planner->wide_depth = 0;
    uint32_t wide = 0;
    if (limits->focus && limits->focus < planner->comparison->tree_count)
        wide = limits->focus;
    else if (planner->flags->count)
        wide = planner->flags->items[0].row;
    if (wide) {
        mark_path(planner, wide, MARK_WIDE);
        planner->wide_depth = planner->comparison->tree[wide].depth;
        if (limits->focus)
            mark_focus(planner, wide);
    }
    for (size_t i = 0; i < planner->flags->count; i++)
        mark_path(planner, planner->flags->items[i].row, 0);
    mark_origins(planner);
    mark_containers(planner);
    if (limits->depth)
        mark_depth(planner);
}

// Where all that passes does so within its floor the row is plain, else it is hollow.
static void mark_plain_passes(Planner *planner)
{
    const Comparison *comparison = planner->comparison;
    for (uint32_t row = comparison->tree_count; row-- > 0;) {
        const TreeNode *at = &comparison->tree[row];
        if (at->rollup != STATUS_PASS)
            continue;
        planner->worst_starts[row] = !at->inherited;
        for (uint32_t child = at->first_child; child != PAIR_NONE;
             child = comparison->tree[child].next)
            if (comparison->tree[child].rollup == STATUS_PASS && !planner->worst_starts[child])
                planner->worst_starts[row] = false;
    }
}

static void find_starts(Planner *planner)
{
    const Comparison *comparison = planner->comparison;
    for (uint32_t row = comparison->tree_count; row-- > 0;) {
        const TreeNode *at = &comparison->tree[row];
        if (status_differs((Status)at->status) && !at->inherited)
            planner->starts[row] = true;
        if (planner->starts[row] && at->parent != PAIR_NONE)
            planner->starts[at->parent] = true;
        if (planner->starts[row] && at->status == at->rollup && !at->inherited)
            planner->worst_starts[row] = true;
        if (planner->worst_starts[row] && at->parent != PAIR_NONE &&
            comparison->tree[at->parent].rollup == at->rollup)
            planner->worst_starts[at->parent] = true;
    }
    mark_plain_passes(planner);
}

static bool agrees(const TreeNode *row)
{
    return row->rollup == STATUS_SAME || row->rollup == STATUS_NO_DATA;
}

static bool tolerated(const TreeNode *row)
{
    return !status_differs((Status)row->rollup);
}

static bool is_leaf(const Planner *planner, uint32_t row)
{
    return outline_first(planner->outline, row) == PAIR_NONE;
}

// How far a run reaches from siblings[from]: those that `fits` accepts and that have no mark.
typedef bool (*RunRule)(const Planner *planner, uint32_t first, uint32_t row);

// A module of which nothing was compared is not named among those that agree.
static bool as_compared(const Planner *planner, uint32_t first, uint32_t row)
{
    const TreeNode *tree = planner->comparison->tree;
    bool nothing = tree[row].rollup == STATUS_NO_DATA;
    return (is_leaf(planner, first) && is_leaf(planner, row)) ||
           nothing == (tree[first].rollup == STATUS_NO_DATA);
}

static bool rule_agrees(const Planner *planner, uint32_t first, uint32_t row)
{
    return agrees(&planner->comparison->tree[row]) && as_compared(planner, first, row);
}

static bool rule_tolerated(const Planner *planner, uint32_t first, uint32_t row)
{
    return tolerated(&planner->comparison->tree[row]) && as_compared(planner, first, row);
}

static bool rule_alike(const Planner *planner, uint32_t first, uint32_t row)
{
    const TreeNode *a = &planner->comparison->tree[first], *b = &planner->comparison->tree[row];
    bool leaf = is_leaf(planner, first);
    if (leaf != is_leaf(planner, row) || (!leaf && a->rollup != b->rollup))
        return false;
    return node_alike(planner->comparison, first, row);
}

static size_t run_end(const Planner *planner, const Rows *rows, size_t from, RunRule fits)
{
    size_t end = from;
    while (end < rows->count && !planner->mark[rows->items[end]] &&
           fits(planner, rows->items[from], rows->items[end]))
        end++;
    return end;
}

static int severity(const Planner *planner, uint32_t row)
{
    Status rollup = (Status)planner->comparison->tree[row].rollup;
    return status_severity(rollup) * 2 + (planner->starts[row] ? 1 : 0);
}

static int unit_score(const Planner *planner, uint32_t row)
{
    if (planner->mark[row] & MARK_KEEP)
        return 1000;
    return severity(planner, row) + (is_leaf(planner, row) ? 0 : 10);
}

static void cut_units(Planner *planner, const Rows *rows, Units *units)
{
    units->rows = rows->items;
    for (size_t i = 0; i < rows->count;) {
        size_t end = i + 1;
        bool agree = false, alike = false;
        if (!planner->mark[rows->items[i]]) {
            size_t same = run_end(planner, rows, i, rule_agrees);
            size_t pass = run_end(planner, rows, i, rule_tolerated);
            size_t like = run_end(planner, rows, i, rule_alike);
            agree = same > i;
            if (agree)
                end = same;
            if (pass > end + 1)
                end = pass, agree = true;
            alike = !agree && like - i >= (is_leaf(planner, rows->items[i]) ? 4 : 2);
            if (alike)
                end = like;
        }
        *ARRAY_PUSH(planner->scratch, units) = (Unit){.from = i,
                                                      .end = end,
                                                      .fold = agree || alike,
                                                      .agrees = agree,
                                                      .alike = alike,
                                                      .score = unit_score(planner, rows->items[i])};
        i = end;
    }
}

// The most telling units first, the earlier of equals.
typedef struct Choice {
    int score;
    size_t unit;
} Choice;

static int compare_choices(const void *a, const void *b)
{
    const Choice *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return x->unit < y->unit ? -1 : 1;
}

static size_t rows_when(const Units *units, const bool *shown)
{
    size_t rows = 0;
    for (size_t i = 0; i < units->count; i++)
        rows += shown[i] || i == 0 || shown[i - 1];
    return rows;
}

// Which units keep rows of their own, so that there are at most `cap` rows; those that must be seen
// always do.
static bool *choose_units(Planner *planner, const Units *units, uint32_t cap)
{
    bool *shown = ARENA_ARRAY(planner->scratch, bool, units->count);
    Choice *choices = ARENA_ARRAY(planner->scratch, Choice, units->count);
    size_t must = 0;
    for (size_t i = 0; i < units->count; i++) {
        choices[i] = (Choice){units->items[i].score, i};
        must += units->items[i].score >= 1000;
    }
    qsort(choices, units->count, sizeof *choices, compare_choices);
    size_t keep = units->count;
    if (keep > cap)
        keep = cap > must ? cap : must;
    for (size_t i = 0; i < keep; i++)
        shown[choices[i].unit] = true;
    while (keep > must && rows_when(units, shown) > cap)
        shown[choices[--keep].unit] = false;
    return shown;
}

static void fold_rest(Planner *planner, Units *units, uint32_t cap)
{
    bool *shown = choose_units(planner, units, cap);
    size_t kept = 0;
    for (size_t i = 0; i < units->count; i++) {
        Unit unit = units->items[i];
        if (shown[i] || i == 0 || shown[i - 1]) {
            units->items[kept++] = unit;
            continue;
        }
        Unit *into = &units->items[kept - 1];
        into->end = unit.end;
        into->agrees = into->agrees && unit.agrees;
        into->alike = false;
        into->fold = true;
    }
    units->count = kept;
}

static void add_counts(TreeRow *row, const TreeNode *node)
{
    for (int status = 0; status < STATUS_COUNT; status++)
        row->counts[status] += node->counts[status];
}

// Names of a folded run: all of them when they are few, else the first and the last.
static Str run_names(const Planner *planner, const uint32_t *rows, size_t count)
{
    Arena *arena = planner->arena;
    Str first = node_name(planner->comparison, rows[0], arena).local;
    if (count > 3)
        return str_printf(arena, STR_FMT " … " STR_FMT, STR_ARG(first),
                          STR_ARG(node_name(planner->comparison, rows[count - 1], arena).local));
    StrBuf names = strbuf_new(arena);
    strbuf_add(&names, first);
    for (size_t i = 1; i < count; i++)
        strbuf_printf(&names, ", " STR_FMT,
                      STR_ARG(node_name(planner->comparison, rows[i], arena).local));
    return strbuf_str(&names);
}

static Str agree_text(const Planner *planner, const char *names, bool tolerance, bool many)
{
    Arena *arena = planner->arena;
    if (tolerance && many)
        return str_printf(arena, tr("%s agree within tolerance"), names);
    if (tolerance)
        return str_printf(arena, tr("%s agrees within tolerance"), names);
    if (planner->same_by == SAME_BY_STATISTICS)
        return str_printf(arena, tr("%s: same statistics"), names);
    if (many)
        return str_printf(arena, tr("%s agree bit for bit"), names);
    return str_printf(arena, tr("%s agrees bit for bit"), names);
}

static Str fold_text(const Planner *planner, const Unit *unit, const uint32_t *rows,
                     const TreeRow *row)
{
    Arena *arena = planner->arena;
    size_t count = unit->end - unit->from;
    if (unit->alike && is_leaf(planner, rows[0]))
        return str_printf(arena, STR_FMT " ×%zu",
                          STR_ARG(node_kind_name(planner->comparison, rows[0], arena)), count);
    const char *names = str_cstr(arena, run_names(planner, rows, count));
    if (unit->agrees && planner->comparison->mode == MODE_STRUCTURE)
        return str_printf(arena, tr("%s: names, shapes and types agree"), names);
    if (unit->alike)
        return str_printf(arena, tr("%s ×%zu, similar"), names, count);
    if (unit->agrees && row->counts[STATUS_SAME] + row->counts[STATUS_PASS] == 0)
        return str_printf(arena, tr("%s: nothing to compare"), names);
    if (unit->agrees) {
        Str text = agree_text(planner, names, row->worst == STATUS_PASS, count > 1);
        uint32_t silent = row->counts[STATUS_NO_DATA];
        return silent == 0
                   ? text
                   : str_printf(arena,
                                tr_count(silent, STR_FMT "; %s op without data",
                                         STR_FMT "; %s ops without data"),
                                STR_ARG(text), str_cstr(arena, figure_count(silent, arena)));
    }
    uint32_t ops = 0;
    for (int status = 0; status < STATUS_COUNT; status++)
        ops += row->counts[status];
    if (ops == count && count <= 3)
        return str_of(names);
    return str_printf(arena, tr("%s, %s ops"), names, str_cstr(arena, figure_count(ops, arena)));
}

static void add_errors(const Planner *planner, TreeRow *row, const TreeNode *node)
{
    if (node->pair == PAIR_NONE)
        return;
    ErrorMark in = error_unsaid(planner->comparison, node->pair, OP_INPUTS);
    ErrorMark out = error_unsaid(planner->comparison, node->pair, OP_OUTPUTS);
    row->in = row->has_errors ? error_worse(row->in, in) : in;
    row->out = row->has_errors ? error_worse(row->out, out) : out;
    row->has_errors = true;
}

// A sibling speaks for what is below it, unless that is worse than itself.
static void add_subtree_errors(const Planner *planner, TreeRow *row, uint32_t sibling)
{
    const TreeNode *tree = planner->comparison->tree;
    bool worse_below = status_differs((Status)tree[sibling].rollup) &&
                       !status_differs((Status)tree[sibling].status);
    uint32_t end = worse_below ? tree[sibling].end : sibling + 1;
    for (uint32_t at = sibling; at < end; at++)
        add_errors(planner, row, &tree[at]);
}

static TreeRow *new_row(Planner *planner, TreeRowKind kind, uint32_t at, uint32_t indent)
{
    TreeRow *row = ARRAY_PUSH(planner->arena, planner->out);
    row->kind = kind;
    row->row = at;
    row->indent = indent;
    row->section = planner->outline->section_of[at];
    return row;
}

static void emit_node(Planner *planner, uint32_t at, uint32_t indent)
{
    const TreeNode *node = &planner->comparison->tree[at];
    TreeRow *row = new_row(planner, TREE_NODE, at, indent);
    add_counts(row, node);
    // A module without data of its own shows what is in it while it is shut.
    bool container = node->pair == PAIR_NONE && !(planner->mark[at] & MARK_OPEN);
    for (uint32_t below = at; below < (container ? node->end : at + 1); below++)
        add_errors(planner, row, &planner->comparison->tree[below]);
    row->has_counts = !is_leaf(planner, at);
    row->worst = (Status)node->rollup;
    row->worst_starts = planner->worst_starts[at];
    planner->out->nodes_drawn++;
}

static void emit_fold(Planner *planner, const Units *units, const Unit *unit, uint32_t indent)
{
    const uint32_t *rows = units->rows + unit->from;
    TreeRow *row = new_row(planner, TREE_FOLD, rows[0], indent);
    for (size_t i = 0; i < unit->end - unit->from; i++) {
        const TreeNode *node = &planner->comparison->tree[rows[i]];
        add_counts(row, node);
        add_subtree_errors(planner, row, rows[i]);
        Status worst = status_worst(row->worst, (Status)node->rollup);
        bool raised = worst != row->worst;
        bool all = worst == STATUS_PASS && !raised && node->rollup == STATUS_PASS;
        bool mine = planner->worst_starts[rows[i]] && worst == (Status)node->rollup;
        row->worst_starts =
            all ? row->worst_starts && mine : (row->worst_starts && !raised) || mine;
        row->worst = worst;
        planner->out->ops_folded += row_ops(node);
    }
    row->has_counts = true;
    row->text = fold_text(planner, unit, rows, row);
}

static void collect_children(Planner *planner, uint32_t row, Rows *out)
{
    for (uint32_t child = outline_first(planner->outline, row); child != PAIR_NONE;
         child = outline_next(planner->outline, child))
        *ARRAY_PUSH(planner->scratch, out) = child;
}

static void push_rows(Planner *planner, OpenRows *frames, const Rows *rows, uint32_t indent,
                      uint32_t cap)
{
    OpenRow frame = {.indent = indent};
    cut_units(planner, rows, &frame.units);
    fold_rest(planner, &frame.units, cap);
    *ARRAY_PUSH(planner->scratch, frames) = frame;
}

// The middle of a path that is too long for the page is one row; gives the place where it goes on.
static uint32_t skip_levels(Planner *planner, uint32_t row, uint32_t indent)
{
    enum { PATH_TAIL = DEEPEST - PATH_HEAD - 1 };
    const TreeNode *tree = planner->comparison->tree;
    bool wide = planner->mark[row] & MARK_WIDE;
    if (!wide || indent != PATH_HEAD || planner->wide_depth < tree[row].depth + PATH_TAIL + 3U)
        return row;
    uint32_t below = row, levels = 0;
    while (tree[below].depth + (uint32_t)PATH_TAIL < planner->wide_depth) {
        uint32_t child = outline_first(planner->outline, below);
        while (child != PAIR_NONE && !(planner->mark[child] & MARK_WIDE))
            child = outline_next(planner->outline, child);
        if (child == PAIR_NONE)
            break;
        below = child;
        levels++;
    }
    TreeRow *cut = new_row(planner, TREE_FOLD, row, indent + 1);
    cut->text = str_printf(
        planner->arena, tr_count(levels ? levels - 1 : 0, "%u level between", "%u levels between"),
        levels ? levels - 1 : 0);
    cut->worst = (Status)tree[row].rollup;
    cut->worst_starts = planner->worst_starts[row];
    emit_node(planner, below, indent + 1);
    return below;
}

static void open_node(Planner *planner, OpenRows *frames, uint32_t at, uint32_t indent)
{
    if (indent >= DEEPEST)
        return;
    uint32_t row = skip_levels(planner, at, indent);
    Rows children = {0};
    collect_children(planner, row, &children);
    bool wide = planner->mark[row] & MARK_WIDE;
    if (children.count)
        push_rows(planner, frames, &children, indent + 1 + (row != at),
                  wide ? planner->caps.wide : planner->caps.narrow);
}

static void emit_frames(Planner *planner, OpenRows *frames)
{
    while (frames->count) {
        OpenRow *frame = &frames->items[frames->count - 1];
        if (frame->at == frame->units.count) {
            frames->count--;
            continue;
        }
        Units units = frame->units;
        const Unit *unit = &units.items[frame->at++];
        uint32_t indent = frame->indent;
        if (unit->fold) {
            emit_fold(planner, &units, unit, indent);
            continue;
        }
        uint32_t at = units.rows[unit->from];
        emit_node(planner, at, indent);
        if (planner->mark[at] & MARK_OPEN)
            open_node(planner, frames, at, indent);
    }
}

static void emit_section_row(Planner *planner, uint32_t first, uint32_t last)
{
    const Outline *outline = planner->outline;
    TreeRow *row = ARRAY_PUSH(planner->arena, planner->out);
    *row = (TreeRow){.kind = TREE_SECTION, .section = first, .has_counts = true};
    for (uint32_t i = first; i <= last; i++) {
        const Section *section = &outline->sections[i];
        for (int status = 0; status < STATUS_COUNT; status++)
            row->counts[status] += section->counts[status];
        row->worst = status_worst(row->worst, section->worst);
        if (first != last)
            planner->out->ops_folded += section->ops;
    }
    row->text = section_name(outline, &outline->sections[first], planner->arena);
    if (first != last)
        row->text =
            str_printf(planner->arena, "… " STR_FMT " … " STR_FMT, STR_ARG(row->text),
                       STR_ARG(section_name(outline, &outline->sections[last], planner->arena)));
}

static void emit_section(Planner *planner, uint32_t index)
{
    const Section *section = &planner->outline->sections[index];
    emit_section_row(planner, index, index);
    Rows tops = {.items = planner->outline->tops + section->first, .count = section->count};
    uint32_t cap = planner->caps.tops;
    for (uint32_t i = 0; i < section->count; i++)
        if (planner->mark[tops.items[i]] & MARK_WIDE)
            cap = planner->caps.wide;
    OpenRows frames = {0};
    push_rows(planner, &frames, &tops, 0, cap);
    emit_frames(planner, &frames);
}

static bool is_busy(const Planner *planner, const Section *section)
{
    for (uint32_t i = 0; i < section->count; i++)
        if (planner->mark[planner->outline->tops[section->first + i]] & MARK_KEEP)
            return true;
    return false;
}

// With many micro steps, neighbours that nothing points at share a row: those that agree, those
// that do not.
static void emit_sections(Planner *planner)
{
    const Outline *outline = planner->outline;
    bool many = outline->section_count > 6;
    for (uint32_t i = 0; i < outline->section_count;) {
        uint32_t end = i;
        while (many && end < outline->section_count &&
               outline->sections[end].kind != SECTION_AFTER &&
               !is_busy(planner, &outline->sections[end]) &&
               status_differs(outline->sections[end].worst) ==
                   status_differs(outline->sections[i].worst))
            end++;
        if (end > i) {
            emit_section_row(planner, i, end - 1);
            i = end;
        } else {
            emit_section(planner, i++);
        }
    }
}

static void plan_once(Planner *planner)
{
    Arena *arena = planner->scratch;
    planner->scratch = arena_new();
    *planner->out = (TreePlan){0};
    mark_rows(planner);
    emit_sections(planner);
    arena_release(planner->scratch);
    planner->scratch = arena;
}

void tree_plan(const Outline *outline, const Flags *flags, const TreeLimits *limits, Arena *arena,
               TreePlan *out)
{
    static const Caps tries[] = {
        {0, 0, 3, 40}, {24, 10, 3, 16}, {16, 8, 3, 8}, {12, 7, 2, 4},
        {8, 6, 2, 2},  {6, 4, 1, 0},    {4, 2, 1, 0},
    };
    const Comparison *comparison = outline->comparison;
    *out = (TreePlan){0};
    uint32_t budget = limits->rows ? limits->rows : DEFAULT_ROWS;
    Planner planner = {.outline = outline,
                       .comparison = comparison,
                       .same_by = evidence_same_by(comparison),
                       .flags = flags,
                       .limits = limits,
                       .scratch = arena_new(),
                       .arena = arena,
                       .out = out};
    planner.mark = ARENA_ARRAY(planner.scratch, unsigned char, comparison->tree_count);
    planner.starts = ARENA_ARRAY(planner.scratch, bool, comparison->tree_count);
    planner.worst_starts = ARENA_ARRAY(planner.scratch, bool, comparison->tree_count);
    find_starts(&planner);
    size_t first = budget > 2 * DEFAULT_ROWS ? 0 : 1;
    for (size_t i = first; i < sizeof tries / sizeof *tries; i++) {
        planner.caps = tries[i];
        if (i == 0)
            planner.caps.wide = planner.caps.tops = budget / 3;
        plan_once(&planner);
        if (out->count <= budget)
            break;
    }
    size_t most = limits->most > budget ? limits->most : budget;
    if (out->count > most) {
        out->rows_cut = (uint32_t)(out->count - most);
        out->count = most;
    }
    for (size_t i = 0; i < out->count; i++) {
        TreeRow *row = &out->items[i];
        if (row->has_errors) {
            row->in = error_said(row->in, arena);
            row->out = error_said(row->out, arena);
        }
    }
    arena_release(planner.scratch);
}
