// SPDX-License-Identifier: Apache-2.0
// Objects with a name and figures, in JSON or a line each:
//     {"name": "layers.2.mlp", "max_abs_diff": 0.5, "passed": false}
//     {"layers.2.mlp": {"max_diff": 0.5, "cosine": 0.98}}
#include <limits.h>
#include <string.h>

#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/precheck/comparison_figure.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"

enum { LOOK_BYTES = 4096, DEPTH_MAX = 8 };

typedef struct Records {
    Precheck *out;
    Arena *arena;
    size_t others;  // objects that hold no record
} Records;

static bool is_number(const JsonNode *node)
{
    return node->kind == JSON_INTEGER || node->kind == JSON_REAL;
}

// A result as a truth or a word.
static void take_status(const JsonNode *node, ComparisonFigures *out)
{
    if (node->kind == JSON_BOOL)
        out->status = node->truth ? PRECHECK_PASS : PRECHECK_ERROR;
    else if (node->kind == JSON_STRING)
        precheck_word(node->text, &out->status);
}

static bool figures_of(const JsonNode *node, ComparisonFigures *out)
{
    bool found = false;
    int best = INT_MAX;
    *out = (ComparisonFigures){.name = node->key};
    for (const JsonNode *at = node->child; at; at = at->next) {
        size_t size;
        int kind = figure_named(at->key, 0, &size), rank = figure_name_rank(at->key);
        if (rank >= 0 && rank < best && at->kind == JSON_STRING) {
            best = rank;
            out->name = at->text;
        } else if (kind >= 0 && is_number(at) && !out->values[kind].size) {
            out->values[kind] = at->text;
            found = true;
        } else if (figure_is_status(at->key)) {
            take_status(at, out);
        }
    }
    return found && out->name.size;
}

static size_t take_node(Records *records, const JsonNode *node, int depth)
{
    ComparisonFigures figures;
    PrecheckFinding row;
    if (node->kind == JSON_OBJECT && figures_of(node, &figures) && figure_judge(&figures, &row)) {
        if (records->out) {
            precheck_add(records->out, records->arena, &row, "");
            records->out->rows++;
        }
        return 1;
    }
    size_t found = 0;
    for (const JsonNode *at = depth < DEPTH_MAX ? node->child : NULL; at; at = at->next)
        found += take_node(records, at, depth + 1);
    records->others += !found && node->kind == JSON_OBJECT && depth;
    return found;
}

// One value over all lines, else one a line.
static size_t take_text(Records *records, Str text, Arena *arena)
{
    JsonTree tree;
    Str line;
    size_t found = 0;
    if (tree_parse(text, arena, &tree))
        return take_node(records, tree.root, 0);
    while (str_split(&text, '\n', &line)) {
        Arena *scratch = arena_new();
        bool parsed = tree_parse(line, scratch, &tree);
        size_t own = parsed ? take_node(records, tree.root, 0) : 0;
        records->others += !own && str_trim(line).size;
        found += own;
        arena_release(scratch);
    }
    return found;
}

bool comparison_records_are(Str text)
{
    Str start = str_trim(str_slice(text, 0, LOOK_BYTES));
    size_t size;
    bool named = false;
    if (!str_starts(start, STR("{")) && !str_starts(start, STR("[")))
        return false;
    for (size_t at = 0; !named && (at = str_find_char(start, '"', at)) != SIZE_MAX; at++)
        named = figure_named(start, at + 1, &size) >= 0 && at + 1 + size < start.size &&
                start.data[at + 1 + size] == '"';
    if (!named)
        return false;
    Arena *arena = arena_new();
    Records records = {.arena = arena};
    bool are = take_text(&records, text, arena) > records.others;
    arena_release(arena);
    return are;
}

bool comparison_records_read(const char *path, Str text, Arena *arena, Precheck *out,
                             Notices *notices, Error *err)
{
    (void)err;
    Records records = {.out = out, .arena = arena};
    take_text(&records, str_copy(arena, text), arena);
    if (records.others)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(records.others, "%zu member is no comparison of a tensor",
                                 "%zu members are no comparison of a tensor"),
                        records.others);
    return true;
}
