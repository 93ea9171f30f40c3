// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/words.h"
#include "commands/commands.h"
#include "commands/outputs.h"
#include "commands/runner.h"
#include "layout/checklist_picture.h"

static const OptionSpec specs[] = {
    {"golden", 'g', OPTION_TEXT, "FILE", TR("the configuration that is trusted")},
    {"target", 't', OPTION_TEXT, "FILE", TR("the configuration under question") },
};

static const char *const examples[] = {
    "vernier checklist pretrain_gpt.sh pretrain_llama.yaml",
    TR("what differs, and what the accuracy checklist advises against"),
    "vernier checklist config.json,train_args.json run.yaml -o -",
    TR("several files of one side joined by commas; text to standard output"),
    NULL,
};

static const CommandSpec command = {
    .name = "checklist",
    .arguments = "GOLDEN TARGET",
    .purpose = TR("Holds two training configurations against each other and the checklist."),
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .examples = examples,
};

typedef struct Run {
    Arena *arena;
    Options options;
    Outputs outputs;
    Notices notices;
    Error err;
    Str paths[2];
    Config configs[2];
    Checklist list;
    ChecklistView view;
    ReadTotals totals;
    Redaction redaction;
} Run;

static bool find_sides(Run *run)
{
    run->paths[0] = options_text(&run->options, "golden", "");
    run->paths[1] = options_text(&run->options, "target", "");
    size_t next = 0;
    for (int side = 0; side < 2; side++)
        if (run->paths[side].size == 0 && next < run->options.argument_count)
            run->paths[side] = run->options.arguments[next++];
    if (run->paths[0].size && run->paths[1].size && next == run->options.argument_count)
        return true;
    return error_set(&run->err, ERR_USAGE, NOWHERE, "%s",
                     tr("checklist needs two configurations: vernier checklist GOLDEN TARGET"));
}

// Settings whose value is a host, an address or a name of a person.
static bool names_someone(Str key)
{
    static const char *const ends[] = {"addr",     "host",     "hosts", "hostname", "hostfile",
                                       "user",     "username", "ip",    "server",   "entity",
                                       "nodelist", "email",    "author"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_ends(key, str_of(ends[i])))
            return true;
    return false;
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
static void redact(Run *run, int side)
{
    const Redaction *folders = run->notices.redaction;
    for (size_t i = 0; folders && i < run->configs[side].count; i++) {
        ConfigItem *item = &run->configs[side].items[i];
        item->value = redact_setting(item, run->arena);
        item->file = str_cstr(run->arena, redact_path(folders, str_of(item->file), run->arena));
    }
    if (folders)
        run->paths[side] = side ? STR("target") : STR("golden");
}

// A side is a file, or several joined by commas; a file whose name holds a comma is itself.
static bool read_side(Run *run, int side)
{
    Str rest = run->paths[side], part;
    if (file_kind(str_cstr(run->arena, rest)) == FILE_NONE &&
        str_find_char(rest, ',', 0) != SIZE_MAX) {
        while (str_split(&rest, ',', &part)) {
            const char *path = str_cstr(run->arena, part);
            if (!config_read(path, run->arena, &run->configs[side], &run->notices, &run->err))
                return false;
            run->totals.files++;
            run->totals.bytes += file_size(path);
        }
    } else {
        const char *path = str_cstr(run->arena, rest);
        if (!config_read(path, run->arena, &run->configs[side], &run->notices, &run->err))
            return false;
        run->totals.files++;
        run->totals.bytes += file_size(path);
    }
    run->totals.ops += run->configs[side].count;
    redact(run, side);
    return true;
}

static bool read_sides(Run *run)
{
    static const char *const labels[] = {"golden", "target"};
    if (options_flag(&run->options, "redact")) {
        for (int side = 0; side < 2; side++)
            redact_add(&run->redaction, run->arena, run->paths[side], str_of(labels[side]));
        run->notices.redaction = &run->redaction;
    }
    return read_side(run, 0) && read_side(run, 1);
}

// Paths among the values stay different where they differ.
static void redact_values(Run *run)
{
    static const char *const labels[] = {"golden", "target"};
    for (int side = 0; side < 2; side++) {
        Config *config = &run->configs[side];
        run->paths[side] = str_of(labels[side]);
        for (size_t i = 0; i < config->count; i++)
            config->items[i].value = redact_value(config->items[i].value, run->arena);
    }
}

static bool write_summary(void *context, Sink *out, Error *err)
{
    (void)err;
    checklist_summary_write(context, out);
    return true;
}

static void write_outputs(Run *run)
{
    ChecklistTables tables;
    Report report;
    Scene picture, on_page;
    Verdict bare = {.sentence = run->view.verdict.sentence, .style = run->view.verdict.style};
    checklist_tables(&run->view, run->arena, &tables);
    checklist_picture(&run->list, &tables, &run->view.verdict, run->arena, &picture);
    checklist_picture(&run->list, NULL, &bare, run->arena, &on_page);  // the tables stand below it
    run->view.picture = &on_page;
    checklist_report(&run->view, &tables, run->arena, &report);
    Table *all[] = {&tables.differs, &tables.advice, &tables.rows, &tables.open, &tables.others};
    Table *rows[] = {&tables.rows};
    outputs_scene(&run->outputs, "settings", true, &picture);
    outputs_custom(&run->outputs, "json", "summary.json", true, write_summary, &run->view);
    outputs_report(&run->outputs, "html", "index", true, &report);
    outputs_report(&run->outputs, "pdf", "report", true, &report);
    outputs_report(&run->outputs, "md", "summary", true, &report);
    outputs_tables(&run->outputs, "xlsx", "checklist", true, all, sizeof all / sizeof *all);
    outputs_tables(&run->outputs, "csv", "checklist", true, rows, 1);
}

static int checklist(Run *run, const Console *console)
{
    static const Redaction folders = {0};
    run->notices.redaction = options_flag(&run->options, "redact") ? &folders : NULL;
    if (!find_sides(run) ||
        !outputs_plan(&run->options, "html,md,json,xlsx,svg,png", outputs_json_only, run->arena,
                      &run->outputs, &run->err) ||
        !read_sides(run))
        return console_error(console, &run->err);
    if (run->notices.redaction)
        redact_values(run);
    checklist_compare(&run->configs[0], &run->configs[1], run->arena, &run->list);
    run->view = (ChecklistView){.list = &run->list,
                                .golden_path = run->paths[0],
                                .target_path = run->paths[1],
                                .version = VERNIER_VERSION,
                                .notices = &run->notices};
    bool partial = notices_any_partial(&run->notices);
    checklist_verdict(&run->list, partial, run->arena, &run->view.verdict);
    write_outputs(run);
    console_notices(console, &run->notices);
    console_read_line(console, &run->totals, &run->notices);
    console_verdict(console, &run->view.verdict);
    if (run->outputs.failed)
        return console_error(console, &run->err);
    if (run->list.equal + run->list.differs == 0)
        return 3;
    if (options_flag(&run->options, "exit-zero"))
        return 0;
    return run->list.differs ? 1 : partial ? 4 : 0;
}

static int run_checklist(const CommandCall *call)
{
    Run run = {.arena = call->arena, .options = call->options, .totals = {.rows = true}};
    notices_init(&run.notices, run.arena);
    return checklist(&run, &call->console);
}

int command_checklist(int argc, char **argv, Collector *collector)
{
    return command_run(&command, run_checklist, argc, argv, collector);
}
