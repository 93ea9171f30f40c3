// SPDX-License-Identifier: Apache-2.0
#include "read/json/python_literal.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

LiteralReader literal_open(Str text, size_t at, Arena *arena)
{
    return (LiteralReader){.text = text, .at = at, .arena = arena};
}

static bool fail(LiteralReader *reader)
{
    reader->broken = true;
    return false;
}

static void skip_space(LiteralReader *reader)
{
    while (reader->at < reader->text.size) {
        char c = reader->text.data[reader->at];
        if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
            return;
        reader->at++;
    }
}

static char peek(LiteralReader *reader)
{
    skip_space(reader);
    return reader->at < reader->text.size ? reader->text.data[reader->at] : '\0';
}

bool literal_enter(LiteralReader *reader, char bracket)
{
    if (reader->broken || peek(reader) != bracket)
        return false;
    reader->at++;
    return true;
}

static uint32_t hex_digits(Str text)
{
    uint32_t value = 0;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                : 0;
        value = value * 16 + digit;
    }
    return value;
}

// The character of "uXXXX" at *at, which moves to its last digit; two halves of a pair are one.
static uint32_t unicode_escape(Str inner, size_t *at)
{
    uint32_t high = hex_digits(str_slice(inner, *at + 1, *at + 5));
    *at += 4;
    Str rest = str_slice(inner, *at + 1, *at + 7);
    if (high < 0xD800 || high > 0xDBFF || rest.size < 6 || !str_starts(rest, STR("\\u")))
        return high;
    uint32_t low = hex_digits(str_slice(rest, 2, 6));
    if (low < 0xDC00 || low > 0xDFFF)
        return high;
    *at += 6;
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}

static char letter_escape(char c)
{
    static const char letters[] = "ntrbf", values[] = "\n\t\r\b\f";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? values[found - letters] : c;
}

static Str unescape(Str inner, Arena *arena)
{
    char *out = arena_alloc(arena, inner.size + 4);
    size_t size = 0;
    for (size_t i = 0; i < inner.size; i++) {
        char c = inner.data[i];
        if (c != '\\' || i + 1 >= inner.size) {
            out[size++] = c;
            continue;
        }
        c = inner.data[++i];
        if (c == 'u' && i + 4 < inner.size)
            // Six bytes of source become at most three, twelve at most four.
            size += (size_t)utf8_write(unicode_escape(inner, &i), out + size);
        else
            out[size++] = letter_escape(c);
    }
    return (Str){out, size};
}

// A quoted text from `at`, in either kind of quotes.
static bool read_text(LiteralReader *reader, Str *out)
{
    char quote = reader->text.data[reader->at];
    size_t from = ++reader->at;
    bool escaped = false;
    for (; reader->at < reader->text.size; reader->at++) {
        char c = reader->text.data[reader->at];
        if (c == '\\') {
            escaped = true;
            reader->at++;
        } else if (c == quote) {
            Str inner = str_slice(reader->text, from, reader->at++);
            *out = escaped ? unescape(inner, reader->arena) : inner;
            return true;
        }
    }
    reader->at = reader->text.size;  // a backslash as the last byte has no letter after it
    return fail(reader);
}

bool literal_member(LiteralReader *reader, Str *key)
{
    if (reader->broken)
        return false;
    if (peek(reader) == ',')
        reader->at++;
    char c = peek(reader);
    if (c == '}') {
        reader->at++;
        return false;
    }
    if (c != '"' && c != '\'')
        return fail(reader);
    if (!read_text(reader, key) || peek(reader) != ':')
        return fail(reader);
    reader->at++;
    return true;
}

bool literal_element(LiteralReader *reader)
{
    if (reader->broken)
        return false;
    if (peek(reader) == ',')
        reader->at++;
    char c = peek(reader);
    if (c == ']') {
        reader->at++;
        return false;
    }
    return c != '\0' && c != '}' ? true : fail(reader);
}

static bool is_name_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '.';
}

