// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/event_table.h"

#include "base/array.h"
#include "base/number.h"
#include "read/json/json_tree.h"
#include "read/monitor/stat_table.h"
#include "read/table/event_stream.h"

enum { LOOK_VALUES = 64 };

// The parts of a tag.
typedef struct Tag {
    Str stage, name, statistic;
    EventGroup kind;
} Tag;

bool event_table_name(Str name)
{
    return str_find(name, STR("tfevents"), 0) != SIZE_MAX;
}

// "activ_stdev/layer_003" of MaxText's metrics of layers.
static bool read_layer_tag(Str text, Tag *out)
{
    size_t slash = str_find_char(text, '/', 0), mark = str_find_char(text, '_', 0);
    if (slash == SIZE_MAX || mark == SIZE_MAX || mark > slash || !str_starts(text, STR("activ_")) ||
        !str_starts(str_slice(text, slash + 1, text.size), STR("layer_")))
        return false;
    *out = (Tag){.stage = STR("0"),
                 .name = str_slice(text, slash + 1, text.size),
                 .statistic = str_slice(text, mark + 1, slash),
                 .kind = {STR("activ"), -1}};
    return true;
}

// "STAGE:NAME[/rankN]/KIND_STATISTIC"; a name may hold slashes.
static bool read_tag(Str text, Tag *out)
{
    if (read_layer_tag(text, out))
        return true;
    size_t slash = str_rfind_char(text, '/'), colon = str_find_char(text, ':', 0);
    Str last = slash == SIZE_MAX ? STR("") : str_slice(text, slash + 1, text.size);
    size_t mark = str_rfind_char(last, '_');
    int64_t stage;
    if (colon == SIZE_MAX || mark == SIZE_MAX || mark == 0 || colon > slash ||
        !str_to_int64(str_slice(text, 0, colon), &stage))
        return false;
    *out = (Tag){.stage = str_slice(text, 0, colon),
                 .name = str_slice(text, colon + 1, slash),
                 .statistic = str_slice(last, mark + 1, last.size),
                 .kind = {str_slice(last, 0, mark), -1}};
    slash = str_rfind_char(out->name, '/');
    Str rank = slash == SIZE_MAX ? STR("") : str_slice(out->name, slash + 1, out->name.size);
    if (str_starts(rank, STR("rank")) &&
        str_to_int64(str_slice(rank, 4, rank.size), &out->kind.rank) && out->kind.rank >= 0)
        out->name = str_slice(out->name, 0, slash);
    return out->name.size && out->statistic.size;
}

static bool same_kind(EventGroup a, EventGroup b)
{
    return a.rank == b.rank && str_equal(a.kind, b.kind);
}

static void add_kind(EventGroups *kinds, EventGroup kind, Arena *arena)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (same_kind(kinds->items[i], kind))
            return;
    *ARRAY_PUSH(arena, kinds) = (EventGroup){str_copy(arena, kind.kind), kind.rank};
}

// The next record of a metrics file: an object a line with a member "step".
static bool next_record(Str *rest, Arena *arena, const JsonNode **out, int64_t *step,
                        uint64_t *broken)
{
    Str line;
    JsonTree tree;
    while (str_split(rest, '\n', &line)) {
        line = str_trim(line);
        bool good = tree_parse(line, arena, &tree);
        const JsonNode *node = good ? tree_member(tree.root, STR("step")) : NULL;
        double number;
        *broken += !good && line.size;
        if (!node || !number_of_text(node->text, &number) || !number_can_count(number))
            continue;
        *out = tree.root->child;
        *step = (int64_t)number;
        return true;
    }
    return false;
}

static EventGroups kinds_of_lines(Str text, Arena *arena)
{
    EventGroups kinds = {0};
    const JsonNode *at = NULL;
    int64_t step;
    Tag tag;
    Arena *scratch = arena_new();
    uint64_t ignored = 0;
    if (str_starts(text, STR("{")) && next_record(&text, scratch, &at, &step, &ignored))
        for (; at; at = at->next)
            if (read_tag(at->key, &tag))
                add_kind(&kinds, tag.kind, arena);
    arena_release(scratch);
    return kinds;
}

EventGroups event_table_kinds(Str bytes, Arena *arena)
{
    EventGroups kinds = {0};
    EventStream stream = {.bytes = bytes};
    Figure figure;
    Str text;
    Tag tag;
    size_t others = 0;
    if (!event_stream_is(bytes))
        return kinds_of_lines(bytes, arena);
    while ((kinds.count || others < LOOK_VALUES) && event_stream_next(&stream))
        while (event_stream_value(&stream, &text, &figure))
            if (read_tag(text, &tag))
                add_kind(&kinds, tag.kind, arena);
            else
                others++;
    return kinds;
}

static void take(StatTable *table, const Tag *tag, int64_t step, double value, Arena *arena)
{
    stat_table_add(table,
                   &(StatCell){tag->name, tag->stage, str_printf(arena, "%lld", (long long)step),
                               tag->statistic, str_printf(arena, "%.9g", value)},
                   arena);
}

static void take_lines(StatTable *table, Str text, EventGroup kind, Arena *arena, uint64_t *broken)
{
    const JsonNode *at;
    int64_t step;
    Tag tag;
    double value;
    while (next_record(&text, arena, &at, &step, broken))
        for (; at; at = at->next)
            if (read_tag(at->key, &tag) && same_kind(tag.kind, kind) &&
                number_of_text(at->text, &value))
                take(table, &tag, step, value, arena);
}

Str event_table(Str bytes, EventGroup kind, Arena *arena, EventStream *end, uint64_t *broken)
{
    Arena *scratch = arena_new();
    StatTable table;
    Figure figure;
    Str text;
    Tag tag;
    *end = (EventStream){.bytes = bytes};
    stat_table_init(&table, "vpp_stage", true, scratch);
    if (!event_stream_is(bytes))
        take_lines(&table, bytes, kind, scratch, broken);
    while (event_stream_is(bytes) && event_stream_next(end))
        while (event_stream_value(end, &text, &figure))
            if (read_tag(text, &tag) && same_kind(tag.kind, kind))
                take(&table, &tag, end->step, figure.value, scratch);
    Str out = stat_table_text(&table, arena);
    arena_release(scratch);
    return out;
}
