// SPDX-License-Identifier: Apache-2.0
// What a comparison says to CI systems and dashboards.
#include "export/ci/compare_ci.h"

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "compare/origin.h"
#include "report/compare/ticket_frames.h"

typedef struct Collector {
    const CompareSummary *summary;
    Str root;
    Arena *arena;
    Names *keys;
    size_t *finding_of;  // by NameId of keys
    uint32_t *pairs_of;  // by finding
    CiOutcome *out;
} Collector;

static Str below_root(Str file, Str root)
{
    while (root.size && root.data[root.size - 1] == '/')
        root.size--;
    if (!root.size || !str_starts(file, root) || file.size <= root.size + 1 ||
        file.data[root.size] != '/')
        return file;
    return str_slice(file, root.size + 1, file.size);
}

static CiFinding *new_finding(Collector *collector, const char *rule, size_t index)
{
    const CompareSummary *summary = collector->summary;
    CiFinding *finding = ARRAY_PUSH(collector->arena, &collector->out->findings);
    *finding = (CiFinding){.error = true, .rule = rule};
    finding->message = summary->verdicts[index].sentence;
    return finding;
}

// One for all pairs with this key; NULL: there is one already.
static CiFinding *finding_of(Collector *collector, const char *rule, Str key, size_t index)
{
    size_t before = names_count(collector->keys);
    NameId id = names_add(collector->keys, key);
    if (names_count(collector->keys) > before) {
        collector->finding_of[id] = collector->out->findings.count;
        collector->pairs_of[collector->out->findings.count]++;
        CiFinding *finding = new_finding(collector, rule, index);
        finding->key = key;
        return finding;
    }
    collector->pairs_of[collector->finding_of[id]]++;
    return NULL;
}

static void add_pair(Collector *collector, size_t index)
{
    const PairFacts *facts = &collector->summary->pairs[index];
    const FirstDivergence *first = &facts->first;
    Frame frame;
    if (!pair_facts_compared(facts)) {
        finding_of(collector, "unread", str_copy(collector->arena, STR("unread")), index);
        return;
    }
    if (first->kind == DIVERGE_NONE)
        return;
    Str op = pair_facts_op(first);
    const char *rule = divergence_word(first->kind);
    Str key = str_printf(collector->arena, "%s " STR_FMT " " STR_FMT, rule, STR_ARG(op),
                         STR_ARG(first->slot));
    CiFinding *finding = finding_of(collector, rule, key, index);
    if (!finding)
        return;
    finding->place = op;
    if (ticket_frame_first(first->frames, first->frame_count, &frame)) {
        finding->file = below_root(frame.file, collector->root);
        finding->line = frame.line > 0 ? frame.line : 1;
    }
}

static void tell_pairs(Collector *collector)
{
    for (size_t i = 0; i < collector->out->findings.count; i++) {
        CiFinding *finding = &collector->out->findings.items[i];
        if (collector->pairs_of[i] > 1)
            finding->message =
                str_printf(collector->arena, tr(STR_FMT " The same in %zu of %zu pairs."),
                           STR_ARG(finding->message), (size_t)collector->pairs_of[i],
                           collector->summary->count);
    }
}

static void collect_findings(Collector *collector)
{
    const CompareSummary *summary = collector->summary;
    size_t origin = origin_find(summary->pairs, summary->count);
    if (origin != SIZE_MAX)
        add_pair(collector, origin);
    for (size_t i = 0; i < summary->count; i++)
        if (i != origin)
            add_pair(collector, i);
    tell_pairs(collector);
}

// ---- measures

static CiMeasure *add_measure(const Collector *collector, const char *name, const char *help,
                              double value)
{
    CiMeasure *measure = ARRAY_PUSH(collector->arena, &collector->out->measures);
    *measure = (CiMeasure){.name = name, .help = help, .value = value};
    return measure;
}

static Str number_label(int64_t value, Arena *arena)
{
    return str_printf(arena, "%lld", (long long)value);
}

static void measure_first(const Collector *collector)
{
    const CompareSummary *summary = collector->summary;
    size_t origin = origin_find(summary->pairs, summary->count);
    if (origin == SIZE_MAX || summary->pairs[origin].first.position == 0)
        return;
    const PairFacts *facts = &summary->pairs[origin];
    CiMeasure *first = add_measure(collector, "first_divergence_position",
                                   "Op at which the runs first part, in execution order, from 1.",
                                   facts->first.position);
    size_t count = 0;
    first->labels[count++] = (CiLabel){"op", pair_facts_op(&facts->first)};
    first->labels[count++] = (CiLabel){"step", number_label(facts->step, collector->arena)};
    if (facts->stage.size)
        first->labels[count++] = (CiLabel){"stage", facts->stage};
    first->labels[count] = (CiLabel){"rank", number_label(facts->rank, collector->arena)};
}

static void collect_measures(const Collector *collector)
{
    const CompareSummary *summary = collector->summary;
    uint64_t ops[STATUS_COUNT] = {0}, compared = 0, told = 0, pairs = 0;
    for (size_t i = 0; i < summary->count; i++) {
        const PairFacts *facts = &summary->pairs[i];
        pairs += pair_facts_compared(facts);
        compared += facts->compared;
        told += facts->slots;
        for (int status = 0; status < STATUS_COUNT; status++)
            ops[status] += facts->op_counts[status];
    }
    add_measure(collector, "pairs", "Pairs of dumps in the run.", (double)summary->count);
    add_measure(collector, "pairs_compared", "Pairs of dumps in which something was compared.",
                (double)pairs);
    add_measure(collector, "slots", "Inputs and outputs of all ops.", (double)told);
    add_measure(collector, "slots_compared", "Inputs and outputs that were compared.",
                (double)compared);
    for (int status = 0; status < STATUS_COUNT; status++)
        add_measure(collector, "ops", "Ops by what was found of them.", (double)ops[status])
            ->labels[0] = (CiLabel){"status", str_of(status_word((Status)status))};
    measure_first(collector);
}

void compare_ci_collect(const CompareSummary *summary, Str root, Arena *arena, CiOutcome *out)
{
    Arena *scratch = arena_new();
    Collector collector = {.summary = summary,
                           .root = root,
                           .arena = arena,
                           .keys = names_new(scratch),
                           .finding_of = ARENA_ARRAY(scratch, size_t, summary->count + 2),
                           .pairs_of = ARENA_ARRAY(scratch, uint32_t, summary->count + 2),
                           .out = out};
    out->judged_by = summary->judged_by;
    collect_findings(&collector);
    collect_measures(&collector);
    arena_release(scratch);
}
