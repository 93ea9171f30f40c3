// SPDX-License-Identifier: Apache-2.0
// The *.pkl of the first generation of the dump tool: text, one JSON array a line. Its names get
// today's form, so that such a dump compares with a dump.json:
//     Functional_conv2d_0_forward_input.0        Functional.conv2d.0.forward, input.0
//     layer1.0.conv1_Conv2d_0_backward_output.1  Module.layer1.0.conv1.Conv2d.backward.0, output.1
// An output without a number is output.0. Lines of call stacks are passed over.
//
// By the first line, an array that begins with a text, or by the name for a real (binary) pickle,
// which is refused when read.
//
// Bad lines are left out and counted; a last line that breaks off makes the dump partial.
#include "read/dump/dump_formats.h"

#include <string.h>

#include "base/words.h"
#include "read/dump/dump_rows.h"
#include "read/json/json_tree.h"

// A name taken apart: everything up to the direction, the direction, what follows it.
typedef struct OldName {
    Str stem;   // "Functional_conv2d", "layer1.0.conv1_Conv2d"
    Str count;  // "0"
    bool backward;
    Str path;  // "input.0", "output"
} OldName;

static size_t rfind(Str text, Str part)
{
    size_t found = SIZE_MAX;
    for (size_t at = str_find(text, part, 0); at != SIZE_MAX; at = str_find(text, part, at + 1))
        found = at;
    return found;
}

// From the right, since module paths may hold the same words.
static bool take_apart(Str name, OldName *out)
{
    size_t forward = rfind(name, STR("_forward_")), backward = rfind(name, STR("_backward_"));
    out->backward = forward == SIZE_MAX || (backward != SIZE_MAX && backward > forward);
    size_t at = out->backward ? backward : forward;
    if (at == SIZE_MAX)
        return false;
    size_t after = at + (out->backward ? strlen("_backward_") : strlen("_forward_"));
    out->path = str_slice(name, after, name.size);
    Str before = str_slice(name, 0, at);
    size_t last = str_rfind_char(before, '_');
    if (last == SIZE_MAX)
        return false;
    out->stem = str_slice(before, 0, last);
    out->count = str_slice(before, last + 1, before.size);
    return str_starts(out->path, STR("input")) || str_starts(out->path, STR("output"));
}

// "Functional_conv2d" begins with one of the classes of APIs; all else is a module.
static bool is_api(Str stem)
{
    static const char *const classes[] = {"Functional_", "Tensor_",      "Torch_", "VF_",
                                          "NPU_",        "Distributed_", "Aten_",  "Jit_"};
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (str_starts(stem, str_of(classes[i])))
            return true;
    return false;
}

static Str op_name(const OldName *name, Arena *arena)
{
    const char *direction = name->backward ? "backward" : "forward";
    Str stem = name->stem;
    if (is_api(stem)) {
        size_t at = str_find_char(stem, '_', 0);
        return str_printf(
            arena, STR_FMT "." STR_FMT "." STR_FMT ".%s", STR_ARG(str_slice(stem, 0, at)),
            STR_ARG(str_slice(stem, at + 1, stem.size)), STR_ARG(name->count), direction);
    }
    size_t at = str_rfind_char(stem, '_');
    Str path = str_slice(stem, 0, at);
    Str class = at == SIZE_MAX ? (Str){"", 0} : str_slice(stem, at + 1, stem.size);
    if (str_starts(path, STR("Module_")))
        path = str_slice(path, strlen("Module_"), path.size);
    return str_printf(arena, "Module." STR_FMT "%s" STR_FMT ".%s." STR_FMT, STR_ARG(path),
                      class.size ? "." : "", STR_ARG(class), direction, STR_ARG(name->count));
}

static Str slot_path(const OldName *name, Arena *arena)
{
    bool numbered = str_find_char(name->path, '.', 0) != SIZE_MAX;
    return numbered ? name->path : str_printf(arena, STR_FMT ".0", STR_ARG(name->path));
}

// Reads one file.
typedef struct Reader {
    DumpRows rows;
    Arena *scratch;
    StrBuf python;
    uint64_t bad, bad_line;
} Reader;

static const JsonNode *of_kind(const JsonNode *list, size_t index, JsonKind kind)
{
    const JsonNode *node = tree_item(list, index);
    return node && node->kind == kind ? node : NULL;
}

static NameId python_name(Reader *read, const JsonNode *node)
{
    read->python.size = 0;
    tree_python(node, &read->python);
    return names_add(read->rows.dump->names, strbuf_str(&read->python));
}

// [max, min, mean] or [max, min, mean, norm]; [] for what has none.
static void fill_stats(Reader *read, const JsonNode *summary, Slot *slot)
{
    static const Stat order[] = {STAT_MAX, STAT_MIN, STAT_MEAN, STAT_NORM};
    const JsonNode *node = summary ? summary->child : NULL;
    for (int i = 0; node && i < STAT_COUNT; i++, node = node->next) {
        read->python.size = 0;
        tree_python(node, &read->python);
        Str text = strbuf_str(&read->python);
        // The norm of integers is the text "Nan": there is none.
        bool none = str_equal(text, STR("Nan")) || str_equal(text, STR("[]"));
        dump_rows_stat(&read->rows, slot, order[i], none ? STR("null") : text);
    }
}

static bool is_scalar_type(Str dtype)
{
    return str_starts(dtype, STR("<class"));
}

