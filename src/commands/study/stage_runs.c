// SPDX-License-Identifier: Apache-2.0
#include "commands/study/stage_runs.h"

#include <string.h>

#include "base/file.h"
#include "base/words.h"
#include "commands/machinery/commands.h"
#include "commands/study/stage_facts.h"
#include "commands/study/stage_ladder.h"
#include "commands/study/stage_losses.h"
#include "compare/dtype_map.h"
#include "read/dump/dump_folder.h"
#include "read/dump/dump_source.h"

static void add_sides(StageWork *work, StageCall *call)
{
    stage_run_option(work, call, "golden", "golden", work->plan->names[0]);
    stage_run_option(work, call, "target", "target", work->plan->names[1]);
}

static void run_rate_zero(StageWork *work)
{
    Product product;
    StageCall call;
    stage_begin(work, &curves_command, &call);
    if (!study_rate_is_zero(work))
        return;
    add_sides(work, &call);
    stage_value(work, &call, "criterion", STR("lr0"));
    stage_limits(work, &call);
    stage_option(work, &call, "patterns", "patterns");
    if (stage_collect(work, &call, &product))
        study_read_rate_zero(work, &product);
    product_release(&product);
}

// The weights at the end of the run, for what they tell of the decay.
static void compare_end(StageWork *work)
{
    Product product;
    StageCall call;
    if (work->out->status == STAGE_NOT_DONE || !study_value(work->section, "golden_weights") ||
        !study_value(work->section, "target_weights"))
        return;
    stage_begin(work, &compare_command, &call);
    stage_option(work, &call, "golden", "golden_weights");
    stage_option(work, &call, "target", "target_weights");
    bool made = stage_compute(work, &call, &product);
    if (product.notices)
        notices_join(work->notices, product.notices);
    if (made)
        study_read_decay(work, &product);
    product_release(&product);
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
    static const char *const settings[] = {"noise", NULL};  // the stage has limits of its own
    Product product;
    StageCall call;
    stage_begin(work, &curves_command, &call);
    add_sides(work, &call);
    stage_run_option(work, &call, "target", "before", str_of(tr("before the fix")));
    stage_option(work, &call, "noise", "runs");
    stage_settings(work, &call, settings);
    stage_limits(work, &call);
    stage_option(work, &call, "patterns", "patterns");
    bool made = stage_collect(work, &call, &product);
    if (made)
        study_read_curves(work, &product);
    product_release(&product);
    if (!made)
        return;
    compare_end(work);
    if (study_value(work->section, "before"))
        take_own_title(work);
}

static bool find_nan(StageWork *work, const char *side, Product *out)
{
    StageCall call;
    stage_begin(work, &locate_command, &call);
    stage_option(work, &call, NULL, side);
    stage_option(work, &call, "step", "step");
    stage_option(work, &call, "rank", "rank");
    return stage_compute(work, &call, out) && out->status == PRODUCT_DIFFERS;
}

// NaN of the target that golden has not: what it has itself is healthy.
static void locate_in_dumps(StageWork *work)
{
    Product target, golden;
    if (find_nan(work, "target", &target)) {
        if (!find_nan(work, "golden", &golden))
            study_read_locate(work, &target);
        product_release(&golden);
    }
    product_release(&target);
}

// The dumps of one side, in the order of steps, stages and ranks.
static bool find_side(StageWork *work, const char *key, DumpPlaces *out, Notices *notices)
{
    Error err;
    const char *path = str_cstr(work->arena, study_value(work->section, key)->items[0]);
    bool good = folder_find_dumps(path, NULL, work->arena, out, notices, &err);
    if (!good)
        stage_give_up_error(work, &err);
    return good;
}

