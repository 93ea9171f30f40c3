// SPDX-License-Identifier: Apache-2.0
#include "trend/curves/skip.h"

#include <math.h>

#include "base/array.h"
#include "base/sort.h"
#include "trend/curves/schedule.h"
#include "trend/curves/smooth.h"

enum { WARMUP_LEAST = 50, JUDGED_LEAST = 200, ROBUST_VALUES = 100 };

// All of docs/spec/curves.md §5.10, chosen. A threshold too low skips good data and may end the
// run, one too high lets a spike through; the report shows both next to it (skip_candidates).
#define ROBUST_SCALES 8    // robust scales from the middle of the norms, where no normal one is
#define SAFE_FACTOR   1.5  // a longer run has larger normal norms than those seen, by less
#define LEAST_FACTOR  1.1  // so far a threshold stays from norms that must not be skipped
enum { COUNT_LEAST = 3 };  // single spikes and pairs of them end no run

// Spikes rise and lie apart, as do the steps of a series.
static bool is_spike(const Spikes *spikes, int64_t x)
{
    size_t at;
    FIND_FIRST(at, spikes->count, spikes->items[at].end < x);
    return at < spikes->count && x >= spikes->items[at].start;
}

static size_t count_caught(const SkipResult *result, const Spikes *spikes)
{
    size_t caught = 0;
    for (size_t s = 0; spikes && s < spikes->count; s++) {
        size_t at;
        FIND_FIRST(at, result->skipped_count, result->skipped[at] < spikes->items[s].start);
        caught += at < result->skipped_count && result->skipped[at] <= spikes->items[s].end;
    }
    return caught;
}

void skip_simulate(const Series *norm, double threshold, uint64_t count, const Spikes *spikes,
                   Arena *arena, SkipResult *out)
{
    *out = (SkipResult){.threshold = threshold, .count = count};
    out->skipped = ARENA_ARRAY(arena, int64_t, norm->count + 1);
    size_t row = 0;
    for (size_t i = 0; i < norm->count && !out->aborts; i++) {
        row = norm->points.value[i] >= threshold ? row + 1 : 0;
        if (row == 0)
            continue;
        out->skipped[out->skipped_count++] = norm->points.x[i];
        out->longest_row = row > out->longest_row ? row : out->longest_row;
        out->aborts = count > 0 && row >= count;
        out->abort_at = norm->points.x[i];
    }
    out->caught = count_caught(out, spikes);
}

// The end of the warm-up: 50 steps, 2 % of the run, or where the rate peaks within its first half.
static int64_t warmup_end(const Run *run, const Series *norm)
{
    int64_t first = norm->points.x[0], length = norm->points.x[norm->count - 1] - first;
    int64_t end = first + (length / 50 > WARMUP_LEAST ? length / 50 : WARMUP_LEAST);
    const Series *rate = run_series(run, "lr");
    Point peak;
    if (rate && schedule_peak(rate, &peak) && peak.x > end && peak.x < first + length / 2)
        end = peak.x;
    return end < first + length ? end : first;
}

typedef struct Normals {
    double *logs;
    size_t count;
    double largest, smallest_spike;
    double largest_early;  // of the warm-up, spikes left out
} Normals;

static void sort_out(const Series *norm, const Spikes *all, SkipAdvice *advice, Normals *out,
                     Arena *arena)
{
    out->logs = ARENA_ARRAY(arena, double, norm->count + 1);
    out->smallest_spike = NAN;
    for (size_t i = 0; i < norm->count; i++) {
        Point point = point_at(norm->points, i);
        if (!isfinite(point.value) || point.value <= 0)
            continue;
        if (point.x <= advice->warmup_end) {
            bool larger = point.value > out->largest_early && !is_spike(all, point.x);
            out->largest_early = larger ? point.value : out->largest_early;
            continue;
        }
        advice->judged++;
        if (is_spike(&advice->spikes, point.x)) {
            if (!(point.value >= out->smallest_spike))
                out->smallest_spike = point.value;
            continue;
        }
        out->logs[out->count++] = log(point.value);
        out->largest = point.value > out->largest ? point.value : out->largest;
    }
}

static double robust_limit(const Normals *normals, Arena *arena)
{
    size_t count = normals->count < ROBUST_VALUES ? normals->count : ROBUST_VALUES;
    double *last = ARENA_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        last[i] = normals->logs[normals->count - count + i];
    double middle = median_of(last, count);
    for (size_t i = 0; i < count; i++)
        last[i] = fabs(last[i] - middle);
    return exp(middle + ROBUST_SCALES * MAD_TO_SIGMA * median_of(last, count));
}

