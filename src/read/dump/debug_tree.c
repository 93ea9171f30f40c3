// SPDX-License-Identifier: Apache-2.0
// The debug tree of Hugging Face transformers (model_addition_debugger_context): one JSON object a
// module, its children in the order of their calls. As the records of a dump:
//     "LlamaForCausalLM.model.norm"   module "model.norm", forward; its second call ends in "#1"
//     inputs args and kwargs          "input.0", "input.hidden_states"
//     outputs                         "output.0"
// The hierarchy is that of the file. Dump.left_out names the layers that pruning took from a list,
// of which it keeps the first and the last.
//
// Fails if the text breaks off: its brackets close at the very end.
#include "read/dump/dump_formats.h"

#include "base/array.h"
#include "base/words.h"
#include "read/dump/construct.h"
#include "read/dump/dump_rows.h"
#include "read/dump/op_name.h"
#include "read/json/json_scan.h"
#include "read/json/json_tree.h"

enum { PATH_BYTES_MAX = 1024, LEFT_OUT_MAX = 4096 };

typedef struct Reader {
    DumpRows rows;
    Arena *arena, *scratch;
    Construct *construct;
    size_t entry_capacity;
    struct {
        NameId *items;
        size_t count, capacity;
    } left_out;
    uint32_t *calls;  // of a module, by NameId of its path
    size_t call_count;
    size_t lost;  // modules without a path, other members of modules, values too deep in lists
    StrBuf text;
} Reader;

// A module whose children are being read.
typedef struct Level {
    const JsonNode *node, *child;
    NameId name;
} Level;

// A list or object whose items are being read.
typedef struct Open {
    const JsonNode *next;
    Str path;
    bool list;
    size_t index;
} Open;

static bool is_tensor(const JsonNode *node)
{
    return tree_member_text(node, "shape").size && tree_member_text(node, "dtype").size;
}

// What is in the brackets of "tensor(1.25e-01, dtype=torch.bfloat16)", "torch.Size([2, 3])".
static Str inside(Str text, bool first_only)
{
    size_t from = str_find_char(text, '(', 0), end = str_rfind_char(text, ')');
    if (from == SIZE_MAX || end == SIZE_MAX || end < from)
        return text;
    size_t comma = first_only ? str_find_char(text, ',', from) : SIZE_MAX;
    return str_trim(str_slice(text, from + 1, comma < end ? comma : end));
}

// "./FILE" next to the tree; nothing else is followed.
static NameId file_name(Reader *reader, Str value)
{
    Str name = str_slice(value, 2, value.size);
    bool file = str_starts(value, STR("./")) && str_ends(name, STR(".safetensors")) &&
                str_find_char(name, '/', 0) == SIZE_MAX;
    return file ? names_add(reader->rows.dump->names, name) : NAME_NONE;
}

static void fill_tensor(Reader *reader, const JsonNode *node, Slot *slot)
{
    DumpRows *rows = &reader->rows;
    Names *names = rows->dump->names;
    slot->kind = SLOT_TENSOR;
    slot->type = names_add(names, STR("torch.Tensor"));
    slot->dtype = names_add(names, tree_member_text(node, "dtype"));
    slot->shape = names_add(names, inside(tree_member_text(node, "shape"), false));
    dump_rows_stat(rows, slot, STAT_MAX, inside(tree_member_text(node, "max"), true));
    dump_rows_stat(rows, slot, STAT_MIN, inside(tree_member_text(node, "min"), true));
    dump_rows_stat(rows, slot, STAT_MEAN, inside(tree_member_text(node, "mean"), true));
    slot->data_name = file_name(reader, tree_member_text(node, "value"));
    for (const JsonNode *member = node->child; member; member = member->next)
        if (!STR_IN(member->key, "shape", "dtype", "max", "min", "mean", "value"))
            dump_describe(rows->dump, 1);
}

static void add_slot(Reader *reader, Str op, const JsonNode *node, Str path, SlotGroup group)
{
    Slot *slot = dump_rows_add(&reader->rows, op, 0);
    slot->path = names_add(reader->rows.dump->names, path);
    slot->group = (uint8_t)group;
    if (is_tensor(node)) {
        fill_tensor(reader, node, slot);
        return;
    }
    reader->text.size = 0;
    tree_python(node, &reader->text);
    dump_rows_plain(&reader->rows, slot, strbuf_str(&reader->text));
}

static bool holds_more(const JsonNode *node)
{
    return node->kind == JSON_LIST || (node->kind == JSON_OBJECT && !is_tensor(node));
}

// The values of a list or object at any depth, or the one value, in the order of the file.
static void add_slots(Reader *reader, Str op, const JsonNode *value, Str path, SlotGroup group)
{
    Open open[JSON_DEPTH_MAX + 1] = {{value->child, path, value->kind == JSON_LIST, 0}};
    if (!holds_more(value))
        add_slot(reader, op, value, str_concat(reader->scratch, path, STR(".0")), group);
    for (int depth = holds_more(value); depth;) {
        Open *at = &open[depth - 1];
        const JsonNode *node = at->next;
        if (!node || at->path.size > PATH_BYTES_MAX) {
            reader->lost += node != NULL;
            depth--;
            continue;
        }
        Str name = at->list ? str_printf(reader->scratch, "%zu", at->index++) : node->key;
        Str below =
            str_printf(reader->scratch, STR_FMT "." STR_FMT, STR_ARG(at->path), STR_ARG(name));
        at->next = node->next;
        if (holds_more(node))
            open[depth++] = (Open){node->child, below, node->kind == JSON_LIST, 0};
        else
            add_slot(reader, op, node, below, group);
    }
}

