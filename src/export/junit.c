// SPDX-License-Identifier: Apache-2.0
#include "export/junit.h"

#include <math.h>

#include "base/array.h"
#include "base/utf8.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/judge/tree_row.h"
#include "read/dump/op_name.h"
#include "report/compare/compare_tables.h"
#include "verdict/figure_text.h"

// ---- collecting

typedef struct Collector {
    const Comparison *comparison;
    Arena *arena, *scratch;
    Names *stems;        // of the modules met
    uint32_t *case_of;   // by NameId of stems: index in cases
    bool *starts_below;  // by row: a difference starts further inside
    JunitCases *out;
} Collector;

static bool is_module(const Comparison *comparison, const TreeNode *node)
{
    const Graph *graph = node->target != NODE_NONE ? comparison->target : comparison->golden;
    NodeId id = node->target != NODE_NONE ? node->target : node->golden;
    return graph->nodes[id].type == NODE_MODULE;
}

// The row of the module that a row belongs to: itself or the nearest above; the root for the rest.
static uint32_t module_row(const Comparison *comparison, uint32_t row)
{
    while (comparison->tree[row].parent != PAIR_NONE &&
           !is_module(comparison, &comparison->tree[row]))
        row = comparison->tree[row].parent;
    return row;
}

static JunitCase *case_of(Collector *collector, uint32_t row)
{
    const TreeNode *node = &collector->comparison->tree[row];
    Str stem = STR("(no module)"), class_name = {"", 0};
    if (node->parent != PAIR_NONE) {
        OpName name = tree_row_op_name(collector->comparison, node);
        stem = name.stem;
        class_name = name.type_name;
    }
    size_t before = names_count(collector->stems);
    NameId id = names_add(collector->stems, stem);
    if (names_count(collector->stems) > before) {
        collector->case_of[id] = (uint32_t)collector->out->count;
        *ARRAY_PUSH(collector->arena, collector->out) =
            (JunitCase){.name = str_copy(collector->arena, stem),
                        .class_name = str_copy(collector->arena, class_name),
                        .error_in = (double)NAN,
                        .error_out = (double)NAN};
    }
    return &collector->out->items[collector->case_of[id]];
}

// A module whose output differs because of an op inside it is not where the difference starts.
static void mark_starts(Collector *collector)
{
    const Comparison *comparison = collector->comparison;
    for (uint32_t row = comparison->tree_count; row-- > 1;) {
        const TreeNode *node = &comparison->tree[row];
        const OpPair *pair = node->pair == PAIR_NONE ? NULL : &comparison->ops[node->pair];
        bool starts = pair && status_differs((Status)pair->status) && !pair->inherited;
        if ((starts || collector->starts_below[row]) && node->parent != PAIR_NONE)
            collector->starts_below[node->parent] = true;
    }
}

// A difference that starts here speaks before one that came in, an earlier one before a later one.
static void add_op(Collector *collector, JunitCase *to, uint32_t row)
{
    const TreeNode *node = &collector->comparison->tree[row];
    const OpPair *pair = &collector->comparison->ops[node->pair];
    to->counts[pair->status]++;
    if (!status_differs((Status)pair->status)) {
        if (!to->op.size)
            to->status = status_worst(to->status, (Status)pair->status);
        return;
    }
    bool inherited = pair->inherited || collector->starts_below[row];
    bool worse = status_worst(to->status, (Status)pair->status) != to->status;
    bool replaces =
        !to->op.size || (to->inherited && !inherited) || (worse && to->inherited == inherited);
    if (!replaces)
        return;
    to->op = str_copy(collector->arena, tree_row_name(collector->comparison, node));
    to->status = (Status)pair->status;
    to->inherited = inherited;
    to->error_in = pair->error_in;
    to->error_out = pair->error_out;
}

void junit_collect(const Comparison *comparison, Arena *arena, JunitCases *out)
{
    Arena *scratch = arena_new();
    Collector collector = {.comparison = comparison,
                           .arena = arena,
                           .scratch = scratch,
                           .stems = names_new(scratch),
                           .case_of = ARENA_ARRAY(scratch, uint32_t, comparison->tree_count + 2),
                           .out = out};
    collector.starts_below = ARENA_ARRAY(scratch, bool, comparison->tree_count + 1);
    mark_starts(&collector);
    *out = (JunitCases){0};
    for (uint32_t row = 0; row < comparison->tree_count; row++) {
        uint32_t module = module_row(comparison, row);
        if (comparison->tree[row].pair != PAIR_NONE)
            add_op(&collector, case_of(&collector, module), row);
    }
    arena_release(scratch);
}

// ---- writing

typedef struct Xml {
    Sink *out;
    Arena *arena;
} Xml;

// Fit for display (no control characters), then escaped: XML 1.0 knows no other way.
static void write_text(const Xml *xml, Str text)
{
    static const struct {
        char c;
        const char *by;
    } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
    Str shown = utf8_display(text, xml->arena);
    for (size_t i = 0; i < shown.size; i++) {
        const char *by = NULL;
        for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++)
            by = shown.data[i] == escapes[k].c ? escapes[k].by : by;
        if (by)
            sink_text(xml->out, by);
        else
            sink_write(xml->out, shown.data + i, 1);
    }
}

static void write_attribute(const Xml *xml, const char *name, Str value)
{
    sink_printf(xml->out, " %s=\"", name);
    write_text(xml, value);
    sink_text(xml->out, "\"");
}

static void write_number(const Xml *xml, const char *name, uint64_t value)
{
    sink_printf(xml->out, " %s=\"%llu\"", name, (unsigned long long)value);
}

