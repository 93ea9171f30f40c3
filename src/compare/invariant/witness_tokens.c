// SPDX-License-Identifier: Apache-2.0
// Arrays that a trainer saved of what goes in, element by element.
#include "compare/invariant/witness_take.h"

#include <math.h>

#include "base/file.h"
#include "base/words.h"
#include "compare/invariant/witness_look.h"
#include "read/tensor/tensor_file.h"
#include "read/tensor/tensor_values.h"

typedef enum Part { PART_TOKENS, PART_LABELS, PART_MASK, PART_POSITIONS, PARTS } Part;

// What trainers call them.
static const char *const part_names[PARTS][5] = {
    {"tokens", "input_ids", "text", "token_ids"},
    {"labels", "targets", "target", "label"},
    {"loss_mask"},
    {"position_ids", "positions"},
};

enum { ELEMENTS_MAX = 1 << 26, IGNORE_USUAL = -100 };

// Rows of one batch; parts that are not there are NULL.
typedef struct Batch {
    const double *values[PARTS];
    Str names[PARTS];
    size_t rows, columns;
    const TokenIds *ids;
    double ignore;  // the label that does not count
    Looking look;
} Batch;

static const double *read_part(const char *path, Batch *of, bool first, Arena *arena,
                               Notices *notices)
{
    TensorFile file;
    Error err;
    if (!tensor_open(path, &file, notices, &err))
        return NULL;  // said when the dump was read
    const Tensor *tensor = &file.tensor;
    size_t columns = tensor->rank ? (size_t)tensor->shape[tensor->rank - 1] : 0;
    size_t rows = columns ? (size_t)(tensor->count / columns) : 0;
    double *values = NULL;
    if (first && tensor->count <= ELEMENTS_MAX) {
        of->rows = rows;
        of->columns = columns;
    }
    if (columns && rows == of->rows && columns == of->columns &&
        dtype_class(tensor->dtype) != CLASS_COMPLEX) {
        values = ARENA_ARRAY(arena, double, (size_t)tensor->count);
        for (uint64_t at = 0; at < tensor->count; at += BLOCK_ELEMENTS) {
            double raw[BLOCK_ELEMENTS];
            size_t count =
                (size_t)(tensor->count - at < BLOCK_ELEMENTS ? tensor->count - at : BLOCK_ELEMENTS);
            const void *bytes = tensor_elements(tensor, at, count, raw);
            double numbers[BLOCK_ELEMENTS];
            const double *got = doubles_of(bytes, tensor->dtype, count, numbers);
            memcpy(values + at, got, count * sizeof *values);
        }
    }
    tensor_close(&file);
    return values;
}

// "step0/rank1/tokens" and "tokens" in the same way.
static bool find_part(const Dump *dump, Part part, Str *name, Str *file)
{
    for (uint32_t i = 0; i < dump->op_count; i++) {
        const Op *op = &dump->ops[i];
        *name = str_behind(names_text(dump->names, op->name), '/');
        if (str_in(*name, part_names[part]) && op->slot_count == 1) {
            *file = names_text(dump->names, dump->slots[op->first_slot].data_name);
            return file->size > 0;
        }
    }
    return false;
}

static void read_batch(const Dump *dump, Batch *out, Arena *arena, Notices *notices)
{
    Str file;
    for (int part = 0; part < PARTS; part++)
        if (find_part(dump, (Part)part, &out->names[part], &file))
            out->values[part] = read_part(path_join(arena, dump->path.data, file), out,
                                          out->columns == 0, arena, notices);
}

static void found(Batch *of, LocalLaw law, Part part, Str text)
{
    look_break(&of->look, law, of->names[part], STR_FMT, STR_ARG(text));
}

static Str place(const Batch *of, Part part, size_t at)
{
    return str_printf(of->look.scratch, STR_FMT "[%zu, %zu]", STR_ARG(of->names[part]),
                      at / of->columns, at % of->columns);
}

// Labels that no id can be: the one that the configuration names, -100, or the only one there is.
static double find_ignore(const Batch *of)
{
    const double *labels = of->values[PART_LABELS];
    double only = IGNORE_USUAL;
    bool usual = false;
    if (of->ids->ignore.known || !labels)
        return of->ids->ignore.known ? (double)of->ids->ignore.value : IGNORE_USUAL;
    for (size_t i = 0; i < of->rows * of->columns; i++) {
        usual = usual || labels[i] == IGNORE_USUAL;
        only = labels[i] < 0 ? labels[i] : only;
    }
    return usual ? IGNORE_USUAL : only;
}

static void check_vocabulary(Batch *of, Part part)
{
    const double *values = of->values[part];
    bool bounded = of->ids->vocabulary.known;
    double size = bounded ? (double)of->ids->vocabulary.value : INFINITY;
    for (size_t i = 0; values && i < of->rows * of->columns; i++) {
        of->look.out->local[LOCAL_VOCABULARY].checked++;
        if ((values[i] >= 0 && values[i] < size) ||
            (part == PART_LABELS && values[i] == of->ignore))
            continue;
        Str at = place(of, part, i);
        found(of, LOCAL_VOCABULARY, part,
              values[i] < 0
                  ? str_printf(of->look.scratch,
                               tr(STR_FMT " is %.0f: an embedding has no such row"), STR_ARG(at),
                               values[i])
                  : str_printf(of->look.scratch,
                               tr(STR_FMT " is %.0f, not below the vocabulary size (vocab_size) "
                                          "%.0f"),
                               STR_ARG(at), values[i], size));
    }
}

static bool counts(const Batch *of, size_t i)
{
    const double *mask = of->values[PART_MASK];
    return of->values[PART_LABELS][i] != of->ignore && (!mask || mask[i] != 0);
}