// The bracket that ends a call whose further arguments are no containers; SIZE_MAX: none does.
static size_t call_end(const LiteralReader *reader, size_t at)
{
    LiteralReader inside = *reader;
    Str ignored;
    inside.at = at;
    while (inside.at < inside.text.size) {
        char c = inside.text.data[inside.at];
        if (c == ')')
            return inside.at;
        if (c == '[' || c == ']' || c == '{' || c == '}')
            return SIZE_MAX;
        if (c != '"' && c != '\'')
            inside.at++;
        else if (!read_text(&inside, &ignored))
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

// "tensor(2.5, device='cuda:0')", "np.float64(2.5)": the first argument, if it is a number.
static bool read_call(LiteralReader *reader, Literal *out)
{
    Str text = reader->text;
    size_t at = reader->at;
    while (at < text.size && is_name_byte(text.data[at]))
        at++;
    if (at == reader->at || at >= text.size || text.data[at] != '(')
        return false;
    Scan scan = {text, at + 1};
    *out = (Literal){.kind = LITERAL_NUMBER};
    if (!scan_figure(&scan, &out->figure))
        return false;
    // "nan(ind)" has one of its own.
    size_t stop = call_end(reader, scan.at);
    if (stop == SIZE_MAX || (scan.at != stop && text.data[scan.at] != ','))
        return false;
    reader->at = stop + 1;
    return true;
}

static Literal read_word(LiteralReader *reader)
{
    static const struct {
        const char *word;
        LiteralKind kind;
        double value;
    } words[] = {
        {"true", LITERAL_BOOL, 1},
        {"false", LITERAL_BOOL, 0},
        {"null", LITERAL_NULL, 0},
        {"none", LITERAL_NULL, 0},
    };
    Literal special = {.kind = LITERAL_NUMBER};
    Scan scan = {reader->text, reader->at};
    if (scan_figure(&scan, &special.figure)) {
        reader->at = scan.at;
        return special;
    }
    Str rest = str_slice(reader->text, reader->at, reader->at + 16);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t size = strlen(words[i].word);
        if (str_equal_nocase(str_slice(rest, 0, size), str_of(words[i].word))) {
            reader->at += size;
            return (Literal){.kind = words[i].kind, .figure.value = words[i].value};
        }
    }
    Literal called;
    if (read_call(reader, &called))
        return called;
    fail(reader);
    return (Literal){.kind = LITERAL_BROKEN};
}

Literal literal_value(LiteralReader *reader)
{
    Literal value = {.kind = LITERAL_BROKEN};
    char c = reader->broken ? '\0' : peek(reader);
    if (c == '{' || c == '[') {
        value.kind = c == '{' ? LITERAL_OBJECT : LITERAL_ARRAY;
    } else if (c == '"' || c == '\'') {
        if (read_text(reader, &value.text))
            value.kind = LITERAL_TEXT;
    } else if ((c >= '0' && c <= '9') || c == '-' || c == '.' || c == '+') {
        Scan scan = {reader->text, reader->at};
        value.kind = scan_figure(&scan, &value.figure) ? LITERAL_NUMBER : LITERAL_BROKEN;
        reader->at = scan.at;
        reader->broken = value.kind == LITERAL_BROKEN;
    } else if (c != '\0') {
        return read_word(reader);
    } else {
        reader->broken = true;
    }
    return value;
}

// Brackets are counted, not matched by kind: what is skipped is of no interest.
static bool skip_container(LiteralReader *reader)
{
    size_t depth = 0;
    Str ignored;
    while (reader->at < reader->text.size) {
        char c = reader->text.data[reader->at];
        if (c == '"' || c == '\'') {
            if (!read_text(reader, &ignored))
                return false;
            continue;
        }
        reader->at++;
        depth += c == '{' || c == '[';
        if ((c == '}' || c == ']') && --depth == 0)
            return true;
    }
    return fail(reader);
}

bool literal_skip(LiteralReader *reader)
{
    LiteralKind kind = literal_value(reader).kind;
    if (kind == LITERAL_OBJECT || kind == LITERAL_ARRAY)
        return skip_container(reader);
    return kind != LITERAL_BROKEN;
}

size_t literal_scalars(LiteralReader *reader, Literal *out, size_t max)
{
    size_t count = 0;
    literal_enter(reader, '[');
    while (literal_element(reader)) {
        Literal value = literal_value(reader);
        if (value.kind == LITERAL_OBJECT || value.kind == LITERAL_ARRAY)
            literal_skip(reader);
        else if (count < max)
            out[count++] = value;
    }
    return count;
}
