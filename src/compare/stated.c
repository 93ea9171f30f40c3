// SPDX-License-Identifier: Apache-2.0
#include "compare/stated.h"

#include <string.h>

const char *stated_word(StatedKey key)
{
    static const char *const words[STATED_COUNT] = {"level", "data_mode", "risk_level", "list",
                                                    "scope"};
    return words[key];
}

bool stated_next(Str *rest, Str *item)
{
    size_t from = 0, end;
    while (from < rest->size && strchr("[', \"", rest->data[from]))
        from++;
    for (end = from; end < rest->size && !strchr("]',\"", rest->data[end]);)
        end++;
    *item = str_slice(*rest, from, end);
    *rest = str_slice(*rest, end, rest->size);
    return item->size > 0;
}

uint32_t stated_items(const Stated *stated, StatedKey key)
{
    uint32_t count = 0;
    for (Str rest = stated->values[key], item; stated_next(&rest, &item);)
        count++;
    return count;
}

bool stated_has(const Stated *stated, StatedKey key)
{
    return stated_items(stated, key) > 0;
}

static bool holds(const Stated *stated, StatedKey key, const char *text)
{
    for (Str rest = stated->values[key], item; stated_next(&rest, &item);)
        if (str_equal(item, str_of(text)))
            return true;
    return false;
}

StatedAnswer stated_level(const Stated *stated, OpKind kind)
{
    bool modules = holds(stated, STATED_LEVEL, "L0"), apis = holds(stated, STATED_LEVEL, "L1");
    if (kind == OP_API ? modules : apis && kind != OP_OTHER)
        return STATED_LEAVES_OUT;
    bool keeps = modules || apis || holds(stated, STATED_LEVEL, "mix");
    return keeps && (kind == OP_API || kind == OP_MODULE) ? STATED_KEEPS : STATED_SILENT;
}

StatedAnswer stated_data_mode(const Stated *stated, Direction direction, const char *role)
{
    const char *word = direction == DIR_BACKWARD ? "backward" : "forward";
    const char *const keeps[] = {"all", word, role ? role : "input", role ? role : "output"};
    if (!stated_has(stated, STATED_DATA_MODE) || direction == DIR_NONE)
        return STATED_SILENT;
    for (int i = 0; i < 4; i++)
        if (holds(stated, STATED_DATA_MODE, keeps[i]))
            return STATED_KEEPS;
    return STATED_LEAVES_OUT;
}

static bool contains_nocase(Str text, Str part)
{
    for (size_t at = 0; at + part.size <= text.size; at++)
        if (str_equal_nocase(str_slice(text, at, at + part.size), part))
            return true;
    return false;
}

bool stated_lists(const Stated *stated, Str name, bool around)
{
    for (Str rest = stated->values[STATED_LIST], item; stated_next(&rest, &item);) {
        bool module = str_starts(item, STR("Module.")) || str_starts(item, STR("Cell."));
        if ((module || !around) && contains_nocase(name, item))
            return true;
    }
    return false;
}
