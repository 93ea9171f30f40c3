// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_OUTPUTS_H
#define VERNIER_COMMANDS_OUTPUTS_H

#include "base/notice.h"
#include "commands/collector.h"
#include "commands/options.h"
#include "renderers/renderer.h"

// Where a command writes: -o paths and --format, resolved once. A path with a known extension is one
// file in that format; anything else is a folder that gets the wanted formats; "-" is standard
// output.

typedef struct OutputTarget {
    const char *path;
    Str format;  // of a single file or standard output; empty for a folder
    bool folder, standard;
} OutputTarget;

// Names of files in a folder, in the order in which they were written.
typedef struct OutputNames {
    Arena *arena;
    Str *items;
    size_t count, capacity;
} OutputNames;

typedef struct Outputs {
    Arena *arena;
    const Options *options;  // they name the inputs, which are not written over
    OutputTarget *targets;
    size_t count, capacity;
    Str formats;  // comma separated: what folders get
    RenderOptions render;
    Theme theme;
    Error *err;
    bool failed;  // an output could not be written; *err says which
    // What the fonts lack for PNG and PDF. A copy for another thread needs a report of its own.
    FontReport *fonts;
    bool png_left_out, in_english;  // what was done because no font has Chinese
    bool report_alone_as_pdf;       // PDF holds the report; pictures are not written as PDF besides
    // Takes everything instead of files: pictures, the tables of the workbook, summary.json and the
    // figures of the page.
    Collector *collector;
    OutputNames *written;  // what the first folder got, or NULL: not kept
} Outputs;

// A format that is no renderer of scenes, reports or tables: "json", "nodes", "junit", "vis-db".
typedef struct OtherFormat {
    const char *name, *suffix;
} OtherFormat;

// Of commands that write summary.json and nothing else of their own.
extern const OtherFormat outputs_json_only[];

// `others` ends with a NULL name. Makes the folders. Fails on an unknown format (usage) or a folder
// that cannot be made (output).
bool outputs_plan(const Options *options, const char *default_formats, const OtherFormat *others,
                  Arena *arena, Outputs *out, Error *err);

// From here on what the fonts lack is counted in *fonts, which starts empty.
void outputs_watch_fonts(Outputs *outputs, FontReport *fonts);
// Says so once if anything was lacking, and what was done about it.
void outputs_note_missing(const Outputs *outputs, Notices *notices);

// Whether a folder or a file asks for the format.
bool outputs_want(const Outputs *outputs, const char *format);
// Whether anything shows pictures: a format of pictures, a page or text with figures, a collector.
bool outputs_want_pictures(const Outputs *outputs);
bool outputs_folder_wants(const Outputs *outputs, const char *format);

// Write to every target that asks for it: folders get BASE plus the suffix of the format; a single
// file gets it only if it is the `main` one of its kind. Failures are kept in `failed`. The pages of
// a picture that follow the first are files of their own (BASE-2.svg), except in PDF.
void outputs_scene(Outputs *outputs, const char *base, bool main, const Scene *scene);
void outputs_report(Outputs *outputs, const char *format, const char *base, bool main,
                    const Report *report);
void outputs_tables(Outputs *outputs, const char *format, const char *base, bool main,
                    Table *const *tables, size_t count);
void outputs_custom(Outputs *outputs, const char *format, const char *file, bool main,
                    bool (*write)(void *context, Sink *out, Error *err), void *context);
// A file that every folder gets, whatever formats are wanted.
void outputs_every_folder(Outputs *outputs, const char *file,
                          bool (*write)(void *context, Sink *out, Error *err), void *context);

#endif
