// SPDX-License-Identifier: Apache-2.0
// vernier.dump/1, the dump that anybody can write: JSON Lines, a tensor a line in the order of
// execution, after a header (docs/dump-format.md). As the records of a dump:
//     op "model.norm", module "model.norm"     module, forward; its second call ends in "#1"
//     op "Functional.linear.0.forward"         a name as msProbe spells it says the rest itself
//     io input, output, param, grad, debug     "input.0", "output.0", "parameters.weight"
//     io tensor                                a tensor of no op: the slot is its name
//
// A line that is no record costs itself, and makes the dump partial. Fails on a header of another
// version, and without a record.
#include "read/dump/dump_formats.h"

#include "base/array.h"
#include "base/line_scan.h"
#include "base/words.h"
#include "read/dump/construct.h"
#include "read/dump/dump_rows.h"
#include "read/dump/op_name.h"
#include "read/dump/slot_content.h"
#include "read/json/json_scan.h"
#include "read/json/json_tree.h"

enum { NAME_BYTES_MAX = 4096, TREES_BYTES_MAX = 4 << 20 };

typedef struct Reader {
    DumpRows rows;
    const char *path;
    Arena *arena, *scratch;
    Arena *trees;  // of the lines just read
    Construct *construct;
    size_t entry_capacity;
    bool *entered;  // by NameId: the op is in the construct
    size_t entered_count;
    bool has_parents;
    bool lost;  // a statistic of the line just read
    StrBuf text;
} Reader;

// What the slots of an io are called.
typedef enum IoKind { IO_INPUT, IO_OUTPUT, IO_PARAM, IO_GRAD, IO_DEBUG, IO_TENSOR, IO_NONE } IoKind;
static const struct {
    const char *word, *path;
    SlotGroup group;
} ios[] = {
    [IO_INPUT] = {"input", "input.", GROUP_INPUT},
    [IO_OUTPUT] = {"output", "output.", GROUP_OUTPUT},
    [IO_PARAM] = {"param", "parameters.", GROUP_PARAMETERS},
    [IO_GRAD] = {"grad", "", GROUP_GRADS},
    [IO_DEBUG] = {"debug", "", GROUP_DEBUG},
    [IO_TENSOR] = {"tensor", "", GROUP_INPUT},
};

// The value as Python shows it; empty if there is none.
static Str shown(Reader *reader, const JsonNode *value)
{
    reader->text.size = 0;
    if (value)
        tree_python(value, &reader->text);
    return str_copy(reader->trees, strbuf_str(&reader->text));
}

static Str shown_member(Reader *reader, const JsonNode *node, const char *key)
{
    return shown(reader, tree_member(node, str_of(key)));
}

static IoKind io_of(const JsonNode *line)
{
    Str word = tree_member_text(line, "io");
    for (int i = 0; i < IO_NONE; i++)
        if (str_equal(word, str_of(ios[i].word)))
            return (IoKind)i;
    return IO_NONE;
}

static bool is_numbered(Str slot)
{
    int64_t number;
    return str_to_int64(str_slice(slot, 0, str_find_char(slot, '.', 0)), &number);
}

// "model.norm", "model.norm#1", "model.norm.backward", "model.norm.parameters_grad".
static Str full_name(Reader *reader, Str op, int64_t call, Direction direction, IoKind io)
{
    const char *end = io == IO_GRAD               ? ".parameters_grad"
                      : direction == DIR_BACKWARD ? ".backward"
                                                  : "";
    if (call == 0)
        return str_printf(reader->trees, STR_FMT "%s", STR_ARG(op), end);
    return str_printf(reader->trees, STR_FMT "#%lld%s", STR_ARG(op), (long long)call, end);
}

