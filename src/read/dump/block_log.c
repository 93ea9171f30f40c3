// SPDX-License-Identifier: Apache-2.0
// Logs in which a block of lines tells the statistics of one op, between other lines:
//     torchtitan       rank_N_activations.log: "[layers.1.attention.wo/op_0_mm]", Shape, L2 norm
//     ONNX Runtime     node dumps with statistics: "Add node: NAME", "Min=…,Max=…" below it
//     transformers     DebugUnderflowOverflow: frames of modules, smallest and largest magnitude
//     PyTorch          anomaly mode: "Function 'SqrtBackward0' returned nan values in its 0th …"
//     norms            lines with a parameter and its gradient norm, as trainers print them; in the
//                      order of the backward pass
#include "read/dump/dump_formats.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/dump/slot_content.h"
#include "read/json/json_tree.h"
#include "read/log/lines.h"
#include "read/table/csv_file.h"

enum { LOOK_BYTES = 1 << 18, ITEMS_MAX = 64 };

typedef struct Item {
    Str slot, dtype, shape, stat[STAT_COUNT], nan_count, inf_count;
} Item;

// The gradient norm of a parameter, as a line has it.
typedef struct Norm {
    Str name, value;
    uint64_t offset;
} Norm;

// What one op's lines have told so far; its end is the beginning of the next.
typedef struct Reader {
    DumpRows rows;
    RowCalls calls;
    Lines lines;
    Str name, module;
    bool backward;
    Item items[ITEMS_MAX];
    size_t count, left;  // left: slots beyond ITEMS_MAX
    uint64_t offset;
    bool frames;  // of transformers: rows without a name of their own follow
    Str call;     // of anomaly mode: the last frame of the forward call, with its line of code
    enum { CALL_ELSEWHERE, CALL_FRAMES, CALL_CODE } forward;
    struct {
        Norm *items;
        size_t count, capacity;
    } norms;
    const char *path;
    Notices *notices;
} Reader;

static Str kept(Reader *reader, Str text)
{
    return str_copy(reader->rows.scratch, str_trim(text));
}

static void add_count(Reader *reader, const char *key, Str text)
{
    uint64_t count;
    if (str_to_uint64(text, &count) && count > 0)
        dump_rows_extra(&reader->rows, str_of(key), text);
}

static void end_block(Reader *reader)
{
    if (reader->count) {
        OpName what = {.kind = reader->module.size ? OP_MODULE : OP_API,
                       .direction = reader->backward ? DIR_BACKWARD : DIR_FORWARD,
                       .stem = reader->name,
                       .path = reader->module};
        what.call = row_calls_next(&reader->calls, what.stem);
        for (size_t i = 0; i < reader->count; i++) {
            const Item *item = &reader->items[i];
            Slot *slot = row_calls_tensor(&reader->calls, &what, item->slot, item->dtype,
                                          item->shape, reader->offset);
            if (str_starts(item->slot, STR("parameters.")))
                slot->group = GROUP_PARAMETERS;
            for (int k = 0; k < STAT_COUNT; k++)
                dump_rows_stat(&reader->rows, slot, (Stat)k, item->stat[k]);
            add_count(reader, "NaN Count", item->nan_count);
            add_count(reader, "Positive Inf Count", item->inf_count);
        }
    }
    reader->count = 0;
    reader->name = reader->module = (Str){0};
    reader->backward = false;
}

static void begin_block(Reader *reader, Str name, Str module)
{
    end_block(reader);
    reader->name = kept(reader, name);
    reader->module = module.size ? kept(reader, module) : (Str){0};
    reader->offset = (uint64_t)reader->lines.at;
}

static Item *add_item(Reader *reader, Str slot)
{
    static Item none;
    if (reader->count == ITEMS_MAX) {
        reader->left++;
        return &reader->items[ITEMS_MAX - 1];
    }
    Item *item = &reader->items[reader->count++];
    *item = none;
    item->slot = kept(reader, slot);
    return item;
}

// The text after KEY up to `end`; empty if the line has no such.
static Str behind(Str line, const char *key, char end)
{
    size_t at = str_find(line, str_of(key), 0);
    if (at == SIZE_MAX)
        return (Str){0};
    Str rest = str_slice(line, at + str_of(key).size, line.size);
    return str_trim(str_slice(rest, 0, str_find_char(rest, end, 0)));
}

