// SPDX-License-Identifier: Apache-2.0
// module_struct.json of msProbe's monitor: the modules of a rank in the
// order of the file, with shapes and dtypes and without values:
//     {"0:embedding": {"input": {"config": "tuple[1]", "0": "size=(512, 4), dtype=torch.int64"}}}
#include "read/dump/dump_formats.h"

#include "base/words.h"
#include "read/dump/dump_rows.h"
#include "read/dump/row_calls.h"
#include "read/json/json_tree.h"

bool module_struct_is(const char *path, Str text)
{
    enum { START = 4096 };
    Str start = str_slice(text, 0, START);
    (void)path;
    return str_starts(str_trim(start), STR("{")) &&
           str_find(start, STR("\"config\": \""), 0) != SIZE_MAX &&
           str_find(start, STR("size=("), 0) != SIZE_MAX &&
           str_find(start, STR("\"data\""), 0) == SIZE_MAX;
}

// "size=(512, 4, 64), dtype=torch.bfloat16"
static bool read_tensor(Str text, Arena *arena, Str *shape, Str *dtype)
{
    size_t close = str_find_char(text, ')', 0), at = str_find(text, STR("dtype="), 0);
    if (!str_starts(text, STR("size=(")) || close == SIZE_MAX || at == SIZE_MAX)
        return false;
    Str inner = str_slice(text, 6, close);
    if (str_ends(inner, STR(",")))
        inner = str_slice(inner, 0, inner.size - 1);
    *shape = str_printf(arena, "[" STR_FMT "]", STR_ARG(inner));
    *dtype = str_trim(str_slice(text, at + 6, text.size));
    return true;
}

enum { NAMES_TOLD = 8 };

static void tell_modules(const char *path, const JsonNode *root, Arena *arena, Notices *notices)
{
    StrBuf told = strbuf_new(arena);
    size_t count = 0;
    for (const JsonNode *module = root->child; module; module = module->next)
        if (count++ < NAMES_TOLD)
            strbuf_printf(&told, "%s" STR_FMT, count > 1 ? ", " : "", STR_ARG(module->key));
    notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                tr("a structure of %zu modules, with shapes and without values: " STR_FMT "%s"),
                count, STR_ARG(strbuf_str(&told)), count > NAMES_TOLD ? ", ..." : "");
}

static void add_side(RowCalls *calls, Str module, const JsonNode *side)
{
    Arena *arena = calls->rows->scratch;
    bool output = str_starts(side->key, STR("output"));
    size_t colon = str_find_char(module, ':', 0);
    Str name = colon == SIZE_MAX ? module : str_slice(module, colon + 1, module.size);
    OpName what = {.kind = OP_MODULE, .direction = DIR_FORWARD, .path = name, .stem = name};
    for (const JsonNode *part = side->child; part; part = part->next) {
        Str shape, dtype;
        if (part->kind == JSON_STRING && read_tensor(part->text, arena, &shape, &dtype))
            row_calls_tensor(
                calls, &what,
                str_printf(arena, "%s." STR_FMT, output ? "output" : "input", STR_ARG(part->key)),
                dtype, shape, 0);
    }
}

bool module_struct_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                        Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    JsonTree tree;
    DumpRows rows;
    RowCalls calls;
    dump_rows_init(&rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&calls, &rows);
    bool good = tree_parse(text, scratch, &tree) ||
                error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the JSON text is broken"));
    // Gradients have the shapes of what they are of.
    for (const JsonNode *module = good ? tree.root->child : NULL; module; module = module->next)
        for (const JsonNode *side = module->child; side; side = side->next)
            if (side->kind == JSON_OBJECT && STR_IN(side->key, "input", "output"))
                add_side(&calls, module->key, side);
    dump_rows_finish(&rows);
    if (good)
        tell_modules(path, tree.root, scratch, notices);
    arena_release(scratch);
    out->framework = FRAMEWORK_PYTORCH;
    out->level = STR("L0");
    out->task = STR("structure");
    if (good && out->op_count == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("no module with a tensor is here"));
    return good;
}
