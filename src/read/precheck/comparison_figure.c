// SPDX-License-Identifier: Apache-2.0
#include "read/precheck/comparison_figure.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"

// An absolute difference has the scale of the tensor: a relative one decides in its place.
enum { ABSOLUTE, RELATIVE, COSINE, NOISE_RATIO };

// What a figure may come to where the file states no result. Half precision rounds by 1e-3; 0.99 is
// the limit of the pre-check, and 20 dB is a tenth of the signal.
static const struct {
    const char *text;  // TR
    const char *names;
    double limit;
    bool likeness;  // less is worse, and no letters follow the names
} kinds[FIGURE_KINDS] = {
    [ABSOLUTE] = {TR("largest absolute error"),
                  "max abs diff,max absolute diff,max diff,max abs err,max absolute err,max err,"
                  "abs max diff,diff max,greatest abs diff,greatest absolute diff",
                  1e-3, false},
    [RELATIVE] = {TR("largest relative error"),
                  "max rel diff,max rel err,max relative diff,max relative err,rel max diff,"
                  "rel err,rel diff,relative err,relative diff",
                  1e-2, false},
    [COSINE] = {TR("cosine similarity"),
                "cosine similarity,cosine sim,cos similarity,cos sim,cosine,cos", 0.99, true},
    [NOISE_RATIO] = {TR("signal to noise"), "sqnr", 20, true},
};

static bool is_gap(char c)
{
    return c == ' ' || c == '_' || c == '-' || c == '.' || c == '|';
}

// How many bytes at `at` are the words, in any case and with any gaps; 0: others.
static size_t words_at(Str text, size_t at, Str words, bool whole)
{
    size_t from = at;
    for (size_t i = 0; i < words.size; i++) {
        bool gap = words.data[i] == ' ';
        while (gap && at < text.size && is_gap(text.data[at]))
            at++;
        if (!gap && (at >= text.size || (text.data[at++] | 0x20) != words.data[i]))
            return 0;
    }
    size_t end = at;
    while (end < text.size && is_letter(text.data[end]))
        end++;
    return end > at && whole ? 0 : end - from;
}

int figure_named(Str text, size_t at, size_t *size)
{
    for (int kind = 0; kind < FIGURE_KINDS; kind++) {
        Str names = str_of(kinds[kind].names), name;
        while (str_split(&names, ',', &name))
            if ((*size = words_at(text, at, name, kinds[kind].likeness)))
                return kind;
    }
    return -1;
}

size_t figure_find(Str text, int *kind, size_t *size)
{
    for (size_t at = 0; at < text.size; at++)
        if ((at == 0 || !is_letter(text.data[at - 1])) &&
            (*kind = figure_named(text, at, size)) >= 0)
            return at;
    return SIZE_MAX;
}

size_t figure_value(Str text, double *value)
{
    Str word = str_slice(text, 0, 3);
    size_t size = number_parse(text, value);
    if (size || (!str_equal_nocase(word, STR("nan")) && !str_equal_nocase(word, STR("inf"))))
        return size;
    *value = (double)INFINITY;
    return 3;
}

static int rank_in(Str column, const char *const *words, int count)
{
    int rank = 0;
    while (rank < count && !str_equal_nocase(column, str_of(words[rank])))
        rank++;
    return rank < count ? rank : -1;
}

int figure_name_rank(Str column)
{
    static const char *const words[] = {
        "name",   "layer_name", "module_name", "op_name",     "tensor_name", "node_name", "layer",
        "module", "op",         "tensor",      "param",       "parameter",   "key",       "node",
        "output", "stage",      "target name", "source name", "my_data_path"};
    return rank_in(column, words, sizeof words / sizeof *words);
}

bool figure_is_status(Str column)
{
    static const char *const words[] = {"status", "result",   "passed", "pass",
                                        "match",  "matched",  "equal",  "allclose",
                                        "close",  "is_close", "verdict"};
    return rank_in(column, words, sizeof words / sizeof *words) >= 0;
}

static PrecheckStatus status_of(int kind, double value)
{
    double limit = kinds[kind].limit;
    if (isnan(value) || isinf(value))
        return PRECHECK_ERROR;
    if (kinds[kind].likeness)
        return value < limit ? PRECHECK_ERROR : PRECHECK_PASS;
    return value > limit ? PRECHECK_ERROR : value > 0 ? PRECHECK_WARNING : PRECHECK_PASS;
}

bool figure_judge(const ComparisonFigures *of, PrecheckFinding *out)
{
    int worst = -1;
    double value;
    PrecheckStatus found = PRECHECK_UNTOLD;
    for (int kind = 0; kind < FIGURE_KINDS; kind++) {
        bool scaled = kind == ABSOLUTE && of->values[RELATIVE].size;
        if (!figure_value(of->values[kind], &value))
            continue;
        PrecheckStatus own = scaled && isfinite(value) ? PRECHECK_UNTOLD : status_of(kind, value);
        if (worst < 0 || own > found)
            worst = kind;
        found = own > found ? own : found;
    }
    if (worst < 0 && of->status == PRECHECK_UNTOLD)
        return false;
    *out = (PrecheckFinding){.api = of->name,
                             .plain = true,
                             .size = (double)NAN,
                             .standard = TR("a script that compares"),
                             .value = worst >= 0 ? of->values[worst] : STR("")};
    out->status = of->status != PRECHECK_UNTOLD ? of->status : found;
    out->figure = worst >= 0 && out->status >= PRECHECK_WARNING ? kinds[worst].text : NULL;
    return out->api.size > 0 && out->api.size < 256;
}
