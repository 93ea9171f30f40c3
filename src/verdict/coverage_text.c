// SPDX-License-Identifier: Apache-2.0
// What was compared, and what only one side records, as sentences.
#include "verdict/coverage_text.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/words.h"
#include "read/dump/place_name.h"
#include "verdict/figure_text.h"

enum { NAMES_SHOWN = 2, PAIRS_SHOWN = 12, REPLACED_SHOWN = 2 };
// So many tensors without values are reported, from a hundredth of all.
enum { UNRECORDED_MIN = 3, UNRECORDED_SHARE = 100 };

// A run of the list that is one phrase: items of one side and one reason.
typedef struct Group {
    const LeftOut *items;
    uint32_t count;
    uint64_t total;
} Group;

static Group group_at(const Coverage *coverage, uint32_t from)
{
    Group group = {.items = &coverage->left_out[from]};
    const LeftOut *first = group.items;
    for (uint32_t i = from; i < coverage->left_count; i++) {
        const LeftOut *item = &coverage->left_out[i];
        if (item->side != first->side || item->absence != first->absence ||
            (i > from && first->absence != ABSENCE_API && first->absence != ABSENCE_CALLS))
            break;
        group.total += item->count;
        group.count++;
    }
    return group;
}

static Str api_phrase(const Group *group, Arena *arena)
{
    Str total = figure_count(group->total, arena);
    if (group->count == 1)
        return str_printf(
            arena,
            tr_count(group->total, STR_FMT " call of " STR_FMT, STR_FMT " calls of " STR_FMT),
            STR_ARG(total), STR_ARG(group->items[0].name));
    StrBuf names = strbuf_new(arena);
    for (uint32_t i = 0; i < group->count && i < NAMES_SHOWN; i++) {
        strbuf_add(&names, i ? STR(", ") : STR(""));
        strbuf_add(&names, group->items[i].name);
    }
    if (group->count > NAMES_SHOWN)
        strbuf_add(&names, STR(", …"));
    return str_printf(arena, tr(STR_FMT " calls of %u APIs (" STR_FMT ")"), STR_ARG(total),
                      group->count, STR_ARG(strbuf_str(&names)));
}

static Str role_phrase(Str name, Str total, Arena *arena)
{
    if (str_equal(name, STR("inputs")))
        return str_printf(arena, tr("inputs (" STR_FMT ")"), STR_ARG(total));
    if (str_equal(name, STR("parameters")))
        return str_printf(arena, tr("weights of modules (" STR_FMT ")"), STR_ARG(total));
    return str_printf(arena, tr("outputs (" STR_FMT ")"), STR_ARG(total));
}

static Str direction_phrase(Str name, Str total, Arena *arena)
{
    if (str_equal(name, STR("backward")))
        return str_printf(arena, tr("backward calls (" STR_FMT ")"), STR_ARG(total));
    return str_printf(arena, tr("forward calls (" STR_FMT ")"), STR_ARG(total));
}

