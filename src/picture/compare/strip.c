// SPDX-License-Identifier: Apache-2.0
#include "picture/compare/strip.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "compare/evidence.h"
#include "compare/judge/judge.h"
#include "compare/judge/op_error.h"
#include "picture/compare/node_name.h"
#include "picture/compare/strip_axis.h"
#include "picture/compare/strip_columns.h"
#include "picture/kit/chip.h"
#include "picture/kit/error_axis.h"
#include "picture/kit/page.h"
#include "scene/text_width.h"
#include "verdict/figure_text.h"

enum {
    CELL_PITCH = 17,
    CELL_HEIGHT = 15,
    MAX_TIERS = 8,
    BINNED_TIERS = 4,
    LABEL_WIDTH = STRIP_LEFT - PAGE_MARGIN,
    MAX_CELLS = 600,  // drawn one by one, in all bands
    FULL_MICRO_STEPS = 2,
    THIN_BANDS = 12,
    THIN_PITCH = 14,
    BIN_PX = 2,
    NARROWEST = 3,  // px; below that columns share bins
};

// One section as drawn: which side of which columns.
typedef struct Band {
    Scene *scene;
    const Outline *outline;
    const StripLooks *looks;
    const Section *section;
    const StripColumns *columns;
    int side;
    double x, width, y;
    double least_cell;  // px; narrower cells are drawn as bins
    uint32_t tiers;
} Band;

// How bad a fill looks: bins show the worst. What starts here beats what is inherited.
static int look_rank(Status status, bool inherited)
{
    bool starts = status_differs(status) && (!inherited || status == STATUS_UNMATCHED);
    return 1 + 2 * status_severity(status) + (starts ? STATUS_COUNT : 0) +
           (status == STATUS_PASS && inherited);
}

static StatusLook rank_look(int rank)
{
    for (int status = 0; status < STATUS_COUNT; status++)
        for (int inherited = 0; inherited < 2; inherited++)
            if (look_rank((Status)status, inherited != 0) == rank)
                return status_look((Status)status, inherited != 0);
    return status_look(STATUS_NO_DATA, false);
}

uint32_t same_chip(const Comparison *comparison)
{
    static const uint32_t chips[] = {[SAME_BY_BITS] = CHIP_BITS,
                                     [SAME_BY_STATISTICS] = CHIP_STATISTICS,
                                     [SAME_BY_STRUCTURE] = CHIP_STRUCTURE};
    return chips[evidence_same_by(comparison)];
}

uint32_t op_chip(const Comparison *comparison, const OpPair *pair)
{
    bool tint = pair->inherited && pair->status >= STATUS_PASS && pair->status <= STATUS_ERROR;
    bool unknown = tint && status_differs((Status)pair->status) && op_inputs_unknown(pair) &&
                   comparison->golden->dump->ops[pair->golden].kind != OP_GRADS;
    return 1U << (pair->status + (tint ? 8 : 0)) | (unknown ? CHIP_UNKNOWN : 0);
}

// Which statuses occur, for chip_legend.
static uint32_t statuses_shown(const Comparison *comparison)
{
    uint32_t shown = same_chip(comparison);
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *pair = &comparison->ops[i];
        shown |= op_chip(comparison, pair);
    }
    return shown;
}

Str row_title(const Outline *outline, uint32_t row, Arena *arena)
{
    const Comparison *comparison = outline->comparison;
    const TreeNode *at = &comparison->tree[row];
    Str name = node_name(comparison, row, arena).full;
    Str word = status_label((Status)at->status, at->inherited);
    if (at->pair == PAIR_NONE)
        return name;
    ErrorMark in = error_of_op(comparison, at->pair, OP_INPUTS, arena);
    ErrorMark out = error_of_op(comparison, at->pair, OP_OUTPUTS, arena);
    Str errors = str_printf(arena, tr("in %s → out %s"), str_cstr(arena, in.text),
                            str_cstr(arena, out.text));
    return str_printf(arena, STR_FMT " · " STR_FMT " · " STR_FMT, STR_ARG(name), STR_ARG(word),
                      STR_ARG(errors));
}

