// SPDX-License-Identifier: Apache-2.0
#include "compare/checklist/checklist_section.h"

#include <string.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"

typedef enum Absence { ABSENT_DIFFERS, ABSENT_ZERO, ABSENT_DEFAULT } Absence;

// What a section holds, and what an item that one side does not have means.
static const struct SectionKind {
    const char *section;
    Absence absence;
    bool many;  // equal items are in one row
    const char *text;
} kinds[] = {
    {SECTION_VERSIONS, ABSENT_DEFAULT, false, TR("what both logs print of their software")},
    {SECTION_ENVIRONMENT, ABSENT_DEFAULT, false,
     TR("variables that decide what is computed, and in which order")},
    {SECTION_PACKAGES, ABSENT_DIFFERS, false, TR("their versions decide what a model computes")},
    {SECTION_DATASET, ABSENT_DIFFERS, true, TR("both sides take the same data in each step")},
    {SECTION_WEIGHTS, ABSENT_DIFFERS, true, TR("both sides start from the same weights")},
    {SECTION_RANDOM, ABSENT_ZERO, true,
     TR("a random number that one side alone draws moves all that follow")},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Whether a word of a list says something of the name.
static bool any_word(Str words, Str name, bool (*says)(Str name, Str word))
{
    Str word;
    while (str_split(&words, ' ', &word))
        if (says(name, word))
            return true;
    return false;
}

static bool holds_word(Str name, Str word)
{
    return str_find(name, word, 0) != SIZE_MAX;
}

static bool decides(const CheckTable *table, Str name)
{
    return !any_word(table->places, name, holds_word) &&
           any_word(table->deciding, name, str_starts);
}

static Str default_of(const CheckTable *table, Str name)
{
    for (size_t i = 0; i < table->unset.count; i++)
        if (str_equal(name, str_of(table->unset.items[i].words[0])))
            return str_of(table->unset.items[i].words[1]);
    return STR("");
}

typedef struct CheckResults {
    CheckResult *items;
    size_t count, capacity;
} CheckResults;

// The items of one section of both sides, by name and place.
typedef struct Section {
    const struct SectionKind *kind;
    const CheckTable *table;
    Arena *arena;
    Names *names;              // of items, in the order in which they come
    const ConfigItem **of[2];  // by the id of NAME|PLACE in `keys`
    size_t of_count[2];
    Names *keys;
    size_t count[2];
    CheckResults *out;
} Section;

static bool is_of(const ConfigItem *item, const struct SectionKind *kind)
{
    return item->section && strcmp(item->section, kind->section) == 0;
}

static Str key_of(const Section *section, const ConfigItem *item)
{
    return str_printf(section->arena, STR_FMT "|" STR_FMT, STR_ARG(item->key),
                      STR_ARG(item->place));
}

static void take_side(Section *section, const Config *config, int side)
{
    for (size_t i = 0; i < config->count; i++) {
        const ConfigItem *item = &config->items[i];
        if (!is_of(item, section->kind))
            continue;
        NameId id = names_add(section->keys, key_of(section, item));
        ARRAY_REACH(section->arena, section->of[side], section->of_count[side], id)[id] = item;
        section->count[side]++;
    }
}

static const ConfigItem *item_of(const Section *section, int side, NameId id)
{
    return id < section->of_count[side] ? section->of[side][id] : NULL;
}

// A device has variables of its own, which the other one's side does not have.
static bool is_of_device(const Section *section, Str name, int lacking)
{
    static const char *const devices[] = {"HCCL_", "NCCL_", "ASCEND_", "CUDA_"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        if (!str_starts(name, str_of(devices[d])))
            continue;
        for (size_t i = 0; i < section->of_count[lacking]; i++)
            if (section->of[lacking][i] &&
                str_starts(section->of[lacking][i]->path, str_of(devices[d])))
                return false;
        return true;
    }
    return false;
}

static CheckRule rule_of(const Section *section, const ConfigItem *any, int lacking)
{
    const char *kind = section->kind->section;
    if (strcmp(kind, SECTION_PACKAGES) == 0)
        return any_word(section->table->packages, any->key, str_equal) &&
                       !(lacking >= 0 && STR_IN(any->key, "torch_npu", "mindspeed"))
                   ? CHECK_SAME
                   : CHECK_INFO;
    if (strcmp(kind, SECTION_ENVIRONMENT) == 0)
        return decides(section->table, any->path) &&
                       !(lacking >= 0 && is_of_device(section, any->path, lacking))
                   ? CHECK_SAME
                   : CHECK_INFO;
    return CHECK_SAME;
}

static Str value_of(const Section *section, const ConfigItem *item, const ConfigItem *other)
{
    if (item)
        return item->value;
    if (section->kind->absence == ABSENT_ZERO)
        return STR("0");
    if (section->kind->absence == ABSENT_DIFFERS)
        return str_of(tr("none"));
    return default_of(section->table, other->path);
}

static CheckSide side_of(const Section *section, const ConfigItem *item, const ConfigItem *other)
{
    Str value = value_of(section, item, other), whole = value;
    if (section->kind->absence == ABSENT_DIFFERS && section->kind->many) {
        size_t norm = str_find(value, STR("norm "), 0);
        value = norm == SIZE_MAX ? value : str_slice(value, norm, value.size);
    }
    return (CheckSide){.known = item || value.size,
                       .derived = !item,
                       .name = !item              ? str_of(tr("not there"))
                               : item->place.size ? item->place
                                                  : item->path,
                       .text = whole,
                       .value = value,
                       .file = item ? item->file : NULL,
                       .line = item ? item->line : 0};
}

static void add_row(Section *section, const ConfigItem *any, CheckRule rule, const char *text,
                    CheckResult result)
{
    CheckRow *row = ARENA_NEW(section->arena, CheckRow);
    *row = (CheckRow){.group = section->kind->section,
                      .key = str_cstr(section->arena, any->path),
                      .rule = rule,
                      .text = text};
    result.row = row;
    *ARRAY_PUSH(section->arena, section->out) = result;
}

// One name in all its places: the first place where the sides differ stands for it.
typedef struct Spread {
    const ConfigItem *golden, *target;
    size_t places, differ;
} Spread;

static bool sides_equal(const Section *section, const ConfigItem *a, const ConfigItem *b)
{
    Str one = value_of(section, a, b), two = value_of(section, b, a);
    CheckValue kind =
        strcmp(section->kind->section, SECTION_ENVIRONMENT) == 0 ? VALUE_SWITCH : VALUE_PLAIN;
    return str_equal(check_normal(kind, one, section->arena),
                     check_normal(kind, two, section->arena));
}

static void add_spread(Section *section, const Spread *spread, CheckStatus status)
{
    const ConfigItem *any = spread->golden ? spread->golden : spread->target;
    int lacking = !spread->golden ? 0 : !spread->target ? 1 : -1;
    const char *text = section->kind->text;
    if (spread->differ && spread->places > 1)
        text = str_printf(section->arena, tr("differs in %zu of %zu steps and ranks"),
                          spread->differ, spread->places)
                   .data;
    CheckResult result = {.golden = side_of(section, spread->golden, any),
                          .target = side_of(section, spread->target, any),
                          .status = status};
    if (status == CHECK_DIFFERS && (!result.golden.known || !result.target.known))
        result.status = CHECK_ONE_SIDE;
    CheckRule rule = rule_of(section, any, lacking);
    if (result.status == CHECK_ONE_SIDE && rule == CHECK_SAME &&
        strcmp(section->kind->section, SECTION_ENVIRONMENT) == 0) {
        CheckSide *unset = result.golden.known ? &result.target : &result.golden;
        unset->known = true;
        unset->text = unset->value = str_of(tr("unset"));
        result.status = CHECK_DIFFERS;
    }
    add_row(section, any, rule, text, result);
}

static void compare_items(Section *section)
{
    Names *names = names_new(section->arena);
    Spread *spreads = NULL;
    size_t room = 0, equal = 0, all = names_count(section->keys);
    for (NameId id = 1; id <= all; id++) {
        const ConfigItem *a = item_of(section, 0, id), *b = item_of(section, 1, id);
        NameId name = names_add(names, a ? a->key : b->key);
        Spread *spread = &ARRAY_REACH(section->arena, spreads, room, name)[name];
        bool same = sides_equal(section, a, b);
        if (spread->places++ == 0 || (!same && spread->differ == 0)) {
            spread->golden = a;
            spread->target = b;
        }
        spread->differ += !same;
    }
    for (NameId id = 1; spreads && id <= names_count(names); id++) {
        equal += spreads[id].differ == 0;
        if (spreads[id].differ || !section->kind->many)
            add_spread(section, &spreads[id], spreads[id].differ ? CHECK_DIFFERS : CHECK_EQUAL);
    }
    if (!section->kind->many || !equal)
        return;
    CheckSide side = {
        .known = true, .name = STR("equal"), .text = str_printf(section->arena, "%zu", equal)};
    side.value = side.text;
    ConfigItem of = {.path = str_of(section->kind->section)};
    add_row(section, &of, CHECK_SAME, section->kind->text,
            (CheckResult){.golden = side, .target = side, .status = CHECK_EQUAL});
}

// Of one side alone: that it is there.
static void tell_one_side(Section *section)
{
    int there = section->count[1] > 0;
    CheckResult result = {.status = CHECK_ONE_SIDE};
    CheckSide *side = there ? &result.target : &result.golden;
    *side = (CheckSide){.known = true,
                        .name = str_of(section->kind->section),
                        .text = str_printf(section->arena, "%zu", section->count[there])};
    ConfigItem of = {.path = str_of(section->kind->section)};
    add_row(section, &of, CHECK_SAME, section->kind->text, result);
}

static void add_sections(const Config *golden, const Config *target, const CheckTable *table,
                         Arena *arena, CheckResults *out)
{
    for (size_t i = 0; i < KINDS; i++) {
        Section section = {.kind = &kinds[i],
                           .table = table,
                           .arena = arena,
                           .keys = names_new(arena),
                           .out = out};
        take_side(&section, golden, 0);
        take_side(&section, target, 1);
        if (section.count[0] && section.count[1])
            compare_items(&section);
        else if (section.count[0] || section.count[1])
            tell_one_side(&section);
    }
}

// ---- settings that exclude each other

static bool holds(const Config *config, const char *key, const char *value, bool unset,
                  Arena *arena, Str *found)
{
    const ConfigItem *item = config_find(config, str_of(key));
    *found = item ? item->value : str_of(tr("unset"));
    return item ? str_equal(check_normal(VALUE_SWITCH, item->value, arena),
                            check_normal(VALUE_SWITCH, str_of(value), arena))
                : unset;
}

static CheckSide pair_side(const CheckFact *fact, Str first, Str second, Arena *arena)
{
    Str text = str_printf(arena, STR_FMT ", %s = " STR_FMT, STR_ARG(first), fact->words[2],
                          STR_ARG(second));
    return (CheckSide){.known = true, .name = str_of(fact->words[0]), .text = text, .value = text};
}

static bool conflict_of(const Config *config, const CheckFact *fact, Arena *arena, CheckSide *out)
{
    Str first, second;
    const char *const *words = fact->words;
    bool is = holds(config, words[0], words[1], false, arena, &first) &&
              holds(config, words[2], words[3], words[4] != NULL, arena, &second);
    if (is)
        *out = pair_side(fact, first, second, arena);
    return is;
}

static Str version_of(const Config *config, const char *package)
{
    for (size_t i = 0; i < config->count; i++) {
        const ConfigItem *item = &config->items[i];
        if (item->section &&
            (strcmp(item->section, SECTION_PACKAGES) == 0 ||
             strcmp(item->section, SECTION_VERSIONS) == 0) &&
            str_equal_nocase(item->key, str_of(package)))
            return item->value;
    }
    return STR("");
}

// "2.1.0" of "2.1.0.post8+git".
static Str three_numbers(Str version)
{
    size_t dots = 0, end = 0;
    while (end < version.size &&
           (is_digit(version.data[end]) || (version.data[end] == '.' && ++dots < 3)))
        end++;
    return str_slice(version, 0, end);
}

static bool versions_conflict(const Config *config, const CheckFact *fact, Arena *arena,
                              CheckSide *out)
{
    Str first = version_of(config, fact->words[0]), second = version_of(config, fact->words[2]);
    Str begins = str_of(fact->words[1]), with = str_of(fact->words[3]);
    if (!first.size || !second.size || !(str_equal(begins, STR("*")) || str_starts(first, begins)))
        return false;
    bool apart = str_equal(with, STR("=")) ? !str_equal(three_numbers(first), three_numbers(second))
                 : with.data[0] == '!'     ? !str_starts(second, str_slice(with, 1, with.size))
                                           : str_starts(second, with);
    if (apart)
        *out = pair_side(fact, first, second, arena);
    return apart;
}

// A row for each fact that is so on a side.
static void add_apart(const CheckFacts *facts, const Config *const sides[2],
                      bool (*is)(const Config *, const CheckFact *, Arena *, CheckSide *),
                      Arena *arena, CheckResults *out)
{
    for (size_t i = 0; i < facts->count; i++) {
        const CheckFact *fact = &facts->items[i];
        CheckResult result = {.status = CHECK_NEITHER};
        result.advice_golden = is(sides[0], fact, arena, &result.golden);
        result.advice_target = is(sides[1], fact, arena, &result.target);
        if (!result.advice_golden && !result.advice_target)
            continue;
        CheckRow *row = ARENA_NEW(arena, CheckRow);
        *row =
            (CheckRow){.group = TR("together"),
                       .key = str_printf(arena, "%s + %s", fact->words[0], fact->words[2]).data,
                       .rule = CHECK_INFO,
                       .advice = ADVICE_APART,
                       .text = *fact->text ? fact->text
                                           : TR("versions that were not released for each other")};
        result.row = row;
        *ARRAY_PUSH(arena, out) = result;
    }
}

// A variable that a row of the table has is no row of its section.
static bool is_in_table(const Checklist *list, const CheckResult *row)
{
    for (size_t i = 0; i < list->table.count; i++)
        if (list->rows[i].status == CHECK_DIFFERS && list->rows[i].row->rule == CHECK_SAME &&
            str_equal(list->rows[i].golden.name, str_of(row->row->key)))
            return true;
    return false;
}

void checklist_add_sections(const Config *golden, const Config *target, Arena *arena,
                            Checklist *out)
{
    CheckResults more = {0};
    const Config *const sides[2] = {golden, target};
    add_sections(golden, target, &out->table, arena, &more);
    add_apart(&out->table.conflicts, sides, conflict_of, arena, &more);
    add_apart(&out->table.versions, sides, versions_conflict, arena, &more);
    CheckResult *rows = ARENA_ARRAY(arena, CheckResult, out->row_count + more.count);
    memcpy(rows, out->rows, out->row_count * sizeof *rows);
    for (size_t i = 0; i < more.count; i++)
        if (!is_in_table(out, &more.items[i])) {
            rows[out->row_count++] = more.items[i];
            checklist_count(out, &more.items[i]);
        }
    out->rows = rows;
}
