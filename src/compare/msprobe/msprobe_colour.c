// SPDX-License-Identifier: Apache-2.0
#include "compare/msprobe/msprobe_colour.h"

#include <math.h>

#include "base/words.h"

const MsprobeNoteInfo msprobe_notes[MSPROBE_NOTE_COUNT] = {
    [NOTE_REQGRAD] = {"REQGRAD", COLOUR_NONE, TR("requires_grad differs")},
    [NOTE_NO_BENCH] = {"NO_BENCH", COLOUR_NONE, TR("golden has no partner")},
    [NOTE_NO_FILE] = {"NO_FILE", COLOUR_NONE, TR("no tensor file")},
    [NOTE_BAD_FILE] = {"BAD_FILE", COLOUR_NONE, TR("the tensor file cannot be read")},
    [NOTE_EMPTY] = {"EMPTY", COLOUR_NONE, TR("the tensor is empty")},
    [NOTE_SHAPES] = {"SHAPES", COLOUR_NONE, TR("the shapes differ")},
    [NOTE_NO_EXTENT] = {"NO_EXTENT", COLOUR_NONE,
                        TR("a tensor without extent has no Cosine, EucDist and ratios")},
    [NOTE_NONFINITE_PLACES] = {"NONFINITE_PLACES", COLOUR_NONE,
                               TR("NaN or Inf are at different places")},
    [NOTE_DTYPES] = {"DTYPES", COLOUR_NONE, TR("the dtypes differ")},
    [NOTE_CHECK] = {"CHECK", COLOUR_NONE, TR("a statistic is off by more than half")},
    [NOTE_NONFINITE] = {"NONFINITE", COLOUR_RED, TR("Max or Min is infinite")},
    [NOTE_HUGE] = {"HUGE", COLOUR_RED, TR("the largest difference is above 1e10")},
    [NOTE_RATIO_RED] = {"RATIO", COLOUR_RED,
                        TR("One Thousandth Err Ratio of an input is above 0.9, of the output below "
                           "0.6")},
    [NOTE_RELATIVE_RED] = {"RELATIVE", COLOUR_RED, TR("MaxRelativeErr is above 0.5")},
    [NOTE_RATIO_YELLOW] = {"RATIO_DROP", COLOUR_YELLOW,
                           TR("One Thousandth Err Ratio drops by more than 0.1 from input to "
                              "output")},
    [NOTE_COSINE_YELLOW] = {"COSINE_DROP", COLOUR_YELLOW,
                            TR("Cosine drops by more than 0.1 from input to output")},
    [NOTE_RELATIVE_YELLOW] = {"RELATIVE_GROWTH", COLOUR_YELLOW,
                              TR("MaxRelativeErr of the output is above 0.1, of an input below "
                                 "0.01")},
    [NOTE_MAGNITUDE_YELLOW] = {"MAGNITUDE", COLOUR_YELLOW,
                               TR("the difference grows tenfold from input to output")},
    [NOTE_REQGRAD_YELLOW] = {"REQGRAD_COLOUR", COLOUR_YELLOW, TR("requires_grad is inconsistent")},
};

static uint32_t note(bool hit, MsprobeNote which)
{
    return hit ? UINT32_C(1) << which : 0;
}

typedef struct Colourist {
    MsprobeRows *rows;
    CompareMode mode;
    const MsprobeMetrics *metrics;
} Colourist;

static const Slot *target_slot(const MsprobeRows *rows, const MsprobeRow *row)
{
    return &rows->target->slots[row->target];
}

static const Slot *golden_slot(const MsprobeRows *rows, const MsprobeRow *row)
{
    return row->golden == SLOT_NONE ? NULL : &rows->golden->slots[row->golden];
}

static bool consistent(const MsprobeRows *rows, const MsprobeRow *row)
{
    const Slot *golden = golden_slot(rows, row);
    return target_slot(rows, row)->requires_grad == (golden ? golden->requires_grad : TRI_ABSENT);
}

