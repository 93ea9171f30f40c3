// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_RENDERERS_HTML_SCRIPT_H
#define VERNIER_RENDERERS_HTML_SCRIPT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "scene/report.h"

// The script of a page, of --templates or built in, and the checksum by which the page's content
// policy admits it and no other: page.js, tables.js, and those that read what the page holds:
// icicle.js an index of ops, curves.js curves, field.js ranks. A page.js of --templates is the
// whole script.

typedef struct HtmlScript {
    Str text;
    const char *sha256;  // in base64
} HtmlScript;

// Fails on a file that cannot be read or that would end the element it is in.
bool html_script_find(const char *templates, const Report *report, Arena *arena, HtmlScript *out,
                      Error *err);

// Whether the page has lines for a script under that name.
bool html_script_reads(const Report *report, Str id);

#endif