// `right`: px at the right end of the cell that a mark has.
static void draw_label(const Band *band, const StripColumn *column, double base, double right,
                       Role ink)
{
    Arena *arena = band->scene->arena;
    uint32_t row = column->row[band->side];
    double room = column->width - right - 8;
    if (room < 12)
        return;
    Str label = node_name(band->outline->comparison, row, arena).local;
    if (text_width(label, SIZE_TINY, 400) > room)
        return;
    scene_text(band->scene, column->x + (column->width - right - 2) / 2, base, SIZE_TINY, 400,
               ANCHOR_MIDDLE, ink, label);
}

static bool is_worse_below(const TreeNode *row)
{
    return status_worst((Status)row->rollup, (Status)row->status) != (Status)row->status;
}

// The worst below a row shows at its foot only where it is worse than the row itself.
static bool has_foot(const TreeNode *row)
{
    return status_differs((Status)row->rollup) && is_worse_below(row);
}

static void draw_foot(const Band *band, Role role, double x, double y, double width)
{
    scene_box(band->scene, x + 1, y + CELL_HEIGHT - 3, width - 2, 3, role, ROLE_NONE);
}

// NaN on both sides agrees by its status and is a fault of both runs.
static bool holds_nan(const Comparison *comparison, uint32_t op)
{
    const OpPair *pair = &comparison->ops[op];
    return !status_differs((Status)pair->status) && (op_nan_in_both(comparison, pair, OP_OUTPUTS) ||
                                                     op_nan_in_both(comparison, pair, OP_INPUTS));
}

static void draw_cell(const Band *band, const StripColumn *column, double y)
{
    const StripLooks *looks = band->looks;
    uint32_t row = column->row[band->side];
    StatusLook look = looks->look(looks->rank(looks->of, row));
    double half = look.edge_width / 2.0;
    double width = column->width - 2;
    Item *box = scene_box(band->scene, column->x + half, y + half, width - 2 * half,
                          CELL_HEIGHT - 2 * half, look.fill, look.edge);
    box->paint.width = look.edge_width;
    box->as.box.hatch = look.fill == ROLE_UNMATCHED_FILL;
    if (look.edge == ROLE_NODATA_EDGE)
        box->paint.dash = box->paint.gap = 2;
    box->title = looks->title(looks->of, row, band->scene->arena);
    bool crossed = looks->crossed && looks->crossed(looks->of, row);
    if (crossed)
        cross_draw(band->scene, column->x + width - 5, y + CELL_HEIGHT / 2.0, 3);
    Role foot = column->first_child != COLUMN_NONE ? looks->foot(looks->of, row) : ROLE_NONE;
    if (foot)
        draw_foot(band, foot, column->x, y, width);
    if (!box->as.box.hatch)
        draw_label(band, column, y + (foot ? 9.5 : 11), crossed ? 8 : 0, look.ink);
}

// The rectangles of one look as one path: a narrow band stays small in the file.
// Bins of BIN_PX px along a band; each holds a rank, 0 where nothing is.
typedef struct Bins {
    unsigned char *rank;
    size_t count;
    double x;
} Bins;

static Bins bins_new(Arena *arena, double x, double width)
{
    size_t count = (size_t)ceil(width / BIN_PX);
    return (Bins){ARENA_ARRAY(arena, unsigned char, count), count, x};
}

static void bins_add(Bins *bins, double x, double width, int rank)
{
    if (!bins->count)
        return;
    double from = floor((x - bins->x) / BIN_PX + 1e-6);
    double to = ceil((x - bins->x + width) / BIN_PX - 1e-6);
    size_t first = from < 0 ? 0 : (size_t)from;
    size_t end = to < 0 ? 0 : (size_t)to;
    if (first >= bins->count)
        first = bins->count - 1;
    if (end <= first)
        end = first + 1;
    for (size_t i = first; i < end && i < bins->count; i++)
        if (rank > bins->rank[i])
            bins->rank[i] = (unsigned char)rank;
}