static size_t longest_spike(const Series *norm, const Spikes *spikes)
{
    size_t row = 0, longest = 0;
    for (size_t i = 0; i < norm->count; i++) {
        row = is_spike(spikes, norm->points.x[i]) ? row + 1 : 0;
        longest = row > longest ? row : longest;
    }
    return longest;
}

// Three significant digits, never below `least`: what a person would type.
static double rounded_threshold(double value, double least)
{
    double unit = pow(10, floor(log10(value)) - 2), rounded = round(value / unit) * unit;
    return rounded < least ? value : rounded;
}

// Between the spikes and everything else; where the larger norms of the warm-up leave room below
// the spikes, above them too, so that nothing is skipped there.
static double choose_threshold(const SkipAdvice *advice, const Normals *normals)
{
    bool apart = advice->smallest_spike > SAFE_FACTOR * advice->largest_normal;
    bool above_warmup = normals->largest_early > advice->largest_normal &&
                        advice->smallest_spike > LEAST_FACTOR * normals->largest_early;
    if (apart && above_warmup)
        return sqrt(normals->largest_early * advice->smallest_spike);
    // Without a spike nothing tells how low to go, and the warm-up must not be skipped.
    if (advice->spikes.count == 0)
        return fmax(advice->safe, LEAST_FACTOR * normals->largest_early);
    return apart ? advice->gap : advice->safe;
}

static void suggest(const Series *norm, const Normals *normals, SkipAdvice *out, Arena *arena)
{
    double least = LEAST_FACTOR * out->largest_normal, threshold = choose_threshold(out, normals);
    threshold = threshold < least ? least : threshold;
    threshold = rounded_threshold(threshold, least);
    uint64_t count = 2 * (uint64_t)longest_spike(norm, &out->spikes) + 1;
    count = count < COUNT_LEAST ? COUNT_LEAST : count;
    // The warm-up may have a longer row above the threshold, and it must not end the run.
    skip_simulate(norm, threshold, 0, &out->spikes, arena, &out->suggested);
    if (out->suggested.longest_row >= count)
        count = out->suggested.longest_row + 1;
    skip_simulate(norm, threshold, count, &out->spikes, arena, &out->suggested);
    size_t after = 0;
    for (size_t i = 0; i < out->suggested.skipped_count; i++)
        after += out->suggested.skipped[i] > out->warmup_end;
    out->skipped_share = out->judged ? (double)after / (double)out->judged : 0;
}

bool skip_advise(const Run *run, Arena *arena, SkipAdvice *out)
{
    *out = (SkipAdvice){0};
    const Series *norm = run_series(run, "grad_norm");
    if (!norm || norm->count == 0)
        return false;
    Spikes all = {0};
    spikes_find(norm, &spike_rule_norm, arena, &all);
    out->warmup_end = warmup_end(run, norm);
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].end > out->warmup_end)
            *ARRAY_PUSH(arena, &out->spikes) = all.items[i];
    Normals normals = {0};
    sort_out(norm, &all, out, &normals, arena);
    out->too_short = out->judged < JUDGED_LEAST;
    if (normals.count == 0)
        return false;
    out->largest_normal = normals.largest;
    out->smallest_spike = normals.smallest_spike;
    out->safe = SAFE_FACTOR * normals.largest;
    out->robust = robust_limit(&normals, arena);
    out->gap = sqrt(normals.largest * normals.smallest_spike);
    suggest(norm, &normals, out, arena);
    return true;
}

size_t skip_candidates(const SkipAdvice *advice, double out[12])
{
    // To show, not to judge: the last one lies above the smallest spike and lets it through.
    double low = advice->largest_normal;
    double high = advice->spikes.count ? advice->smallest_spike * 1.25 : advice->safe * 2;
    double all[12] = {advice->robust, advice->safe, advice->suggested.threshold};
    size_t count = 3, kept = 0;
    for (int i = 0; i < 7; i++)
        all[count++] = rounded_threshold(low * pow(high / low, i / 6.0), 0);
    for (size_t i = 0; i < count; i++) {
        size_t at = kept;
        if (!(all[i] > 0) || !isfinite(all[i]))
            continue;
        while (at > 0 && out[at - 1] > all[i])
            at--;
        if (at > 0 && out[at - 1] == all[i])
            continue;
        for (size_t k = kept++; k > at; k--)
            out[k] = out[k - 1];
        out[at] = all[i];
    }
    return kept;
}
