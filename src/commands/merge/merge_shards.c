// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/merge_shards.h"

#include "base/array.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/words.h"

// ---- finding

static bool add_of_folder(const char *folder, Arena *arena, ShardPaths *out, Error *err)
{
    FolderList list = {0};
    if (!folder_list(folder, arena, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (shard_is_file_name(list.items[i]))
            *ARRAY_PUSH(arena, out) = str_of(path_join(arena, folder, list.items[i]));
    return true;
}

static bool add_of_subfolders(const char *folder, Arena *arena, ShardPaths *out, Error *err)
{
    FolderList list = {0};
    if (!folder_list(folder, arena, &list, err))
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const char *below = path_join(arena, folder, list.items[i]);
        if (file_kind(below) == FILE_FOLDER && !add_of_folder(below, arena, out, err))
            return false;
    }
    return true;
}

bool merge_find_shards(Str path, Arena *arena, ShardPaths *out, Error *err)
{
    const char *name = str_cstr(arena, path);
    size_t before = out->count;
    switch (file_kind(name)) {
    case FILE_REGULAR:
        *ARRAY_PUSH(arena, out) = path;
        return true;
    case FILE_FOLDER:
        if (!add_of_folder(name, arena, out, err) ||
            (out->count == before && !add_of_subfolders(name, arena, out, err)))
            return false;
        if (out->count > before)
            return true;
        error_set(err, ERR_INPUT, WHERE_FILE(name), "%s",
                  tr("no shard file in this folder or in one below it"));
        return error_hint(
            err, "%s",
            tr("parts are made by: vernier compare GOLDEN TARGET --shard I/N -o DIR/; "
               "two dumps are compared without merge"));
    default:
        return error_set(err, ERR_INPUT, WHERE_FILE(name), "%s", tr("no such file or folder"));
    }
}

// ---- reading

typedef struct Sources {
    ShardSource *items;
    size_t count, capacity;
} Sources;

static bool read_source(Str path, const char *version, Arena *arena, ShardSource *out, Error *err)
{
    File file;
    out->file = str_cstr(arena, path);
    out->folder = str_cstr(arena, path_folder(path));
    if (!shard_read(out->file, version, arena, &out->shard, err) ||
        !file_open(out->file, &file, err))
        return false;
    out->bytes = file.text.size;
    out->crc32c = crc32c(file.text.data, file.text.size);
    file_close(&file);
    out->run = shard_run(&out->shard, arena);
    return true;
}

static bool read_all(const ShardPaths *paths, const char *version, Arena *arena, Sources *out,
                     Notices *notices, Error *err)
{
    for (size_t i = 0; i < paths->count; i++) {
        Error own;
        ShardSource source;
        if (read_source(paths->items[i], version, arena, &source, &own)) {
            *ARRAY_PUSH(arena, out) = source;
            continue;
        }
        notices_add_error(notices, &own);
        if (out->count == 0)
            *err = own;
    }
    return out->count > 0;
}

// ---- choosing

// The run of which most parts are there; of equals the one that was named first.
static const ShardSource *most_common(const Sources *sources)
{
    const ShardSource *best = NULL;
    size_t best_count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        size_t count = 0;
        for (size_t k = 0; k < sources->count; k++)
            count += str_equal(sources->items[k].run, sources->items[i].run);
        if (count > best_count) {
            best = &sources->items[i];
            best_count = count;
        }
    }
    return best;
}

static bool hold_the_same(const Shard *a, const Shard *b)
{
    bool same = a->place_count == b->place_count;
    for (size_t i = 0; i < a->place_count && same; i++)
        same = a->places[i].content == b->places[i].content &&
               a->places[i].bytes == b->places[i].bytes;
    return same;
}

static void note_stranger(const ShardSource *source, const Shard *run, Notices *notices)
{
    const Shard *shard = &source->shard;
    const char *what = tr("it was made with other options");
    if (!hold_the_same(shard, run))
        what = tr("its dumps held other values: those of another night, or changed meanwhile");
    if (!str_equal(shard->lang, run->lang))
        what = tr("it was made in another language");
    if (shard->place_count != run->place_count)
        what = tr("its dumps have other steps, stages and ranks");
    if (shard->parts != run->parts)
        what = tr("its run was cut into another number of parts");
    if (!str_equal(shard->golden, run->golden) || !str_equal(shard->target, run->target))
        what = tr("it compares other dumps");
    notices_partial(notices, WHERE_FILE(source->file),
                    tr("this shard belongs to another run and is left out: %s"), what);
}

static void note_double(const ShardSource *source, const ShardSource *known, Notices *notices)
{
    uint32_t part = source->shard.part;
    if (source->bytes == known->bytes && source->crc32c == known->crc32c)
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(source->file),
                    tr("part %u is there twice with the same content; it is taken once"), part);
    else
        notices_partial(notices, WHERE_FILE(source->file),
                        tr("part %u is there twice with different content; '%s' is taken"), part,
                        known->file);
}

static size_t pairs_of_part(const Shard *run, uint32_t part)
{
    Arena *scratch = arena_new();
    uint32_t *part_of = ARENA_ARRAY(scratch, uint32_t, run->place_count);
    size_t count = 0;
    shard_plan(run->places, run->place_count, run->parts, part_of);
    for (size_t i = 0; i < run->place_count; i++)
        count += part_of[i] == part;
    arena_release(scratch);
    return count;
}

// A part to which no pair falls is not missed.
static void note_missing(const ShardSet *set, Notices *notices)
{
    for (uint32_t part = 0; part < set->part_count && part < set->any->place_count; part++) {
        size_t count = set->parts[part] ? 0 : pairs_of_part(set->any, part);
        if (count)
            notices_partial(notices, NOWHERE,
                            tr("part %u of %u is missing: %zu of %zu pairs were not compared"),
                            part + 1, set->part_count, count, set->any->place_count);
    }
}

bool merge_read_shards(const ShardPaths *paths, const char *version, Arena *arena, ShardSet *out,
                       Notices *notices, Error *err)
{
    Sources sources = {0};
    Notices troubles;
    notices_init(&troubles, arena);
    troubles.redaction = notices->redaction;
    if (!read_all(paths, version, arena, &sources, &troubles, err))
        return false;
    const ShardSource *best = most_common(&sources);
    *out = (ShardSet){.part_count = best->shard.parts, .any = &best->shard};
    out->parts = ARENA_ARRAY(arena, const ShardSource *, out->part_count);
    for (size_t i = 0; i < sources.count; i++) {
        const ShardSource *source = &sources.items[i];
        if (!str_equal(source->run, best->run)) {
            note_stranger(source, &best->shard, &troubles);
            continue;
        }
        const ShardSource **known = &out->parts[source->shard.part - 1];
        if (*known)
            note_double(source, *known, &troubles);
        else
            *known = source;
    }
    // What the run noted first stands first, as in one process.
    notices_join(notices, &best->shard.notices);
    notices_join(notices, &troubles);
    note_missing(out, notices);
    return true;
}