static void fill_slot(Reader *read, const JsonNode *line, const OldName *name, Slot *slot)
{
    Names *names = read->rows.dump->names;
    slot->path = names_add(names, slot_path(name, read->scratch));
    slot->group = str_starts(name->path, STR("input")) ? GROUP_INPUT : GROUP_OUTPUT;
    const JsonNode *checksum = of_kind(line, 2, JSON_STRING);
    const JsonNode *summary = of_kind(line, 5, JSON_LIST);
    if (checksum && checksum->text.size > 0) {
        slot->checksum = names_add(names, checksum->text);
        read->rows.dump->has_checksum = true;
    }
    slot->dtype = python_name(read, tree_item(line, 3));
    slot->shape = python_name(read, tree_item(line, 4));
    Str dtype = names_text(names, slot->dtype);
    bool scalar = is_scalar_type(dtype);
    slot->kind = scalar ? SLOT_SCALAR : SLOT_TENSOR;
    slot->type =
        names_add(names, scalar ? str_slice(dtype, 8, dtype.size - 2) : STR("torch.Tensor"));
    fill_stats(read, summary, slot);
    if (scalar && summary && summary->child)
        slot->value = python_name(read, summary->child);
}

static bool read_record(Reader *read, const JsonNode *line, uint64_t offset)
{
    const JsonNode *name = line->kind == JSON_LIST ? of_kind(line, 0, JSON_STRING) : NULL;
    if (!name)
        return false;
    if (str_ends(name->text, STR("_stack_info")))
        return true;
    OldName parts;
    if (tree_count(line) < 6 || !take_apart(str_copy(read->scratch, name->text), &parts))
        return false;
    Slot *slot = dump_rows_add(&read->rows, op_name(&parts, read->scratch), offset);
    fill_slot(read, line, &parts, slot);
    return true;
}

static bool read_line(Reader *read, Str text, uint64_t offset)
{
    JsonTree tree;
    Arena *scratch = arena_new();
    bool good = tree_parse(text, scratch, &tree) && read_record(read, tree.root, offset);
    arena_release(scratch);
    return good;
}

static void read_lines(Reader *read, Str text, Notices *notices)
{
    Str rest = text, line;
    uint64_t number = 0;
    while (str_split(&rest, '\n', &line)) {
        number++;
        size_t offset = (size_t)(line.data - text.data);
        bool last = offset + line.size == text.size;
        if (str_trim(line).size == 0)
            continue;
        bool good = read_line(read, str_trim(line), offset);
        if (!good && last) {
            read->rows.dump->partial_at = (int64_t)offset;
            notices_partial(notices, WHERE_LINE(read->rows.dump->path.data, number), "%s",
                            tr("the last line breaks off; the lines before are used"));
        } else if (!good && read->bad++ == 0) {
            read->bad_line = number;
        }
    }
}

static void set_header(Dump *dump)
{
    dump->framework = FRAMEWORK_PYTORCH;
    bool modules = false, apis = false;
    for (uint32_t i = 0; i < dump->op_count; i++) {
        modules = modules || dump->ops[i].kind == OP_MODULE;
        apis = apis || dump->ops[i].kind == OP_API;
    }
    dump->level = modules && apis ? STR("mix") : modules ? STR("L0") : STR("L1");
    dump->task = dump->has_checksum ? STR("md5") : STR("statistics");
}

// Logs begin with brackets too: "[2026-01-01 10:00:00] step: 1".
static bool begins_with_array(Str text)
{
    Str line;
    JsonTree tree;
    if (!str_starts(str_trim(str_slice(text, 0, 64)), STR("[\"")))
        return false;
    while (str_split(&text, '\n', &line) && str_trim(line).size == 0)
        continue;
    Arena *scratch = arena_new();
    bool good = tree_parse(str_trim(line), scratch, &tree) && tree.root->kind == JSON_LIST;
    arena_release(scratch);
    return good;
}

bool pkl_text_is(const char *path, Str text)
{
    return str_ends(str_of(path), STR(".pkl")) || begins_with_array(text);
}

static bool refuse_pickle(const char *path, Str text, Error *err)
{
    bool binary = text.size && (unsigned char)text.data[0] == 0x80;
    error_set(err, ERR_INPUT, WHERE_BYTE(path, 0), "%s",
              binary ? tr("a pickle of Python objects is not read, since that would run its code")
                     : tr("expected lines that are JSON arrays"));
    return error_hint(err, "%s",
                      tr("the dump tool's own .pkl files are text; dump as JSON instead"));
}

bool pkl_text_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                   Notices *notices, Error *err)
{
    Reader read = {.scratch = arena_new()};
    dump_rows_init(&read.rows, path, text.size, names, arena, read.scratch, out);
    read.python = strbuf_new(read.scratch);
    bool good = str_starts(str_trim(str_slice(text, 0, 64)), STR("["));
    if (good)
        read_lines(&read, text, notices);
    dump_rows_finish(&read.rows);
    set_header(out);
    if (read.bad)
        notices_partial(notices, WHERE_LINE(out->path.data, read.bad_line),
                        tr_count(read.bad,
                                 "%llu line is no record of the dump tool; it is left out",
                                 "%llu lines are no records of the dump tool; they are left out"),
                        (unsigned long long)read.bad);
    arena_release(read.scratch);
    good = good && out->op_count > 0;
    return good || refuse_pickle(path, text, err);
}
