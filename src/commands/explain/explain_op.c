// SPDX-License-Identifier: Apache-2.0
// One op of a summary: every object that names it, with what else it says.
#include "base/spelling.h"
#include "base/words.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_values.h"

enum { OBJECTS_SHOWN = 12, NAMES_TRIED = 20000 };

typedef struct OpSearch {
    Explain *explain;
    Str name;
    Spelling near;
    Str around;  // the first name that `name` is a part of
    size_t found, tried;
} OpSearch;

// The keys under which a summary names an op, a series, a weight or a setting.
static bool names_something(Str key)
{
    return STR_IN(key, "target", "golden", "op", "api", "name", "module", "key");
}

static bool is_named(OpSearch *search, const JsonNode *object)
{
    bool named = false;
    for (const JsonNode *member = object->child; member; member = member->next) {
        if (member->kind != JSON_STRING || !names_something(member->key))
            continue;
        named = named || str_equal(member->text, search->name);
        if (search->tried < NAMES_TRIED) {
            search->tried++;
            spelling_offer(&search->near, member->text);
            if (!search->around.size && str_find(member->text, search->name, 0) != SIZE_MAX)
                search->around = member->text;
        }
    }
    return named;
}

static void say_object(OpSearch *search, Str place, const JsonNode *object)
{
    Explain *explain = search->explain;
    static const Column columns[] = {{.title = {"key", 3}}, {.title = {"value", 5}}};
    Table *table = ARENA_NEW(explain->arena, Table);
    table_init_rows(table, ARENA_NEW(explain->arena, TableRows), "", columns, 2, explain->arena);
    for (const JsonNode *member = object->child; member; member = member->next) {
        if (member->kind == JSON_OBJECT || member->kind == JSON_NULL)
            continue;
        JsonNode alone = *member;
        JsonNode holder = {.kind = JSON_OBJECT, .child = &alone};
        alone.next = NULL;
        alone.key = STR("value");
        Str shown = value_shown(&holder, "value", explain->arena);
        if (!shown.size)
            continue;
        Cell *cells = table_add_row(table);
        cells[0] = cell_text(str_replace(explain->arena, member->key, STR("_"), STR(" ")));
        cells[1] = cell_text(shown);
    }
    report_heading(explain->out, 3, "", place, STR(""));
    report_table(explain->out, table);
}

// "step 0, rank 1" of what has a step and a rank, else "worst 5": the list and its row, from 1.
static Str item_place(const JsonNode *item, Str list, size_t index, Arena *arena)
{
    const JsonNode *step = value_at(item, "step"), *rank = value_at(item, "rank");
    if (step && rank)
        return str_printf(arena, tr("step " STR_FMT ", rank " STR_FMT),
                          STR_ARG(value_shown(item, "step", arena)),
                          STR_ARG(value_shown(item, "rank", arena)));
    return str_printf(arena, STR_FMT " %zu", STR_ARG(list), index + 1);
}

// `list` is the name of a list; `place` is that of its items, too. JSON_DEPTH_MAX bounds the depth.
static void walk(OpSearch *search, const JsonNode *node, Str place, Str list)
{
    Arena *arena = search->explain->arena;
    size_t index = 0;
    if (node->kind == JSON_OBJECT && is_named(search, node) && search->found++ < OBJECTS_SHOWN)
        say_object(search, place, node);
    for (const JsonNode *one = node->child; one; one = one->next, index++) {
        if (one->kind != JSON_OBJECT && one->kind != JSON_LIST)
            continue;
        Str key = node->kind == JSON_LIST ? list : str_replace(arena, one->key, STR("_"), STR(" "));
        Str here = node->kind == JSON_LIST ? item_place(one, list, index, arena) : key;
        Str below = one->kind == JSON_LIST ? place
                                           : str_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(place),
                                                        place.size ? ": " : "", STR_ARG(here));
        walk(search, one, below, key);
    }
}

// Of a comparison: whether the runs diverge in this op, or before it.
static void say_part(Explain *explain, Str name)
{
    const JsonNode *list = value_at(explain->root, "pairs");
    bool part = false, here = false;
    for (const JsonNode *pair = list ? list->child : NULL; pair; pair = pair->next) {
        const JsonNode *first = value_at(pair, "first_divergence");
        part = part || (first && first->kind == JSON_OBJECT);
        here = here || str_equal(value_text(first, "target"), name) ||
               str_equal(value_text(first, "golden"), name);
    }
    if (here)
        explain_say(explain, str_of(tr("Here the runs diverge: it is where to look.")));
    else if (part)
        explain_say(explain, str_of(tr("The runs diverge before it; where it says inherited, its "
                                       "difference comes with its inputs and is no cause.")));
}

bool explain_op(Explain *explain, Str name, Str *near)
{
    OpSearch search = {.explain = explain, .name = name, .near = spelling_of(name)};
    report_heading(explain->out, 2, "", name, STR(""));
    walk(&search, explain->root, STR(""), STR(""));
    *near = search.near.best.size ? search.near.best : search.around;
    if (search.found > OBJECTS_SHOWN)
        explain_say(explain, str_printf(explain->arena, tr("… and %zu more in the summary"),
                                        search.found - OBJECTS_SHOWN));
    if (search.found)
        say_part(explain, name);
    return search.found > 0;
}
