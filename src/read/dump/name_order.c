// SPDX-License-Identifier: Apache-2.0
#include "read/dump/name_order.h"

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