// In which types the modules compute, in the first dumps that both sides have.
static void run_dtypes(StageWork *work)
{
    Error err;
    Dump golden, target;
    DumpPlaces sides[2];
    PlacePairs pairs = {0};
    Notices found, again;
    notices_init(&found, work->arena);
    notices_init(&again, work->arena);
    // What is wrong with the dumps of another stage is reported there.
    bool own = work->section == &work->plan->sections[STAGE_DTYPES];
    Notices *notices = own ? work->notices : &again;
    if (!find_side(work, "golden", &sides[0], notices) ||
        !find_side(work, "target", &sides[1], notices))
        return;
    folder_pair_dumps(&sides[0], &sides[1], work->arena, &pairs);
    size_t first = 0;
    while (first < pairs.count && !(pairs.items[first].golden && pairs.items[first].target))
        first++;
    if (first == pairs.count) {
        stage_give_up(work, false, str_of(tr("no step and rank has a dump on both sides")));
        return;
    }
    const PlacePair *pair = &pairs.items[first];
    if (!dump_read(pair->golden->file, names_new(work->arena), work->arena, &golden, notices,
                   &err) ||
        !dump_read(pair->target->file, names_new(work->arena), work->arena, &target, notices,
                   &err)) {
        stage_give_up_error(work, &err);
        return;
    }
    size_t classes = dtype_map_tell(&golden, &target, &found);
    if (classes == 0) {
        stage_give_up(work, false, str_of(tr("no class of modules is in the dumps of both sides")));
        return;
    }
    work->out->status = found.count ? STAGE_FAILED : STAGE_PASSED;
    work->out->number =
        found.count ? found.items[0].text
                    : str_printf(work->arena,
                                 tr_count(classes, "%zu class of modules computes in the same type",
                                          "%zu classes of modules compute in the same types"),
                                 classes);
}

static void run_dumps(StageWork *work)
{
    static const char *const options[][2] = {{"noise", "noise"},
                                             {"step", "step"},
                                             {"rank", "rank"},
                                             {"criteria", "criteria"},
                                             {"layer-mapping", "layer_mapping"},
                                             {"cell-mapping", "cell_mapping"},
                                             {"data-mapping", "data_mapping"}};
    static const char *const settings[] = {"noise", "criteria", NULL};
    Product product;
    StageCall call;
    stage_begin(work, &compare_command, &call);
    stage_option(work, &call, "golden", "golden");
    stage_option(work, &call, "target", "target");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        stage_option(work, &call, options[i][0], options[i][1]);
    stage_settings(work, &call, settings);
    bool made = stage_collect(work, &call, &product);
    product_release(&product);
    if (!made)
        return;
    study_read_compare(work);
    locate_in_dumps(work);
}

// A stage that one command answers: its first word, its options in their order, what vernier.toml
// may say, and who reads the facts.
typedef enum StageGiven {
    ITEMS,
    RUN,
    NAMED_RUN
} StageGiven;  // each item; files joined; after "NAME="
typedef struct StageCommand {
    const CommandSpec *command;
    const char *word;
    struct {
        const char *option, *key;  // NULL: an argument
        StageGiven given;
    } options[8];
    const char *settings[2];
    void (*read)(StageWork *work, const Product *product);
} StageCommand;

static const StageCommand commands[STAGE_COUNT] = {
    [STAGE_CONFIG] = {.command = &checklist_command,
                      .options = {{"golden", "golden", RUN}, {"target", "target", RUN}},
                      .read = study_read_checklist},
    [STAGE_WEIGHTS] = {.command = &compare_command,
                       .options = {{"golden", "golden", ITEMS}, {"target", "target", ITEMS}},
                       .read = study_read_weights},
    [STAGE_CHECK] = {.command = &check_command,
                     .options = {{NULL, "target", ITEMS},
                                 {"step", "step", ITEMS},
                                 {"rank", "rank", ITEMS},
                                 {"layout", "layout", ITEMS},
                                 {"skip", "skip", ITEMS},
                                 {"expect", "expect", ITEMS},
                                 {"tolerance", "tolerance", ITEMS},
                                 {"rate", "rate", ITEMS}},
                     .settings = {"expect"},
                     .read = study_read_check},
    [STAGE_MONITOR] = {.command = &monitor_command,
                       .options = {{"golden", "golden", NAMED_RUN},
                                   {"target", "target", NAMED_RUN}},
                       .read = study_read_monitor},
    [STAGE_SKIP] = {.command = &advise_command,
                    .word = "skip",
                    .options = {{NULL, "target", NAMED_RUN},
                                {"threshold", "threshold", ITEMS},
                                {"count", "count", ITEMS},
                                {"patterns", "patterns", ITEMS}},
                    .read = study_read_skip},
    [STAGE_HEALTH] = {.command = &advise_command,
                      .word = "health",
                      .options = {{NULL, "target", ITEMS},
                                  {NULL, "logs", ITEMS},
                                  {"threshold", "threshold", ITEMS},
                                  {"patterns", "patterns", ITEMS}},
                      .read = study_read_health},
    [STAGE_EVALUATION] = {.command = &precheck_command,
                          .options = {{NULL, "golden", ITEMS}, {NULL, "target", ITEMS}},
                          .read = study_read_weights},
};

