// SPDX-License-Identifier: Apache-2.0
#include "read/json/json_scan.h"

#include <string.h>

#include "base/utf8.h"
#include "base/words.h"

// Where the NUL bytes at the end begin. There may be gigabytes of them, where a crash left a hole,
// so they are looked for from the front: JSON has no NUL.
static size_t end_of_text(Str text)
{
    if (text.size == 0 || text.data[text.size - 1] != '\0')
        return text.size;
    return str_find_char(text, '\0', 0);
}

bool scan_clean(const char *path, Str text, Str *out, Notices *notices, Error *err)
{
    size_t end = end_of_text(text);
    *out = str_slice(text, 0, end);
    if (scan_space(*out, 0) == out->size) {
        error_set(err, ERR_INPUT, WHERE_FILE(path), "%s", tr("empty file"));
        return error_hint(err, "%s",
                          tr("the run wrote nothing into it or the disk was full; dump again"));
    }
    if (end < text.size)
        notices_add(notices, NOTICE_WARNING, WHERE_BYTE(path, end), "%s",
                    tr("NUL bytes at the end of the file are ignored"));
    return true;
}

static bool is_json_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

size_t scan_space(Str text, size_t at)
{
    while (at < text.size && is_json_space(text.data[at]))
        at++;
    return at;
}

// Whether the quote at `quote` is escaped: an odd number of backslashes in front of it.
static bool quote_escaped(Str text, size_t start, size_t quote)
{
    size_t at = quote;
    while (at > start && text.data[at - 1] == '\\')
        at--;
    return (quote - at) % 2 == 1;
}

ScanStatus scan_string(Str text, size_t *at, ScanString *out)
{
    if (*at >= text.size)
        return SCAN_CUT;
    if (text.data[*at] != '"')
        return SCAN_BAD;
    size_t start = *at + 1;
    size_t quote = str_find_char(text, '"', start);
    while (quote != SIZE_MAX && quote_escaped(text, start, quote))
        quote = str_find_char(text, '"', quote + 1);
    if (quote == SIZE_MAX) {
        *at = text.size;
        return SCAN_CUT;
    }
    out->raw = str_slice(text, start, quote);
    out->escaped = str_find_char(out->raw, '\\', 0) != SIZE_MAX;
    *at = quote + 1;
    return SCAN_OK;
}

static bool is_delimiter(char c)
{
    return is_json_space(c) || c == ',' || c == '}' || c == ']' || c == ':';
}

ScanStatus scan_literal(Str text, size_t *at, Str *out)
{
    size_t start = *at;
    while (*at < text.size && !is_delimiter(text.data[*at]))
        (*at)++;
    *out = str_slice(text, start, *at);
    if (*at == text.size)
        return SCAN_CUT;  // "12" may be the beginning of 123
    return *at == start ? SCAN_BAD : SCAN_OK;
}

// Which brackets are open, one bit each; beyond the limit they are only counted.
typedef struct Brackets {
    unsigned char curly[JSON_DEPTH_MAX / 8];
    size_t count;
} Brackets;

static void push_bracket(Brackets *open, char c)
{
    if (open->count < JSON_DEPTH_MAX) {
        unsigned char bit = (unsigned char)(1u << open->count % 8);
        unsigned char *byte = &open->curly[open->count / 8];
        *byte = (unsigned char)(c == '{' ? *byte | bit : *byte & ~bit);
    }
    open->count++;
}

static bool pop_bracket(Brackets *open, char c)
{
    open->count--;
    if (open->count >= JSON_DEPTH_MAX)
        return true;
    bool curly = open->curly[open->count / 8] >> open->count % 8 & 1;
    return curly == (c == '}');
}

