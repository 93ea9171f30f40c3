// SPDX-License-Identifier: Apache-2.0
#include "commands/explain/explain_values.h"

#include <math.h>

#include "base/number.h"
#include "base/words.h"

enum { ITEMS_SHOWN = 8 };

const JsonNode *value_at(const JsonNode *node, const char *path)
{
    Str rest = str_of(path), key;
    while (node && rest.size && str_split(&rest, '.', &key))
        node = tree_member(node, key);
    return node;
}

Str value_text(const JsonNode *node, const char *path)
{
    const JsonNode *value = value_at(node, path);
    return value && value->kind == JSON_STRING ? value->text : (Str){"", 0};
}

double value_number(const JsonNode *node, const char *path)
{
    const JsonNode *value = value_at(node, path);
    double number;
    bool is = value && (value->kind == JSON_INTEGER || value->kind == JSON_REAL);
    return is && number_of_text(value->text, &number) ? number : (double)NAN;
}

uint64_t value_count(const JsonNode *node, const char *path)
{
    const JsonNode *value = value_at(node, path);
    uint64_t count;
    bool is = value && value->kind == JSON_INTEGER;
    return is && str_to_uint64(value->text, &count) ? count : 0;
}

bool value_true(const JsonNode *node, const char *path)
{
    const JsonNode *value = value_at(node, path);
    return value && value->kind == JSON_BOOL && value->truth;
}

static Str shown(const JsonNode *value, Arena *arena)
{
    char text[NUMBER_BYTES];
    uint64_t count;
    double number;
    if (value->kind == JSON_STRING)
        return value->text;
    if (value->kind == JSON_BOOL)
        return str_of(value->truth ? tr("yes") : tr("no"));
    if (value->kind == JSON_INTEGER && str_to_uint64(value->text, &count))
        return str_copy(arena, (Str){text, (size_t)number_count(count, text)});
    bool is = value->kind == JSON_INTEGER || value->kind == JSON_REAL;
    if (is && number_of_text(value->text, &number))
        return str_copy(arena, (Str){text, (size_t)number_short(number, text)});
    return (Str){"", 0};
}

Str value_shown(const JsonNode *node, const char *path, Arena *arena)
{
    const JsonNode *value = value_at(node, path);
    if (!value || value->kind != JSON_LIST)
        return value ? shown(value, arena) : (Str){"", 0};
    StrBuf buf = strbuf_new(arena);
    int items = 0;
    for (const JsonNode *item = value->child; item; item = item->next, items++) {
        if (items == ITEMS_SHOWN) {
            strbuf_add(&buf, STR(", …"));
            break;
        }
        strbuf_add(&buf, items ? STR(", ") : STR(""));
        strbuf_add(&buf, shown(item, arena));
    }
    return strbuf_str(&buf);
}
