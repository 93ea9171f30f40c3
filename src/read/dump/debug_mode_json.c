// SPDX-License-Identifier: Apache-2.0
#include "read/dump/debug_mode_json.h"

#include "base/words.h"
#include "read/dump/debug_mode.h"
#include "read/json/json_tree.h"

enum { DEPTH_MAX = 64, INDENT_MAX = 1000 };

bool debug_mode_json_is(const char *path, Str text)
{
    enum { LOOK_BYTES = 4096 };
    (void)path;
    return str_starts(text, STR("{")) &&
           str_find(str_slice(text, 0, LOOK_BYTES), STR("torch.utils._debug_mode"), 0) != SIZE_MAX;
}

// {"type": "tuple", "items": […]} as Python shows the value: "(1.5, 2.5)".
static void add_value(StrBuf *out, const JsonNode *node, int depth)
{
    Str type = tree_member_text(node, "type");
    const JsonNode *items = tree_member(node, STR("items")),
                   *value = tree_member(node, STR("value"));
    bool dict = str_equal(type, STR("dict")), tuple = str_equal(type, STR("tuple"));
    if (!items || depth > DEPTH_MAX) {
        if (value && value->kind != JSON_LIST && value->kind != JSON_OBJECT)
            tree_python(value, out);
        else
            strbuf_add(out, STR("None"));
        return;
    }
    strbuf_add_char(out, dict ? '{' : tuple ? '(' : '[');
    for (const JsonNode *item = items->child; item; item = item->next) {
        const JsonNode *key = dict ? item->child : NULL;
        if (key && key->next)
            strbuf_printf(out, "'" STR_FMT "': ", STR_ARG(key->text));
        add_value(out, dict ? (key ? key->next : NULL) : item, depth + 1);
        strbuf_add(out, item->next ? STR(", ") : STR(""));
    }
    strbuf_add_char(out, dict ? '}' : tuple ? ')' : ']');
}

static void add_indent(StrBuf *out, const JsonNode *entry)
{
    const JsonNode *depth = tree_member(entry, STR("call_depth"));
    int64_t count = 0;
    if (!depth || !str_to_int64(depth->text, &count) || count < 0 || count > INDENT_MAX)
        count = 0;
    for (int64_t i = 0; i < count; i++)
        strbuf_add(out, STR("  "));
}

// False: the entry is of a kind that is not known.
static bool add_entry(StrBuf *out, const JsonNode *entry)
{
    static const char *const names[] = {"op_name", "kernel_name", NULL};
    Str type = tree_member_text(entry, "type"), name = {0};
    for (size_t i = 0; names[i] && !name.size; i++)
        name = tree_member_text(entry, names[i]);
    add_indent(out, entry);
    if (str_equal(type, STR("annotate"))) {
        strbuf_printf(out, "[" STR_FMT "] " STR_FMT "\n",
                      STR_ARG(tree_member_text(entry, "header")),
                      STR_ARG(tree_member_text(entry, "tag")));
        return true;
    }
    if (!name.size) {
        strbuf_add_char(out, '\n');
        return false;
    }
    Str arguments = tree_member_text(entry, "args_str"),
        keywords = tree_member_text(entry, "kwargs_str");
    bool both = arguments.size && keywords.size && !str_starts(keywords, STR(","));
    strbuf_printf(out, "%s" STR_FMT "(" STR_FMT "%s" STR_FMT ")" STR_FMT,
                  str_find(type, STR("triton"), 0) != SIZE_MAX ? "[triton] " : "", STR_ARG(name),
                  STR_ARG(arguments), both ? ", " : "", STR_ARG(keywords),
                  STR_ARG(tree_member_text(entry, "output_str")));
    const JsonNode *log = tree_member(entry, STR("log"));
    if (log && log->kind == JSON_OBJECT) {
        strbuf_add(out, STR("  # "));
        add_value(out, log, 0);
    }
    strbuf_add_char(out, '\n');
    return true;
}

bool debug_mode_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    JsonTree tree;
    StrBuf lines = strbuf_new(scratch);
    size_t unknown = 0;
    const JsonNode *logs =
        tree_parse(str_trim(text), scratch, &tree) ? tree_member(tree.root, STR("logs")) : NULL;
    bool good = logs && logs->kind == JSON_LIST;
    if (!good)
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("the file is no whole JSON object with 'logs'"));
    for (const JsonNode *entry = good ? logs->child : NULL; entry; entry = entry->next)
        unknown += !add_entry(&lines, entry);
    if (unknown)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                    tr("entries that are neither op, kernel nor module: %zu"), unknown);
    good = good && debug_mode_read(path, strbuf_str(&lines), names, arena, out, notices, err);
    out->bytes = text.size;
    arena_release(scratch);
    return good;
}
