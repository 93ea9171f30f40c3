// SPDX-License-Identifier: Apache-2.0
#include "commands/merge/merge_files.h"

#include "base/crc32c.h"
#include "base/file.h"
#include "base/words.h"
#include "commands/merge/part_file.h"
#include "commands/merge/part_page.h"
#include "renderers/html.h"

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

// The format of a file of the pair; NULL with the reason noted where the part gives it a name that
// no file of this pair has.
static const char *format_of(const ShardSource *source, const ShardPair *pair, Str name,
                             Arena *scratch, Notices *notices)
{
    bool single = source->shard.place_count == 1;
    const char *format = part_file_format(name, pair->facts.step, pair->facts.stage,
                                          pair->facts.rank, single, scratch);
    if (!format)
        notices_partial(notices, WHERE_FILE(source->file),
                        tr("the part names a file that this pair never has, it is left out: "
                           "'" STR_FMT "'"),
                        STR_ARG(name));
    return format;
}

// Notes why the file is not taken.
static bool is_harmless(const ShardSource *source, Str name, const char *format, Str bytes,
                        const Outputs *outputs, Arena *scratch, Notices *notices)
{
    const char *why = str_equal(str_of(format), str_of(html_renderer.name))
                          ? part_page_refusal(bytes, &outputs->render)
                          : part_file_refusal(format, bytes);
    if (why)
        notices_partial(notices, WHERE_FILE(path_join(scratch, source->folder, name)), "%s", why);
    return !why;
}

// True where the file is in the report afterwards.
static bool copy_file(const ShardSource *source, const ShardPair *pair, const ShardFile *file,
                      Outputs *outputs, Notices *notices)
{
    Arena *scratch = arena_new();
    const char *format = format_of(source, pair, file->name, scratch, notices);
    bool wanted = format && outputs_folder_wants(outputs, format), good = false;
    File opened;
    if (wanted && open_written(source, file, scratch, &opened, notices)) {
        Copy copy = {opened.text};
        good = is_harmless(source, file->name, format, opened.text, outputs, scratch, notices);
        if (good && !is_there(source, outputs))
            outputs_custom(outputs, format, str_cstr(scratch, file->name), false, write_copy,
                           &copy);
        file_close(&opened);
    }
    arena_release(scratch);
    return good;
}

static void drop_name(PairFiles *files, Str name)
{
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++)
        if (!str_equal(files->items[i].file, name))
            files->items[kept++] = files->items[i];
    files->count = kept;
}

// What summary.json may name of the pair: its own files, of those that the part has written.
static void keep_own(const ShardSource *source, const ShardPair *pair, PairFiles *files)
{
    Arena *scratch = arena_new();
    bool single = source->shard.place_count == 1;
    size_t kept = 0;
    for (size_t i = 0; i < files->count; i++) {
        bool own = part_file_format(files->items[i].file, pair->facts.step, pair->facts.stage,
                                    pair->facts.rank, single, scratch) != NULL;
        bool written = false;
        for (size_t k = 0; k < pair->written_count; k++)
            written = written || str_equal(pair->written[k].name, files->items[i].file);
        if (own && written)
            files->items[kept++] = files->items[i];
    }
    files->count = kept;
    arena_release(scratch);
}

// A page of the pair is taken where all that its part linked from it is next to it.
static bool links_stand(const ShardSource *source, const PairFiles *files, size_t linked,
                        const Outputs *outputs, Notices *notices)
{
    if (files->count == linked || is_there(source, outputs))
        return true;
    notices_add(notices, NOTICE_WARNING, NOWHERE, "%s",
                tr("pages of pairs link files that the report has not, they are left out: give "
                   "merge the --format of the parts"));
    return false;
}

// Whether the file shows the pair: its pictures, its page, and its workbook unless all pairs have
// one.
static bool is_of_shown(const ShardPair *pair, Str name, bool books)
{
    Arena *scratch = arena_new();
    const char *format = part_file_format(name, pair->facts.step, pair->facts.stage,
                                          pair->facts.rank, false, scratch);
    const Renderer *renderer = format ? renderer_by_name(str_of(format)) : NULL;
    arena_release(scratch);
    return renderer && (renderer->write_scene || renderer->write_report ||
                        (!books && renderer->write_tables && !renderer->one_table));
}

static void copy_pair(const ShardSource *source, const ShardPair *pair, const CopyChoice *choice,
                      Outputs *outputs, PairFiles *files, Notices *notices)
{
    enum { FILES_MAX = 64 };  // far more than a pair has
    size_t linked = files->count;
    if (pair->written_count > FILES_MAX) {
        notices_partial(notices, WHERE_FILE(source->file), "%s",
                        tr("the part lists more files of a pair than there are; all are left out"));
        files->count = 0;
        return;
    }
    keep_own(source, pair, files);
    for (int pages = 0; pages < 2; pages++)
        for (size_t i = 0; i < pair->written_count && !outputs->failed; i++) {
            const ShardFile *file = &pair->written[i];
            if (str_ends(file->name, str_of(html_renderer.suffix)) != (pages == 1))
                continue;
            if (!choice->shown[pair->place] && is_of_shown(pair, file->name, choice->books)) {
                drop_name(files, file->name);
                continue;
            }
            bool apt = !pages || !outputs_folder_wants(outputs, html_renderer.name) ||
                       links_stand(source, files, linked, outputs, notices);
            if (!apt || !copy_file(source, pair, file, outputs, notices))
                drop_name(files, file->name);
        }
}

void merge_copy_files(const ShardSet *set, const CopyChoice *choice, Outputs *outputs,
                      PairFiles *files, Notices *notices)
{
    for (uint32_t part = 0; part < set->part_count; part++) {
        const ShardSource *source = set->parts[part];
        outputs->keeps_old = outputs->keeps_old || (source && is_any(source, outputs));
        for (size_t i = 0; source && i < source->shard.pair_count; i++) {
            const ShardPair *pair = &source->shard.pairs[i];
            copy_pair(source, pair, choice, outputs, &files[pair->place], notices);
        }
    }
}