// ---- torchtitan

static bool is_titan_name(Str text)
{
    return text.size > 4 && text.data[0] == '[' && text.data[text.size - 1] == ']' &&
           str_find(text, STR("/op_"), 0) != SIZE_MAX;
}

static Item *titan_output(Reader *reader)
{
    return reader->count ? &reader->items[0] : add_item(reader, STR("output.0"));
}

// Hashes are L1 norms in float64, and the input's is that of the op that gave it.
static void titan_inputs(Reader *reader, Str hashes)
{
    Str part;
    titan_output(reader);
    for (size_t i = 0; str_split(&hashes, ',', &part); i++)
        if (str_trim(part).size)
            add_item(reader, str_printf(reader->rows.scratch, "input.%zu", i))->stat[STAT_NORM] =
                kept(reader, part);
}

static bool titan_take(Reader *reader, Str text)
{
    static const struct {
        const char *key;
        Stat stat;
    } stats[] = {
        {"L2 norm:", STAT_NORM}, {"Min:", STAT_MIN}, {"Max:", STAT_MAX}, {"Mean:", STAT_MEAN}};
    if (is_titan_name(text)) {
        Str name = str_slice(text, 1, text.size - 1);
        begin_block(reader, name, str_replace(reader->rows.scratch, name, STR("/"), STR(".")));
        return true;
    }
    if (!reader->name.size || str_find(reader->name, STR("/op_"), 0) == SIZE_MAX)
        return false;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        if (str_starts(text, str_of(stats[i].key)))
            titan_output(reader)->stat[stats[i].stat] =
                kept(reader, str_slice(text, str_of(stats[i].key).size, text.size));
    if (str_starts(text, STR("Shape: "))) {
        titan_output(reader)->shape = kept(reader, behind(text, "torch.Size(", ')'));
        titan_output(reader)->dtype = kept(reader, behind(text, "Dtype: ", ' '));
    } else if (str_starts(text, STR("Input hashes:"))) {
        titan_inputs(reader, behind(text, "Input hashes:", '\n'));
    } else if (str_starts(text, STR("Phase:"))) {
        reader->backward = str_find(text, STR("backward"), 0) != SIZE_MAX;
    }
    return true;
}

// ---- ONNX Runtime

static bool is_node(Str text)
{
    size_t at = str_find(text, STR(" node: "), 0);
    return at != SIZE_MAX && at > 0 && str_find_char(str_slice(text, 0, at), ' ', 0) == SIZE_MAX;
}

static bool node_take(Reader *reader, Str text)
{
    static const struct {
        const char *key;
        Stat stat;
    } stats[] = {{"Min=", STAT_MIN}, {"Max=", STAT_MAX}, {"Mean=", STAT_MEAN}};
    Item *item = reader->count ? &reader->items[reader->count - 1] : NULL;
    int64_t index;
    if (is_node(text)) {
        size_t at = str_find(text, STR(" node: "), 0);
        Str name = str_trim(str_slice(text, at + str_of(" node: ").size, text.size));
        begin_block(reader, name.size ? name : str_slice(text, 0, at), (Str){0});
        return true;
    }
    bool input = str_starts(text, STR("Input ")), output = str_starts(text, STR("Output "));
    size_t name = str_find(text, STR(" Name: "), 0);
    if (reader->name.size && (input || output) && name != SIZE_MAX &&
        str_to_int64(str_slice(text, input ? 6 : 7, name), &index)) {
        add_item(reader, str_printf(reader->rows.scratch, "%s.%lld", input ? "input" : "output",
                                    (long long)index));
        return true;
    }
    if (item && str_starts(text, STR("Shape: {")))
        item->shape =
            str_printf(reader->rows.scratch, "[" STR_FMT "]",
                       STR_ARG(str_replace(reader->rows.scratch, behind(text, "Shape: {", '}'),
                                           STR(","), STR(", "))));
    if (!item || !str_starts(text, STR("Min=")))
        return false;
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++)
        item->stat[stats[i].stat] = kept(reader, behind(text, stats[i].key, ','));
    item->nan_count = kept(reader, behind(text, "NaN=", ','));
    item->inf_count = kept(reader, behind(text, "Inf=", ','));
    return true;
}

// ---- transformers

