// SPDX-License-Identifier: Apache-2.0
#include "read/dump/paddle_log.h"

#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/log/lines.h"

enum { LOOK_BYTES = 1 << 18 };

static const char mark[] = "[PRECISION]";

static bool is_record(Str line)
{
    size_t at = str_find(line, str_of(mark), 0);
    return at != SIZE_MAX && str_find(line, STR("op="), at) != SIZE_MAX &&
           str_find(line, STR("numel="), at) != SIZE_MAX;
}

bool paddle_log_is(const char *path, Str text)
{
    (void)path;
    Arena *arena = arena_new();
    Lines lines;
    Str line;
    bool found = false;
    lines_open(&lines, str_slice(text, 0, LOOK_BYTES), arena);
    while (!found && lines_next(&lines, &line))
        found = is_record(line);
    arena_release(arena);
    return found;
}

// The text between "KEY=" and the next comma or bracket; KEY behind a bracket or a blank.
static Str field(Str line, const char *key)
{
    size_t size = str_of(key).size;
    for (size_t at = 0; (at = str_find(line, str_of(key), at)) != SIZE_MAX; at++) {
        char before = at ? line.data[at - 1] : ' ';
        if ((before != ' ' && before != '[') || at + size >= line.size ||
            line.data[at + size] != '=')
            continue;
        size_t end = at + size + 1;
        while (end < line.size && line.data[end] != ',' && line.data[end] != ']')
            end++;
        return str_trim(str_slice(line, at + size + 1, end));
    }
    return (Str){0};
}

static Str dtype_of(Str text, Arena *arena)
{
    static const struct {
        const char *written, *torch;
    } names[] = {
        {"fp32", "float32"}, {"fp16", "float16"}, {"bf16", "bfloat16"}, {"fp64", "float64"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_equal(text, str_of(names[i].written)))
            return str_printf(arena, "torch.%s", names[i].torch);
    return text;
}

static void add_count(DumpRows *rows, const char *key, Str text)
{
    uint64_t count;
    if (str_to_uint64(text, &count) && count > 0)
        dump_rows_extra(rows, str_of(key), text);
}

static void add_line(RowCalls *calls, Str line, uint64_t offset)
{
    static const struct {
        const char *key;
        Stat stat;
    } stats[] = {{"max", STAT_MAX}, {"min", STAT_MIN}, {"mean", STAT_MEAN}};
    DumpRows *rows = calls->rows;
    Arena *scratch = rows->scratch;
    Str op = field(line, "op"), tensor = field(line, "tensor"), count = field(line, "numel");
    bool backward = str_ends(op, STR("_grad")) || str_ends(op, STR("_grad_grad"));
    OpName what = {.kind = OP_API,
                   .direction = backward ? DIR_BACKWARD : DIR_FORWARD,
                   .call = row_calls_next(calls, op),
                   .stem = op.size ? op : STR("op"),
                   .type_name = op};
    Str path = tensor.size ? str_concat(scratch, STR("output."), tensor) : STR("output.0");
    Slot *slot = row_calls_tensor(calls, &what, path, dtype_of(field(line, "dtype"), scratch),
                                  str_printf(scratch, "[" STR_FMT "]", STR_ARG(count)), offset);
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        Str text = field(line, stats[i].key);
        dump_rows_stat(rows, slot, stats[i].stat, str_equal(text, STR("-nan")) ? STR("nan") : text);
    }
    bool negative = str_equal(field(line, "min"), STR("-inf"));
    add_count(rows, "NaN Count", field(line, "num_nan"));
    add_count(rows, negative ? "Negative Inf Count" : "Positive Inf Count", field(line, "num_inf"));
}

bool paddle_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                     Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    DumpRows rows;
    RowCalls calls;
    Lines lines;
    Str line;
    (void)notices;
    dump_rows_init(&rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&calls, &rows);
    lines_open(&lines, text_decode(text, scratch), scratch);
    while (lines_next(&lines, &line))
        if (is_record(line))
            add_line(&calls, line, (uint64_t)lines.at);
    dump_rows_finish(&rows);
    arena_release(scratch);
    out->framework = FRAMEWORK_UNKNOWN;
    out->level = STR("L1");
    out->task = STR("statistics");
    return out->op_count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
}
