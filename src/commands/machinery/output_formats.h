// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OUTPUT_FORMATS_H
#define VERNIER_COMMANDS_MACHINERY_OUTPUT_FORMATS_H

#include "base/error.h"
#include "base/str.h"

// The formats that a command writes: the renderers and, as a list that ends with a NULL name,
// others of its own.

// A format that is no renderer of scenes, reports or tables: "json", "nodes", "junit", "vis-db".
typedef struct OtherFormat {
    const char *name, *suffix;
} OtherFormat;

// What every command with a verdict writes for other programs: rows of its list of formats. Those
// without a suffix go to folders, standard output and files that name them: annotations.txt.
#define VERDICT_FORMATS                                                          \
    {"json", ".json"}, {"sarif", ".sarif"}, {"codequality", ""}, {"github", ""}, \
    {                                                                            \
        "openmetrics", ".prom"                                                   \
    }

// The format of a single file: by its ending, which `given` (--format) or the whole name may tell
// apart. Empty: the command writes none that ends so.
Str output_format_of_file(Str path, Str given, const OtherFormat *others, Arena *arena);
// "html, svg, …", or ".html, .svg, …", of a command of data `others` alone: for messages.
Str output_formats_known(const OtherFormat *others, bool data, bool suffixes, Arena *arena);
// Fails (usage) on the first of the names, separated by commas, that the command does not write.
bool output_formats_check(Str formats, const OtherFormat *others, Error *err);
bool output_formats_have(Str formats, Str wanted);

#endif
