// SPDX-License-Identifier: Apache-2.0
// Columns, values and rules are those of msProbe's checker (docs/precheck.md).
#include "read/precheck/precheck_file.h"

#include <math.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "read/precheck/comparison_result.h"
#include "read/precheck/precheck_add.h"
#include "read/table/csv_file.h"

typedef enum RuleFor { FOR_ALL, FOR_HALF, FOR_SINGLE } RuleFor;

// Below this largest absolute error the checker does not ask for shares: of small numbers relative
// errors are large.
#define SHARES_FROM 0.001

// A figure of a details file, with the checker's own limits: only which of them failed is known by
// them, the status is that of the file. It fails at or below `least`, or above `most`; the rules of
// shares count from SHARES_FROM on, each for its dtypes.
typedef struct Rule {
    const char *column, *word;
    double least, most;
    bool share;
    RuleFor dtypes;
} Rule;

#define NO_LEAST ((double)-INFINITY)
#define NO_MOST  ((double)INFINITY)
static const Rule rules[] = {
    {"余弦相似度", TR("cosine similarity"), 0.99, NO_MOST, false, FOR_ALL},
    {"Cosine", TR("cosine similarity"), 0.99, NO_MOST, false, FOR_ALL},
    {"MaxAbsErr", TR("largest absolute error"), NO_LEAST, 1e-4, false, FOR_ALL},
    {"双百指标", TR("share of elements within 1 %"), 0.99, NO_MOST, true, FOR_HALF},
    {"双千指标", TR("share of elements within 0.1 %"), 0.999, NO_MOST, true, FOR_ALL},
    {"双万指标", TR("share of elements within 0.01 %"), 0.9999, NO_MOST, true, FOR_SINGLE},
    {"二进制一致错误率", TR("share of elements that are not equal"), NO_LEAST, 0, false, FOR_ALL},
    {"inf/nan错误率", TR("share of wrong Inf and NaN"), NO_LEAST, 0, false, FOR_ALL},
    {"相对误差错误率", TR("share of relative errors beyond the limit"), NO_LEAST, 0, false,
     FOR_ALL},
    {"绝对误差错误率", TR("share of absolute errors beyond the limit"), NO_LEAST, 0, false,
     FOR_ALL},
};
enum { RULES = sizeof rules / sizeof *rules };

typedef struct Word {
    const char *theirs, *ours;
} Word;

// Figures of api_precision_compare; the judgement of each is in the next column.
static const Word ratios[] = {
    {"小值域", TR("ratio of errors of small values")},
    {"均方根误差", TR("ratio of RMSE")},
    {"相对误差最大值", TR("ratio of largest relative errors")},
    {"相对误差平均值", TR("ratio of mean relative errors")},
    {"误差均衡性", TR("ratio of error balance")},
    {"inf/nan错误率", TR("share of wrong Inf and NaN")},
    {"相对误差错误率", TR("share of relative errors beyond the limit")},
    {"绝对误差错误率", TR("share of absolute errors beyond the limit")},
    {"二进制一致错误率", TR("share of elements that are not equal")},
    {"ULP误差平均值", TR("mean error in ULP")},
    {"ULP误差大于阈值占比", TR("share of errors beyond the limit in ULP")},
    {"双千指标", TR("share of elements within 0.1 %")},
};
static const Word algorithms[] = {
    {"绝对阈值法", TR("absolute limits")},       {"标杆比对法", TR("against the GPU")},
    {"二进制一致法", TR("binary equality")},     {"ULP误差比对法", TR("errors in ULP")},
    {"双千指标法", TR("elements within 0.1 %")}, {"累积误差比对法", TR("accumulated errors")},
};
static const Word perturbations[] = {
    {"improve_precision", TR("perturbed: higher precision")},
    {"add_noise", TR("perturbed: added noise")},
    {"bit_noise", TR("perturbed: noise of bits")},
    {"no_change", TR("perturbed: nothing, run again")},
    {"change_value", TR("perturbed: values changed")},
    {"exchange_value", TR("perturbed: values exchanged")},
};
#define OURS(words, text, otherwise) \
    word_of((words), sizeof(words) / sizeof *(words), (text), (otherwise))

static const char *word_of(const Word *words, size_t count, Str text, const char *otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (str_starts(text, str_of(words[i].theirs)))
            return words[i].ours;
    return otherwise;
}

typedef struct Reader {
    Csv csv;
    PrecheckKind kind;
    int api, forward, backward, status, message, dtype, shape, max_abs, algorithm, kind_of_pert,
        stage, max_rel;
    int rules[RULES];
    Precheck *out;
    Arena *arena;
    const char *path;
    Notices *notices;
} Reader;

// False: the cell holds a word that is none.
static bool status_of(Str cell, PrecheckStatus *out)
{
    cell = str_trim(cell);
    return precheck_word(cell, out) || cell.size == 0 || str_equal_nocase(cell, STR("SPACE"));
}