// What is calm keeps its border, so that it is seen at all; trouble is a plain fill.
static void draw_runs_of(Scene *scene, const StripLooks *looks, const PathSteps *runs, int rank)
{
    StatusLook look = looks->look(rank);
    bool calm = rank <= looks->calm || look.fill == ROLE_PAPER;
    scene_path(scene, runs->items, runs->count, look.fill, calm ? look.edge : ROLE_NONE);
}

static void bins_draw(Scene *scene, const StripLooks *looks, const Bins *bins, double y,
                      double height)
{
    Arena *scratch = arena_new();
    for (int rank = 1; rank < STRIP_RANKS; rank++) {
        PathSteps runs = {0};
        for (size_t i = 0; i < bins->count;) {
            size_t end = i + 1;
            while (end < bins->count && bins->rank[end] == bins->rank[i])
                end++;
            if (bins->rank[i] == rank)
                steps_box(&runs, scratch, bins->x + BIN_PX * (double)i, y,
                          BIN_PX * (double)(end - i), height);
            i = end;
        }
        if (runs.count)
            draw_runs_of(scene, looks, &runs, rank);
    }
    arena_release(scratch);
}

static bool is_last_tier(const Band *band, uint32_t tier)
{
    return tier + 1 == band->tiers;
}

// The last tier of a band whose depth is cut stands for all that is below it.
static int tier_rank(const Band *band, const StripColumn *column, uint32_t tier)
{
    const StripLooks *looks = band->looks;
    uint32_t row = column->row[band->side];
    int below = is_last_tier(band, tier) && column->first_child != COLUMN_NONE
                    ? looks->below(looks->of, row)
                    : 0;
    return below ? below : looks->rank(looks->of, row);
}

// The cells of a tier that are too narrow for titles of their own, gathered by look.
typedef struct Narrow {
    PathSteps runs[STRIP_RANKS];
    Bins bins;  // of those below NARROWEST px
    bool has_bins;
} Narrow;

static void add_narrow(const Band *band, const StripColumn *column, uint32_t tier, Narrow *narrow,
                       Arena *scratch)
{
    int rank = tier_rank(band, column, tier);
    steps_box(&narrow->runs[rank], scratch, column->x + 0.5, band->y + CELL_PITCH * tier + 0.5,
              column->width - 1.5, CELL_HEIGHT - 1);
}

static void add_binned(const Band *band, const StripColumn *column, uint32_t tier, Narrow *narrow,
                       Bins *ticks)
{
    int rank = tier_rank(band, column, tier);
    narrow->has_bins = true;
    bins_add(&narrow->bins, column->x, column->width - (column->width > NARROWEST ? 1 : 0), rank);
    if (rank >= band->looks->loud)
        bins_add(ticks, column->x, column->width, rank);
}

// How the cells of a tier are drawn. Where most are too narrow for borders, all but the widest are
// drawn like them: a mixture of looks would pass for a difference.
typedef struct TierWidths {
    double cell;    // px: at least so wide are drawn one by one
    double narrow;  // px: at least so wide are drawn where they are; below, columns share bins
} TierWidths;

static TierWidths tier_widths(const Band *band, uint32_t tier)
{
    uint32_t narrow = 0, tiny = 0, all = 0;
    for (uint32_t i = 1; i < band->columns->count; i++) {
        const StripColumn *column = &band->columns->items[i];
        if (column->tier != tier || column->row[band->side] == PAIR_NONE)
            continue;
        all++;
        narrow += column->width < band->least_cell;
        tiny += column->width < NARROWEST;
    }
    TierWidths out = {band->least_cell, NARROWEST};
    if (narrow * 2 > all)
        out.cell = fmax(out.cell, 40);
    if (tiny * 2 > narrow)
        out.narrow = out.cell;
    return out;
}

