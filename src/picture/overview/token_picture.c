// SPDX-License-Identifier: Apache-2.0
#include "picture/overview/token_picture.h"

#include <math.h>
#include <stdlib.h>

#include "base/words.h"
#include "picture/kit/grid.h"
#include "picture/kit/page.h"
#include "verdict/figure_text.h"
#include "verdict/token_verdict.h"

// TITLED: cells of a picture that still have tooltips.
enum {
    ROWS_MAX = 40,
    TITLED = 1500,
    LEFT = 160,
    RIGHT = 1090,
    ROW = 14,
    CELL = 13,
    LOW_EXPONENT = -6
};

static GridCell cell_of(const TokenBin *bin)
{
    if (bin->count == 0)
        return (GridCell){.fill = ROLE_NONE};
    return (GridCell){.fill = bin->sum == 0
                                  ? ROLE_SAME_FILL
                                  : grid_heat(bin->sum / (double)bin->count, LOW_EXPONENT, 0)};
}

static Str bin_text(const TokenBin *bin, Arena *arena)
{
    return bin->count ? figure_number(bin->sum / (double)bin->count, 2, arena) : STR("");
}

static size_t bin_count(const TokenComparison *of)
{
    size_t bins = TOKEN_POSITIONS;
    while (bins > 1 && of->positions[bins - 1].count == 0)
        bins--;
    return bins;
}

// The bins of one sample; a token that is finite on one side only makes its bin the worst.
static void fill_bins(const TokenComparison *of, const TokenPair *pair, TokenBin *bins)
{
    bool masked =
        of->golden->samples[pair->sample].masked || of->target->samples[pair->sample].masked;
    for (uint32_t i = 0; i < pair->length && !masked; i++) {
        double golden, target;
        if (!token_values(of, pair, i, &golden, &target) || (isnan(golden) && isnan(target)))
            continue;
        TokenBin *bin = &bins[i / of->bin_width];
        bin->count++;
        bin->sum += golden == target ? 0 : isfinite(target - golden) ? fabs(target - golden) : 1e6;
    }
}

static int worse_first(const void *a, const void *b)
{
    const TokenPair *left = *(const TokenPair *const *)a, *right = *(const TokenPair *const *)b;
    double one = left->nonfinite ? (double)INFINITY : left->max;
    double two = right->nonfinite ? (double)INFINITY : right->max;
    if (one != two)
        return one > two ? -1 : 1;
    return (left->sample > right->sample) - (left->sample < right->sample);
}

static int by_sample(const void *a, const void *b)
{
    const TokenPair *left = *(const TokenPair *const *)a, *right = *(const TokenPair *const *)b;
    return (left->sample > right->sample) - (left->sample < right->sample);
}

static size_t choose(const TokenComparison *of, Arena *arena, const TokenPair ***out)
{
    const TokenPair **order = ARENA_ARRAY(arena, const TokenPair *, of->pair_count);
    size_t count = of->pair_count < ROWS_MAX ? of->pair_count : ROWS_MAX;
    for (size_t i = 0; i < of->pair_count; i++)
        order[i] = &of->pairs[i];
    if (of->pair_count > ROWS_MAX)
        qsort(order, of->pair_count, sizeof *order, worse_first);
    if (count > 1)
        qsort(order, count, sizeof *order, by_sample);
    *out = order;
    return count;
}

static Grid grid_of(size_t bins)
{
    double pitch = (double)(RIGHT - LEFT) / (double)bins;
    return (Grid){.anchor = ANCHOR_END,
                  .label_x = LEFT - 10,
                  .label_room = LEFT - 10 - PAGE_MARGIN,
                  .label_size = SIZE_NOTE,
                  .left = LEFT,
                  .pitch = pitch,
                  .gap = pitch > 6 ? 1 : 0,
                  .height = CELL,
                  .row = ROW,
                  .total_x = PAGE_WIDTH - PAGE_MARGIN};
}

static double draw_sample(Scene *scene, Grid *grid, const TokenComparison *of,
                          const TokenPair *pair, size_t bins, bool titled, double y)
{
    TokenBin row[TOKEN_POSITIONS] = {0}, all = {pair->counted, pair->sum};
    GridCell cells[TOKEN_POSITIONS];
    fill_bins(of, pair, row);
    for (size_t i = 0; i < bins; i++) {
        cells[i] = cell_of(&row[i]);
        if (row[i].count == 0 || !titled)
            continue;
        cells[i].title = str_printf(
            scene->arena, tr("sample %u, tokens from %u on: mean |Δ| " STR_FMT), pair->sample,
            (unsigned)i * of->bin_width, STR_ARG(bin_text(&row[i], scene->arena)));
    }
    double times;
    bool far = pair == token_far_sample(of, &times);
    if (far)
        disc_draw(scene, PAGE_MARGIN + 8, y + CELL / 2.0, 1);
    GridRow shown = {.label = str_printf(scene->arena, tr("sample %u"), pair->sample),
                     .weight = far ? 700 : 400,
                     .role = far ? ROLE_ERROR_TEXT : ROLE_INK2,
                     .cells = cells,
                     .count = bins,
                     .total = bin_text(&all, scene->arena)};
    return grid_row(scene, grid, &shown, y);
}

