// SPDX-License-Identifier: Apache-2.0
#include "read/token/token_file.h"

#include "base/file.h"
#include "base/number.h"
#include "base/words.h"
#include "read/json/json_scan.h"
#include "read/tensor/npy.h"
#include "read/tensor/tensor_file.h"
#include "read/tensor/tensor_values.h"
#include "read/tensor/torch_content.h"
#include "read/token/token_rows.h"
#include "read/token/token_torch.h"
#include "read/token/token_tree.h"

static void copy_values(const Tensor *tensor, double *out)
{
    double values[BLOCK_ELEMENTS], raw[BLOCK_ELEMENTS];
    for (uint64_t first = 0; first < tensor->count; first += BLOCK_ELEMENTS) {
        uint64_t left = tensor->count - first;
        size_t count = left < BLOCK_ELEMENTS ? (size_t)left : BLOCK_ELEMENTS;
        const double *block =
            doubles_of(tensor_elements(tensor, first, count, raw), tensor->dtype, count, values);
        memcpy(out + first, block, count * sizeof *out);
    }
}

static bool check_shape(const char *path, const Tensor *tensor, const Tensor *like, Error *err)
{
    if (dtype_class(tensor->dtype) == CLASS_COMPLEX || tensor->rank == 0 || tensor->rank > 2)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("expected an array of samples × tokens, or of the tokens of one"));
    return !like || tensor_same_shape(tensor, like) ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                     tr("expected the shape of the log-probabilities"));
}

// The elements of a file next to the log-probabilities; NULL with *err set if it does not fit.
static double *read_beside(const char *path, const Tensor *like, Arena *arena, Notices *notices,
                           Error *err)
{
    TensorFile file;
    if (!tensor_open(path, &file, notices, err))
        return NULL;
    double *out = NULL;
    if (check_shape(path, &file.tensor, like, err)) {
        out = ARENA_ARRAY(arena, double, file.tensor.count);
        copy_values(&file.tensor, out);
    }
    tensor_close(&file);
    return out;
}

static bool read_array(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                       Notices *notices, Error *err)
{
    Tensor tensor;
    if (!tensor_read(path, text, &tensor, notices, err) || !check_shape(path, &tensor, NULL, err))
        return false;
    size_t rows = tensor.rank == 2 ? (size_t)tensor.shape[0] : 1;
    uint64_t length = tensor.shape[tensor.rank - 1];
    if (tensor.count == 0 || length >= UINT32_MAX)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the array holds no token"));
    out->count = (size_t)tensor.count;
    out->values[0] = ARENA_ARRAY(arena, double, out->count);
    copy_values(&tensor, out->values[0]);
    out->samples = ARENA_ARRAY(arena, TokenSample, rows);
    for (out->sample_count = 0; out->sample_count < rows; out->sample_count++)
        out->samples[out->sample_count] =
            (TokenSample){out->sample_count * (size_t)length, (uint32_t)length, false, false, 0};
    const double *mask = NULL, *ids = NULL;
    if (ask->mask && !(mask = read_beside(ask->mask, &tensor, arena, notices, err)))
        return false;
    if (ask->ids && !(ids = read_beside(ask->ids, &tensor, arena, notices, err)))
        return false;
    out->mask = mask ? ARENA_ARRAY(arena, uint8_t, out->count) : NULL;
    out->ids = ids ? ARENA_ARRAY(arena, int64_t, out->count) : NULL;
    for (size_t i = 0; mask && i < out->count; i++)
        out->mask[i] = mask[i] != 0;
    for (size_t i = 0; ids && i < out->count; i++)
        out->ids[i] = number_can_count(ids[i]) ? (int64_t)ids[i] : INT64_MIN;
    return true;
}

static bool starts_object(Str text)
{
    size_t at = scan_space(text, 0);
    return at < text.size && (text.data[at] == '{' || text.data[at] == '[');
}

// Ids that no sample tells are not there.
static void drop_untold(TokenSet *set)
{
    bool ids = false;
    for (size_t i = 0; i < set->count && !ids; i++)
        ids = set->ids && set->ids[i] != INT64_MIN;
    set->ids = ids ? set->ids : NULL;
    if (set->spread_count != set->count)
        set->spread_count = 0;  // which token they are of is not sure
}

static void say_others(const char *path, const TokenSet *set, const TokenAsk *ask, Notices *notices)
{
    enum { NAMED = 8 };
    size_t count = set->others ? names_count(set->others) : 0;
    StrBuf text = strbuf_new(notices->arena);
    for (size_t i = 0; i < count && i <= NAMED; i++)
        strbuf_printf(&text, i ? ", " STR_FMT : STR_FMT,
                      STR_ARG(i < NAMED ? names_text(set->others, (NameId)(i + 1)) : STR("…")));
    if (count && !ask->columns[0].size)
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(path),
                    tr("values under other names are not compared: " STR_FMT
                       "; --columns names two columns"),
                    STR_ARG(strbuf_str(&text)));
    account_see(&notices->account, set->other_values);
    account_set_aside(&notices->account, ASIDE_NOT_ASKED, set->other_values);
}

bool token_set_read_text(const char *path, Str text, const TokenAsk *ask, Arena *arena,
                         TokenSet *out, Notices *notices, Error *err)
{
    bool good;
    *out = (TokenSet){.bytes = text.size};
    if (text.size == 0)
        return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("the file is empty"));
    if (npy_is(text)) {
        if (ask->both)
            return error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                             tr("an array holds one side: name a second file"));
        out->array = true;
        good = read_array(path, text, ask, arena, out, notices, err);
    } else if (torch_is(text)) {
        good = token_read_torch(path, text, ask, arena, out, notices, err);
    } else if (starts_object(text)) {
        good = (token_tree_is(text) ? token_read_tree(path, text, ask, arena, out, notices)
                                    : token_read_lines(path, text, ask, arena, out, notices)) ||
               error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                         tr("no sample with log-probabilities could be read"));
    } else {
        good = token_read_table(path, text, ask, arena, out, notices, err);
    }
    drop_untold(out);
    say_others(path, out, ask, notices);
    if (good)
        account_see(&notices->account, out->count * (1u + (out->values[1] != NULL) +
                                                     (out->beside != NULL) + (out->ids != NULL)));
    return good;
}

bool token_set_read(const char *path, const TokenAsk *ask, Arena *arena, TokenSet *out,
                    Notices *notices, Error *err)
{
    File file;
    if (!file_open(path, &file, err))
        return false;
    TokenAsk own = *ask;
    own.mapped = file.mapping && !file.loaded;
    bool good = token_set_read_text(path, file.text, &own, arena, out, notices, err);
    file_close(&file);
    return good;
}
