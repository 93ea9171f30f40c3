// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_shard.h"

#include "base/array.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/compare/pair_cost.h"
#include "commands/machinery/command_line.h"

bool compare_shard_parse(const Options *options, uint32_t *part, uint32_t *parts, Error *err)
{
    Str text = options_text(options, "shard", "");
    size_t slash = str_find_char(text, '/', 0);
    uint64_t index, count;
    *part = *parts = 0;
    if (!options_given(options, "shard"))
        return true;
    if (slash == SIZE_MAX || !str_to_uint64(str_slice(text, 0, slash), &index) ||
        !str_to_uint64(str_slice(text, slash + 1, text.size), &count) || index < 1 ||
        index > count || count > 1000000)
        return error_set(
            err, ERR_USAGE, NOWHERE,
            tr("--shard: expected I/N with 1 <= I <= N <= 1000000, found '" STR_FMT "'"),
            STR_ARG(text));
    *part = (uint32_t)index;
    *parts = (uint32_t)count;
    return true;
}

bool compare_shard_check(const Options *options, const Outputs *outputs, Error *err)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (!outputs->targets[i].folder)
            return error_set(
                err, ERR_USAGE, WHERE_FILE(outputs->targets[i].path), "%s",
                tr("--shard writes a folder for 'vernier merge': expected a folder after -o"));
    if (outputs_want(outputs, "vis-db"))
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--shard: vis-db needs all pairs at once; run it without --shard"));
    if (options_given(options, "history")) {
        error_set(err, ERR_USAGE, NOWHERE, "%s", tr("--shard: a night is that of the whole run"));
        return error_hint(err, "%s", tr("give --history to 'vernier merge'"));
    }
    return true;
}

bool compare_shard_select(const PlacePairs *all, uint32_t part, uint32_t parts, Arena *arena,
                          ShardPairs *out, Notices *notices, Error *err)
{
    *out = (ShardPairs){.places = ARENA_ARRAY(arena, ShardPlace, all->count),
                        .place_count = all->count,
                        .place_of = ARENA_ARRAY(arena, size_t, all->count)};
    uint32_t *part_of = ARENA_ARRAY(arena, uint32_t, all->count);
    for (size_t i = 0; i < all->count; i++) {
        out->places[i] = (ShardPlace){
            .step = all->items[i].step, .stage = all->items[i].stage, .rank = all->items[i].rank};
        if (!pair_cost(&all->items[i], &out->places[i].bytes, err))
            return false;
        out->places[i].content = parts > 1 ? pair_content(&all->items[i], notices) : 0;
    }
    shard_plan(out->places, all->count, parts, part_of);
    for (size_t i = 0; i < all->count; i++) {
        if (part_of[i] + 1 != part)
            continue;
        out->place_of[out->mine.count] = i;
        *ARRAY_PUSH(arena, &out->mine) = all->items[i];
    }
    return true;
}

// ---- the command line

// Titles are the user's own words, everything else may be a path.
static Str option_value(const OptionValue *value, const Redaction *redaction, Arena *arena)
{
    return value->spec->nature & OPTION_WORDS ? value->text
                                              : redact_path(redaction, value->text, arena);
}

static void add_options(const Options *options, const Redaction *redaction, Arena *arena,
                        Shard *out)
{
    out->options = ARENA_ARRAY(arena, ShardOption, options->count);
    for (size_t i = 0; i < options->count; i++) {
        const OptionValue *value = &options->values[i];
        if (!(value->spec->nature & OPTION_ASIDE))
            out->options[out->option_count++] =
                (ShardOption){str_of(value->spec->name), option_value(value, redaction, arena)};
    }
}

// The option of this part alone that the word gives, or NULL. "-qo DIR" is one word with its value.
static const OptionValue *of_this_part(const Options *options, size_t word)
{
    for (size_t i = 0; i < options->count; i++)
        if (options->values[i].word == word && (options->values[i].spec->nature & OPTION_OF_PART))
            return &options->values[i];
    return NULL;
}

// The command line of the whole run, and where it had its outputs.
static void add_arguments(const Options *options, const Redaction *redaction, Arena *arena,
                          Shard *out)
{
    out->arguments = ARENA_ARRAY(arena, Str, options->word_count);
    out->output_at = SIZE_MAX;
    for (size_t i = 0; i < options->word_count; i++) {
        const OptionValue *own = of_this_part(options, i);
        if (!own) {
            out->arguments[out->argument_count++] =
                command_argument(redaction, options->words[i], arena);
            continue;
        }
        if ((own->spec->nature & OPTION_OUTPUT) && out->output_at == SIZE_MAX)
            out->output_at = out->argument_count;
        i = own->word_end - 1;
    }
}

void compare_shard_describe(const Options *options, const Redaction *redaction, Arena *arena,
                            Shard *out)
{
    out->version = STR(VERNIER_VERSION);
    out->lang = words_lang() == LANG_ZH ? STR("zh") : STR("en");
    add_options(options, redaction, arena, out);
    add_arguments(options, redaction, arena, out);
}

// ---- writing

static const char *folder_of(const Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder)
            return outputs->targets[i].path;
    return "";
}

// A file that was just written and cannot be read again is a failed output.
static bool add_written(const OutputNames *names, Outputs *outputs, ShardPair *out)
{
    File file;
    out->written = ARENA_ARRAY(outputs->arena, ShardFile, names->count);
    for (size_t i = 0; i < names->count; i++) {
        Arena *scratch = arena_new();
        bool good =
            file_open(path_join(scratch, folder_of(outputs), names->items[i]), &file, outputs->err);
        arena_release(scratch);
        if (!good)
            return false;
        out->written[out->written_count++] =
            (ShardFile){.name = names->items[i],
                        .bytes = file.text.size,
                        .crc32c = crc32c(file.text.data, file.text.size)};
        file_close(&file);
    }
    return true;
}

static bool write_shard(void *context, Sink *out, Error *err)
{
    (void)err;
    shard_write(context, out);
    return true;
}

void compare_shard_write(Shard *shard, const ShardPairs *pairs, const PairResult *results,
                         Outputs *outputs)
{
    if (outputs->failed)
        return;
    shard->places = pairs->places;
    shard->place_count = pairs->place_count;
    shard->pair_count = pairs->mine.count;
    shard->pairs = ARENA_ARRAY(outputs->arena, ShardPair, shard->pair_count);
    for (size_t i = 0; i < shard->pair_count; i++) {
        const PairResult *result = &results[i];
        shard->pairs[i] = (ShardPair){.place = pairs->place_of[i],
                                      .facts = result->facts,
                                      .notices = result->notices,
                                      .cases = result->cases,
                                      .layers = result->layers,
                                      .mapping = result->mapping,
                                      .layer_mapping = result->layer_mapping,
                                      .files = result->files};
        if (!add_written(&result->written, outputs, &shard->pairs[i])) {
            outputs->failed = true;
            return;
        }
    }
    Str name = shard_file_name(shard->part, shard->parts, outputs->arena);
    outputs_every_folder(outputs, name.data, write_shard, shard);
}
