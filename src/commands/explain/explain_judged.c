// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_judged.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "commands/compare/pair_read.h"
#include "commands/explain/explain_values.h"
#include "read/dump/place_name.h"
#include "report/kit/cell.h"
#include "verdict/rule_text.h"

// Pairs that are looked through for the op, and slots of a pair that is judged once more without
// each rule.
enum { PAIRS_TRIED = 8, SLOTS_TRIED = 300000 };

typedef struct Judging {
    Explain *explain;
    Notices *notices;
    Str name;
    DumpPlaces sides[2];
    PlacePairs places;
    MatchOptions match;
    Criteria criteria;
    ComparePairOptions options;
    const PlacePair *place;
    PairGraphs pair;
    const OpPair *op;
    uint32_t only;  // slot of the op, by place; UINT32_MAX: all
} Judging;

static bool find_side(Judging *judging, Str path, DumpPlaces *out)
{
    Error err;
    Arena *arena = judging->explain->arena;
    return path.size &&
           folder_find_dumps(str_cstr(arena, path), NULL, arena, out, judging->notices, &err);
}

// What the summary says that the run was judged by.
static bool read_measures(Judging *judging)
{
    Error err;
    Arena *arena = judging->explain->arena;
    const JsonNode *root = judging->explain->root, *paths = value_at(root, "noise_floor.paths");
    Str criteria = value_text(root, "criteria.path");
    size_t count = 0;
    for (const JsonNode *path = paths ? paths->child : NULL; path; path = path->next)
        count++;
    DumpPlaces *noise = ARENA_ARRAY(arena, DumpPlaces, count);
    for (const JsonNode *path = paths ? paths->child : NULL; path; path = path->next)
        if (path->kind != JSON_STRING ||
            !find_side(judging, path->text, &noise[judging->options.noise_count++]))
            return false;
    judging->options.noise = noise;
    if (!criteria.size)
        return true;
    judging->options.criteria = &judging->criteria;
    return criteria_read(str_cstr(arena, criteria), arena, &judging->criteria, judging->notices,
                         &err);
}

// Which of an op's slots the name means, if it is that op's or one of its slots'.
static bool is_meant(const Dump *dump, uint32_t op, Str name, uint32_t *slot)
{
    Str own = op == OP_NONE ? STR("") : names_text(dump->names, dump->ops[op].name);
    *slot = UINT32_MAX;
    if (!own.size || !str_starts(name, own))
        return false;
    if (name.size == own.size)
        return true;
    Str path = str_slice(name, own.size + 1, name.size);
    for (uint32_t i = 0; name.data[own.size] == '.' && i < dump->ops[op].slot_count; i++)
        if (str_equal(path,
                      names_text(dump->names, dump->slots[dump->ops[op].first_slot + i].path))) {
            *slot = dump->ops[op].first_slot + i;
            return true;
        }
    return false;
}

static bool find_op(Judging *judging)
{
    const Comparison *comparison = &judging->pair.comparison;
    const Dump *dumps[2] = {comparison->golden->dump, comparison->target->dump};
    for (uint32_t i = 0; i < comparison->op_count; i++) {
        const OpPair *op = &comparison->ops[i];
        uint32_t slot[2] = {UINT32_MAX, UINT32_MAX};
        bool target = is_meant(dumps[1], op->target, judging->name, &slot[1]);
        if (!target && !is_meant(dumps[0], op->golden, judging->name, &slot[0]))
            continue;
        judging->op = op;
        judging->only = UINT32_MAX;
        for (uint32_t k = 0; k < op->slot_count; k++) {
            const SlotPair *pair = &comparison->slots[op->first_slot + k];
            if (target ? slot[1] != UINT32_MAX && pair->target == slot[1]
                       : slot[0] != UINT32_MAX && pair->golden == slot[0])
                judging->only = k;
        }
        return true;
    }
    return false;
}

static bool look_at(Judging *judging, const PlacePair *place)
{
    judging->place = place;
    return compare_pair_read(place, &judging->options, judging->explain->arena, &judging->pair,
                             judging->notices) &&
           find_op(judging);
}

