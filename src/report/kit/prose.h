// SPDX-License-Identifier: Apache-2.0
#ifndef VERNIER_REPORT_KIT_PROSE_H
#define VERNIER_REPORT_KIT_PROSE_H

#include "base/notice.h"
#include "scene/report.h"

// An author's Markdown as blocks of a report. The subset: headings, paragraphs, lists ("-", "*",
// "1."), quotes, fenced code, tables with pipes, and figures or tables placed by name on a line of
// their own: ![[long_run]]. Raw HTML is shown as text. Marks inside a line: scene/rich_text.h.

// Adds what the name stands for to the report; false if there is none of that name.
typedef bool PlaceFigure(void *context, Str name, Report *report);

// `file` is named in notices about unknown names.
void prose_add(Str markdown, const char *file, PlaceFigure *place, void *context, Report *report,
               Notices *notices);

#endif