static Str phrase(const Group *group, Arena *arena)
{
    Str total = figure_count(group->total, arena);
    switch (group->items[0].absence) {
    case ABSENCE_APIS:
        return str_printf(arena, tr("API calls (" STR_FMT ")"), STR_ARG(total));
    case ABSENCE_MODULES:
        return str_printf(arena, tr("calls of modules (" STR_FMT ")"), STR_ARG(total));
    case ABSENCE_GRADIENTS:
        return str_printf(arena, tr("gradients of weights (" STR_FMT ")"), STR_ARG(total));
    case ABSENCE_DIRECTION:
        return direction_phrase(group->items[0].name, total, arena);
    case ABSENCE_RANGE:
        return str_printf(arena, tr(STR_FMT " ops before or after those that both hold"),
                          STR_ARG(total));
    case ABSENCE_HEAD:
        return str_printf(arena,
                          tr_count(group->total, "the first op", "the first " STR_FMT " ops"),
                          STR_ARG(total));
    case ABSENCE_TAIL:
        return str_printf(arena, tr_count(group->total, "the last op", "the last " STR_FMT " ops"),
                          STR_ARG(total));
    case ABSENCE_INSIDE:
        return str_printf(arena, tr("API calls within modules (" STR_FMT ")"), STR_ARG(total));
    case ABSENCE_LAYER:
        return str_printf(arena,
                          tr_count(group->total, STR_FMT " op of layers that the other leaves out",
                                   STR_FMT " ops of layers that the other leaves out"),
                          STR_ARG(total));
    case ABSENCE_API:
    case ABSENCE_CALLS:
        return api_phrase(group, arena);
    case ABSENCE_KEYWORDS:
        return str_printf(arena, tr("arguments by keyword (" STR_FMT ")"), STR_ARG(total));
    case ABSENCE_STATISTIC:
        if (str_equal(group->items[0].name, STR("checksums")))
            return str_printf(arena, tr("checksums (" STR_FMT ")"), STR_ARG(total));
        if (str_equal(group->items[0].name, STR("files")))
            return str_printf(arena, tr("tensor files (" STR_FMT ")"), STR_ARG(total));
        return str_printf(arena, STR_FMT " (" STR_FMT ")", STR_ARG(group->items[0].name),
                          STR_ARG(total));
    case ABSENCE_DIGITS:
        return str_printf(arena, tr("more digits of statistics than " STR_FMT " (" STR_FMT ")"),
                          STR_ARG(group->items[0].name), STR_ARG(total));
    default:
        return role_phrase(group->items[0].name, total, arena);
    }
}

static void add_sentence(StrBuf *out, Str sentence)
{
    strbuf_add(out, out->size ? STR(" ") : STR(""));
    strbuf_add(out, sentence);
}

Str coverage_alone(const Coverage *coverage, Side side, Arena *arena)
{
    StrBuf list = strbuf_new(arena);
    for (uint32_t i = 0; i < coverage->left_count;) {
        Group group = group_at(coverage, i);
        i += group.count;
        if (group.items[0].side == side || group.items[0].absence == ABSENCE_NO_EFFECT)
            continue;
        strbuf_add(&list, list.size ? STR(", ") : STR(""));
        strbuf_add(&list, phrase(&group, arena));
    }
    return strbuf_str(&list);
}

static void add_side(const Coverage *coverage, Side side, Arena *arena, StrBuf *out)
{
    Str what = coverage_alone(coverage, side, arena);
    if (what.size == 0)
        return;
    add_sentence(
        out, side == SIDE_GOLDEN
                 ? str_printf(arena, tr("Golden alone records " STR_FMT "."), STR_ARG(what))
                 : str_printf(arena, tr("The target alone records " STR_FMT "."), STR_ARG(what)));
    if (coverage->ends_early[1 - side])
        add_sentence(
            out,
            str_of(
                side == SIDE_GOLDEN
                    ? tr("Either part of the target's dump was lost, or its collection was set so.")
                    : tr("Either part of golden's dump was lost, or its collection was set so.")));
}

// "The target's config.json lists 3 APIs." Names of modules are not repeated.
static Str stated_text(const Stated *stated, int side, StatedKey key, Arena *arena)
{
    uint32_t count = stated_items(stated, key);
    Str value = key == STATED_SCOPE ? str_of(tr("of two names")) : stated->values[key];
    if (key != STATED_LIST)
        return str_printf(arena,
                          side == 0 ? tr("Golden's " STR_FMT " states %s " STR_FMT ".")
                                    : tr("The target's " STR_FMT " states %s " STR_FMT "."),
                          STR_ARG(stated->file), stated_word(key), STR_ARG(value));
    return str_printf(arena,
                      side == 0 ? tr_count(count, "Golden's " STR_FMT " lists %u API.",
                                           "Golden's " STR_FMT " lists %u APIs.")
                                : tr_count(count, "The target's " STR_FMT " lists %u API.",
                                           "The target's " STR_FMT " lists %u APIs."),
                      STR_ARG(stated->file), count);
}

