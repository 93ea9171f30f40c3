// SPDX-License-Identifier: Apache-2.0
// JSON files that comparators and evaluations write.
//     msProbe's config_check -c  {"layers.0.weight": {"l2": 3.25, "cos": 0.91, "shape": [4]}}
//     lm-evaluation-harness      {"results": {"gsm8k": {"acc,none": 0.5, "acc_stderr,none": 0.01}}}
// and tables that are read as such results: a summary of OpenCompass, a column a model, and what
// lm-evaluation-harness prints:
//     dataset,version,metric,mode,llama-7b
//     gsm8k,1d7fe4,accuracy,gen,51.02
//     |Tasks|Version|Filter|n-shot|Metric|   |Value|   |Stderr|
#include <math.h>

#include "base/names.h"
#include "base/number.h"
#include "base/words.h"
#include "read/json/json_tree.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"
#include "read/table/row_table.h"

// A score may differ by this share of golden's. The accuracy guide accepts 1 % of the loss and
// names no limit for scores.
static const double SCORE_LIMIT = 0.01;

static bool number_of_node(const JsonNode *node, double *out)
{
    return node && (node->kind == JSON_INTEGER || node->kind == JSON_REAL) &&
           number_of_text(node->text, out);
}

// ---- similarity of checkpoints

static bool is_weight(const JsonNode *node)
{
    return node && node->kind == JSON_OBJECT && tree_member(node, STR("l2")) &&
           tree_member(node, STR("cos"));
}

static void take_weight(const JsonNode *node, Precheck *out, Arena *arena)
{
    const JsonNode *shape = tree_member(node, STR("shape"));
    double l2, cosine;
    StrBuf text = strbuf_new(arena);
    PrecheckFinding row = {.api = node->key,
                           .plain = true,
                           .size = (double)NAN,
                           .standard = TR("msProbe's check of checkpoints")};
    bool known = number_of_node(tree_member(node, STR("l2")), &l2);
    if (!number_of_node(tree_member(node, STR("cos")), &cosine))
        cosine = (double)NAN;
    row.status = !known ? PRECHECK_SKIPPED : l2 == 0 ? PRECHECK_PASS : PRECHECK_ERROR;
    if (shape)
        tree_python(shape, &text);
    row.shape = strbuf_str(&text);
    if (row.status == PRECHECK_ERROR)
        row.message = str_printf(arena, "cos " STR_FMT ", l2 " STR_FMT,
                                 STR_ARG(tree_member(node, STR("cos"))->text),
                                 STR_ARG(tree_member(node, STR("l2"))->text));
    row.size = isnan(cosine) ? (double)NAN : 1 - cosine;
    precheck_add(out, arena, &row, "");
    out->rows++;
}

// ---- scores of an evaluation

static bool is_error_of_score(Str key)
{
    return str_find(key, STR("stderr"), 0) != SIZE_MAX;
}

// A number that is a score, and no standard error or count.
static bool is_score(const JsonNode *node)
{
    double value;
    return number_of_node(node, &value) && !is_error_of_score(node->key) &&
           !STR_IN(node->key, "sample_len", "samples", "num");
}

static size_t score_count(const JsonNode *task)
{
    size_t count = 0;
    for (const JsonNode *at = task->kind == JSON_OBJECT ? task->child : NULL; at; at = at->next)
        count += is_score(at);
    return count;
}

// The tasks of an evaluation, or NULL: "results" holds an object with scores for each.
static const JsonNode *tasks_of(const JsonNode *root)
{
    const JsonNode *results = tree_member(root, STR("results"));
    for (const JsonNode *at = results ? results->child : NULL; at; at = at->next)
        if (score_count(at))
            return results;
    return NULL;
}

