// SPDX-License-Identifier: Apache-2.0
#include "read/monitor/event_table.h"

#include "base/array.h"
#include "base/names.h"
#include "base/number.h"
#include "read/json/json_tree.h"
#include "read/table/csv_file.h"
#include "read/table/event_stream.h"

enum { STATISTICS_MAX = 16, LOOK_VALUES = 64 };

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
static bool next_record(Str *rest, Arena *arena, const JsonNode **out, int64_t *step)
{
    Str line;
    JsonTree tree;
    while (str_split(rest, '\n', &line)) {
        const JsonNode *node =
            tree_parse(str_trim(line), arena, &tree) ? tree_member(tree.root, STR("step")) : NULL;
        double number;
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
    if (str_starts(text, STR("{")) && next_record(&text, scratch, &at, &step))
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

// A row at work: what one name has at one step. A value that comes again is that of a run that was
// started anew, and begins another row.
typedef struct Row {
    Str stage, name;
    int64_t step;
    Figure values[STATISTICS_MAX];
    bool known[STATISTICS_MAX];
} Row;

typedef struct Rows {
    Row *items;
    size_t count, capacity;
    Names *keys, *statistics;
    uint32_t *row_of;  // by key
    size_t row_of_count;
} Rows;

static void take(Rows *rows, const Tag *tag, int64_t step, Figure figure, Arena *arena)
{
    uint32_t statistic = names_add(rows->statistics, tag->statistic);
    if (statistic > STATISTICS_MAX)
        return;
    NameId key =
        names_add(rows->keys, str_printf(arena, STR_FMT ":" STR_FMT " %lld", STR_ARG(tag->stage),
                                         STR_ARG(tag->name), (long long)step));
    uint32_t *row = &ARRAY_REACH(arena, rows->row_of, rows->row_of_count, key)[key];
    if (*row == 0 || rows->items[*row - 1].known[statistic - 1]) {
        *ARRAY_PUSH(arena, rows) = (Row){.stage = tag->stage, .name = tag->name, .step = step};
        *row = (uint32_t)rows->count;
    }
    rows->items[*row - 1].values[statistic - 1] = figure;
    rows->items[*row - 1].known[statistic - 1] = true;
}

static Str as_table(const Rows *rows, Arena *arena)
{
    size_t columns = names_count(rows->statistics);
    StrBuf out = strbuf_new(arena);
    columns = columns < STATISTICS_MAX ? columns : STATISTICS_MAX;
    strbuf_add(&out, STR("vpp_stage,name,step"));
    for (size_t i = 0; i < columns; i++) {
        strbuf_add_char(&out, ',');
        csv_add_cell(&out, names_text(rows->statistics, (NameId)(i + 1)));
    }
    strbuf_add_char(&out, '\n');
    for (size_t r = 0; r < rows->count; r++) {
        const Row *row = &rows->items[r];
        strbuf_printf(&out, STR_FMT ",", STR_ARG(row->stage));
        csv_add_cell(&out, row->name);
        strbuf_printf(&out, ",%lld", (long long)row->step);
        for (size_t i = 0; i < columns; i++) {
            strbuf_add_char(&out, ',');
            if (row->known[i])
                strbuf_printf(&out, "%.9g", row->values[i].value);
        }
        strbuf_add_char(&out, '\n');
    }
    return strbuf_str(&out);
}

static void take_lines(Rows *rows, Str text, EventGroup kind, Arena *arena)
{
    const JsonNode *at;
    int64_t step;
    Tag tag;
    Figure figure = {0};
    while (next_record(&text, arena, &at, &step))
        for (; at; at = at->next)
            if (read_tag(at->key, &tag) && same_kind(tag.kind, kind) &&
                number_of_text(at->text, &figure.value))
                take(rows, &tag, step, figure, arena);
}

Str event_table(Str bytes, EventGroup kind, Arena *arena)
{
    Arena *scratch = arena_new();
    Rows rows = {.keys = names_new(scratch), .statistics = names_new(scratch)};
    EventStream stream = {.bytes = bytes};
    Figure figure;
    Str text;
    Tag tag;
    if (!event_stream_is(bytes))
        take_lines(&rows, bytes, kind, scratch);
    while (event_stream_is(bytes) && event_stream_next(&stream))
        while (event_stream_value(&stream, &text, &figure))
            if (read_tag(text, &tag) && same_kind(tag.kind, kind))
                take(&rows, &tag, stream.step, figure, scratch);
    Str table = rows.count ? as_table(&rows, arena) : STR("");
    arena_release(scratch);
    return table;
}
