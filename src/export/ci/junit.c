// SPDX-License-Identifier: Apache-2.0
#include "export/ci/junit.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/words.h"
#include "compare/judge/judge.h"
#include "compare/judge/tree_row.h"
#include "export/ci/xml_text.h"
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
    uint32_t *module;    // by row: the row of its module
    JunitCases *out;
} Collector;

static bool is_module(const Comparison *comparison, const TreeNode *node)
{
    const Graph *graph = node->target != NODE_NONE ? comparison->target : comparison->golden;
    NodeId id = node->target != NODE_NONE ? node->target : node->golden;
    return graph->nodes[id].type == NODE_MODULE;
}

// The row of the module that a row belongs to: itself or the nearest above; the root for the rest.
// Rows come after their parents.
static uint32_t module_row(const Collector *collector, uint32_t row)
{
    const TreeNode *node = &collector->comparison->tree[row];
    bool own = node->parent == PAIR_NONE || is_module(collector->comparison, node);
    return own ? row : collector->module[node->parent];
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

// A difference that starts here speaks before one that was an input, an earlier one before a later
// one.
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
    collector.module = ARENA_ARRAY(scratch, uint32_t, comparison->tree_count + 1);
    mark_starts(&collector);
    *out = (JunitCases){0};
    for (uint32_t row = 0; row < comparison->tree_count; row++) {
        uint32_t module = collector.module[row] = module_row(&collector, row);
        if (comparison->tree[row].pair != PAIR_NONE)
            add_op(&collector, case_of(&collector, module), row);
    }
    arena_release(scratch);
}

// ---- writing

static bool differs(const JunitCase *item)
{
    return item->status == STATUS_ERROR || item->status == STATUS_UNMATCHED;
}

// One pair. `origin` is the case in which the runs diverge, or NULL: they do not, or at no case's
// op. `own` is the outcome of a case for the pair itself, or NULL: its modules tell all there is.
typedef struct Suite {
    const PairFacts *facts;
    const JunitCases *cases;
    const JunitCase *origin;
    const char *own;
    bool compared;
    Str name, sentence;
} Suite;

static const JunitCase *origin_of(const PairFacts *facts, const JunitCases *cases)
{
    const FirstDivergence *first = &facts->first;
    for (size_t i = 0; i < cases->count && first->kind != DIVERGE_NONE; i++) {
        const JunitCase *item = &cases->items[i];
        if (differs(item) &&
            (str_equal(item->op, first->target) || str_equal(item->op, first->golden)))
            return item;
    }
    return NULL;
}

// What came from another module is that module's failure.
static bool fails(const Suite *suite, const JunitCase *item)
{
    return suite->compared && (item == suite->origin || (differs(item) && !item->inherited));
}

static bool skipped(const Suite *suite, const JunitCase *item)
{
    return item->status == STATUS_NO_DATA || !suite->compared ||
           (differs(item) && !fails(suite, item));
}

static const char *failure_type(const JunitCase *item)
{
    return item->status == STATUS_UNMATCHED ? "unmatched" : "error";
}

