// SPDX-License-Identifier: Apache-2.0
#include "read/dump/block_log.h"

#include "base/number.h"
#include "base/words.h"
#include "read/dump/row_calls.h"
#include "read/log/lines.h"

enum { LOOK_BYTES = 1 << 18, ITEMS_MAX = 64 };

typedef struct Item {
    Str slot, dtype, shape, stat[STAT_COUNT], nan_count, inf_count;
} Item;

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

// The text behind KEY up to `end`; empty if the line has no such.
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

static bool take_line(Reader *reader, Str text)
{
    return frame_take(reader, text) || titan_take(reader, text) || node_take(reader, text);
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
        found = is_titan_name(trimmed) || str_starts(trimmed, str_of(detected)) ||
                (node && str_starts(trimmed, STR("Min=")) &&
                 str_find(trimmed, STR(",Max="), 0) != SIZE_MAX);
    }
    arena_release(arena);
    return found;
}

bool block_log_read(const char *path, Str text, Names *names, Arena *arena, Dump *out,
                    Notices *notices, Error *err)
{
    Arena *scratch = arena_new();
    Reader *reader = ARENA_NEW(scratch, Reader);
    Str line;
    dump_rows_init(&reader->rows, path, text.size, names, arena, scratch, out);
    row_calls_init(&reader->calls, &reader->rows);
    lines_open(&reader->lines, text_decode(text, scratch), scratch);
    while (lines_next(&reader->lines, &line))
        take_line(reader, str_trim(line));
    end_block(reader);
    dump_rows_finish(&reader->rows);
    if (reader->left)
        notices_partial(notices, WHERE_FILE(path), "%s",
                        tr("an op has more tensors than are read"));
    arena_release(scratch);
    out->framework = FRAMEWORK_PYTORCH;
    out->task = STR("statistics");
    out->printed = true;
    return out->op_count > 0 ||
           error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("no tensor could be read"));
}