// The same; an unknown word is reported with its line.
static bool take_status(const Reader *reader, int column, PrecheckStatus *out)
{
    bool known = status_of(csv_cell(&reader->csv, column), out);
    if (!known)
        notices_partial(reader->notices, WHERE_LINE(reader->path, reader->csv.line), "%s",
                        tr("a status is none of pass, error, warning, skip, true, false: the API "
                           "counts as without a verdict"));
    return known;
}

static void add(Reader *reader, const PrecheckFinding *row)
{
    bool apart = reader->kind == PRECHECK_FREE && row->standard;
    precheck_add(reader->out, reader->arena, row, apart ? row->standard : "");
}

static bool is_half(Str dtype)
{
    return str_ends(dtype, STR("float16"));
}

static bool fails(const Reader *reader, size_t index, Str dtype)
{
    const Rule *rule = &rules[index];
    double value, max_abs;
    Str cell = csv_cell(&reader->csv, reader->rules[index]);
    bool half = is_half(dtype);
    if (cell.size == 0 || !number_of_text(cell, &value))
        return false;
    if (rule->share && number_of_text(csv_cell(&reader->csv, reader->max_abs), &max_abs) &&
        max_abs < SHARES_FROM)
        return false;
    if ((rule->dtypes == FOR_HALF && !half) || (rule->dtypes == FOR_SINGLE && half))
        return false;
    return !(value > rule->least) || value > rule->most;
}

// The figure that made the status what it is: the first that fails.
static void explain(const Reader *reader, PrecheckFinding *row)
{
    for (size_t i = 0; i < RULES && !row->standard; i++)
        if (row->status >= PRECHECK_WARNING && fails(reader, i, row->dtype)) {
            row->standard = row->figure = rules[i].word;
            row->value = csv_cell(&reader->csv, reader->rules[i]);
        }
}

// Of ratios the judgement comes after each: "…判定结果".
static void explain_ratio(const Reader *reader, PrecheckFinding *row)
{
    const Csv *csv = &reader->csv;
    row->standard = OURS(algorithms, csv_cell(csv, reader->algorithm), TR("another algorithm"));
    PrecheckStatus status;
    for (size_t i = 1; i < csv->column_count && !row->figure; i++)
        if (str_ends(csv->names[i], STR("判定结果")) && status_of(csv_cell(csv, (int)i), &status) &&
            status == row->status && row->status >= PRECHECK_WARNING) {
            row->figure = OURS(ratios, csv->names[i - 1], TR("another figure"));
            row->value = csv_cell(csv, (int)i - 1);
        }
}

static void take_result(Reader *reader, const PrecheckFinding *base)
{
    const int columns[] = {reader->forward, reader->backward};
    for (int i = 0; i < 2; i++) {
        PrecheckFinding row = *base;
        row.backward = i == 1;
        bool known = take_status(reader, columns[i], &row.status);
        // Many APIs have no backward call; a forward call without a status was not checked.
        if (row.status != PRECHECK_UNTOLD || !known || !row.backward)
            add(reader, &row);
    }
}

static void take_free(Reader *reader, PrecheckFinding *row)
{
    row->backward = str_equal_nocase(csv_cell(&reader->csv, reader->stage), STR("backward"));
    row->status = PRECHECK_WARNING;
    row->standard = OURS(perturbations, csv_cell(&reader->csv, reader->kind_of_pert),
                         TR("another perturbation"));
    row->figure = TR("largest ratio to the original");
    row->value = csv_cell(&reader->csv, reader->max_rel);
    if (!number_of_text(row->value, &row->size))
        row->size = (double)NAN;
    add(reader, row);
}

static bool take_row(Reader *reader)
{
    const Csv *csv = &reader->csv;
    PrecheckFinding row = {.size = (double)NAN};
    Str name = csv_cell(csv, reader->api);
    if (name.size == 0)
        return false;
    precheck_split(name, &row);
    row.plain = false;
    row.dtype = csv_cell(csv, reader->dtype);
    row.shape = csv_cell(csv, reader->shape);
    row.message = csv_cell(csv, reader->message);
    if (reader->kind == PRECHECK_RESULT) {
        take_result(reader, &row);
        return true;
    }
    if (reader->kind == PRECHECK_FREE) {
        take_free(reader, &row);
        return true;
    }
    take_status(reader, reader->status, &row.status);
    if (reader->kind == PRECHECK_RATIOS)
        explain_ratio(reader, &row);
    else
        explain(reader, &row);
    add(reader, &row);
    return true;
}

static int first_column(const Csv *csv, const char *const *names)
{
    int column = -1;
    for (; *names && column < 0; names++)
        column = csv_column(csv, *names);
    return column;
}

