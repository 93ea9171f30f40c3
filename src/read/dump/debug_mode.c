// SPDX-License-Identifier: Apache-2.0
#include "read/dump/debug_mode.h"

#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/log/lines.h"

enum { LOOK_BYTES = 1 << 18, DEPTH_MAX = 256, PARTS_MAX = 256 };

typedef struct Module {
    size_t indent;
    Str name;
} Module;

typedef struct Reader {
    DumpRows rows;
    RowCalls calls;
    Lines lines;
    Module open[DEPTH_MAX];
    int depth;
} Reader;

static const char module_mark[] = "[nn.Mod] ";

// "aten::mm(t: f32[8, 8]) -> …": the name in front of the bracket has no blanks.
static bool is_call(Str text)
{
    size_t open = str_find_char(text, '(', 0);
    Str name = str_slice(text, 0, open);
    return open != SIZE_MAX && open > 0 && str_find_char(name, ' ', 0) == SIZE_MAX &&
           (str_find(name, STR("::"), 0) != SIZE_MAX ||
            str_find(text, STR("  ->  "), open) != SIZE_MAX);
}

bool debug_mode_is(const char *path, Str text)
{
    (void)path;
    Arena *arena = arena_new();
    Lines lines;
    Str line;
    bool found = false;
    lines_open(&lines, str_slice(text, 0, LOOK_BYTES), arena);
    while (!found && lines_next(&lines, &line)) {
        Str call = str_trim(line);
        found = str_starts(call, str_of(module_mark)) ||
                (is_call(call) && str_find(call, STR("t"), 0) != SIZE_MAX &&
                 str_find(call, STR("  ->  "), 0) != SIZE_MAX && str_starts(call, STR("aten::")));
    }
    arena_release(arena);
    return found;
}

// Where the bracket at `open` ends, quoted text aside; SIZE_MAX: nowhere.
static size_t closing(Str text, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < text.size; i++) {
        char c = text.data[i];
        depth += c == '(' || c == '[' || c == '{';
        if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return SIZE_MAX;
}

// The parts of "a, [b, c], d(e, f)" between commas that stand in no brackets.
static size_t split(Str text, Str out[PARTS_MAX])
{
    size_t count = 0, from = 0, depth = 0;
    for (size_t i = 0; i <= text.size && count < PARTS_MAX; i++) {
        char c = i < text.size ? text.data[i] : ',';
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth && (c == ')' || c == ']' || c == '}');
        if (c == ',' && (depth == 0 || i == text.size)) {
            out[count] = str_trim(str_slice(text, from, i));
            count += out[count].size > 0;
            from = i + 1;
        }
    }
    return count;
}

static Str dtype_of(Str text, Arena *arena)
{
    static const struct {
        const char *written;
        const char *torch;
    } names[] = {{"f", "float"}, {"bf", "bfloat"}, {"i", "int"}, {"u", "uint"}, {"c", "complex"}};
    int64_t bits;
    if (str_equal(text, STR("b8")))
        return STR("torch.bool");
    if (str_starts(text, STR("f8e")))
        return str_printf(arena, "torch.float8_" STR_FMT, STR_ARG(str_slice(text, 2, text.size)));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Str head = str_of(names[i].written);
        if (str_starts(text, head) && str_to_int64(str_slice(text, head.size, text.size), &bits))
            return str_printf(arena, "torch.%s%lld", names[i].torch, (long long)bits);
    }
    return text;
}

// "t$0: f32[8, 8]", "dt: f32[8, 8]| S(0)". False: it is no tensor.
static bool tensor_of(Str text, Arena *arena, Str *dtype, Str *shape)
{
    size_t colon = str_find(text, STR(": "), 0), open = str_find_char(text, '[', colon);
    size_t end = open == SIZE_MAX ? SIZE_MAX : closing(text, open);
    Str mark = str_slice(text, 0, str_find_char(str_slice(text, 0, colon), '$', 0));
    if (colon == SIZE_MAX || end == SIZE_MAX || !STR_IN(str_slice(mark, 0, colon), "t", "dt", "ft"))
        return false;
    *dtype = dtype_of(str_slice(text, colon + 2, open), arena);
    *shape = str_slice(text, open, end + 1);
    return true;
}

static void fill_hash(Reader *reader, Slot *slot, Str hash)
{
    int64_t whole = 0;
    uint64_t natural = 0;
    if (hash.size == 0 || str_equal(hash, STR("None")))
        return;
    if (str_to_uint64(hash, &natural) || str_to_int64(hash, &whole)) {
        Str text = str_printf(reader->rows.scratch, "%016llx",
                              (unsigned long long)(natural ? natural : (uint64_t)whole));
        slot->checksum = names_add(reader->rows.dump->names, text);
        reader->rows.dump->has_checksum = true;
    } else {
        dump_rows_stat(&reader->rows, slot, STAT_NORM, hash);
    }
}

