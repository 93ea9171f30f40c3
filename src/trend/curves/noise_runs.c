// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/noise_runs.h"

#include <math.h>

#include "model/run/judged_loss.h"
#include "trend/curves/difference.h"
#include "trend/curves/smooth.h"

enum { STEPS_LEAST = 8 };  // the fewest that measure a scatter

// A run of the same recipe ends within a few per cent of golden. One that ends farther off than
// OFFSET_OTHER of golden's level, and than OFFSET_TIMES the target and the median of the other
// noise runs, is another configuration; so is any that ends more than the whole level off.
#define OFFSET_OTHER 0.25
#define OFFSET_TIMES 3
#define OFFSET_MOST  1.0
#define SURE_ERRORS  3

void aligned_keep_finite(const Aligned *from, Arena *arena, Aligned *out)
{
    bool all = true;
    for (size_t r = 0; r < from->series_count; r++)
        for (size_t i = 0; i < from->count; i++)
            all = all && isfinite(from->values[r][i]);
    if (all) {
        *out = *from;
        return;
    }
    int64_t *x = ARENA_ARRAY(arena, int64_t, from->count + 1);
    *out = (Aligned){.x = x, .series_count = from->series_count};
    out->values = ARENA_ARRAY(arena, double *, from->series_count);
    for (size_t r = 0; r < from->series_count; r++)
        out->values[r] = ARENA_ARRAY(arena, double, from->count + 1);
    for (size_t i = 0; i < from->count; i++) {
        bool finite = true;
        for (size_t r = 0; r < from->series_count; r++)
            finite = finite && isfinite(from->values[r][i]);
        if (!finite)
            continue;
        for (size_t r = 0; r < from->series_count; r++)
            out->values[r][out->count] = from->values[r][i];
        x[out->count++] = from->x[i];
    }
}

// The mean difference of series r to golden over the last 20 %, as a share of golden's level there;
// 0 where scatter explains it.
static double end_offset(const Aligned *all, size_t r)
{
    double *both[] = {all->values[0], all->values[r]}, level = 0;
    Aligned pair = {.x = all->x, .values = both, .series_count = 2, .count = all->count};
    size_t from = all->count - all->count / 5 - 1;
    DifferenceStats stats;
    difference_stats(&pair, from, all->count, &stats);
    for (size_t i = from; i < all->count; i++)
        level += fabs(all->values[0][i]) / (double)(all->count - from);
    bool sure = stats.balance > SURE_ERRORS || stats.balance == 0;
    return sure && level > 0 ? fabs(stats.signed_mean) / level : 0;
}

// Fills in its steps and its offset; *apart is the target's.
static void look_at(const Series *golden, const Series *target, size_t pair_count, NoiseRun *noise,
                    double *apart, Arena *arena)
{
    Aligned all, finite;
    const Series *three[] = {golden, noise->series, target};
    *apart = 0;
    noise->fit = NOISE_FEW_STEPS;
    if (!noise->series || noise->series->count == 0)
        return;
    align_series(three, 3, true, 0, arena, &all);
    if (all.count < STEPS_LEAST || all.count < pair_count / 2)
        return;
    aligned_keep_finite(&all, arena, &finite);
    noise->steps = finite.count;
    noise->fit =
        finite.count < STEPS_LEAST || finite.count < all.count / 2 ? NOISE_NOT_FINITE : NOISE_USED;
    if (noise->fit != NOISE_USED)
        return;
    noise->offset = end_offset(&finite, 1);
    *apart = end_offset(&finite, 2);
}

static double others_offset(const NoiseRuns *noise, size_t own, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < noise->count; i++)
        if (i != own && noise->items[i].fit != NOISE_FEW_STEPS &&
            noise->items[i].fit != NOISE_NOT_FINITE)
            room[count++] = noise->items[i].offset;
    return count ? median_of(room, count) : 0;
}

static const Series *noise_series(const Run *run, Str name, Arena *arena)
{
    const Series *own = run_series(run, str_cstr(arena, name));
    return own || !judged_loss_is_of_rank(name) ? own : run_series(run, "loss");
}

void noise_runs_choose(const Runs *runs, const Series *golden, const Series *target, Str name,
                       Arena *arena, NoiseRuns *out)
{
    Arena *scratch = arena_new();
    Aligned pair;
    const Series *both[] = {golden, target};
    *out = (NoiseRuns){.items = ARENA_ARRAY(arena, NoiseRun, runs->count + 1)};
    double *apart = ARENA_ARRAY(scratch, double, runs->count + 1);
    double *room = ARENA_ARRAY(scratch, double, runs->count + 1);
    size_t most = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].role == ROLE_NOISE_RUN)
            out->items[out->count++] = (NoiseRun){
                .run = &runs->items[i], .series = noise_series(&runs->items[i], name, scratch)};
    if (out->count)
        align_series(both, 2, true, 0, scratch, &pair);
    for (size_t i = 0; i < out->count; i++)
        look_at(golden, target, pair.count, &out->items[i], &apart[i], scratch);
    for (size_t i = 0; i < out->count; i++) {
        NoiseRun *noise = &out->items[i];
        double usual = fmax(apart[i], others_offset(out, i, room));
        if (noise->fit == NOISE_USED &&
            (noise->offset > OFFSET_MOST ||
             (noise->offset > OFFSET_OTHER && noise->offset > OFFSET_TIMES * usual)))
            noise->fit = NOISE_OTHER;
        if (noise->fit == NOISE_USED)
            most = noise->steps > most ? noise->steps : most;
    }
    for (size_t i = 0; i < out->count; i++) {
        NoiseRun *noise = &out->items[i];
        if (noise->fit == NOISE_USED && 10 * noise->steps < 9 * most)
            noise->fit = NOISE_SHORTER;
        out->used += noise->fit == NOISE_USED;
    }
    arena_release(scratch);
}

void noise_runs_align(const NoiseRuns *noise, const Series *golden, const Series *target,
                      Arena *arena, Aligned *out)
{
    Aligned aligned;
    const Series **all = ARENA_ARRAY(arena, const Series *, noise->count + 2);
    size_t count = 0;
    all[count++] = golden;
    for (size_t i = 0; i < noise->count; i++)
        if (noise->items[i].fit == NOISE_USED)
            all[count++] = noise->items[i].series;
    all[count++] = target;
    align_series(all, count, true, 0, arena, &aligned);
    aligned_keep_finite(&aligned, arena, out);
}

void noise_runs_uncovered(const Aligned *pair, const Aligned *covered, Arena *arena, Aligned *out)
{
    int64_t *x = ARENA_ARRAY(arena, int64_t, pair->count + 1);
    *out = (Aligned){.x = x, .series_count = 2, .values = ARENA_ARRAY(arena, double *, 2)};
    out->values[0] = ARENA_ARRAY(arena, double, pair->count + 1);
    out->values[1] = ARENA_ARRAY(arena, double, pair->count + 1);
    // A value of a coarser run covers the steps since the one before.
    int64_t interval = INT64_MAX;
    for (size_t i = 1; i < covered->count; i++)
        if (covered->x[i] - covered->x[i - 1] < interval)
            interval = covered->x[i] - covered->x[i - 1];
    size_t at = 0;
    for (size_t i = 0; i < pair->count; i++) {
        while (at < covered->count && covered->x[at] < pair->x[i])
            at++;
        if (at < covered->count && covered->x[at] - pair->x[i] < interval)
            continue;
        out->values[0][out->count] = pair->values[0][i];
        out->values[1][out->count] = pair->values[1][i];
        x[out->count++] = pair->x[i];
    }
}
