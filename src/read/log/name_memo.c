// SPDX-License-Identifier: Apache-2.0
#include "read/log/name_memo.h"

#include <string.h>

static NameFacts look_up(Str name)
{
    NameFacts facts = {.joined = series_name_is_joined(name),
                       .loss = series_name_is_loss(name),
                       .measure = series_name_is_measure(name),
                       .evaluation = series_name_is_evaluation(name),
                       .speed = series_name_is_speed(name),
                       .core = series_name_is_core(name),
                       .rate = series_name_is_rate(name)};
    facts.step = series_name_is_step(name, &facts.order);
    return facts;
}

NameFacts name_facts(NameMemo *memo, Str name)
{
    size_t place = name.size;
    if (name.size == 0 || name.size > MEMO_NAME_MAX)
        return look_up(name);
    for (size_t i = 0; i < name.size; i++)
        place = place * 31 + (unsigned char)name.data[i];
    struct MemoSlot *slot = &memo->slots[place % MEMO_SLOTS];
    if (slot->size == name.size && memcmp(slot->name, name.data, name.size) == 0)
        return slot->facts;
    memcpy(slot->name, name.data, name.size);
    slot->size = (unsigned char)name.size;
    slot->facts = look_up(name);
    return slot->facts;
}
