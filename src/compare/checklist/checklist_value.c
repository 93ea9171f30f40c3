// SPDX-License-Identifier: Apache-2.0
// Values of the checklist brought to a form that other spellings share.
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "compare/checklist/checklist.h"

typedef struct Spelling {
    const char *part, *normal;
} Spelling;

// Whole words after lower case and '_' for '-'.
static const Spelling dtypes[] = {
    {"bf16", "bfloat16"}, {"fp16", "float16"}, {"half", "float16"},   {"fp32", "float32"},
    {"float", "float32"}, {"fp64", "float64"}, {"double", "float64"}, {NULL, NULL},
};
static const Spelling optimizers[] = {
    {"adam", "adamw"},
    {"adamw_torch", "adamw"},
    {"adamw_hf", "adamw"},
    {"fusedadam", "adamw"},
    {"fusedadamw", "adamw"},
    {"fused_adam", "adamw"},
    {"adamw_torch_fused", "adamw"},
    {"adamwithweightdecay", "adamw"},
    {"fp32statedamweightdecay", "adamw"},
    {"fp32stateadamweightdecay", "adamw"},
    {NULL, NULL},
};
static const Spelling activations[] = {
    {"silu", "swiglu"},
    {"swish", "swiglu"},
    {"fast_gelu", "gelu_tanh"},
    {"gelu_new", "gelu_tanh"},
    {"gelu_pytorch_tanh", "gelu_tanh"},
    {NULL, NULL},
};
static const Spelling norms[] = {
    {"rmsnorm", "rms_norm"},
    {"fusedrmsnorm", "rms_norm"},
    {"rms", "rms_norm"},
    {"layernorm", "layer_norm"},
    {"fusedlayernorm", "layer_norm"},
    {"layer", "layer_norm"},
    {NULL, NULL},
};
static const Spelling positions[] = {
    {"rotary", "rope"},
    {"rotary_position_embedding", "rope"},
    {"learned", "learned_absolute"},
    {"absolute", "learned_absolute"},
    {NULL, NULL},
};
// Parts of a name.
static const Spelling schedules[] = {
    {"cosine", "cosine"},   {"constant", "constant"},
    {"linear", "linear"},   {"polynomial", "polynomial"},
    {"inverse", "inverse"}, {"wsd", "wsd"},
    {NULL, NULL},
};
static const Spelling switches[] = {
    {"true", "true"},   {"on", "true"},    {"yes", "true"}, {"1", "true"},
    {"false", "false"}, {"off", "false"},  {"no", "false"}, {"0", "false"},
    {"none", "false"},  {"null", "false"}, {"", "false"},   {NULL, NULL},
};

static Str lower(Str text, Arena *arena)
{
    char *copy = str_cstr(arena, str_trim(text));
    size_t size = 0;
    for (; copy[size]; size++) {
        char c = copy[size];
        copy[size] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (Str){copy, size};
}

static Str unquote(Str text)
{
    bool quoted = text.size >= 2 && (text.data[0] == '"' || text.data[0] == '\'') &&
                  text.data[text.size - 1] == text.data[0];
    return quoted ? str_slice(text, 1, text.size - 1) : text;
}

static Str whole_word(const Spelling *table, Str text)
{
    for (; table->part; table++)
        if (str_equal(text, str_of(table->part)))
            return str_of(table->normal);
    return text;
}

static Str part_of_word(const Spelling *table, Str text)
{
    for (; table->part; table++)
        if (str_find(text, str_of(table->part), 0) != SIZE_MAX)
            return str_of(table->normal);
    return text;
}

// Digits of which a double loses the last: a seed of 64 bits.
static bool is_beyond_doubles(Str text, double number)
{
    char exact[NUMBER_BYTES];
    size_t at = text.size && text.data[0] == '-';
    if (fabs(number) < 0x1p53 || fabs(number) >= 1e30 || at == text.size || text.data[at] == '0')
        return false;
    for (size_t i = at; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    snprintf(exact, sizeof exact, "%.0f", number);
    return !str_equal(str_of(exact), text);
}

// Numbers by value: 1.e-8, 1e-8 and 0.00000001 become one text. 1e-5 is text in YAML 1.1, and a
// number all the same.
static Str plain(Str text, Arena *arena)
{
    double number;
    char out[NUMBER_BYTES];
    if (number_of_text(text, &number) && isfinite(number)) {
        if (is_beyond_doubles(text, number))
            return text;
        number_python(number == 0 ? 0 : number, out);
        return str_copy(arena, str_of(out));
    }
    static const Spelling words[] = {
        {"on", "true"}, {"yes", "true"}, {"off", "false"}, {"no", "false"}, {NULL, NULL},
    };
    return whole_word(words, text);
}

// Lists element by element: "[1, 2.0]" and "1,2" are one.
static Str list(Str text, Arena *arena)
{
    StrBuf out = strbuf_new(arena);
    Str rest = str_slice(text, 1, text.size - 1), part;
    while (str_split(&rest, ',', &part)) {
        if (out.size)
            strbuf_add_char(&out, ',');
        strbuf_add(&out, plain(unquote(str_trim(part)), arena));
    }
    return strbuf_str(&out);
}

static Str switch_value(Str text)
{
    Str known = whole_word(switches, text);
    double number;
    if (known.data == text.data && number_of_text(text, &number))
        return number == 0 ? STR("false") : STR("true");  // ZeRO stages count from 1
    return known;
}

Str check_normal(CheckValue kind, Str value, Arena *arena)
{
    double number;
    Str given = unquote(str_trim(value));
    Str text = number_of_text(given, &number) ? given : lower(given, arena);  // 1e-8 keeps its sign
    switch (kind) {
    case VALUE_DTYPE:
        return whole_word(dtypes, str_behind(text, '.'));
    case VALUE_OPTIMIZER:
        return whole_word(optimizers, str_behind(text, '.'));
    case VALUE_ACTIVATION:
        return whole_word(activations, text);
    case VALUE_NORM:
        return whole_word(norms, text);
    case VALUE_POSITION:
        return whole_word(positions, text);
    case VALUE_SCHEDULE:
        return part_of_word(schedules, text);
    case VALUE_SWITCH:
        return switch_value(text);
    case VALUE_PLAIN:
        break;
    }
    bool is_list = text.size > 2 && text.data[0] == '[' && text.data[text.size - 1] == ']';
    return is_list ? list(text, arena) : plain(text, arena);
}
