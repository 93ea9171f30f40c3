// SPDX-License-Identifier: Apache-2.0
#include "commands/machinery/log_options.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/path.h"
#include "base/words.h"
#include "read/log/log_forms.h"

typedef struct Forms {
    Str *items;
    size_t count, capacity;
} Forms;

static void read_installed(Arena *arena, Notices *notices, FormFiles *out)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && config[0] == '/')
        form_folder_read(path_join(arena, config, STR("vernier")), arena, out, notices);
    else if (home && home[0] == '/')
        form_folder_read(path_join(arena, home, STR(".config/vernier")), arena, out, notices);
}

static bool add_typed(const Options *options, Arena *arena, Forms *forms, Error *err)
{
    size_t count = options_list_count(options, "pattern");
    for (size_t i = 0; i < count; i++) {
        Str form = options_list_item(options, "pattern", i);
        if (!form_is_good(form))
            return error_set(err, ERR_USAGE, NOWHERE,
                             tr("--pattern: '" STR_FMT "' needs {loss}, {grad_norm} or {lr}, and "
                                "{step} where the line has one"),
                             STR_ARG(form));
        *ARRAY_PUSH(arena, forms) = form;
    }
    return true;
}

static bool add_file(Str path, Arena *arena, Forms *forms, LineForms *events, Error *err)
{
    FormFile file;
    if (!form_file_read(str_cstr(arena, path), arena, &file, err))
        return false;
    for (size_t i = 0; i < file.count; i++)
        *ARRAY_PUSH(arena, forms) = file.forms[i];
    for (size_t i = 0; i < file.events.count; i++)
        *ARRAY_PUSH(arena, events) = file.events.items[i];
    return true;
}

bool log_wish_read(const Options *options, Arena *arena, Notices *notices, LogWish *out, Error *err)
{
    Forms forms = {0};
    *out = (LogWish){.columns = options_text(options, "columns", "")};
    if (!add_typed(options, arena, &forms, err))
        return false;
    size_t files = options_list_count(options, "patterns");
    for (size_t i = 0; i < files; i++)
        if (!add_file(options_list_item(options, "patterns", i), arena, &forms, &out->events, err))
            return false;
    if (forms.count && out->columns.size)
        return error_set(err, ERR_USAGE, NOWHERE, "%s",
                         tr("--pattern is for lines of a log, --columns for a table: give one"));
    out->patterns = forms.items;
    out->pattern_count = forms.count;
    read_installed(arena, notices, &out->installed);
    return true;
}

bool log_wish_of_files(const Str *files, size_t count, Arena *arena, Notices *notices, LogWish *out,
                       Error *err)
{
    Forms forms = {0};
    LineForms events = {0};
    for (size_t i = 0; i < count; i++)
        if (!add_file(files[i], arena, &forms, &events, err))
            return false;
    *out = (LogWish){.patterns = forms.items, .pattern_count = forms.count, .events = events};
    read_installed(arena, notices, &out->installed);
    return true;
}