static void run_command(StageWork *work)
{
    enum { OPTIONS = sizeof commands->options / sizeof *commands->options };
    const StageCommand *run = &commands[work->stage];
    Product product;
    StageCall call;
    stage_begin(work, run->command, &call);
    if (run->word)
        stage_argument(work, &call, str_of(run->word));
    for (size_t i = 0; i < OPTIONS && run->options[i].key; i++) {
        const char *option = run->options[i].option, *key = run->options[i].key;
        Str name = work->plan->names[strcmp(key, "target") == 0];
        if (run->options[i].given == ITEMS)
            stage_option(work, &call, option, key);
        else
            stage_run_option(work, &call, option, key,
                             run->options[i].given == NAMED_RUN ? name : STR(""));
    }
    if (run->settings[0])
        stage_settings(work, &call, run->settings);
    if (stage_collect(work, &call, &product))
        run->read(work, &product);
    product_release(&product);
}

// Those that read their data themselves, or ask more than one command; NULL: run_command.
static void (*const runners[STAGE_COUNT])(StageWork *work) = {
    [STAGE_TOKENS] = study_tokens,
    [STAGE_STEP_ONE] = study_first_loss,
    [STAGE_LOCAL_NORMS] = study_local_norms,
    [STAGE_STEP_TWO] = study_first_loss,
    [STAGE_RATE_ZERO] = run_rate_zero,
    [STAGE_LONG_RUN] = run_curves,
    [STAGE_NOISE] = run_curves,
    [STAGE_SCENARIOS] = study_ladder_of_configurations,
    [STAGE_DTYPES] = run_dtypes,
    [STAGE_DUMPS] = run_dumps,
};

// A path that is named and not there costs the stage, before anything else is read.
static const Str *missing_path(const StudySection *section, Arena *arena)
{
    for (size_t i = 0; i < section->count; i++) {
        const StudyValue *value = &section->items[i];
        if (value->kind == STUDY_TEXT || value->kind == STUDY_TEXTS || value->kind == STUDY_NUMBER)
            continue;
        for (size_t k = 0; k < value->count; k++)
            if (file_kind(str_cstr(arena, value->items[k])) == FILE_NONE)
                return &value->items[k];
    }
    return NULL;
}

void study_stage_run(StageWork *work)
{
    const StudySection *named = work->section;
    if (work->stage == STAGE_DTYPES && !named->given)
        work->section = &work->plan->sections[STAGE_DUMPS];
    const StudySection *section = work->section;
    *work->out = (StageResult){.stage = work->stage,
                               .info = study_stage_info(work->stage, work->arena),
                               .note = named->note,
                               .rule = study_rule(work->stage, section, work->arena),
                               .source = study_rule_source(work->stage, section, work->arena)};
    if (!section->given)
        return;
    const Str *missing = missing_path(section, work->arena);
    if (missing) {
        Error err;
        error_set(&err, ERR_INPUT, WHERE_FILE(str_cstr(work->arena, *missing)), "%s",
                  tr("there is no such file or folder"));
        stage_give_up_error(work, &err);
    } else if (!section->complete) {
        stage_give_up(work, false, str_of(tr("one side is not named")));
    } else {
        (runners[work->stage] ? runners[work->stage] : run_command)(work);
    }
}
