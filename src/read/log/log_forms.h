// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_READ_LOG_LOG_FORMS_H
#define VERNIER_READ_LOG_LOG_FORMS_H

#include "base/notice.h"
#include "read/log/log_part.h"

// Forms of lines (line_pattern.h) as data: those of templates/logs.forms, and those that users keep
// in files, as there or as patterns alone, one a line. '#' begins a comment.

// The forms of templates/logs.forms: those of records in their order, and those of events.
void forms_known(Arena *arena, LineForms *records, LineForms *events);

// What 'vernier help logs' shows of the table: a family of logs, lines of it, what their step is.
typedef struct FormShow {
    const char *name, *example, *step;
} FormShow;

typedef struct FormShows {
    FormShow *items;
    size_t count, capacity;
} FormShows;

void forms_shown(Arena *arena, FormShows *out);

// A bit of the letters that the text begins with; a line that has none of those of a set of words
// has none of these.
uint64_t form_start(Str text);

// A form needs whole braces and one of {loss}, {grad_norm}, {lr}, {eval_loss}.
bool form_is_good(Str form);

// ERR_INPUT with the line where a form is none, or the file has none. `path` stays borrowed.
bool form_file_read(const char *path, Arena *arena, FormFile *out, Error *err);

// The files *.patterns of a folder, by name; those that are broken are noted and left out. A folder
// that is not there has none.
void form_folder_read(const char *folder, Arena *arena, FormFiles *out, Notices *notices);

// The file whose forms fit most of the first 400 lines, the first of equals; NULL: none fits one,
// or of a log that is `known` by itself none fits more than half of them: a line that logs share,
// such as a banner, makes no dialect.
const FormFile *form_files_fit(const FormFiles *files, Str text, bool known);

#endif