// What a line says of its op, where the name does not say it as msProbe's names do.
static NameId add_name(Reader *reader, const JsonNode *line, IoKind io, Str op)
{
    Names *names = reader->rows.dump->names;
    int64_t call = 0;
    OpName what = op_name_parse(op);
    if (what.kind != OP_OTHER || io == IO_TENSOR)
        return names_add(names, op);
    if (!str_to_int64(shown_member(reader, line, "call"), &call) || call < 0 || call > INT32_MAX)
        call = 0;
    what.direction = str_equal(tree_member_text(line, "direction"), STR("backward")) ? DIR_BACKWARD
                                                                                     : DIR_FORWARD;
    NameId id = names_add(names, full_name(reader, op, call, what.direction, io));
    if (names_note(names, id))
        return id;
    bool is_module = tree_member(line, STR("module")) != NULL;
    what = op_name_parse(str_slice(names_text(names, id), 0, op.size));
    what.kind = is_module ? OP_MODULE : OP_API;
    what.direction = str_equal(tree_member_text(line, "direction"), STR("backward")) ? DIR_BACKWARD
                                                                                     : DIR_FORWARD;
    what.call = (int32_t)call;
    if (io == IO_GRAD) {
        what.kind = OP_GRADS;
        what.direction = DIR_NONE;
    }
    if (is_module) {
        what.path = str_copy(reader->arena, tree_member_text(line, "module"));
        what.type_name = str_copy(reader->arena, tree_member_text(line, "class"));
        what.prefix =
            reader->rows.dump->framework == FRAMEWORK_MINDSPORE ? STR("Cell") : STR("Module");
    }
    op_name_set(names, id, what);
    return id;
}

static void enter(Reader *reader, const JsonNode *line, NameId op)
{
    const JsonNode *parent = tree_member(line, STR("parent"));
    bool *entered = &ARRAY_REACH(reader->scratch, reader->entered, reader->entered_count, op)[op];
    if (*entered)
        return;
    *entered = true;
    reader->has_parents = reader->has_parents || parent;
    array_reserve(reader->arena, (void **)&reader->construct->entries, reader->construct->count,
                  &reader->entry_capacity, sizeof(ConstructEntry));
    Str text = parent && parent->kind == JSON_STRING ? parent->text : (Str){0};
    reader->construct->entries[reader->construct->count++] =
        (ConstructEntry){op, text.size ? names_add(reader->rows.dump->names, text) : NAME_NONE, -1};
}

static NameId path_of(Reader *reader, IoKind io, Str slot)
{
    Names *names = reader->rows.dump->names;
    if (slot.size == 0 && io == IO_DEBUG)
        return NAME_NONE;
    return names_add(names, str_concat(reader->trees, str_of(ios[io].path), slot));
}

static NameId name_member(Reader *reader, const JsonNode *line, const char *key, NameId otherwise)
{
    const JsonNode *value = tree_member(line, str_of(key));
    return value ? names_add(reader->rows.dump->names, shown(reader, value)) : otherwise;
}

static void fill_value(Reader *reader, const JsonNode *line, const JsonNode *value, Slot *slot)
{
    static const char *const kinds[] = {"null", "tensor", "scalar", "other"};
    Names *names = reader->rows.dump->names;
    if (value)
        dump_rows_plain(&reader->rows, slot, shown(reader, value));
    else
        slot->type = names_add(names, STR("torch.Tensor"));
    slot->kind = !value ? SLOT_TENSOR : value->kind == JSON_NULL ? SLOT_NULL : SLOT_SCALAR;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (str_equal(tree_member_text(line, "kind"), str_of(kinds[i])))
            slot->kind = (uint8_t)i;
}

// A list or an object is no statistic: the value is lost, as where a file is cut.
static void fill_stats(Reader *reader, const JsonNode *line, Slot *slot)
{
    static const char *const stats[STAT_COUNT] = {"max", "min", "mean", "norm"};
    for (int i = 0; i < STAT_COUNT; i++) {
        const JsonNode *value = tree_member(line, str_of(stats[i]));
        bool nested = value && (value->kind == JSON_LIST || value->kind == JSON_OBJECT);
        reader->lost = reader->lost || nested;
        if (value && !nested)
            dump_rows_stat(&reader->rows, slot, (Stat)i,
                           value->kind == JSON_NULL ? STR("null") : shown(reader, value));
    }
}

// A hook that fills a template writes "value": null on the line of every tensor.
static bool describes_tensor(const JsonNode *line, const Slot *slot)
{
    bool any = slot->checksum || slot->data_name || tree_member(line, STR("dtype"));
    for (int i = 0; i < STAT_COUNT; i++)
        any = any || slot->tag[i] > TAG_NULL;
    return any;
}

