// SPDX-License-Identifier: Apache-2.0
#include "read/tensor/torch_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/crc32c.h"
#include "base/path.h"
#include "base/words.h"
#include "read/tensor/torch_list.h"
#include "read/tensor/torch_symbols.h"
#include "read/tensor/torch_tensor.h"

// Parts can be shared, and dicts can hold themselves: the number of steps is bounded by the size of
// the file, above what the opcodes of a pickle can give without that (two bytes a part at least),
// and with it what the names take.
enum { DEPTH_MAX = 32, STEPS_MAX = 10000000, NAME_MAX_BYTES = 1024, NAMES_BYTES_MAX = 64 << 20 };
enum { STEPS_FLOOR = 4096, STEPS_A_BYTE = 2, NAMES_FLOOR = 1 << 18, NAME_BYTES_A_BYTE = 16 };

// Of all plain lists together: elements, and bytes of their texts.
enum { LISTED_MAX = 1 << 25 };

typedef struct Level {
    const PickleValue *value;
    size_t next;
    Str name;
    size_t key_size;  // of the outermost key within the name
} Level;

typedef struct Walk {
    TorchState *state;
    Arena *arena;
    Level levels[DEPTH_MAX];
    size_t depth, steps, name_bytes;
    size_t steps_max, name_bytes_max;
    size_t list_left;  // elements of lists that may still be looked at
    bool values;       // what is no tensor counts too
    Notices *notices;  // NULL: what has no place is passed over
    Error *err;
} Walk;

static bool is_container(const PickleValue *value)
{
    return value->kind == PICKLE_DICT || value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE;
}

// Sizes are the numbers in them.
static const PickleValue *without_size(const PickleValue *value)
{
    bool size = value->kind == PICKLE_CALL && torch_symbols[value->symbol].meaning == MEANS_SIZE &&
                value->count == 1;
    return size ? value->items[0] : value;
}

// Where something lay, which is no value: "torch.device", a path.
static bool is_place(const PickleValue *value)
{
    return value->kind == PICKLE_CALL &&
           STR_IN(str_of(torch_symbols[value->symbol].name), "device", "PosixPath", "Format");
}

static bool is_wrapper(Str key)
{
    return STR_IN(key, "model", "module", "state_dict", "model_state_dict");
}

// A key as text: "0", "bfloat16", "(bfloat16, float32)", "device(cuda:0)". False: it has none.
static bool add_key(const PickleValue *key, int depth, StrBuf *out)
{
    enum { KEY_DEPTH = 8 };
    char buffer[NUMBER_BYTES];
    bool call = key->kind == PICKLE_CALL;
    if (key->kind == PICKLE_SYMBOL || call)
        strbuf_add(out, str_of(torch_symbols[key->symbol].name));
    if (key->kind == PICKLE_TUPLE || call) {
        strbuf_add_char(out, '(');
        for (size_t i = 0; i < key->count; i++) {
            strbuf_add(out, i ? STR(", ") : STR(""));
            if (depth == KEY_DEPTH || out->size > NAME_MAX_BYTES ||
                !add_key(key->items[i], depth + 1, out))
                return false;
        }
        strbuf_add_char(out, ')');
        return true;
    }
    if (key->kind == PICKLE_TEXT || key->kind == PICKLE_SYMBOL) {
        strbuf_add(out, key->kind == PICKLE_TEXT ? key->text : STR(""));
        return true;
    }
    Str plain = torch_plain_text(key, buffer);
    strbuf_add(out, plain);
    return plain.size > 0;
}

// What the name of a part adds to the name of the whole; false for a key that can name nothing.
static bool key_text(const Level *level, size_t index, Arena *arena, Str *out)
{
    if (level->value->kind != PICKLE_DICT) {
        *out = str_printf(arena, "%zu", index);
        return true;
    }
    const PickleValue *key = level->value->items[2 * index];
    if (key->kind == PICKLE_TEXT) {
        *out = key->text;
        return true;
    }
    StrBuf text = strbuf_new(arena);
    bool named = add_key(key, 0, &text);
    *out = strbuf_str(&text);
    return named;
}