// The tensors among `parts`, with the hashes at the same places.
static void add_tensors(Reader *reader, const OpName *what, const char *io, Str texts, Str hashes)
{
    Str parts[PARTS_MAX], values[PARTS_MAX], dtype, shape;
    Arena *scratch = reader->rows.scratch;
    size_t count = split(texts, parts), told = split(hashes, values);
    for (size_t i = 0; i < count; i++) {
        Str part = parts[i];
        if (part.size > 1 && part.data[0] == '\'')
            part = str_slice(part, 1, part.size - 1);
        if (!tensor_of(part, scratch, &dtype, &shape))
            continue;
        Slot *slot = row_calls_tensor(&reader->calls, what, str_printf(scratch, "%s.%zu", io, i),
                                      dtype, shape, (uint64_t)reader->lines.at);
        fill_hash(reader, slot, i < told ? values[i] : STR(""));
    }
}

// What stands behind 'KEY': in the comment, without its brackets; a tuple's first item for a tuple
// of arguments and keywords.
static Str hashes_of(Str comment, const char *key, bool arguments)
{
    size_t at = str_find(comment, str_of(key), 0);
    if (at == SIZE_MAX)
        return (Str){0};
    Str rest = str_trim(str_slice(comment, at + str_of(key).size, comment.size));
    for (int i = arguments ? 2 : 1; i-- > 0 && rest.size && rest.data[0] == '(';) {
        size_t end = closing(rest, 0);
        rest = str_slice(rest, 1, end);
    }
    Str parts[PARTS_MAX];
    if (arguments || split(rest, parts) == 0)
        return rest;
    size_t brace = str_find_char(rest, '}', 0);  // the end of the comment behind a bare number
    return brace == SIZE_MAX ? rest : str_slice(parts[0], 0, str_find_char(parts[0], '}', 0));
}

// Where calls of one module and name come again, their inputs and outputs count on together.
static void read_call(Reader *reader, Str text)
{
    size_t open = str_find_char(text, '(', 0), end = closing(text, open);
    Str name = str_slice(text, 0, open), arguments = str_slice(text, open + 1, end);
    size_t arrow = end == SIZE_MAX ? SIZE_MAX : str_find(text, STR("  ->  "), end);
    size_t mark = arrow == SIZE_MAX ? SIZE_MAX : str_find(text, STR("  # {"), arrow);
    if (arrow == SIZE_MAX)
        return;
    Str given = str_trim(str_slice(text, arrow + str_of("  ->  ").size, mark));
    Str comment = mark == SIZE_MAX ? STR("") : str_slice(text, mark, text.size);
    if (given.size > 1 && given.data[0] == '(')
        given = str_slice(given, 1, given.size - 1);
    Str module = reader->depth ? reader->open[reader->depth - 1].name : STR("");
    OpName what = {.kind = reader->depth ? OP_MODULE : OP_API,
                   .direction = DIR_FORWARD,
                   .stem = name,
                   .type_name = reader->depth ? STR("") : name};
    if (reader->depth) {
        what.stem =
            str_printf(reader->rows.scratch, STR_FMT "." STR_FMT, STR_ARG(module), STR_ARG(name));
        what.path = what.stem;
    }
    what.call = row_calls_next(&reader->calls, what.stem);
    add_tensors(reader, &what, "input", arguments, hashes_of(comment, "'input_hash':", true));
    add_tensors(reader, &what, "output", given, hashes_of(comment, "'hash':", false));
}

static void read_line(Reader *reader, Str line)
{
    Str text = str_trim(line);
    size_t indent = (size_t)(text.data - line.data);
    if (text.size == 0 || text.data[0] == '#')
        return;
    while (reader->depth && reader->open[reader->depth - 1].indent >= indent)
        reader->depth--;
    if (str_starts(text, str_of(module_mark)) && reader->depth < DEPTH_MAX)
        reader->open[reader->depth++] =
            (Module){indent, str_copy(reader->rows.scratch,
                                      str_slice(text, str_of(module_mark).size, text.size))};
    else if (is_call(text))
        read_call(reader, text);
}

bool debug_mode_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    Reader *reader = ARENA_NEW(scratch, Reader);
    Str line;
    (void)notices;
    dump_rows_init(&reader->rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader->calls, &reader->rows);
    lines_open(&reader->lines, text_decode(text, scratch), scratch);
    while (lines_next(&reader->lines, &line))
        read_line(reader, line);
    dump_rows_finish(&reader->rows);
    arena_release(scratch);
    out->framework = FRAMEWORK_PYTORCH;
    out->task = STR("statistics");
    return out->op_count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
}
