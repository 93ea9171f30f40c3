// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_run.h"

#include "base/words.h"

void law_run(const Evidence *of, const Str *skip, LawResults *out)
{
    *out = (LawResults){.items = ARENA_ARRAY(of->arena, LawResult, law_count)};
    for (size_t i = 0; i < law_count; i++) {
        if (laws[i].of_expects && of->expects->count == 0)
            continue;
        LawResult *it = &out->items[out->count++];
        *it = (LawResult){.law = &laws[i], .marks = ARENA_ARRAY(of->arena, uint8_t, of->count)};
        if (skip[i].size) {
            it->state = LAW_SKIPPED;
            it->why = skip[i];
        } else {
            laws[i].test(of, it);
            it->state = it->broken ? LAW_BROKEN : it->checked ? LAW_HOLDS : LAW_UNKNOWN;
            if (it->state != LAW_UNKNOWN)
                it->why = (Str){0};
            else if (it->why.size == 0)
                it->why = str_printf(of->arena, tr("needs %s"), tr(laws[i].needs));
        }
        out->states[it->state]++;
    }
}

const Law *law_named(Str name)
{
    for (size_t i = 0; i < law_count; i++)
        if (str_equal(name, str_of(laws[i].name)))
            return &laws[i];
    return NULL;
}

const char *law_state_word(LawState state)
{
    static const char *const words[LAW_STATES] = {TR("holds"), TR("broken"),
                                                  TR("cannot be checked"), TR("skipped")};
    return words[state];
}

const char *law_state_key(LawState state)
{
    static const char *const keys[LAW_STATES] = {"holds", "broken", "cannot be checked", "skipped"};
    return keys[state];
}