static void draw_tier(const Band *band, uint32_t tier, Bins *ticks)
{
    Arena *scratch = arena_new();
    TierWidths widths = tier_widths(band, tier);
    double y = band->y + CELL_PITCH * tier;
    Narrow narrow = {.bins = bins_new(scratch, band->x, band->width)};
    for (uint32_t i = 0; i + 1 < band->columns->count; i++) {
        const StripColumn *column = &band->columns->items[band->columns->order[i]];
        if (column->tier != tier || column->row[band->side] == PAIR_NONE)
            continue;
        if (column->width >= widths.cell)
            draw_cell(band, column, y);
        else if (column->width >= widths.narrow)
            add_narrow(band, column, tier, &narrow, scratch);
        else
            add_binned(band, column, tier, &narrow, ticks);
    }
    for (int rank = 1; rank < STRIP_RANKS; rank++)
        if (narrow.runs[rank].count)
            scene_path(band->scene, narrow.runs[rank].items, narrow.runs[rank].count,
                       band->looks->look(rank).fill, band->looks->look(rank).edge);
    if (narrow.has_bins)
        bins_draw(band->scene, band->looks, &narrow.bins, y, CELL_HEIGHT);
    arena_release(scratch);
}

static void draw_band_label(const Band *band)
{
    static const char *const names[] = {TR("Forward"), TR("Backward"), TR("After backward")};
    Scene *scene = band->scene;
    Arena *arena = scene->arena;
    double x = band->x - LABEL_WIDTH, y = band->y + 12;
    const Section *section = band->section;
    Str name = str_of(tr(names[section->kind]));
    fitted_text(scene, x, y, SIZE_STRONG, 600, ROLE_INK, LABEL_WIDTH - 8, name);
    if (band->outline->many_micro_steps && section->kind != SECTION_AFTER) {
        y += 16;
        note_text(scene, x, y, ANCHOR_START,
                  str_printf(arena, tr("micro step %u"), section->micro_step));
    }
    const char *arrow = band->side == SIDE_BACKWARD ? "←" : "→";
    const char *ops = str_cstr(arena, figure_count(section->ops, arena));
    note_text(scene, x, y + 16, ANCHOR_START,
              section->ops == 1 ? str_of(tr("1 op"))
                                : str_printf(arena, tr("%s ops, runs %s"), ops, arrow));
}

static void draw_bracket(Scene *scene, double from, double to, double y, Str label)
{
    PathStep steps[4] = {{.verb = PATH_MOVE, .x = from, .y = y - 4},
                         {.verb = PATH_LINE, .x = from, .y = y},
                         {.verb = PATH_LINE, .x = to, .y = y},
                         {.verb = PATH_LINE, .x = to, .y = y - 4}};
    scene_path(scene, steps, 4, ROLE_NONE, ROLE_RULE);
    note_text(scene, (from + to) / 2, y + 14, ANCHOR_MIDDLE, label);
}

// Under a band of loose ops: what runs of one kind there are. Returns the height used.
static double draw_runs(const Band *band)
{
    const Comparison *comparison = band->outline->comparison;
    const StripColumns *columns = band->columns;
    Arena *arena = band->scene->arena;
    double y = band->y + CELL_PITCH * band->tiers + 5;
    double used = 0;
    if (columns->tiers[band->side] != 1)
        return 0;
    for (uint32_t i = 0; i + 1 < columns->count;) {
        const StripColumn *first = &columns->items[columns->order[i]];
        uint32_t end = i + 1;
        while (end + 1 < columns->count &&
               node_alike(comparison, first->row[band->side],
                          columns->items[columns->order[end]].row[band->side]))
            end++;
        const StripColumn *last = &columns->items[columns->order[end - 1]];
        Str label = str_printf(arena, STR_FMT " ×%u",
                               STR_ARG(node_kind_name(comparison, first->row[band->side], arena)),
                               (unsigned)(end - i));
        double to = last->x + last->width - 2;
        if (end - i > 2 && text_width(label, SIZE_NOTE, 400) + 8 < to - first->x) {
            draw_bracket(band->scene, first->x, to, y, label);
            used = 20;
        }
        i = end;
    }
    return used;
}

// Above a band of bins: where an error starts.
static void draw_ticks(const Band *band, const Bins *ticks)
{
    Bins above = *ticks;
    bins_draw(band->scene, band->looks, &above, band->y - 6, 4);
}