ScanStatus scan_value(Str text, size_t *at, int depth)
{
    ScanString string;
    Str literal;
    if (*at >= text.size)
        return SCAN_CUT;
    if (text.data[*at] == '"')
        return scan_string(text, at, &string);
    if (text.data[*at] != '{' && text.data[*at] != '[')
        return scan_literal(text, at, &literal);
    Brackets open = {.count = 0};
    size_t deepest = 0;
    while (*at < text.size) {
        char c = text.data[*at];
        if (c == '"') {
            if (scan_string(text, at, &string) != SCAN_OK)
                return SCAN_CUT;
            continue;
        }
        if (c == '{' || c == '[')
            push_bracket(&open, c);
        else if ((c == '}' || c == ']') && !pop_bracket(&open, c))
            return SCAN_BAD;
        deepest = open.count > deepest ? open.count : deepest;
        (*at)++;
        if (open.count == 0)
            return deepest + (size_t)depth > JSON_DEPTH_MAX ? SCAN_DEEP : SCAN_OK;
    }
    return SCAN_CUT;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// The number of a \uXXXX escape that begins at `at`, or -1.
static int32_t read_unit(Str raw, size_t at)
{
    if (raw.size < 6 || at > raw.size - 6 || raw.data[at] != '\\' || raw.data[at + 1] != 'u')
        return -1;
    int32_t unit = 0;
    for (size_t i = at + 2; i < at + 6; i++) {
        int digit = hex_digit(raw.data[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t decode_unicode(Str raw, size_t at, StrBuf *out)
{
    int32_t unit = read_unit(raw, at);
    if (unit < 0)
        return 0;
    bool high = unit >= 0xD800 && unit < 0xDC00;
    int32_t low = high ? read_unit(raw, at + 6) : -1;
    char bytes[4];
    if (low >= 0xDC00 && low < 0xE000) {
        uint32_t character = 0x10000 + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00);
        strbuf_add(out, (Str){bytes, (size_t)utf8_write(character, bytes)});
        return 12;
    }
    if (unit >= 0xD800 && unit < 0xE000) {
        char lone[3] = {(char)0xED, (char)(0x80 | (unit >> 6 & 0x3F)),
                        (char)(0x80 | (unit & 0x3F))};
        strbuf_add(out, (Str){lone, 3});
    } else {
        strbuf_add(out, (Str){bytes, (size_t)utf8_write((uint32_t)unit, bytes)});
    }
    return 6;
}

static size_t decode_escape(Str raw, size_t at, StrBuf *out)
{
    static const char letters[] = "\"\\/bfnrt", characters[] = "\"\\/\b\f\n\r\t";
    if (at + 1 >= raw.size)
        return 0;
    if (raw.data[at + 1] == 'u')
        return decode_unicode(raw, at, out);
    const char *letter = raw.data[at + 1] ? strchr(letters, raw.data[at + 1]) : NULL;
    if (!letter)
        return 0;
    strbuf_add_char(out, characters[letter - letters]);
    return 2;
}

bool scan_decode(Str raw, StrBuf *out)
{
    for (size_t at = 0; at < raw.size;) {
        size_t escape = str_find_char(raw, '\\', at);
        if (escape == SIZE_MAX)
            escape = raw.size;
        strbuf_add(out, str_slice(raw, at, escape));
        at = escape;
        if (at == raw.size)
            break;
        size_t size = decode_escape(raw, at, out);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}

bool scan_text(ScanString string, StrBuf *decoded, Str *out)
{
    *out = string.raw;
    if (!string.escaped)
        return true;
    decoded->size = 0;
    if (!scan_decode(string.raw, decoded))
        return false;
    *out = strbuf_str(decoded);
    return true;
}

static size_t skip_digits(Str text, size_t at)
{
    while (at < text.size && text.data[at] >= '0' && text.data[at] <= '9')
        at++;
    return at;
}

static size_t skip_exponent(Str text, size_t at)
{
    if (at >= text.size || (text.data[at] | 0x20) != 'e')
        return at;
    size_t start = at + 1;
    if (start < text.size && (text.data[start] == '+' || text.data[start] == '-'))
        start++;
    size_t end = skip_digits(text, start);
    return end > start ? end : at;
}

// NaN, Infinity, -Infinity; 0 for anything else.
static size_t word_size(Str text, size_t at)
{
    static const Str words[] = {{"NaN", 3}, {"Infinity", 8}, {"-Infinity", 9}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_equal(str_slice(text, at, at + words[i].size), words[i]))
            return words[i].size;
    return 0;
}

size_t scan_number(Str text, size_t at, bool *real)
{
    *real = true;
    bool digit = at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
    size_t word = digit ? 0 : word_size(text, at);
    if (word)
        return at + word;
    size_t start = at < text.size && text.data[at] == '-' ? at + 1 : at;
    size_t end = skip_digits(text, start);
    if (end == start || (end > start + 1 && text.data[start] == '0'))
        return at;
    *real = false;
    if (end < text.size && text.data[end] == '.') {
        size_t fraction = skip_digits(text, end + 1);
        *real = fraction > end + 1;
        end = *real ? fraction : end;
    }
    size_t exponent = skip_exponent(text, end);
    *real = *real || exponent > end;
    return exponent;
}

void scan_object_open(ScanObject *object, Str text, size_t at)
{
    *object = (ScanObject){.text = text, .at = at + 1, .first = true, .status = SCAN_OK};
}

static bool stop(ScanObject *object, size_t at, ScanStatus status)
{
    object->at = at < object->text.size ? at : object->text.size;
    object->status = status;
    return false;
}

bool scan_object_next(ScanObject *object, ScanString *key, size_t *key_at)
{
    Str text = object->text;
    size_t at = scan_space(text, object->at);
    if (at < text.size && text.data[at] == '}')
        return stop(object, at + 1, SCAN_OK);
    if (!object->first) {
        if (at < text.size && text.data[at] != ',')
            return stop(object, at, SCAN_BAD);
        at = scan_space(text, at + 1);
    }
    object->first = false;
    *key_at = at;
    ScanStatus status = scan_string(text, &at, key);
    if (status != SCAN_OK)
        return stop(object, at, status);
    at = scan_space(text, at);
    if (at < text.size && text.data[at] != ':')
        return stop(object, at, SCAN_BAD);
    object->at = scan_space(text, at + 1);
    if (object->at >= text.size)
        return stop(object, text.size, SCAN_CUT);
    return true;
}

Str scan_first_key(Str text)
{
    ScanObject object;
    ScanString key;
    size_t key_at, at = scan_space(text, 0);
    if (at >= text.size || text.data[at] != '{')
        return (Str){0};
    scan_object_open(&object, text, at);
    return scan_object_next(&object, &key, &key_at) ? key.raw : (Str){0};
}

void scan_list_open(ScanList *list, Str text, size_t at)
{
    *list = (ScanList){.text = text, .at = at + 1, .first = true, .status = SCAN_OK};
}

bool scan_list_next(ScanList *list)
{
    Str text = list->text;
    size_t at = scan_space(text, list->at);
    bool closed = at < text.size && text.data[at] == ']';
    bool comma = at < text.size && text.data[at] == ',';
    if (!closed && !list->first && comma)
        at = scan_space(text, at + 1);
    else if (!closed && !list->first && at < text.size)
        list->status = SCAN_BAD;
    list->first = false;
    list->at = closed ? at + 1 : at < text.size ? at : text.size;
    if (at >= text.size)
        list->status = SCAN_CUT;
    return !closed && list->status == SCAN_OK;
}

Where scan_where(const ScanFile *file, size_t at)
{
    return WHERE_BYTE(file->path, at);
}

void scan_break_off(const ScanFile *file, size_t at, ScanStatus status)
{
    const char *text =
        status == SCAN_CUT
            ? tr("the file breaks off here; its complete entries are used. If the run "
                 "still writes it, try again later, else dump again")
            : tr("the file is no valid JSON from here on; the entries before are used");
    notices_partial(file->notices, scan_where(file, at), "%s", text);
}

void scan_trailing(const ScanFile *file, size_t at)
{
    at = scan_space(file->text, at);
    if (at < file->text.size)
        notices_partial(file->notices, scan_where(file, at), "%s",
                        tr("what follows the end of the JSON document is ignored"));
}

void scan_members(const ScanFile *file, size_t at, ScanMember *member, void *context)
{
    ScanObject object;
    ScanString key;
    size_t key_at;
    scan_object_open(&object, file->text, at);
    while (scan_object_next(&object, &key, &key_at)) {
        size_t from = object.at;
        object.status = scan_value(file->text, &object.at, 1);
        if (object.status == SCAN_CUT || object.status == SCAN_BAD)
            break;
        member(context, key, key_at, from, object.at);
    }
    if (object.status == SCAN_CUT || object.status == SCAN_BAD)
        scan_break_off(file, object.at, object.status);
    else
        scan_trailing(file, object.at);
}