// The standard error of a score: "acc,none" has "acc_stderr,none". NaN: not recorded.
static double error_of(const JsonNode *task, Str key, Arena *arena)
{
    double value;
    size_t comma = str_find_char(key, ',', 0);
    Str filter = comma == SIZE_MAX ? STR("") : str_slice(key, comma, key.size);
    Str name = str_printf(arena, STR_FMT "_stderr" STR_FMT, STR_ARG(str_slice(key, 0, comma)),
                          STR_ARG(filter));
    return number_of_node(tree_member(task, name), &value) && value > 0 ? value : (double)NAN;
}

static void judge_score(const JsonNode *golden, const JsonNode *target, double error, Arena *arena,
                        PrecheckFinding *out)
{
    double a, b;
    if (!number_of_node(golden, &a) || !number_of_node(target, &b))
        return;
    double share = a == b ? 0 : a == 0 ? (double)INFINITY : (b - a) / fabs(a);
    out->size = fabs(share);
    out->status = out->size <= SCORE_LIMIT ? PRECHECK_PASS : PRECHECK_ERROR;
    StrBuf text = strbuf_new(arena);
    strbuf_printf(&text, "%.4g / %.4g (%+.1f %%", a, b, 100 * share);
    if (!isnan(error))
        strbuf_printf(&text, tr(", %.1f standard errors"), fabs(b - a) / error);
    strbuf_add_char(&text, ')');
    out->message = strbuf_str(&text);
}

static void take_task(const JsonNode *golden, const JsonNode *target, Precheck *out, Arena *arena,
                      size_t *lone)
{
    bool several = score_count(golden) > 1;
    for (const JsonNode *score = golden->child; score; score = score->next) {
        const JsonNode *other = target ? tree_member(target, score->key) : NULL;
        if (!is_score(score))
            continue;
        PrecheckFinding row = {.api = golden->key,
                               .plain = true,
                               .status = PRECHECK_SKIPPED,
                               .size = (double)NAN,
                               .standard = TR("scores of an evaluation")};
        if (several)
            row.api =
                str_printf(arena, STR_FMT " " STR_FMT, STR_ARG(golden->key), STR_ARG(score->key));
        *lone += !other;
        judge_score(score, other, error_of(golden, score->key, arena), arena, &row);
        precheck_add(out, arena, &row, "");
        out->rows++;
    }
}

// Scores of tasks that were not put in the same way are no comparison of models.
static void compare_settings(const char *path, const JsonNode *golden, const JsonNode *target,
                             Arena *arena, Notices *notices)
{
    static const char *const members[] = {"versions", "n-shot"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        StrBuf texts[2] = {strbuf_new(arena), strbuf_new(arena)};
        const JsonNode *sides[2] = {tree_member(golden, str_of(members[i])),
                                    tree_member(target, str_of(members[i]))};
        for (size_t side = 0; side < 2 && sides[0] && sides[1]; side++)
            tree_python(sides[side], &texts[side]);
        if (!str_equal(strbuf_str(&texts[0]), strbuf_str(&texts[1])))
            notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                        tr("'%s' differs: golden has " STR_FMT ", the target " STR_FMT), members[i],
                        STR_ARG(strbuf_str(&texts[0])), STR_ARG(strbuf_str(&texts[1])));
    }
}

// Evaluations have thousands of tasks: each is found by its name.
static Names *members_by_name(const JsonNode *node, Arena *arena)
{
    Names *names = names_new(arena);
    for (const JsonNode *at = node->child; at; at = at->next)
        names_set_note(names, names_add(names, at->key), at);
    return names;
}

static const JsonNode *member_named(const Names *names, Str key)
{
    NameId id = names_find(names, key);
    return id == NAME_NONE ? NULL : names_note(names, id);
}

