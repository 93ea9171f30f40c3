// SPDX-License-Identifier: Apache-2.0
// What llama.cpp's eval callback prints (llama-eval-callback, llama-debug --verbose), one block a
// node of the graph in the order in which they ran, between other lines of a log:
//
//     common_debug_cb_eval:   attn_norm-0 = (f32)   MUL(norm-0{64, 5, 1, 1}, …}) = {64, 5, 1, 1}
//         [ … first and last 3 of each dimension, 4 digits after the point … ]
//         sum = -3.141593
#include "read/dump/dump_formats.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/log/lines.h"

enum { LOOK_BYTES = 1 << 18, DIMENSIONS = 4 };

typedef struct Reader {
    DumpRows rows;
    RowCalls calls;
    Lines lines;
    Slot *slot;       // of the node whose block is being read; NULL: none
    double elements;  // of that
    double shown_sum;
    uint64_t shown;          // values of the block
    uint64_t cut, of_shown;  // blocks that leave values out; those whose sum is of the values shown
    Str entered;             // the module of PyTorch whose input was the node before
    int32_t entered_call;
    bool biased;  // Qcur, Kcur and Vcur come again with their biases added
} Reader;

// "common_debug_cb_eval: NAME = (f32) …", also after a time or a level; what is after the colon.
static Str header_in(Str line)
{
    static const char *const marks[] = {"common_debug_cb_eval: ", "ggml_debug: "};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t at = str_find(line, str_of(marks[i]), 0);
        if (at != SIZE_MAX && str_find(line, STR(" = ("), at) != SIZE_MAX)
            return str_slice(line, at + str_of(marks[i]).size, line.size);
    }
    return (Str){0};
}

bool llama_trace_is(const char *path, Str text)
{
    (void)path;
    Str part = str_slice(text, 0, LOOK_BYTES);
    bool found = false;
    for (size_t at = 0; at < part.size && !found;) {
        size_t feed = str_find_char(part, '\n', at);
        size_t end = feed == SIZE_MAX ? part.size : feed;
        found = header_in(str_slice(part, at, end)).size > 0;
        at = end + 1;
    }
    return found;
}

// "1, 4, 8" of transformers as "[4, 8]": llama.cpp has no batch in front.
static Str torch_shape(Str sizes, Arena *arena, double *elements)
{
    StrBuf out = strbuf_new(arena);
    Str part;
    uint64_t size;
    while (str_split(&sizes, ',', &part)) {
        if (!str_to_uint64(str_trim(part), &size))
            return (Str){0};
        *elements *= (double)size;
        if (size > 1 || out.size || !str_trim(sizes).size)
            strbuf_printf(&out, out.size ? ", %llu" : "[%llu", (unsigned long long)size);
    }
    strbuf_add_char(&out, ']');
    return strbuf_str(&out);
}

// "{64, 5, 1, 1}" as "[5, 64]": the first dimension runs fastest, ones at the end are none.
static Str shape_of(Str braces, Arena *arena, double *elements)
{
    uint64_t sizes[DIMENSIONS];
    size_t count = 0;
    Str rest = str_slice(braces, 1, str_find_char(braces, '}', 0)), part;
    *elements = 1;
    if (str_starts(rest, STR("torch.Size([")))
        return torch_shape(str_slice(rest, 12, str_find_char(rest, ']', 0)), arena, elements);
    while (count < DIMENSIONS && str_split(&rest, ',', &part)) {
        if (!str_to_uint64(str_trim(part), &sizes[count]))
            return (Str){0};
        *elements *= (double)sizes[count++];
    }
    while (count > 1 && sizes[count - 1] == 1)
        count--;
    StrBuf out = strbuf_new(arena);
    for (size_t i = count; i-- > 0;)
        strbuf_printf(&out, "%s%llu", i + 1 == count ? "[" : ", ", (unsigned long long)sizes[i]);
    strbuf_add_char(&out, ']');
    return count ? strbuf_str(&out) : STR("");
}