static void add_tensors(Reader *reader, const Level *level)
{
    static const struct {
        const char *key, *inner, *path;
        SlotGroup group;
    } fields[] = {{"inputs", "args", "input", GROUP_INPUT},
                  {"inputs", "kwargs", "input", GROUP_KWARGS},
                  {"outputs", NULL, "output", GROUP_OUTPUT}};
    Str op = names_text(reader->rows.dump->names, level->name);
    for (const JsonNode *member = level->node->child; member; member = member->next)
        reader->lost += member->kind != JSON_NULL &&
                        !STR_IN(member->key, "module_path", "inputs", "outputs", "children");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const JsonNode *node = tree_member(level->node, str_of(fields[i].key));
        if (node && fields[i].inner)
            node = tree_member(node, str_of(fields[i].inner));
        if (node && node->kind != JSON_NULL)
            add_slots(reader, op, node, str_of(fields[i].path), fields[i].group);
    }
}

// "model.layers.31": 31, and *dot is where it begins; -1 for other names.
static int64_t number_of(const JsonNode *node, size_t *dot)
{
    Str path = tree_member_text(node, "module_path");
    int64_t number;
    *dot = str_rfind_char(path, '.');
    return str_to_int64(str_slice(path, *dot + 1, path.size), &number) ? number : -1;
}

// Pruning keeps the first and the last of a list of layers, which then stand side by side.
static void note_left_out(Reader *reader, const JsonNode *node)
{
    size_t dot, other;
    int64_t low = number_of(node, &dot), high = node->next ? number_of(node->next, &other) : -1;
    if (low < 0 || high < 0 || dot == SIZE_MAX || dot != other)
        return;
    Str list = str_slice(tree_member_text(node, "module_path"), 0, dot + 1);
    while (low < high - 1 && str_starts(tree_member_text(node->next, "module_path"), list) &&
           reader->left_out.count < LEFT_OUT_MAX)
        *ARRAY_PUSH(reader->arena, &reader->left_out) =
            names_add(reader->rows.dump->names,
                      str_printf(reader->scratch, STR_FMT "%lld", STR_ARG(list), (long long)++low));
}

static bool enter(Reader *reader, const JsonNode *node, const Level *above, Level *out)
{
    Names *names = reader->rows.dump->names;
    Str path = tree_member_text(node, "module_path");
    if (path.size == 0)
        return false;
    NameId id = names_add(names, path);
    uint32_t call = ARRAY_REACH(reader->scratch, reader->calls, reader->call_count, id)[id]++;
    if (call)
        id = names_add(names, str_printf(reader->scratch, STR_FMT "#%u", STR_ARG(path), call));
    Str stem = str_slice(names_text(names, id), 0, path.size);
    size_t dot = above ? str_find_char(stem, '.', 0) : SIZE_MAX;
    op_name_set(names, id,
                (OpName){.kind = OP_MODULE,
                         .direction = DIR_FORWARD,
                         .call = (int32_t)call,
                         .path = str_slice(stem, dot == SIZE_MAX ? stem.size : dot + 1, stem.size),
                         .type_name = dot == SIZE_MAX ? stem : (Str){0},
                         .stem = stem});
    *ARRAY_ADD(reader->arena, reader->construct->entries, reader->construct->count,
               reader->entry_capacity) = (ConstructEntry){id, above ? above->name : NAME_NONE, -1};
    const JsonNode *children = tree_member(node, STR("children"));
    *out = (Level){.node = node, .child = children ? children->child : NULL, .name = id};
    return true;
}

// Tensors are in the order in which they were recorded: those of a module after its children's.
static bool read_modules(Reader *reader, const JsonNode *root)
{
    Level open[JSON_DEPTH_MAX + 1];
    if (!enter(reader, root, NULL, &open[0]))
        return false;
    for (int depth = 1; depth;) {
        Level *level = &open[depth - 1];
        if (!level->child) {
            add_tensors(reader, level);
            depth--;
            continue;
        }
        const JsonNode *child = level->child;
        level->child = child->next;
        note_left_out(reader, child);
        bool entered = enter(reader, child, level, &open[depth]);
        reader->lost += !entered;
        depth += entered;
    }
    return true;
}

bool debug_tree_is(const char *path, Str text)
{
    (void)path;
    return str_equal(scan_first_key(text), STR("module_path"));
}

bool debug_tree_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err)
{
    JsonTree tree;
    Reader reader = {.arena = arena, .scratch = arena_new()};
    reader.construct = ARENA_NEW(arena, Construct);
    reader.construct->last_micro_step = -1;
    reader.text = strbuf_new(reader.scratch);
    dump_rows_init(&reader.rows, path, text.size, names, arena, reader.scratch, out);
    bool good = tree_parse(text, reader.scratch, &tree) && read_modules(&reader, tree.root);
    if (reader.lost)
        notices_partial(
            notices, WHERE_FILE(path), "%s",
            tr("a module without a path, with other members or with values too deep in lists "
               "is not read to its end"));
    dump_rows_keep_last_files(&reader.rows);
    dump_rows_finish(&reader.rows);
    arena_release(reader.scratch);
    out->construct = reader.construct;
    out->left_out = reader.left_out.items;
    out->left_out_count = (uint32_t)reader.left_out.count;
    out->framework = FRAMEWORK_PYTORCH;
    out->level = STR("L0");
    out->task = out->has_data_name ? STR("tensor") : STR("statistics");
    out->tensors_beside = true;
    return (good && out->op_count > 0) ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("this is no whole debug tree"));
}
