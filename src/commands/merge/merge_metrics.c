// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/merge_metrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "commands/machinery/command_line.h"
#include "commands/machinery/outputs.h"
#include "export/shard/shard.h"
#include "export/summary/rank_metrics_summary.h"
#include "picture/overview/rank_metrics_picture.h"
#include "read/dump/place_name.h"
#include "read/settings/fragments.h"
#include "read/settings/yaml_tree.h"
#include "read/table/row_table.h"
#include "report/rank_metrics_report.h"

// The columns that a row table may have, in the order of the sheets.
static const char *const known_metrics[] = {"Cosine",
                                            "EucDist",
                                            "MaxAbsErr",
                                            "One Thousandth Err Ratio",
                                            "Five Thousandths Err Ratio",
                                            "Max diff",
                                            "Min diff",
                                            "Mean diff",
                                            "L2norm diff",
                                            "MaxRelativeErr",
                                            "MinRelativeErr",
                                            "MeanRelativeErr",
                                            "NormRelativeErr",
                                            "Requires_grad Consistent"};
enum { KNOWN = sizeof known_metrics / sizeof *known_metrics };

// One row table.
typedef struct RowFile {
    const char *path;
    int64_t step, rank;
    bool has_step;
    Str stage;  // after the rank: "rows-step1-rank0-actor_update.csv"; may be empty
    struct FileRow {
        NameId name;
        Str *cells;  // [metric]
    } * rows;
    size_t row_count, row_capacity;
} RowFile;

// Where a name last stood.
typedef struct LastRow {
    const char *path;  // of the file
    size_t row;
} LastRow;

typedef struct RowFiles {
    RowFile *items;
    size_t count, capacity;
} RowFiles;

typedef struct RowsJob {
    Arena *arena;
    Options *options;
    Outputs *outputs;
    Notices *notices;
    Error *err;
    const YamlNode *config;  // or NULL
    Fragments *wanted;       // with a configuration: its names, each with the point after it
    FragmentHits hits;
    RowFiles files;
    Names *names;   // of rows
    LastRow *last;  // by NameId
    size_t last_room;
    bool met[KNOWN];
    size_t chosen[KNOWN];  // of the metrics that are shown: index of known_metrics
    RankMetrics metrics;
    RankMetricsView view;
} RowsJob;

// The number after the first `word` of a name: 3 of "compare_result_rank3_20260101".
static bool number_behind(Str name, const char *word, int64_t *out)
{
    size_t at = str_find(name, str_of(word), 0), end;
    if (at == SIZE_MAX)
        return false;
    at += strlen(word);
    for (end = at; end < name.size && name.data[end] >= '0' && name.data[end] <= '9';)
        end++;
    return str_to_int64(str_slice(name, at, end), out);
}

// A workbook of a pair, "compare-step0-rank0.xlsx": its sheet Compare is the row table.
static bool is_book(Str name)
{
    int64_t rank;
    return str_starts(name, STR("compare-")) && str_ends(name, STR(".xlsx")) &&
           number_behind(name, "rank", &rank);
}

// What stands between the rank of one of our own tables and its suffix.
static Str stage_behind(Str name)
{
    size_t at = str_find(name, STR("-rank"), 0), dash = SIZE_MAX, dot = str_rfind_char(name, '.');
    if ((str_starts(name, STR("rows-")) || is_book(name)) && at != SIZE_MAX)
        dash = str_find_char(name, '-', at + strlen("-rank"));
    return dash == SIZE_MAX || dot == SIZE_MAX ? STR("") : str_slice(name, dash + 1, dot);
}

static bool is_row_table(Str name)
{
    int64_t rank;
    bool known = str_starts(name, STR("rows-")) || str_starts(name, STR("compare_result_"));
    bool table = str_ends(name, STR(".csv")) || str_ends(name, STR(".xlsx"));
    return known && table && number_behind(name, "rank", &rank);
}