static double draw_band(const Band *band)
{
    Arena *scratch = arena_new();
    Bins ticks = bins_new(scratch, band->x, band->width);
    for (uint32_t tier = 0; tier < band->tiers; tier++)
        draw_tier(band, tier, &ticks);
    draw_ticks(band, &ticks);
    draw_band_label(band);
    double used = 0;
    if (band->section->kind == SECTION_AFTER)
        used = draw_runs(band);
    arena_release(scratch);
    return fmax(CELL_PITCH * band->tiers + used, band->outline->many_micro_steps ? 48 : 32);
}

// Where a flagged row is in a band: its column, or that of the lowest drawn row above it.
static const StripColumn *flag_column(const Band *band, uint32_t row)
{
    const TreeNode *tree = band->outline->comparison->tree;
    const StripColumn *found = NULL;
    for (uint32_t i = 0; i + 1 < band->columns->count; i++) {
        const StripColumn *column = &band->columns->items[band->columns->order[i]];
        uint32_t at = column->row[band->side];
        if (at != PAIR_NONE && column->tier < band->tiers && at <= row && row < tree[at].end)
            found = column;
    }
    return found;
}

static void draw_flags(const Band *band, const Flags *flags)
{
    double last = -1e9;
    uint32_t section = (uint32_t)(band->section - band->outline->sections);
    for (size_t pass = 0; pass < flags->count; pass++) {
        const Flag *flag = &flags->items[pass];
        if (band->outline->section_of[flag->row] != section)
            continue;
        const StripColumn *column = flag_column(band, flag->row);
        if (!column)
            continue;
        double x = column->x + (column->width - 2) / 2;
        double disc = x;
        if (fabs(disc - last) < 18)
            disc = last + 18 <= band->x + band->width ? last + 18 : last - 18;
        disc = fmin(fmax(disc, band->x + 8), band->x + band->width - 8);
        last = disc;
        Role role = flag->number == 1 ? ROLE_ERROR_TEXT : ROLE_INK;
        scene_line(band->scene, disc, band->y - 11, x, band->y, role)->paint.width = 1.2F;
        disc_draw(band->scene, disc, band->y - 19, flag->number);
    }
}

static bool has_flag(const Outline *outline, const Flags *flags, const Section *section)
{
    for (size_t i = 0; i < flags->count; i++)
        if (outline->section_of[flags->items[i].row] == (uint32_t)(section - outline->sections))
            return true;
    return false;
}

static uint32_t shown_tiers(const StripColumns *columns, int side)
{
    uint32_t most = columns->count > 2000 ? BINNED_TIERS : MAX_TIERS;
    return columns->tiers[side] < most ? columns->tiers[side] : most;
}

typedef struct StripPart {
    const Section *forward, *backward;
} StripPart;

// The micro steps drawn in full: those that carry flags, in the order of the flags, else the first.
typedef struct FullSteps {
    uint32_t items[FULL_MICRO_STEPS];
    size_t count;
} FullSteps;

static bool is_full(const FullSteps *steps, uint32_t micro_step)
{
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i] == micro_step)
            return true;
    return false;
}

static FullSteps full_steps(const Outline *outline, const Flags *flags)
{
    FullSteps out = {0};
    for (size_t i = 0; i < flags->count && out.count < FULL_MICRO_STEPS; i++) {
        const Section *section = &outline->sections[outline->section_of[flags->items[i].row]];
        if (section->kind != SECTION_AFTER && !is_full(&out, section->micro_step))
            out.items[out.count++] = section->micro_step;
    }
    for (uint32_t i = 0; i < outline->section_count && out.count < FULL_MICRO_STEPS; i++)
        if (outline->sections[i].kind != SECTION_AFTER &&
            !is_full(&out, outline->sections[i].micro_step))
            out.items[out.count++] = outline->sections[i].micro_step;
    return out;
}

static uint32_t count_micro_steps(const Outline *outline)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < outline->section_count; i++)
        count += outline->sections[i].kind != SECTION_AFTER &&
                 (i == 0 || outline->sections[i].micro_step != outline->sections[i - 1].micro_step);
    return count;
}

