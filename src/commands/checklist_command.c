// SPDX-License-Identifier: Apache-2.0
// vernier checklist: two training configurations against each other and the checklist.
#include "base/file.h"
#include "base/words.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "compare/checklist/checklist_section.h"
#include "export/summary/checklist_summary.h"
#include "picture/kit/verdict_head.h"
#include "picture/overview/checklist_picture.h"
#include "report/checklist_report.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "FILE", TR("the configuration that is trusted"), OPTION_INPUT},
    {"target", 't', OPTION_TEXT, "FILE", TR("the configuration under question"), OPTION_INPUT},
};

static bool make_checklist(const CommandCall *call, Product *out);

const CommandSpec checklist_command = {
    .name = "checklist",
    .arguments = "GOLDEN [TARGET]",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_checklist,
};

typedef struct ChecklistJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    Str paths[2];
    Config configs[2];
    Checklist list;
    ChecklistView view;
    ReadTotals totals;
    Redaction redaction;
    bool single;
} ChecklistJob;

static bool find_sides(ChecklistJob *job)
{
    job->paths[0] = options_text(job->options, "golden", "");
    job->paths[1] = options_text(job->options, "target", "");
    size_t next = 0;
    for (int side = 0; side < 2; side++)
        if (job->paths[side].size == 0 && next < job->options->argument_count)
            job->paths[side] = job->options->arguments[next++];
    // One alone is shown, with what the checklist advises against.
    job->single = next == 1 && !job->paths[1].size && job->options->argument_count == 1;
    if (job->single)
        job->paths[1] = job->paths[0];
    if (job->paths[0].size && job->paths[1].size && next == job->options->argument_count)
        return true;
    return error_set(job->err, ERR_USAGE, NOWHERE, "%s",
                     tr("checklist needs two configurations: vernier checklist GOLDEN TARGET"));
}

// Settings whose value is a host, an address or a name of a person.
static bool names_someone(Str key)
{
    return STR_ANY(key, str_ends, "addr", "host", "hosts", "hostname", "hostfile", "user",
                   "username", "ip", "server", "entity", "nodelist", "email", "author");
}

static Str redact_setting(const ConfigItem *item, Arena *arena)
{
    bool path = str_find_char(item->value, '/', 0) != SIZE_MAX &&
                str_find_char(item->value, ' ', 0) == SIZE_MAX;
    if (path && !names_someone(item->key))
        return redact_value(str_concat(arena, STR("/"), item->value), arena);
    if (names_someone(item->key))
        return redact_value(str_printf(arena, "/" STR_FMT "/-", STR_ARG(item->value)), arena);
    return redact_value(item->value, arena);
}

// Folders are left out before anything is compared; values that differ still differ.
static void redact(ChecklistJob *job, int side)
{
    const Redaction *folders = job->notices->redaction;
    for (size_t i = 0; folders && i < job->configs[side].count; i++) {
        ConfigItem *item = &job->configs[side].items[i];
        item->value = redact_setting(item, job->arena);
        item->file = str_cstr(job->arena, redact_path(folders, str_of(item->file), job->arena));
    }
    if (folders)
        job->paths[side] = side ? STR("target") : STR("golden");
}

// A side is a file, or several joined by commas; a file whose name holds a comma is itself.
static bool read_side(ChecklistJob *job, int side)
{
    Str rest = job->paths[side], part;
    if (file_kind(str_cstr(job->arena, rest)) == FILE_NONE &&
        str_find_char(rest, ',', 0) != SIZE_MAX) {
        while (str_split(&rest, ',', &part)) {
            const char *path = str_cstr(job->arena, part);
            if (!config_read(path, job->arena, &job->configs[side], job->notices, job->err))
                return false;
            job->totals.files++;
            job->totals.bytes += file_size(path);
        }
    } else {
        const char *path = str_cstr(job->arena, rest);
        if (!config_read(path, job->arena, &job->configs[side], job->notices, job->err))
            return false;
        job->totals.files++;
        job->totals.bytes += file_size(path);
    }
    job->totals.ops += job->configs[side].count;
    redact(job, side);
    return true;
}