static bool fails(const JunitCase *item)
{
    return item->status == STATUS_ERROR || item->status == STATUS_UNMATCHED;
}

static const char *failure_type(const JunitCase *item)
{
    if (item->status == STATUS_UNMATCHED)
        return "unmatched";
    return item->inherited ? "inherited" : "error";
}

// "Functional.linear.8.forward: in 0, out 2.91e-05"
static Str failure_text(const Xml *xml, const JunitCase *item)
{
    if (item->status == STATUS_UNMATCHED)
        return str_printf(xml->arena, tr(STR_FMT ": on one side only"), STR_ARG(item->op));
    return str_printf(xml->arena, tr(STR_FMT ": deciding rel. diff in " STR_FMT ", out " STR_FMT),
                      STR_ARG(item->op), STR_ARG(figure_error(item->error_in, xml->arena)),
                      STR_ARG(figure_error(item->error_out, xml->arena)));
}

static void write_counts(const Xml *xml, const JunitCase *item)
{
    const char *between = "";
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (!item->counts[status])
            continue;
        sink_printf(xml->out, "%s%u ", between, item->counts[status]);
        sink_text(xml->out, status_word((Status)status));
        between = ", ";
    }
}

static void write_case(const Xml *xml, const JunitCase *item, Str suite)
{
    sink_text(xml->out, "  <testcase");
    write_attribute(xml, "classname", suite);
    write_attribute(xml, "name", item->name);
    sink_text(xml->out, " time=\"0\"");
    if (fails(item)) {
        sink_text(xml->out, ">\n   <failure");
        write_attribute(xml, "type", str_of(failure_type(item)));
        write_attribute(xml, "message", failure_text(xml, item));
        sink_text(xml->out, ">");
        write_counts(xml, item);
        sink_text(xml->out, "</failure>\n  </testcase>\n");
    } else if (item->status == STATUS_NO_DATA) {
        sink_text(xml->out, ">\n   <skipped");
        write_attribute(xml, "message", str_of(status_word(STATUS_NO_DATA)));
        sink_text(xml->out, "/>\n  </testcase>\n");
    } else {
        sink_text(xml->out, ">\n   <system-out>");
        write_counts(xml, item);
        sink_text(xml->out, "</system-out>\n  </testcase>\n");
    }
}

typedef struct Tally {
    uint64_t cases, failures, errors, skipped;
} Tally;

// A pair that could not be compared is one case that is an error; one without partner is skipped.
static Tally tally_of(const PairFacts *facts, const JunitCases *cases)
{
    Tally out = {.cases = cases->count};
    for (size_t i = 0; i < cases->count; i++) {
        out.failures += fails(&cases->items[i]);
        out.skipped += cases->items[i].status == STATUS_NO_DATA;
    }
    if (cases->count == 0) {
        out.cases = 1;
        out.skipped = facts->golden_missing || facts->target_missing;
        out.errors = !out.skipped;
    }
    return out;
}

static void write_tally(const Xml *xml, const Tally *tally)
{
    write_number(xml, "tests", tally->cases);
    write_number(xml, "failures", tally->failures);
    write_number(xml, "errors", tally->errors);
    write_number(xml, "skipped", tally->skipped);
    sink_text(xml->out, " time=\"0\"");
}

static void write_property(const Xml *xml, const char *name, Str value)
{
    sink_text(xml->out, "   <property");
    write_attribute(xml, "name", str_of(name));
    write_attribute(xml, "value", value);
    sink_text(xml->out, "/>\n");
}

static void write_suite(const Xml *xml, const CompareSummary *summary, size_t index,
                        const JunitCases *cases)
{
    const PairFacts *facts = &summary->pairs[index];
    Str name =
        str_printf(xml->arena, "step%lld%s" STR_FMT ".rank%lld", (long long)facts->step,
                   facts->stage.size ? "." : "", STR_ARG(facts->stage), (long long)facts->rank);
    Tally tally = tally_of(facts, cases);
    sink_text(xml->out, " <testsuite");
    write_attribute(xml, "name", name);
    write_tally(xml, &tally);
    sink_text(xml->out, ">\n  <properties>\n");
    write_property(xml, "verdict", summary->verdicts[index].sentence);
    write_property(xml, "golden", facts->reads[0].file);
    write_property(xml, "target", facts->reads[1].file);
    sink_text(xml->out, "  </properties>\n");
    for (size_t i = 0; i < cases->count; i++)
        write_case(xml, &cases->items[i], name);
    if (cases->count == 0) {
        sink_text(xml->out, "  <testcase");
        write_attribute(xml, "classname", name);
        sink_printf(xml->out, " name=\"compare\" time=\"0\">\n   <%s",
                    tally.skipped ? "skipped" : "error");
        write_attribute(xml, "message", summary->verdicts[index].sentence);
        sink_text(xml->out, "/>\n  </testcase>\n");
    }
    sink_text(xml->out, " </testsuite>\n");
}

void junit_write(const CompareSummary *summary, const JunitCases *cases, Sink *out)
{
    Xml xml = {.out = out, .arena = arena_new()};
    Tally sum = {0};
    for (size_t i = 0; i < summary->count; i++) {
        Tally tally = tally_of(&summary->pairs[i], &cases[i]);
        sum.cases += tally.cases;
        sum.failures += tally.failures;
        sum.errors += tally.errors;
        sum.skipped += tally.skipped;
    }
    sink_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    write_attribute(&xml, "name", summary->verdict->sentence);
    write_tally(&xml, &sum);
    sink_text(out, ">\n");
    for (size_t i = 0; i < summary->count; i++)
        write_suite(&xml, summary, i, &cases[i]);
    sink_text(out, "</testsuites>\n");
    arena_release(xml.arena);
}
