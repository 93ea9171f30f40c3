// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_RENDERER_H
#define VERNIER_RENDERERS_RENDERER_H

#include "base/error.h"
#include "base/sink.h"
#include "scene/report.h"
#include "scene/scene.h"
#include "scene/table.h"
#include "scene/theme.h"

// One output format. Its inputs are finished: a renderer places nothing and judges nothing. It
// writes bytes to `out`, or fails and says why.

// What was found out about the installed fonts while drawing.
typedef struct FontReport {
    size_t missing;  // characters drawn that no font has
    bool no_fonts;   // there is none at all: text is drawn with plain strokes, ASCII only
} FontReport;

typedef enum ThemeMode { THEME_LIGHT, THEME_DARK, THEME_AUTO } ThemeMode;

typedef struct RenderOptions {
    const Theme *theme;
    ThemeMode mode;    // THEME_AUTO: by media query where the format can, else light
    double scale;      // of raster pictures; 0 means 2
    int64_t created;   // SOURCE_DATE_EPOCH for formats that store a date; 0 without it
    bool page_linked;  // HTML: figures as <img> files next to the page, linked style sheet
    // Markdown: figures as links with this suffix, e.g. ".png"; NULL: none.
    const char *image_suffix;
    const char *link;       // --link: where readers find the report, for a chat; NULL: nowhere
    const char *templates;  // --templates: folder of files that replace the built-in ones, or NULL
    int jobs;               // threads that may write the parts of one report; 0: as 1
    // PNG and PDF say here what the installed fonts lack; NULL: not wanted.
    FontReport *fonts;
} RenderOptions;

typedef struct Renderer {
    const char *name;    // as typed after --format: "svg"
    const char *suffix;  // ".svg"

    // A picture. NULL: no pictures in this format.
    bool (*write_scene)(const Scene *scene, const RenderOptions *options, Sink *out, Error *err);
    bool all_pages;  // write_scene writes the pages that follow as well
    bool ticket;     // its reports are text for a ticket, not pages
    // A page. NULL: none.
    bool (*write_report)(const Report *report, const RenderOptions *options, Sink *out, Error *err);
    // Tables as the sheets of a workbook, or exactly one table. NULL: none.
    bool one_table;
    bool (*write_tables)(Table *const *tables, size_t count, const RenderOptions *options,
                         Sink *out, Error *err);
} Renderer;

// In the order of --help; ends with NULL.
extern const Renderer *const renderers[];

const Renderer *renderer_by_name(Str name);      // NULL if there is none
const Renderer *renderer_by_suffix(Str suffix);  // ".svg"; NULL if there is none

#endif
