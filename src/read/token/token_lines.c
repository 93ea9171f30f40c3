// SPDX-License-Identifier: Apache-2.0
// Tokens from JSON Lines: an object a line, lists of numbers by name. Lists nested once hold a
// sample each; microbatches of one nest everything once more.
#include <math.h>

#include "base/number.h"
#include "base/pages.h"
#include "base/words.h"
#include "read/json/json_scan.h"
#include "read/token/token_rows.h"

enum { NESTED_MAX = 4 };

typedef struct Lists {
    Str text;
    Arena *arena;
    TokenList fields[FIELD_COUNT];
    TokenList rest;  // of a name that is no field
    TokenSet *set;
    StrBuf decoded;
    Str used[FIELD_COUNT];  // the name of each in the line
    bool other;             // the list holds texts or objects: something else under a usual name
} Lists;

// A number as a word or text, a truth, or null for none; false for anything else.
static bool word_value(Str word, double *out)
{
    bool yes = str_equal(word, STR("true")), no = str_equal(word, STR("false"));
    *out = yes ? 1 : no ? 0 : (double)NAN;
    return yes || no || str_equal(word, STR("null")) || number_of_text(word, out);
}

// One number, word or text at *at.
static bool read_item(Lists *lists, size_t *at, TokenList *list)
{
    ScanString string;
    Str word;
    double value;
    lists->other = lists->text.data[*at] == '{';
    if (lists->text.data[*at] == '"') {
        if (scan_string(lists->text, at, &string) != SCAN_OK)
            return false;
        lists->other = !word_value(string.raw, &value);
        Str token;
        if (lists->other && list == &lists->fields[FIELD_IDS] &&
            scan_text(string, &lists->decoded, &token)) {
            value = token_text_id(lists->set, token);
            lists->other = false;
        }
        if (lists->other)
            return false;
        token_list_add(list, value, lists->arena);
        return true;
    }
    size_t size = number_parse(str_slice(lists->text, *at, *at + 64), &value);
    if (size && size < 64) {
        *at += size;
    } else {
        if (scan_literal(lists->text, at, &word) != SCAN_OK || !word_value(word, &value))
            return false;
    }
    token_list_add(list, value, lists->arena);
    return true;
}

static bool ends_item(char c)
{
    return c == ',' || c == ']' || c == ' ' || c == '\t' || c == '\r';
}

static bool row_begun(const TokenList *list)
{
    return list->count > (list->row_count ? list->ends[list->row_count - 1] : 0);
}

// A list of lists of numbers, at most NESTED_MAX deep: each innermost one is a row. Numbers next to
// lists belong to no row and make it malformed.
static bool read_list(Lists *lists, size_t *at, TokenList *list)
{
    Str text = lists->text;
    int depth = 0;
    bool open = false;  // a row has begun
    do {
        *at = scan_space(text, *at);
        if (*at >= text.size)
            return false;
        char c = text.data[*at];
        if (c == '[') {
            if (open && row_begun(list))
                return false;
            depth++;
            open = true;
            (*at)++;
        } else if (c == ']') {
            if (open)
                token_list_end_row(list, lists->arena);
            open = false;
            depth--;
            (*at)++;
        } else if (c == ',') {
            (*at)++;
        } else if (!open || !read_item(lists, at, list) ||
                   (*at < text.size && !ends_item(text.data[*at]))) {
            return false;
        }
    } while (depth > 0 && depth <= NESTED_MAX);
    return depth == 0;
}

// A number alone counts as a list of one where one a sample is reported.
static bool read_numbers(Lists *lists, size_t *at, TokenField field)
{
    TokenList *list = &lists->fields[field];
    lists->other = false;
    if (*at < lists->text.size && lists->text.data[*at] == '[')
        return read_list(lists, at, list);
    lists->other = true;
    if ((field != FIELD_LENGTH && field != FIELD_SAMPLE_MASK) || *at >= lists->text.size ||
        !read_item(lists, at, list))
        return false;
    token_list_end_row(list, lists->arena);
    return true;
}

// Names like "id" or "tokens" are given to other things too: what holds no lists of numbers is
// passed over.
static bool read_field(Lists *lists, size_t *at, TokenField field)
{
    size_t from = *at;
    if (read_numbers(lists, at, field))
        return true;
    lists->fields[field].count = lists->fields[field].row_count = 0;
    *at = from;
    return lists->other && scan_value(lists->text, at, 1) == SCAN_OK;
}

static bool same_list(const TokenList *a, const TokenList *b)
{
    bool same = a->count == b->count && a->row_count == b->row_count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->items[i] == b->items[i] || (isnan(a->items[i]) && isnan(b->items[i]));
    return same;
}

