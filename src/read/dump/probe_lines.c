// SPDX-License-Identifier: Apache-2.0
#include "read/dump/probe_lines.h"

#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/dump/slot_content.h"
#include "read/json/json_tree.h"

// The first that a line has names its op, the next one the tensor of it.
static const char *const name_keys[] = {"stage", "module", "layer_name", "op",  "op_name", "layer",
                                        "hook",  "tag",    "name",       "key", "tensor"};

typedef struct StatKey {
    const char *key;
    Stat stat;
} StatKey;
static const StatKey stat_keys[] = {
    {"max", STAT_MAX},     {"min", STAT_MIN},     {"mean", STAT_MEAN},    {"norm", STAT_NORM},
    {"l2", STAT_NORM},     {"l2norm", STAT_NORM}, {"l2_norm", STAT_NORM}, {"avg", STAT_MEAN},
    {"max_abs", STAT_MAX}, {"abs_max", STAT_MAX}, {"absmax", STAT_MAX},   {"amax", STAT_MAX},
    {"amin", STAT_MIN}};
enum {
    NAME_KEYS = sizeof name_keys / sizeof *name_keys,
    STAT_KEYS = sizeof stat_keys / sizeof *stat_keys
};

static bool is_plain(const JsonNode *node)
{
    return node && (node->kind == JSON_STRING || node->kind == JSON_INTEGER);
}

// The next member that names something, from *from on; NULL: none.
static const JsonNode *next_name(const JsonNode *line, size_t *from)
{
    const JsonNode *found = NULL;
    while (*from < NAME_KEYS && !found) {
        const JsonNode *member = tree_member(line, str_of(name_keys[(*from)++]));
        found = is_plain(member) && member->text.size ? member : NULL;
    }
    return found;
}

static size_t count_stats(const JsonNode *line)
{
    size_t count = 0;
    for (size_t i = 0; i < STAT_KEYS; i++)
        count += tree_member(line, str_of(stat_keys[i].key)) != NULL;
    return count;
}

static bool is_record(const JsonNode *line)
{
    size_t from = 0;
    bool tensor = tree_member(line, STR("shape")) || tree_member(line, STR("dtype"));
    return line->kind == JSON_OBJECT && next_name(line, &from) && tensor && count_stats(line) >= 2;
}

bool probe_lines_is(const char *path, Str text)
{
    (void)path;
    enum { LINE_MAX_BYTES = 1 << 16 };
    Str line = str_slice(text, 0, str_find_char(text, '\n', 0));
    if (line.size < 8 || line.size > LINE_MAX_BYTES || line.data[0] != '{')
        return false;
    Arena *arena = arena_new();
    JsonTree tree;
    bool is = tree_parse(str_trim(line), arena, &tree) && is_record(tree.root);
    arena_release(arena);
    return is;
}

typedef struct Reader {
    DumpRows rows;
    RowCalls calls;
    Str rank;  // of the first line
    Arena *scratch;
} Reader;

static Str shown(const JsonNode *value, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    if (value)
        tree_python(value, &out);
    return strbuf_str(&out);
}

static Str slot_of(Reader *reader, const JsonNode *line, const JsonNode *name)
{
    static const char *const keys[] = {"io", "direction", "kind", "type", NULL};
    Str io = STR("output");
    for (size_t i = 0; keys[i]; i++)
        if (str_starts(tree_member_text(line, keys[i]), STR("in")))
            io = STR("input");
    return name ? str_printf(reader->scratch, STR_FMT "." STR_FMT, STR_ARG(io), STR_ARG(name->text))
                : str_concat(reader->scratch, io, STR(".0"));
}

// A second step, or another call, is the next call of its name; ranks of one file stay apart.
static void add_record(Reader *reader, const JsonNode *line, uint64_t offset)
{
    size_t from = 0;
    const JsonNode *op = next_name(line, &from), *part = next_name(line, &from);
    Str rank = shown(tree_member(line, STR("rank")), reader->scratch);
    Str slot_name = slot_of(reader, line, part), stem = op->text;
    if (!reader->rank.data)
        reader->rank = rank.size ? rank : STR("0");
    if (rank.size && !str_equal(rank, reader->rank))
        stem = str_printf(reader->scratch, STR_FMT "@rank" STR_FMT, STR_ARG(stem), STR_ARG(rank));
    stem = str_copy(reader->scratch, stem);
    OpName what = {.kind = OP_API, .direction = DIR_FORWARD, .stem = stem};
    what.call = row_calls_next(&reader->calls, str_printf(reader->scratch, STR_FMT "|" STR_FMT,
                                                          STR_ARG(stem), STR_ARG(slot_name)));
    Slot *slot = row_calls_tensor(&reader->calls, &what, slot_name,
                                  shown(tree_member(line, STR("dtype")), reader->scratch),
                                  shown(tree_member(line, STR("shape")), reader->scratch), offset);
    for (size_t i = 0; i < STAT_KEYS; i++) {
        const JsonNode *value = tree_member(line, str_of(stat_keys[i].key));
        if (value && value->kind <= JSON_STRING && !slot->tag[stat_keys[i].stat])
            dump_rows_stat(&reader->rows, slot, stat_keys[i].stat, shown(value, reader->scratch));
    }
    for (const JsonNode *member = line->child; member; member = member->next)
        if (nonfinite_is_count(member->key) && !str_equal(member->text, STR("0")))
            dump_rows_extra(&reader->rows, member->key, shown(member, reader->scratch));
}

bool probe_lines_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err)
{
    Reader reader = {.scratch = arena_new()};
    uint64_t number = 0;
    dump_rows_init(&reader.rows, path, text.size, names, arena, reader.scratch, out);
    row_calls_init(&reader.calls, &reader.rows);
    for (size_t at = 0; at < text.size;) {
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed;
        Str line = str_trim(str_slice(text, at, end));
        JsonTree tree;
        number++;
        if (line.size && tree_parse(line, reader.scratch, &tree) && is_record(tree.root))
            add_record(&reader, tree.root, at);
        else if (line.size)
            notices_partial(notices, WHERE_LINE(path, number), "%s",
                            tr("the line is no record of a tensor and is skipped"));
        at = end + 1;
    }
    dump_rows_finish(&reader.rows);
    arena_release(reader.scratch);
    out->framework = FRAMEWORK_UNKNOWN;
    out->level = STR("L1");
    out->task = STR("statistics");
    return out->op_count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
}
