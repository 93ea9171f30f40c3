// SPDX-License-Identifier: Apache-2.0
// comparator_report.jsonl of SGLang's comparator: a record a line, distinguished by "type":
// comparison, non_tensor and skip (later ones with "comparison_" in front) are findings, by name;
// of a later step than the first "NAME#1". Records of other types are passed over.

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

static Str text_of(const JsonNode *node, const char *key)
{
    const JsonNode *found = node ? tree_member(node, str_of(key)) : NULL;
    return found && found->kind != JSON_NULL ? found->text : (Str){"", 0};
}

static bool is_true(const JsonNode *node, const char *key)
{
    const JsonNode *found = node ? tree_member(node, str_of(key)) : NULL;
    return found && found->kind == JSON_BOOL && found->truth;
}

bool comparator_report_is(Str text)
{
    enum { HEAD_BYTES = 4096 };
    static const char *const types[] = {"\"type\"", "\"baseline_",    "\"comparison",
                                        "\"skip\"", "\"non_tensor\"", "\"rank_info\""};
    Str head = str_slice(text, 0, HEAD_BYTES);
    bool is = str_starts(head, STR("{")) && str_find(head, str_of(types[0]), 0) != SIZE_MAX;
    for (size_t i = 1; i < sizeof types / sizeof *types && is; i++)
        if (str_find(head, str_of(types[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

// A member of each side: "[2] / [3]".
static Str both_of(const JsonNode *golden, const char *golden_key, const JsonNode *target,
                   const char *target_key, Arena *arena)
{
    StrBuf both = strbuf_new(arena);
    const JsonNode *one = golden ? tree_member(golden, str_of(golden_key)) : NULL;
    const JsonNode *two = target ? tree_member(target, str_of(target_key)) : NULL;
    if (one)
        tree_python(one, &both);
    strbuf_add(&both, STR(" / "));
    if (two)
        tree_python(two, &both);
    return strbuf_str(&both);
}

static void take_tensor(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    const JsonNode *diff = tree_member(record, STR("diff"));
    out->standard = TR("SGLang's comparator");
    out->status = is_true(diff, "passed") ? PRECHECK_PASS : PRECHECK_ERROR;
    out->dtype = text_of(tree_member(record, STR("target")), "dtype");
    out->message = text_of(diff, "predicate");
    if (is_true(record, "shape_mismatch")) {
        out->figure = TR("shapes differ");
        out->value = both_of(tree_member(record, STR("baseline")), "shape",
                             tree_member(record, STR("target")), "shape", arena);
        return;
    }
    out->value = text_of(diff, "rel_diff");
    out->figure = out->value.size ? TR("relative difference") : NULL;
    if (!diff || diff->kind != JSON_OBJECT)
        out->message = str_of(tr("the comparator computed no difference"));
    if (!number_of_text(out->value, &out->size))
        out->size = (double)NAN;
}

static void take_plain(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    out->standard = TR("SGLang's comparator");
    out->status = is_true(record, "values_equal") ? PRECHECK_PASS : PRECHECK_ERROR;
    out->figure = TR("values that differ");
    out->value = both_of(record, "baseline_value", record, "target_value", arena);
}

// What the comparator could not compare: an exception and its traceback, which ends with both.
static void take_broken(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    Str trace = str_trim(text_of(record, "traceback_str"));
    size_t line = str_rfind_char(trace, '\n');
    Str message = text_of(record, "exception_message");
    out->standard = TR("SGLang's comparator");
    out->status = PRECHECK_ERROR;
    out->message = str_slice(trace, line == SIZE_MAX ? 0 : line + 1, trace.size);
    if (message.size)
        out->message = str_printf(arena, STR_FMT ": " STR_FMT,
                                  STR_ARG(text_of(record, "exception_type")), STR_ARG(message));
}

// A figure that passes is not why.
static void fail_for(PrecheckFinding *out, Str message)
{
    if (out->status == PRECHECK_PASS)
        out->figure = NULL;
    out->status = PRECHECK_ERROR;
    out->message = message;
}

// The first of what it warns of, which newer ones call errors; NULL: of nothing.
static const JsonNode *doubts_of(const JsonNode *record)
{
    const JsonNode *warnings = tree_member(record, STR("warnings"));
    const JsonNode *errors = tree_member(record, STR("errors"));
    const JsonNode *first = errors ? errors->child : NULL;
    return first || !warnings ? first : warnings->child;
}

// The comparator counts what it warns of, and copies that differ between ranks, as failed.
static void take_doubts(const JsonNode *record, PrecheckFinding *out)
{
    const JsonNode *doubts = doubts_of(record);
    const JsonNode *copies = tree_member(record, STR("replicated_checks"));
    for (const JsonNode *it = copies ? copies->child : NULL; it; it = it->next)
        if (!is_true(it, "passed"))
            fail_for(out, str_of(tr("its replicas differ between ranks")));
    if (doubts)
        fail_for(out, text_of(doubts, "message"));
}

// Of "comparison_skip", as newer ones write it, and "skip" the latter.
static Str type_of(const JsonNode *record)
{
    Str type = text_of(record, "type");
    bool longer = str_starts(type, STR("comparison_"));
    return longer ? str_slice(type, sizeof "comparison_" - 1, type.size) : type;
}

// False if the record is no finding.
static bool take_record(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    Str type = type_of(record), name = text_of(record, "name");
    int64_t step;
    *out = (PrecheckFinding){.size = (double)NAN};
    if (STR_IN(type, "comparison", "tensor"))
        take_tensor(record, arena, out);
    else if (str_equal(type, STR("non_tensor")))
        take_plain(record, arena, out);
    else if (str_equal(type, STR("skip")))
        *out = (PrecheckFinding){
            .size = (double)NAN, .status = PRECHECK_SKIPPED, .message = text_of(record, "reason")};
    else if (str_find(type, STR("error"), 0) != SIZE_MAX)
        take_broken(record, arena, out);
    else
        return false;
    take_doubts(record, out);
    out->api = name;
    out->backward = str_starts(name, STR("grad__"));
    const JsonNode *location = tree_member(record, STR("location"));
    if (str_to_int64(text_of(location, "step"), &step) && step > 0)
        out->api = str_printf(arena, STR_FMT "#%lld", STR_ARG(name), (long long)step);
    return true;
}

// A report at work. Every release of the comparator ends it with a summary.
typedef struct Report {
    const char *path;
    Precheck *out;
    Arena *arena;
    Notices *notices;
    uint64_t line;
    bool ended;
    int64_t counts[PRECHECK_STATUSES];  // of the records since the last summary
} Report;

static int64_t count_of(const JsonNode *summary, const char *key)
{
    static const int64_t most = INT64_MAX / 4;  // sums of two cannot overflow
    int64_t count;
    bool good = str_to_int64(text_of(summary, key), &count) && count > 0;
    return good ? (count < most ? count : most) : 0;
}

static void tell_summary(const Report *report)
{
    notices_partial(report->notices, WHERE_LINE(report->path, report->line), "%s",
                    tr("the report does not hold the records that its summary counts, or ends "
                       "without one: it was cut, or the comparator broke off"));
}

// Failures that the summary counts and the file does not hold are one finding.
static void take_summary(Report *report, const JsonNode *summary, Arena *scratch)
{
    int64_t failed = count_of(summary, "failed"), broken = count_of(summary, "errored");
    int64_t *counts = report->counts, held = counts[PRECHECK_ERROR];
    bool lost = failed > held || broken > held - failed;
    report->out->rows += lost;
    if (lost || failed + broken != held || counts[PRECHECK_PASS] != count_of(summary, "passed") ||
        counts[PRECHECK_SKIPPED] != count_of(summary, "skipped"))
        tell_summary(report);
    if (lost)
        precheck_add(
            report->out, report->arena,
            &(PrecheckFinding){
                .api = STR("summary"),
                .status = PRECHECK_ERROR,
                .size = (double)NAN,
                .standard = TR("SGLang's comparator"),
                .message = str_printf(
                    scratch,
                    tr("failures that it counts: %lld; records of it are in the file: %lld"),
                    (long long)failed + (long long)broken, (long long)held)},
            "");
    report->ended = true;
    memset(report->counts, 0, sizeof report->counts);
}

// What is no finding: settings, tables and messages are passed over.
static void take_other(Report *report, const JsonNode *record, Arena *scratch)
{
    Where where = WHERE_LINE(report->path, report->line);
    Str type = text_of(record, "type");
    if (str_equal(type, STR("summary")))
        take_summary(report, record, scratch);
    else if (!STR_IN(type, "config", "rank_info", "input_ids", "warning", "log"))
        notices_partial(report->notices, where, "%s",
                        tr("a record of a kind that is not known is left out"));
    if (doubts_of(record))
        notices_add(report->notices, NOTICE_WARNING, where, "%s",
                    tr("the comparator reported a warning or an error without a tensor"));
}

static void take_line(Report *report, Str line, Arena *scratch)
{
    JsonTree tree;
    PrecheckFinding row;
    Where where = WHERE_LINE(report->path, report->line);
    if (!tree_parse(line, scratch, &tree) || tree.root->kind != JSON_OBJECT) {
        notices_partial(report->notices, where, "%s",
                        tr("the line is no JSON object and is left out"));
        return;
    }
    if (!take_record(tree.root, scratch, &row)) {
        take_other(report, tree.root, scratch);
        return;
    }
    report->counts[row.status]++;
    report->ended = false;
    if (row.api.size == 0) {
        notices_partial(report->notices, where, "%s", tr("the row names no API and is left out"));
        return;
    }
    precheck_add(report->out, report->arena, &row, "");
    report->out->rows++;
}

bool comparator_report_read(const char *path, Str text, Arena *arena, Precheck *out,
                            Notices *notices, Error *err)
{
    (void)err;
    Str line;
    Report report = {.path = path, .out = out, .arena = arena, .notices = notices};
    while (str_split(&text, '\n', &line)) {
        report.line++;
        line = str_trim(line);
        if (line.size == 0)
            continue;
        Arena *scratch = arena_new();
        take_line(&report, line, scratch);
        arena_release(scratch);
    }
    if (!report.ended)
        tell_summary(&report);
    return true;
}