static void add_file(RowFiles *files, const char *path, Arena *arena)
{
    Str name = path_base(str_of(path));
    RowFile file = {.path = path};
    if (!number_behind(name, "rank", &file.rank))
        return;
    file.has_step = number_behind(name, "step", &file.step);
    file.stage = stage_behind(name);
    *ARRAY_PUSH(arena, files) = file;
}

// The row tables of a folder, or the file itself.
static void find_in(Str path, Arena *arena, RowFiles *out, bool *shards, Notices *notices)
{
    FolderList list = {0};
    Error err;
    const char *name = str_cstr(arena, path);
    if (file_kind(name) == FILE_REGULAR &&
        (is_row_table(path_base(path)) || is_book(path_base(path))))
        add_file(out, name, arena);
    if (file_kind_noted(name, notices) != FILE_FOLDER)
        return;
    if (!folder_list(name, arena, &list, &err))
        notices_add_error(notices, &err);
    size_t before = out->count;
    for (size_t i = 0; i < list.count; i++) {
        *shards = *shards || shard_is_file_name(list.items[i]);
        if (is_row_table(list.items[i]))
            add_file(out, path_join(arena, name, list.items[i]), arena);
    }
    // Where there are tables, the workbooks say the same again.
    bool books = out->count == before;
    for (size_t i = 0; i < list.count && books; i++)
        if (is_book(list.items[i]))
            add_file(out, path_join(arena, name, list.items[i]), arena);
}

static void find_files(const Options *options, Arena *arena, RowFiles *out, bool *shards,
                       Notices *notices)
{
    *shards = false;
    for (size_t i = 0; i < options->argument_count; i++) {
        size_t before = out->count;
        find_in(options->arguments[i], arena, out, shards, notices);
        if (out->count == before)
            notices_partial(notices, WHERE_FILE(str_cstr(arena, options->arguments[i])), "%s",
                            tr("no row table here (rows-...rank0.csv, compare_result_rank0.xlsx); "
                               "the others are read"));
    }
}

bool merge_metrics_wanted(const Options *options, Arena *arena)
{
    RowFiles files = {0};
    bool shards;
    Notices later;  // told when the tables are read
    notices_init(&later, arena);
    find_files(options, arena, &files, &shards, &later);
    return files.count > 0 && !shards;
}

static int by_step_and_rank(const void *a, const void *b)
{
    const RowFile *left = a, *right = b;
    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    if (!str_equal(left->stage, right->stage))
        return str_compare(left->stage, right->stage);
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->path, right->path);
}

// ---- msProbe's configuration: api (names that rows must hold), compare_index (metrics)

static bool read_config(RowsJob *job)
{
    Str path = options_text(job->options, "config", "");
    YamlNode *root = NULL;
    if (path.size == 0)
        return true;
    if (!yaml_read(str_cstr(job->arena, path), job->arena, &root, job->notices, job->err))
        return false;
    const YamlNode *api = root ? yaml_find(root, STR("api")) : NULL;
    if (!api || api->kind != YAML_IS_LIST)
        return error_set(job->err, ERR_INPUT, WHERE_FILE(str_cstr(job->arena, path)), "%s",
                         tr("expected a list of names under 'api'"));
    const YamlNode *index = yaml_find(root, STR("compare_index"));
    if (index && index->kind != YAML_IS_LIST && !yaml_is_null(index))
        return error_set(job->err, ERR_INPUT, WHERE_LINE(str_cstr(job->arena, path), index->line),
                         "%s", tr("expected a list of metrics under 'compare_index'"));
    job->config = root;
    job->wanted = fragments_new(job->arena);
    for (const YamlNode *name = api->first; name; name = name->next)
        if (name->text.size)
            fragments_add(job->wanted, str_concat(job->arena, name->text, STR(".")));
    fragments_link(job->wanted);
    return true;
}

static bool list_holds(const YamlNode *list, Str text)
{
    for (const YamlNode *item = list ? list->first : NULL; item; item = item->next)
        if (str_equal(item->text, text))
            return true;
    return false;
}

