// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/expect.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"

const char *const expect_words[EXPECT_KINDS] = {"frozen", "trained", "init",     "compute",
                                                "batch",  "length",  "generated"};

static bool refuse(Str text, const char *expected, Error *err)
{
    return error_set(err, ERR_USAGE, NOWHERE, tr("--expect: expected %s, found '" STR_FMT "'"),
                     expected, STR_ARG(text));
}

static bool read_kind(Str word, Expect *out)
{
    for (int i = 0; i < EXPECT_KINDS; i++)
        if (str_equal(word, str_of(expect_words[i]))) {
            out->kind = (ExpectKind)i;
            return true;
        }
    return false;
}

static bool read_init(Str value, Expect *out)
{
    size_t comma = str_find_char(value, ',', 0);
    bool mean = comma == SIZE_MAX ||
                number_of_text(str_trim(str_slice(value, comma + 1, value.size)), &out->mean);
    return mean && number_of_text(str_trim(str_slice(value, 0, comma)), &out->std) &&
           out->std >= 0 && isfinite(out->std) && isfinite(out->mean);
}

// The value of one that is no pattern alone.
static bool read_value(Str value, Expect *out)
{
    if (out->kind == EXPECT_INIT)
        return out->pattern.size && read_init(value, out);
    if (out->kind == EXPECT_COMPUTE) {
        out->dtype = value;
        return STR_IN(value, "float16", "bfloat16", "float32", "float64");
    }
    return str_to_int64(value, &out->size) && out->size > 0;
}

static const char *form_of(ExpectKind kind)
{
    static const char *const forms[EXPECT_KINDS] = {
        "frozen=PATTERN",          "trained=PATTERN",
        "init=PATTERN=STD[,MEAN]", "compute=[PATTERN=]float16|bfloat16|float32|float64",
        "batch=[PATTERN=]N",       "length=[PATTERN=]N",
        "generated=[PATTERN=]N"};
    return forms[kind];
}

bool expect_read(Str text, Expect *out, Error *err)
{
    size_t first = str_find_char(text, '=', 0), last = str_rfind_char(text, '=');
    *out = (Expect){.text = text};
    if (!read_kind(str_slice(text, 0, first), out))
        return refuse(text,
                      "frozen=, trained=, init=, compute=, batch=, length= | generated=", err);
    bool whole = out->kind == EXPECT_FROZEN || out->kind == EXPECT_TRAINED;
    Str value = first == SIZE_MAX ? STR("") : str_slice(text, first + 1, text.size);
    if (whole)
        out->pattern = value;
    else if (last != first)
        out->pattern = str_slice(text, first + 1, last);
    bool empty = value.size == 0 || (last != first && !whole && out->pattern.size == 0);
    return (!empty && (whole || read_value(str_slice(text, last + 1, text.size), out))) ||
           refuse(text, form_of(out->kind), err);
}

Expects expects_of(const Expect *items, size_t count, Arena *arena)
{
    Expects all = {.items = items, .count = count};
    Str *patterns = ARENA_ARRAY(arena, Str, count + 1);
    for (size_t i = 0; i < count; i++) {
        patterns[i] = items[i].pattern;
        all.kinds |= EXPECT_BIT(items[i].kind);
    }
    all.patterns = pattern_index_new(patterns, count, arena);
    return all;
}

const Expect *expect_find(ExpectSearch *of, unsigned kinds, Str name, bool usual)
{
    const Expect *found = NULL;
    if (!(kinds & of->all->kinds))
        return NULL;
    pattern_index_find(of->all->patterns, name, of->arena, &of->hits);
    for (size_t i = 0; i < of->hits.count; i++) {
        const Expect *it = &of->all->items[of->hits.items[i]];
        if (!(kinds & EXPECT_BIT(it->kind)) || !(it->pattern.size || usual))
            continue;
        of->tally[of->hits.items[i]].named++;
        found = it;
    }
    return found;
}