static void add_stated(const Coverage *coverage, Arena *arena, StrBuf *out)
{
    for (int side = 0; side < 2; side++)
        for (int key = 0; key < STATED_COUNT; key++)
            if (coverage->stated_used[side] >> key & 1)
                add_sentence(out,
                             stated_text(&coverage->stated[side], side, (StatedKey)key, arena));
}

// Whether something is missing that no setting of a collection explains: values, the end of a dump.
static bool is_partial(const Coverage *coverage)
{
    bool partial = coverage->lost > 0;
    for (int side = 0; side < 2; side++)
        partial = partial || coverage->ends_early[side] || coverage->breaks_off[side];
    return partial;
}

// Whether a side does not have what the other has, be it by a setting.
static bool is_narrow(const Coverage *coverage)
{
    bool narrow = is_partial(coverage);
    for (uint32_t i = 0; i < coverage->left_count; i++)
        narrow = narrow || coverage->left_out[i].absence != ABSENCE_NO_EFFECT;
    return narrow;
}

// Tensors of which neither side tells a value, where they are not a few among many.
static uint64_t unrecorded(const Coverage *coverage)
{
    bool few = coverage->unrecorded < UNRECORDED_MIN ||
               coverage->unrecorded * UNRECORDED_SHARE < coverage->tensors[0];
    return few ? 0 : coverage->unrecorded;
}

// Slots to be compared: those that a side tells, and those that none tells and should.
static uint64_t told_most(const Coverage *coverage)
{
    bool golden = coverage->told[0] > coverage->told[1];
    return (golden ? coverage->told[0] : coverage->told[1]) + unrecorded(coverage);
}

Str coverage_share(const Coverage *coverage, uint64_t compared, Arena *arena)
{
    uint64_t told = told_most(coverage);
    if ((!is_narrow(coverage) && !unrecorded(coverage)) || told <= compared)
        return (Str){"", 0};
    return str_printf(arena, tr("compared: " STR_FMT " of " STR_FMT " slots"),
                      STR_ARG(figure_count(compared, arena)), STR_ARG(figure_count(told, arena)));
}

// "12 values pass by a rule: inherited 10, inside 2."
static Str excused_sentence(const Coverage *coverage, Arena *arena)
{
    uint64_t values = coverage_by_rule(coverage);
    StrBuf rules = strbuf_new(arena);
    for (uint32_t i = 0; i < coverage->excused_count; i++)
        if (coverage_passes_by(coverage->excused[i].rule))
            strbuf_printf(&rules, "%s%s " STR_FMT, rules.size ? ", " : "",
                          rule_table[coverage->excused[i].rule].id,
                          STR_ARG(figure_count(coverage->excused[i].slots, arena)));
    return values ? str_printf(arena,
                               tr_count(values, STR_FMT " value passes by a rule: " STR_FMT ".",
                                        STR_FMT " values pass by a rule: " STR_FMT "."),
                               STR_ARG(figure_count(values, arena)), STR_ARG(strbuf_str(&rules)))
                  : STR("");
}

// "4 calls of Functional.hardtanh are Functional.relu in the target; values are equal."
static Str replaced_text(const Replaced *item, bool equal, Arena *arena)
{
    Str calls = figure_count(item->calls, arena);
    const char *values = equal ? tr("values are equal") : tr("values agree");
    if (str_find_char(item->golden, ' ', 0) != SIZE_MAX)
        return str_printf(
            arena,
            tr_count(item->calls,
                     "At " STR_FMT " place " STR_FMT " is " STR_FMT " in the target; %s.",
                     "At " STR_FMT " places " STR_FMT " is " STR_FMT " in the target; %s."),
            STR_ARG(calls), STR_ARG(item->golden), STR_ARG(item->target), values);
    return str_printf(arena,
                      tr_count(item->calls,
                               STR_FMT " call of " STR_FMT " is " STR_FMT " in the target; %s.",
                               STR_FMT " calls of " STR_FMT " are " STR_FMT " in the target; %s."),
                      STR_ARG(calls), STR_ARG(item->golden), STR_ARG(item->target), values);
}