// A row is wanted if its name holds one of the names of `api` and a point after it.
static bool is_wanted(RowsJob *job, Str name)
{
    if (!job->config)
        return true;
    fragments_in(job->wanted, name, job->arena, &job->hits);
    return job->hits.count > 0;
}

static bool metric_wanted(const RowsJob *job, size_t metric)
{
    const YamlNode *list = job->config ? yaml_find(job->config, STR("compare_index")) : NULL;
    return job->met[metric] &&
           (!list || list->count == 0 || list_holds(list, str_of(known_metrics[metric])));
}

// ---- reading

// Where the metrics of a sheet stand; -1: it has no such column.
typedef struct RowColumns {
    int name, npu_max, bench_max;
    int metrics[KNOWN];
} RowColumns;

// A workbook says 7 where a CSV says 7.0.
static Str plain_number(Str text, Arena *arena)
{
    double value;
    char digits[NUMBER_BYTES];
    if (number_parse(text, &value) != text.size || text.size == 0)
        return text;
    number_json(value, digits);
    return str_copy(arena, str_of(digits));
}

// What cannot be a number is shown by the largest values of both sides; so process groups show.
static Str shown_value(const RowTable *table, Str value, const RowColumns *columns, Arena *arena)
{
    if (!str_equal(value, STR("N/A")) && !str_equal(value, STR("unsupported")) &&
        !str_equal(value, STR("Nan")))
        return str_copy(arena, value);
    Str npu = plain_number(row_table_cell(table, columns->npu_max), arena);
    Str bench = plain_number(row_table_cell(table, columns->bench_max), arena);
    return str_printf(arena, "NPU:" STR_FMT "  Bench:" STR_FMT, STR_ARG(npu), STR_ARG(bench));
}

// The row of a file with this name, new or old.
static struct FileRow *row_of(RowsJob *job, RowFile *file, NameId name)
{
    if (name >= job->last_room) {
        size_t room = 2 * ((size_t)name + 1);
        job->last = arena_grow(job->arena, job->last, job->last_room * sizeof *job->last,
                               room * sizeof *job->last);
        job->last_room = room;
    }
    LastRow *last = &job->last[name];
    if (last->path != file->path) {
        *last = (LastRow){file->path, file->row_count};
        *ARRAY_ADD(job->arena, file->rows, file->row_count, file->row_capacity) =
            (struct FileRow){name, ARENA_ARRAY(job->arena, Str, KNOWN)};
    }
    return &file->rows[last->row];
}

static void add_row(RowsJob *job, RowFile *file, const RowTable *table, const RowColumns *columns,
                    Str name)
{
    Str *cells = row_of(job, file, names_add(job->names, name))->cells;
    for (size_t i = 0; i < KNOWN; i++)
        if (cells[i].size) {  // the first row of a name counts
            account_see(&job->notices->account, 1);
            account_set_aside(&job->notices->account, ASIDE_REPEATED, 1);
            notices_add(job->notices, NOTICE_TOLD, WHERE_FILE(file->path), "%s",
                        tr("a row of a name that comes twice: the first one counts"));
            return;
        }
    for (size_t i = 0; i < KNOWN; i++)
        if (columns->metrics[i] >= 0)
            cells[i] =
                shown_value(table, row_table_cell(table, columns->metrics[i]), columns, job->arena);
}

// False for a sheet that holds something else.
static bool find_columns(RowsJob *job, const RowTable *table, RowColumns *out)
{
    int found = 0;
    out->name = row_table_column(table, "NPU Name");
    out->npu_max = row_table_column(table, "NPU max");
    out->bench_max = row_table_column(table, "Bench max");
    for (size_t i = 0; i < KNOWN; i++) {
        out->metrics[i] = row_table_column(table, known_metrics[i]);
        found += out->metrics[i] >= 0;
    }
    if (out->name < 0 || found == 0)
        return false;
    for (size_t i = 0; i < KNOWN; i++)
        job->met[i] = job->met[i] || out->metrics[i] >= 0;
    return true;
}