static const char detected[] = "Detected inf/nan during batch_number=";

// "input[0]", "output", "weight".
static Str frame_slot(Reader *reader, Str word)
{
    Arena *scratch = reader->rows.scratch;
    size_t open = str_find_char(word, '[', 0);
    Str head = str_slice(word, 0, open);
    if (!STR_IN(head, "input", "output"))
        return str_printf(scratch, "parameters." STR_FMT, STR_ARG(word));
    Str index =
        open == SIZE_MAX ? STR("0") : str_slice(word, open + 1, str_find_char(word, ']', open));
    return str_printf(scratch, STR_FMT "." STR_FMT, STR_ARG(head), STR_ARG(index));
}

// "6.10e-04 2.91e+03 input[0]", "None output[1]", "encoder.block.2.layer.0 EncSelfAttention".
static bool frame_take(Reader *reader, Str text)
{
    Str words[4], rest = text, part;
    size_t count = 0;
    if (str_starts(text, str_of(detected))) {
        end_block(reader);
        reader->frames =
            reader->rows.row_count == 0;  // a second report says what came of the first
        return true;
    }
    if (!reader->frames)
        return false;
    while (count < 4 && str_split(&rest, ' ', &part))
        if (part.size)
            words[count++] = part;
    double ignored;
    if (count == 3 && number_of_text(words[0], &ignored) && number_of_text(words[1], &ignored)) {
        Item *item = add_item(reader, frame_slot(reader, words[2]));
        item->stat[STAT_MIN] = kept(reader, words[0]);
        item->stat[STAT_MAX] = kept(reader, words[1]);
    } else if (count == 2 && !str_equal(words[0], STR("None"))) {
        begin_block(reader, words[0], words[0]);
    } else if (str_starts(text, STR("Traceback")) || str_starts(text, STR("ValueError"))) {
        end_block(reader);
        reader->frames = false;
    }
    return true;
}

// ---- PyTorch's anomaly mode

static const char returned[] = "' returned nan values in its ";

static bool anomaly_take(Reader *reader, Str text)
{
    size_t at = str_find(text, str_of(returned), 0), open = str_find(text, STR("Function '"), 0);
    if (str_find(text, STR("Traceback of forward call"), 0) != SIZE_MAX) {
        reader->forward = CALL_FRAMES;
    } else if (str_starts(text, STR("Traceback")) || str_starts(text, STR("(Triggered"))) {
        reader->forward = CALL_ELSEWHERE;
    } else if (reader->forward == CALL_CODE) {
        reader->call = str_printf(reader->rows.scratch, STR_FMT ": " STR_FMT, STR_ARG(reader->call),
                                  STR_ARG(text));
        reader->forward = CALL_FRAMES;
    } else if (reader->forward == CALL_FRAMES && str_starts(text, STR("File \""))) {
        reader->call = kept(reader, text);
        reader->forward = CALL_CODE;
    }
    if (at == SIZE_MAX || open == SIZE_MAX || open + 10 > at)
        return false;
    size_t from = at + str_of(returned).size, end = from;
    while (end < text.size && is_digit(text.data[end]))
        end++;
    begin_block(reader, str_slice(text, open + 10, at), (Str){0});
    reader->backward = true;
    add_item(reader, str_printf(reader->rows.scratch, "output." STR_FMT,
                                STR_ARG(str_slice(text, from, end))))
        ->stat[STAT_MAX] = STR("nan");
    if (reader->call.size)
        notices_add(reader->notices, NOTICE_TOLD, WHERE_FILE(reader->path),
                    tr("the forward call of " STR_FMT ": " STR_FMT), STR_ARG(reader->name),
                    STR_ARG(reader->call));
    end_block(reader);
    return true;
}

// ---- norms of gradients

static bool names_parameter(Str word)
{
    size_t dots = 0;
    for (size_t i = 0; i < word.size; i++)
        dots += word.data[i] == '.';
    return dots >= 2 && !is_digit(word.data[0]) &&
           (str_ends(word, STR("weight")) || str_ends(word, STR("bias")));
}

