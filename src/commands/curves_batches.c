// SPDX-License-Identifier: Apache-2.0
#include "commands/curves_batches.h"

#include <math.h>

#include "base/utf8.h"
#include "base/words.h"
#include "read/token/saved_batch.h"
#include "read/token/vocabulary.h"

enum { SPIKES_MOST = 8, TOKEN_BYTES = 40 };

// Batches are counted from 0 where steps are counted from 1: of both the one that repeats more.
static const SavedBatch *batch_of(const SavedBatches *batches, int64_t step)
{
    const SavedBatch *found = NULL;
    for (size_t i = 0; i < batches->count; i++) {
        const SavedBatch *at = &batches->items[i];
        if ((at->step == step || at->step == step - 1) &&
            (!found || at->most_count * found->count > found->most_count * at->count))
            found = at;
    }
    return found;
}

static double share_of(const SavedBatch *batch)
{
    return (double)batch->most_count / (double)batch->count;
}

// "7", or "7 ('the')" where the vocabulary has it.
static Str id_text(int64_t id, const Vocabulary *vocabulary, Arena *arena)
{
    Str token = vocabulary_token(vocabulary, id);
    if (token.size == 0)
        return str_printf(arena, "%lld", (long long)id);
    return str_printf(arena, "%lld ('" STR_FMT "')", (long long)id,
                      STR_ARG(utf8_start(token, TOKEN_BYTES)));
}

static void note_batch(const SavedBatches *batches, const Vocabulary *vocabulary, int64_t step,
                       Arena *arena, Notices *notices)
{
    const SavedBatch *batch = batch_of(batches, step);
    double others = 0;
    if (!batch)
        return;
    for (size_t i = 0; i < batches->count; i++)
        if (&batches->items[i] != batch)
            others = fmax(others, share_of(&batches->items[i]));
    notices_add(notices, NOTICE_WARNING, WHERE_FILE(batch->path),
                tr("spike at step %lld: id " STR_FMT " is %.3g %% of the %llu tokens of this batch "
                   "(crc32c %08x); in other saved steps no id is more than %.3g %%"),
                (long long)step, STR_ARG(id_text(batch->most, vocabulary, arena)),
                100 * share_of(batch), (unsigned long long)batch->count, (unsigned)batch->hash,
                100 * others);
}

bool curves_batches_tell(const CurveFindings *report, const Options *options, Arena *arena,
                         Notices *notices, Error *err)
{
    SavedBatches batches = {0};
    Vocabulary vocabulary = {0};
    Str folder = options_text(options, "tokens", ""), file = options_text(options, "vocab", "");
    size_t told = 0;
    if (folder.size == 0)
        return file.size == 0 ||
               error_set(err, ERR_USAGE, NOWHERE, "%s", tr("--vocab: goes with --tokens"));
    if (!saved_batches_read(str_cstr(arena, folder), arena, &batches, notices, err) ||
        (file.size && !vocabulary_read(str_cstr(arena, file), arena, &vocabulary, err)))
        return false;
    for (size_t i = 0; i < report->spikes_count; i++) {
        const RunSpikes *found = &report->spikes[i];
        size_t count = str_equal(found->series->name, STR("loss")) ? found->spikes.count : 0;
        for (size_t k = 0; k < count && k < SPIKES_MOST; k++)
            note_batch(&batches, &vocabulary, found->spikes.items[k].peak, arena, notices);
        told += count;
    }
    if (told == 0)
        notices_add(notices, NOTICE_TOLD, WHERE_FILE(str_cstr(arena, folder)), "%s",
                    tr("--tokens: the loss has no spike whose batch could be looked at"));
    return true;
}
