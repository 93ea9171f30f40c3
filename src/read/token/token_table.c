// SPDX-License-Identifier: Apache-2.0
// Tokens from a table: a row each, those of a sample after each other.
#include <math.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/words.h"
#include "read/table/csv_file.h"
#include "read/token/token_rows.h"

typedef struct Table {
    Csv csv;
    int columns[FIELD_COUNT];  // -1: not there
    TokenList fields[FIELD_COUNT];
    bool *others;  // by column: no field
    Str sample;
    uint64_t line;  // the first of the sample
} Table;

static double number_of(Str cell)
{
    double value;
    return number_of_text(cell, &value) ? value : (double)NAN;
}

typedef struct Placed {
    double place, value;
} Placed;

static int by_place(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

// The rows of a sample in the order of their index, where each has one of its own.
static void order_rows(Table *table, Arena *scratch)
{
    const TokenList *index = &table->fields[FIELD_INDEX];
    size_t count = index->count, rising = 1;
    while (rising < count && index->items[rising] > index->items[rising - 1])
        rising++;
    Placed *rows = rising < count ? ARENA_ARRAY(scratch, Placed, count) : NULL;
    for (TokenList *list = table->fields; rows && list < index; list++) {
        if (list->count != count)
            continue;
        for (size_t k = 0; k < count; k++)
            rows[k] = (Placed){index->items[k], list->items[k]};
        qsort(rows, count, sizeof *rows, by_place);
        for (size_t k = 1; k < count; k++)
            if (!(rows[k].place > rows[k - 1].place))
                return;
        for (size_t k = 0; k < count; k++)
            list->items[k] = rows[k].value;
    }
}

static void end_sample(Table *table, const TokenAsk *ask, Arena *scratch, Arena *arena,
                       TokenSet *out, Notices *notices)
{
    order_rows(table, scratch);
    token_key_sample(out, STR(""));
    token_key_sample(out, table->sample);
    for (int i = 0; i < FIELD_SAMPLE; i++)
        if (table->fields[i].count)
            token_list_end_row(&table->fields[i], scratch);
    if (table->fields[FIELD_GENERATION].count || table->fields[FIELD_TRAINING].count)
        token_add_samples(out, ask, table->fields, table->csv.path, table->line, arena, notices);
    for (int i = 0; i < FIELD_COUNT; i++)
        table->fields[i].count = table->fields[i].row_count = 0;
}

static bool is_logprob(Str name)
{
    Arena *arena = arena_new();
    char *lower = str_cstr(arena, name);
    for (size_t i = 0; i < name.size; i++)
        lower[i] = is_letter(lower[i]) ? (char)(lower[i] | 0x20) : lower[i];
    bool found = strstr(lower, "logprob") || strstr(lower, "log_prob") || strstr(lower, "logp_") ||
                 str_ends(str_of(lower), STR("_logp"));
    arena_release(arena);
    return found;
}

// Columns whose names say what they are though no framework is known to use them: as many as are
// wanted, the first of them golden's. False with *err: there are others than that.
static bool take_named_columns(Table *table, const TokenAsk *ask, Arena *scratch, Error *err)
{
    StrBuf names = strbuf_new(scratch);
    int found[TOKEN_COLUMNS] = {-1, -1};
    size_t count = 0, wanted = ask->both ? 2 : 1;
    bool known = table->columns[FIELD_TRAINING] >= 0,
         generation = table->columns[FIELD_GENERATION] >= 0;
    if (ask->columns[0].size || (ask->both ? known && generation : known || generation))
        return true;
    for (size_t i = 0; i < table->csv.column_count; i++)
        if (is_logprob(table->csv.names[i])) {
            if (count < TOKEN_COLUMNS)
                found[count] = (int)i;
            strbuf_printf(&names, count++ ? "," STR_FMT : STR_FMT, STR_ARG(table->csv.names[i]));
        }
    if (count == 0 && table->csv.column_count) {
        for (size_t i = 0; i < table->csv.column_count; i++)
            strbuf_printf(&names, i ? ", " STR_FMT : STR_FMT, STR_ARG(table->csv.names[i]));
        return error_set(err, ERR_INPUT, WHERE_FILE(table->csv.path),
                         tr("no column is called something with logprob; --columns GOLDEN,TARGET "
                            "names two of these: " STR_FMT),
                         STR_ARG(strbuf_str(&names)));
    }
    if (count == wanted) {
        table->columns[FIELD_GENERATION] = ask->both ? found[0] : -1;
        table->columns[FIELD_TRAINING] = found[ask->both];
        return true;
    }
    return count == 0 ||  // without a header the refusal comes later
           error_set(err, ERR_INPUT, WHERE_FILE(table->csv.path),
                     count > wanted ? tr("several columns of log-probabilities: " STR_FMT
                                         "; name two of them: --columns GOLDEN,TARGET")
                                    : tr("one column of log-probabilities, " STR_FMT
                                         ": name a second file, or two columns: --columns "
                                         "GOLDEN,TARGET"),
                     STR_ARG(strbuf_str(&names)));
}

static void take_row(Table *table, TokenSet *out, Arena *scratch, Arena *arena)
{
    // The length and the mask of the sample are repeated on its rows: the first tells them.
    for (int i = 0; i < FIELD_COUNT; i++) {
        bool told = i >= FIELD_LENGTH && i < FIELD_SAMPLE && table->fields[i].count > 0;
        if (i != FIELD_SAMPLE && table->columns[i] >= 0 && !told)
            token_list_add(&table->fields[i], number_of(csv_cell(&table->csv, table->columns[i])),
                           scratch);
    }
    for (size_t i = 0; i < table->csv.column_count; i++)
        if (table->others[i] && !isnan(number_of(csv_cell(&table->csv, (int)i))))
            token_add_other(out, table->csv.names[i], 1, arena);
}

bool token_read_table(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    Table table = {0};
    csv_open(&table.csv, path, text, 0, scratch);
    if (csv_next(&table.csv))
        csv_take_header(&table.csv);
    for (int i = 0; i < FIELD_COUNT; i++)
        table.columns[i] = -1;
    for (size_t i = table.csv.column_count; i-- > 0;) {
        TokenField field = token_field_of(ask, table.csv.names[i]);
        if (field < FIELD_COUNT && table.columns[field] >= 0)
            notices_partial(notices, WHERE_LINE(path, 1),
                            tr("the columns '" STR_FMT "' and '" STR_FMT
                               "' hold one thing: the first is compared, the other is not"),
                            STR_ARG(table.csv.names[i]),
                            STR_ARG(table.csv.names[table.columns[field]]));
        if (field < FIELD_COUNT)
            table.columns[field] = (int)i;
    }
    if (!take_named_columns(&table, ask, scratch, err)) {
        arena_release(scratch);
        return false;
    }
    table.others = ARENA_ARRAY(scratch, bool, table.csv.column_count + 1);
    for (size_t i = 0; i < table.csv.column_count; i++)
        table.others[i] = token_field_of(ask, table.csv.names[i]) == FIELD_COUNT &&
                          table.columns[FIELD_GENERATION] != (int)i &&
                          table.columns[FIELD_TRAINING] != (int)i;
    while (csv_next(&table.csv)) {
        Str sample = csv_cell(&table.csv, table.columns[FIELD_SAMPLE]);
        if (!str_equal(sample, table.sample)) {
            end_sample(&table, ask, scratch, arena, out, notices);
            table.sample = str_copy(scratch, sample);
            table.line = table.csv.line;
        }
        take_row(&table, out, scratch, arena);
    }
    end_sample(&table, ask, scratch, arena, out, notices);
    csv_report(&table.csv, notices);
    arena_release(scratch);
    return out->count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("expected a column of log-probabilities (logprob), found none"));
}