static Str part_name(Walk *walk, const Level *level, Str key, const PickleValue *part)
{
    Str name = level->name.size ? str_printf(walk->arena, STR_FMT "." STR_FMT, STR_ARG(level->name),
                                             STR_ARG(key))
                                : key;
    if (walk->depth == 1 && part->kind == PICKLE_DICT && is_wrapper(key))
        name = (Str){"", 0};
    walk->name_bytes += name.size;
    return name;
}

static bool too_much(const Walk *walk, const PickleValue *value)
{
    return error_set(walk->err, ERR_INPUT, WHERE_BYTE(walk->state->path, value->at), "%s",
                     tr("the pickle holds more dicts and lists than a checkpoint needs"));
}

static void tell_left_out(const Walk *walk, const PickleValue *part)
{
    if (!walk->notices)
        return;
    if (walk->values || torch_is_tensor(part) || is_container(part)) {
        notices_partial(walk->notices, WHERE_BYTE(walk->state->path, part->at), "%s",
                        tr("a part of the file is neither a tensor nor a number or text, or has no "
                           "name; it is left out"));
    } else {
        account_see(&walk->notices->account, 1);
        account_set_aside(&walk->notices->account, ASIDE_DESCRIPTION, 1);
    }
}

// Whether the part goes into the list as it is.
static bool is_listed(const Walk *walk, const PickleValue *part)
{
    bool value = part->kind <= PICKLE_TEXT || part->kind == PICKLE_SYMBOL;
    return torch_is_tensor(part) || (walk->values && value);
}

// Plain lists are one part each, where they count.
static bool is_passed_list(Walk *walk, const PickleValue *part, bool *listed)
{
    TorchListKind kind = torch_list_kind(part, &walk->list_left);
    *listed =
        *listed || (walk->values && kind == TORCH_LIST_PLAIN && !torch_list_is_few_reals(part));
    if (walk->values && kind == TORCH_LIST_LONG && walk->notices)
        notices_partial(walk->notices, WHERE_BYTE(walk->state->path, part->at), "%s",
                        tr("the lists of the file have more than 33,554,432 elements; this one is "
                           "left out"));
    return walk->values ? kind == TORCH_LIST_LONG : kind == TORCH_LIST_PLAIN;
}

// A short list of plain values, as the betas of an optimizer.
static bool is_short(const PickleValue *part)
{
    enum { SHORT = 16 };
    for (size_t i = 0; is_container(part) && i < part->count; i++)
        if (part->count > SHORT || is_container(part->items[i]))
            return false;
    return true;
}

// What is passed over: by its name and text, in whatever order the file has it.
static void note_described(const Walk *walk, Level *level, size_t index, const PickleValue *part)
{
    Str key, text;
    Arena *scratch = arena_new();
    if (!walk->values && is_short(part) && key_text(level, index, scratch, &key) &&
        torch_state_text(part, scratch, &text)) {
        uint32_t sum = crc32c(level->name.data, level->name.size);
        sum = crc32c_more(sum, key.data, key.size);
        walk->state->described += (uint64_t)sum << 8 ^ crc32c(text.data, text.size);
    }
    arena_release(scratch);
}