// Equal to the bit, as it may be in one step and not in others.
static bool is_same(const Judging *judging)
{
    for (uint32_t k = 0; k < judging->op->slot_count; k++)
        if (judging->pair.comparison.slots[judging->op->first_slot + k].status != STATUS_SAME)
            return false;
    return op_has_both(judging->op);
}

// The pair that the verdict names first, then the others, up to one where anything of the op
// differs; else the first that has it.
static bool find_pair(Judging *judging)
{
    uint64_t origin = value_count(judging->explain->root, "origin");
    const PlacePair *first = NULL;
    size_t tried = 0;
    for (size_t turn = 0; turn <= judging->places.count && tried < PAIRS_TRIED; turn++) {
        size_t at = turn == 0 ? (size_t)origin : turn - 1;
        if (at >= judging->places.count || (turn > 0 && at == origin))
            continue;
        const PlacePair *place = &judging->places.items[at];
        if (!place->golden || !place->target)
            continue;
        tried++;
        if (!look_at(judging, place))
            continue;
        if (!is_same(judging))
            return true;
        first = first ? first : place;
    }
    return first && look_at(judging, first);
}

static Table *table_with(Explain *explain, const char *const *titles, size_t count)
{
    Table *table = ARENA_NEW(explain->arena, Table);
    Column *columns = ARENA_ARRAY(explain->arena, Column, count);
    for (size_t i = 0; i < count; i++)
        columns[i] = (Column){.title = str_of(tr(titles[i]))};
    table_init_rows(table, ARENA_NEW(explain->arena, TableRows), "", columns, count,
                    explain->arena);
    return table;
}

static Cell number_cell(double value, Arena *arena)
{
    char text[NUMBER_BYTES];
    if (isnan(value))
        return cell_text(STR(""));
    number_significant(value, 2, text);
    return cell_text(str_copy(arena, str_of(text)));
}

static Cell path_cell(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    const Dump *golden = comparison->golden->dump, *target = comparison->target->dump;
    Str path = pair->golden != SLOT_NONE
                   ? names_text(golden->names, golden->slots[pair->golden].path)
                   : names_text(target->names, target->slots[pair->target].path);
    return cell_text(str_copy(arena, path));
}

static bool has_number(const SlotPair *pair)
{
    return pair->metric != METRIC_NONE && pair->metric != METRIC_CHECKSUM &&
           pair->status != STATUS_NO_DATA && pair->status != STATUS_UNMATCHED;
}

static Str rule_of(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    StrBuf said = strbuf_new(arena);
    Str text = rule_text_of_slot(comparison, pair, &said);
    if (text.size || pair->status != STATUS_PASS)
        return text;
    return str_of(tr("within its tolerance"));
}

// "output.0 differs by 3.1e-05; tolerance 1.9e-06; passes by inherited: input.0 differs by 2.9e-5",
// or without the last part; empty where no number tells.
static Str slot_sentence(const Comparison *comparison, const SlotPair *pair, Arena *arena)
{
    char error[NUMBER_BYTES], floor[NUMBER_BYTES];
    if (!has_number(pair) || !(pair->error > 0) || !isfinite(pair->error))
        return STR("");
    number_significant(pair->error, 2, error);
    number_significant((double)pair->floor, 2, floor);
    Str path = path_cell(comparison, pair, arena).text;
    StrBuf said = strbuf_new(arena);
    strbuf_printf(&said, tr(STR_FMT " differs by %s; tolerance %s"), STR_ARG(path), error, floor);
    if (rule_table[pair->reason].scope != RULE_EXCUSES)
        return strbuf_str(&said);
    strbuf_printf(&said, tr("; passes by `%s`: "), rule_table[pair->reason].id);
    if (!rule_text_given(comparison, pair, &said))
        strbuf_add(&said, str_of(tr(rule_table[pair->reason].said)));
    return strbuf_str(&said);
}