// Sections [first, end) as one thin line of bins: every op at its place in the order.
static void draw_thin(Scene *scene, const Outline *outline, const StripLooks *looks, double y,
                      const uint32_t range[2])
{
    const Comparison *comparison = outline->comparison;
    const Section *first = &outline->sections[range[0]], *last = &outline->sections[range[1] - 1];
    Arena *scratch = arena_new();
    double x = PAGE_MARGIN + LABEL_WIDTH, width = scene->width - PAGE_MARGIN - x;
    Bins bins = bins_new(scratch, x, width);
    uint32_t total = 0, at = 0;
    for (uint32_t i = range[0]; i < range[1]; i++)
        total += outline->sections[i].ops;
    for (uint32_t i = first->first; i < last->first + last->count; i++)
        for (uint32_t row = outline->tops[i]; row < comparison->tree[outline->tops[i]].end; row++) {
            const TreeNode *node = &comparison->tree[row];
            if (node->pair == PAIR_NONE || at >= total)
                continue;
            bins_add(&bins, x + width * at / total, width / total, looks->rank(looks->of, row));
            at++;
        }
    bins_draw(scene, looks, &bins, y, THIN_PITCH - 4);
    Str label = first->micro_step == last->micro_step
                    ? str_printf(scene->arena, tr("micro step %u"), first->micro_step)
                    : str_printf(scene->arena, tr("micro steps %u–%u"), first->micro_step,
                                 last->micro_step);
    note_text(scene, PAGE_MARGIN, y + 9, ANCHOR_START, label);
    arena_release(scratch);
}

static uint32_t micro_step_end(const Outline *outline, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < outline->section_count && outline->sections[end].kind != SECTION_AFTER &&
           outline->sections[end].micro_step == outline->sections[from].micro_step)
        end++;
    return end;
}

typedef struct StripState {
    Scene *scene;
    const Outline *outline;
    const Flags *flags;
    const StripLooks *looks;
    double y;
    FullSteps full;
    bool after_thin;
    uint32_t per_thin;  // micro steps joined in one thin line
    uint32_t cut_at;    // the fewest levels drawn of a part that has more; 0: none has
} StripState;

static void draw_part(StripState *state, const StripPart *part)
{
    Scene *scene = state->scene;
    const Outline *outline = state->outline;
    const Flags *flags = state->flags;
    Arena *scratch = arena_new();
    StripColumns columns;
    Band band = {.scene = scene, .outline = outline, .looks = state->looks, .columns = &columns};
    band.x = PAGE_MARGIN + LABEL_WIDTH;
    band.width = scene->width - PAGE_MARGIN - band.x;
    columns_build(outline, part->forward, part->backward, scratch, &columns);
    columns_place(&columns, band.x, band.width + 2);
    const uint32_t tiers[2] = {shown_tiers(&columns, 0), shown_tiers(&columns, 1)};
    band.least_cell = columns_least_width(&columns, tiers, MAX_CELLS / 2);
    const Section *sections[2] = {part->forward, part->backward};
    for (int side = 0; side < 2; side++) {
        if (!sections[side])
            continue;
        band.section = sections[side];
        band.side = side;
        band.tiers = tiers[side];
        if (tiers[side] < columns.tiers[side])
            state->cut_at =
                state->cut_at && state->cut_at < tiers[side] ? state->cut_at : tiers[side];
        bool flagged = has_flag(outline, flags, sections[side]);
        band.y = state->y + (flagged ? 42 : 20);
        state->y = band.y + draw_band(&band);
        draw_flags(&band, flags);
        if (side == 0 && sections[0]->kind != SECTION_AFTER)
            strip_axis_draw(scene, outline->comparison, &columns, side,
                            band.y + CELL_PITCH * band.tiers);
    }
    arena_release(scratch);
}