// Long tables go on in the next sheet of a workbook. What was read before a sheet broke counts.
static bool read_sheets(RowsJob *job, RowFile *file, RowTable *table)
{
    bool found = false;
    for (size_t sheet = 0; sheet < table->sheet_count; sheet++) {
        RowColumns columns;
        if (!row_table_start(table, sheet))
            return false;
        if (!find_columns(job, table, &columns))
            continue;
        found = true;
        while (row_table_next(table)) {
            Str row = row_table_cell(table, columns.name);
            if (row.size && is_wanted(job, row))
                add_row(job, file, table, &columns, row);
        }
        if (row_table_failed(table)) {
            notices_add_error(job->notices, job->err);
            return true;
        }
    }
    return found || error_set(job->err, ERR_INPUT, WHERE_FILE(file->path), "%s",
                              tr("no row table: expected the column 'NPU Name' and a metric"));
}

static bool read_rows(RowsJob *job, RowFile *file, Str text)
{
    RowTable table;
    Arena *scratch = arena_new();
    bool good = row_table_open(file->path, text, scratch, &table, job->err);
    if (good) {
        good = read_sheets(job, file, &table);
        row_table_close(&table, job->notices);
    }
    arena_release(scratch);
    return good;
}

// A file that cannot be read costs itself; without any there is nothing to report.
static bool read_all(RowsJob *job)
{
    size_t kept = 0;
    bool shards;
    find_files(job->options, job->arena, &job->files, &shards, job->notices);
    if (job->files.count)
        qsort(job->files.items, job->files.count, sizeof *job->files.items, by_step_and_rank);
    for (size_t i = 0; i < job->files.count; i++) {
        RowFile *file = &job->files.items[i];
        const RowFile *last = kept ? &job->files.items[kept - 1] : NULL;
        File opened;
        if (last && last->step == file->step && str_equal(last->stage, file->stage) &&
            last->rank == file->rank) {
            notices_partial(job->notices, WHERE_FILE(file->path),
                            tr("a second table of this rank is left out; '%s' is taken"),
                            last->path);
            continue;
        }
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an array that counts items has them
        if (!file_open(file->path, &opened, job->err)) {
            notices_add_error(job->notices, job->err);
            continue;
        }
        if (read_rows(job, file, opened.text))
            job->files.items[kept++] = *file;
        else
            notices_add_error(job->notices, job->err);
        file_close(&opened);
    }
    job->files.count = kept;
    return kept || error_set(job->err, ERR_INPUT, NOWHERE, "%s",
                             tr("none of the row tables could be read"));
}

// ---- what of it is shown

// Metrics of the configuration that no table has: a typo must not go unseen.
static void note_absent_metrics(RowsJob *job, Str config)
{
    const YamlNode *list = yaml_find(job->config, STR("compare_index"));
    for (const YamlNode *item = list ? list->first : NULL; item; item = item->next) {
        bool found = false;
        for (size_t i = 0; i < KNOWN; i++)
            found = found || (job->met[i] && str_equal(item->text, str_of(known_metrics[i])));
        if (!found)
            notices_add(job->notices, NOTICE_WARNING,
                        WHERE_LINE(str_cstr(job->arena, config), item->line),
                        tr("no row table has the metric '" STR_FMT "'"), STR_ARG(item->text));
    }
}

// False: nothing is left to show.
static bool choose(RowsJob *job)
{
    RankMetrics *out = &job->metrics;
    Str config = options_text(job->options, "config", "");
    Where where = job->config ? WHERE_FILE(str_cstr(job->arena, config)) : NOWHERE;
    if (names_count(job->names) == 0)
        return error_set(job->err, ERR_INPUT, where, "%s",
                         job->config
                             ? tr("no row holds one of the names under 'api' and a point after it")
                             : tr("the row tables hold no row"));
    note_absent_metrics(job, config);
    for (size_t i = 0; i < KNOWN; i++)
        if (metric_wanted(job, i)) {
            job->chosen[out->metric_count] = i;
            out->metrics[out->metric_count++] = known_metrics[i];
        }
    return out->metric_count ||
           error_set(job->err, ERR_INPUT, where, "%s",
                     tr("the row tables have none of the metrics under 'compare_index'"));
}