static void say_slots(const Judging *judging)
{
    static const char *const titles[] = {TR("slot"), TR("status"), TR("differs by"),
                                         TR("tolerance"), TR("rule")};
    const Comparison *comparison = &judging->pair.comparison;
    Arena *arena = judging->explain->arena;
    Table *table = table_with(judging->explain, titles, sizeof titles / sizeof *titles);
    for (uint32_t k = 0; k < judging->op->slot_count; k++) {
        const SlotPair *pair = &comparison->slots[judging->op->first_slot + k];
        if (judging->only != UINT32_MAX && k != judging->only)
            continue;
        Cell *cells = table_add_row(table);
        bool number = has_number(pair);
        cells[0] = path_cell(comparison, pair, arena);
        cells[1] = cell_styled(style_of_status((Status)pair->status, judging->op->inherited),
                               str_of(status_word((Status)pair->status)));
        cells[2] = number_cell(number ? pair->error : (double)NAN, arena);
        cells[3] =
            number_cell(number && pair->error > 0 ? (double)pair->floor : (double)NAN, arena);
        cells[4] = cell_text(rule_of(comparison, pair, arena));
    }
    if (table->row_count)
        report_table(judging->explain->out, table);
    for (uint32_t k = 0; k < judging->op->slot_count; k++) {
        const SlotPair *pair = &comparison->slots[judging->op->first_slot + k];
        if (judging->only == k ||
            (judging->only == UINT32_MAX && rule_table[pair->reason].scope == RULE_EXCUSES))
            explain_say(judging->explain, slot_sentence(comparison, pair, arena));
    }
}

static void say_alone(const Judging *judging)
{
    Explain *explain = judging->explain;
    const OpPair *op = judging->op;
    StrBuf said = strbuf_new(explain->arena);
    explain_say(explain, str_of(op->target == OP_NONE ? tr("Golden alone holds it.")
                                                      : tr("The target alone holds it.")));
    Str rule = rule_text_of_op(op, &said);
    explain_say(explain, rule.size ? rule
                         : op->status == STATUS_UNMATCHED
                             ? str_of(tr("No rule settles it: it is missing on the other side."))
                             : str_of(tr("The other side's dump is cut there, lost it, or shares "
                                         "the model out otherwise: nothing is known.")));
}

// What one slot or the op alone would be without a rule; false: the same.
static bool would_change(const Comparison *with, const Comparison *without, const OpPair *op,
                         uint32_t slot)
{
    const OpPair *other = &without->ops[op - with->ops];
    if (slot == UINT32_MAX)
        return op->status != other->status;
    const SlotPair *a = &with->slots[op->first_slot + slot];
    const SlotPair *b = &without->slots[other->first_slot + slot];
    return a->status != b->status || a->reason != b->reason ||
           (a->error > 0 && has_number(a) && fabsf(a->floor - b->floor) > 1e-3f * a->floor);
}

static void add_change(const Judging *judging, const Comparison *without, Rule rule, uint32_t slot,
                       Table *table)
{
    const Comparison *with = &judging->pair.comparison;
    const OpPair *op = judging->op, *other = &without->ops[op - with->ops];
    Arena *arena = judging->explain->arena;
    Cell *cells = table_add_row(table);
    cells[0] = cell_text(str_of(rule_table[rule].id));
    if (slot == UINT32_MAX) {
        cells[1] = cell_text(STR(""));
        cells[2] = cell_text(str_of(status_word((Status)other->status)));
        return;
    }
    const SlotPair *pair = &without->slots[other->first_slot + slot];
    char floor[NUMBER_BYTES];
    number_significant((double)pair->floor, 2, floor);
    cells[1] = path_cell(without, pair, arena);
    cells[2] = cell_text(has_number(pair) ? str_printf(arena, tr("%s, tolerance %s"),
                                                       status_word((Status)pair->status), floor)
                                          : str_of(status_word((Status)pair->status)));
}