// Draws the micro steps that start at section `from` and returns the section after them.
static uint32_t draw_micro_steps(StripState *state, uint32_t from)
{
    const Outline *outline = state->outline;
    uint32_t end = micro_step_end(outline, from);
    const Section *first = &outline->sections[from];
    if (first->kind == SECTION_AFTER || is_full(&state->full, first->micro_step)) {
        StripPart part = {0};
        state->y += state->after_thin ? 10 : 0;
        state->after_thin = false;
        for (uint32_t i = from; i < end; i++) {
            const Section *section = &outline->sections[i];
            if (section->kind == SECTION_BACKWARD)
                part.backward = section;
            else
                part.forward = section;
        }
        draw_part(state, &part);
        return end;
    }
    for (uint32_t joined = 1; joined < state->per_thin && end < outline->section_count; joined++) {
        const Section *next = &outline->sections[end];
        if (next->kind == SECTION_AFTER || is_full(&state->full, next->micro_step))
            break;
        end = micro_step_end(outline, end);
    }
    state->y += THIN_PITCH;
    state->after_thin = true;
    draw_thin(state->scene, outline, state->looks, state->y, (const uint32_t[2]){from, end});
    return end;
}

double strip_draw(Scene *scene, const Outline *outline, const Flags *flags, const StripLooks *looks,
                  double y)
{
    section_heading(scene, PAGE_MARGIN, y + 26, SIZE_HEADING, str_of(tr("Overview")),
                    str_of(tr("one cell a node: depth down, execution order across; fill = the "
                              "node itself, line at its foot = the worst below it")));
    uint32_t micro_steps = count_micro_steps(outline);
    StripState state = {.scene = scene,
                        .outline = outline,
                        .flags = flags,
                        .looks = looks,
                        .y = y + 26,
                        .full = full_steps(outline, flags)};
    state.per_thin = micro_steps / THIN_BANDS + 1;
    for (uint32_t i = 0; i < outline->section_count;)
        i = draw_micro_steps(&state, i);
    if (state.cut_at) {
        state.y += 20;
        note_text(scene, STRIP_LEFT, state.y, ANCHOR_START,
                  str_printf(scene->arena, tr("the upper %u of %u levels are drawn"), state.cut_at,
                             outline_depth(outline)));
    }
    return state.y + 30;
}

// ---- the looks of a comparison

static const TreeNode *node_at(const void *of, uint32_t row)
{
    return &((const Outline *)of)->comparison->tree[row];
}

static int status_rank(const void *of, uint32_t row)
{
    return look_rank((Status)node_at(of, row)->status, node_at(of, row)->inherited);
}

static int status_below(const void *of, uint32_t row)
{
    const TreeNode *node = node_at(of, row);
    return is_worse_below(node) ? look_rank((Status)node->rollup, node->inherited) : 0;
}

static Role status_foot(const void *of, uint32_t row)
{
    const TreeNode *node = node_at(of, row);
    if (!has_foot(node))
        return ROLE_NONE;
    return node->rollup == STATUS_UNMATCHED ? ROLE_UNMATCHED_EDGE
                                            : status_look((Status)node->rollup, true).edge;
}

static Str status_title(const void *of, uint32_t row, Arena *arena)
{
    return row_title(of, row, arena);
}

static bool status_crossed(const void *of, uint32_t row)
{
    uint32_t pair = node_at(of, row)->pair;
    return pair != PAIR_NONE && holds_nan(((const Outline *)of)->comparison, pair);
}

StripLooks strip_statuses(const Outline *outline)
{
    return (StripLooks){.of = outline,
                        .calm = look_rank(STATUS_SAME, false),
                        .loud = look_rank(STATUS_UNMATCHED, false),
                        .rank = status_rank,
                        .below = status_below,
                        .foot = status_foot,
                        .look = rank_look,
                        .title = status_title,
                        .crossed = status_crossed};
}

double strip_legend(Scene *scene, const Outline *outline, double y)
{
    double end = chip_legend(scene, STRIP_LEFT, y, statuses_shown(outline->comparison));
    bool nan = false;
    for (uint32_t i = 0; i < outline->comparison->op_count && !nan; i++)
        nan = holds_nan(outline->comparison, i);
    if (nan) {
        cross_draw(scene, end + 5, y - 4, 4);
        key_word(scene, end + 16, y, str_of(tr("NaN on both sides")));
    }
    return y + 24;
}
