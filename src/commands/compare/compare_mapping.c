// SPDX-License-Identifier: Apache-2.0
#include "commands/compare/compare_mapping.h"

#include "base/words.h"
#include "compare/mapping_write.h"

typedef struct MappingRead {
    const Options *options;
    Arena *arena;
    Notices *notices;
    Error *err;
} MappingRead;

// The file of the option, NULL if there is none.
static const char *file_of(const MappingRead *read, const char *option)
{
    Str file = options_text(read->options, option, "");
    return file.size ? str_cstr(read->arena, file) : NULL;
}

static bool read_names(const MappingRead *read, const char *option, const NameMapping **out)
{
    const char *file = file_of(read, option);
    if (!file)
        return true;
    NameMapping *mapping = ARENA_NEW(read->arena, NameMapping);
    *out = mapping;
    return mapping_read_names(file, read->arena, mapping, read->notices, read->err);
}

static bool read_apis(const MappingRead *read, const ApiMapping **out)
{
    const char *file = file_of(read, "api-mapping");
    if (!file)
        return true;
    ApiMapping *mapping = ARENA_NEW(read->arena, ApiMapping);
    *out = mapping;
    return mapping_read_apis(file, read->arena, mapping, read->notices, read->err);
}

static bool read_layers(const MappingRead *read, const LayerMapping **out)
{
    const char *file = file_of(read, "layer-mapping");
    if (!file)
        return true;
    LayerMapping *mapping = ARENA_NEW(read->arena, LayerMapping);
    *out = mapping;
    return mapping_read_layers(file, read->arena, mapping, read->notices, read->err);
}

bool compare_mapping_read(const Options *options, Arena *arena, MatchOptions *out, Notices *notices,
                          Error *err)
{
    MappingRead read = {options, arena, notices, err};
    *out = (MatchOptions){.fuzzy = options_flag(options, "fuzzy"),
                          .by_cells = options_given(options, "cell-mapping"),
                          .by_apis = options_given(options, "api-mapping"),
                          .by_layers = options_given(options, "layer-mapping")};
    return read_names(&read, "data-mapping", &out->data) &&
           read_names(&read, "cell-mapping", &out->cells) && read_apis(&read, &out->apis) &&
           read_layers(&read, &out->layers);
}

void compare_mapping_note(const Comparison *comparison, Notices *notices)
{
    const MatchCounts *counts = &comparison->matched;
    Where target = WHERE_FILE(comparison->target->dump->path.data);
    if (counts->renumbered)
        notices_add(
            notices, NOTICE_INFO, target,
            tr_count((unsigned)counts->renumbered,
                     "%u op is paired by its order: its call number is shifted against golden's",
                     "%u ops are paired by their order: their call numbers are shifted against "
                     "golden's"),
            (unsigned)counts->renumbered);
    if (comparison->kernels)
        notices_add(
            notices, NOTICE_INFO, target,
            tr_count((unsigned)counts->renamed,
                     "one side recorded kernels: %u op is paired with them by order, shapes and "
                     "statistics; what has no partner is left out",
                     "one side recorded kernels: %u ops are paired with them by order, shapes and "
                     "statistics; what has no partner is left out"),
            (unsigned)counts->renamed);
    else if (counts->renamed)
        notices_add(notices, NOTICE_INFO, target,
                    tr_count((unsigned)counts->renamed,
                             "%u op is paired although the two runs call it differently",
                             "%u ops are paired although the two runs call them differently"),
                    (unsigned)counts->renamed);
}

static bool write_rows(const char *path, const Mappings *mappings, Notices *notices, Error *err)
{
    Sink *sink = sink_file(path, err);
    if (!sink)
        return false;
    Arena *scratch = arena_new();
    Names *seen = names_new(scratch);
    NameMapping all = {0};
    size_t others = 0;
    for (size_t i = 0; i < mappings->count; i++)
        others += mapping_join(&all, &mappings->rows[i], seen, scratch);
    if (others)
        notices_add(
            notices, NOTICE_WARNING, WHERE_FILE(path),
            tr_count(
                others,
                "%zu row has another partner in another step or rank; the first one is written",
                "%zu rows have another partner in another step or rank; the first one is "
                "written"),
            others);
    mapping_write(&all, sink);
    arena_release(scratch);
    return sink_commit(sink, err);
}

static bool write_layers(const char *path, const Mappings *mappings, Error *err)
{
    Sink *sink = sink_file(path, err);
    if (!sink)
        return false;
    Arena *scratch = arena_new();
    LayerMapping all = {0};
    Names *seen = names_new(scratch);
    for (size_t i = 0; i < mappings->count; i++)
        for (size_t k = 0; k < mappings->layers[i].count; k++) {
            const LayerRule *rule = &mappings->layers[i].items[k];
            for (size_t n = 0; n < rule->count; n++)
                mapping_add_layer(&all, rule->layer, rule->items[n].target, rule->items[n].golden,
                                  seen, scratch);
        }
    mapping_write_layers(&all, sink);
    arena_release(scratch);
    return sink_commit(sink, err);
}

bool compare_mapping_write(const Options *options, const Mappings *mappings, Notices *notices,
                           Error *err)
{
    Arena *scratch = arena_new();
    Str rows = options_text(options, "write-mapping", "");
    Str layers = options_text(options, "write-layer-mapping", "");
    bool good = rows.size == 0 || write_rows(str_cstr(scratch, rows), mappings, notices, err);
    good = good && (layers.size == 0 || write_layers(str_cstr(scratch, layers), mappings, err));
    arena_release(scratch);
    return good;
}