static Str position_label(const void *of, size_t column, Arena *arena)
{
    const TokenComparison *comparison = of;
    return str_printf(arena, "%zu", column * comparison->bin_width);
}

static void draw_positions(Scene *scene, const TokenComparison *of, size_t bins, double y)
{
    grid_ticks(scene, LEFT, (double)(RIGHT - LEFT) / (double)bins, bins, y, position_label, of);
    scene_text(scene, LEFT - 10, y, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3, str_of(tr("position")));
}

static void draw_key(Scene *scene, double y)
{
    scene_box(scene, LEFT, y - 11, 15, CELL, ROLE_SAME_FILL, ROLE_NONE);
    double x = key_word(scene, LEFT + 20, y, str_of(tr("equal")));
    grid_heat_key(scene, x, y, LOW_EXPONENT, 0);
}

// Bars of the means of bins, on a linear scale from 0.
static double draw_bars(Scene *scene, const TokenBin *bins, size_t count, double y)
{
    enum { HEIGHT = 90 };
    double most = 0, pitch = (double)(RIGHT - LEFT) / (double)count;
    for (size_t i = 0; i < count; i++) {
        double mean = bins[i].count ? bins[i].sum / (double)bins[i].count : 0;
        most = mean > most ? mean : most;
    }
    for (size_t i = 0; i < count; i++) {
        double mean = bins[i].count ? bins[i].sum / (double)bins[i].count : 0;
        double height = mean / most * HEIGHT;
        if (height <= 0)
            continue;
        Item *bar = scene_box(scene, LEFT + (double)i * pitch, y + HEIGHT - height,
                              pitch > 3 ? pitch - 1 : pitch, height, ROLE_TARGET, ROLE_NONE);
        bar->title = str_copy(scene->arena, bin_text(&bins[i], scene->arena));
    }
    scene_line(scene, LEFT, y + HEIGHT, RIGHT, y + HEIGHT, ROLE_INK3);
    scene_text(scene, LEFT - 10, y + 9, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3,
               figure_number(most, 2, scene->arena));
    scene_text(scene, LEFT - 10, y + HEIGHT, SIZE_NOTE, 400, ANCHOR_END, ROLE_INK3, STR("0"));
    return y + HEIGHT + 16;
}

static double draw_map(Scene *scene, const TokenComparison *of, size_t bins, double y)
{
    const TokenPair **chosen;
    size_t count = choose(of, scene->arena, &chosen);
    Grid grid = grid_of(bins);
    for (size_t i = 0; i < count; i++)
        y = draw_sample(scene, &grid, of, chosen[i], bins, count * bins <= TITLED, y);
    grid_end(scene, &grid);
    y += 12;
    draw_positions(scene, of, bins, y);
    if (count < of->pair_count) {
        y += 18;
        scene_text(scene, LEFT, y, SIZE_NOTE, 400, ANCHOR_START, ROLE_INK3,
                   str_printf(scene->arena, tr("the %zu samples that differ most of %zu"), count,
                              of->pair_count));
    }
    y += 24;
    draw_key(scene, y);
    return y + 18;
}

// The means by position and by probability, where anything differs.
static double draw_means(Scene *scene, const TokenComparison *of, size_t bins, double y)
{
    y += 40;
    section_heading(scene, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("By position")),
                    str_of(tr("mean |Δ| over all samples")));
    y = draw_bars(scene, of->positions, bins, y + 14);
    draw_positions(scene, of, bins, y);
    y += 40;
    section_heading(scene, PAGE_MARGIN, y, SIZE_HEADING, str_of(tr("By probability")),
                    str_of(tr("mean |Δ| by golden's probability of the token, from 0 to 1")));
    y = draw_bars(scene, of->deciles, TOKEN_DECILES, y + 14);
    for (int i = 0; i <= TOKEN_DECILES; i += 2)
        scene_text(scene, LEFT + (double)(RIGHT - LEFT) * i / TOKEN_DECILES, y, SIZE_NOTE, 400,
                   ANCHOR_MIDDLE, ROLE_INK3, str_printf(scene->arena, "%.1f", i / 10.0));
    return y;
}

void token_picture(const TokenComparison *of, Arena *arena, Scene *out)
{
    size_t bins = bin_count(of);
    scene_init(out, arena, "tokens", PAGE_WIDTH);
    section_heading(out, PAGE_MARGIN, 26, SIZE_HEADING, str_of(tr("Samples by position")),
                    str_of(tr("mean |Δ| of the log-probabilities; at the right that of the "
                              "sample")));
    double y = draw_map(out, of, bins, 42);
    bool differ = false;
    for (size_t i = 0; i < bins; i++)
        differ = differ || of->positions[i].sum > 0;
    if (differ)
        y = draw_means(out, of, bins, y);
    out->height = y + 20;
    out->description = str_of(tr("log-probabilities of two sides, token by token"));
}
