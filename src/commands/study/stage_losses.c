// SPDX-License-Identifier: Apache-2.0
#include "commands/study/stage_losses.h"

#include <math.h>

#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/log_options.h"
#include "compare/match/tokens.h"
#include "model/run/run_source.h"
#include "trend/curves/renumber.h"
#include "verdict/figure_text.h"

static Str tokens_number(const TokensFact *fact, Arena *arena)
{
    Str elements = figure_count(fact->elements, arena),
        different = figure_count(fact->different, arena);
    if (fact->shape_differs)
        return str_printf(arena,
                          tr_count(fact->shape_differs, "%llu array has another shape",
                                   "%llu arrays have another shape"),
                          (unsigned long long)fact->shape_differs);
    if (fact->different)
        return str_printf(arena,
                          tr(STR_FMT " of " STR_FMT " ids differ; first at element %llu of " STR_FMT
                                     ": %lld, golden has %lld"),
                          STR_ARG(different), STR_ARG(elements), (unsigned long long)fact->first_at,
                          STR_ARG(fact->first_file), (long long)fact->target,
                          (long long)fact->golden);
    if (fact->only[0] || fact->only[1])
        return str_printf(arena,
                          tr_count(fact->only[0] + fact->only[1],
                                   "%llu array only on one side, the others equal",
                                   "%llu arrays only on one side, the others equal"),
                          (unsigned long long)fact->only[0] + fact->only[1]);
    return str_printf(arena, tr("all " STR_FMT " ids equal, %lld to %lld"), STR_ARG(elements),
                      (long long)fact->smallest, (long long)fact->largest);
}

void study_tokens(StageWork *work)
{
    Error err;
    TokensFact fact;
    const StudyValue *golden = study_value(work->section, "golden");
    const StudyValue *target = study_value(work->section, "target");
    if (!tokens_compare(str_cstr(work->arena, golden->items[0]),
                        str_cstr(work->arena, target->items[0]), work->arena, &fact, work->notices,
                        &err)) {
        stage_give_up_error(work, &err);
        return;
    }
    bool equal = fact.different == 0 && fact.shape_differs == 0 && fact.only[0] + fact.only[1] == 0;
    work->out->status = equal ? STAGE_PASSED : STAGE_FAILED;
    work->out->number = tokens_number(&fact, work->arena);
}

// Where a command reads the same logs, it tells what is wrong with them.
static Notices *notices_of(StageWork *work)
{
    if (work->stage == STAGE_STEP_ONE || work->stage == STAGE_STEP_TWO)
        return work->notices;
    Notices *again = ARENA_NEW(work->arena, Notices);
    notices_init(again, work->arena);
    again->redaction = work->redaction;
    return again;
}

static bool read_side(StageWork *work, const char *key, RunRole role, Runs *runs)
{
    Error err;
    Notices *notices = notices_of(work);
    const StudyValue *files = study_value(work->section, "patterns");
    LogWish *wish = ARENA_NEW(work->arena, LogWish);
    Str run = stage_run_text(work, key, work->plan->names[role == ROLE_GOLDEN_RUN ? 0 : 1]);
    runs->wish = wish;
    if (log_wish_of_files(files ? files->items : NULL, files ? files->count : 0, work->arena,
                          notices, wish, &err) &&
        run_source_read(run, role, work->arena, runs, notices, &err))
        return true;
    stage_give_up_error(work, &err);
    return false;
}

static const Run *run_with_role(const Runs *runs, RunRole role)
{
    for (size_t i = 0; i < runs->count; i++)
        if (runs->items[i].role == role)
            return &runs->items[i];
    return NULL;
}

static bool read_pair(StageWork *work, Runs *runs, const Run *pair[2])
{
    *runs = (Runs){0};
    if (!read_side(work, "golden", ROLE_GOLDEN_RUN, runs) ||
        !read_side(work, "target", ROLE_TARGET_RUN, runs))
        return false;
    align_first_steps(runs, work->arena, notices_of(work));
    pair[0] = run_with_role(runs, ROLE_GOLDEN_RUN);
    pair[1] = run_with_role(runs, ROLE_TARGET_RUN);
    return true;
}