static uint8_t truth_member(const JsonNode *line, const char *key, uint8_t before)
{
    const JsonNode *value = tree_member(line, str_of(key));
    if (!value || value->kind != JSON_BOOL)
        return before;
    return value->truth ? TRI_TRUE : TRI_FALSE;
}

// Members that the format does not list are for people.
static bool is_known(Str key)
{
    return STR_IN(key, "op", "io", "slot", "call", "direction", "module", "class", "parent", "type",
                  "dtype", "md5", "shape", "file", "value", "requires_grad", "kind", "max", "min",
                  "mean", "norm", "extra", "is_nan", "is_recompute");
}

static void fill_slot(Reader *reader, const JsonNode *line, Slot *slot)
{
    fill_value(reader, line, tree_member(line, STR("value")), slot);
    slot->type = name_member(reader, line, "type", slot->type);
    slot->dtype = name_member(reader, line, "dtype", slot->dtype);
    slot->shape = name_member(reader, line, "shape", slot->shape);
    slot->checksum = name_member(reader, line, "md5", NAME_NONE);
    slot->data_name = name_member(reader, line, "file", NAME_NONE);
    fill_stats(reader, line, slot);
    if (slot->kind == SLOT_NULL && describes_tensor(line, slot))
        slot->kind = SLOT_TENSOR;
    slot->requires_grad = truth_member(line, "requires_grad", slot->requires_grad);
    reader->rows.dump->has_checksum = reader->rows.dump->has_checksum || slot->checksum;
    reader->rows.dump->has_data_name = reader->rows.dump->has_data_name || slot->data_name;
    for (const JsonNode *member = line->child; member; member = member->next)
        if (nonfinite_is_count(member->key))
            dump_rows_extra(&reader->rows, member->key, shown(reader, member));
        else if (!is_known(member->key))
            dump_describe(reader->rows.dump, 1);
    const JsonNode *extra = tree_member(line, STR("extra"));
    extra = extra && extra->kind == JSON_OBJECT ? extra->child : NULL;
    for (; extra; extra = extra->next) {
        dump_rows_extra(&reader->rows, extra->key, shown(reader, extra));
        dump_describe(reader->rows.dump, 1);
    }
}

// False: the line is no record.
static bool read_line(Reader *reader, Str text, uint64_t offset)
{
    JsonTree tree;
    if (!tree_parse(text, reader->trees, &tree) || tree.root->kind != JSON_OBJECT)
        return false;
    reader->rows.dump->seen += tree.repeated;
    reader->rows.dump->repeated += tree.repeated;
    Str op = tree_member_text(tree.root, "op"), slot = shown_member(reader, tree.root, "slot");
    IoKind io = io_of(tree.root);
    if (op.size == 0 || op.size > NAME_BYTES_MAX || slot.size > NAME_BYTES_MAX || io == IO_NONE ||
        (slot.size == 0 && io != IO_DEBUG))
        return false;
    NameId id = add_name(reader, tree.root, io, op);
    enter(reader, tree.root, id);
    Slot *row = dump_rows_add(&reader->rows, names_text(reader->rows.dump->names, id), offset);
    row->path = path_of(reader, io, slot);
    Op *own = dump_rows_op(&reader->rows);
    own->recompute = truth_member(tree.root, "is_recompute", own->recompute);
    own->is_nan = truth_member(tree.root, "is_nan", own->is_nan);
    row->group = (uint8_t)ios[io].group;
    if (io == IO_INPUT && !is_numbered(slot))
        row->group = GROUP_KWARGS;
    fill_slot(reader, tree.root, row);
    return true;
}

static Framework framework_of(Str text)
{
    for (int i = 0; i < FRAMEWORK_COUNT; i++)
        if (str_equal(text, str_of(framework_text((Framework)i))))
            return (Framework)i;
    return FRAMEWORK_UNKNOWN;
}