static void compare_scores(const char *path, const JsonNode *golden, const JsonNode *target,
                           Precheck *out, Arena *arena, Notices *notices)
{
    size_t lone = 0;
    Names *in_target = members_by_name(tasks_of(target), arena);
    Names *in_golden = members_by_name(tasks_of(golden), arena);
    for (const JsonNode *at = tasks_of(golden)->child; at; at = at->next)
        if (at->kind == JSON_OBJECT)
            take_task(at, member_named(in_target, at->key), out, arena, &lone);
    for (const JsonNode *at = tasks_of(target)->child; at; at = at->next)
        lone += member_named(in_golden, at->key) ? 0 : score_count(at);
    if (lone)
        notices_partial(
            notices, WHERE_FILE(path),
            tr_count(lone, "%zu score is on one side only", "%zu scores are on one side only"),
            lone);
    compare_settings(path, golden, target, arena, notices);
}

// ---- tables of scores, as the results of one model, or of two

// Where a summary of OpenCompass has its columns, or what lm-evaluation-harness prints; -1: none.
typedef struct ScoreColumns {
    int task, version, metric, filter, score, other, error;
    size_t models;
} ScoreColumns;

static bool score_columns(const RowTable *table, ScoreColumns *out)
{
    enum { MODELS_FROM = 4 };
    size_t count = table->name_count;
    *out = (ScoreColumns){.task = row_table_column(table, "dataset"),
                          .version = row_table_column(table, "version"),
                          .metric = row_table_column(table, "metric"),
                          .filter = -1,
                          .score = MODELS_FROM,
                          .other = MODELS_FROM + 1,
                          .error = -1,
                          .models = count > MODELS_FROM ? count - MODELS_FROM : 0};
    if (out->task == 0 && out->version == 1 && out->metric == 2 && out->models)
        return row_table_column(table, "mode") == 3;
    out->task = row_table_column(table, "Tasks");
    out->filter = row_table_column(table, "Filter");
    out->score = row_table_column(table, "Value");
    out->error = row_table_column(table, "Stderr");
    out->models = 1;
    return out->task >= 0 && out->metric >= 0 && out->score >= 0;
}

static bool score_table_open(Str text, Arena *arena, RowTable *table, ScoreColumns *out)
{
    Error ignored;
    Notices quiet;
    notices_init(&quiet, arena);
    if (xlsx_is(text) || !row_table_open("", text, arena, table, &ignored))
        return false;
    if (row_table_start(table, 0) && score_columns(table, out))
        return true;
    row_table_close(table, &quiet);
    return false;
}

bool comparison_summary_is(Str text)
{
    enum { LOOK_BYTES = 1 << 16 };
    Arena *arena = arena_new();
    RowTable table;
    ScoreColumns columns;
    Notices quiet;
    notices_init(&quiet, arena);
    bool is = score_table_open(str_slice(text, 0, LOOK_BYTES), arena, &table, &columns);
    if (is)
        row_table_close(&table, &quiet);
    arena_release(arena);
    return is;
}

static void add_quoted(StrBuf *out, Str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] != '"' && text.data[i] != '\\' && (unsigned char)text.data[i] >= ' ')
            strbuf_add_char(out, text.data[i]);
}

// `"acc,none": 0.76, "acc_stderr,none": 0.0099`
static void add_score(StrBuf *out, RowTable *table, const ScoreColumns *of, const char *suffix,
                      int column)
{
    double value;
    if (column < 0 || !number_of_text(row_table_cell(table, column), &value) || !isfinite(value))
        return;
    strbuf_add(out, str_ends(strbuf_str(out), STR("{")) ? STR("\"") : STR(", \""));
    add_quoted(out, row_table_cell(table, of->metric));
    strbuf_add(out, str_of(suffix));
    if (of->filter >= 0) {
        strbuf_add_char(out, ',');
        add_quoted(out, row_table_cell(table, of->filter));
    }
    strbuf_printf(out, "\": %.17g", value);
}