// |diff| / (| max(n, b) | + 1e-10) > 0.5 for one of the four statistics.
static bool needs_check(const MsprobeRows *rows, const MsprobeRow *row)
{
    const Slot *golden = golden_slot(rows, row);
    for (int stat = 0; golden && stat < STAT_COUNT; stat++) {
        MsprobeCell n = msprobe_stat(rows->target, NULL, target_slot(rows, row), (Stat)stat);
        MsprobeCell b = msprobe_stat(rows->golden, NULL, golden, (Stat)stat);
        double x, y;
        if (!msprobe_is_number(&n, &x) || !msprobe_is_number(&b, &y))
            continue;
        double larger = x > y ? x : y;
        if (fabs(x - y) / (fabs(larger) + 1e-10) > 0.5)
            return true;
    }
    return false;
}

static const char *tensor_result(const MsprobeMetrics *metrics)
{
    const MsprobeCell *cosine = &metrics->cells[ELEMENT_COSINE];
    const MsprobeCell *largest = &metrics->cells[ELEMENT_MAX_ABS];
    double c, m;
    if (cosine->kind == MSPROBE_SHAPES)
        return "Unmatched";
    if (cosine->kind == MSPROBE_NA || largest->kind == MSPROBE_NA)
        return "No";
    bool has_cosine = msprobe_is_number(cosine, &c), has_largest = msprobe_is_number(largest, &m);
    if ((!has_cosine && cosine->kind != MSPROBE_NAN) ||
        (!has_largest && largest->kind != MSPROBE_NAN))
        return "None";
    if (!has_cosine)
        c = NAN;
    if (!has_largest)
        m = NAN;
    return (c < 0.99 && m > 0.001) || c < 0.9 || m > 1 ? "No" : "Yes";
}

static const char *checksum_result(const MsprobeRows *rows, const MsprobeRow *row)
{
    if (row->golden == SLOT_NONE)
        return "N/A";
    MsprobeSides sides = {
        .golden = rows->golden, .target = rows->target, .to_target = rows->to_target};
    return msprobe_compare_checksums(&sides, golden_slot(rows, row), target_slot(rows, row)) ==
                   CHECKSUM_EQUAL
               ? "pass"
               : "Different";
}

const char *msprobe_result_8(const MsprobeRows *rows, const MsprobeRow *row, CompareMode mode,
                             const MsprobeMetrics *metrics)
{
    if (mode == MODE_CHECKSUM)
        return checksum_result(rows, row);
    if (mode == MODE_TENSOR)
        return metrics ? tensor_result(metrics) : "None";
    if (row->golden == SLOT_NONE)
        return "N/A";
    return row->hits >> NOTE_CHECK & 1 ? "Warning" : "";
}

// ---- colours

// What the pair rules look at in one row.
typedef struct ColourFacts {
    bool eligible;               // Max of both sides and the difference are numbers
    double difference;           // |Max diff| or MaxAbsErr
    double relative;             // MaxRelativeErr as a fraction, NaN without
    double thousandths, cosine;  // NaN without
} ColourFacts;

static double number_or_nan(const MsprobeCell *cell)
{
    double value;
    return msprobe_is_number(cell, &value) ? value : (double)NAN;
}

static bool is_finite_number(const MsprobeCell *cell)
{
    double value;
    return cell->kind == MSPROBE_BOOL || (msprobe_is_number(cell, &value) && isfinite(value));
}

static ColourFacts facts_of(const Colourist *work, size_t index)
{
    const MsprobeRows *rows = work->rows;
    const MsprobeRow *row = &rows->items[index];
    ColourFacts facts = {.difference = (double)NAN,
                         .relative = (double)NAN,
                         .thousandths = (double)NAN,
                         .cosine = (double)NAN};
    MsprobeCell n = msprobe_stat(rows->target, NULL, target_slot(rows, row), STAT_MAX);
    MsprobeCell b = msprobe_stat(rows->golden, NULL, golden_slot(rows, row), STAT_MAX);
    MsprobeCell difference;
    if (work->metrics) {
        const MsprobeMetrics *metrics = &work->metrics[index];
        difference = metrics->cells[ELEMENT_MAX_ABS];
        facts.thousandths = number_or_nan(&metrics->cells[ELEMENT_THOUSANDTH]);
        facts.cosine = number_or_nan(&metrics->cells[ELEMENT_COSINE]);
    } else {
        MsprobeDifference both = msprobe_difference(MSPROBE_FORMULA_8, &n, &b, false);
        difference = both.difference;
        if (!msprobe_fraction(&both.relative, &facts.relative))
            facts.relative = (double)NAN;
    }
    facts.difference = fabs(number_or_nan(&difference));
    facts.eligible = is_finite_number(&n) && is_finite_number(&b) && is_finite_number(&difference);
    return facts;
}

