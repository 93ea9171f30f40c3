// SPDX-License-Identifier: Apache-2.0
// vernier explain: a summary.json in plain words.
#include "base/file.h"
#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_judged.h"
#include "commands/explain/explain_values.h"
#include "commands/machinery/commands.h"
#include "commands/machinery/runner.h"
#include "read/log/log_bytes.h"

static const OptionSpec specs[] = {
    {"op", 0, OPTION_TEXT, "NAME",
     TR("everything that the summary holds on one op, series, weight or setting; of a comparison "
        "also how each value of any op was judged, from the dumps that it names"),
     OPTION_WORDS},
};

static bool make_explain(const CommandCall *call, Product *out);

const CommandSpec explain_command = {
    .name = "explain",
    .arguments = "SUMMARY",
    .options = specs,
    .option_count = sizeof specs / sizeof *specs,
    .make = make_explain,
};

// Far more than any command writes.
static const uint64_t BYTES_MAX = 1U << 30;

static const char *path_of(const CommandCall *call)
{
    const char *path = str_cstr(call->arena, call->options->arguments[0]);
    return file_kind(path) == FILE_FOLDER ? path_join(call->arena, path, STR("summary.json"))
                                          : path;
}

static bool hint_where_from(Error *err)
{
    return error_hint(err, "%s",
                      tr("every command writes one: vernier compare GOLDEN TARGET -o r/ --format "
                         "json"));
}

static bool refuse(const char *path, Str schema, Error *err)
{
    if (str_starts(schema, STR("vernier.dump/"))) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("this is a dump, no summary.json"));
        return error_hint(err, "%s", tr("vernier compare writes one, and vernier graph"));
    }
    if (schema.size)
        return error_set(err, ERR_INPUT, WHERE_FILE(path),
                         tr("expected a summary of this version, like vernier.compare/1, found "
                            "'" STR_FMT "'"),
                         STR_ARG(str_slice(schema, 0, 60)));
    error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
              tr("expected a summary.json of vernier: it has no 'schema'"));
    return hint_where_from(err);
}

static bool find_kind(const char *path, Explain *explain, Error *err)
{
    Str schema = value_text(explain->root, "schema");
    explain->kind = ARENA_NEW(explain->arena, ExplainKind);
    return explain_kind_read(schema, explain->arena, explain->kind) || refuse(path, schema, err);
}

// The tree borrows from the text, so both are in the arena.
static bool read_summary(const CommandCall *call, const char *path, Explain *explain)
{
    LogBytes bytes;
    JsonTree tree;
    uint64_t size;
    if (!file_size_known(path, &size, call->err))
        return false;
    if (size > BYTES_MAX)
        return error_set(call->err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("larger than any summary.json that vernier writes"));
    if (!log_bytes_open(path, call->arena, &bytes, call->notices, call->err))
        return file_kind(path) == FILE_NONE ? hint_where_from(call->err) : false;
    Str text = str_copy(call->arena, bytes.text);
    log_bytes_close(&bytes);
    if (!tree_parse(text, call->arena, &tree))
        return error_set(call->err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("expected the JSON of a summary, found something else or a part"));
    explain->root = tree.root;
    return find_kind(path, explain, call->err) && explain_check(explain, path, call->err);
}

// Text, to standard output where nothing else is said.
static bool plan(const CommandCall *call)
{
    static const OtherFormat none[] = {{NULL, NULL}};
    // Formats and the like are meant for reports.
    options_drop_settings(call->options, OPTION_INHERITED, true);
    bool aside = !options_given(call->options, "output");
    bool text = aside || str_equal(options_list_item(call->options, "output", 0), STR("-"));
    Str format = text ? STR("txt") : STR("html,md");
    if (options_flag(call->options, "redact"))
        return error_set(call->err, ERR_USAGE, NOWHERE, "%s",
                         tr("explain says what the summary holds: give --redact to the command "
                            "that writes it"));
    if (!options_given(call->options, "format")) {
        if (!options_add(call->options, "format", format, call->arena, call->err))
            return false;
        // Not typed: a file after -o says by its ending what it is.
        call->options->values[call->options->count - 1].source = "explain";
    }
    if (aside && !options_add(call->options, "output", STR("-"), call->arena, call->err))
        return false;
    if (!outputs_plan(call->options, none, call->arena, call->outputs, call->err))
        return false;
    for (size_t i = 0; i < call->outputs->count; i++) {
        const OutputTarget *target = &call->outputs->targets[i];
        const Renderer *renderer = renderer_by_name(target->format);
        if (!target->folder && !renderer->write_report)
            return error_set(call->err, ERR_USAGE, WHERE_FILE(target->path), "%s",
                             tr("explain writes text: txt, md, jira, fragment, html"));
    }
    return true;
}

static bool say_op(Explain *explain, Str name, Error *err)
{
    Str near;
    bool named = explain_op(explain, name, &near);
    Judged judged = explain_judged(explain, name);
    if (named && judged == JUDGED_NO_DUMPS)
        explain_say(explain, str_of(tr("The dumps that it names cannot be read here: how each of "
                                       "its values was judged is not shown.")));
    if (named || judged == JUDGED_SHOWN)
        return true;
    error_set(err, ERR_USAGE, NOWHERE, tr("--op: the summary does not name '" STR_FMT "'"),
              STR_ARG(str_slice(name, 0, 200)));
    if (near.size)
        return error_hint(err, tr("did you mean " STR_FMT "?"), STR_ARG(str_slice(near, 0, 200)));
    if (judged == JUDGED_NOT_FOUND)
        return error_hint(
            err, "%s",
            tr("neither do the two dumps that it names; vernier compare GOLDEN TARGET "
               "--focus NAME finds parts of names too"));
    if (judged == JUDGED_NO_DUMPS)
        return error_hint(err, "%s",
                          tr("it holds the first divergences and the largest errors alone, and the "
                             "dumps that it names cannot be read here; vernier compare GOLDEN "
                             "TARGET --focus NAME shows any op"));
    return error_hint(err, "%s", tr("it holds what is said first and the largest errors alone"));
}

static bool make_explain(const CommandCall *call, Product *out)
{
    Explain *explain = ARENA_NEW(call->arena, Explain);
    *explain = (Explain){.arena = call->arena, .out = ARENA_NEW(call->arena, Report)};
    if (call->options->argument_count != 1)
        return error_set(call->err, ERR_USAGE, NOWHERE, "%s",
                         tr("explain needs one summary.json, or the folder that holds it: vernier "
                            "explain SUMMARY"));
    if (!plan(call) || !read_summary(call, path_of(call), explain))
        return false;
    report_init(explain->out, call->arena);
    Str op = options_text(call->options, "op", "");
    if (!op.size)
        explain_summary(explain);
    else if (!say_op(explain, op, call->err))
        return false;
    product_page(out, explain->out, NULL);
    product_ticket(out, explain->out, "explain");
    return true;
}
