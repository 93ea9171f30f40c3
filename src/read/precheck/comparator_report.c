// SPDX-License-Identifier: Apache-2.0
#include "read/precheck/comparator_report.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/json/json_tree.h"
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
    static const char *const types[] = {"\"type\"", "\"config\"",     "\"comparison",
                                        "\"skip\"", "\"non_tensor\"", "\"rank_info\""};
    Str head = str_slice(text, 0, HEAD_BYTES);
    bool is = str_starts(head, STR("{")) && str_find(head, str_of(types[0]), 0) != SIZE_MAX;
    for (size_t i = 1; i < sizeof types / sizeof *types && is; i++)
        if (str_find(head, str_of(types[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

static void add_shape(const JsonNode *record, const char *side, StrBuf *out)
{
    const JsonNode *tensor = tree_member(record, str_of(side)), *shape = NULL;
    if (tensor)
        shape = tree_member(tensor, STR("shape"));
    if (shape)
        tree_python(shape, out);
}

static void take_shapes(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    StrBuf shapes = strbuf_new(arena);
    add_shape(record, "baseline", &shapes);
    strbuf_add(&shapes, STR(" / "));
    add_shape(record, "target", &shapes);
    out->figure = TR("shapes differ");
    out->value = strbuf_str(&shapes);
}

static void take_tensor(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    const JsonNode *diff = tree_member(record, STR("diff"));
    out->standard = TR("SGLang's comparator");
    out->status = is_true(diff, "passed") ? PRECHECK_PASS : PRECHECK_ERROR;
    out->dtype = text_of(tree_member(record, STR("target")), "dtype");
    out->message = text_of(diff, "predicate");
    if (is_true(record, "shape_mismatch")) {
        take_shapes(record, arena, out);
        return;
    }
    out->figure = TR("relative difference");
    out->value = text_of(diff, "rel_diff");
    if (!number_of_text(out->value, &out->size))
        out->size = (double)NAN;
}

static void take_plain(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    out->standard = TR("SGLang's comparator");
    out->status = is_true(record, "values_equal") ? PRECHECK_PASS : PRECHECK_ERROR;
    out->figure = TR("values that differ");
    out->value =
        str_printf(arena, STR_FMT " / " STR_FMT, STR_ARG(text_of(record, "baseline_value")),
                   STR_ARG(text_of(record, "target_value")));
}

// A figure that passes is not why.
static void fail_for(PrecheckFinding *out, Str message)
{
    if (out->status == PRECHECK_PASS)
        out->figure = NULL;
    out->status = PRECHECK_ERROR;
    out->message = message;
}

// The comparator counts what it warns of, and copies that differ between ranks, as failed.
static void take_doubts(const JsonNode *record, PrecheckFinding *out)
{
    const JsonNode *warnings = tree_member(record, STR("warnings"));
    const JsonNode *copies = tree_member(record, STR("replicated_checks"));
    for (const JsonNode *it = copies ? copies->child : NULL; it; it = it->next)
        if (!is_true(it, "passed"))
            fail_for(out, str_of(tr("copies of it differ between ranks")));
    if (warnings && warnings->child)
        fail_for(out, text_of(warnings->child, "message"));
}

// False if the record is no finding.
static bool take_record(const JsonNode *record, Arena *arena, PrecheckFinding *out)
{
    Str type = text_of(record, "type"), name = text_of(record, "name");
    int64_t step;
    if (str_starts(type, STR("comparison_")))
        type = str_slice(type, sizeof "comparison_" - 1, type.size);
    *out = (PrecheckFinding){.size = (double)NAN};
    if (STR_IN(type, "comparison", "tensor"))
        take_tensor(record, arena, out);
    else if (str_equal(type, STR("non_tensor")))
        take_plain(record, arena, out);
    else if (str_equal(type, STR("skip")))
        *out = (PrecheckFinding){
            .size = (double)NAN, .status = PRECHECK_SKIPPED, .message = text_of(record, "reason")};
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

void comparator_report_read(const char *path, Str text, Arena *arena, Precheck *out,
                            Notices *notices)
{
    Str line;
    for (uint64_t at = 1; str_split(&text, '\n', &line); at++) {
        Arena *scratch = arena_new();
        JsonTree tree;
        PrecheckFinding row;
        line = str_trim(line);
        bool record = tree_parse(line, scratch, &tree) && tree.root->kind == JSON_OBJECT;
        if (line.size && !record)
            notices_partial(notices, WHERE_LINE(path, at), "%s",
                            tr("the line is no JSON object and is left out"));
        bool finding = record && take_record(tree.root, scratch, &row);
        if (finding && row.api.size == 0)
            notices_partial(notices, WHERE_LINE(path, at), "%s",
                            tr("the row names no API and is left out"));
        else if (finding) {
            precheck_add(out, arena, &row, "");
            out->rows++;
        }
        arena_release(scratch);
    }
}