static void add_replaced(const Coverage *coverage, bool equal, Arena *arena, StrBuf *out)
{
    for (uint32_t i = 0; i < coverage->replaced_count && i < REPLACED_SHOWN; i++)
        add_sentence(out, replaced_text(&coverage->replaced[i], equal, arena));
    if (coverage->replaced_count > REPLACED_SHOWN)
        add_sentence(out, str_printf(arena, tr("%u more APIs are replaced."),
                                     coverage->replaced_count - REPLACED_SHOWN));
}

static Str nan_alone(const Coverage *coverage, Arena *arena)
{
    const char *kind = coverage->nan_is_inf ? "Inf" : "NaN";
    return str_printf(arena,
                      tr_count(coverage->nan_alone,
                               "The target holds %s at " STR_FMT " (" STR_FMT
                               " tensor of which golden records nothing).",
                               "The target holds %s at " STR_FMT " (" STR_FMT
                               " tensors of which golden records nothing)."),
                      kind, STR_ARG(coverage->nan_first),
                      STR_ARG(figure_count(coverage->nan_alone, arena)));
}

// What kind of values stood in for the tensors, and what was none to compare.
static void add_kinds(const Coverage *coverage, Arena *arena, StrBuf *out)
{
    if (coverage->nan)
        add_sentence(out,
                     str_printf(arena,
                                tr_count(coverage->nan, STR_FMT " tensor holds NaN on both sides.",
                                         STR_FMT " tensors hold NaN on both sides."),
                                STR_ARG(figure_count(coverage->nan, arena))));
    if (coverage->sums)
        add_sentence(out,
                     str_of(tr("Of each tensor the sum alone was compared, not what is printed "
                               "of its elements.")));
    if (coverage->nan_alone)
        add_sentence(out, nan_alone(coverage, arena));
}

Str coverage_sentence(const Coverage *coverage, bool equal, Arena *arena)
{
    uint64_t alone = 0, none = unrecorded(coverage);
    StrBuf out = strbuf_new(arena);
    add_replaced(coverage, equal, arena, &out);
    add_side(coverage, SIDE_GOLDEN, arena, &out);
    add_side(coverage, SIDE_TARGET, arena, &out);
    add_stated(coverage, arena, &out);
    for (uint32_t i = 0; i < coverage->left_count; i++)
        if (coverage->left_out[i].absence == ABSENCE_NO_EFFECT)
            alone += coverage->left_out[i].count;
    alone -= coverage->replaced_alone < alone ? coverage->replaced_alone : alone;
    if (alone)
        add_sentence(
            &out,
            str_printf(arena,
                       tr_count(alone,
                                STR_FMT " op is on one side only; no op that both hold differs.",
                                STR_FMT " ops are on one side only; no op that both hold differs."),
                       STR_ARG(figure_count(alone, arena))));
    if (coverage->moved)
        add_sentence(&out,
                     str_printf(arena,
                                tr_count(coverage->moved, STR_FMT " op runs in another order.",
                                         STR_FMT " ops run in another order."),
                                STR_ARG(figure_count(coverage->moved, arena))));
    if (none)
        add_sentence(&out,
                     str_printf(arena, tr("Neither dump holds values of " STR_FMT " tensors."),
                                STR_ARG(figure_count(none, arena))));
    if (coverage->unmerged)
        add_sentence(
            &out,
            str_printf(arena,
                       tr_count(coverage->unmerged,
                                STR_FMT " slot cannot be merged over ranks with other tokens.",
                                STR_FMT " slots cannot be merged over ranks with other tokens."),
                       STR_ARG(figure_count(coverage->unmerged, arena))));
    add_kinds(coverage, arena, &out);
    Str excused = excused_sentence(coverage, arena);
    if (excused.size)
        add_sentence(&out, excused);
    if (coverage->widened)
        add_sentence(&out,
                     str_printf(arena,
                                tr(STR_FMT " of " STR_FMT " tensors pass only if the weights have "
                                           "drifted apart, which the dumps do not record."),
                                STR_ARG(figure_count(coverage->widened, arena)),
                                STR_ARG(figure_count(coverage->compared_tensors, arena))));
    return strbuf_str(&out);
}