// ---- the report

static void label_ranks(RowsJob *job)
{
    size_t count = job->files.count;
    Str *labels = ARENA_ARRAY(job->arena, Str, count),
        *places = ARENA_ARRAY(job->arena, Str, count);
    int64_t *numbers = ARENA_ARRAY(job->arena, int64_t, count);
    bool steps = false;
    for (size_t i = 0; i < count; i++)
        steps = steps || job->files.items[i].step != job->files.items[0].step;
    for (size_t i = 0; i < count; i++) {
        const RowFile *file = &job->files.items[i];
        numbers[i] = file->rank;
        labels[i] = str_printf(job->arena, "rank%lld", (long long)file->rank);
        if (file->stage.size)
            labels[i] = str_printf(job->arena, STR_FMT " " STR_FMT, STR_ARG(file->stage),
                                   STR_ARG(labels[i]));
        if (steps)
            labels[i] = str_printf(job->arena, "step%lld " STR_FMT, (long long)file->step,
                                   STR_ARG(labels[i]));
        places[i] = str_printf(job->arena, tr("rank %lld"), (long long)file->rank);
        if (steps || file->stage.size)
            places[i] = place_text(file->step, file->stage, file->rank, job->arena);
    }
    job->metrics.ranks = labels;
    job->metrics.places = places;
    job->metrics.numbers = numbers;
    job->metrics.rank_count = count;
}

// The rows of all files by name, and of each name by rank; of their cells the chosen ones.
static void gather_rows(RowsJob *job)
{
    RankMetrics *out = &job->metrics;
    size_t *first = ARENA_ARRAY(job->arena, size_t, out->name_count + 2), total = 0;
    for (size_t rank = 0; rank < out->rank_count; rank++)
        for (size_t i = 0; i < job->files.items[rank].row_count; i++, total++)
            first[job->files.items[rank].rows[i].name + 1]++;  // a NameId is 1 and more
    for (size_t name = 0; name <= out->name_count; name++)
        first[name + 1] += first[name];
    RankRow *rows = ARENA_ARRAY(job->arena, RankRow, total);
    for (size_t rank = 0; rank < out->rank_count; rank++)
        for (size_t i = 0; i < job->files.items[rank].row_count; i++) {
            const struct FileRow *row = &job->files.items[rank].rows[i];
            for (size_t at = 0; at < out->metric_count; at++)
                row->cells[at] = row->cells[job->chosen[at]];  // they rise
            rows[first[row->name]++] = (RankRow){rank, row->cells};
        }
    out->rows = rows;
    out->first = first;  // each has moved on to where its name ends, and the next one begins
}

// With names of a configuration a rank may have none of them.
static void note_silent(RowsJob *job)
{
    size_t first, silent = rank_metrics_silent(&job->metrics, &first);
    if (silent && silent < job->metrics.rank_count && !job->config)
        notices_partial(job->notices, NOWHERE,
                        tr("row tables without a number: %zu, the first that of " STR_FMT), silent,
                        STR_ARG(job->metrics.places[first]));
}

// Every cell of the metrics is a number, a text that says why it is none, or not understood.
static void count_cells(RowsJob *job)
{
    const RankMetrics *out = &job->metrics;
    Account *account = &job->notices->account;
    size_t odd = 0, rare = 0, first = 0;
    for (size_t name = 0; name < out->name_count; name++) {
        size_t ranks = out->first[name + 1] - out->first[name];
        first = ranks < out->rank_count && rare++ == 0 ? name : first;
        for (size_t i = 0; i < ranks * out->metric_count; i++) {
            double distance;
            size_t metric = i % out->metric_count;
            Str cell = out->rows[out->first[name] + i / out->metric_count].cells[metric];
            bool number = rank_metrics_distance(out, cell, metric, &distance);
            account_see(account, 1);
            account_set_aside(account, ASIDE_NO_VALUE, !number);
            odd += !number && cell.size && !str_starts(cell, STR("NPU:")) &&
                   !STR_IN(cell, "True", "False", "Nan", "unsupported");
        }
    }
    if (rare)
        notices_add(job->notices, NOTICE_WARNING, NOWHERE,
                    tr_count(rare, "%zu row is not in each table: " STR_FMT,
                             "%zu rows are not in each table, first " STR_FMT),
                    rare, STR_ARG(out->names[first]));
    if (odd)
        notices_partial(job->notices, NOWHERE,
                        tr_count(odd, "%zu cell of a metric is no number",
                                 "%zu cells of metrics are no numbers"),
                        odd);
    account_compare_rest(account);
}

