// SPDX-License-Identifier: Apache-2.0
#include "model/run/judged_loss.h"

#include "read/log/series_name.h"

// In the order in which a total is looked for; the end of a path such as "train/total_loss" counts.
static const char *const totals[] = {"total_loss",       "train_loss_step", "reduced_train_loss",
                                     "reduced_llm_loss", "step_loss",       "loss_step",
                                     "train_loss_epoch", "epoch_loss",      "loss_epoch",
                                     "CrossEntropyLoss", "pg_loss",         "xent",
                                     "gpt_loss",         "training_loss",   "train_loss"};

static bool is_used(const PartSeries *series)
{
    for (size_t i = 0; i < series->points.count; i++)
        if (!point_is_absent(series->points.items.value[i]))
            return true;
    return false;
}

// The name without "loss." and the path in front.
static Str short_name(Str name)
{
    if (str_starts(name, STR("loss.")))
        name = str_slice(name, 5, name.size);
    size_t slash = str_rfind_char(name, '/');
    return slash == SIZE_MAX ? name : str_slice(name, slash + 1, name.size);
}

static PartSeries *find_named(const Parts *parts, Str name, bool whole)
{
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->items[p]->series_count; i++) {
            PartSeries *series = &parts->items[p]->series[i];
            bool hit = str_equal(series->name, name) || str_equal(series->printed, name) ||
                       (!whole && str_equal_nocase(short_name(series->name), name));
            if (hit && is_used(series))
                return series;
        }
    return NULL;
}

// What regularises next to the loss and is never the loss itself: "Z loss", "load balancing loss".
static bool is_beside(Str name)
{
    static const char *const words[] = {"z_loss", "zloss", "aux_loss", "load_balancing_loss",
                                        "load_balance_loss"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Str word = str_of(words[i]);
        size_t from = name.size < word.size ? 0 : name.size - word.size;
        char before = from > 0 ? name.data[from - 1] : '_';
        if (str_equal_nocase(str_slice(name, from, name.size), word) && !is_letter(before))
            return true;
    }
    return false;
}

// The only series with "loss" in its name, but those next to it, or NULL.
static PartSeries *find_single(const Parts *parts)
{
    PartSeries *found = NULL;
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->items[p]->series_count; i++) {
            PartSeries *series = &parts->items[p]->series[i];
            if (!str_starts(series->name, STR("loss.")) || !is_used(series) ||
                is_beside(series->name))
                continue;
            if (found && !str_equal(found->name, series->name))
                return NULL;
            found = series;
        }
    return found;
}

// The only one that is called by its formula, such as "nll", or NULL.
static const PartSeries *find_criterion(const Parts *parts)
{
    const PartSeries *found = NULL;
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->items[p]->series_count; i++) {
            const PartSeries *series = &parts->items[p]->series[i];
            if (str_starts(series->name, STR("loss.")) && is_used(series))
                return NULL;
            if (!series_facts(series->printed).criterion || !is_used(series))
                continue;
            if (found && !str_equal(found->name, series->name))
                return NULL;
            found = series;
        }
    return found;
}

static void rename_all(const Parts *parts, Str from, Str to)
{
    for (size_t p = 0; p < parts->count; p++)
        for (size_t i = 0; i < parts->items[p]->series_count; i++)
            if (str_equal(parts->items[p]->series[i].name, from))
                parts->items[p]->series[i].name = to;
}

static const PartSeries *find_loss(const Parts *parts)
{
    const PartSeries *found = find_named(parts, STR("loss"), true);
    for (size_t i = 0; i < sizeof totals / sizeof *totals && !found; i++)
        found = find_named(parts, str_of(totals[i]), false);
    found = found ? found : find_single(parts);
    return found ? found : find_criterion(parts);
}

const PartSeries *judged_loss_in(Part *part)
{
    return find_loss(&(Parts){.items = &part, .count = 1});
}

Str judged_loss_choose(const Parts *parts, Str wanted, Arena *arena)
{
    const PartSeries *found = wanted.size ? find_named(parts, wanted, false) : find_loss(parts);
    if (!found)
        return STR("");
    Str printed = str_copy(arena, wanted.size ? wanted : found->printed), name = found->name;
    if (str_equal(name, STR("loss")))
        return printed;
    rename_all(parts, STR("loss"), STR("loss.loss"));
    rename_all(parts, name, STR("loss"));
    return printed;
}

static bool is_part(Str name)
{
    return str_starts(name, STR("loss."));
}

static bool has_part(const Run *run)
{
    for (size_t i = 0; i < run->series_count; i++)
        if (is_part(run->series[i].name) && run->series[i].count)
            return true;
    return false;
}

JudgedLoss judged_loss_of(const Run *run)
{
    const Series *loss = run_series(run, "loss");
    if (loss && (loss->count || loss->absent_count))
        return JUDGED_WHOLE;
    return has_part(run) ? JUDGED_PARTS : JUDGED_EVALUATION;
}

bool judged_loss_is_of_rank(Str name)
{
    return str_starts(name, STR("loss.rank"));
}

bool judged_loss_has(JudgedLoss kind, Str series)
{
    if (kind == JUDGED_PARTS)
        return is_part(series);
    return str_equal(series, kind == JUDGED_WHOLE ? STR("loss") : STR("eval_loss")) ||
           (kind == JUDGED_WHOLE && judged_loss_is_of_rank(series));
}

Str judged_loss_names(const Run *run, Arena *arena)
{
    StrBuf names = strbuf_new(arena);
    JudgedLoss kind = judged_loss_of(run);
    for (size_t i = 0; i < run->series_count; i++) {
        Str name = run->series[i].name;
        if (!judged_loss_has(kind, name) || run->series[i].count == 0)
            continue;
        if (names.size)
            strbuf_add(&names, STR(", "));
        strbuf_add(&names, name);
    }
    return strbuf_str(&names);
}