static Str dtype_of(Str type, Arena *arena)
{
    static const struct {
        const char *ggml, *torch;
    } types[] = {{"f32", "float32"}, {"f16", "float16"}, {"bf16", "bfloat16"}, {"f64", "float64"},
                 {"i8", "int8"},     {"i16", "int16"},   {"i32", "int32"},     {"i64", "int64"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_equal(type, str_of(types[i].ggml)))
            return str_printf(arena, "torch.%s", types[i].torch);
    return type;
}

// Where the node is what a module gives, by the names that transformers' models have.
static Str module_of(Str name, Arena *arena)
{
    static const struct {
        const char *node, *module;
    } of_layer[] = {{"attn_norm", ".input_layernorm"},
                    {"Qcur", ".self_attn.q_proj"},
                    {"Kcur", ".self_attn.k_proj"},
                    {"Vcur", ".self_attn.v_proj"},
                    {"attn_out", ".self_attn.o_proj"},
                    {"ffn_norm", ".post_attention_layernorm"},
                    {"ffn_gate", ".mlp.gate_proj"},
                    {"ffn_up", ".mlp.up_proj"},
                    {"ffn_out", ".mlp.down_proj"},
                    {"ffn_moe_logits", ".mlp.gate"},
                    {"l_out", ""}};
    static const struct {
        const char *node, *module;
    } whole[] = {{"embd", "model.embed_tokens"},
                 {"inp_embd", "model.embed_tokens"},
                 {"result_norm", "model.norm"},
                 {"result_output", "lm_head"}};
    int64_t layer;
    size_t dash = str_rfind_char(name, '-');
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (str_equal(name, str_of(whole[i].node)))
            return str_of(whole[i].module);
    if (dash == SIZE_MAX || !str_to_int64(str_slice(name, dash + 1, name.size), &layer))
        return (Str){0};
    for (size_t i = 0; i < sizeof of_layer / sizeof *of_layer; i++)
        if (str_equal(str_slice(name, 0, dash), str_of(of_layer[i].node)))
            return str_printf(arena, "model.layers.%lld%s", (long long)layer, of_layer[i].module);
    return (Str){0};
}

// Names of projections stand for several steps: the product, the sum with the bias, the rotation.
static bool is_projection(Str name)
{
    return str_starts(name, STR("Qcur-")) || str_starts(name, STR("Kcur-")) ||
           str_starts(name, STR("Vcur-"));
}

// "model.layers.0.mlp.up_proj_in", then "…_out", of llama.cpp's own hooks on transformers' modules.
static Str module_slot(Reader *reader, Str name, OpName *what)
{
    bool input = str_ends(name, STR("_in")), output = str_ends(name, STR("_out"));
    Str module = str_slice(name, 0, name.size - (input ? 3 : output ? 4 : 0));
    bool entered = output && str_equal(module, reader->entered);
    what->kind = OP_MODULE;
    what->stem = what->path = str_copy(reader->rows.scratch, module);
    what->call = entered ? reader->entered_call : row_calls_next(&reader->calls, what->stem);
    reader->entered = input ? what->stem : (Str){0};
    reader->entered_call = what->call;
    return input ? STR("input.0") : STR("output.0");
}

// "NAME = (f32) MUL(…) = {64, 5, 1, 1}". False: it is cut or something else.
static bool begin_node(Reader *reader, Str header)
{
    Arena *scratch = reader->rows.scratch;
    size_t equals = str_find(header, STR(" = ("), 0), type_end = str_find_char(header, ')', equals);
    size_t open = str_rfind_char(header, '{');
    if (type_end == SIZE_MAX || open == SIZE_MAX || open < type_end)
        return false;
    Str name = str_trim(str_slice(header, 0, equals));
    Str call = str_trim(str_slice(header, type_end + 1, header.size));
    Str shape = shape_of(str_slice(header, open, header.size), scratch, &reader->elements);
    if (name.size == 0 || shape.size == 0)
        return false;
    Str type = dtype_of(str_slice(header, equals + str_of(" = (").size, type_end), scratch);
    OpName what = {.direction = DIR_FORWARD,
                   .call = row_calls_next(&reader->calls, name),
                   .stem = name,
                   .type_name = str_slice(call, 0, str_find_char(call, '(', 0))};
    if (!is_projection(name) ||
        str_equal(what.type_name, reader->biased ? STR("ADD") : STR("MUL_MAT")))
        what.path = module_of(name, scratch);
    what.kind = what.path.size ? OP_MODULE : OP_API;
    Str slot = STR("output.0");
    if (str_find(header, STR("{torch.Size("), 0) != SIZE_MAX)
        slot = module_slot(reader, name, &what);
    if (what.kind == OP_MODULE)
        what.type_name = (Str){0};
    reader->slot =
        row_calls_tensor(&reader->calls, &what, slot, type, shape, (uint64_t)reader->lines.at);
    reader->shown = 0;
    reader->shown_sum = 0;
    return true;
}

// "[ 0.1000, 0.2000, ..., 0.3000]," of the values.
static void take_values(Reader *reader, Str line)
{
    size_t open = str_find_char(line, '[', 0), end = str_find_char(line, ']', 0);
    Str rest = str_slice(line, open == SIZE_MAX ? line.size : open + 1, end), part;
    double value;
    while (str_split(&rest, ',', &part))
        if (number_of_text(str_trim(part), &value)) {
            reader->shown++;
            reader->shown_sum += value;
        }
}

// What a value that is printed with four decimals is rounded by, with room for the sum itself. More
// would take the sum of all for that of the few shown, where these are all there is of size.
#define PRINTED_ROUNDS 6e-5

// Older writers add up the values that they print, newer ones all.
static void end_node(Reader *reader, Str sum)
{
    double value, count = reader->elements;
    Slot *slot = reader->slot;
    reader->slot = NULL;
    if (!number_of_text(sum, &value) || count == 0)
        return;
    bool cut = (double)reader->shown < count;
    bool of_shown = cut && value != 0 &&
                    fabs(value - reader->shown_sum) <= PRINTED_ROUNDS * (double)reader->shown;
    reader->cut += cut;
    reader->of_shown += of_shown;
    slot->tag[STAT_MEAN] = TAG_REAL;
    slot->stat[STAT_MEAN].real = value / (of_shown ? (double)reader->shown : count);
}

static bool has_biases(Str text)
{
    return STR_ANY(text, str_has, "Qcur-0 = (f32)        ADD(", "Qcur-0 = (f16)        ADD(",
                   "Qcur-0 = (bf16)        ADD(");
}

static void read_lines(Reader *reader, Notices *notices)
{
    Str line;
    while (lines_next(&reader->lines, &line)) {
        Str header = header_in(line), text = str_trim(line);
        bool sum = str_starts(text, STR("sum = "));
        if (header.size && !begin_node(reader, header))
            notices_partial(notices, WHERE_LINE(reader->rows.dump->path.data, reader->lines.line),
                            "%s", tr("the line is no record of a tensor and is skipped"));
        else if (!header.size && reader->slot && sum)
            end_node(reader, str_slice(text, str_of("sum = ").size, text.size));
        else if (!header.size && reader->slot)
            take_values(reader, text);
    }
}

// A node is an op with one output of the shape turned round ([5, 64]) and the mean that its sum
// gives. Nodes that are what a module of the Hugging Face model gives (attn_norm-0:
// model.layers.0.input_layernorm) are modules with that path, so that they pair with a dump of it.
bool llama_trace_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                      Notices *notices, Error *err)
{
    Reader reader = {0};
    Arena *scratch = arena_new();
    dump_rows_init(&reader.rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader.calls, &reader.rows);
    reader.biased = has_biases(text);
    lines_open(&reader.lines, text, scratch);
    read_lines(&reader, notices);
    if (reader.slot)
        notices_partial(notices, WHERE_FILE(path), "%s", tr("the dump breaks off within a tensor"));
    if (reader.of_shown * 2 > reader.cut)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(path), "%s",
                    tr("the sums are those of the printed elements alone: hold them against a "
                       "print of the same version"));
    out->printed = out->sums = true;
    return dump_rows_end(&reader.rows, FRAMEWORK_PYTORCH, "", err);
}