// "Functional.linear.8.forward: in 0, out 2.91e-05"
static Str failure_text(const Xml *xml, const JunitCase *item)
{
    if (item->status == STATUS_UNMATCHED)
        return str_printf(xml->arena, tr(STR_FMT ": on one side only"), STR_ARG(item->op));
    return str_printf(xml->arena, tr(STR_FMT ": relative error in " STR_FMT ", out " STR_FMT),
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

static void write_skipped(const Xml *xml, Str message)
{
    sink_text(xml->out, ">\n   <skipped");
    xml_attribute(xml, "message", message);
    sink_text(xml->out, "/>\n  </testcase>\n");
}

static void write_case(const Xml *xml, const Suite *suite, const JunitCase *item)
{
    sink_text(xml->out, "  <testcase");
    xml_attribute(xml, "classname", suite->name);
    xml_attribute(xml, "name", item->name);
    sink_text(xml->out, " time=\"0\"");
    if (fails(suite, item)) {
        sink_text(xml->out, ">\n   <failure");
        xml_attribute(xml, "type", str_of(failure_type(item)));
        xml_attribute(xml, "message",
                      item == suite->origin ? suite->sentence : failure_text(xml, item));
        sink_text(xml->out, ">");
        write_counts(xml, item);
        sink_text(xml->out, "</failure>\n  </testcase>\n");
    } else if (item->status == STATUS_NO_DATA || !suite->compared) {
        write_skipped(xml, str_of(status_word(STATUS_NO_DATA)));
    } else if (skipped(suite, item)) {
        write_skipped(xml, str_printf(xml->arena, tr("inherited: " STR_FMT),
                                      STR_ARG(failure_text(xml, item))));
    } else {
        sink_text(xml->out, ">\n   <system-out>");
        write_counts(xml, item);
        sink_text(xml->out, "</system-out>\n  </testcase>\n");
    }
}

static void write_own_case(const Xml *xml, const Suite *suite)
{
    sink_text(xml->out, "  <testcase");
    xml_attribute(xml, "classname", suite->name);
    sink_printf(xml->out, " name=\"compare\" time=\"0\">\n   <%s", suite->own);
    xml_attribute(xml, "message", suite->sentence);
    sink_text(xml->out, "/>\n  </testcase>\n");
}

typedef struct Tally {
    uint64_t cases, failures, errors, skipped;
} Tally;

static Tally tally_of(const Suite *suite)
{
    const JunitCases *cases = suite->cases;
    Tally out = {.cases = cases->count};
    for (size_t i = 0; i < cases->count; i++) {
        out.failures += fails(suite, &cases->items[i]);
        out.skipped += skipped(suite, &cases->items[i]);
    }
    if (suite->own) {
        out.cases++;
        out.failures += strcmp(suite->own, "failure") == 0;
        out.skipped += strcmp(suite->own, "skipped") == 0;
        out.errors += strcmp(suite->own, "error") == 0;
    }
    return out;
}

static void write_tally(const Xml *xml, const Tally *tally)
{
    xml_number(xml, "tests", tally->cases);
    xml_number(xml, "failures", tally->failures);
    xml_number(xml, "errors", tally->errors);
    xml_number(xml, "skipped", tally->skipped);
    sink_text(xml->out, " time=\"0\"");
}

static void write_property(const Xml *xml, const char *name, Str value)
{
    sink_text(xml->out, "   <property");
    xml_attribute(xml, "name", str_of(name));
    xml_attribute(xml, "value", value);
    sink_text(xml->out, "/>\n");
}

// A pair without partner is skipped; one that was not compared, or not whole, is an error, since no
// module's case says so; a divergence at no module's op is a failure of its own.
static const char *own_outcome(const Suite *suite, bool partial)
{
    const PairFacts *facts = suite->facts;
    bool diverges = facts->first.kind != DIVERGE_NONE;
    if (facts->golden_missing || facts->target_missing)
        return "skipped";
    if (!suite->compared || (partial && !diverges))
        return "error";
    return diverges && !suite->origin ? "failure" : NULL;
}

static Suite suite_of(const CompareSummary *summary, size_t index, const JunitCases *cases,
                      Arena *arena)
{
    const PairFacts *facts = &summary->pairs[index];
    Suite suite = {.facts = facts, .cases = cases, .origin = origin_of(facts, cases)};
    suite.compared = pair_facts_compared(facts);
    suite.own = own_outcome(&suite, summary->verdicts[index].partial);
    suite.sentence = summary->verdicts[index].sentence;
    suite.name =
        str_printf(arena, "step%lld%s" STR_FMT ".rank%lld", (long long)facts->step,
                   facts->stage.size ? "." : "", STR_ARG(facts->stage), (long long)facts->rank);
    return suite;
}

static void write_suite(const Xml *xml, const Suite *suite)
{
    const JunitCases *cases = suite->cases;
    Tally tally = tally_of(suite);
    sink_text(xml->out, " <testsuite");
    xml_attribute(xml, "name", suite->name);
    write_tally(xml, &tally);
    sink_text(xml->out, ">\n  <properties>\n");
    write_property(xml, "verdict", suite->sentence);
    write_property(xml, "golden", suite->facts->reads[0].file);
    write_property(xml, "target", suite->facts->reads[1].file);
    sink_text(xml->out, "  </properties>\n");
    if (suite->own)
        write_own_case(xml, suite);
    if (suite->origin)
        write_case(xml, suite, suite->origin);
    for (size_t i = 0; i < cases->count; i++)
        if (&cases->items[i] != suite->origin)
            write_case(xml, suite, &cases->items[i]);
    sink_text(xml->out, " </testsuite>\n");
}

void junit_write(const CompareSummary *summary, const JunitCases *cases, Sink *out)
{
    Xml xml = {.out = out, .arena = arena_new()};
    Tally sum = {0};
    for (size_t i = 0; i < summary->count; i++) {
        Suite suite = suite_of(summary, i, &cases[i], xml.arena);
        Tally tally = tally_of(&suite);
        sum.cases += tally.cases;
        sum.failures += tally.failures;
        sum.errors += tally.errors;
        sum.skipped += tally.skipped;
    }
    sink_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    xml_attribute(&xml, "name", summary->verdict->sentence);
    write_tally(&xml, &sum);
    sink_text(out, ">\n");
    for (size_t i = 0; i < summary->count; i++) {
        Suite suite = suite_of(summary, i, &cases[i], xml.arena);
        write_suite(&xml, &suite);
    }
    sink_text(out, "</testsuites>\n");
    arena_release(xml.arena);
}
