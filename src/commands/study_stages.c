// SPDX-License-Identifier: Apache-2.0
#include "commands/study_stages.h"

#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/command_line.h"
#include "commands/commands.h"

void stage_argument(StageWork *work, StageCall *call, Str text)
{
    if (call->count < STAGE_ARGUMENTS_MAX)
        call->items[call->count++] = str_cstr(work->arena, text);
}

void stage_option(StageWork *work, StageCall *call, const char *option, const char *key)
{
    const StudyValue *value = study_value(work->section, key);
    for (size_t i = 0; value && i < value->count; i++) {
        if (option)
            stage_argument(work, call, str_printf(work->arena, "--%s", option));
        stage_argument(work, call, value->items[i]);
    }
}

static Str join_items(const StudyValue *value, Arena *arena)
{
    StrBuf joined;
    strbuf_init(&joined, arena);
    for (size_t i = 0; i < value->count; i++) {
        if (i)
            strbuf_add_char(&joined, ',');
        strbuf_add(&joined, value->items[i]);
    }
    return strbuf_str(&joined);
}

void stage_run_option(StageWork *work, StageCall *call, const char *option, const char *key,
                      Str name)
{
    const StudyValue *value = study_value(work->section, key);
    if (!value)
        return;
    Str files = join_items(value, work->arena);
    if (option)
        stage_argument(work, call, str_printf(work->arena, "--%s", option));
    stage_argument(work, call,
                   name.size
                       ? str_printf(work->arena, STR_FMT "=" STR_FMT, STR_ARG(name), STR_ARG(files))
                       : files);
}

// The figures that stand on the command's own page, under names of the stage.
static void take_figures(StageWork *work, const Collector *collector)
{
    StageFigure *figures =
        ARENA_ARRAY(work->arena, StageFigure, work->out->figure_count + collector->figures.count);
    size_t count = work->out->figure_count;
    for (size_t i = 0; i < count; i++)
        figures[i] = work->out->figures[i];
    for (size_t i = 0; i < collector->figures.count; i++) {
        const CollectedFigure *from = &collector->figures.items[i];
        if (!from->on_page)
            continue;
        figures[count++] =
            (StageFigure){.name = str_printf(work->arena, "%s-" STR_FMT,
                                             study_stage_key(work->stage), STR_ARG(from->file)),
                          .caption = from->caption,
                          .picture = from->picture,
                          .on_page = from->on_page};
    }
    work->out->figures = figures;
    work->out->figure_count = count;
}

static void take_tables(StageWork *work, const Collector *collector)
{
    Table **tables =
        ARENA_ARRAY(work->arena, Table *, work->out->table_count + collector->tables.count);
    size_t count = work->out->table_count;
    if (count)
        memcpy(tables, work->out->tables, count * sizeof *tables);
    for (size_t i = 0; i < collector->tables.count; i++) {
        Table *table = collector->tables.items[i];
        if (table->row_count == 0)
            continue;
        table->name = str_printf(work->arena, "%s " STR_FMT, study_stage_key(work->stage),
                                 STR_ARG(table->name));
        tables[count++] = table;
    }
    work->out->tables = tables;
    work->out->table_count = count;
}

void stage_give_up(StageWork *work, bool unreadable, Str reason)
{
    work->out->status = STAGE_NOT_DONE;
    work->out->unreadable = unreadable;
    work->out->reason = reason;
    work->out->figure_count = work->out->table_count = 0;
}

void stage_give_up_error(StageWork *work, const Error *err)
{
    Str file = redact_path(work->redaction, str_of(err->file), work->arena);
    Str text = redact_text(work->redaction, str_of(err->text), work->arena);
    Str reason = text;
    if (file.size)
        reason = str_printf(work->arena, STR_FMT ": " STR_FMT, STR_ARG(file), STR_ARG(text));
    notices_partial(work->notices, NOWHERE, "%s: " STR_FMT, study_stage_key(work->stage),
                    STR_ARG(reason));
    stage_give_up(work, true, str_copy(work->arena, reason));
}

