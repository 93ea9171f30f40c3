// SPDX-License-Identifier: Apache-2.0
// Checksums of weights, a list a side: trainer, converter, engine. Each list is compared with the
// one before it.
//     {"model.layers.0.mlp.up_proj.weight": "9f86d081…"}, also in an object "checksums"
//     {"layers.0.weight": {"sha256": "9f86d081…", "shape": [4, 4]}}
//     "9f86d081…  layers.0.weight", "layers.0.weight: 9f86d081…", "layers.0.weight,9f86d081…"
#include <math.h>

#include "base/array.h"
#include "base/names.h"
#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"
#include "read/tensor/weights_file.h"

enum { LOOK_BYTES = 4096, HEX_LEAST = 8, HEX_MOST = 128 };

typedef struct Checksum {
    Str name, sum;
} Checksum;

typedef struct ChecksumList {
    Checksum *items;
    size_t count, capacity;
    size_t named;     // of them: called as weights are
    size_t others;    // lines or members that are no checksum
    uint32_t *of_id;  // place + 1, by the id of the plain name
    Names *ids;
} ChecksumList;

static bool is_sum(Str text)
{
    bool hex = text.size >= HEX_LEAST && text.size <= HEX_MOST && text.size % 2 == 0;
    for (size_t i = 0; hex && i < text.size; i++) {
        char c = text.data[i];
        hex = is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
    }
    return hex;
}

static bool add(ChecksumList *list, Str name, Str sum, Arena *arena)
{
    if (str_starts(sum, STR("0x")))
        sum = str_slice(sum, 2, sum.size);
    if (str_starts(name, STR("*")))  // sha256sum read the file as binary
        name = str_slice(name, 1, name.size);
    if (!name.size || !is_sum(sum))
        return false;
    *ARRAY_PUSH(arena, list) = (Checksum){name, sum};
    list->named += weights_has_name(name);
    return true;
}

static void take_member(ChecksumList *list, const JsonNode *node, Arena *arena)
{
    static const char *const keys[] = {"checksum", "sha256", "md5", "crc32", "hash", "digest"};
    bool good = add(list, node->key, node->text, arena);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !good && node->kind == JSON_OBJECT; i++)
        good = add(list, node->key, tree_member_text(node, keys[i]), arena);
    list->others += !good;
}

static void take_lines(ChecksumList *list, Str text, Arena *arena)
{
    Str line;
    size_t seen = 0;
    while (str_split(&text, '\n', &line)) {
        line = str_trim(line);
        size_t end = 0, start = line.size;
        while (end < line.size && !is_space(line.data[end]) && line.data[end] != ',' &&
               line.data[end] != ':' && line.data[end] != '=')
            end++;
        while (start > 0 && !is_space(line.data[start - 1]) && line.data[start - 1] != ',' &&
               line.data[start - 1] != ':' && line.data[start - 1] != '=')
            start--;
        Str first = str_slice(line, 0, end), last = str_slice(line, start, line.size);
        bool good = start > end && (add(list, first, last, arena) || add(list, last, first, arena));
        bool heading = !seen++;
        list->others += line.size && !good && !heading;
    }
}

static ChecksumList list_of(Str text, Arena *arena)
{
    JsonTree tree;
    ChecksumList list = {0};
    if (!str_starts(str_trim(text), STR("{"))) {
        take_lines(&list, text, arena);
        return list;
    }
    if (!tree_parse(text, arena, &tree))
        return list;
    const JsonNode *inner = tree_member(tree.root, STR("checksums"));
    const JsonNode *root = inner && inner->kind == JSON_OBJECT ? inner : tree.root;
    for (const JsonNode *at = root->child; at; at = at->next)
        take_member(&list, at, arena);
    return list;
}

static bool is_list(const ChecksumList *list)
{
    return list->count >= 2 && 2 * list->named >= list->count &&
           list->others <= 1 + list->count / 8;
}