// ---- the loss of step 1 and step 2

// The first step of a log is 1, or 0 where something else counts from 0: the same on both sides.
static bool first_step(const Series *golden, const Series *target, int64_t *out)
{
    *out = golden->points.x[0];
    return golden->points.x[0] == target->points.x[0] && *out <= 1;
}

static void judge_step(StageWork *work, double golden, double target, double resolution)
{
    Arena *arena = work->arena;
    double difference = target - golden;
    double absolute = study_limit_value(study_limit(work->stage, 0), work->section);
    double percent_limit = study_limit_value(study_limit(work->stage, 1), work->section);
    double limit = fmax(absolute, percent_limit / 100 * fabs(golden));
    Str a = figure_number(golden, 7, arena), b = figure_number(target, 7, arena);
    Str d = figure_number(difference, 2, arena);
    Str percent = figure_number(100 * fabs(difference / golden), 2, arena);
    bool first = work->stage == STAGE_STEP_ONE;
    *(first ? &work->facts->step_one : &work->facts->step_two) = difference;
    if (isfinite(golden) && fabs(difference) <= resolution) {
        work->out->status = STAGE_PASSED;
        work->out->number = str_printf(arena, tr("both " STR_FMT " as far as printed"), STR_ARG(a));
        return;
    }
    if (limit < 2 * resolution) {
        Str places = figure_number(resolution, 2, arena);
        stage_give_up(work, false,
                      str_printf(arena,
                                 tr("the printed digits (+-" STR_FMT ") cannot decide the rule"),
                                 STR_ARG(places)));
        return;
    }
    work->out->status = fabs(difference) <= limit ? STAGE_PASSED : STAGE_FAILED;
    work->out->number = str_printf(
        arena,
        tr("target " STR_FMT ", golden " STR_FMT ": difference " STR_FMT " (" STR_FMT " %%)"),
        STR_ARG(b), STR_ARG(a), STR_ARG(d), STR_ARG(percent));
}

// A loss that is no number where golden has one. False: it is not so.
static bool judge_nonfinite(StageWork *work, double golden, double target, int64_t step)
{
    if (!isfinite(golden) || isfinite(target))
        return false;
    if (work->facts->nonfinite_step < 0)
        work->facts->nonfinite_step = step;
    work->out->status = STAGE_FAILED;
    work->out->number =
        str_printf(work->arena, tr("target %s, golden " STR_FMT), isnan(target) ? "NaN" : "Inf",
                   STR_ARG(figure_number(golden, 7, work->arena)));
    return true;
}

void study_first_loss(StageWork *work)
{
    Runs runs;
    const Run *pair[2];
    int64_t first;
    if (!read_pair(work, &runs, pair))
        return;
    const Series *golden = run_series(pair[0], "loss"), *target = run_series(pair[1], "loss");
    if (!golden || !target || !golden->count || !target->count) {
        stage_give_up(work, true, str_of(tr("a log has no loss")));
        return;
    }
    bool second = work->stage == STAGE_STEP_TWO;
    if (!first_step(golden, target, &first)) {
        stage_give_up(work, false, str_of(tr("the logs do not start at the same first step")));
        return;
    }
    int64_t step = first + second;
    if (golden->count <= (size_t)second || golden->points.x[second] != step ||
        target->count <= (size_t)second || target->points.x[second] != step) {
        stage_give_up(work, false, str_of(tr("a log does not print every step")));
        return;
    }
    double a = golden->points.value[second], b = target->points.value[second];
    if (judge_nonfinite(work, a, b, step))
        return;
    judge_step(work, a, b, series_resolution(golden, a) + series_resolution(target, b));
}

// ---- local norms

