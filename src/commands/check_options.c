// SPDX-License-Identifier: Apache-2.0
#include "commands/check_options.h"

#include "base/words.h"
#include "compare/invariant/law_run.h"

static bool read_skips(const Options *options, Arena *arena, CheckOptions *out, Error *err)
{
    out->skip = ARENA_ARRAY(arena, Str, law_count);
    for (size_t i = 0; i < options_list_count(options, "skip"); i++) {
        Str item = options_list_item(options, "skip", i);
        size_t equal = str_find_char(item, '=', 0);
        Str why = equal == SIZE_MAX ? STR("") : str_trim(str_slice(item, equal + 1, item.size));
        const Law *law = law_named(str_slice(item, 0, equal));
        if (!law)
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("--skip: no invariant is called '" STR_FMT
                                "'; 'vernier help checks' lists them"),
                             STR_ARG(str_slice(item, 0, equal)));
        if (why.size == 0)
            return error_set(err, ERR_USAGE, NOWHERE, "%s",
                             tr("--skip: expected NAME=WHY, a reason that the report can print"));
        out->skip[law - laws] = why;
    }
    return true;
}

// More ranks than any job has; keeps products within 64 bits.
#define COPIES_MAX 1000000000

// One "tp=2" of --layout; those that are not dp go on to the parser of --parallel-merge.
static bool read_layout_part(Str part, StrBuf *rest, int64_t *copies, Error *err)
{
    size_t equal = str_find_char(part, '=', 0);
    Str key = str_trim(str_slice(part, 0, equal));
    Str text = equal == SIZE_MAX ? STR("") : str_trim(str_slice(part, equal + 1, part.size));
    int64_t number = 0;
    bool order = str_equal(key, STR("order"));
    if (!order && !STR_IN(key, "tp", "pp", "vpp", "dp", "rank_size")) {
        error_set(err, ERR_USAGE, NOWHERE,
                  tr("--layout: expected tp, pp, dp, vpp or order, found '" STR_FMT "'"),
                  STR_ARG(key));
        return error_hint(err, "%s",
                          tr("dp counts all ranks that hold the same weights: those of context and "
                             "expert parallelism too"));
    }
    if (!order && (!str_to_int64(text, &number) || number < 1 || number > COPIES_MAX))
        return error_set(err, ERR_USAGE, NOWHERE,
                         tr("--layout: " STR_FMT " is a whole number from 1 to %lld"), STR_ARG(key),
                         (long long)COPIES_MAX);
    if (str_equal(key, STR("dp")))
        *copies = number;
    else
        strbuf_printf(rest, "%s" STR_FMT, rest->size ? "," : "", STR_ARG(part));
    return true;
}

// The parser speaks of the option that it was made for.
bool check_options_name(Error *err)
{
    Error said = *err;
    Str text = str_of(said.text);
    if (str_starts(text, STR("--layout")))
        return false;
    size_t ascii = str_find(text, STR(": "), 0), wide = str_find(text, STR("："), 0);
    size_t from = ascii < wide ? ascii + 2 : wide == SIZE_MAX ? 0 : wide + STR("：").size;
    return error_set(err, said.kind, NOWHERE, "--layout: %s", said.text + from);
}

static bool read_layout(Str rest, Arena *arena, CheckOptions *out, Error *err)
{
    Str part;
    StrBuf text = strbuf_new(arena);
    out->laid_out = true;
    out->layout = parallel_layout_none();
    while (str_split(&rest, ',', &part))
        if (!read_layout_part(part, &text, &out->copies, err))
            return false;
    return text.size == 0 || parallel_layout_parse(strbuf_str(&text), &out->layout, err) ||
           check_options_name(err);
}

static bool read_numbers(const Options *options, CheckOptions *out, Error *err)
{
    out->tolerance = options_number(options, "tolerance", SEEN_TOLERANCE);
    if (!(out->tolerance >= 0 && out->tolerance < 1))
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--tolerance: expected a number from 0 to 1"));
    out->rate = options_number(options, "rate", 0);
    return (out->rate >= 0 && out->rate < 1e9) ||
           error_set(err, ERR_USAGE, NOWHERE, "%s", tr("--rate: expected a learning rate above 0"));
}

// What is said of one of these says it of the other.
static unsigned kinds_of(ExpectKind kind)
{
    unsigned training = EXPECT_BIT(EXPECT_FROZEN) | EXPECT_BIT(EXPECT_TRAINED);
    return EXPECT_BIT(kind) & training ? training : EXPECT_BIT(kind);
}

// The user's own words win over the configuration.
static bool read_expects(const Options *options, Arena *arena, CheckOptions *out, Error *err)
{
    size_t count = options_list_count(options, "expect");
    const Meants *meants = &out->config.meants;
    Expect *items = ARENA_ARRAY(arena, Expect, count + meants->count);
    unsigned given = 0;
    size_t at = 0;
    Str text;
    for (size_t i = 0; options_list_next(options, "expect", &at, &text); i++)
        if (!expect_read(text, &items[i], err))
            return error_hint(err, "%s", tr("'vernier help checks' lists how each is tested"));
        else
            given |= kinds_of(items[i].kind);
    for (size_t i = 0; i < meants->count; i++)
        if (!(given & EXPECT_BIT(meants->items[i].kind)))
            items[count++] = meants->items[i];
    out->expects = expects_of(items, count, arena);
    TokenIds *tokens = ARENA_NEW(arena, TokenIds);
    *tokens = meants->tokens;
    double size = options_number(options, "vocab-size", 0);
    if (options_given(options, "vocab-size"))
        tokens->vocabulary = (TokenId){size >= 1 && size < 1e15, (int64_t)size};
    if (options_given(options, "vocab-size") && !tokens->vocabulary.known)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--vocab-size: expected a whole number from 1"));
    out->expects.tokens = tokens;
    return true;
}

bool check_options_read(const Options *options, Arena *arena, CheckOptions *out, Error *err)
{
    *out = (CheckOptions){.layout = parallel_layout_none()};
    return read_numbers(options, out, err) && read_skips(options, arena, out, err) &&
           check_config_read(options, arena, &out->config, err) &&
           read_expects(options, arena, out, err) &&
           (!options_given(options, "layout") ||
            read_layout(options_text(options, "layout", ""), arena, out, err));
}