bool stage_collect(StageWork *work, StudyCommand command, StageCall *call, Collector *collector)
{
    collector_init(collector, work->arena);
    work->out->command = command_quote(call->count, call->items, work->redaction, work->arena);
    if (work->jobs.size) {
        stage_argument(work, call, STR("--jobs"));
        stage_argument(work, call, work->jobs);
    }
    if (work->redaction)
        stage_argument(work, call, STR("--redact"));
    call->items[call->count] = NULL;
    int code = command(call->count, call->items, collector);
    notices_join(work->notices, &collector->notices);
    work->out->verdict = collector->verdict;
    work->out->summary = collector->summary;
    work->out->partial = collector->verdict.partial || code == 4;
    if (collector->failed) {
        stage_give_up_error(work, &collector->err);
        return false;
    }
    if (code == 3) {
        Str text = collector->verdict.sentence;
        stage_give_up(work, true, text.size ? text : str_of(tr("nothing could be compared")));
        return false;
    }
    work->out->status = code == 1 ? STAGE_FAILED : STAGE_PASSED;
    take_figures(work, collector);
    take_tables(work, collector);
    return true;
}

void stage_limits(StageWork *work, StageCall *call)
{
    StrBuf list;
    const StageLimit *limit;
    strbuf_init(&list, work->arena);
    for (size_t i = 0; (limit = study_limit(work->stage, i)) != NULL; i++) {
        const StudyValue *value = study_value(work->section, limit->key);
        if (value)
            strbuf_printf(&list, "%s%s=" STR_FMT, strbuf_str(&list).size ? "," : "", limit->name,
                          STR_ARG(value->items[0]));
    }
    if (strbuf_str(&list).size == 0)
        return;
    stage_argument(work, call, STR("--limits"));
    stage_argument(work, call, strbuf_str(&list));
}