// "rank 3: grad norm of module.layers.3.mlp.weight = nan": the parameter, and the number right
// after the word norm, else the last one.
static bool read_norm(Str line, Norm *out)
{
    static const char *const marks = " \t:=,|()[]'\"";
    double ignored;
    bool direct = false, after = false;
    *out = (Norm){.name = {"", 0}};
    if (str_find(line, STR("norm"), 0) == SIZE_MAX || str_find(line, STR("grad"), 0) == SIZE_MAX)
        return false;
    for (size_t at = 0; at < line.size;) {
        size_t from = at;
        while (at < line.size && !strchr(marks, line.data[at]))
            at++;
        Str word = str_slice(line, from, at);
        bool number = word.size && number_of_text(word, &ignored);
        if (names_parameter(word))
            out->name = word;
        else if (number && !direct && (out->name.size || after))
            out->value = word;
        direct = direct || (number && after);
        after = word.size ? str_ends(word, STR("norm")) : after;
        at += at < line.size;
    }
    return out->name.size && out->value.size;
}

static bool norm_take(Reader *reader, Str text)
{
    Norm norm;
    if (!read_norm(text, &norm))
        return false;
    *ARRAY_PUSH(reader->rows.scratch, &reader->norms) =
        (Norm){kept(reader, norm.name), kept(reader, norm.value), (uint64_t)reader->lines.at};
    return true;
}

static bool is_finite_norm(const Norm *norm)
{
    double value;
    return number_of_text(norm->value, &value) && isfinite(value);
}

// The backward pass comes to the last parameter first, whatever order the lines have.
static void end_norms(Reader *reader)
{
    size_t count = reader->norms.count;
    const Norm *items = reader->norms.items, *last = NULL, *first = NULL;
    bool rising = count && str_compare_natural(items[0].name, items[count - 1].name) <= 0;
    for (size_t i = 0; i < count; i++) {
        const Norm *norm = &items[rising ? count - 1 - i : i];
        begin_block(reader, norm->name, norm->name);
        reader->backward = true;
        reader->offset = norm->offset;
        add_item(reader, STR("output.0"))->stat[STAT_NORM] = norm->value;
        if (!first && is_finite_norm(norm))
            last = norm;
        else
            first = first ? first : norm;
    }
    end_block(reader);
    if (first && last)
        notices_add(reader->notices, NOTICE_TOLD, WHERE_FILE(reader->path),
                    tr("the shallowest finite gradient is that of " STR_FMT
                       ": the backward pass between it and " STR_FMT " is where to look"),
                    STR_ARG(last->name), STR_ARG(first->name));
}

// A log of norms alone: one that prints losses is a log of training.
static bool norms_are(Str text, Arena *arena)
{
    enum { LEAST = 4 };
    Lines lines;
    Str line;
    Norm norm;
    size_t found = 0;
    if (str_find(text, STR("loss"), 0) != SIZE_MAX)
        return false;
    lines_open(&lines, text, arena);
    while (found < LEAST && lines_next(&lines, &line))
        found += read_norm(line, &norm);
    return found == LEAST;
}

static bool take_line(Reader *reader, Str text)
{
    return anomaly_take(reader, text) || norm_take(reader, text) || frame_take(reader, text) ||
           titan_take(reader, text) || node_take(reader, text);
}

bool block_log_is(const char *path, Str text)
{
    (void)path;
    Arena *arena = arena_new();
    Lines lines;
    Str line;
    bool found = false, node = false;
    lines_open(&lines, str_slice(text, 0, LOOK_BYTES), arena);
    while (!found && lines_next(&lines, &line)) {
        Str trimmed = str_trim(line);
        node = node || is_node(trimmed);
        found = is_titan_name(trimmed) || str_find(trimmed, str_of(returned), 0) != SIZE_MAX ||
                str_starts(trimmed, str_of(detected)) ||
                (node && str_starts(trimmed, STR("Min=")) &&
                 str_find(trimmed, STR(",Max="), 0) != SIZE_MAX);
    }
    found = found || norms_are(str_slice(text, 0, LOOK_BYTES), arena);
    arena_release(arena);
    return found;
}

bool block_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    Reader *reader = ARENA_NEW(scratch, Reader);
    Str line;
    reader->path = path;
    reader->notices = notices;
    dump_rows_init(&reader->rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader->calls, &reader->rows);
    lines_open(&reader->lines, text, scratch);
    while (lines_next(&reader->lines, &line))
        take_line(reader, str_trim(line));
    end_block(reader);
    end_norms(reader);
    if (reader->left)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("an op has more tensors than are read"));
    out->printed = true;
    return dump_rows_end(&reader->rows, FRAMEWORK_PYTORCH, "", err);
}