// The results of the model in that column, as an evaluation writes them. A row without a task goes
// on with the one above it.
static Str results_of(RowTable *table, const ScoreColumns *of, int column, Arena *arena)
{
    StrBuf out = strbuf_new(arena), versions = strbuf_new(arena);
    strbuf_add(&out, STR("{\"results\": {"));
    for (bool first = true; row_table_next(table);) {
        double value;
        Str task = row_table_cell(table, of->task);
        if (!number_of_text(row_table_cell(table, column), &value) || (first && !task.size))
            continue;
        if (task.size) {
            strbuf_add(&out, first ? STR("\"") : STR("}, \""));
            strbuf_add(&versions, first ? STR("\"") : STR(", \""));
            add_quoted(&out, task);
            add_quoted(&versions, task);
            strbuf_add(&out, STR("\": {"));
            strbuf_add(&versions, STR("\": \""));
            add_quoted(&versions, row_table_cell(table, of->version));
            strbuf_add_char(&versions, '"');
            first = false;
        }
        add_score(&out, table, of, "", column);
        add_score(&out, table, of, "_stderr", of->error);
    }
    strbuf_printf(&out, "%s}, \"versions\": {" STR_FMT "}}", versions.size ? "}" : "",
                  STR_ARG(strbuf_str(&versions)));
    return strbuf_str(&out);
}

static const JsonNode *results_tree(Str text, bool other, Arena *arena, Notices *notices,
                                    size_t *models)
{
    JsonTree tree;
    RowTable table;
    ScoreColumns of;
    if (!score_table_open(text, arena, &table, &of))
        return NULL;
    *models = of.models;
    Str results = results_of(&table, &of, other ? of.other : of.score, arena);
    row_table_close(&table, notices);
    return tree_parse(results, arena, &tree) && tasks_of(tree.root) ? tree.root : NULL;
}

bool comparison_summary_read(const char *path, Str text, Arena *arena, Precheck *out,
                             Notices *notices, Error *err)
{
    size_t models = 0;
    text = str_copy(arena, text);
    const JsonNode *own = results_tree(text, false, arena, notices, &models);
    const JsonNode *golden = models == 2 ? own : out->scores;
    if (models > 2)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("expected the scores of one model, or of two in golden's and the "
                            "target's column"));
    if (!own)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no score is a number"));
    Notices quiet;
    notices_init(&quiet, arena);
    const JsonNode *target = models == 2 ? results_tree(text, true, arena, &quiet, &models) : own;
    if (golden && target)
        compare_scores(path, golden, target, out, arena, notices);
    out->scores = golden ? NULL : own;
    return true;
}

bool comparison_scores_are(Str text)
{
    JsonTree tree;
    Arena *arena = arena_new();
    bool are = str_find(text, STR("\"results\""), 0) != SIZE_MAX &&
               tree_parse(text, arena, &tree) && tasks_of(tree.root);
    arena_release(arena);
    return are;
}

bool comparison_weights_are(Str text)
{
    enum { LOOK_BYTES = 4096 };
    JsonTree tree;
    Str start = str_slice(text, 0, LOOK_BYTES);
    Arena *arena = arena_new();
    bool are = str_find(start, STR("\"l2\""), 0) != SIZE_MAX &&
               str_find(start, STR("\"cos\""), 0) != SIZE_MAX && tree_parse(text, arena, &tree) &&
               is_weight(tree.root->child);
    arena_release(arena);
    return are;
}

bool comparison_json_read(const char *path, Str text, Arena *arena, Precheck *out, Notices *notices,
                          Error *err)
{
    JsonTree tree;
    size_t others = 0;
    if (!tree_parse(str_copy(arena, text), arena, &tree))
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the JSON text is broken"));
    if (tasks_of(tree.root)) {
        if (out->scores)
            compare_scores(path, out->scores, tree.root, out, arena, notices);
        out->scores = out->scores ? NULL : tree.root;
        return true;
    }
    for (const JsonNode *at = tree.root->child; at; at = at->next)
        if (is_weight(at))
            take_weight(at, out, arena);
        else
            others++;
    if (others)
        notices_partial(notices, WHERE_FILE(path),
                        tr_count(others, "%zu member is no comparison of a weight",
                                 "%zu members are no comparison of a weight"),
                        others);
    return true;
}
