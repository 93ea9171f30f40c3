// SPDX-License-Identifier: Apache-2.0
// What polygraphy run --save-outputs (or --save-results) writes: nested lists and objects in which
// an array is {"array": BASE64 of a .npy file}. An op is the name of an output, in the order of the
// file; the outputs of a later iteration are its next calls. Statistics are computed from the
// elements.
#include "read/dump/dump_formats.h"

#include <string.h>

#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/json/json_scan.h"
#include "read/json/json_tree.h"
#include "read/tensor/npy.h"
#include "read/tensor/tensor_statistics.h"

typedef struct Reader {
    const char *path;
    DumpRows rows;
    RowCalls calls;
    Notices *notices;
} Reader;

bool polygraphy_json_is(const char *path, Str text)
{
    enum { END = 256, START = 4096 };
    (void)path;
    Str mark = STR("\"polygraphy_class\"");
    size_t from = text.size > END ? text.size - END : 0;
    return str_equal(scan_first_key(text), STR("lst")) &&
           (str_find(str_slice(text, from, text.size), mark, 0) != SIZE_MAX ||
            str_find(str_slice(text, 0, START), mark, 0) != SIZE_MAX);
}

enum { NO_DIGIT = 64 };

static void list_digits(uint8_t out[256])
{
    Str digits = STR("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    memset(out, NO_DIGIT, 256);
    for (size_t i = 0; i < digits.size; i++)
        out[(unsigned char)digits.data[i]] = (uint8_t)i;
}

// False: a character is none of base64.
static bool decode(Str text, Arena *arena, Str *out)
{
    uint8_t digits[256];
    list_digits(digits);
    char *bytes = ARENA_ARRAY(arena, char, text.size / 4 * 3 + 4);
    size_t size = 0;
    uint32_t bits = 0;
    unsigned held = 0;
    for (size_t i = 0; i < text.size && text.data[i] != '='; i++) {
        uint8_t digit = digits[(unsigned char)text.data[i]];
        if (digit == NO_DIGIT)
            return false;
        bits = bits << 6 | digit;
        held += 6;
        if (held >= 8) {
            held -= 8;
            bytes[size++] = (char)(bits >> held & 0xff);
        }
    }
    *out = (Str){bytes, size};
    return true;
}

static void set_stat(Slot *slot, Stat stat, double value)
{
    slot->tag[stat] = TAG_REAL;
    slot->stat[stat].real = value;
}

static void add_tensor(Reader *reader, Str name, const Tensor *tensor)
{
    char shape[TENSOR_MAX_RANK * 24];
    TensorStatistics statistics;
    OpName what = {.kind = OP_API,
                   .direction = DIR_FORWARD,
                   .call = row_calls_next(&reader->calls, name),
                   .stem = name.size ? name : STR("output"),
                   .type_name = name};
    tensor_statistics(tensor, &statistics);
    tensor_shape_text(tensor, shape, sizeof shape);
    Str dtype = str_printf(reader->rows.scratch, "torch.%s", dtype_text(tensor->dtype));
    Slot *slot = row_calls_tensor(&reader->calls, &what, STR("output.0"), dtype, str_of(shape), 0);
    if (tensor->count == 0)
        return;
    set_stat(slot, STAT_MAX, statistics.max);
    set_stat(slot, STAT_MIN, statistics.min);
    set_stat(slot, STAT_MEAN, statistics.mean);
    set_stat(slot, STAT_NORM, statistics.norm);
}

static void add_array(Reader *reader, Str name, Str text)
{
    Arena *arena = arena_new();
    Tensor tensor;
    Str bytes;
    Error err;
    if (!decode(text, arena, &bytes) || !npy_is(bytes))
        notices_partial(reader->notices, WHERE_FILE(reader->path), "%s",
                        tr("an array is no .npy file in base64 and is left out"));
    else if (npy_read(reader->path, bytes, &tensor, reader->notices, &err))
        add_tensor(reader, name, &tensor);
    else
        notices_add_error(reader->notices, &err);
    arena_release(arena);
}

typedef struct Level {
    const JsonNode *next;
    Str name;  // of the nearest member that can name an output
} Level;

static bool is_wrapper(Str key)
{
    return STR_IN(key, "values", "array", "arr", "outputs", "lst", "dct", "_results");
}

// The arrays at any depth, in the order of the file, by the name of what holds them.
static void read_arrays(Reader *reader, const JsonNode *root)
{
    Level open[JSON_DEPTH_MAX + 1] = {{root->child, (Str){0}}};
    for (int depth = 1; depth;) {
        Level *level = &open[depth - 1];
        const JsonNode *node = level->next;
        if (!node) {
            depth--;
            continue;
        }
        level->next = node->next;
        Str name = node->key.size && !is_wrapper(node->key) ? node->key : level->name;
        if (node->kind == JSON_STRING && str_equal(node->key, STR("array")))
            add_array(reader, level->name, node->text);
        else if (node->child && depth <= JSON_DEPTH_MAX)
            open[depth++] = (Level){node->child, name};
    }
}

bool polygraphy_json_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                          Notices *notices, Error *err)
{
    JsonTree tree;
    Arena *scratch = arena_new();
    Reader reader = {.path = path, .notices = notices};
    dump_rows_init(&reader.rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader.calls, &reader.rows);
    bool whole = tree_parse(text, scratch, &tree);
    if (whole)
        read_arrays(&reader, tree.root);
    bool good = dump_rows_end(&reader.rows, FRAMEWORK_UNKNOWN, "L1", err);
    return good || (!whole && error_set(err, ERR_INPUT, WHERE_FILE(path), "%s",
                                        tr("this is no whole JSON file")));
}