// Over the inputs of a batch: what an output is compared with.
typedef struct InputFacts {
    bool any;
    double least_relative, most_thousandths, most_cosine;
    double least_difference;  // of those above 1
} InputFacts;

static void take_input(InputFacts *inputs, const ColourFacts *facts)
{
    if (!facts->eligible)
        return;
    inputs->any = true;
    inputs->least_relative = fmin(inputs->least_relative, facts->relative);
    inputs->most_thousandths = fmax(inputs->most_thousandths, facts->thousandths);
    inputs->most_cosine = fmax(inputs->most_cosine, facts->cosine);
    if (facts->difference > 1)
        inputs->least_difference = fmin(inputs->least_difference, facts->difference);
}

static bool grew_tenfold(double in, double out)
{
    return isfinite(in) && out > 1 && in <= out && log10(out) - log10(in) >= 1;
}

static uint32_t notes_of_output(const ColourFacts *out, const InputFacts *in, CompareMode mode)
{
    if (!out->eligible || !in->any)
        return 0;
    uint32_t hits =
        note(grew_tenfold(in->least_difference, out->difference), NOTE_MAGNITUDE_YELLOW);
    if (mode == MODE_TENSOR) {
        bool red = in->most_thousandths > 0.9 && out->thousandths < 0.6;
        return hits | note(red, NOTE_RATIO_RED) |
               note(!red && in->most_thousandths - out->thousandths > 0.1, NOTE_RATIO_YELLOW) |
               note(in->most_cosine - out->cosine > 0.1, NOTE_COSINE_YELLOW);
    }
    return hits | note(out->relative > 0.5, NOTE_RELATIVE_RED) |
           note(out->relative > 0.1 && in->least_relative < 0.01, NOTE_RELATIVE_YELLOW);
}

static bool is_infinite(const MsprobeCell *cell)
{
    return cell->kind == MSPROBE_REAL && isinf(cell->number);
}

static uint32_t notes_of_row(const Colourist *work, const MsprobeRow *row, const ColourFacts *facts)
{
    const MsprobeRows *rows = work->rows;
    MsprobeCell max = msprobe_stat(rows->target, NULL, target_slot(rows, row), STAT_MAX);
    MsprobeCell min = msprobe_stat(rows->target, NULL, target_slot(rows, row), STAT_MIN);
    bool infinite = is_infinite(&max) || is_infinite(&min);
    return note(infinite, NOTE_NONFINITE) | note(!infinite && facts->difference > 1e10, NOTE_HUGE) |
           note(!consistent(rows, row), NOTE_REQGRAD_YELLOW);
}

static MsprobeColour colour_of(uint32_t hits)
{
    MsprobeColour colour = COLOUR_NONE;
    for (int i = 0; i < MSPROBE_NOTE_COUNT; i++)
        if ((hits >> i & 1) && msprobe_notes[i].colour != COLOUR_NONE && colour != COLOUR_RED)
            colour = msprobe_notes[i].colour;
    return colour;
}

// Yellow reasons are not told of red rows.
static uint32_t without_yellow(uint32_t hits)
{
    for (int i = 0; i < MSPROBE_NOTE_COUNT; i++)
        if (msprobe_notes[i].colour == COLOUR_YELLOW)
            hits &= ~note(true, (MsprobeNote)i);
    return hits;
}