static void judge_norms(StageWork *work, const NormTable *table)
{
    Arena *arena = work->arena;
    const NormPair *worst = localnorm_worst(table);
    size_t flagged = localnorm_flagged(table);
    Str percent = figure_number(100 * worst->relative_error, 2, arena);
    Str name = worst->target.size ? worst->target : worst->golden;
    work->out->status = flagged ? STAGE_FAILED : STAGE_PASSED;
    if (!flagged) {
        work->out->number = str_printf(
            arena,
            tr_count(table->count,
                     "%zu weight agrees; largest difference " STR_FMT " %% (" STR_FMT ")",
                     "%zu weights agree; largest difference " STR_FMT " %% (" STR_FMT ")"),
            table->count, STR_ARG(percent), STR_ARG(name));
        return;
    }
    work->facts->worst_weight = name;
    work->facts->worst_weight_error = worst->relative_error;
    work->facts->norms_reading = str_of(localnorm_reading(table));
    work->out->number = str_printf(
        arena,
        tr_count(table->count,
                 STR_FMT " differs by " STR_FMT " %%; %zu of %zu weight beyond the rule",
                 STR_FMT " differs by " STR_FMT " %%; %zu of %zu weights beyond the rule"),
        STR_ARG(name), STR_ARG(percent), flagged, table->count);
    if (work->facts->norms_reading.size)
        work->out->number = str_printf(arena, tr(STR_FMT "; " STR_FMT), STR_ARG(work->out->number),
                                       STR_ARG(work->facts->norms_reading));
}

// Of the curves only the picture and the table of the norms belong to this stage.
static void keep_norms_only(StageWork *work)
{
    StageFigure *figures = ARENA_ARRAY(work->arena, StageFigure, work->out->figure_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < work->out->figure_count; i++)
        if (str_ends(work->out->figures[i].name, STR("local-norms")))
            figures[count++] = work->out->figures[i];
    work->out->figures = figures;
    work->out->figure_count = count;
    Table **tables = ARENA_ARRAY(work->arena, Table *, work->out->table_count + 1);
    count = 0;
    for (size_t i = 0; i < work->out->table_count; i++)
        if (str_ends(work->out->tables[i]->name, str_of(tr("Local norms"))))
            tables[count++] = work->out->tables[i];
    work->out->tables = tables;
    work->out->table_count = count;
}

void study_local_norms(StageWork *work)
{
    Runs runs;
    const Run *pair[2];
    NameMap map;
    NormTable table;
    Error err;
    Product product;
    StageCall call;
    const StudyValue *names = study_value(work->section, "names");
    if (names && !name_map_read(str_cstr(work->arena, names->items[0]), work->arena, &map,
                                work->notices, &err)) {
        stage_give_up_error(work, &err);
        return;
    }
    if (!read_pair(work, &runs, pair))
        return;
    if (!localnorm_compare(pair[0], pair[1], names ? &map : NULL, work->arena, &table) ||
        table.count == 0) {
        stage_give_up(work, true, str_of(tr("no local norms of both sides in the logs")));
        return;
    }
    double look = study_limit_value(study_limit(work->stage, 0), work->section);
    localnorm_flag(&table, look / 100, work->arena);
    stage_begin(work, &curves_command, &call);
    stage_run_option(work, &call, "golden", "golden", work->plan->names[0]);
    stage_run_option(work, &call, "target", "target", work->plan->names[1]);
    stage_option(work, &call, "name-map", "names");
    stage_option(work, &call, "patterns", "patterns");
    stage_limits(work, &call);
    bool made = stage_collect(work, &call, &product);
    product_release(&product);
    if (!made)
        return;
    keep_norms_only(work);
    judge_norms(work, &table);
}

// ---- learning rate 0

bool study_rate_is_zero(StageWork *work)
{
    Runs runs;
    const Run *pair[2];
    if (!read_pair(work, &runs, pair))
        return false;
    for (int side = 0; side < 2; side++) {
        const Series *rate = run_series(pair[side], "lr");
        for (size_t i = 0; rate && i < rate->count; i++)
            if (rate->points.value[i] != 0) {
                stage_give_up(work, false,
                              str_printf(work->arena,
                                         tr("the learning rate of " STR_FMT " is not 0 at step "
                                            "%lld: the weights moved"),
                                         STR_ARG(pair[side]->name), (long long)rate->points.x[i]));
                return false;
            }
    }
    return true;
}