static bool read_sides(ChecklistJob *job)
{
    static const char *const labels[] = {"golden", "target"};
    if (options_flag(job->options, "redact")) {
        for (int side = 0; side < 2; side++)
            redact_add(&job->redaction, job->arena, job->paths[side], str_of(labels[side]));
        job->notices->redaction = &job->redaction;
    }
    const char *golden = str_cstr(job->arena, job->paths[0]);
    const char *target = str_cstr(job->arena, job->paths[1]);
    if (!read_side(job, 0) || (!job->single && !read_side(job, 1)))
        return false;
    if (job->single)
        job->configs[1] = job->configs[0];
    else
        command_note_one_side(golden, target, job->notices);
    return true;
}

// Paths among the values stay different where they differ.
static void redact_values(ChecklistJob *job)
{
    static const char *const labels[] = {"golden", "target"};
    for (int side = 0; side < 2; side++) {
        Config *config = &job->configs[side];
        job->paths[side] = str_of(labels[side]);
        for (size_t i = 0; i < config->count; i++)
            config->items[i].value = redact_value(config->items[i].value, job->arena);
    }
}

static void produce(ChecklistJob *job, Product *out)
{
    ChecklistTables *tables = ARENA_NEW(job->arena, ChecklistTables);
    Report *report = ARENA_NEW(job->arena, Report);
    Scene *picture = ARENA_NEW(job->arena, Scene), *on_page = ARENA_NEW(job->arena, Scene);
    checklist_tables(&job->view, job->arena, tables);
    checklist_picture(&job->list, job->arena, on_page);  // the tables stand below it
    checklist_picture_rows(on_page, tables->differs, tables->advice, job->arena, picture);
    picture_title(on_page, job->view.verdict.sentence, job->arena);
    job->view.picture = on_page;
    checklist_report(&job->view, tables, job->arena, report);
    Table *all[] = {tables->differs, tables->advice, tables->rows, tables->open, tables->others};
    product_figure(out, STR("settings"), true, picture, &job->view.verdict);
    product_facts(out, checklist_summary_write, &job->view);
    product_page(out, report, "report");
    product_ticket(out, report, "summary");
    product_book(out, STR("checklist"), true, all, sizeof all / sizeof *all);
    product_sheet(out, STR("checklist"), true, tables->rows);
    out->verdict = job->view.verdict;
    out->read = job->totals;
    out->tells_read = true;
    out->status = job->list.equal + job->list.differs == 0 ? PRODUCT_NOTHING
                  : job->list.differs                      ? PRODUCT_DIFFERS
                                                           : PRODUCT_AGREES;
}

static bool make_checklist(const CommandCall *call, Product *out)
{
    ChecklistJob *job = ARENA_NEW(call->arena, ChecklistJob);
    *job = (ChecklistJob){.arena = call->arena,
                          .options = call->options,
                          .outputs = call->outputs,
                          .notices = call->notices,
                          .err = call->err,
                          .totals = {.rows = true}};
    if (!find_sides(job) || !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) ||
        !read_sides(job))
        return false;
    if (job->notices->redaction)
        redact_values(job);
    checklist_compare(&job->configs[0], &job->configs[1], job->arena, &job->list);
    checklist_add_sections(&job->configs[0], &job->configs[1], job->arena, &job->list);
    job->list.single = job->single;
    for (size_t i = 0; job->single && i < job->list.row_count; i++) {
        CheckResult *row = &job->list.rows[i];
        job->list.advice -= row->advice_target;
        row->advice_target = false;
    }
    job->view = (ChecklistView){.list = &job->list,
                                .golden_path = job->paths[0],
                                .target_path = job->paths[1],
                                .version = VERNIER_VERSION,
                                .notices = job->notices};
    account_see(&job->notices->account, job->list.equal + job->list.differs + job->list.unknown +
                                            job->list.one_side + job->list.others.count +
                                            job->list.others_alone);
    account_set_aside(&job->notices->account, ASIDE_NO_VALUE, job->list.unknown);
    account_set_aside(&job->notices->account, ASIDE_NOT_RECORDED,
                      job->list.one_side + job->list.others_alone);
    account_compare_rest(&job->notices->account);
    checklist_verdict(&job->list, notices_any_partial(job->notices), job->arena,
                      &job->view.verdict);
    produce(job, out);
    return true;
}