// ---- PaddlePaddle's tensor checker

// Lines that Paddle's tensor checker writes (FLAGS_check_nan_inf_level=3), between other lines:
//
//     [PRECISION] in [device=gpu:0, op=relu, tensor=, dtype=fp32], numel=3, num_nan=0, num_inf=0,
//     num_zero=1, max=2.8e-01, min=0.0e+00, mean=1.1e-01
//
// An op is a line; its calls are counted. It has one output with Max, Min and Mean.

static const char paddle_mark[] = "[PRECISION]";

static bool paddle_is_record(Str line)
{
    size_t at = str_find(line, str_of(paddle_mark), 0);
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
        found = paddle_is_record(line);
    arena_release(arena);
    return found;
}

// The text between "KEY=" and the next comma or bracket; KEY after a bracket or a blank.
static Str paddle_field(Str line, const char *key)
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

static Str paddle_dtype_of(Str text, Arena *arena)
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

static void paddle_add_count(DumpRows *rows, const char *key, Str text)
{
    uint64_t count;
    if (str_to_uint64(text, &count) && count > 0)
        dump_rows_extra(rows, str_of(key), text);
}

static void paddle_add_line(RowCalls *calls, Str line, uint64_t offset)
{
    static const struct {
        const char *key;
        Stat stat;
    } stats[] = {{"max", STAT_MAX}, {"min", STAT_MIN}, {"mean", STAT_MEAN}};
    DumpRows *rows = calls->rows;
    Arena *scratch = rows->scratch;
    Str op = paddle_field(line, "op"), tensor = paddle_field(line, "tensor"),
        count = paddle_field(line, "numel");
    bool backward = str_ends(op, STR("_grad")) || str_ends(op, STR("_grad_grad"));
    OpName what = {.kind = OP_API,
                   .direction = backward ? DIR_BACKWARD : DIR_FORWARD,
                   .call = row_calls_next(calls, op),
                   .stem = op.size ? op : STR("op"),
                   .type_name = op};
    Str path = tensor.size ? str_concat(scratch, STR("output."), tensor) : STR("output.0");
    Slot *slot =
        row_calls_tensor(calls, &what, path, paddle_dtype_of(paddle_field(line, "dtype"), scratch),
                         str_printf(scratch, "[" STR_FMT "]", STR_ARG(count)), offset);
    for (size_t i = 0; i < sizeof stats / sizeof *stats; i++) {
        Str text = paddle_field(line, stats[i].key);
        dump_rows_stat(rows, slot, stats[i].stat, str_equal(text, STR("-nan")) ? STR("nan") : text);
    }
    bool negative = str_equal(paddle_field(line, "min"), STR("-inf"));
    paddle_add_count(rows, "NaN Count", paddle_field(line, "num_nan"));
    paddle_add_count(rows, negative ? "Negative Inf Count" : "Positive Inf Count",
                     paddle_field(line, "num_inf"));
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
    lines_open(&lines, text, scratch);
    while (lines_next(&lines, &line))
        if (paddle_is_record(line))
            paddle_add_line(&calls, line, (uint64_t)lines.at);
    return dump_rows_end(&rows, FRAMEWORK_UNKNOWN, "L1", err);
}

// ---- probes of one's own

// A probe of one's own: JSON Lines without a header, a tensor a line with a name (stage, module,
// layer, op, name, …), shape or dtype, and statistics (min, max, mean, norm, max_abs, nan_count),
// or a CSV with such columns. Its order is that of execution.

// The first that a line has names its op, the next one the tensor of it.
static const char *const name_keys[] = {"stage", "module",  "module_name", "layer_name",
                                        "op",    "op_name", "layer",       "hook",
                                        "tag",   "name",    "key",         "tensor"};

typedef struct StatKey {
    const char *key;
    Stat stat;
} StatKey;
static const StatKey stat_keys[] = {
    {"max", STAT_MAX},     {"min", STAT_MIN},     {"mean", STAT_MEAN},    {"norm", STAT_NORM},
    {"l2", STAT_NORM},     {"l2norm", STAT_NORM}, {"l2_norm", STAT_NORM}, {"avg", STAT_MEAN},
    {"max_abs", STAT_MAX}, {"abs_max", STAT_MAX}, {"absmax", STAT_MAX},   {"amax", STAT_MAX},
    {"amin", STAT_MIN}};