Str coverage_slots(const Coverage *coverage, uint64_t compared, Arena *arena)
{
    uint64_t told = told_most(coverage);
    Str count = figure_count(compared, arena);
    if ((!is_partial(coverage) && !unrecorded(coverage)) || told <= compared)
        return str_printf(arena, tr_count(compared, STR_FMT " slot", STR_FMT " slots"),
                          STR_ARG(count));
    return str_printf(arena, tr(STR_FMT " of " STR_FMT " slots"), STR_ARG(count),
                      STR_ARG(figure_count(told, arena)));
}

static const char *content_word(SideContent content)
{
    switch (content) {
    case CONTENT_STATISTICS:
        return tr("statistics");
    case CONTENT_CHECKSUMS:
        return tr("checksums only");
    case CONTENT_FILES:
        return tr("tensor files only");
    default:
        return tr("no values");
    }
}

Str coverage_none(const Coverage *coverage, uint64_t compared, Arena *arena)
{
    SideContent golden = coverage->content[0], target = coverage->content[1];
    uint64_t tensors = coverage->tensors[0];
    Str count = figure_count(tensors, arena), arguments = figure_count(compared, arena);
    Str why = coverage->ignored && golden == target
                  ? str_of(tr("the criteria leave out what both sides record"))
              : golden == CONTENT_STRUCTURE && target == CONTENT_STRUCTURE
                  ? str_of(tr("neither dump holds values; the structures are equal"))
              : coverage->nan && golden == target ? str_of(tr("both sides hold NaN and no number"))
              : golden == target
                  ? str_of(tr("golden and the target record values of different tensors"))
                  : str_printf(arena, tr("golden holds %s, the target %s"), content_word(golden),
                               content_word(target));
    Str none =
        str_printf(arena, tr("none of " STR_FMT " tensors could be compared"), STR_ARG(count));
    if (compared == 0)
        return str_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(why), STR_ARG(none));
    return str_printf(arena,
                      tr_count(compared, STR_FMT ": " STR_FMT " (" STR_FMT " argument is equal)",
                               STR_FMT ": " STR_FMT " (" STR_FMT " arguments are equal)"),
                      STR_ARG(why), STR_ARG(none), STR_ARG(arguments));
}

Str coverage_empty_pairs(const PairFacts *pairs, size_t count, Arena *arena)
{
    size_t empty = 0, shown = 0;
    bool one_step = true;
    StrBuf list = strbuf_new(arena);
    for (size_t i = 0; i < count; i++) {
        one_step = one_step && pair_facts_same_step(&pairs[i], &pairs[0]);
        empty += !pair_facts_compared(&pairs[i]);
    }
    if (empty == 0 || empty == count)
        return (Str){"", 0};
    for (size_t i = 0; i < count && shown < PAIRS_SHOWN; i++) {
        if (pair_facts_compared(&pairs[i]))
            continue;
        strbuf_add(&list, shown++ ? (one_step ? STR(", ") : STR("; ")) : STR(""));
        if (one_step)
            strbuf_printf(&list, "%" PRId64, pairs[i].rank);
        else
            strbuf_add(&list, place_text(pairs[i].step, pairs[i].stage, pairs[i].rank, arena));
    }
    strbuf_add(&list, empty > shown ? STR(", …") : STR(""));
    Str names = strbuf_str(&list);
    if (one_step)
        return str_printf(arena, tr("%zu of %zu ranks compared nothing: " STR_FMT "."), empty,
                          count, STR_ARG(names));
    return str_printf(arena, tr("%zu of %zu pairs compared nothing: " STR_FMT "."), empty, count,
                      STR_ARG(names));
}