// Judges the pair once more without each rule.
static void say_rules(Judging *judging)
{
    static const char *const titles[] = {TR("without the rule"), TR("slot"), TR("it would be")};
    const Comparison *with = &judging->pair.comparison;
    Table *table = table_with(judging->explain, titles, sizeof titles / sizeof *titles);
    bool decides[RULE_COUNT] = {false};
    if (with->slot_count > SLOTS_TRIED || with->mode == MODE_TENSOR)
        return;
    for (int rule = REASON_NONE + 1; rule < RULE_COUNT; rule++) {
        PairGraphs pair = {0};
        Notices ignored;
        Arena *scratch = arena_new();
        notices_init(&ignored, scratch);
        judging->options.without = (RuleSet)1 << rule;
        uint64_t before = table->row_count;
        if (rule_table[rule].scope != RULE_CHECKS &&
            compare_pair_read(judging->place, &judging->options, scratch, &pair, &ignored) &&
            pair.comparison.op_count == with->op_count) {
            if (!judging->op->slot_count &&
                would_change(with, &pair.comparison, judging->op, UINT32_MAX))
                add_change(judging, &pair.comparison, (Rule)rule, UINT32_MAX, table);
            for (uint32_t k = 0; k < judging->op->slot_count; k++)
                if ((judging->only == UINT32_MAX || k == judging->only) &&
                    would_change(with, &pair.comparison, judging->op, k))
                    add_change(judging, &pair.comparison, (Rule)rule, k, table);
        }
        decides[rule] = table->row_count > before;
        arena_release(scratch);
    }
    if (!table->row_count)
        explain_say(judging->explain, str_of(tr("No rule that excuses, or changes a tolerance, "
                                                "decided here.")));
    else
        report_table(judging->explain->out, table);
    for (int rule = REASON_NONE + 1; rule < RULE_COUNT; rule++)
        if (decides[rule])
            explain_say(judging->explain,
                        str_printf(judging->explain->arena, "%s: %s", rule_table[rule].id,
                                   tr(rule_says((Rule)rule, judging->explain->arena))));
}

// The report may be older than the dumps, or have been made with options that no summary tells.
static void say_whether_same(const Judging *judging)
{
    Explain *explain = judging->explain;
    const JsonNode *list = value_at(explain->root, "pairs");
    for (const JsonNode *pair = list ? list->child : NULL; pair; pair = pair->next)
        if (value_number(pair, "step") == (double)judging->place->step &&
            value_number(pair, "rank") == (double)judging->place->rank &&
            !str_equal(value_text(pair, "status"),
                       str_of(status_word(judging->pair.comparison.status))))
            explain_say(explain,
                        str_of(tr("The dumps, or options of that run, are not those of now: "
                                  "judged again, the pair has another status.")));
}

static void show(Judging *judging)
{
    Explain *explain = judging->explain;
    const PlacePair *place = judging->place;
    report_heading(explain->out, 3, "", str_of(tr("How it was judged")),
                   place_text(place->step, place->stage, place->rank, explain->arena));
    if (op_has_both(judging->op))
        say_slots(judging);
    else
        say_alone(judging);
    say_rules(judging);
    say_whether_same(judging);
}

Judged explain_judged(Explain *explain, Str name)
{
    Notices notices;  // told when the pair was compared
    Judging *judging = ARENA_NEW(explain->arena, Judging);
    const JsonNode *root = explain->root;
    if (!str_equal(value_text(root, "schema"), STR("vernier.compare/1")) ||
        !str_equal(value_text(root, "rules"), STR("vernier")))
        return JUDGED_NEVER;
    *judging = (Judging){.explain = explain, .notices = &notices, .name = name};
    notices_init(&notices, explain->arena);
    judging->options = (ComparePairOptions){
        .rules = RULES_VERNIER, .match = &judging->match, .places = &judging->places, .jobs = 1};
    if (!find_side(judging, value_text(root, "golden.path"), &judging->sides[0]) ||
        !find_side(judging, value_text(root, "target.path"), &judging->sides[1]) ||
        !read_measures(judging))
        return JUDGED_NO_DUMPS;
    folder_pair_dumps(&judging->sides[0], &judging->sides[1], explain->arena, &judging->places);
    judging->options.single = judging->places.count == 1;
    judging->options.store =
        pair_store_new(&judging->places, &judging->places, NULL, explain->arena);
    bool found = find_pair(judging);
    if (found)
        show(judging);
    pair_store_free(judging->options.store);
    return found ? JUDGED_SHOWN : JUDGED_NOT_FOUND;
}
