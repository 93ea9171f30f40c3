// SPDX-License-Identifier: Apache-2.0
#include "read/dump/name_order.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/names.h"
#include "base/path.h"

// The first word that the name holds says the place.
typedef struct Place {
    const char *word;
    int place;
} Place;

enum { FIRST, LAYERS, AFTER_LAYERS, LAST };

static const Place outside[] = {{"embed", FIRST}, {"wte", FIRST},         {"wpe", FIRST},
                                {"head", LAST},   {"logits", LAST},       {"loss", LAST},
                                {"output", LAST}, {"norm", AFTER_LAYERS}, {"ln_f", AFTER_LAYERS}};

static const Place inside[] = {{"post_attention", 2},
                               {"post_attn", 2},
                               {"ln_2", 2},
                               {"norm2", 2},
                               {"ffn_norm", 2},
                               {"pre_mlp", 2},
                               {"input_layernorm", 0},
                               {"ln_1", 0},
                               {"norm1", 0},
                               {"attn", 1},
                               {"attention", 1},
                               {"mlp", 3},
                               {"ffn", 3},
                               {"feed_forward", 3},
                               {"moe", 3},
                               {"experts", 3},
                               {"norm", 0}};

// The projections that close a part.
static const Place closing[] = {{"o_proj", 1},    {"out_proj", 1},    {"c_proj", 1},
                                {"down_proj", 1}, {"linear_proj", 1}, {"fc2", 1},
                                {"w2", 1}};

static int place_of(Str name, const Place *places, size_t count, int otherwise)
{
    for (size_t i = 0; i < count; i++)
        if (str_find(name, str_of(places[i].word), 0) != SIZE_MAX)
            return places[i].place;
    return otherwise;
}
#define PLACE_OF(name, places, otherwise) \
    place_of(name, places, sizeof(places) / sizeof *(places), otherwise)

// Where the first number ends: "model.layers.12" of "model.layers.12.mlp"; 0: there is none.
static size_t layer_end(Str name)
{
    size_t at = 0;
    while (at < name.size && !is_digit(name.data[at]))
        at++;
    if (at == name.size)
        return 0;
    while (at < name.size && is_digit(name.data[at]))
        at++;
    return at;
}

static Str without_ending(Str file)
{
    return str_slice(file, 0, file.size - path_suffix(file).size);
}

bool name_order_known(Str file)
{
    Str name = path_base(file);
    return name.size == 0 || is_digit(name.data[0]) || str_find_char(name, '=', 0) != SIZE_MAX ||
           str_find(name, STR(".forward"), 0) != SIZE_MAX ||
           str_find(name, STR(".backward"), 0) != SIZE_MAX;
}

// Part by part; what is within another comes before it.
static int order_parts(Str a, Str b)
{
    Str one, two;
    while (a.size || b.size) {
        if (!a.size || !b.size)
            return a.size ? -1 : 1;
        str_split(&a, '.', &one);
        str_split(&b, '.', &two);
        int order = PLACE_OF(one, closing, 0) - PLACE_OF(two, closing, 0);
        order = order ? order : str_compare_natural(one, two);
        if (order)
            return order;
        a = a.size == SIZE_MAX ? STR("") : a;
        b = b.size == SIZE_MAX ? STR("") : b;
    }
    return 0;
}

static int order_within(Str a, Str b)
{
    enum { WHOLE = 4 };
    int order =
        (a.size ? PLACE_OF(a, inside, 1) : WHOLE) - (b.size ? PLACE_OF(b, inside, 1) : WHOLE);
    return order ? order : order_parts(a, b);
}

int name_order(const void *a, const void *b)
{
    Str files[2] = {*(const Str *)a, *(const Str *)b};
    int order = str_compare_natural(path_folder(files[0]), path_folder(files[1]));
    if (order)
        return order;
    Str one = without_ending(path_base(files[0])), two = without_ending(path_base(files[1]));
    size_t ends[2] = {layer_end(one), layer_end(two)};
    int places[2] = {ends[0] ? LAYERS : PLACE_OF(one, outside, AFTER_LAYERS),
                     ends[1] ? LAYERS : PLACE_OF(two, outside, AFTER_LAYERS)};
    if (places[0] != places[1])
        return places[0] < places[1] ? -1 : 1;
    if (places[0] == LAYERS) {
        order = str_compare_natural(str_slice(one, 0, ends[0]), str_slice(two, 0, ends[1]));
        order = order ? order
                      : order_within(str_slice(one, ends[0], one.size),
                                     str_slice(two, ends[1], two.size));
    } else {
        order = order_parts(one, two);
    }
    return order ? order : str_compare(files[0], files[1]);
}

typedef struct Turn {
    Str file, list;     // of calls: its folder
    size_t end, begin;  // in the list of calls; SIZE_MAX: not listed
} Turn;

static int by_turn(const void *a, const void *b)
{
    const Turn *one = a, *two = b;
    int order = str_compare_natural(one->list, two->list);
    if (order)
        return order;
    if (one->end != two->end)
        return one->end < two->end ? -1 : 1;
    if (one->begin != two->begin)
        return one->begin > two->begin ? -1 : 1;
    return str_compare_natural(one->file, two->file);
}

// The last call within the module that is called at `at`.
static size_t end_of_call(const Names *calls, size_t at)
{
    Str name = names_text(calls, (NameId)(at + 1));
    size_t end = at, count = names_count(calls);
    while (end + 1 < count) {
        Str next = names_text(calls, (NameId)(end + 2));
        if (!str_starts(next, name) || next.size == name.size || next.data[name.size] != '.')
            break;
        end++;
    }
    return end;
}

// The calls that the list next to the folders of modules holds, each once; none: NULL.
static Names *read_calls(const char *folder, Arena *arena)
{
    File list;
    Error ignored;
    Str line;
    if (!file_open(path_join(arena, folder, STR("module_calls.txt")), &list, &ignored))
        return NULL;
    Names *calls = names_new(arena);
    for (Str rest = list.text; str_split(&rest, '\n', &line);)
        if (str_trim(line).size)
            names_add(calls, str_trim(line));
    file_close(&list);
    return calls;
}

bool name_order_listed(const char *root, Str *files, size_t count, Arena *arena)
{
    Turn *turns = ARENA_ARRAY(arena, Turn, count + 1);
    Names *calls = NULL;
    Str above = {NULL, SIZE_MAX};
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        Str module = path_folder(files[i]), parent = path_folder(module);
        if (!str_equal(parent, above))
            calls = read_calls(path_join(arena, root, parent), arena);
        above = parent;
        any = any || calls;
        NameId call = calls ? names_find(calls, path_base(module)) : NAME_NONE;
        size_t at = call == NAME_NONE ? SIZE_MAX : (size_t)call - 1;
        turns[i] = (Turn){files[i], parent, at == SIZE_MAX ? at : end_of_call(calls, at), at};
    }
    if (any)
        qsort(turns, count, sizeof *turns, by_turn);
    for (size_t i = 0; any && i < count; i++)
        files[i] = turns[i].file;
    return any;
}