// Whether the header says that the inputs that were given by keyword are recorded, too.
static bool records_keywords(const JsonNode *header)
{
    const JsonNode *recorded = tree_member(header, STR("recorded"));
    const JsonNode *inputs = recorded ? tree_member(recorded, STR("inputs")) : NULL;
    const JsonNode *kind = inputs && inputs->kind == JSON_LIST ? inputs->child : NULL;
    while (kind && !(kind->kind == JSON_STRING && str_equal(kind->text, STR("keyword"))))
        kind = kind->next;
    return kind != NULL;
}

static bool read_header(Reader *reader, Str text, Error *err)
{
    JsonTree tree;
    Dump *out = reader->rows.dump;
    if (!tree_parse(text, reader->scratch, &tree))
        return error_set(err, ERR_INPUT, WHERE_LINE(reader->path, 1), "%s",
                         tr("the first line is no JSON object"));
    Str schema = tree_member_text(tree.root, "schema");
    if (!str_equal(schema, STR("vernier.dump/1")))
        return error_set(err, ERR_INPUT, WHERE_LINE(reader->path, 1),
                         tr("expected the schema 'vernier.dump/1', found '" STR_FMT "'"),
                         STR_ARG(str_slice(schema, 0, 60)));
    Str level = tree_member_text(tree.root, "level"), task = tree_member_text(tree.root, "task");
    out->adds_grads = str_equal(tree_member_text(tree.root, "gradients"), STR("accumulated"));
    out->some_inputs = !records_keywords(tree.root);
    out->framework = framework_of(tree_member_text(tree.root, "framework"));
    out->level = level.size ? str_copy(reader->arena, level) : STR("mix");
    out->task = str_copy(reader->arena, task);
    for (const JsonNode *member = tree.root->child; member; member = member->next)
        if (member->kind == JSON_STRING)
            dump_add_version(out, member->key, member->text, reader->arena);
    return true;
}

static void bad_line(Reader *reader, Notices *notices, uint64_t line, size_t at, bool last)
{
    if (last) {
        reader->rows.dump->partial_at = (int64_t)at;
        notices_partial(notices, WHERE_LINE(reader->path, line), "%s",
                        tr("the dump breaks off in its last line"));
    } else {
        notices_partial(notices, WHERE_LINE(reader->path, line), "%s",
                        tr("the line is no record of a tensor and is skipped"));
    }
}

static bool read_lines(Reader *reader, Str text, Notices *notices, Error *err)
{
    uint64_t number = 0;
    for (size_t at = 0; at < text.size;) {
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed;
        Str line = str_trim(str_slice(text, at, end));
        number++;
        if (number == 1 && !read_header(reader, line, err))
            return false;
        if (number > 1 && line.size && !read_line(reader, line, at))
            bad_line(reader, notices, number, at, feed == SIZE_MAX);
        if (reader->lost)
            notices_partial(notices, WHERE_LINE(reader->path, number), "%s",
                            tr("a statistic that is a list or an object is not read"));
        reader->lost = false;
        if (arena_bytes(reader->trees) > TREES_BYTES_MAX) {
            arena_release(reader->trees);
            reader->trees = arena_new();
        }
        at = end + 1;
    }
    return true;
}

bool line_dump_is(const char *path, Str text)
{
    (void)path;
    Str key = scan_first_key(text);
    Scan behind = {text, str_equal(key, STR("schema")) ? (size_t)(key.data - text.data) + 7 : 0};
    if (behind.at == 0)
        return false;
    scan_blanks(&behind);
    scan_char(&behind, ':');
    scan_blanks(&behind);
    return !scan_char(&behind, '{');  // tables of pandas describe theirs
}

bool line_dump_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    Reader reader = {.path = path, .arena = arena, .scratch = arena_new(), .trees = arena_new()};
    reader.construct = ARENA_NEW(arena, Construct);
    reader.construct->last_micro_step = -1;
    reader.text = strbuf_new(reader.scratch);
    dump_rows_init(&reader.rows, path, text.size, names, arena, reader.scratch, out);
    bool good = read_lines(&reader, text, notices, err);
    dump_rows_finish(&reader.rows);
    arena_release(reader.trees);
    arena_release(reader.scratch);
    out->construct = reader.has_parents ? reader.construct : NULL;
    if (out->task.size == 0)
        out->task = out->has_data_name ? STR("tensor") : STR("statistics");
    if (good && out->op_count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
    return good;
}