static bool take_part(Walk *walk, Level *level, size_t index)
{
    const PickleValue *value = level->value;
    const PickleValue *part =
        without_size(value->items[value->kind == PICKLE_DICT ? 2 * index + 1 : index]);
    Str key;
    bool listed = is_listed(walk, part);
    if (is_passed_list(walk, part, &listed)) {
        note_described(walk, level, index, part);
        return true;
    }
    if (!listed && !is_container(part)) {
        note_described(walk, level, index, part);
        if (!is_place(part))
            tell_left_out(walk, part);
        return true;
    }
    if (++walk->steps > walk->steps_max || walk->name_bytes > walk->name_bytes_max)
        return too_much(walk, part);
    if (!key_text(level, index, walk->arena, &key) || key.size > NAME_MAX_BYTES) {
        tell_left_out(walk, part);
        return true;
    }
    Str name = part_name(walk, level, key, part);
    size_t key_size = walk->depth == 1 ? name.size : level->key_size;
    if (listed)
        *ARRAY_PUSH(walk->arena, walk->state) = (StatePart){name, key_size, part};
    else if (walk->depth == DEPTH_MAX)
        return too_much(walk, part);
    else
        walk->levels[walk->depth++] = (Level){part, 0, name, key_size};
    return true;
}

static bool walk_all(Walk *walk, const PickleValue *value)
{
    bool listed = is_listed(walk, value);
    walk->list_left = LISTED_MAX;
    if (is_passed_list(walk, value, &listed))
        return true;
    if (is_container(value) && !listed)
        walk->levels[walk->depth++] = (Level){value, 0, {"", 0}, 0};
    else if (listed)
        *ARRAY_PUSH(walk->arena, walk->state) = (StatePart){{"", 0}, 0, value};
    else
        tell_left_out(walk, value);
    while (walk->depth > 0) {
        Level *level = &walk->levels[walk->depth - 1];
        size_t parts = level->value->count / (level->value->kind == PICKLE_DICT ? 2 : 1);
        if (level->next == parts)
            walk->depth--;
        else if (++walk->steps > walk->steps_max)
            return too_much(walk, level->value);
        else if (!take_part(walk, level, level->next++))
            return false;
    }
    return true;
}

bool torch_state_list(TorchState *state, const PickleValue *value, Arena *arena, Error *err)
{
    Walk walk = {.state = state,
                 .arena = arena,
                 .steps_max = STEPS_MAX,
                 .name_bytes_max = NAMES_BYTES_MAX,
                 .err = err};
    return walk_all(&walk, value);
}

bool torch_state_text(const PickleValue *value, Arena *arena, Str *out)
{
    char buffer[NUMBER_BYTES];
    if (value->kind == PICKLE_TEXT)
        *out = value->text.size ? value->text : STR("''");
    else if (value->kind == PICKLE_SYMBOL)
        *out = str_printf(arena, "%s.%s", torch_symbols[value->symbol].module,
                          torch_symbols[value->symbol].name);
    else if (value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE)
        *out = torch_list_text(value, arena);
    else
        *out = str_copy(arena, torch_plain_text(value, buffer));
    return out->size > 0;
}

bool torch_state_is_pass(Str path, int64_t *number)
{
    Str name = path_base(path);
    return str_starts(name, STR("Pass")) && str_ends(name, STR(".pt")) &&
           str_to_int64(str_slice(name, strlen("Pass"), name.size - strlen(".pt")), number) &&
           *number >= 0 && *number <= INT32_MAX;
}

bool torch_state_is(const char *path, Str bytes)
{
    if (!torch_is(bytes))
        return false;
    Arena *arena = arena_new();
    TorchContent content;
    Notices quiet;
    Error err;
    notices_init(&quiet, arena);
    // What is refused is not said to be a tensor, so that opening it tells why.
    bool is =
        !torch_content_read(path, bytes, &pickle_of_checkpoint, arena, &content, &quiet, &err) ||
        !torch_is_tensor(content.value);
    arena_release(arena);
    return is;
}

static int by_name(const void *a, const void *b)
{
    const StatePart *left = a, *right = b;
    int order = str_compare_natural(left->name, right->name);
    return order ? order
                 : (left->value->at > right->value->at) - (left->value->at < right->value->at);
}