static StageCall call_of(const char *name)
{
    StageCall call = {.count = 0};
    static const char *const names[] = {"checklist", "compare", "curves",
                                        "locate",    "monitor", "advise"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            call.items[call.count++] = (char *)(uintptr_t)names[i];
    return call;
}

static void run_checklist(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("checklist");
    stage_run_option(work, &call, "golden", "golden", STR(""));
    stage_run_option(work, &call, "target", "target", STR(""));
    if (stage_collect(work, command_checklist, &call, &collector))
        study_read_checklist(work, &collector);
}

static void run_weights(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("compare");
    stage_option(work, &call, "golden", "golden");
    stage_option(work, &call, "target", "target");
    if (stage_collect(work, command_compare, &call, &collector))
        study_read_weights(work, &collector);
}

static void add_sides(StageWork *work, StageCall *call)
{
    stage_run_option(work, call, "golden", "golden", work->plan->names[0]);
    stage_run_option(work, call, "target", "target", work->plan->names[1]);
}

static void run_rate_zero(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("curves");
    if (!study_rate_is_zero(work))
        return;
    add_sides(work, &call);
    stage_argument(work, &call, STR("--criterion=lr0"));
    stage_limits(work, &call);
    if (stage_collect(work, command_curves, &call, &collector))
        study_read_rate_zero(work, &collector);
}

// The weights at the end of the run, for what they tell of the decay.
static void compare_end(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("compare");
    if (work->out->status == STAGE_NOT_DONE || !study_value(work->section, "golden_weights") ||
        !study_value(work->section, "target_weights"))
        return;
    stage_option(work, &call, "golden", "golden_weights");
    stage_option(work, &call, "target", "target_weights");
    if (work->redaction)
        stage_argument(work, &call, STR("--redact"));
    call.items[call.count] = NULL;
    collector_init(&collector, work->arena);
    command_compare(call.count, call.items, &collector);
    notices_join(work->notices, &collector.notices);
    if (!collector.failed)
        study_read_decay(work, &collector);
}

// The verdict of the curves is that of the worst run, here the one before the fix: the picture goes
// without it and is called by what the stage found.
static void take_own_title(StageWork *work)
{
    StageFigure *figures = ARENA_ARRAY(work->arena, StageFigure, work->out->figure_count + 1);
    for (size_t i = 0; i < work->out->figure_count; i++) {
        Scene *scene = scene_copy(work->out->figures[i].on_page, work->arena);
        scene->title = work->out->number;
        figures[i] = work->out->figures[i];
        figures[i].picture = NULL;
        figures[i].on_page = scene;
    }
    work->out->figures = figures;
}

static void run_curves(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("curves");
    add_sides(work, &call);
    stage_run_option(work, &call, "target", "before", str_of(tr("before the fix")));
    stage_option(work, &call, "noise", "runs");
    stage_limits(work, &call);
    if (!stage_collect(work, command_curves, &call, &collector))
        return;
    study_read_curves(work, &collector);
    compare_end(work);
    if (study_value(work->section, "before"))
        take_own_title(work);
}

// NaN of the target that golden has not: what it has itself is healthy.
static void locate_in_dumps(StageWork *work)
{
    Collector found[2];
    static const char *const sides[] = {"target", "golden"};
    for (int i = 0; i < 2; i++) {
        StageCall call = call_of("locate");
        collector_init(&found[i], work->arena);
        stage_option(work, &call, NULL, sides[i]);
        stage_option(work, &call, "step", "step");
        stage_option(work, &call, "rank", "rank");
        if (work->redaction)
            stage_argument(work, &call, STR("--redact"));
        call.items[call.count] = NULL;
        if (command_locate(call.count, call.items, &found[i]) != 1)
            break;
    }
    study_read_locate(work, &found[0], &found[1]);
}

static void run_dumps(StageWork *work)
{
    static const char *const options[][2] = {
        {"noise",         "noise"        },
        {"step",          "step"         },
        {"rank",          "rank"         },
        {"criteria",      "criteria"     },
        {"layer-mapping", "layer_mapping"},
        {"cell-mapping",  "cell_mapping" },
        {"data-mapping",  "data_mapping" }
    };
    Collector collector;
    StageCall call = call_of("compare");
    stage_option(work, &call, "golden", "golden");
    stage_option(work, &call, "target", "target");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        stage_option(work, &call, options[i][0], options[i][1]);
    if (!stage_collect(work, command_compare, &call, &collector))
        return;
    study_read_compare(work, &collector);
    locate_in_dumps(work);
}

static void run_monitor(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("monitor");
    add_sides(work, &call);
    if (stage_collect(work, command_monitor, &call, &collector))
        study_read_monitor(work, &collector);
}

static void run_skip(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("advise");
    stage_argument(work, &call, STR("skip"));
    stage_run_option(work, &call, NULL, "target", work->plan->names[1]);
    stage_option(work, &call, "threshold", "threshold");
    stage_option(work, &call, "count", "count");
    if (stage_collect(work, command_advise, &call, &collector))
        study_read_skip(work, &collector);
}

static void run_health(StageWork *work)
{
    Collector collector;
    StageCall call = call_of("advise");
    stage_argument(work, &call, STR("health"));
    stage_option(work, &call, NULL, "target");
    stage_option(work, &call, NULL, "logs");
    stage_option(work, &call, "threshold", "threshold");
    if (stage_collect(work, command_advise, &call, &collector))
        study_read_health(work, &collector);
}

static void (*const runners[STAGE_COUNT])(StageWork *work) = {
    [STAGE_CONFIG] = run_checklist,
    [STAGE_TOKENS] = study_tokens,
    [STAGE_WEIGHTS] = run_weights,
    [STAGE_STEP_ONE] = study_first_loss,
    [STAGE_LOCAL_NORMS] = study_local_norms,
    [STAGE_STEP_TWO] = study_first_loss,
    [STAGE_RATE_ZERO] = run_rate_zero,
    [STAGE_LONG_RUN] = run_curves,
    [STAGE_NOISE] = run_curves,
    [STAGE_DUMPS] = run_dumps,
    [STAGE_MONITOR] = run_monitor,
    [STAGE_SKIP] = run_skip,
    [STAGE_HEALTH] = run_health,
};

// A path that is named and not there costs the stage, before anything else is read.
static const Str *missing_path(const StudySection *section, Arena *arena)
{
    for (size_t i = 0; i < section->count; i++) {
        const StudyValue *value = &section->items[i];
        if (value->kind == STUDY_TEXT || value->kind == STUDY_NUMBER)
            continue;
        for (size_t k = 0; k < value->count; k++)
            if (file_kind(str_cstr(arena, value->items[k])) == FILE_NONE)
                return &value->items[k];
    }
    return NULL;
}

void study_stage_run(StageWork *work)
{
    const StudySection *section = work->section;
    *work->out = (StageResult){.stage = work->stage,
                               .note = section->note,
                               .rule = study_rule(work->stage, section, work->arena),
                               .source = study_rule_source(work->stage, section)};
    if (!section->given)
        return;
    const Str *missing = missing_path(section, work->arena);
    if (missing) {
        Error err;
        error_set(&err, ERR_INPUT, WHERE_FILE(str_cstr(work->arena, *missing)), "%s",
                  tr("there is no such file or folder"));
        stage_give_up_error(work, &err);
    } else if (!study_section_complete(section, work->stage)) {
        stage_give_up(work, false, str_of(tr("one side is not named")));
    } else {
        runners[work->stage](work);
    }
}