// In a batch the first row counts as an input whatever it is.
static bool counts_as_input(const MsprobeRows *rows, const MsprobeRow *row, bool first)
{
    SlotGroup group = (SlotGroup)target_slot(rows, row)->group;
    return first || group == GROUP_INPUT || group == GROUP_KWARGS || group == GROUP_PARAMETERS ||
           group == GROUP_DEBUG;
}

static void colour_batch(Colourist *work, size_t first, size_t end)
{
    InputFacts inputs = {.least_relative = (double)NAN,
                         .most_thousandths = (double)NAN,
                         .most_cosine = (double)NAN,
                         .least_difference = (double)INFINITY};
    for (size_t i = first; i < end; i++)
        if (counts_as_input(work->rows, &work->rows->items[i], i == first)) {
            ColourFacts facts = facts_of(work, i);
            take_input(&inputs, &facts);
        }
    for (size_t i = first; i < end; i++) {
        MsprobeRow *row = &work->rows->items[i];
        ColourFacts facts = facts_of(work, i);
        uint32_t hits = notes_of_row(work, row, &facts);
        if (i != first && target_slot(work->rows, row)->group == GROUP_OUTPUT)
            hits |= notes_of_output(&facts, &inputs, work->mode);
        row->colour = (uint8_t)colour_of(hits);
        row->hits |= row->colour == COLOUR_RED ? without_yellow(hits) : hits;
    }
}

// Rows of one op; and those of an op without direction whose name is part of the batch's name.
static bool joins_batch(const Dump *dump, const MsprobeRow *batch, const MsprobeRow *row)
{
    if (row->op == batch->op)
        return true;
    Str name = names_text(dump->names, dump->ops[row->op].name);
    return str_find(name, STR(".forward."), 0) == SIZE_MAX &&
           str_find(name, STR(".backward."), 0) == SIZE_MAX &&
           str_find(names_text(dump->names, dump->ops[batch->op].name), name, 0) != SIZE_MAX;
}

static void note_rows(Colourist *work)
{
    for (size_t i = 0; i < work->rows->count; i++) {
        MsprobeRow *row = &work->rows->items[i];
        bool alone = row->golden == SLOT_NONE;
        bool differs = !consistent(work->rows, row);
        row->hits = note(alone, NOTE_NO_BENCH) | note(differs, NOTE_REQGRAD);
        if (work->metrics && work->metrics[i].note < MSPROBE_NOTE_COUNT)
            row->hits |= note(true, (MsprobeNote)work->metrics[i].note);
        else if (work->mode == MODE_STATISTICS)
            row->hits |= note(needs_check(work->rows, row), NOTE_CHECK);
    }
}

static Status status_of(const MsprobeRows *rows, const MsprobeRow *row, CompareMode mode,
                        const MsprobeMetrics *metrics)
{
    Str result = str_of(msprobe_result_8(rows, row, mode, metrics));
    if (row->golden == SLOT_NONE)
        return STATUS_UNMATCHED;
    if (row->colour == COLOUR_RED || str_equal(result, STR("No")) ||
        str_equal(result, STR("Different")) || str_equal(result, STR("Unmatched")))
        return STATUS_ERROR;
    if (row->colour == COLOUR_YELLOW || str_equal(result, STR("Warning")))
        return STATUS_WARNING;
    return STATUS_PASS;
}

void msprobe_rows_colour(MsprobeRows *rows, CompareMode mode, const MsprobeMetrics *metrics)
{
    Colourist work = {.rows = rows, .mode = mode, .metrics = metrics};
    if (mode != MODE_CHECKSUM) {
        note_rows(&work);
        for (size_t first = 0, end; first < rows->count; first = end) {
            for (end = first + 1;
                 end < rows->count &&
                 joins_batch(rows->target, &rows->items[first], &rows->items[end]);)
                end++;
            colour_batch(&work, first, end);
        }
    }
    for (size_t i = 0; i < rows->count; i++)
        rows->items[i].status =
            (uint8_t)status_of(rows, &rows->items[i], mode, metrics ? &metrics[i] : NULL);
}
