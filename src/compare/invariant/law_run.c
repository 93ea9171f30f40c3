// SPDX-License-Identifier: Apache-2.0
#include "compare/invariant/law_run.h"

#include "base/words.h"
#include "compare/invariant/law_note.h"

// A dump of which nothing, or no more than its beginning, came.
static void note_lost(const Evidence *of, LawResult *out)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->ranks[i].failed)
            law_note_open(out, i, str_of(tr("a dump could not be read")));
        else if (of->ranks[i].read.partial_at >= 0)
            law_note_open(out, i, str_of(tr("a dump breaks off")));
}

// A law that holds says of how many dumps, where it is not of all that it could be of.
static void conclude(const Evidence *of, LawResult *out)
{
    size_t held = 0, open = 0;
    out->open = 0;
    out->state = out->broken ? LAW_BROKEN : out->checked ? LAW_HOLDS : LAW_UNKNOWN;
    for (size_t i = 0; i < of->count; i++) {
        held += out->marks[i] == MARK_HOLDS;
        open += out->marks[i] == MARK_OPEN;
    }
    if (out->state == LAW_UNKNOWN) {
        if (out->why.size == 0)
            out->why = str_printf(of->arena, tr("needs %s"), tr(out->law->needs));
    } else if (out->state == LAW_HOLDS && open) {
        out->open = open;
        out->why = str_printf(of->arena, tr("holds in %zu of %zu dumps: " STR_FMT), held,
                              held + open, STR_ARG(out->why));
    } else {
        out->why = (Str){0};
    }
}

static bool has_tokens(const Evidence *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (of->ranks[i].has_tokens)
            return true;
    return false;
}

void law_run(const Evidence *of, const Str *skip, LawResults *out)
{
    *out = (LawResults){.items = ARENA_ARRAY(of->arena, LawResult, law_count)};
    for (size_t i = 0; i < law_count; i++) {
        if ((laws[i].of_expects && of->expects->all->count == 0) ||
            (laws[i].of_tokens && !has_tokens(of)))
            continue;
        LawResult *it = &out->items[out->count++];
        *it = (LawResult){.law = &laws[i], .marks = ARENA_ARRAY(of->arena, uint8_t, of->count)};
        if (skip[i].size) {
            it->state = LAW_SKIPPED;
            it->why = skip[i];
        } else {
            laws[i].test(of, it);
            if (it->checked && it->broken == 0)
                note_lost(of, it);
            conclude(of, it);
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