bool checksum_list_is(Str text)
{
    Str head = str_slice(text, 0, LOOK_BYTES);
    bool whole = text.size <= LOOK_BYTES, object = str_starts(str_trim(head), STR("{"));
    if (str_find(head, STR("weight"), 0) == SIZE_MAX || str_find_char(head, '\0', 0) != SIZE_MAX)
        return false;
    Arena *arena = arena_new();
    size_t end = str_rfind_char(head, '\n');
    ChecksumList list = list_of(
        object ? text : str_slice(head, 0, whole || end == SIZE_MAX ? head.size : end), arena);
    arena_release(arena);
    return is_list(&list);
}

// Without what wrappers put into the names: "module.", "_orig_mod.", "_fsdp_wrapped_module.".
static Str plain_name(Str name, Arena *arena)
{
    static const char *const wrappers[] = {"_orig_mod.", "_fsdp_wrapped_module.", "module."};
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++) {
        Str wrapper = str_of(wrappers[i]);
        if (i < 2)
            name = str_replace(arena, name, wrapper, STR(""));
        while (str_starts(name, wrapper))
            name = str_slice(name, wrapper.size, name.size);
    }
    return name;
}

static void index_names(ChecksumList *list, Arena *arena)
{
    list->ids = names_new(arena);
    list->of_id = ARENA_ARRAY(arena, uint32_t, list->count + 2);
    for (size_t i = 0; i < list->count; i++)
        list->of_id[names_add(list->ids, plain_name(list->items[i].name, arena))] = (uint32_t)i + 1;
}

static const Checksum *find(const ChecksumList *list, Str name, Arena *arena)
{
    NameId id = names_find(list->ids, plain_name(name, arena));
    return id == NAME_NONE ? NULL : &list->items[list->of_id[id] - 1];
}

// How many are on one side only, and how many have checksums of another kind there.
typedef struct Uncompared {
    size_t lone, unlike;
} Uncompared;

static Uncompared compare(const ChecksumList *golden, const ChecksumList *target, size_t hop,
                          Precheck *out, Arena *arena)
{
    Uncompared left = {.lone = target->count};
    for (size_t i = 0; i < golden->count; i++) {
        const Checksum *one = &golden->items[i], *other = find(target, one->name, arena);
        PrecheckFinding row = {
            .api = hop > 1 ? str_printf(arena, tr("hop %zu: " STR_FMT), hop, STR_ARG(one->name))
                           : one->name,
            .plain = true,
            .status = PRECHECK_SKIPPED,
            .size = (double)NAN,
            .standard = TR("checksums of weights")};
        left.lone += other ? (size_t)-1 : 1;
        left.unlike += other && one->sum.size != other->sum.size;
        if (other && one->sum.size == other->sum.size) {
            bool same = str_equal_nocase(one->sum, other->sum);
            row.status = same ? PRECHECK_PASS : PRECHECK_ERROR;
            if (!same)
                row.message = str_printf(arena, STR_FMT " / " STR_FMT, STR_ARG(one->sum),
                                         STR_ARG(other->sum));
        }
        precheck_add(out, arena, &row, "");
        out->rows++;
    }
    return left;
}

bool checksum_list_read(const char *path, Str text, Arena *arena, Precheck *out, Notices *notices,
                        Error *err)
{
    (void)err;
    ChecksumList *list = ARENA_NEW(arena, ChecksumList);
    *list = list_of(str_copy(arena, text), arena);
    index_names(list, arena);
    if (list->others)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(list->others, "%zu entry is no checksum of a weight",
                                 "%zu entries are no checksums of weights"),
                        list->others);
    Uncompared left = {0};
    size_t hop = ++out->lists;
    if (out->checksums)
        left = compare(out->checksums, list, hop - 1, out, arena);
    if (left.unlike)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(left.unlike,
                                 "%zu weight has a checksum of another length than in the list "
                                 "before: it is not compared",
                                 "%zu weights have checksums of another length than in the list "
                                 "before: they are not compared"),
                        left.unlike);
    if (left.lone)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(left.lone,
                                 "%zu weight is in one list only: fused and split weights have "
                                 "checksums of their own",
                                 "%zu weights are in one list only: fused and split weights have "
                                 "checksums of their own"),
                        left.lone);
    out->checksums = list;
    return true;
}