static bool find_columns(Reader *reader)
{
    static const char *const dtypes[] = {"DEVICE Dtype", "Tested Dtype", "dtype", NULL};
    static const char *const largest[] = {"最大绝对误差", "MaxAbsErr", NULL};
    static const char *const apis[] = {"API Name", "api_name", NULL};
    static const char *const statuses[] = {"Status", "比对结果", NULL};
    const Csv *csv = &reader->csv;
    reader->api = first_column(csv, apis);
    reader->forward = csv_column(csv, "Forward Test Success");
    reader->backward = csv_column(csv, "Backward Test Success");
    reader->status = first_column(csv, statuses);
    reader->message = csv_column(csv, "Message");
    reader->dtype = first_column(csv, dtypes);
    reader->shape = csv_column(csv, "Shape");
    reader->max_abs = first_column(csv, largest);
    reader->algorithm = csv_column(csv, "比对算法");
    reader->kind_of_pert = csv_column(csv, "pert_type");
    reader->stage = csv_column(csv, "stage");
    reader->max_rel = csv_column(csv, "max_rel");
    for (size_t i = 0; i < RULES; i++)
        reader->rules[i] = csv_column(csv, rules[i].column);
    reader->kind = reader->forward >= 0        ? PRECHECK_RESULT
                   : reader->kind_of_pert >= 0 ? PRECHECK_FREE
                   : reader->algorithm >= 0    ? PRECHECK_RATIOS
                                               : PRECHECK_DETAILS;
    return reader->api >= 0 &&
           (reader->forward >= 0 || reader->status >= 0 || reader->kind == PRECHECK_FREE);
}

void precheck_init(Arena *arena, Precheck *out)
{
    *out = (Precheck){.names = names_new(arena)};
}

static void end_file(const char *path, PrecheckKind kind, size_t bytes, Precheck *out,
                     Notices *notices)
{
    if (kind != PRECHECK_RESULT && kind != PRECHECK_SCORES && kind != PRECHECK_CHECKSUMS &&
        out->last[kind])
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path),
                    tr("read as one check with %s, of the same kind: of an API that both have the "
                       "worst counts"),
                    out->last[kind]);
    out->last[kind] = str_cstr(names_arena(out->names), str_of(path));
    out->files[kind]++;
    out->bytes += bytes;
}

bool precheck_read_text(const char *path, Str text, Arena *arena, Precheck *out, Notices *notices,
                        Error *err)
{
    Reader reader = {.out = out, .arena = arena, .path = path, .notices = notices};
    bool good;
    if (comparison_read(path, text, arena, out, notices, &reader.kind, &good, err)) {
        if (good)
            end_file(path, reader.kind, text.size, out, notices);
        return good;
    }
    csv_open(&reader.csv, path, text, ',', arena);
    good = csv_next(&reader.csv);
    if (good)
        csv_take_header(&reader.csv);
    if (!good || !find_columns(&reader)) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                  tr("these are not the columns of an accuracy pre-check or free benchmark"));
        return error_hint(err, "%s",
                          tr("expected accuracy_checking_result_*.csv, accuracy_checking_details_"
                             "*.csv, api_precision_compare_*.csv, free_benchmark.csv or "
                             "comparator_report.jsonl"));
    }
    out->file_count++;
    while (csv_next(&reader.csv)) {
        if (reader.csv.unfinished && !csv_row_is_whole(&reader.csv))
            notices_partial(notices, WHERE_LINE(path, reader.csv.line), "%s",
                            tr("the last line has no end and is left out (still being written?)"));
        else if (take_row(&reader))
            out->rows++;
        else
            notices_partial(notices, WHERE_LINE(path, reader.csv.line), "%s",
                            tr("the row names no API and is left out"));
    }
    csv_report(&reader.csv, notices);
    end_file(path, reader.kind, text.size, out, notices);
    return true;
}

bool precheck_read(const char *path, Arena *arena, Precheck *out, Notices *notices, Error *err)
{
    File file;
    if (!file_open(path, &file, err))
        return false;
    bool good = precheck_read_text(path, file.text, arena, out, notices, err);
    file_close(&file);
    return good;
}

static int by_status(const void *a, const void *b)
{
    const PrecheckFinding *one = a, *two = b;
    if (one->status != two->status)
        return one->status < two->status ? 1 : -1;
    double first = isnan(one->size) ? -1 : one->size, second = isnan(two->size) ? -1 : two->size;
    if (first != second)
        return first < second ? 1 : -1;
    return (one->place > two->place) - (one->place < two->place);
}

void precheck_tell_contradictions(const Precheck *precheck, Notices *notices)
{
    const unsigned verdicts = 1U << PRECHECK_PASS | 1U << PRECHECK_WARNING | 1U << PRECHECK_ERROR;
    const PrecheckFinding *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < precheck->count; i++) {
        const PrecheckFinding *it = &precheck->items[i];
        unsigned told = (it->told | 1U << it->file_status) & verdicts;
        if ((told & (told - 1)) == 0)
            continue;
        count++;
        first = first ? first : it;
    }
    if (first)
        notices_add(notices, NOTICE_WARNING, NOWHERE,
                    tr("the files give one API another status, and the worst counts: %zu, "
                       "first " STR_FMT " (%s)"),
                    count, STR_ARG(first->api), first->backward ? tr("backward") : tr("forward"));
}

void precheck_sort(Precheck *precheck)
{
    for (size_t i = 0; i < precheck->count; i++)
        precheck->counts[precheck->items[i].status]++;
    if (precheck->count > 1)
        qsort(precheck->items, precheck->count, sizeof *precheck->items, by_status);
}
