// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/merge_files.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/words.h"

// Which format a file of a pair belongs to, by its ending.
static const char *format_of(Str name)
{
    const Renderer *renderer = renderer_by_suffix(path_suffix(name));
    if (renderer)
        return renderer->name;
    return str_ends(name, STR(".json")) ? "nodes" : "";
}

typedef struct Copy {
    Str bytes;
} Copy;

static bool write_copy(void *context, Sink *out, Error *err)
{
    (void)err;
    sink_str(out, ((const Copy *)context)->bytes);
    return true;
}

// The file as the shard wrote it; false with the reason noted.
static bool open_written(const ShardSource *source, const ShardFile *file, Arena *scratch,
                         File *out, Notices *notices)
{
    Error err;
    char *path = path_inside(scratch, source->folder, file->name, &err);
    if (!path || !file_open(path, out, &err)) {
        notices_add_error(notices, &err);
        return false;
    }
    if (out->text.size == file->bytes && crc32c(out->text.data, out->text.size) == file->crc32c)
        return true;
    notices_partial(notices, WHERE_FILE(path), "%s",
                    tr("this file is not what the shard wrote; it is left out"));
    file_close(out);
    return false;
}

// Where the shards were written into the folder of the report, the file is there already.
static bool is_there(const ShardSource *source, const Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder && !file_same(source->folder, outputs->targets[i].path))
            return false;
    return true;
}

// Whether some folder of outputs is that of the shard, whose files stay.
static bool is_any(const ShardSource *source, const Outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (outputs->targets[i].folder && file_same(source->folder, outputs->targets[i].path))
            return true;
    return false;
}

static void copy_file(const ShardSource *source, const ShardFile *file, Outputs *outputs,
                      Notices *notices)
{
    const char *format = format_of(file->name);
    File opened;
    if (!outputs_folder_wants(outputs, format))
        return;
    Arena *scratch = arena_new();
    if (open_written(source, file, scratch, &opened, notices)) {
        Copy copy = {opened.text};
        if (!is_there(source, outputs))
            outputs_custom(outputs, format, str_cstr(scratch, file->name), false, write_copy,
                           &copy);
        file_close(&opened);
    }
    arena_release(scratch);
}

void merge_copy_files(const ShardSet *set, Outputs *outputs, Notices *notices)
{
    for (uint32_t part = 0; part < set->part_count; part++) {
        const ShardSource *source = set->parts[part];
        outputs->keeps_old = outputs->keeps_old || (source && is_any(source, outputs));
        for (size_t i = 0; source && i < source->shard.pair_count; i++) {
            const ShardPair *pair = &source->shard.pairs[i];
            for (size_t k = 0; k < pair->written_count && !outputs->failed; k++)
                copy_file(source, &pair->written[k], outputs, notices);
        }
    }
}
