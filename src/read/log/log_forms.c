// SPDX-License-Identifier: Apache-2.0
#include "read/log/log_forms.h"

#include "base/array.h"
#include "base/file.h"
#include "base/words.h"
#include "read/log/line_pattern.h"
#include "read/log/lines.h"

enum { FIT_LINES = 400, FIT_BYTES = 256 << 10 };

// Of a log that is known by itself, more of its lines than this have to fit.
#define FIT_KNOWN 0.5

bool form_is_good(Str form)
{
    static const char *const measures[] = {"loss", "grad_norm", "lr", "eval_loss"};
    bool measure = false;
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
        measure = measure || pattern_names(form, measures[i]);
    return measure && pattern_is_whole(form);
}

static bool read_forms(Str text, Arena *arena, FormFile *out, Error *err)
{
    Lines lines;
    Str line;
    struct {
        Str *items;
        size_t count, capacity;
    } forms = {0};
    lines_open(&lines, text_decode(text, arena), arena);
    while (lines_next(&lines, &line)) {
        Str form = str_trim(line);
        if (form.size == 0 || form.data[0] == '#')
            continue;
        if (!form_is_good(form))
            return error_set(err, ERR_INPUT, WHERE_LINE(out->path, lines.line),
                             tr("'" STR_FMT "' needs {loss}, {grad_norm} or {lr}, and {step} where "
                                "the line has one"),
                             STR_ARG(form));
        *ARRAY_PUSH(arena, &forms) = str_copy(arena, form);
    }
    out->forms = forms.items;
    out->count = forms.count;
    return forms.count || error_set(err, ERR_INPUT, WHERE_FILE(out->path), "%s",
                                    tr("no form of a line in this file"));
}

bool form_file_read(const char *path, Arena *arena, FormFile *out, Error *err)
{
    File file;
    *out = (FormFile){.path = path};
    if (!file_open(path, &file, err))
        return false;
    bool good = read_forms(file.text, arena, out, err);
    file_close(&file);
    return good;
}

void form_folder_read(const char *folder, Arena *arena, FormFiles *out, Notices *notices)
{
    FolderList names;
    Error err;
    if (file_kind(folder) != FILE_FOLDER)
        return;
    if (!folder_list(folder, arena, &names, &err)) {
        notices_add(notices, NOTICE_WARNING, WHERE_FILE(folder), "%s", err.text);
        return;
    }
    for (size_t i = 0; i < names.count; i++) {
        FormFile file;
        if (!str_ends(names.items[i], STR(".patterns")))
            continue;
        if (form_file_read(path_join(arena, folder, names.items[i]), arena, &file, &err))
            *ARRAY_PUSH(arena, out) = file;
        else
            notices_add(notices, NOTICE_WARNING, ((Where){err.file, err.line, -1}),
                        tr("%s; this file of forms is left out"), err.text);
    }
}

// The share of the first lines that are records in these forms.
static double share_that_fits(const FormFile *file, Str text)
{
    Arena *scratch = arena_new();
    Lines lines;
    Str line;
    PatternMatch match;
    size_t fit = 0, count = 0;
    lines_open(&lines, text, scratch);
    for (; count < FIT_LINES && lines_next(&lines, &line); count++) {
        bool fits = false;
        for (size_t i = 0; i < file->count && !fits; i++)
            fits = pattern_match(file->forms[i], line, &match);
        fit += fits;
    }
    arena_release(scratch);
    return count ? (double)fit / (double)count : 0;
}

const FormFile *form_files_fit(const FormFiles *files, Str text, bool known)
{
    const FormFile *best = NULL;
    double most = known ? FIT_KNOWN : 0;
    for (size_t i = 0; i < files->count; i++) {
        double fit = share_that_fits(&files->items[i], str_slice(text, 0, FIT_BYTES));
        if (fit > most) {
            best = &files->items[i];
            most = fit;
        }
    }
    return best;
}