enum {
    NAME_KEYS = sizeof name_keys / sizeof *name_keys,
    STAT_KEYS = sizeof stat_keys / sizeof *stat_keys
};

static bool is_plain(const JsonNode *node)
{
    return node && (node->kind == JSON_STRING || node->kind == JSON_INTEGER);
}

// The next member that names something, from *from on; NULL: none.
static const JsonNode *next_name(const JsonNode *line, size_t *from)
{
    const JsonNode *found = NULL;
    while (*from < NAME_KEYS && !found) {
        const JsonNode *member = tree_member(line, str_of(name_keys[(*from)++]));
        found = is_plain(member) && member->text.size ? member : NULL;
    }
    return found;
}

static size_t count_stats(const JsonNode *line)
{
    size_t count = 0;
    for (size_t i = 0; i < STAT_KEYS; i++)
        count += tree_member(line, str_of(stat_keys[i].key)) != NULL;
    return count;
}

static bool is_record(const JsonNode *line)
{
    size_t from = 0;
    bool tensor = tree_member(line, STR("shape")) || tree_member(line, STR("dtype"));
    return line->kind == JSON_OBJECT && next_name(line, &from) && tensor && count_stats(line) >= 2;
}

// A row of a CSV as such an object.
static JsonNode *row_object(const Csv *csv, Arena *arena)
{
    JsonNode *nodes = ARENA_ARRAY(arena, JsonNode, csv->column_count + 1), **end = &nodes->child;
    nodes->kind = JSON_OBJECT;
    for (size_t i = 0; i < csv->column_count; i++) {
        int64_t whole;
        Str cell = str_trim(csv_cell(csv, (int)i));
        if (cell.size == 0)
            continue;
        nodes[i + 1].kind = str_to_int64(cell, &whole) ? JSON_INTEGER : JSON_STRING;
        nodes[i + 1].key = csv->names[i];
        nodes[i + 1].text = str_copy(arena, cell);
        *end = &nodes[i + 1];
        end = &nodes[i + 1].next;
    }
    return nodes;
}

// Columns of a probe. Without a shape or type, three statistics, and no step: a table of steps is a
// log, or of a monitor.
static bool columns_are(Csv *csv)
{
    static const char *const moments[] = {"step", "epoch", "iteration", "iter"};
    size_t names = 0, stats = 0, steps = 0;
    if (!csv_next(csv))
        return false;
    csv_take_header(csv);
    for (size_t i = 0; i < NAME_KEYS; i++)
        names += csv_column(csv, name_keys[i]) >= 0;
    for (size_t i = 0; i < STAT_KEYS; i++)
        stats += csv_column(csv, stat_keys[i].key) >= 0;
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        steps += csv_column(csv, moments[i]) >= 0;
    bool tensor = csv_column(csv, "shape") >= 0 || csv_column(csv, "dtype") >= 0;
    return names && stats >= (tensor ? 2 : 3) && (tensor || !steps);
}

static bool probe_table_is(Str text)
{
    enum { HEAD_BYTES = 4096 };
    Arena *arena = arena_new();
    Csv csv;
    size_t feed = str_find_char(str_slice(text, 0, HEAD_BYTES), '\n', 0);
    csv_open(&csv, "", str_slice(text, 0, feed == SIZE_MAX ? 0 : feed + 1), '\0', arena);
    bool is = feed != SIZE_MAX && !str_starts(text, STR("{")) && columns_are(&csv);
    arena_release(arena);
    return is;
}

bool probe_lines_is(const char *path, Str text)
{
    (void)path;
    enum { LINE_MAX_BYTES = 1 << 16 };
    Str line = str_slice(text, 0, str_find_char(text, '\n', 0));
    if (probe_table_is(text))
        return true;
    if (line.size < 8 || line.size > LINE_MAX_BYTES || line.data[0] != '{')
        return false;
    Arena *arena = arena_new();
    JsonTree tree;
    bool is = tree_parse(str_trim(line), arena, &tree) && is_record(tree.root);
    arena_release(arena);
    return is;
}