// Reads the tensor if it and those before it have no more elements than the file may have.
static bool is_readable(const TorchState *state, size_t index, uint64_t *elements, Error *err)
{
    const TorchStores *stores = &state->content.stores;
    const PickleValue *value = state->items[index].value;
    Tensor tensor;
    if (!torch_is_tensor(value))
        return true;
    if (!torch_tensor(state->path, value, stores, &tensor, err))
        return false;
    if (tensor.count > stores->elements_max - *elements)
        return error_set(err, ERR_INPUT, WHERE_BYTE(state->path, value->at), "%s",
                         tr("the tensors of this file share bytes: together they have more than "
                            "134,217,728 elements and 1,024 a byte; this one is left out"));
    *elements += tensor.count;
    return true;
}

static void drop_unreadable(TorchState *state, Arena *arena, Notices *notices)
{
    size_t kept = 0;
    uint64_t elements = 0;
    for (size_t i = 0; i < state->count; i++) {
        Error err = {.kind = ERR_INPUT};
        if (is_readable(state, i, &elements, &err)) {
            state->items[kept++] = state->items[i];
            continue;
        }
        *ARRAY_PUSH(arena, &state->unread) = state->items[i].name;
        notices_add_error(notices, &err);
    }
    state->count = kept;
}

static bool read_parts(const char *path, Str bytes, bool values, Arena *arena, TorchState *out,
                       Notices *notices, Error *err)
{
    *out = (TorchState){.path = path};
    Walk walk = {.state = out, .arena = arena, .values = values, .notices = notices, .err = err};
    if (!torch_content_read(path, bytes, &pickle_of_checkpoint, arena, &out->content, notices, err))
        return false;
    size_t steps = STEPS_FLOOR + bytes.size * STEPS_A_BYTE;
    size_t names = NAMES_FLOOR + bytes.size * NAME_BYTES_A_BYTE;
    walk.steps_max = steps < STEPS_MAX ? steps : STEPS_MAX;
    walk.name_bytes_max = names < NAMES_BYTES_MAX ? names : NAMES_BYTES_MAX;
    if (!walk_all(&walk, without_size(out->content.value)))
        return false;
    drop_unreadable(out, arena, notices);
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_name);
    return true;
}

bool torch_state_read(const char *path, Str bytes, Arena *arena, TorchState *out, Notices *notices,
                      Error *err)
{
    return read_parts(path, bytes, false, arena, out, notices, err);
}

static bool open_parts(const char *path, bool values, Arena *arena, TorchState *out,
                       Notices *notices, Error *err)
{
    File file;
    path = str_cstr(arena, str_of(path));
    *out = (TorchState){.path = path};
    if (!file_open(path, &file, err))
        return false;
    if (!read_parts(path, file.text, values, arena, out, notices, err)) {
        file_close(&file);
        return false;
    }
    out->file = file;
    return true;
}

bool torch_state_open(const char *path, Arena *arena, TorchState *out, Notices *notices, Error *err)
{
    return open_parts(path, false, arena, out, notices, err);
}

bool torch_state_open_all(const char *path, Arena *arena, TorchState *out, Notices *notices,
                          Error *err)
{
    return open_parts(path, true, arena, out, notices, err);
}

void torch_state_close(TorchState *state)
{
    file_close(&state->file);
}

size_t torch_state_find(const TorchState *state, Str name)
{
    size_t low = 0, high = state->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (str_compare_natural(state->items[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < state->count && str_equal(state->items[low].name, name) ? low : SIZE_MAX;
}

CrcMark *torch_state_mark(const TorchState *state, const Tensor *tensor)
{
    const TorchStores *stores = &state->content.stores;
    return tensor->storage < stores->count ? stores->items[tensor->storage].mark : NULL;
}

Tensor torch_state_tensor(const TorchState *state, size_t index)
{
    Tensor tensor;
    Error ignored = {.kind = ERR_INPUT};  // it was read before
    torch_tensor(state->path, state->items[index].value, &state->content.stores, &tensor, &ignored);
    return tensor;
}