// A field that the line has already: of one name the last counts, as in Python; of two names the
// first, and the other has to be equal.
static bool read_again(Lists *lists, size_t *at, TokenField field, Str name, Where where,
                       Notices *notices)
{
    TokenList kept = lists->fields[field];
    bool renamed = !str_equal(lists->used[field], name);
    lists->fields[field] = (TokenList){0};
    if (!read_field(lists, at, field))
        return false;
    if (renamed && lists->fields[field].count && !same_list(&kept, &lists->fields[field]))
        notices_partial(notices, where,
                        tr("the line has '" STR_FMT "' and '" STR_FMT
                           "' for one thing: the first is compared, the other is not"),
                        STR_ARG(lists->used[field]), STR_ARG(name));
    else if (!renamed)
        notices_add(notices, NOTICE_WARNING, where, "%s",
                    tr("a name comes twice in a line: the last one counts"));
    account_see(&notices->account, kept.count);
    account_set_aside(&notices->account, ASIDE_REPEATED, kept.count);
    if (renamed)
        lists->fields[field] = kept;
    return true;
}

// The id of the sample (`name` is empty), or a value under another name: numbers are counted,
// anything else describes the sample.
static bool skip_other(Lists *lists, size_t *at, Str name, Arena *arena)
{
    size_t from = *at;
    if (!name.size) {
        bool good = scan_value(lists->text, at, 1) == SCAN_OK;
        token_key_sample(lists->set, str_trim(str_slice(lists->text, from, *at)));
        return good;
    }
    lists->rest.count = lists->rest.row_count = 0;
    bool list = *at < lists->text.size && lists->text.data[*at] == '[';
    bool numbers = (list ? read_list(lists, at, &lists->rest)
                         : *at < lists->text.size && lists->text.data[*at] != '"' &&
                               read_item(lists, at, &lists->rest));
    if (numbers && lists->rest.count)
        token_add_other(lists->set, name, lists->rest.count, arena);
    if (!numbers)
        *at = from;
    return numbers || scan_value(lists->text, at, 1) == SCAN_OK;
}

static bool read_object(Lists *lists, const TokenAsk *ask, Where where, Arena *arena,
                        Notices *notices)
{
    ScanObject object;
    ScanString key;
    size_t key_at, at = scan_space(lists->text, 0);
    if (at >= lists->text.size || lists->text.data[at] != '{')
        return false;
    for (int i = 0; i < FIELD_COUNT; i++)
        lists->fields[i].count = lists->fields[i].row_count = 0;
    scan_object_open(&object, lists->text, at);
    token_key_sample(lists->set, STR(""));
    while (scan_object_next(&object, &key, &key_at)) {
        TokenField field = token_field_of(ask, key.raw);
        if (field < FIELD_SAMPLE && lists->fields[field].row_count) {
            if (!read_again(lists, &object.at, field, key.raw, where, notices))
                return false;
        } else if (field < FIELD_SAMPLE) {
            lists->used[field] = key.raw;
            if (!read_field(lists, &object.at, field))
                return false;
        } else if (!skip_other(lists, &object.at, field == FIELD_COUNT ? key.raw : STR(""),
                               arena)) {
            return false;
        }
    }
    // A second object on the line would be lost without a word.
    return object.status == SCAN_OK && scan_space(lists->text, object.at) >= lists->text.size;
}

bool token_read_lines(const char *path, Str text, const TokenAsk *ask, Arena *arena, TokenSet *out,
                      Notices *notices)
{
    Arena *scratch = arena_new();
    Lists lists = {.arena = scratch, .set = out, .decoded = strbuf_new(scratch)};
    uint64_t number = 0;
    for (size_t at = 0, behind = 0; at < text.size;) {
        if (ask->mapped)
            pages_behind(text.data, at, &behind);
        size_t feed = str_find_char(text, '\n', at);
        size_t end = feed == SIZE_MAX ? text.size : feed;
        lists.text = str_trim(str_slice(text, at, end));
        number++;
        if (lists.text.size && read_object(&lists, ask, WHERE_LINE(path, number), arena, notices))
            token_add_samples(out, ask, lists.fields, path, number, arena, notices);
        else if (lists.text.size) {
            notices_partial(notices, WHERE_LINE(path, number), "%s",
                            tr("the line is no object with lists of numbers and is skipped"));
            token_add_missing(out, arena);
        }
        at = end + 1;
    }
    arena_release(scratch);
    return out->count > 0;
}