typedef struct Probe {
    DumpRows rows;
    RowCalls calls;
    Str rank;  // of the first line
    Arena *scratch;
} Probe;

static Str shown(const JsonNode *value, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    if (value)
        tree_python(value, &out);
    return strbuf_str(&out);
}

static Str slot_of(Probe *reader, const JsonNode *line, const JsonNode *name)
{
    static const char *const keys[] = {"io", "direction", "kind", "type", NULL};
    Str io = STR("output");
    for (size_t i = 0; keys[i]; i++)
        if (str_starts(tree_member_text(line, keys[i]), STR("in")))
            io = STR("input");
    return name ? str_printf(reader->scratch, STR_FMT "." STR_FMT, STR_ARG(io), STR_ARG(name->text))
                : str_concat(reader->scratch, io, STR(".0"));
}

// A second step, or another call, is the next call of its name; ranks of one file stay apart.
static void add_record(Probe *reader, const JsonNode *line, uint64_t offset)
{
    size_t from = 0;
    const JsonNode *op = next_name(line, &from), *part = next_name(line, &from);
    Str rank = shown(tree_member(line, STR("rank")), reader->scratch);
    Str slot_name = slot_of(reader, line, part), stem = op->text;
    if (!reader->rank.data)
        reader->rank = rank.size ? rank : STR("0");
    if (rank.size && !str_equal(rank, reader->rank))
        stem = str_printf(reader->scratch, STR_FMT "@rank" STR_FMT, STR_ARG(stem), STR_ARG(rank));
    stem = str_copy(reader->scratch, stem);
    OpName what = {.kind = OP_API, .direction = DIR_FORWARD, .stem = stem};
    what.call = row_calls_next(&reader->calls, str_printf(reader->scratch, STR_FMT "|" STR_FMT,
                                                          STR_ARG(stem), STR_ARG(slot_name)));
    Slot *slot = row_calls_tensor(&reader->calls, &what, slot_name,
                                  shown(tree_member(line, STR("dtype")), reader->scratch),
                                  shown(tree_member(line, STR("shape")), reader->scratch), offset);
    for (size_t i = 0; i < STAT_KEYS; i++) {
        const JsonNode *value = tree_member(line, str_of(stat_keys[i].key));
        if (value && value->kind <= JSON_STRING && !slot->tag[stat_keys[i].stat])
            dump_rows_stat(&reader->rows, slot, stat_keys[i].stat, shown(value, reader->scratch));
    }
    for (const JsonNode *member = line->child; member; member = member->next)
        if (nonfinite_is_count(member->key) && !str_equal(member->text, STR("0")))
            dump_rows_extra(&reader->rows, member->key, shown(member, reader->scratch));
}

static void skip_line(Notices *notices, const char *path, uint64_t number)
{
    notices_partial(notices, WHERE_LINE(path, number), "%s",
                    tr("the line is no record of a tensor and is skipped"));
}

static void read_table(Probe *reader, const char *path, Str text, Notices *notices)
{
    Csv csv;
    csv_open(&csv, path, text, '\0', reader->scratch);
    for (bool good = columns_are(&csv); good && csv_next(&csv);) {
        size_t from = 0;
        const JsonNode *row = row_object(&csv, reader->scratch);
        if (csv_row_is_whole(&csv) && next_name(row, &from))
            add_record(reader, row, csv.line);
        else
            skip_line(notices, path, csv.line);
    }
    csv_report(&csv, notices);
}

bool probe_lines_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err)
{
    Probe reader = {.scratch = arena_new()};
    uint64_t number = 0;
    bool table = probe_table_is(text);
    dump_rows_init(&reader.rows, path, text.size, names, arena, reader.scratch, out);
    row_calls_init(&reader.calls, &reader.rows);
    if (table)
        read_table(&reader, path, text, notices);
    for (size_t at = table ? text.size : 0; at < text.size;) {
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed;
        Str line = str_trim(str_slice(text, at, end));
        JsonTree tree;
        number++;
        if (line.size && tree_parse(line, reader.scratch, &tree) && is_record(tree.root))
            add_record(&reader, tree.root, at);
        else if (line.size)
            skip_line(notices, path, number);
        at = end + 1;
    }
    return dump_rows_end(&reader.rows, FRAMEWORK_UNKNOWN, "L1", err);
}
