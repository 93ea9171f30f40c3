// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_COMMANDS_MACHINERY_OUTPUTS_H
#define VERNIER_COMMANDS_MACHINERY_OUTPUTS_H

#include "base/notice.h"
#include "commands/machinery/options.h"
#include "commands/machinery/output_formats.h"
#include "commands/machinery/output_list.h"
#include "commands/machinery/output_lock.h"
#include "commands/machinery/progress.h"
#include "renderers/renderer.h"

// Where a command writes: -o paths and --format, resolved once. A path with a known extension is
// one file in that format; anything else is a folder that gets the wanted formats; "-" is standard
// output.

// What was written to one of them.
typedef struct OutputMade {
    uint64_t files, bytes;
    int first;  // which of the names that a reader opens first is there; 0: none
} OutputMade;

typedef struct OutputTarget {
    const char *path;
    Str format;  // of a single file or standard output; empty for a folder
    bool folder, standard;
    OutputLock *lock;  // of a folder; shared by the threads that write
    OutputList *list;  // of what vernier made in the folder, or NULL: not kept
    OutputMade *made;  // shared by the threads that write; NULL of standard output
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
    Str title;    // typed, of pictures and tickets; product_write_parts sets it
    Str formats;  // comma separated: what folders get
    RenderOptions render;
    Theme theme;
    Error *err;
    bool failed;  // an output could not be written; *err says which
    // Why there is no place for the usual report, which nobody asked for: the verdict is printed
    // all the same. NULL: there is one.
    const Error *unplaced;
    // What the fonts lack for PNG and PDF. A copy for another thread needs a report of its own.
    FontReport *fonts;
    bool png_left_out, in_english;  // what was done because no font has Chinese
    bool report_alone_as_pdf;       // PDF holds the report; pictures are not written as PDF besides
    bool keeps_old;                 // other processes or runs made files of this run in the folders
    bool kept;             // nothing is written: the product is for `study`, which takes all of it
    Progress *progress;    // of a terminal, or NULL
    OutputNames *written;  // what the first folder got, or NULL: not kept
    OutputNames *fresh;    // paths of files that were not there before, or NULL: not kept
} Outputs;

// `others` ends with a NULL name; NULL: VERDICT_FORMATS and no others. Fails on an unknown format
// (usage) or a folder that cannot be made (output); a folder is there from its first file on. `out`
// is zero but for `kept` and `progress`.
bool outputs_plan(const Options *options, const OtherFormat *others, Arena *arena, Outputs *out,
                  Error *err);

// Keeps the list of what is made in the folders; at the end, if all went well, what an earlier run
// made there and this one did not is removed.
void outputs_list_files(Outputs *outputs);
void outputs_end_lists(Outputs *outputs);
// Whether -o was typed.
bool outputs_named(const Outputs *outputs);
// Of a run that compared nothing: what is there stays, and the default folder gets nothing.
void outputs_leave_old(Outputs *outputs);
// Others may write into the folders again.
void outputs_unlock(Outputs *outputs);

// Adds what was written, by any thread.
void outputs_join_made(const OutputMade *from, OutputMade *to);

// What a reader of the target opens first: its page, else its text, else all of it. In `arena`.
Str outputs_first_file(const OutputTarget *target, Arena *arena);

// From here on what the fonts lack is counted in *fonts, which starts empty.
void outputs_watch_fonts(Outputs *outputs, FontReport *fonts);
// Says so once if anything was lacking, and what was done about it.
void outputs_note_missing(const Outputs *outputs, Notices *notices);

// Whether a folder or a file asks for the format.
bool outputs_want(const Outputs *outputs, const char *format);
bool outputs_folder_wants(const Outputs *outputs, const char *format);
// Whether anything shows pictures: a format of pictures, a page or text with figures.
bool outputs_want_pictures(const Outputs *outputs);
bool outputs_want_pages(const Outputs *outputs);   // a page or text, with figures
bool outputs_want_books(const Outputs *outputs);   // tables as workbooks
bool outputs_want_sheets(const Outputs *outputs);  // tables as files of their own
// What the workbook BASE is called: in a folder as the first format that is wanted, else, if it is
// the `main` one, the file named for it. Empty if none is written.
Str outputs_book_file(const Outputs *outputs, const char *base, bool main, Arena *arena);

// Write to every target that asks for it: folders get BASE plus the suffix of the format; a single
// file gets it only if it is the `main` one of its kind. Failures are kept in `failed`. The pages
// of a picture that follow the first are files of their own (BASE-2.svg), except in PDF.
void outputs_scene(Outputs *outputs, const char *base, bool main, const Scene *scene);
void outputs_report(Outputs *outputs, const char *format, const char *base, const Report *report);
// As workbooks, or `alone`: one table as a file of its own.
void outputs_tables(Outputs *outputs, bool alone, const char *base, bool main, Table *const *tables,
                    size_t count);
void outputs_custom(Outputs *outputs, const char *format, const char *file, bool main,
                    bool (*write)(void *context, Sink *out, Error *err), void *context);
// A file that every folder gets, whatever formats are wanted.
void outputs_every_folder(Outputs *outputs, const char *file,
                          bool (*write)(void *context, Sink *out, Error *err), void *context);

#endif