static void gather(RowsJob *job)
{
    RankMetrics *out = &job->metrics;
    out->name_count = names_count(job->names);
    label_ranks(job);
    Str *texts = ARENA_ARRAY(job->arena, Str, out->name_count);
    for (size_t i = 0; i < out->name_count; i++)
        texts[i] = names_text(job->names, (NameId)(i + 1));
    out->names = texts;
    gather_rows(job);
    rank_metrics_measure(out, job->arena);
    note_silent(job);
    count_cells(job);
    job->view = (RankMetricsView){
        .metrics = out,
        .version = VERNIER_VERSION,
        .title = options_text(job->options, "title", ""),
        .command = command_quote(job->options, job->notices->redaction, job->arena),
        .notices = job->notices};
    rank_metrics_verdict(out, notices_any_partial(job->notices), job->arena, &job->view.verdict);
}

static void add_picture(RowsJob *job, int which, Str base, Product *out)
{
    Scene *scene = ARENA_NEW(job->arena, Scene);
    if (!rank_metrics_picture(&job->metrics, which == 1, job->arena, scene))
        return;
    product_figure(out, base, which == 0, scene, &job->view.verdict);
    job->view.figures[which] = (PageFigure){scene, base};
}

static void produce(RowsJob *job, Product *out)
{
    const RankMetrics *metrics = &job->metrics;
    Table *sheets[RANK_METRICS_MAX + 1];
    size_t count = 0;
    Report *page = ARENA_NEW(job->arena, Report), *ticket = ARENA_NEW(job->arena, Report);
    product_facts(out, rank_metrics_summary, &job->view);
    for (size_t i = 0; i < metrics->metric_count; i++)
        sheets[count++] = rank_metrics_table(metrics, i, job->arena);
    sheets[count++] = rank_metrics_largest_table(metrics, job->arena);
    product_book(out, STR("merge"), true, sheets, count);
    product_sheet(out, STR("largest"), true, sheets[count - 1]);
    add_picture(job, 0, STR("rank-metrics"), out);
    add_picture(job, 1, STR("rank-modules"), out);
    rank_metrics_report(&job->view, false, job->arena, page);
    rank_metrics_report(&job->view, true, job->arena, ticket);
    product_page(out, page, NULL);
    product_ticket(out, ticket, "summary");
    out->verdict = job->view.verdict;
    out->status = job->view.verdict.style == STYLE_NO_DATA ? PRODUCT_NOTHING : PRODUCT_AGREES;
}

// What only the parts of a comparison know.
static bool check_options(RowsJob *job)
{
    static const char *const of_parts[] = {"history", "write-mapping", "write-layer-mapping", NULL};
    const char *other = options_first_of(job->options, of_parts);
    return !other ||
           error_set(job->err, ERR_USAGE, NOWHERE,
                     tr("--%s goes with the parts of a comparison: these are row tables"), other);
}

bool merge_metrics(const CommandCall *call, Product *out)
{
    RowsJob *job = ARENA_NEW(call->arena, RowsJob);
    *job = (RowsJob){.arena = call->arena,
                     .options = call->options,
                     .outputs = call->outputs,
                     .notices = call->notices,
                     .err = call->err,
                     .names = names_new(call->arena)};
    if (!check_options(job) ||
        !outputs_plan(job->options, NULL, job->arena, job->outputs, job->err) ||
        !read_config(job) || !read_all(job) || !choose(job))
        return false;
    gather(job);
    produce(job, out);
    return true;
}