// Models of Hugging Face shift by themselves: of input_ids labels may be a copy.
static void check_shift(Batch *of)
{
    const double *tokens = of->values[PART_TOKENS], *labels = of->values[PART_LABELS];
    size_t asked = 0, shifted = 0, copied = 0, first = SIZE_MAX;
    for (size_t i = 0; tokens && labels && i < of->rows * of->columns; i++) {
        if (i % of->columns + 1 == of->columns || !counts(of, i))
            continue;
        asked++;
        shifted += labels[i] == tokens[i + 1];
        copied += labels[i] == tokens[i];
        if (labels[i] != tokens[i + 1] && first == SIZE_MAX)
            first = i;
    }
    if (asked == 0 || (copied == asked && str_equal(of->names[PART_TOKENS], STR("input_ids"))))
        return;
    of->look.out->local[LOCAL_SHIFT].checked += asked;
    if (shifted == asked)
        return;
    Str at = place(of, PART_LABELS, first);
    found(of, LOCAL_SHIFT, PART_LABELS,
          copied == asked
              ? str_printf(of->look.scratch,
                           tr("all %zu labels that count are the tokens themselves, not shifted by "
                              "one"),
                           asked)
              : str_printf(of->look.scratch,
                           tr("%zu of %zu labels are not the next token, first " STR_FMT
                              ": %.0f, the next token is %.0f"),
                           asked - shifted, asked, STR_ARG(at), labels[first], tokens[first + 1]));
}

static bool is_padding(const Batch *of, double value)
{
    return of->ids->pad.known && value == (double)of->ids->pad.value;
}

static void check_mask(Batch *of)
{
    const double *labels = of->values[PART_LABELS], *mask = of->values[PART_MASK];
    size_t asked = 0, wrong = 0, first = 0, all = of->rows * of->columns;
    for (size_t i = 0; labels && mask && i < all; i++) {
        if (labels[i] != of->ignore && !is_padding(of, labels[i]))
            continue;
        asked++;
        if (mask[i] != 0 && wrong++ == 0)
            first = i;
    }
    of->look.out->local[LOCAL_MASK].checked += asked;
    if (wrong)
        found(of, LOCAL_MASK, PART_MASK,
              str_printf(of->look.scratch,
                         tr("1 at %zu of %zu positions whose label is padding or the ignore index "
                            "%.0f, first " STR_FMT ": they count in the loss"),
                         wrong, all, of->ignore, STR_ARG(place(of, PART_MASK, first))));
}

// Whether a sequence starts at this column, packed after another: its first token, where the label
// before it does not count or the token before it ends one.
static bool starts(const Batch *of, size_t row, size_t column)
{
    const double *tokens = of->values[PART_TOKENS] + row * of->columns;
    const double *labels = of->values[PART_LABELS];
    double begin = of->ids->bos.known ? (double)of->ids->bos.value : tokens[0];
    bool cut = labels && labels[row * of->columns + column - 1] == of->ignore;
    bool ended = of->ids->eos.known && tokens[column - 1] == (double)of->ids->eos.value;
    return tokens[column] == begin && !is_padding(of, begin) && (cut || ended);
}

static void check_positions(Batch *of)
{
    const double *positions = of->values[PART_POSITIONS];
    size_t asked = 0, wrong = 0, first = 0;
    for (size_t row = 0; positions && of->values[PART_TOKENS] && row < of->rows; row++)
        for (size_t column = 1; column < of->columns; column++) {
            size_t at = row * of->columns + column;
            if (!starts(of, row, column))
                continue;
            asked++;
            if (positions[at] != 0 && wrong++ == 0)
                first = at;
        }
    of->look.out->local[LOCAL_POSITIONS].checked += asked;
    if (wrong)
        found(
            of, LOCAL_POSITIONS, PART_POSITIONS,
            str_printf(of->look.scratch,
                       tr("do not restart at %zu of %zu starts of packed sequences, first " STR_FMT
                          ": %.0f"),
                       wrong, asked, STR_ARG(place(of, PART_POSITIONS, first)), positions[first]));
}

static uint64_t hash_of(const Batch *of)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (size_t i = 0; i < of->rows * of->columns; i++) {
        hash ^= bits_of_double(of->values[PART_TOKENS][i]);
        hash *= 0x9E3779B97F4A7C15U;
        hash ^= hash >> 29;
    }
    return hash | 1;
}

// A batch of one token all over shows nothing.
static bool is_rich(const Batch *of)
{
    enum { VALUES = 8 };
    size_t changes = 0;
    for (size_t i = 1; i < of->rows * of->columns; i++)
        changes += of->values[PART_TOKENS][i] != of->values[PART_TOKENS][i - 1];
    return changes >= VALUES;
}

void witness_tokens(const Dump *dump, RankWitness *out, Notices *notices)
{
    static const TokenIds none = {0};
    Str name, file;
    if (!find_part(dump, PART_TOKENS, &name, &file) || file_kind(dump->path.data) != FILE_FOLDER)
        return;
    Batch batch = {.ids = out->expects && out->expects->tokens ? out->expects->tokens : &none,
                   .look = {.dump = dump, .out = out, .scratch = out->arena}};
    read_batch(dump, &batch, out->arena, notices);
    if (batch.values[PART_TOKENS]) {
        batch.ignore = find_ignore(&batch);
        out->has_tokens = true;
        out->batch_hash = is_rich(&batch) ? hash_of(&batch) : 0;
        check_vocabulary(&batch, PART_TOKENS);
        check_vocabulary(&batch, PART_LABELS);
        check_shift(&batch);
        check_mask(&batch);
        check_positions(&batch);
    }
}
