// SPDX-License-Identifier: Apache-2.0
#include "commands/tokens_steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"

// False: the name has no number, or the ending of no file of tokens.
static bool step_of(Str name, int64_t *step)
{
    if (!STR_IN(path_suffix(name), ".jsonl", ".json", ".csv", ".pt", ".npy"))
        return false;
    size_t at = str_find(name, STR("step"), 0);
    at = at == SIZE_MAX ? 0 : at + 4;
    while (at < name.size && !is_digit(name.data[at]))
        at++;
    size_t end = at;
    while (end < name.size && is_digit(name.data[end]))
        end++;
    return str_to_int64(str_slice(name, at, end), step);
}

static int by_step(const void *a, const void *b)
{
    const TokenStep *x = a, *y = b;
    return x->step != y->step ? (x->step > y->step) - (x->step < y->step)
                              : str_compare_natural(x->file, y->file);
}

static bool compare_step(TokenFolder *folder, TokenStep *step, Notices *notices)
{
    Arena *arena = arena_new();
    TokenSet sets[2];
    TokenComparison comparison;
    Error err;
    bool both = !folder->folders[1], good = true;
    for (int side = 0; side < (both ? 1 : 2) && good; side++) {
        const char *path = path_join(arena, folder->folders[side], step->file);
        TokenAsk ask = folder->ask;
        if (!both && ask.columns[0].size)
            ask.columns[0] = ask.columns[1] = ask.columns[side];
        good = token_set_read(path, &ask, arena, &sets[side], notices, &err);
        folder->bytes += good ? sets[side].bytes : 0;
        if (!good)
            notices_partial(notices, WHERE_FILE(path), "%s",
                            tr("the step cannot be read and is left out"));
    }
    if (!good)
        account_set_aside(&notices->account, ASIDE_LOST, account_open(&notices->account));
    if (good) {
        token_compare(&sets[0], 0, &sets[both ? 0 : 1], both ? 1 : 0, folder->limit, arena,
                      &comparison);
        token_account(&comparison, &notices->account);
        step->tokens = comparison.counted;
        step->mean = comparison.mean;
        step->factor = comparison.factor;
        step->outcome = token_outcome(&comparison);
        folder->tokens += comparison.counted;
    }
    arena_release(arena);
    return good;
}

bool token_steps_read(TokenFolder *folder, Arena *arena, TokenCourse *out, Notices *notices,
                      Error *err)
{
    FolderList list = {0};
    *out = (TokenCourse){0};
    if (!folder_list(folder->folders[0], arena, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        TokenStep step = {.file = list.items[i]};
        if (step_of(step.file, &step.step))
            *ARRAY_PUSH(arena, out) = step;
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof *out->items, by_step);
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++)
        if (compare_step(folder, &out->items[i], notices))
            out->items[kept++] = out->items[i];
    out->count = kept;
    token_course_judge(out, arena);
    return kept > 0 || error_set(err, ERR_INPUT, WHERE_FILE(folder->folders[0]), "%s",
                                 tr("the folder holds no file of tokens with the number of its "
                                    "step, like train_data_step7.jsonl"));
}
